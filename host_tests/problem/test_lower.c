/* test_lower.c: shapes become the axes that a reader can work out from their strides. */
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

static rlt_lowered lower(const char *from_text, const char *to_text) {
  const relayout_shape from = shape_of(from_text);
  const relayout_shape to = shape_of(to_text);
  rlt_lowered made;
  print_message("%s -> %s\n", from_text, to_text);
  assert_int_equal(rlt_lower(&from, &to, &no_changes, &made, NULL), RELAYOUT_OK);
  return made;
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

typedef struct refusal {
  const char *from;
  const char *to;
  relayout_status status;
  const char *message;
} refusal;

static const refusal refusals[] = {
    {"f32[2,3]", "f32[2]", RELAYOUT_SHAPE_MISMATCH, "rank of `from` is 2, that of `to` is 1"},
    {"f32[2,3]", "f32[2,4]", RELAYOUT_SHAPE_MISMATCH,
     "dimensions[1] of `from` is 3, that of `to` is 4"},
    {"f32[2,3]", "s32[2,3]", RELAYOUT_SHAPE_MISMATCH,
     "element type of `from` is f32, that of `to` is s32"},
    {"f32[2,3]{1,0:T(2,2)}", "f32[2,3]", RELAYOUT_UNSUPPORTED,
     "`from` has tiles (T), not supported yet"},
    {"f32[2,3]", "f32[2,3]{1,0:L(8)}", RELAYOUT_UNSUPPORTED, "(L) 8, not supported yet"},
    {"s4[2,3]", "s4[2,3]{1,0:E(4)}", RELAYOUT_UNSUPPORTED, "(E) 4, not supported yet"},
};

static void test_refusals(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; ++i) {
    const relayout_shape from = shape_of(refusals[i].from);
    const relayout_shape to = shape_of(refusals[i].to);
    rlt_lowered made;
    relayout_error error;
    print_message("%s -> %s\n", refusals[i].from, refusals[i].to);
    assert_int_equal(rlt_lower(&from, &to, &no_changes, &made, &error), refusals[i].status);
    rlt_lowered_free(&made);
    assert_int_equal(error.status, refusals[i].status);
    if (strstr(error.message, refusals[i].message) == NULL) {
      fail_msg("`%s` lacks `%s`", error.message, refusals[i].message);
    }
  }
}

static void test_invalid_side_is_named(void **state) {
  (void)state;
  const relayout_shape from = shape_of("f32[2,3]");
  relayout_shape to = from;
  to.layout.minor_to_major[0] = 7;
  rlt_lowered made;
  relayout_error error;
  assert_int_equal(rlt_lower(&from, &to, &no_changes, &made, &error), RELAYOUT_INVALID_SHAPE);
  rlt_lowered_free(&made);
  assert_non_null(strstr(error.message, "`to`: "));
  assert_non_null(strstr(error.message, "7"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lowered_axes),          cmocka_unit_test(test_nothing_to_write),
      cmocka_unit_test(test_sizes_and_fill),        cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_invalid_side_is_named),
  };
  return cmocka_run_group_tests_name("problem.lower", tests, NULL, NULL);
}
