/* test_rewrites.c: rewritten problems at random: short runs that become words mean the same. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "problem/definition.h"
#include "problem/problem.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wider_words_mean_the_same),
  };
  return cmocka_run_group_tests_name("problem.rewrites", tests, NULL, NULL);
}
