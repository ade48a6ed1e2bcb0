/* timing.c: how long an executable takes on buffers of its own. */

#include "base/error.h"
#include "base/memory.h"
#include "opencl/backend.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "opencl/launch.h"
#include "opencl/transfer.h"

/* Until a page is written it may be one of zeros that all share. */
static cl_int touch(const rlt_transfer *stage, cl_mem buffer, size_t size) {
  const cl_uchar pattern = 1;
  return buffer == NULL ? CL_SUCCESS
                        : clEnqueueFillBuffer(stage->queue, buffer, &pattern, sizeof pattern, 0,
                                              size, 0, NULL, NULL);
}

static relayout_status fill_stage(const rlt_opencl_device *device, size_t source_size,
                                  size_t destination_size, rlt_transfer *stage,
                                  relayout_error *error) {
  const relayout_status status = rlt_transfer_make(device, source_size, destination_size,
                                                   CL_QUEUE_PROFILING_ENABLE, stage, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  cl_int code = touch(stage, stage->source, source_size);
  if (code == CL_SUCCESS) {
    code = touch(stage, stage->destination, destination_size);
  }
  const cl_int finish_code = clFinish(stage->queue);
  code = code == CL_SUCCESS ? finish_code : code;
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clEnqueueFillBuffer");
}

relayout_status rlt_opencl_scratch_create(relayout_device *device, size_t source_size,
                                          size_t destination_size, void **scratch,
                                          relayout_error *error) {
  rlt_transfer *const made = rlt_calloc(1, sizeof *made);
  if (made == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory to time relayouts in");
  }
  const relayout_status status =
      fill_stage((const rlt_opencl_device *)device, source_size, destination_size, made, error);
  if (status != RELAYOUT_OK) {
    rlt_opencl_scratch_destroy(device, made);
    return status;
  }
  *scratch = made;
  return RELAYOUT_OK;
}

void rlt_opencl_scratch_destroy(relayout_device *device, void *scratch) {
  (void)device;
  rlt_transfer_release(scratch);
  rlt_free(scratch);
}

/* A clock that runs backwards tells nothing. */
static cl_int seconds_of(cl_event event, double *seconds) {
  cl_ulong begin = 0;
  cl_ulong end = 0;
  cl_int code = clWaitForEvents(1, &event);
  if (code == CL_SUCCESS) {
    code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL);
  }
  if (code == CL_SUCCESS) {
    code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
  }
  if (code == CL_SUCCESS && end < begin) {
    code = CL_PROFILING_INFO_NOT_AVAILABLE;
  }
  if (code == CL_SUCCESS) {
    *seconds = (double)(end - begin) * 1e-9;
  }
  return code;
}

/* Enqueues an executable on the stage. */
static relayout_status enqueue(rlt_launch *launch, const rlt_transfer *stage, rlt_offsets offsets,
                               cl_event *event, relayout_error *error) {
  const rlt_address source = {.buffer = stage->source, .offset = offsets.source};
  const rlt_address destination = {.buffer = stage->destination, .offset = offsets.destination};
  relayout_status status = rlt_launch_hold(launch, source, destination, &rlt_batch_of_one, error);
  if (status == RELAYOUT_OK) {
    status = rlt_launch_enqueue(launch, 1, stage->queue, 0, NULL, event, error);
    rlt_launch_let_go(launch);
  }
  return status;
}

relayout_status rlt_opencl_executable_time(relayout_device *device, const void *executable,
                                           void *scratch, rlt_offsets offsets, double *seconds,
                                           relayout_error *error) {
  (void)device;
  cl_event event = NULL;
  const relayout_status status = enqueue((rlt_launch *)executable, scratch, offsets, &event, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const cl_int code = seconds_of(event, seconds);
  clReleaseEvent(event);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clGetEventProfilingInfo");
}
