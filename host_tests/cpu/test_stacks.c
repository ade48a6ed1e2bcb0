/* How much of a thread's stack calls take, on each instruction set: 64 KiB at most, whatever the
 * relayout. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "conformance/cases.h"
#include "conformance/schedules.h"
#include "cpu/device.h"
#include "cpu/sanitizers.h"
#include "relayout/relayout.h"
#include "stack_use.h"
#include "view_of.h"

/* What the header promises for tasks; other calls of the CPU backend keep to it too. */
enum { MOST_USED = 64 << 10 };

/* ---- Tasks lent to threads ---- */

typedef struct lent_task {
  void (*task)(void *data, size_t i);
  void *data;
  size_t i;
} lent_task;

static void run_lent(void *argument) {
  const lent_task *const lent = argument;
  lent->task(lent->data, lent->i);
}

/* Notes the most that a task used. */
static void lend(void *context, size_t count, void (*task)(void *data, size_t i), void *data) {
  size_t *const most = context;
  for (size_t i = 0; i < count; ++i) {
    lent_task lent = {task, data, i};
    const size_t used = stack_used_by(run_lent, &lent);
    *most = used > *most ? used : *most;
  }
}

/* ---- Relayouts ---- */

/* All of what the conformance suite asks for, in all ways. */
typedef struct suite {
  relayout_device *device;
  size_t used_by_plans;
  size_t used_by_calls;
  size_t used_by_tasks;
  size_t relayouts;
  bool failed;
} suite;

typedef struct relayout_call {
  relayout_device *device;
  const trial *of;
  relayout_plan_options options;
  relayout_view from;
  relayout_view to;
  relayout_plan *plan;
  char text[4096]; /* what explains it: the caller's memory, not to be counted */
  unsigned char *found;
  relayout_status status;
} relayout_call;

static void make_plan(void *argument) {
  relayout_call *const made = argument;
  made->status = relayout_plan_create_between(made->device, &made->from, &made->to, &made->options,
                                              &made->plan, NULL);
  if (made->status == RELAYOUT_OK) {
    relayout_plan_explain(made->plan, RELAYOUT_EXPLAIN_TEXT, made->text, sizeof made->text);
    relayout_plan_explain(made->plan, RELAYOUT_EXPLAIN_JSON, made->text, sizeof made->text);
  }
}

static void execute(void *argument) {
  relayout_call *const made = argument;
  made->status = relayout_plan_execute(made->plan, made->of->source + made->of->source_origin,
                                       made->found + made->of->destination_origin, NULL);
}

static void note(size_t used, size_t *most) {
  *most = used > *most ? used : *most;
}

static relayout_call call_of(suite *s, const trial *of) {
  const request *const relayout = of->asked;
  const oracle_options *const asked = &relayout->options;
  relayout_call made = {.device = s->device,
                        .of = of,
                        .options = RELAYOUT_PLAN_OPTIONS_INIT,
                        .from = view_of(relayout->from, asked->source_byte_strides),
                        .to = view_of(relayout->to, asked->destination_byte_strides)};
  made.options.overflow = asked->wraps ? RELAYOUT_OVERFLOW_WRAP : RELAYOUT_OVERFLOW_SATURATE;
  made.options.scale = asked->scale;
  made.options.rounding = asked->to_nearest ? RELAYOUT_ROUNDING_NEAREST : RELAYOUT_ROUNDING_ZERO;
  return made;
}

/* Where a schedule wants more alignment than elements have, the destination begins with a line. */
static void run_plan(suite *s, relayout_call *made) {
  enum { LINE_BYTES = 64 };
  const trial *const of = made->of;
  note(stack_used_by(make_plan, made), &s->used_by_plans);
  assert_int_equal(made->status, RELAYOUT_OK);
  void *found = NULL;
  assert_int_equal(posix_memalign(&found, LINE_BYTES, of->destination_size + 1), 0);
  made->found = found;
  memcpy(made->found, of->before, of->destination_size);
  note(stack_used_by(execute, made), &s->used_by_calls);
  s->failed = s->failed || made->status != RELAYOUT_OK ||
              memcmp(made->found, of->after, of->destination_size) != 0;
  ++s->relayouts;
  free(made->found);
}

static void run_schedules(suite *s, const trial *of, const schedules *all, size_t round) {
  const char *texts[SCHEDULES_MOST_PARTS];
  schedules_of_round(all, round, texts);
  relayout_call made = call_of(s, of);
  made.options.schedules = texts;
  made.options.schedule_count = all->part_count;
  run_plan(s, &made);
  relayout_plan_destroy(made.plan);
}

static void run_request(void *context, const request *asked) {
  suite *const s = context;
  trial of;
  assert_true(trial_make(asked, &of));
  relayout_call made = call_of(s, &of);
  run_plan(s, &made);
  schedules all;
  assert_true(schedules_of(made.plan, &all));
  for (size_t round = 0; round < all.count && !asked->as_chosen; ++round) {
    run_schedules(s, &of, &all, round);
  }
  schedules_free(&all);
  relayout_plan_destroy(made.plan);
  trial_free(&of);
}

