/* bytes.c: which bytes of its sides a plan takes. */
#include <inttypes.h>

#include "base/error.h"
#include "plan/plan.h"
#include "problem/runs.h"

typedef struct byte_visit {
  int64_t lowest; /* of the side, from the caller's pointer on */
  relayout_bytes_visitor visitor;
  void *context;
} byte_visit;

static void tell_of(void *context, rlt_bytes run) {
  const byte_visit *const of = context;
  of->visitor(of->context, of->lowest + run.first, rlt_bytes_size(run));
}

typedef bool visit_runs(const rlt_problem *problem, rlt_run_visitor visitor, void *context);

/* Of all parts or, where one does not tell, of none. */
static relayout_status visit_bytes(const relayout_plan *plan, visit_runs *visit, byte_visit *of,
                                   relayout_error *error) {
  for (int32_t i = 0; i < plan->work.part_count; ++i) {
    if (!visit(rlt_part_problem(&plan->work.parts[i]), NULL, NULL)) {
      return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                      "part %" PRId32 " of the plan has an index program, or runs of packed "
                      "elements that share bytes with others",
                      i);
    }
  }
  for (int32_t i = 0; i < plan->work.part_count; ++i) {
    visit(rlt_part_problem(&plan->work.parts[i]), tell_of, of);
  }
  return RELAYOUT_OK;
}

static relayout_status check_visit(const relayout_plan *plan, relayout_bytes_visitor visitor,
                                   relayout_error *error) {
  return plan != NULL && visitor != NULL ? RELAYOUT_OK
                                         : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                                                    plan == NULL ? "plan" : "visitor");
}

relayout_status relayout_plan_visit_bytes_written(const relayout_plan *plan,
                                                  relayout_bytes_visitor visitor, void *context,
                                                  relayout_error *error) {
  const relayout_status status = check_visit(plan, visitor, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  byte_visit of = {plan->destination_lowest, visitor, context};
  return visit_bytes(plan, rlt_problem_visit_written, &of, error);
}

relayout_status relayout_plan_visit_bytes_read(const relayout_plan *plan,
                                               relayout_bytes_visitor visitor, void *context,
                                               relayout_error *error) {
  const relayout_status status = check_visit(plan, visitor, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  byte_visit of = {plan->source_lowest, visitor, context};
  return visit_bytes(plan, rlt_problem_visit_read, &of, error);
}
