/* trial.c: one problem run on a CPU device and compared with its definition. */
#include "cpu/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "problem/definition.h"
#include "problem/drawn_schedule.h"
#include "schedule/schedule_text.h"
#include "search/method.h"

enum { GUARD_BYTES = 64, LINE_BYTES = 64, POISON = 0xa5 };

/* At the start of a line. */
static unsigned char *allocate(size_t size) {
  void *made = NULL;
  return posix_memalign(&made, LINE_BYTES, size) == 0 ? made : NULL;
}

void trial_initialize(trial *t, const rlt_problem *problem, size_t shift) {
  const size_t source_size = rlt_problem_source_size(problem);
  t->problem = problem;
  /* Nothing behind the source, so that an address sanitizer sees a read past its end. */
  t->source_memory = allocate(shift + source_size);
  t->source = t->source_memory + shift;
  uint64_t seed = source_size;
  for (size_t i = 0; i < source_size; ++i) {
    t->source[i] = (unsigned char)definition_random(&seed, 256);
  }
  t->guarded_size = rlt_problem_destination_size(problem) + 2 * GUARD_BYTES;
  t->expected = malloc(t->guarded_size);
  memset(t->expected, POISON, t->guarded_size);
  definition_relayout(problem, t->source, t->expected + GUARD_BYTES);
}

void trial_deinitialize(trial *t) {
  free(t->source_memory);
  free(t->expected);
}

static bool same_bytes(const trial *t, const unsigned char *found) {
  if (memcmp(found, t->expected, t->guarded_size) == 0) {
    return true;
  }
  size_t i = 0;
  while (found[i] == t->expected[i]) {
    ++i;
  }
  fprintf(stderr, "destination byte %td is 0x%02x, not 0x%02x\n", (ptrdiff_t)i - GUARD_BYTES,
          found[i], t->expected[i]);
  return false;
}

bool trial_run(const trial *t, const relayout_plan *plan, size_t shift) {
  unsigned char *memory = allocate(shift + t->guarded_size);
  unsigned char *guarded = memory + shift;
  memset(guarded, POISON, t->guarded_size);
  relayout_error error = {0};
  bool passed =
      relayout_plan_execute(plan, t->source, guarded + GUARD_BYTES, &error) == RELAYOUT_OK;
  if (!passed) {
    fprintf(stderr, "relayout_plan_execute: %s\n", error.message);
  }
  passed = passed && same_bytes(t, guarded);
  free(memory);
  return passed;
}

/* ---- Plans ---- */

static relayout_plan *plan_with(relayout_device *device, const rlt_problem *problem,
                                const char *schedule) {
  relayout_plan *plan = NULL;
  relayout_error error = {0};
  rlt_plan_request request;
  rlt_plan_request_clear(&request);
  const rlt_texts texts = {.count = schedule != NULL, .of = &schedule};
  if (rlt_plan_create_for_problem(device, problem, &request, texts, &plan, &error) != RELAYOUT_OK) {
    fprintf(stderr, "rlt_plan_create_for_problem: %s\n", error.message);
    return NULL;
  }
  return plan;
}

relayout_plan *trial_plan(relayout_device *device, const rlt_problem *problem) {
  relayout_plan *const plan = plan_with(device, problem, NULL);
  assert_non_null(plan);
  return plan;
}

/* By the plan that the library makes, or by the one of this schedule. */
static bool passes(relayout_device *device, const trial *t, const char *schedule, size_t shift) {
  relayout_plan *const plan = plan_with(device, t->problem, schedule);
  bool passed = plan != NULL;
  if (passed) {
    const bool only_aligned = rlt_plan_check_places(plan, shift, shift, NULL) != RELAYOUT_OK;
    passed = trial_run(t, plan, only_aligned ? 0 : shift);
    relayout_plan_destroy(plan);
  }
  if (!passed) {
    fprintf(stderr, "%s, pointers shifted by %zu\n",
            schedule == NULL ? "as the library chooses" : schedule, shift);
    definition_print(t->problem);
  }
  return passed;
}

/* ---- Every schedule ---- */

static int number_of(const char *method) {
  int number = 0;
  while (strcmp(rlt_methods[number]->name, method) != 0) {
    ++number;
    assert_non_null(rlt_methods[number]);
  }
  assert_in_range(number, 0, TRIAL_METHODS - 1);
  return number;
}

int trial_count(const trial_record *of, const char *method) {
  return of->schedules[number_of(method)];
}

