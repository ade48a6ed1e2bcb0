/* test_sharding.c: which device holds what, by dealing out every element; and which shardings are
 * refused. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relayout/sharding.h"
#include "shape_of.h"
#include "sharding_of.h"

/* ---- By hand -------------------------------------------------------------------------------- */

typedef struct held {
  const char *shape, *sharding;
  int64_t device;
  const char *box; /* "start,start size,size replica" */
} held;

static const held boxes[] = {
    {"f32[8,6]", "{devices=[2,2]<=[4]}", 0, "0,0 4,3 0"},
    {"f32[8,6]", "{devices=[2,2]<=[4]}", 1, "0,3 4,3 0"},
    {"f32[8,6]", "{devices=[2,2]<=[4]}", 2, "4,0 4,3 0"},
    {"f32[8,6]", "{devices=[2,2]<=[4]}", 4, "0,0 0,0 -1"},
    {"f32[8,6]", "{devices=[2,2]<=[2,2]T(1,0)}", 1, "4,0 4,3 0"},
    {"f32[8,6]", "{devices=[2,2]7,5,3,1}", 3, "4,0 4,3 0"},
    {"f32[8,6]", "{devices=[2,2]7,5,3,1}", 0, "0,0 0,0 -1"},
    /* The last shards have fewer elements, or none. */
    {"f32[7]", "{devices=[4]<=[4]}", 2, "4 2 0"},
    {"f32[7]", "{devices=[4]<=[4]}", 3, "6 1 0"},
    {"f32[5]", "{devices=[4]<=[4]}", 2, "4 1 0"},
    {"f32[5]", "{devices=[4]<=[4]}", 3, "5 0 0"},
    {"f32[1]", "{devices=[4]<=[4]}", 3, "1 0 0"},
    {"f32[0]", "{devices=[4]<=[4]}", 3, "0 0 0"},
    /* Replicas. */
    {"f32[8,6]", "{devices=[2,1,3]<=[6] last_tile_dim_replicate}", 4, "4,0 4,6 1"},
    {"f32[8,6]", "{replicated}", 5, "0,0 8,6 5"},
    {"f32[8,6]", "{maximal device=3}", 3, "0,0 8,6 0"},
    {"f32[8,6]", "{maximal device=3}", 2, "0,0 0,0 -1"},
    {"f32[]", "{replicated}", 2, "  2"},
    {"f32[]", "{maximal device=1}", 2, "  -1"},
    /* One block each. */
    {"f32[8]", "{devices=[4]<=[4] block=[3]}", 1, "3 3 0"},
    {"f32[8]", "{devices=[4]<=[4] block=[3]}", 2, "6 2 0"},
    {"f32[8]", "{devices=[4]<=[4] block=[3]}", 3, "8 0 0"},
    {"f32[8]", "{devices=[2]<=[2] block=[9223372036854775807]}", 1, "8 0 0"},
    /* All blocks along a dimension. */
    {"f32[8,5]", "{devices=[2,1]<=[2] block=[4,2]}", 1, "4,0 4,5 0"},
};

static size_t add_list(char *text, size_t size, int32_t count, const int64_t *numbers) {
  size_t length = 0;
  for (int32_t i = 0; i < count; ++i) {
    length +=
        (size_t)snprintf(text + length, size - length, "%s%d", i > 0 ? "," : "", (int)numbers[i]);
  }
  length += (size_t)snprintf(text + length, size - length, " ");
  return length;
}

static void test_boxes_by_hand(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; ++i) {
    const relayout_shape shape = shape_of(boxes[i].shape);
    const relayout_sharding sharding = sharding_of(boxes[i].sharding);
    int64_t start[RELAYOUT_MAX_RANK], sizes[RELAYOUT_MAX_RANK], replica;
    print_message("%s %s %d\n", boxes[i].shape, boxes[i].sharding, (int)boxes[i].device);
    assert_int_equal(
        relayout_sharding_box(&sharding, &shape, boxes[i].device, start, sizes, &replica, NULL),
        RELAYOUT_OK);
    char text[128];
    size_t length = add_list(text, sizeof text, shape.rank, start);
    length += add_list(text + length, sizeof text - length, shape.rank, sizes);
    snprintf(text + length, sizeof text - length, "%d", (int)replica);
    assert_string_equal(text, boxes[i].box);
    assert_int_equal(
        relayout_sharding_box(&sharding, &shape, boxes[i].device, NULL, NULL, NULL, NULL),
        RELAYOUT_OK);
  }
}

