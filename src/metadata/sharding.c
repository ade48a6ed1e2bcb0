/* sharding.c: what shardings are valid, and what each device holds. */
#include "relayout/sharding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "metadata/device_order.h"
#include "metadata/rules.h"
#include "metadata/shards.h"

/* ---- Rules ---------------------------------------------------------------------------------- */

enum { MOST_SIZES = RELAYOUT_MAX_RANK + RELAYOUT_MAX_SUBGROUPS };

/* The sizes of a tiled sharding's grid; how many there are. */
static int32_t grid_of(const relayout_sharding *sharding, int64_t sizes[MOST_SIZES]) {
  memcpy(sizes, sharding->shards, (size_t)sharding->rank * sizeof *sizes);
  memcpy(sizes + sharding->rank, sharding->subgroup_sizes,
         (size_t)sharding->subgroup_count * sizeof *sizes);
  return sharding->rank + sharding->subgroup_count;
}

/* `*product` becomes the number of devices. */
static relayout_status check_sizes(const char *name, int32_t count, const int64_t *sizes,
                                   int64_t *product, relayout_error *error) {
  for (int32_t i = 0; i < count; ++i) {
    if (sizes[i] < 1) {
      return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                      "%s[%" PRId32 "] is %" PRId64 "; expected 1 or more", name, i, sizes[i]);
    }
    if (!rlt_multiply(*product, sizes[i], product) || *product > RELAYOUT_MAX_DEVICES) {
      return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                      "%s makes more than %d devices of the sharding", name, RELAYOUT_MAX_DEVICES);
    }
  }
  return RELAYOUT_OK;
}

static relayout_status check_counts(const relayout_sharding *sharding, relayout_error *error) {
  const struct {
    const char *name;
    int32_t count, most;
  } counts[] = {{"rank", sharding->rank, RELAYOUT_MAX_RANK},
                {"subgroup_count", sharding->subgroup_count, RELAYOUT_MAX_SUBGROUPS},
                {"order.rank", sharding->order.rank, RELAYOUT_MAX_DEVICE_DIMENSIONS}};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
    if (counts[i].count < 0 || counts[i].count > counts[i].most) {
      return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                      "sharding: %s is %" PRId32 "; expected 0 to %" PRId32, counts[i].name,
                      counts[i].count, counts[i].most);
    }
  }
  for (int32_t i = 0; i < sharding->subgroup_count; ++i) {
    if ((int)sharding->subgroups[i] < RELAYOUT_SUBGROUP_REPLICATED ||
        (int)sharding->subgroups[i] > RELAYOUT_SUBGROUP_UNREDUCED) {
      return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                      "sharding: subgroups[%" PRId32 "] is %d, which is no relayout_subgroup", i,
                      (int)sharding->subgroups[i]);
    }
  }
  return RELAYOUT_OK;
}

static relayout_status check_blocks(const relayout_sharding *sharding, relayout_error *error) {
  if (sharding->block_count != 0 && sharding->block_count != sharding->rank) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "sharding: block_count is %" PRId32 "; expected 0 or the rank, %" PRId32,
                    sharding->block_count, sharding->rank);
  }
  for (int32_t d = 0; d < sharding->block_count; ++d) {
    if (sharding->blocks[d] < 1) {
      return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                      "sharding: blocks[%" PRId32 "] is %" PRId64 "; expected 1 or more", d,
                      sharding->blocks[d]);
    }
  }
  return RELAYOUT_OK;
}

static int by_value(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return x < y ? -1 : x > y;
}

static relayout_status check_list(const relayout_device_order *order, int64_t count,
                                  relayout_error *error) {
  if (count > RELAYOUT_MAX_DEVICE_LIST) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "sharding: %" PRId64 " devices cannot be listed; expected at most %d", count,
                    RELAYOUT_MAX_DEVICE_LIST);
  }
  int32_t sorted[RELAYOUT_MAX_DEVICE_LIST];
  memcpy(sorted, order->list, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, by_value);
  for (int64_t i = 0; i < count; ++i) {
    if (sorted[i] < 0) {
      return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                      "sharding: device %" PRId32 " is listed; expected 0 or more", sorted[i]);
    }
    if (i > 0 && sorted[i] == sorted[i - 1]) {
      return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                      "sharding: device %" PRId32 " is listed twice", sorted[i]);
    }
  }
  return RELAYOUT_OK;
}

