/* shards.h: which shard a device has, and how a dimension is dealt out to shards.
 *
 * Depends on the public shardings.
 */
#ifndef RLT_METADATA_SHARDS_H
#define RLT_METADATA_SHARDS_H

#include <stdbool.h>
#include <stdint.h>

#include "relayout/sharding.h"

/* A device's place: which shard along each dimension, and which of the devices that have it. */
typedef struct rlt_shard_place {
  bool holds; /* false: nothing */
  int64_t shard[RELAYOUT_MAX_RANK];
  int64_t replica;
} rlt_shard_place;

/* Everything that may be wrong with the arguments of those who ask what a device holds. The
 * statuses of relayout_sharding_box, but for shards of several blocks. */
relayout_status rlt_sharding_check_asked(const relayout_sharding *sharding,
                                         const relayout_shape *shape, int64_t device,
                                         relayout_error *error);

/* The greatest device that a valid sharding names; -1: it names none. */
int64_t rlt_sharding_greatest_device(const relayout_sharding *sharding);

/* Of a valid sharding that says what devices hold, and a device of 0 or more. */
rlt_shard_place rlt_shard_place_of(const relayout_sharding *sharding, int64_t device);

/* A dimension as it is dealt out: to how many shards, in blocks of which size. Block i of a shard
 * is block i * shards + shard of the dimension. */
typedef struct rlt_deal {
  int64_t extent, shards, block;
} rlt_deal;

rlt_deal rlt_deal_of(const relayout_sharding *sharding, const relayout_shape *shape, int32_t d);

/* How many blocks a shard has, and how many elements. */
int64_t rlt_deal_blocks(rlt_deal of, int64_t shard);
int64_t rlt_deal_elements(rlt_deal of, int64_t shard);

#endif
