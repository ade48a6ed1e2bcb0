/* test_widen.c: elements that move together become words, worked out by hand. */
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
  assert_int_equal(after->transposed_bits, 0);
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
    {{.element_bytes = 1, /* 16 bytes, and no more */
      .axis_count = 2,
      .axes = {{16, 16, 1, 1}, {5, 5, 32, 16}},
      .source_elements = 160,
      .destination_elements = 80},
     16,
     1,
     {{5, 5, 2, 1}}},
    {{.element_bytes = 1,
      .axis_count = 2,
      .axes = {{32, 32, 1, 1}, {5, 5, 64, 32}},
      .source_elements = 320,
      .destination_elements = 160},
     1,
     2,
     {{32, 32, 1, 1}, {5, 5, 64, 32}}},
    {{.element_bytes = 2,
      .axis_count = 2,
      .axes = {{16, 16, 1, 1}, {5, 5, 32, 16}},
      .source_elements = 160,
      .destination_elements = 80},
     2,
     2,
     {{16, 16, 1, 1}, {5, 5, 32, 16}}},
    {{.element_bytes = 1,
      .axis_count = 3,
      .axes = {{4, 4, 8, 1}, {8, 8, 1, 4}, {5, 5, 64, 32}},
      .source_elements = 320,
      .destination_elements = 160},
     1,
     3,
     {{4, 4, 8, 1}, {8, 8, 1, 4}, {5, 5, 64, 32}}},
    {{.element_bytes = 8,
      .axis_count = 2,
      .axes = {{2, 2, 1, 1}, {5, 5, 6, 2}},
      .source_elements = 30,
      .destination_elements = 10},
     16,
     1,
     {{5, 5, 3, 1}}},
    {{.element_bytes = 2, /* as far apart as four words, but two of them twice */
      .axis_count = 3,
      .axes = {{2, 2, 0, 1}, {2, 2, 3, 2}, {5, 5, 4, 4}},
      .source_elements = 20,
      .destination_elements = 20},
     2,
     3,
     {{2, 2, 0, 1}, {2, 2, 3, 2}, {5, 5, 4, 4}}},
    {{.element_bytes = 2, /* what lies behind the last axis is none */
      .axis_count = 2,
      .axes = {{2, 2, 1, 1}, {5, 5, 4, 2}, {3, 3, 5, 7}},
      .source_elements = 20,
      .destination_elements = 10},
     4,
     1,
     {{5, 5, 2, 1}}},
    {{.element_bytes = 2,
      .axis_count = 1,
      .axes = {{2, 2, 1, 1}, {2, 2, 2, 2}},
      .source_elements = 4,
      .destination_elements = 4},
     2,
     1,
     {{2, 2, 1, 1}}},
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

/* Parts of runs that both sides have: four words of each 64 bytes; pairs where runs of ten lie
 * twelve apart; a whole run, so that its axis goes. None of runs of which nine bytes are read;
 * the valid half of a run; padding alone; and nothing is wider than 16 bytes. */
