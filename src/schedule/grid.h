/* grid.h: a problem cut into tiles: the loops over them, and where each lies.
 *
 * Depends on problem/ and tile.h.
 */
#ifndef RLT_SCHEDULE_GRID_H
#define RLT_SCHEDULE_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "problem/problem.h"
#include "schedule/tile.h"

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
 * that is -1) has min(steps, extent - i*steps), of which the first
 * clamp(valid - i*steps) may have sources. For a group without axes inner, steps, extent and valid
 * are all 1. */
typedef struct rlt_side {
  int64_t inner;
  int64_t steps;
  int64_t extent;
  int64_t valid;
  int32_t block_loop;
} rlt_side;

typedef struct rlt_grid {
  int64_t source_start; /* of the first tile */
  int64_t destination_start;
  rlt_side columns;
  rlt_side rows;
  int64_t tile_count; /* the product of all counts */
  int32_t loop_count;
  rlt_loop loops[RLT_MAX_AXES]; /* in the order of their axes */
} rlt_grid;

void rlt_grid_make(const rlt_problem *problem, const rlt_group *columns, const rlt_group *rows,
                   rlt_grid *grid);

/* The same grid in memory of its own, which ends with its last loop: it can be read, but not
 * assigned. NULL without memory; rlt_free frees it. */
rlt_grid *rlt_grid_create(const rlt_problem *problem, const rlt_group *columns,
                          const rlt_group *rows);

/* The bytes that rlt_grid_create takes for this grid. */
size_t rlt_grid_bytes(const rlt_grid *grid);

/* One tile. Positions count elements. Rows and columns from the valid counts on have no source;
 * both counts are 0 when no element of the tile has one. */
typedef struct rlt_tile {
  int64_t source;
  int64_t destination;
  int64_t columns, valid_columns;
  int64_t rows, valid_rows;
} rlt_tile;

/* The tile at these iterations of the loops, digits[l] < loops[l].count. Written in place: a copy
 * would read in wide words what has just been written in narrow ones, and wait until all that was
 * written before has left the processor. */
void rlt_grid_find_tile(const rlt_grid *grid, const int64_t *digits, rlt_tile *tile);

#endif
