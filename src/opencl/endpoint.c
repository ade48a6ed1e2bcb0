/* endpoint.c: the checks of a submission, in the order of opencl.h. */
#include "opencl/endpoint.h"

#include <inttypes.h>
#include <stdint.h>

#include "base/checked.h"
#include "base/error.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "plan/sharing.h"

relayout_status rlt_check_plan(const relayout_plan *plan, relayout_error *error) {
  const relayout_status status = rlt_plan_check_single(plan, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  return rlt_opencl_device_of(plan->device) != NULL
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "plan was not made for an OpenCL device");
}

relayout_status rlt_check_handles(const relayout_plan *plan, cl_command_queue queue,
                                  relayout_error *error) {
  const relayout_status status = rlt_check_plan(plan, error);
  return status == RELAYOUT_OK && queue == NULL
             ? rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "queue is NULL")
             : status;
}

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

relayout_status rlt_check_queue(const rlt_opencl_device *device, const char *name,
                                cl_command_queue queue, relayout_error *error) {
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
                    "%s %p belongs to context %p, but the plan's device to %p", name, (void *)queue,
                    (void *)context, (void *)device->context);
  }
  if (id != device->id) {
    return rlt_fail(error, RELAYOUT_WRONG_CONTEXT,
                    "%s %p belongs to device %p, but the plan to device %p", name, (void *)queue,
                    (void *)id, (void *)device->id);
  }
  return RELAYOUT_OK;
}

/* ---- One side ---- */

size_t rlt_endpoint_lowest(const rlt_endpoint *side) {
  return side->offset + (size_t)side->lowest;
}

static size_t first_of(const rlt_endpoint *side) {
  return rlt_endpoint_lowest(side) + (size_t)side->first;
}

uint8_t *rlt_endpoint_bytes(const rlt_endpoint *side) {
  return (uint8_t *)((uintptr_t)side->pointer + first_of(side));
}

static bool is_pointer(const rlt_endpoint *side) {
  return side->kind == RELAYOUT_MEMORY_HOST || side->kind == RELAYOUT_MEMORY_SVM ||
         side->kind == RELAYOUT_MEMORY_USM;
}

/* A side without bytes needs no memory. */
static bool is_absent(const rlt_endpoint *side) {
  return side->size == 0 && (is_pointer(side) ? side->pointer == NULL : side->memory == NULL);
}

static bool is_image(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
         type == CL_MEM_OBJECT_IMAGE3D;
}

static relayout_status check_type(const rlt_endpoint *side, relayout_error *error) {
  if (is_absent(side)) {
    return RELAYOUT_OK;
  }
  if (is_pointer(side) ? side->pointer == NULL : side->memory == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "%s is NULL, but the plan needs %zu bytes of it", side->name, side->size);
  }
  if (is_pointer(side)) {
    return RELAYOUT_OK;
  }
  cl_mem_object_type type = 0;
  const cl_int code = clGetMemObjectInfo(side->memory, CL_MEM_TYPE, sizeof type, &type, NULL);
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clGetMemObjectInfo");
  }
  const bool wants_image = side->kind == RELAYOUT_MEMORY_IMAGE;
  return (wants_image ? is_image(type) : type == CL_MEM_OBJECT_BUFFER)
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                        "%s %p has memory object type 0x%x; expected %s", side->name,
                        (void *)side->memory, (unsigned)type,
                        wants_image ? "an image of two or three dimensions" : "a buffer");
}

static relayout_status check_context(const rlt_endpoint *side, cl_context wanted,
                                     relayout_error *error) {
  if (is_absent(side) || is_pointer(side)) {
    return RELAYOUT_OK;
  }
  cl_context context = NULL;
  const cl_int code =
      clGetMemObjectInfo(side->memory, CL_MEM_CONTEXT, sizeof context, &context, NULL);
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clGetMemObjectInfo");
  }
  return context == wanted
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_WRONG_CONTEXT,
                        "%s %p belongs to context %p, but the plan's device to %p", side->name,
                        (void *)side->memory, (void *)context, (void *)wanted);
}

