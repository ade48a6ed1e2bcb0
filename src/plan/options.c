/* options.c: checks a caller's options. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/structs.h"
#include "plan/plan.h"
#include "search/measure.h"

void rlt_plan_request_clear(rlt_plan_request *request) {
  request->method = NULL;
  request->effort = RELAYOUT_PLAN_ADAPT;
  request->measured = RLT_MEASURED;
  request->changes = (rlt_changes){.packing = RLT_PACKING_TILED, .scale = 1};
  request->chunks = (rlt_chunk_limits){0, 0};
  request->for_batches = request->stages_destination = request->specialize = false;
}

bool rlt_plan_request_equal(const rlt_plan_request *a, const rlt_plan_request *b) {
  const rlt_changes *const x = &a->changes;
  const rlt_changes *const y = &b->changes;
  return a->method == b->method && a->effort == b->effort && a->measured == b->measured &&
         x->packing == y->packing && x->wraps == y->wraps && x->scale == y->scale &&
         x->rounds_to_nearest == y->rounds_to_nearest && a->for_batches == b->for_batches &&
         a->specialize == b->specialize && a->stages_destination == b->stages_destination &&
         a->chunks.source == b->chunks.source && a->chunks.destination == b->chunks.destination;
}

static relayout_status check_schedules(const relayout_plan_options *options,
                                       relayout_error *error) {
  if (options->schedule_count < 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->schedule_count is %" PRId32 "; expected 0 or more",
                    options->schedule_count);
  }
  for (int32_t i = 0; i < options->schedule_count; ++i) {
    if (options->schedules == NULL || options->schedules[i] == NULL) {
      return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                      "options->schedules%s is NULL, but schedule_count is %" PRId32,
                      options->schedules == NULL ? "" : " has an entry that",
                      options->schedule_count);
    }
  }
  return RELAYOUT_OK;
}

static relayout_status check(const relayout_plan_options *options, relayout_error *error) {
  if (options->effort != RELAYOUT_PLAN_ESTIMATE && options->effort != RELAYOUT_PLAN_MEASURE &&
      options->effort != RELAYOUT_PLAN_ADAPT) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->effort is %d, which is not a planning effort", (int)options->effort);
  }
  if (options->overflow != RELAYOUT_OVERFLOW_SATURATE &&
      options->overflow != RELAYOUT_OVERFLOW_WRAP) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->overflow is %d, which is not an overflow rule",
                    (int)options->overflow);
  }
  if (options->rounding != RELAYOUT_ROUNDING_ZERO &&
      options->rounding != RELAYOUT_ROUNDING_NEAREST) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->rounding is %d, which is not a rounding mode",
                    (int)options->rounding);
  }
  if (!isfinite(options->scale)) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "options->scale is %g; it must be finite",
                    options->scale);
  }
  if (options->measured < 0 || options->measured > RLT_MOST_MEASURED) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->measured is %" PRId32 "; expected 0 to %d", options->measured,
                    RLT_MOST_MEASURED);
  }
  if (options->specialize != 0 && options->specialize != 1) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->specialize is %" PRId32 "; expected 0 or 1", options->specialize);
  }
  return check_schedules(options, error);
}

relayout_status rlt_options_read(const relayout_plan_options *options, relayout_plan_options *copy,
                                 const relayout_plan_options **read, relayout_error *error) {
  static const relayout_plan_options defaults = RELAYOUT_PLAN_OPTIONS_INIT;
  *read = options == NULL ? &defaults : copy;
  if (options == NULL) {
    return RELAYOUT_OK;
  }
  *copy = defaults;
  const relayout_status status =
      rlt_struct_read(options, "options->", offsetof(relayout_plan_options, source_chunk_bytes),
                      copy, sizeof *copy, error);
  return status == RELAYOUT_OK ? check(copy, error) : status;
}

rlt_plan_request rlt_plan_request_of(const relayout_plan_options *options) {
  rlt_plan_request request;
  rlt_plan_request_clear(&request);
  request.effort = options->effort;
  request.measured = options->measured == 0 ? RLT_MEASURED : options->measured;
  request.changes.wraps = options->overflow == RELAYOUT_OVERFLOW_WRAP;
  request.changes.scale = options->scale == 0 ? 1 : options->scale;
  request.changes.rounds_to_nearest = options->rounding == RELAYOUT_ROUNDING_NEAREST;
  request.chunks =
      (rlt_chunk_limits){options->source_chunk_bytes, options->destination_chunk_bytes};
  request.for_batches = options->for_batches != 0;
  request.specialize = options->specialize == 1;
  return request;
}
