/* options.c: a caller's wishes, checked. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "plan/measure.h"
#include "plan/plan.h"

/* Strides, which take far more memory than all else, are left as they are: few sides have any. */
void rlt_wish_clear(rlt_wish *wish) {
  wish->method = NULL;
  wish->effort = RELAYOUT_PLAN_ESTIMATE;
  wish->measured = RLT_MEASURED;
  wish->changes.packing = RLT_PACKING_TILED;
  wish->changes.wraps = false;
  wish->changes.scale = 1;
  wish->changes.source_is_strided = false;
  wish->changes.destination_is_strided = false;
}

static bool equal_strides(bool are_given, const int64_t *a, const int64_t *b, int32_t rank) {
  return !are_given || memcmp(a, b, (size_t)rank * sizeof *a) == 0;
}

bool rlt_wish_equal(const rlt_wish *a, const rlt_wish *b, int32_t rank) {
  const rlt_changes *const x = &a->changes;
  const rlt_changes *const y = &b->changes;
  return a->method == b->method && a->effort == b->effort && a->measured == b->measured &&
         x->packing == y->packing && x->wraps == y->wraps && x->scale == y->scale &&
         x->source_is_strided == y->source_is_strided &&
         x->destination_is_strided == y->destination_is_strided &&
         equal_strides(x->source_is_strided, x->source_strides, y->source_strides, rank) &&
         equal_strides(x->destination_is_strided, x->destination_strides, y->destination_strides,
                       rank);
}

static relayout_status check_schedules(const relayout_plan_options *options,
                                       relayout_error *error) {
  if (options->schedule_count < 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->schedule_count is %" PRId32 ", below 0", options->schedule_count);
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
  if (options->struct_size != sizeof *options) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "options->struct_size is %zu, not %zu",
                    options->struct_size, sizeof *options);
  }
  if (options->effort != RELAYOUT_PLAN_ESTIMATE && options->effort != RELAYOUT_PLAN_MEASURE) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "options->effort is %d, no known effort",
                    (int)options->effort);
  }
  if (options->overflow != RELAYOUT_OVERFLOW_SATURATE &&
      options->overflow != RELAYOUT_OVERFLOW_WRAP) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "options->overflow is %d, no known overflow",
                    (int)options->overflow);
  }
  if (!isfinite(options->scale) || options->scale == 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "options->scale is %g, not finite or 0",
                    options->scale);
  }
  if (options->measured < 0 || options->measured > RLT_MOST_MEASURED) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->measured is %" PRId32 ", not 0 to %d", options->measured,
                    RLT_MOST_MEASURED);
  }
  return check_schedules(options, error);
}

static void read_strides(const int64_t *given, int32_t rank, bool *is_strided, int64_t *strides) {
  *is_strided = given != NULL;
  for (int32_t d = 0; d < rank && given != NULL; ++d) {
    strides[d] = given[d];
  }
}

relayout_status rlt_options_read(const relayout_plan_options *options, int32_t rank, rlt_wish *wish,
                                 relayout_error *error) {
  rlt_wish_clear(wish);
  const relayout_status status = options == NULL ? RELAYOUT_OK : check(options, error);
  if (options == NULL || status != RELAYOUT_OK) {
    return status;
  }
  rlt_changes *const changes = &wish->changes;
  wish->effort = options->effort;
  wish->measured = options->measured == 0 ? RLT_MEASURED : options->measured;
  changes->wraps = options->overflow == RELAYOUT_OVERFLOW_WRAP;
  changes->scale = options->scale;
  read_strides(options->source_byte_strides, rank, &changes->source_is_strided,
               changes->source_strides);
  read_strides(options->destination_byte_strides, rank, &changes->destination_is_strided,
               changes->destination_strides);
  return RELAYOUT_OK;
}
