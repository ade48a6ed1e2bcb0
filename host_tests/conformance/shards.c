/* shards.c: draws exchanges, and takes tensors apart element by element. */
#include "conformance/shards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/random.h"
#include "oracle/oracle.h"

/* ---- Drawing -------------------------------------------------------------------------------- */

/* Shards along some dimensions, replicas, blocks; device numbers in any order. */
int64_t shards_draw_sharding(uint64_t *random, int32_t rank, int64_t most,
                             relayout_sharding *made) {
  int64_t count = 1;
  *made = (relayout_sharding){.kind = RELAYOUT_SHARDING_TILED, .rank = rank};
  if (rank == 0 || random_below(random, 8) == 0) {
    const int64_t devices = 1 + random_below(random, most < 5 ? most : 5);
    made->kind =
        random_below(random, 2) == 0 ? RELAYOUT_SHARDING_REPLICATED : RELAYOUT_SHARDING_MAXIMAL;
    made->device = random_below(random, devices);
    return devices;
  }
  for (int32_t d = 0; d < rank; ++d) {
    const int64_t room = most / count;
    made->shards[d] = 1 + random_below(random, room < 4 ? room : 4);
    count *= made->shards[d];
    made->blocks[d] = 1 + random_below(random, 4);
  }
  made->block_count = random_below(random, 4) == 0 ? rank : 0;
  if (random_below(random, 2) == 0) {
    made->subgroup_count = 1;
    made->subgroup_sizes[0] = 1 + random_below(random, most / count);
    count *= made->subgroup_sizes[0];
  }
  for (int32_t i = 0; i < count; ++i) {
    const int32_t other = (int32_t)random_below(random, i + 1);
    made->order.list[i] = made->order.list[other];
    made->order.list[other] = i;
  }
  return count;
}

static void draw_layouts(uint64_t *random, relayout_element_type type, shards_case *made) {
  random_order(random, &made->from);
  made->to = made->from;
  random_order(random, &made->to);
  if (random_below(random, 2) == 0) {
    random_tiles(random, 2000, &made->from);
  }
  if (random_below(random, 2) == 0) {
    random_tiles(random, 2000, &made->to);
  }
  made->to.element_type =
      type == RELAYOUT_F32 && random_below(random, 2) == 0 ? RELAYOUT_BF16 : type;
  if (random_below(random, 4) == 0) {
    made->from.layout.element_size_in_bits = random_element_bits(random, type);
    random_packing_order(random, &made->from);
    made->to.layout.element_size_in_bits = random_element_bits(random, made->to.element_type);
    random_packing_order(random, &made->to);
  }
}

/* A type, an order, both or neither. */
static void draw_wire(uint64_t *random, shards_case *made) {
  relayout_shape order = made->from;
  const relayout_shape *const side = random_below(random, 2) == 0 ? &made->from : &made->to;
  size_t length = 0;
  order.layout = (relayout_layout){.rank = order.rank};
  random_order(random, &order);
  if (order.rank == 0 || random_below(random, 2) == 0) {
    length = (size_t)snprintf(made->wire, sizeof made->wire, "%s",
                              relayout_element_type_name(side->element_type));
  }
  if (length == 0 || (order.rank > 0 && random_below(random, 2) == 0)) {
    made->wire[length++] = '{';
    for (int32_t i = 0; i < order.rank; ++i) {
      length += (size_t)snprintf(made->wire + length, sizeof made->wire - length, "%s%d",
                                 i > 0 ? "," : "", (int)order.layout.minor_to_major[i]);
    }
    snprintf(made->wire + length, sizeof made->wire - length, "}");
  }
  made->options.wire = made->wire;
}

size_t shards_wire_bytes(const relayout_shape *from, const relayout_shape *to, const char *wire) {
  const size_t from_bytes = oracle_element_size(from->element_type);
  const size_t to_bytes = oracle_element_size(to->element_type);
  const char *const name = relayout_element_type_name(from->element_type);
  if (wire == NULL || wire[0] == '{') {
    return from_bytes < to_bytes ? from_bytes : to_bytes;
  }
  return strcspn(wire, "{") == strlen(name) && strncmp(wire, name, strlen(name)) == 0 ? from_bytes
                                                                                      : to_bytes;
}

