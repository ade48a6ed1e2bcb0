/* walk.h: walking over consecutive tiles of a grid, at a few additions a step.
 *
 * Depends on plan/grid.h.
 */
#ifndef RLT_CPU_WALK_H
#define RLT_CPU_WALK_H

#include <stdint.h>

#include "base/checked.h"
#include "plan/grid.h"

typedef struct rlt_walk {
  const rlt_grid *grid;
  rlt_tile tile;   /* where the walk is */
  int32_t outside; /* loops whose digit is past the valid ones */
  int64_t digits[RLT_MAX_AXES];
} rlt_walk;

static inline void rlt_walk_start(rlt_walk *walk, const rlt_grid *grid, int64_t first) {
  walk->grid = grid;
  walk->outside = 0;
  rlt_grid_digits(grid, first, walk->digits);
  for (int32_t l = 0; l < grid->loop_count; ++l) {
    walk->outside += walk->digits[l] >= grid->loops[l].valid;
  }
  walk->tile = rlt_grid_tile(grid, walk->digits);
}

static inline void rlt_walk_measure(const rlt_walk *walk, const rlt_side *side, int64_t *count,
                                    int64_t *valid) {
  const int64_t first = side->block_loop < 0 ? 0 : walk->digits[side->block_loop] * side->block;
  const int64_t steps = rlt_min(side->block + side->halo, side->extent - first);
  *count = side->inner * steps;
  *valid = walk->outside > 0 ? 0 : side->inner * rlt_max(rlt_min(side->valid - first, steps), 0);
}

/* Whether no block of this side lies before the tile's. */
static inline bool rlt_walk_is_first(const rlt_walk *walk, const rlt_side *side) {
  return side->block_loop < 0 || walk->digits[side->block_loop] == 0;
}

/* The last tile's successor is the first. */
static inline void rlt_walk_step(rlt_walk *walk) {
  const rlt_grid *grid = walk->grid;
  rlt_tile *tile = &walk->tile;
  for (int32_t l = 0; l < grid->loop_count; ++l) {
    const rlt_loop *loop = &grid->loops[l];
    if (++walk->digits[l] < loop->count) {
      tile->source += loop->source_step;
      tile->destination += loop->destination_step;
      walk->outside += walk->digits[l] == loop->valid;
      break;
    }
    walk->digits[l] = 0;
    tile->source -= (loop->count - 1) * loop->source_step;
    tile->destination -= (loop->count - 1) * loop->destination_step;
    walk->outside -= loop->valid > 0 && loop->valid < loop->count;
  }
  rlt_walk_measure(walk, &grid->columns, &tile->columns, &tile->valid_columns);
  rlt_walk_measure(walk, &grid->rows, &tile->rows, &tile->valid_rows);
  if (tile->valid_columns == 0 || tile->valid_rows == 0) {
    tile->valid_columns = 0;
    tile->valid_rows = 0;
  }
}

#endif
