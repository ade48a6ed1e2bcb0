/* test_parts.c: exchanges of a part of each side's tensor, of shards that lie in memory as a caller
 * says, and of messages whose type and order are asked for or chosen. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/random.h"
#include "conformance/shards.h"
#include "oracle/oracle.h"
#include "relayout/exchange.h"
#include "shape_of.h"
#include "sharding_of.h"

enum { MOST_PEERS = 12, MOST_ELEMENTS = 4096, GUARD = SHARDS_GUARD };

/* ---- Parts ---------------------------------------------------------------------------------- */

/* Elements are u16. A shard has gaps between the lines of its order. */
typedef struct side {
  relayout_shape shape;
  relayout_sharding sharding;
  int64_t devices;
  int64_t start[RELAYOUT_MAX_RANK];
  uint16_t tensor[MOST_ELEMENTS]; /* row-major */
  relayout_view views[MOST_PEERS];
  uint8_t *memory[MOST_PEERS]; /* NULL where a peer has no shard */
  size_t bytes[MOST_PEERS];    /* with guards */
} side;

typedef struct scene {
  int32_t rank;
  side from, to;
  int64_t sizes[RELAYOUT_MAX_RANK];
  relayout_exchange *exchanges[MOST_PEERS];
} scene;

static void draw_side(uint64_t *random, int32_t rank, side *made) {
  int64_t dimensions[RELAYOUT_MAX_RANK];
  for (int32_t d = 0; d < rank; ++d) {
    dimensions[d] = 1 + random_below(random, 14);
  }
  assert_int_equal(relayout_shape_make(RELAYOUT_U16, rank, dimensions, &made->shape, NULL),
                   RELAYOUT_OK);
  random_order(random, &made->shape);
  made->devices = shards_draw_sharding(random, rank, MOST_PEERS, &made->sharding);
  for (int64_t i = 0; i < relayout_shape_element_count(&made->shape); ++i) {
    made->tensor[i] = (uint16_t)(random_below(random, 0xffff));
  }
}

/* The shard's view, in memory that is full of poison. */
static void make_shard(uint64_t *random, side *of, int64_t device) {
  relayout_view *const view = &of->views[device];
  relayout_shape local;
  int64_t bytes = 2;
  if (!shards_holds(&of->sharding, device, of->devices)) {
    return;
  }
  assert_int_equal(relayout_sharding_local_shape(&of->sharding, &of->shape, device, &local, NULL),
                   RELAYOUT_OK);
  *view = (relayout_view){.is_strided = true, .byte_offset = GUARD};
  relayout_shape_make(RELAYOUT_U16, local.rank, local.dimensions, &view->shape, NULL);
  for (int32_t i = 0; i < local.rank; ++i) {
    const int32_t d = local.layout.minor_to_major[i];
    view->byte_strides[d] = bytes;
    bytes *= local.dimensions[d] + random_below(random, 3);
  }
  of->bytes[device] = (size_t)bytes + 2 * (size_t)GUARD;
  of->memory[device] = malloc(of->bytes[device]);
  memset(of->memory[device], SHARDS_POISON, of->bytes[device]);
}

/* Puts a device's part of a tensor into memory that lies as its view says. */
static void fill_shard(const side *of, const uint16_t *tensor, int64_t device, uint8_t *memory) {
  const relayout_view *const view = &of->views[device];
  static uint16_t local[MOST_ELEMENTS];
  relayout_shape dense;
  assert_int_equal(
      relayout_shape_make(RELAYOUT_U16, view->shape.rank, view->shape.dimensions, &dense, NULL),
      RELAYOUT_OK);
  assert_true(shards_fill(NULL, (const uint8_t *)tensor, &of->shape, &of->sharding, device, &dense,
                          (uint8_t *)local));
  for (int64_t i = 0; i < relayout_shape_element_count(&dense); ++i) {
    int64_t rest = i, place = view->byte_offset;
    for (int32_t d = dense.rank - 1; d >= 0; --d) {
      place += rest % dense.dimensions[d] * view->byte_strides[d];
      rest /= dense.dimensions[d];
    }
    memcpy(memory + place, &local[i], sizeof local[i]);
  }
}

static void draw_part(uint64_t *random, scene *of) {
  for (int32_t d = 0; d < of->rank; ++d) {
    const int64_t from = of->from.shape.dimensions[d], to = of->to.shape.dimensions[d];
    of->sizes[d] = random_below(random, (from < to ? from : to) + 1);
    of->from.start[d] = random_below(random, from - of->sizes[d] + 1);
    of->to.start[d] = random_below(random, to - of->sizes[d] + 1);
  }
}

