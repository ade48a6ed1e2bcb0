/* test_plan.c: who keeps what alive, what is refused before any backend sees it, and the cache. */
#include "cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan/cache.h"
#include "plan/plan.h"
#include "plan/recorder.h"
#include "relayout/relayout.h"
#include "search/method.h"
#include "search/wisdom.h"
#include "shape_of.h"
#include "view_of.h"

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

/* Nor does it help to try what a device has not with fewer work-items. */
static void test_unsupported_program(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  const relayout_shape shape = shape_of("f32[2,3]");
  relayout_plan *plan = NULL;
  relayout_error error;
  record.next_program = RELAYOUT_UNSUPPORTED;
  assert_int_equal(relayout_plan_create(device, &shape, &shape, NULL, &plan, &error),
                   RELAYOUT_UNSUPPORTED);
  assert_null(plan);
  relayout_device_destroy(device);
  assert_false(record.device_alive);
}

static void test_empty_relayout_runs_nothing(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  const relayout_shape from = shape_of("f32[0,3]{1,0}");
  const relayout_shape to = shape_of("f32[0,3]{0,1}");
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_part_count(plan), 0);
  assert_string_equal(relayout_plan_get_method(plan), "none");
  assert_int_equal(relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, NULL, 0), 0);
  assert_true(relayout_plan_get_predicted_fraction(plan) == 0);
  assert_int_equal(relayout_plan_execute(plan, NULL, NULL, NULL), RELAYOUT_OK);
  relayout_plan_destroy(plan);
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

/* A box names its start and sizes in each dimension; where there is none, neither is needed. */
static void test_boxes_are_named(void **state) {
  (void)state;
  static const char *const shapes[] = {"u8[8]", "u8[8,9]"};
  static const int64_t ones[] = {1, 1};
  recorder record;
  relayout_device *device = recorder_device(&record);
  for (int i = 0; i < 2; ++i) {
    const relayout_shape shape = shape_of(shapes[i]);
    const relayout_view view = view_of(&shape, NULL);
    relayout_plan *plan = NULL;
    relayout_error error;
    expect_refused(
        relayout_plan_create_range(device, &view, &view, NULL, ones, NULL, &plan, &error),
        RELAYOUT_INVALID_ARGUMENT, &error, "start is NULL");
    expect_refused(
        relayout_plan_create_range(device, &view, &view, ones, NULL, NULL, &plan, &error),
        RELAYOUT_INVALID_ARGUMENT, &error, "sizes is NULL");
    expect_refused(
        relayout_plan_create_range(device, &view, &view, NULL, NULL, NULL, &plan, &error),
        RELAYOUT_INVALID_ARGUMENT, &error, "start is NULL");
    assert_null(plan);
  }
  const relayout_shape scalar = shape_of("u8[]");
  const relayout_view view = view_of(&scalar, NULL);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_range(device, &view, &view, NULL, NULL, NULL, &plan, NULL),
                   RELAYOUT_OK);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* Where what is taken of each side lies: four rows of five bytes from the third on, of nine each,
 * behind what a view leaves out. */
