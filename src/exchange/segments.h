/* segments.h: where shards of two sides meet along a dimension.
 *
 * Depends on metadata/.
 */
#ifndef RLT_EXCHANGE_SEGMENTS_H
#define RLT_EXCHANGE_SEGMENTS_H

#include "metadata/shards.h"

/* Where a shard of one side meets one of the other, along a dimension. */
typedef struct rlt_segment {
  int64_t other; /* the other side's shard */
  int64_t start; /* of its first element, in what is moved */
  int64_t size;
  int64_t own_start, other_start; /* in the shards */
} rlt_segment;

/* The segments of one shard along a dimension, by the other side's shard and then by their start. A
 * group has those of one such shard. */
typedef struct rlt_segments {
  int64_t count;
  rlt_segment *of;
  int64_t group_count;
  int64_t *groups; /* where each begins; group_count + 1 of them */
} rlt_segments;

/* A dimension as two sides deal it out, and the part of it that is moved: `size` elements from
 * own_start on in the one's tensor, and from other_start on in the other's. */
typedef struct rlt_line {
  rlt_deal own, other;
  int64_t own_start, other_start, size;
} rlt_line;

/* Where a block ends that begins within the dimension. */
static inline int64_t rlt_deal_block_end(rlt_deal of, int64_t block) {
  const int64_t start = block * of.block;
  return of.extent - start < of.block ? of.extent : start + of.block;
}

/* Those of an own shard. False without memory; to be freed in either case. */
bool rlt_segments_make(const rlt_line *along, int64_t shard, rlt_segments *made);
void rlt_segments_free(rlt_segments *of);

#endif
