/* transfer.c: relayouts of host memory: up into buffers, through the program, and back. */
#include <inttypes.h>
#include <stdint.h>

#include "base/error.h"
#include "opencl/backend.h"
#include "opencl/cl_error.h"
#include "opencl/parts.h"
#include "opencl/transfer.h"

static relayout_status make_buffer(const rlt_opencl_device *device, const char *side, size_t size,
                                   cl_mem *buffer, relayout_error *error) {
  if (device->base.info.allocation_bytes > 0 && size > device->base.info.allocation_bytes) {
    return rlt_fail_cl(error, CL_INVALID_BUFFER_SIZE,
                       "%s takes %zu bytes, but the device allocates at most %" PRIu64
                       " bytes at once",
                       side, size, device->base.info.allocation_bytes);
  }
  cl_int code = CL_SUCCESS;
  const cl_mem made = clCreateBuffer(device->context, CL_MEM_READ_WRITE, size, NULL, &code);
  if (made == NULL) {
    return rlt_fail_cl(error, code, "clCreateBuffer for the %zu bytes of %s failed: %s (%d)", size,
                       side, rlt_cl_error_name(code), (int)code);
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
                       : make_buffer(device, "source", source_size, &made->source, error);
  return status == RELAYOUT_OK
             ? make_buffer(device, "destination", destination_size, &made->destination, error)
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

/* Events of what programs wait for. */
typedef struct uploads {
  cl_uint count;
  cl_event of[2];
} uploads;

static cl_int upload(const rlt_transfer *stage, cl_mem buffer, size_t size, const void *bytes,
                     uploads *up) {
  const cl_int code = clEnqueueWriteBuffer(stage->queue, buffer, CL_FALSE, 0, size, bytes, 0, NULL,
                                           &up->of[up->count]);
  up->count += code == CL_SUCCESS;
  return code;
}

/* The source, and the destination where the relayout leaves some of it alone, which must come back
 * as it was. */
static relayout_status upload_all(const rlt_work *work, const rlt_transfer *stage,
                                  const void *source, const void *destination, uploads *up,
                                  relayout_error *error) {
  cl_int code = CL_SUCCESS;
  if (work->source_size > 0) {
    code = upload(stage, stage->source, work->source_size, source, up);
  }
  if (code == CL_SUCCESS && !work->writes_all) {
    code = upload(stage, stage->destination, work->destination_size, destination, up);
  }
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clEnqueueWriteBuffer");
}

/* Each step waits for the events of the one before, though the queue is in order: that tells the
 * last, which the host waits for, of whatever became of the others. */
static relayout_status move(const rlt_work *work, const rlt_transfer *stage, const uploads *up,
                            void *destination, relayout_error *error) {
  cl_event moved = NULL;
  const relayout_status status =
      rlt_opencl_parts_enqueue(work, stage->queue, (rlt_place){.buffer = stage->source},
                               (rlt_place){.buffer = stage->destination}, up->count,
                               up->count == 0 ? NULL : up->of, &moved, error);
  cl_int code = CL_SUCCESS;
  if (status == RELAYOUT_OK) {
    code = clEnqueueReadBuffer(stage->queue, stage->destination, CL_TRUE, 0, work->destination_size,
                               destination, 1, &moved, NULL);
  }
  if (moved != NULL) {
    clReleaseEvent(moved);
  }
  return code == CL_SUCCESS ? status : rlt_cl_fail(error, code, "clEnqueueReadBuffer");
}

relayout_status rlt_opencl_execute(relayout_device *device, const rlt_work *work,
                                   const void *source, void *destination, relayout_error *error) {
  rlt_transfer used = {NULL, NULL, NULL};
  relayout_status status = rlt_transfer_make((const rlt_opencl_device *)device, work->source_size,
                                             work->destination_size, 0, &used, error);
  uploads up = {.count = 0};
  if (status == RELAYOUT_OK) {
    status = upload_all(work, &used, source, destination, &up, error);
  }
  if (status == RELAYOUT_OK) {
    status = move(work, &used, &up, destination, error);
  }
  if (status != RELAYOUT_OK && used.queue != NULL) {
    clFinish(used.queue); /* what was enqueued still uses the caller's memory */
  }
  for (cl_uint i = 0; i < up.count; ++i) {
    clReleaseEvent(up.of[i]);
  }
  rlt_transfer_release(&used);
  return status;
}
