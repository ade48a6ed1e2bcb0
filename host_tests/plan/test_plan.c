/* test_plan.c: who keeps what alive, what is refused before any backend sees it, and the cache. */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "plan/recorder.h"
#include "relayout/relayout.h"
#include "shape_of.h"

static void test_plan_keeps_its_device(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  const relayout_shape from = shape_of("f32[2,3]{1,0}");
  const relayout_shape to = shape_of("f32[2,3]{0,1:PD(3,5)}");
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_source_size(plan), 24);
  assert_int_equal(relayout_plan_destination_size(plan), 60);
  relayout_device_destroy(device);
  assert_true(record.device_alive);
  float source[6];
  float destination[15];
  assert_int_equal(relayout_plan_execute(plan, source, destination, NULL), RELAYOUT_OK);
  assert_int_equal(record.executions, 1);
  relayout_plan_destroy(plan);
  assert_false(record.device_alive);
  assert_int_equal(record.programs_alive, 0);
}

static void test_failed_program_leaves_nothing(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  const relayout_shape shape = shape_of("f32[2,3]");
  relayout_plan *const untouched = (relayout_plan *)&record;
  relayout_plan *plan = untouched;
  relayout_error error;
  record.next_program = RELAYOUT_OPENCL_ERROR;
  assert_int_equal(relayout_plan_create(device, &shape, &shape, NULL, &plan, &error),
                   RELAYOUT_OPENCL_ERROR);
  assert_ptr_equal(plan, untouched);
  relayout_device_destroy(device);
  assert_false(record.device_alive);
}

static void test_empty_relayout_runs_nothing(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  const relayout_shape from = shape_of("f32[0,3]{1,0}");
  const relayout_shape to = shape_of("f32[0,3]{0,1}");
  for (int kind = RELAYOUT_STRATEGY_AUTO; kind <= RELAYOUT_STRATEGY_GATHER; ++kind) {
    relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
    options.strategy = (relayout_strategy)kind;
    relayout_plan *plan = NULL;
    assert_int_equal(relayout_plan_create(device, &from, &to, &options, &plan, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_plan_get_strategy(plan),
                     kind == RELAYOUT_STRATEGY_AUTO ? RELAYOUT_STRATEGY_COPY : kind);
    assert_int_equal(relayout_plan_execute(plan, NULL, NULL, NULL), RELAYOUT_OK);
    relayout_plan_destroy(plan);
  }
  assert_int_equal(record.programs_made, 0);
  assert_int_equal(record.executions, 0);
  relayout_device_destroy(device);
}

static void expect_refused(relayout_status found, relayout_status expected,
                           const relayout_error *error, const char *message) {
  assert_int_equal(found, expected);
  assert_int_equal(error->status, expected);
  if (strstr(error->message, message) == NULL) {
    fail_msg("`%s` lacks `%s`", error->message, message);
  }
}

static void test_bad_arguments(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  const relayout_shape shape = shape_of("u8[8]");
  relayout_plan *plan = NULL;
  relayout_error error;
  expect_refused(relayout_plan_create(NULL, &shape, &shape, NULL, &plan, &error),
                 RELAYOUT_INVALID_ARGUMENT, &error, "device is NULL");
  expect_refused(relayout_plan_create(device, NULL, &shape, NULL, &plan, &error),
                 RELAYOUT_INVALID_ARGUMENT, &error, "from is NULL");
  expect_refused(relayout_plan_create(device, &shape, NULL, NULL, &plan, &error),
                 RELAYOUT_INVALID_ARGUMENT, &error, "to is NULL");
  expect_refused(relayout_plan_create(device, &shape, &shape, NULL, NULL, &error),
                 RELAYOUT_INVALID_ARGUMENT, &error, "plan is NULL");

  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.struct_size = 3;
  expect_refused(relayout_plan_create(device, &shape, &shape, &options, &plan, &error),
                 RELAYOUT_INVALID_ARGUMENT, &error, "struct_size is 3");
  options = (relayout_plan_options)RELAYOUT_PLAN_OPTIONS_INIT;
  options.strategy = (relayout_strategy)99;
  expect_refused(relayout_plan_create(device, &shape, &shape, &options, &plan, &error),
                 RELAYOUT_INVALID_ARGUMENT, &error, "strategy is 99");

  assert_int_equal(relayout_plan_create(device, &shape, &shape, NULL, &plan, NULL), RELAYOUT_OK);
  char bytes[16];
  expect_refused(relayout_plan_execute(NULL, bytes, bytes + 8, &error), RELAYOUT_INVALID_ARGUMENT,
                 &error, "plan is NULL");
  expect_refused(relayout_plan_execute(plan, NULL, bytes, &error), RELAYOUT_INVALID_ARGUMENT,
                 &error, "source is NULL");
  expect_refused(relayout_plan_execute(plan, bytes, NULL, &error), RELAYOUT_INVALID_ARGUMENT,
                 &error, "destination is NULL");
  for (int gap = 0; gap < 8; ++gap) {
    expect_refused(relayout_plan_execute(plan, bytes, bytes + gap, &error),
                   RELAYOUT_BUFFERS_OVERLAP, &error, "overlap");
    expect_refused(relayout_plan_execute(plan, bytes + gap, bytes, &error),
                   RELAYOUT_BUFFERS_OVERLAP, &error, "overlap");
  }
  assert_int_equal(record.executions, 0);
  assert_int_equal(relayout_plan_execute(plan, bytes, bytes + 8, &error), RELAYOUT_OK);
  relayout_plan_destroy(plan);
  relayout_plan_destroy(NULL);
  relayout_device_destroy(device);
  relayout_device_destroy(NULL);
}

static void test_cache_reuses_plans(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  const relayout_shape from = shape_of("f32[2,3]{1,0}");
  const relayout_shape plain = shape_of("f32[2,3]{0,1}");
  const relayout_shape padded = shape_of("f32[2,3]{0,1:PD(2,5)}");
  const relayout_shape padded_with_one = shape_of("f32[2,3]{0,1:PD(2,5)PV(one)}");
  float source[6];
  float destination[10];
  for (int round = 0; round < 3; ++round) {
    assert_int_equal(relayout_copy(device, &from, &plain, source, destination, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_copy(device, &from, &padded, source, destination, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_copy(device, &from, &padded_with_one, source, destination, NULL),
                     RELAYOUT_OK);
  }
  assert_int_equal(record.executions, 9);
  assert_int_equal(record.programs_made, 3);
  relayout_device_destroy(device);
  assert_false(record.device_alive);
  assert_int_equal(record.programs_alive, 0);
}

/* Making a plan again makes no program, whoever still holds the first one; and the one-shot calls and
 * plans share. */
static void test_plans_share_programs(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  const relayout_shape from = shape_of("f32[2,3]{1,0}");
  const relayout_shape to = shape_of("f32[2,3]{0,1}");
  relayout_plan *first = NULL;
  relayout_plan *second = NULL;
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &first, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &second, NULL), RELAYOUT_OK);
  relayout_plan_destroy(first);
  float source[6];
  float destination[6];
  assert_int_equal(relayout_plan_execute(second, source, destination, NULL), RELAYOUT_OK);
  relayout_plan_destroy(second);
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &first, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_copy(device, &from, &to, source, destination, NULL), RELAYOUT_OK);
  assert_int_equal(record.programs_made, 1);
  assert_int_equal(record.executions, 2);

  relayout_device_destroy(device);
  assert_true(record.device_alive);
  assert_int_equal(relayout_plan_execute(first, source, destination, NULL), RELAYOUT_OK);
  relayout_plan_destroy(first);
  assert_false(record.device_alive);
  assert_int_equal(record.programs_alive, 0);
}

