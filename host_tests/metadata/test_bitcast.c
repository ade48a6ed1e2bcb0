/* test_bitcast.c: bitcasts against brute force: whether every element of small
 * shapes keeps its linear index. */
#include "cmocka_all.h"

#include <string.h>

#include "relayout/index.h"
#include "shape_of.h"

enum { MAX_ELEMENTS = 256, MAX_SHAPES = 4096 };

/* A list of shapes, each with the linear index of every element in the order of multi-indices. */
typedef struct placed_shape {
  relayout_shape shape;
  int64_t count;
  int64_t places[MAX_ELEMENTS];
} placed_shape;

static void place(placed_shape *placed) {
  int64_t index[RELAYOUT_MAX_RANK] = {0};
  placed->count = relayout_shape_element_count(&placed->shape);
  assert_true(placed->count <= MAX_ELEMENTS);
  for (int64_t i = 0; i < placed->count; ++i) {
    assert_int_equal(relayout_index_to_linear(&placed->shape, index, &placed->places[i], NULL),
                     RELAYOUT_OK);
    relayout_index_bump(&placed->shape, index);
  }
}

/* The order number `code` of `rank` dimensions; false when there is none. */
static bool order_of(int32_t code, int32_t rank, int32_t *order) {
  bool used[4] = {false};
  for (int32_t i = 0; i < rank; ++i) {
    order[i] = code % rank;
    code /= rank;
    if (used[order[i]]) {
      return false;
    }
    used[order[i]] = true;
  }
  return true;
}

static int32_t power(int32_t base, int32_t exponent) {
  int32_t result = 1;
  for (int32_t i = 0; i < exponent; ++i) {
    result *= base;
  }
  return result;
}

static void print_pair(const relayout_shape *a, const relayout_shape *b) {
  char text[2][RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape_format(a, text[0], sizeof text[0]);
  relayout_shape_format(b, text[1], sizeof text[1]);
  print_error("%s and %s\n", text[0], text[1]);
}

/* ---- Reshapes: all dimensions of 12 and of 16 elements up to rank 4, in all orders ---- */

static placed_shape shapes[MAX_SHAPES];

static int32_t collect(int64_t elements) {
  int32_t count = 0;
  for (int32_t rank = 0; rank <= 4; ++rank) {
    for (int32_t sizes = 0; sizes < power((int32_t)elements, rank); ++sizes) {
      int64_t dimensions[4];
      int64_t product = 1;
      for (int32_t d = 0, rest = sizes; d < rank; ++d, rest /= (int32_t)elements) {
        dimensions[d] = rest % (int32_t)elements + 1;
        product *= dimensions[d];
      }
      for (int32_t code = 0; product == elements && code < power(rank, rank); ++code) {
        int32_t order[4];
        relayout_layout layout;
        if (!order_of(code, rank, order)) {
          continue;
        }
        assert_true(count < MAX_SHAPES);
        assert_int_equal(relayout_layout_make(rank, order, &layout, NULL), RELAYOUT_OK);
        assert_int_equal(relayout_shape_make_with_layout(RELAYOUT_U8, rank, dimensions, &layout,
                                                         &shapes[count].shape, NULL),
                         RELAYOUT_OK);
        place(&shapes[count++]);
      }
    }
  }
  return count;
}

static void test_every_reshape(void **state) {
  (void)state;
  static const int64_t sizes[] = {1, 6, 8, 12};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
    const int32_t count = collect(sizes[s]);
    int64_t bitcasts = 0;
    for (int32_t i = 0; i < count; ++i) {
      for (int32_t j = 0; j < count; ++j) {
        const bool expected = memcmp(shapes[i].places, shapes[j].places,
                                     (size_t)sizes[s] * sizeof shapes[i].places[0]) == 0;
        bitcasts += expected;
        if (relayout_shape_reshape_is_bitcast(&shapes[i].shape, &shapes[j].shape) != expected) {
          print_pair(&shapes[i].shape, &shapes[j].shape);
          fail();
        }
      }
    }
    assert_true(bitcasts >= count);
  }
}

typedef struct reshape_case {
  const char *input;
  const char *output;
  bool bitcast;
} reshape_case;

