/* test_measure.c: measured plans, on a device whose times the test sets. */
#include "cmocka_all.h"

#include <string.h>

#include "plan/plan.h"
#include "plan/recorder.h"
#include "relayout/relayout.h"
#include "shape_of.h"

static relayout_status create(relayout_device *device, relayout_plan_effort effort,
                              relayout_plan **plan) {
  /* Three candidates on the recorder: transpose, 32 rows by 16 columns; packed, 41 by 64; packed,
   * 16 by 64. */
  const relayout_shape from = shape_of("f32[64,41]{1,0}");
  const relayout_shape to = shape_of("f32[64,41]{0,1}");
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.effort = effort;
  return relayout_plan_create(device, &from, &to, &options, plan, NULL);
}

static void expect_rows(const relayout_plan *plan, int64_t rows) {
  assert_int_equal(rlt_group_length(&plan->work.parts[0].strategy.rows), rows);
  assert_true(rlt_strategies_equal(
      &plan->work.parts[0].strategy,
      &plan->work.parts[0].candidates.of[plan->work.parts[0].chosen].strategy));
  assert_true(rlt_strategies_equal(&plan->work.parts[0].strategy,
                                   plan->work.parts[0].program)); /* the recorder's */
}

static double few_rows_are_fast(const rlt_strategy *strategy, int n) {
  (void)n;
  return (double)rlt_group_length(&strategy->rows);
}

static void test_fastest_wins(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.seconds = few_rows_are_fast;
  relayout_plan *estimated = NULL;
  relayout_plan *measured = NULL;
  assert_int_equal(create(device, RELAYOUT_PLAN_ESTIMATE, &estimated), RELAYOUT_OK);
  assert_int_equal(record.programs_timed, 0);
  expect_rows(estimated, 32);
  assert_int_equal(create(device, RELAYOUT_PLAN_MEASURE, &measured), RELAYOUT_OK);
  expect_rows(measured, 16);
  assert_int_equal(measured->work.parts[0].choice, RLT_CHOICE_MEASURED);
  assert_int_equal(relayout_plan_get_strategy(measured), RELAYOUT_STRATEGY_PACKED);
  assert_int_equal(record.scratch_source, 64 * 41 * 4);
  assert_int_equal(record.scratch_destination, 64 * 41 * 4);
  assert_int_equal(record.scratches_alive, 0);
  assert_int_equal(record.executions, 0);
  assert_int_equal(record.programs_alive, 2); /* of the two plans */
  char text[4096];
  relayout_plan_explain(measured, RELAYOUT_EXPLAIN_JSON, text, sizeof text);
  assert_non_null(strstr(text, "\"chosen_by\":\"measure\""));
  relayout_plan_explain(measured, RELAYOUT_EXPLAIN_TEXT, text, sizeof text);
  assert_non_null(strstr(text, "measured: the fastest of those that were run\n"));
  relayout_plan_destroy(estimated);
  relayout_plan_destroy(measured);
  relayout_device_destroy(device);
  assert_false(record.device_alive);
  assert_int_equal(record.programs_alive, 0);
}

/* Transposes are fast once, by luck in the warm-up, which does not count; packed tiles of 41 rows are
 * once, and that does. */
static double sometimes_fast(const rlt_strategy *strategy, int n) {
  if (strategy->kind == RELAYOUT_STRATEGY_TRANSPOSE) {
    return n < 3 ? 1 : 100;
  }
  if (rlt_group_length(&strategy->rows) == 41) {
    return n >= 9 && n < 12 ? 40 : 200;
  }
  return 50;
}

