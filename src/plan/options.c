/* options.c: a caller's wishes, checked. */
#include "plan/options.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "plan/measure.h"

void rlt_wish_clear(rlt_wish *wish) {
  memset(wish, 0, sizeof *wish);
  wish->measured = RLT_MEASURED;
  wish->changes.scale = 1;
}

static relayout_status check_effort(relayout_plan_effort effort, relayout_error *error) {
  switch (effort) {
  case RELAYOUT_PLAN_ESTIMATE:
  case RELAYOUT_PLAN_MEASURE:
    return RELAYOUT_OK;
  }
  return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "options->effort is %d, no known effort",
                  (int)effort);
}

static relayout_status check_overflow(relayout_integer_overflow overflow, relayout_error *error) {
  switch (overflow) {
  case RELAYOUT_OVERFLOW_SATURATE:
  case RELAYOUT_OVERFLOW_WRAP:
    return RELAYOUT_OK;
  }
  return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "options->overflow is %d, no known overflow",
                  (int)overflow);
}

static relayout_status check_scale(double scale, relayout_error *error) {
  return isfinite(scale) && scale != 0 ? RELAYOUT_OK
                                       : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                                                  "options->scale is %g, not finite or 0", scale);
}

static relayout_status check_measured(int32_t measured, relayout_error *error) {
  return measured >= 0 && measured <= RLT_MOST_MEASURED
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                        "options->measured is %" PRId32 ", not 0 to %d", measured,
                        RLT_MOST_MEASURED);
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

relayout_status rlt_options_read(const relayout_plan_options *options, rlt_wish *wish,
                                 relayout_error *error) {
  rlt_wish_clear(wish);
  if (options == NULL) {
    return RELAYOUT_OK;
  }
  if (options->struct_size != sizeof *options) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "options->struct_size is %zu, not %zu",
                    options->struct_size, sizeof *options);
  }
  wish->effort = options->effort;
  wish->measured = options->measured == 0 ? RLT_MEASURED : options->measured;
  wish->changes.wraps = options->overflow == RELAYOUT_OVERFLOW_WRAP;
  wish->changes.scale = options->scale;
  relayout_status status = check_effort(wish->effort, error);
  if (status == RELAYOUT_OK) {
    status = check_overflow(options->overflow, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_scale(options->scale, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_measured(options->measured, error);
  }
  return status == RELAYOUT_OK ? check_schedules(options, error) : status;
}

void rlt_options_read_strides(const relayout_plan_options *options, int32_t rank,
                              rlt_changes *changes) {
  if (options == NULL) {
    return;
  }
  changes->source_is_strided = options->source_byte_strides != NULL;
  changes->destination_is_strided = options->destination_byte_strides != NULL;
  for (int32_t d = 0; d < rank; ++d) {
    changes->source_strides[d] = changes->source_is_strided ? options->source_byte_strides[d] : 0;
    changes->destination_strides[d] =
        changes->destination_is_strided ? options->destination_byte_strides[d] : 0;
  }
}
