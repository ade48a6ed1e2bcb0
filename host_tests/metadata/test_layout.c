/* test_layout.c: layouts: making, asking, comparing and changing them. */
#include "cmocka_all.h"

#include <string.h>

#include "relayout/layout.h"
#include "relayout/shape.h"

static relayout_layout of_order(int32_t rank, const int32_t *minor_to_major) {
  relayout_layout layout;
  assert_int_equal(relayout_layout_make(rank, minor_to_major, &layout, NULL), RELAYOUT_OK);
  return layout;
}

static void assert_order(const relayout_layout *layout, int32_t rank, const int32_t *expected) {
  assert_int_equal(layout->rank, rank);
  for (int32_t i = 0; i < rank; ++i) {
    assert_int_equal(layout->minor_to_major[i], expected[i]);
  }
}

/* The default layouts of the XLA documentation: R2 {1,0}, R3 {2,1,0}, R4 {3,2,1,0}. */
static void test_default_layouts(void **state) {
  (void)state;
  for (int32_t rank = 0; rank <= RELAYOUT_MAX_RANK; ++rank) {
    relayout_layout descending;
    relayout_layout ascending;
    assert_int_equal(relayout_layout_make_descending(rank, &descending, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_layout_make_ascending(rank, &ascending, NULL), RELAYOUT_OK);
    assert_int_equal(descending.rank, rank);
    for (int32_t i = 0; i < rank; ++i) {
      assert_int_equal(descending.minor_to_major[i], rank - 1 - i);
      assert_int_equal(ascending.minor_to_major[i], i);
    }
    assert_true(relayout_layout_is_monotonic_with_dim0_major(&descending));
    assert_true(relayout_layout_is_monotonic_with_dim0_minor(&ascending));
    assert_int_equal(relayout_layout_is_monotonic_with_dim0_minor(&descending), rank < 2);
    assert_int_equal(relayout_layout_is_monotonic_with_dim0_major(&ascending), rank < 2);
    assert_int_equal(relayout_layout_equal(&descending, &ascending), rank < 2);
  }
}

static void test_major_to_minor(void **state) {
  (void)state;
  const int32_t major_to_minor[] = {2, 0, 1};
  const int32_t minor_to_major[] = {1, 0, 2};
  relayout_layout layout;
  assert_int_equal(relayout_layout_make_from_major_to_minor(3, major_to_minor, &layout, NULL),
                   RELAYOUT_OK);
  assert_order(&layout, 3, minor_to_major);
}

typedef struct make_refusal {
  int32_t rank;
  int32_t order[4];
  const char *message;
} make_refusal;

static const make_refusal make_refusals[] = {
    {-1, {0}, "rank is -1; expected 0 to 64"},
    {INT32_MIN, {0}, "rank is -2147483648; expected 0 to 64"},
    {65, {0}, "rank is 65; expected 0 to 64"},
    {INT32_MAX, {0}, "rank is 2147483647; expected 0 to 64"},
    {3, {0, 1, 1}, "[2] is 1, which is listed twice"},
    {3, {0, 3, 1}, "[1] is 3; expected 0 to 2"},
    {3, {-1, 2, 1}, "[0] is -1; expected 0 to 2"},
};

static void test_make_refusals(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof make_refusals / sizeof make_refusals[0]; ++i) {
    const make_refusal *const c = &make_refusals[i];
    relayout_layout layout = {.rank = 42};
    relayout_error error;
    assert_int_equal(relayout_layout_make(c->rank, c->order, &layout, &error),
                     RELAYOUT_INVALID_SHAPE);
    assert_non_null(strstr(error.message, c->message));
    assert_int_equal(relayout_layout_make_from_major_to_minor(c->rank, c->order, &layout, &error),
                     RELAYOUT_INVALID_SHAPE);
    assert_non_null(strstr(error.message, c->message));
    assert_int_equal(layout.rank, 42);
    if (c->rank < 0 || c->rank > RELAYOUT_MAX_RANK) {
      assert_int_equal(relayout_layout_make_descending(c->rank, &layout, NULL),
                       RELAYOUT_INVALID_SHAPE);
      assert_int_equal(relayout_layout_make_ascending(c->rank, &layout, NULL),
                       RELAYOUT_INVALID_SHAPE);
    }
  }
}

