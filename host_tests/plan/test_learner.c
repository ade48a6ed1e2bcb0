/* test_learner.c: schedules take turns on the calls of a plan, and the fastest stays. On the
 * recorder calls are made up, and how long they take; on the CPU they are real. */
#include "cmocka_all.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/held.h"
#include "plan/recorder.h"
#include "relayout/relayout.h"
#include "search/learner.h"
#include "shape_of.h"

enum {
  TRIALS = RLT_LEARNER_SCHEDULES * RLT_LEARNER_ROUNDS + RLT_LEARNER_LAST * RLT_LEARNER_LAST_ROUNDS,
  TEXT_SIZE = 8192
};

/* ---- Made up ---- */

static const char from_text[] = "f32[2048,2048]", to_text[] = "f32[2048,2048]{0,1}";

typedef struct scene {
  recorder record;
  rlt_backend backend;
  relayout_device *device;
  relayout_plan *plan;
  const rlt_part *part;
  const rlt_variant *variant;
  int turns[RLT_LEARNER_SCHEDULES]; /* of each schedule */
} scene;

static void open_scene(const char *from, const char *to, const relayout_plan_options *options,
                       scene *made) {
  const relayout_shape source = shape_of(from), destination = shape_of(to);
  memset(made, 0, sizeof *made);
  made->device = recorder_cpu_device(&made->record);
  made->backend = *made->device->backend;
  made->backend.learns = true;
  made->device->backend = &made->backend;
  assert_int_equal(
      relayout_plan_create(made->device, &source, &destination, options, &made->plan, NULL),
      RELAYOUT_OK);
  made->part = &made->plan->work.parts[0];
  made->variant = &made->part->variants[0];
}

static void close_scene(scene *at) {
  relayout_plan_destroy(at->plan);
  relayout_device_destroy(at->device);
  assert_int_equal(at->record.programs_alive, 0);
}

/* Makes a call up: by schedule `fast` it takes `seconds`, by `fastest` 500, and by any other 2000.
 * Returns the number of its schedule; -1 if the call is no trial. */
static int timed_call(scene *at, int fast, double seconds, int fastest) {
  rlt_trial trial;
  if (!rlt_trial_begin(at->device, at->part, at->variant, &trial)) {
    return -1;
  }
  trial.begun -= trial.number == fastest ? 500 : trial.number == fast ? seconds : 2000;
  rlt_trial_end(at->device, at->part, at->variant, &trial, true);
  ++at->turns[trial.number];
  return trial.number;
}

static int call(scene *at, int fast) {
  return timed_call(at, fast, 1000, -1);
}

static void expect_explained(const scene *at, const char *says) {
  char text[TEXT_SIZE];
  relayout_plan_explain(at->plan, RELAYOUT_EXPLAIN_TEXT, text, sizeof text);
  if (strstr(text, says) == NULL) {
    fail_msg("`%s` lacks `%s`", text, says);
  }
}

static void expect_schedule(const scene *at, const rlt_candidate *wanted) {
  assert_true(
      rlt_schedules_equal(&rlt_variant_now(at->variant)->candidate.schedule, &wanted->schedule));
}

/* The first call is none; then tiles take turns, then orders, and then the fastest; those that are
 * much slower lose theirs to the fastest; and then that runs. */
