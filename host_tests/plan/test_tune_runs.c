/* test_tune_runs.c: which schedule a runner goes by, where its turns run, and which time counts. */
#include "cmocka_all.h"

#include <stdlib.h>

#include "plan/devices.h"
#include "plan/recorder.h"
#include "problem_of.h"
#include "search/tune_runs.h"

static double seconds[16]; /* by number */
static rlt_offsets places[16];

static double as_told(const recorded_run *run) {
  places[run->number] = run->offsets;
  return seconds[run->number];
}

typedef struct bench {
  recorder record;
  rlt_track track;
} bench;

static void set_up(bench *made, int64_t side_bytes) {
  relayout_device *const device = recorder_cpu_device(&made->record);
  made->record.seconds = as_told;
  made->track = (rlt_track){.device = device, .side_bytes = side_bytes};
  assert_int_equal(device->backend->scratch_create(device, (size_t)side_bytes, (size_t)side_bytes,
                                                   &made->track.scratch, NULL),
                   RELAYOUT_OK);
  for (int i = 0; i < 16; ++i) {
    seconds[i] = 1;
  }
}

static void tear_down(bench *dropped) {
  relayout_device *const device = dropped->track.device;
  assert_int_equal(dropped->record.programs_alive, 0);
  device->backend->scratch_destroy(device, dropped->track.scratch);
  relayout_device_destroy(device);
}

/* Pages follow each other: a side of 9000 bytes takes three, and four of these are in 50000. */
static void test_places_follow_each_other(void **state) {
  (void)state;
  enum { STEP = 3 * 4096 };
  bench on;
  rlt_runner runner;
  set_up(&on, 50000);
  const rlt_problem problem = problem_of("u8[90,100]{1,0}", "u8[90,100]{0,1}");
  assert_true(rlt_runner_make(&on.track, &problem, &cpu_tuning, &runner));
  for (int i = 0; i < 6; ++i) {
    rlt_runner_take_turn(&on.track, &runner, false);
    assert_int_equal(places[i].source, i % 4 * STEP);
    assert_int_equal(places[i].destination, i % 4 * STEP);
  }
  rlt_runner_take_turn(&on.track, &runner, true);
  assert_int_equal(places[6].source, 0);
  rlt_runner_take_turn(&on.track, &runner, true);
  assert_int_equal(places[7].source, 0);
  rlt_runner_take_turn(&on.track, &runner, false);
  assert_int_equal(places[8].source, STEP);
  assert_int_equal(runner.runs, 9);
  rlt_runner_stop(&on.track, &runner);
  rlt_runner_stop(&on.track, &runner);
  tear_down(&on);
}

/* The larger side counts: these are more than a page only where they are padded. */
static void test_larger_side_counts(void **state) {
  (void)state;
  static const struct {
    const char *from, *to;
    int64_t step;
  } cases[] = {{"c128[4,60]{1,0:PD(5,60)}", "c128[4,60]{0,1}", 8192},
               {"u8[64,64]{1,0}", "u8[64,64]{0,1}", 4096},
               {"u8[64,60]{1,0}", "u8[64,60]{0,1:PD(80,60)}", 8192},
               {"u8[64,60]{1,0:PD(80,60)}", "u8[64,60]{0,1}", 8192}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    bench on;
    rlt_runner runner;
    set_up(&on, 1 << 20);
    const rlt_problem problem = problem_of(cases[i].from, cases[i].to);
    assert_true(rlt_runner_make(&on.track, &problem, &cpu_tuning, &runner));
    rlt_runner_take_turn(&on.track, &runner, false);
    rlt_runner_take_turn(&on.track, &runner, false);
    assert_int_equal(places[1].source, cases[i].step);
    rlt_runner_stop(&on.track, &runner);
    tear_down(&on);
  }
}