static void test_what_overlaps_is_told(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  const relayout_shape shape = shape_of("u8[8,9]");
  const relayout_view from = view_of(&shape, NULL);
  relayout_view to = from;
  to.byte_offset = 3;
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_range(device, &from, &to, (const int64_t[]){2, 3},
                                              (const int64_t[]){4, 5}, NULL, &plan, NULL),
                   RELAYOUT_OK);
  enum { FIRST = 2 * 9 + 3, TAKEN = 3 * 9 + 5 };
  char bytes[160];
  char expected[256];
  relayout_error error;
  for (int i = 0; i < 2; ++i) {
    char *const source = i == 0 ? bytes : bytes + TAKEN + 2;
    char *const destination = i == 0 ? bytes + TAKEN - 4 : bytes;
    snprintf(expected, sizeof expected,
             "source (%d bytes at %p) and destination (%d bytes at %p) overlap", TAKEN,
             (void *)(source + FIRST), TAKEN, (void *)(destination + 3 + FIRST));
    expect_refused(relayout_plan_execute(plan, source, destination, &error),
                   RELAYOUT_BUFFERS_OVERLAP, &error, expected);
  }
  assert_int_equal(relayout_plan_execute(plan, bytes, bytes + TAKEN - 3, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_execute(plan, bytes + TAKEN + 3, bytes, NULL), RELAYOUT_OK);
  assert_int_equal(record.executions, 2);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* A single byte is no less than many; and what takes none shares none. */
static void test_single_bytes_and_none(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  const relayout_shape one = shape_of("u8[1]");
  const relayout_shape none = shape_of("u8[0]");
  const relayout_shape padded = shape_of("u8[0]{0:PD(8)}");
  relayout_plan *plan = NULL;
  relayout_error error;
  char bytes[8];
  assert_int_equal(relayout_plan_create(device, &one, &one, NULL, &plan, NULL), RELAYOUT_OK);
  expect_refused(relayout_plan_execute(plan, NULL, bytes, &error), RELAYOUT_INVALID_ARGUMENT,
                 &error, "source is NULL, but the plan reads 1 bytes");
  expect_refused(relayout_plan_execute(plan, bytes, NULL, &error), RELAYOUT_INVALID_ARGUMENT,
                 &error, "destination is NULL, but the plan writes 1 bytes");
  expect_refused(relayout_plan_execute(plan, bytes, bytes, &error), RELAYOUT_BUFFERS_OVERLAP,
                 &error, "overlap");
  assert_int_equal(relayout_plan_execute(plan, bytes, bytes + 1, NULL), RELAYOUT_OK);
  relayout_plan_destroy(plan);
  assert_int_equal(relayout_plan_create(device, &none, &padded, NULL, &plan, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_execute(plan, bytes, bytes, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_execute(plan, NULL, bytes, NULL), RELAYOUT_OK);
  assert_int_equal(record.executions, 3);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

static void test_bad_options(void **state) {
  (void)state;
  static const char *const one_is_missing[] = {NULL};
  static const struct {
    relayout_plan_options options;
    const char *message;
  } cases[] = {
      {{.struct_size = 3}, "struct_size is 3"},
      {{.effort = (relayout_plan_effort)3}, "effort is 3"},
      {{.measured = -1}, "measured is -1; expected 0 to 1024"},
      {{.measured = 1025}, "measured is 1025"},
      {{.overflow = (relayout_integer_overflow)7}, "overflow is 7"},
      {{.rounding = (relayout_rounding)2}, "options->rounding is 2, which is not a rounding mode"},
      {{.specialize = 2}, "options->specialize is 2; expected 0 or 1"},
      {{.specialize = -1}, "options->specialize is -1; expected 0 or 1"},
      {{.scale = INFINITY}, "options->scale is inf; it must be finite"},
      {{.scale = -INFINITY}, "options->scale is -inf; it must be finite"},
      {{.scale = NAN}, "nan; it must be finite"},
      {{.schedule_count = -1}, "schedule_count is -1; expected 0 or more"},
      {{.schedule_count = 1}, "schedules is NULL"},
      {{.schedules = one_is_missing, .schedule_count = 1}, "schedules has an entry that is NULL"},
  };
  recorder record;
  relayout_device *device = recorder_device(&record);
  const relayout_shape shape = shape_of("u8[8]");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_plan_options options = cases[i].options;
    options.struct_size = i == 0 ? 3 : sizeof options;
    relayout_plan *plan = NULL;
    relayout_error error;
    expect_refused(relayout_plan_create(device, &shape, &shape, &options, &plan, &error),
                   RELAYOUT_INVALID_ARGUMENT, &error, cases[i].message);
    assert_null(plan);
  }
  relayout_device_destroy(device);
  assert_int_equal(record.programs_alive, 0);
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

/* Making a plan again makes no program, whoever still holds the first one; and the one-shot calls
 * and plans share. */
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

/* The recorder offers one schedule of index-program, a transpose and two of permute; no wider
 * words. */
static relayout_plan *plan_with(relayout_device *device, const relayout_plan_options *options) {
  const relayout_shape from = shape_of("f32[200,300]{1,0}");
  const relayout_shape to = shape_of("f32[200,300]{0,1}");
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(device, &from, &to, options, &plan, NULL), RELAYOUT_OK);
  return plan;
}

static void test_options_make_other_plans(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  for (int round = 0; round < 2; ++round) {
    for (int w = 0; w < 4; ++w) {
      relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
      options.overflow = w == 1 ? RELAYOUT_OVERFLOW_WRAP : RELAYOUT_OVERFLOW_SATURATE;
      options.scale = w == 2 ? 2 : 1;
      options.rounding = w == 3 ? RELAYOUT_ROUNDING_NEAREST : RELAYOUT_ROUNDING_ZERO;
      relayout_plan_destroy(plan_with(device, &options));
    }
  }
  assert_int_equal(record.programs_made, 4);
  relayout_device_destroy(device);
}

/* But for struct_size, all that is 0 means what _INIT and NULL mean: the same plan. */
static void test_zeros_are_the_defaults(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  const relayout_plan_options zeros = {.struct_size = sizeof zeros};
  const relayout_plan_options defaults = RELAYOUT_PLAN_OPTIONS_INIT;
  relayout_plan *const of_zeros = plan_with(device, &zeros);
  relayout_plan *const of_defaults = plan_with(device, &defaults);
  relayout_plan *const of_none = plan_with(device, NULL);
  assert_ptr_equal(of_zeros, of_defaults);
  assert_ptr_equal(of_zeros, of_none);
  relayout_plan_destroy(of_zeros);
  relayout_plan_destroy(of_defaults);
  relayout_plan_destroy(of_none);
  assert_int_equal(record.programs_made, 1);
  relayout_device_destroy(device);
}

/* Integers alone are rounded towards zero or to nearest, and only where they are rounded. */
static void test_rounding_that_makes_no_difference(void **state) {
  (void)state;
  static const struct {
    const char *from, *to;
    double scale;
    bool rounds;
  } cases[] = {
      {"f32[8]", "s8[8]", 1, true},         {"f64[8]", "u64[8]", 1, true},
      {"f32[8]", "s4[8]{0:E(4)}", 3, true}, {"s8[8]", "s8[8]", 0.5, true},
      {"pred[8]", "u8[8]", 0.5, true},      {"s32[8]", "s8[8]", 1, false},
      {"pred[8]", "s8[8]", 1, false},       {"f32[8]", "bf16[8]", 1, false},
      {"f32[8]", "pred[8]", 0.5, false},    {"s8[8]", "f32[8]", 3, false},
      {"s8[8]", "s8[8]", 1, false},
  };
  recorder record;
  relayout_device *device = recorder_device(&record);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const relayout_shape from = shape_of(cases[i].from);
    const relayout_shape to = shape_of(cases[i].to);
    relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
    options.scale = cases[i].scale;
    options.rounding = RELAYOUT_ROUNDING_NEAREST;
    relayout_plan *plan = NULL;
    assert_int_equal(relayout_plan_create(device, &from, &to, &options, &plan, NULL), RELAYOUT_OK);
    print_message("case %zu\n", i);
    assert_int_equal(rlt_part_problem(&plan->work.parts[0])->conversion.rounds_to_nearest,
                     cases[i].rounds);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
}

/* ---- Schedules ---- */

static void count_visits(void *context, const relayout_schedule_info *info) {
  ++*(int *)context;
  assert_int_equal(info->struct_size, sizeof *info);
  assert_true(strncmp(info->text, info->method, strlen(info->method)) == 0);
  assert_true(info->predicted_fraction > 0 && info->predicted_fraction <= 1);
}

typedef struct visited {
  int count;
  char texts[16][256];
} visited;

static void keep_text(void *context, const relayout_schedule_info *info) {
  visited *const kept = context;
  assert_in_range(kept->count, 0, 15);
  snprintf(kept->texts[kept->count++], sizeof kept->texts[0], "%s", info->text);
}

static void test_visits(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  relayout_plan *plan = plan_with(device, NULL);
  relayout_error error;
  int count = 0;
  assert_int_equal(relayout_plan_visit_schedules(plan, 0, count_visits, &count, NULL), RELAYOUT_OK);
  assert_int_equal(count, 4);
  expect_refused(relayout_plan_visit_schedules(NULL, 0, count_visits, &count, &error),
                 RELAYOUT_INVALID_ARGUMENT, &error, "plan is NULL");
  expect_refused(relayout_plan_visit_schedules(plan, 0, NULL, &count, &error),
                 RELAYOUT_INVALID_ARGUMENT, &error, "visitor is NULL");
  expect_refused(relayout_plan_visit_schedules(plan, 1, count_visits, &count, &error),
                 RELAYOUT_INVALID_ARGUMENT, &error, "part is 1");
  expect_refused(relayout_plan_visit_schedules(plan, -1, count_visits, &count, &error),
                 RELAYOUT_INVALID_ARGUMENT, &error, "part is -1");
  assert_int_equal(count, 4);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

static relayout_plan *plan_by(relayout_device *device, const char *text) {
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.schedules = &text;
  options.schedule_count = 1;
  return plan_with(device, &options);
}

/* Whatever is offered can be asked for, is what runs, and is what the plan says that it runs. */
static void test_what_is_asked_for_runs(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  relayout_plan *plan = plan_with(device, NULL);
  visited offered = {.count = 0};
  assert_int_equal(relayout_plan_visit_schedules(plan, 0, keep_text, &offered, NULL), RELAYOUT_OK);
  relayout_plan_destroy(plan);
  for (int i = 0; i < offered.count; ++i) {
    const char *const text = offered.texts[i];
    char found[256];
    print_message("%s\n", text);
    plan = plan_by(device, text);
    assert_int_equal(plan->work.parts[0].variant_count, 1);
    for (int use = RELAYOUT_SCHEDULE_ALIGNED; use <= RELAYOUT_SCHEDULE_AT_ANY_OFFSET; ++use) {
      assert_int_equal(
          relayout_plan_get_schedule(plan, 0, (relayout_schedule_use)use, found, sizeof found),
          strlen(text));
      assert_string_equal(found, text);
    }
    char cut[8];
    assert_int_equal(
        relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, cut, sizeof cut),
        strlen(text));
    assert_memory_equal(cut, text, sizeof cut - 1);
    assert_int_equal(relayout_plan_get_schedule(plan, 1, RELAYOUT_SCHEDULE_ALIGNED, NULL, 0), 0);
    assert_int_equal(relayout_plan_get_schedule(plan, -1, RELAYOUT_SCHEDULE_ALIGNED, NULL, 0), 0);
    assert_int_equal(strlen(relayout_plan_get_method(plan)), strcspn(text, " "));
    assert_int_equal(plan->work.parts[0].choice, RLT_CHOICE_ASKED_FOR);
    relayout_plan_destroy(plan);
  }
  assert_int_equal(offered.count, 4);
  relayout_device_destroy(device);
  assert_int_equal(record.programs_alive, 0);
}

static void test_schedules_refused(void **state) {
  (void)state;
  static const char *const one[] = {"copy"};
  static const char *const rubbish[] = {"rubbish"};
  static const struct {
    const char *from;
    const char *to;
    const char *const *schedules;
    int32_t count;
    relayout_status status;
    const char *message;
  } cases[] = {
      {"f32[2,3]", "f32[2,3]{0,1}", rubbish, 1, RELAYOUT_INVALID_TEXT, "`rubbish` is not a method"},
      {"f32[2,3]", "f32[2,3]{0,1}", one, 1, RELAYOUT_UNSUPPORTED, "`copy` has no schedule"},
      {"f32[2,3]", "f32[2,3]", one, 1, RELAYOUT_UNSUPPORTED, "`word="},
      {"f32[0,3]", "f32[0,3]", one, 1, RELAYOUT_UNSUPPORTED, "but the plan has 0 parts"},
      {"f32[100,300]{0,1}", "f32[100,300]{1,0:T(8,128)}", one, 1, RELAYOUT_UNSUPPORTED,
       "but the plan has "},
  };
  recorder record;
  relayout_device *device = recorder_device(&record);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const relayout_shape from = shape_of(cases[i].from);
    const relayout_shape to = shape_of(cases[i].to);
    relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
    options.schedules = cases[i].schedules;
    options.schedule_count = cases[i].count;
    relayout_plan *plan = NULL;
    relayout_error error;
    expect_refused(relayout_plan_create(device, &from, &to, &options, &plan, &error),
                   cases[i].status, &error, cases[i].message);
    assert_null(plan);
  }
  relayout_device_destroy(device);
  assert_int_equal(record.programs_alive, 0);
}

/* ---- Alignment ---- */

/* Rows of 16 bytes change places: in words of 16 bytes where both sides allow it, and byte by byte
 * elsewhere. A schedule that was asked for is all there is. */
static void test_places_pick_a_way(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  const relayout_shape from = shape_of("u8[8,9,16]{2,1,0}");
  const relayout_shape to = shape_of("u8[8,9,16]{2,0,1}");
  relayout_plan *plan = NULL;
  relayout_error error;
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  const rlt_part *const part = &plan->work.parts[0];
  assert_int_equal(part->variant_count, 2);
  assert_true(plan->work.fits_anywhere);
  assert_true(rlt_part_fits_anywhere(part));
  assert_int_equal(part->variants[0].candidate.schedule.problem->element_bytes, 16);
  assert_int_equal(part->variants[1].candidate.schedule.problem->element_bytes, 1);
  static const struct {
    uintptr_t source, destination;
    int way;
  } places[] = {{0, 0, 0}, {4096, 48, 0}, {1, 0, 1}, {0, 8, 1}, {16, 15, 1}, {3, 3, 1}};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
    assert_ptr_equal(rlt_part_variant(part, places[i].source, places[i].destination),
                     &part->variants[places[i].way]);
    assert_int_equal(rlt_plan_check_places(plan, places[i].source, places[i].destination, NULL),
                     RELAYOUT_OK);
  }
  char text[256];
  relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text);
  relayout_plan_destroy(plan);

  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  const char *const asked = text;
  options.schedules = &asked;
  options.schedule_count = 1;
  assert_int_equal(relayout_plan_create(device, &from, &to, &options, &plan, NULL), RELAYOUT_OK);
  assert_int_equal(plan->work.parts[0].variant_count, 1);
  assert_false(plan->work.fits_anywhere);
  assert_int_equal(rlt_plan_check_places(plan, 32, 16, NULL), RELAYOUT_OK);
  expect_refused(rlt_plan_check_places(plan, 35, 16, &error), RELAYOUT_INVALID_ARGUMENT, &error,
                 "the schedule asked for needs a 16-byte aligned source; this one is off by 3");
  static _Alignas(16) char bytes[2 * 1152 + 32];
  assert_int_equal(relayout_plan_execute(plan, bytes, bytes + 1152, NULL), RELAYOUT_OK);
  expect_refused(relayout_plan_execute(plan, bytes, bytes + 1153, &error),
                 RELAYOUT_INVALID_ARGUMENT, &error,
                 "needs a 16-byte aligned destination; this one is off by 1");
  assert_int_equal(record.executions, 1);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  assert_int_equal(record.programs_alive, 0);
}

