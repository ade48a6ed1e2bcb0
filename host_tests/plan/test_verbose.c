/* test_verbose.c: the lines that RELAYOUT_VERBOSE has written, word for word, and that those of
 * threads do not mix. */
#include "cmocka_all.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/recorder.h"
#include "plan/verbose.h"
#include "relayout/relayout.h"
#include "shape_of.h"
#include "view_of.h"

static void expect_line(rlt_told what, const relayout_plan *plan, size_t count, double seconds,
                        const char *expected) {
  char line[1024];
  rlt_text text = rlt_text_in(line, sizeof line);
  rlt_verbose_add_line(what, plan, count, seconds, &text);
  assert_string_equal(line, expected);
  assert_int_equal(text.length, strlen(expected));
}

#define COMMAND                                                                                    \
  "relayout bench --from 'f32[2,3]{1,0}' --to 'f32[2,3]{0,1:PD(3,5)}' --device recorder"

/* 24 bytes are read, and 60 written. */
static void test_lines_by_hand(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_device(&record);
  const relayout_shape from = shape_of("f32[2,3]");
  const relayout_shape to = shape_of("f32[2,3]{0,1:PD(3,5)}");
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  expect_line(RLT_TOLD_PLAN, plan, 1, 0.00125,
              COMMAND " # plan made in 1.2500 ms, permute, predicted 1.00 of a plain copy\n");
  expect_line(RLT_TOLD_EXECUTE, plan, 1, 1e-6,
              COMMAND " # executed in 0.0010 ms, 24 bytes read and 60 written, 0.08 GB/s\n");
  expect_line(RLT_TOLD_EXECUTE, plan, 1, 0,
              COMMAND " # executed in 0.0000 ms, 24 bytes read and 60 written\n");
  expect_line(RLT_TOLD_ENQUEUE, plan, 1, 2e-5,
              COMMAND " # enqueued in 0.0200 ms, 24 bytes read and 60 written; "
                      "the time is that of the call\n");
  expect_line(RLT_TOLD_ENQUEUE, plan, 32, 2e-5,
              COMMAND " # enqueued in 0.0200 ms, 32 times 24 bytes read and 60 written; "
                      "the time is that of the call\n");
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* Schedules that were asked for and rounding are options of the command too; the rest is said. */
static void test_options(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_device(&record);
  const relayout_shape from = shape_of("f32[8]");
  const relayout_shape to = shape_of("s8[8]");
  relayout_plan *plan = NULL;
  char schedule[256];
  char expected[1024];
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.scale = 0.5;
  options.overflow = RELAYOUT_OVERFLOW_WRAP;
  options.rounding = RELAYOUT_ROUNDING_NEAREST;
  options.specialize = 1;
  assert_int_equal(relayout_plan_create(device, &from, &to, &options, &plan, NULL), RELAYOUT_OK);
  relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, schedule, sizeof schedule);
  relayout_plan_destroy(plan);
  const char *const schedules[] = {schedule};
  options.schedules = schedules;
  options.schedule_count = 1;
  assert_int_equal(relayout_plan_create(device, &from, &to, &options, &plan, NULL), RELAYOUT_OK);
  snprintf(expected, sizeof expected,
           "relayout bench --from 'f32[8]{0}' --to 's8[8]{0}' --device recorder --scale 0.5 "
           "--round nearest --wrap --specialize --schedule '%s' # executed in 1.0000 ms, 32 bytes "
           "read and 8 "
           "written, 0.00 GB/s\n",
           schedule);
  expect_line(RLT_TOLD_EXECUTE, plan, 1, 1e-3, expected);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* What no command says is a comment as a whole. */
static void test_comments(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_device(&record);
  const relayout_shape shape = shape_of("f32[8,9]");
  const relayout_view whole = view_of(&shape, NULL);
  const relayout_view strided = view_of(&shape, (const int64_t[]){40, 4});
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_between(device, &strided, &whole, NULL, &plan, NULL),
                   RELAYOUT_OK);
  expect_line(RLT_TOLD_EXECUTE, plan, 1, 1e-3,
              "# a strided 'f32[8,9]{1,0}' to 'f32[8,9]{1,0}' on recorder: executed in 1.0000 ms, "
              "288 bytes read and 288 written, 0.00 GB/s\n");
  relayout_plan_destroy(plan);
  assert_int_equal(relayout_plan_create_range(device, &whole, &whole, (const int64_t[]){2, 3},
                                              (const int64_t[]){4, 5}, NULL, &plan, NULL),
                   RELAYOUT_OK);
  expect_line(RLT_TOLD_ENQUEUE, plan, 1, 1e-3,
              "# 'f32[8,9]{1,0}' to 'f32[8,9]{1,0}', a range of it, on recorder: enqueued in "
              "1.0000 ms, 80 bytes read and 80 written; the time is that of the call\n");
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* ---- What is written ---- */

enum { THREADS = 4, CALLS = 50 };

static void *copy_often(void *device) {
  const relayout_shape from = shape_of("u8[2,3]");
  const relayout_shape to = shape_of("u8[2,3]{0,1}");
  const uint8_t source[6] = {1, 2, 3, 4, 5, 6};
  uint8_t moved[6];
  for (int i = 0; i < CALLS; ++i) {
    relayout_copy(device, &from, &to, source, moved, NULL);
  }
  return NULL;
}

static void copy_in_threads(void) {
  relayout_device *device = NULL;
  pthread_t threads[THREADS];
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  for (int i = 0; i < THREADS; ++i) {
    assert_int_equal(pthread_create(&threads[i], NULL, copy_often, device), 0);
  }
  for (int i = 0; i < THREADS; ++i) {
    pthread_join(threads[i], NULL);
  }
  relayout_device_destroy(device);
}

/* Each call is a line, and so is a plan; one at least is made, and then remembered. */
static void test_lines_of_threads(void **state) {
  (void)state;
  static const char begin[] =
      "relayout bench --from 'u8[2,3]{1,0}' --to 'u8[2,3]{0,1}' --device cpu # ";
  FILE *const told = tmpfile();
  const int was = dup(STDERR_FILENO);
  char line[512];
  int executed = 0;
  int made = 0;
  assert_non_null(told);
  assert_true(was >= 0 && dup2(fileno(told), STDERR_FILENO) >= 0);
  copy_in_threads();
  dup2(was, STDERR_FILENO);
  close(was);
  rewind(told);
  while (fgets(line, sizeof line, told) != NULL) {
    assert_int_equal(strncmp(line, begin, strlen(begin)), 0);
    const char *const rest = line + strlen(begin);
    executed += strncmp(rest, "executed in ", strlen("executed in ")) == 0;
    made += strncmp(rest, "plan made in ", strlen("plan made in ")) == 0;
  }
  fclose(told);
  assert_int_equal(executed, THREADS * CALLS);
  assert_in_range(made, 1, THREADS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines_by_hand),
      cmocka_unit_test(test_options),
      cmocka_unit_test(test_comments),
      cmocka_unit_test(test_lines_of_threads),
  };
  setenv("RELAYOUT_VERBOSE", "1", 1);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
