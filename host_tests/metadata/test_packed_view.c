/* test_packed_view.c: views come back as they were, and only those that are equal have equal
 * numbers. */
#include "cmocka_all.h"

#include <string.h>

#include "metadata/packed_view.h"
#include "shape_of.h"
#include "view_of.h"

static const int64_t strides[] = {-4096, 0, 16};

/* Fields in use that differ from one view to the next. */
static int make_views(relayout_view *views) {
  static const char *const texts[] = {"f32[]",
                                      "f32[2,3,5]",
                                      "f32[2,3,5]{0,1,2}",
                                      "s32[2,3,5]",
                                      "f32[2,5,3]",
                                      "f32[1,2,3,4,5,6,7,8,9]{8,0,7,1,6,2,5,3,4}",
                                      "f32[2,3,5]{2,1,0:S(5)}",
                                      "f32[2,3,5]{2,1,0:L(8)}",
                                      "f32[2,3,5]{2,1,0:PD(2,4,8)}",
                                      "f32[2,3,5]{2,1,0:PD(2,4,9)}",
                                      "f32[2,3,5]{2,1,0:PD(2,4,8)PV(one)}",
                                      "f32[2,3,5]{2,1,0:PD(2,4,8)PV(1.5)}",
                                      "f32[2,3,5]{2,1,0:PD(2,4,8)PV(2.5)}",
                                      "f32[2,3,5]{2,1,0:T(2,4)}",
                                      "f32[2,3,5]{2,1,0:T(2)(4)}",
                                      "f32[2,3,5]{2,1,0:T(2)(2)(2)(2)(2)(2)(2)(2)(2)}",
                                      "f32[2,3,5]{2,1,0:T(*,4)}",
                                      "s4[2,3,5]{2,1,0:E(4)}",
                                      "s4[2,3,5]{2,1,0:PO(high)E(4)}"};
  enum { TEXTS = sizeof texts / sizeof texts[0] };
  int count = 0;
  for (; count < TEXTS; ++count) {
    const relayout_shape shape = shape_of(texts[count]);
    views[count] = view_of(&shape, NULL);
  }
  const relayout_shape shape = shape_of("f32[2,3,5]");
  views[count++] = view_of(&shape, strides);
  views[count] = view_of(&shape, strides);
  views[count++].byte_strides[2] = 20;
  views[count] = view_of(&shape, NULL);
  views[count++].byte_offset = -8;
  views[count] = view_of(&shape, NULL);
  views[count++].is_read_only = true;
  views[count] = view_of(&shape, NULL);
  views[count++].byte_order = RELAYOUT_BYTE_ORDER_BIG;
  return count;
}

enum { MOST_VIEWS = 32 };

/* Field by field, also those that are not in use: what lies between fields may be anything. */
static void expect_equal(const relayout_view *found, const relayout_view *view) {
  const relayout_layout *const x = &found->shape.layout;
  const relayout_layout *const y = &view->shape.layout;
  assert_int_equal(found->shape.element_type, view->shape.element_type);
  assert_int_equal(found->shape.rank, view->shape.rank);
  assert_memory_equal(found->shape.dimensions, view->shape.dimensions,
                      sizeof view->shape.dimensions);
  assert_int_equal(x->rank, y->rank);
  assert_memory_equal(x->minor_to_major, y->minor_to_major, sizeof y->minor_to_major);
  assert_int_equal(x->padded_dimension_count, y->padded_dimension_count);
  assert_int_equal(x->padding_value, y->padding_value);
  assert_memory_equal(x->padded_dimensions, y->padded_dimensions, sizeof y->padded_dimensions);
  assert_memory_equal(x->padding_literal, y->padding_literal, sizeof y->padding_literal);
  assert_int_equal(x->tile_count, y->tile_count);
  assert_memory_equal(x->tile_ranks, y->tile_ranks, sizeof y->tile_ranks);
  assert_memory_equal(x->tile_dimensions, y->tile_dimensions, sizeof y->tile_dimensions);
  assert_int_equal(x->tail_padding_alignment_in_elements, y->tail_padding_alignment_in_elements);
  assert_int_equal(x->element_size_in_bits, y->element_size_in_bits);
  assert_int_equal(x->packing_order, y->packing_order);
  assert_int_equal(x->memory_space, y->memory_space);
  assert_int_equal(found->is_strided, view->is_strided);
  assert_int_equal(found->is_read_only, view->is_read_only);
  assert_int_equal(found->byte_offset, view->byte_offset);
  assert_int_equal(found->byte_order, view->byte_order);
  assert_memory_equal(found->byte_strides, view->byte_strides, sizeof view->byte_strides);
}

static void test_views_come_back(void **state) {
  (void)state;
  relayout_view views[MOST_VIEWS];
  const int count = make_views(views);
  for (int v = 0; v < count; ++v) {
    int64_t numbers[2 * RLT_MOST_VIEW_NUMBERS];
    relayout_view found;
    const rlt_view view = rlt_view_of(&views[v]);
    const int32_t length = rlt_view_pack(&view, numbers);
    print_message("view %d: %d numbers\n", v, length);
    assert_in_range(length, 5, 24);
    assert_int_equal(rlt_view_pack(&view, numbers + length), length);
    for (int copy = 0; copy < 2; ++copy) {
      memset(&found, 0xff, sizeof found);
      assert_int_equal(rlt_view_unpack(numbers + copy * length, &found), length);
      expect_equal(&found, &views[v]);
    }
  }
}

