/* grid.c: which tiles there are, and where each lies. */
#include "schedule/grid.h"

#include <stddef.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"

static rlt_side side_of(const rlt_problem *problem, const rlt_group *group) {
  return (rlt_side){.inner = group->inner,
                    .steps = group->steps,
                    .extent = rlt_group_extent(problem, group),
                    .valid = group->axis_count > 0 ? problem->axes[rlt_group_last(group)].valid : 1,
                    .block_loop = -1};
}

void rlt_grid_make(const rlt_problem *problem, const rlt_group *columns, const rlt_group *rows,
                   rlt_grid *grid) {
  rlt_tile_axis axes[RLT_MAX_TILE_AXES];
  const int32_t count = rlt_tile_axes(problem, columns, rows, axes);
  grid->source_start = problem->source_start;
  grid->destination_start = problem->destination_start;
  grid->columns = side_of(problem, columns);
  grid->rows = side_of(problem, rows);
  grid->loop_count = 0;
  grid->tile_count = 1;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *axis = &problem->axes[a];
    const rlt_tile_axis *of_tile = NULL;
    for (int32_t i = 0; i < count; ++i) {
      of_tile = axes[i].axis == a ? &axes[i] : of_tile;
    }
    if (of_tile != NULL && !of_tile->is_cut) {
      continue;
    }
    const int64_t steps = of_tile != NULL ? of_tile->steps : 1;
    if (of_tile != NULL) {
      (of_tile->of_columns ? &grid->columns : &grid->rows)->block_loop = grid->loop_count;
    }
    rlt_loop *loop = &grid->loops[grid->loop_count++];
    *loop = (rlt_loop){.count = rlt_divide_up(axis->extent, steps),
                       .valid = rlt_divide_up(axis->valid, steps),
                       .source_step = rlt_problem_source_steps(problem, steps, axis->source_stride),
                       .destination_step = steps * axis->destination_stride,
                       .axis = a};
    grid->tile_count *= loop->count;
  }
}

size_t rlt_grid_bytes(const rlt_grid *grid) {
  return offsetof(rlt_grid, loops) + (size_t)grid->loop_count * sizeof grid->loops[0];
}

rlt_grid *rlt_grid_create(const rlt_problem *problem, const rlt_group *columns,
                          const rlt_group *rows) {
  rlt_grid grid;
  rlt_grid_make(problem, columns, rows, &grid);
  rlt_grid *const made = rlt_malloc(rlt_grid_bytes(&grid));
  if (made != NULL) {
    memcpy(made, &grid, rlt_grid_bytes(&grid));
  }
  return made;
}

/* The steps of a side's last axis that a tile holds, and how many of them may have sources. */
static void count_positions(const rlt_side *side, const int64_t *digits, int64_t *count,
                            int64_t *valid) {
  const int64_t first = side->block_loop < 0 ? 0 : digits[side->block_loop] * side->steps;
  const int64_t steps = rlt_min(side->steps, side->extent - first);
  *count = side->inner * steps;
  *valid = side->inner * rlt_max(rlt_min(side->valid - first, steps), 0);
}

void rlt_grid_find_tile(const rlt_grid *grid, const int64_t *digits, rlt_tile *tile) {
  int64_t source = grid->source_start, destination = grid->destination_start;
  bool inside = true;
  for (int32_t l = 0; l < grid->loop_count; ++l) {
    const rlt_loop *loop = &grid->loops[l];
    inside = inside && digits[l] < loop->valid;
    source += inside ? digits[l] * loop->source_step : 0;
    destination += digits[l] * loop->destination_step;
  }
  tile->source = source;
  tile->destination = destination;
  count_positions(&grid->columns, digits, &tile->columns, &tile->valid_columns);
  count_positions(&grid->rows, digits, &tile->rows, &tile->valid_rows);
  if (!inside || tile->valid_columns == 0 || tile->valid_rows == 0) {
    tile->valid_columns = 0;
    tile->valid_rows = 0;
  }
}
