/* test_index.c: multi-indices and linear indices against counting by hand and in nested loops. */
#include "cmocka_all.h"

#include <string.h>

#include "relayout/index.h"
#include "shape_of.h"

/* ---- The documentation's figures: a b c over d e f ---- */

typedef struct figure {
  const char *shape;
  const char *memory; /* 0 is padding */
} figure;

static const figure figures[] = {
    {"u8[2,3]{0,1}", "adbecf"},
    {"u8[2,3]{1,0}", "abcdef"},
    {"u8[2,3]{0,1:PD(3,5)}", "ad0be0cf0000000"},
    {"u8[2,3]{1,0:PD(3,5)}", "abc00def0000000"},
};

static void test_figures(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof figures / sizeof figures[0]; ++i) {
    const relayout_shape shape = shape_of(figures[i].shape);
    const size_t size = strlen(figures[i].memory);
    for (size_t at = 0; at < size; ++at) {
      int64_t index[2];
      int64_t linear;
      assert_int_equal(relayout_index_from_linear(&shape, (int64_t)at, index, NULL), RELAYOUT_OK);
      const char letter =
          relayout_index_in_bounds(&shape, index) ? (char)('a' + index[0] * 3 + index[1]) : '0';
      assert_int_equal(letter, figures[i].memory[at]);
      assert_int_equal(relayout_index_to_linear(&shape, index, &linear, NULL), RELAYOUT_OK);
      assert_int_equal(linear, at);
    }
  }
}

static const figure tiled_figures[] = {
    {"u8[3,5]{1,0:T(2,2)}", "abfgcdhie0j0kl00mn00o000"},
    {"u8[3,5]{0,1:T(2,2)}", "afbgk0l0chdim0n0ej00o000"},
    {"u8[3,5]{1,0:T(2,2)L(10)}", "abfgcdhie0j0kl00mn00o000000000"},
    {"u8[2,3]{1,0:T(2,2)(2,1)}", "adbecf00"},
    {"u8[2,3]{1,0:T(*,4)}", "abcdef00"},
    {"u8[6]{0:T(2,2)}", "ab00cd00ef00"},
    {"u8[8,2]{1,0:T(2,2)(4,1,1,2)}", "abefijmncdghklop"},
    {"u8[5,2]{1,0:T(2,2)(4,1,1,2)}", "abefij00cdgh0000"},
    {"u4[2,3]{1,0:T(2)E(4)}", "abc0def0"},
    {"u4[2,3]{0,1:L(8)E(4)}", "adbecf00"},
    {"u4[2,3]{0,1:L(8)E(32)}", "adbecf00"},
    {"pred[2,3]{1,0:T(2,2)E(16)}", "abdec0f0"},
};

/* Letters count elements in the order of ascending multi-indices. */
static char letter_of(const relayout_shape *shape, const int64_t *index) {
  int64_t number = 0;
  for (int32_t d = 0; d < shape->rank; ++d) {
    number = number * shape->dimensions[d] + index[d];
  }
  return (char)('a' + number);
}

static void test_tiled_figures(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof tiled_figures / sizeof tiled_figures[0]; ++i) {
    const relayout_shape shape = shape_of(tiled_figures[i].shape);
    const size_t size = strlen(tiled_figures[i].memory);
    for (size_t at = 0; at < size; ++at) {
      int64_t index[2];
      assert_int_equal(relayout_index_from_linear(&shape, (int64_t)at, index, NULL), RELAYOUT_OK);
      if (tiled_figures[i].memory[at] == '0') {
        assert_int_equal(index[0], -1);
        assert_int_equal(index[shape.rank - 1], -1);
        assert_false(relayout_index_in_bounds(&shape, index));
        continue;
      }
      assert_int_equal(letter_of(&shape, index), tiled_figures[i].memory[at]);
      int64_t linear;
      assert_int_equal(relayout_index_to_linear(&shape, index, &linear, NULL), RELAYOUT_OK);
      assert_int_equal(linear, at);
    }
    int64_t index[2];
    assert_int_equal(relayout_index_from_linear(&shape, (int64_t)size, index, NULL),
                     RELAYOUT_OUT_OF_RANGE);
  }
}

