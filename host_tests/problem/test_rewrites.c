/* test_rewrites.c: rewritten problems, worked out by hand: short runs that become words, packed
 * elements that become bytes. */
#include "cmocka_all.h"

#include <string.h>

#include "problem/problem.h"

typedef struct rewrite_case {
  rlt_problem before;
  int64_t element_bytes;
  int32_t axis_count;
  rlt_axis axes[5]; /* extent, valid, source stride, destination stride */
} rewrite_case;

static void expect(const rlt_problem *after, const rewrite_case *expected) {
  assert_int_equal(after->element_bytes, expected->element_bytes);
  assert_int_equal(after->axis_count, expected->axis_count);
  for (int32_t a = 0; a < expected->axis_count; ++a) {
    assert_memory_equal(&after->axes[a], &expected->axes[a], sizeof(rlt_axis));
  }
}

/* Pairs that lie together on both sides; a run of 8 bytes, but not of 6, nor one that ends in
 * padding, nor one that another axis has in part. */
static const rewrite_case widened[] = {
    {{.element_bytes = 2,
      .axis_count = 2,
      .axes = {{2, 2, 1, 1}, {128, 128, 8192, 2}},
      .source_elements = 1 << 20,
      .destination_elements = 256},
     4,
     1,
     {{128, 128, 4096, 1}}},
    {{.element_bytes = 1,
      .axis_count = 3,
      .axes = {{8, 8, 1, 1}, {5, 5, 80, 8}, {10, 10, 8, 40}},
      .source_elements = 400,
      .destination_elements = 400},
     8,
     2,
     {{5, 5, 10, 1}, {10, 10, 1, 5}}},
    {{.element_bytes = 2,
      .axis_count = 2,
      .axes = {{3, 3, 1, 1}, {5, 5, 6, 3}},
      .source_elements = 30,
      .destination_elements = 15},
     2,
     2,
     {{3, 3, 1, 1}, {5, 5, 6, 3}}},
    {{.element_bytes = 2,
      .axis_count = 2,
      .axes = {{2, 1, 1, 1}, {5, 5, 4, 2}},
      .fills = true,
      .source_elements = 20,
      .destination_elements = 10},
     2,
     2,
     {{2, 1, 1, 1}, {5, 5, 4, 2}}},
    {{.element_bytes = 2,
      .axis_count = 2,
      .axes = {{2, 2, 1, 1}, {5, 5, 3, 2}},
      .source_elements = 16,
      .destination_elements = 10},
     2,
     2,
     {{2, 2, 1, 1}, {5, 5, 3, 2}}},
};

static void test_widened(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof widened / sizeof widened[0]; ++i) {
    rlt_problem problem = widened[i].before;
    rlt_problem_widen(&problem);
    expect(&problem, &widened[i]);
    assert_false(problem.shuffles);
  }
}

/* Four halves a b c d that the destination has as a c b d. */
static void test_shuffled(void **state) {
  (void)state;
  const rewrite_case expected = {
      .element_bytes = 8, .axis_count = 2, .axes = {{4, 4, 64, 1}, {4, 4, 1, 64}}};
  static const uint8_t order[] = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
  rlt_problem problem = {.element_bytes = 2,
                         .axis_count = 4,
                         .axes = {{2, 2, 2, 1}, {2, 2, 1, 2}, {4, 4, 256, 4}, {4, 4, 4, 256}},
                         .source_elements = 1024,
                         .destination_elements = 1024};
  rlt_problem_widen(&problem);
  expect(&problem, &expected);
  assert_true(problem.shuffles);
  assert_memory_equal(problem.shuffle, order, sizeof order);
}

/* 64 rows of 128 nibbles: the destination has 128 rows of 32 bytes. A byte has two of the
 * source's rows, 64 bytes apart, and so are the destination's rows from one nibble of the
 * source to the next, of 32 bytes. */
static void test_swapped(void **state) {
  (void)state;
  const rewrite_case expected = {.element_bytes = 1,
                                 .axis_count = 3,
                                 .axes = {{32, 32, 128, 1}, {2, 2, 64, 32}, {64, 64, 1, 64}}};
  rlt_problem problem = {.element_bytes = 1,
                         .source_packed = 4,
                         .destination_packed = 4,
                         .fills = true,
                         .fill = {0x5},
                         .axis_count = 2,
                         .axes = {{64, 64, 128, 1}, {128, 128, 1, 64}},
                         .source_elements = 64 * 128,
                         .destination_elements = 64 * 128};
  rlt_problem_swap(&problem, 256);
  expect(&problem, &expected);
  assert_int_equal(problem.swapped_bits, 4);
  assert_int_equal(problem.swapped_stride, 64);
  assert_int_equal(problem.source_packed, 0);
  assert_int_equal(problem.destination_packed, 0);
  assert_int_equal(problem.source_elements, 64 * 64);
  assert_int_equal(problem.fill[0], 0x55);
}

/* Odd rows, and rows of too few bytes. */
static void test_not_swapped(void **state) {
  (void)state;
  static const int64_t sizes[][2] = {{63, 128}, {64, 127}, {16, 128}, {64, 16}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    const int64_t columns = sizes[i][0];
    const int64_t rows = sizes[i][1];
    rlt_problem problem = {.element_bytes = 1,
                           .source_packed = 4,
                           .destination_packed = 4,
                           .axis_count = 2,
                           .axes = {{columns, columns, rows, 1}, {rows, rows, 1, columns}},
                           .source_elements = columns * rows,
                           .destination_elements = columns * rows};
    const rlt_problem before = problem;
    rlt_problem_swap(&problem, 256);
    assert_memory_equal(&problem, &before, sizeof before);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_widened),
      cmocka_unit_test(test_shuffled),
      cmocka_unit_test(test_swapped),
      cmocka_unit_test(test_not_swapped),
  };
  return cmocka_run_group_tests_name("problem.rewrites", tests, NULL, NULL);
}