static relayout_status check_order(const relayout_device_order *order, int64_t count,
                                   relayout_error *error) {
  if (order->rank == 0) {
    return check_list(order, count, error);
  }
  int64_t product = 1;
  relayout_status status =
      check_sizes("sharding: order.dimensions", order->rank, order->dimensions, &product, error);
  if (status == RELAYOUT_OK) {
    status = rlt_check_permutation(order->rank, order->permutation, "sharding: order.permutation",
                                   RELAYOUT_INVALID_ARGUMENT, error);
  }
  if (status == RELAYOUT_OK && product != count) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "sharding: order.dimensions make %" PRId64
                    " devices, but its shards and subgroups are for %" PRId64,
                    product, count);
  }
  return status;
}

static relayout_status check_tiled(const relayout_sharding *sharding, relayout_error *error) {
  relayout_status status = check_counts(sharding, error);
  int64_t count = 1;
  if (status == RELAYOUT_OK && sharding->rank + sharding->subgroup_count == 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "sharding: it is tiled, and has neither dimensions nor subgroups");
  }
  if (status == RELAYOUT_OK) {
    status = check_sizes("sharding: shards", sharding->rank, sharding->shards, &count, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_sizes("sharding: subgroup_sizes", sharding->subgroup_count,
                         sharding->subgroup_sizes, &count, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_order(&sharding->order, count, error);
  }
  return status == RELAYOUT_OK ? check_blocks(sharding, error) : status;
}

/* By itself. */
static relayout_status check(const relayout_sharding *sharding, relayout_error *error) {
  if (sharding == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "sharding is NULL");
  }
  switch (sharding->kind) {
  case RELAYOUT_SHARDING_TILED:
    return check_tiled(sharding, error);
  case RELAYOUT_SHARDING_MAXIMAL:
    return sharding->device >= 0 && sharding->device < RELAYOUT_MAX_DEVICES
               ? RELAYOUT_OK
               : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                          "sharding: device is %" PRId64 "; expected 0 to %d", sharding->device,
                          RELAYOUT_MAX_DEVICES - 1);
  case RELAYOUT_SHARDING_REPLICATED:
  case RELAYOUT_SHARDING_MANUAL:
  case RELAYOUT_SHARDING_UNREDUCED:
  case RELAYOUT_SHARDING_UNKNOWN:
    return RELAYOUT_OK;
  }
  return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                  "sharding: kind is %d, which is no relayout_sharding_kind", (int)sharding->kind);
}

/* Of a valid tiled sharding. */
static int64_t count_devices(const relayout_sharding *sharding) {
  int64_t sizes[MOST_SIZES];
  int64_t count = 1;
  const int32_t rank = grid_of(sharding, sizes);
  for (int32_t d = 0; d < rank; ++d) {
    count *= sizes[d];
  }
  return count;
}

int64_t rlt_sharding_greatest_device(const relayout_sharding *sharding) {
  int64_t greatest = -1;
  if (sharding->kind == RELAYOUT_SHARDING_MAXIMAL) {
    greatest = sharding->device;
  } else if (sharding->kind == RELAYOUT_SHARDING_TILED) {
    const int64_t count = count_devices(sharding);
    greatest = sharding->order.rank > 0 ? count - 1 : 0;
    for (int64_t i = 0; i < count && sharding->order.rank == 0; ++i) {
      greatest = rlt_max(greatest, sharding->order.list[i]);
    }
  }
  return greatest;
}