/* A sub-buffer lies in another buffer; sub-buffers have none themselves. */
static relayout_status locate(rlt_endpoint *side, relayout_error *error) {
  side->whole = side->memory;
  if (is_absent(side)) {
    return RELAYOUT_OK;
  }
  if (is_pointer(side)) {
    side->host = side->pointer;
    return RELAYOUT_OK;
  }
  cl_mem parent = NULL;
  cl_int code =
      clGetMemObjectInfo(side->memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL);
  if (code == CL_SUCCESS && parent != NULL) {
    side->whole = parent;
    code =
        clGetMemObjectInfo(side->memory, CL_MEM_OFFSET, sizeof side->origin, &side->origin, NULL);
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
static relayout_status check_access(const rlt_endpoint *side, relayout_error *error) {
  static const cl_mem_flags all = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
  if (side->size == 0 || side->access != RLT_ACCESS_BUFFER) {
    return RELAYOUT_OK; /* transfers may do what kernels may not */
  }
  const cl_mem_flags barred = side->is_read ? CL_MEM_WRITE_ONLY : CL_MEM_READ_ONLY;
  cl_mem_flags flags = 0;
  cl_int code = clGetMemObjectInfo(side->memory, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
  if (code == CL_SUCCESS && (flags & all) == 0 && side->whole != side->memory) {
    code = clGetMemObjectInfo(side->whole, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
  }
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clGetMemObjectInfo");
  }
  return (flags & barred) == 0
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s %p is %s", side->name,
                        (void *)side->memory,
                        side->is_read ? "CL_MEM_WRITE_ONLY: kernels may not read it"
                                      : "CL_MEM_READ_ONLY: kernels may not write it");
}

/* A buffer on the caller's own memory is as aligned as that is. */
static relayout_status check_alignment(const rlt_endpoint *side, relayout_error *error) {
  const size_t element_size = side->element_size;
  if (rlt_endpoint_lowest(side) % element_size != 0) {
    return rlt_fail(error, RELAYOUT_MISALIGNED_OFFSET,
                    "%s is %zu; expected a multiple of the element size, %zu%s", side->offset_name,
                    side->offset, element_size,
                    side->offset % element_size == 0 ? ", together with the view's byte_offset"
                                                     : "");
  }
  if ((uintptr_t)side->host % element_size != 0) {
    return rlt_fail(error, RELAYOUT_MISALIGNED_OFFSET,
                    "%s lies on host memory at %p; expected a multiple of the element size, %zu",
                    side->name, (const void *)side->host, element_size);
  }
  return RELAYOUT_OK;
}

/* The bytes that there are: of memory behind a pointer nobody knows, and it only has an end. */
static relayout_status find_size(rlt_endpoint *side, relayout_error *error) {
  size_t *const there = &side->there;
  *there = 0;
  if (is_absent(side)) {
    return RELAYOUT_OK;
  }
  if (is_pointer(side)) {
    *there = SIZE_MAX - (uintptr_t)side->pointer;
    return RELAYOUT_OK;
  }
  if (side->kind == RELAYOUT_MEMORY_IMAGE) {
    const relayout_status status = rlt_image_of(side->memory, &side->image, error);
    *there = side->image.bytes;
    return status;
  }
  const cl_int code = clGetMemObjectInfo(side->memory, CL_MEM_SIZE, sizeof *there, there, NULL);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clGetMemObjectInfo");
}

/* An image is all of its side. */
static relayout_status check_image(const rlt_endpoint *side, relayout_error *error) {
  if (side->offset != 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is %zu; expected 0 for an image",
                    side->offset_name, side->offset);
  }
  if (side->there != side->side_size || side->lowest != 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "%s is an image of %zu bytes, but the plan needs %zu bytes from byte %" PRId64
                    " on",
                    side->name, side->there, side->side_size, side->lowest);
  }
  return RELAYOUT_OK;
}

