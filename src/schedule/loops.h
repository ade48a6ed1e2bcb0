/* loops.h: in which order tiles are moved.
 *
 * Tiles are moved block by block, so that those of a block share their pages on both sides: a page
 * that one of them opens serves several before the processor has to look up where it lies again.
 *
 *     tiles     0  1  2 |  9 10 11        in the source's order within a block,
 *               3  4  5 | 12 13 14        and block after block
 *               6  7  8 | 15 16 17
 *
 * Depends on grid.h.
 */
#ifndef RLT_SCHEDULE_LOOPS_H
#define RLT_SCHEDULE_LOOPS_H

#include "schedule/grid.h"

/* The loops within a block, the innermost first, with how many iterations a block has of each: more
 * than one. What they leave, and all other loops, are the loops over blocks, the innermost first.
 * Loops of a grid are named by their axes. */
typedef struct rlt_loops {
  int32_t inner_count;
  int32_t outer_count;
  uint8_t inner[RLT_MAX_AXES];
  uint8_t outer[RLT_MAX_AXES];
  int64_t inside[RLT_MAX_AXES]; /* of inner[i] */
} rlt_loops;

/* How far blocks go. */
typedef struct rlt_loop_blocking {
  int64_t near_source;      /* elements along either side's pages; */
  int64_t near_destination; /* both 0: blocks of long runs, */
  int64_t tiles;            /* that have about so many tiles */
  int64_t least_blocks;     /* there are at least so many, if there are as many tiles */
  bool only_whole; /* blocks are of equal length, and end neither within tiles nor in padding */
  bool goes_on;    /* so does the source from block to block, however far it is */
} rlt_loop_blocking;

void rlt_loops_make(const rlt_grid *grid, const rlt_loop_blocking *blocking, rlt_loops *made);

/* Loops along which tiles go on with each other's segments, in the destination: the second where
 * the first one ends, and so on. Loops of the grid by number. */
typedef struct rlt_combining {
  int32_t count;
  int32_t loops[RLT_MAX_AXES];
} rlt_combining;

/* For segments of `length` elements: the loop that steps so far in the destination, the one that
 * steps as far as that one goes, ... */
void rlt_combining_find(const rlt_problem *problem, const rlt_grid *grid, int64_t length,
                        rlt_combining *combining);

/* Blocks along these. Between a tile and the one that goes on with its segments there are not
 * more than `most_between` others, all of the innermost loop. */
void rlt_loops_make_combining(const rlt_grid *grid, const rlt_combining *combining,
                              int64_t most_between, const rlt_loop_blocking *blocking,
                              rlt_loops *made);

/* The grid's loop over this axis; -1 where tiles take all of it. */
int32_t rlt_grid_loop_of(const rlt_grid *grid, int32_t axis);

/* How many iterations of the grid's loop `number` a block has; 1 where it is none of the inner. */
int64_t rlt_loops_inside(const rlt_grid *grid, const rlt_loops *loops, int32_t number);

#endif
