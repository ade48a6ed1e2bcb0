/* test_host_memory.c: who moves host memory: the device, or the CPU backend instead of a GPU that
 * would have to fetch it. The driver is one of memory, whose kernels move nothing: what arrives has
 * been moved by the CPU. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "opencl/fake_driver.h"
#include "relayout/relayout.h"

/* {1,2,3} {4,5,6} by columns, and behind each column a zero. */
static const uint8_t rows[6] = {1, 2, 3, 4, 5, 6};
static const uint8_t padded_columns[9] = {1, 4, 0, 2, 5, 0, 3, 6, 0};

static fake_device gpu;
static fake_platform platform;

static relayout_device *open_device(const char *name, cl_bool shares_memory) {
  relayout_device *device = NULL;
  relayout_error error = {0};
  gpu = fake_gpu;
  gpu.shares_memory = shares_memory;
  platform = (fake_platform){"A", "OpenCL 3.0 of the platform", 1, {&gpu}};
  fake_driver_begin(&platform);
  if (relayout_device_open(name, &device, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  fake_forget();
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  assert_int_equal(relayout_device_get_info(device, &info, NULL), RELAYOUT_OK);
  assert_string_equal(info.name, "opencl:0:0");
  assert_int_equal(info.shares_host_memory, shares_memory);
  return device;
}

/* Nothing of the driver's is held any more. */
static void leave(relayout_device *device) {
  relayout_device_destroy(device);
  assert_int_equal(fake_all_holders(), 0);
}

static void read_shapes(relayout_shape *from, relayout_shape *to) {
  assert_int_equal(relayout_shape_parse("u8[2,3]", from, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_shape_parse("u8[2,3]{0,1:PD(3,3)}", to, NULL), RELAYOUT_OK);
}

static relayout_plan *make_plan(relayout_device *device, const relayout_plan_options *options) {
  relayout_shape from;
  relayout_shape to;
  relayout_plan *plan = NULL;
  relayout_error error = {0};
  read_shapes(&from, &to);
  if (relayout_plan_create(device, &from, &to, options, &plan, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  return plan;
}

/* By both calls, twice, since the second time the plan is there. */
static void expect_moved(relayout_device *device, bool by_cpu) {
  relayout_shape from;
  relayout_shape to;
  read_shapes(&from, &to);
  relayout_plan *const plan = make_plan(device, NULL);
  for (int i = 0; i < 4; ++i) {
    uint8_t moved[9];
    relayout_error error = {0};
    memset(moved, 0x5a, sizeof moved);
    fake_forget();
    if ((i % 2 == 0 ? relayout_copy(device, &from, &to, rows, moved, &error)
                    : relayout_plan_execute(plan, rows, moved, &error)) != RELAYOUT_OK) {
      fail_msg("%s", error.message);
    }
    assert_int_equal(fake.command_count == 0, by_cpu);
    assert_int_equal(memcmp(moved, padded_columns, sizeof moved) == 0, by_cpu);
  }
  relayout_plan_destroy(plan);
}

static void test_auto_of_a_discrete_gpu(void **state) {
  (void)state;
  relayout_device *const device = open_device("auto", CL_FALSE);
  expect_moved(device, true);
  relayout_device_trim(device);
  assert_int_equal(relayout_device_set_budget(device, 0, NULL), RELAYOUT_OK);
  expect_moved(device, true);
  leave(device);
}

static void test_auto_of_an_integrated_gpu(void **state) {
  (void)state;
  relayout_device *const device = open_device("auto", CL_TRUE);
  expect_moved(device, false);
  leave(device);
}

static void test_devices_by_name(void **state) {
  (void)state;
  static const char *const names[] = {"opencl", "opencl:0:0"};
  for (int i = 0; i < 4; ++i) {
    relayout_device *const device = open_device(names[i / 2], i % 2 == 0 ? CL_TRUE : CL_FALSE);
    expect_moved(device, false);
    leave(device);
  }
}

/* Plans of several destinations go the same ways. */
static void test_several_destinations(void **state) {
  (void)state;
  static const struct {
    const char *name;
    cl_bool shares_memory;
    bool is_on_device;
  } cases[] = {{"auto", CL_FALSE, false}, {"auto", CL_TRUE, true}, {"opencl", CL_FALSE, true}};
  relayout_scaled_view from;
  relayout_scaled_view to;
  assert_int_equal(relayout_scaled_view_parse("u8[2,3]", &from, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_scaled_view_parse("u8[2,3]{0,1:PD(3,3)}", &to, NULL), RELAYOUT_OK);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_device *const device = open_device(cases[i].name, cases[i].shares_memory);
    relayout_plan *plan = NULL;
    uint8_t moved[9];
    const relayout_source_memory source = {.elements = rows};
    const relayout_destination_memory destination = {.elements = moved};
    assert_int_equal(relayout_plan_create_many(device, &from, &to, 1, NULL, &plan, NULL),
                     RELAYOUT_OK);
    fake_forget();
    assert_int_equal(relayout_plan_execute_many(plan, &source, &destination, NULL), RELAYOUT_OK);
    assert_int_equal(fake.command_count > 0, cases[i].is_on_device);
    if (!cases[i].is_on_device) {
      assert_memory_equal(moved, padded_columns, sizeof moved);
    }
    relayout_plan_destroy(plan);
    leave(device);
  }
}

/* They are the device's own. */
static void test_schedules_asked_for(void **state) {
  (void)state;
  relayout_device *const device = open_device("auto", CL_FALSE);
  relayout_plan *const first = make_plan(device, NULL);
  char text[1024];
  assert_true(relayout_plan_get_schedule(first, 0, RELAYOUT_SCHEDULE_AT_ANY_OFFSET, text,
                                         sizeof text) < sizeof text);
  const char *const texts[] = {text};
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.schedules = texts;
  options.schedule_count = 1;
  relayout_plan *const plan = make_plan(device, &options);
  uint8_t moved[9] = {0};
  fake_forget();
  assert_int_equal(relayout_plan_execute(plan, rows, moved, NULL), RELAYOUT_OK);
  assert_true(fake.command_count > 0);
  relayout_plan_destroy(plan);
  relayout_plan_destroy(first);
  leave(device);
}

/* Views, their offsets and ranges are the same there, and so are the options. */
static void test_ranges_and_options(void **state) {
  (void)state;
  relayout_device *const device = open_device("auto", CL_FALSE);
  relayout_shape shape;
  relayout_view from;
  relayout_view to;
  relayout_plan *plan = NULL;
  const int64_t start[] = {0, 1};
  const int64_t sizes[] = {2, 2};
  const uint8_t wanted[8] = {0x5a, 0x5a, 4, 10, 6, 12, 0x5a, 0x5a};
  uint8_t moved[8];
  assert_int_equal(relayout_shape_parse("u8[2,3]", &shape, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_view_make(&shape, &from, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_shape_parse("s8[2,3]{0,1}", &shape, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_view_make(&shape, &to, NULL), RELAYOUT_OK);
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.scale = 2;
  assert_int_equal(
      relayout_plan_create_range(device, &from, &to, start, sizes, &options, &plan, NULL),
      RELAYOUT_OK);
  memset(moved, 0x5a, sizeof moved);
  fake_forget();
  assert_int_equal(relayout_plan_execute(plan, rows, moved, NULL), RELAYOUT_OK);
  assert_int_equal(fake.command_count, 0);
  assert_memory_equal(moved, wanted, sizeof moved);
  relayout_device_destroy(device); /* which the plan still needs */
  assert_int_equal(relayout_plan_execute(plan, rows, moved, NULL), RELAYOUT_OK);
  assert_memory_equal(moved, wanted, sizeof moved);
  relayout_plan_destroy(plan);
  assert_int_equal(fake_all_holders(), 0);
}

/* An explanation says who moves host memory. */
static void test_explained(void **state) {
  (void)state;
  static const struct {
    const char *name;
    cl_bool shares_memory;
    bool by_cpu;
  } cases[] = {{"auto", CL_FALSE, true}, {"auto", CL_TRUE, false}, {"opencl", CL_FALSE, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_device *const device = open_device(cases[i].name, cases[i].shares_memory);
    relayout_plan *const plan = make_plan(device, NULL);
    char text[4096];
    assert_true(relayout_plan_explain(plan, RELAYOUT_EXPLAIN_TEXT, text, sizeof text) <
                sizeof text);
    assert_int_equal(strstr(text, "\nhost memory: moved by the CPU backend, ") != NULL,
                     cases[i].by_cpu);
    assert_int_equal(strstr(text, "\nhost memory: 6 bytes up and ") != NULL, !cases[i].by_cpu);
    relayout_plan_destroy(plan);
    leave(device);
  }
}

/* What is wrong with the CPU backend is told, and nothing is left. */
static void test_no_cpu_backend(void **state) {
  (void)state;
  relayout_device *device = NULL;
  relayout_error error = {0};
  gpu = fake_gpu;
  platform = (fake_platform){"A", "OpenCL 3.0 of the platform", 1, {&gpu}};
  fake_driver_begin(&platform);
  assert_int_equal(setenv("RELAYOUT_CPU_FACTS", "line=none", 1), 0);
  assert_int_equal(relayout_device_open("auto", &device, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(unsetenv("RELAYOUT_CPU_FACTS"), 0);
  assert_non_null(strstr(error.message, "RELAYOUT_CPU_FACTS"));
  assert_null(device);
  assert_int_equal(fake_all_holders(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_auto_of_a_discrete_gpu),
      cmocka_unit_test(test_auto_of_an_integrated_gpu),
      cmocka_unit_test(test_devices_by_name),
      cmocka_unit_test(test_several_destinations),
      cmocka_unit_test(test_schedules_asked_for),
      cmocka_unit_test(test_ranges_and_options),
      cmocka_unit_test(test_explained),
      cmocka_unit_test(test_no_cpu_backend),
  };
  setenv("RELAYOUT_CACHE", "off", 1);
  fake_driver_use();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
