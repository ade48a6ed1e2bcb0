/* test_plan_info.c: what plans come to, worked out by hand; and who holds them. */
#include "cmocka_all.h"

#include <stdint.h>
#include <string.h>

#include "plan/recorder.h"
#include "relayout/relayout.h"
#include "shape_of.h"
#include "view_of.h"

static relayout_plan_info info_of(const relayout_plan *plan) {
  relayout_plan_info info;
  memset(&info, 0x5a, sizeof info);
  info.struct_size = sizeof info;
  assert_int_equal(relayout_plan_get_info(plan, &info, NULL), RELAYOUT_OK);
  assert_int_equal(info.struct_size, sizeof info);
  return info;
}

static void test_numbers(void **state) {
  (void)state;
  static const struct {
    const char *from;
    const char *to;
    uint64_t source, destination, read, written, left_alone, padding;
    int32_t moves_nothing, is_bitcast;
  } cases[] = {
      {"f32[2,3]", "f32[2,3]", 24, 24, 24, 24, 0, 0, 0, 1},
      {"f32[2,3]", "f32[2,3]{0,1}", 24, 24, 24, 24, 0, 0, 0, 0},
      {"f32[2,3]", "f32[2,3]{0,1:PD(3,5)}", 24, 60, 24, 60, 0, 36, 0, 0},
      {"f32[2,3]", "f32[2,3]{1,0:PD(2,4)PV(unknown)}", 24, 32, 24, 24, 8, 0, 0, 0},
      {"f32[2,3]{1,0:PD(2,4)}", "f32[2,3]{1,0:PD(2,4)PV(unknown)}", 32, 32, 24, 24, 8, 0, 0, 1},
      {"f32[2,3]{1,0:PD(2,4)}", "f32[2,3]{1,0:PD(2,4)}", 32, 32, 24, 32, 0, 8, 0, 0},
      {"f32[2,3]", "s32[2,3]", 24, 24, 24, 24, 0, 0, 0, 0},
      {"f32[1,3]{0,1}", "f32[1,3]", 12, 12, 12, 12, 0, 0, 0, 1},
      {"s4[5]", "s4[5]{0:L(8)E(4)}", 5, 4, 5, 4, 0, 2, 0, 0},
      {"u4[2]{0:E(4)}", "u4[2]{0:E(4)}", 1, 1, 1, 1, 0, 0, 0, 1},
      {"f32[1,3]{1,0:PD(4,3)}", "f32[1,3]", 48, 12, 12, 12, 0, 0, 0, 1},
      {"f32[0,3]", "f32[0,3]", 0, 0, 0, 0, 0, 0, 1, 1},
      {"f32[0,3]", "f32[0,3]{1,0:PD(2,3)}", 0, 24, 0, 24, 0, 24, 0, 0},
  };
  relayout_device *device = NULL;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const relayout_shape from = shape_of(cases[i].from);
    const relayout_shape to = shape_of(cases[i].to);
    relayout_plan *plan = NULL;
    print_message("%s to %s\n", cases[i].from, cases[i].to);
    assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
    const relayout_plan_info info = info_of(plan);
    assert_int_equal(info.source_bytes, cases[i].source);
    assert_int_equal(info.destination_bytes, cases[i].destination);
    assert_int_equal(info.bytes_read, cases[i].read);
    assert_int_equal(info.bytes_written, cases[i].written);
    assert_int_equal(info.bytes_left_alone, cases[i].left_alone);
    assert_int_equal(info.padding_bytes, cases[i].padding);
    assert_int_equal(info.moves_nothing, cases[i].moves_nothing);
    assert_int_equal(info.is_bitcast, cases[i].is_bitcast);
    assert_int_equal(info.part_count, relayout_plan_part_count(plan));
    assert_true(info.predicted_fraction == relayout_plan_get_predicted_fraction(plan));
    assert_int_equal(info.kernel_count, 0);
    assert_int_equal(info.device_bytes, 0);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
}

/* Backwards, and with gaps. */
static void test_views(void **state) {
  (void)state;
  relayout_device *device = NULL;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  const relayout_shape shape = shape_of("u8[4]");
  const relayout_view plain = view_of(&shape, NULL);
  const relayout_view backwards = view_of(&shape, (const int64_t[]){-1});
  const relayout_view apart = view_of(&shape, (const int64_t[]){3});
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_between(device, &backwards, &plain, NULL, &plan, NULL),
                   RELAYOUT_OK);
  assert_int_equal(info_of(plan).is_bitcast, 0);
  relayout_plan_destroy(plan);
  assert_int_equal(relayout_plan_create_between(device, &apart, &apart, NULL, &plan, NULL),
                   RELAYOUT_OK);
  assert_int_equal(info_of(plan).is_bitcast, 1);
  assert_int_equal(info_of(plan).destination_bytes, 10);
  assert_int_equal(info_of(plan).bytes_left_alone, 6);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

static void test_refused(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  const relayout_shape shape = shape_of("u8[4]");
  relayout_plan *plan = NULL;
  relayout_error error;
  assert_int_equal(relayout_plan_create(device, &shape, &shape, NULL, &plan, NULL), RELAYOUT_OK);
  relayout_plan_info info = RELAYOUT_PLAN_INFO_INIT;
  assert_int_equal(relayout_plan_get_info(NULL, &info, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_plan_get_info(plan, NULL, &error), RELAYOUT_INVALID_ARGUMENT);
  info.struct_size -= 1;
  assert_int_equal(relayout_plan_get_info(plan, &info, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "info->struct_size"));
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* The last of three lets the programs go. */
static void test_plans_are_held(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  const relayout_shape shape = shape_of("u8[4]");
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(device, &shape, &shape, NULL, &plan, NULL), RELAYOUT_OK);
  relayout_device_destroy(device);
  relayout_plan_retain(plan);
  relayout_plan_retain(plan);
  relayout_plan_retain(NULL);
  for (int i = 0; i < 3; ++i) {
    assert_true(record.programs_alive > 0);
    relayout_plan_destroy(plan);
  }
  assert_int_equal(record.programs_alive, 0);
}

/* What it remembers is dropped with the last hold. */
static void test_devices_are_held(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  relayout_device_retain(device);
  relayout_device_retain(NULL);
  relayout_device_destroy(device);
  const relayout_shape shape = shape_of("u8[4]");
  relayout_plan *plans[2] = {NULL, NULL};
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(relayout_plan_create(device, &shape, &shape, NULL, &plans[i], NULL),
                     RELAYOUT_OK);
    relayout_plan_destroy(plans[i]);
  }
  assert_ptr_equal(plans[0], plans[1]);
  assert_true(record.programs_alive > 0);
  relayout_device_destroy(device);
  assert_int_equal(record.programs_alive, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers),          cmocka_unit_test(test_views),
      cmocka_unit_test(test_refused),          cmocka_unit_test(test_plans_are_held),
      cmocka_unit_test(test_devices_are_held),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