static void test_best_run_counts(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.seconds = sometimes_fast;
  relayout_plan *plan = NULL;
  assert_int_equal(create(device, RELAYOUT_PLAN_MEASURE, &plan), RELAYOUT_OK);
  expect_rows(plan, 41);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

static bool of_one_kind(const rlt_strategy *a, const rlt_strategy *b) {
  return a->kind == b->kind;
}

/* Of candidates that are the same on the device, the most promising one runs alone. */
static void test_the_same_does_not_run_twice(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  relayout_plan *plan = NULL;
  record.seconds = few_rows_are_fast;
  assert_int_equal(create(device, RELAYOUT_PLAN_MEASURE, &plan), RELAYOUT_OK);
  assert_int_equal(record.programs_made, 3);
  const int turns = record.programs_timed / 3;
  const rlt_candidates *const made = &plan->work.parts[0].candidates;
  const bool few_first = made->of[2].cost.fraction > made->of[1].cost.fraction;
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);

  device = recorder_device(&record);
  record.seconds = few_rows_are_fast;
  record.match = of_one_kind;
  assert_int_equal(create(device, RELAYOUT_PLAN_MEASURE, &plan), RELAYOUT_OK);
  assert_int_equal(record.programs_made, 3);
  assert_int_equal(record.programs_timed, 2 * turns);
  assert_int_equal(record.programs_alive, 1);
  expect_rows(plan, few_first ? 16 : 32);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

static double packed_fails(const rlt_strategy *strategy, int n) {
  return strategy->kind == RELAYOUT_STRATEGY_PACKED && n > 4 ? -1 : few_rows_are_fast(strategy, n);
}

static double all_fail(const rlt_strategy *strategy, int n) {
  (void)strategy;
  (void)n;
  return -1;
}

static void test_what_fails_does_not_win(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.seconds = packed_fails;
  relayout_plan *plan = NULL;
  assert_int_equal(create(device, RELAYOUT_PLAN_MEASURE, &plan), RELAYOUT_OK);
  expect_rows(plan, 32);
  assert_int_equal(plan->work.parts[0].choice, RLT_CHOICE_MEASURED);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  assert_int_equal(record.programs_alive, 0);
}

/* Without memory or a clock there is an estimate. */
static void test_estimate_stands_in(void **state) {
  (void)state;
  for (int way = 0; way < 2; ++way) {
    recorder record;
    relayout_device *device = recorder_device(&record);
    record.seconds = all_fail;
    record.next_scratch = way == 0 ? RELAYOUT_OUT_OF_MEMORY : RELAYOUT_OK;
    relayout_plan *plan = NULL;
    assert_int_equal(create(device, RELAYOUT_PLAN_MEASURE, &plan), RELAYOUT_OK);
    expect_rows(plan, 32);
    assert_int_equal(plan->work.parts[0].choice, RLT_CHOICE_ESTIMATED);
    assert_int_equal(record.programs_alive, 1);
    assert_int_equal(record.scratches_alive, 0);
    relayout_plan_destroy(plan);
    relayout_device_destroy(device);
    assert_int_equal(record.programs_alive, 0);
  }
}

static void test_failing_programs_fail_the_plan(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.next_program = RELAYOUT_OPENCL_ERROR;
  relayout_plan *plan = NULL;
  assert_int_equal(create(device, RELAYOUT_PLAN_MEASURE, &plan), RELAYOUT_OPENCL_ERROR);
  assert_null(plan);
  assert_int_equal(record.scratches_alive, 0);
  relayout_device_destroy(device);
  assert_false(record.device_alive);
}

static void test_unknown_effort(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  relayout_plan *plan = NULL;
  assert_int_equal(create(device, (relayout_plan_effort)2, &plan), RELAYOUT_INVALID_ARGUMENT);
  assert_null(plan);
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fastest_wins),
      cmocka_unit_test(test_best_run_counts),
      cmocka_unit_test(test_the_same_does_not_run_twice),
      cmocka_unit_test(test_what_fails_does_not_win),
      cmocka_unit_test(test_estimate_stands_in),
      cmocka_unit_test(test_failing_programs_fail_the_plan),
      cmocka_unit_test(test_unknown_effort),
  };
  return cmocka_run_group_tests_name("plan.measure", tests, NULL, NULL);
}
