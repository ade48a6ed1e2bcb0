/* gather.c: runs for work-items that own whole bytes. */
#include "opencl/gather.h"

#include "base/checked.h"

/* ---- Axes whose elements share bytes become one, gone through by steps ---- */

static void add_step(rlt_steps *steps, rlt_step_kind kind, int32_t to, int32_t from, int64_t size) {
  steps->of[steps->count++] = (rlt_step){.kind = kind, .to = to, .from = from, .size = size};
}

/* From the number of an element, in number 0, along the axes up to `last`, to its offset in the
 * source. */
static void step_along(const rlt_problem *problem, int32_t last, rlt_steps *steps) {
  enum { NUMBER = 0, DIGIT = 1, OFFSET = 2 };
  steps->count = 0;
  steps->result = OFFSET;
  steps->place = 0;
  add_step(steps, RLT_STEP_SPLIT, OFFSET, NUMBER, 1); /* which leaves 0 */
  for (int32_t a = 0; a <= last; ++a) {
    const rlt_axis *const axis = &problem->axes[a];
    add_step(steps, RLT_STEP_SPLIT, DIGIT, NUMBER, axis->extent);
    add_step(steps, RLT_STEP_BOUND, DIGIT, 0, axis->valid);
    add_step(steps, RLT_STEP_ADD, OFFSET, DIGIT, axis->source_stride);
  }
}

static void join_axes(rlt_gather *made, int32_t last) {
  rlt_problem *const problem = &made->problem;
  step_along(problem, last, &made->steps);
  problem->steps = &made->steps;
  for (int32_t a = 1; a <= last; ++a) {
    problem->axes[0].extent *= problem->axes[a].extent;
  }
  problem->axes[0].valid = problem->axes[0].extent;
  for (int32_t a = last + 1; a < problem->axis_count; ++a) {
    problem->axes[a - last] = problem->axes[a];
  }
  problem->axis_count -= last;
  made->strategy.columns.block = problem->axes[0].extent;
}

/* ---- For the rest of the backend ---- */

int32_t rlt_gather_numbers(const rlt_problem *problem) {
  if (problem->steps == NULL) {
    return 0;
  }
  int32_t most = (int32_t)rlt_max(problem->steps->result, problem->steps->place);
  for (int32_t s = 0; s < problem->steps->count; ++s) {
    const rlt_step *const step = &problem->steps->of[s];
    most = step->to > most ? step->to : most;
    most = step->from > most ? step->from : most;
  }
  int32_t numbers = 8;
  while (numbers <= most) {
    numbers *= 2;
  }
  return numbers;
}

int64_t rlt_gather_iterations(const rlt_problem *problem) {
  return 2 + (problem->steps == NULL ? 0 : problem->steps->count);
}

void rlt_gather_make(const rlt_opencl_device *device, const rlt_problem *problem,
                     const rlt_strategy *strategy, rlt_gather *made) {
  made->problem = *problem;
  made->strategy = *strategy;
  made->strategy.kind = RELAYOUT_STRATEGY_GATHER;
  rlt_group *const columns = &made->strategy.columns;
  if (columns->axis_count == 0) {
    return;
  }
  rlt_byte_run run;
  if (problem->steps == NULL && problem->destination_packed > 0 &&
      rlt_problem_byte_run(problem, &run) && run.last > 0) {
    join_axes(made, run.last);
  }
  rlt_axis *const axis = &made->problem.axes[columns->axes[0]];
  if (made->problem.steps != NULL) {
    axis->source_stride = 0; /* the steps know */
  }
  const int64_t whole = rlt_in_byte(problem->destination_packed);
  const int64_t bearable = device->most_iterations / (1 + rlt_gather_iterations(&made->problem));
  const int64_t block = rlt_min(columns->block, rlt_max(bearable, 1));
  columns->block = rlt_min(rlt_divide_up(block, whole) * whole, axis->extent);
}
