/* blocking.h: what tiles are asked to be like: how far they and the blocks of them go, what is
 * fetched ahead, and how they leave.
 *
 * Depends on nothing.
 */
#ifndef RLT_SCHEDULE_BLOCKING_H
#define RLT_SCHEDULE_BLOCKING_H

#include <stdbool.h>
#include <stdint.h>

/* How far something goes on either side. */
typedef struct rlt_reach {
  int64_t read_bytes;
  int64_t write_bytes;
} rlt_reach;

/* Far enough for anything. */
#define RLT_ALL_THE_WAY (INT64_C(1) << 50)

enum { RLT_MOST_TILES_AHEAD = 3 };

/* How far ahead the source is prefetched. */
typedef struct rlt_prefetch {
  int32_t tiles; /* ahead, RLT_MOST_TILES_AHEAD at most; 0: nothing is fetched */
  int32_t level; /* of the caches that it is fetched into, 1 being the nearest; 0: nothing is */
} rlt_prefetch;

/* How tiles leave. */
typedef enum rlt_stores {
  RLT_STORES_BY_SIZE,    /* past the caches where these cannot hold the destination */
  RLT_STORES_STREAMED,   /* put together first, then past the caches, */
  RLT_STORES_CACHED,     /* or through them; */
  RLT_STORES_UNBUFFERED, /* through them without having been put together, where the device can, */
  RLT_STORES_STRAIGHT    /* or past them */
} rlt_stores;

/* The blocking of tiles that a CPU's worker moves. */
typedef struct rlt_tile_blocking {
  rlt_reach runs;   /* of a tile; 0: nothing is asked for */
  rlt_reach blocks; /* of tiles that follow each other; 0: of long runs, not along pages */
  rlt_prefetch prefetch;
  rlt_stores stores;
  /* What a tile reads is brought together line by line before it is transposed, as elements of the
   * destination where these are narrower. */
  bool loads;
} rlt_tile_blocking;

#endif
