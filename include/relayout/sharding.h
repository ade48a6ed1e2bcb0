/* sharding.h: which device holds which part of a tensor (XLA's HloSharding, for arrays).
 *
 * A sharding is a plain value of about six kilobytes: fill it, copy it, compare it. It owns
 * nothing. One of all zeros is the valid sharding {replicated}: every device holds the whole
 * tensor. All functions here are pure and thread-safe; those other than parse and validate expect a
 * valid sharding, and refuse an invalid one with the status that validate returns.
 *
 * A device's part is its shard. A dimension of n elements that is cut into g shards has shards of
 * ceil(n / g) elements, one after the other; the last ones may have fewer, or none. With a block
 * size b the dimension is dealt out in blocks of b elements instead, as cards are: block i belongs
 * to shard i mod g, where it lies behind the shard's earlier blocks (ScaLAPACK's block-cyclic
 * distribution). Shards are never padded: to pad one as XLA does on devices, give its shape padded
 * dimensions. */
#ifndef RELAYOUT_SHARDING_H
#define RELAYOUT_SHARDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/layout.h"
#include "relayout/shape.h"
#include "relayout/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  RELAYOUT_MAX_DEVICES = INT32_MAX,    /* of a sharding */
  RELAYOUT_MAX_DEVICE_LIST = 1024,     /* of one that lists them */
  RELAYOUT_MAX_DEVICE_DIMENSIONS = 32, /* that device numbers are split into */
  RELAYOUT_MAX_SUBGROUPS = 3
};

typedef enum relayout_sharding_kind {
  RELAYOUT_SHARDING_REPLICATED = 0, /* every device holds all of the tensor */
  RELAYOUT_SHARDING_MAXIMAL = 1,    /* one device does */
  RELAYOUT_SHARDING_TILED = 2,      /* each holds a shard, others may hold the same one */
  /* What XLA's partitioner leaves to others: these can be read and printed, but nothing here knows
   * what a device holds. */
  RELAYOUT_SHARDING_MANUAL = 3,
  RELAYOUT_SHARDING_UNREDUCED = 4,
  RELAYOUT_SHARDING_UNKNOWN = 5
} relayout_sharding_kind;

/* What devices of one shard have to do with each other (XLA's last_tile_dims). */
typedef enum relayout_subgroup {
  RELAYOUT_SUBGROUP_REPLICATED = 0, /* each holds the same shard */
  RELAYOUT_SUBGROUP_MANUAL = 1,     /* nothing here knows */
  RELAYOUT_SUBGROUP_UNREDUCED = 2   /* each holds an addend of it */
} relayout_subgroup;

/* Device numbers, one after the other: the first ones of `list`; or, when rank > 0, all numbers
 * from 0 on, seen as an array of `dimensions`, row-major, and transposed: dimension i of the result
 * is dimension permutation[i]. */
typedef struct relayout_device_order {
  int32_t rank;
  int64_t dimensions[RELAYOUT_MAX_DEVICE_DIMENSIONS];
  int32_t permutation[RELAYOUT_MAX_DEVICE_DIMENSIONS];
  int32_t list[RELAYOUT_MAX_DEVICE_LIST];
} relayout_device_order;

typedef struct relayout_sharding {
  relayout_sharding_kind kind;
  int64_t device; /* of RELAYOUT_SHARDING_MAXIMAL: the one that holds all */

  /* Of RELAYOUT_SHARDING_TILED: how many shards there are along each of `rank` dimensions, which
   * are the tensor's; 1 or more each. */
  int32_t rank;
  int64_t shards[RELAYOUT_MAX_RANK];
  /* How many devices have the same shard: the product of these sizes, 1 or more each. */
  int32_t subgroup_count;
  relayout_subgroup subgroups[RELAYOUT_MAX_SUBGROUPS];
  int64_t subgroup_sizes[RELAYOUT_MAX_SUBGROUPS];

  /* Which device has which shard. Shards and their subgroups are counted in row-major order, the
   * subgroups last. */
  relayout_device_order order;

  /* 0, or rank: then blocks[d] >= 1 is the block size of dimension d. */
  int32_t block_count;
  int64_t blocks[RELAYOUT_MAX_RANK];
} relayout_sharding;

/* ---- Making shardings ----------------------------------------------------------------------- */

