#include "plan/grid.h"

#include <stddef.h>

#include "base/checked.h"

static rlt_side side_of(const rlt_problem *problem, const rlt_group *group) {
  if (group->axis_count == 0) {
    return (rlt_side){.inner = 1, .block = 1, .extent = 1, .valid = 1, .block_loop = -1};
  }
  const rlt_axis *last = &problem->axes[group->axes[group->axis_count - 1]];
  return (rlt_side){.inner = group->inner,
                    .block = group->block,
                    .halo = group->halo,
                    .extent = last->extent,
                    .valid = last->valid,
                    .block_loop = -1};
}

/* How many steps of axis `a` a tile takes along this group; 0 when the axis is not in it. */
static int64_t steps_in_tile(const rlt_problem *problem, const rlt_group *group, int32_t a) {
  for (int32_t i = 0; i < group->axis_count; ++i) {
    if (group->axes[i] == a) {
      return i == group->axis_count - 1 ? group->block : problem->axes[a].extent;
    }
  }
  return 0;
}

/* What one side is walked along before the other has its turn. */
enum { NEAR_BYTES = RLT_PAGE_BYTES / 2 };

/* Makes loop `at` the one numbered `to`, with those between one farther out. */
static void bring_in(rlt_grid *grid, int32_t at, int32_t to) {
  const rlt_loop moved = grid->loops[at];
  for (int32_t l = at; l > to; --l) {
    grid->loops[l] = grid->loops[l - 1];
  }
  grid->loops[to] = moved;
  int32_t *const numbers[] = {&grid->columns.block_loop, &grid->rows.block_loop};
  for (int32_t i = 0; i < 2; ++i) {
    if (*numbers[i] == at) {
      *numbers[i] = to;
    } else if (*numbers[i] >= to && *numbers[i] < at) {
      ++*numbers[i];
    }
  }
}

/* The loops along which the source goes on come first, until they have gone through a page of it:
 * what one tile reads of lines and pages, the next goes on with. */
static void follow_source(const rlt_problem *problem, rlt_grid *grid) {
  const int64_t page = 8 * RLT_PAGE_BYTES / rlt_problem_source_bits(problem);
  int64_t reached = 0;
  for (int32_t to = 0; to < grid->loop_count && reached < page; ++to) {
    int32_t next = -1;
    for (int32_t l = to; l < grid->loop_count; ++l) {
      const int64_t step = grid->loops[l].source_step;
      if (grid->loops[l].valid > 1 && step > 0 && step < page &&
          (next < 0 || step < grid->loops[next].source_step)) {
        next = l;
      }
    }
    if (next < 0) {
      return;
    }
    reached = grid->loops[next].source_step * grid->loops[next].valid;
    bring_in(grid, next, to);
  }
}

/* The loop with the shortest steps on one side, shorter than `most`; -1 where there is none. */
static int32_t nearest_loop(const rlt_grid *grid, bool in_source, int64_t most) {
  int32_t best = -1;
  int64_t least = most;
  for (int32_t l = 0; l < grid->loop_count; ++l) {
    const rlt_loop *const loop = &grid->loops[l];
    const int64_t step = in_source ? loop->source_step : loop->destination_step;
    if (loop->count > 1 && step > 0 && step < least) {
      best = l;
      least = step;
    }
  }
  return best;
}

/* How many iterations of the loop may be a loop of their own: about `most`, and evenly; 0 where none
 * may. Loops over blocks, and those that end in padding, stay whole. */
static int64_t inner_count(const rlt_grid *grid, int32_t at, int64_t most) {
  const rlt_loop *const whole = &grid->loops[at];
  if (whole->count <= 2 * most) {
    return whole->count;
  }
  if (grid->loop_count > RLT_MAX_AXES - 2 || whole->valid < whole->count ||
      at == grid->columns.block_loop || at == grid->rows.block_loop) {
    return 0;
  }
  int64_t inner = most;
  while (inner > 1 && whole->count % inner != 0) {
    --inner;
  }
  return inner > 1 ? inner : 0;
}

/* Makes that many iterations of loop `at` the innermost loop. */
static void split_loop(rlt_grid *grid, int32_t at, int64_t inner) {
  rlt_loop *const outer = &grid->loops[at];
  if (inner == outer->count) {
    bring_in(grid, at, 0);
    return;
  }
  rlt_loop made = *outer;
  made.count = inner;
  made.valid = inner;
  outer->count /= inner;
  outer->valid /= inner;
  outer->source_step *= inner;
  outer->destination_step *= inner;
  grid->loops[grid->loop_count] = made;
  bring_in(grid, grid->loop_count++, 0);
}

/* Where either side's pages would be left after a short run, tiles take turns along both, so that each
 * page serves for several before the processor has to look up where it lies again. */
static void follow_both(const rlt_problem *problem, rlt_grid *grid) {
  const int64_t near =
      8 * NEAR_BYTES /
      rlt_max(rlt_problem_source_bits(problem), rlt_problem_destination_bits(problem));
  const int32_t along = nearest_loop(grid, false, near);
  const int32_t down = nearest_loop(grid, true, near);
  if (along < 0 || down < 0 || along == down) {
    return;
  }
  const int64_t inner_along = inner_count(grid, along, near / grid->loops[along].destination_step);
  const int64_t inner_down = inner_count(grid, down, near / grid->loops[down].source_step);
  if (inner_along > 0 && inner_down > 0) {
    const int32_t axis = grid->loops[down].axis;
    split_loop(grid, along, inner_along);
    int32_t moved = 0;
    while (grid->loops[moved].axis != axis) {
      ++moved;
    }
    split_loop(grid, moved, inner_down);
  }
}

