/* test_factors.c: a layout's digits say where each element lies, as the oracle does. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "oracle/oracle.h"
#include "problem/factors.h"
#include "shape_of.h"

static rlt_numbers numbers; /* too large for a stack */
static rlt_factors factors;

static int64_t width_of(const relayout_shape *shape, int32_t dimension) {
  return shape->layout.padded_dimension_count > 0 ? shape->layout.padded_dimensions[dimension]
                                                  : shape->dimensions[dimension];
}

static int64_t position_of(const int64_t *index, int32_t rank) {
  int64_t at = 0;
  for (int32_t i = 0; i < factors.count; ++i) {
    const rlt_factor *const factor = &factors.of[i];
    if (factor->dimension < rank) { /* those that tiles bring have index 0 alone */
      at += index[factor->dimension] / factor->weight % factor->extent * factor->stride;
    }
  }
  return at;
}

/* A dimension's digits reach as far as the dimension. */
static void check_reach(const relayout_shape *shape) {
  for (int32_t d = 0; d < factors.dimension_count; ++d) {
    int64_t reach = 1;
    for (int32_t i = 0; i < factors.count; ++i) {
      reach *= factors.of[i].dimension == d ? factors.of[i].extent : 1;
    }
    assert_true(reach >= (d < shape->rank ? width_of(shape, d) : 1));
  }
}

static void check_positions(const char *text, int64_t words) {
  const relayout_shape shape = shape_of(text);
  int64_t index[RELAYOUT_MAX_RANK] = {0};
  print_message("%s\n", text);
  assert_true(rlt_factors_of_layout(&shape, words, &numbers, &factors));
  check_reach(&shape);
  for (;;) {
    assert_int_equal(position_of(index, shape.rank), words * oracle_linear_index(&shape, index));
    int32_t d = 0;
    while (d < shape.rank && ++index[d] == width_of(&shape, d)) {
      index[d++] = 0;
    }
    if (d == shape.rank) {
      return;
    }
  }
}

static void test_positions(void **state) {
  (void)state;
  static const char *const texts[] = {
      "f32[]",
      "f32[7]",
      "f32[2,3,4]{1,2,0}",
      "f32[2,3,4]{0,2,1:PD(3,3,7)}",
      "f32[6,300]{1,0:T(2,128)}",
      "f32[16,20]{0,1:T(4,3)}",
      "bf16[9,21]{1,0:T(4,8)(2,1)}",
      "s8[9,21]{1,0:PD(10,23)T(8,8)(4,1)}",
      "f32[13]{0:T(2,4)}",
      "f32[]{:T(2)}",
      "f32[2,2]{1,0:T(2,3,2)}",
      "u8[3,5,8]{2,1,0:T(*,5,8)}",
      "u8[3,5,8]{2,1,0:T(*,30,8)}",
      "u8[3,4,5]{2,1,0:T(*,10)}",
      "u8[3,4,5]{2,1,0:T(*,2,5)}",
      "u8[3,4,6]{2,1,0:T(*,*,12)}",
      "u8[3,4,6]{2,1,0:T(*,*,48)}",
      "u8[3,4,6]{0,1,2:T(*,*,3)}",
      "u8[1,4,6]{2,1,0:T(*,*,3)}",
      "u8[8,8]{1,0:T(*,16)(4)}",
      "u8[8,8]{1,0:T(8,8)(4,4)(2,2)}",
      "u8[5,3,2,7]{3,2,1,0:T(2,7)(*,1)}",
      "u8[12]{0:T(4)(2,1)}",
      "u8[4,4]{1,0:T(4,4)(*,8)}",
      "u8[6]{0:T(1)}",
      "u8[6,6]{1,0:T(1,1)(1,1)}",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    check_positions(texts[i], 1);
    check_positions(texts[i], 3);
  }
}

/* What the header says, digit by digit. */
static void test_factors_by_hand(void **state) {
  (void)state;
  static const rlt_factor expected[] = {
      {1, false, 1, 128, 1}, {0, false, 1, 2, 128}, {1, true, 128, 3, 256}, {0, true, 2, 3, 768}};
  const relayout_shape shape = shape_of("f32[6,300]{1,0:T(2,128)}");
  assert_true(rlt_factors_of_layout(&shape, 1, &numbers, &factors));
  assert_int_equal(factors.dimension_count, 2);
  assert_int_equal(factors.count, 4);
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(factors.of[i].dimension, expected[i].dimension);
    assert_int_equal(factors.of[i].is_last, expected[i].is_last);
    assert_int_equal(factors.of[i].weight, expected[i].weight);
    assert_int_equal(factors.of[i].extent, expected[i].extent);
    assert_int_equal(factors.of[i].stride, expected[i].stride);
  }
}

