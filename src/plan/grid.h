/* grid.h: cutting a problem into the tiles of a strategy. What both backends walk over.
 *
 * Depends on problem/ and strategy.h.
 */
#ifndef RLT_PLAN_GRID_H
#define RLT_PLAN_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/strategy.h"
#include "problem/problem.h"

/* One loop over tiles: a whole axis, or the blocks of an axis that a group takes in parts. Steps
 * are in elements. `valid` says how many of the first iterations can have sources. */
typedef struct rlt_loop {
  int64_t count;
  int64_t valid;
  int64_t source_step;
  int64_t destination_step;
  int32_t axis;
} rlt_loop;

/* `block_loop` is the loop over the blocks of the group's last axis, -1 where a tile takes it
 * whole. A step of that axis is `inner` positions; a tile at iteration i of block_loop (0 where
 * that is -1) has min(block + halo, extent - i*block) steps, of which the first clamp(valid - i*block)
 * may have sources. For a group without axes inner, block, extent and valid are all 1. */
typedef struct rlt_side {
  int64_t inner;
  int64_t block;
  int64_t halo;
  int64_t extent;
  int64_t valid;
  int32_t block_loop;
} rlt_side;

typedef struct rlt_grid {
  int64_t source_start; /* of the first tile */
  int64_t destination_start;
  int32_t loop_count;
  rlt_loop loops[RLT_MAX_AXES]; /* innermost first */
  rlt_side columns;
  rlt_side rows;
  int64_t tile_count; /* the product of all counts */
} rlt_grid;

void rlt_grid_make(const rlt_problem *problem, const rlt_strategy *strategy, rlt_grid *grid);

/* One tile. Positions count elements. Rows and columns from the valid counts on have no source;
 * both counts are 0 when no element of the tile has one. */
typedef struct rlt_tile {
  int64_t source;
  int64_t destination;
  int64_t columns, valid_columns;
  int64_t rows, valid_rows;
} rlt_tile;

/* The tile at these iterations of the loops, digits[l] < loops[l].count. */
rlt_tile rlt_grid_tile(const rlt_grid *grid, const int64_t *digits);

/* Where the positions of a group lie, relative to the tile's start: for position p in
 * 0 .. rlt_group_held-1 its source and destination offset in elements. A position that never has a
 * source, whatever the tile, because a digit of an axis before the last is not below its valid, has
 * the source offset RLT_NO_SOURCE; the last axis is bounded by rlt_tile's valid count. */
#define RLT_NO_SOURCE INT64_MIN
void rlt_group_offsets(const rlt_problem *problem, const rlt_group *group, int64_t *source,
                       int64_t *destination);

/* The farthest position of the group with a source, all its axes but the last counted; and all of
 * them, for a whole tile. In elements of the source. */
int64_t rlt_group_inner_reach(const rlt_problem *problem, const rlt_group *group);
int64_t rlt_group_reach(const rlt_problem *problem, const rlt_group *group);

/* Whether there is a position that never has a source. */
bool rlt_group_has_gaps(const rlt_problem *problem, const rlt_group *group);

#endif
