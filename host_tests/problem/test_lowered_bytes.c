/* test_lowered_bytes.c: what views are lowered to, carried out element by element, makes the bytes
 * that the oracle says; all of it, and box by box. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "oracle/oracle.h"
#include "problem/definition.h"
#include "problem/lower.h"
#include "shape_of.h"

typedef struct bytes_case {
  const char *from, *to;
  int64_t from_strides[4], to_strides[4]; /* in bytes; all 0: as the layout says */
  double scale;                           /* 0: 1 */
  bool wraps;
  bool to_nearest;
  bool by_program; /* some elements are looked up */
} bytes_case;

static const bytes_case cases[] = {
    {.from = "f32[5,7]{1,0}", .to = "f32[5,7]{0,1:PD(6,9)PV(lowest)}"},
    {.from = "f32[5,7]{1,0:PD(6,8)}", .to = "f32[5,7]{0,1:PD(6,9)PV(unknown)}"},
    {.from = "bf16[9,21]{1,0}", .to = "bf16[9,21]{1,0:T(4,8)(2,1)}"},
    {.from = "bf16[9,21]{1,0:T(4,8)(2,1)}", .to = "bf16[9,21]{0,1:T(2,4)}"},
    {.from = "bf16[9,21]{1,0:T(4,8)(2,1)}", .to = "bf16[9,21]{0,1:PV(one)T(2,4)L(100)}"},
    {.from = "u8[3,5,8]{2,1,0}", .to = "u8[3,5,8]{2,1,0:T(*,4,8)}"},
    {.from = "u8[3,5,8]{2,0,1}", .to = "u8[3,5,8]{1,2,0:PD(4,5,9)T(*,2)}", .by_program = true},
    {.from = "c128[3,4]{1,0}", .to = "c128[3,4]{0,1:PD(4,5)}"},
    {.from = "f64[]", .to = "f64[]{:T(3)}"},
    {.from = "s8[0,3]{1,0}", .to = "s8[0,3]{1,0:PD(2,3)PV(one)L(10)}"},
    /* Digits without a common divisor. */
    {.from = "u16[10]{0:T(4)}", .to = "u16[10]{0:T(6)}", .by_program = true},
    {.from = "u16[10,10]{0,1}", .to = "u16[10,10]{1,0:PV(highest)T(*,8)}", .by_program = true},
    {.from = "f32[7,5]{1,0:T(2,2)}", .to = "s8[7,5]{1,0:T(3,3)E(32)}", .by_program = true},
    {.from = "u16[7,5]{1,0:T(2,2)E(32)}",
     .to = "u16[7,5]{1,0:PV(0xabcd)T(3,3)E(32)}",
     .by_program = true},
    {.from = "u16[7,5]{1,0:T(2,2)}",
     .to = "u16[7,5]{1,0:PV(0x1234)T(3,3)E(32)}",
     .by_program = true},
    {.from = "u8[7,5]{1,0:T(2,2)E(16)}", .to = "u8[7,5]{1,0:T(3,3)}", .by_program = true},
    {.from = "s4[7,5]{1,0:T(2,2)}", .to = "s4[7,5]{1,0:T(3,3)E(4)}", .by_program = true},
    /* Packed. */
    {.from = "s4[6,4]{1,0}", .to = "s4[6,4]{0,1:E(4)}"},
    {.from = "s4[6,4]{1,0:E(4)}", .to = "s4[6,4]{0,1:PD(8,4)PV(one)E(4)}"},
    {.from = "u2[5,8]{1,0:E(2)}", .to = "u2[5,8]{0,1}"},
    {.from = "u1[8,3]{0,1:E(1)}", .to = "u1[8,3]{0,1:T(1,8)E(1)}"},
    {.from = "s4[3,5]{1,0}", .to = "s4[3,5]{0,1:E(4)}"},
    {.from = "u4[3,5]{1,0}", .to = "u4[3,5]{1,0:PV(one)T(*,7)L(29)E(4)}", .by_program = true},
    {.from = "u4[3,5]{1,0:E(4)}", .to = "u4[3,5]{1,0:PD(3,7)PV(unknown)E(4)}", .by_program = true},
    /* Other types. */
    {.from = "f32[5,7]{1,0}", .to = "bf16[5,7]{0,1:PD(6,9)PV(one)}", .scale = 3},
    {.from = "f32[5,8]{1,0}", .to = "u4[5,8]{0,1:E(4)}", .scale = 0.01},
    {.from = "s32[4,6]{1,0}", .to = "s8[4,6]{0,1:PD(5,7)PV(-1)}", .wraps = true},
    {.from = "bf16[4,6]{1,0}", .to = "s8[4,6]{0,1}", .to_nearest = true},
    {.from = "u8[4,6]{1,0}", .to = "u8[4,6]{0,1}", .scale = 0.5, .to_nearest = true},
    {.from = "s32[4,6]{1,0}", .to = "s32[4,6]{0,1}", .scale = 2},
    /* Containers. */
    {.from = "pred[2,3]{1,0}", .to = "pred[2,3]{0,1:PD(2,4)PV(one)E(32)}"},
    {.from = "bf16[2,3]{1,0:E(32)}", .to = "bf16[2,3]{0,1:PD(3,3)}"},
    {.from = "u8[2,3]{1,0:E(32)}", .to = "u8[2,3]{0,1:PD(2,5)PV(highest)E(16)}"},
    {.from = "f32[2,3]{1,0}", .to = "bf16[2,3]{0,1:PD(3,4)PV(one)E(32)}"},
    {.from = "f32[4,3]{1,0}", .to = "s8[4,3]{0,1:PD(5,4)E(16)}"},
    {.from = "f32[4,3]{1,0}", .to = "u8[4,3]{0,1:PV(7)T(2,2)E(32)}"},
    {.from = "f32[2,3]{1,0}", .to = "bf16[2,3]{0,1:PD(3,4)PV(unknown)E(32)}"},
    /* Strides: backwards, over and over, of halves of an element, with gaps, and into each. */
    {.from = "f32[4,3]{1,0}", .to = "f32[4,3]{0,1:PD(4,5)}", .from_strides = {-20, 8}},
    {.from = "f32[4,3]{1,0}", .to = "f32[4,3]{0,1:PD(5,3)PV(0x12345678)}", .from_strides = {6, 0}},
    {.from = "u16[4,3]{1,0}", .to = "u16[4,3]{1,0}", .to_strides = {-12, 4}},
    {.from = "u16[4,3]{1,0}", .to = "u16[4,3]{1,0}", .to_strides = {2, 10}},
    {.from = "f32[4,3]{1,0:T(2,2)}", .to = "f32[4,3]{1,0}", .to_strides = {14, -4}},
    {.from = "f64[3,4]{1,0}",
     .to = "f64[3,4]{1,0}",
     .from_strides = {4, 36},
     .to_strides = {-40, 10}},
    {.from = "f32[10]{0:T(4)}", .to = "f32[10]{0}", .to_strides = {-8}},
    {.from = "f32[10]{0}", .to = "f32[10]{0:T(6)(4)}", .from_strides = {-8}, .by_program = true},
    {.from = "f32[12]{0:T(6)(4)}", .to = "f32[12]{0}", .to_strides = {-8}, .by_program = true},
    {.from = "f32[12]{0:T(6)(4)}", .to = "f32[12]{0}", .to_strides = {6}, .by_program = true},
    {.from = "f32[4,3]{1,0}",
     .to = "bf16[4,3]{1,0}",
     .from_strides = {-12, 4},
     .to_strides = {2, 10}},
};
enum { CASES = sizeof cases / sizeof cases[0], SIDE_BYTES = 4096, BEFORE = 1024 };

