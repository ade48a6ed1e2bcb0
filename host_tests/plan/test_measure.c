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
  return 1e-4 * (double)rlt_group_length(&strategy->rows);
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
    return n < 3 ? 1e-5 : 1e-3;
  }
  if (rlt_group_length(&strategy->rows) == 41) {
    return n >= 9 && n < 12 ? 4e-4 : 2e-3;
  }
  return 5e-4;
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

/* ---- Bounds ---- */

static relayout_plan *measure(relayout_device *device, const char *from_text, const char *to_text) {
  const relayout_shape from = shape_of(from_text);
  const relayout_shape to = shape_of(to_text);
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.effort = RELAYOUT_PLAN_MEASURE;
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(device, &from, &to, &options, &plan, NULL), RELAYOUT_OK);
  return plan;
}

static double at_once(const rlt_strategy *strategy, int n) {
  (void)strategy;
  (void)n;
  return 1e-4;
}

/* A large matrix: both sides of the part that is run fit half of what may be taken, and lie as the whole
 * does. */
static void test_scratch_is_bounded(void **state) {
  (void)state;
  static const struct {
    const char *from;
    const char *to;
    uint64_t memory_bytes;
    uint64_t allocation_bytes;
    size_t most; /* bytes of both sides */
  } cases[] = {
      {"f32[100000,100000]{1,0}", "f32[100000,100000]{0,1}", 0, 0, (size_t)1 << 30},
      {"f32[100000,100000]{1,0}", "f32[100000,100000]{0,1}", UINT64_C(1) << 40, 0, (size_t)1 << 30},
      {"f32[100000,100000]{1,0}", "f32[100000,100000]{0,1}", 1 << 30, 0, (size_t)1 << 28},
      {"f32[100000,100000]{1,0}", "f32[100000,100000]{0,1}", 0, 1 << 27, (size_t)1 << 28},
      /* Rows of the part go on in padding. */
      {"f32[3000,2000]{1,0}", "f32[3000,2000]{0,1:PD(90000,2000)}", 1 << 28, 0, (size_t)1 << 26},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    recorder record;
    relayout_device *device = recorder_device(&record);
    record.seconds = at_once;
    record.memory_bytes = cases[i].memory_bytes;
    record.allocation_bytes = cases[i].allocation_bytes;
    relayout_plan *const plan = measure(device, cases[i].from, cases[i].to);
    const rlt_part *const part = &plan->work.parts[0];
    print_message("%s: %zu and %zu bytes\n", cases[i].to, record.scratch_source,
                  record.scratch_destination);
    assert_int_equal(part->choice, RLT_CHOICE_MEASURED);
    assert_true(record.scratch_source > 0 && record.scratch_destination > 0);
    assert_true(record.scratch_source + record.scratch_destination <= cases[i].most);
    assert_true(record.scratch_source + record.scratch_destination > cases[i].most / 16);
    /* What runs at last is the whole. */
    assert_memory_equal(&record.problem, &part->problem, sizeof record.problem);
    relayout_plan_destroy(plan);
    relayout_device_destroy(device);
    assert_int_equal(record.programs_alive, 0);
    assert_int_equal(record.scratches_alive, 0);
  }
}

/* Small relayouts are run as they are, and large ones whose tiles alone would take too much are not. */
static void test_what_needs_no_part_and_what_has_none(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.seconds = at_once;
  record.memory_bytes = 8 * 64 * 41 * 4;
  relayout_plan_destroy(measure(device, "f32[64,41]{1,0}", "f32[64,41]{0,1}"));
  assert_int_equal(record.scratch_source, 64 * 41 * 4);
  assert_int_equal(record.scratch_destination, 64 * 41 * 4);
  const int timed = record.programs_timed;
  record.memory_bytes = 4 * 4096;
  relayout_plan *const plan = measure(device, "f32[64,400]{1,0}", "f32[64,400]{0,1}");
  assert_int_equal(plan->work.parts[0].choice, RLT_CHOICE_ESTIMATED);
  assert_int_equal(record.programs_timed, timed);
  relayout_plan_destroy(plan);
  /* From one row to the next are 32 GiB. */
  record.memory_bytes = 0;
  relayout_plan *const far =
      measure(device, "u8[34359738368,4194304]{1,0}", "u8[34359738368,4194304]{0,1}");
  assert_int_equal(far->work.parts[0].choice, RLT_CHOICE_ESTIMATED);
  assert_int_equal(record.programs_timed, timed);
  relayout_plan_destroy(far);
  relayout_device_destroy(device);
}

static double slow(const rlt_strategy *strategy, int n) {
  (void)n;
  return strategy->kind == RELAYOUT_STRATEGY_TRANSPOSE ? 0.2 : 0.3;
}

/* Three ways: packed tiles stop after one run each, transposes after two, the second of which counts. */
static void test_runs_end_when_their_time_is_spent(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.seconds = slow;
  relayout_plan *plan = measure(device, "f32[64,41]{1,0}", "f32[64,41]{0,1}");
  assert_int_equal(record.programs_timed, 4);
  assert_int_equal(plan->work.parts[0].choice, RLT_CHOICE_MEASURED);
  assert_int_equal(relayout_plan_get_strategy(plan), RELAYOUT_STRATEGY_TRANSPOSE);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

static double very_slow(const rlt_strategy *strategy, int n) {
  (void)strategy;
  (void)n;
  return 1;
}

/* Three runs of a second each leave nothing to the second of two parts. */
static void test_a_plan_has_two_seconds(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.seconds = very_slow;
  relayout_plan *plan = measure(device, "f32[100,300]{0,1}", "f32[100,300]{1,0:T(8,128)}");
  assert_true(plan->work.part_count > 1);
  assert_int_equal(plan->work.parts[0].choice, RLT_CHOICE_MEASURED);
  assert_int_equal(plan->work.parts[1].choice, RLT_CHOICE_ESTIMATED);
  relayout_plan_destroy(plan);
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
      cmocka_unit_test(test_scratch_is_bounded),
      cmocka_unit_test(test_what_needs_no_part_and_what_has_none),
      cmocka_unit_test(test_runs_end_when_their_time_is_spent),
      cmocka_unit_test(test_a_plan_has_two_seconds),
  };
  return cmocka_run_group_tests_name("plan.measure", tests, NULL, NULL);
}
