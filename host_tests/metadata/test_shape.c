/* test_shape.c: shapes: the rules they obey, comparing and measuring them. */
#include "cmocka_all.h"

#include <string.h>

#include "relayout/index.h"
#include "shape_of.h"

/* ---- Making ---- */

static void test_make(void **state) {
  (void)state;
  const int64_t dimensions[] = {2, 3};
  relayout_shape shape;
  assert_int_equal(relayout_shape_make(RELAYOUT_BF16, 2, dimensions, &shape, NULL), RELAYOUT_OK);
  const relayout_shape expected = shape_of("bf16[2,3]{1,0}");
  assert_true(relayout_shape_equal(&shape, &expected));

  const relayout_shape padded = shape_of("bf16[2,3]{0,1:PD(3,5)PV(one)}");
  assert_int_equal(
      relayout_shape_make_with_layout(RELAYOUT_BF16, 2, dimensions, &padded.layout, &shape, NULL),
      RELAYOUT_OK);
  assert_true(relayout_shape_equal(&shape, &padded));
  assert_int_equal(relayout_shape_make(RELAYOUT_PRED, 0, NULL, &shape, NULL), RELAYOUT_OK);
  assert_int_equal(shape.rank, 0);
}

static void test_make_refusals(void **state) {
  (void)state;
  const int64_t dimensions[] = {2, 3};
  const relayout_layout scalar = {0};
  relayout_shape shape;
  memset(&shape, 0x77, sizeof shape);
  const relayout_shape before = shape;
  relayout_error error;
  assert_int_equal(relayout_shape_make(RELAYOUT_F32, 65, dimensions, &shape, &error),
                   RELAYOUT_INVALID_SHAPE);
  assert_string_equal(error.message, "rank is 65; expected 0 to 64");
  assert_int_equal(relayout_shape_make(RELAYOUT_F32, -1, dimensions, &shape, &error),
                   RELAYOUT_INVALID_SHAPE);
  assert_int_equal(relayout_shape_make(RELAYOUT_F32, 2, NULL, &shape, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "dimensions is NULL, but the rank is 2");
  assert_int_equal(relayout_shape_make((relayout_element_type)13, 2, dimensions, &shape, &error),
                   RELAYOUT_INVALID_SHAPE);
  assert_string_equal(error.message, "element_type is 13, which is not an element type");
  assert_int_equal(
      relayout_shape_make_with_layout(RELAYOUT_F32, 2, dimensions, &scalar, &shape, &error),
      RELAYOUT_INVALID_SHAPE);
  assert_string_equal(error.message, "the layout orders 0 dimensions, but the shape has 2");
  assert_int_equal(
      relayout_shape_make_with_layout(RELAYOUT_F32, 99, dimensions, &scalar, &shape, &error),
      RELAYOUT_INVALID_SHAPE);
  assert_int_equal(
      relayout_shape_make_with_layout(RELAYOUT_F32, 2, dimensions, NULL, &shape, &error),
      RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "layout is NULL");
  assert_memory_equal(&shape, &before, sizeof shape);
  assert_int_equal(relayout_shape_make(RELAYOUT_F32, 2, dimensions, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "shape is NULL");
}

/* ---- Rules: one field of a good shape is spoilt at a time ---- */

typedef struct spoilt {
  void (*spoil)(relayout_shape *shape);
  relayout_status status;
  const char *message;
} spoilt;

#define SPOIL(name, statement)                                                                     \
  static void name(relayout_shape *shape) {                                                        \
    relayout_layout *const layout = &shape->layout;                                                \
    (void)layout;                                                                                  \
    statement;                                                                                     \
  }

SPOIL(type_unknown, shape->element_type = (relayout_element_type)-7)
SPOIL(rank_negative, shape->rank = -1)
SPOIL(rank_large, shape->rank = INT32_MAX)
SPOIL(dimension_negative, shape->dimensions[1] = -3)
SPOIL(layout_rank, layout->rank = 3)
SPOIL(layout_rank_huge, layout->rank = INT32_MAX)
SPOIL(order_twice, layout->minor_to_major[1] = 1)
SPOIL(order_large, layout->minor_to_major[0] = INT32_MAX)
SPOIL(padded_count, layout->padded_dimension_count = 1)
SPOIL(padded_count_huge, layout->padded_dimension_count = INT32_MAX)
SPOIL(padded_count_negative, layout->padded_dimension_count = -2)
SPOIL(padded_small, layout->padded_dimensions[1] = 4)
SPOIL(padded_negative, layout->padded_dimensions[0] = INT64_MIN)
SPOIL(padded_overflow, layout->padded_dimensions[0] = INT64_MAX)
SPOIL(value_unknown, layout->padding_value = (relayout_padding_value)-1)
SPOIL(value_large, layout->padding_value = (relayout_padding_value)6)
SPOIL(literal_wide, (shape->element_type = RELAYOUT_S4, layout->padding_literal[0] = 0x10,
                     layout->padding_value = RELAYOUT_PADDING_LITERAL))
SPOIL(tiles_many, layout->tile_count = 17)
SPOIL(tiles_negative, layout->tile_count = -1)
SPOIL(tile_rank_none, layout->tile_ranks[0] = 0)
SPOIL(tile_rank_huge, layout->tile_ranks[1] = INT32_MAX)
SPOIL(tile_ranks_many, layout->tile_ranks[1] = 127)
SPOIL(tile_zero, layout->tile_dimensions[0] = 0)
SPOIL(tile_negative, layout->tile_dimensions[2] = -1)
SPOIL(tile_combine_last, layout->tile_dimensions[1] = RELAYOUT_TILE_COMBINE)
SPOIL(alignment_negative, layout->tail_padding_alignment_in_elements = -1)
SPOIL(element_size_negative, layout->element_size_in_bits = -8)
SPOIL(element_size_odd, layout->element_size_in_bits = 31)
SPOIL(element_size_small, (shape->element_type = RELAYOUT_U4, layout->element_size_in_bits = 2))
SPOIL(order_unknown, layout->packing_order = (relayout_packing_order)2)
SPOIL(order_of_bytes, layout->packing_order = RELAYOUT_PACKING_HIGH_FIRST)
SPOIL(tile_overflow, layout->tile_dimensions[1] = INT64_MAX)
SPOIL(later_tile_overflow, layout->tile_dimensions[2] = INT64_MAX / 4)
SPOIL(alignment_overflow, layout->tail_padding_alignment_in_elements = INT64_MAX)

static const spoilt spoilt_shapes[] = {
    {type_unknown, RELAYOUT_INVALID_SHAPE, "element_type is "},
    {rank_negative, RELAYOUT_INVALID_SHAPE, "rank is -1; expected 0 to 64"},
    {rank_large, RELAYOUT_INVALID_SHAPE, "rank is 2147483647; expected 0 to 64"},
    {dimension_negative, RELAYOUT_INVALID_SHAPE, "dimensions[1] is -3; expected 0 or more"},
    {layout_rank, RELAYOUT_INVALID_SHAPE, "the layout orders 3 dimensions, but the shape has 2"},
    {layout_rank_huge, RELAYOUT_INVALID_SHAPE, "the layout orders 2147483647 dimensions"},
    {order_twice, RELAYOUT_INVALID_SHAPE, "minor_to_major[1] is 1, which is listed twice"},
    {order_large, RELAYOUT_INVALID_SHAPE, "minor_to_major[0] is 2147483647; expected 0 to 1"},
    {padded_count, RELAYOUT_INVALID_SHAPE, "padded_dimension_count is 1; expected 0 or the rank"},
    {padded_count_huge, RELAYOUT_INVALID_SHAPE, "padded_dimension_count is 2147483647"},
    {padded_count_negative, RELAYOUT_INVALID_SHAPE, "padded_dimension_count is -2"},
    {padded_small, RELAYOUT_INVALID_SHAPE,
     "padded_dimensions[1] is 4; expected at least dimensions[1], 5"},
    {padded_negative, RELAYOUT_INVALID_SHAPE, "padded_dimensions[0] is -9223372036854775808"},
    {padded_overflow, RELAYOUT_SIZE_OVERFLOW, "padded_dimensions[0], which is 9223372036854775807"},
    {value_unknown, RELAYOUT_INVALID_SHAPE, "padding_value is "},
    {value_large, RELAYOUT_INVALID_SHAPE, "padding_value is 6; expected 0 to 5"},
    {literal_wide, RELAYOUT_INVALID_SHAPE, "padding_literal is 0x10, wider than the 4 bits of s4"},
    {tiles_many, RELAYOUT_INVALID_SHAPE, "tile_count is 17; expected 0 to 16"},
    {tiles_negative, RELAYOUT_INVALID_SHAPE, "tile_count is -1; expected 0 to 16"},
    {tile_rank_none, RELAYOUT_INVALID_SHAPE, "tile_ranks[0] is 0; expected 1 to 128"},
    {tile_rank_huge, RELAYOUT_INVALID_SHAPE, "tile_ranks[1] is 2147483647; expected 1 to 126"},
    {tile_ranks_many, RELAYOUT_INVALID_SHAPE, "tile_ranks[1] is 127; expected 1 to 126"},
    {tile_zero, RELAYOUT_INVALID_SHAPE, "tile_dimensions[0] is 0; expected 1 or more, or *"},
    {tile_negative, RELAYOUT_INVALID_SHAPE, "tile_dimensions[2] is -1; expected 1 or more, or *"},
    {tile_combine_last, RELAYOUT_INVALID_SHAPE, "tile_dimensions[1] is *"},
    {alignment_negative, RELAYOUT_INVALID_SHAPE, "tail_padding_alignment_in_elements is -1"},
    {element_size_negative, RELAYOUT_INVALID_SHAPE,
     "element_size_in_bits is -8; an element of f32"},
    {element_size_odd, RELAYOUT_INVALID_SHAPE,
     "element_size_in_bits is 31; an element of f32 can take 32 bits"},
    {element_size_small, RELAYOUT_INVALID_SHAPE,
     "element_size_in_bits is 2; an element of u4 can take 4, 8, 16 or 32 bits"},
    {order_unknown, RELAYOUT_INVALID_SHAPE, "packing_order is 2; expected 0 or 1"},
    {order_of_bytes, RELAYOUT_INVALID_SHAPE,
     "packing_order is high, but element_size_in_bits is 32; expected 1, 2 or 4"},
    {tile_overflow, RELAYOUT_SIZE_OVERFLOW, "with tile 0, an array of f32 exceeds"},
    {later_tile_overflow, RELAYOUT_SIZE_OVERFLOW, "with tile 1, an array of f32 exceeds"},
    {alignment_overflow, RELAYOUT_SIZE_OVERFLOW,
     "tail_padding_alignment_in_elements, which is 9223372036854775807"},
};

static void test_rules(void **state) {
  (void)state;
  const relayout_shape good = shape_of("f32[4,5]{1,0:PD(4,6)PV(lowest)T(2,2)(2)L(4)E(32)S(1)}");
  for (size_t i = 0; i < sizeof spoilt_shapes / sizeof spoilt_shapes[0]; ++i) {
    relayout_shape shape = good;
    spoilt_shapes[i].spoil(&shape);
    relayout_error error;
    const relayout_status status = relayout_shape_validate(&shape, &error);
    if (status != spoilt_shapes[i].status ||
        strstr(error.message, spoilt_shapes[i].message) == NULL) {
      fail_msg("expected '%s', got status %d: %s", spoilt_shapes[i].message, status, error.message);
    }
  }
}

/* Every function refuses the same shapes, and none reads beyond them. */
static void assert_refused(const relayout_shape *bad) {
  relayout_shape result;
  int64_t number = 42;
  int64_t index[RELAYOUT_MAX_RANK] = {0};
  int32_t dimensions[RELAYOUT_MAX_RANK] = {0};
  size_t bytes;
  char text[4];
  assert_int_not_equal(relayout_shape_validate(bad, NULL), RELAYOUT_OK);
  assert_false(relayout_shape_equal(bad, bad));
  assert_false(relayout_shape_equal_ignoring_tiles(bad, bad));
  assert_false(relayout_shape_equal_ignoring_layout(bad, bad));
  assert_false(relayout_shape_equal_ignoring_element_type(bad, bad));
  assert_false(relayout_shape_same_dimensions(bad, bad));
  assert_false(relayout_shape_compatible(bad, bad));
  assert_int_equal(relayout_shape_true_rank(bad), 0);
  assert_int_equal(relayout_shape_padded_dimension(bad, 0), 0);
  assert_false(relayout_shape_is_padded(bad));
  assert_int_equal(relayout_shape_element_count(bad), 0);
  assert_int_not_equal(relayout_shape_dimension_number(bad, 0, dimensions, NULL), RELAYOUT_OK);
  assert_int_not_equal(relayout_shape_dimension(bad, 0, &number, NULL), RELAYOUT_OK);
  assert_int_not_equal(relayout_shape_physical_element_count(bad, &number, NULL), RELAYOUT_OK);
  assert_int_not_equal(relayout_shape_byte_size(bad, &bytes, NULL), RELAYOUT_OK);
  assert_int_not_equal(relayout_shape_padding_byte_size(bad, &bytes, NULL), RELAYOUT_OK);
  assert_int_not_equal(relayout_shape_physical_dimensions(bad, 0, NULL, &bytes, NULL), RELAYOUT_OK);
  assert_int_not_equal(relayout_shape_strides(bad, index, NULL), RELAYOUT_OK);
  assert_int_not_equal(relayout_shape_make_descending_same_physical(bad, &result, NULL),
                       RELAYOUT_OK);
  assert_int_not_equal(relayout_shape_permute_dimensions(bad, dimensions, &result, NULL),
                       RELAYOUT_OK);
  assert_int_not_equal(relayout_shape_delete_dimension(bad, 0, &result, NULL), RELAYOUT_OK);
  assert_int_not_equal(relayout_shape_insert_dimension(bad, 0, 1, &result, NULL), RELAYOUT_OK);
  assert_int_not_equal(relayout_shape_move_dimension(bad, 0, 0, &result, NULL), RELAYOUT_OK);
  assert_int_not_equal(relayout_shape_drop_degenerate_dimensions(bad, &result, NULL), RELAYOUT_OK);
  assert_false(relayout_shape_transpose_is_bitcast(bad, bad, dimensions));
  assert_false(relayout_shape_reshape_is_bitcast(bad, bad));
  assert_int_equal(relayout_shape_format(bad, text, sizeof text), 0);
  assert_string_equal(text, "");
  assert_false(relayout_index_in_bounds(bad, index));
  assert_int_not_equal(relayout_index_to_linear(bad, index, &number, NULL), RELAYOUT_OK);
  assert_int_not_equal(relayout_index_from_linear(bad, 0, index, NULL), RELAYOUT_OK);
  assert_false(relayout_index_bump(bad, index));
  assert_int_not_equal(relayout_index_dimension_stride(bad, 0, &number, NULL), RELAYOUT_OK);
  assert_int_equal(number, 42);
}

static void test_garbage(void **state) {
  (void)state;
  const relayout_shape good = shape_of("f32[4,5]{1,0:PD(4,6)PV(lowest)T(2,2)(2)L(4)E(32)S(1)}");
  for (size_t i = 0; i < sizeof spoilt_shapes / sizeof spoilt_shapes[0]; ++i) {
    relayout_shape shape = good;
    spoilt_shapes[i].spoil(&shape);
    assert_refused(&shape);
  }
  for (int byte = 1; byte < 256; ++byte) {
    relayout_shape shape;
    memset(&shape, byte, sizeof shape);
    assert_refused(&shape);
  }
  assert_refused(NULL);
}

/* ---- Comparing ---- */

enum {
  SAME = 1,
  SAME_BUT_LAYOUT = 2,
  SAME_BUT_TYPE = 4,
  SAME_DIMENSIONS = 8,
  SAME_BUT_TILES = 16,
  ALL_SAME = SAME | SAME_BUT_LAYOUT | SAME_BUT_TYPE | SAME_DIMENSIONS | SAME_BUT_TILES
};

typedef struct comparison {
  const char *a;
  const char *b;
  int same;
} comparison;

static const comparison comparisons[] = {
    {"f32[2,3]{0,1}", "f32[2,3]{0,1}", ALL_SAME},
    {"f32[2,3]{0,1}", "f32[2,3]{1,0}", SAME_BUT_LAYOUT | SAME_DIMENSIONS},
    {"f32[2,3]{0,1}", "s32[2,3]{0,1}", SAME_BUT_TYPE | SAME_DIMENSIONS},
    {"f32[2,3]{0,1}", "s32[2,3]{1,0}", SAME_DIMENSIONS},
    {"f32[2,3]{0,1}", "f32[2,4]{0,1}", 0},
    {"f32[2]{0}", "f32[2,1]{1,0}", 0},
    {"f32[]", "f32[]", ALL_SAME},
    {"f32[2,3]{0,1:PD(2,3)}", "f32[2,3]{0,1}", ALL_SAME},
    {"f32[2,3]{0,1:PD(2,4)}", "f32[2,3]{0,1}", SAME_BUT_LAYOUT | SAME_DIMENSIONS},
    {"f32[2,3]{0,1:PD(2,4)}", "f32[2,3]{0,1:PD(2,4)PV(one)}", SAME_BUT_LAYOUT | SAME_DIMENSIONS},
    {"f32[2,3]{0,1:PV(one)}", "f32[2,3]{0,1}", ALL_SAME}, /* it fills nothing */
    {"f32[2,3]{0,1:PV(one)T(2,2)}", "f32[2,3]{0,1:T(2,2)}", SAME_BUT_LAYOUT | SAME_DIMENSIONS},
    {"f32[2,3]{0,1:PV(one)L(8)}", "f32[2,3]{0,1:L(8)}", SAME_BUT_LAYOUT | SAME_DIMENSIONS},
    {"f32[2,4]{0,1:PV(one)T(2,2)}", "f32[2,4]{0,1:T(2,2)}", ALL_SAME}, /* nothing to fill */
    {"f32[2,4]{0,1:PV(one)L(8)}", "f32[2,4]{0,1:L(8)}", ALL_SAME},
    {"f32[2,4]{0,1:T(2,2)}", "f32[2,4]{0,1}", SAME_BUT_LAYOUT | SAME_DIMENSIONS | SAME_BUT_TILES},
    {"f32[2,3]{0,1:T(2,2)(2,1)}", "f32[2,3]{0,1:T(2,2)}",
     SAME_BUT_LAYOUT | SAME_DIMENSIONS | SAME_BUT_TILES},
    {"f32[2,3]{0,1:T(2,2)}", "f32[2,3]{1,0:T(2,2)}", SAME_BUT_LAYOUT | SAME_DIMENSIONS},
    {"f32[2,3]{0,1:T(2,2)L(4)}", "f32[2,3]{0,1:T(2,2)}", SAME_BUT_LAYOUT | SAME_DIMENSIONS},
    {"f32[2,3]{0,1:T(2,2)E(32)}", "f32[2,3]{0,1:T(2,2)}", ALL_SAME},
    {"f32[2,3]{0,1:T(2,2)E(32)}", "s16[2,3]{0,1:T(2,2)E(16)}", SAME_BUT_TYPE | SAME_DIMENSIONS},
    {"s4[2,3]{0,1:E(4)}", "s4[2,3]{0,1:E(8)}", SAME_BUT_LAYOUT | SAME_DIMENSIONS},
    {"s4[2,3]{0,1:PO(high)E(4)}", "s4[2,3]{0,1:E(4)}", SAME_BUT_LAYOUT | SAME_DIMENSIONS},
    {"s4[2,3]{0,1:PO(high)E(4)}", "u4[2,3]{0,1:PO(high)E(4)}", SAME_BUT_TYPE | SAME_DIMENSIONS},
    {"s4[2,3]{0,1:E(8)}", "s4[2,3]{0,1}", ALL_SAME},
    {"u8[2,3]{0,1:E(32)}", "u8[2,3]{0,1:E(32)}", ALL_SAME},
    {"u8[2,3]{0,1:E(32)}", "u8[2,3]{0,1}", SAME_BUT_LAYOUT | SAME_DIMENSIONS},
    {"u8[2,3]{0,1:E(32)}", "u8[2,3]{0,1:E(16)}", SAME_BUT_LAYOUT | SAME_DIMENSIONS},
    {"u8[2,3]{0,1:E(32)}", "pred[2,3]{0,1:E(32)}", SAME_BUT_TYPE | SAME_DIMENSIONS},
    {"u8[2,3]{0,1:E(32)}", "f32[2,3]{0,1:E(32)}", SAME_DIMENSIONS},
    {"s4[2,3]{0,1:E(4)}", "u4[2,3]{0,1:E(4)}", SAME_BUT_TYPE | SAME_DIMENSIONS},
    {"f32[2]{0:S(1)}", "f32[2]{0}", SAME_BUT_LAYOUT | SAME_DIMENSIONS},
    {"f32[2]{0:PD(3)PV(1.5)}", "f32[2]{0:PD(3)PV(1.5)}", ALL_SAME},
    {"f32[2]{0:PD(3)PV(1.5)}", "f32[2]{0:PD(3)PV(2.5)}", SAME_BUT_LAYOUT | SAME_DIMENSIONS},
    {"f32[2]{0:PD(3)PV(0)}", "f32[2]{0:PD(3)PV(zero)}", ALL_SAME},
};

static void test_comparing(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; ++i) {
    const comparison *const c = &comparisons[i];
    const relayout_shape shapes[] = {shape_of(c->a), shape_of(c->b)};
    for (int swap = 0; swap < 2; ++swap) {
      const relayout_shape *const a = &shapes[swap];
      const relayout_shape *const b = &shapes[1 - swap];
      const int same = (relayout_shape_equal(a, b) ? SAME : 0) |
                       (relayout_shape_equal_ignoring_tiles(a, b) ? SAME_BUT_TILES : 0) |
                       (relayout_shape_equal_ignoring_layout(a, b) ? SAME_BUT_LAYOUT : 0) |
                       (relayout_shape_equal_ignoring_element_type(a, b) ? SAME_BUT_TYPE : 0) |
                       (relayout_shape_same_dimensions(a, b) ? SAME_DIMENSIONS : 0);
      if (same != c->same ||
          relayout_shape_compatible(a, b) != ((c->same & SAME_BUT_LAYOUT) != 0)) {
        fail_msg("%s and %s: %d, not %d", c->a, c->b, same, c->same);
      }
    }
  }
}

/* ---- Measuring ---- */

/* The most that an array may take. */
#define MOST_BYTES ((int64_t)1 << 57)

typedef struct measure {
  const char *text;
  int32_t true_rank;
  int64_t elements;
  int64_t physical;
  size_t bytes;
  bool padded;
  int64_t strides[4];
} measure;

static const measure measures[] = {
    {"f32[]", 0, 1, 1, 4, false, {0}},
    {"f32[2,3]{1,0}", 2, 6, 6, 24, false, {3, 1}},
    {"f32[2,3]{0,1}", 2, 6, 6, 24, false, {1, 2}},
    {"f32[2,3]{0,1:PD(3,5)}", 2, 6, 15, 60, true, {1, 3}},
    {"f32[2,3]{1,0:PD(3,5)}", 2, 6, 15, 60, true, {5, 1}},
    {"f32[2,3]{1,0:PD(2,3)}", 2, 6, 6, 24, false, {3, 1}},
    {"u8[1,7,1]{2,1,0}", 1, 7, 7, 7, false, {7, 1, 1}},
    {"c128[4,3,2]{0,2,1:PD(4,5,2)}", 3, 24, 40, 640, true, {1, 8, 4}},
    {"s4[5]{0}", 1, 5, 5, 5, false, {1}},
    {"u1[3,3]{1,0}", 2, 9, 9, 9, false, {3, 1}},
    {"f32[0,3]{1,0}", 2, 0, 0, 0, false, {3, 1}},
    {"f32[0,3]{0,1}", 2, 0, 0, 0, false, {1, 0}},
    {"f32[0,3]{0,1:PD(2,3)}", 2, 0, 6, 24, true, {1, 2}},
    {"u8[4294967296,33554431]{1,0}",
     2,
     INT64_C(144115183780888576),
     INT64_C(144115183780888576),
     SIZE_MAX / 128 - UINT32_MAX,
     false,
     {33554431, 1}},
    {"u8[144115188075855872]{0}", 1, MOST_BYTES, MOST_BYTES, MOST_BYTES, false, {1}},
};

static void test_measures(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof measures / sizeof measures[0]; ++i) {
    const measure *const c = &measures[i];
    const relayout_shape shape = shape_of(c->text);
    int64_t physical;
    size_t bytes;
    int64_t strides[RELAYOUT_MAX_RANK];
    print_message("%s\n", c->text);
    assert_int_equal(relayout_shape_true_rank(&shape), c->true_rank);
    assert_int_equal(relayout_shape_element_count(&shape), c->elements);
    assert_int_equal(relayout_shape_physical_element_count(&shape, &physical, NULL), RELAYOUT_OK);
    assert_int_equal(physical, c->physical);
    assert_int_equal(relayout_shape_byte_size(&shape, &bytes, NULL), RELAYOUT_OK);
    assert_int_equal(bytes, c->bytes);
    assert_int_equal(relayout_shape_is_padded(&shape), c->padded);
    assert_int_equal(relayout_shape_strides(&shape, strides, NULL), RELAYOUT_OK);
    for (int32_t d = 0; d < shape.rank; ++d) {
      assert_int_equal(strides[d], c->strides[d]);
      int64_t stride;
      assert_int_equal(relayout_index_dimension_stride(&shape, d, &stride, NULL), RELAYOUT_OK);
      assert_int_equal(stride, c->strides[d]);
      assert_int_equal(relayout_index_dimension_stride(&shape, d - shape.rank, &stride, NULL),
                       RELAYOUT_OK);
      assert_int_equal(stride, c->strides[d]);
    }
  }
}

