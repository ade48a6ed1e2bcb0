/* test_rewrites.c: rewritten problems, worked out by hand: short runs that become words. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "problem/definition.h"
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

/* Whether both do the same to memory. Wider words may leave out the end of what a side holds. */
static bool do_the_same(const rlt_problem *a, const rlt_problem *b) {
  const size_t source_size = rlt_problem_source_size(a);
  const size_t size = rlt_problem_destination_size(a);
  uint8_t *const source = malloc(source_size + 1);
  uint8_t *const first = malloc(size + 1);
  uint8_t *const second = malloc(size + 1);
  for (size_t i = 0; i < source_size; ++i) {
    source[i] = (uint8_t)(i * 37 + i / 256);
  }
  memset(first, 0xa5, size);
  memset(second, 0xa5, size);
  definition_relayout(a, source, first);
  definition_relayout(b, source, second);
  const bool same = rlt_problem_source_size(b) <= source_size &&
                    rlt_problem_destination_size(b) <= size && memcmp(first, second, size) == 0;
  free(source);
  free(first);
  free(second);
  return same;
}

typedef void rewrite(rlt_problem *problem);

/* Runs of any length instead of each element. */
static void expect_same_meaning(rewrite *rewritten, bool may_shuffle) {
  int32_t widened_count = 0;
  int32_t shuffled = 0;
  for (uint64_t start = 1; start <= 6000; ++start) {
    uint64_t seed = start;
    const rlt_problem elements = definition_random_problem(&seed);
    const int64_t length = 1 + definition_random(&seed, 16);
    rlt_problem before = definition_with_runs(&elements, length);
    if (definition_random(&seed, 3) == 0) { /* a b c d become a c b d */
      before = definition_with_runs(&elements, 2);
      before = definition_with_runs(&before, 2);
      before.axes[0].source_stride = 2;
      before.axes[1].source_stride = 1;
    }
    rlt_problem_simplify(&before);
    if (rlt_problem_is_empty(&before)) {
      continue;
    }
    rlt_problem after = before;
    rewritten(&after);
    const bool is_wider = after.element_bytes > before.element_bytes;
    if (!do_the_same(&before, &after) || (after.shuffles && !may_shuffle)) {
      definition_print(&before);
      definition_print(&after);
      fail_msg("seed %" PRIu64 ": wider words are not the problem", start);
    }
    widened_count += is_wider;
    shuffled += after.shuffles;
  }
  print_message("widened: %" PRId32 ", shuffled: %" PRId32 "\n", widened_count, shuffled);
  assert_true(widened_count > 200 && shuffled >= (may_shuffle ? 100 : 0));
}

static void test_wider_words_mean_the_same(void **state) {
  (void)state;
  expect_same_meaning(rlt_problem_widen, true);
  expect_same_meaning(rlt_problem_widen_runs, false);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_widened),
      cmocka_unit_test(test_widened_runs),
      cmocka_unit_test(test_what_is_not_widened),
      cmocka_unit_test(test_wider_words_mean_the_same),
      cmocka_unit_test(test_shuffled),
  };
  return cmocka_run_group_tests_name("problem.rewrites", tests, NULL, NULL);
}
