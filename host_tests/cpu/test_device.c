/* Making CPU devices: options good and bad, what they say of themselves, what a program says. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "cpu/cpu.h"
#include "cpu/trial.h"
#include "host/processors.h"
#include "plan/plan.h"
#include "relayout/device.h"

static void run_in_turn(void *context, size_t count, void (*task)(void *data, size_t i),
                        void *data) {
  (void)context;
  for (size_t i = 0; i < count; ++i) {
    task(data, i);
  }
}

typedef struct bad_options {
  relayout_cpu_options options;
  const char *named; /* argument and value, as the message has them */
} bad_options;

static void test_bad_options(void **state) {
  (void)state;
  const bad_options cases[] = {
      {{.struct_size = 0}, "options->struct_size is 0"},
      {{.struct_size = 7, .threads = 1}, "options->struct_size is 7"},
      {{.struct_size = sizeof(relayout_cpu_options), .threads = -1}, "options->threads is -1"},
      {{.struct_size = sizeof(relayout_cpu_options),
        .threads = INT32_MIN,
        .parallel_for = run_in_turn},
       "options->threads is -2147483648"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    relayout_device *device = NULL;
    relayout_error error = {0};
    assert_int_equal(relayout_cpu_device_create(&cases[i].options, &device, &error),
                     RELAYOUT_INVALID_ARGUMENT);
    assert_int_equal(error.status, RELAYOUT_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, cases[i].named));
    assert_null(device);
  }
  relayout_error error = {0};
  assert_int_equal(relayout_cpu_device_create(NULL, NULL, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "device is NULL");
}

static uint32_t compute_units(const relayout_cpu_options *options) {
  relayout_device *device = NULL;
  assert_int_equal(relayout_cpu_device_create(options, &device, NULL), RELAYOUT_OK);
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  assert_int_equal(relayout_device_get_info(device, &info, NULL), RELAYOUT_OK);
  relayout_device_destroy(device);
  return info.compute_units;
}

static void test_thread_counts(void **state) {
  (void)state;
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = 1;
  assert_int_equal(compute_units(&options), 1);
  options.parallel_for = run_in_turn;
  options.threads = 7;
  assert_int_equal(compute_units(&options), 7);
  options.threads = 0;
  assert_int_equal(compute_units(&options), rlt_cpu_processors());
}

/* The library has as many threads as there are processors, and no more. */
static void test_thread_counts_without_parallel_for(void **state) {
  (void)state;
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  assert_int_equal(compute_units(&options), rlt_cpu_processors());
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  options.threads = (int32_t)online;
  assert_int_equal(compute_units(&options), online);
  options.threads = INT32_MAX;
  assert_true(compute_units(&options) >= online);
  assert_true(compute_units(&options) <= sysconf(_SC_NPROCESSORS_CONF));
}

static void test_info(void **state) {
  (void)state;
  relayout_device *device = NULL;
  assert_int_equal(relayout_cpu_device_create(NULL, &device, NULL), RELAYOUT_OK);
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  assert_int_equal(relayout_device_get_info(device, &info, NULL), RELAYOUT_OK);
  assert_int_equal(info.struct_size, sizeof info);
  assert_int_equal(info.backend, RELAYOUT_BACKEND_CPU);
  assert_int_equal(info.device_class, RELAYOUT_DEVICE_CLASS_CPU);
  assert_string_equal(info.name, "cpu");
  assert_true(strlen(info.description) > 0);
  assert_null(strchr(info.description, '\n'));
  assert_string_equal(info.platform, "");
  assert_string_equal(info.driver, "");
  assert_true(info.compute_units >= 1);
  assert_true(info.memory_bytes ==
              (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
  assert_true(info.allocation_bytes == 0);

  relayout_device_info listed = RELAYOUT_DEVICE_INFO_INIT;
  rlt_cpu_default_info(&listed);
  assert_memory_equal(&listed, &info, sizeof info);
  relayout_device_destroy(device);
}

typedef struct description {
  rlt_problem problem;
  const char *text;
} description;

static void test_descriptions(void **state) {
  (void)state;
  static const description cases[] = {
      {{.element_bytes = 4,
        .source_elements = 1 << 20,
        .destination_elements = 1 << 20,
        .axis_count = 2,
        .axes = {{1024, 1024, 1024, 1}, {1024, 1024, 1, 1024}}},
       "transpose of 4-byte words in 256 tiles of 32 x 128, 32 blocks on 3 threads with plain"},
      {{.element_bytes = 1,
        .source_elements = 1000,
        .destination_elements = 1000,
        .axis_count = 1,
        .axes = {{1000, 1000, 1, 1}}},
       "copy of 1-byte words in 1 tile of 1 x 1000, 1 block on 1 thread with plain"},
  };
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = 3;
  options.parallel_for = run_in_turn;
  relayout_device *device = NULL;
  setenv("RELAYOUT_CPU_INSTRUCTIONS", "plain", 1);
  assert_int_equal(relayout_cpu_device_create(&options, &device, NULL), RELAYOUT_OK);
  unsetenv("RELAYOUT_CPU_INSTRUCTIONS");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    relayout_plan *const plan = trial_plan(device, &cases[i].problem);
    char buffer[256];
    rlt_text text = rlt_text_in(buffer, sizeof buffer);
    rlt_cpu_backend.program_describe(device, plan->work.parts[0].ways[0].program, &text);
    assert_string_equal(buffer, cases[i].text);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bad_options),
      cmocka_unit_test(test_thread_counts),
      cmocka_unit_test(test_thread_counts_without_parallel_for),
      cmocka_unit_test(test_info),
      cmocka_unit_test(test_descriptions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