static const int64_t *strides_of(const int64_t *strides) {
  return strides[0] == 0 && strides[1] == 0 ? NULL : strides;
}

typedef struct sides {
  relayout_shape shapes[2];
  rlt_view from, to;
  rlt_changes changes;
  uint8_t source[SIDE_BYTES], wanted[SIDE_BYTES], found[SIDE_BYTES];
} sides;

static void set_up(sides *made, const bytes_case *of, rlt_packing packing) {
  print_message("%s -> %s, packing %d\n", of->from, of->to, (int)packing);
  made->shapes[0] = shape_of(of->from);
  made->shapes[1] = shape_of(of->to);
  made->from = rlt_view_of_shape(&made->shapes[0]);
  made->to = rlt_view_of_shape(&made->shapes[1]);
  made->from.byte_strides = strides_of(of->from_strides);
  made->to.byte_strides = strides_of(of->to_strides);
  made->changes = (rlt_changes){.packing = packing,
                                .wraps = of->wraps,
                                .scale = of->scale == 0 ? 1 : of->scale,
                                .rounds_to_nearest = of->to_nearest};
  uint64_t seed = 3;
  for (int i = 0; i < SIDE_BYTES; ++i) {
    made->source[i] = (uint8_t)definition_random(&seed, 256);
    made->wanted[i] = made->found[i] = (uint8_t)definition_random(&seed, 256);
  }
  const oracle_options options = {.wraps = of->wraps,
                                  .scale = made->changes.scale,
                                  .source_byte_strides = made->from.byte_strides,
                                  .destination_byte_strides = made->to.byte_strides,
                                  .to_nearest = of->to_nearest};
  oracle_relayout_with(&options, &made->shapes[0], &made->shapes[1], made->source + BEFORE,
                       made->wanted + BEFORE);
}

