/* unpacked_tile.h: what a tile reads, brought together before anything else is done with it: the
 * runs of a tile in the source are put beside each other, and the tile is moved from there. Packed
 * elements are unpacked on the way, a byte an element, or their bits transposed so that they are
 * bytes that the destination has too. Words become the destination's where these are narrower:
 * then fewer bytes move. Other words are as they were; but where the source has its runs so far
 * apart that all meet in few sets of a cache, they do not here.
 *
 * Depends on tile.h, tile_buffer.h and problem/.
 */
#ifndef RLT_CPU_UNPACKED_TILE_H
#define RLT_CPU_UNPACKED_TILE_H

#include <stdbool.h>

#include "cpu/tile_buffer.h"
#include "schedule/tile.h"

/* Elements that are unpacked at once: up to this many bytes around a run may be overwritten. */
enum { RLT_AROUND_RUN = 64 };

/* Where the runs of a tile are put. */
typedef struct rlt_unpacking {
  int64_t run_count;
  rlt_tile_runs runs;
  int64_t pitch; /* words from where one run begins to where the next one does */
  bool is_exact; /* runs are so short that nothing may be written around them */
} rlt_unpacking;

/* The same, and what tables are made from. */
typedef struct rlt_unpacked_tile {
  rlt_unpacking unpacking;
  rlt_problem problem; /* with the source as it is unpacked */
  int32_t axis_count;
  rlt_tile_axis axes[RLT_MAX_TILE_AXES]; /* that tiles read along */
} rlt_unpacked_tile;

/* `room` is what all runs of a tile may take, in bytes. */
void rlt_unpacked_tile_make(const rlt_problem *problem, const rlt_group *columns,
                            const rlt_group *rows, int64_t room, rlt_unpacked_tile *made);

/* The bytes that the unpacked runs of a tile of `tile_bytes` take at most. */
#define rlt_unpacking_bytes(tile_bytes) (5 * (tile_bytes) / 4 + 2 * RLT_AROUND_RUN)

#endif
