/* merge.h: packed elements that may begin and end within a byte of the destination, whose other
 * bits are written by others, perhaps at the same time.
 *
 * Depends on rows.h and problem/.
 */
#ifndef RLT_CPU_MERGE_H
#define RLT_CPU_MERGE_H

#include <stdint.h>

#include "cpu/rows.h"
#include "problem/problem.h"

/* From bit 0 of `bits` to elements position .. position+count-1 of the destination; the spare bits
 * of its last byte become 0 with its last element. Bytes that get some bits only are changed
 * atomically. One byte more than the last one wanted may be read. */
void rlt_cpu_merge_elements(const rlt_problem *problem, const uint8_t *bits, uint8_t *destination,
                            int64_t position, int64_t count);

/* A tile's segments, each from bit 0 of where it has been encoded. */
typedef struct rlt_cpu_merging {
  const rlt_problem *problem;
  const rlt_cpu_codec *codec;
  const rlt_cpu_frame *frame;
  rlt_cpu_held held;
  const uint8_t *encoded;
  uint8_t *destination;
  int64_t position;    /* of the tile */
  const uint8_t *next; /* where the tile starts that arrives meanwhile; NULL: none does */
} rlt_cpu_merging;

/* Lines leave whole and past the cache where `partial` says that tiles go on with each other's
 * segments. `lines`, which begin with one, are RLT_CPU_UNPACKED_BYTES to put them together in. */
void rlt_cpu_merge_segments(const rlt_cpu_merging *tile, rlt_cpu_partial_lines *partial,
                            uint8_t *lines);

#endif
