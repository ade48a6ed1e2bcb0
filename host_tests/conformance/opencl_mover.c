/* Moving through buffers of an OpenCL device. Depends on OpenCL. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/mover.h"
#include "relayout/opencl.h"

struct opencl_mover {
  cl_context context;
  cl_command_queue in_order;
  cl_command_queue out_of_order; /* in order where the device has no other */
  bool is_pocl; /* whose kernels run on the memory of a buffer that was made with a host pointer */
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
  const bool is_pocl = strstr(info.platform, "Portable Computing Language") != NULL;
  *made = (opencl_mover){context, in_order, out_of_order, is_pocl, 0};
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

/* Where the two buffers lie on the device: in a buffer each, or both in one, or in place. */
typedef struct placement {
  const guarded_buffer *source;
  const guarded_buffer *destination;
  cl_mem memory[2]; /* the same one twice where they share it */
  bool is_in_place; /* on the guarded buffers' own pages */
  size_t base;      /* of the destination's first byte, guard included */
  /* What a shared buffer holds. It travels in one piece: Oclgrind 21.10 takes the first bytes that
   * are written to a buffer for all of it when it looks for uninitialised values. */
  unsigned char *image;
  size_t image_size;
} placement;

static relayout_status place_apart(cl_context context, placement *p, relayout_error *error) {
  const cl_mem_flags own = p->is_in_place ? CL_MEM_USE_HOST_PTR : 0;
  cl_int cl_status;
  p->memory[0] = clCreateBuffer(context, CL_MEM_READ_ONLY | own, p->source->total,
                                p->is_in_place ? p->source->bytes : NULL, &cl_status);
  if (cl_status != CL_SUCCESS) {
    return fail(error, cl_status, "clCreateBuffer");
  }
  p->memory[1] = clCreateBuffer(context, CL_MEM_READ_WRITE | own, p->destination->total,
                                p->is_in_place ? p->destination->bytes : NULL, &cl_status);
  if (cl_status != CL_SUCCESS) {
    clReleaseMemObject(p->memory[0]);
    return fail(error, cl_status, "clCreateBuffer");
  }
  return RELAYOUT_OK;
}

/* A gap keeps the destination aligned as it is on its own. */
static relayout_status place_together(cl_context context, placement *p, relayout_error *error) {
  p->base = (p->source->total + GUARD_SIZE - 1) / GUARD_SIZE * GUARD_SIZE;
  p->image_size = p->base + p->destination->total;
  p->image = calloc(p->image_size, 1);
  if (p->image == NULL) {
    return fail(error, CL_OUT_OF_HOST_MEMORY, "calloc");
  }
  memcpy(p->image, p->source->bytes, p->source->total);
  memcpy(p->image + p->base, p->destination->bytes, p->destination->total);
  cl_int cl_status;
  p->memory[0] = clCreateBuffer(context, CL_MEM_READ_WRITE, p->image_size, NULL, &cl_status);
  if (cl_status != CL_SUCCESS) {
    free(p->image);
    return fail(error, cl_status, "clCreateBuffer");
  }
  clRetainMemObject(p->memory[0]);
  p->memory[1] = p->memory[0];
  return RELAYOUT_OK;
}

static void displace(placement *p) {
  clReleaseMemObject(p->memory[0]);
  clReleaseMemObject(p->memory[1]);
  free(p->image);
}

/* Fills `written` with the events of one or two writes. */
static relayout_status write_placed(cl_command_queue queue, const placement *p, cl_event *written,
                                    cl_uint *count, relayout_error *error) {
  *count = 0;
  if (p->is_in_place) {
    return RELAYOUT_OK;
  }
  cl_int cl_status;
  if (p->image != NULL) {
    cl_status = clEnqueueWriteBuffer(queue, p->memory[0], CL_FALSE, 0, p->image_size, p->image, 0,
                                     NULL, &written[0]);
    *count += cl_status == CL_SUCCESS ? 1 : 0;
  } else {
    const guarded_buffer *buffers[] = {p->source, p->destination};
    cl_status = CL_SUCCESS;
    for (size_t i = 0; i < 2 && cl_status == CL_SUCCESS; ++i) {
      cl_status = clEnqueueWriteBuffer(queue, p->memory[i], CL_FALSE, 0, buffers[i]->total,
                                       buffers[i]->bytes, 0, NULL, &written[i]);
      *count += cl_status == CL_SUCCESS ? 1 : 0;
    }
  }
  return cl_status == CL_SUCCESS ? RELAYOUT_OK : fail(error, cl_status, "clEnqueueWriteBuffer");
}

