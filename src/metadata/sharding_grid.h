/* sharding_grid.h: a sharding as its text says it, before what says the same is made the same.
 *
 * Depends on device_order.h.
 */
#ifndef RLT_METADATA_SHARDING_GRID_H
#define RLT_METADATA_SHARDING_GRID_H

#include "metadata/device_order.h"
#include "metadata/tokens.h"

/* The tensor's dimensions, and behind them subgroups of any number and order. */
typedef struct rlt_sharding_grid {
  int32_t rank;
  int32_t subgroup_count;
  int64_t sizes[RLT_MOST_GRID_DIMENSIONS];
  relayout_subgroup subgroups[RLT_MOST_GRID_DIMENSIONS];
  relayout_device_order order;
} rlt_sharding_grid;

/* The product of sizes of 1 or more, which is RELAYOUT_MAX_DEVICES at most; 0 where they are not.
 */
int64_t rlt_sharding_grid_count(int32_t count, const int64_t *sizes);

/* Makes it a sharding, as XLA does: subgroups of one device are dropped, those of a kind are
 * merged, and ordered manual, unreduced, replicated; replicated devices are sorted by number; and
 * what has no shards has a kind of its own. Fails at `where`. */
bool rlt_sharding_grid_finish(rlt_tokens *in, const char *where, rlt_sharding_grid *grid,
                              relayout_sharding *made);

/* The rule for what stands between { and } from `mesh` or `maximal_mesh` on. */
bool rlt_mesh_parse(rlt_tokens *in, relayout_sharding *made);

/* `[` number {`,` number} `]`, or in other brackets; each from `least` to `most`. The numbers are
 * `what`, of which there may be `capacity`. */
bool rlt_numbers_parse(rlt_tokens *in, const char *brackets, const char *what, int64_t least,
                       int64_t most, int32_t capacity, int64_t *numbers, int32_t *count);

/* Device numbers, of which there are `count`: the rules `<=[4,2]T(1,0)`, without `<=`, and
 * `0,2,1,3`. */
bool rlt_device_array_parse(rlt_tokens *in, int64_t count, relayout_device_order *order);
bool rlt_device_list_parse(rlt_tokens *in, int64_t count, relayout_device_order *order);

#endif
