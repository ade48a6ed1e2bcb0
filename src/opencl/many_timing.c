/* many_timing.c: how long a plan of several destinations takes on buffers of its own. */
#include "base/checked.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "opencl/many.h"
#include "opencl/opencl.h"
#include "opencl/transfer.h"

enum { MODERATE = 0x3c /* in each byte of a float: a number near 1 */, ALIGNMENT = 256 };

typedef struct scratch {
  cl_command_queue queue;
  cl_mem buffers[RLT_MOST_SIDES][RLT_SIDE_TENSORS];
  relayout_side_buffers sides[RLT_MOST_SIDES];
} scratch;

void rlt_opencl_many_scratch_destroy(relayout_device *device, void *made_scratch) {
  (void)device;
  scratch *const made = made_scratch;
  for (int32_t i = 0; i < RLT_MOST_SIDES * RLT_SIDE_TENSORS; ++i) {
    const cl_mem buffer = made->buffers[i / RLT_SIDE_TENSORS][i % RLT_SIDE_TENSORS];
    if (buffer != NULL) {
      clReleaseMemObject(buffer);
    }
  }
  if (made->queue != NULL) {
    clReleaseCommandQueue(made->queue);
  }
  rlt_free(made);
}

/* Bytes before the offset, where a tensor begins behind its lowest byte, in whole elements of any
 * type; offsets are not negative. */
static size_t offset_of(const rlt_used_bytes *used) {
  return used->lowest >= 0 ? 0
                           : (size_t)(rlt_divide_up(-used->lowest, ALIGNMENT) * (int64_t)ALIGNMENT);
}

static relayout_status fill(const rlt_opencl_device *device, const rlt_used_bytes *used,
                            scratch *made, cl_mem *buffer, relayout_error *error) {
  const cl_uchar pattern = MODERATE;
  if (!used->is_used) {
    return RELAYOUT_OK;
  }
  const size_t size = offset_of(used) + (size_t)used->lowest + used->bytes;
  const relayout_status status = rlt_buffer_make(device, "a tensor", size, buffer, error);
  if (status != RELAYOUT_OK || size == 0) {
    return status;
  }
  const cl_int code =
      clEnqueueFillBuffer(made->queue, *buffer, &pattern, sizeof pattern, 0, size, 0, NULL, NULL);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clEnqueueFillBuffer");
}

static relayout_status fill_all(const rlt_many *many, scratch *made, relayout_error *error) {
  const rlt_opencl_device *const device = (const rlt_opencl_device *)many->device;
  cl_int code = CL_SUCCESS;
  made->queue = clCreateCommandQueue(device->context, device->id, 0, &code);
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clCreateCommandQueue");
  }
  relayout_status status = RELAYOUT_OK;
  for (int32_t s = 0; s <= many->count && status == RELAYOUT_OK; ++s) {
    const rlt_used_bytes *const used = many->bytes[s];
    for (int32_t t = 0; t < RLT_SIDE_TENSORS && status == RELAYOUT_OK; ++t) {
      status = fill(device, &used[t], made, &made->buffers[s][t], error);
    }
    made->sides[s] = (relayout_side_buffers){
        made->buffers[s][0], offset_of(&used[0]), made->buffers[s][1], offset_of(&used[1]),
        made->buffers[s][2], offset_of(&used[2]), made->buffers[s][3], offset_of(&used[3])};
  }
  code = clFinish(made->queue); /* after a failure too */
  return status == RELAYOUT_OK && code != CL_SUCCESS ? rlt_cl_fail(error, code, "clFinish")
                                                     : status;
}

relayout_status rlt_opencl_many_scratch_create(const rlt_many *many, void **made_scratch,
                                               relayout_error *error) {
  scratch *const made = rlt_calloc(1, sizeof *made);
  if (made == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory to time a plan of %d destinations",
                    (int)many->count);
  }
  const relayout_status status = fill_all(many, made, error);
  if (status == RELAYOUT_OK) {
    *made_scratch = made;
  } else {
    rlt_opencl_many_scratch_destroy(many->device, made);
  }
  return status;
}

/* All steps, and the memory between them. */
relayout_status rlt_opencl_many_time(const relayout_plan *plan, void *made_scratch, double *seconds,
                                     relayout_error *error) {
  const scratch *const at = made_scratch;
  const double begin = rlt_seconds();
  const relayout_status status = relayout_plan_enqueue_many(plan, at->queue, &at->sides[0],
                                                            &at->sides[1], 0, NULL, NULL, error);
  const cl_int code = clFinish(at->queue);
  *seconds = rlt_seconds() - begin;
  return status == RELAYOUT_OK && code != CL_SUCCESS ? rlt_cl_fail(error, code, "clFinish")
                                                     : status;
}
