/* test_candidates.c: what is considered, and that what a device finds dear is avoided. */
#include "cmocka_all.h"

#include <string.h>

#include "plan/candidates.h"
#include "problem_of.h"

static rlt_traits assembling(rlt_rates rates) {
  return (rlt_traits){.line_bytes = 64,
                      .run_columns_bytes = 32768,
                      .run_tile_bytes = 32768,
                      .assembly_bytes = 40960,
                      .assembly_runs = {256, 512},
                      .assembly_far_runs = {256, 512},
                      .assembly_apart_runs = {256, 512},
                      .straight_run_bytes = 512,
                      .block_rows = 16,
                      .block_columns = 16,
                      .rates = rates};
}

static rlt_candidates candidates_of(const rlt_problem *problem, rlt_traits traits,
                                    relayout_strategy wanted) {
  rlt_candidates made;
  assert_int_equal(rlt_candidates_make(problem, &traits, wanted, &made, NULL), RELAYOUT_OK);
  assert_in_range(made.best, 0, made.count - 1);
  for (int32_t i = 0; i < made.count; ++i) {
    assert_non_null(made.of[i].strategy.reason);
    for (int32_t j = 0; j < i; ++j) {
      assert_false(rlt_strategies_equal(&made.of[i].strategy, &made.of[j].strategy));
    }
  }
  return made;
}

static void expect_tile(const rlt_candidate *candidate, int64_t rows, int64_t columns) {
  assert_int_equal(rlt_group_length(&candidate->strategy.rows), rows);
  assert_int_equal(rlt_group_length(&candidate->strategy.columns), columns);
}

/* Odd pitches on both sides: long segments have few lines in parts, long runs are few. */
static void test_dear_terms_are_avoided(void **state) {
  (void)state;
  const rlt_problem problem = problem_of("f32[1001,1003]{1,0}", "f32[1001,1003]{0,1}");
  const rlt_candidates even =
      candidates_of(&problem, assembling((rlt_rates){0}), RELAYOUT_STRATEGY_AUTO);
  assert_int_equal(even.count, 5);
  expect_tile(&even.of[0], 64, 128);
  const rlt_candidates segments =
      candidates_of(&problem, assembling((rlt_rates){.line_in_parts = 9}), RELAYOUT_STRATEGY_AUTO);
  expect_tile(&segments.of[segments.best], 32, 256);
  const rlt_candidates runs =
      candidates_of(&problem, assembling((rlt_rates){.run = 9}), RELAYOUT_STRATEGY_AUTO);
  expect_tile(&runs.of[runs.best], 128, 32);
  const rlt_candidates tiles = candidates_of(
      &problem, assembling((rlt_rates){.line_in_parts = 0.5, .tile = 99}), RELAYOUT_STRATEGY_AUTO);
  expect_tile(&tiles.of[tiles.best], 64, 128);
}

/* Runs of a length that goes either way. */
static void test_copies_go_straight_or_not(void **state) {
  (void)state;
  const rlt_problem problem = problem_of("f32[64,64,100]{2,1,0}", "f32[64,64,100]{2,0,1}");
  const rlt_candidates straight =
      candidates_of(&problem, assembling((rlt_rates){.line = 9}), RELAYOUT_STRATEGY_AUTO);
  assert_int_equal(straight.of[straight.best].strategy.kind, RELAYOUT_STRATEGY_COPY);
  assert_false(straight.of[straight.best].strategy.assembles);
  const rlt_problem padded = problem_of("f32[640,130]{1,0}", "f32[640,130]{1,0:PD(640,131)}");
  const rlt_candidates assembled =
      candidates_of(&padded, assembling((rlt_rates){.line_in_parts = 9}), RELAYOUT_STRATEGY_AUTO);
  assert_false(assembled.of[0].strategy.assembles);
  assert_true(assembled.of[assembled.best].strategy.assembles);
  const rlt_problem lasting = problem_of("f32[64,512]{1,0}", "f32[64,512]{1,0:PD(64,513)}");
  const rlt_candidates one =
      candidates_of(&lasting, assembling((rlt_rates){.line_in_parts = 9}), RELAYOUT_STRATEGY_AUTO);
  assert_int_equal(one.count, 1);
  assert_false(one.of[0].strategy.assembles);
}

static const rlt_traits plain = {.line_bytes = 64,
                                 .run_columns_bytes = 4096,
                                 .run_tile_bytes = 4096,
                                 .transpose_rows = 32,
                                 .transpose_columns = 32,
                                 .packed_tile_bytes = 16384};

/* A device that does not assemble chooses between kinds, unless the caller did. */
static void test_kinds(void **state) {
  (void)state;
  const rlt_problem problem = problem_of("f32[100,20]{1,0}", "f32[100,20]{0,1}");
  rlt_traits traits = plain;
  traits.rates = (rlt_rates){.block = 1};
  const rlt_candidates free_choice = candidates_of(&problem, traits, RELAYOUT_STRATEGY_AUTO);
  assert_int_equal(free_choice.of[0].strategy.kind, RELAYOUT_STRATEGY_TRANSPOSE);
  const rlt_strategy *const chosen = &free_choice.of[free_choice.best].strategy;
  assert_int_equal(chosen->kind, RELAYOUT_STRATEGY_PACKED);
  assert_string_equal(chosen->reason, "of those that apply it is predicted to be the fastest");
  const rlt_candidates asked = candidates_of(&problem, traits, RELAYOUT_STRATEGY_TRANSPOSE);
  assert_int_equal(asked.count, 1);
  assert_string_equal(asked.of[0].strategy.reason, "the caller asked for it");
}

static void test_one_way_only(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"f32[]", "f32[]"}, {"f32[7]", "f32[7]"}, {"f32[0,3]{1,0}", "f32[0,3]{1,0:PD(5,4)}"}};
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
    const rlt_problem problem = problem_of(pairs[i][0], pairs[i][1]);
    assert_int_equal(candidates_of(&problem, plain, RELAYOUT_STRATEGY_AUTO).count, 1);
    assert_int_equal(
        candidates_of(&problem, assembling((rlt_rates){0}), RELAYOUT_STRATEGY_AUTO).count, 1);
  }
  static const rlt_steps steps = {.count = 0};
  rlt_problem stepping = problem_of("f32[64]", "f32[64]");
  stepping.steps = &steps;
  const rlt_candidates gather = candidates_of(&stepping, plain, RELAYOUT_STRATEGY_AUTO);
  assert_int_equal(gather.count, 1);
  assert_int_equal(gather.of[0].strategy.kind, RELAYOUT_STRATEGY_GATHER);
  rlt_candidates none;
  assert_int_equal(rlt_candidates_make(&stepping, &plain, RELAYOUT_STRATEGY_TRANSPOSE, &none, NULL),
                   RELAYOUT_UNSUPPORTED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dear_terms_are_avoided),
      cmocka_unit_test(test_copies_go_straight_or_not),
      cmocka_unit_test(test_kinds),
      cmocka_unit_test(test_one_way_only),
  };
  return cmocka_run_group_tests_name("plan.candidates", tests, NULL, NULL);
}
