/* test_box.c: a tensor put together from boxes that lie elsewhere in another tensor: the bytes are
 * those of one relayout of what was put together, padding included. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/random.h"
#include "oracle/oracle.h"
#include "relayout/relayout.h"
#include "shape_of.h"

enum { MOST_ELEMENTS = 2000, POISON = 0xa5, GUARD = 64, SEEDS = 4000 };

typedef struct scene {
  relayout_device *device;
  relayout_shape from, to;
  relayout_shape from_dense, put; /* `put` is dense, of the source's type */
  uint8_t *values;                /* of `from`, dense */
  uint8_t *source, *destination, *wanted, *together;
} scene;

static relayout_shape dense_of(relayout_element_type type, const relayout_shape *shape) {
  relayout_shape made;
  assert_int_equal(relayout_shape_make(type, shape->rank, shape->dimensions, &made, NULL),
                   RELAYOUT_OK);
  return made;
}

static uint8_t *memory_of(const relayout_shape *shape) {
  const size_t bytes = oracle_byte_size(shape) + 2 * GUARD;
  uint8_t *const made = malloc(bytes);
  assert_non_null(made);
  memset(made, POISON, bytes);
  return made;
}

static void set_up(scene *of, uint64_t *random) {
  of->from_dense = dense_of(of->from.element_type, &of->from);
  of->put = dense_of(of->from.element_type, &of->to);
  of->values = memory_of(&of->from_dense);
  of->source = memory_of(&of->from);
  of->destination = memory_of(&of->to);
  of->wanted = memory_of(&of->to);
  of->together = memory_of(&of->put);
  const size_t bytes = oracle_byte_size(&of->from_dense);
  for (size_t i = 0; i < bytes; ++i) {
    of->values[i] = random_element_byte(random, of->from.element_type);
  }
  oracle_relayout(&of->from_dense, &of->from, of->values, of->source + GUARD);
}

static void tear_down(scene *of) {
  free(of->values);
  free(of->source);
  free(of->destination);
  free(of->wanted);
  free(of->together);
}

/* A box of the dense source to its place in what is put together, element by element. */
static void put_together(const scene *of, const int64_t *from_start, const int64_t *to_start,
                         const int64_t *sizes) {
  const int32_t rank = of->from.rank;
  const size_t bytes = oracle_element_size(of->from.element_type);
  int64_t count = 1;
  for (int32_t d = 0; d < rank; ++d) {
    count *= sizes[d];
  }
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, index[RELAYOUT_MAX_RANK] = {0}, from = 0, to = 0;
    for (int32_t d = rank - 1; d >= 0; --d) {
      index[d] = rest % sizes[d];
      rest /= sizes[d];
    }
    for (int32_t d = 0; d < rank; ++d) {
      from = from * of->from.dimensions[d] + from_start[d] + index[d];
      to = to * of->to.dimensions[d] + to_start[d] + index[d];
    }
    memcpy(of->together + (size_t)to * bytes, of->values + (size_t)from * bytes, bytes);
  }
}

/* Moves a box, and notes what it should have moved. False where there is no such plan. */
static bool move_box(const scene *of, const int64_t *from_start, const int64_t *to_start,
                     const int64_t *sizes) {
  const relayout_view from = {.shape = of->from}, to = {.shape = of->to};
  relayout_plan *plan = NULL;
  relayout_error error;
  const relayout_status status = relayout_plan_create_box(of->device, &from, from_start, &to,
                                                          to_start, sizes, NULL, &plan, &error);
  if (status == RELAYOUT_UNSUPPORTED) {
    return false;
  }
  assert_string_equal(status == RELAYOUT_OK ? "" : error.message, "");
  put_together(of, from_start, to_start, sizes);
  assert_int_equal(relayout_plan_execute(plan, of->source + GUARD, of->destination + GUARD, &error),
                   RELAYOUT_OK);
  relayout_plan_destroy(plan);
  return true;
}

static void expect_wanted(const scene *of) {
  oracle_relayout(&of->put, &of->to, of->together, of->wanted + GUARD);
  assert_memory_equal(of->destination, of->wanted, oracle_byte_size(&of->to) + 2 * GUARD);
}

/* ---- At random ------------------------------------------------------------------------------ */

static void draw_layout(uint64_t *random, relayout_shape *shape) {
  random_order(random, shape);
  if (random_below(random, 4) == 0) {
    random_padding(random, shape);
  }
  if (random_below(random, 2) == 0) {
    random_tiles(random, MOST_ELEMENTS, shape);
  }
  if (random_below(random, 4) == 0) {
    shape->layout.element_size_in_bits = random_element_bits(random, shape->element_type);
  }
}

/* Every dimension of the destination is cut in two, and each part comes from somewhere. */
static bool move_all(const scene *of, uint64_t *random) {
  const int32_t rank = of->to.rank;
  int64_t cut[RELAYOUT_MAX_RANK] = {0};
  bool is_made = true;
  for (int32_t d = 0; d < rank; ++d) {
    cut[d] = of->to.dimensions[d] > 0 ? random_below(random, of->to.dimensions[d]) : 0;
  }
  for (int64_t part = 0; part < 1 << rank && is_made; ++part) {
    int64_t from_start[RELAYOUT_MAX_RANK], to_start[RELAYOUT_MAX_RANK], sizes[RELAYOUT_MAX_RANK];
    for (int32_t d = 0; d < rank; ++d) {
      const bool is_second = (part >> d & 1) != 0;
      to_start[d] = is_second ? cut[d] : 0;
      sizes[d] = is_second ? of->to.dimensions[d] - cut[d] : cut[d];
      from_start[d] = random_below(random, of->from.dimensions[d] - sizes[d] + 1);
    }
    is_made = move_box(of, from_start, to_start, sizes);
  }
  return is_made;
}