/* ---- Element by element --------------------------------------------------------------------- */

enum { MOST_ELEMENTS = 4096, MOST_DEVICES = 32 };

/* Where each element of the tensor is on each device: its place in the shard, row-major; -1: not
 * there. */
typedef struct map {
  int64_t at[MOST_DEVICES][MOST_ELEMENTS];
} map;

/* The number of a multi-index. */
static int64_t number_of(int32_t rank, const int64_t *sizes, const int64_t *index) {
  int64_t number = 0;
  for (int32_t d = 0; d < rank; ++d) {
    number = number * sizes[d] + index[d];
  }
  return number;
}

static void index_of(int32_t rank, const int64_t *sizes, int64_t number, int64_t *index) {
  for (int32_t d = rank - 1; d >= 0; --d) {
    index[d] = number % sizes[d];
    number /= sizes[d];
  }
}

/* Deals the elements of each dimension out one by one, as the definition says. */
static void deal(const relayout_sharding *sharding, const relayout_shape *shape, map *made) {
  int64_t owner[3][64], local[3][64], dealt[3][MOST_DEVICES] = {{0}};
  int64_t grid[4], replicas = 1;
  for (int32_t d = 0; d < shape->rank; ++d) {
    grid[d] = sharding->shards[d];
    int64_t block = (shape->dimensions[d] + grid[d] - 1) / grid[d];
    block = sharding->block_count > 0 ? sharding->blocks[d] : block;
    for (int64_t i = 0; i < shape->dimensions[d]; ++i) {
      owner[d][i] = i / block % grid[d];
      local[d][i] = dealt[d][owner[d][i]]++;
    }
  }
  for (int32_t i = 0; i < sharding->subgroup_count; ++i) {
    replicas *= sharding->subgroup_sizes[i];
  }
  memset(made->at, 0xff, sizeof made->at);
  const int64_t count = relayout_shape_element_count(shape);
  for (int64_t element = 0; element < count; ++element) {
    int64_t index[3], shard[3], place[3], sizes[3];
    index_of(shape->rank, shape->dimensions, element, index);
    for (int32_t d = 0; d < shape->rank; ++d) {
      shard[d] = owner[d][index[d]];
      place[d] = local[d][index[d]];
      sizes[d] = dealt[d][shard[d]];
    }
    for (int64_t r = 0; r < replicas; ++r) {
      int64_t device;
      assert_int_equal(relayout_sharding_device(sharding,
                                                number_of(shape->rank, grid, shard) * replicas + r,
                                                &device, NULL),
                       RELAYOUT_OK);
      made->at[device][element] = number_of(shape->rank, sizes, place);
    }
  }
}

typedef struct visit {
  map *made;
  const relayout_shape *shape;
  int64_t device;
  int64_t local[3];
  int64_t last; /* the place of the last box in the shard */
} visit;

static void take_box(void *context, const int64_t *start, const int64_t *sizes,
                     const int64_t *local_start) {
  visit *const to = context;
  const int32_t rank = to->shape->rank;
  int64_t count = 1;
  for (int32_t d = 0; d < rank; ++d) {
    assert_true(sizes[d] > 0);
    count *= sizes[d];
  }
  const int64_t at = number_of(rank, to->local, local_start);
  assert_true(at > to->last);
  to->last = at;
  for (int64_t i = 0; i < count; ++i) {
    int64_t inside[3], index[3], place[3];
    index_of(rank, sizes, i, inside);
    for (int32_t d = 0; d < rank; ++d) {
      index[d] = start[d] + inside[d];
      place[d] = local_start[d] + inside[d];
    }
    int64_t *const element =
        &to->made->at[to->device][number_of(rank, to->shape->dimensions, index)];
    assert_int_equal(*element, -1);
    *element = number_of(rank, to->local, place);
  }
}

