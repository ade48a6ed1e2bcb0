/* staging.c: relayouts of host memory: up into buffers, through the program, and back. */
#include <inttypes.h>
#include <stdint.h>

#include "base/error.h"
#include "opencl/cl_error.h"
#include "opencl/program.h"
#include "opencl/staging.h"

static relayout_status make_buffer(const rlt_opencl_device *device, const char *side, size_t size,
                                   cl_mem_flags flags, cl_mem *buffer, relayout_error *error) {
  if (device->info.allocation_bytes > 0 && size > device->info.allocation_bytes) {
    return rlt_fail_cl(error, CL_INVALID_BUFFER_SIZE,
                       "%s takes %zu bytes, but the device allocates at most %" PRIu64
                       " bytes at once",
                       side, size, device->info.allocation_bytes);
  }
  cl_int code = CL_SUCCESS;
  const cl_mem made = clCreateBuffer(device->context, flags, size, NULL, &code);
  if (made == NULL) {
    return rlt_fail_cl(error, code, "clCreateBuffer for the %zu bytes of %s failed: %s (%d)", size,
                       side, rlt_cl_error_name(code), (int)code);
  }
  *buffer = made;
  return RELAYOUT_OK;
}

relayout_status rlt_stage_make(const rlt_opencl_device *device, size_t source_size,
                               size_t destination_size, cl_command_queue_properties properties,
                               rlt_stage *made, relayout_error *error) {
  cl_int code = CL_SUCCESS;
  made->queue = clCreateCommandQueue(device->context, device->id, properties, &code);
  if (made->queue == NULL) {
    return rlt_cl_fail(error, code, "clCreateCommandQueue");
  }
  if (source_size > 0) {
    const relayout_status status =
        make_buffer(device, "source", source_size, CL_MEM_READ_WRITE, &made->source, error);
    if (status != RELAYOUT_OK) {
      return status;
    }
  }
  return make_buffer(device, "destination", destination_size, CL_MEM_READ_WRITE, &made->destination,
                     error);
}

void rlt_stage_release(rlt_stage *used) {
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

/* Enqueues everything on the stage's queue, which is in order. */
static relayout_status enqueue_all(const rlt_work *work, const rlt_stage *stage, const void *source,
                                   void *destination, relayout_error *error) {
  cl_int code = CL_SUCCESS;
  if (work->source_size > 0) {
    code = clEnqueueWriteBuffer(stage->queue, stage->source, CL_FALSE, 0, work->source_size, source,
                                0, NULL, NULL);
  }
  if (code == CL_SUCCESS && !work->writes_all) {
    /* What the relayout leaves alone must come back as it was. */
    code = clEnqueueWriteBuffer(stage->queue, stage->destination, CL_FALSE, 0,
                                work->destination_size, destination, 0, NULL, NULL);
  }
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clEnqueueWriteBuffer");
  }
  for (int32_t i = 0; i < work->part_count; ++i) {
    const relayout_status status = rlt_opencl_program_enqueue(
        work->parts[i].program, stage->queue, (rlt_place){stage->source, 0},
        (rlt_place){stage->destination, 0}, 0, NULL, NULL, error);
    if (status != RELAYOUT_OK) {
      return status;
    }
  }
  code = clEnqueueReadBuffer(stage->queue, stage->destination, CL_FALSE, 0, work->destination_size,
                             destination, 0, NULL, NULL);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clEnqueueReadBuffer");
}

relayout_status rlt_opencl_execute(relayout_device *device, const rlt_work *work,
                                   const void *source, void *destination, relayout_error *error) {
  rlt_stage used = {NULL, NULL, NULL};
  relayout_status status = rlt_stage_make((const rlt_opencl_device *)device, work->source_size,
                                          work->destination_size, 0, &used, error);
  if (status == RELAYOUT_OK) {
    status = enqueue_all(work, &used, source, destination, error);
    /* Also after a failure: what was enqueued still uses the caller's memory. */
    const cl_int code = clFinish(used.queue);
    if (status == RELAYOUT_OK && code != CL_SUCCESS) {
      status = rlt_cl_fail(error, code, "clFinish");
    }
  }
  rlt_stage_release(&used);
  return status;
}
