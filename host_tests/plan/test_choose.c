/* test_choose.c: which candidate becomes a plan's schedule without measuring, and what becomes of
 * it. */
#include "cmocka_all.h"

#include "plan/devices.h"
#include "plan/held.h"
#include "plan/plan.h"
#include "plan/recorder.h"
#include "relayout/relayout.h"
#include "search/method.h"
#include "shape_of.h"

static relayout_plan *plan_by(relayout_device *device, const char *from_text, const char *to_text,
                              const rlt_plan_request *request) {
  const relayout_shape from = shape_of(from_text);
  const relayout_shape to = shape_of(to_text);
  const rlt_texts none = {0, NULL};
  relayout_plan *plan = NULL;
  assert_int_equal(rlt_plan_create(device, &from, &to, request, none, &plan, NULL), RELAYOUT_OK);
  return plan;
}

/* How long a candidate takes but for its runs, and for these; in copies. */
typedef struct times {
  double others;
  double runs;
} times;

static times times_of(const rlt_candidates *candidates, rlt_reach runs) {
  times made = {0, 0};
  for (int32_t i = 0; i < candidates->count; ++i) {
    const rlt_candidate *const of = &candidates->of[i];
    if (of->schedule.blocking.runs.read_bytes == runs.read_bytes &&
        of->schedule.blocking.runs.write_bytes == runs.write_bytes) {
      made.runs = of->cost.times[RLT_COST_RUNS];
      made.others = 1 / of->cost.fraction - made.runs;
    }
  }
  assert_true(made.runs > 0);
  return made;
}

/* By the row tiles read 256 bytes at once, and others 512, half as many runs: they are taken when
 * that saves more than a tenth. The rate at which it does is worked out from both's times. */