static void check_all_devices(const relayout_sharding *sharding, const relayout_shape *shape) {
  static map wanted, got;
  deal(sharding, shape, &wanted);
  memset(got.at, 0xff, sizeof got.at);
  for (int64_t device = 0; device < MOST_DEVICES; ++device) {
    relayout_shape local;
    assert_int_equal(relayout_sharding_local_shape(sharding, shape, device, &local, NULL),
                     RELAYOUT_OK);
    assert_int_equal(relayout_shape_validate(&local, NULL), RELAYOUT_OK);
    visit to = {.made = &got, .shape = shape, .device = device, .last = -1};
    memcpy(to.local, local.dimensions, sizeof to.local);
    assert_int_equal(relayout_sharding_visit_boxes(sharding, shape, device, take_box, &to, NULL),
                     RELAYOUT_OK);
    int64_t start[3], sizes[3], replica;
    relayout_error error;
    const relayout_status status =
        relayout_sharding_box(sharding, shape, device, start, sizes, &replica, &error);
    if (status == RELAYOUT_OK) {
      assert_memory_equal(sizes, local.dimensions, (size_t)shape->rank * sizeof *sizes);
    } else {
      assert_int_equal(status, RELAYOUT_UNSUPPORTED);
      assert_true(sharding->block_count > 0);
    }
  }
  assert_memory_equal(&wanted, &got, sizeof got);
}

static uint64_t random_state = 88172645463325252u;

static int64_t below(int64_t end) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (int64_t)(random_state % (uint64_t)end);
}

/* Shards and replicas of up to 32 devices, in any order. */
static void test_every_element(void **state) {
  (void)state;
  enum { ROUNDS = 3000 };
  for (int round = 0; round < ROUNDS; ++round) {
    relayout_sharding sharding = {.kind = RELAYOUT_SHARDING_TILED, .rank = 1 + (int32_t)below(3)};
    int64_t dimensions[3];
    int64_t devices = 1;
    for (int32_t d = 0; d < sharding.rank; ++d) {
      dimensions[d] = below(4) == 0 ? below(4) : 1 + below(16);
      sharding.shards[d] = 1 + below(MOST_DEVICES / devices < 6 ? MOST_DEVICES / devices : 6);
      devices *= sharding.shards[d];
      sharding.blocks[d] = 1 + below(5);
    }
    sharding.block_count = below(2) == 0 ? sharding.rank : 0;
    if (devices == 1 || below(3) == 0) {
      sharding.subgroup_count = 1;
      sharding.subgroup_sizes[0] = devices == 1 ? 2 : 1 + below(MOST_DEVICES / devices);
      devices *= sharding.subgroup_sizes[0];
    }
    int32_t numbers[MOST_DEVICES];
    for (int32_t i = 0; i < MOST_DEVICES; ++i) {
      const int32_t other = (int32_t)below(i + 1);
      numbers[i] = numbers[other];
      numbers[other] = i;
    }
    memcpy(sharding.order.list, numbers, (size_t)devices * sizeof *numbers);
    relayout_shape shape;
    assert_int_equal(relayout_shape_make(RELAYOUT_F32, sharding.rank, dimensions, &shape, NULL),
                     RELAYOUT_OK);
    assert_int_equal(relayout_sharding_validate(&sharding, &shape, MOST_DEVICES, NULL),
                     RELAYOUT_OK);
    check_all_devices(&sharding, &shape);
  }
}

/* ---- Local shapes --------------------------------------------------------------------------- */

static void test_local_shapes(void **state) {
  (void)state;
  static const struct {
    const char *shape, *sharding;
    int64_t device;
    const char *local;
  } of[] = {
      {"bf16[100,64]{1,0:T(8,128)(2,1)}", "{devices=[4,1]<=[4]}", 3,
       "bf16[25,64]{1,0:T(8,128)(2,1)}"},
      {"s4[7,9]{0,1:E(4)}", "{devices=[2,2]<=[4]}", 3, "s4[3,4]{0,1:E(4)}"},
      {"f32[7,9]{0,1:PD(7,9)PV(one)}", "{devices=[2,2]<=[4]}", 0, "f32[4,5]{0,1:PV(one)}"},
      {"f32[10,10]", "{devices=[2,2]<=[4] block=[2,3]}", 1, "f32[6,4]{1,0}"},
      {"f32[10,10]", "{maximal device=1}", 0, "f32[0,0]{1,0}"},
      {"f32[]", "{maximal device=1}", 0, "f32[]"},
  };
  for (size_t i = 0; i < sizeof of / sizeof of[0]; ++i) {
    const relayout_shape shape = shape_of(of[i].shape);
    const relayout_sharding sharding = sharding_of(of[i].sharding);
    relayout_shape local;
    char text[RELAYOUT_SHAPE_TEXT_SIZE];
    assert_int_equal(relayout_sharding_local_shape(&sharding, &shape, of[i].device, &local, NULL),
                     RELAYOUT_OK);
    relayout_shape_format(&local, text, sizeof text);
    assert_string_equal(text, of[i].local);
  }
}

