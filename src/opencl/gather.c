/* gather.c: runs for work-items that own whole bytes. */
#include "opencl/gather.h"

#include "base/checked.h"

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
  rlt_axis *const axis = &made->problem.axes[columns->axes[0]];
  if (made->problem.steps != NULL) {
    axis->source_stride = 0; /* the steps know */
  }
  const int64_t whole = rlt_in_byte(problem->destination_packed);
  const int64_t bearable = device->most_iterations / (1 + rlt_gather_iterations(&made->problem));
  const int64_t block = rlt_min(columns->block, rlt_max(bearable, 1));
  columns->block = rlt_min(rlt_divide_up(block, whole) * whole, axis->extent);
}