static void test_clearly_faster_is_chosen(void **state) {
  (void)state;
  static const char from[] = "f32[4096,8192]{1,0}", to[] = "f32[4096,8192]{0,1}";
  recorder record;
  relayout_device *const device = recorder_cpu_device(&record);
  rlt_tuning row = cpu_tuning;
  rlt_plan_request request;
  rlt_candidates candidates;
  rlt_plan_request_clear(&request);
  row.words[2].rates.of[RLT_RATE_RUN] = 1;
  for (int i = 1; i < RLT_OTHER_RUNS; ++i) {
    row.other_runs[i] = row.other_runs[0];
  }
  device->tuning = &row;
  relayout_plan *plan = plan_by(device, from, to, &request);
  assert_int_equal(rlt_plan_candidates(plan, 0, &candidates, NULL), RELAYOUT_OK);
  const times own = times_of(&candidates, (rlt_reach){256, 512});
  const times other = times_of(&candidates, (rlt_reach){512, 128});
  rlt_candidates_free(&candidates);
  relayout_plan_destroy(plan);
  static const double faster[] = {1.0, 1.09, 1.11, 1.3};
  for (int i = 0; i < 4; ++i) {
    /* own.others + rate * own.runs = faster * (other.others + rate * other.runs) */
    const double rate =
        (faster[i] * other.others - own.others) / (own.runs - faster[i] * other.runs);
    assert_true(rate >= 0);
    row.words[2].rates.of[RLT_RATE_RUN] = rate;
    plan = plan_by(device, from, to, &request);
    const rlt_candidate *const chosen = &plan->work.parts[0].variants[0].candidate;
    print_message("%g times as fast, by %g a run\n", faster[i], rate);
    assert_int_equal(chosen->schedule.blocking.runs.read_bytes, i < 2 ? 256 : 512);
    assert_int_equal(plan->work.parts[0].choice, RLT_CHOICE_ESTIMATED);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
}

/* Schedules are for batches where the request is. */
static void test_batches(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_device(&record);
  for (int for_batches = 0; for_batches <= 1; ++for_batches) {
    rlt_plan_request request;
    rlt_plan_request_clear(&request);
    request.for_batches = for_batches;
    relayout_plan *const plan = plan_by(device, "f32[64,41]{1,0}", "f32[64,41]{0,1}", &request);
    const rlt_variant *const way = &plan->work.parts[0].variants[0];
    assert_int_equal(way->candidate.schedule.batch, for_batches ? 32 : 0);
    assert_int_equal(((const rlt_schedule *)way->executable)->batch, for_batches ? 32 : 0);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
}

/* Kernels are specialised where that is asked for, and where there are kernels. */
static void test_specialized(void **state) {
  (void)state;
  for (int is_cpu = 0; is_cpu <= 1; ++is_cpu) {
    recorder record;
    relayout_device *const device =
        is_cpu ? recorder_cpu_device(&record) : recorder_device(&record);
    for (int specialize = 0; specialize <= 1; ++specialize) {
      rlt_plan_request request;
      rlt_plan_request_clear(&request);
      request.specialize = specialize;
      device->facts.specializes = !is_cpu;
      relayout_plan *const plan = plan_by(device, "f32[64,41]{1,0}", "f32[64,41]{0,1}", &request);
      const rlt_variant *const way = &plan->work.parts[0].variants[0];
      const bool is_specialized = specialize && !is_cpu;
      assert_int_equal(way->candidate.schedule.specialized, is_specialized);
      assert_int_equal(((const rlt_schedule *)way->executable)->specialized, is_specialized);
      relayout_plan_destroy(plan);
    }
    relayout_device_destroy(device);
  }
}

static double specialized_is_fast(const recorded_run *run) {
  return run->schedule->specialized ? 1e-4 : 2e-4;
}

static double specialized_is_slow(const recorded_run *run) {
  return run->schedule->specialized ? 2e-4 : 1e-4;
}

/* Measuring compares the fastest with itself, specialised, and keeps what is faster, also in
 * wisdom. */
static void test_measured_specialized(void **state) {
  (void)state;
  for (int is_fast = 0; is_fast <= 1; ++is_fast) {
    recorder record;
    relayout_device *const device = recorder_device(&record);
    record.seconds = is_fast ? specialized_is_fast : specialized_is_slow;
    device->facts.specializes = true;
    for (int again = 0; again <= 1; ++again) {
      rlt_plan_request request;
      rlt_plan_request_clear(&request);
      request.effort = again ? RELAYOUT_PLAN_ESTIMATE : RELAYOUT_PLAN_MEASURE;
      relayout_plan *const plan = plan_by(device, "f32[64,41]{1,0}", "f32[64,41]{0,1}", &request);
      const rlt_part *const part = &plan->work.parts[0];
      assert_int_equal(part->choice, again ? RLT_CHOICE_REMEMBERED : RLT_CHOICE_MEASURED);
      assert_int_equal(part->variants[0].candidate.schedule.specialized, is_fast);
      relayout_plan_destroy(plan);
    }
    relayout_device_destroy(device);
  }
}

/* What is read again at once stays in the cache, however large it is; what fits does anyway. */
static void test_staged_destinations_stay(void **state) {
  (void)state;
  static const struct {
    const char *from, *to;
    bool stages, streams;
  } cases[] = {{"f32[1024,2048]{1,0}", "f32[1024,2048]{0,1}", false, true},
               {"f32[1024,2048]{1,0}", "f32[1024,2048]{0,1}", true, false},
               {"f32[128,128]{1,0}", "f32[128,128]{0,1}", false, false},
               {"f32[128,128]{1,0}", "f32[128,128]{0,1}", true, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    recorder record;
    relayout_device *const device = recorder_cpu_device(&record);
    rlt_plan_request request;
    rlt_plan_request_clear(&request);
    request.stages_destination = cases[i].stages;
    relayout_plan *const plan = plan_by(device, cases[i].from, cases[i].to, &request);
    assert_int_equal(plan->work.parts[0].variants[0].candidate.schedule.streamed, cases[i].streams);
    relayout_plan_destroy(plan);
    relayout_device_destroy(device);
  }
}

/* A method that is asked for has to offer something. */
static void test_nothing_is_offered(void **state) {
  (void)state;
  const relayout_shape from = shape_of("f32[64,41]{1,0}");
  const relayout_shape to = shape_of("f32[64,41]{0,1}");
  const rlt_texts none = {0, NULL};
  recorder record;
  relayout_device *const device = recorder_device(&record);
  rlt_plan_request request;
  relayout_plan *plan = NULL;
  relayout_error error;
  rlt_plan_request_clear(&request);
  request.method = &rlt_method_fill;
  assert_int_equal(rlt_plan_create(device, &from, &to, &request, none, &plan, &error),
                   RELAYOUT_UNSUPPORTED);
  assert_string_equal(error.message, "method `fill` has no schedule for this relayout");
  assert_null(plan);
  assert_int_equal(record.programs_alive, 0);
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HELD_TEST(test_clearly_faster_is_chosen),
      HELD_TEST(test_nothing_is_offered),
      HELD_TEST(test_batches),
      HELD_TEST(test_specialized),
      HELD_TEST(test_measured_specialized),
      HELD_TEST(test_staged_destinations_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
