/* test_lower.c: lowering two shapes gives the axes that follow from their
 * strides, worked out by hand. */
#include "cmocka_all.h"

#include <string.h>

#include "problem/lower.h"
#include "shape_of.h"

static const rlt_changes no_changes = {.scale = 1};

typedef struct lower_case {
  const char *from;
  const char *to;
  bool fills;
  int32_t axis_count;
  rlt_axis axes[4]; /* extent, valid, source stride, destination stride */
} lower_case;

static const lower_case lowered[] = {
    {"f32[2,3]{1,0}", "f32[2,3]{0,1}", false, 2, {{2, 2, 3, 1}, {3, 3, 1, 2}}},
    {"f32[2,3]{1,0}", "f32[2,3]{0,1:PD(3,5)}", true, 2, {{3, 2, 3, 1}, {5, 3, 1, 3}}},
    {"f32[2,3]{1,0}", "f32[2,3]{0,1:PD(3,5)PV(unknown)}", false, 2, {{2, 2, 3, 1}, {3, 3, 1, 3}}},
    {"f32[2,3]{1,0:PD(4,7)}", "f32[2,3]{0,1}", false, 2, {{2, 2, 7, 1}, {3, 3, 1, 2}}},
    {"u8[4,1,5]{2,1,0}", "u8[4,1,5]{0,2,1}", false, 2, {{4, 4, 5, 1}, {5, 5, 1, 4}}},
    {"f64[]", "f64[]", false, 0, {{0, 0, 0, 0}}},
    {"s8[0,3]{1,0}", "s8[0,3]{1,0:PD(2,3)PV(one)}", true, 1, {{6, 0, 1, 1}}},
};

static void expect_problem(const rlt_problem *problem, const lower_case *expected) {
  assert_int_equal(problem->fills, expected->fills);
  assert_int_equal(problem->axis_count, expected->axis_count);
  for (int32_t a = 0; a < expected->axis_count; ++a) {
    assert_int_equal(problem->axes[a].extent, expected->axes[a].extent);
    assert_int_equal(problem->axes[a].valid, expected->axes[a].valid);
    assert_int_equal(problem->axes[a].source_stride, expected->axes[a].source_stride);
    assert_int_equal(problem->axes[a].destination_stride, expected->axes[a].destination_stride);
  }
}

static rlt_lowered lower_with(const rlt_changes *changes, const char *from_text,
                              const char *to_text) {
  const relayout_shape from_shape = shape_of(from_text);
  const relayout_shape to_shape = shape_of(to_text);
  const rlt_view from = rlt_view_of_shape(&from_shape);
  const rlt_view to = rlt_view_of_shape(&to_shape);
  rlt_lowered made;
  print_message("%s -> %s\n", from_text, to_text);
  assert_int_equal(rlt_lower(&from, &to, NULL, changes, &made, NULL), RELAYOUT_OK);
  return made;
}

static rlt_lowered lower(const char *from_text, const char *to_text) {
  return lower_with(&no_changes, from_text, to_text);
}

static void test_lowered_axes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof lowered / sizeof lowered[0]; ++i) {
    rlt_lowered made = lower(lowered[i].from, lowered[i].to);
    assert_int_equal(made.count, 1);
    expect_problem(&made.problems[0], &lowered[i]);
    rlt_lowered_free(&made);
  }
}

typedef struct parts_case {
  const char *from;
  const char *to;
  int32_t count;
  lower_case parts[3];
} parts_case;

/* Worked out by hand from XLA's rules. 300 in rows of 128 is two rows and 44 elements. 10 in pairs
 * of 8 is 8 and 2; what fills the last 16 is one range with them. A tile of a higher rank than the
 * array's has rows of its own, of which the first alone has elements. */
