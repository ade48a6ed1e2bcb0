/* test_exchange.c: all peers of an exchange in one process: what they hold in the end is what one
 * relayout of each shard makes, every message has a sender and a receiver who agree on it, and what
 * is sent is what has to be. */
#include "cmocka_all.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/random.h"
#include "conformance/shards.h"
#include "oracle/oracle.h"
#include "relayout/exchange.h"
#include "shape_of.h"
#include "sharding_of.h"

enum { MOST_PEERS = SHARDS_MOST_PEERS };

/* ---- A tensor on devices -------------------------------------------------------------------- */

typedef struct scene {
  relayout_device *device;
  relayout_shape from, to;
  relayout_sharding from_sharding, to_sharding;
  relayout_exchange_options options;
  int64_t peers;
  uint8_t *dense; /* the tensor, row-major, of the source's type */
  shards_shard sources[MOST_PEERS], destinations[MOST_PEERS], wanted[MOST_PEERS];
  relayout_exchange *exchanges[MOST_PEERS];
} scene;

static relayout_shape dense_of(const relayout_shape *shape) {
  relayout_shape made;
  assert_int_equal(
      relayout_shape_make(shape->element_type, shape->rank, shape->dimensions, &made, NULL),
      RELAYOUT_OK);
  return made;
}

static shards_shard make_shard(const relayout_sharding *sharding, const relayout_shape *shape,
                               int64_t device, int64_t devices) {
  shards_shard made;
  relayout_shape local;
  if (device >= 0 && device < devices) {
    assert_int_equal(relayout_sharding_local_shape(sharding, shape, device, &local, NULL),
                     RELAYOUT_OK);
  }
  assert_true(shards_make(shape, sharding, device, devices, &made));
  return made;
}

/* With its part of the tensor, of any layout and type. */
static void fill_shard(const scene *of, const relayout_sharding *sharding, int64_t device,
                       shards_shard *filled) {
  assert_true(shards_fill(NULL, of->dense, &of->from, sharding, device, &filled->shape,
                          shards_bytes(filled)));
}

/* ---- All peers ------------------------------------------------------------------------------ */

static void set_up_scene(scene *of, uint64_t seed) {
  const relayout_shape dense = dense_of(&of->from);
  const size_t bytes = oracle_byte_size(&dense);
  uint64_t random = seed;
  assert_in_range(bytes, 0, SHARDS_MOST_BYTES);
  of->dense = malloc(bytes + 1);
  for (size_t i = 0; i < bytes; ++i) {
    of->dense[i] = random_element_byte(&random, of->from.element_type);
  }
  const int64_t from_devices = of->options.from_devices, to_devices = of->options.to_devices;
  for (int64_t p = 0; p < of->peers; ++p) {
    const int64_t from = p - of->options.from_first_peer, to = p - of->options.to_first_peer;
    of->sources[p] = make_shard(&of->from_sharding, &of->from, from, from_devices);
    of->destinations[p] = make_shard(&of->to_sharding, &of->to, to, to_devices);
    of->wanted[p] = make_shard(&of->to_sharding, &of->to, to, to_devices);
    if (of->sources[p].memory != NULL) {
      fill_shard(of, &of->from_sharding, from, &of->sources[p]);
    }
    if (of->wanted[p].memory != NULL) {
      fill_shard(of, &of->to_sharding, to, &of->wanted[p]);
    }
  }
}

static void tear_down_scene(scene *of) {
  for (int64_t p = 0; p < of->peers; ++p) {
    relayout_exchange_destroy(of->exchanges[p]);
    free(of->sources[p].memory);
    free(of->destinations[p].memory);
    free(of->wanted[p].memory);
  }
  free(of->dense);
}

/* The message that the other peer knows by the same name. */
static relayout_exchange_message
find_received(const scene *of, const relayout_exchange_message *sent, int64_t sender) {
  const relayout_exchange *const other = of->exchanges[sent->peer];
  relayout_exchange_message found = {.number = -1};
  for (int64_t i = 0; i < relayout_exchange_message_count(other); ++i) {
    relayout_exchange_message message;
    assert_int_equal(relayout_exchange_get_message(other, i, &message, NULL), RELAYOUT_OK);
    if (!message.is_sent && message.peer == sender && message.tag == sent->tag) {
      assert_int_equal(found.number, -1);
      found = message;
    }
  }
  assert_true(found.number >= 0);
  return found;
}

/* Where an index of dimension d is in the shard that has it: as in a hand of cards. */
static int64_t place_in_shard(const relayout_sharding *sharding, const relayout_shape *shape,
                              int32_t d, int64_t index) {
  if (sharding->kind != RELAYOUT_SHARDING_TILED) {
    return index;
  }
  const int64_t hands = sharding->shards[d];
  const int64_t block =
      sharding->block_count > 0 ? sharding->blocks[d] : (shape->dimensions[d] + hands - 1) / hands;
  return index / block / hands * block + index % block;
}

static void expect_places(const scene *of, const relayout_exchange_message *message) {
  const int32_t rank = of->from.rank;
  for (int64_t i = 0; i < message->box_count * rank; ++i) {
    const int32_t d = (int32_t)(i % rank);
    const int64_t index = message->start[i];
    assert_int_equal(message->from_start[i],
                     place_in_shard(&of->from_sharding, &of->from, d, index));
    assert_int_equal(message->to_start[i], place_in_shard(&of->to_sharding, &of->to, d, index));
  }
}

/* A message that is said to lie in a shard, in one run or several, does. */
static void expect_place(const relayout_exchange_message *message, const shards_shard *of,
                         const uint8_t *wire) {
  if (message->place >= 0) {
    assert_true((uint64_t)message->place + message->bytes <= of->bytes);
    assert_memory_equal(shards_bytes(of) + message->place, wire, message->bytes);
    assert_int_equal(message->run_place, message->place);
    assert_int_equal(message->run_count, 1);
  }
  if (message->run_place >= 0) {
    assert_int_equal(message->run_bytes * (size_t)message->run_count, message->bytes);
  }
  for (int64_t i = 0; message->run_place >= 0 && i < message->run_count; ++i) {
    const int64_t at = message->run_place + i * message->run_stride;
    assert_in_range(at, 0, of->bytes - message->run_bytes);
    assert_memory_equal(shards_bytes(of) + at, wire + (size_t)i * message->run_bytes,
                        message->run_bytes);
  }
}