/* ---- Blocks of scale factors, as their users' documentation counts through them ---- */

/* cuBLAS: 128 by 4, rows being dealt out in turns of 32. */
static int64_t place_in_128x4(int64_t row, int64_t column, int64_t columns) {
  const int64_t block = row / 128 * ((columns + 3) / 4) + column / 4;
  return block * 512 + row % 32 * 16 + row % 128 / 32 * 4 + column % 4;
}

/* FlashInfer: 8 by 4. */
static int64_t place_in_8x4(int64_t row, int64_t column, int64_t columns) {
  const int64_t block = row / 8 * ((columns + 3) / 4) + column / 4;
  return block * 32 + row % 8 * 4 + column % 4;
}

static void check_blocks(const char *text, int64_t (*place)(int64_t, int64_t, int64_t),
                         int64_t wanted_count) {
  const relayout_shape shape = shape_of(text);
  int64_t count = 0, padding = 0;
  assert_int_equal(relayout_shape_physical_element_count(&shape, &count, NULL), RELAYOUT_OK);
  assert_int_equal(count, wanted_count);
  for (int64_t at = 0; at < count; ++at) {
    int64_t index[2], linear = 0;
    assert_int_equal(relayout_index_from_linear(&shape, at, index, NULL), RELAYOUT_OK);
    if (!relayout_index_in_bounds(&shape, index)) {
      padding += 1;
      continue;
    }
    assert_int_equal(place(index[0], index[1], shape.dimensions[1]), at);
    assert_int_equal(relayout_index_to_linear(&shape, index, &linear, NULL), RELAYOUT_OK);
    assert_int_equal(linear, at);
  }
  assert_int_equal(count - padding, shape.dimensions[0] * shape.dimensions[1]);
}

static void test_scale_factor_blocks(void **state) {
  (void)state;
  check_blocks("f8e8m0fnu[256,8]{1,0:T(32,4)(4,1,1,4)}", place_in_128x4, INT64_C(256) * 8);
  check_blocks("f8e8m0fnu[300,10]{1,0:T(32,4)(4,1,1,4)}", place_in_128x4, INT64_C(384) * 12);
  check_blocks("f8e8m0fnu[1,1]{1,0:T(32,4)(4,1,1,4)}", place_in_128x4, INT64_C(128) * 4);
  check_blocks("f8e4m3fn[300,10]{1,0:T(128,4)(32,4)(4,1,1,4)}", place_in_128x4, INT64_C(384) * 12);
  check_blocks("f8e4m3fn[19,10]{1,0:T(8,4)}", place_in_8x4, INT64_C(24) * 12);
}

