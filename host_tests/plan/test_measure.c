/* test_measure.c: measured plans, on a device whose times the test sets. */
#include "cmocka_all.h"

#include <string.h>

#include "plan/devices.h"
#include "plan/held.h"
#include "plan/plan.h"
#include "plan/recorder.h"
#include "problem_of.h"
#include "relayout/relayout.h"
#include "search/measure.h"
#include "search/method.h"
#include "shape_of.h"

static relayout_status create_from(relayout_device *device, const char *from_text,
                                   const char *to_text, relayout_plan_effort effort,
                                   int32_t measured, relayout_plan **plan) {
  const relayout_shape from = shape_of(from_text);
  const relayout_shape to = shape_of(to_text);
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.effort = effort;
  options.measured = measured;
  return relayout_plan_create(device, &from, &to, &options, plan, NULL);
}

/* Four schedules on the recorder, at any offset: of index-program, one row by 64 columns; of
 * transpose, 41 by 64; of permute, 41 by 64 and 16 by 64. They run in turns, the last one first. */
static relayout_status create(relayout_device *device, relayout_plan_effort effort,
                              relayout_plan **plan) {
  return create_from(device, "f32[64,41]{1,0}", "f32[64,41]{0,1}", effort, 0, plan);
}

/* A way, and that it is what runs. */
static void expect_way(const relayout_plan *plan, int32_t number, const char *method, int64_t word,
                       int64_t rows) {
  const rlt_variant *const way = &plan->work.parts[0].variants[number];
  assert_in_range(number, 0, plan->work.parts[0].variant_count - 1);
  assert_string_equal(way->candidate.schedule.method->name, method);
  assert_int_equal(way->candidate.schedule.problem->element_bytes, word);
  assert_int_equal(rlt_group_length(&way->candidate.schedule.rows), rows);
  assert_true(rlt_schedules_equal(&way->candidate.schedule, way->executable)); /* the recorder's */
}

static void expect_only(const relayout_plan *plan, const char *method, int64_t rows) {
  expect_way(plan, 0, method, 4, rows);
  assert_int_equal(plan->work.parts[0].variant_count, 1);
}

static bool is_of(const recorded_run *run, const char *method) {
  return strcmp(run->schedule->method->name, method) == 0;
}

static double few_rows_permute_fast(const recorded_run *run) {
  const int64_t rows = rlt_group_length(&run->schedule->rows);
  return is_of(run, "permute") ? 1e-4 * (double)rows : is_of(run, "transpose") ? 5e-3 : 9e-3;
}

static void test_fastest_wins(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.seconds = few_rows_permute_fast;
  relayout_plan *estimated = NULL;
  relayout_plan *measured = NULL;
  assert_int_equal(create(device, RELAYOUT_PLAN_ESTIMATE, &estimated), RELAYOUT_OK);
  assert_int_equal(record.programs_timed, 0);
  expect_only(estimated, "transpose", 41);
  assert_int_equal(create(device, RELAYOUT_PLAN_MEASURE, &measured), RELAYOUT_OK);
  expect_only(measured, "permute", 16);
  assert_int_equal(measured->work.parts[0].choice, RLT_CHOICE_MEASURED);
  assert_int_equal(record.scratch_source, 64 * 41 * 4);
  assert_int_equal(record.scratch_destination, 64 * 41 * 4);
  assert_int_equal(record.scratches_alive, 0);
  assert_int_equal(record.executions, 0);
  assert_int_equal(record.programs_alive, 2); /* of the two plans */
  char text[4096];
  relayout_plan_explain(measured, RELAYOUT_EXPLAIN_JSON, text, sizeof text);
  assert_non_null(strstr(text, "\"chosen_by\":\"measure\""));
  relayout_plan_explain(measured, RELAYOUT_EXPLAIN_TEXT, text, sizeof text);
  assert_non_null(strstr(text,
                         "method: permute, because it was measured to be the fastest of those "
                         "that were run\n"));
  relayout_plan_destroy(estimated);
  relayout_plan_destroy(measured);
  relayout_device_destroy(device);
  assert_false(record.device_alive);
  assert_int_equal(record.programs_alive, 0);
}

/* Transposes are fast once, by luck in the warm-up, which does not count; tiles of 41 rows are
 * once, in the fourth of the rounds of four runs, and that does. */
