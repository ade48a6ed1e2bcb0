/* transfer.c: a queue and buffers to time programs on. */
#include <inttypes.h>
#include <stddef.h>

#include "base/error.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "opencl/transfer.h"

relayout_status rlt_buffer_make(const rlt_opencl_device *device, const char *name, size_t size,
                                cl_mem *buffer, relayout_error *error) {
  if (device->base.info.allocation_bytes > 0 && size > device->base.info.allocation_bytes) {
    return rlt_fail_cl(error, CL_INVALID_BUFFER_SIZE,
                       "%s needs %zu bytes, but the device allocates at most %" PRIu64
                       " bytes at once",
                       name, size, device->base.info.allocation_bytes);
  }
  cl_int code = CL_SUCCESS;
  const cl_mem made = clCreateBuffer(device->context, CL_MEM_READ_WRITE, size, NULL, &code);
  if (made == NULL) {
    return rlt_fail_cl(error, code, "clCreateBuffer for the %zu bytes of %s failed: %s (%d)", size,
                       name, rlt_cl_error_name(code), (int)code);
  }
  *buffer = made;
  return RELAYOUT_OK;
}

relayout_status rlt_transfer_make(const rlt_opencl_device *device, size_t source_size,
                                  size_t destination_size, cl_command_queue_properties properties,
                                  rlt_transfer *made, relayout_error *error) {
  cl_int code = CL_SUCCESS;
  made->queue = clCreateCommandQueue(device->context, device->id, properties, &code);
  if (made->queue == NULL) {
    return rlt_cl_fail(error, code, "clCreateCommandQueue");
  }
  const relayout_status status =
      source_size == 0 ? RELAYOUT_OK
                       : rlt_buffer_make(device, "source", source_size, &made->source, error);
  return status == RELAYOUT_OK
             ? rlt_buffer_make(device, "destination", destination_size, &made->destination, error)
             : status;
}

void rlt_transfer_release(rlt_transfer *used) {
  if (used->source != NULL) {
    clReleaseMemObject(used->source);
  }
  if (used->destination != NULL) {
    clReleaseMemObject(used->destination);
  }
  if (used->queue != NULL) {
    clReleaseCommandQueue(used->queue);
  }
}
