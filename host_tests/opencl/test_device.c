/* test_device.c: OpenCL devices: made from a caller's context, opened by number, listed, asked. */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "cpu/target.h"
#include "gpu/target.h"
#include "machine/host.h"
#include "opencl/bench.h"
#include "opencl/build.h"
#include "opencl/device.h"

static void test_null_handles(void **state) {
  const opencl_bench *const bench = *state;
  relayout_device *device = NULL;
  relayout_error error = {0};
  assert_int_equal(relayout_opencl_device_create(NULL, bench->id, NULL, &device, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "context is NULL");
  assert_int_equal(relayout_opencl_device_create(bench->context, NULL, NULL, &device, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "id is NULL");
  assert_int_equal(relayout_opencl_device_create(bench->context, bench->id, NULL, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "device is NULL");
  assert_null(device);

  cl_context context = NULL;
  cl_device_id id = NULL;
  assert_int_equal(relayout_opencl_device_get_handles(NULL, &context, &id, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_opencl_device_get_handles(bench->device, NULL, &id, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_opencl_device_get_handles(bench->device, &context, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
}

static void test_bad_options(void **state) {
  const opencl_bench *const bench = *state;
  relayout_device *device = NULL;
  relayout_error error = {0};
  relayout_opencl_options options = {0};
  assert_int_equal(
      relayout_opencl_device_create(bench->context, bench->id, &options, &device, &error),
      RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "options->struct_size is 0"));
  options = (relayout_opencl_options)RELAYOUT_OPENCL_OPTIONS_INIT;
  options.kernels = (relayout_kernel_family)4;
  assert_int_equal(
      relayout_opencl_device_create(bench->context, bench->id, &options, &device, &error),
      RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "options->kernels is 4, which is not a kernel family");
  options.kernels = (relayout_kernel_family)2; /* of relayout 0.1 */
  assert_int_equal(
      relayout_opencl_device_create(bench->context, bench->id, &options, &device, &error),
      RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "options->kernels is 2, RELAYOUT_KERNELS_DIRECT"));
  options = (relayout_opencl_options)RELAYOUT_OPENCL_OPTIONS_INIT;
  options.threads = -1;
  assert_int_equal(
      relayout_opencl_device_create(bench->context, bench->id, &options, &device, &error),
      RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "options->threads is -1; expected 0 or more");
  options = (relayout_opencl_options)RELAYOUT_OPENCL_OPTIONS_INIT;
  options.cache_directory = "cache";
  assert_int_equal(
      relayout_opencl_device_create(bench->context, bench->id, &options, &device, &error),
      RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "options->cache_directory is `cache`"));
  assert_null(device);
}

static void test_handles_are_the_callers(void **state) {
  const opencl_bench *const bench = *state;
  cl_context context = NULL;
  cl_device_id id = NULL;
  assert_int_equal(relayout_opencl_device_get_handles(bench->device, &context, &id, NULL),
                   RELAYOUT_OK);
  assert_ptr_equal(context, bench->context);
  assert_ptr_equal(id, bench->id);
}

static void test_handles_of_another_backend(void **state) {
  (void)state;
  relayout_device *cpu = NULL;
  cl_context context = NULL;
  cl_device_id id = NULL;
  assert_int_equal(relayout_device_open("cpu", &cpu, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_opencl_device_get_handles(cpu, &context, &id, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_null(context);
  relayout_device_destroy(cpu);
}

/* The context stays alive for the device, and is let go with it. */
static void test_context_is_retained(void **state) {
  const opencl_bench *const bench = *state;
  cl_uint before = 0;
  cl_uint with_device = 0;
  cl_uint after = 0;
  relayout_device *device = NULL;
  clGetContextInfo(bench->context, CL_CONTEXT_REFERENCE_COUNT, sizeof before, &before, NULL);
  assert_int_equal(relayout_opencl_device_create(bench->context, bench->id, NULL, &device, NULL),
                   RELAYOUT_OK);
  clGetContextInfo(bench->context, CL_CONTEXT_REFERENCE_COUNT, sizeof with_device, &with_device,
                   NULL);
  relayout_device_destroy(device);
  clGetContextInfo(bench->context, CL_CONTEXT_REFERENCE_COUNT, sizeof after, &after, NULL);
  assert_true(with_device > before);
  assert_int_equal(after, before);
}

static void test_family_follows_the_class(void **state) {
  const opencl_bench *const bench = *state;
  cl_device_exec_capabilities runs = 0;
  relayout_device *device = NULL;
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  assert_int_equal(relayout_opencl_device_create(bench->context, bench->id, NULL, &device, NULL),
                   RELAYOUT_OK);
  assert_int_equal(relayout_device_get_info(device, &info, NULL), RELAYOUT_OK);
  assert_int_equal(
      clGetDeviceInfo(bench->id, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof runs, &runs, NULL),
      CL_SUCCESS);
  const bool is_native =
      info.device_class == RELAYOUT_DEVICE_CLASS_CPU && (runs & CL_EXEC_NATIVE_KERNEL) != 0;
  assert_ptr_equal(device->facts.target, is_native ? &rlt_cpu_target : &rlt_gpu_target);
  relayout_device_destroy(device);
}

/* What the list says of a device, the device says of itself, and its name opens it. */
static void test_listed_name_opens_the_device(void **state) {
  const opencl_bench *const bench = *state;
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  relayout_device_info again = RELAYOUT_DEVICE_INFO_INIT;
  assert_int_equal(relayout_device_get_info(bench->device, &info, NULL), RELAYOUT_OK);
  assert_int_equal(info.backend, RELAYOUT_BACKEND_OPENCL);
  assert_true(info.description[0] != '\0');
  assert_true(info.platform[0] != '\0');
  assert_true(info.compute_units > 0);
  assert_true(info.allocation_bytes > 0);
  assert_true(info.memory_bytes >= info.allocation_bytes);

  relayout_device *opened = NULL;
  assert_int_equal(relayout_device_open(info.name, &opened, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_device_get_info(opened, &again, NULL), RELAYOUT_OK);
  assert_memory_equal(&info, &again, sizeof info);
  relayout_device_destroy(opened);
}

static cl_ulong told(cl_device_id id, cl_device_info what) {
  union {
    cl_ulong wide;
    cl_uint narrow;
  } answer = {0};
  size_t size = 0;
  assert_int_equal(clGetDeviceInfo(id, what, sizeof answer, &answer, &size), CL_SUCCESS);
  return size == sizeof answer.narrow ? answer.narrow : answer.wide;
}

/* A CPU device that shares this host's memory has this host's caches, another one what its driver
 * tells of a cache. What memory moves at once is the kernels' affair. */
static void test_facts(void **state) {
  const opencl_bench *const bench = *state;
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  assert_int_equal(relayout_device_get_info(bench->device, &info, NULL), RELAYOUT_OK);
  const bool is_host = info.device_class == RELAYOUT_DEVICE_CLASS_CPU &&
                       told(bench->id, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
  rlt_machine host = {0};
  if (is_host) {
    rlt_host_add_facts(&host);
  }
  if (host.caches[0].bytes == 0) {
    host.caches[0].bytes = (int64_t)told(bench->id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    host.line_bytes = (int64_t)told(bench->id, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE);
  }
  relayout_device_info expected = info;
  rlt_device_info_add_facts(&host, &expected);
  assert_memory_equal(info.caches, expected.caches, sizeof info.caches);
  assert_int_equal(info.line_bytes, expected.line_bytes);
  assert_int_equal(info.page_bytes, expected.page_bytes);
  assert_memory_equal(info.tlb_pages, expected.tlb_pages, sizeof info.tlb_pages);
  assert_int_equal(info.vector_bytes, told(bench->id, CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR));
  assert_string_equal(info.instructions, "");
}

/* A device of another context; only a machine with several has one. */
static void test_device_of_another_context(void **state) {
  const opencl_bench *const bench = *state;
  enum { MOST = 17 };
  relayout_device_info infos[MOST];
  for (size_t i = 0; i < MOST; ++i) {
    infos[i] = (relayout_device_info)RELAYOUT_DEVICE_INFO_INIT;
  }
  size_t count = 0;
  assert_int_equal(rlt_opencl_list(infos, MOST, &count, NULL), RELAYOUT_OK);
  for (size_t i = 0; i < count && i < MOST; ++i) {
    relayout_device *other = NULL;
    cl_context context = NULL;
    cl_device_id id = NULL;
    relayout_error error = {0};
    assert_int_equal(relayout_device_open(infos[i].name, &other, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_opencl_device_get_handles(other, &context, &id, NULL), RELAYOUT_OK);
    if (id != bench->id) {
      relayout_device *made = NULL;
      assert_int_equal(relayout_opencl_device_create(bench->context, id, NULL, &made, &error),
                       RELAYOUT_INVALID_ARGUMENT);
      assert_non_null(strstr(error.message, "is not a device of context"));
      assert_null(made);
    }
    relayout_device_destroy(other);
  }
}

static void test_no_such_numbers(void **state) {
  (void)state;
  relayout_device *device = NULL;
  relayout_error error = {0};
  assert_int_equal(rlt_opencl_open_at(1000, 2, &device, &error), RELAYOUT_NO_DEVICE);
  assert_non_null(strstr(error.message, "1000"));
  assert_int_equal(rlt_opencl_open_at(0, 4000000000u, &device, &error), RELAYOUT_NO_DEVICE);
  assert_non_null(strstr(error.message, "4000000000"));
  assert_null(device);
}

/* Shapes differ, the binary does not. */
static void test_one_binary_serves_many_shapes(void **state) {
  const opencl_bench *const bench = *state;
  static const char *const pairs[][2] = {
      {"f32[100,200]{1,0}", "f32[100,200]{0,1}"},
      {"s32[301,77]{1,0}", "s32[301,77]{0,1:PD(320,80)}"},
      {"u32[4,50,60]{2,1,0}", "u32[4,50,60]{1,2,0}"},
      {"f32[90,33,40]{0,1,2}", "f32[90,33,40]{2,1,0:PD(90,33,64)PV(-1)}"},
  };
  relayout_device *device = NULL;
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.kernels = bench->family;
  assert_int_equal(
      relayout_opencl_device_create(bench->context, bench->id, &options, &device, NULL),
      RELAYOUT_OK);
  rlt_build_counts builds = {0, 0}; /* several where the first work-groups were too large */
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
    relayout_shape from;
    relayout_shape to;
    relayout_plan *plan = NULL;
    assert_int_equal(relayout_shape_parse(pairs[i][0], &from, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_shape_parse(pairs[i][1], &to, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
    assert_string_equal(relayout_plan_get_method(plan), "transpose");
    relayout_plan_destroy(plan);
    if (i == 0) {
      builds = ((rlt_opencl_device *)device)->build_counts;
      assert_true(builds.compiled + builds.loaded > 0);
    }
  }
  const rlt_build_counts after = ((rlt_opencl_device *)device)->build_counts;
  assert_int_equal(after.compiled + after.loaded, builds.compiled + builds.loaded);
  relayout_device_destroy(device);
}

static size_t count_builds(const opencl_bench *bench, const rlt_kernel_options *options) {
  rlt_opencl_device *const device = (rlt_opencl_device *)bench->device;
  cl_program program = NULL;
  assert_int_equal(rlt_build_get(device, options, &program, NULL), RELAYOUT_OK);
  clReleaseProgram(program);
  const rlt_build_counts counts = device->build_counts;
  return counts.compiled + counts.loaded;
}

/* Options that compile alike are one program, whatever else is told apart: how much a conversion
 * scales is an argument. */
static void test_programs_are_known_by_their_text(void **state) {
  const opencl_bench *const bench = *state;
  rlt_kernel_options options = {
      .kernel = RLT_KERNEL_FILL,
      .word_bytes = 4,
      .source_bytes = 4,
      .group_size = 8,
      .conversion = {.from = RELAYOUT_F32, .to = RELAYOUT_S32, .scale = 2}};
  const size_t count = count_builds(bench, &options);
  options.conversion.scale = 3;
  assert_int_equal(count_builds(bench, &options), count);
  options.conversion.wraps = true;
  assert_int_equal(count_builds(bench, &options), count + 1);
  options.kernel = RLT_KERNEL_LOOKUP; /* the same options of another file */
  assert_int_equal(count_builds(bench, &options), count + 2);
}

/* The last message of a log. */
typedef struct heard {
  int count;
  relayout_log_level level;
  char text[1 << 16];
} heard;

static void hear(void *context, relayout_log_level level, const char *message) {
  heard *const to = context;
  to->count += 1;
  to->level = level;
  snprintf(to->text, sizeof to->text, "%s", message);
}

static void test_compilations_are_told(void **state) {
  const opencl_bench *const bench = *state;
  static heard log;
  cl_program program = NULL;
  const rlt_kernel_options options = {
      .kernel = RLT_KERNEL_FILL, .word_bytes = 2, .source_bytes = 2, .group_size = 1};
  log.count = 0;
  relayout_set_log(hear, &log);
  assert_int_equal(rlt_build_get((rlt_opencl_device *)bench->device, &options, &program, NULL),
                   RELAYOUT_OK);
  assert_int_equal(log.count, 1);
  assert_int_equal(log.level, RELAYOUT_LOG_INFO);
  assert_non_null(strstr(log.text, ": compiled kernel relayout_fill_2 in "));
  assert_non_null(strstr(log.text, " ms: -cl-std=CL1.2 "));
  clReleaseProgram(program);
  assert_int_equal(rlt_build_get((rlt_opencl_device *)bench->device, &options, &program, NULL),
                   RELAYOUT_OK);
  clReleaseProgram(program);
  relayout_set_log(NULL, NULL);
  assert_int_equal(log.count, 1); /* it was there */
}

/* A program that does not build, here for work-groups of no work-item, says why: in full to the
 * log. */
static void test_build_log_is_reported(void **state) {
  const opencl_bench *const bench = *state;
  static heard whole;
  cl_program program = NULL;
  relayout_error error = {0};
  relayout_set_log(hear, &whole);
  const rlt_kernel_options bad = {.kernel = RLT_KERNEL_TRANSPOSE, .word_bytes = 4, .group_size = 0};
  assert_int_equal(rlt_build_get((rlt_opencl_device *)bench->device, &bad, &program, &error),
                   RELAYOUT_OPENCL_ERROR);
  assert_int_equal(error.cl_status, CL_BUILD_PROGRAM_FAILURE);
  const char *const log = strchr(error.message, '\n');
  assert_non_null(
      strstr(error.message, "kernel relayout_transpose_4 failed: CL_BUILD_PROGRAM_FAILURE (-11)"));
  assert_non_null(log);
  assert_true(strlen(log) > 10);
  assert_null(program);
  relayout_set_log(NULL, NULL);
  assert_int_equal(whole.level, RELAYOUT_LOG_ERROR);
  assert_true(strlen(whole.text) > sizeof error.message);
  assert_memory_equal(whole.text, error.message, sizeof error.message - 64);
}

static int run_kernels(opencl_bench *bench) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_one_binary_serves_many_shapes, bench),
      cmocka_unit_test_prestate(test_programs_are_known_by_their_text, bench),
      cmocka_unit_test_prestate(test_build_log_is_reported, bench),
      cmocka_unit_test_prestate(test_compilations_are_told, bench),
  };
  return cmocka_run_group_tests_name("device's programs", tests, NULL, NULL);
}

static int run(opencl_bench *bench) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_null_handles, bench),
      cmocka_unit_test_prestate(test_bad_options, bench),
      cmocka_unit_test_prestate(test_handles_are_the_callers, bench),
      cmocka_unit_test_prestate(test_handles_of_another_backend, bench),
      cmocka_unit_test_prestate(test_context_is_retained, bench),
      cmocka_unit_test_prestate(test_family_follows_the_class, bench),
      cmocka_unit_test_prestate(test_listed_name_opens_the_device, bench),
      cmocka_unit_test_prestate(test_facts, bench),
      cmocka_unit_test_prestate(test_device_of_another_context, bench),
      cmocka_unit_test_prestate(test_no_such_numbers, bench),
  };
  const int failures = cmocka_run_group_tests_name("device", tests, NULL, NULL);
  return bench->family == RELAYOUT_KERNELS_WORK_GROUP ? failures + run_kernels(bench) : failures;
}

int main(void) {
  return opencl_on_each_device(run);
}
