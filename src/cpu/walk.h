/* walk.h: in which order tiles are moved.
 *
 * Tiles are moved block by block, so that those of a block share their pages on both sides: a page that
 * one of them opens serves several before the processor has to look up where it lies again. A block is
 * also what a thread takes at a time.
 *
 *     tiles     0  1  2 |  9 10 11        in the source's order within a block,
 *               3  4  5 | 12 13 14        and block after block
 *               6  7  8 | 15 16 17
 *
 * Depends on plan/grid.h.
 */
#ifndef RLT_CPU_WALK_H
#define RLT_CPU_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/grid.h"

/* The loops of a grid in order, the innermost first, and how many iterations of each a block has. */
typedef struct rlt_order {
  const rlt_grid *grid;
  int32_t loops[RLT_MAX_AXES];
  int64_t inside[RLT_MAX_AXES]; /* for each of these, not more than its count */
  int64_t block_count;
} rlt_order;

/* Blocks along the pages of both sides, for tiles with many short runs; or, where these are long, in the
 * grid's own order. There are at least `least_blocks`, if there are as many tiles. */
void rlt_order_make(const rlt_grid *grid, bool has_short_runs, int64_t tile_bytes,
                    int64_t element_bytes, int64_t least_blocks, rlt_order *order);

/* Loops along which tiles go on with each other's segments: the second where the first one ends, and so
 * on. */
typedef struct rlt_chain {
  int32_t count;
  int32_t loops[RLT_MAX_AXES];
} rlt_chain;

/* Segments of `length` elements: the loop that steps so far in the destination, the one that steps as far
 * as that one goes, ... */
void rlt_chain_find(const rlt_problem *problem, const rlt_grid *grid, int64_t length,
                    rlt_chain *chain);

/* Which loops of an order are those of a chain, as far as its blocks go along them. */
typedef struct rlt_links {
  int32_t first;
  int32_t count;
} rlt_links;

/* Blocks along a chain. Between a tile and the one that goes on with its segments there are not more than
 * `most_between` others, all of the order's loop 0. */
rlt_links rlt_order_make_chained(const rlt_grid *grid, const rlt_chain *chain, int64_t most_between,
                                 int64_t element_bytes, int64_t least_blocks, rlt_order *order);

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

/* Whether a tile of the block goes on with this one's segments. */
static inline bool rlt_walk_goes_on(const rlt_walk *walk, rlt_links links) {
  for (int32_t i = links.first; i < links.first + links.count; ++i) {
    if (walk->digits[walk->order->loops[i]] + 1 < walk->ends[i]) {
      return true;
    }
  }
  return false;
}

#endif
