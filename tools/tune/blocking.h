/* blocking.h: how tiles and the blocks of them are cut, as a row of tuning has it for words of one
 * size and one kind of tiles, and which others are worth trying. Depends on row.h. */
#ifndef TOOLS_TUNE_BLOCKING_H
#define TOOLS_TUNE_BLOCKING_H

#include <stdbool.h>
#include <stdint.h>

#include "row.h"

typedef struct tune_blocking {
  int64_t runs[2];   /* of a tile, in bytes of the source and of the destination; 0: none is set */
  int64_t blocks[2]; /* how far tiles go that follow each other, in the same way */
  int64_t prefetch[2]; /* tiles ahead, and the level of cache */
  bool packs;          /* what a tile reads is copied line by line first */
} tune_blocking;

bool tune_blockings_equal(const tune_blocking *a, const tune_blocking *b);

/* That of words of so many bytes and one kind of tiles. */
tune_blocking tune_blocking_read(const tune_row *row, int64_t word, int kind);
void tune_blocking_write(const tune_blocking *from, int64_t word, int kind, tune_row *row);

enum { TUNE_ROUNDS = 5, TUNE_MOST_BLOCKINGS = 40 };

/* The candidates of a round of the search: `best` first, then what differs from it in one respect,
 * which are the runs in round 0, runs and packing in round 1, the blocks in round 2, prefetch in
 * round 3, and the runs that are at most twice or half as long in round 4. Returns how many. */
int32_t tune_blockings_of_round(int round, int kind, const tune_blocking *best,
                                tune_blocking made[TUNE_MOST_BLOCKINGS]);

#endif