void shards_draw(uint64_t *random, int64_t most_devices, int64_t most_first, shards_case *made) {
  *made = (shards_case){.options = RELAYOUT_EXCHANGE_OPTIONS_INIT};
  relayout_exchange_options *const options = &made->options;
  const relayout_element_type type =
      random_below(random, 2) == 0 ? random_element_type(random) : RELAYOUT_F32;
  random_dimensions(random, type, (int32_t)random_below(random, 4), 600, &made->from);
  draw_layouts(random, type, made);
  options->from_devices =
      shards_draw_sharding(random, made->from.rank, most_devices, &made->from_sharding);
  options->to_devices =
      shards_draw_sharding(random, made->from.rank, most_devices, &made->to_sharding);
  options->from_first_peer =
      random_below(random, 3) == 0 ? random_below(random, most_first + 1) : 0;
  options->to_first_peer = random_below(random, 3) == 0 ? random_below(random, most_first + 1) : 0;
  options->message_bytes = random_below(random, 2) == 0 ? 0 : 1 + (size_t)random_below(random, 500);
  for (int i = 0; i < SHARDS_MOST_PEERS; ++i) {
    made->nodes[i] = (int32_t)random_below(random, 4);
  }
  if (random_below(random, 2) == 0) {
    options->node_of = made->nodes;
    options->node_count = random_below(random, SHARDS_MOST_PEERS);
  }
  if (random_below(random, 2) == 0) {
    draw_wire(random, made);
  }
}

/* ---- Shards --------------------------------------------------------------------------------- */

bool shards_holds(const relayout_sharding *sharding, int64_t device, int64_t devices) {
  const int64_t count = relayout_sharding_device_count(sharding);
  bool holds = count == 0;
  for (int64_t i = 0; i < count && !holds; ++i) {
    int64_t holder = -1;
    relayout_sharding_device(sharding, i, &holder, NULL);
    holds = holder == device;
  }
  return holds && device >= 0 && device < devices;
}

typedef struct copying {
  const uint8_t *tensor;
  const relayout_shape *whole, *shard;
  uint8_t *part;
} copying;

/* A box of the dense tensor to its place in the dense shard, element by element. */
static void copy_box(void *context, const int64_t *start, const int64_t *sizes,
                     const int64_t *local_start) {
  const copying *const at = context;
  const int32_t rank = at->whole->rank;
  const size_t bytes = oracle_element_size(at->whole->element_type);
  int64_t count = 1;
  for (int32_t d = 0; d < rank; ++d) {
    count *= sizes[d];
  }
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, from = 0, to = 0, index[RELAYOUT_MAX_RANK] = {0};
    for (int32_t d = rank - 1; d >= 0; --d) {
      index[d] = rest % sizes[d];
      rest /= sizes[d];
    }
    for (int32_t d = 0; d < rank; ++d) {
      from = from * at->whole->dimensions[d] + start[d] + index[d];
      to = to * at->shard->dimensions[d] + local_start[d] + index[d];
    }
    memcpy(at->part + (size_t)to * bytes, at->tensor + (size_t)from * bytes, bytes);
  }
}

bool shards_make(const relayout_shape *whole, const relayout_sharding *sharding, int64_t device,
                 int64_t devices, shards_shard *made) {
  *made = (shards_shard){.bytes = 0};
  if (!shards_holds(sharding, device, devices)) {
    return true;
  }
  if (relayout_sharding_local_shape(sharding, whole, device, &made->shape, NULL) != RELAYOUT_OK) {
    return false;
  }
  made->bytes = oracle_byte_size(&made->shape);
  made->memory = malloc(made->bytes + 2 * (size_t)SHARDS_GUARD);
  if (made->memory != NULL) {
    memset(made->memory, SHARDS_POISON, made->bytes + 2 * (size_t)SHARDS_GUARD);
  }
  return made->memory != NULL;
}

uint8_t *shards_bytes(const shards_shard *of) {
  return of->memory != NULL ? of->memory + SHARDS_GUARD : NULL;
}

bool shards_fill(const oracle_options *options, const uint8_t *tensor, const relayout_shape *whole,
                 const relayout_sharding *sharding, int64_t device, const relayout_shape *shard,
                 uint8_t *memory) {
  relayout_shape dense;
  if (relayout_shape_make(whole->element_type, shard->rank, shard->dimensions, &dense, NULL) !=
      RELAYOUT_OK) {
    return false;
  }
  copying at = {tensor, whole, &dense, calloc(1, oracle_byte_size(&dense) + 1)};
  const bool is_done =
      at.part != NULL &&
      relayout_sharding_visit_boxes(sharding, whole, device, copy_box, &at, NULL) == RELAYOUT_OK;
  if (is_done) {
    const oracle_options unchanged = ORACLE_OPTIONS_INIT;
    oracle_relayout_with(options != NULL ? options : &unchanged, &dense, shard, at.part, memory);
  }
  free(at.part);
  return is_done;
}