/* Beneath tiles, wider dimensions have multi-indices that are out of bounds. */
static void test_widened_and_tiled(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("u8[1,2]{1,0:PD(2,3)T(2,2)}");
  static const int64_t expected[][2] = {{0, 0}, {0, 1},   {1, 0}, {1, 1},
                                        {0, 2}, {-1, -1}, {1, 2}, {-1, -1}};
  for (int64_t at = 0; at < 8; ++at) {
    int64_t index[2];
    assert_int_equal(relayout_index_from_linear(&shape, at, index, NULL), RELAYOUT_OK);
    assert_memory_equal(index, expected[at], sizeof index);
    assert_int_equal(relayout_index_in_bounds(&shape, index), at < 2);
  }
  const relayout_shape scalar = shape_of("u8[]{:T(2)L(4)}");
  int64_t linear;
  assert_int_equal(relayout_index_to_linear(&scalar, NULL, &linear, NULL), RELAYOUT_OK);
  assert_int_equal(linear, 0);
  assert_int_equal(relayout_index_from_linear(&scalar, 3, NULL, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_index_from_linear(&scalar, 4, NULL, NULL), RELAYOUT_OUT_OF_RANGE);
}

/* ---- Every order up to rank 4, padded and not ---- */

/* The next permutation in lexicographic order; false after the last. */
static bool next_permutation(int32_t *order, int32_t count) {
  int32_t i = count - 2;
  while (i >= 0 && order[i] > order[i + 1]) {
    --i;
  }
  if (i < 0) {
    return false;
  }
  int32_t j = count - 1;
  while (order[j] < order[i]) {
    --j;
  }
  const int32_t swapped = order[i];
  order[i] = order[j];
  order[j] = swapped;
  for (int32_t low = i + 1, high = count - 1; low < high; ++low, --high) {
    const int32_t other = order[low];
    order[low] = order[high];
    order[high] = other;
  }
  return true;
}

/* Counts through memory, the most minor dimension fastest, as the definition says. */
static void check_all_positions(const relayout_shape *shape, const int64_t *widths,
                                const int32_t *order) {
  int64_t index[4] = {0};
  int64_t total = 1;
  for (int32_t d = 0; d < shape->rank; ++d) {
    total *= widths[d];
  }
  for (int64_t at = 0; at < total; ++at) {
    int64_t linear;
    int64_t back[4];
    assert_int_equal(relayout_index_to_linear(shape, index, &linear, NULL), RELAYOUT_OK);
    assert_int_equal(linear, at);
    assert_int_equal(relayout_index_from_linear(shape, at, back, NULL), RELAYOUT_OK);
    assert_memory_equal(back, index, (size_t)shape->rank * sizeof index[0]);
    for (int32_t i = 0; i < shape->rank; ++i) {
      if (++index[order[i]] < widths[order[i]]) {
        break;
      }
      index[order[i]] = 0;
    }
  }
}

static void test_every_order(void **state) {
  (void)state;
  static const int64_t dimensions[] = {3, 2, 1, 4};
  static const int64_t widths[] = {4, 2, 3, 5};
  for (int32_t rank = 0; rank <= 4; ++rank) {
    int32_t order[4] = {0, 1, 2, 3};
    do {
      relayout_layout layout;
      relayout_shape shape;
      assert_int_equal(relayout_layout_make(rank, order, &layout, NULL), RELAYOUT_OK);
      assert_int_equal(
          relayout_shape_make_with_layout(RELAYOUT_U8, rank, dimensions, &layout, &shape, NULL),
          RELAYOUT_OK);
      check_all_positions(&shape, dimensions, order);
      shape.layout.padded_dimension_count = rank;
      memcpy(shape.layout.padded_dimensions, widths, sizeof widths);
      check_all_positions(&shape, widths, order);
    } while (next_permutation(order, rank));
  }
}

/* ---- Bumping ---- */

static void test_bump(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("u8[2,3,1,4]{0,3,1,2:PD(5,5,5,5)}");
  int64_t index[4] = {0};
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      for (int64_t l = 0; l < 4; ++l) {
        const int64_t expected[] = {i, j, 0, l};
        assert_memory_equal(index, expected, sizeof expected);
        const bool last = i == 1 && j == 2 && l == 3;
        assert_int_equal(relayout_index_bump(&shape, index), !last);
      }
    }
  }
  const int64_t zeros[4] = {0};
  assert_memory_equal(index, zeros, sizeof zeros);

  const relayout_shape scalar = shape_of("u8[]");
  const relayout_shape empty = shape_of("u8[2,0]");
  assert_false(relayout_index_bump(&scalar, index));
  assert_false(relayout_index_bump(&empty, index));
  assert_memory_equal(index, zeros, sizeof zeros);
}

/* ---- Bounds ---- */

static void test_in_bounds(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("u8[2,3]{0,1:PD(4,4)}");
  for (int64_t i = -1; i < 5; ++i) {
    for (int64_t j = -1; j < 5; ++j) {
      const int64_t index[] = {i, j};
      assert_int_equal(relayout_index_in_bounds(&shape, index), i >= 0 && i < 2 && j >= 0 && j < 3);
    }
  }
  const relayout_shape scalar = shape_of("u8[]");
  assert_true(relayout_index_in_bounds(&scalar, NULL));
}