/* Worked out on paper; XLA publishes the size of the s4 weights. */
static const struct room {
  const char *text;
  int64_t physical;
  size_t bytes;
  size_t padding_bytes;
} rooms[] = {
    {"f32[]", 1, 4, 0},
    {"f32[2,3]{0,1:PD(3,5)}", 15, 60, 36},
    {"s4[9216,6144]{1,0:T(64,128)(8,1)E(4)}", 56623104, 28311552, 0},
    {"s4[9216,6144]{1,0:T(64,128)(8,1)}", 56623104, 56623104, 0},
    {"bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}", INT64_C(2147483648), UINT32_MAX + (size_t)1,
     (size_t)3 << 30},
    {"f32[8192,4000]{1,0:T(8,128)}", 33554432, 134217728, 134217728 - 131072000},
    {"f32[3,5]{1,0:T(2,2)}", 24, 96, 36},
    {"f32[3,5]{1,0:PD(3,6)T(2,2)}", 24, 96, 36},
    {"f32[3,5]{1,0:T(2,2)L(1024)}", 1024, 4096, 4096 - 60},
    {"f32[4,6]{1,0:T(2,2)L(8)}", 24, 96, 0},
    {"u8[2,3,5]{2,1,0:T(*,4)}", 32, 32, 2}, /* twice 15 elements in four tiles of 4 */
    {"f32[]{:T(128)}", 128, 512, 508},
    {"bf16[2049]{0:T(1024)(128)(2,1)}", 3072, 6144, 2046},
    {"u8[0,3]{1,0:T(2,2)L(8)}", 0, 0, 0},
    {"u8[0,3]{1,0:PD(1,3)T(2,2)L(16)}", 16, 16, 16},
    {"f32[8]{0:L(16)}", 16, 64, 32},
    {"s4[5]{0:E(4)}", 5, 3, 0},
    {"s4[5]{0:PO(high)E(4)}", 5, 3, 0},
    {"s4[5]{0:L(8)E(4)}", 8, 4, 1},
    {"pred[17]{0:E(1)}", 17, 3, 0},
    {"u2[3,3]{1,0:PD(3,5)E(2)}", 15, 4, 1},
    {"s4[288230376151711743]{0:E(4)}", 2 * MOST_BYTES - 1, MOST_BYTES, 0},
    {"pred[1152921504606846976]{0:E(1)}", 8 * MOST_BYTES, MOST_BYTES, 0},
    {"pred[8,8,8]{0,2,1:T(8,128)E(32)}", 8192, 32768, 32768 - 2048}, /* 8 tiles of 1024 */
    {"s4[5]{0:E(8)}", 5, 5, 0},
    {"s4[5]{0:L(8)E(16)}", 8, 16, 6},
    {"bf16[3,5]{1,0:PD(4,5)E(32)}", 20, 80, 20},
    {"u8[]{:E(32)}", 1, 4, 0},
    {"u16[36028797018963968]{0:E(32)}", MOST_BYTES / 4, MOST_BYTES, 0},
};