/* {2,0,3,1} is, from major to minor, 1 3 0 2. */
static void test_positions(void **state) {
  (void)state;
  const relayout_layout layout = of_order(4, (const int32_t[]){2, 0, 3, 1});
  const int32_t majors[] = {1, 3, 0, 2};
  const int32_t expected_physical[] = {2, 0, 3, 1};
  int32_t physical[4];
  for (int32_t p = 0; p < 4; ++p) {
    int32_t dimension;
    assert_int_equal(relayout_layout_major(&layout, p, &dimension, NULL), RELAYOUT_OK);
    assert_int_equal(dimension, majors[p]);
    assert_int_equal(relayout_layout_minor(&layout, p, &dimension, NULL), RELAYOUT_OK);
    assert_int_equal(dimension, majors[3 - p]);
  }
  assert_int_equal(relayout_layout_make_logical_to_physical(&layout, physical, NULL), RELAYOUT_OK);
  assert_memory_equal(physical, expected_physical, sizeof physical);

  relayout_error error;
  int32_t dimension = 42;
  assert_int_equal(relayout_layout_major(&layout, 4, &dimension, &error), RELAYOUT_OUT_OF_RANGE);
  assert_string_equal(error.message, "position is 4, out of range for a layout of 4 dimensions");
  assert_int_equal(relayout_layout_minor(&layout, -1, &dimension, &error), RELAYOUT_OUT_OF_RANGE);
  assert_string_equal(error.message, "position is -1, out of range for a layout of 4 dimensions");
  assert_int_equal(dimension, 42);
}

typedef struct consecutive_case {
  int32_t count;
  int32_t dimensions[4];
  bool consecutive;
} consecutive_case;

/* Of {2,0,3,1}. */
static const consecutive_case consecutive_cases[] = {
    {0, {0}, true},          {1, {3}, true},       {2, {0, 2}, true},    {2, {3, 0}, true},
    {2, {1, 2}, false},      {3, {3, 2, 0}, true}, {3, {0, 1, 3}, true}, {3, {2, 0, 1}, false},
    {4, {0, 1, 2, 3}, true}, {2, {0, 0}, false},   {1, {4}, false},      {1, {-1}, false},
    {-1, {0}, false},        {2, {0, 4}, false},
};

static void test_consecutive(void **state) {
  (void)state;
  const relayout_layout layout = of_order(4, (const int32_t[]){2, 0, 3, 1});
  for (size_t i = 0; i < sizeof consecutive_cases / sizeof consecutive_cases[0]; ++i) {
    const consecutive_case *const c = &consecutive_cases[i];
    if (relayout_layout_are_dimensions_consecutive(&layout, c->count, c->dimensions) !=
        c->consecutive) {
      fail_msg("case %zu", i);
    }
  }
  assert_false(relayout_layout_are_dimensions_consecutive(&layout, 65, NULL));
  assert_false(relayout_layout_are_dimensions_consecutive(NULL, 0, NULL));
}