/* What fills the memory runs; a page more does not, and has no further turn. */
static void test_what_is_too_large_stops(void **state) {
  (void)state;
  for (int64_t pages = 2; pages <= 3; ++pages) {
    bench on;
    rlt_runner runner;
    set_up(&on, pages * 4096);
    const rlt_problem problem = problem_of("u8[90,100]{1,0}", "u8[90,100]{0,1}");
    assert_true(rlt_runner_make(&on.track, &problem, &cpu_tuning, &runner));
    rlt_runner_take_turn(&on.track, &runner, false);
    rlt_runner_take_turn(&on.track, &runner, true);
    assert_int_equal(runner.runs, pages == 3 ? 2 : 0);
    assert_int_equal(on.record.programs_timed, runner.runs);
    assert_int_equal(on.record.programs_alive, pages == 3);
    rlt_runner_stop(&on.track, &runner);
    tear_down(&on);
  }
}

/* The fastest run counts, wherever it comes; one that fails is the last, and is none. */
static void test_fastest_counts_until_one_fails(void **state) {
  (void)state;
  bench on;
  rlt_runner runner;
  set_up(&on, 1 << 20);
  static const double taken[] = {3, 2, 4, 1, 2, -1, 0.5};
  static const double best[] = {3, 2, 2, 1, 1, 1, 1};
  const rlt_problem problem = problem_of("u8[90,100]{1,0}", "u8[90,100]{0,1}");
  assert_true(rlt_runner_make(&on.track, &problem, &cpu_tuning, &runner));
  assert_int_equal(runner.runs, 0);
  for (int i = 0; i < 7; ++i) {
    seconds[i] = taken[i];
    rlt_runner_take_turn(&on.track, &runner, false);
    assert_true(runner.seconds == best[i]);
    assert_int_equal(runner.runs, i < 5 ? i + 1 : 5);
  }
  assert_int_equal(on.record.programs_timed, 6);
  assert_null(runner.program);
  tear_down(&on);
}

/* By the row it is given, not by the device's; the first that suits, and none that cannot be
 * made. */
static void test_goes_by_the_row(void **state) {
  (void)state;
  bench on;
  rlt_runner runner;
  set_up(&on, 1 << 20);
  const rlt_problem problem = problem_of("f32[1024,1024]{1,0}", "f32[1024,1024]{0,1}");
  rlt_tuning row = cpu_tuning;
  row.words[2].tiles[RLT_TILES_ANY].runs = (rlt_reach){128, 256};
  assert_true(rlt_runner_make(&on.track, &problem, &row, &runner));
  assert_true(runner.offer.schedule.suits);
  assert_int_equal(runner.offer.schedule.wish.runs.read_bytes, 128);
  assert_int_equal(runner.offer.schedule.wish.runs.write_bytes, 256);
  assert_true(rlt_schedules_equal(&runner.offer.schedule, runner.program));
  rlt_runner_stop(&on.track, &runner);
  on.record.next_program = RELAYOUT_OUT_OF_MEMORY;
  assert_false(rlt_runner_make(&on.track, &problem, &row, &runner));
  assert_null(runner.program);
  rlt_runner_take_turn(&on.track, &runner, false);
  assert_int_equal(runner.runs, 0);
  assert_int_equal(on.record.programs_timed, 0);
  tear_down(&on);
}

/* What nothing is read for is offered one schedule, which is the first of all and suits. */
static void test_first_offer_may_suit(void **state) {
  (void)state;
  bench on;
  rlt_runner runner;
  set_up(&on, 1 << 20);
  const rlt_problem fill = {.element_bytes = 4,
                            .destination_elements = 1024,
                            .axis_count = 1,
                            .axes = {{1024, 0, 1, 1}},
                            .fills = true};
  assert_true(rlt_runner_make(&on.track, &fill, &cpu_tuning, &runner));
  assert_int_equal(runner.offer.schedule.move, RLT_MOVE_FILL);
  assert_true(rlt_schedules_equal(&runner.offer.schedule, runner.program));
  rlt_runner_stop(&on.track, &runner);
  tear_down(&on);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_places_follow_each_other),
      cmocka_unit_test(test_larger_side_counts),
      cmocka_unit_test(test_what_is_too_large_stops),
      cmocka_unit_test(test_fastest_counts_until_one_fails),
      cmocka_unit_test(test_goes_by_the_row),
      cmocka_unit_test(test_first_offer_may_suit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
