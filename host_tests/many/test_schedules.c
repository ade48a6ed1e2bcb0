/* test_schedules.c: schedules of plans of several destinations: their text, what is refused, what
 * is offered, measured and remembered, and their costs. */
#include "cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "many/on_cpu.h"
#include "relayout/scaled.h"
#include "shape_of.h"

enum { TEXT_SIZE = 2048 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static relayout_status create(relayout_device *on, const char *from, const char *to,
                              const char *text, relayout_plan_effort effort, relayout_plan **plan,
                              relayout_error *error) {
  const relayout_scaled_view source = scaled_of(from), destination = scaled_of(to);
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.effort = effort;
  options.schedules = &text;
  options.schedule_count = text == NULL ? 0 : 1;
  *plan = NULL;
  return relayout_plan_create_many(on, &source, &destination, 1, &options, plan, error);
}

static relayout_plan *plan_of(const char *from, const char *to, const char *text) {
  relayout_plan *plan;
  relayout_error error = {.message = ""};
  if (create(device, from, to, text, RELAYOUT_PLAN_ESTIMATE, &plan, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  return plan;
}

static void expect_text(const relayout_plan *plan, const char *wanted) {
  char text[TEXT_SIZE];
  const size_t length =
      relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text);
  assert_string_equal(text, wanted);
  assert_int_equal(length, strlen(wanted));
}

static void expect_schedule(const char *from, const char *to, const char *text,
                            const char *wanted) {
  relayout_plan *const plan = plan_of(from, to, text);
  expect_text(plan, wanted);
  relayout_plan_destroy(plan);
}

/* ---- Texts ---------------------------------------------------------------------------------- */

/* What is left out is chosen: small tensors are one box, in the order of the source. */
static void test_texts(void **state) {
  (void)state;
  static const char from[] = "f32[4,64]", to[] = "s8[4,64]*f32[4,1]";
  expect_schedule(from, to, NULL, "boxes order=1,0 sizes=4,64");
  expect_schedule(from, to, "boxes", "boxes order=1,0 sizes=4,64");
  expect_schedule(from, to, "boxes order=0,1", "boxes order=0,1 sizes=4,64");
  expect_schedule(from, to, "boxes sizes=3,7", "boxes order=1,0 sizes=3,7");
  expect_schedule(from, to, "  boxes   sizes=1,64  order=0,1 ", "boxes order=0,1 sizes=1,64");
  expect_schedule("f32[]", "s8[]*f32[]", NULL, "boxes");
  expect_schedule("f32[]", "s8[]*f32[]", "boxes", "boxes");
  expect_schedule("f32[0,3]", "s8[0,3]*f32[0,1] per [1,3]", "boxes order=0,1 sizes=1,3",
                  "boxes order=0,1 sizes=1,3");
}

/* A range may have less than the elements of a byte of its source; a box is no larger than it. */
static void test_range_within_a_byte(void **state) {
  (void)state;
  const relayout_scaled_view from = scaled_of("u1[8]{0:E(1)}"), to = scaled_of("s8[8]*f32[4]");
  const int64_t start = 2, sizes = 2;
  relayout_plan *plan = NULL;
  assert_int_equal(
      relayout_plan_create_many_range(device, &from, &to, 1, &start, &sizes, NULL, &plan, NULL),
      RELAYOUT_OK);
  expect_text(plan, "boxes order=0 sizes=2");
  relayout_plan_destroy(plan);
}

typedef struct refused {
  const char *text;
  relayout_status status;
  const char *message;
} refused;

static void expect_refused(const char *from, const char *to, const refused *cases, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    relayout_plan *plan;
    relayout_error error = {.message = ""};
    print_message("%s\n", cases[i].text);
    assert_int_equal(create(device, from, to, cases[i].text, RELAYOUT_PLAN_ESTIMATE, &plan, &error),
                     cases[i].status);
    assert_null(plan);
    assert_string_equal(error.message, cases[i].message);
  }
}

static void test_refused_texts(void **state) {
  (void)state;
  static const refused cases[] = {
      {"", RELAYOUT_INVALID_TEXT,
       "schedule: column 1: `` is not `boxes`, the method of several destinations"},
      {"copy word=4", RELAYOUT_INVALID_TEXT,
       "schedule: column 1: `copy` is not `boxes`, the method of several destinations"},
      {"boxes order", RELAYOUT_INVALID_TEXT,
       "schedule: column 7: `order` is not a field of a schedule of boxes"},
      {"boxes word=4", RELAYOUT_INVALID_TEXT,
       "schedule: column 7: `word=4` is not a field of a schedule of boxes"},
      {"boxes sizes=1,2 sizes=1,2", RELAYOUT_INVALID_TEXT,
       "schedule: column 17: `sizes` is given twice"},
      {"boxes sizes=1", RELAYOUT_INVALID_TEXT,
       "schedule: column 13: `sizes` has 1 numbers; expected 2, one for each dimension"},
      {"boxes sizes=1,2,3", RELAYOUT_INVALID_TEXT,
       "schedule: column 17: `sizes` has more than 2 numbers"},
      {"boxes sizes=1,", RELAYOUT_INVALID_TEXT,
       "schedule: column 15: `` is no number of `sizes`: expected 1 to 9223372036854775807"},
      {"boxes sizes=0,1", RELAYOUT_INVALID_TEXT,
       "schedule: column 13: `0` is no number of `sizes`: expected 1 to 9223372036854775807"},
      {"boxes order=0,0", RELAYOUT_INVALID_TEXT,
       "schedule: column 13: `order` has dimension 0 twice"},
      {"boxes order=0,2", RELAYOUT_INVALID_TEXT,
       "schedule: column 15: `2` is no number of `order`: expected 0 to 1"},
      {"boxes sizes=5,64", RELAYOUT_UNSUPPORTED,
       "schedule: `sizes` has 5 along dimension 0, of which the plan moves 4"},
      {"boxes sizes=4,33", RELAYOUT_UNSUPPORTED,
       "schedule: `sizes` has 33 along dimension 1; expected a multiple of 32, as elements share "
       "records or bytes there"},
      {"boxes group=4", RELAYOUT_UNSUPPORTED,
       "schedule: `group` is for work-group kernels, which this device does not run"},
      {"boxes loads=4", RELAYOUT_UNSUPPORTED,
       "schedule: `loads` is for work-group kernels, which this device does not run"},
      {"boxes stores=4,4", RELAYOUT_UNSUPPORTED,
       "schedule: `stores` is for work-group kernels, which this device does not run"},
  };
  expect_refused("f32[4,64]", "q8_0[4,64]", cases, COUNT(cases));
}

static void test_refused_by_sides(void **state) {
  (void)state;
  static const refused of_records[] = {
      {"boxes order=0,1", RELAYOUT_UNSUPPORTED,
       "schedule: `order` begins with dimension 0; the source's records run along dimension 1"}};
  static const refused of_bytes[] = {
      {"boxes sizes=1,3", RELAYOUT_UNSUPPORTED,
       "schedule: `sizes` has 3 along dimension 1; expected a multiple of 2, as elements share "
       "records or bytes there"}};
  static const refused of_many[] = {
      {"boxes sizes=1,1", RELAYOUT_UNSUPPORTED,
       "schedule: `sizes` makes 67108864 boxes; expected 16777216 at most"}};
  static const refused of_scalars[] = {
      {"boxes sizes=1", RELAYOUT_INVALID_TEXT,
       "schedule: column 7: `sizes=1` is not a field of a schedule of boxes"}};
  expect_refused("q8_0[4,64]", "f32[4,64]", of_records, COUNT(of_records));
  expect_refused("f32[4,64]", "s4[4,64]{1,0:E(4)}*f32[4,1]", of_bytes, COUNT(of_bytes));
  expect_refused("f32[8192,8192]", "s8[8192,8192]", of_many, COUNT(of_many));
  expect_refused("f32[]", "s8[]", of_scalars, COUNT(of_scalars));
}

static void test_number_of_texts(void **state) {
  (void)state;
  const relayout_scaled_view from = scaled_of("f32[4]"), to = scaled_of("s8[4]*f32[1]");
  const char *const texts[] = {"boxes", "boxes"};
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  relayout_plan *plan;
  relayout_error error = {.message = ""};
  options.schedules = texts;
  options.schedule_count = 2;
  assert_int_equal(relayout_plan_create_many(device, &from, &to, 1, &options, &plan, &error),
                   RELAYOUT_UNSUPPORTED);
  assert_string_equal(error.message, "options->schedule_count is 2; expected 1 at most for a plan "
                                     "of several destinations");
}

/* A range without indices has no boxes. */
static void test_no_boxes(void **state) {
  (void)state;
  const relayout_scaled_view from = scaled_of("f32[4]"), to = scaled_of("s8[4]*f32[1]");
  static const int64_t start[] = {4}, sizes[] = {0};
  const char *const text = "boxes";
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  relayout_plan *plan;
  relayout_error error = {.message = ""};
  options.schedules = &text;
  assert_int_equal(
      relayout_plan_create_many_range(device, &from, &to, 1, start, sizes, &options, &plan, &error),
      RELAYOUT_OK);
  assert_int_equal(relayout_plan_part_count(plan), 0);
  assert_string_equal(relayout_plan_get_method(plan), "none");
  assert_int_equal(relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, NULL, 0), 0);
  relayout_plan_destroy(plan);
  options.schedule_count = 1;
  assert_int_equal(
      relayout_plan_create_many_range(device, &from, &to, 1, start, sizes, &options, &plan, &error),
      RELAYOUT_UNSUPPORTED);
  assert_string_equal(error.message, "schedule: this plan has no boxes: the range is empty");
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

/* Boxes that part the groups whose scales are found: all is read once more. */
static void test_bytes(void **state) {
  (void)state;
  static const float values[2][4] = {{127, -254, 4, 0}, {1, 2, -3, 12.7F}};
  static const int8_t elements[2][4] = {{64, -127, 2, 0}, {10, 20, -30, 127}};
  static const float scales[2] = {2, 12.7F / 127};
  static const char *const texts[] = {NULL, "boxes sizes=1,4", "boxes sizes=2,3",
                                      "boxes order=0,1 sizes=1,1", "boxes order=0,1"};
  relayout_scaled_view from = scaled_of("f32[2,4]"), to = scaled_of("s8[2,4]*f32[2,1]");
  to.rule = RELAYOUT_SCALES_AMAX;
  for (size_t i = 0; i < COUNT(texts); ++i) {
    int8_t found[2][4];
    float found_scales[2];
    const relayout_source_memory source = {.elements = values};
    const relayout_destination_memory destination = {.elements = found, .scales = found_scales};
    relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
    relayout_plan *plan;
    options.rounding = RELAYOUT_ROUNDING_NEAREST;
    options.schedules = &texts[i];
    options.schedule_count = texts[i] == NULL ? 0 : 1;
    assert_int_equal(relayout_plan_create_many(device, &from, &to, 1, &options, &plan, NULL),
                     RELAYOUT_OK);
    assert_int_equal(relayout_plan_execute_many(plan, &source, &destination, NULL), RELAYOUT_OK);
    assert_memory_equal(found, elements, sizeof elements);
    assert_memory_equal(found_scales, scales, sizeof scales);
    relayout_plan_destroy(plan);
  }
}

/* ---- What plans tell ------------------------------------------------------------------------ */

typedef struct sum {
  double times;
  int count;
} sum;

static void add_cost(void *context, const relayout_cost *cost) {
  sum *const of = context;
  assert_true(cost->count >= 0 && cost->time >= 0 && cost->weight >= 0);
  assert_true(cost->rate != NULL || cost->weight == 0);
  of->times += cost->time;
  of->count += 1;
}

/* 64 elements of 4 bytes, and of 1 with 4 scales of 4. */
static void test_figures(void **state) {
  (void)state;
  relayout_plan *const plan = plan_of("f32[4,16]", "s8[4,16]*f32[4,1]", NULL);
  relayout_plan_info info = RELAYOUT_PLAN_INFO_INIT;
  sum costs = {0, 0};
  assert_int_equal(relayout_plan_part_count(plan), 1);
  assert_string_equal(relayout_plan_get_method(plan), "boxes");
  assert_int_equal(relayout_plan_get_info(plan, &info, NULL), RELAYOUT_OK);
  assert_int_equal(info.bytes_read, 64 * 4 + 4 * 4);
  assert_int_equal(info.bytes_written, 64);
  assert_int_equal(info.part_count, 1);
  assert_int_equal(info.moves_nothing, 0);
  assert_int_equal(info.is_bitcast, 0);
  assert_true(info.predicted_fraction > 0 && info.predicted_fraction <= 1);
  assert_true(info.predicted_fraction == relayout_plan_get_predicted_fraction(plan));
  assert_int_equal(relayout_plan_visit_costs(plan, 0, add_cost, &costs, NULL), RELAYOUT_OK);
  assert_true(costs.count > 0);
  const double fraction = costs.times > 1 ? 1 / costs.times : 1;
  assert_true(fabs(info.predicted_fraction - fraction) < 1e-9);
  assert_int_equal(relayout_plan_visit_costs(plan, 1, add_cost, &costs, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  relayout_plan_destroy(plan);
}

typedef struct cost_named {
  const char *name;
  double count;
} cost_named;

static void find_cost(void *context, const relayout_cost *cost) {
  cost_named *const wanted = context;
  wanted->count = strcmp(cost->name, wanted->name) == 0 ? cost->count : wanted->count;
}

static double count_of(const char *from, const char *to, relayout_scale_rule rule, const char *text,
                       const char *name) {
  const relayout_scaled_view source = scaled_of(from);
  relayout_scaled_view destination = scaled_of(to);
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  relayout_plan *plan;
  cost_named found = {name, -1};
  destination.rule = rule;
  options.schedules = &text;
  options.schedule_count = text == NULL ? 0 : 1;
  assert_int_equal(
      relayout_plan_create_many(device, &source, &destination, 1, &options, &plan, NULL),
      RELAYOUT_OK);
  assert_int_equal(relayout_plan_visit_costs(plan, 0, find_cost, &found, NULL), RELAYOUT_OK);
  relayout_plan_destroy(plan);
  return found.count;
}

/* Lines are of 64 bytes: 16 of 256 elements; boxes that part groups read them twice. */
static void test_counts(void **state) {
  (void)state;
  static const char from[] = "f32[4,64]", to[] = "s8[4,64]*f32[4,1]";
  const relayout_scale_rule rule = RELAYOUT_SCALES_AMAX;
  assert_true(count_of(from, "s8[4,64]", RELAYOUT_SCALES_GIVEN, NULL, "lines read") == 16);
  assert_true(count_of(from, to, RELAYOUT_SCALES_GIVEN, NULL, "lines read") == 16.25);
  assert_true(count_of(from, to, rule, NULL, "lines read") == 16);
  assert_true(count_of(from, to, rule, "boxes sizes=4,32", "lines read") == 32);
  assert_true(count_of(from, to, rule, NULL, "reworks") >
              count_of(from, to, RELAYOUT_SCALES_GIVEN, NULL, "reworks"));
}

typedef struct offers {
  int count;
  double last;
  bool has_own;
  const char *own;
  char texts[64][TEXT_SIZE];
} offers;

static void take_offer(void *context, const relayout_schedule_info *info) {
  offers *const of = context;
  assert_string_equal(info->method, "boxes");
  assert_true(info->predicted_fraction <= of->last);
  of->last = info->predicted_fraction;
  of->has_own = of->has_own || strcmp(of->own, info->text) == 0;
  assert_true(of->count < (int)COUNT(of->texts));
  snprintf(of->texts[of->count++], TEXT_SIZE, "%s", info->text);
}

/* Each may be asked for. */
static void test_offers(void **state) {
  (void)state;
  static const char from[] = "bf16[512,1024]", to[] = "bf16[512,1024]{0,1}";
  static offers found;
  char own[TEXT_SIZE];
  relayout_plan *const plan = plan_of(from, to, NULL);
  relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, own, sizeof own);
  found = (offers){.last = 1, .own = own};
  assert_int_equal(relayout_plan_visit_schedules(plan, 0, take_offer, &found, NULL), RELAYOUT_OK);
  relayout_plan_destroy(plan);
  assert_true(found.count > 1);
  assert_true(found.has_own);
  for (int i = 0; i < found.count; ++i) {
    expect_schedule(from, to, found.texts[i], found.texts[i]);
  }
}

static void expect_in_json(const relayout_plan *plan, relayout_explain_form form,
                           const char *wanted) {
  static char text[1 << 16];
  assert_true(relayout_plan_explain(plan, form, text, sizeof text) < sizeof text);
  if (strstr(text, wanted) == NULL) {
    fail_msg("%s\nhas no %s", text, wanted);
  }
}

static void test_explanations(void **state) {
  (void)state;
  relayout_plan *const plan =
      plan_of("f32[4,64]", "s8[4,64]*f32[4,1]", "boxes order=0,1 sizes=2,64");
  expect_in_json(plan, RELAYOUT_EXPLAIN_TEXT, "boxes on cpu, predicted to reach ");
  expect_in_json(plan, RELAYOUT_EXPLAIN_TEXT,
                 "\nschedule: boxes order=0,1 sizes=2,64\n        because it was asked for\n"
                 "predicted: ");
  expect_in_json(plan, RELAYOUT_EXPLAIN_SCHEDULES_TEXT, "\noffered:\n  0.");
  expect_in_json(plan, RELAYOUT_EXPLAIN_JSON,
                 "\"method\":\"boxes\",\"schedule\":[\"boxes order=0,1 sizes=2,64\"],"
                 "\"chosen_by\":\"caller\"}");
  expect_in_json(plan, RELAYOUT_EXPLAIN_SCHEDULES_JSON,
                 "\"schedules\":[{\"part\":0,\"text\":\"boxes order=");
  relayout_plan_destroy(plan);
}

/* ---- Measuring ------------------------------------------------------------------------------ */

static relayout_device *open_without_wisdom(void) {
  relayout_device *made = NULL;
  relayout_error error = {.message = ""};
  if (relayout_device_open("cpu", &made, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  return made;
}

static relayout_plan *plan_on(relayout_device *on, relayout_plan_effort effort) {
  relayout_plan *plan;
  relayout_error error = {.message = ""};
  if (create(on, "f32[96,512]", "bf16[96,512]{0,1}", NULL, effort, &plan, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  return plan;
}

/* What is measured once is remembered, by another device too that is told of it. */
static void test_measured(void **state) {
  (void)state;
  static char wisdom[1 << 16];
  char text[TEXT_SIZE];
  relayout_device *const first = open_without_wisdom(), *const second = open_without_wisdom();
  relayout_plan *plan = plan_on(first, RELAYOUT_PLAN_MEASURE);
  relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text);
  expect_in_json(plan, RELAYOUT_EXPLAIN_JSON, "\"chosen_by\":\"measure\"");
  relayout_plan_destroy(plan);
  plan = plan_on(first, RELAYOUT_PLAN_ESTIMATE);
  expect_text(plan, text);
  expect_in_json(plan, RELAYOUT_EXPLAIN_JSON, "\"chosen_by\":\"wisdom\"");
  relayout_plan_destroy(plan);
  const size_t size = relayout_device_export_wisdom(first, wisdom, sizeof wisdom);
  assert_true(size < sizeof wisdom);
  assert_non_null(strstr(wisdom, "\nsides from f32[96,512]{1,0} "));
  plan = plan_on(second, RELAYOUT_PLAN_ADAPT);
  expect_in_json(plan, RELAYOUT_EXPLAIN_JSON, "\"chosen_by\":\"estimate\"");
  relayout_plan_destroy(plan);
  assert_int_equal(relayout_device_import_wisdom(second, wisdom, size, NULL), RELAYOUT_OK);
  plan = plan_on(second, RELAYOUT_PLAN_ADAPT);
  expect_text(plan, text);
  expect_in_json(plan, RELAYOUT_EXPLAIN_JSON, "\"chosen_by\":\"wisdom\"");
  relayout_plan_destroy(plan);
  relayout_device_destroy(first);
  relayout_device_destroy(second);
}

/* A line that other sides or a schedule that cannot be made stand in does no harm. */
static void test_wisdom_that_does_not_fit(void **state) {
  (void)state;
  static char wisdom[1 << 16];
  relayout_device *const on = open_without_wisdom();
  relayout_plan *plan = plan_on(on, RELAYOUT_PLAN_MEASURE);
  relayout_plan_destroy(plan);
  const size_t size = relayout_device_export_wisdom(on, wisdom, sizeof wisdom);
  char *const sizes = strstr(wisdom, " sizes=");
  assert_non_null(sizes);
  for (char *at = sizes + strlen(" sizes="); *at >= '0' && *at <= '9'; ++at) {
    *at = '9'; /* 9 or 99: with 512 and more along the other dimension */
  }
  char *const comma = strchr(sizes, ',');
  assert_non_null(comma);
  comma[1] = '0';
  assert_int_equal(relayout_device_import_wisdom(on, wisdom, size, NULL), RELAYOUT_OK);
  plan = plan_on(on, RELAYOUT_PLAN_ESTIMATE);
  expect_in_json(plan, RELAYOUT_EXPLAIN_JSON, "\"chosen_by\":\"estimate\"");
  relayout_plan_destroy(plan);
  relayout_device_destroy(on);
}

/* One schedule is not compared with itself. */
static void test_one_is_not_measured(void **state) {
  (void)state;
  const relayout_scaled_view from = scaled_of("f32[96,512]"), to = scaled_of("q8_0[96,512]");
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  relayout_plan *plan;
  options.effort = RELAYOUT_PLAN_MEASURE;
  options.measured = 1;
  assert_int_equal(relayout_plan_create_many(device, &from, &to, 1, &options, &plan, NULL),
                   RELAYOUT_OK);
  expect_in_json(plan, RELAYOUT_EXPLAIN_JSON, "\"chosen_by\":\"estimate\"");
  relayout_plan_destroy(plan);
}

/* Both sides take 2 GB, and scratch memory 1 GiB at most. */
static void test_large_is_not_measured(void **state) {
  (void)state;
  relayout_plan *plan;
  relayout_error error = {.message = ""};
  assert_int_equal(create(device, "f32[20000,20000]", "s8[20000,20000]{0,1}", NULL,
                          RELAYOUT_PLAN_MEASURE, &plan, &error),
                   RELAYOUT_OK);
  expect_in_json(plan, RELAYOUT_EXPLAIN_JSON, "\"chosen_by\":\"estimate\"");
  relayout_plan_destroy(plan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_texts),
      cmocka_unit_test(test_range_within_a_byte),
      cmocka_unit_test(test_refused_texts),
      cmocka_unit_test(test_refused_by_sides),
      cmocka_unit_test(test_number_of_texts),
      cmocka_unit_test(test_no_boxes),
      cmocka_unit_test(test_bytes),
      cmocka_unit_test(test_figures),
      cmocka_unit_test(test_counts),
      cmocka_unit_test(test_offers),
      cmocka_unit_test(test_explanations),
      cmocka_unit_test(test_measured),
      cmocka_unit_test(test_wisdom_that_does_not_fit),
      cmocka_unit_test(test_one_is_not_measured),
      cmocka_unit_test(test_large_is_not_measured),
  };
  return cmocka_run_group_tests_name("many.schedules", tests, open_device, close_device);
}