/* A kernel that has no room for as many work-items runs with fewer. */
static void test_smaller_groups(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.most_group_size = 32;
  relayout_plan *plan = plan_with(device, NULL);
  assert_int_equal(plan->work.parts[0].variants[0].candidate.schedule.group_size, 32);
  assert_int_equal(((const rlt_schedule *)plan->work.parts[0].variants[0].executable)->group_size,
                   32);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* Shapes that are equal but not written alike: each plan explains its own. */
static void test_plans_keep_their_text(void **state) {
  (void)state;
  static const char *const texts[] = {
      "f32[2,3]{0,1}",          "f32[2,3]{0,1:S(5)}",    "f32[2,3]{0,1:PV(one)}",
      "f32[2,3]{0,1:PV(-1.5)}", "f32[2,3]{0,1:PV(2.5)}", "f32[2,3]{0,1:PD(2,3)}",
      "f32[2,3]{0,1:PD(2,4)}",  "f32[2,4]{0,1:PD(2,4)}", "s32[2,3]{0,1}",
      "f32[2,3]{1,0:PD(2,4)}",  "f32[2,3]{1,0:PD(2,5)}", "f32[2,3]{1,0:T(2)}",
      "f32[2,3]{1,0:T(4)}",     "f32[2,3]{1,0:T(2,2)}",  "f32[2,3]{1,0:T(2)(2)}",
      "f32[2,3]{1,0:L(8)}",     "s4[2,3]{1,0}",          "s4[2,3]{1,0:E(4)}",
  };
  recorder record;
  relayout_device *device = recorder_device(&record);
  int programs = 0; /* of the first round */
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
    programs = round == 0 ? record.programs_made : programs;
  }
  assert_true(programs >= (int)(sizeof texts / sizeof texts[0]));
  assert_int_equal(record.programs_made, programs);
  relayout_device_destroy(device);
}