static void test_rooms(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; ++i) {
    const relayout_shape shape = shape_of(rooms[i].text);
    int64_t physical;
    size_t bytes;
    size_t padding;
    print_message("%s\n", rooms[i].text);
    assert_int_equal(relayout_shape_physical_element_count(&shape, &physical, NULL), RELAYOUT_OK);
    assert_int_equal(physical, rooms[i].physical);
    assert_int_equal(relayout_shape_byte_size(&shape, &bytes, NULL), RELAYOUT_OK);
    assert_int_equal(bytes, rooms[i].bytes);
    assert_int_equal(relayout_shape_padding_byte_size(&shape, &padding, NULL), RELAYOUT_OK);
    assert_int_equal(padding, rooms[i].padding_bytes);
    assert_int_equal(relayout_shape_is_padded(&shape),
                     physical > relayout_shape_element_count(&shape));
  }
}

/* By hand from XLA's definition. */
static void test_physical_dimensions(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t count;
    int64_t dimensions[8];
  } expected[] = {
      {"f32[]", 0, {0}},
      {"f32[2,3]{0,1}", 2, {3, 2}},
      {"f32[2,0,3]{0,1,2:PD(4,0,3)}", 3, {3, 0, 4}},
      {"f32[3,5]{1,0:T(2,2)}", 4, {2, 3, 2, 2}},
      {"f32[3,5]{0,1:PD(3,8)L(64)}", 2, {8, 3}},
      {"bf16[16,256]{1,0:T(8,128)(2,1)}", 6, {2, 2, 4, 128, 2, 1}},
      {"f32[5]{0:T(2,4)}", 4, {1, 2, 2, 4}},
      {"f32[3,2,5]{2,1,0:T(*,4)}", 3, {3, 3, 4}},
      {"f32[0,5]{1,0:T(2,2)}", 4, {0, 3, 2, 2}},
  };
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i) {
    const relayout_shape shape = shape_of(expected[i].text);
    int64_t dimensions[RELAYOUT_MAX_PHYSICAL_RANK];
    size_t count = 0;
    print_message("%s\n", expected[i].text);
    assert_int_equal(relayout_shape_physical_dimensions(&shape, RELAYOUT_MAX_PHYSICAL_RANK,
                                                        dimensions, &count, NULL),
                     RELAYOUT_OK);
    assert_int_equal(count, expected[i].count);
    assert_memory_equal(dimensions, expected[i].dimensions, count * sizeof *dimensions);
  }
  const relayout_shape shape = shape_of("f32[3,5]{1,0:T(2,2)}");
  int64_t two[3] = {0, 0, 42};
  size_t count = 0;
  assert_int_equal(relayout_shape_physical_dimensions(&shape, 2, two, &count, NULL), RELAYOUT_OK);
  assert_int_equal(count, 4);
  assert_true(two[0] == 2 && two[1] == 3 && two[2] == 42);
}