static const parts_case tiled[] = {
    {"f32[16,256]{1,0}",
     "f32[16,256]{1,0:T(8,128)}",
     1,
     {{.axis_count = 4,
       .axes = {{128, 128, 1, 1}, {8, 8, 256, 128}, {2, 2, 128, 1024}, {2, 2, 2048, 2048}}}}},
    {"f32[8,300]{1,0}",
     "f32[8,300]{1,0:T(8,128)}",
     2,
     {{.axis_count = 3, .axes = {{128, 128, 1, 1}, {8, 8, 300, 128}, {2, 2, 128, 1024}}},
      {.fills = true, .axis_count = 2, .axes = {{128, 44, 1, 1}, {8, 8, 300, 128}}}}},
    {"f32[10]{0:T(8)}",
     "f32[10]{0:T(16)}",
     2,
     {{.axis_count = 1, .axes = {{8, 8, 1, 1}}},
      {.fills = true, .axis_count = 1, .axes = {{8, 2, 1, 1}}}}},
    {"s8[8]{0}",
     "s8[8]{0:T(2,2)}",
     1,
     {{.fills = true, .axis_count = 2, .axes = {{4, 2, 1, 1}, {4, 4, 2, 4}}}}},
    {"bf16[4,6]{0,1}",
     "bf16[4,6]{0,1:T(3,4)(1,2)L(32)}",
     2,
     {{.axis_count = 1, .axes = {{24, 24, 1, 1}}},
      {.fills = true, .axis_count = 1, .axes = {{8, 0, 1, 1}}}}},
    {"u8[3,5,8]{2,1,0}",
     "u8[3,5,8]{2,1,0:T(*,4,8)}",
     2,
     {{.axis_count = 1, .axes = {{96, 96, 1, 1}}},
      {.fills = true, .axis_count = 1, .axes = {{32, 24, 1, 1}}}}},
    {"u8[6,4]{1,0}", "u8[6,4]{1,0:T(*,12)}", 1, {{.axis_count = 1, .axes = {{24, 24, 1, 1}}}}},
};

static void test_tiles(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof tiled / sizeof tiled[0]; ++i) {
    rlt_lowered made = lower(tiled[i].from, tiled[i].to);
    assert_null(made.index_program);
    assert_int_equal(made.count, tiled[i].count);
    for (int32_t p = 0; p < made.count; ++p) {
      expect_problem(&made.problems[p], &tiled[i].parts[p]);
    }
    rlt_lowered_free(&made);
  }
}

/* Where a part begins: behind two rows of 128, and two tiles of 8 x 128. */
static void test_starts(void **state) {
  (void)state;
  rlt_lowered made = lower("f32[8,300]{1,0}", "f32[8,300]{1,0:T(8,128)}");
  assert_int_equal(made.problems[0].source_start, 0);
  assert_int_equal(made.problems[0].destination_start, 0);
  assert_int_equal(made.problems[1].source_start, 256);
  assert_int_equal(made.problems[1].destination_start, 2048);
  assert_int_equal(made.source_bytes, 9600);
  assert_int_equal(made.destination_bytes, 12288);
  rlt_lowered_free(&made);
}

/* Digits without a common divisor, and nibbles that share bytes with those of other rows, between
 * which there is padding that stays as it was. */
static void test_index_program(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"f32[10]{0:T(4)}", "f32[10]{0:T(6)}"},
      {"f32[10,10]{0,1}", "f32[10,10]{1,0:T(*,8)}"},
      {"f32[12]{0}", "f32[12]{0:T(6)(4)}"},
      {"s4[2001,1001]{1,0}", "s4[2001,1001]{0,1:PD(2003,1001)PV(unknown)E(4)}"},
      {"s4[2001,1001]{1,0}", "s4[2001,1001]{0,1:E(4)}"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
    rlt_lowered made = lower(pairs[i][0], pairs[i][1]);
    assert_int_equal(made.count, 1);
    assert_ptr_equal(made.problems[0].index_program, made.index_program);
    assert_non_null(made.index_program);
    const int64_t all = made.problems[0].destination_elements;
    expect_problem(&made.problems[0], &(lower_case){.fills = made.problems[0].fills,
                                                    .axis_count = 1,
                                                    .axes = {{all, all, 1, 1}}});
    rlt_lowered_free(&made);
  }
}

/* Whoever merges bytes has axes for nibbles whose rows share bytes, with padding too, and for
 * padding that shares bytes with elements. */