/* Packs, hands over and unpacks all that a peer sends; the bytes of it. */
static uint64_t send_all(scene *of, int64_t peer, int64_t *messages) {
  uint64_t sent = 0;
  relayout_error error;
  for (int64_t i = 0; i < relayout_exchange_message_count(of->exchanges[peer]); ++i) {
    relayout_exchange_message message;
    assert_int_equal(relayout_exchange_get_message(of->exchanges[peer], i, &message, NULL),
                     RELAYOUT_OK);
    if (!message.is_sent) {
      continue;
    }
    const relayout_exchange_message other = find_received(of, &message, peer);
    assert_int_equal(message.bytes, other.bytes);
    const size_t numbers = (size_t)(message.box_count * of->from.rank) * sizeof(int64_t);
    assert_int_equal(message.box_count, other.box_count);
    assert_memory_equal(message.start, other.start, numbers);
    assert_memory_equal(message.sizes, other.sizes, numbers);
    expect_places(of, &message);
    expect_places(of, &other);
    uint8_t *const memory = malloc(message.bytes + 2), *const wire = memory + 1;
    wire[message.bytes] = SHARDS_POISON;
    if (relayout_exchange_pack(of->exchanges[peer], i, shards_bytes(&of->sources[peer]), wire,
                               &error) != RELAYOUT_OK ||
        relayout_exchange_unpack(of->exchanges[message.peer], other.number, wire,
                                 shards_bytes(&of->destinations[message.peer]),
                                 &error) != RELAYOUT_OK) {
      fail_msg("%s", error.message);
    }
    assert_int_equal(wire[message.bytes], SHARDS_POISON);
    expect_place(&message, &of->sources[peer], wire);
    expect_place(&other, &of->destinations[message.peer], wire);
    free(memory);
    sent += message.bytes;
    ++*messages;
  }
  return sent;
}

static bool make_exchanges(scene *of, relayout_error *error) {
  for (int64_t p = 0; p < of->peers; ++p) {
    const relayout_status status =
        relayout_exchange_create(of->device, &of->from, &of->from_sharding, &of->to,
                                 &of->to_sharding, p, &of->options, &of->exchanges[p], error);
    if (status != RELAYOUT_OK) {
      print_message("%s\n", error->message);
      assert_int_equal(status, RELAYOUT_UNSUPPORTED);
      return false;
    }
    assert_true(relayout_exchange_fingerprint(of->exchanges[p]) ==
                relayout_exchange_fingerprint(of->exchanges[0]));
  }
  return true;
}

/* Every peer's volume is what its messages hold, and all of them receive what they lack. */
static void check_volumes(scene *of) {
  const size_t bytes = shards_wire_bytes(&of->from, &of->to, of->options.wire);
  int64_t messages = 0, received_messages = 0;
  uint64_t all_sent = 0, all_received = 0;
  for (int64_t p = 0; p < of->peers; ++p) {
    relayout_exchange_volume volume;
    assert_int_equal(relayout_exchange_get_volume(of->exchanges[0], p, &volume, NULL), RELAYOUT_OK);
    assert_int_equal(send_all(of, p, &messages), volume.sent);
    const uint64_t wanted =
        of->destinations[p].memory != NULL
            ? (uint64_t)relayout_shape_element_count(&of->destinations[p].shape) * bytes
            : 0;
    assert_int_equal(volume.received + volume.kept, wanted);
    all_sent += volume.sent;
    all_received += volume.received;
    for (int64_t i = 0; i < relayout_exchange_message_count(of->exchanges[p]); ++i) {
      relayout_exchange_message message;
      relayout_exchange_get_message(of->exchanges[p], i, &message, NULL);
      received_messages += !message.is_sent;
    }
  }
  assert_int_equal(all_sent, all_received);
  for (int64_t p = relayout_exchange_peer_count(of->exchanges[0]); p < of->peers; ++p) {
    assert_false(of->sources[p].memory != NULL || of->destinations[p].memory != NULL);
  }
  assert_int_equal(messages, received_messages);
}