relayout_status relayout_sharding_validate(const relayout_sharding *sharding,
                                           const relayout_shape *shape, int64_t devices,
                                           relayout_error *error) {
  relayout_status status = check(sharding, error);
  if (status == RELAYOUT_OK && shape != NULL) {
    status = relayout_shape_validate(shape, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (devices < 0 || devices > RELAYOUT_MAX_DEVICES) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "devices is %" PRId64 "; expected 0 to %d",
                    devices, RELAYOUT_MAX_DEVICES);
  }
  if (shape != NULL && sharding->kind == RELAYOUT_SHARDING_TILED && sharding->rank != shape->rank) {
    return rlt_fail(error, RELAYOUT_SHAPE_MISMATCH,
                    "sharding: it has shards along %" PRId32
                    " dimensions, but the shape has %" PRId32,
                    sharding->rank, shape->rank);
  }
  const int64_t greatest = rlt_sharding_greatest_device(sharding);
  if (devices > 0 && greatest >= devices) {
    return rlt_fail(error, RELAYOUT_OUT_OF_RANGE,
                    "sharding: it names device %" PRId64 ", but there are %" PRId64 " devices",
                    greatest, devices);
  }
  return RELAYOUT_OK;
}

/* ---- Devices -------------------------------------------------------------------------------- */

int64_t relayout_sharding_device_count(const relayout_sharding *sharding) {
  if (check(sharding, NULL) != RELAYOUT_OK) {
    return 0;
  }
  return sharding->kind == RELAYOUT_SHARDING_TILED     ? count_devices(sharding)
         : sharding->kind == RELAYOUT_SHARDING_MAXIMAL ? 1
                                                       : 0;
}

relayout_status relayout_sharding_device(const relayout_sharding *sharding, int64_t number,
                                         int64_t *device, relayout_error *error) {
  const relayout_status status = check(sharding, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (device == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "device is NULL");
  }
  const int64_t count = relayout_sharding_device_count(sharding);
  if (number < 0 || number >= count) {
    return rlt_fail(error, RELAYOUT_OUT_OF_RANGE,
                    "number is %" PRId64 ", out of range for a sharding of %" PRId64 " devices",
                    number, count);
  }
  *device = sharding->kind == RELAYOUT_SHARDING_MAXIMAL
                ? sharding->device
                : rlt_device_order_at(&sharding->order, number);
  return RELAYOUT_OK;
}

static bool same_numbers(int32_t count, const int64_t *a, const int64_t *b) {
  return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

/* Two orders of so many devices, however they are said. */
static bool same_order(const relayout_device_order *a, const relayout_device_order *b,
                       int64_t count) {
  if (a->rank > 0 && b->rank > 0) {
    relayout_device_order x, y;
    rlt_device_order_make(a->rank, a->dimensions, a->permutation, &x);
    rlt_device_order_make(b->rank, b->dimensions, b->permutation, &y);
    return x.rank == y.rank && same_numbers(x.rank, x.dimensions, y.dimensions) &&
           memcmp(x.permutation, y.permutation, (size_t)x.rank * sizeof *x.permutation) == 0;
  }
  for (int64_t i = 0; i < count; ++i) {
    if (rlt_device_order_at(a, i) != rlt_device_order_at(b, i)) {
      return false;
    }
  }
  return true;
}

static bool same_tiles(const relayout_sharding *a, const relayout_sharding *b) {
  if (a->rank != b->rank || a->subgroup_count != b->subgroup_count ||
      a->block_count != b->block_count || !same_numbers(a->rank, a->shards, b->shards) ||
      !same_numbers(a->block_count, a->blocks, b->blocks) ||
      !same_numbers(a->subgroup_count, a->subgroup_sizes, b->subgroup_sizes)) {
    return false;
  }
  for (int32_t i = 0; i < a->subgroup_count; ++i) {
    if (a->subgroups[i] != b->subgroups[i]) {
      return false;
    }
  }
  return same_order(&a->order, &b->order, relayout_sharding_device_count(a));
}

bool relayout_sharding_equal(const relayout_sharding *a, const relayout_sharding *b) {
  if (check(a, NULL) != RELAYOUT_OK || check(b, NULL) != RELAYOUT_OK || a->kind != b->kind) {
    return false;
  }
  return a->kind == RELAYOUT_SHARDING_MAXIMAL ? a->device == b->device
         : a->kind == RELAYOUT_SHARDING_TILED ? same_tiles(a, b)
                                              : true;
}

/* ---- What a device holds -------------------------------------------------------------------- */

relayout_status rlt_sharding_check_asked(const relayout_sharding *sharding,
                                         const relayout_shape *shape, int64_t device,
                                         relayout_error *error) {
  if (shape == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "shape is NULL");
  }
  const relayout_status status = relayout_sharding_validate(sharding, shape, 0, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (device < 0) {
    return rlt_fail(error, RELAYOUT_OUT_OF_RANGE, "device is %" PRId64 "; expected 0 or more",
                    device);
  }
  static const char *const nobody_knows[] = {[RELAYOUT_SHARDING_MANUAL] = "manual",
                                             [RELAYOUT_SHARDING_UNREDUCED] = "unreduced",
                                             [RELAYOUT_SHARDING_UNKNOWN] = "unknown"};
  if (sharding->kind >= RELAYOUT_SHARDING_MANUAL) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "sharding: it is {%s}, which does not say what device %" PRId64 " holds",
                    nobody_knows[sharding->kind], device);
  }
  for (int32_t i = 0; sharding->kind == RELAYOUT_SHARDING_TILED && i < sharding->subgroup_count;
       ++i) {
    if (sharding->subgroups[i] != RELAYOUT_SUBGROUP_REPLICATED) {
      return rlt_fail(
          error, RELAYOUT_UNSUPPORTED,
          "sharding: a subgroup is %s, which does not say what device %" PRId64 " holds",
          sharding->subgroups[i] == RELAYOUT_SUBGROUP_MANUAL ? "manual" : "unreduced", device);
    }
  }
  return RELAYOUT_OK;
}