static const reshape_case reshape_cases[] = {
    {"f32[2,3]{1,0}", "f32[6]{0}", true},
    {"f32[2,3]{0,1}", "f32[6]{0}", false},
    {"f32[2,3]{0,1}", "f32[2,1,3]{1,0,2}", true},
    {"f32[4,6]{1,0}", "f32[6,4]{1,0}", true},
    {"f32[4,6]{1,0}", "s32[6,4]{1,0}", false},
    {"f32[4,6]{1,0}", "f32[6,5]{1,0}", false},
    {"f32[]", "f32[1,1]{0,1}", true},
    {"f32[0,3]{0,1}", "f32[7,0]{1,0}", true},
    {"f32[2,3]{1,0:PD(2,4)}", "f32[6]{0}", false},
    {"f32[2,3]{1,0:PD(2,4)}", "f32[2,3]{1,0:PD(2,4)}", true},
    {"f32[2,3]{1,0:PD(2,3)}", "f32[6]{0}", true},
    {"f32[2,3]{1,0:PD(2,4)}", "f32[2,1,3]{2,1,0:PD(2,1,4)}", false},
    {"f32[2,3]{1,0:T(2,2)}", "f32[2,3]{1,0:T(2,2)}", true},
    {"f32[2,3]{1,0:T(2,2)}", "f32[2,3]{1,0}", false},
    {"f32[2,3]{1,0:T(2,2)}", "f32[2,3]{0,1:T(2,2)}", false},
    {"f32[2,3]{1,0:T(2,2)}", "f32[6]{0:T(2,2)}", false},
    {"s4[2,4]{1,0:E(4)}", "s4[8]{0:E(4)}", true},
    {"s4[2,4]{1,0:E(4)}", "s4[8]{0}", false},
    {"s4[2,4]{1,0:PO(high)E(4)}", "s4[8]{0:PO(high)E(4)}", true},
    {"s4[2,4]{1,0:PO(high)E(4)}", "s4[8]{0:E(4)}", false},
    {"s4[2,4]{1,0:E(8)}", "s4[8]{0}", true},
    {"s4[2,4]{0,1:E(4)}", "s4[8]{0:E(4)}", false},
    {"u1[2,4]{1,0:E(1)}", "u1[8]{0:E(2)}", false},
    {"u8[2,4]{1,0:E(32)}", "u8[8]{0:E(32)}", true},
    {"u8[2,4]{1,0:E(32)}", "u8[8]{0:E(16)}", false},
    {"u8[2,4]{1,0:E(32)}", "u8[8]{0}", false},
    {"f32[2,3]{1,0:L(8)}", "f32[6]{0:L(8)}", true},
    {"f32[2,3]{1,0:L(8)}", "f32[6]{0:L(4)}", true},
    {"f32[2,3]{1,0:L(8)}", "f32[6]{0:L(2)}", false},
    {"f32[2,3]{1,0:S(1)}", "f32[6]{0}", true},
};

static void test_reshape_by_hand(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof reshape_cases / sizeof reshape_cases[0]; ++i) {
    const reshape_case *const c = &reshape_cases[i];
    const relayout_shape input = shape_of(c->input);
    const relayout_shape output = shape_of(c->output);
    if (relayout_shape_reshape_is_bitcast(&input, &output) != c->bitcast ||
        relayout_shape_reshape_is_bitcast(&output, &input) != c->bitcast) {
      fail_msg("%s and %s", c->input, c->output);
    }
  }
}

/* ---- Transposes: dimensions of 1, 2 and 3, padded and not, in all orders of rank 3 ---- */

static relayout_shape padded_shape(const int64_t *dimensions, const int64_t *widths,
                                   const int32_t *order) {
  relayout_shape shape = {.element_type = RELAYOUT_U8, .rank = 3};
  shape.layout.rank = shape.layout.padded_dimension_count = 3;
  for (int32_t d = 0; d < 3; ++d) {
    shape.dimensions[d] = dimensions[d];
    shape.layout.padded_dimensions[d] = widths[d];
    shape.layout.minor_to_major[d] = order[d];
  }
  return shape;
}

