/* test_extreme_shapes.c: shapes as large as any may be are planned, measured and explained in
 * numbers that are right, in little time and memory; larger ones are refused by name. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "conformance/schedules.h"
#include "relayout/index.h"
#include "relayout/relayout.h"
#include "shape_of.h"
#include "view_of.h"

enum { EXPLAINED_SIZE = 1 << 16, MIB = 1 << 20 };

static int set_up(void **state) {
  setenv("RELAYOUT_CACHE", "off", 1);
  return relayout_device_open("cpu", (relayout_device **)state, NULL) == RELAYOUT_OK ? 0 : -1;
}

static int tear_down(void **state) {
  relayout_device_destroy(*state);
  return 0;
}

static int64_t number_behind(const char *json, const char *key) {
  const char *const found = strstr(json, key);
  assert_non_null(found);
  return strtoll(found + strlen(key), NULL, 10);
}

typedef struct extreme {
  const char *from;
  const char *to;
  int64_t read; /* bytes */
  int64_t written;
  int64_t padding;
} extreme;

#define PIB(n) ((int64_t)(n) << 50)

static const extreme extremes[] = {
    /* 2^57 bytes on either side. */
    {"u8[134217728,1073741824]{1,0}", "u8[134217728,1073741824]{0,1}", PIB(128), PIB(128), 0},
    {"f32[36028797018963968]", "f32[36028797018963968]", PIB(128), PIB(128), 0},
    {"pred[1152921504606846976]{0:E(1)}", "pred[1152921504606846976]{0:E(1)}", PIB(128), PIB(128),
     0},
    {"pred[1073741824,1073741824]{1,0:E(1)}", "pred[1073741824,1073741824]{0,1:E(1)}", PIB(128),
     PIB(128), 0},
    {"c128[9007199254740992]", "c128[9007199254740992]{0:L(4)}", PIB(128), PIB(128), 0},
    {"u8[268435456,8,67108864]{2,1,0}", "u8[268435456,8,67108864]{0,1,2}", PIB(128), PIB(128), 0},
    {"f64[16777216,16,67108864]{2,1,0}", "pred[16777216,16,67108864]{0,2,1:E(1)}", PIB(128), PIB(2),
     0},
    /* Nearly all of it padding: strides that nothing takes would be longer than any number. */
    {"f32[2]", "f32[2]{0:PD(36028797018963968)}", 8, PIB(128), PIB(128) - 8},
    {"f32[2,1]{0,1:PD(16777216,1073741824)}", "f32[2,1]{0,1:PD(1073741824,33554432)}", 8, PIB(128),
     PIB(128) - 8},
    {"u8[3]{0:T(72057594037927936)}", "u8[3]{0:T(128)L(144115188075855872)}", 3, PIB(128),
     PIB(128) - 3},
    {"f64[2,1]{1,0:PD(2,4503599627370496)}", "pred[2,1]{1,0:PD(1073741824,1073741824)E(1)}", 16,
     PIB(128), PIB(128)},
    {"u8[100,3]{1,0:T(8,128)}", "u8[100,3]{1,0:PD(17592186044416,8192)T(8,128)}", 300, PIB(128),
     PIB(128) - 300},
    /* In steps: the tiles of both sides share no divisor. */
    {"u8[144115188075855800]{0:T(9)}", "u8[144115188075855800]{0:T(7)}",
     INT64_C(144115188075855800), INT64_C(144115188075855801), 1},
};

static void check_explained(const extreme *shapes, const relayout_plan *plan) {
  static char text[EXPLAINED_SIZE];
  assert_true(relayout_plan_explain(plan, RELAYOUT_EXPLAIN_TEXT, text, sizeof text) < sizeof text);
  assert_null(strstr(text, ": -"));
  assert_true(relayout_plan_explain(plan, RELAYOUT_EXPLAIN_JSON, text, sizeof text) < sizeof text);
  const int64_t read = number_behind(text, "\"bytes_read\":");
  const int64_t written = number_behind(text, "\"bytes_written\":");
  const int64_t padding = number_behind(text, "\"padding_bytes\":");
  if (read != shapes->read || written != shapes->written || padding != shapes->padding) {
    fail_msg("%s to %s: %lld read, %lld written, %lld of them padding", shapes->from, shapes->to,
             (long long)read, (long long)written, (long long)padding);
  }
}

