/* execute.c: relayouts of host memory, to their end: in place where the device can, and through
 * staging of its own elsewhere, box by box where that would not fit. */
#include <inttypes.h>

#include "base/error.h"
#include "opencl/backend.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "opencl/submit.h"
#include "plan/chunks.h"

/* ---- One plan ---- */

/* Kernels take pointers to whole elements, and a schedule that was asked for may want more. */
static bool lie_well(const rlt_submission *of) {
  const uintptr_t source = (uintptr_t)of->source.pointer;
  const uintptr_t destination = (uintptr_t)of->destination.pointer;
  return source % of->source.element_size == 0 && destination % of->destination.element_size == 0 &&
         rlt_plan_check_places(of->plan, source, destination, NULL) == RELAYOUT_OK;
}

/* A side in memory of the host, from its lowest byte on. */
static rlt_endpoint side_at(const relayout_plan *plan, bool is_source, const void *lowest) {
  relayout_opencl_memory memory = RELAYOUT_OPENCL_MEMORY_INIT;
  memory.kind = RELAYOUT_MEMORY_HOST;
  memory.pointer = (void *)(uintptr_t)lowest;
  rlt_endpoint made = rlt_endpoint_of_memory(plan, is_source, &memory);
  made.lowest = 0;
  return made;
}

static rlt_submission submission_of(const relayout_plan *plan, const void *source,
                                    void *destination) {
  rlt_submission made = {.plan = plan,
                         .device = rlt_opencl_device_of(plan->device),
                         .source = side_at(plan, true, source),
                         .destination = side_at(plan, false, destination)};
  const bool in_place = lie_well(&made);
  rlt_endpoint_settle(made.device, in_place, &made.source);
  rlt_endpoint_settle(made.device, in_place, &made.destination);
  return made;
}

static relayout_status make_staging(rlt_submission *of, relayout_error *error) {
  const size_t size = rlt_staging_size(of->plan, of->source.access, of->destination.access);
  if (size == 0) {
    return RELAYOUT_OK;
  }
  const uint64_t most = of->device->base.info.allocation_bytes;
  if (most > 0 && size > most) {
    return rlt_fail_cl(
        error, CL_INVALID_BUFFER_SIZE,
        "the relayout needs %zu bytes of staging, but the device allocates at most %" PRIu64
        " bytes at once",
        size, most);
  }
  cl_int code = CL_SUCCESS;
  of->means.staging = clCreateBuffer(of->device->context, CL_MEM_READ_WRITE, size, NULL, &code);
  return of->means.staging != NULL
             ? RELAYOUT_OK
             : rlt_fail_cl(error, code, "clCreateBuffer for %zu bytes of staging failed: %s (%d)",
                           size, rlt_cl_error_name(code), (int)code);
}

static relayout_status submit_and_wait(rlt_submission *of, relayout_error *error) {
  rlt_submitted submitted = {NULL, NULL};
  const relayout_status status = rlt_submit(of, &submitted, error);
  const cl_int code = submitted.done == NULL ? CL_SUCCESS : clWaitForEvents(1, &submitted.done);
  if (submitted.source_done != NULL) {
    clReleaseEvent(submitted.source_done);
  }
  if (submitted.done != NULL) {
    clReleaseEvent(submitted.done);
  }
  return status != RELAYOUT_OK || code == CL_SUCCESS ? status
                                                     : rlt_cl_fail(error, code, "clWaitForEvents");
}

static relayout_status execute_at_once(rlt_submission *of, relayout_error *error) {
  cl_int code = CL_SUCCESS;
  const cl_command_queue queue =
      clCreateCommandQueue(of->device->context, of->device->id, 0, &code);
  if (queue == NULL) {
    return rlt_cl_fail(error, code, "clCreateCommandQueue");
  }
  of->means.queue = of->means.upload_queue = of->means.download_queue = queue;
  relayout_status status = make_staging(of, error);
  if (status == RELAYOUT_OK) {
    status = submit_and_wait(of, error);
  }
  if (status != RELAYOUT_OK) {
    clFinish(queue); /* what was enqueued still uses the caller's memory */
  }
  if (of->means.staging != NULL) {
    clReleaseMemObject(of->means.staging);
  }
  clReleaseCommandQueue(queue);
  return status;
}

/* ---- What does not fit ---- */