/* Every element of the input lies where its transposed element lies in the output. */
static bool keeps_places(const relayout_shape *input, const relayout_shape *output,
                         const int32_t *permutation) {
  int64_t index[3] = {0};
  do {
    const int64_t moved[] = {index[permutation[0]], index[permutation[1]], index[permutation[2]]};
    int64_t from;
    int64_t to;
    assert_int_equal(relayout_index_to_linear(input, index, &from, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_index_to_linear(output, moved, &to, NULL), RELAYOUT_OK);
    if (from != to) {
      return false;
    }
  } while (relayout_index_bump(input, index));
  return true;
}

static void check_transposes(const int64_t *dimensions, const int64_t *widths) {
  int32_t orders[6][3];
  int32_t count = 0;
  for (int32_t code = 0; code < 27; ++code) {
    int32_t order[3];
    if (order_of(code, 3, order)) {
      memcpy(orders[count++], order, sizeof order);
    }
  }
  assert_int_equal(count, 6);
  for (int32_t i = 0; i < 6 * 6 * 6; ++i) {
    const int32_t *const permutation = orders[i % 6];
    const int64_t moved[] = {dimensions[permutation[0]], dimensions[permutation[1]],
                             dimensions[permutation[2]]};
    const int64_t moved_widths[] = {widths[permutation[0]], widths[permutation[1]],
                                    widths[permutation[2]]};
    const relayout_shape input = padded_shape(dimensions, widths, orders[i / 6 % 6]);
    const relayout_shape output = padded_shape(moved, moved_widths, orders[i / 36]);
    const bool expected = keeps_places(&input, &output, permutation);
    if (relayout_shape_transpose_is_bitcast(&input, &output, permutation) != expected) {
      print_pair(&input, &output);
      fail_msg("permutation %d,%d,%d", permutation[0], permutation[1], permutation[2]);
    }
  }
}

static void test_every_transpose(void **state) {
  (void)state;
  for (int32_t code = 0; code < 27 * 8; ++code) {
    const int64_t dimensions[] = {code % 3 + 1, code / 3 % 3 + 1, code / 9 % 3 + 1};
    const int64_t widths[] = {dimensions[0] + (code / 27 & 1), dimensions[1] + (code / 54 & 1),
                              dimensions[2] + (code / 108 & 1)};
    check_transposes(dimensions, widths);
  }
}

typedef struct transpose_case {
  const char *input;
  const char *output;
  int32_t permutation[3];
  bool bitcast;
} transpose_case;

static const transpose_case transpose_cases[] = {
    {"f32[2,3]{1,0}", "f32[3,2]{0,1}", {1, 0}, true},
    {"f32[2,3]{1,0}", "f32[3,2]{1,0}", {1, 0}, false},
    {"f32[2,3]{1,0}", "s32[3,2]{0,1}", {1, 0}, false},
    {"f32[2,3]{1,0}", "f32[2,3]{1,0}", {1, 0}, false}, /* the dimensions do not agree */
    {"f32[2,2]{1,0}", "f32[2,2]{0,1}", {1, 1}, false},
    {"f32[2,2]{1,0}", "f32[2,2]{0,1}", {2, 0}, false},
    {"f32[2]{0}", "f32[2,1]{1,0}", {0}, false},
    {"f32[]", "f32[]", {0}, true},
    {"f32[1,5]{1,0}", "f32[5,1]{1,0}", {1, 0}, true},
    {"f32[0,5]{1,0}", "f32[5,0]{1,0}", {1, 0}, true},
    {"f32[2,3]{1,0:PD(2,4)}", "f32[3,2]{0,1}", {1, 0}, false},
    {"f32[2,3]{1,0:PD(2,4)}", "f32[3,2]{0,1:PD(4,2)PV(one)}", {1, 0}, true},
    {"f32[2,3]{1,0:T(2,2)}", "f32[3,2]{0,1:T(2,2)}", {1, 0}, true},
    {"f32[2,3]{1,0:T(2,2)}", "f32[3,2]{0,1}", {1, 0}, false},
    {"f32[2,3]{1,0:T(2,2)}", "f32[3,2]{1,0:T(2,2)}", {1, 0}, false},
    {"f32[1,3]{1,0:T(2,2)}", "f32[3,1]{1,0:T(2,2)}", {1, 0}, false},
    {"s4[2,3]{1,0:E(4)}", "s4[3,2]{0,1:E(4)}", {1, 0}, true},
    {"s4[2,3]{1,0:E(4)}", "s4[3,2]{0,1}", {1, 0}, false},
    {"s4[2,3]{1,0:PO(high)E(4)}", "s4[3,2]{0,1:PO(high)E(4)}", {1, 0}, true},
    {"s4[2,3]{1,0:E(4)}", "s4[3,2]{0,1:PO(high)E(4)}", {1, 0}, false},
    {"s4[2,3]{1,0:E(8)}", "s4[3,2]{0,1}", {1, 0}, true},
    {"s4[2,3]{1,0:E(4)}", "s4[3,2]{1,0:E(4)}", {1, 0}, false},
    {"s4[2,3]{1,0:E(32)}", "s4[3,2]{0,1:E(32)}", {1, 0}, true},
    {"s4[2,3]{1,0:E(32)}", "s4[3,2]{0,1}", {1, 0}, false},
    {"f32[2,3]{1,0:L(8)}", "f32[3,2]{0,1:L(16)}", {1, 0}, false},
    {"f32[2,3]{1,0:T(2,2)(2,1)}", "f32[3,2]{0,1:T(2,2)(2,1)}", {1, 0}, true},
    {"f32[2,3]{1,0:T(2,2)(2,1)}", "f32[3,2]{0,1:T(2,2)}", {1, 0}, false},
    {"f32[2,3]{1,0:T(2,2)}", "f32[3,2]{0,1:T(2,2)L(16)}", {1, 0}, false},
    {"f32[2,3]{1,0:T(2,2)}", "f32[3,2]{0,1:T(2,2)L(8)}", {1, 0}, true},
    {"f32[2,3]{1,0:L(8)}", "f32[3,2]{0,1:L(8)}", {1, 0}, true},
};

static void test_transpose_by_hand(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof transpose_cases / sizeof transpose_cases[0]; ++i) {
    const transpose_case *const c = &transpose_cases[i];
    const relayout_shape input = shape_of(c->input);
    const relayout_shape output = shape_of(c->output);
    if (relayout_shape_transpose_is_bitcast(&input, &output, c->permutation) != c->bitcast) {
      fail_msg("%s and %s", c->input, c->output);
    }
  }
  const relayout_shape shape = shape_of("f32[2]");
  assert_false(relayout_shape_transpose_is_bitcast(&shape, &shape, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_reshape),
      cmocka_unit_test(test_reshape_by_hand),
      cmocka_unit_test(test_every_transpose),
      cmocka_unit_test(test_transpose_by_hand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