static double sometimes_fast(const recorded_run *run) {
  const int round = run->number / 4;
  if (is_of(run, "transpose")) {
    return round == 0 ? 1e-5 : 1e-3;
  }
  if (rlt_group_length(&run->schedule->rows) == 41) {
    return round == 3 ? 4e-4 : 2e-3;
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
  expect_only(plan, "permute", 41);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* Any run behind the first may be a schedule's fastest, and stays so. */
static int fast_round;

static double fast_in_one_round(const recorded_run *run) {
  const bool is_fast =
      rlt_group_length(&run->schedule->rows) == 16 && run->number / 4 == fast_round;
  return is_fast ? 1e-4 : 1e-3 * (double)(1 + run->number);
}

static void test_any_run_may_be_the_best(void **state) {
  (void)state;
  for (fast_round = 1; fast_round <= 5; ++fast_round) {
    recorder record;
    relayout_device *device = recorder_device(&record);
    relayout_plan *plan = NULL;
    record.seconds = fast_in_one_round;
    assert_int_equal(create(device, RELAYOUT_PLAN_MEASURE, &plan), RELAYOUT_OK);
    expect_only(plan, "permute", 16);
    relayout_plan_destroy(plan);
    relayout_device_destroy(device);
  }
}

/* Runs of 256 bytes and 512 are the best, and only the second contest knows prefetches into the
 * third level, or tiles in the source's order. */
static double third_level_is_fast(const recorded_run *run) {
  const rlt_tile_blocking *const blocking = &run->schedule->blocking;
  const bool is_best = blocking->runs.read_bytes == 256 && blocking->runs.write_bytes == 512;
  return (is_best ? 1e-3 : 4e-3) / (blocking->prefetch.level == 3 ? 2 : 1);
}

static double source_order_is_fast(const recorded_run *run) {
  const rlt_tile_blocking *const blocking = &run->schedule->blocking;
  const bool is_best = blocking->runs.read_bytes == 256 && blocking->runs.write_bytes == 512;
  return (is_best ? 1e-3 : 4e-3) / (blocking->blocks.read_bytes == RLT_ALL_THE_WAY ? 2 : 1);
}

static void test_what_differs_from_the_winner(void **state) {
  (void)state;
  static double (*const seconds[])(const recorded_run *) = {third_level_is_fast,
                                                            source_order_is_fast};
  for (int i = 0; i < 2; ++i) {
    recorder record;
    relayout_device *const device = recorder_cpu_device(&record);
    record.seconds = seconds[i];
    relayout_plan *plan = NULL;
    assert_int_equal(create_from(device, "f32[4096,8192]{1,0}", "f32[4096,8192]{0,1}",
                                 RELAYOUT_PLAN_MEASURE, 30, &plan),
                     RELAYOUT_OK);
    const rlt_schedule *const found = &plan->work.parts[0].variants[0].candidate.schedule;
    assert_int_equal(plan->work.parts[0].choice, RLT_CHOICE_MEASURED);
    assert_int_equal(found->blocking.runs.read_bytes, 256);
    assert_int_equal(found->blocking.runs.write_bytes, 512);
    assert_int_equal(found->prefetch.level, i == 0 ? 3 : 2);
    assert_true((found->blocking.blocks.read_bytes == RLT_ALL_THE_WAY) == (i == 1));
    relayout_plan_destroy(plan);
    relayout_device_destroy(device);
    assert_int_equal(record.programs_alive, 0);
  }
}

static double permute_fails(const recorded_run *run) {
  return is_of(run, "permute") && run->number > 5 ? -1 : few_rows_permute_fast(run);
}

static double transpose_fails(const recorded_run *run) {
  return is_of(run, "transpose") ? -1 : few_rows_permute_fast(run);
}

/* The others go on, each for its six runs. */
static void test_others_go_on(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.seconds = transpose_fails;
  relayout_plan *plan = NULL;
  assert_int_equal(create(device, RELAYOUT_PLAN_MEASURE, &plan), RELAYOUT_OK);
  expect_only(plan, "permute", 16);
  assert_int_equal(record.programs_timed, 3 * 6 + 1);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  assert_int_equal(record.programs_alive, 0);
}

static double all_fail(const recorded_run *run) {
  (void)run;
  return -1;
}

static void test_what_fails_does_not_win(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.seconds = permute_fails;
  relayout_plan *plan = NULL;
  assert_int_equal(create(device, RELAYOUT_PLAN_MEASURE, &plan), RELAYOUT_OK);
  expect_only(plan, "transpose", 41);
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
    expect_only(plan, "transpose", 41);
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

/* ---- Alignment, and how many take part ---- */

/* Rows of 16 bytes change places. Of words of 16 bytes the recorder offers two schedules, of
 * permute, with 16 rows and 4; at any offset, of bytes, there are index-program, copy and two of
 * permute. */
static relayout_plan *measure_rows(relayout_device *device, int32_t measured) {
  relayout_plan *plan = NULL;
  assert_int_equal(create_from(device, "u8[64,64,16]{2,1,0}", "u8[64,64,16]{2,0,1}",
                               RELAYOUT_PLAN_MEASURE, measured, &plan),
                   RELAYOUT_OK);
  return plan;
}

/* Which runs there were at which offsets. */
static int aligned_runs, odd_runs;

static void count_run(const recorded_run *run) {
  const bool is_odd = run->offsets.source == 1 && run->offsets.destination == 1;
  assert_true(is_odd || (run->offsets.source == 0 && run->offsets.destination == 0));
  assert_true(!is_odd || run->schedule->problem->element_bytes == 1);
  aligned_runs += !is_odd;
  odd_runs += is_odd;
}

static double wide_is_fast(const recorded_run *run) {
  count_run(run);
  assert_int_equal(run->schedule->problem->element_bytes, run->schedule->is_wide ? 16 : 1);
  if (run->schedule->problem->element_bytes == 16) {
    return rlt_group_length(&run->schedule->rows) == 4 ? 1e-4 : 2e-4;
  }
  return is_of(run, "copy") ? 3e-4 : 4e-4;
}

static double copy_is_fast(const recorded_run *run) {
  count_run(run);
  return is_of(run, "copy") ? 1e-4 : 2e-4;
}

static double odd_offsets_fail(const recorded_run *run) {
  return run->offsets.source == 1 ? -1 : wide_is_fast(run);
}

/* A contest for each kind of alignment, six runs of each schedule, unless the first is won by one
 * that runs at any offset. */
static void test_two_contests(void **state) {
  (void)state;
  static const struct {
    double (*seconds)(const recorded_run *run);
    int32_t variant_count;
    const char *methods[2];
    int64_t words[2];
    int64_t rows[2];
    int odd_runs;
  } cases[] = {
      {wide_is_fast, 2, {"permute", "copy"}, {16, 1}, {4, 64}, 4 * 6},
      {copy_is_fast, 1, {"copy"}, {1}, {64}, 0},
      {odd_offsets_fail, 2, {"permute", "permute"}, {16, 1}, {4, 16}, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    recorder record;
    relayout_device *device = recorder_device(&record);
    record.seconds = cases[i].seconds;
    aligned_runs = odd_runs = 0;
    relayout_plan *const plan = measure_rows(device, 0);
    assert_int_equal(plan->work.parts[0].choice, RLT_CHOICE_MEASURED);
    assert_int_equal(plan->work.parts[0].variant_count, cases[i].variant_count);
    for (int32_t w = 0; w < cases[i].variant_count; ++w) {
      expect_way(plan, w, cases[i].methods[w], cases[i].words[w], cases[i].rows[w]);
    }
    assert_int_equal(aligned_runs, 6 * 6);
    assert_int_equal(odd_runs, cases[i].odd_runs);
    relayout_plan_destroy(plan);
    relayout_device_destroy(device);
    assert_int_equal(record.programs_alive, 0);
    assert_int_equal(record.scratches_alive, 0);
  }
}

/* Of equal predictions, those that were offered first take part; one alone is not run. */
static void test_how_many_are_measured(void **state) {
  (void)state;
  static const struct {
    int32_t measured;
    int aligned;
    int odd;
    int64_t rows; /* of the winner among those */
  } cases[] = {{1, 0, 0, 16}, {2, 2, 2, 4}, {3, 3, 3, 4}, {0, 6, 4, 4}, {1024, 6, 4, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    recorder record;
    relayout_device *device = recorder_device(&record);
    record.seconds = wide_is_fast;
    aligned_runs = odd_runs = 0;
    relayout_plan *const plan = measure_rows(device, cases[i].measured);
    expect_way(plan, 0, "permute", 16, cases[i].rows);
    assert_int_equal(aligned_runs, 6 * cases[i].aligned);
    assert_int_equal(odd_runs, 6 * cases[i].odd);
    assert_int_equal(record.programs_made, cases[i].aligned + cases[i].odd + 2);
    relayout_plan_destroy(plan);
    relayout_device_destroy(device);
  }
}

/* The first candidates for a problem on the device, and its forms. */
static rlt_candidates offers_on(const relayout_device *device, const rlt_problem *problem,
                                rlt_forms *forms) {
  rlt_candidates made;
  assert_int_equal(rlt_forms_make(&device->facts, problem, forms, NULL), RELAYOUT_OK);
  assert_int_equal(rlt_candidates_make(forms, &device->facts, device->tuning, NULL, &made, NULL),
                   RELAYOUT_OK);
  return made;
}

static int wide_runs, narrow_runs;

static double by_form(const recorded_run *run) {
  assert_int_equal(run->schedule->problem->element_bytes, run->schedule->is_wide ? 16 : 1);
  wide_runs += run->schedule->is_wide;
  narrow_runs += !run->schedule->is_wide;
  return 1e-4;
}

/* However many schedules there are of either form, each runs on its own. */
static void test_each_form_is_run(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_cpu_device(&record);
  record.seconds = by_form;
  wide_runs = narrow_runs = 0;
  relayout_plan_destroy(measure_rows(device, 1024));
  assert_true(wide_runs > 3 * 6);
  assert_true(narrow_runs > 0);
  relayout_device_destroy(device);
  assert_int_equal(record.programs_alive, 0);
}

/* Also where of words there is a single one, as of the recorder's two for rows of 16 bytes. */
static void test_one_of_a_form_is_run(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  const rlt_problem problem = problem_of("u8[64,64,16]{2,1,0}", "u8[64,64,16]{2,0,1}");
  rlt_forms forms;
  rlt_candidates candidates = offers_on(device, &problem, &forms);
  double left = 1000;
  rlt_candidates_add_all(&candidates);
  assert_int_equal(candidates.count, 2 + 4);
  candidates.count -= 1;
  for (int32_t i = 1; i < candidates.count; ++i) {
    candidates.of[i] = candidates.of[i + 1];
  }
  record.seconds = by_form;
  wide_runs = narrow_runs = 0;
  rlt_measure(device, &candidates, 0, false, 8, &left);
  assert_int_equal(wide_runs, 6);
  assert_int_equal(narrow_runs, 4 * 6);
  rlt_candidates_free(&candidates);
  rlt_forms_free(&forms);
  relayout_device_destroy(device);
}

static double not_by_index(const recorded_run *run) {
  assert_false(is_of(run, "index-program"));
  return 1e-4;
}

/* A plain copy goes element by element too, which nobody would wait for. */
static void test_hopeless_is_not_run(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  rlt_tuning slow = *device->tuning;
  slow.words[rlt_word_size_number(4)].rates.of[RLT_RATE_ELEMENT] = 10;
  device->tuning = &slow;
  record.seconds = not_by_index;
  relayout_plan *plan = NULL;
  assert_int_equal(
      create_from(device, "f32[64,64]{1,0}", "f32[64,64]{1,0}", RELAYOUT_PLAN_MEASURE, 0, &plan),
      RELAYOUT_OK);
  assert_string_equal(relayout_plan_get_method(plan), "copy");
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* What lies before the first element counts: the whole fits an allocation, and a byte more does
 * not. */
static void test_odd_offsets_fit_allocations(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.seconds = wide_is_fast;
  device->info.allocation_bytes = 512 * 64 * 16;
  aligned_runs = odd_runs = 0;
  relayout_plan *plan = NULL;
  assert_int_equal(create_from(device, "u8[512,64,16]{2,1,0}", "u8[512,64,16]{2,0,1}",
                               RELAYOUT_PLAN_MEASURE, 0, &plan),
                   RELAYOUT_OK);
  assert_true(aligned_runs > 0 && odd_runs > 0);
  assert_true(record.scratch_source <= device->info.allocation_bytes);
  assert_true(record.scratch_destination <= device->info.allocation_bytes);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* Both sides with what lies before them fit a quarter of the memory, or do not. */
static void test_odd_offsets_fit_the_room(void **state) {
  (void)state;
  enum { SIDE = 64 * 64 * 16 };
  for (int lacks = 0; lacks <= 1; ++lacks) {
    recorder record;
    relayout_device *device = recorder_device(&record);
    record.seconds = wide_is_fast;
    device->info.memory_bytes = 4 * (2 * SIDE + 2 - lacks);
    aligned_runs = odd_runs = 0;
    relayout_plan_destroy(measure_rows(device, 0));
    assert_true(aligned_runs > 0 && (odd_runs > 0 || lacks));
    assert_true((record.scratch_source == SIDE + 1) == !lacks);
    assert_true((record.scratch_destination == SIDE + 1) == !lacks);
    relayout_device_destroy(device);
  }
}

/* ---- Who wins ---- */

static const char *fast_method;

static double one_method_is_fast(const recorded_run *run) {
  return is_of(run, fast_method) ? 1e-4 : 2e-4;
}

/* Whichever it is, the first offer or the last. */
static void test_any_may_win(void **state) {
  (void)state;
  static const char *const methods[] = {"transpose", "permute", "index-program"};
  for (int i = 0; i < 3; ++i) {
    recorder record;
    relayout_device *device = recorder_device(&record);
    relayout_plan *plan = NULL;
    fast_method = methods[i];
    record.seconds = one_method_is_fast;
    assert_int_equal(create(device, RELAYOUT_PLAN_MEASURE, &plan), RELAYOUT_OK);
    assert_int_equal(plan->work.parts[0].choice, RLT_CHOICE_MEASURED);
    assert_string_equal(relayout_plan_get_method(plan), methods[i]);
    relayout_plan_destroy(plan);
    relayout_device_destroy(device);
  }
}

static double equal_times(const recorded_run *run) {
  (void)run;
  return 1e-4;
}

/* Of equals the one that was estimated. */
static void test_equals_change_nothing(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  relayout_plan *plan = NULL;
  record.seconds = equal_times;
  assert_int_equal(create(device, RELAYOUT_PLAN_MEASURE, &plan), RELAYOUT_OK);
  assert_int_equal(plan->work.parts[0].choice, RLT_CHOICE_MEASURED);
  expect_only(plan, "transpose", 41);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* ---- Time, offer by offer ---- */

/* What a relayout's offers are on a device like the CPU, and which is estimated to be the best. */
typedef struct contest_of {
  recorder record;
  relayout_device *device;
  rlt_forms forms;
  rlt_candidates candidates;
} contest_of;

static const recorder *watched;
static int runs_of_first;     /* contest, of eight */
static double seconds_of_run; /* 0: by what differs from all that the first contest has */

static double count_first(const recorded_run *run) {
  const rlt_tile_blocking *const blocking = &run->schedule->blocking;
  runs_of_first += watched->programs_made <= 8;
  if (seconds_of_run > 0) {
    return seconds_of_run;
  }
  return (blocking->runs.read_bytes == 128 && blocking->runs.write_bytes == 256 ? 1e-3 : 4e-3) /
         (blocking->prefetch.level == 3 ? 2 : 1);
}

static void set_up(contest_of *made) {
  const relayout_shape from = shape_of("f32[4096,8192]{1,0}");
  const relayout_shape to = shape_of("f32[4096,8192]{0,1}");
  made->device = recorder_cpu_device(&made->record);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(made->device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  made->candidates = offers_on(made->device, rlt_part_problem(&plan->work.parts[0]), &made->forms);
  relayout_plan_destroy(plan);
  relayout_device_trim(made->device);
  made->record.programs_made = 0;
  made->record.seconds = count_first;
  watched = &made->record;
  runs_of_first = 0;
  seconds_of_run = 0;
}

static void tear_down(contest_of *dropped) {
  assert_int_equal(dropped->record.programs_alive, 0);
  assert_int_equal(dropped->record.scratches_alive, 0);
  rlt_candidates_free(&dropped->candidates);
  rlt_forms_free(&dropped->forms);
  relayout_device_destroy(dropped->device);
}

static int32_t first_that_suits(const rlt_candidates *candidates) {
  int32_t i = 0;
  while (!candidates->of[i].schedule.suits) {
    ++i;
  }
  return i;
}

/* Half of the time is the first contest's; what is left of it, with the other half, the second's.
 * Eight that run for a 32nd of a second have six turns each unless that ends them. */
static void test_half_of_the_time_is_for_sizes(void **state) {
  (void)state;
  static const struct {
    double seconds;
    int runs_of_first;
  } cases[] = {{2, 32}, {1, 16}, {4, 48}, {0.25, 8}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    contest_of on;
    double left = cases[i].seconds;
    set_up(&on);
    seconds_of_run = 1. / 32;
    const int32_t estimated = first_that_suits(&on.candidates);
    const int32_t found = rlt_measure(on.device, &on.candidates, estimated, false, 8, &left);
    assert_int_equal(found, estimated);
    assert_int_equal(runs_of_first, cases[i].runs_of_first);
    assert_true(left == cases[i].seconds - on.record.programs_timed / 32.);
    /* More have taken part unless no time was left. */
    assert_int_equal(on.record.programs_made > 8, cases[i].seconds > 0.25);
    tear_down(&on);
  }
}

/* Runs that no tile has that is offered at first win, and then by the third level. */
static void test_second_contest_is_about_the_winner(void **state) {
  (void)state;
  contest_of on;
  double left = 1000;
  set_up(&on);
  const int32_t found =
      rlt_measure(on.device, &on.candidates, first_that_suits(&on.candidates), false, 100, &left);
  assert_in_range(found, 0, on.candidates.count - 1);
  const rlt_schedule *const won = &on.candidates.of[found].schedule;
  assert_int_equal(won->blocking.runs.read_bytes, 128);
  assert_int_equal(won->blocking.runs.write_bytes, 256);
  assert_int_equal(won->prefetch.level, 3);
  tear_down(&on);
}

/* A quarter of the best prediction takes part, whoever has that, and less does not but for what was
 * estimated. */
static void test_hopeless_by_hand(void **state) {
  (void)state;
  static const struct {
    double fractions[4];
    int32_t estimated;
    int contenders;
  } cases[] = {
      {{0.5, 0.125, 0.125, 0.125}, 0, 4},  {{0.5, 0.124, 0.125, 0.124}, 0, 2},
      {{0.5, 0.0625, 0.125, 0.124}, 1, 3}, {{0.0625, 0.5, 0.124, 0.125}, 0, 3},
      {{0.124, 0.125, 0.0625, 0.5}, 2, 3}, {{0.125, 0.124, 0.125, 0.5}, 3, 3},
      {{0.03, 0.03, 0.03, 0.125}, 3, 0},   {{0.5, 0.5, 0.5, 0.5}, 2, 4},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    recorder record;
    relayout_device *const device = recorder_device(&record);
    const rlt_problem problem = problem_of("f32[64,41]{1,0}", "f32[64,41]{0,1}");
    rlt_forms forms;
    rlt_candidates candidates = offers_on(device, &problem, &forms);
    double left = 1000;
    rlt_candidates_add_all(&candidates);
    assert_int_equal(candidates.count, 4);
    for (int32_t o = 0; o < 4; ++o) {
      candidates.of[o].cost.fraction = cases[i].fractions[o];
    }
    print_message("case %zu\n", i);
    record.seconds = equal_times;
    rlt_measure(device, &candidates, cases[i].estimated, false, 8, &left);
    assert_int_equal(record.programs_timed, 6 * cases[i].contenders);
    rlt_candidates_free(&candidates);
    rlt_forms_free(&forms);
    relayout_device_destroy(device);
    assert_int_equal(record.programs_alive, 0);
  }
}

/* Without time, or rivals, or anything estimated, nothing is run and nothing is added. */
static void test_what_cannot_be_told(void **state) {
  (void)state;
  static const struct {
    double left;
    int32_t most;
    bool is_estimated;
  } cases[] = {{0, 8, true}, {-1, 8, true}, {2, 1, true}, {2, 0, true}, {2, 8, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    contest_of on;
    double left = cases[i].left;
    set_up(&on);
    const int32_t count = on.candidates.count;
    const int32_t estimated = cases[i].is_estimated ? first_that_suits(&on.candidates) : -1;
    assert_int_equal(rlt_measure(on.device, &on.candidates, estimated, false, cases[i].most, &left),
                     -1);
    assert_true(left == cases[i].left);
    assert_int_equal(on.record.programs_made, 0);
    assert_int_equal(on.candidates.count, count);
    tear_down(&on);
  }
}

/* ---- Bounds ---- */

/* A quarter of the memory, a gibibyte at most and where nobody knows; an allocation of it. */
static void test_room_by_hand(void **state) {
  (void)state;
  static const uint64_t gib = 1 << 30;
  static const struct {
    uint64_t memory_bytes, allocation_bytes;
    int64_t room, largest;
  } cases[] = {{0, 0, 1 << 30, 1 << 30},
               {3, 0, 1 << 30, 1 << 30},
               {4, 0, 1, 1},
               {4 * gib, 0, 1 << 30, 1 << 30},
               {4 * gib - 4, 0, (1 << 30) - 1, (1 << 30) - 1},
               {1024 * gib, 0, 1 << 30, 1 << 30},
               {2 * gib, 100, 1 << 29, 100},
               {2 * gib, gib / 2 - 1, 1 << 29, (1 << 29) - 1},
               {2 * gib, gib / 2 + 1, 1 << 29, 1 << 29},
               {0, 8 * gib, 1 << 30, 1 << 30}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const relayout_device_info info = {.memory_bytes = cases[i].memory_bytes,
                                       .allocation_bytes = cases[i].allocation_bytes};
    int64_t largest = 0;
    assert_int_equal(rlt_scratch_room(&info, &largest), cases[i].room);
    assert_int_equal(largest, cases[i].largest);
  }
}

/* Four MiB are not run where they are predicted to take as long as a copy of 8 GiB, 2048 times as
 * much. Half of the lines of each side cost a unit, and so many tiles `rate` each. */
static void test_what_takes_too_long_is_not_begun(void **state) {
  (void)state;
  static const char from[] = "f32[1024,1024]{1,0}", to[] = "f32[1024,1024]{0,1}";
  static const double times[] = {2000, 2100};
  for (int i = 0; i < 2; ++i) {
    recorder record;
    relayout_device *device = recorder_device(&record);
    rlt_tuning slow = *device->tuning;
    relayout_plan *plan = NULL;
    record.seconds = equal_times;
    assert_int_equal(create_from(device, from, to, RELAYOUT_PLAN_ESTIMATE, 0, &plan), RELAYOUT_OK);
    const rlt_cost *const cost = &plan->work.parts[0].variants[0].candidate.cost;
    slow.words[2].rates.of[RLT_RATE_TILE] =
        (times[i] - 1) * cost->least_time / cost->counts[RLT_COST_TILES];
    slow.words[2].rates.of[RLT_RATE_ELEMENT] = 1;
    relayout_plan_destroy(plan);
    device->tuning = &slow;
    assert_int_equal(create_from(device, from, to, RELAYOUT_PLAN_MEASURE, 0, &plan), RELAYOUT_OK);
    assert_int_equal(plan->work.parts[0].choice,
                     i == 0 ? RLT_CHOICE_MEASURED : RLT_CHOICE_ESTIMATED);
    assert_int_equal(record.programs_timed > 0, i == 0);
    relayout_plan_destroy(plan);
    relayout_device_destroy(device);
  }
}

static relayout_plan *measure(relayout_device *device, const char *from_text, const char *to_text) {
  const relayout_shape from = shape_of(from_text);
  const relayout_shape to = shape_of(to_text);
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.effort = RELAYOUT_PLAN_MEASURE;
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(device, &from, &to, &options, &plan, NULL), RELAYOUT_OK);
  return plan;
}

static double at_once(const recorded_run *run) {
  const rlt_group *const columns = &run->schedule->columns;
  assert_true(columns->steps <= rlt_group_extent(run->schedule->problem, columns));
  return 1e-4;
}

/* A large matrix: both sides of the part that is run fit half of what may be taken, and lie as
 * the whole does. */
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
      /* Less than a thousand columns, which one tile has that looks elements up. */
      {"f32[1000,1000]{1,0}", "f32[1000,1000]{0,1}", 8 << 20, 0, 2 << 20},
      /* Rows of the part go on in padding. */
      {"f32[3000,2000]{1,0}", "f32[3000,2000]{0,1:PD(90000,2000)}", 1 << 28, 0, (size_t)1 << 26},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    recorder record;
    relayout_device *device = recorder_device(&record);
    record.seconds = at_once;
    device->info.memory_bytes = cases[i].memory_bytes;
    device->info.allocation_bytes = cases[i].allocation_bytes;
    relayout_plan *const plan = measure(device, cases[i].from, cases[i].to);
    const rlt_part *const part = &plan->work.parts[0];
    print_message("%s: %zu and %zu bytes\n", cases[i].to, record.scratch_source,
                  record.scratch_destination);
    assert_int_equal(part->choice, RLT_CHOICE_MEASURED);
    assert_true(record.scratch_source > 0 && record.scratch_destination > 0);
    assert_true(record.scratch_source + record.scratch_destination <= cases[i].most);
    assert_true(record.scratch_source + record.scratch_destination > cases[i].most / 16);
    /* What runs at last is the whole. */
    assert_memory_equal(&record.problem, rlt_part_problem(part),
                        rlt_problem_bytes(&record.problem));
    relayout_plan_destroy(plan);
    relayout_device_destroy(device);
    assert_int_equal(record.programs_alive, 0);
    assert_int_equal(record.scratches_alive, 0);
  }
}

/* What one side does not need of its half of the room, a hundred million bytes, is the other's, and
 * no more: sides of 80 and 41.6 millions are run by about half of each. So are they where one of
 * them alone is more than an allocation. */
static void test_sides_share_the_room(void **state) {
  (void)state;
  static const struct {
    const char *from, *to;
    double source, destination; /* bytes, of all */
    uint64_t allocation_bytes;  /* which is less than the larger side */
  } cases[] = {
      {"f64[100000,100]{1,0}", "f32[100000,100]{1,0:PD(100000,104)}", 8e7, 4.16e7, 0},
      {"f32[100000,100]{1,0:PD(100000,104)}", "f64[100000,100]{1,0}", 4.16e7, 8e7, 0},
      {"f64[100000,100]{1,0}", "f32[100000,100]{1,0:PD(100000,104)}", 8e7, 4.16e7, 70000000},
      {"f32[100000,100]{1,0:PD(100000,104)}", "f64[100000,100]{1,0}", 4.16e7, 8e7, 70000000}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    recorder record;
    relayout_device *device = recorder_device(&record);
    record.seconds = at_once;
    device->info.memory_bytes = cases[i].allocation_bytes > 0 ? 0 : 400000000;
    device->info.allocation_bytes = cases[i].allocation_bytes;
    relayout_plan_destroy(measure(device, cases[i].from, cases[i].to));
    print_message("%zu and %zu bytes\n", record.scratch_source, record.scratch_destination);
    assert_true(record.scratch_source + record.scratch_destination <= 100000000);
    assert_true((double)record.scratch_source > 0.45 * cases[i].source);
    assert_true((double)record.scratch_destination > 0.45 * cases[i].destination);
    relayout_device_destroy(device);
  }
}

/* Packed elements are cropped by eight, which fill bytes however many bits they have; 64 by 64 of
 * them take 2 KiB, of which less than 487500 bytes are 238. What is run is a schedule for as much,
 * too little for a second thread. */
static int packed_runs;

static double by_eight(const recorded_run *run) {
  const rlt_problem *const problem = run->schedule->problem;
  const rlt_axis *const last = &problem->axes[problem->axis_count - 1];
  const bool is_packed = problem->source_packed > 0 || problem->destination_packed > 0;
  assert_true(is_packed ? last->extent < 3000 && last->extent > 50 && last->extent % 8 == 0
                        : last->extent == 184); /* 3000, halved four times: 187, of 8 at once */
  assert_int_equal(run->schedule->threads, 1);
  packed_runs += is_packed;
  return 1e-4;
}

static void test_packed_elements_are_cropped_by_eight(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"s4[3000,64,64]{2,1,0:E(4)}", "s4[3000,64,64]{1,2,0:E(4)}"},
      {"s8[3000,64,64]{2,1,0}", "s4[3000,64,64]{1,2,0:E(4)}"},
      {"s4[3000,64,64]{2,1,0:E(4)}", "s8[3000,64,64]{1,2,0}"},
  };
  for (int i = 0; i < 3; ++i) {
    recorder record;
    relayout_device *device = recorder_cpu_device(&record);
    record.seconds = by_eight;
    device->info.memory_bytes = 3900000;
    relayout_plan *const plan = measure(device, cases[i][0], cases[i][1]);
    assert_int_equal(plan->work.parts[0].choice, RLT_CHOICE_MEASURED);
    assert_int_equal(plan->work.parts[0].variants[0].candidate.schedule.threads, 2);
    assert_true(packed_runs > 0 || i == 0); /* which moves as bytes */
    packed_runs = 0;
    relayout_plan_destroy(plan);
    relayout_device_destroy(device);
  }
}

/* Small relayouts are run as they are, and large ones whose tiles alone would take too much are
 * not. */
static void test_what_needs_no_part_and_what_has_none(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.seconds = at_once;
  device->info.memory_bytes = 8 * 64 * 41 * 4;
  relayout_plan_destroy(measure(device, "f32[64,41]{1,0}", "f32[64,41]{0,1}"));
  assert_int_equal(record.scratch_source, 64 * 41 * 4);
  assert_int_equal(record.scratch_destination, 64 * 41 * 4);
  const int timed = record.programs_timed;
  device->info.memory_bytes = 4 * 4096;
  relayout_plan *const plan = measure(device, "f32[64,400]{1,0}", "f32[64,400]{0,1}");
  assert_int_equal(plan->work.parts[0].choice, RLT_CHOICE_ESTIMATED);
  assert_int_equal(record.programs_timed, timed);
  relayout_plan_destroy(plan);
  /* From one row to the next are 32 GiB. */
  device->info.memory_bytes = 0;
  relayout_plan *const far =
      measure(device, "u8[34359738368,4194304]{1,0}", "u8[34359738368,4194304]{0,1}");
  assert_int_equal(far->work.parts[0].choice, RLT_CHOICE_ESTIMATED);
  assert_int_equal(record.programs_timed, timed);
  relayout_plan_destroy(far);
  relayout_device_destroy(device);
}

static double slow(const recorded_run *run) {
  return is_of(run, "transpose") ? 0.2 : 0.3;
}

/* Four ways: the others stop after one run each, transposes after two, the second of which
 * counts. */
static void test_runs_end_when_their_time_is_spent(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.seconds = slow;
  relayout_plan *plan = measure(device, "f32[64,41]{1,0}", "f32[64,41]{0,1}");
  assert_int_equal(record.programs_timed, 3 + 2);
  assert_int_equal(plan->work.parts[0].choice, RLT_CHOICE_MEASURED);
  assert_string_equal(relayout_plan_get_method(plan), "transpose");
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

static double very_slow(const recorded_run *run) {
  (void)run;
  return 1;
}

/* By runs of a second there is no time for the last ones' first; but all have one. */
static double seconds_by_method(const recorded_run *run) {
  return is_of(run, "transpose") ? 1 : 1.5;
}

static void test_all_have_a_first_run(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.seconds = seconds_by_method;
  relayout_plan *plan = measure(device, "f32[64,41]{1,0}", "f32[64,41]{0,1}");
  assert_int_equal(record.programs_timed, 4);
  assert_string_equal(relayout_plan_get_method(plan), "transpose");
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* Runs of a second each leave nothing to the second of two parts. */
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
      HELD_TEST(test_fastest_wins),
      HELD_TEST(test_best_run_counts),
      HELD_TEST(test_what_differs_from_the_winner),
      HELD_TEST(test_what_fails_does_not_win),
      HELD_TEST(test_any_run_may_be_the_best),
      HELD_TEST(test_others_go_on),
      HELD_TEST(test_estimate_stands_in),
      HELD_TEST(test_failing_programs_fail_the_plan),
      HELD_TEST(test_two_contests),
      HELD_TEST(test_how_many_are_measured),
      HELD_TEST(test_each_form_is_run),
      HELD_TEST(test_one_of_a_form_is_run),
      HELD_TEST(test_hopeless_is_not_run),
      HELD_TEST(test_hopeless_by_hand),
      HELD_TEST(test_odd_offsets_fit_allocations),
      HELD_TEST(test_odd_offsets_fit_the_room),
      HELD_TEST(test_any_may_win),
      HELD_TEST(test_equals_change_nothing),
      HELD_TEST(test_half_of_the_time_is_for_sizes),
      HELD_TEST(test_second_contest_is_about_the_winner),
      HELD_TEST(test_what_cannot_be_told),
      HELD_TEST(test_room_by_hand),
      HELD_TEST(test_what_takes_too_long_is_not_begun),
      HELD_TEST(test_all_have_a_first_run),
      HELD_TEST(test_scratch_is_bounded),
      HELD_TEST(test_sides_share_the_room),
      HELD_TEST(test_packed_elements_are_cropped_by_eight),
      HELD_TEST(test_what_needs_no_part_and_what_has_none),
      HELD_TEST(test_runs_end_when_their_time_is_spent),
      HELD_TEST(test_a_plan_has_two_seconds),
  };
  return cmocka_run_group_tests_name("plan.measure", tests, NULL, NULL);
}