rlt_shard_place rlt_shard_place_of(const relayout_sharding *sharding, int64_t device) {
  rlt_shard_place found = {.holds = true};
  if (sharding->kind == RELAYOUT_SHARDING_REPLICATED) {
    found.replica = device;
    return found;
  }
  if (sharding->kind == RELAYOUT_SHARDING_MAXIMAL) {
    found.holds = device == sharding->device;
    return found;
  }
  int64_t at = rlt_device_order_find(&sharding->order, count_devices(sharding), device);
  found.holds = at >= 0;
  int64_t replicas = 1;
  for (int32_t i = sharding->subgroup_count - 1; i >= 0 && found.holds; --i) {
    found.replica += at % sharding->subgroup_sizes[i] * replicas;
    replicas *= sharding->subgroup_sizes[i];
    at /= sharding->subgroup_sizes[i];
  }
  for (int32_t d = sharding->rank - 1; d >= 0 && found.holds; --d) {
    found.shard[d] = at % sharding->shards[d];
    at /= sharding->shards[d];
  }
  return found;
}

rlt_deal rlt_deal_of(const relayout_sharding *sharding, const relayout_shape *shape, int32_t d) {
  const int64_t extent = shape->dimensions[d];
  const int64_t shards = sharding->kind == RELAYOUT_SHARDING_TILED ? sharding->shards[d] : 1;
  if (shards == 1) { /* all of its blocks lie behind each other */
    return (rlt_deal){extent, 1, rlt_max(extent, 1)};
  }
  const int64_t even = rlt_max(rlt_divide_up(extent, shards), 1);
  return (rlt_deal){extent, shards, sharding->block_count > 0 ? sharding->blocks[d] : even};
}

int64_t rlt_deal_blocks(rlt_deal of, int64_t shard) {
  const int64_t all = rlt_divide_up(of.extent, of.block);
  return all > shard ? rlt_divide_up(all - shard, of.shards) : 0;
}

int64_t rlt_deal_elements(rlt_deal of, int64_t shard) {
  const int64_t count = rlt_deal_blocks(of, shard);
  if (count == 0) {
    return 0;
  }
  const int64_t last = (count - 1) * of.shards + shard;
  return (count - 1) * of.block + rlt_min(of.extent - last * of.block, of.block);
}