static void test_merged_bytes(void **state) {
  (void)state;
  const rlt_changes merging = {.packing = RLT_PACKING_MERGED, .scale = 1};
  rlt_lowered made = lower_with(&merging, "s4[2001,1001]{1,0}", "s4[2001,1001]{0,1:E(4)}");
  assert_int_equal(made.count, 1);
  assert_null(made.index_program);
  expect_problem(
      &made.problems[0],
      &(lower_case){.axis_count = 2, .axes = {{2001, 2001, 1001, 1}, {1001, 1001, 1, 2001}}});
  rlt_lowered_free(&made);
  const lower_case padded = {
      .fills = true, .axis_count = 2, .axes = {{2003, 2001, 1001, 1}, {1003, 1001, 1, 2003}}};
  made = lower_with(&merging, "s4[2001,1001]{1,0}", "s4[2001,1001]{0,1:PD(2003,1003)E(4)}");
  assert_int_equal(made.count, 1);
  assert_null(made.index_program);
  expect_problem(&made.problems[0], &padded);
  rlt_lowered_free(&made);
  made = lower_with(&merging, "u4[3,5]{1,0}", "u4[3,5]{1,0:T(*,7)L(29)E(4)}");
  assert_null(made.index_program);
  assert_true(made.count >= 2);
  const rlt_problem *const tail = &made.problems[made.count - 1];
  expect_problem(tail, &(lower_case){.fills = true, .axis_count = 1, .axes = {{8, 0, 1, 1}}});
  assert_int_equal(tail->destination_start, 21);
  rlt_lowered_free(&made);
}

static void test_packed(void **state) {
  (void)state;
  rlt_lowered made = lower("s4[6,4]{1,0:E(4)}", "s4[6,4]{1,0:T(2,4)E(4)}");
  assert_int_equal(made.problems[0].element_bytes, 1); /* two elements always move together */
  assert_int_equal(made.problems[0].source_packed, 0);
  assert_int_equal(made.problems[0].axes[0].extent, 12);
  rlt_lowered_free(&made);
  made = lower("s4[6,4]{1,0}", "s4[6,4]{0,1:E(4)}");
  assert_int_equal(made.problems[0].source_packed, 0);
  assert_int_equal(made.problems[0].destination_packed, 4);
  assert_int_equal(made.source_bytes, 24);
  assert_int_equal(made.destination_bytes, 12);
  rlt_lowered_free(&made);
}

static void test_strides(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("f32[2,3]{1,0}");
  int64_t strides[] = {-40, 8};
  const rlt_view strided = {.shape = &shape, .byte_strides = strides};
  const rlt_view plain = rlt_view_of_shape(&shape);
  rlt_lowered made;
  assert_int_equal(rlt_lower(&strided, &plain, NULL, &no_changes, &made, NULL), RELAYOUT_OK);
  expect_problem(&made.problems[0],
                 &(lower_case){.axis_count = 2, .axes = {{3, 3, 2, 1}, {2, 2, -10, 3}}});
  assert_int_equal(made.source_before, 40);
  assert_int_equal(made.source_bytes, 40 + 16 + 4);
  assert_int_equal(made.problems[0].source_start, 10);
  rlt_lowered_free(&made);
  strides[0] = 6; /* no multiple of an element: halves of one move */
  strides[1] = 0;
  assert_int_equal(rlt_lower(&strided, &plain, NULL, &no_changes, &made, NULL), RELAYOUT_OK);
  assert_int_equal(made.problems[0].element_bytes, 2);
  expect_problem(
      &made.problems[0],
      &(lower_case){.axis_count = 3, .axes = {{2, 2, 1, 1}, {3, 3, 0, 2}, {2, 2, 3, 6}}});
  rlt_lowered_free(&made);
  strides[0] = 4;
  strides[1] = 4;
  relayout_error error;
  assert_int_equal(rlt_lower(&plain, &strided, NULL, &no_changes, &made, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "to->byte_strides"));
  rlt_lowered_free(&made);
}