static const rewrite_case widened_runs[] = {
    {{.element_bytes = 1,
      .axis_count = 2,
      .axes = {{64, 64, 1, 1}, {5, 5, 320, 64}},
      .source_elements = 1600,
      .destination_elements = 320},
     16,
     2,
     {{4, 4, 1, 1}, {5, 5, 20, 4}}},
    {{.element_bytes = 1,
      .axis_count = 2,
      .axes = {{10, 10, 1, 1}, {5, 5, 16, 12}},
      .source_elements = 80,
      .destination_elements = 60},
     2,
     2,
     {{5, 5, 1, 1}, {5, 5, 8, 6}}},
    {{.element_bytes = 4,
      .axis_count = 2,
      .axes = {{4, 4, 1, 1}, {6, 6, 4, 8}},
      .source_elements = 24,
      .destination_elements = 48},
     16,
     1,
     {{6, 6, 1, 2}}},
    {{.element_bytes = 1,
      .axis_count = 2,
      .axes = {{16, 9, 1, 1}, {5, 5, 16, 16}},
      .fills = true,
      .source_elements = 80,
      .destination_elements = 80},
     1,
     2,
     {{16, 9, 1, 1}, {5, 5, 16, 16}}},
    {{.element_bytes = 2,
      .axis_count = 2,
      .axes = {{16, 8, 1, 1}, {5, 5, 24, 16}},
      .fills = true,
      .source_elements = 120,
      .destination_elements = 80},
     16,
     2,
     {{2, 1, 1, 1}, {5, 5, 3, 2}}},
    {{.element_bytes = 4,
      .axis_count = 1,
      .axes = {{20, 0, 1, 1}},
      .fills = true,
      .source_elements = 1,
      .destination_elements = 20},
     16,
     1,
     {{5, 0, 1, 1}}},
    {{.element_bytes = 16,
      .axis_count = 2,
      .axes = {{8, 8, 1, 1}, {5, 5, 16, 8}},
      .source_elements = 80,
      .destination_elements = 40},
     16,
     2,
     {{8, 8, 1, 1}, {5, 5, 16, 8}}},
};

static void test_widened_runs(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof widened_runs / sizeof widened_runs[0]; ++i) {
    rlt_problem problem = widened_runs[i].before;
    print_message("case %zu\n", i);
    rlt_problem_widen_runs(&problem);
    expect(&problem, &widened_runs[i]);
    assert_false(problem.shuffles);
  }
}

