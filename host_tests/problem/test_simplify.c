/* test_simplify.c: simplifying changes the axes of a problem, and never what moves where. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "problem/definition.h"
#include "problem/problem.h"

typedef struct simplify_case {
  const char *what;
  bool fills;
  int32_t given_count;
  rlt_axis given[5]; /* extent, valid, source stride, destination stride */
  int32_t axis_count;
  rlt_axis axes[4];
} simplify_case;

static const simplify_case cases[] = {
    {"the same order fuses to one axis",
     false,
     3,
     {{4, 4, 15, 15}, {3, 3, 5, 5}, {5, 5, 1, 1}},
     1,
     {{60, 60, 1, 1}}},
    {"unit axes vanish and the rest is sorted",
     false,
     3,
     {{4, 4, 1, 7}, {1, 1, 99, 99}, {7, 7, 4, 1}},
     2,
     {{7, 7, 4, 1}, {4, 4, 1, 7}}},
    {"a pair that stays together fuses",
     false,
     3,
     {{2, 2, 12, 1}, {3, 3, 4, 8}, {4, 4, 1, 2}},
     2,
     {{2, 2, 12, 1}, {12, 12, 1, 2}}},
    {"padding within keeps axes apart",
     true,
     2,
     {{4, 4, 3, 5}, {5, 3, 1, 1}},
     2,
     {{5, 3, 1, 1}, {4, 4, 3, 5}}},
    {"padding of the outer axis does not",
     true,
     2,
     {{6, 4, 3, 3}, {3, 3, 1, 1}},
     1,
     {{18, 12, 1, 1}}},
    {"an axis with one source row fuses whatever its source stride",
     true,
     2,
     {{4, 1, 99, 5}, {5, 5, 1, 1}},
     1,
     {{20, 5, 1, 1}}},
    {"one source element, padded: the source takes the destination's strides",
     true,
     2,
     {{2, 1, 8, 3}, {3, 1, 7, 1}},
     2,
     {{3, 1, 1, 1}, {2, 1, 3, 3}}},
    {"no source at all: one run to fill",
     true,
     2,
     {{4, 0, 9, 5}, {5, 3, 1, 1}},
     1,
     {{20, 0, 1, 1}}},
    {"no source, one element", true, 1, {{1, 0, 1, 1}}, 1, {{1, 0, 1, 1}}},
    {"no source and nothing to fill", false, 2, {{4, 0, 5, 5}, {5, 5, 1, 1}}, 1, {{0, 0, 1, 1}}},
    {"what is neither read nor filled is dropped, and with it axes left with one digit",
     false,
     3,
     {{5, 4, 6, 24}, {4, 1, 99, 6}, {6, 5, 1, 1}},
     2,
     {{5, 5, 1, 1}, {4, 4, 6, 24}}},
    {"runs fuse when the gap behind them is dropped",
     false,
     2,
     {{6, 3, 4, 4}, {4, 4, 1, 1}},
     1,
     {{12, 12, 1, 1}}},
    {"an extent of zero", true, 2, {{0, 0, 5, 5}, {5, 5, 1, 1}}, 1, {{0, 0, 1, 1}}},
    {"a single element has no axes", false, 2, {{1, 1, 1, 1}, {1, 1, 1, 1}}, 0, {{0, 0, 0, 0}}},
};

static void test_cases(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const simplify_case *expected = &cases[i];
    rlt_problem problem = {
        .element_bytes = 4, .fills = expected->fills, .axis_count = expected->given_count};
    memcpy(problem.axes, expected->given, sizeof expected->given);
    print_message("%s\n", expected->what);
    rlt_problem_simplify(&problem);
    assert_int_equal(problem.axis_count, expected->axis_count);
    for (int32_t a = 0; a < problem.axis_count; ++a) {
      assert_memory_equal(&problem.axes[a], &expected->axes[a], sizeof(rlt_axis));
    }
  }
}

static bool sorted_by_destination_stride(const rlt_problem *problem) {
  for (int32_t a = 1; a < problem->axis_count; ++a) {
    if (problem->axes[a - 1].destination_stride > problem->axes[a].destination_stride) {
      return false;
    }
  }
  return true;
}

static void test_same_meaning(void **state) {
  (void)state;
  for (uint64_t start = 1; start <= 4000; ++start) {
    uint64_t seed = start;
    const rlt_problem given = definition_random_problem(&seed);
    rlt_problem simplified = given;
    rlt_problem_simplify(&simplified);
    int64_t *before = malloc((size_t)given.destination_elements * sizeof *before);
    int64_t *after = malloc((size_t)given.destination_elements * sizeof *after);
    definition_map(&given, before);
    definition_map(&simplified, after);
    if (memcmp(before, after, (size_t)given.destination_elements * sizeof *before) != 0 ||
        simplified.axis_count > (given.axis_count > 0 ? given.axis_count : 1) ||
        !sorted_by_destination_stride(&simplified)) {
      definition_print(&given);
      definition_print(&simplified);
      fail_msg("seed %" PRIu64 ": simplifying changed the problem", start);
    }
    free(before);
    free(after);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases),
      cmocka_unit_test(test_same_meaning),
  };
  return cmocka_run_group_tests_name("problem.simplify", tests, NULL, NULL);
}