/* The same, whatever lies behind the entries that are used: each time something else. */
static void spoil_unused(int time, relayout_shape *shape) {
  relayout_layout *const layout = &shape->layout;
  for (int32_t d = shape->rank; d < RELAYOUT_MAX_RANK; ++d) {
    shape->dimensions[d] = layout->padded_dimensions[d] = -1 - d - time;
    layout->minor_to_major[d] = -1 - d - time;
  }
  memset(layout->padding_literal, 0xa5 + time, sizeof layout->padding_literal);
  int32_t used = 0;
  for (int32_t i = 0; i < layout->tile_count; ++i) {
    used += layout->tile_ranks[i];
  }
  for (int32_t i = layout->tile_count; i < RELAYOUT_MAX_TILES; ++i) {
    layout->tile_ranks[i] = 1 + time;
  }
  for (int32_t i = used; i < RELAYOUT_MAX_TILE_DIMENSIONS; ++i) {
    layout->tile_dimensions[i] = -1 - time;
  }
}

static void test_unused_entries_count_for_nothing(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  relayout_shape from = shape_of("f32[2,3]{1,0}");
  relayout_shape to = shape_of("f32[2,3]{0,1:PD(2,4)T(2)}");
  const int64_t strides[] = {12, 4};
  relayout_plan *plans[2] = {NULL, NULL};
  relayout_plan *strided[2] = {NULL, NULL};
  for (int i = 0; i < 2; ++i) {
    spoil_unused(i, &from);
    spoil_unused(i, &to);
    assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plans[i], NULL), RELAYOUT_OK);
    relayout_view view = view_of(&from, strides);
    view.byte_strides[2] = 7 + i;
    const relayout_view whole = view_of(&to, NULL);
    assert_int_equal(relayout_plan_create_between(device, &view, &whole, NULL, &strided[i], NULL),
                     RELAYOUT_OK);
  }
  assert_ptr_equal(plans[0], plans[1]);
  assert_ptr_equal(strided[0], strided[1]);
  assert_ptr_not_equal(plans[0], strided[0]);
  for (int i = 0; i < 2; ++i) {
    relayout_plan_destroy(plans[i]);
    relayout_plan_destroy(strided[i]);
  }
  relayout_device_destroy(device);
}