/* ---- Equal ---------------------------------------------------------------------------------- */

static void test_equal(void **state) {
  (void)state;
  static const char *const same[][2] = {
      {"{devices=[2,2]<=[4]}", "{devices=[2,2]0,1,2,3}"},
      {"{devices=[2,2]<=[2,2]T(1,0)}", "{devices=[2,2]0,2,1,3}"},
      {"{maximal device=3}", "{maximal_mesh[device_id=3]}"},
      {"{replicated}", "{devices=[1,4]<=[4] last_tile_dim_replicate}"},
      {"{devices=[2,2]<=[4] block=[4,4]}", "{devices=[2,2]0,1,2,3 block=[4,4]}"},
  };
  static const char *const different[] = {
      "{replicated}",
      "{manual}",
      "{maximal device=3}",
      "{maximal device=4}",
      "{devices=[2,2]<=[4]}",
      "{devices=[2,2]<=[2,2]T(1,0)}",
      "{devices=[2,2]3,2,1,0}",
      "{devices=[4,1]<=[4]}",
      "{devices=[2,2,1,1]<=[4]}",
      "{devices=[2,2]<=[4] block=[4,4]}",
      "{devices=[2,2]<=[4] block=[4,5]}",
      "{devices=[2,2]<=[4] last_tile_dim_replicate}",
      "{devices=[2,2]<=[4] last_tile_dims={manual}}",
  };
  enum { DIFFERENT = sizeof different / sizeof different[0] };
  for (size_t i = 0; i < sizeof same / sizeof same[0]; ++i) {
    const relayout_sharding a = sharding_of(same[i][0]), b = sharding_of(same[i][1]);
    assert_true(relayout_sharding_equal(&a, &b) && relayout_sharding_equal(&b, &a));
  }
  for (int i = 0; i < DIFFERENT; ++i) {
    for (int j = 0; j < DIFFERENT; ++j) {
      const relayout_sharding a = sharding_of(different[i]), b = sharding_of(different[j]);
      assert_int_equal(relayout_sharding_equal(&a, &b), i == j);
    }
  }
  /* The same array, not reduced. */
  relayout_sharding a = sharding_of("{devices=[2,2]<=[4]}"), b = a;
  b.order = (relayout_device_order){.rank = 3, .dimensions = {2, 1, 2}, .permutation = {1, 0, 2}};
  assert_true(relayout_sharding_equal(&a, &b));
  b.order.permutation[0] = 7;
  assert_false(relayout_sharding_equal(&b, &b));
  assert_false(relayout_sharding_equal(NULL, &a));
}

/* ---- Refusals ------------------------------------------------------------------------------- */

static const relayout_sharding pair = {.kind = RELAYOUT_SHARDING_TILED,
                                       .rank = 2,
                                       .shards = {2, 1},
                                       .order = {.rank = 1, .dimensions = {2}}};

/* X(what is changed, the message that refuses it) */
#define BROKEN(X)                                                                                  \
  X(kind = (relayout_sharding_kind)6, "sharding: kind is 6, which is no relayout_sharding_kind")   \
  X(rank = -1, "sharding: rank is -1; expected 0 to 64")                                           \
  X(rank = 0, "sharding: it is tiled, and has neither dimensions nor subgroups")                   \
  X(rank = 65, "sharding: rank is 65; expected 0 to 64")                                           \
  X(shards[1] = 0, "sharding: shards[1] is 0; expected 1 or more")                                 \
  X(shards[1] = INT64_MAX, "sharding: shards makes more than 2147483647 devices of the sharding")  \
  X(shards[1] = 2, "sharding: order.dimensions make 2 devices, but its shards and subgroups are "  \
                   "for 4")                                                                        \
  X(subgroup_count = 4, "sharding: subgroup_count is 4; expected 0 to 3")                          \
  X(subgroup_count = 1, "sharding: subgroup_sizes[0] is 0; expected 1 or more")                    \
  X(order.rank = 33, "sharding: order.rank is 33; expected 0 to 32")                               \
  X(order.rank = 0, "sharding: device 0 is listed twice")                                          \
  X(order.dimensions[0] = -2, "sharding: order.dimensions[0] is -2; expected 1 or more")           \
  X(order.permutation[0] = 1, "sharding: order.permutation[0] is 1; expected 0 to 0")              \
  X(block_count = 1, "sharding: block_count is 1; expected 0 or the rank, 2")                      \
  X(block_count = 2, "sharding: blocks[0] is 0; expected 1 or more")