static void execute(scene *of) {
  const relayout_exchange *exchanges[MOST_PEERS];
  const void *sources[MOST_PEERS];
  void *destinations[MOST_PEERS];
  relayout_error error;
  for (int64_t p = 0; p < of->peers; ++p) {
    exchanges[p] = of->exchanges[p];
    sources[p] = shards_bytes(&of->sources[p]);
    destinations[p] = shards_bytes(&of->destinations[p]);
  }
  if (relayout_exchange_execute(of->peers, exchanges, sources, destinations, &error) !=
      RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
}

static void expect_wanted(const scene *of) {
  for (int64_t p = 0; p < of->peers; ++p) {
    if (of->wanted[p].memory != NULL) {
      assert_memory_equal(of->destinations[p].memory, of->wanted[p].memory,
                          of->wanted[p].bytes + 2 * SHARDS_GUARD);
    }
  }
}

/* Message by message, and then all at once. */
static bool check_scene(scene *of, uint64_t seed) {
  relayout_error error;
  set_up_scene(of, seed);
  const bool is_made = make_exchanges(of, &error);
  if (is_made) {
    check_volumes(of);
    for (int64_t p = 0; p < of->peers; ++p) {
      if (relayout_exchange_keep(of->exchanges[p], shards_bytes(&of->sources[p]),
                                 shards_bytes(&of->destinations[p]), &error) != RELAYOUT_OK) {
        fail_msg("%s", error.message);
      }
    }
    expect_wanted(of);
    for (int64_t p = 0; p < of->peers; ++p) {
      if (of->destinations[p].memory != NULL) {
        memset(shards_bytes(&of->destinations[p]), SHARDS_POISON, of->destinations[p].bytes);
      }
    }
    execute(of);
    expect_wanted(of);
  }
  tear_down_scene(of);
  return is_made;
}

/* ---- By hand -------------------------------------------------------------------------------- */

static void test_by_hand(void **state) {
  (void)state;
  static const struct {
    const char *from, *from_sharding, *to, *to_sharding;
    int64_t from_devices, to_devices, to_first_peer;
  } cases[] = {
      {"f32[16,12]", "{devices=[4,1]<=[4]}", "f32[16,12]", "{devices=[1,4]<=[4]}", 4, 4, 0},
      {"f32[16,12]", "{devices=[4,1]<=[4]}", "bf16[16,12]{1,0:T(8,8)(2,1)}", "{devices=[1,2]<=[2]}",
       4, 2, 4},
      {"bf16[20,30]{1,0:T(8,16)(2,1)}", "{devices=[3,2]<=[6]}", "bf16[20,30]{0,1:T(4,4)}",
       "{devices=[2,2]<=[2,2]T(1,0)}", 6, 4, 1},
      {"s8[7,5,3]", "{devices=[2,1,1,2]<=[4] last_tile_dim_replicate}", "f32[7,5,3]{0,1,2}",
       "{devices=[1,5,1]<=[5]}", 4, 5, 0},
      {"f32[40,6]", "{devices=[2,2]<=[4] block=[3,2]}", "f32[40,6]{0,1}",
       "{devices=[3,1]<=[3] block=[5,6]}", 4, 3, 0},
      {"u16[9]", "{maximal device=2}", "u16[9]", "{replicated}", 3, 5, 0},
      {"u16[9]", "{replicated}", "u16[9]", "{maximal device=2}", 5, 3, 0},
      {"f64[]", "{maximal device=0}", "f32[]", "{replicated}", 1, 3, 1},
      {"f32[0,4]", "{devices=[2,1]<=[2]}", "f32[0,4]", "{devices=[1,2]<=[2]}", 2, 2, 0},
      {"s8[9,6]", "{devices=[2,1]<=[2]}", "s8[9,6]{0,1:E(16)}", "{devices=[1,2]<=[2]}", 2, 2, 0},
      {"s8[9,6]{0,1:E(32)}", "{devices=[2,1]<=[2]}", "s8[9,6]{0,1:E(16)}", "{devices=[1,2]<=[2]}",
       2, 2, 0},
      {"u8[9]", "{devices=[2]<=[2]}", "u8[9]{0:L(32)}", "{devices=[3]<=[3]}", 2, 3, 1},
      {"s4[8,6]", "{devices=[2,1]<=[2]}", "s4[8,6]{1,0:E(4)}", "{devices=[2,1]<=[2]}", 2, 2, 1},
  };
  scene of = {.options = RELAYOUT_EXCHANGE_OPTIONS_INIT};
  assert_int_equal(relayout_device_open("cpu", &of.device, NULL), RELAYOUT_OK);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("%s %s to %s %s\n", cases[i].from, cases[i].from_sharding, cases[i].to,
                  cases[i].to_sharding);
    of.from = shape_of(cases[i].from);
    of.to = shape_of(cases[i].to);
    of.from_sharding = sharding_of(cases[i].from_sharding);
    of.to_sharding = sharding_of(cases[i].to_sharding);
    of.options.from_devices = cases[i].from_devices;
    of.options.to_devices = cases[i].to_devices;
    of.options.to_first_peer = cases[i].to_first_peer;
    of.peers = 12;
    const size_t sizes[] = {0, 1, 4, 13, 40, 121, SIZE_MAX};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
      of.options.message_bytes = sizes[s];
      memset(of.exchanges, 0, sizeof of.exchanges);
      assert_true(check_scene(&of, i));
    }
  }
  relayout_device_destroy(of.device);
}

/* ---- At random ------------------------------------------------------------------------------ */

static bool try_random(relayout_device *device, uint64_t seed) {
  uint64_t random = seed;
  scene *const of = calloc(1, sizeof *of);
  shards_case drawn;
  shards_draw(&random, 12, 11, &drawn);
  of->device = device;
  of->from = drawn.from;
  of->to = drawn.to;
  of->from_sharding = drawn.from_sharding;
  of->to_sharding = drawn.to_sharding;
  of->options = drawn.options;
  of->peers = MOST_PEERS;
  const bool is_made = check_scene(of, seed);
  free(of);
  return is_made;
}

static void test_at_random(void **state) {
  (void)state;
  enum { ROUNDS = 600 };
  relayout_device *device = NULL;
  int made = 0;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  for (uint64_t seed = 1; seed <= ROUNDS; ++seed) {
    print_message("seed %d\n", (int)seed);
    made += try_random(device, seed);
  }
  print_message("%d of %d\n", made, ROUNDS);
  assert_in_range(made, ROUNDS / 2, ROUNDS);
  relayout_device_destroy(device);
}

/* ---- Who sends to whom ---------------------------------------------------------------------- */

