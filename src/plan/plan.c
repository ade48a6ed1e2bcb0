/* plan.c: from two shapes to something that runs. */
#include "plan/plan.h"

#include <math.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/float_control.h"
#include "plan/cache.h"
#include "plan/measure.h"
#include "plan/winners.h"
#include "problem/lower.h"

/* One of the candidates: what is known to be the fastest, or is measured now, or is predicted to be.
 * Measuring makes its program too. */
static void choose(relayout_device *device, rlt_wish wish, double *seconds_left, rlt_part *part) {
  part->chosen = part->candidates.best;
  part->choice = RLT_CHOICE_ESTIMATED;
  if (part->candidates.count == 1) {
    return;
  }
  const bool is_free = wish.strategy == RELAYOUT_STRATEGY_AUTO;
  const int32_t won = is_free ? rlt_winners_find(device, &part->problem, &part->candidates) : -1;
  if (won >= 0) {
    part->chosen = won;
    part->choice = RLT_CHOICE_REMEMBERED;
  } else if (wish.effort == RELAYOUT_PLAN_MEASURE &&
             rlt_measure(device, &part->problem, &part->candidates, seconds_left, &part->chosen,
                         &part->program)) {
    part->choice = RLT_CHOICE_MEASURED;
    if (is_free) {
      rlt_winners_remember(device, &part->problem, &part->candidates.of[part->chosen].strategy);
    }
  }
}

/* Chooses a part's strategy and has the backend make the program. The largest part is carried out as is
 * asked for, the others too where that is possible. */