/* Whether it could be lowered. */
static bool carry_out(sides *at, const rlt_index_box *box, bool *by_program) {
  rlt_lowered made;
  relayout_error error;
  const relayout_status status = rlt_lower(&at->from, &at->to, box, &at->changes, &made, &error);
  if (status != RELAYOUT_OK) {
    assert_int_equal(status, RELAYOUT_UNSUPPORTED);
    assert_non_null(box);
    assert_non_null(strstr(error.message, "this relayout cannot be divided into boxes"));
    rlt_lowered_free(&made);
    return false;
  }
  *by_program = made.index_program != NULL;
  for (int32_t i = 0; i < made.count; ++i) {
    const rlt_problem *const problem = &made.problems[i];
    assert_false(rlt_problem_is_empty(problem));
    assert_true((int64_t)rlt_problem_source_size(problem) <= made.source_bytes ||
                rlt_problem_is_fill(problem));
    definition_relayout(problem, at->source + BEFORE - made.source_before,
                        at->found + BEFORE - made.destination_before);
  }
  rlt_lowered_free(&made);
  return true;
}

static void test_all_at_once(void **state) {
  (void)state;
  static sides at;
  for (size_t i = 0; i < CASES; ++i) {
    for (int packing = RLT_PACKING_TILED; packing <= RLT_PACKING_MERGED; ++packing) {
      bool by_program = false;
      set_up(&at, &cases[i], (rlt_packing)packing);
      assert_true(carry_out(&at, NULL, &by_program));
      assert_memory_equal(at.found, at.wanted, SIDE_BYTES);
      if (packing == RLT_PACKING_TILED) {
        assert_int_equal(by_program, cases[i].by_program);
      }
    }
  }
}

/* Every cut of every dimension: two boxes make the whole; what lies behind a dimension belongs to
 * the second. */