static void test_the_fastest_stays(void **state) {
  (void)state;
  scene at;
  open_scene(from_text, to_text, NULL, &at);
  const rlt_candidate estimated = at.variant->candidate;
  assert_int_equal(at.part->choice, RLT_CHOICE_ESTIMATED);
  assert_int_equal(call(&at, 3), -1);
  assert_int_equal(rlt_variant_learning(at.variant).schedules, 0);
  static const int turns[TRIALS] = {0, 1, 2, 3, 4, 5, 3, 3, 3, 3, 3, 3, 6, 7, 8,
                                    9, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
  for (int i = 0; i < TRIALS; ++i) {
    assert_int_equal(call(&at, 3), turns[i]);
    if (i == 3) {
      expect_schedule(&at, &estimated);
      expect_explained(&at,
                       "learning: 4 of 12 calls have tried 6 schedules, and took 3e+06 ms longer");
    }
  }
  assert_int_equal(call(&at, 3), -1);
  const rlt_variant *const winner = rlt_variant_now(at.variant);
  assert_ptr_not_equal(winner, at.variant);
  assert_true(rlt_schedules_equal(&winner->candidate.schedule, winner->executable));
  assert_true(winner->candidate.schedule.destination_alignment <=
              estimated.schedule.destination_alignment);
  const double most = winner->candidate.is_known ? 4 : 1.5;
  assert_true(most * winner->candidate.cost.fraction >= estimated.cost.fraction);
  expect_explained(&at, "because calls of this plan were the fastest by it");
  expect_explained(&at,
                   "learning: 29 of 29 calls have tried 10 schedules, and took 9e+06 ms longer");
  char text[TEXT_SIZE];
  relayout_plan_explain(at.plan, RELAYOUT_EXPLAIN_JSON, text, sizeof text);
  assert_non_null(strstr(text, "\"chosen_by\":\"calls\""));
  close_scene(&at);
}

static bool have_one_tile(const rlt_schedule *a, const rlt_schedule *b) {
  return rlt_groups_equal(&a->rows, &b->rows) && rlt_groups_equal(&a->columns, &b->columns);
}

/* Schedules that take part differ from each other: at first in anything, and then in anything but
 * their tiles. At last the plan's own, the fastest and one more have three more turns. */
static void test_who_takes_part(void **state) {
  (void)state;
  scene at;
  open_scene(from_text, to_text, NULL, &at);
  rlt_schedule seen[RLT_LEARNER_SCHEDULES];
  enum { FAST = 2 };
  assert_int_equal(call(&at, FAST), -1);
  for (int turn = 0; turn < TRIALS; ++turn) {
    rlt_trial trial;
    assert_true(rlt_trial_begin(at.device, at.part, at.variant, &trial));
    const int i = trial.number;
    seen[i] = *(const rlt_schedule *)trial.executable;
    for (int other = 0; other < i; ++other) {
      assert_false(rlt_schedules_equal(&seen[i], &seen[other]));
    }
    assert_true(i < RLT_LEARNER_TILES || have_one_tile(&seen[i], &seen[FAST]));
    trial.begun -= i == FAST ? 1000 : 1100; /* all keep their turns */
    rlt_trial_end(at.device, at.part, at.variant, &trial, true);
    ++at.turns[i];
  }
  assert_true(rlt_schedules_equal(&seen[0], &at.variant->candidate.schedule));
  int lasted = 0;
  for (int i = 0; i < RLT_LEARNER_SCHEDULES; ++i) {
    lasted += at.turns[i] == RLT_LEARNER_ROUNDS + RLT_LEARNER_LAST_ROUNDS;
    assert_true(at.turns[i] >= RLT_LEARNER_ROUNDS);
  }
  assert_int_equal(lasted, 3);
  assert_int_equal(at.turns[0], at.turns[FAST]);
  close_scene(&at);
}

/* One that differs from the fastest tile's in its order alone may win. */
static void test_an_order_wins(void **state) {
  (void)state;
  enum { TILE = 3, ORDER = RLT_LEARNER_TILES + 1 };
  scene at;
  open_scene(from_text, to_text, NULL, &at);
  for (int i = 0; i <= TRIALS; ++i) {
    timed_call(&at, TILE, 1800, ORDER);
  }
  const rlt_variant *const won = rlt_variant_now(at.variant);
  assert_ptr_not_equal(won, at.variant);
  assert_false(have_one_tile(&won->candidate.schedule, &at.variant->candidate.schedule));
  assert_true(at.turns[ORDER] > RLT_LEARNER_ROUNDS); /* it had those of slower ones too */
  close_scene(&at);
}

/* What was predicted stays where others are no faster, and is remembered too. */
static void test_the_estimate_stays(void **state) {
  (void)state;
  scene at;
  open_scene(from_text, to_text, NULL, &at);
  for (int i = 0; i <= TRIALS; ++i) {
    call(&at, 0);
  }
  assert_ptr_equal(rlt_variant_now(at.variant), at.variant);
  assert_int_equal(at.turns[0], 1 + TRIALS - RLT_LEARNER_SCHEDULES);
  assert_true(relayout_device_export_wisdom(at.device, NULL, 0) > 0);
  close_scene(&at);
}

/* Later plans of the same problem begin with what was learned, and learn no more. */
static void test_later_plans_know(void **state) {
  (void)state;
  scene at;
  open_scene(from_text, to_text, NULL, &at);
  for (int i = 0; i <= TRIALS; ++i) {
    call(&at, 2);
  }
  const rlt_schedule learned = rlt_variant_now(at.variant)->candidate.schedule;
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.effort = RELAYOUT_PLAN_ESTIMATE; /* which the cache does not hold */
  const relayout_shape source = shape_of(from_text), destination = shape_of(to_text);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(at.device, &source, &destination, &options, &plan, NULL),
                   RELAYOUT_OK);
  assert_int_equal(plan->work.parts[0].choice, RLT_CHOICE_REMEMBERED);
  const rlt_candidate *const found = &plan->work.parts[0].variants[0].candidate;
  assert_true(rlt_groups_equal(&found->schedule.rows, &learned.rows));
  assert_true(rlt_groups_equal(&found->schedule.columns, &learned.columns));
  assert_null(plan->work.parts[0].variants[0].learner);
  relayout_plan_destroy(plan);
  close_scene(&at);
}

/* A schedule that cannot be compiled leaves its turn to the plan's own; one that fails counts for
 * nothing. */
