/* Moving through buffers of an OpenCL device. Depends on OpenCL. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "conformance/mover.h"
#include "relayout/opencl.h"

struct opencl_mover {
  cl_context context;
  cl_command_queue in_order;
  cl_command_queue out_of_order; /* in order where the device has no other */
  unsigned calls;
};

static relayout_status fail(relayout_error *error, cl_int cl_status, const char *call) {
  if (error != NULL) {
    error->status = RELAYOUT_OPENCL_ERROR;
    error->cl_status = cl_status;
    snprintf(error->message, sizeof(error->message), "the test's %s failed with %d", call,
             (int)cl_status);
  }
  return RELAYOUT_OPENCL_ERROR;
}

relayout_status opencl_mover_create(const relayout_device *device, opencl_mover **mover,
                                    relayout_error *error) {
  *mover = NULL;
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  relayout_status status = relayout_device_get_info(device, &info, error);
  if (status != RELAYOUT_OK || info.backend != RELAYOUT_BACKEND_OPENCL) {
    return status;
  }
  cl_context context;
  cl_device_id id;
  status = relayout_opencl_device_get_handles(device, &context, &id, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  cl_int cl_status;
  cl_command_queue in_order = clCreateCommandQueue(context, id, 0, &cl_status);
  if (cl_status != CL_SUCCESS) {
    return fail(error, cl_status, "clCreateCommandQueue");
  }
  cl_command_queue out_of_order =
      clCreateCommandQueue(context, id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &cl_status);
  if (cl_status != CL_SUCCESS) {
    out_of_order = in_order;
    clRetainCommandQueue(in_order);
  }
  opencl_mover *made = malloc(sizeof(*made));
  if (made == NULL) {
    clReleaseCommandQueue(in_order);
    clReleaseCommandQueue(out_of_order);
    return fail(error, CL_OUT_OF_HOST_MEMORY, "malloc");
  }
  *made = (opencl_mover){context, in_order, out_of_order, 0};
  *mover = made;
  return RELAYOUT_OK;
}

void opencl_mover_destroy(opencl_mover *mover) {
  if (mover == NULL) {
    return;
  }
  clReleaseCommandQueue(mover->in_order);
  clReleaseCommandQueue(mover->out_of_order);
  free(mover);
}

/* Where the two buffers lie on the device. */
typedef struct placement {
  cl_mem source;
  cl_mem destination;      /* may be the source's */
  size_t destination_base; /* of the destination's first byte, guard included */
} placement;

/* One buffer for both leaves a gap that keeps the destination aligned as it is on its own. */
static relayout_status place(cl_context context, bool shares, const guarded_buffer *source,
                             const guarded_buffer *destination, placement *placed,
                             relayout_error *error) {
  const size_t gap = (GUARD_SIZE - source->total % GUARD_SIZE) % GUARD_SIZE;
  const size_t base = shares ? source->total + gap : 0;
  cl_int cl_status;
  cl_mem first =
      clCreateBuffer(context, CL_MEM_READ_WRITE, shares ? base + destination->total : source->total,
                     NULL, &cl_status);
  if (cl_status != CL_SUCCESS) {
    return fail(error, cl_status, "clCreateBuffer");
  }
  cl_mem second = first;
  if (!shares) {
    second = clCreateBuffer(context, CL_MEM_READ_WRITE, destination->total, NULL, &cl_status);
    if (cl_status != CL_SUCCESS) {
      clReleaseMemObject(first);
      return fail(error, cl_status, "clCreateBuffer");
    }
  }
  *placed = (placement){first, second, base};
  return RELAYOUT_OK;
}

static void displace(const placement *placed) {
  clReleaseMemObject(placed->source);
  if (placed->destination != placed->source) {
    clReleaseMemObject(placed->destination);
  }
}

static relayout_status write_both(cl_command_queue queue, const placement *placed,
                                  const guarded_buffer *source, const guarded_buffer *destination,
                                  cl_event *written, relayout_error *error) {
  cl_int cl_status = clEnqueueWriteBuffer(queue, placed->source, CL_FALSE, 0, source->total,
                                          source->bytes, 0, NULL, &written[0]);
  if (cl_status != CL_SUCCESS) {
    return fail(error, cl_status, "clEnqueueWriteBuffer");
  }
  cl_status = clEnqueueWriteBuffer(queue, placed->destination, CL_FALSE, placed->destination_base,
                                   destination->total, destination->bytes, 0, NULL, &written[1]);
  if (cl_status != CL_SUCCESS) {
    clWaitForEvents(1, written);
    clReleaseEvent(written[0]);
    return fail(error, cl_status, "clEnqueueWriteBuffer");
  }
  return RELAYOUT_OK;
}

static relayout_status read_both(cl_command_queue queue, const placement *placed,
                                 const guarded_buffer *source, const guarded_buffer *destination,
                                 cl_uint n_wait, const cl_event *wait, relayout_error *error) {
  cl_int cl_status =
      clEnqueueReadBuffer(queue, placed->destination, CL_TRUE, placed->destination_base,
                          destination->total, destination->bytes, n_wait, wait, NULL);
  if (cl_status == CL_SUCCESS) {
    cl_status = clEnqueueReadBuffer(queue, placed->source, CL_TRUE, 0, source->total, source->bytes,
                                    n_wait, wait, NULL);
  }
  return cl_status == CL_SUCCESS ? RELAYOUT_OK : fail(error, cl_status, "clEnqueueReadBuffer");
}

static relayout_status move_placed(opencl_mover *mover, const relayout_plan *plan,
                                   const placement *placed, const guarded_buffer *source,
                                   const guarded_buffer *destination, relayout_error *error) {
  const bool in_order = mover->calls % 2 == 0;
  cl_command_queue queue = in_order ? mover->in_order : mover->out_of_order;
  cl_event written[2];
  relayout_status status = write_both(queue, placed, source, destination, written, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  cl_event moved = NULL;
  status = relayout_plan_enqueue(plan, queue, placed->source, source->start, placed->destination,
                                 placed->destination_base + destination->start, in_order ? 0 : 2,
                                 in_order ? NULL : written, in_order ? NULL : &moved, error);
  if (status == RELAYOUT_OK) {
    status = read_both(queue, placed, source, destination, in_order ? 0 : 1,
                       in_order ? NULL : &moved, error);
  }
  clFinish(queue);
  clReleaseEvent(written[0]);
  clReleaseEvent(written[1]);
  if (moved != NULL) {
    clReleaseEvent(moved);
  }
  return status;
}

relayout_status opencl_mover_enqueue(opencl_mover *mover, const relayout_plan *plan,
                                     const guarded_buffer *source,
                                     const guarded_buffer *destination, relayout_error *error) {
  mover->calls += 1;
  const bool shares = mover->calls % 5 == 0;
  placement placed;
  relayout_status status = place(mover->context, shares, source, destination, &placed, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  status = move_placed(mover, plan, &placed, source, destination, error);
  displace(&placed);
  return status;
}