/* Tiled layouts alone have no strides. */
static void test_strides(void **state) {
  (void)state;
  relayout_shape shape = shape_of("f32[8,8]{1,0:T(2,2)}");
  int64_t strides[2] = {42, 42};
  relayout_error error;
  assert_int_equal(relayout_shape_strides(&shape, strides, &error), RELAYOUT_UNSUPPORTED);
  assert_string_equal(error.message, "tiled layouts have no strides; tile_count is 1");
  assert_int_equal(relayout_index_dimension_stride(&shape, 0, strides, NULL), RELAYOUT_UNSUPPORTED);
  assert_int_equal(strides[0], 42);
  static const char *const strided[] = {"f32[3,5]{1,0:E(32)}", "f32[3,5]{1,0:L(64)}",
                                        "s4[3,5]{1,0:E(4)}", "u1[3,5]{1,0:L(64)E(1)}",
                                        "s4[3,5]{1,0:E(32)}"};
  for (size_t i = 0; i < sizeof strided / sizeof strided[0]; ++i) {
    shape = shape_of(strided[i]);
    assert_int_equal(relayout_shape_strides(&shape, strides, NULL), RELAYOUT_OK);
    assert_int_equal(strides[0], 5);
    assert_int_equal(strides[1], 1);
  }
}

