/* walk.h: going through the tiles of a schedule, block by block: what a thread takes at a time.
 *
 * Depends on schedule/grid.h and schedule/loops.h.
 */
#ifndef RLT_CPU_WALK_H
#define RLT_CPU_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "schedule/grid.h"
#include "schedule/loops.h"

/* The loops of a grid, by number, in the order of a schedule: those within a block first, with how
 * many iterations a block has of each; then the others. */
typedef struct rlt_order {
  const rlt_grid *grid;
  uint8_t loops[RLT_MAX_AXES];
  int64_t inside[RLT_MAX_AXES];
  int32_t outer_count;
  uint8_t outer[RLT_MAX_AXES]; /* which of them go from block to block, the innermost first */
  int64_t block_count;
} rlt_order;

void rlt_order_make(const rlt_grid *grid, const rlt_loops *loops, rlt_order *order);

/* The loops of an order along which tiles complete each other's lines. */
typedef struct rlt_combined_loops {
  int32_t first;
  int32_t count;
} rlt_combined_loops;

rlt_combined_loops rlt_order_combined_loops(const rlt_order *order, const rlt_combining *combining);

/* Where a walk over a block's tiles is. */
typedef struct rlt_walk {
  const rlt_order *order;
  rlt_tile tile;
  int64_t digits[RLT_MAX_AXES]; /* of the grid's loops */
  int64_t begins[RLT_MAX_AXES]; /* of the order's loops, in this block, */
  int64_t ends[RLT_MAX_AXES];   /* and where they end */
} rlt_walk;

/* At the first tile of a block. */
void rlt_walk_start(rlt_walk *walk, const rlt_order *order, int64_t block);
/* At the next one; false at the last. */
bool rlt_walk_step(rlt_walk *walk);

/* How far the walk is along loop number `i` of the order, within its block. */
static inline int64_t rlt_walk_place(const rlt_walk *walk, int32_t i) {
  return walk->digits[walk->order->loops[i]] - walk->begins[i];
}

/* True if a later tile of the block goes on with this one's segments. */
static inline bool rlt_walk_goes_on(const rlt_walk *walk, rlt_combined_loops combined_loops) {
  for (int32_t i = combined_loops.first; i < combined_loops.first + combined_loops.count; ++i) {
    if (walk->digits[walk->order->loops[i]] + 1 < walk->ends[i]) {
      return true;
    }
  }
  return false;
}

#endif