static void test_two_boxes(void **state) {
  (void)state;
  static sides at;
  int made = 0;
  for (size_t i = 0; i < CASES; ++i) {
    const relayout_shape shape = shape_of(cases[i].to);
    for (int32_t d = 0; d < shape.rank; ++d) {
      for (int64_t cut = 1; cut < shape.dimensions[d]; ++cut) {
        bool by_program = false, is_lowered = true;
        set_up(&at, &cases[i], RLT_PACKING_TILED);
        for (int half = 0; half < 2; ++half) {
          rlt_index_box box = {.start = {0}};
          memcpy(box.sizes, shape.dimensions, sizeof box.sizes);
          box.start[d] = half == 0 ? 0 : cut;
          box.sizes[d] = half == 0 ? cut : shape.dimensions[d] - cut;
          is_lowered = carry_out(&at, &box, &by_program) && is_lowered;
          assert_false(by_program);
        }
        if (is_lowered) {
          assert_memory_equal(at.found, at.wanted, SIDE_BYTES);
          ++made;
        }
      }
    }
  }
  assert_true(made > 100);
}

/* A box of nothing writes nothing; nor does one that is not the last write the tail. */
static void test_small_boxes(void **state) {
  (void)state;
  const relayout_shape from_shape = shape_of("u8[2,3]{1,0}");
  const relayout_shape to_shape = shape_of("u8[2,3]{1,0:PD(4,3)L(20)}");
  const relayout_shape none_shape = shape_of("u8[0,3]{1,0}");
  const relayout_shape padded_shape = shape_of("u8[0,3]{1,0:PD(4,3)}");
  const rlt_view from = rlt_view_of_shape(&from_shape), to = rlt_view_of_shape(&to_shape);
  const rlt_view none = rlt_view_of_shape(&none_shape), padded = rlt_view_of_shape(&padded_shape);
  const rlt_changes changes = {.scale = 1};
  static const struct {
    rlt_index_box box;
    bool is_none; /* of a shape without elements */
    int32_t count;
  } boxes[] = {
      {{{0, 0}, {2, 0}}, false, 0}, {{{2, 0}, {0, 3}}, false, 0}, {{{0, 0}, {1, 3}}, false, 1},
      {{{1, 0}, {1, 3}}, false, 2}, {{{0, 0}, {0, 3}}, true, 1},  {{{0, 0}, {0, 2}}, true, 0},
      {{{0, 1}, {0, 2}}, true, 1},
  };
  for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; ++i) {
    rlt_lowered made;
    print_message("box %zu\n", i);
    assert_int_equal(rlt_lower(boxes[i].is_none ? &none : &from, boxes[i].is_none ? &padded : &to,
                               &boxes[i].box, &changes, &made, NULL),
                     RELAYOUT_OK);
    assert_int_equal(made.count, boxes[i].count);
    rlt_lowered_free(&made);
  }
}

/* ---- What is refused ---- */

static void expect_failure(const rlt_view *from, const rlt_view *to, const rlt_index_box *box,
                           relayout_status status, const char *message) {
  const rlt_changes changes = {.scale = 1};
  rlt_lowered made;
  relayout_error error = {0};
  assert_int_equal(rlt_lower(from, to, box, &changes, &made, &error), status);
  assert_string_equal(error.message, message);
  assert_int_equal(made.count, 0);
  rlt_lowered_free(&made);
}

