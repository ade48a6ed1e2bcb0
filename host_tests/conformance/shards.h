/* shards.h: exchanges drawn from a seed, and what a device's shard holds by the definition. Depends
 * on the public headers, the oracle and random.h. */
#ifndef CONFORMANCE_SHARDS_H
#define CONFORMANCE_SHARDS_H

#include <stdbool.h>
#include <stdint.h>

#include "oracle/oracle.h"
#include "relayout/exchange.h"

enum {
  SHARDS_MOST_PEERS = 24,
  SHARDS_MOST_BYTES = 1 << 16,
  SHARDS_GUARD = 64,
  SHARDS_POISON = 0xa5
};

typedef struct shards_case {
  relayout_shape from, to;
  relayout_sharding from_sharding, to_sharding;
  relayout_exchange_options options; /* which point into this */
  int32_t nodes[SHARDS_MOST_PEERS];
  char wire[64];
} shards_case;

/* Bytes of an element of the case's messages: of the type that it asks for, or else of the side
 * with fewer. */
size_t shards_wire_bytes(const relayout_shape *from, const relayout_shape *to, const char *wire);

/* An exchange of small tensors between at most SHARDS_MOST_PEERS peers, of which no side has more
 * than `most_devices` devices, and no first peer is above `most_first`. */
void shards_draw(uint64_t *random, int64_t most_devices, int64_t most_first, shards_case *made);

/* Draws a sharding for a tensor of this rank; returns how many devices it is for, up to `most`. */
int64_t shards_draw_sharding(uint64_t *random, int32_t rank, int64_t most, relayout_sharding *made);

/* Whether device `device` of `devices` has a shard; an empty shard counts. */
bool shards_holds(const relayout_sharding *sharding, int64_t device, int64_t devices);

/* A shard in memory: SHARDS_GUARD bytes, `bytes` bytes of the shard, SHARDS_GUARD bytes. */
typedef struct shards_shard {
  relayout_shape shape;
  size_t bytes;
  uint8_t *memory; /* NULL where the device has no shard; the caller frees it */
} shards_shard;

/* Makes a device's shard, full of SHARDS_POISON, guards too. False without memory. */
bool shards_make(const relayout_shape *whole, const relayout_sharding *sharding, int64_t device,
                 int64_t devices, shards_shard *made);

/* The shard's first byte; NULL where the device has none. */
uint8_t *shards_bytes(const shards_shard *of);

/* Fills `memory`, a shard of this shape, with a device's part of a tensor, which is row-major and
 * of the element type of `whole`; padding as its relayout would leave it. Values change as the
 * options say, which may be NULL. False without memory. */
bool shards_fill(const oracle_options *options, const uint8_t *tensor, const relayout_shape *whole,
                 const relayout_sharding *sharding, int64_t device, const relayout_shape *shard,
                 uint8_t *memory);

#endif