static void test_moves(void **state) {
  (void)state;
  const relayout_layout layout = of_order(4, (const int32_t[]){2, 0, 3, 1});
  relayout_layout moved;
  assert_int_equal(relayout_layout_move_dimension_to_major(&layout, 0, &moved, NULL), RELAYOUT_OK);
  assert_order(&moved, 4, (const int32_t[]){2, 3, 1, 0});
  assert_int_equal(relayout_layout_move_dimension_to_minor(&layout, 3, &moved, NULL), RELAYOUT_OK);
  assert_order(&moved, 4, (const int32_t[]){3, 2, 0, 1});
  moved = layout;
  assert_int_equal(relayout_layout_move_dimension_to_minor(&moved, 1, &moved, NULL), RELAYOUT_OK);
  assert_order(&moved, 4, (const int32_t[]){1, 2, 0, 3});
  assert_int_equal(relayout_layout_move_dimension_to_major(&moved, 3, &moved, NULL), RELAYOUT_OK);
  assert_order(&moved, 4, (const int32_t[]){1, 2, 0, 3});

  relayout_error error;
  assert_int_equal(relayout_layout_move_dimension_to_major(&layout, 4, &moved, &error),
                   RELAYOUT_OUT_OF_RANGE);
  assert_string_equal(error.message, "dimension is 4, out of range for a layout of 4 dimensions");
  assert_int_equal(relayout_layout_move_dimension_to_minor(&layout, -1, &moved, &error),
                   RELAYOUT_OUT_OF_RANGE);
}

typedef struct equality_case {
  const char *a;
  const char *b;
  bool equal;
} equality_case;

static const equality_case equality_cases[] = {
    {"{1,0}", "{1,0}", true},
    {"{1,0}", "{0,1}", false},
    {"{1,0}", "{1,0:PV(0)L(1)E(0)S(0)}", true},
    {"{1,0:PD(2,3)}", "{1,0:PD(2,3)}", true},
    {"{1,0:PD(2,3)}", "{1,0:PD(2,4)}", false},
    {"{1,0:PD(2,3)}", "{1,0}", false},
    {"{1,0:PV(one)}", "{1,0}", false},
    {"{1,0:PV(2)}", "{1,0:PV(2)}", true},
    {"{1,0:PV(2)}", "{1,0:PV(3)}", false},
    {"{1,0:T(8,128)}", "{1,0:T(8,128)}", true},
    {"{1,0:T(8,128)}", "{1,0:T(8)(128)}", false},
    {"{1,0:T(8,128)}", "{1,0:T(8,64)}", false},
    {"{1,0:T(8,128)}", "{1,0:T(8,128)(1)}", false},
    {"{1,0:T(*,8)}", "{1,0:T(1,8)}", false},
    {"{1,0:L(2)}", "{1,0:L(4)}", false},
    {"{1,0:E(32)}", "{1,0:E(32)}", true},
    {"{1,0:E(32)}", "{1,0}", false}, /* a layout does not know that they are f32's */
    {"{1,0:S(1)}", "{1,0}", false},
};

static void test_equality(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof equality_cases / sizeof equality_cases[0]; ++i) {
    const equality_case *const c = &equality_cases[i];
    relayout_layout a;
    relayout_layout b;
    assert_int_equal(relayout_layout_parse(c->a, RELAYOUT_F32, 2, &a, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_layout_parse(c->b, RELAYOUT_F32, 2, &b, NULL), RELAYOUT_OK);
    if (relayout_layout_equal(&a, &b) != c->equal || relayout_layout_equal(&b, &a) != c->equal) {
      fail_msg("%s and %s", c->a, c->b);
    }
  }
}