static relayout_status check_bounds(const rlt_endpoint *side, relayout_error *error) {
  if (side->size == 0) {
    return RELAYOUT_OK;
  }
  if (side->kind == RELAYOUT_MEMORY_IMAGE) {
    return check_image(side, error);
  }
  size_t first = 0;
  const int64_t by = side->lowest + side->first;
  const bool is_countable = rlt_add_size(side->offset, by, &first);
  if (!is_countable && by < 0) {
    if (is_pointer(side) && (uintptr_t)side->pointer + side->offset >= (uintptr_t)-by) {
      return RELAYOUT_OK; /* memory that is there may begin before a pointer into it */
    }
    return rlt_fail(error, RELAYOUT_BUFFER_TOO_SMALL,
                    "%s is %zu, but the plan needs %" PRId64 " bytes before it", side->offset_name,
                    side->offset, -by);
  }
  if (!is_countable) {
    return rlt_fail(error, RELAYOUT_BUFFER_TOO_SMALL, "%s has %zu bytes, but %s is %zu", side->name,
                    side->there, side->offset_name, side->offset);
  }
  if (first > side->there || side->there - first < side->size) {
    return rlt_fail(error, RELAYOUT_BUFFER_TOO_SMALL,
                    "%s has %zu bytes, but the plan needs %zu from byte %zu on (%s is %zu)",
                    side->name, side->there, side->size, first, side->offset_name, side->offset);
  }
  return RELAYOUT_OK;
}

/* Whether bytes of both sides may lie between each other: kernels reach them by one buffer, or by
 * pointers into one allocation. OpenCL leaves open what becomes of memory that two buffers have. */
static bool may_interlace(const rlt_endpoint *source, const rlt_endpoint *destination) {
  return source->kind == destination->kind && source->access == destination->access &&
         (source->access == RLT_ACCESS_BUFFER    ? source->memory == destination->memory
          : source->access == RLT_ACCESS_POINTER ? source->kind != RELAYOUT_MEMORY_HOST
                                                 : false);
}

/* Buffers are distinct memory, unless one is a part of the other, both are parts of a third, or the
 * caller's memory is under both. An image is one side's alone. */
static relayout_status check_overlap(const rlt_endpoint *source, const rlt_endpoint *destination,
                                     relayout_error *error) {
  const bool in_one_buffer = source->whole == destination->whole && source->whole != NULL;
  if (source->size == 0 || destination->size == 0 ||
      (!in_one_buffer && (source->host == NULL || destination->host == NULL))) {
    return RELAYOUT_OK;
  }
  const size_t from = (in_one_buffer ? source->origin : (uintptr_t)source->host) + first_of(source);
  const size_t to =
      (in_one_buffer ? destination->origin : (uintptr_t)destination->host) + first_of(destination);
  if (!rlt_plan_ranges_overlap(source->plan, from, to)) {
    return RELAYOUT_OK;
  }
  const rlt_sharing sharing = rlt_plan_sharing(source->plan, from, to);
  if (sharing == RLT_SHARES_NOTHING && may_interlace(source, destination)) {
    return RELAYOUT_OK;
  }
  return rlt_fail(error, RELAYOUT_BUFFERS_OVERLAP,
                  "source (%zu bytes from byte %zu on) and destination (%zu bytes from byte %zu "
                  "on) overlap in %s%s",
                  source->size, from, destination->size, to,
                  in_one_buffer ? "one buffer" : "host memory", rlt_sharing_text(sharing));
}

static relayout_status check_side(cl_context context, rlt_endpoint *side, relayout_error *error) {
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
  if (status == RELAYOUT_OK) {
    status = find_size(side, error);
  }
  return status == RELAYOUT_OK ? check_bounds(side, error) : status;
}

static relayout_status check_sides(cl_context context, rlt_endpoint *source,
                                   rlt_endpoint *destination, relayout_error *error) {
  relayout_status status = check_side(context, source, error);
  if (status == RELAYOUT_OK) {
    status = check_side(context, destination, error);
  }
  return status == RELAYOUT_OK ? check_overlap(source, destination, error) : status;
}