static void test_options_make_other_plans(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  const relayout_shape from = shape_of("f32[200,300]{1,0}");
  const relayout_shape to = shape_of("f32[200,300]{0,1}");
  static const relayout_strategy wanted[] = {RELAYOUT_STRATEGY_AUTO, RELAYOUT_STRATEGY_TRANSPOSE,
                                             RELAYOUT_STRATEGY_GATHER};
  for (int round = 0; round < 2; ++round) {
    for (int w = 0; w < 3; ++w) {
      relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
      options.strategy = wanted[w];
      relayout_plan *plan = NULL;
      assert_int_equal(relayout_plan_create(device, &from, &to, &options, &plan, NULL),
                       RELAYOUT_OK);
      assert_int_equal(relayout_plan_get_strategy(plan), wanted[w] == RELAYOUT_STRATEGY_AUTO
                                                             ? RELAYOUT_STRATEGY_TRANSPOSE
                                                             : wanted[w]);
      relayout_plan_destroy(plan);
    }
  }
  assert_int_equal(record.programs_made, 3);
  relayout_device_destroy(device);
}

/* Shapes that are equal but not written alike: each plan explains its own. */
static void test_plans_keep_their_text(void **state) {
  (void)state;
  static const char *const texts[] = {
      "f32[2,3]{0,1}",          "f32[2,3]{0,1:S(5)}",    "f32[2,3]{0,1:PV(one)}",
      "f32[2,3]{0,1:PV(-1.5)}", "f32[2,3]{0,1:PV(2.5)}", "f32[2,3]{0,1:PD(2,3)}",
      "f32[2,3]{0,1:PD(2,4)}",  "f32[2,4]{0,1:PD(2,4)}", "s32[2,3]{0,1}",
      "f32[2,3]{1,0:PD(2,4)}",  "f32[2,3]{1,0:PD(2,5)}",
  };
  recorder record;
  relayout_device *device = recorder_device(&record);
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
      const relayout_shape to = shape_of(texts[i]);
      char written[RELAYOUT_SHAPE_TEXT_SIZE];
      char text[4096];
      relayout_plan *plan = NULL;
      relayout_shape_format(&to, written, sizeof written);
      assert_int_equal(relayout_plan_create(device, &to, &to, NULL, &plan, NULL), RELAYOUT_OK);
      relayout_plan_explain(plan, RELAYOUT_EXPLAIN_JSON, text, sizeof text);
      char quoted[RELAYOUT_SHAPE_TEXT_SIZE + 2];
      snprintf(quoted, sizeof quoted, "\"%s\"", written);
      if (strstr(text, quoted) == NULL) {
        fail_msg("%s is not in %s", quoted, text);
      }
      relayout_plan_destroy(plan);
    }
  }
  assert_int_equal(record.programs_made, sizeof texts / sizeof texts[0]);
  relayout_device_destroy(device);
}