/* An element in a container of so many more bits, as a number of all of them: its bytes come first,
 * which are the lowest ones or the highest. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define CONTAINED(more_bits) 1.0
#else
#define CONTAINED(more_bits) (double)(1 << (more_bits))
#endif

/* Elements that keep their type go into containers and out of them as numbers of other widths. */
static void test_containers(void **state) {
  (void)state;
  static const struct {
    const char *from;
    const char *to;
    rlt_conversion conversion;
    rlt_axis axes[2];
  } cases[] = {
      {"pred[2,3]{1,0}",
       "pred[2,3]{0,1:PD(2,4)E(32)}",
       {RELAYOUT_U8, RELAYOUT_U32, false, CONTAINED(24), false},
       {{2, 2, 3, 1}, {4, 3, 1, 2}}},
      {"s4[2,3]{1,0:E(4)}",
       "s4[2,3]{0,1:E(16)}",
       {RELAYOUT_U8, RELAYOUT_U16, false, CONTAINED(8), false},
       {{2, 2, 3, 1}, {3, 3, 1, 2}}},
      {"bf16[2,3]{1,0:E(32)}",
       "bf16[2,3]{0,1}",
       {RELAYOUT_U32, RELAYOUT_U16, true, 1 / CONTAINED(16), false},
       {{2, 2, 3, 1}, {3, 3, 1, 2}}},
      {"u8[2,3]{1,0:E(32)}", /* of which each first byte is read */
       "u8[2,3]{0,1:E(16)}",
       {RELAYOUT_U8, RELAYOUT_U16, false, CONTAINED(8), false},
       {{2, 2, 12, 1}, {3, 3, 4, 2}}},
      {"bf16[2,3]{1,0:E(32)}",
       "f32[2,3]{0,1}",
       {RELAYOUT_BF16, RELAYOUT_F32, false, 1, false},
       {{2, 2, 6, 1}, {3, 3, 2, 2}}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_lowered made = lower(cases[i].from, cases[i].to);
    const rlt_problem *const problem = &made.problems[0];
    assert_int_equal(made.count, 1);
    assert_int_equal(problem->conversion.from, cases[i].conversion.from);
    assert_int_equal(problem->conversion.to, cases[i].conversion.to);
    assert_int_equal(problem->conversion.wraps, cases[i].conversion.wraps);
    assert_true(problem->conversion.scale == cases[i].conversion.scale);
    assert_false(problem->conversion.rounds_to_nearest);
    assert_int_equal(problem->axis_count, 2);
    for (int32_t a = 0; a < 2; ++a) {
      assert_int_equal(problem->axes[a].extent, cases[i].axes[a].extent);
      assert_int_equal(problem->axes[a].valid, cases[i].axes[a].valid);
      assert_int_equal(problem->axes[a].source_stride, cases[i].axes[a].source_stride);
      assert_int_equal(problem->axes[a].destination_stride, cases[i].axes[a].destination_stride);
    }
    rlt_lowered_free(&made);
  }
}

/* Elements that change their type are followed by zeros; and padding of another value is filled by
 * itself, by whole containers. */
static void test_converted_containers(void **state) {
  (void)state;
  rlt_lowered made = lower("f32[2,3]{1,0}", "bf16[2,3]{0,1:PD(2,4)E(32)}");
  assert_int_equal(made.count, 1);
  assert_int_equal(made.destination_bytes, 32);
  assert_int_equal(made.problems[0].destination_elements, 16);
  expect_problem(&made.problems[0],
                 &(lower_case){.fills = true,
                               .axis_count = 3,
                               .axes = {{2, 1, 1, 1}, {2, 2, 3, 2}, {4, 3, 1, 4}}});
  rlt_lowered_free(&made);

  made = lower("f32[2,3]{1,0}", "bf16[2,3]{0,1:PD(2,4)PV(one)E(32)}");
  assert_int_equal(made.count, 2);
  const rlt_problem *const padding = &made.problems[0];
  assert_true(rlt_problem_is_fill(padding));
  assert_int_equal(padding->element_bytes, 4);
  assert_int_equal(padding->destination_start, 6);
  assert_int_equal(padding->axis_count, 1);
  assert_int_equal(padding->axes[0].extent, 2);
  const uint16_t one[] = {0x3f80, 0};
  assert_memory_equal(padding->fill, one, sizeof one);
  expect_problem(&made.problems[1],
                 &(lower_case){.fills = true,
                               .axis_count = 3,
                               .axes = {{2, 1, 1, 1}, {2, 2, 3, 2}, {3, 3, 1, 4}}});
  rlt_lowered_free(&made);

  /* By an index program, each word of a container by itself. */
  made = lower("f32[7,5]{1,0:T(2,2)}", "s8[7,5]{1,0:PV(unknown)T(3,3)E(32)}");
  assert_int_equal(made.count, 4);
  for (int32_t i = 0; i < made.count; ++i) {
    assert_non_null(made.problems[i].index_program);
    assert_int_equal(made.problems[i].destination_start, i);
  }
  rlt_lowered_free(&made);

  /* So where boxes of elements and their padding are too many: of the 16 boxes each has a problem
   * for every dimension that it has padding of, 32 in all, and one for its elements. */
  made = lower("u8[3,3,3,3]{3,2,1,0}", "s8[3,3,3,3]{3,2,1,0:PV(one)T(2,2,2,2)E(16)}");
  assert_int_equal(made.count, 2);
  for (int32_t i = 0; i < made.count; ++i) {
    assert_non_null(made.problems[i].index_program);
  }
  rlt_lowered_free(&made);

  made = lower("u8[3,3,3]{2,1,0}", "s8[3,3,3]{2,1,0:PV(one)T(2,2,2)E(16)}");
  assert_int_equal(made.count, 8 + 12);
  assert_null(made.index_program);
  rlt_lowered_free(&made);
}

static void test_nothing_to_write(void **state) {
  (void)state;
  rlt_lowered made = lower("s8[0,3]{1,0}", "s8[0,3]{1,0}");
  assert_int_equal(made.count, 0);
  rlt_lowered_free(&made);
}

static void test_sizes_and_fill(void **state) {
  (void)state;
  rlt_lowered made = lower("bf16[2,3]{1,0:PD(2,8)}", "bf16[2,3]{0,1:PD(3,5)PV(lowest)}");
  const rlt_problem *const problem = &made.problems[0];
  assert_int_equal(problem->element_bytes, 2);
  assert_int_equal(problem->source_elements, 16);
  assert_int_equal(problem->destination_elements, 15);
  assert_int_equal(made.source_bytes, 32);
  assert_int_equal(made.destination_bytes, 30);
  const uint16_t minus_infinity = 0xff80;
  assert_memory_equal(problem->fill, &minus_infinity, 2);
  rlt_lowered_free(&made);
}

static void test_invalid_side_is_named(void **state) {
  (void)state;
  const relayout_shape right = shape_of("f32[2,3]");
  relayout_shape wrong = right;
  wrong.layout.minor_to_major[0] = 7;
  const rlt_view from = rlt_view_of_shape(&right);
  const rlt_view to = rlt_view_of_shape(&wrong);
  rlt_lowered made;
  relayout_error error;
  assert_int_equal(rlt_lower(&from, &to, NULL, &no_changes, &made, &error), RELAYOUT_INVALID_SHAPE);
  rlt_lowered_free(&made);
  assert_non_null(strstr(error.message, "`to`: "));
  assert_non_null(strstr(error.message, "7"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lowered_axes),
      cmocka_unit_test(test_tiles),
      cmocka_unit_test(test_starts),
      cmocka_unit_test(test_index_program),
      cmocka_unit_test(test_merged_bytes),
      cmocka_unit_test(test_packed),
      cmocka_unit_test(test_strides),
      cmocka_unit_test(test_containers),
      cmocka_unit_test(test_converted_containers),
      cmocka_unit_test(test_nothing_to_write),
      cmocka_unit_test(test_sizes_and_fill),
      cmocka_unit_test(test_invalid_side_is_named),
  };
  return cmocka_run_group_tests_name("problem.lower", tests, NULL, NULL);
}