/* To it a kilobyte is worth a thread, and one that `streams` has hardly a cache. */
static void run_suite(bool streams) {
  suite s = {.failed = false};
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = 3;
  options.parallel_for = lend;
  options.parallel_context = &s.used_by_tasks;
  assert_int_equal(relayout_cpu_device_create(&options, &s.device, NULL), RELAYOUT_OK);
  rlt_tuning eager = *s.device->tuning;
  eager.thread_bytes = 1024;
  s.device->tuning = &eager;
  s.device->facts.cache_bytes = streams ? 1 : s.device->facts.cache_bytes;
  cases_visit(CONFORMANCE_TINY, false, 1, run_request, &s);
  relayout_device_destroy(s.device);
  print_message("%zu relayouts: %zu bytes by plans, %zu by calls, %zu by tasks\n", s.relayouts,
                s.used_by_plans, s.used_by_calls, s.used_by_tasks);
  assert_true(s.relayouts > 0);
  assert_false(s.failed);
  assert_in_range(s.used_by_plans, 1, MOST_USED);
  assert_in_range(s.used_by_calls, 1, MOST_USED);
  assert_in_range(s.used_by_tasks, 1, MOST_USED);
}

static void test_relayouts_within_the_cache(void **state) {
  (void)state;
  run_suite(false);
}

static void test_relayouts_past_the_cache(void **state) {
  (void)state;
  run_suite(true);
}

/* ---- Other calls ---- */

static void open_and_measure(void *argument) {
  relayout_status *const status = argument;
  relayout_shape from;
  relayout_shape to;
  relayout_device *device = NULL;
  relayout_plan *plan = NULL;
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.effort = RELAYOUT_PLAN_MEASURE;
  *status = relayout_device_open("cpu", &device, NULL);
  *status |= relayout_shape_parse("s4[60,70,9]{0,1,2:T(8,128)E(4)}", &from, NULL);
  *status |= relayout_shape_parse("s8[60,70,9]{2,1,0:T(4)(2,1)}", &to, NULL);
  *status |= relayout_plan_create(device, &from, &to, &options, &plan, NULL);
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  *status |= relayout_device_get_info(device, &info, NULL);
  char text[2048];
  const size_t length = relayout_device_export_wisdom(device, text, sizeof text);
  *status |= relayout_device_import_wisdom(device, text, length, NULL);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* Until the plan has learned, and as often again. */
static void adapt(void *argument) {
  enum { BYTES = 1 << 21, CALLS = 40 };
  static unsigned char source[BYTES], destination[BYTES];
  relayout_status *const status = argument;
  relayout_shape from, to;
  relayout_device *device = NULL;
  relayout_plan *plan = NULL;
  *status = relayout_device_open("cpu", &device, NULL);
  *status |= relayout_shape_parse("bf16[1024,512]", &from, NULL);
  *status |= relayout_shape_parse("f32[1024,512]{0,1}", &to, NULL);
  *status |= relayout_plan_create(device, &from, &to, NULL, &plan, NULL);
  for (int i = 0; i < CALLS; ++i) {
    *status |= relayout_plan_execute(plan, source, destination, NULL);
  }
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

static void find_indices(void *argument) {
  relayout_status *const status = argument;
  relayout_shape shape;
  int64_t linear = 0;
  int64_t index[2] = {5, 7};
  *status = relayout_shape_parse("f32[60,70]{1,0:T(8,128)(4,1)}", &shape, NULL);
  *status |= relayout_index_to_linear(&shape, index, &linear, NULL);
  *status |= relayout_index_from_linear(&shape, linear, index, NULL);
  size_t length = 0;
  *status |= relayout_shape_emit_index(&shape, NULL, NULL, 0, &length, NULL);
}

static void test_other_calls(void **state) {
  (void)state;
  static void (*const calls[])(void *argument) = {open_and_measure, adapt, find_indices};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
    relayout_status status = RELAYOUT_INVALID_ARGUMENT;
    const size_t used = stack_used_by(calls[i], &status);
    print_message("%zu bytes\n", used);
    assert_int_equal(status, RELAYOUT_OK);
    assert_in_range(used, 1, MOST_USED);
  }
}

/* test_cpu_stacks [INSTRUCTIONS] */
int main(int argc, char **argv) {
  if (!LEAVES_MEMORY_ALONE) {
    print_message("skipped: the sanitizer takes more of the stack\n");
    return 77;
  }
  setenv("RELAYOUT_CACHE", "off", 1);
  if (argc > 1) {
    setenv("RELAYOUT_CPU_INSTRUCTIONS", argv[1], 1);
  }
  relayout_device *device = NULL;
  if (relayout_device_open("cpu", &device, NULL) == RELAYOUT_UNSUPPORTED) {
    return 77; /* no such instructions here */
  }
  relayout_device_destroy(device);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_relayouts_within_the_cache),
      cmocka_unit_test(test_relayouts_past_the_cache),
      cmocka_unit_test(test_other_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