/* Packed elements, those that change, and index programs stay as they are. */
static void test_what_is_not_widened(void **state) {
  (void)state;
  static const rlt_index_program program = {.count = 0};
  const rlt_problem runs = {.element_bytes = 1,
                            .axis_count = 2,
                            .axes = {{8, 8, 1, 1}, {5, 5, 16, 8}},
                            .source_elements = 80,
                            .destination_elements = 40};
  rlt_problem kept[] = {runs, runs, runs, runs, runs};
  kept[0].source_packed = 4;
  kept[1].destination_packed = 4;
  kept[2].conversion = (rlt_conversion){.from = RELAYOUT_U8, .to = RELAYOUT_S8, .scale = 1};
  kept[3].index_program = &program;
  kept[4].shuffles = true;
  for (size_t i = 0; i < sizeof kept / sizeof kept[0]; ++i) {
    const rlt_problem before = kept[i];
    rlt_problem_widen(&kept[i]);
    assert_memory_equal(&kept[i], &before, sizeof before);
    rlt_problem_widen_runs(&kept[i]);
    assert_memory_equal(&kept[i], &before, sizeof before);
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

/* A word is filled with its elements' fill, over and over. */
static void test_fill(void **state) {
  (void)state;
  static const uint8_t fill[RELAYOUT_MAX_ELEMENT_SIZE] = {1, 2, 1, 2, 1, 2, 1, 2};
  rlt_problem problem = {.element_bytes = 2,
                         .axis_count = 2,
                         .axes = {{4, 4, 1, 1}, {6, 5, 8, 4}},
                         .fills = true,
                         .fill = {1, 2},
                         .source_elements = 40,
                         .destination_elements = 24};
  rlt_problem_widen(&problem);
  assert_int_equal(problem.element_bytes, 8);
  assert_memory_equal(problem.fill, fill, sizeof fill);
  assert_memory_equal(problem.fill_word, fill, sizeof fill);
}

/* From an axis on; those before it, and what lies behind the last one, stay. */
static void test_counted_in_words(void **state) {
  (void)state;
  static const rlt_axis after[] = {{9, 8, 4, 8}, {5, 5, 4, 5}, {7, 6, -8, 12}, {3, 2, 16, 24}};
  rlt_problem problem = {.element_bytes = 1,
                         .source_start = 8,
                         .destination_start = 12,
                         .source_elements = 400,
                         .destination_elements = 120,
                         .axis_count = 3,
                         .axes = {{9, 8, 4, 8}, {5, 5, 16, 20}, {7, 6, -32, 48}, {3, 2, 16, 24}}};
  rlt_problem_count_in_words(&problem, 1, 4);
  assert_int_equal(problem.source_start, 2);
  assert_int_equal(problem.destination_start, 3);
  assert_int_equal(problem.source_elements, 100);
  assert_int_equal(problem.destination_elements, 30);
  assert_int_equal(problem.axis_count, 3);
  assert_memory_equal(problem.axes, after, sizeof after);
}

/* ---- Packed elements ---- */

typedef struct packed_case {
  rlt_problem before;
  int64_t packed;
  int64_t source_elements, destination_elements, source_start, destination_start;
  uint8_t fill;
  rlt_axis axes[2];
} packed_case;

/* Pairs of nibbles are bytes, and eight bits are one; triples of pairs of bits stay pairs. The last
 * word of a side may lack elements. */
static const packed_case widened_packed[] = {
    {{.source_packed = 4,
      .destination_packed = 4,
      .source_start = 2,
      .destination_start = 4,
      .source_elements = 33,
      .destination_elements = 27,
      .fills = true,
      .fill = {0xf3},
      .axis_count = 2,
      .axes = {{4, 2, 1, 1}, {5, 5, 6, 4}}},
     0,
     17,
     14,
     1,
     2,
     0x33,
     {{2, 1, 1, 1}, {5, 5, 3, 2}}},
    {{.source_packed = 4,
      .destination_packed = 4,
      .source_elements = 28,
      .destination_elements = 20,
      .axis_count = 2,
      .axes = {{4, 4, 1, 1}, {5, 5, 6, 4}}},
     0,
     14,
     10,
     0,
     0,
     0,
     {{2, 2, 1, 1}, {5, 5, 3, 2}}},
    {{.source_packed = 1,
      .destination_packed = 1,
      .source_start = 8,
      .destination_start = 16,
      .source_elements = 49,
      .destination_elements = 43,
      .fill = {1},
      .axis_count = 2,
      .axes = {{8, 8, 1, 1}, {3, 3, 16, 8}}},
     0,
     7,
     6,
     1,
     2,
     0xff,
     {{1, 1, 1, 1}, {3, 3, 2, 1}}},
    {{.source_packed = 2,
      .destination_packed = 2,
      .source_elements = 27,
      .destination_elements = 21,
      .fill = {2},
      .axis_count = 2,
      .axes = {{6, 6, 1, 1}, {3, 3, 8, 6}}},
     4,
     14,
     11,
     0,
     0,
     0xa,
     {{3, 3, 1, 1}, {3, 3, 4, 3}}},
};

static void test_widened_packed(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof widened_packed / sizeof widened_packed[0]; ++i) {
    const packed_case *const c = &widened_packed[i];
    rlt_problem problem = c->before;
    problem.element_bytes = 1;
    print_message("case %zu\n", i);
    rlt_problem_widen_packed(&problem);
    assert_int_equal(problem.element_bytes, 1);
    assert_int_equal(problem.source_packed, c->packed);
    assert_int_equal(problem.destination_packed, c->packed);
    assert_int_equal(problem.source_elements, c->source_elements);
    assert_int_equal(problem.destination_elements, c->destination_elements);
    assert_int_equal(problem.source_start, c->source_start);
    assert_int_equal(problem.destination_start, c->destination_start);
    assert_int_equal(problem.fill[0], c->fill);
    assert_int_equal(problem.fill_word[0], c->fill);
    assert_int_equal(problem.axis_count, 2);
    assert_memory_equal(problem.axes, c->axes, sizeof c->axes);
  }
}

/* Sides that begin their bytes at the same end are joined as others are; those that do not become
 * whole bytes, whose elements are reversed, or nothing at all. */
static void test_widened_orders(void **state) {
  (void)state;
  const rlt_problem pairs = {.element_bytes = 1,
                             .source_packed = 2,
                             .destination_packed = 2,
                             .source_high = true,
                             .source_elements = 40,
                             .destination_elements = 27,
                             .fill = {2},
                             .axis_count = 2,
                             .axes = {{8, 8, 1, 1}, {3, 3, 16, 8}}};
  rlt_problem problem = pairs;
  rlt_problem_widen_packed(&problem);
  assert_int_equal(problem.reversed_bits, 2);
  assert_int_equal(problem.source_packed, 0);
  assert_int_equal(problem.destination_packed, 0);
  assert_false(problem.source_high);
  assert_false(problem.destination_high);
  assert_int_equal(problem.source_elements, 10);
  assert_int_equal(problem.destination_elements, 7);
  assert_int_equal(problem.fill[0], 0xaa);
  assert_int_equal(problem.fill_word[0], 0xaa);
  assert_memory_equal(problem.axes, ((rlt_axis[]){{2, 2, 1, 1}, {3, 3, 4, 2}}),
                      2 * sizeof problem.axes[0]);
  problem.destination_elements = 8;
  rlt_problem_widen_runs(&problem); /* words of two bytes, which are reversed as before */
  assert_int_equal(problem.element_bytes, 2);
  assert_int_equal(problem.reversed_bits, 2);

  problem = pairs;
  problem.axes[0].extent = problem.axes[0].valid = 6; /* a byte and a half */
  const rlt_problem kept = problem;
  rlt_problem_widen_packed(&problem);
  assert_memory_equal(&problem, &kept, sizeof kept);

  problem.destination_high = true;
  problem.axes[1] = (rlt_axis){3, 3, 16, 8};
  rlt_problem_widen_packed(&problem);
  assert_int_equal(problem.source_packed, 4);
  assert_int_equal(problem.destination_packed, 4);
  assert_true(problem.source_high && problem.destination_high);
  assert_int_equal(problem.reversed_bits, 0);
}

/* Elements that are packed on one side, or otherwise there, that change, or that are moved, filled
 * or counted in odd numbers stay as they are; so do those that do not lie along axis 0. */
static void test_what_stays_packed(void **state) {
  (void)state;
  const rlt_problem pairs = {.element_bytes = 1,
                             .source_packed = 4,
                             .destination_packed = 4,
                             .source_elements = 28,
                             .destination_elements = 20,
                             .axis_count = 2,
                             .axes = {{4, 4, 1, 1}, {5, 5, 6, 4}}};
  rlt_problem kept[13];
  for (size_t i = 0; i < sizeof kept / sizeof kept[0]; ++i) {
    kept[i] = pairs;
  }
  kept[0].source_packed = 0;
  kept[1].destination_packed = 0;
  kept[2].destination_packed = 2;
  kept[3].conversion = (rlt_conversion){.from = RELAYOUT_U4, .to = RELAYOUT_S4, .scale = 1};
  kept[4].axes[0].extent = 5;
  kept[5].axes[0].valid = 3;
  kept[6].axes[0].source_stride = 2;
  kept[7].axes[0].destination_stride = 2;
  kept[8].axes[1].source_stride = 7;
  kept[9].axes[1].destination_stride = 5;
  kept[10].source_start = 1;
  kept[11].destination_start = 1;
  kept[12].axis_count = 0;
  for (size_t i = 0; i < sizeof kept / sizeof kept[0]; ++i) {
    const rlt_problem before = kept[i];
    print_message("case %zu\n", i);
    rlt_problem_widen_packed(&kept[i]);
    assert_memory_equal(&kept[i], &before, sizeof before);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_widened),
      cmocka_unit_test(test_widened_runs),
      cmocka_unit_test(test_what_is_not_widened),
      cmocka_unit_test(test_shuffled),
      cmocka_unit_test(test_fill),
      cmocka_unit_test(test_counted_in_words),
      cmocka_unit_test(test_widened_packed),
      cmocka_unit_test(test_widened_orders),
      cmocka_unit_test(test_what_stays_packed),
  };
  return cmocka_run_group_tests_name("problem.widen", tests, NULL, NULL);
}