/* Entries beyond the counts, a literal that no value calls for, and defaults written otherwise. */
static void test_meaningless_differences(void **state) {
  (void)state;
  const int32_t order[] = {1, 0};
  const relayout_layout plain = of_order(2, order);
  relayout_layout other = plain;
  other.minor_to_major[2] = 7;
  other.padded_dimensions[0] = 9;
  other.padding_literal[3] = 1;
  other.tile_ranks[0] = 3;
  other.tile_dimensions[5] = 1;
  other.tail_padding_alignment_in_elements = 1;
  assert_true(relayout_layout_equal(&plain, &other));
  other = plain;
  other.padding_value = RELAYOUT_PADDING_LITERAL;
  assert_true(relayout_layout_equal(&plain, &other));
  other.padding_literal[15] = 1;
  assert_false(relayout_layout_equal(&plain, &other));
  other = plain;
  other.element_size_in_bits = 4;
  assert_true(relayout_layout_equal(&other, &other));
  assert_false(relayout_layout_equal(&plain, &other));
  relayout_layout high = other;
  high.packing_order = RELAYOUT_PACKING_HIGH_FIRST;
  assert_true(relayout_layout_equal(&high, &high));
  assert_false(relayout_layout_equal(&high, &other));
  high.packing_order = (relayout_packing_order)2;
  assert_false(relayout_layout_equal(&high, &high));
  other.element_size_in_bits = 32;
  assert_false(relayout_layout_equal(&plain, &other));
  other.element_size_in_bits = -4;
  assert_false(relayout_layout_equal(&other, &other));
}

static void test_untiled(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool untiled;
  } cases[] = {{"{0}", true},       {"{0:PD(7)PV(one)S(3)}", true},
               {"{0:L(1)}", true},  {"{0:L(2)}", false},
               {"{0:T(4)}", false}, {"{0:E(4)}", false},
               {"{0:E(8)}", true},  {"{0:E(32)}", true}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_layout layout;
    assert_int_equal(relayout_layout_parse(cases[i].text, RELAYOUT_S4, 1, &layout, NULL),
                     RELAYOUT_OK);
    assert_int_equal(relayout_layout_is_untiled(&layout), cases[i].untiled);
    assert_int_equal(relayout_layout_is_packed(&layout), strcmp(cases[i].text, "{0:E(4)}") == 0);
  }
}

/* No function trusts a count. */
static void test_garbage(void **state) {
  (void)state;
  for (int byte = 1; byte < 256; ++byte) {
    relayout_layout garbage;
    memset(&garbage, byte, sizeof garbage);
    relayout_layout result;
    int32_t numbers[RELAYOUT_MAX_RANK] = {0};
    assert_false(relayout_layout_equal(&garbage, &garbage));
    assert_false(relayout_layout_is_monotonic_with_dim0_major(&garbage));
    assert_false(relayout_layout_is_monotonic_with_dim0_minor(&garbage));
    assert_false(relayout_layout_are_dimensions_consecutive(&garbage, 1, numbers));
    assert_int_equal(relayout_layout_major(&garbage, 0, numbers, NULL), RELAYOUT_INVALID_SHAPE);
    assert_int_equal(relayout_layout_minor(&garbage, 0, numbers, NULL), RELAYOUT_INVALID_SHAPE);
    assert_int_equal(relayout_layout_make_logical_to_physical(&garbage, numbers, NULL),
                     RELAYOUT_INVALID_SHAPE);
    assert_int_equal(relayout_layout_move_dimension_to_major(&garbage, 0, &result, NULL),
                     RELAYOUT_INVALID_SHAPE);
    assert_int_equal(relayout_layout_format(&garbage, RELAYOUT_F32, NULL, 0), 0);
  }
}

