/* plan.c: from two shapes to something that runs. */
#include "plan/plan.h"

#include <stdlib.h>

#include "base/error.h"
#include "plan/cache.h"
#include "plan/measure.h"
#include "plan/winners.h"

/* One of the candidates: what is known to be the fastest, or is measured now, or is predicted to be.
 * Measuring makes its program too. */
static void choose(relayout_plan *plan) {
  plan->chosen = plan->candidates.best;
  plan->choice = RLT_CHOICE_ESTIMATED;
  if (plan->candidates.count == 1) {
    return;
  }
  const bool is_free = plan->wish.strategy == RELAYOUT_STRATEGY_AUTO;
  const int32_t won =
      is_free ? rlt_winners_find(plan->device, &plan->problem, &plan->candidates) : -1;
  if (won >= 0) {
    plan->chosen = won;
    plan->choice = RLT_CHOICE_REMEMBERED;
  } else if (plan->wish.effort == RELAYOUT_PLAN_MEASURE &&
             rlt_measure(plan->device, &plan->problem, &plan->candidates, &plan->chosen,
                         &plan->program)) {
    plan->choice = RLT_CHOICE_MEASURED;
    if (is_free) {
      rlt_winners_remember(plan->device, &plan->problem,
                           &plan->candidates.of[plan->chosen].strategy);
    }
  }
}

/* The problem in `plan` is simplified already; chooses the strategy and has the backend make the
 * program. */
static relayout_status finish(relayout_plan *plan, relayout_error *error) {
  const relayout_strategy wanted = plan->wish.strategy;
  const rlt_problem *problem = &plan->problem;
  const rlt_backend *backend = plan->device->backend;
  plan->source_size = (size_t)(problem->source_elements * problem->element_bytes);
  plan->destination_size = (size_t)(problem->destination_elements * problem->element_bytes);
  plan->empty = rlt_problem_is_empty(problem);
  if (plan->empty) {
    /* Any strategy writes nothing equally well. */
    plan->strategy.kind = wanted == RELAYOUT_STRATEGY_AUTO ? RELAYOUT_STRATEGY_COPY : wanted;
    plan->strategy.reason = "there is nothing to write";
    return RELAYOUT_OK;
  }
  const rlt_traits traits = backend->traits(plan->device, problem->element_bytes);
  const relayout_status status =
      rlt_candidates_make(problem, &traits, wanted, &plan->candidates, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  choose(plan);
  plan->strategy = plan->candidates.of[plan->chosen].strategy;
  if (plan->program != NULL) {
    return RELAYOUT_OK;
  }
  return backend->program_create(plan->device, problem, &plan->strategy, &plan->program, error);
}

static relayout_status new_plan(relayout_device *device, rlt_wish wish, relayout_plan **plan,
                                relayout_error *error) {
  *plan = calloc(1, sizeof **plan);
  if (*plan == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan of %zu bytes",
                    sizeof **plan);
  }
  atomic_init(&(*plan)->holders, 1);
  rlt_device_retain(device);
  (*plan)->device = device;
  (*plan)->wish = wish;
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

static relayout_status read_options(const relayout_plan_options *options, rlt_wish *wish,
                                    relayout_error *error) {
  *wish = (rlt_wish){RELAYOUT_STRATEGY_AUTO, RELAYOUT_PLAN_ESTIMATE};
  if (options == NULL) {
    return RELAYOUT_OK;
  }
  if (options->struct_size != sizeof *options) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "options->struct_size is %zu, not %zu",
                    options->struct_size, sizeof *options);
  }
  *wish = (rlt_wish){options->strategy, options->effort};
  const relayout_status status = check_strategy(wish->strategy, error);
  return status == RELAYOUT_OK ? check_effort(wish->effort, error) : status;
}

relayout_status rlt_plan_create(relayout_device *device, const relayout_shape *from,
                                const relayout_shape *to, rlt_wish wish, relayout_plan **plan,
                                relayout_error *error) {
  relayout_plan *made = NULL;
  relayout_status status = new_plan(device, wish, &made, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  status = rlt_problem_lower(from, to, &made->problem, error);
  if (status != RELAYOUT_OK) {
    rlt_plan_release(made);
    return status;
  }
  made->from = *from;
  made->to = *to;
  rlt_problem_simplify(&made->problem);
  return finish_or_release(made, plan, error);
}

relayout_status relayout_plan_create(relayout_device *device, const relayout_shape *from,
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
  return status == RELAYOUT_OK ? rlt_plan_cache_get(device, from, to, wish, plan, error) : status;
}

relayout_status rlt_plan_create_for_problem(relayout_device *device, const rlt_problem *problem,
                                            relayout_strategy wanted, relayout_plan **plan,
                                            relayout_error *error) {
  relayout_plan *made = NULL;
  const rlt_wish wish = {wanted, RELAYOUT_PLAN_ESTIMATE};
  const relayout_status status = new_plan(device, wish, &made, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  made->problem = *problem;
  rlt_problem_simplify(&made->problem);
  return finish_or_release(made, plan, error);
}

void rlt_plan_retain(relayout_plan *plan) {
  atomic_fetch_add(&plan->holders, 1);
}

void rlt_plan_release(relayout_plan *plan) {
  if (plan == NULL || atomic_fetch_sub(&plan->holders, 1) > 1) {
    return;
  }
  if (plan->program != NULL) {
    plan->device->backend->program_destroy(plan->device, plan->program);
  }
  rlt_device_release(plan->device);
  free(plan);
}

void relayout_plan_destroy(relayout_plan *plan) {
  rlt_plan_release(plan);
}

size_t relayout_plan_source_size(const relayout_plan *plan) {
  return plan == NULL ? 0 : plan->source_size;
}

size_t relayout_plan_destination_size(const relayout_plan *plan) {
  return plan == NULL ? 0 : plan->destination_size;
}

relayout_strategy relayout_plan_get_strategy(const relayout_plan *plan) {
  return plan == NULL ? RELAYOUT_STRATEGY_AUTO : plan->strategy.kind;
}

double relayout_plan_get_predicted_fraction(const relayout_plan *plan) {
  return plan == NULL || plan->empty ? 0 : plan->candidates.of[plan->chosen].cost.fraction;
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
  if (source == NULL && plan->source_size > 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "source is NULL, but the source takes %zu bytes", plan->source_size);
  }
  if (destination == NULL && plan->destination_size > 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "destination is NULL, but the destination takes %zu bytes",
                    plan->destination_size);
  }
  if (plan->source_size > 0 && plan->destination_size > 0 &&
      overlap(source, plan->source_size, destination, plan->destination_size)) {
    return rlt_fail(error, RELAYOUT_BUFFERS_OVERLAP,
                    "source (%zu bytes at %p) and destination (%zu bytes at %p) overlap",
                    plan->source_size, source, plan->destination_size, destination);
  }
  if (plan->empty) {
    return RELAYOUT_OK;
  }
  return plan->device->backend->program_execute(plan->device, plan->program, source, destination,
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
