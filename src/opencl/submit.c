/* submit.c: relayouts between any two kinds of memory. */
#include <inttypes.h>

#include "base/error.h"
#include "base/structs.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "opencl/submit.h"
#include "plan/verbose.h"

relayout_status relayout_plan_staging_size(const relayout_plan *plan, relayout_memory_kind source,
                                           relayout_memory_kind destination, size_t *bytes,
                                           relayout_error *error) {
  if (bytes == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "bytes is NULL");
  }
  rlt_access from;
  rlt_access to;
  relayout_status status = rlt_check_plan(plan, error);
  if (status == RELAYOUT_OK) {
    status = rlt_memory_access(rlt_opencl_device_of(plan->device), "source", source, &from, error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_memory_access(rlt_opencl_device_of(plan->device), "destination", destination, &to,
                               error);
  }
  if (status == RELAYOUT_OK) {
    *bytes = plan->work.part_count == 0 ? 0 : rlt_staging_size(plan, from, to);
  }
  return status;
}

/* ---- What a caller gives ---- */

static relayout_status read_memory(const relayout_plan *plan, bool is_source,
                                   const relayout_opencl_memory *given, rlt_endpoint *side,
                                   relayout_error *error) {
  relayout_opencl_memory memory = RELAYOUT_OPENCL_MEMORY_INIT;
  if (given == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    is_source ? "source" : "destination");
  }
  const relayout_status status = rlt_struct_read(given, is_source ? "source->" : "destination->",
                                                 sizeof memory, &memory, sizeof memory, error);
  *side = rlt_endpoint_of_memory(plan, is_source, &memory);
  return status;
}

static relayout_status check_staging_buffer(const rlt_submission *of,
                                            const relayout_opencl_staging *staging, size_t needed,
                                            relayout_error *error) {
  if (needed == 0) {
    return RELAYOUT_OK;
  }
  if (staging->buffer == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "staging%s is NULL, but the plan needs %zu bytes of it for these sides",
                    of->means.staging == NULL ? "->buffer" : "", needed);
  }
  cl_context context = NULL;
  size_t size = 0;
  cl_int code = clGetMemObjectInfo(staging->buffer, CL_MEM_CONTEXT, sizeof context, &context, NULL);
  if (code == CL_SUCCESS) {
    code = clGetMemObjectInfo(staging->buffer, CL_MEM_SIZE, sizeof size, &size, NULL);
  }
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clGetMemObjectInfo for staging->buffer");
  }
  if (context != of->device->context) {
    return rlt_fail(error, RELAYOUT_WRONG_CONTEXT,
                    "staging->buffer %p belongs to context %p, but the plan's device to %p",
                    (void *)staging->buffer, (void *)context, (void *)of->device->context);
  }
  if (staging->offset % RLT_STAGING_ALIGNMENT != 0) {
    return rlt_fail(error, RELAYOUT_MISALIGNED_OFFSET,
                    "staging->offset is %zu; expected a multiple of %d", staging->offset,
                    RLT_STAGING_ALIGNMENT);
  }
  return staging->offset <= size && size - staging->offset >= needed
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_BUFFER_TOO_SMALL,
                        "staging->buffer has %zu bytes, but the plan needs %zu from "
                        "staging->offset %zu on",
                        size, needed, staging->offset);
}

static relayout_status read_staging(const relayout_opencl_staging *given, rlt_submission *of,
                                    relayout_error *error) {
  relayout_opencl_staging staging = RELAYOUT_OPENCL_STAGING_INIT;
  relayout_status status =
      rlt_struct_read(given, "staging->", sizeof staging, &staging, sizeof staging, error);
  const size_t needed = of->plan->work.part_count == 0
                            ? 0
                            : rlt_staging_size(of->plan, of->source.access, of->destination.access);
  if (status == RELAYOUT_OK) {
    status = check_staging_buffer(of, &staging, needed, error);
  }
  if (status == RELAYOUT_OK && staging.upload_queue != NULL) {
    status = rlt_check_queue(of->device, "staging->upload_queue", staging.upload_queue, error);
  }
  if (status == RELAYOUT_OK && staging.download_queue != NULL) {
    status = rlt_check_queue(of->device, "staging->download_queue", staging.download_queue, error);
  }
  of->means.staging = staging.buffer;
  of->means.staging_offset = staging.offset;
  of->means.upload_queue = staging.upload_queue != NULL ? staging.upload_queue : of->means.queue;
  of->means.download_queue =
      staging.download_queue != NULL ? staging.download_queue : of->means.queue;
  return status;
}