static void test_cache_is_bounded(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  relayout_plan *first = NULL;
  for (int64_t size = 1; size <= 1000; ++size) {
    relayout_shape shape;
    relayout_plan *plan = NULL;
    assert_int_equal(relayout_shape_make(RELAYOUT_F32, 1, &size, &shape, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_plan_create(device, &shape, &shape, NULL, &plan, NULL), RELAYOUT_OK);
    if (first == NULL) {
      first = plan;
    } else {
      relayout_plan_destroy(plan);
    }
  }
  assert_int_equal(record.programs_made, 1000);
  assert_true(record.programs_alive <= 65);
  assert_true(record.programs_alive > 1);
  /* Long evicted, and still whole in the hands of who got it. */
  assert_int_equal(relayout_plan_source_size(first), 4);
  relayout_plan_destroy(first);
  relayout_device_destroy(device);
  assert_int_equal(record.programs_alive, 0);
}

static void test_one_shot_refuses_like_a_plan(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  const relayout_shape from = shape_of("f32[2,3]");
  relayout_shape broken = from;
  broken.rank = 1000;
  float source[6];
  float destination[6];
  relayout_error error;
  expect_refused(relayout_copy(NULL, &from, &from, source, destination, &error),
                 RELAYOUT_INVALID_ARGUMENT, &error, "device is NULL");
  expect_refused(relayout_copy(device, &from, NULL, source, destination, &error),
                 RELAYOUT_INVALID_ARGUMENT, &error, "to is NULL");
  expect_refused(relayout_copy(device, &from, &broken, source, destination, &error),
                 RELAYOUT_INVALID_SHAPE, &error, "1000");
  expect_refused(relayout_copy(device, &from, &from, source, source, &error),
                 RELAYOUT_BUFFERS_OVERLAP, &error, "overlap");
  assert_int_equal(record.executions, 0);
  relayout_device_destroy(device);
}

static void test_device_names(void **state) {
  (void)state;
  static const char *const bad[] = {
      "",           "gpu",         "CPU",       "opencl:",     "opencl:0", "opencl:0:",
      "opencl:a:0", "opencl:0:0x", "opencl0:0", "opencl:-1:0", "cpu ",     "opencl:99999999999:0"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    relayout_device *device = NULL;
    relayout_error error;
    const relayout_status status = relayout_device_open(bad[i], &device, &error);
    print_message("`%s`: %s\n", bad[i], status == RELAYOUT_OK ? "opened" : error.message);
    assert_int_equal(status, RELAYOUT_INVALID_TEXT);
    assert_null(device);
  }
  relayout_error error;
  relayout_device *device = NULL;
  expect_refused(relayout_device_open(NULL, &device, &error), RELAYOUT_INVALID_ARGUMENT, &error,
                 "name is NULL");
  expect_refused(relayout_device_open("cpu", NULL, &error), RELAYOUT_INVALID_ARGUMENT, &error,
                 "device is NULL");
  expect_refused(relayout_device_open("opencl:4000000:0", &device, &error), RELAYOUT_NO_DEVICE,
                 &error, "4000000");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plan_keeps_its_device),
      cmocka_unit_test(test_failed_program_leaves_nothing),
      cmocka_unit_test(test_empty_relayout_runs_nothing),
      cmocka_unit_test(test_bad_arguments),
      cmocka_unit_test(test_cache_reuses_plans),
      cmocka_unit_test(test_plans_share_programs),
      cmocka_unit_test(test_options_make_other_plans),
      cmocka_unit_test(test_plans_keep_their_text),
      cmocka_unit_test(test_cache_is_bounded),
      cmocka_unit_test(test_one_shot_refuses_like_a_plan),
      cmocka_unit_test(test_device_names),
  };
  return cmocka_run_group_tests_name("plan.plan", tests, NULL, NULL);
}
