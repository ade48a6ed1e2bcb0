/* resharded.c: all devices of both sides in one process. */
#include "differential/resharded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/random.h"
#include "conformance/shards.h"

enum { MOST_DEVICES = 6 };

typedef struct reshard {
  const drawn_case *what;
  oracle_options options;
  relayout_sharding from_sharding, to_sharding;
  relayout_exchange_options exchange;
  unsigned char *tensor; /* row-major, of the source's type */
  shards_shard sources[MOST_DEVICES], destinations[MOST_DEVICES], wanted[MOST_DEVICES];
  relayout_exchange *exchanges[MOST_DEVICES];
} reshard;

/* What the device has of the tensor; values change where the shard is of another type. */
static bool fill_shard(const reshard *of, const relayout_sharding *sharding, int64_t device,
                       const oracle_options *options, shards_shard *filled) {
  return filled->memory == NULL || shards_fill(options, of->tensor, &of->what->from.shape, sharding,
                                               device, &filled->shape, shards_bytes(filled));
}

static bool take_apart(reshard *of, const unsigned char *source) {
  static const oracle_options unchanged = ORACLE_OPTIONS_INIT;
  const relayout_shape *const from = &of->what->from.shape, *const to = &of->what->to.shape;
  relayout_shape dense;
  bool is_done = relayout_shape_make(from->element_type, from->rank, from->dimensions, &dense,
                                     NULL) == RELAYOUT_OK;
  of->tensor = is_done ? malloc(oracle_byte_size(&dense) + 1) : NULL;
  is_done = of->tensor != NULL;
  if (is_done) {
    oracle_relayout(from, &dense, source, of->tensor);
  }
  for (int64_t i = 0; i < MOST_DEVICES && is_done; ++i) {
    is_done =
        shards_make(from, &of->from_sharding, i, of->exchange.from_devices, &of->sources[i]) &&
        shards_make(to, &of->to_sharding, i, of->exchange.to_devices, &of->destinations[i]) &&
        shards_make(to, &of->to_sharding, i, of->exchange.to_devices, &of->wanted[i]) &&
        fill_shard(of, &of->from_sharding, i, &unchanged, &of->sources[i]) &&
        fill_shard(of, &of->to_sharding, i, &of->options, &of->wanted[i]);
  }
  return is_done;
}

static relayout_status exchange(reshard *of, relayout_device *device, relayout_error *error) {
  const relayout_exchange *exchanges[MOST_DEVICES];
  const void *sources[MOST_DEVICES];
  void *destinations[MOST_DEVICES];
  for (int i = 0; i < MOST_DEVICES; ++i) {
    const relayout_status status = relayout_exchange_create(
        device, &of->what->from.shape, &of->from_sharding, &of->what->to.shape, &of->to_sharding, i,
        &of->exchange, &of->exchanges[i], error);
    if (status != RELAYOUT_OK) {
      return status;
    }
    exchanges[i] = of->exchanges[i];
    sources[i] = shards_bytes(&of->sources[i]);
    destinations[i] = shards_bytes(&of->destinations[i]);
  }
  return relayout_exchange_execute(MOST_DEVICES, exchanges, sources, destinations, error);
}

static resharded_outcome compare(const reshard *of, char *wrong) {
  for (int i = 0; i < MOST_DEVICES; ++i) {
    const shards_shard *const found = &of->destinations[i], *const wanted = &of->wanted[i];
    const size_t bytes = found->memory != NULL ? found->bytes + 2 * (size_t)SHARDS_GUARD : 0;
    for (size_t b = 0; b < bytes; ++b) {
      if (found->memory[b] != wanted->memory[b]) {
        snprintf(wrong, RESHARDED_TEXT_SIZE,
                 "byte %lld of device %d's shard of %zu is 0x%02x, not 0x%02x",
                 (long long)b - SHARDS_GUARD, i, found->bytes, found->memory[b], wanted->memory[b]);
        return RESHARDED_WRONG;
      }
    }
  }
  return RESHARDED_RIGHT;
}

/* The shardings are written down first: they are no part of the relayout. */
static resharded_outcome run(reshard *of, relayout_device *device, char *wrong) {
  relayout_error error;
  char from[256], to[256];
  relayout_sharding_format(&of->from_sharding, from, sizeof(from));
  relayout_sharding_format(&of->to_sharding, to, sizeof(to));
  const int length = snprintf(wrong, RESHARDED_TEXT_SIZE, "from %s to %s by %zu bytes: ", from, to,
                              of->exchange.message_bytes);
  const relayout_status status = exchange(of, device, &error);
  if (status == RELAYOUT_OK || status == RELAYOUT_UNSUPPORTED) {
    char difference[256] = "";
    const resharded_outcome found =
        status == RELAYOUT_OK ? compare(of, difference) : RESHARDED_RIGHT;
    snprintf(wrong + length, RESHARDED_TEXT_SIZE - (size_t)length, "%s", difference);
    return found;
  }
  snprintf(wrong + length, RESHARDED_TEXT_SIZE - (size_t)length, "%s", error.message);
  return status == RELAYOUT_OUT_OF_MEMORY ? RESHARDED_NO_MEMORY : RESHARDED_WRONG;
}

static void free_reshard(reshard *of) {
  for (int i = 0; i < MOST_DEVICES; ++i) {
    relayout_exchange_destroy(of->exchanges[i]);
    free(of->sources[i].memory);
    free(of->destinations[i].memory);
    free(of->wanted[i].memory);
  }
  free(of->tensor);
  free(of);
}

resharded_outcome resharded_try(relayout_device *device, const drawn_case *what, const trial *bytes,
                                const relayout_plan_options *options, char *wrong) {
  uint64_t random = what->shardings;
  const int32_t rank = what->from.shape.rank;
  reshard *const of = calloc(1, sizeof(*of));
  if (of == NULL) {
    return RESHARDED_NO_MEMORY;
  }
  of->what = what;
  of->options = bytes->asked->options;
  of->exchange = (relayout_exchange_options)RELAYOUT_EXCHANGE_OPTIONS_INIT;
  of->exchange.from_devices = shards_draw_sharding(&random, rank, MOST_DEVICES, &of->from_sharding);
  of->exchange.to_devices = shards_draw_sharding(&random, rank, MOST_DEVICES, &of->to_sharding);
  of->exchange.message_bytes =
      random_below(&random, 2) == 0 ? 0 : 1 + (size_t)random_below(&random, 500);
  of->exchange.plan = options;
  const resharded_outcome found =
      take_apart(of, bytes->source) ? run(of, device, wrong) : RESHARDED_NO_MEMORY;
  free_reshard(of);
  return found;
}
