/* enqueue.c: relayouts on a caller's queue and buffers: the checks, in the order of opencl.h. */
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "opencl/cl_error.h"
#include "opencl/program.h"
#include "plan/plan.h"

/* One side of an enqueue, as its messages name it. */
typedef struct endpoint {
  const char *name;
  cl_mem buffer;
  size_t offset; /* bytes */
  size_t size;   /* bytes that the plan takes from there on */
  /* Where the buffer itself lies: in the one it is a part of. */
  cl_mem whole;
  size_t origin;
} endpoint;

static relayout_status check_wait_list(cl_uint n_wait, const cl_event *wait,
                                       relayout_error *error) {
  if ((n_wait == 0) != (wait == NULL)) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "n_wait is %u, but wait is %s",
                    (unsigned)n_wait, wait == NULL ? "NULL" : "not NULL");
  }
  for (cl_uint i = 0; i < n_wait; ++i) {
    if (wait[i] == NULL) {
      return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "wait[%u] is NULL", (unsigned)i);
    }
  }
  return RELAYOUT_OK;
}

static relayout_status check_queue(const rlt_opencl_device *device, cl_command_queue queue,
                                   relayout_error *error) {
  cl_context context = NULL;
  cl_device_id id = NULL;
  cl_int code = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
  if (code == CL_SUCCESS) {
    code = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof id, &id, NULL);
  }
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clGetCommandQueueInfo for queue");
  }
  if (context != device->context) {
    return rlt_fail(error, RELAYOUT_WRONG_CONTEXT,
                    "queue %p is of context %p, the plan's device of %p", (void *)queue,
                    (void *)context, (void *)device->context);
  }
  if (id != device->id) {
    return rlt_fail(error, RELAYOUT_WRONG_CONTEXT,
                    "queue %p is of device %p, the plan of device %p", (void *)queue, (void *)id,
                    (void *)device->id);
  }
  return RELAYOUT_OK;
}

/* A side without bytes needs no buffer. */
static bool is_absent(const endpoint *side) {
  return side->buffer == NULL && side->size == 0;
}

static relayout_status check_type(const endpoint *side, relayout_error *error) {
  if (is_absent(side)) {
    return RELAYOUT_OK;
  }
  if (side->buffer == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL, but takes %zu bytes", side->name,
                    side->size);
  }
  cl_mem_object_type type = 0;
  const cl_int code = clGetMemObjectInfo(side->buffer, CL_MEM_TYPE, sizeof type, &type, NULL);
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clGetMemObjectInfo");
  }
  if (type != CL_MEM_OBJECT_BUFFER) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "%s %p is of memory object type 0x%x, not a buffer", side->name,
                    (void *)side->buffer, (unsigned)type);
  }
  return RELAYOUT_OK;
}

static relayout_status check_context(const endpoint *side, cl_context wanted,
                                     relayout_error *error) {
  if (is_absent(side)) {
    return RELAYOUT_OK;
  }
  cl_context context = NULL;
  const cl_int code =
      clGetMemObjectInfo(side->buffer, CL_MEM_CONTEXT, sizeof context, &context, NULL);
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clGetMemObjectInfo");
  }
  return context == wanted ? RELAYOUT_OK
                           : rlt_fail(error, RELAYOUT_WRONG_CONTEXT,
                                      "%s %p is of context %p, the plan's device of %p", side->name,
                                      (void *)side->buffer, (void *)context, (void *)wanted);
}

/* A buffer on the caller's own memory is as aligned as that is. */
static relayout_status check_alignment(const endpoint *side, size_t element_size,
                                       relayout_error *error) {
  if (side->offset % element_size != 0) {
    return rlt_fail(error, RELAYOUT_MISALIGNED_OFFSET,
                    "%s_offset is %zu, no multiple of the element size, which is %zu", side->name,
                    side->offset, element_size);
  }
  if (is_absent(side)) {
    return RELAYOUT_OK;
  }
  void *host = NULL;
  const cl_int code = clGetMemObjectInfo(side->buffer, CL_MEM_HOST_PTR, sizeof host, &host, NULL);
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clGetMemObjectInfo");
  }
  if ((uintptr_t)host % element_size != 0) {
    return rlt_fail(error, RELAYOUT_MISALIGNED_OFFSET,
                    "%s lies on host memory at %p, no multiple of the element size, which is %zu",
                    side->name, host, element_size);
  }
  return RELAYOUT_OK;
}

static relayout_status check_size(const endpoint *side, relayout_error *error) {
  size_t there = 0;
  if (!is_absent(side)) {
    const cl_int code = clGetMemObjectInfo(side->buffer, CL_MEM_SIZE, sizeof there, &there, NULL);
    if (code != CL_SUCCESS) {
      return rlt_cl_fail(error, code, "clGetMemObjectInfo");
    }
  }
  if (side->size > 0 && (side->offset > there || there - side->offset < side->size)) {
    return rlt_fail(error, RELAYOUT_BUFFER_TOO_SMALL,
                    "%s has %zu bytes, but the plan takes %zu bytes from %s_offset %zu on",
                    side->name, there, side->size, side->name, side->offset);
  }
  return RELAYOUT_OK;
}