static void test_broken_structs(void **state) {
  (void)state;
  relayout_error error;
  assert_int_equal(relayout_sharding_validate(&pair, NULL, 0, NULL), RELAYOUT_OK);
#define CHECK_BROKEN(change, text)                                                                 \
  {                                                                                                \
    relayout_sharding broken = pair;                                                               \
    broken.change;                                                                                 \
    const relayout_shape shape = shape_of("f32[4,4]");                                             \
    relayout_shape local;                                                                          \
    char printed[8] = "as ever";                                                                   \
    assert_int_equal(relayout_sharding_validate(&broken, NULL, 0, &error),                         \
                     RELAYOUT_INVALID_ARGUMENT);                                                   \
    assert_string_equal(error.message, text);                                                      \
    assert_int_equal(relayout_sharding_box(&broken, &shape, 0, NULL, NULL, NULL, NULL),            \
                     RELAYOUT_INVALID_ARGUMENT);                                                   \
    assert_int_equal(relayout_sharding_local_shape(&broken, &shape, 0, &local, NULL),              \
                     RELAYOUT_INVALID_ARGUMENT);                                                   \
    assert_int_equal(relayout_sharding_visit_boxes(&broken, &shape, 0, take_box, NULL, NULL),      \
                     RELAYOUT_INVALID_ARGUMENT);                                                   \
    assert_int_equal(relayout_sharding_device_count(&broken), 0);                                  \
    assert_int_equal(relayout_sharding_format(&broken, printed, sizeof printed), 0);               \
    assert_string_equal(printed, "");                                                              \
  }
  BROKEN(CHECK_BROKEN)
#undef CHECK_BROKEN

  relayout_sharding listed = pair;
  listed.order = (relayout_device_order){.list = {5, -1}};
  assert_int_equal(relayout_sharding_validate(&listed, NULL, 0, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "sharding: device -1 is listed; expected 0 or more");
  const relayout_sharding nowhere = {.kind = RELAYOUT_SHARDING_MAXIMAL, .device = -1};
  assert_int_equal(relayout_sharding_validate(&nowhere, NULL, 0, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "sharding: device is -1; expected 0 to 2147483646");
  relayout_sharding many = pair;
  many.shards[0] = 2048;
  many.order.rank = 0;
  assert_int_equal(relayout_sharding_validate(&many, NULL, 0, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "sharding: 2048 devices cannot be listed; expected at most 1024");
}

static void test_refusals(void **state) {
  (void)state;
  static const struct {
    const char *shape, *sharding;
    int64_t device;
    relayout_status status;
    const char *message;
  } of[] = {
      {"f32[4,4]", "{devices=[2]<=[2]}", 0, RELAYOUT_SHAPE_MISMATCH,
       "sharding: it has shards along 1 dimensions, but the shape has 2"},
      {"f32[4,4]", "{devices=[2,1]<=[2]}", -1, RELAYOUT_OUT_OF_RANGE,
       "device is -1; expected 0 or more"},
      {"f32[4,4]", "{manual}", 1, RELAYOUT_UNSUPPORTED,
       "sharding: it is {manual}, which does not say what device 1 holds"},
      {"f32[4,4]", "{unreduced}", 1, RELAYOUT_UNSUPPORTED,
       "sharding: it is {unreduced}, which does not say what device 1 holds"},
      {"f32[4,4]", "{unknown}", 1, RELAYOUT_UNSUPPORTED,
       "sharding: it is {unknown}, which does not say what device 1 holds"},
      {"f32[4,4]", "{devices=[2,1,2]<=[4] last_tile_dims={manual}}", 1, RELAYOUT_UNSUPPORTED,
       "sharding: a subgroup is manual, which does not say what device 1 holds"},
      {"f32[4,4]", "{devices=[2,1,2]<=[4] last_tile_dims={unreduced}}", 1, RELAYOUT_UNSUPPORTED,
       "sharding: a subgroup is unreduced, which does not say what device 1 holds"},
      {"f32[4,4]", "{devices=[1,2]<=[2] block=[4,1]}", 0, RELAYOUT_UNSUPPORTED,
       "sharding: device 0 holds several blocks along dimension 1, which are no box"},
  };
  relayout_error error;
  for (size_t i = 0; i < sizeof of / sizeof of[0]; ++i) {
    const relayout_shape shape = shape_of(of[i].shape);
    const relayout_sharding sharding = sharding_of(of[i].sharding);
    assert_int_equal(
        relayout_sharding_box(&sharding, &shape, of[i].device, NULL, NULL, NULL, &error),
        of[i].status);
    assert_string_equal(error.message, of[i].message);
  }
  const relayout_shape padded = shape_of("f32[4,4]{1,0:PD(4,5)}"), plain = shape_of("f32[4,4]");
  relayout_shape local;
  assert_int_equal(relayout_sharding_local_shape(&pair, &padded, 0, &local, &error),
                   RELAYOUT_UNSUPPORTED);
  assert_string_equal(error.message, "shape: dimension 1 is padded to 5, and no device has the "
                                     "padding of a sharded tensor");

  /* Devices that there are not. */
  static const struct {
    const char *sharding;
    int64_t devices;
    const char *message; /* NULL: there are */
  } counts[] = {
      {"{devices=[2,2]<=[4]}", 4, NULL},
      {"{devices=[2,2]<=[4]}", 5, NULL},
      {"{devices=[2,2]<=[4]}", 3, "sharding: it names device 3, but there are 3 devices"},
      {"{devices=[2,2]9,0,1,2}", 9, "sharding: it names device 9, but there are 9 devices"},
      {"{devices=[2,2]9,0,1,2}", 10, NULL},
      {"{maximal device=7}", 7, "sharding: it names device 7, but there are 7 devices"},
      {"{maximal device=7}", 8, NULL},
      {"{replicated}", 1, NULL},
  };
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
    const relayout_sharding sharding = sharding_of(counts[i].sharding);
    const relayout_status status =
        relayout_sharding_validate(&sharding, &plain, counts[i].devices, &error);
    assert_int_equal(status, counts[i].message != NULL ? RELAYOUT_OUT_OF_RANGE : RELAYOUT_OK);
    if (counts[i].message != NULL) {
      assert_string_equal(error.message, counts[i].message);
    }
  }
  assert_int_equal(relayout_sharding_validate(&pair, NULL, -1, &error), RELAYOUT_INVALID_ARGUMENT);
  int64_t device;
  assert_int_equal(relayout_sharding_device(&pair, 2, &device, &error), RELAYOUT_OUT_OF_RANGE);
  assert_string_equal(error.message, "number is 2, out of range for a sharding of 2 devices");
}

static void test_nulls(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("f32[4,4]");
  int64_t device;
  relayout_shape local;
  assert_int_equal(relayout_sharding_validate(NULL, NULL, 0, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_sharding_box(NULL, &shape, 0, NULL, NULL, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_sharding_box(&pair, NULL, 0, NULL, NULL, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_sharding_visit_boxes(&pair, &shape, 0, NULL, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_sharding_local_shape(&pair, &shape, 0, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_sharding_local_shape(NULL, &shape, 0, &local, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_sharding_device(NULL, 0, &device, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_sharding_device(&pair, 0, NULL, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_sharding_device_count(NULL), 0);
  assert_int_equal(relayout_sharding_format(NULL, NULL, 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_boxes_by_hand),  cmocka_unit_test(test_every_element),
      cmocka_unit_test(test_local_shapes),   cmocka_unit_test(test_equal),
      cmocka_unit_test(test_broken_structs), cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_nulls),
  };
  return cmocka_run_group_tests_name("metadata.sharding", tests, NULL, NULL);
}
