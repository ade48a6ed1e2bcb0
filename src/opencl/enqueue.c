/* enqueue.c: relayouts on a caller's queue and buffers: the checks, in the order of opencl.h. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/checked.h"
#include "base/error.h"
#include "metadata/widths.h"
#include "opencl/cl_error.h"
#include "opencl/parts.h"
#include "plan/plan.h"

/* One side of an enqueue, as its messages name it. */
typedef struct endpoint {
  const char *name;
  cl_mem buffer;
  size_t offset;  /* in bytes, as the caller gives it */
  int64_t lowest; /* from there to the side's lowest byte, */
  int64_t first;  /* from that on to the first that the plan takes, */
  size_t size;    /* and how many from this on */
  size_t element_size;
  /* What kernels may not do with its buffer, if it takes bytes. */
  cl_mem_flags barred;
  const char *barred_name;
  /* Where the buffer lies: in the one it is a part of, and on memory of the caller's, if any. */
  cl_mem whole;
  size_t origin;
  const uint8_t *host;
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

/* Where the side begins in the buffer. What is out of its bounds wraps around; of what is taken
 * that is refused by its size. */
static size_t lowest_of(const endpoint *side) {
  return side->offset + (size_t)side->lowest;
}

static size_t first_of(const endpoint *side) {
  return lowest_of(side) + (size_t)side->first;
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

/* A sub-buffer lies in another buffer; sub-buffers have none themselves. */
static relayout_status locate(endpoint *side, relayout_error *error) {
  side->whole = side->buffer;
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
  uint8_t *host = NULL;
  if (code == CL_SUCCESS) {
    code = clGetMemObjectInfo(side->whole, CL_MEM_HOST_PTR, sizeof host, &host, NULL);
  }
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clGetMemObjectInfo");
  }
  side->host = host == NULL ? NULL : host + side->origin;
  return RELAYOUT_OK;
}

/* A part of a buffer that says nothing of its own is as the whole. */
static relayout_status check_access(const endpoint *side, relayout_error *error) {
  static const cl_mem_flags all = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
  if (side->size == 0) {
    return RELAYOUT_OK;
  }
  cl_mem_flags flags = 0;
  cl_int code = clGetMemObjectInfo(side->buffer, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
  if (code == CL_SUCCESS && (flags & all) == 0 && side->whole != side->buffer) {
    code = clGetMemObjectInfo(side->whole, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
  }
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clGetMemObjectInfo");
  }
  return (flags & side->barred) == 0
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s %p is %s", side->name,
                        (void *)side->buffer, side->barred_name);
}

/* A buffer on the caller's own memory is as aligned as that is. */
static relayout_status check_alignment(const endpoint *side, relayout_error *error) {
  const size_t element_size = side->element_size;
  if (lowest_of(side) % element_size != 0) {
    return rlt_fail(error, RELAYOUT_MISALIGNED_OFFSET,
                    "%s_offset is %zu, no multiple of the element size, which is %zu%s", side->name,
                    side->offset, element_size,
                    side->offset % element_size == 0 ? ", with the view's byte_offset" : "");
  }
  if ((uintptr_t)side->host % element_size != 0) {
    return rlt_fail(error, RELAYOUT_MISALIGNED_OFFSET,
                    "%s lies on host memory at %p, no multiple of the element size, which is %zu",
                    side->name, (const void *)side->host, element_size);
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
  if (side->size == 0) {
    return RELAYOUT_OK;
  }
  size_t first = 0;
  const int64_t by = side->lowest + side->first;
  const bool is_countable = rlt_add_size(side->offset, by, &first);
  if (!is_countable && by < 0) {
    return rlt_fail(error, RELAYOUT_BUFFER_TOO_SMALL,
                    "%s_offset is %zu, but the plan takes bytes from %" PRId64 " before it on",
                    side->name, side->offset, -by);
  }
  if (!is_countable || first > there || there - first < side->size) {
    return rlt_fail(error, RELAYOUT_BUFFER_TOO_SMALL,
                    "%s has %zu bytes, but the plan takes %zu bytes from %" PRId64
                    " behind %s_offset %zu on",
                    side->name, there, side->size, by, side->name, side->offset);
  }
  return RELAYOUT_OK;
}

/* Buffers are distinct memory, unless one is a part of the other, both are parts of a third, or the
 * caller's memory is under both. */
static relayout_status check_overlap(const endpoint *source, const endpoint *destination,
                                     relayout_error *error) {
  const bool in_one_buffer = source->whole == destination->whole;
  if (source->size == 0 || destination->size == 0 ||
      (!in_one_buffer && (source->host == NULL || destination->host == NULL))) {
    return RELAYOUT_OK;
  }
  const size_t from = (in_one_buffer ? source->origin : (uintptr_t)source->host) + first_of(source);
  const size_t to =
      (in_one_buffer ? destination->origin : (uintptr_t)destination->host) + first_of(destination);
  if (from < to ? to - from >= source->size : from - to >= destination->size) {
    return RELAYOUT_OK;
  }
  return rlt_fail(error, RELAYOUT_BUFFERS_OVERLAP,
                  "source (%zu bytes from byte %zu on) and destination (%zu bytes from byte %zu "
                  "on) overlap in %s",
                  source->size, from, destination->size, to,
                  in_one_buffer ? "one buffer" : "host memory");
}

static relayout_status check_side(cl_context context, endpoint *side, relayout_error *error) {
  relayout_status status = check_context(side, context, error);
  if (status == RELAYOUT_OK) {
    status = locate(side, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_access(side, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_alignment(side, error);
  }
  return status == RELAYOUT_OK ? check_size(side, error) : status;
}

static relayout_status check_sides(cl_context context, endpoint *source, endpoint *destination,
                                   relayout_error *error) {
  relayout_status status = check_side(context, source, error);
  if (status == RELAYOUT_OK) {
    status = check_side(context, destination, error);
  }
  return status == RELAYOUT_OK ? check_overlap(source, destination, error) : status;
}

/* What offsets are multiples of: words, or the containers of elements. Plans that write nothing ask
 * for no alignment; those that read nothing are of the destination's words alone. */
static size_t element_size_of(const relayout_plan *plan, bool is_source) {
  if (plan->work.part_count == 0) {
    return 1;
  }
  const rlt_problem *const problem = rlt_part_problem(&plan->work.parts[0]);
  const relayout_shape *const shape = is_source ? &plan->from.shape : &plan->to.shape;
  const size_t size = relayout_element_type_byte_size(shape->element_type);
  const size_t container = (size_t)rlt_custom_bits(shape) / 8;
  const size_t word = !is_source ? (size_t)rlt_problem_destination_bytes(problem)
                      : rlt_problem_is_fill(problem) && size > 0 ? size
                                                                 : (size_t)problem->element_bytes;
  return container > word ? container : word;
}

static endpoint source_of(const relayout_plan *plan, cl_mem buffer, size_t offset) {
  return (endpoint){.name = "source",
                    .buffer = buffer,
                    .offset = offset,
                    .lowest = plan->source_lowest,
                    .first = plan->work.source_taken.first,
                    .size = rlt_bytes_size(plan->work.source_taken),
                    .element_size = element_size_of(plan, true),
                    .barred = CL_MEM_WRITE_ONLY,
                    .barred_name = "CL_MEM_WRITE_ONLY: kernels may not read it"};
}

static endpoint destination_of(const relayout_plan *plan, cl_mem buffer, size_t offset) {
  return (endpoint){.name = "destination",
                    .buffer = buffer,
                    .offset = offset,
                    .lowest = plan->destination_lowest,
                    .first = plan->work.destination_taken.first,
                    .size = rlt_bytes_size(plan->work.destination_taken),
                    .element_size = element_size_of(plan, false),
                    .barred = CL_MEM_READ_ONLY,
                    .barred_name = "CL_MEM_READ_ONLY: kernels may not write it"};
}

static rlt_place place_of(const endpoint *side) {
  return (rlt_place){side->buffer, lowest_of(side), side->host};
}

/* ---- Enqueuing ---- */

/* `*done` becomes an event of what was enqueued, also after a failure; NULL where nothing was. */
static relayout_status enqueue(const relayout_plan *plan, cl_command_queue queue,
                               const endpoint *source, const endpoint *destination, cl_uint n_wait,
                               const cl_event *wait, cl_event *done, relayout_error *error) {
  if (plan->work.part_count > 0) {
    const rlt_place from = place_of(source);
    const rlt_place to = place_of(destination);
    const relayout_status status = rlt_plan_check_places(plan, (uintptr_t)from.host + from.offset,
                                                         (uintptr_t)to.host + to.offset, error);
    return status == RELAYOUT_OK
               ? rlt_opencl_parts_enqueue(&plan->work, queue, from, to, n_wait, wait, done, error)
               : status;
  }
  const cl_int code = clEnqueueMarkerWithWaitList(queue, n_wait, wait, done);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clEnqueueMarkerWithWaitList");
}

static relayout_status check_and_enqueue(const relayout_plan *plan, cl_command_queue queue,
                                         endpoint *source, endpoint *destination, cl_uint n_wait,
                                         const cl_event *wait, cl_event *done,
                                         relayout_error *error) {
  const rlt_opencl_device *const device = rlt_opencl_device_of(plan->device);
  if (device == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "plan is not one of an OpenCL device");
  }
  relayout_status status = check_type(source, error);
  if (status == RELAYOUT_OK) {
    status = check_type(destination, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_wait_list(n_wait, wait, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_queue(device, queue, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_sides(device->context, source, destination, error);
  }
  return status == RELAYOUT_OK
             ? enqueue(plan, queue, source, destination, n_wait, wait, done, error)
             : status;
}

relayout_status relayout_plan_enqueue(const relayout_plan *plan, cl_command_queue queue,
                                      cl_mem source, size_t source_offset, cl_mem destination,
                                      size_t destination_offset, cl_uint n_wait,
                                      const cl_event *wait, cl_event *event,
                                      relayout_error *error) {
  cl_event done = NULL;
  relayout_status status;
  if (plan == NULL || queue == NULL) {
    status =
        rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL", plan == NULL ? "plan" : "queue");
  } else {
    endpoint from = source_of(plan, source, source_offset);
    endpoint to = destination_of(plan, destination, destination_offset);
    status = check_and_enqueue(plan, queue, &from, &to, n_wait, wait, event == NULL ? NULL : &done,
                               error);
  }
  if (event != NULL) {
    *event = done; /* not before: it may be one of those that were waited for */
  }
  return status;
}

static relayout_status find_plan(relayout_device *device, const relayout_shape *from,
                                 const relayout_shape *to, relayout_plan **plan,
                                 relayout_error *error) {
  if (device == NULL || from == NULL || to == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    device == NULL ? "device"
                    : from == NULL ? "from"
                                   : "to");
  }
  if (rlt_opencl_device_of(device) == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "device is not an OpenCL device");
  }
  return relayout_plan_create(device, from, to, NULL, plan, error);
}

relayout_status relayout_enqueue(relayout_device *device, const relayout_shape *from,
                                 const relayout_shape *to, cl_command_queue queue, cl_mem source,
                                 size_t source_offset, cl_mem destination,
                                 size_t destination_offset, cl_uint n_wait, const cl_event *wait,
                                 cl_event *event, relayout_error *error) {
  relayout_plan *plan = NULL;
  relayout_status status = find_plan(device, from, to, &plan, error);
  if (status != RELAYOUT_OK) {
    if (event != NULL) {
      *event = NULL;
    }
    return status;
  }
  status = relayout_plan_enqueue(plan, queue, source, source_offset, destination,
                                 destination_offset, n_wait, wait, event, error);
  relayout_plan_destroy(plan);
  return status;
}