/* The documentation's negative indexing: dimension -1 is the last. */
static void test_dimension_numbers(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("f32[10,20,30]{0,2,1}");
  for (int64_t number = -3; number < 3; ++number) {
    int32_t dimension;
    int64_t size;
    assert_int_equal(relayout_shape_dimension_number(&shape, number, &dimension, NULL),
                     RELAYOUT_OK);
    assert_int_equal(dimension, number < 0 ? number + 3 : number);
    assert_int_equal(relayout_shape_dimension(&shape, number, &size, NULL), RELAYOUT_OK);
    assert_int_equal(size, 10 * (dimension + 1));
  }
  static const int64_t outside[] = {3, -4, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < sizeof outside / sizeof outside[0]; ++i) {
    int32_t dimension = 42;
    int64_t size = 42;
    relayout_error error;
    assert_int_equal(relayout_shape_dimension_number(&shape, outside[i], &dimension, &error),
                     RELAYOUT_OUT_OF_RANGE);
    assert_non_null(strstr(error.message, "for a shape of 3 dimensions"));
    assert_int_equal(relayout_shape_dimension(&shape, outside[i], &size, NULL),
                     RELAYOUT_OUT_OF_RANGE);
    assert_int_equal(dimension, 42);
    assert_int_equal(size, 42);
  }
}