static relayout_status finish_part(relayout_device *device, rlt_wish wish, bool is_largest,
                                   double *seconds_left, rlt_part *part, relayout_error *error) {
  const rlt_backend *const backend = device->backend;
  rlt_traits traits = backend->traits(device, part->problem.element_bytes);
  if (wish.strategy != RELAYOUT_STRATEGY_GATHER) {
    if (traits.widens) {
      rlt_problem_widen(&part->problem);
    }
    rlt_problem_swap(&part->problem, traits.swapped_rows);
    traits = backend->traits(device, part->problem.element_bytes);
  }
  relayout_status status =
      rlt_candidates_make(&part->problem, &traits, wish.strategy, &part->candidates, error);
  if (status == RELAYOUT_UNSUPPORTED && !is_largest) {
    wish.strategy = RELAYOUT_STRATEGY_AUTO;
    status = rlt_candidates_make(&part->problem, &traits, wish.strategy, &part->candidates, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  choose(device, wish, seconds_left, part);
  part->strategy = part->candidates.of[part->chosen].strategy;
  if (part->program != NULL) {
    return RELAYOUT_OK;
  }
  return backend->program_create(device, &part->problem, &part->strategy, &part->program, error);
}

static relayout_status finish(relayout_plan *plan, relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  double seconds_left = RLT_MEASURE_SECONDS;
  for (int32_t i = 0; i < plan->work.part_count && status == RELAYOUT_OK; ++i) {
    status =
        finish_part(plan->device, plan->wish, i == 0, &seconds_left, &plan->work.parts[i], error);
  }
  return status;
}

static relayout_status new_plan(relayout_device *device, const rlt_wish *wish, relayout_plan **plan,
                                relayout_error *error) {
  *plan = calloc(1, sizeof **plan);
  if (*plan == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan of %zu bytes",
                    sizeof **plan);
  }
  atomic_init(&(*plan)->holders, 1);
  rlt_device_retain(device);
  (*plan)->device = device;
  (*plan)->wish = *wish;
  return RELAYOUT_OK;
}

static relayout_status finish_or_release(relayout_plan *made, relayout_plan **plan,
                                         relayout_error *error) {
  const relayout_status status = finish(made, error);
  if (status != RELAYOUT_OK) {
    rlt_plan_release(made);
    return status;
  }
  *plan = made;
  return RELAYOUT_OK;
}

static relayout_status check_strategy(relayout_strategy strategy, relayout_error *error) {
  switch (strategy) {
#define KNOWN_STRATEGY(name, value, text) case RELAYOUT_STRATEGY_##name:
    RELAYOUT_STRATEGY_TABLE(KNOWN_STRATEGY)
#undef KNOWN_STRATEGY
    return RELAYOUT_OK;
  }
  return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "options->strategy is %d, no known strategy",
                  (int)strategy);
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

static relayout_status read_options(const relayout_plan_options *options, rlt_wish *wish,
                                    relayout_error *error) {
  *wish = (rlt_wish){.changes = {.scale = 1}};
  if (options == NULL) {
    return RELAYOUT_OK;
  }
  if (options->struct_size != sizeof *options) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "options->struct_size is %zu, not %zu",
                    options->struct_size, sizeof *options);
  }
  wish->strategy = options->strategy;
  wish->effort = options->effort;
  wish->changes.wraps = options->overflow == RELAYOUT_OVERFLOW_WRAP;
  wish->changes.scale = options->scale;
  relayout_status status = check_strategy(wish->strategy, error);
  if (status == RELAYOUT_OK) {
    status = check_effort(wish->effort, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_overflow(options->overflow, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_scale(options->scale, error);
  }
  return status;
}

/* The rank is valid. */
static void read_strides(const relayout_plan_options *options, int32_t rank, rlt_changes *changes) {
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

static relayout_status no_memory(relayout_error *error) {
  return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan's parts");
}

typedef struct {
  int64_t bytes;
  int64_t bits; /* beyond the bytes: bits alone might be more than a number holds */
} amount;

/* Nothing where only going through all of them would tell. */
static amount amount_written(const rlt_problem *problem) {
  if (problem->steps != NULL && !problem->fills) {
    return (amount){0};
  }
  int64_t count = 1;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    count *= problem->fills ? problem->axes[a].extent : problem->axes[a].valid;
  }
  const int64_t bits = rlt_problem_destination_bits(problem);
  const int64_t rest = count % 8 * bits;
  return (amount){.bytes = count / 8 * bits + rest / 8, .bits = rest % 8};
}

/* What was lowered becomes the plan's parts, the largest first. No two write the same element, so counting
 * tells whether all are written. */
static relayout_status take_parts(relayout_plan *plan, rlt_lowered *lowered,
                                  relayout_error *error) {
  rlt_work *const work = &plan->work;
  work->source_size = (size_t)lowered->source_bytes;
  work->destination_size = (size_t)lowered->destination_bytes;
  plan->source_before = (size_t)lowered->source_before;
  plan->destination_before = (size_t)lowered->destination_before;
  plan->steps = lowered->steps;
  lowered->steps = NULL;
  if (lowered->count == 0) {
    return RELAYOUT_OK;
  }
  work->parts = calloc((size_t)lowered->count, sizeof *work->parts);
  if (work->parts == NULL) {
    return no_memory(error);
  }
  amount all = {0};
  for (int32_t i = 0; i < lowered->count; ++i) {
    const rlt_problem *const problem = &lowered->problems[i];
    const amount written = amount_written(problem);
    int32_t at = i;
    for (; at > 0 && amount_written(&work->parts[at - 1].problem).bytes < written.bytes; --at) {
      work->parts[at].problem = work->parts[at - 1].problem;
    }
    work->parts[at].problem = *problem;
    all.bytes += written.bytes;
    all.bits += written.bits;
  }
  work->part_count = lowered->count;
  work->writes_all = all.bytes + rlt_divide_up(all.bits, 8) >= lowered->destination_bytes;
  return RELAYOUT_OK;
}

static rlt_packing packing_of(const relayout_device *device) {
  const rlt_backend *const backend = device->backend;
  return backend->merges_bytes                           ? RLT_PACKING_MERGED
         : backend->traits(device, 1).assembly_bytes > 0 ? RLT_PACKING_SHARED
                                                         : RLT_PACKING_TILED;
}

relayout_status rlt_plan_create(relayout_device *device, const relayout_shape *from,
                                const relayout_shape *to, const rlt_wish *wish,
                                relayout_plan **plan, relayout_error *error) {
  relayout_plan *made = NULL;
  relayout_status status = new_plan(device, wish, &made, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  rlt_changes changes = wish->changes;
  changes.packing = packing_of(device);
  rlt_lowered lowered;
  status = rlt_lower(from, to, &changes, &lowered, error);
  if (status == RELAYOUT_OK) {
    status = take_parts(made, &lowered, error);
  }
  rlt_lowered_free(&lowered);
  if (status != RELAYOUT_OK) {
    rlt_plan_release(made);
    return status;
  }
  made->from = *from;
  made->to = *to;
  return finish_or_release(made, plan, error);
}

static relayout_status create(relayout_device *device, const relayout_shape *from,
                              const relayout_shape *to, const relayout_plan_options *options,
                              relayout_plan **plan, relayout_error *error) {
  if (device == NULL || from == NULL || to == NULL || plan == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    device == NULL ? "device"
                    : from == NULL ? "from"
                    : to == NULL   ? "to"
                                   : "plan");
  }
  rlt_wish wish;
  const relayout_status status = read_options(options, &wish, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (from->rank >= 0 && from->rank <= RELAYOUT_MAX_RANK) {
    read_strides(options, from->rank, &wish.changes);
  }
  return rlt_plan_cache_get(device, from, to, &wish, plan, error);
}

relayout_status relayout_plan_create(relayout_device *device, const relayout_shape *from,
                                     const relayout_shape *to, const relayout_plan_options *options,
                                     relayout_plan **plan, relayout_error *error) {
  const rlt_float_control was = rlt_floats_enter();
  const relayout_status status = create(device, from, to, options, plan, error);
  rlt_floats_leave(was);
  return status;
}

relayout_status rlt_plan_create_for_problem(relayout_device *device, const rlt_problem *problem,
                                            relayout_strategy wanted, relayout_plan **plan,
                                            relayout_error *error) {
  relayout_plan *made = NULL;
  const rlt_wish wish = {.strategy = wanted, .changes = {.scale = 1}};
  relayout_status status = new_plan(device, &wish, &made, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  rlt_problem simple = *problem;
  rlt_problem_simplify(&simple);
  rlt_lowered lowered = {.count = rlt_problem_is_empty(&simple) ? 0 : 1,
                         .problems = &simple,
                         .source_bytes = (int64_t)rlt_problem_source_size(problem),
                         .destination_bytes = (int64_t)rlt_problem_destination_size(problem)};
  status = take_parts(made, &lowered, error);
  if (status != RELAYOUT_OK) {
    rlt_plan_release(made);
    return status;
  }
  return finish_or_release(made, plan, error);
}

void rlt_plan_retain(relayout_plan *plan) {
  atomic_fetch_add(&plan->holders, 1);
}

void rlt_plan_release(relayout_plan *plan) {
  if (plan == NULL || atomic_fetch_sub(&plan->holders, 1) > 1) {
    return;
  }
  for (int32_t i = 0; i < plan->work.part_count; ++i) {
    if (plan->work.parts[i].program != NULL) {
      plan->device->backend->program_destroy(plan->device, plan->work.parts[i].program);
    }
  }
  free(plan->work.parts);
  free(plan->steps);
  rlt_device_release(plan->device);
  free(plan);
}

void relayout_plan_destroy(relayout_plan *plan) {
  rlt_plan_release(plan);
}

size_t relayout_plan_source_size(const relayout_plan *plan) {
  return plan == NULL ? 0 : plan->work.source_size;
}

size_t relayout_plan_destination_size(const relayout_plan *plan) {
  return plan == NULL ? 0 : plan->work.destination_size;
}

/* Any strategy writes nothing equally well. */
relayout_strategy relayout_plan_get_strategy(const relayout_plan *plan) {
  if (plan == NULL) {
    return RELAYOUT_STRATEGY_AUTO;
  }
  if (plan->work.part_count == 0) {
    return plan->wish.strategy == RELAYOUT_STRATEGY_AUTO ? RELAYOUT_STRATEGY_COPY
                                                         : plan->wish.strategy;
  }
  return plan->work.parts[0].strategy.kind;
}

/* All that the destination's digits reach, whether it is written or not. */
static double bytes_gone_through(const rlt_problem *problem) {
  double bytes = (double)rlt_problem_destination_bits(problem) / 8;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    bytes *= (double)problem->axes[a].extent;
  }
  return bytes;
}

/* Parts are carried out one after the other. */
static double predicted_fraction(const relayout_plan *plan) {
  if (plan->work.part_count == 1) {
    const rlt_part *const only = &plan->work.parts[0];
    return only->candidates.of[only->chosen].cost.fraction;
  }
  double bytes = 0;
  double times = 0;
  for (int32_t i = 0; i < plan->work.part_count; ++i) {
    const rlt_part *const part = &plan->work.parts[i];
    const double moved = bytes_gone_through(&part->problem);
    bytes += moved;
    times += moved / part->candidates.of[part->chosen].cost.fraction;
  }
  return bytes / times;
}

double relayout_plan_get_predicted_fraction(const relayout_plan *plan) {
  if (plan == NULL || plan->work.part_count == 0) {
    return 0;
  }
  const rlt_float_control was = rlt_floats_enter();
  const double fraction = predicted_fraction(plan);
  rlt_floats_leave(was);
  return fraction;
}

static bool overlap(const void *a, size_t a_size, const void *b, size_t b_size) {
  const uintptr_t a_at = (uintptr_t)a;
  const uintptr_t b_at = (uintptr_t)b;
  return a_at < b_at ? b_at - a_at < a_size : a_at - b_at < b_size;
}

relayout_status relayout_plan_execute(const relayout_plan *plan, const void *source,
                                      void *destination, relayout_error *error) {
  if (plan == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "plan is NULL");
  }
  const rlt_work *const work = &plan->work;
  if (source == NULL && work->source_size > 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "source is NULL, but the source takes %zu bytes", work->source_size);
  }
  if (destination == NULL && work->destination_size > 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "destination is NULL, but the destination takes %zu bytes",
                    work->destination_size);
  }
  const uint8_t *const lowest_source =
      source == NULL ? NULL : (const uint8_t *)source - plan->source_before;
  uint8_t *const lowest_destination =
      destination == NULL ? NULL : (uint8_t *)destination - plan->destination_before;
  if (work->source_size > 0 && work->destination_size > 0 &&
      overlap(lowest_source, work->source_size, lowest_destination, work->destination_size)) {
    return rlt_fail(error, RELAYOUT_BUFFERS_OVERLAP,
                    "source (%zu bytes at %p) and destination (%zu bytes at %p) overlap",
                    work->source_size, (const void *)lowest_source, work->destination_size,
                    (void *)lowest_destination);
  }
  if (work->part_count == 0) {
    return RELAYOUT_OK;
  }
  return plan->device->backend->execute(plan->device, work, lowest_source, lowest_destination,
                                        error);
}

relayout_status relayout_copy(relayout_device *device, const relayout_shape *from,
                              const relayout_shape *to, const void *source, void *destination,
                              relayout_error *error) {
  relayout_plan *plan = NULL;
  relayout_status status = relayout_plan_create(device, from, to, NULL, &plan, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  status = relayout_plan_execute(plan, source, destination, error);
  rlt_plan_release(plan);
  return status;
}