/* The destination's tensor at the end: poison, and the part of the source's. */
static void put_part(const scene *of, uint16_t *tensor) {
  int64_t count = 1;
  memset(tensor, SHARDS_POISON, MOST_ELEMENTS * sizeof *tensor);
  for (int32_t d = 0; d < of->rank; ++d) {
    count *= of->sizes[d];
  }
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, from = 0, to = 0, index[RELAYOUT_MAX_RANK];
    for (int32_t d = of->rank - 1; d >= 0; --d) {
      index[d] = rest % of->sizes[d];
      rest /= of->sizes[d];
    }
    for (int32_t d = 0; d < of->rank; ++d) {
      from = from * of->from.shape.dimensions[d] + of->from.start[d] + index[d];
      to = to * of->to.shape.dimensions[d] + of->to.start[d] + index[d];
    }
    tensor[to] = of->from.tensor[from];
  }
}

static void make_exchanges(uint64_t *random, relayout_device *device, scene *of) {
  relayout_exchange_options options = RELAYOUT_EXCHANGE_OPTIONS_INIT;
  options.from_devices = of->from.devices;
  options.to_devices = of->to.devices;
  options.from_start = of->from.start;
  options.to_start = of->to.start;
  options.sizes = of->sizes;
  options.message_bytes = random_below(random, 2) == 0 ? 0 : 1 + (size_t)random_below(random, 99);
  for (int64_t p = 0; p < MOST_PEERS; ++p) {
    relayout_error error;
    options.from_shard = of->from.memory[p] != NULL ? &of->from.views[p] : NULL;
    options.to_shard = of->to.memory[p] != NULL ? &of->to.views[p] : NULL;
    if (relayout_exchange_create(device, &of->from.shape, &of->from.sharding, &of->to.shape,
                                 &of->to.sharding, p, &options, &of->exchanges[p],
                                 &error) != RELAYOUT_OK) {
      fail_msg("%s", error.message);
    }
  }
}