static void test_padded_dimension(void **state) {
  (void)state;
  const relayout_shape plain = shape_of("f32[2,3]{0,1}");
  const relayout_shape padded = shape_of("f32[2,3]{0,1:PD(3,5)}");
  assert_int_equal(relayout_shape_padded_dimension(&plain, 1), 3);
  assert_int_equal(relayout_shape_padded_dimension(&padded, 0), 3);
  assert_int_equal(relayout_shape_padded_dimension(&padded, 1), 5);
  assert_int_equal(relayout_shape_padded_dimension(&padded, 2), 0);
  assert_int_equal(relayout_shape_padded_dimension(&padded, -1), 0);
}

static void test_null_arguments(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("f32[2]");
  const relayout_status null = RELAYOUT_INVALID_ARGUMENT;
  relayout_error error;
  size_t count = 0;
  assert_int_equal(relayout_shape_validate(NULL, &error), null);
  assert_string_equal(error.message, "shape is NULL");
  assert_int_equal(relayout_shape_dimension_number(&shape, 0, NULL, &error), null);
  assert_string_equal(error.message, "dimension is NULL");
  assert_int_equal(relayout_shape_dimension(&shape, 0, NULL, &error), null);
  assert_string_equal(error.message, "size is NULL");
  assert_int_equal(relayout_shape_physical_element_count(&shape, NULL, &error), null);
  assert_string_equal(error.message, "count is NULL");
  assert_int_equal(relayout_shape_byte_size(&shape, NULL, &error), null);
  assert_string_equal(error.message, "bytes is NULL");
  assert_int_equal(relayout_shape_padding_byte_size(&shape, NULL, &error), null);
  assert_string_equal(error.message, "bytes is NULL");
  assert_int_equal(relayout_shape_physical_dimensions(&shape, 0, NULL, NULL, &error), null);
  assert_string_equal(error.message, "count is NULL");
  assert_int_equal(relayout_shape_physical_dimensions(&shape, 1, NULL, &count, &error), null);
  assert_string_equal(error.message, "dimensions is NULL");
  assert_int_equal(relayout_shape_strides(&shape, NULL, &error), null);
  assert_string_equal(error.message, "strides is NULL");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_make),
      cmocka_unit_test(test_make_refusals),
      cmocka_unit_test(test_rules),
      cmocka_unit_test(test_garbage),
      cmocka_unit_test(test_comparing),
      cmocka_unit_test(test_measures),
      cmocka_unit_test(test_rooms),
      cmocka_unit_test(test_physical_dimensions),
      cmocka_unit_test(test_strides),
      cmocka_unit_test(test_dimension_numbers),
      cmocka_unit_test(test_padded_dimension),
      cmocka_unit_test(test_null_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