static bool try_random(relayout_device *device, uint64_t seed) {
  uint64_t random = seed;
  scene of = {.device = device};
  const relayout_element_type type =
      random_below(&random, 2) == 0 ? random_element_type(&random) : RELAYOUT_F32;
  random_dimensions(&random, type, (int32_t)random_below(&random, 4), 300, &of.to);
  of.from = of.to;
  for (int32_t d = 0; d < of.to.rank; ++d) {
    of.from.dimensions[d] += random_below(&random, 4);
  }
  of.to.element_type = type == RELAYOUT_F32 && random_below(&random, 2) == 0 ? RELAYOUT_BF16 : type;
  draw_layout(&random, &of.from);
  draw_layout(&random, &of.to);
  if (relayout_shape_validate(&of.from, NULL) != RELAYOUT_OK ||
      relayout_shape_validate(&of.to, NULL) != RELAYOUT_OK) {
    return false;
  }
  set_up(&of, &random);
  const bool is_made = move_all(&of, &random);
  if (is_made) {
    expect_wanted(&of);
  }
  tear_down(&of);
  return is_made;
}

static void test_at_random(void **state) {
  (void)state;
  relayout_device *device = NULL;
  int64_t moved = 0;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
    moved += try_random(device, seed);
  }
  print_message("%lld of %d are moved\n", (long long)moved, SEEDS);
  assert_true(moved > SEEDS / 3);
  relayout_device_destroy(device);
}

/* ---- Refusals ------------------------------------------------------------------------------- */

static void test_refusals(void **state) {
  (void)state;
  static const int64_t none[2] = {0, 0}, one[2] = {1, 0}, sizes[2] = {2, 2}, minus[2] = {0, -1};
  static const struct {
    const char *from, *to;
    const int64_t *from_start, *to_start, *sizes;
    relayout_status status;
    const char *message;
  } cases[] = {
      {"f32[4,4]", "f32[3,3]", NULL, none, sizes, RELAYOUT_INVALID_ARGUMENT, "from_start is NULL"},
      {"f32[4,4]", "f32[3,3]", none, NULL, sizes, RELAYOUT_INVALID_ARGUMENT, "to_start is NULL"},
      {"f32[4,4]", "f32[3,3]", none, none, NULL, RELAYOUT_INVALID_ARGUMENT, "sizes is NULL"},
      {"f32[4,4]", "f32[3]", none, none, sizes, RELAYOUT_SHAPE_MISMATCH,
       "the rank of `from` is 2, that of `to` is 1"},
      {"f32[2,2]", "f32[3,3]", one, none, sizes, RELAYOUT_OUT_OF_RANGE,
       "from_start[0] is 1 and sizes[0] is 2, beyond a dimension of size 2"},
      {"f32[3,3]", "f32[2,2]", none, one, sizes, RELAYOUT_OUT_OF_RANGE,
       "to_start[0] is 1 and sizes[0] is 2, beyond a dimension of size 2"},
      {"f32[3,3]", "f32[2,2]", none, minus, sizes, RELAYOUT_OUT_OF_RANGE,
       "to_start[1] is -1 and sizes[1] is 2, beyond a dimension of size 2"},
      {"f32[4,4]{1,0:T(2,2)}", "f32[4,4]{1,0:T(2,2)}", one, none, sizes, RELAYOUT_UNSUPPORTED,
       "from_start and to_start are different places, and neither side can be moved to the "
       "other's: both have tiles, packed elements or wider containers, or `to` has padding"},
      {"f32[4,4]{1,0:T(2,2)}", "f32[4,4]{1,0:PD(4,5)}", one, none, sizes, RELAYOUT_UNSUPPORTED,
       "from_start and to_start are different places, and neither side can be moved to the "
       "other's: both have tiles, packed elements or wider containers, or `to` has padding"},
  };
  relayout_device *device = NULL;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const relayout_view from = {.shape = shape_of(cases[i].from)};
    const relayout_view to = {.shape = shape_of(cases[i].to)};
    relayout_plan *plan = NULL;
    relayout_error error;
    assert_int_equal(relayout_plan_create_box(device, &from, cases[i].from_start, &to,
                                              cases[i].to_start, cases[i].sizes, NULL, &plan,
                                              &error),
                     cases[i].status);
    assert_string_equal(error.message, cases[i].message);
    assert_null(plan);
  }
  relayout_device_destroy(device);
}

/* A broken side is named. */
static void test_sides(void **state) {
  (void)state;
  static const int64_t none[1] = {0}, size[1] = {1};
  const relayout_view good = {.shape = shape_of("f32[4]")};
  relayout_view far = good;
  relayout_device *device = NULL;
  relayout_plan *plan = NULL;
  relayout_error error;
  far.byte_offset = INT64_MAX;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  assert_int_equal(
      relayout_plan_create_box(device, &far, none, &good, none, size, NULL, &plan, &error),
      RELAYOUT_SIZE_OVERFLOW);
  assert_non_null(strstr(error.message, "`from`: "));
  assert_int_equal(
      relayout_plan_create_box(device, &good, none, &far, none, size, NULL, &plan, &error),
      RELAYOUT_SIZE_OVERFLOW);
  assert_non_null(strstr(error.message, "`to`: "));
  assert_int_equal(
      relayout_plan_create_box(device, NULL, none, &good, none, size, NULL, &plan, &error),
      RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "from is NULL");
  assert_int_equal(
      relayout_plan_create_box(device, &good, none, NULL, none, size, NULL, &plan, &error),
      RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "to is NULL");
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_at_random),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_sides),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