static relayout_exchange *exchange_of(const char *from, const char *from_sharding, const char *to,
                                      const char *to_sharding, int64_t self,
                                      const relayout_exchange_options *options) {
  const relayout_shape from_shape = shape_of(from), to_shape = shape_of(to);
  const relayout_sharding a = sharding_of(from_sharding), b = sharding_of(to_sharding);
  relayout_exchange *made = NULL;
  relayout_error error = {.message = ""};
  if (relayout_exchange_create(NULL, &from_shape, &a, &to_shape, &b, self, options, &made,
                               &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  return made;
}

typedef struct expected_message {
  bool is_sent;
  int64_t peer;
  int32_t tag;
  size_t bytes;
  int64_t start[2], sizes[2];
} expected_message;

static void expect_messages(const relayout_exchange *exchange, int64_t count,
                            const expected_message *expected) {
  assert_int_equal(relayout_exchange_message_count(exchange), count);
  for (int64_t i = 0; i < count; ++i) {
    relayout_exchange_message found;
    assert_int_equal(relayout_exchange_get_message(exchange, i, &found, NULL), RELAYOUT_OK);
    assert_int_equal(found.number, i);
    assert_int_equal(found.is_sent, expected[i].is_sent);
    assert_int_equal(found.peer, expected[i].peer);
    assert_int_equal(found.tag, expected[i].tag);
    assert_int_equal(found.bytes, expected[i].bytes);
    assert_memory_equal(found.start, expected[i].start, sizeof expected[i].start);
    assert_memory_equal(found.sizes, expected[i].sizes, sizeof expected[i].sizes);
  }
}

/* Four peers have two rows each of f32[8,4], and get a column each of bf16. Peer 1 sends to 2, 3
 * and 0, and receives from 0, 3 and 2. */
static void test_turns(void **state) {
  (void)state;
  const expected_message whole[] = {
      {true, 2, 0, 4, {2, 2}, {2, 1}},  {true, 3, 0, 4, {2, 3}, {2, 1}},
      {true, 0, 0, 4, {2, 0}, {2, 1}},  {false, 0, 0, 4, {0, 1}, {2, 1}},
      {false, 3, 0, 4, {6, 1}, {2, 1}}, {false, 2, 0, 4, {4, 1}, {2, 1}},
  };
  relayout_exchange *exchange =
      exchange_of("f32[8,4]", "{devices=[4,1]<=[4]}", "bf16[8,4]", "{devices=[1,4]<=[4]}", 1, NULL);
  expect_messages(exchange, 6, whole);
  relayout_exchange_volume volume;
  assert_int_equal(relayout_exchange_get_volume(exchange, 1, &volume, NULL), RELAYOUT_OK);
  assert_int_equal(volume.sent, 12);
  assert_int_equal(volume.received, 12);
  assert_int_equal(volume.kept, 4);
  assert_int_equal(relayout_exchange_get_volume(exchange, 7, &volume, NULL), RELAYOUT_OK);
  assert_int_equal(volume.sent + volume.received + volume.kept, 0);
  relayout_exchange_destroy(exchange);

  /* One element a message, in the order of the source, whose rows lie there as they are. */
  relayout_exchange_options options = RELAYOUT_EXCHANGE_OPTIONS_INIT;
  options.message_bytes = 5;
  options.to_first_peer = 4;
  const expected_message cut[] = {
      {true, 4, 0, 4, {0, 0}, {1, 1}},
      {true, 4, 1, 4, {0, 1}, {1, 1}},
      {true, 4, 2, 4, {1, 0}, {1, 1}},
      {true, 4, 3, 4, {1, 1}, {1, 1}},
  };
  exchange = exchange_of("f32[4,2]", "{devices=[2,1]<=[2]}", "f32[4,2]{0,1}", "{maximal device=0}",
                         0, &options);
  expect_messages(exchange, 4, cut);
  relayout_exchange_destroy(exchange);
}

/* Of four holders each sends to one of four receivers; to those on its node if there are any. */
/* Peer 0 has the blocks 0 1, 4 5 and 8 9 of twelve numbers, peer 1 the others; the destination's
 * are of three: 0 1 2 and 6 7 8 of peer 0, 3 4 5 and 9 10 11 of peer 1. */
static void test_several_boxes(void **state) {
  (void)state;
  static const struct {
    size_t message_bytes;
    int64_t messages, boxes, bytes, starts[2], from_starts[2], to_starts[2], sizes[2];
  } cases[] = {
      {0, 2, 2, 3, {4, 9}, {2, 5}, {1, 3}, {2, 1}},
      {2, 4, 1, 2, {4}, {2}, {1}, {2}},
      {1, 6, 1, 1, {4}, {2}, {1}, {1}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_exchange_options options = RELAYOUT_EXCHANGE_OPTIONS_INIT;
    options.message_bytes = cases[i].message_bytes;
    relayout_exchange *const exchange =
        exchange_of("u8[12]", "{devices=[2]<=[2] block=[2]}", "u8[12]",
                    "{devices=[2]<=[2] block=[3]}", 0, &options);
    relayout_exchange_message message;
    assert_int_equal(relayout_exchange_message_count(exchange), cases[i].messages);
    assert_int_equal(relayout_exchange_get_message(exchange, 0, &message, NULL), RELAYOUT_OK);
    assert_true(message.is_sent);
    assert_int_equal(message.box_count, cases[i].boxes);
    assert_int_equal(message.bytes, cases[i].bytes);
    const size_t numbers = (size_t)message.box_count * sizeof(int64_t);
    assert_memory_equal(message.start, cases[i].starts, numbers);
    assert_memory_equal(message.sizes, cases[i].sizes, numbers);
    assert_memory_equal(message.from_start, cases[i].from_starts, numbers);
    assert_memory_equal(message.to_start, cases[i].to_starts, numbers);
    assert_int_equal(message.place, message.box_count == 1 ? message.from_start[0] : -1);
    relayout_exchange_destroy(exchange);
  }
}

/* Blocks 1, 4 and 7 of three go from peer 1 to peer 4, where they lie behind each other too: one
 * box, which is sent and received where it is. */
static void test_joined_blocks(void **state) {
  (void)state;
  relayout_exchange_options options = RELAYOUT_EXCHANGE_OPTIONS_INIT;
  options.to_first_peer = 3;
  const expected_message joined[] = {{true, 4, 0, 18, {3, 0}, {9, 2}}};
  relayout_exchange *const exchange =
      exchange_of("u8[27,2]", "{devices=[3,1]<=[3] block=[3,2]}", "u8[27,2]",
                  "{devices=[3,1]<=[3] block=[3,1]}", 1, &options);
  relayout_exchange_message message;
  expect_messages(exchange, 1, joined);
  assert_int_equal(relayout_exchange_get_message(exchange, 0, &message, NULL), RELAYOUT_OK);
  assert_int_equal(message.box_count, 1);
  assert_int_equal(message.from_start[0], 0);
  assert_int_equal(message.to_start[0], 0);
  assert_int_equal(message.place, 0);
  relayout_exchange_destroy(exchange);
}

/* Boxes of many small blocks follow each other along the destination's minor dimension, of 16 of
 * the other one at a time. */
static void test_order_of_boxes(void **state) {
  (void)state;
  relayout_exchange_options options = RELAYOUT_EXCHANGE_OPTIONS_INIT;
  options.to_first_peer = 2;
  relayout_exchange *const exchange =
      exchange_of("u8[8,40]{0,1}", "{devices=[2,1]<=[2] block=[2,40]}", "u8[8,40]{0,1}",
                  "{maximal device=0}", 0, &options);
  static const int64_t starts[] = {0, 0, 4, 0, 0, 16, 4, 16, 0, 32, 4, 32};
  static const int64_t sizes[] = {2, 16, 2, 16, 2, 16, 2, 16, 2, 8, 2, 8};
  relayout_exchange_message message;
  assert_int_equal(relayout_exchange_message_count(exchange), 1);
  assert_int_equal(relayout_exchange_get_message(exchange, 0, &message, NULL), RELAYOUT_OK);
  assert_int_equal(message.box_count, 6);
  assert_memory_equal(message.start, starts, sizeof starts);
  assert_memory_equal(message.sizes, sizes, sizeof sizes);
  relayout_exchange_destroy(exchange);
}

/* Of four rows two columns are sent, which are one piece where columns are; rows of whole columns
 * are one piece where they are received. Not if values change on that side. */
static void test_places(void **state) {
  (void)state;
  static const struct {
    const char *from, *to;
    double scale;
    int64_t sent_place, received_place;
  } cases[] = {
      {"f32[8,4]", "f32[8,4]", 1, -1, 32},
      {"f32[8,4]{0,1}", "f32[8,4]{0,1}", 1, 32, -1},
      {"f32[8,4]", "f32[8,4]", 2, -1, 32},
      {"f32[8,4]{0,1}", "f32[8,4]{0,1}", 2, -1, -1},
      {"f32[8,4]{0,1}", "f64[8,4]{0,1}", 1, 32, -1},
      {"f64[8,4]{0,1}", "f32[8,4]", 1, -1, 32},
      {"f32[8,4]{0,1}", "f32[8,4]{1,0:T(2,2)}", 1, 32, -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_plan_options plan = RELAYOUT_PLAN_OPTIONS_INIT;
    relayout_exchange_options options = RELAYOUT_EXCHANGE_OPTIONS_INIT;
    plan.scale = cases[i].scale;
    options.plan = &plan;
    relayout_exchange *const exchange = exchange_of(
        cases[i].from, "{devices=[2,1]<=[2]}", cases[i].to, "{devices=[1,2]<=[2]}", 0, &options);
    relayout_exchange_message message;
    assert_int_equal(relayout_exchange_message_count(exchange), 2);
    assert_int_equal(relayout_exchange_get_message(exchange, 0, &message, NULL), RELAYOUT_OK);
    assert_int_equal(message.place, cases[i].sent_place);
    assert_int_equal(relayout_exchange_get_message(exchange, 1, &message, NULL), RELAYOUT_OK);
    assert_int_equal(message.place, cases[i].received_place);
    assert_int_equal(relayout_exchange_peer_count(exchange), 2);
    relayout_exchange_destroy(exchange);
  }
  assert_int_equal(relayout_exchange_peer_count(NULL), 0);
}

/* Peer 0 sends the last two of its four columns, of four rows: as rows they are four runs, and as
 * columns one. Of three dimensions runs are as far apart, or none. */
static void test_runs(void **state) {
  (void)state;
  static const struct {
    const char *from, *from_sharding, *to_sharding;
    int64_t place, bytes, count, stride;
  } cases[] = {
      {"f32[8,4]", "{devices=[2,1]<=[2]}", "{devices=[1,2]<=[2]}", 8, 8, 4, 16},
      {"f32[8,4]{0,1}", "{devices=[2,1]<=[2]}", "{devices=[1,2]<=[2]}", 32, 32, 1, 0},
      {"u8[4,6,8]", "{devices=[2,1,1]<=[2]}", "{devices=[1,1,2]<=[2]}", 4, 4, 12, 8},
      {"u8[4,6,8]", "{devices=[2,1,1]<=[2]}", "{devices=[1,2,1]<=[2]}", 24, 24, 2, 48},
      {"u8[4,6,8]", "{devices=[2,1,1]<=[2]}", "{devices=[1,2,2]<=[4]}", -1, 0, 0, 0},
      {"f32[8,4]{1,0:T(2,2)}", "{devices=[2,1]<=[2]}", "{devices=[1,2]<=[2]}", -1, 0, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_exchange *const exchange = exchange_of(cases[i].from, cases[i].from_sharding,
                                                    cases[i].from, cases[i].to_sharding, 0, NULL);
    relayout_exchange_message message;
    print_message("case %zu\n", i);
    assert_int_equal(relayout_exchange_get_message(exchange, 0, &message, NULL), RELAYOUT_OK);
    assert_true(message.is_sent);
    assert_int_equal(message.run_place, cases[i].place);
    assert_int_equal(message.run_bytes, cases[i].bytes);
    assert_int_equal(message.run_count, cases[i].count);
    assert_int_equal(message.run_stride, cases[i].stride);
    relayout_exchange_destroy(exchange);
  }
}

static void test_holders_take_turns(void **state) {
  (void)state;
  static const int32_t nodes[] = {0, 0, 1, 1, 1, 1, 0, 0};
  int32_t given[8];
  relayout_exchange_options options = RELAYOUT_EXCHANGE_OPTIONS_INIT;
  options.from_devices = 4;
  options.to_devices = 4;
  options.to_first_peer = 4;
  for (int near = 0; near < 2; ++near) {
    options.node_of = near ? given : NULL;
    options.node_count = near ? 8 : 0;
    for (int64_t p = 0; p < 8; ++p) {
      memcpy(given, nodes, sizeof given);
      relayout_exchange *const exchange =
          exchange_of("u8[10]", "{replicated}", "u8[10]", "{replicated}", p, &options);
      memset(given, 0, sizeof given); /* the exchange has its own */
      relayout_exchange_volume volume;
      relayout_exchange_get_volume(exchange, 7 - p, &volume, NULL);
      assert_int_equal(volume.sent, p < 4 ? 0 : 10);
      relayout_exchange_message found;
      assert_int_equal(relayout_exchange_message_count(exchange), 1);
      relayout_exchange_get_message(exchange, 0, &found, NULL);
      assert_int_equal(found.is_sent, p < 4);
      if (near) {
        assert_int_equal(nodes[found.peer], nodes[p]);
      } else {
        assert_int_equal(found.peer, (p + 4) % 8);
      }
      relayout_exchange_destroy(exchange);
    }
  }

  /* Who has it already gets it from itself. */
  options.to_first_peer = 0;
  relayout_exchange *const exchange =
      exchange_of("u8[10]", "{replicated}", "u8[10]", "{replicated}", 3, &options);
  relayout_exchange_volume volume;
  assert_int_equal(relayout_exchange_message_count(exchange), 0);
  relayout_exchange_get_volume(exchange, 3, &volume, NULL);
  assert_int_equal(volume.kept, 10);
  relayout_exchange_destroy(exchange);
}

/* As much is sent by each as is received, where all have as much: 64 shards of 16 replicas become 8
 * of 128. A thousand devices, each of which meets all others, are planned in a moment. */
static void test_large(void **state) {
  (void)state;
  relayout_exchange *exchange = exchange_of(
      "f32[16384,16384]", "{devices=[64,1,16]<=[1024] last_tile_dim_replicate}", "f32[16384,16384]",
      "{devices=[1,8,128]<=[1024] last_tile_dim_replicate}", 5, NULL);
  for (int64_t p = 0; p < 1024; ++p) {
    relayout_exchange_volume volume;
    relayout_exchange_get_volume(exchange, p, &volume, NULL);
    assert_int_equal(volume.sent, volume.received);
    assert_int_equal(volume.received + volume.kept, 16384 * 2048 * sizeof(float));
  }
  relayout_exchange_destroy(exchange);
  /* So they do where some of the holders want something themselves, which they have. */
  exchange = exchange_of("f32[8192,8192]", "{devices=[8,1,128]<=[1024] last_tile_dim_replicate}",
                         "f32[8192,8192]",
                         "{devices=[1,64,16]<=[16,64]T(1,0) last_tile_dim_replicate}", 5, NULL);
  for (int64_t p = 0; p < 1024; ++p) {
    relayout_exchange_volume volume;
    relayout_exchange_get_volume(exchange, p, &volume, NULL);
    assert_int_equal(volume.sent, 7 * 1024 * 128 * sizeof(float));
    assert_int_equal(volume.received, volume.sent);
  }
  relayout_exchange_destroy(exchange);
  exchange = exchange_of("bf16[4096,4096]", "{devices=[4096,1]<=[4096]}", "bf16[4096,4096]",
                         "{devices=[1,4096]<=[64,64]T(1,0)}", 77, NULL);
  assert_int_equal(relayout_exchange_message_count(exchange), 2 * 4095);
  relayout_exchange_destroy(exchange);
}

/* ---- Threads -------------------------------------------------------------------------------- */

enum { THREADS = 4, ROWS = 64, COLUMNS = 48 };

typedef struct packing {
  const relayout_exchange *exchange;
  const uint8_t *source;
  uint8_t messages[2][ROWS * COLUMNS];
} packing;

static void *pack_all(void *argument) {
  packing *const at = argument;
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 2; ++i) {
      assert_int_equal(relayout_exchange_pack(at->exchange, i, at->source, at->messages[i], NULL),
                       RELAYOUT_OK);
    }
  }
  return NULL;
}

/* Many pack of one exchange at once, whose device is gone. */
static void test_many_threads(void **state) {
  (void)state;
  const relayout_shape from = shape_of("u8[192,48]"), to = shape_of("u8[192,48]{0,1}");
  const relayout_sharding rows = sharding_of("{devices=[3,1]<=[3]}");
  const relayout_sharding columns = sharding_of("{devices=[1,3]<=[3]}");
  relayout_device *device = NULL;
  relayout_exchange *exchange = NULL;
  static uint8_t source[ROWS * COLUMNS];
  static packing packings[THREADS];
  pthread_t threads[THREADS];
  for (int i = 0; i < ROWS * COLUMNS; ++i) {
    source[i] = (uint8_t)(i * 7 + i / 256);
  }
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  assert_int_equal(
      relayout_exchange_create(device, &from, &rows, &to, &columns, 0, NULL, &exchange, NULL),
      RELAYOUT_OK);
  relayout_device_destroy(device);
  for (int t = 0; t < THREADS; ++t) {
    packings[t].exchange = exchange;
    packings[t].source = source;
    assert_int_equal(pthread_create(&threads[t], NULL, pack_all, &packings[t]), 0);
  }
  for (int t = 0; t < THREADS; ++t) {
    assert_int_equal(pthread_join(threads[t], NULL), 0);
    for (int at = 0; at < 2 * 16 * ROWS; ++at) { /* columns of peer 1 and 2, one by one */
      const int peer = 1 + at / (16 * ROWS), x = at / ROWS % 16, y = at % ROWS;
      assert_int_equal(packings[t].messages[peer - 1][x * ROWS + y],
                       source[y * COLUMNS + 16 * peer + x]);
    }
  }
  relayout_exchange_destroy(exchange);
}

/* ---- Fingerprints, refusals ----------------------------------------------------------------- */

static uint64_t print_of(const char *from, const char *from_sharding, const char *to,
                         const char *to_sharding, int64_t self,
                         const relayout_exchange_options *options) {
  relayout_exchange *const exchange =
      exchange_of(from, from_sharding, to, to_sharding, self, options);
  const uint64_t print = relayout_exchange_fingerprint(exchange);
  relayout_exchange_destroy(exchange);
  return print;
}

static void test_fingerprints(void **state) {
  (void)state;
  static const char rows[] = "{devices=[2,1]<=[2]}", columns[] = "{devices=[1,2]<=[2]}";
  static const int32_t nodes[] = {0, 1};
  relayout_plan_options scaled = RELAYOUT_PLAN_OPTIONS_INIT;
  scaled.scale = 0.5;
  relayout_plan_options measured = RELAYOUT_PLAN_OPTIONS_INIT;
  measured.effort = RELAYOUT_PLAN_MEASURE;
  relayout_exchange_options options[6];
  for (int i = 0; i < 6; ++i) {
    options[i] = (relayout_exchange_options)RELAYOUT_EXCHANGE_OPTIONS_INIT;
  }
  options[1].message_bytes = 100;
  options[2].to_first_peer = 2;
  options[3].node_of = nodes;
  options[3].node_count = 2;
  options[4].plan = &scaled;
  options[5].plan = &measured;
  const uint64_t print = print_of("f32[4,4]", rows, "f32[4,4]", columns, 0, &options[0]);
  assert_true(print != 0);
  assert_true(print ==
              print_of("f32[4,4]{1,0}", rows, "f32[4,4]", "{devices=[1, 2]<=[2]}", 1, NULL));
  assert_true(print == print_of("f32[4,4]", rows, "f32[4,4]", columns, 0, &options[5]));
  for (int i = 1; i < 5; ++i) {
    assert_true(print != print_of("f32[4,4]", rows, "f32[4,4]", columns, 0, &options[i]));
  }
  assert_true(print != print_of("f32[4,4]", columns, "f32[4,4]", rows, 0, NULL));
  assert_true(print != print_of("f32[4,4]", rows, "f32[4,4]{0,1}", columns, 0, NULL));
  assert_true(print != print_of("f32[4,4]", rows, "s32[4,4]", columns, 0, NULL));
  assert_true(relayout_exchange_fingerprint(NULL) == 0);
}

static void test_refusals(void **state) {
  (void)state;
  static const struct {
    const char *from, *from_sharding, *to, *to_sharding;
    int64_t self;
    relayout_exchange_options options;
    relayout_status status;
    const char *message;
  } cases[] = {
      {"f32[4]", "{devices=[2]<=[2]}", "f32[5]", "{devices=[2]<=[2]}", 0,
       RELAYOUT_EXCHANGE_OPTIONS_INIT, RELAYOUT_SHAPE_MISMATCH,
       "`from` and `to` differ in dimensions"},
      {"f32[4]", "{devices=[2,1]<=[2]}", "f32[4]", "{devices=[2]<=[2]}", 0,
       RELAYOUT_EXCHANGE_OPTIONS_INIT, RELAYOUT_SHAPE_MISMATCH,
       "from_sharding: it has shards along 2 dimensions, but the shape has 1"},
      {"f32[4]", "{devices=[2]<=[2]}", "f32[4]", "{manual}", 0, RELAYOUT_EXCHANGE_OPTIONS_INIT,
       RELAYOUT_UNSUPPORTED, "to_sharding: it is {manual}, which does not say what device 0 holds"},
      {"f32[4]{0:PD(5)}", "{devices=[2]<=[2]}", "f32[4]", "{devices=[2]<=[2]}", 0,
       RELAYOUT_EXCHANGE_OPTIONS_INIT, RELAYOUT_UNSUPPORTED,
       "from_shape: dimension 0 is padded to 5, and no device has the padding of a sharded "
       "tensor"},
      {"f32[4]", "{devices=[2]<=[2]}", "f32[4]", "{replicated}", 0, RELAYOUT_EXCHANGE_OPTIONS_INIT,
       RELAYOUT_INVALID_ARGUMENT,
       "options->to_devices is 0, but {replicated} is for any number of devices"},
      {"f32[4]", "{devices=[2]<=[2]}", "f32[4]", "{devices=[2]<=[2]}", -1,
       RELAYOUT_EXCHANGE_OPTIONS_INIT, RELAYOUT_INVALID_ARGUMENT, "self is -1; expected 0 or more"},
      {"f32[4]",
       "{devices=[2]<=[2]}",
       "f32[4]",
       "{devices=[2]<=[2]}",
       0,
       {.struct_size = sizeof(relayout_exchange_options), .from_devices = 1},
       RELAYOUT_OUT_OF_RANGE,
       "from_sharding: it names device 1, but there are 1 devices"},
      {"f32[4]",
       "{devices=[2]<=[2]}",
       "f32[4]",
       "{devices=[2]<=[2]}",
       0,
       {.struct_size = sizeof(relayout_exchange_options), .to_first_peer = -3},
       RELAYOUT_INVALID_ARGUMENT,
       "options->to_first_peer is -3; expected 0 to 2147483647"},
      {"f32[4]",
       "{devices=[2]<=[2]}",
       "f32[4]",
       "{devices=[2]<=[2]}",
       0,
       {.struct_size = sizeof(relayout_exchange_options), .node_count = 2},
       RELAYOUT_INVALID_ARGUMENT,
       "options->node_count is 2, and node_of is NULL"},
      {"u8[1048576]",
       "{devices=[2]<=[2]}",
       "u8[1048576]",
       "{devices=[2]1,0}",
       0,
       {.struct_size = sizeof(relayout_exchange_options), .message_bytes = 1},
       RELAYOUT_INVALID_ARGUMENT,
       "options->message_bytes is 1; with that there are more than 262144 boxes"},
      {"s4[6,6]", "{devices=[1,2]<=[2]}", "s4[6,6]{1,0:E(4)}", "{devices=[2,1]<=[2]}", 1,
       RELAYOUT_EXCHANGE_OPTIONS_INIT, RELAYOUT_UNSUPPORTED,
       "to_shape: its elements are packed, and a box of 3 of the 6 along dimension 1, from 0 on, "
       "would share a byte with another"},
      {"f32[4]",
       "{devices=[2]<=[2]}",
       "f32[4]",
       "{devices=[2]<=[2]}",
       0,
       {.struct_size = 3},
       RELAYOUT_INVALID_ARGUMENT,
       NULL},
  };
  relayout_device *device = NULL;
  relayout_error error;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const relayout_shape from = shape_of(cases[i].from), to = shape_of(cases[i].to);
    const relayout_sharding a = sharding_of(cases[i].from_sharding);
    const relayout_sharding b = sharding_of(cases[i].to_sharding);
    relayout_exchange *made = NULL;
    print_message("case %zu\n", i);
    assert_int_equal(relayout_exchange_create(device, &from, &a, &to, &b, cases[i].self,
                                              &cases[i].options, &made, &error),
                     cases[i].status);
    if (cases[i].message != NULL) {
      assert_string_equal(error.message, cases[i].message);
    }
    assert_null(made);
  }
  relayout_device_destroy(device);
}

/* What needs a device, and messages that there are not. */
static void test_what_cannot_move(void **state) {
  (void)state;
  uint8_t bytes[16] = {0};
  relayout_error error;
  relayout_exchange_message message;
  relayout_exchange_volume volume;
  relayout_exchange *const exchange =
      exchange_of("u8[4,4]", "{devices=[2,1]<=[2]}", "u8[4,4]", "{devices=[1,2]<=[2]}", 0, NULL);
  assert_int_equal(relayout_exchange_message_count(exchange), 2);
  assert_int_equal(relayout_exchange_pack(exchange, 0, bytes, bytes, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "exchange was made without a device");
  assert_int_equal(relayout_exchange_keep(exchange, bytes, bytes, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_exchange_pack(exchange, 1, bytes, bytes, &error),
                   RELAYOUT_OUT_OF_RANGE);
  assert_string_equal(error.message, "number is 1, which is a message that is received");
  assert_int_equal(relayout_exchange_unpack(exchange, 0, bytes, bytes, &error),
                   RELAYOUT_OUT_OF_RANGE);
  assert_int_equal(relayout_exchange_get_message(exchange, 2, &message, &error),
                   RELAYOUT_OUT_OF_RANGE);
  assert_string_equal(error.message, "number is 2, out of range for an exchange of 2 messages");
  assert_int_equal(relayout_exchange_get_message(exchange, 0, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_exchange_get_volume(exchange, 0, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  const relayout_exchange *lone[] = {exchange, NULL};
  const void *sources[] = {bytes, bytes};
  void *destinations[] = {bytes, bytes};
  assert_int_equal(relayout_exchange_execute(1, lone, sources, destinations, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "exchanges[0] was made without a device");
  assert_int_equal(relayout_exchange_execute(1, lone + 1, sources, destinations, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "exchanges[0] is NULL");
  assert_int_equal(relayout_exchange_execute(0, lone, sources, destinations, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_exchange_execute(-1, lone, sources, destinations, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_exchange_execute(1, NULL, sources, destinations, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_exchange_execute(1, lone, NULL, destinations, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_exchange_execute(1, lone, sources, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  relayout_exchange_destroy(exchange);
  assert_int_equal(relayout_exchange_message_count(NULL), 0);
  assert_int_equal(relayout_exchange_get_volume(NULL, 0, &volume, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_exchange_pack(NULL, 0, bytes, bytes, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_exchange_unpack(NULL, 0, bytes, bytes, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_exchange_keep(NULL, bytes, bytes, NULL), RELAYOUT_INVALID_ARGUMENT);
  relayout_exchange_destroy(NULL);
  assert_int_equal(relayout_exchange_create(NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
}

/* Exchanges that do not go together. */
static void test_not_all_peers(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("u8[4,4]");
  const relayout_sharding rows = sharding_of("{devices=[2,1]<=[2]}");
  const relayout_sharding columns = sharding_of("{devices=[1,2]<=[2]}");
  relayout_device *device = NULL;
  relayout_exchange *made[3] = {NULL};
  relayout_error error;
  uint8_t bytes[2][8] = {{0}};
  const void *const sources[] = {bytes[0], bytes[0]};
  void *const destinations[] = {bytes[1], bytes[1]};
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  for (int i = 0; i < 3; ++i) {
    assert_int_equal(relayout_exchange_create(device, &shape, i < 2 ? &rows : &columns, &shape,
                                              &columns, i % 2, NULL, &made[i], NULL),
                     RELAYOUT_OK);
  }
  const relayout_exchange *const turned[] = {made[1], made[0]}, *const mixed[] = {made[2], made[1]};
  assert_int_equal(relayout_exchange_execute(2, turned, sources, destinations, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "exchanges[0] is that of peer 1");
  assert_int_equal(relayout_exchange_execute(2, mixed, sources, destinations, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "exchanges[1] is that of peer 1, with other arguments than "
                                     "exchanges[0]");
  const relayout_exchange *const lone[] = {made[0]};
  assert_int_equal(relayout_exchange_execute(1, lone, sources, destinations, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "count is 1, but peer 1 takes part");
  for (int i = 0; i < 3; ++i) {
    relayout_exchange_destroy(made[i]);
  }
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_not_all_peers),
      cmocka_unit_test(test_by_hand),
      cmocka_unit_test(test_at_random),
      cmocka_unit_test(test_turns),
      cmocka_unit_test(test_places),
      cmocka_unit_test(test_runs),
      cmocka_unit_test(test_several_boxes),
      cmocka_unit_test(test_joined_blocks),
      cmocka_unit_test(test_order_of_boxes),
      cmocka_unit_test(test_holders_take_turns),
      cmocka_unit_test(test_large),
      cmocka_unit_test(test_many_threads),
      cmocka_unit_test(test_fingerprints),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_what_cannot_move),
  };
  return cmocka_run_group_tests_name("exchange.exchange", tests, NULL, NULL);
}