static void test_null_arguments(void **state) {
  (void)state;
  relayout_layout layout = {0};
  int32_t number;
  const int32_t order[] = {0};
  const relayout_layout one = of_order(1, order);
  const relayout_status null = RELAYOUT_INVALID_ARGUMENT;
  relayout_error error;
  assert_int_equal(relayout_layout_make(1, NULL, &layout, &error), null);
  assert_string_equal(error.message, "minor_to_major is NULL, but the rank is 1");
  assert_int_equal(relayout_layout_make(1, order, NULL, &error), null);
  assert_string_equal(error.message, "layout is NULL");
  assert_int_equal(relayout_layout_make(0, NULL, &layout, &error), RELAYOUT_OK);
  assert_int_equal(relayout_layout_make_from_major_to_minor(1, NULL, &layout, &error), null);
  assert_string_equal(error.message, "major_to_minor is NULL, but the rank is 1");
  assert_int_equal(relayout_layout_make_ascending(1, NULL, &error), null);
  assert_int_equal(relayout_layout_make_descending(1, NULL, &error), null);
  assert_false(relayout_layout_equal(NULL, &one));
  assert_false(relayout_layout_equal(&one, NULL));
  assert_false(relayout_layout_is_untiled(NULL));
  assert_false(relayout_layout_is_packed(NULL));
  assert_false(relayout_layout_is_monotonic_with_dim0_major(NULL));
  assert_int_equal(relayout_layout_major(NULL, 0, &number, &error), null);
  assert_int_equal(relayout_layout_minor(&one, 0, NULL, &error), null);
  assert_string_equal(error.message, "dimension is NULL");
  assert_int_equal(relayout_layout_make_logical_to_physical(&one, NULL, &error), null);
  assert_string_equal(error.message, "physical is NULL");
  assert_int_equal(relayout_layout_make_logical_to_physical(NULL, &number, &error), null);
  assert_int_equal(relayout_layout_move_dimension_to_major(NULL, 0, &layout, &error), null);
  assert_int_equal(relayout_layout_move_dimension_to_minor(&one, 0, NULL, &error), null);
  assert_string_equal(error.message, "result is NULL");
  uint8_t bytes[RELAYOUT_MAX_ELEMENT_SIZE];
  assert_int_equal(relayout_layout_padding_bytes(NULL, RELAYOUT_U8, bytes, &error), null);
  assert_int_equal(relayout_layout_padding_bytes(&one, RELAYOUT_U8, NULL, &error), null);
  assert_string_equal(error.message, "bytes is NULL");
}

/* As XLA's LayoutProto has it; what is refused is left as it was. */
static void test_make_tiled(void **state) {
  (void)state;
  static const int64_t order[] = {1, 0};
  static const int64_t tiles[] = {8, 128, RELAYOUT_TILE_COMBINE, 4};
  static const size_t ranks[] = {2, 2};
  relayout_layout layout;
  assert_int_equal(relayout_layout_make_tiled(2, order, 2, ranks, tiles, &layout, NULL),
                   RELAYOUT_OK);
  layout.element_size_in_bits = 4;
  char text[128];
  relayout_shape shape = {.element_type = RELAYOUT_S4, .rank = 2, .dimensions = {9, 9}};
  shape.layout = layout;
  relayout_shape_format(&shape, text, sizeof text);
  assert_string_equal(text, "s4[9,9]{1,0:T(8,128)(*,4)E(4)}");
  assert_int_equal(relayout_layout_make_tiled(0, NULL, 0, NULL, NULL, &layout, NULL), RELAYOUT_OK);
  assert_int_equal(layout.rank, 0);
  static const int64_t zero[] = {0};
  static const size_t one[] = {1};
  relayout_error error;
  assert_int_equal(relayout_layout_make_tiled(2, order, 1, one, zero, &layout, &error),
                   RELAYOUT_INVALID_SHAPE);
  assert_int_equal(relayout_layout_make_tiled(2, NULL, 0, NULL, NULL, &layout, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_layout_make_tiled(2, order, 0, NULL, NULL, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_layout_make_tiled(-1, order, 0, NULL, NULL, &layout, &error),
                   RELAYOUT_INVALID_SHAPE);
  assert_int_equal(layout.rank, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_make_tiled),
      cmocka_unit_test(test_default_layouts),
      cmocka_unit_test(test_major_to_minor),
      cmocka_unit_test(test_make_refusals),
      cmocka_unit_test(test_positions),
      cmocka_unit_test(test_consecutive),
      cmocka_unit_test(test_moves),
      cmocka_unit_test(test_equality),
      cmocka_unit_test(test_meaningless_differences),
      cmocka_unit_test(test_untiled),
      cmocka_unit_test(test_garbage),
      cmocka_unit_test(test_null_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