static relayout_plan *plan_of_strides(relayout_device *device, bool of_source,
                                      const int64_t *strides) {
  const relayout_shape shape = shape_of("f32[2,3]{1,0}");
  const relayout_view from = view_of(&shape, of_source ? strides : NULL);
  const relayout_view to = view_of(&shape, of_source ? NULL : strides);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_between(device, &from, &to, NULL, &plan, NULL),
                   RELAYOUT_OK);
  return plan;
}

static void test_strides_make_other_plans(void **state) {
  (void)state;
  static const int64_t strides[][2] = {{12, 4}, {16, 4}, {16, 5}};
  enum { SIDES = 2, COUNT = sizeof strides / sizeof *strides };
  recorder record;
  relayout_device *device = recorder_device(&record);
  relayout_plan *plans[SIDES * COUNT];
  for (int i = 0; i < SIDES * COUNT; ++i) {
    plans[i] = plan_of_strides(device, i < COUNT, strides[i % COUNT]);
    relayout_plan *const again = plan_of_strides(device, i < COUNT, strides[i % COUNT]);
    assert_ptr_equal(again, plans[i]);
    relayout_plan_destroy(again);
    for (int other = 0; other < i; ++other) {
      assert_ptr_not_equal(plans[other], plans[i]);
    }
  }
  for (int i = 0; i < SIDES * COUNT; ++i) {
    relayout_plan_destroy(plans[i]);
  }
  relayout_device_destroy(device);
}

static void test_boxes_are_not_remembered(void **state) {
  (void)state;
  static const int64_t start[] = {0, 0};
  static const int64_t sizes[] = {2, 3};
  recorder record;
  relayout_device *device = recorder_device(&record);
  const relayout_shape shape = shape_of("f32[2,3]{1,0}");
  const relayout_view view = view_of(&shape, NULL);
  relayout_plan *plans[3];
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(
        relayout_plan_create_range(device, &view, &view, start, sizes, NULL, &plans[i], NULL),
        RELAYOUT_OK);
  }
  assert_int_equal(relayout_plan_create_between(device, &view, &view, NULL, &plans[2], NULL),
                   RELAYOUT_OK);
  assert_ptr_not_equal(plans[0], plans[1]);
  assert_ptr_not_equal(plans[0], plans[2]);
  assert_ptr_not_equal(plans[1], plans[2]);
  for (int i = 0; i < 3; ++i) {
    relayout_plan_destroy(plans[i]);
  }
  relayout_device_destroy(device);
}