void rlt_grid_make(const rlt_problem *problem, const rlt_strategy *strategy, rlt_grid *grid) {
  grid->source_start = problem->source_start;
  grid->destination_start = problem->destination_start;
  grid->columns = side_of(problem, &strategy->columns);
  grid->rows = side_of(problem, &strategy->rows);
  grid->loop_count = 0;
  grid->tile_count = 1;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *axis = &problem->axes[a];
    const int64_t column_steps = steps_in_tile(problem, &strategy->columns, a);
    const int64_t row_steps = steps_in_tile(problem, &strategy->rows, a);
    const int64_t steps = rlt_max(rlt_max(column_steps, row_steps), 1);
    if (steps >= axis->extent && (column_steps > 0 || row_steps > 0)) {
      continue;
    }
    if (column_steps > 0) {
      grid->columns.block_loop = grid->loop_count;
    }
    if (row_steps > 0) {
      grid->rows.block_loop = grid->loop_count;
    }
    rlt_loop *loop = &grid->loops[grid->loop_count++];
    *loop = (rlt_loop){.count = rlt_divide_up(axis->extent, steps),
                       .valid = rlt_divide_up(axis->valid, steps),
                       .source_step = rlt_problem_source_steps(problem, steps, axis->source_stride),
                       .destination_step = steps * axis->destination_stride,
                       .axis = a};
    grid->tile_count *= loop->count;
  }
  if (strategy->assembles) {
    follow_source(problem, grid);
    follow_both(problem, grid);
  }
}

/* The steps of a side's last axis that a tile holds, and how many of them may have sources. */
static void count_positions(const rlt_side *side, const int64_t *digits, int64_t *count,
                            int64_t *valid) {
  const int64_t first = side->block_loop < 0 ? 0 : digits[side->block_loop] * side->block;
  const int64_t steps = rlt_min(side->block + side->halo, side->extent - first);
  *count = side->inner * steps;
  *valid = side->inner * rlt_max(rlt_min(side->valid - first, steps), 0);
}

rlt_tile rlt_grid_tile(const rlt_grid *grid, const int64_t *digits) {
  rlt_tile tile = {.source = grid->source_start, .destination = grid->destination_start};
  bool inside = true;
  for (int32_t l = 0; l < grid->loop_count; ++l) {
    const rlt_loop *loop = &grid->loops[l];
    inside = inside && digits[l] < loop->valid;
    tile.source += inside ? digits[l] * loop->source_step : 0;
    tile.destination += digits[l] * loop->destination_step;
  }
  count_positions(&grid->columns, digits, &tile.columns, &tile.valid_columns);
  count_positions(&grid->rows, digits, &tile.rows, &tile.valid_rows);
  if (!inside || tile.valid_columns == 0 || tile.valid_rows == 0) {
    tile.valid_columns = 0;
    tile.valid_rows = 0;
  }
  return tile;
}

void rlt_group_offsets(const rlt_problem *problem, const rlt_group *group, int64_t *source,
                       int64_t *destination) {
  const int64_t length = rlt_group_held(group);
  for (int64_t p = 0; p < length; ++p) {
    int64_t rest = p;
    int64_t source_offset = 0;
    int64_t destination_offset = 0;
    bool has_source = true;
    for (int32_t i = 0; i < group->axis_count; ++i) {
      const rlt_axis *axis = &problem->axes[group->axes[i]];
      const bool last = i == group->axis_count - 1;
      const int64_t digit = last ? rest : rest % axis->extent;
      has_source = has_source && (last || digit < axis->valid);
      source_offset += rlt_problem_source_steps(problem, digit, axis->source_stride);
      destination_offset += digit * axis->destination_stride;
      rest /= axis->extent;
    }
    if (source != NULL) {
      source[p] = has_source ? source_offset : RLT_NO_SOURCE;
    }
    if (destination != NULL) {
      destination[p] = destination_offset;
    }
  }
}

int64_t rlt_group_inner_reach(const rlt_problem *problem, const rlt_group *group) {
  int64_t reach = 0;
  for (int32_t i = 0; i + 1 < group->axis_count; ++i) {
    const rlt_axis *const axis = &problem->axes[group->axes[i]];
    reach += rlt_max((axis->valid - 1) * axis->source_stride, 0);
  }
  return reach;
}

int64_t rlt_group_reach(const rlt_problem *problem, const rlt_group *group) {
  if (group->axis_count == 0) {
    return 0;
  }
  const rlt_axis *const last = &problem->axes[group->axes[group->axis_count - 1]];
  const int64_t steps = rlt_min(group->block + group->halo, last->valid);
  return rlt_group_inner_reach(problem, group) + rlt_max((steps - 1) * last->source_stride, 0);
}

bool rlt_group_has_gaps(const rlt_problem *problem, const rlt_group *group) {
  for (int32_t i = 0; i + 1 < group->axis_count; ++i) {
    const rlt_axis *const axis = &problem->axes[group->axes[i]];
    if (axis->valid < axis->extent) {
      return true;
    }
  }
  return false;
}