typedef struct visit {
  relayout_device *device;
  const trial *trial; /* one for all schedules: making it takes longer than running it */
  size_t shift;
  trial_record *record;
  bool passed;
} visit;

static void run_offered(void *context, const relayout_schedule_info *offered) {
  visit *const at = context;
  ++at->record->schedules[number_of(offered->method)];
  at->passed = at->passed && passes(at->device, at->trial, offered->text, at->shift);
}

/* A few of what is offered only when it is asked for: tiles of other sizes, and of some of these
 * other orders, prefetches and stores. Finding them by their texts is part of it. */
static void run_rare(visit *at, const relayout_plan *plan, int32_t part, uint64_t *seed) {
  enum { RARE = 4, VARIED = 3 };
  rlt_candidates candidates;
  assert_int_equal(rlt_plan_candidates(plan, part, &candidates, NULL), RELAYOUT_OK);
  const int32_t usual = candidates.count;
  rlt_candidates_add_all(&candidates);
  for (int i = 0; i < VARIED; ++i) {
    rlt_candidates_vary(&candidates, (int32_t)definition_random(seed, candidates.count));
  }
  for (int i = 0; i < RARE && candidates.count > usual; ++i) {
    const int32_t number = usual + (int32_t)definition_random(seed, candidates.count - usual);
    char text[RLT_SCHEDULE_TEXT_SIZE];
    rlt_text made = rlt_text_in(text, sizeof text);
    rlt_schedule_add_text(&candidates.of[number].schedule, &made);
    at->record->rare += 1;
    at->passed = at->passed && passes(at->device, at->trial, text, at->shift);
  }
  rlt_candidates_free(&candidates);
}

/* Whether no plan is made by this schedule, because it breaks a rule. */
static bool is_refused(const visit *at, const char *schedule) {
  relayout_plan *plan = NULL;
  rlt_plan_request request;
  rlt_plan_request_clear(&request);
  const relayout_status status =
      rlt_plan_create_for_problem(at->device, at->trial->problem, &request,
                                  (rlt_texts){.count = 1, .of = &schedule}, &plan, NULL);
  relayout_plan_destroy(plan);
  return status == RELAYOUT_UNSUPPORTED;
}

/* Runs schedules drawn at random, and counts those that the library refuses. */
static void run_drawn(visit *at, const relayout_plan *plan, int32_t part, uint64_t *seed) {
  enum { DRAWN = 12 };
  rlt_candidates candidates;
  assert_int_equal(rlt_plan_candidates(plan, part, &candidates, NULL), RELAYOUT_OK);
  for (int i = 0; i < DRAWN; ++i) {
    char text[RLT_SCHEDULE_TEXT_SIZE];
    rlt_text made = rlt_text_in(text, sizeof text);
    drawn_schedule(&candidates.of[definition_random(seed, candidates.count)].schedule, seed, &made);
    ++at->record->drawn;
    if (is_refused(at, text)) {
      ++at->record->refused;
    } else {
      at->passed = at->passed && passes(at->device, at->trial, text, at->shift);
    }
  }
  rlt_candidates_free(&candidates);
}

static const char *passes_as_chosen(relayout_device *device, const trial *t, size_t shift) {
  relayout_plan *const plan = trial_plan(device, t->problem);
  const char *const method = relayout_plan_get_method(plan);
  relayout_plan_destroy(plan);
  return passes(device, t, NULL, shift) ? method : NULL;
}

const char *trial_passes_as_chosen(relayout_device *device, const rlt_problem *problem,
                                   size_t shift) {
  trial t;
  trial_initialize(&t, problem, shift);
  const char *const method = passes_as_chosen(device, &t, shift);
  trial_deinitialize(&t);
  return method;
}

bool trial_passes(relayout_device *device, const rlt_problem *problem, size_t shift,
                  trial_record *record) {
  trial t;
  trial_initialize(&t, problem, shift);
  visit at = {device, &t, shift, record, .passed = true};
  uint64_t seed = (uint64_t)problem->destination_elements;
  record->chosen = passes_as_chosen(device, &t, shift);
  relayout_plan *const plan = trial_plan(device, problem);
  for (int32_t part = 0; part < relayout_plan_part_count(plan); ++part) {
    assert_int_equal(relayout_plan_visit_schedules(plan, part, run_offered, &at, NULL),
                     RELAYOUT_OK);
    run_rare(&at, plan, part, &seed);
    run_drawn(&at, plan, part, &seed);
  }
  relayout_plan_destroy(plan);
  trial_deinitialize(&t);
  return record->chosen != NULL && at.passed;
}