/* Parses a sharding as XLA prints it:
 *
 *     {replicated}   {maximal device=3}   {manual}   {unreduced}   {unknown}
 *     {devices=[2,2]<=[4]}                             2 by 2 shards, on devices 0, 1, 2 and 3
 *     {devices=[2,2]<=[2,2]T(1,0)}                     on devices 0, 2, 1 and 3
 *     {devices=[2,2]0,2,1,3}                           the same, listed
 *     {devices=[2,1,2]<=[4] last_tile_dim_replicate}   2 by 1 shards, each on two devices
 *     {devices=[2,1,2]<=[4] last_tile_dims={manual}}
 *     {mesh[x=2,y=4], [{x}, {y:(1)2}], replicated={y:(2)2}}
 *
 * and with one property of our own: block=[128,128], a block size for each dimension, which comes
 * last. Space between tokens is skipped. What says the same becomes the same value, as in XLA:
 * replicated devices of a shard are sorted by number, and subgroups of one device are dropped. A
 * mesh becomes the devices= that it stands for. RELAYOUT_INVALID_TEXT for text that is no sharding,
 * or not a valid one; RELAYOUT_UNSUPPORTED for what XLA has besides (shard_as, shard_like,
 * metadata, tuples), and for device orders that only a list of more than RELAYOUT_MAX_DEVICE_LIST
 * devices could say; RELAYOUT_SIZE_OVERFLOW for numbers beyond 64 bits and more than
 * RELAYOUT_MAX_DEVICES devices. `*sharding` changes on success only. */
RELAYOUT_API relayout_status relayout_sharding_parse(const char *text, relayout_sharding *sharding,
                                                     relayout_error *error);

/* Writes the sharding's text, as XLA prints it, and a NUL, cut to `size` bytes; `buffer` may be
 * NULL when that is 0. Returns the length of the whole text, without the NUL; 0 for an invalid
 * sharding. */
RELAYOUT_API size_t relayout_sharding_format(const relayout_sharding *sharding, char *buffer,
                                             size_t size);
enum { RELAYOUT_SHARDING_TEXT_SIZE = 16384 }; /* holds any */

/* Checks a sharding, whether it fits a shape, and that it names no device but 0 .. devices-1; the
 * shape may be NULL, and `devices` 0 for as many as the sharding likes. Tiled shardings have as
 * many dimensions as the shape, and no device twice. RELAYOUT_INVALID_ARGUMENT for a sharding that
 * breaks a rule by itself, the statuses of relayout_shape_validate, RELAYOUT_SHAPE_MISMATCH for
 * another number of dimensions, and RELAYOUT_OUT_OF_RANGE for a device that is not among them. */
RELAYOUT_API relayout_status relayout_sharding_validate(const relayout_sharding *sharding,
                                                        const relayout_shape *shape,
                                                        int64_t devices, relayout_error *error);

/* True if both are valid and of one kind, with the same shards, subgroups and block sizes, and have
 * the same devices in the same order, listed or not. */
RELAYOUT_API bool relayout_sharding_equal(const relayout_sharding *a, const relayout_sharding *b);

/* ---- Asking shardings ----------------------------------------------------------------------- */

/* How many devices a sharding has: of a tiled one the product of its shards and subgroups, of a
 * maximal one 1; 0 for the others, which have as many as there are, and for an invalid one. */
RELAYOUT_API int64_t relayout_sharding_device_count(const relayout_sharding *sharding);

/* The device of this number in the order of shards and subgroups, 0 .. device_count-1.
 * RELAYOUT_OUT_OF_RANGE. */
RELAYOUT_API relayout_status relayout_sharding_device(const relayout_sharding *sharding,
                                                      int64_t number, int64_t *device,
                                                      relayout_error *error);

/* The shard of a device as a box of the tensor: its first element and its sizes, in elements, by
 * logical dimension; and which of the devices with the same shard this one is, counted from 0. All
 * are 0 for a device that holds nothing of the tensor, and `*replica` is -1 then. Each result may
 * be NULL. RELAYOUT_UNSUPPORTED where nothing here knows what a device holds, and for shards of
 * more than one block, which relayout_sharding_visit_boxes shows; RELAYOUT_OUT_OF_RANGE for a
 * device below 0. */
RELAYOUT_API relayout_status relayout_sharding_box(const relayout_sharding *sharding,
                                                   const relayout_shape *shape, int64_t device,
                                                   int64_t *start, int64_t *sizes, int64_t *replica,
                                                   relayout_error *error);

/* A block of a shard: where it lies in the tensor, its sizes, and where it lies in the shard; in
 * elements, by logical dimension, valid during the visit. */
typedef void relayout_box_visitor(void *context, const int64_t *start, const int64_t *sizes,
                                  const int64_t *local_start);

/* Shows the blocks of a device's shard, in the row-major order of the shard; one without block
 * sizes is one block, and an empty one none. Statuses are those of relayout_sharding_box. */
RELAYOUT_API relayout_status relayout_sharding_visit_boxes(const relayout_sharding *sharding,
                                                           const relayout_shape *shape,
                                                           int64_t device,
                                                           relayout_box_visitor *visitor,
                                                           void *context, relayout_error *error);

/* The shape of a device's shard: the sizes that it has, and the tensor's element type and layout,
 * without padded dimensions. RELAYOUT_UNSUPPORTED for a shape with padded dimensions, as nothing
 * says which device has the padding; other statuses are those of relayout_sharding_box, but for
 * shards of more than one block, which have a shape. */
RELAYOUT_API relayout_status relayout_sharding_local_shape(const relayout_sharding *sharding,
                                                           const relayout_shape *shape,
                                                           int64_t device, relayout_shape *local,
                                                           relayout_error *error);

#ifdef __cplusplus
}
#endif

#endif