/* Of elements that no words are wider than, so that each plan has one program. */
static void test_cache_is_bounded(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  relayout_plan *first = NULL;
  assert_int_equal(relayout_device_set_budget(device, 1 << 20, NULL), RELAYOUT_OK);
  for (int64_t size = 1; size <= 1000; ++size) {
    relayout_shape shape;
    relayout_plan *plan = NULL;
    assert_int_equal(relayout_shape_make(RELAYOUT_C128, 1, &size, &shape, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_plan_create(device, &shape, &shape, NULL, &plan, NULL), RELAYOUT_OK);
    if (first == NULL) {
      first = plan;
    } else {
      relayout_plan_destroy(plan);
    }
  }
  assert_int_equal(record.programs_made, 1000);
  assert_true(record.programs_alive <= 1 + (1 << 20) / (int)sizeof(relayout_plan));
  assert_true(record.programs_alive > 1);
  /* Long evicted, and still whole in the hands of who got it. */
  assert_int_equal(relayout_plan_source_size(first), 16);
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

/* ---- Parts ---- */

/* Bits that nobody writes are padding that keeps its value, or nobody counted them. */
static void test_who_writes_all(void **state) {
  (void)state;
  static const struct {
    const char *from;
    const char *to;
    bool writes_all;
  } cases[] = {
      {"u8[8]", "u8[8]", true},
      {"u8[7]", "u8[7]{0:PD(8)PV(unknown)}", false},
      {"u8[7]", "u8[7]{0:PD(8)}", true},
      {"u4[3]{0:E(4)}", "u4[3]{0:E(4)}", true},
      {"u4[13]{0:E(4)}", "u4[13]{0:PD(16)PV(unknown)E(4)}", false},
      {"f32[100,300]{0,1}", "f32[100,300]{1,0:T(8,128)}", true},
      {"u8[63]{0:T(9)}", "u8[63]{0:T(7)}", false},
      {"u8[64]{0:T(9)}", "u8[64]{0:T(7)}", true},
  };
  recorder record;
  relayout_device *device = recorder_device(&record);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const relayout_shape from = shape_of(cases[i].from);
    const relayout_shape to = shape_of(cases[i].to);
    relayout_plan *plan = NULL;
    print_message("%s to %s\n", cases[i].from, cases[i].to);
    assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
    assert_int_equal(plan->work.writes_all, cases[i].writes_all);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
}

/* Columns of 300 in tiles of 128, of which 44 are left, in rows of 8, of which 4 are. */
static void test_largest_part_first(void **state) {
  (void)state;
  const relayout_shape from = shape_of("f32[100,300]{0,1}");
  const relayout_shape to = shape_of("f32[100,300]{1,0:T(8,128)}");
  recorder record;
  relayout_device *device = recorder_device(&record);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  assert_true(plan->work.part_count > 1);
  int64_t before = INT64_MAX;
  int64_t all = 0;
  for (int32_t i = 0; i < plan->work.part_count; ++i) {
    const int64_t written = rlt_problem_written(rlt_part_problem(&plan->work.parts[i]));
    assert_true(written <= before);
    before = written;
    all += written;
  }
  assert_int_equal(all, 104 * 384);
  assert_int_equal(plan->work.destination_size, 4 * 104 * 384);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* A part alone is predicted as its first way is, which aligned sides take. */
static void test_one_part_is_predicted_by_its_first_way(void **state) {
  (void)state;
  const relayout_shape from = shape_of("u8[8,9,16]{2,1,0}");
  const relayout_shape to = shape_of("u8[8,9,16]{2,0,1}");
  recorder record;
  relayout_device *device = recorder_device(&record);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  assert_int_equal(plan->work.part_count, 1);
  assert_int_equal(plan->work.parts[0].variant_count, 2);
  plan->work.parts[0].variants[0].candidate.cost.fraction = 0.3;
  plan->work.parts[0].variants[1].candidate.cost.fraction = 0.6;
  assert_true(relayout_plan_get_predicted_fraction(plan) == 0.3);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* By what parts write, however it is predicted of each: 2048 elements by a half take as long as a
 * copy of 4096, and 1024 by a quarter too. */
static void test_parts_are_predicted_together(void **state) {
  (void)state;
  static const struct {
    double each[2], all;
  } cases[] = {{{0.5, 0.25}, 0.375}, {{0.25, 0.5}, 0.3}, {{0.125, 0.125}, 0.125}, {{1, 1}, 1}};
  const relayout_shape from = shape_of("f32[8,300]{1,0}");
  const relayout_shape to = shape_of("f32[8,300]{1,0:T(8,128)}");
  recorder record;
  relayout_device *device = recorder_device(&record);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  assert_int_equal(plan->work.part_count, 2);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    for (int p = 0; p < 2; ++p) {
      plan->work.parts[p].variants[0].candidate.cost.fraction = cases[i].each[p];
    }
    assert_true(relayout_plan_get_predicted_fraction(plan) == cases[i].all);
  }
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* Of a box only what it takes: four rows from the third on, five of nine bytes each. */
static void test_bytes_that_a_box_takes(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  const relayout_shape shape = shape_of("u8[8,9]");
  const relayout_view view = view_of(&shape, NULL);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_range(device, &view, &view, (const int64_t[]){2, 3},
                                              (const int64_t[]){4, 5}, NULL, &plan, NULL),
                   RELAYOUT_OK);
  assert_int_equal(plan->work.source_taken.first, 2 * 9 + 3);
  assert_int_equal(plan->work.source_taken.end, 5 * 9 + 8);
  assert_int_equal(plan->work.destination_taken.first, 2 * 9 + 3);
  assert_int_equal(plan->work.destination_taken.end, 5 * 9 + 8);
  assert_int_equal(plan->work.source_size, 72);
  relayout_plan_destroy(plan);
  plan = NULL;
  assert_int_equal(relayout_plan_create_between(device, &view, &view, NULL, &plan, NULL),
                   RELAYOUT_OK);
  assert_int_equal(plan->work.source_taken.first, 0);
  assert_int_equal(plan->work.source_taken.end, 72);
  assert_int_equal(plan->work.destination_taken.end, 72);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* ---- What callers request for ---- */

static void test_requests(void **state) {
  (void)state;
  rlt_plan_request none;
  memset(&none, 0xa5, sizeof none);
  rlt_plan_request_clear(&none);
  assert_null(none.method);
  assert_int_equal(none.effort, RELAYOUT_PLAN_ADAPT);
  assert_int_equal(none.measured, 8); /* as options say of 0 */
  assert_false(none.changes.wraps);
  assert_true(none.changes.scale == 1);
  assert_false(none.changes.rounds_to_nearest);
  assert_int_equal(none.chunks.source, 0);
  assert_int_equal(none.chunks.destination, 0);
  assert_false(none.for_batches);
  assert_false(none.specialize);
  assert_false(none.stages_destination);
  assert_true(rlt_plan_request_equal(&none, &none));

  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  rlt_plan_request defaults = rlt_plan_request_of(&options);
  assert_true(rlt_plan_request_equal(&defaults, &none));
  options.effort = RELAYOUT_PLAN_MEASURE;
  options.measured = 5;
  options.overflow = RELAYOUT_OVERFLOW_WRAP;
  options.scale = 2;
  options.rounding = RELAYOUT_ROUNDING_NEAREST;
  options.source_chunk_bytes = 100;
  options.destination_chunk_bytes = 200;
  options.for_batches = 1;
  options.specialize = 1;
  const rlt_plan_request all = rlt_plan_request_of(&options);
  assert_int_equal(all.effort, RELAYOUT_PLAN_MEASURE);
  assert_int_equal(all.measured, 5);
  assert_true(all.changes.wraps);
  assert_true(all.changes.scale == 2);
  assert_true(all.changes.rounds_to_nearest);
  assert_int_equal(all.chunks.source, 100);
  assert_int_equal(all.chunks.destination, 200);
  assert_true(all.for_batches);
  assert_true(all.specialize);

  /* One that differs in anything is another. */
  static const rlt_method method = {"test"};
  rlt_plan_request others[12];
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
    others[i] = none;
  }
  others[0].method = &method;
  others[1].effort = RELAYOUT_PLAN_MEASURE;
  others[2].measured = 5;
  others[3].changes.packing = RLT_PACKING_MERGED;
  others[4].changes.wraps = true;
  others[5].changes.scale = 2;
  others[6].for_batches = true;
  others[7].stages_destination = true;
  others[8].chunks.source = 1;
  others[9].chunks.destination = 1;
  others[10].changes.rounds_to_nearest = true;
  others[11].specialize = true;
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
    print_message("case %zu\n", i);
    assert_false(rlt_plan_request_equal(&none, &others[i]));
    assert_false(rlt_plan_request_equal(&others[i], &none));
  }
}

/* ---- Devices ---- */

/* Whatever lay where a device is made. */
static void test_device_is_set_up(void **state) {
  (void)state;
  recorder record;
  relayout_device *const other = recorder_device(&record);
  relayout_device device;
  memset(&device, 0xa5, sizeof device);
  device.facts = other->facts;
  assert_int_equal(rlt_device_initialize(&device, other->backend, NULL), RELAYOUT_OK);
  assert_ptr_equal(device.backend, other->backend);
  assert_int_equal(atomic_load(&device.openers), 1);
  assert_int_equal(atomic_load(&device.holders), 1);
  assert_ptr_equal(device.tuning, rlt_tuning_of(&device.facts));
  assert_null(device.own_tuning);
  assert_non_null(device.cache);
  assert_non_null(device.wisdom);
  rlt_plan_cache_destroy(device.cache);
  rlt_wisdom_destroy(device.wisdom);
  relayout_device_destroy(other);
}

static void test_facts_that_are_told(void **state) {
  (void)state;
  const rlt_machine facts = {.line_bytes = 64,
                             .caches = {{32768, 8, 2}, {1 << 20, 16, 4}, {1 << 25, 11, 12}},
                             .page_bytes = 4096,
                             .tlb_pages = {64, 2048},
                             .vector_bytes = 32,
                             .streams = true};
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  rlt_device_info_add_facts(&facts, &info);
  for (int level = 0; level < 3; ++level) {
    assert_int_equal(info.caches[level].bytes, facts.caches[level].bytes);
    assert_int_equal(info.caches[level].ways, facts.caches[level].ways);
    assert_int_equal(info.caches[level].processors, facts.caches[level].shared);
  }
  assert_int_equal(info.tlb_pages[0], 64);
  assert_int_equal(info.tlb_pages[1], 2048);
  assert_int_equal(info.page_bytes, 4096);
  assert_int_equal(info.line_bytes, 64);
  assert_int_equal(info.vector_bytes, 32);
  assert_int_equal(info.streaming_stores, 1);
}

static void test_device_calls_refused(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  relayout_device_usage usage = RELAYOUT_DEVICE_USAGE_INIT;
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  relayout_error error;
  size_t count = 0;
  expect_refused(relayout_device_get_usage(NULL, &usage, &error), RELAYOUT_INVALID_ARGUMENT, &error,
                 "device is NULL");
  expect_refused(relayout_device_get_usage(device, NULL, &error), RELAYOUT_INVALID_ARGUMENT, &error,
                 "usage is NULL");
  expect_refused(relayout_device_get_info(NULL, &info, &error), RELAYOUT_INVALID_ARGUMENT, &error,
                 "device is NULL");
  expect_refused(relayout_device_get_info(device, NULL, &error), RELAYOUT_INVALID_ARGUMENT, &error,
                 "info is NULL");
  expect_refused(relayout_device_set_budget(NULL, 1, &error), RELAYOUT_INVALID_ARGUMENT, &error,
                 "device is NULL");
  expect_refused(relayout_device_import_wisdom(NULL, "", 0, &error), RELAYOUT_INVALID_ARGUMENT,
                 &error, "device is NULL");
  expect_refused(relayout_device_import_wisdom(device, NULL, 0, &error), RELAYOUT_INVALID_ARGUMENT,
                 &error, "text is NULL");
  expect_refused(relayout_device_list(&info, 1, NULL, &error), RELAYOUT_INVALID_ARGUMENT, &error,
                 "count is NULL");
  expect_refused(relayout_device_list(NULL, 1, &count, &error), RELAYOUT_INVALID_ARGUMENT, &error,
                 "infos is NULL");
  assert_int_equal(relayout_device_get_usage(device, &usage, NULL), RELAYOUT_OK);
  assert_int_equal(usage.programs, 0); /* which this device does not keep */
  relayout_device_trim(device);
  assert_int_equal(record.trims, 1);
  relayout_device_trim(NULL);
  relayout_device_retain(NULL);
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
  /* As far as 32 bits go. */
  assert_int_equal(relayout_device_open("opencl:4294967295:4294967295", &device, &error),
                   RELAYOUT_NO_DEVICE);
  assert_int_equal(relayout_device_open("opencl:4294967296:0", &device, &error),
                   RELAYOUT_INVALID_TEXT);
  assert_int_equal(relayout_device_open("opencl:0:4294967296", &device, &error),
                   RELAYOUT_INVALID_TEXT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plan_keeps_its_device),
      cmocka_unit_test(test_failed_program_leaves_nothing),
      cmocka_unit_test(test_unsupported_program),
      cmocka_unit_test(test_empty_relayout_runs_nothing),
      cmocka_unit_test(test_bad_arguments),
      cmocka_unit_test(test_boxes_are_named),
      cmocka_unit_test(test_what_overlaps_is_told),
      cmocka_unit_test(test_single_bytes_and_none),
      cmocka_unit_test(test_bad_options),
      cmocka_unit_test(test_cache_reuses_plans),
      cmocka_unit_test(test_plans_share_programs),
      cmocka_unit_test(test_options_make_other_plans),
      cmocka_unit_test(test_zeros_are_the_defaults),
      cmocka_unit_test(test_rounding_that_makes_no_difference),
      cmocka_unit_test(test_visits),
      cmocka_unit_test(test_what_is_asked_for_runs),
      cmocka_unit_test(test_schedules_refused),
      cmocka_unit_test(test_places_pick_a_way),
      cmocka_unit_test(test_smaller_groups),
      cmocka_unit_test(test_plans_keep_their_text),
      cmocka_unit_test(test_unused_entries_count_for_nothing),
      cmocka_unit_test(test_strides_make_other_plans),
      cmocka_unit_test(test_boxes_are_not_remembered),
      cmocka_unit_test(test_cache_is_bounded),
      cmocka_unit_test(test_one_shot_refuses_like_a_plan),
      cmocka_unit_test(test_who_writes_all),
      cmocka_unit_test(test_largest_part_first),
      cmocka_unit_test(test_one_part_is_predicted_by_its_first_way),
      cmocka_unit_test(test_parts_are_predicted_together),
      cmocka_unit_test(test_bytes_that_a_box_takes),
      cmocka_unit_test(test_requests),
      cmocka_unit_test(test_device_is_set_up),
      cmocka_unit_test(test_facts_that_are_told),
      cmocka_unit_test(test_device_calls_refused),
      cmocka_unit_test(test_device_names),
  };
  return cmocka_run_group_tests_name("plan.plan", tests, NULL, NULL);
}