/* Tiles that split what repeats at no multiple of it, or merge what their splits do not divide. */
static void test_what_has_no_factors(void **state) {
  (void)state;
  static const char *const texts[] = {
      "f32[12]{0:T(6)(4)}",        /* the inner 6 would be 4 and 2 */
      "u8[10,10]{1,0:T(*,8)}",     /* 10 and then some */
      "u8[3,10]{1,0:T(*,4)}",      /* 4 of 10 */
      "u8[3,5,8]{2,1,0:T(*,4,8)}", /* or of five */
      "u8[4,6]{1,0:T(4,6)(4,4)}",  "u8[4,6]{1,0:T(4,6)(*,9)}",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    const relayout_shape shape = shape_of(texts[i]);
    print_message("%s\n", texts[i]);
    assert_false(rlt_factors_of_layout(&shape, 1, &numbers, &factors));
  }
}

/* ---- As many as there may be ---- */

/* Text of a layout: so many dimensions of size 2, and tiles of these sizes, each a few times over;
 * `*` for 0. */
typedef struct tile_part {
  int32_t times;
  int64_t size;
} tile_part;

static relayout_shape shape_with(int32_t rank, const tile_part (*tiles)[12], int32_t tile_count) {
  relayout_shape made = {.element_type = RELAYOUT_U8, .rank = rank};
  made.layout.rank = rank;
  for (int32_t d = 0; d < rank; ++d) {
    made.dimensions[d] = 2;
    made.layout.minor_to_major[d] = rank - 1 - d;
  }
  int32_t at = 0;
  for (int32_t t = 0; t < tile_count; ++t) {
    for (int32_t p = 0; p < 12; ++p) {
      for (int32_t i = 0; i < tiles[t][p].times; ++i) {
        const int64_t size = tiles[t][p].size;
        made.layout.tile_dimensions[at++] = size > 0 ? size : RELAYOUT_TILE_COMBINE;
        ++made.layout.tile_ranks[t];
      }
    }
  }
  made.layout.tile_count = tile_count;
  assert_int_equal(relayout_shape_validate(&made, NULL), RELAYOUT_OK);
  return made;
}

static bool has_factors(int32_t rank, const tile_part (*tiles)[12], int32_t tile_count) {
  const relayout_shape shape = shape_with(rank, tiles, tile_count);
  return rlt_factors_of_layout(&shape, 1, &numbers, &factors);
}

/* Eight dimensions that a tile merges, and nine. */
static void test_most_in_a_number(void **state) {
  (void)state;
  assert_true(has_factors(8, (const tile_part[][12]){{{7, 0}, {1, 4}}}, 1));
  assert_int_equal(factors.count, 8);
  assert_false(has_factors(9, (const tile_part[][12]){{{8, 0}, {1, 4}}}, 1));
}

/* A tile's dimension becomes two, one for the tiles and one within them: 2 x 96 are 192. */
static void test_most_dimensions(void **state) {
  (void)state;
  assert_true(has_factors(0, (const tile_part[][12]){{{96, 1}}}, 1));
  assert_int_equal(factors.dimension_count, RLT_MOST_DIMENSIONS);
  assert_int_equal(factors.count, RLT_MOST_FACTORS);
  assert_false(has_factors(0, (const tile_part[][12]){{{97, 1}}}, 1));
  /* One that is merged is there all the same: 2 x 65 + 62, and 2 x 66 + 61. */
  assert_true(has_factors(0, (const tile_part[][12]){{{65, 1}}, {{1, 0}, {62, 1}}}, 2));
  assert_int_equal(factors.dimension_count, RLT_MOST_DIMENSIONS);
  assert_false(has_factors(0, (const tile_part[][12]){{{66, 1}}, {{1, 0}, {61, 1}}}, 2));
}

/* Five times eight dimensions, merged, the last of which a tile takes whole, so that there is a
 * digit more; and others twice each: 45 + 2 x 73 are 191. */
static void test_most_factors(void **state) {
  (void)state;
  for (int32_t others = 73; others <= 74; ++others) {
    const tile_part tiles[1][12] = {{{others, 1},
                                     {7, 0},
                                     {1, 256},
                                     {7, 0},
                                     {1, 256},
                                     {7, 0},
                                     {1, 256},
                                     {7, 0},
                                     {1, 256},
                                     {7, 0},
                                     {1, 256}}};
    assert_int_equal(has_factors(40, tiles, 1), others == 73);
  }
}

/* ---- Strides ---- */

static void test_factors_of_strides(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("f32[5,1,7]");
  static const int64_t byte_strides[] = {-40, 6, 0}, strides[] = {-20, 3, 0};
  rlt_factors_of_strides(&shape, byte_strides, 2, &factors);
  assert_int_equal(factors.dimension_count, 3);
  assert_int_equal(factors.count, 3);
  for (int32_t d = 0; d < 3; ++d) {
    assert_int_equal(factors.of[d].dimension, d);
    assert_true(factors.of[d].is_last);
    assert_int_equal(factors.of[d].weight, 1);
    assert_int_equal(factors.of[d].extent, shape.dimensions[d]);
    assert_int_equal(factors.of[d].stride, strides[d]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_positions),           cmocka_unit_test(test_factors_by_hand),
      cmocka_unit_test(test_what_has_no_factors), cmocka_unit_test(test_most_in_a_number),
      cmocka_unit_test(test_most_dimensions),     cmocka_unit_test(test_most_factors),
      cmocka_unit_test(test_factors_of_strides),
  };
  return cmocka_run_group_tests_name("problem.factors", tests, NULL, NULL);
}