static void test_out_of_range(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("u8[2,3]{0,1:PD(4,5)}");
  static const struct {
    int64_t index[2];
    const char *message;
  } cases[] = {
      {{4, 0}, "index[0] is 4, out of range for dimension 0 of size 4"},
      {{0, 5}, "index[1] is 5, out of range for dimension 1 of size 5"},
      {{0, -1}, "index[1] is -1, out of range for dimension 1 of size 5"},
      {{INT64_MAX, 0}, "index[0] is 9223372036854775807, out of range for dimension 0 of size 4"},
  };
  relayout_error error;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    int64_t linear = 42;
    assert_int_equal(relayout_index_to_linear(&shape, cases[i].index, &linear, &error),
                     RELAYOUT_OUT_OF_RANGE);
    assert_string_equal(error.message, cases[i].message);
    assert_int_equal(linear, 42);
  }
  static const int64_t outside[] = {-1, 20, INT64_MIN, INT64_MAX};
  for (size_t i = 0; i < sizeof outside / sizeof outside[0]; ++i) {
    int64_t index[2] = {42, 42};
    assert_int_equal(relayout_index_from_linear(&shape, outside[i], index, &error),
                     RELAYOUT_OUT_OF_RANGE);
    assert_non_null(strstr(error.message, "for an array of 20 elements"));
    assert_int_equal(index[0], 42);
  }
  const relayout_shape empty = shape_of("u8[0,3]");
  const int64_t zeros[] = {0, 0};
  int64_t linear;
  int64_t index[2];
  assert_int_equal(relayout_index_to_linear(&empty, zeros, &linear, NULL), RELAYOUT_OUT_OF_RANGE);
  assert_int_equal(relayout_index_from_linear(&empty, 0, index, NULL), RELAYOUT_OUT_OF_RANGE);
}

/* The last element of the largest arrays, beyond 2^31 and at the end of 63 bits. */
static void test_large(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("u8[65537,65539]{0,1}");
  const int64_t last[] = {65536, 65538};
  int64_t linear;
  assert_int_equal(relayout_index_to_linear(&shape, last, &linear, NULL), RELAYOUT_OK);
  assert_int_equal(linear, INT64_C(65537) * 65539 - 1);
  const relayout_shape huge = shape_of("pred[1152921504606846976]{0:E(1)}");
  const int64_t end[] = {((int64_t)1 << 60) - 1};
  int64_t index[1];
  assert_int_equal(relayout_index_to_linear(&huge, end, &linear, NULL), RELAYOUT_OK);
  assert_int_equal(linear, ((int64_t)1 << 60) - 1);
  assert_int_equal(relayout_index_from_linear(&huge, ((int64_t)1 << 60) - 1, index, NULL),
                   RELAYOUT_OK);
  assert_int_equal(index[0], ((int64_t)1 << 60) - 1);
}

static void test_null_arguments(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("u8[2]");
  const relayout_shape scalar = shape_of("u8[]");
  const int64_t index[] = {0};
  int64_t number;
  relayout_error error;
  assert_int_equal(relayout_index_to_linear(&shape, NULL, &number, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "index is NULL");
  assert_int_equal(relayout_index_to_linear(&shape, index, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "linear is NULL");
  assert_int_equal(relayout_index_from_linear(&shape, 0, NULL, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "index is NULL");
  assert_int_equal(relayout_index_dimension_stride(&shape, 0, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "stride is NULL");
  assert_int_equal(relayout_index_dimension_stride(&shape, 1, &number, &error),
                   RELAYOUT_OUT_OF_RANGE);
  assert_false(relayout_index_in_bounds(&shape, NULL));
  assert_false(relayout_index_bump(&shape, NULL));
  assert_int_equal(relayout_index_to_linear(&scalar, NULL, &number, &error), RELAYOUT_OK);
  assert_int_equal(number, 0);
  assert_int_equal(relayout_index_from_linear(&scalar, 0, NULL, &error), RELAYOUT_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_figures),
      cmocka_unit_test(test_every_order),
      cmocka_unit_test(test_bump),
      cmocka_unit_test(test_in_bounds),
      cmocka_unit_test(test_out_of_range),
      cmocka_unit_test(test_large),
      cmocka_unit_test(test_null_arguments),
      cmocka_unit_test(test_tiled_figures),
      cmocka_unit_test(test_scale_factor_blocks),
      cmocka_unit_test(test_widened_and_tiled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