static relayout_status read_arguments(const relayout_opencl_memory *source,
                                      const relayout_opencl_memory *destination,
                                      const relayout_opencl_staging *staging, rlt_submission *of,
                                      relayout_error *error) {
  relayout_status status = read_memory(of->plan, true, source, &of->source, error);
  if (status == RELAYOUT_OK) {
    status = read_memory(of->plan, false, destination, &of->destination, error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_check_submission(of->device, of->means.queue, &of->source, &of->destination,
                                  of->means.n_wait, of->means.wait, error);
  }
  return status == RELAYOUT_OK ? read_staging(staging, of, error) : status;
}

/* ---- Enqueuing ---- */

/* A buffer on what is taken of host memory. Commands that use it keep it. */
static relayout_status wrap(const rlt_submission *of, rlt_endpoint *side, relayout_error *error) {
  if (side->access != RLT_ACCESS_WRAPPED || side->size == 0) {
    return RELAYOUT_OK;
  }
  cl_int code = CL_SUCCESS;
  const cl_mem_flags access = side->is_read ? CL_MEM_READ_ONLY : CL_MEM_READ_WRITE;
  side->wrapper = clCreateBuffer(of->device->context, access | CL_MEM_USE_HOST_PTR, side->size,
                                 rlt_endpoint_bytes(side), &code);
  return side->wrapper != NULL ? RELAYOUT_OK
                               : rlt_cl_fail(error, code, "clCreateBuffer on host memory");
}

static void unwrap(rlt_endpoint *side) {
  if (side->wrapper != NULL) {
    clReleaseMemObject(side->wrapper);
    side->wrapper = NULL;
  }
}

/* What a buffer on host memory holds is there for the host when it has been mapped. */
static relayout_status hand_back(const rlt_submission *of, rlt_submitted *submitted,
                                 relayout_error *error) {
  const rlt_endpoint *const side = &of->destination;
  cl_int code = CL_SUCCESS;
  cl_event mapped = NULL;
  cl_event unmapped = NULL;
  void *const at = clEnqueueMapBuffer(of->means.queue, side->wrapper, CL_FALSE, CL_MAP_READ, 0,
                                      side->size, 1, &submitted->done, &mapped, &code);
  if (code == CL_SUCCESS) {
    clReleaseEvent(submitted->done);
    submitted->done = mapped; /* the last of what was enqueued, if no more is */
    code = clEnqueueUnmapMemObject(of->means.queue, side->wrapper, at, 1, &mapped, &unmapped);
  }
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clEnqueueMapBuffer on host memory");
  }
  clReleaseEvent(mapped);
  submitted->done = unmapped;
  return RELAYOUT_OK;
}

relayout_status rlt_submit(rlt_submission *of, rlt_submitted *submitted, relayout_error *error) {
  relayout_status status = wrap(of, &of->source, error);
  if (status == RELAYOUT_OK) {
    status = wrap(of, &of->destination, error);
  }
  if (status == RELAYOUT_OK) {
    status =
        rlt_submit_staged(of->plan, &of->source, &of->destination, &of->means, submitted, error);
  }
  if (status == RELAYOUT_OK && of->destination.wrapper != NULL) {
    status = hand_back(of, submitted, error);
  }
  unwrap(&of->source);
  unwrap(&of->destination);
  return status;
}

/* One event for both. */
static relayout_status mark(const rlt_submission *of, rlt_submitted *submitted,
                            relayout_error *error) {
  cl_int code = clEnqueueMarkerWithWaitList(of->means.queue, of->means.n_wait, of->means.wait,
                                            &submitted->done);
  if (code == CL_SUCCESS) {
    code = clRetainEvent(submitted->done);
    submitted->source_done = code == CL_SUCCESS ? submitted->done : NULL;
  }
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clEnqueueMarkerWithWaitList");
}

/* What decides on the variants of parts. Staging has any alignment. */
static uintptr_t address_of(const rlt_endpoint *side) {
  const rlt_address place = rlt_endpoint_address(side);
  return rlt_takes_staging(side->access) ? 0 : (uintptr_t)place.host + place.offset;
}

static relayout_status submit(rlt_submission *of, rlt_submitted *submitted, relayout_error *error) {
  if (of->plan->work.part_count == 0) {
    return mark(of, submitted, error);
  }
  const relayout_status status =
      rlt_plan_check_places(of->plan, address_of(&of->source), address_of(&of->destination), error);
  return status == RELAYOUT_OK ? rlt_submit(of, submitted, error) : status;
}

/* Hands an event to a caller that wants it. */
static void give(cl_event event, cl_event *wanted) {
  if (wanted != NULL) {
    *wanted = event;
  } else if (event != NULL) {
    clReleaseEvent(event);
  }
}

relayout_status relayout_plan_submit(const relayout_plan *plan, cl_command_queue queue,
                                     const relayout_opencl_memory *source,
                                     const relayout_opencl_memory *destination,
                                     const relayout_opencl_staging *staging, cl_uint n_wait,
                                     const cl_event *wait, cl_event *source_done, cl_event *done,
                                     relayout_error *error) {
  rlt_submitted submitted = {NULL, NULL};
  const double begun = rlt_verbose_begin();
  relayout_status status = rlt_check_handles(plan, queue, error);
  if (status == RELAYOUT_OK) {
    rlt_submission of = {.plan = plan,
                         .device = rlt_opencl_device_of(plan->device),
                         .means = {.queue = queue, .n_wait = n_wait, .wait = wait}};
    status = read_arguments(source, destination, staging, &of, error);
    if (status == RELAYOUT_OK) {
      status = submit(&of, &submitted, error);
    }
  }
  give(submitted.source_done, source_done); /* not before: they may be ones that were waited for */
  give(submitted.done, done);
  if (status == RELAYOUT_OK) {
    rlt_verbose_end(begun, RLT_TOLD_ENQUEUE, plan, 1);
  }
  return status;
}
