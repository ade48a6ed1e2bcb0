/* tiles.h: all tiles of a grid, one after the other; and tiles at random. */
#ifndef HOST_TESTS_PLAN_TILES_H
#define HOST_TESTS_PLAN_TILES_H

#include <stdint.h>

#include "problem/definition.h"
#include "schedule/grid.h"

/* From the digits of one tile to those of the next; the first one's are all 0. */
static inline void tiles_step(const rlt_grid *grid, int64_t *digits) {
  for (int32_t l = 0; l < grid->loop_count; ++l) {
    if (++digits[l] < grid->loops[l].count) {
      return;
    }
    digits[l] = 0;
  }
}

/* Some of the problem's axes, in any order, for the columns and some others for the rows; of the
 * last of each any number of steps. */
static inline void tiles_at_random(const rlt_problem *problem, uint64_t *seed, rlt_group *columns,
                                   rlt_group *rows) {
  rlt_group *const groups[] = {columns, rows};
  bool is_taken[RLT_MAX_AXES] = {false};
  for (int g = 0; g < 2; ++g) {
    *groups[g] = rlt_no_axes;
    for (int32_t tries = (int32_t)definition_random(seed, 4); tries > 0; --tries) {
      if (problem->axis_count == 0) {
        break;
      }
      const int32_t axis = (int32_t)definition_random(seed, problem->axis_count);
      if (!is_taken[axis]) {
        is_taken[axis] = true;
        rlt_group_append(problem, groups[g], axis, INT64_MAX);
      }
    }
    const int64_t extent = rlt_group_extent(problem, groups[g]);
    groups[g]->steps = 1 + definition_random(seed, extent);
  }
}

/* A problem that is tiled like that; false where it reads nothing. */
static inline bool tiles_of_problem_at_random(uint64_t *seed, rlt_problem *problem,
                                              rlt_group *columns, rlt_group *rows) {
  *problem = definition_random_problem(seed);
  rlt_problem_simplify(problem);
  if (rlt_problem_is_empty(problem) || rlt_problem_is_fill(problem)) {
    return false;
  }
  tiles_at_random(problem, seed, columns, rows);
  return true;
}

#endif