static void test_other_tensors(void **state) {
  (void)state;
  static const char *const pairs[][3] = {
      {"u8[2,3]", "u8[2,3,1]", "the rank of `from` is 2, that of `to` is 3"},
      {"u8[2,3]", "u8[4,3]", "dimensions[0] of `from` is 2, that of `to` is 4"},
      {"u8[2,3]", "u8[2,9]", "dimensions[1] of `from` is 3, that of `to` is 9"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
    const relayout_shape from_shape = shape_of(pairs[i][0]), to_shape = shape_of(pairs[i][1]);
    const rlt_view from = rlt_view_of_shape(&from_shape), to = rlt_view_of_shape(&to_shape);
    expect_failure(&from, &to, NULL, RELAYOUT_SHAPE_MISMATCH, pairs[i][2]);
  }
}

static void test_boxes_beyond(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("u8[2,5]");
  const rlt_view view = rlt_view_of_shape(&shape);
  static const struct {
    rlt_index_box box;
    const char *message;
  } boxes[] = {
      {{{0, -1}, {2, 2}}, "start[1] is -1 and sizes[1] is 2, beyond a dimension of size 5"},
      {{{0, 1}, {2, -2}}, "start[1] is 1 and sizes[1] is -2, beyond a dimension of size 5"},
      {{{0, 0}, {2, 6}}, "start[1] is 0 and sizes[1] is 6, beyond a dimension of size 5"},
      {{{0, 4}, {2, 2}}, "start[1] is 4 and sizes[1] is 2, beyond a dimension of size 5"},
      {{{3, 0}, {0, 5}}, "start[0] is 3 and sizes[0] is 0, beyond a dimension of size 2"},
      {{{0, INT64_MAX}, {2, 5}},
       "start[1] is 9223372036854775807 and sizes[1] is 5, beyond a dimension of size 5"},
  };
  for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; ++i) {
    expect_failure(&view, &view, &boxes[i].box, RELAYOUT_OUT_OF_RANGE, boxes[i].message);
  }
}

static void test_sides(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("u16[2,5]");
  relayout_shape wrong = shape;
  wrong.dimensions[0] = -1;
  const rlt_view view = rlt_view_of_shape(&shape), wrong_view = rlt_view_of_shape(&wrong);
  rlt_view other = view;
  other.is_read_only = true;
  expect_failure(&view, &other, NULL, RELAYOUT_INVALID_ARGUMENT,
                 "to->is_read_only is true; expected a view that may be written to");
  rlt_lowered made;
  const rlt_changes changes = {.scale = 1};
  assert_int_equal(rlt_lower(&other, &view, NULL, &changes, &made, NULL), RELAYOUT_OK);
  rlt_lowered_free(&made);
  relayout_error error = {0};
  assert_int_equal(rlt_lower(&wrong_view, &view, NULL, &changes, &made, &error),
                   RELAYOUT_INVALID_SHAPE);
  assert_memory_equal(error.message, "`from`: ", 8);
  other = view;
  other.byte_offset = INT64_MAX;
  assert_int_equal(rlt_lower(&other, &view, NULL, &changes, &made, &error), RELAYOUT_SIZE_OVERFLOW);
  assert_non_null(strstr(error.message, "from"));
  assert_int_equal(rlt_lower(&view, &other, NULL, &changes, &made, &error), RELAYOUT_SIZE_OVERFLOW);
  assert_non_null(strstr(error.message, "to"));
  /* Strides that are no multiples of an element, of one that changes. */
  static const int64_t byte_strides[] = {15, 3};
  const rlt_view halves = {.shape = &shape, .byte_strides = byte_strides};
  const relayout_shape narrow = shape_of("u8[2,5]");
  const rlt_view narrowed = rlt_view_of_shape(&narrow);
  expect_failure(&halves, &narrowed, NULL, RELAYOUT_UNSUPPORTED,
                 "from->byte_strides are multiples of 1 bytes; expected multiples of the element "
                 "size, 2 bytes, for elements that are packed, converted or in wider containers");
  expect_failure(&narrowed, &halves, NULL, RELAYOUT_UNSUPPORTED,
                 "to->byte_strides are multiples of 1 bytes; expected multiples of the element "
                 "size, 2 bytes, for elements that are packed, converted or in wider containers");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_at_once),  cmocka_unit_test(test_two_boxes),
      cmocka_unit_test(test_small_boxes),  cmocka_unit_test(test_other_tensors),
      cmocka_unit_test(test_boxes_beyond), cmocka_unit_test(test_sides),
  };
  return cmocka_run_group_tests_name("problem.lowered_bytes", tests, NULL, NULL);
}