/* The most bytes of a side that are moved at once; 0: all of them. */
static size_t most_of(const rlt_submission *of, const rlt_endpoint *side) {
  const relayout_device_info *const info = &of->device->base.info;
  const uint64_t allocation = info->allocation_bytes > 0 ? info->allocation_bytes : RLT_MOST_BYTES;
  const uint64_t memory = info->memory_bytes > 0 ? info->memory_bytes / 2 : RLT_MOST_BYTES;
  switch (side->access) {
  case RLT_ACCESS_STAGED: /* both sides are in one buffer, and others have some memory too */
    return (size_t)(allocation < memory ? allocation : memory) / 2 / RLT_STAGING_ALIGNMENT *
           RLT_STAGING_ALIGNMENT;
  case RLT_ACCESS_WRAPPED:
    return (size_t)allocation;
  default:
    return 0;
  }
}

static bool is_beyond(const rlt_endpoint *side, size_t most) {
  const size_t lead = (size_t)side->first % RLT_STAGING_ALIGNMENT;
  return most > 0 && lead + side->size > most;
}

/* What boxes may take of a side, whose first byte may lie anywhere in a line of staging. */
static size_t most_of_box(size_t most) {
  return most > RLT_STAGING_ALIGNMENT ? most - (RLT_STAGING_ALIGNMENT - 1) : most;
}

static bool takes_boxes(const rlt_submission *of, rlt_chunk_limits *limits) {
  const size_t source = most_of(of, &of->source);
  const size_t destination = most_of(of, &of->destination);
  *limits = (rlt_chunk_limits){most_of_box(source), most_of_box(destination)};
  return is_beyond(&of->source, source) || is_beyond(&of->destination, destination);
}

/* What becomes of the plan of each box. */
typedef relayout_status visit_box(void *context, const relayout_plan *part, relayout_error *error);

/* Each box of the index space by itself; what it takes lies in a part of what all takes. `*can`
 * becomes false where there are no boxes. */
static relayout_status visit_boxes(const relayout_plan *plan, rlt_chunk_limits limits,
                                   visit_box *visit, void *context, bool *can,
                                   relayout_error *error) {
  rlt_equal_boxes boxes;
  relayout_status status = rlt_equal_boxes_make(plan, limits, &boxes, error);
  bool has_next = true;
  *can = true;
  while (has_next && status == RELAYOUT_OK && *can) {
    rlt_index_box box;
    relayout_plan *part = NULL;
    has_next = rlt_equal_boxes_next(&boxes, &box);
    status = rlt_plan_create_box(plan, &box, &part, error);
    *can = status != RELAYOUT_UNSUPPORTED;
    if (status == RELAYOUT_OK && part->work.part_count > 0) {
      status = visit(context, part, error);
    }
    relayout_plan_destroy(part);
  }
  return status;
}

/* The lowest bytes of the sides of all boxes. */
typedef struct host_sides {
  const void *source;
  void *destination;
} host_sides;

static relayout_status execute_box(void *context, const relayout_plan *part,
                                   relayout_error *error) {
  const host_sides *const sides = context;
  rlt_submission of = submission_of(part, sides->source, sides->destination);
  return execute_at_once(&of, error);
}

relayout_status rlt_opencl_execute(const relayout_plan *plan, const void *source, void *destination,
                                   relayout_error *error) {
  rlt_submission of = submission_of(plan, source, destination);
  rlt_chunk_limits limits;
  if (takes_boxes(&of, &limits)) {
    bool can = false;
    host_sides sides = {source, destination};
    const relayout_status status = visit_boxes(plan, limits, execute_box, &sides, &can, error);
    if (can) {
      return status;
    }
  }
  return execute_at_once(&of, error);
}

/* ---- What that comes to ---- */

static relayout_status add_box(void *context, const relayout_plan *part, relayout_error *error) {
  rlt_host_transfers *const made = context;
  rlt_transferred bytes = {made->bytes_up, made->bytes_down};
  (void)error;
  rlt_transferred_add(part, &bytes);
  made->boxes += 1;
  made->bytes_up = bytes.up;
  made->bytes_down = bytes.down;
  return RELAYOUT_OK;
}

rlt_host_transfers rlt_opencl_host_transfers(const relayout_plan *plan) {
  rlt_submission of = submission_of(plan, NULL, NULL);
  rlt_host_transfers made = {0};
  rlt_chunk_limits limits;
  bool can = true;
  if (of.source.access != RLT_ACCESS_STAGED) { /* nor is the destination's */
    return made;
  }
  for (size_t i = 0; i < plan->chunk_count; ++i) {
    (void)add_box(&made, plan->chunks[i].plan, NULL);
  }
  if (plan->chunk_count == 0 && takes_boxes(&of, &limits)) {
    (void)visit_boxes(plan, limits, add_box, &made, &can, NULL);
  }
  if (made.boxes == 0) {
    (void)add_box(&made, plan, NULL);
  }
  return made;
}