relayout_status rlt_check_offsets(const rlt_endpoint *source, const rlt_endpoint *destination,
                                  relayout_error *error) {
  relayout_status status = check_alignment(source, error);
  if (status == RELAYOUT_OK) {
    status = check_bounds(source, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_alignment(destination, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_bounds(destination, error);
  }
  return status == RELAYOUT_OK ? check_overlap(source, destination, error) : status;
}

relayout_status rlt_locate_again(rlt_endpoint *source, rlt_endpoint *destination,
                                 relayout_error *error) {
  const relayout_status status = locate(source, error);
  return status == RELAYOUT_OK ? locate(destination, error) : status;
}

relayout_status rlt_check_endpoint(const rlt_opencl_device *device, rlt_endpoint *side,
                                   relayout_error *error) {
  const relayout_status status = check_type(side, error);
  return status == RELAYOUT_OK ? check_side(device->context, side, error) : status;
}

bool rlt_endpoints_overlap(const rlt_endpoint *a, const rlt_endpoint *b) {
  const bool in_one_buffer = a->whole == b->whole && a->whole != NULL;
  if (a->size == 0 || b->size == 0 || (!in_one_buffer && (a->host == NULL || b->host == NULL))) {
    return false;
  }
  const size_t first = (in_one_buffer ? a->origin : (uintptr_t)a->host) + first_of(a);
  const size_t second = (in_one_buffer ? b->origin : (uintptr_t)b->host) + first_of(b);
  return first < second ? second - first < a->size : first - second < b->size;
}

static rlt_endpoint endpoint_of(const relayout_plan *plan, bool is_source) {
  const rlt_work *const work = &plan->work;
  const rlt_bytes taken = is_source ? work->source_taken : work->destination_taken;
  return (rlt_endpoint){.plan = plan,
                        .name = is_source ? "source" : "destination",
                        .kind = RELAYOUT_MEMORY_BUFFER,
                        .lowest = is_source ? plan->source_lowest : plan->destination_lowest,
                        .first = taken.first,
                        .size = rlt_bytes_size(taken),
                        .side_size = is_source ? work->source_size : work->destination_size,
                        .element_size =
                            is_source ? plan->source_element_size : plan->destination_element_size,
                        .is_read = is_source,
                        .access = RLT_ACCESS_BUFFER};
}

rlt_address rlt_endpoint_address(const rlt_endpoint *side) {
  return side->wrapper != NULL
             ? (rlt_address){side->wrapper, (size_t)-side->first, rlt_endpoint_bytes(side), NULL}
             : (rlt_address){is_pointer(side) ? NULL : side->memory, rlt_endpoint_lowest(side),
                             side->host, side->set_pointer};
}

rlt_endpoint rlt_endpoint_of_buffer(const relayout_plan *plan, bool is_source, cl_mem buffer,
                                    size_t offset) {
  rlt_endpoint made = endpoint_of(plan, is_source);
  made.offset_name = is_source ? "source_offset" : "destination_offset";
  made.memory = buffer;
  made.offset = offset;
  return made;
}

rlt_endpoint rlt_endpoint_of_memory(const relayout_plan *plan, bool is_source,
                                    const relayout_opencl_memory *memory) {
  rlt_endpoint made = endpoint_of(plan, is_source);
  made.offset_name = is_source ? "source->offset" : "destination->offset";
  made.kind = memory->kind;
  made.memory = memory->memory;
  made.pointer = memory->pointer;
  made.offset = memory->offset;
  return made;
}

static relayout_status find_access(const rlt_opencl_device *device, rlt_endpoint *side,
                                   relayout_error *error) {
  const relayout_status status =
      rlt_memory_access(device, side->name, side->kind, &side->access, error);
  if (status == RELAYOUT_OK && side->access == RLT_ACCESS_POINTER) {
    side->set_pointer = rlt_memory_setter(device, side->kind);
  }
  return status;
}

void rlt_endpoint_settle(const rlt_opencl_device *device, bool in_place, rlt_endpoint *side) {
  (void)find_access(device, side, NULL); /* every device knows host memory */
  side->host = side->pointer;
  if (!in_place) {
    side->access = RLT_ACCESS_STAGED;
  }
}

relayout_status rlt_check_queue_and_list(const rlt_opencl_device *device, cl_command_queue queue,
                                         cl_uint n_wait, const cl_event *wait,
                                         relayout_error *error) {
  const relayout_status status = check_wait_list(n_wait, wait, error);
  return status == RELAYOUT_OK ? rlt_check_queue(device, "queue", queue, error) : status;
}

relayout_status rlt_check_submission(const rlt_opencl_device *device, cl_command_queue queue,
                                     rlt_endpoint *source, rlt_endpoint *destination,
                                     cl_uint n_wait, const cl_event *wait, relayout_error *error) {
  relayout_status status = find_access(device, source, error);
  if (status == RELAYOUT_OK) {
    status = find_access(device, destination, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_type(source, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_type(destination, error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_check_queue_and_list(device, queue, n_wait, wait, error);
  }
  return status == RELAYOUT_OK ? check_sides(device->context, source, destination, error) : status;
}
