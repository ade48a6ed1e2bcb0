/* bytes.c: which bytes of its sides a plan reads and writes. */
#include "base/error.h"
#include "plan/plan.h"
#include "problem/runs.h"

typedef struct byte_visit {
  int64_t lowest; /* offset of the side from the caller's pointer */
  relayout_bytes_visitor visitor;
  void *context;
} byte_visit;

static void tell_of(void *context, rlt_bytes run) {
  const byte_visit *const of = context;
  of->visitor(of->context, of->lowest + run.first, rlt_bytes_size(run));
}

bool rlt_work_visit(const rlt_work *work, rlt_visit_runs *visit, rlt_run_visitor visitor,
                    void *context) {
  for (int32_t i = 0; i < work->part_count; ++i) {
    if (!visit(rlt_part_problem(&work->parts[i]), NULL, NULL)) {
      return false;
    }
  }
  for (int32_t i = 0; i < work->part_count && visitor != NULL; ++i) {
    visit(rlt_part_problem(&work->parts[i]), visitor, context);
  }
  return true;
}

static relayout_status visit_bytes(const relayout_plan *plan, rlt_visit_runs *visit, byte_visit *of,
                                   relayout_error *error) {
  return rlt_work_visit(&plan->work, visit, tell_of, of)
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "bytes cannot be listed: the plan has an index program, or packed elements "
                        "that share bytes with others");
}

static relayout_status check_visit(const relayout_plan *plan, relayout_bytes_visitor visitor,
                                   relayout_error *error) {
  const relayout_status status = rlt_plan_check_single(plan, error);
  return status == RELAYOUT_OK && visitor == NULL
             ? rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "visitor is NULL")
             : status;
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