static void test_only_equal_views_have_equal_numbers(void **state) {
  (void)state;
  relayout_view views[MOST_VIEWS];
  const int count = make_views(views);
  for (int v = 0; v < count; ++v) {
    for (int other = 0; other < count; ++other) {
      int64_t numbers[2][RLT_MOST_VIEW_NUMBERS] = {{0}};
      const rlt_view one = rlt_view_of(&views[v]);
      const rlt_view two = rlt_view_of(&views[other]);
      rlt_view_pack(&one, numbers[0]);
      rlt_view_pack(&two, numbers[1]);
      assert_true((memcmp(numbers[0], numbers[1], sizeof numbers[0]) == 0) == (v == other));
    }
  }
}

/* What a view does not use may hold anything. */
static void test_unused_fields_do_not_matter(void **state) {
  (void)state;
  relayout_view views[MOST_VIEWS];
  const int count = make_views(views);
  for (int v = 0; v < count; ++v) {
    relayout_view other = views[v];
    relayout_layout *const layout = &other.shape.layout;
    int64_t numbers[2][RLT_MOST_VIEW_NUMBERS] = {{0}};
    other.shape.dimensions[RELAYOUT_MAX_RANK - 1] = 77;
    other.byte_strides[RELAYOUT_MAX_RANK - 1] = 77;
    layout->minor_to_major[RELAYOUT_MAX_RANK - 1] = 77;
    layout->padded_dimensions[RELAYOUT_MAX_RANK - 1] = 77;
    layout->tile_ranks[RELAYOUT_MAX_TILES - 1] = 77;
    layout->tile_dimensions[RELAYOUT_MAX_TILE_DIMENSIONS - 1] = 77;
    const rlt_view one = rlt_view_of(&views[v]);
    const rlt_view two = rlt_view_of(&other);
    rlt_view_pack(&one, numbers[0]);
    rlt_view_pack(&two, numbers[1]);
    assert_memory_equal(numbers[0], numbers[1], sizeof numbers[0]);
  }
}

/* The largest view there is fits. */
static void test_most_numbers(void **state) {
  (void)state;
  relayout_shape shape = {.element_type = RELAYOUT_F32, .rank = RELAYOUT_MAX_RANK};
  relayout_layout *const layout = &shape.layout;
  layout->rank = layout->padded_dimension_count = RELAYOUT_MAX_RANK;
  layout->padding_value = RELAYOUT_PADDING_LITERAL;
  layout->tile_count = RELAYOUT_MAX_TILES;
  for (int t = 0; t < RELAYOUT_MAX_TILES; ++t) {
    layout->tile_ranks[t] = RELAYOUT_MAX_TILE_DIMENSIONS / RELAYOUT_MAX_TILES;
  }
  static const int64_t zeros[RELAYOUT_MAX_RANK];
  const rlt_view view = {.shape = &shape, .byte_strides = zeros};
  int64_t numbers[RLT_MOST_VIEW_NUMBERS];
  assert_int_equal(rlt_view_pack(&view, numbers), RLT_MOST_VIEW_NUMBERS);
}

/* Numbers that no valid view has, each of which would be read or written out of bounds, or cut. */
static void test_what_is_not_packed(void **state) {
  (void)state;
  static const int32_t wrong[] = {-1, 300};
  const relayout_shape valid = shape_of("f32[2,3,5]{2,1,0:PD(2,4,8)T(2,4)}");
  for (int i = 0; i < 2; ++i) {
    relayout_shape shapes[9];
    for (int s = 0; s < 9; ++s) {
      shapes[s] = valid;
    }
    shapes[0].rank = wrong[i];
    shapes[1].layout.rank = wrong[i];
    shapes[2].layout.padded_dimension_count = wrong[i];
    shapes[3].layout.tile_count = wrong[i];
    shapes[4].layout.tile_ranks[0] = wrong[i];
    shapes[5].layout.minor_to_major[1] = wrong[i];
    shapes[6].element_type = (relayout_element_type)wrong[i];
    shapes[7].layout.padding_value = (relayout_padding_value)wrong[i];
    shapes[8].layout.packing_order = (relayout_packing_order)wrong[i];
    for (int s = 0; s < 9; ++s) {
      int64_t numbers[RLT_MOST_VIEW_NUMBERS];
      const rlt_view view = rlt_view_of_shape(&shapes[s]);
      assert_int_equal(rlt_view_pack(&view, numbers), 0);
    }
  }
  int64_t numbers[RLT_MOST_VIEW_NUMBERS];
  const rlt_view view = {.shape = &valid, .byte_order = (relayout_byte_order)300};
  assert_int_equal(rlt_view_pack(&view, numbers), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_views_come_back),
      cmocka_unit_test(test_only_equal_views_have_equal_numbers),
      cmocka_unit_test(test_unused_fields_do_not_matter),
      cmocka_unit_test(test_most_numbers),
      cmocka_unit_test(test_what_is_not_packed),
  };
  return cmocka_run_group_tests_name("metadata.packed_view", tests, NULL, NULL);
}
