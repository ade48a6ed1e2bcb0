/* room.h: where the bytes of a case lie while it is measured, and whether there is room for them.
 * Depends on suite.h and size_text.h.
 *
 * Cold cases rotate through as many places as are needed for the bytes of one to have left the
 * cache before its turn comes again. */
#ifndef TOOLS_BENCH_ROOM_H
#define TOOLS_BENCH_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "suite.h"

/* Where a case's bytes lie: `places` of them in both buffers. */
typedef struct bench_room {
  size_t copy_size;   /* what a plain copy of as many bytes copies: half of them, whole lines */
  size_t source_step; /* from one place to the next */
  size_t destination_step;
  size_t places;
  size_t least_places; /* with fewer, the bytes would still be in the cache */
} bench_room;

bench_room bench_room_of(const bench_case *of, bool is_hot, uint64_t cache_bytes);

/* What there is at most, in bytes; 0 is no limit. */
typedef struct bench_limits {
  uint64_t allocation; /* of one buffer */
  uint64_t device;     /* of the device's own memory, for both buffers */
  uint64_t host;       /* of the host's, for both buffers and what the result is held against */
} bench_limits;

enum { BENCH_REASON_SIZE = 256 };

/* Whether the room is within the limits; if not, the reason. */
bool bench_room_fits(const bench_room *room, const bench_limits *limits,
                     char reason[BENCH_REASON_SIZE]);

#endif