/* What a device does with memory that is not its own is there once that is mapped. */
static relayout_status read_in_place(cl_command_queue queue, const placement *p, cl_uint n_wait,
                                     const cl_event *wait, relayout_error *error) {
  cl_int cl_status;
  void *const mapped = clEnqueueMapBuffer(queue, p->memory[1], CL_TRUE, CL_MAP_READ, 0,
                                          p->destination->total, n_wait, wait, NULL, &cl_status);
  if (cl_status != CL_SUCCESS) {
    return fail(error, cl_status, "clEnqueueMapBuffer");
  }
  cl_status = clEnqueueUnmapMemObject(queue, p->memory[1], mapped, 0, NULL, NULL);
  return cl_status == CL_SUCCESS ? RELAYOUT_OK : fail(error, cl_status, "clEnqueueUnmapMemObject");
}

static relayout_status read_placed(cl_command_queue queue, const placement *p, cl_uint n_wait,
                                   const cl_event *wait, relayout_error *error) {
  if (p->is_in_place) {
    return read_in_place(queue, p, n_wait, wait, error);
  }
  const guarded_buffer *buffers[] = {p->source, p->destination};
  const size_t bases[] = {0, p->base};
  for (size_t i = 0; i < 2; ++i) {
    const cl_int cl_status =
        clEnqueueReadBuffer(queue, p->memory[i], CL_TRUE, bases[i], buffers[i]->total,
                            buffers[i]->bytes, n_wait, wait, NULL);
    if (cl_status != CL_SUCCESS) {
      return fail(error, cl_status, "clEnqueueReadBuffer");
    }
  }
  return RELAYOUT_OK;
}

/* In order without any event, or out of order with nothing but events. */
static relayout_status move_between(cl_command_queue queue, bool uses_events,
                                    const relayout_plan *plan, const placement *p,
                                    const cl_event *written, cl_uint written_count,
                                    relayout_error *error) {
  cl_event moved = NULL;
  const bool waits = uses_events && written_count > 0;
  relayout_status status = relayout_plan_enqueue(
      plan, queue, p->memory[0], p->source->origin, p->memory[1], p->base + p->destination->origin,
      waits ? written_count : 0, waits ? written : NULL, uses_events ? &moved : NULL, error);
  if (status == RELAYOUT_OK) {
    status = read_placed(queue, p, uses_events ? 1 : 0, uses_events ? &moved : NULL, error);
  }
  if (moved != NULL) {
    clReleaseEvent(moved);
  }
  return status;
}

static relayout_status move_placed(opencl_mover *mover, const relayout_plan *plan,
                                   const placement *p, relayout_error *error) {
  const bool uses_events = mover->calls % 2 == 0;
  cl_command_queue queue = uses_events ? mover->out_of_order : mover->in_order;
  cl_event written[2];
  cl_uint written_count;
  relayout_status status = write_placed(queue, p, written, &written_count, error);
  if (status == RELAYOUT_OK) {
    status = move_between(queue, uses_events, plan, p, written, written_count, error);
  }
  clFinish(queue);
  for (cl_uint i = 0; i < written_count; ++i) {
    clReleaseEvent(written[i]);
  }
  return status;
}

relayout_status opencl_mover_enqueue(opencl_mover *mover, const relayout_plan *plan,
                                     const guarded_buffer *source,
                                     const guarded_buffer *destination, relayout_error *error) {
  mover->calls += 1;
  const bool together = mover->calls % 5 == 0;
  placement placed = {.source = source,
                      .destination = destination,
                      .is_in_place = mover->is_pocl && !together && mover->calls % 3 > 0};
  relayout_status status = together ? place_together(mover->context, &placed, error)
                                    : place_apart(mover->context, &placed, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (placed.is_in_place) {
    fenced_pages_lock(source->pages);
  }
  status = move_placed(mover, plan, &placed, error);
  displace(&placed);
  if (placed.is_in_place) {
    fenced_pages_unlock(source->pages);
  }
  return status;
}
