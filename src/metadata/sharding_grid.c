/* sharding_grid.c: making what says the same the same. */
#include "metadata/sharding_grid.h"

#include <inttypes.h>

#include "base/checked.h"

int64_t rlt_sharding_grid_count(int32_t count, const int64_t *sizes) {
  int64_t product = 1;
  for (int32_t d = 0; d < count; ++d) {
    if (!rlt_multiply(product, sizes[d], &product) || product > RELAYOUT_MAX_DEVICES) {
      return 0;
    }
  }
  return product;
}

static bool fail_too_long(rlt_tokens *in, const char *where) {
  return rlt_tokens_fail(in, where, RELAYOUT_UNSUPPORTED,
                         "this order of devices could only be listed, which ends at %d devices",
                         RELAYOUT_MAX_DEVICE_LIST);
}

/* True if the tensor has no shards, and all devices one thing to do with each other. */
static bool is_whole(const rlt_sharding_grid *grid) {
  for (int32_t i = 1; i < grid->subgroup_count; ++i) {
    if (grid->subgroups[i] != grid->subgroups[0]) {
      return false;
    }
  }
  return grid->subgroup_count > 0 && rlt_sharding_grid_count(grid->rank, grid->sizes) == 1;
}

/* Its subgroups, without those of one device, those of a kind side by side, merged. */
static bool merge_subgroups(rlt_sharding_grid *grid) {
  static const relayout_subgroup kinds[] = {RELAYOUT_SUBGROUP_MANUAL, RELAYOUT_SUBGROUP_UNREDUCED,
                                            RELAYOUT_SUBGROUP_REPLICATED};
  int32_t permutation[RLT_MOST_GRID_DIMENSIONS];
  int64_t merged[RELAYOUT_MAX_SUBGROUPS];
  relayout_subgroup kept[RELAYOUT_MAX_SUBGROUPS];
  int32_t count = 0, at = 0;
  for (; at < grid->rank; ++at) {
    permutation[at] = at;
  }
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
    int64_t size = 1;
    for (int32_t i = 0; i < grid->subgroup_count; ++i) {
      if (grid->subgroups[i] == kinds[k]) {
        size *= grid->sizes[grid->rank + i];
        permutation[at++] = grid->rank + i;
      }
    }
    if (size > 1) {
      merged[count] = size;
      kept[count++] = kinds[k];
    }
  }
  if (!rlt_device_order_transpose(&grid->order, at, grid->sizes, permutation)) {
    return false;
  }
  grid->subgroup_count = count;
  for (int32_t i = 0; i < count; ++i) {
    grid->sizes[grid->rank + i] = merged[i];
    grid->subgroups[i] = kept[i];
  }
  return true;
}

static void take_grid(const rlt_sharding_grid *grid, relayout_sharding *made) {
  *made = (relayout_sharding){.kind = RELAYOUT_SHARDING_TILED,
                              .rank = grid->rank,
                              .subgroup_count = grid->subgroup_count,
                              .order = grid->order};
  for (int32_t d = 0; d < grid->rank; ++d) {
    made->shards[d] = grid->sizes[d];
  }
  for (int32_t i = 0; i < grid->subgroup_count; ++i) {
    made->subgroups[i] = grid->subgroups[i];
    made->subgroup_sizes[i] = grid->sizes[grid->rank + i];
  }
}

bool rlt_sharding_grid_finish(rlt_tokens *in, const char *where, rlt_sharding_grid *grid,
                              relayout_sharding *made) {
  static const relayout_sharding_kind kinds[] = {
      [RELAYOUT_SUBGROUP_REPLICATED] = RELAYOUT_SHARDING_REPLICATED,
      [RELAYOUT_SUBGROUP_MANUAL] = RELAYOUT_SHARDING_MANUAL,
      [RELAYOUT_SUBGROUP_UNREDUCED] = RELAYOUT_SHARDING_UNREDUCED};
  if (grid->rank > RELAYOUT_MAX_RANK) {
    return rlt_tokens_fail(in, where, RELAYOUT_INVALID_TEXT,
                           "there are shards along %" PRId32 " dimensions; expected at most %d",
                           grid->rank, RELAYOUT_MAX_RANK);
  }
  if (!is_whole(grid) && !merge_subgroups(grid)) {
    return fail_too_long(in, where);
  }
  if (is_whole(grid)) {
    *made = (relayout_sharding){.kind = kinds[grid->subgroups[0]]};
    return true;
  }
  if (grid->rank + grid->subgroup_count == 0) { /* of a scalar, on one device */
    *made = (relayout_sharding){.kind = RELAYOUT_SHARDING_MAXIMAL,
                                .device = rlt_device_order_at(&grid->order, 0)};
    return true;
  }
  const int64_t count = rlt_sharding_grid_count(grid->rank + grid->subgroup_count, grid->sizes);
  const int32_t last = grid->subgroup_count - 1;
  if (last >= 0 && grid->subgroups[last] == RELAYOUT_SUBGROUP_REPLICATED &&
      !rlt_device_order_sort_groups(&grid->order, count, grid->sizes[grid->rank + last])) {
    return fail_too_long(in, where);
  }
  take_grid(grid, made);
  return true;
}
