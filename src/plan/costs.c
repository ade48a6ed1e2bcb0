/* costs.c: the predicted cost of a plan's part, term by term. */
#include <inttypes.h>

#include "base/error.h"
#include "base/float_control.h"
#include "plan/many.h"
#include "search/learner.h"

relayout_status relayout_plan_visit_costs(const relayout_plan *plan, int32_t part,
                                          relayout_cost_visitor visitor, void *context,
                                          relayout_error *error) {
  if (plan == NULL || visitor == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    plan == NULL ? "plan" : "visitor");
  }
  if (part < 0 || part >= relayout_plan_part_count(plan)) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "part is %" PRId32 ", out of range for a plan of %" PRId32 " parts", part,
                    relayout_plan_part_count(plan));
  }
  const rlt_float_control was = rlt_floats_enter();
  if (plan->many != NULL) {
    rlt_many_visit_costs(plan->many, visitor, context);
    rlt_floats_leave(was);
    return RELAYOUT_OK;
  }
  const rlt_candidate *const of = &rlt_variant_now(&plan->work.parts[part].variants[0])->candidate;
  for (int t = 0; t < RLT_COST_TERMS; ++t) {
    const rlt_price price =
        rlt_cost_price(&rlt_planner_of(plan->device)->facts, &of->schedule, (rlt_cost_term)t);
    const relayout_cost cost = {.struct_size = sizeof cost,
                                .name = rlt_cost_name((rlt_cost_term)t),
                                .rate = rlt_rate_name(price.rate),
                                .count = of->cost.counts[t],
                                .weight =
                                    price.rate == RLT_RATE_NONE
                                        ? 0
                                        : of->cost.counts[t] * price.times / of->cost.least_time,
                                .time = of->cost.times[t]};
    visitor(context, &cost);
  }
  rlt_floats_leave(was);
  return RELAYOUT_OK;
}