static void plan_and_check(relayout_device *device, const extreme *shapes,
                           relayout_plan_effort effort) {
  const relayout_shape from = shape_of(shapes->from);
  const relayout_shape to = shape_of(shapes->to);
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.effort = effort;
  relayout_plan *plan = NULL;
  relayout_error error;
  if (relayout_plan_create(device, &from, &to, &options, &plan, &error) != RELAYOUT_OK) {
    fail_msg("%s to %s: %s", shapes->from, shapes->to, error.message);
  }
  size_t bytes = 0;
  assert_int_equal(relayout_shape_byte_size(&to, &bytes, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_destination_size(plan), bytes);
  assert_true(relayout_plan_get_predicted_fraction(plan) > 0);
  check_explained(shapes, plan);
  relayout_plan_destroy(plan);
}

static void test_planned_and_explained(void **state) {
  for (size_t i = 0; i < sizeof extremes / sizeof extremes[0]; ++i) {
    plan_and_check(*state, &extremes[i], RELAYOUT_PLAN_ESTIMATE);
  }
}

/* None of them has a part that fits the memory to measure in, or all ways but one are out of
 * question. */
static void test_measured(void **state) {
  for (size_t i = 0; i < sizeof extremes / sizeof extremes[0]; ++i) {
    plan_and_check(*state, &extremes[i], RELAYOUT_PLAN_MEASURE);
  }
}

/* Whatever is offered can be asked for, whether it suits or not. */
static void test_forced_schedules(void **state) {
  for (size_t i = 0; i < sizeof extremes / sizeof extremes[0]; ++i) {
    const relayout_shape from = shape_of(extremes[i].from);
    const relayout_shape to = shape_of(extremes[i].to);
    relayout_plan *plan = NULL;
    schedules offered;
    assert_int_equal(relayout_plan_create(*state, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
    assert_true(schedules_of(plan, &offered));
    relayout_plan_destroy(plan);
    for (size_t round = 0; round < offered.count; ++round) {
      const char *texts[SCHEDULES_MOST_PARTS];
      relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
      relayout_error error;
      schedules_of_round(&offered, round, texts);
      options.schedules = texts;
      options.schedule_count = offered.part_count;
      if (relayout_plan_create(*state, &from, &to, &options, &plan, &error) != RELAYOUT_OK) {
        fail_msg("%s to %s by %s: %s", extremes[i].from, extremes[i].to, texts[0], error.message);
      }
      check_explained(&extremes[i], plan);
      relayout_plan_destroy(plan);
    }
    schedules_free(&offered);
  }
}

/* No table is as long as a tensor. */
static void test_little_memory(void **state) {
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  for (size_t i = 0; i < sizeof extremes / sizeof extremes[0]; ++i) {
    plan_and_check(*state, &extremes[i], RELAYOUT_PLAN_ESTIMATE);
  }
  getrusage(RUSAGE_SELF, &after);
  assert_true((after.ru_maxrss - before.ru_maxrss) * 1024 < (long)64 * MIB);
}

/* ---- Too large ---- */

static void test_refused(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *message;
  } cases[] = {
      {"u8[1610612737,1073741824]", "dimensions[1], which is 1073741824, an array of u8 exceeds "
                                    "144115188075855872 elements"},
      {"u8[34359738370,67108864]", "dimensions[1], which is 67108864"},
      {"u8[144115188075855873]", "dimensions[0], which is 144115188075855873"},
      {"f32[36028797018963969]", "dimensions[0], which is 36028797018963969"},
      {"pred[1152921504606846977]{0:E(1)}", "dimensions[0], which is 1152921504606846977"},
      {"f32[2]{0:PD(36028797018963969)}", "padded_dimensions[0], which is 36028797018963969"},
      {"u8[2]{0:T(144115188075855873)}", "tile 0"},
      {"u8[2]{0:L(144115188075855873)}", "tail_padding_alignment_in_elements, which is 144"},
      {"u8[0,144115188075855873]", "dimensions[1], which is 144115188075855873"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_shape shape;
    relayout_error error;
    if (relayout_shape_parse(cases[i].text, &shape, &error) != RELAYOUT_SIZE_OVERFLOW ||
        strstr(error.message, cases[i].message) == NULL) {
      fail_msg("%s: %s", cases[i].text, error.message);
    }
  }
}

static relayout_status plan_strided(relayout_device *device, const int64_t *source,
                                    const int64_t *destination, relayout_error *error) {
  const relayout_shape shape = shape_of("f32[3,5]");
  const relayout_view from = view_of(&shape, source);
  const relayout_view to = view_of(&shape, destination);
  relayout_plan *plan = NULL;
  const relayout_status status =
      relayout_plan_create_between(device, &from, &to, NULL, &plan, error);
  if (plan != NULL) {
    assert_true(relayout_plan_source_size(plan) <= (size_t)1 << 57);
    assert_true(relayout_plan_destination_size(plan) <= (size_t)1 << 57);
  }
  relayout_plan_destroy(plan);
  return status;
}

/* Two steps of 2^56 - 12 bytes, four of 4 and an element: 2^57 - 4. */
static void test_strides(void **state) {
  static const int64_t most[] = {((int64_t)1 << 56) - 12, 4};
  static const int64_t most_backwards[] = {-(((int64_t)1 << 56) - 12), -4};
  static const int64_t beyond[] = {(int64_t)1 << 56, 4};
  static const int64_t beyond_backwards[] = {INT64_MIN, 4};
  static const int64_t between[] = {((int64_t)1 << 56) - 8, 5};
  relayout_error error;
  assert_int_equal(plan_strided(*state, most, NULL, NULL), RELAYOUT_OK);
  assert_int_equal(plan_strided(*state, NULL, most, NULL), RELAYOUT_OK);
  assert_int_equal(plan_strided(*state, most_backwards, most, NULL), RELAYOUT_OK);
  assert_int_equal(plan_strided(*state, most, most_backwards, NULL), RELAYOUT_OK);
  assert_int_equal(plan_strided(*state, beyond, NULL, &error), RELAYOUT_SIZE_OVERFLOW);
  assert_string_equal(error.message, "from->byte_strides[0] is 72057594037927936; 2 steps of "
                                     "it exceed 144115188075855872 bytes");
  assert_int_equal(plan_strided(*state, NULL, beyond_backwards, &error), RELAYOUT_SIZE_OVERFLOW);
  assert_non_null(strstr(error.message, "to->byte_strides[0] is -9223372036854775808"));
  assert_int_equal(plan_strided(*state, between, NULL, &error), RELAYOUT_SIZE_OVERFLOW);
  assert_non_null(strstr(error.message, "from->byte_strides[1] is 5; 4 steps"));
}

/* A stride that is never taken may be anything, and so may all of an array without elements. */
static void test_strides_that_nothing_takes(void **state) {
  static const int64_t any[] = {INT64_MIN, INT64_MIN, INT64_MAX};
  static const char *const texts[] = {"f32[0,7,7]", "f32[1,1,1]"};
  for (int i = 0; i < 2; ++i) {
    const relayout_shape shape = shape_of(texts[i]);
    const relayout_view view = view_of(&shape, any);
    relayout_plan *plan = NULL;
    assert_int_equal(relayout_plan_create_between(*state, &view, &view, NULL, &plan, NULL),
                     RELAYOUT_OK);
    assert_int_equal(relayout_plan_destination_size(plan), i == 0 ? 0 : 4);
    relayout_plan_destroy(plan);
  }
}

/* Nobody counts what steps write where padding stays as it was, in several parts of an element's
 * words. */
static void test_fraction_of_uncounted_parts(void **state) {
  static const int64_t strides[] = {18, 6};
  const relayout_shape from = shape_of("f32[7,3]");
  const relayout_shape to = shape_of("f32[7,3]{0,1:PD(7,5)PV(unknown)T(*,4)(3)}");
  const relayout_view view = view_of(&from, strides);
  const relayout_view whole = view_of(&to, NULL);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_between(*state, &view, &whole, NULL, &plan, NULL),
                   RELAYOUT_OK);
  const double fraction = relayout_plan_get_predicted_fraction(plan);
  assert_true(fraction > 0 && fraction <= 1);
  relayout_plan_destroy(plan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_planned_and_explained),
      cmocka_unit_test(test_measured),
      cmocka_unit_test(test_forced_schedules),
      cmocka_unit_test(test_little_memory),
      cmocka_unit_test(test_fraction_of_uncounted_parts),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_strides),
      cmocka_unit_test(test_strides_that_nothing_takes),
  };
  return cmocka_run_group_tests_name("plan.extreme_shapes", tests, set_up, tear_down);
}