relayout_status relayout_sharding_box(const relayout_sharding *sharding,
                                      const relayout_shape *shape, int64_t device, int64_t *start,
                                      int64_t *sizes, int64_t *replica, relayout_error *error) {
  const relayout_status status = rlt_sharding_check_asked(sharding, shape, device, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const rlt_shard_place at = rlt_shard_place_of(sharding, device);
  for (int32_t d = 0; d < shape->rank && at.holds; ++d) {
    if (rlt_deal_blocks(rlt_deal_of(sharding, shape, d), at.shard[d]) > 1) {
      return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                      "sharding: device %" PRId64 " holds several blocks along dimension %" PRId32
                      ", which are no box",
                      device, d);
    }
  }
  for (int32_t d = 0; d < shape->rank; ++d) {
    const rlt_deal of = rlt_deal_of(sharding, shape, d);
    if (start != NULL) {
      start[d] = at.holds ? rlt_min(at.shard[d] * rlt_min(of.block, of.extent), of.extent) : 0;
    }
    if (sizes != NULL) {
      sizes[d] = at.holds ? rlt_deal_elements(of, at.shard[d]) : 0;
    }
  }
  if (replica != NULL) {
    *replica = at.holds ? at.replica : -1;
  }
  return RELAYOUT_OK;
}

relayout_status relayout_sharding_visit_boxes(const relayout_sharding *sharding,
                                              const relayout_shape *shape, int64_t device,
                                              relayout_box_visitor *visitor, void *context,
                                              relayout_error *error) {
  const relayout_status status = rlt_sharding_check_asked(sharding, shape, device, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (visitor == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "visitor is NULL");
  }
  const rlt_shard_place at = rlt_shard_place_of(sharding, device);
  int64_t block[RELAYOUT_MAX_RANK] = {0};
  bool is_left = at.holds;
  for (int32_t d = 0; d < shape->rank; ++d) {
    is_left = is_left && rlt_deal_blocks(rlt_deal_of(sharding, shape, d), at.shard[d]) > 0;
  }
  while (is_left) {
    int64_t start[RELAYOUT_MAX_RANK], sizes[RELAYOUT_MAX_RANK], local[RELAYOUT_MAX_RANK];
    for (int32_t d = 0; d < shape->rank; ++d) {
      const rlt_deal of = rlt_deal_of(sharding, shape, d);
      start[d] = (block[d] * of.shards + at.shard[d]) * of.block;
      sizes[d] = rlt_min(of.extent - start[d], of.block);
      local[d] = block[d] * of.block;
    }
    visitor(context, start, sizes, local);
    is_left = false;
    for (int32_t d = shape->rank - 1; d >= 0 && !is_left; --d) {
      is_left = ++block[d] < rlt_deal_blocks(rlt_deal_of(sharding, shape, d), at.shard[d]);
      block[d] = is_left ? block[d] : 0;
    }
  }
  return RELAYOUT_OK;
}

relayout_status relayout_sharding_local_shape(const relayout_sharding *sharding,
                                              const relayout_shape *shape, int64_t device,
                                              relayout_shape *local, relayout_error *error) {
  const relayout_status status = rlt_sharding_check_asked(sharding, shape, device, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (local == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "local is NULL");
  }
  for (int32_t d = 0; d < shape->rank; ++d) {
    if (relayout_shape_padded_dimension(shape, d) > shape->dimensions[d]) {
      return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                      "shape: dimension %" PRId32 " is padded to %" PRId64
                      ", and no device has the padding of a sharded tensor",
                      d, relayout_shape_padded_dimension(shape, d));
    }
  }
  const rlt_shard_place at = rlt_shard_place_of(sharding, device);
  relayout_shape made = *shape;
  made.layout.padded_dimension_count = 0;
  for (int32_t d = 0; d < shape->rank; ++d) {
    made.dimensions[d] =
        at.holds ? rlt_deal_elements(rlt_deal_of(sharding, shape, d), at.shard[d]) : 0;
  }
  *local = made;
  return RELAYOUT_OK;
}