static void test_failures(void **state) {
  (void)state;
  scene at;
  open_scene(from_text, to_text, NULL, &at);
  assert_int_equal(call(&at, 1), -1);
  assert_int_equal(call(&at, 1), 0);
  at.record.next_program = RELAYOUT_OUT_OF_MEMORY;
  assert_int_equal(call(&at, 1), 0);
  at.record.next_program = RELAYOUT_OK;
  rlt_trial trial;
  assert_true(rlt_trial_begin(at.device, at.part, at.variant, &trial));
  assert_int_equal(trial.number, 2);
  rlt_trial_end(at.device, at.part, at.variant, &trial, false);
  for (int i = 3; i < TRIALS; ++i) {
    at.record.next_program = i == TRIALS - 1 ? RELAYOUT_OUT_OF_MEMORY : RELAYOUT_OK;
    call(&at, 3);
  }
  assert_int_equal(call(&at, 3), -1);
  assert_ptr_equal(rlt_variant_now(at.variant), at.variant); /* the fastest was not compiled */
  close_scene(&at);
}

static void expect_no_learner(const char *from, const char *to,
                              const relayout_plan_options *options) {
  scene at;
  open_scene(from, to, options, &at);
  assert_null(at.variant->learner);
  assert_int_equal(call(&at, 0), -1);
  assert_int_equal(rlt_variant_learning(at.variant).schedules, 0);
  close_scene(&at);
}

static void test_who_does_not_learn(void **state) {
  (void)state;
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  expect_no_learner("f32[511,512]", "f32[511,512]{0,1}", NULL); /* less than 1 MiB */
  options.effort = RELAYOUT_PLAN_ESTIMATE;
  expect_no_learner(from_text, to_text, &options);
  scene at;
  char text[TEXT_SIZE];
  open_scene("f32[512,512]", "f32[512,512]{0,1}", NULL, &at);
  assert_non_null(at.variant->learner);
  relayout_plan_get_schedule(at.plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text);
  close_scene(&at);
  const char *const texts[] = {text};
  options.effort = RELAYOUT_PLAN_ADAPT;
  options.schedules = texts;
  options.schedule_count = 1;
  expect_no_learner("f32[512,512]", "f32[512,512]{0,1}", &options);
}

/* ---- Real ---- */

enum { SIDE = 640, CALLERS = 4, CALLS = 16 };

typedef struct caller {
  const relayout_plan *plan;
  const float *source;
  int wrong;
} caller;

static void *call_often(void *context) {
  caller *const self = context;
  float *const found = malloc(sizeof(float) * SIDE * SIDE);
  for (int i = 0; i < CALLS; ++i) {
    memset(found, 0xa5, sizeof(float) * SIDE * SIDE);
    self->wrong += relayout_plan_execute(self->plan, self->source, found, NULL) != RELAYOUT_OK;
    for (int p = 0; p < SIDE * SIDE; ++p) {
      self->wrong += found[p] != self->source[p % SIDE * SIDE + p / SIDE];
    }
  }
  free(found);
  return NULL;
}

/* Threads that share a plan get the same bytes by every schedule, while they learn together. */
static void test_callers_together(void **state) {
  (void)state;
  const relayout_shape from = shape_of("f32[640,640]"), to = shape_of("f32[640,640]{0,1}");
  relayout_device *device = NULL;
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_cpu_device_create(NULL, &device, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  float *const source = malloc(sizeof(float) * SIDE * SIDE);
  for (int p = 0; p < SIDE * SIDE; ++p) {
    source[p] = (float)p;
  }
  caller callers[CALLERS];
  pthread_t threads[CALLERS];
  for (int i = 0; i < CALLERS; ++i) {
    callers[i] = (caller){plan, source, 0};
    assert_int_equal(pthread_create(&threads[i], NULL, call_often, &callers[i]), 0);
  }
  for (int i = 0; i < CALLERS; ++i) {
    pthread_join(threads[i], NULL);
    assert_int_equal(callers[i].wrong, 0);
  }
  /* malloc's memory begins anywhere: one of the variants has learned all that there is. */
  const rlt_part *const part = &plan->work.parts[0];
  int32_t trials = 0, wanted = 0;
  for (int32_t v = 0; v < part->variant_count; ++v) {
    const rlt_learning learning = rlt_variant_learning(&part->variants[v]);
    trials += learning.trials;
    wanted += learning.of_trials;
  }
  assert_true(wanted > 0);
  assert_int_equal(trials, wanted);
  free(source);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HELD_TEST(test_the_fastest_stays),  HELD_TEST(test_who_takes_part),
      HELD_TEST(test_the_estimate_stays), HELD_TEST(test_an_order_wins),
      HELD_TEST(test_later_plans_know),   HELD_TEST(test_failures),
      HELD_TEST(test_who_does_not_learn), cmocka_unit_test(test_callers_together),
  };
  return cmocka_run_group_tests_name("plan.learner", tests, NULL, NULL);
}