/* A sub-buffer lies in another buffer; sub-buffers have none themselves. */
static relayout_status locate(endpoint *side, relayout_error *error) {
  side->whole = side->buffer;
  side->origin = 0;
  if (is_absent(side)) {
    return RELAYOUT_OK;
  }
  cl_mem parent = NULL;
  cl_int code =
      clGetMemObjectInfo(side->buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL);
  if (code == CL_SUCCESS && parent != NULL) {
    side->whole = parent;
    code =
        clGetMemObjectInfo(side->buffer, CL_MEM_OFFSET, sizeof side->origin, &side->origin, NULL);
  }
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clGetMemObjectInfo");
}

static relayout_status check_overlap(endpoint *source, endpoint *destination,
                                     relayout_error *error) {
  if (source->size == 0 || destination->size == 0) {
    return RELAYOUT_OK;
  }
  relayout_status status = locate(source, error);
  if (status == RELAYOUT_OK) {
    status = locate(destination, error);
  }
  if (status != RELAYOUT_OK || source->whole != destination->whole) {
    return status;
  }
  const size_t from = source->origin + source->offset;
  const size_t to = destination->origin + destination->offset;
  if (from < to ? to - from < source->size : from - to < destination->size) {
    return rlt_fail(error, RELAYOUT_BUFFERS_OVERLAP,
                    "source (%zu bytes from byte %zu on) and destination (%zu bytes from byte %zu "
                    "on) overlap in one buffer",
                    source->size, from, destination->size, to);
  }
  return RELAYOUT_OK;
}

static relayout_status check_sides(const relayout_plan *plan, cl_context context, endpoint *source,
                                   endpoint *destination, relayout_error *error) {
  const size_t element_size =
      plan->work.part_count == 0 ? 1 : (size_t)plan->work.parts[0].problem.element_bytes;
  relayout_status status = check_context(source, context, error);
  if (status == RELAYOUT_OK) {
    status = check_context(destination, context, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_alignment(source, element_size, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_alignment(destination, element_size, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_size(source, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_size(destination, error);
  }
  return status == RELAYOUT_OK ? check_overlap(source, destination, error) : status;
}

relayout_status relayout_plan_enqueue(const relayout_plan *plan, cl_command_queue queue,
                                      cl_mem source, size_t source_offset, cl_mem destination,
                                      size_t destination_offset, cl_uint n_wait,
                                      const cl_event *wait, cl_event *event,
                                      relayout_error *error) {
  if (plan == NULL || queue == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    plan == NULL ? "plan" : "queue");
  }
  const rlt_opencl_device *const device = rlt_opencl_device_of(plan->device);
  if (device == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "plan is not one of an OpenCL device");
  }
  endpoint from = {
      .name = "source", .buffer = source, .offset = source_offset, .size = plan->work.source_size};
  endpoint to = {.name = "destination",
                 .buffer = destination,
                 .offset = destination_offset,
                 .size = plan->work.destination_size};
  relayout_status status = check_type(&from, error);
  if (status == RELAYOUT_OK) {
    status = check_type(&to, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_wait_list(n_wait, wait, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_queue(device, queue, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_sides(plan, device->context, &from, &to, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (plan->work.part_count == 0) {
    const cl_int code = clEnqueueMarkerWithWaitList(queue, n_wait, wait, event);
    return code == CL_SUCCESS ? RELAYOUT_OK
                              : rlt_cl_fail(error, code, "clEnqueueMarkerWithWaitList");
  }
  return rlt_opencl_program_enqueue(
      plan->work.parts[0].program, queue, (rlt_place){source, source_offset},
      (rlt_place){destination, destination_offset}, n_wait, wait, event, error);
}

relayout_status relayout_enqueue(relayout_device *device, const relayout_shape *from,
                                 const relayout_shape *to, cl_command_queue queue, cl_mem source,
                                 size_t source_offset, cl_mem destination,
                                 size_t destination_offset, cl_uint n_wait, const cl_event *wait,
                                 cl_event *event, relayout_error *error) {
  if (device == NULL || from == NULL || to == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    device == NULL ? "device"
                    : from == NULL ? "from"
                                   : "to");
  }
  if (rlt_opencl_device_of(device) == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "device is not an OpenCL device");
  }
  relayout_plan *plan = NULL;
  relayout_status status = relayout_plan_create(device, from, to, NULL, &plan, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  status = relayout_plan_enqueue(plan, queue, source, source_offset, destination,
                                 destination_offset, n_wait, wait, event, error);
  rlt_plan_release(plan);
  return status;
}