static void execute(const scene *of) {
  const relayout_exchange *exchanges[MOST_PEERS];
  const void *sources[MOST_PEERS];
  void *destinations[MOST_PEERS];
  relayout_error error;
  for (int64_t p = 0; p < MOST_PEERS; ++p) {
    exchanges[p] = of->exchanges[p];
    sources[p] = of->from.memory[p];
    destinations[p] = of->to.memory[p];
  }
  if (relayout_exchange_execute(MOST_PEERS, exchanges, sources, destinations, &error) !=
      RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
}

static void try_part(relayout_device *device, uint64_t seed) {
  uint64_t random = seed;
  static uint16_t expected[MOST_ELEMENTS];
  scene *const of = calloc(1, sizeof *of);
  of->rank = (int32_t)random_below(&random, 4);
  draw_side(&random, of->rank, &of->from);
  draw_side(&random, of->rank, &of->to);
  draw_part(&random, of);
  put_part(of, expected);
  for (int64_t p = 0; p < MOST_PEERS; ++p) {
    make_shard(&random, &of->from, p);
    make_shard(&random, &of->to, p);
    if (of->from.memory[p] != NULL) {
      fill_shard(&of->from, of->from.tensor, p, of->from.memory[p]);
    }
  }
  make_exchanges(&random, device, of);
  execute(of);
  for (int64_t p = 0; p < MOST_PEERS; ++p) {
    if (of->to.memory[p] != NULL) {
      uint8_t *const wanted = malloc(of->to.bytes[p]);
      memset(wanted, SHARDS_POISON, of->to.bytes[p]);
      fill_shard(&of->to, expected, p, wanted);
      assert_memory_equal(of->to.memory[p], wanted, of->to.bytes[p]);
      free(wanted);
    }
    free(of->from.memory[p]);
    free(of->to.memory[p]);
    relayout_exchange_destroy(of->exchanges[p]);
  }
  free(of);
}

static void test_parts_at_random(void **state) {
  (void)state;
  enum { ROUNDS = 600 };
  relayout_device *device = NULL;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  for (uint64_t seed = 1; seed <= ROUNDS; ++seed) {
    print_message("seed %d\n", (int)seed);
    try_part(device, seed);
  }
  relayout_device_destroy(device);
}

/* ---- Wires ---------------------------------------------------------------------------------- */

static relayout_status make(const char *from, const char *from_sharding, const char *to,
                            const char *to_sharding, const relayout_exchange_options *options,
                            relayout_exchange **made, relayout_error *error) {
  const relayout_shape from_shape = shape_of(from), to_shape = shape_of(to);
  const relayout_sharding a = sharding_of(from_sharding), b = sharding_of(to_sharding);
  return relayout_exchange_create(NULL, &from_shape, &a, &to_shape, &b, 0, options, made, error);
}

/* Where a side's messages lie in its shard as they are, that side's order; where the work would be
 * the same, the destination's. */
static void test_wires(void **state) {
  (void)state;
  static const struct {
    const char *from, *from_sharding, *to, *to_sharding, *asked, *wire;
  } cases[] = {
      {"f32[8,8]", "{devices=[2,1]<=[2]}", "f32[8,8]{0,1}", "{devices=[1,2]<=[2]}", NULL,
       "f32{0,1}"},
      {"f32[8,8]", "{devices=[2,1]<=[2]}", "f32[8,8]{0,1}", "{devices=[1,2]<=[2]}", "{1,0}",
       "f32{1,0}"},
      /* Rows come to one peer: it transposes them, or the four others do, a quarter each. */
      {"f32[8,8]", "{devices=[4,1]<=[4]}", "f32[8,8]{0,1}", "{maximal device=0}", NULL, "f32{0,1}"},
      /* One has all: it copies runs, or sends as it is, and the four others transpose. */
      {"f32[8,8]", "{maximal device=0}", "f32[8,8]{0,1}", "{devices=[1,4]<=[4]}", NULL, "f32{1,0}"},
      {"f32[8,8]", "{maximal device=0}", "f32[8,8]{0,1}", "{devices=[4,1]<=[4]}", NULL, "f32{1,0}"},
      {"f32[8,8]", "{devices=[2,1]<=[2]}", "f32[8,8]{0,1}", "{devices=[2,1]<=[2]}", NULL,
       "f32{0,1}"},
      {"f32[8,8]", "{devices=[2,1]<=[2]}", "bf16[8,8]", "{devices=[1,2]<=[2]}", NULL, "bf16{1,0}"},
      {"bf16[8,8]", "{devices=[2,1]<=[2]}", "f32[8,8]", "{devices=[1,2]<=[2]}", NULL, "bf16{1,0}"},
      {"bf16[8,8]", "{devices=[2,1]<=[2]}", "f32[8,8]", "{devices=[1,2]<=[2]}", "f32", "f32{1,0}"},
      {"s8[8,8]", "{devices=[2,1]<=[2]}", "u8[8,8]", "{devices=[1,2]<=[2]}", "", "u8{1,0}"},
      {"s8[8,8]", "{devices=[2,1]<=[2]}", "u8[8,8]", "{devices=[1,2]<=[2]}", "s8{0,1}", "s8{0,1}"},
      {"u8[]", "{maximal device=0}", "u8[]", "{maximal device=1}", NULL, "u8"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_exchange_options options = RELAYOUT_EXCHANGE_OPTIONS_INIT;
    relayout_exchange *made = NULL;
    relayout_error error;
    char wire[32];
    options.wire = cases[i].asked;
    print_message("case %zu\n", i);
    assert_int_equal(make(cases[i].from, cases[i].from_sharding, cases[i].to, cases[i].to_sharding,
                          &options, &made, &error),
                     RELAYOUT_OK);
    assert_int_equal(relayout_exchange_get_wire(made, wire, sizeof wire), strlen(cases[i].wire));
    assert_string_equal(wire, cases[i].wire);
    assert_int_equal(relayout_exchange_get_wire(made, wire, 3), strlen(cases[i].wire));
    assert_int_equal(strlen(wire), 2);
    assert_int_equal(relayout_exchange_get_wire(made, NULL, 0), strlen(cases[i].wire));
    relayout_exchange_destroy(made);
  }
  assert_int_equal(relayout_exchange_get_wire(NULL, NULL, 0), 0);
}

/* ---- Refusals ------------------------------------------------------------------------------- */

static void test_refusals(void **state) {
  (void)state;
  static const int64_t none[2] = {0, 0}, one[2] = {1, 1}, four[2] = {4, 4};
  const relayout_view other = {.shape = shape_of("f32[2,5]")},
                      typed = {.shape = shape_of("u8[2,4]")};
  const relayout_view broken = {.shape = {.element_type = RELAYOUT_F32, .rank = -1}};
  const struct {
    relayout_exchange_options options;
    relayout_status status;
    const char *message;
  } cases[] = {
      {{.from_start = none, .sizes = one},
       RELAYOUT_INVALID_ARGUMENT,
       "options->to_start is NULL; expected all of from_start, to_start and sizes, or none"},
      {{.from_start = one, .to_start = none, .sizes = four},
       RELAYOUT_OUT_OF_RANGE,
       "options->from_start[0] is 1 and options->sizes[0] is 4, beyond a dimension of size 4"},
      {{.from_start = none, .to_start = four, .sizes = one},
       RELAYOUT_OUT_OF_RANGE,
       "options->to_start[0] is 4 and options->sizes[0] is 1, beyond a dimension of size 4"},
      {{.from_shard = &other},
       RELAYOUT_SHAPE_MISMATCH,
       "options->from_shard is f32[2,5]{1,0}; expected the dimensions and the type of "
       "f32[2,4]{1,0}"},
      {{.to_shard = &typed},
       RELAYOUT_SHAPE_MISMATCH,
       "options->to_shard is u8[2,4]{1,0}; expected the dimensions and the type of f32[4,2]{1,0}"},
      {{.to_shard = &broken}, RELAYOUT_INVALID_SHAPE, NULL},
      {{.wire = "u8"},
       RELAYOUT_UNSUPPORTED,
       "options->wire is of u8, but values are rounded once: expected the type of `from` or of "
       "`to`"},
      {{.wire = "f33"}, RELAYOUT_INVALID_TEXT, NULL},
      {{.wire = "a_type_of_many_letters"},
       RELAYOUT_INVALID_TEXT,
       "options->wire: `a_type_of_many_letters` is no element type"},
      {{.wire = "{0}"}, RELAYOUT_INVALID_SHAPE, NULL},
      {{.wire = "{1,0:T(2,2)}"},
       RELAYOUT_UNSUPPORTED,
       "options->wire is of layout {1,0:T(2,2)}, but messages are dense: expected an order alone"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_exchange_options options = cases[i].options;
    relayout_exchange *made = NULL;
    relayout_error error;
    options.struct_size = sizeof options;
    print_message("case %zu\n", i);
    assert_int_equal(make("f32[4,4]", "{devices=[2,1]<=[2]}", "f32[4,4]", "{devices=[1,2]<=[2]}",
                          &options, &made, &error),
                     cases[i].status);
    if (cases[i].message != NULL) {
      assert_string_equal(error.message, cases[i].message);
    }
    assert_memory_equal(error.message, "options->", strlen("options->"));
    assert_null(made);
  }
  relayout_exchange *made = NULL;
  assert_int_equal(
      make("f32[4]", "{maximal device=0}", "f32[4,1]", "{maximal device=0}", NULL, &made, NULL),
      RELAYOUT_SHAPE_MISMATCH);
}

static uint64_t print_of(const relayout_exchange_options *options) {
  relayout_exchange *made = NULL;
  assert_int_equal(make("f32[4,4]", "{devices=[2,1]<=[2]}", "f32[4,4]", "{devices=[1,2]<=[2]}",
                        options, &made, NULL),
                   RELAYOUT_OK);
  const uint64_t print = relayout_exchange_fingerprint(made);
  relayout_exchange_destroy(made);
  return print;
}

/* How a peer's own shard lies does not count; which part is moved, and by what, does. */
static void test_fingerprints(void **state) {
  (void)state;
  static const int64_t none[2] = {0, 0}, one[2] = {1, 1}, two[2] = {2, 2}, four[2] = {4, 4};
  const relayout_view gaps = {
      .shape = shape_of("f32[2,4]"), .is_strided = true, .byte_strides = {64, 4}};
  relayout_exchange_options options[7];
  for (int i = 0; i < 7; ++i) {
    options[i] = (relayout_exchange_options)RELAYOUT_EXCHANGE_OPTIONS_INIT;
    options[i].from_start = options[i].to_start = none;
    options[i].sizes = i < 3 ? four : two;
  }
  options[1].from_shard = &gaps;
  options[2].wire = "f32{0,1}";
  options[4].from_start = one;
  options[5].to_start = one;
  options[6].sizes = one;
  assert_true(print_of(&options[0]) == print_of(NULL));
  assert_true(print_of(&options[1]) == print_of(NULL));
  for (int i = 2; i < 7; ++i) {
    for (int other = 0; other < i; other += other == 0 ? 2 : 1) {
      assert_true(print_of(&options[i]) != print_of(&options[other]));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parts_at_random),
      cmocka_unit_test(test_wires),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_fingerprints),
  };
  return cmocka_run_group_tests_name("exchange.parts", tests, NULL, NULL);
}
