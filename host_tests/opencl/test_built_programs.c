/* test_built_programs.c: which programs a device compiles, keeps and lets go, in contexts of one
 * device and of several. The driver is one of memory, which compiles at once. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "opencl/build.h"
#include "opencl/device.h"
#include "opencl/fake_driver.h"
#include "plan/plan.h"
#include "relayout/relayout.h"
#include "scratch.h"
#include "shape_of.h"

enum { DEVICES = 3 };

typedef struct scene {
  fake_device devices[DEVICES];
  fake_platform platform;
  char directory[SCRATCH_PATH];
} scene;

static int set_up(void **state) {
  static scene at;
  at =
      (scene){.devices = {fake_gpu, fake_gpu, fake_gpu},
              .platform = {
                  "Some", "OpenCL 3.0", DEVICES, {&at.devices[0], &at.devices[1], &at.devices[2]}}};
  scratch_make(at.directory);
  *state = &at;
  return 0;
}

static int tear_down(void **state) {
  scratch_remove(((scene *)*state)->directory);
  return 0;
}

/* One device of a context of all. */
static rlt_opencl_device *open_number(scene *at, int number, const char *directory) {
  relayout_device *device = NULL;
  relayout_error error = {0};
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.cache_directory = directory;
  fake_driver_begin(&at->platform);
  const cl_context context = fake_context(DEVICES, at->platform.devices);
  if (relayout_opencl_device_create(context, (cl_device_id)(void *)&at->devices[number], &options,
                                    &device, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  return (rlt_opencl_device *)device;
}

/* Pairs of shapes that one program serves. */
static const char *const alike[][2] = {{"f32[64,96]", "f32[64,96]{0,1}"},
                                       {"s32[100,30]", "s32[100,30]{0,1:PD(128,32)}"},
                                       {"u32[40,50,60]", "u32[40,50,60]{1,2,0}"}};

/* Makes a plan for the i-th of them, and drops it. */
static void plan_alike(rlt_opencl_device *device, int i) {
  relayout_plan *plan = NULL;
  const relayout_shape from = shape_of(alike[i][0]);
  const relayout_shape to = shape_of(alike[i][1]);
  assert_int_equal(relayout_plan_create(&device->base, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  relayout_plan_destroy(plan);
}

static relayout_status plan_on(rlt_opencl_device *device, const char *to_text, relayout_plan **plan,
                               relayout_error *error) {
  const relayout_shape from = shape_of("f32[64,96]");
  const relayout_shape to = shape_of(to_text);
  return relayout_plan_create(&device->base, &from, &to, NULL, plan, error);
}

/* How it came by the program of one plan: a context, the device and the test's hold are all that is
 * left at last. */
static rlt_build_counts build_on(rlt_opencl_device *device) {
  relayout_plan *plan = NULL;
  assert_int_equal(plan_on(device, "f32[64,96]{0,1}", &plan, NULL), RELAYOUT_OK);
  relayout_plan_destroy(plan);
  const rlt_build_counts counts = device->build_counts;
  assert_int_equal(counts.compiled, fake.builds);
  relayout_device_destroy(&device->base);
  assert_int_equal(fake_all_holders(), 1);
  return counts;
}

/* ---- Kept ---- */

static void expect_kept(scene *at, int number, bool is_there) {
  const rlt_build_counts counts = build_on(open_number(at, number, at->directory));
  assert_int_equal(counts.compiled, is_there ? 0 : 1);
  assert_int_equal(counts.loaded, is_there ? 1 : 0);
}

/* A program is of all devices of its context, its binary of the one it was built for. */
static void test_contexts_of_several_devices(void **state) {
  scene *const at = *state;
  for (int number = 0; number < DEVICES; ++number) {
    at->devices[number].name = number == 0 ? "a" : number == 1 ? "b" : "c";
    expect_kept(at, number, false);
    assert_int_equal(scratch_count(at->directory), number + 1);
  }
  for (int number = 0; number < DEVICES; ++number) {
    expect_kept(at, number, true);
  }
}

/* What tells of device, driver and platform. */
static void test_what_programs_are_known_by(void **state) {
  scene *const at = *state;
  fake_device *const device = &at->devices[0];
  const fake_device device_before = *device;
  const fake_platform platform_before = at->platform;
  expect_kept(at, 0, false);
  device->name = "Another GPU";
  expect_kept(at, 0, false);
  *device = device_before;
  device->vendor = "another vendor";
  expect_kept(at, 0, false);
  *device = device_before;
  device->version = "OpenCL 3.0 of another device";
  expect_kept(at, 0, false);
  *device = device_before;
  device->driver = "1.2.4";
  expect_kept(at, 0, false);
  *device = device_before;
  at->platform.name = "Another";
  expect_kept(at, 0, false);
  at->platform = platform_before;
  at->platform.version = "OpenCL 3.0 of another platform";
  expect_kept(at, 0, false);
  at->platform = platform_before;
  expect_kept(at, 0, true);
  assert_int_equal(scratch_count(at->directory), 7);
}

/* A device writes a program once, whatever plans want it, and does not where it was loaded. */
static void test_written_once(void **state) {
  scene *const at = *state;
  for (int is_loaded = 0; is_loaded < 2; ++is_loaded) {
    const size_t bytes = scratch_bytes(at->directory);
    rlt_opencl_device *const device = open_number(at, 0, at->directory);
    fake.binary_bytes = is_loaded ? 1 : -1; /* another file, were it written again */
    for (int i = 0; i < 2; ++i) {
      plan_alike(device, i);
      assert_int_equal(device->build_counts.loaded, is_loaded);
      assert_int_equal(device->build_counts.compiled, !is_loaded);
      assert_int_equal(scratch_count(at->directory), i == 0);
      if (i == 0) {
        assert_true(!is_loaded || scratch_bytes(at->directory) == bytes);
        char path[SCRATCH_PATH];
        scratch_only_file(at->directory, path);
        assert_int_equal(remove(path), 0);
      }
    }
    relayout_device_destroy(&device->base);
    expect_kept(at, 0, false); /* for the next one to load */
  }
}

/* Nothing is kept where a device does not tell what its programs are known by. */
static void test_unknown_vendor(void **state) {
  scene *const at = *state;
  at->devices[0].vendor = NULL;
  expect_kept(at, 0, false);
  expect_kept(at, 0, false);
  assert_int_equal(scratch_count(at->directory), 0);
}

/* Some drivers hand out no binaries; one of a single byte is one, whatever becomes of it. */
static void test_short_binaries(void **state) {
  scene *const at = *state;
  for (int bytes = 0; bytes < 2; ++bytes) {
    for (int again = 0; again < 2; ++again) {
      rlt_opencl_device *const device = open_number(at, 0, at->directory);
      fake.binary_bytes = bytes;
      const rlt_build_counts counts = build_on(device);
      assert_int_equal(counts.compiled, 1);
      assert_int_equal(counts.loaded, 0);
      assert_int_equal(scratch_count(at->directory), bytes);
    }
  }
}

/* In the user's cache directory where none is named, but for PoCL, which keeps what it compiles;
 * nowhere where that is said. */
static void test_where_programs_are_kept(void **state) {
  scene *const at = *state;
  char before[SCRATCH_PATH] = "";
  const char *const ours = getenv("XDG_CACHE_HOME");
  snprintf(before, sizeof before, "%s", ours == NULL ? "" : ours);
  setenv("XDG_CACHE_HOME", at->directory, 1);
  char named[SCRATCH_PATH];
  snprintf(named, sizeof named, "%.300s/named", at->directory);
  char users[SCRATCH_PATH];
  snprintf(users, sizeof users, "%.300s/relayout", at->directory);
  static const char *const platforms[] = {"Some", "Portable Computing Language"};
  for (int is_pocl = 0; is_pocl < 2; ++is_pocl) {
    at->platform.name = platforms[is_pocl];
    const struct {
      const char *directory;
      bool keeps;
    } cases[] = {{NULL, !is_pocl}, {named, true}, {"", false}};
    for (int i = 0; i < 3; ++i) {
      assert_int_equal(build_on(open_number(at, 0, cases[i].directory)).compiled, 1);
      assert_int_equal(build_on(open_number(at, 0, cases[i].directory)).loaded, cases[i].keeps);
    }
    setenv("RELAYOUT_CACHE", "off", 1);
    assert_int_equal(build_on(open_number(at, 0, named)).loaded, 0);
    unsetenv("RELAYOUT_CACHE");
    assert_int_equal(scratch_count(users), 1); /* none of PoCL's */
  }
  assert_int_equal(build_on(open_number(at, 0, users)).compiled, 1);
  assert_int_equal(scratch_count(users), 2);
  assert_int_equal(build_on(open_number(at, 0, NULL)).loaded, 0); /* PoCL has its own */
  if (ours == NULL) {
    unsetenv("XDG_CACHE_HOME");
  } else {
    setenv("XDG_CACHE_HOME", before, 1);
  }
}

/* ---- Held ---- */

/* A device counts its programs and lets them go when it is told to; plans go on by the kernels'
 * own. */
static void test_trimmed(void **state) {
  scene *const at = *state;
  rlt_opencl_device *const device = open_number(at, 0, "");
  const rlt_backend *const backend = device->base.backend;
  relayout_plan *plans[2] = {NULL, NULL};
  assert_int_equal(backend->count_programs(&device->base), 0);
  assert_int_equal(plan_on(device, "f32[64,96]{0,1}", &plans[0], NULL), RELAYOUT_OK);
  assert_int_equal(backend->count_programs(&device->base), 1);
  assert_int_equal(plan_on(device, "bf16[64,96]{0,1}", &plans[1], NULL), RELAYOUT_OK);
  assert_int_equal(backend->count_programs(&device->base), 2);
  assert_int_equal(fake_holders(FAKE_PROGRAM), 4); /* the device's and the kernels' */
  backend->trim(&device->base);
  assert_int_equal(backend->count_programs(&device->base), 0);
  assert_int_equal(fake_holders(FAKE_PROGRAM), 2);
  assert_int_equal(fake_holders(FAKE_KERNEL), 2);
  backend->trim(&device->base);
  assert_int_equal(fake.builds, 2);
  relayout_plan_destroy(plans[0]);
  relayout_plan_destroy(plans[1]);
  relayout_device_destroy(&device->base);
  assert_int_equal(fake_all_holders(), 1);
}

/* The same program serves plans of many shapes, and other options make another. */
static void test_shared(void **state) {
  scene *const at = *state;
  rlt_opencl_device *const device = open_number(at, 0, "");
  for (int i = 0; i < 3; ++i) {
    plan_alike(device, i);
    assert_int_equal(fake.builds, 1);
  }
  relayout_plan *plan = NULL;
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.for_batches = 1;
  const relayout_shape from = shape_of(alike[0][0]);
  const relayout_shape to = shape_of(alike[0][1]);
  assert_int_equal(relayout_plan_create(&device->base, &from, &to, &options, &plan, NULL),
                   RELAYOUT_OK);
  assert_int_equal(fake.builds, 2);
  relayout_plan_destroy(plan);
  relayout_device_destroy(&device->base);
}

/* A program is made of the files that its kernel's follows, as these say themselves at their heads,
 * in cl/. */
static void test_files(void **state) {
  scene *const at = *state;
  static const struct {
    rlt_kernel kernel;
    bool converts, has_program;
    const char *texts;
  } cases[] = {
      {RLT_KERNEL_COPY, false, false, " arguments tile element work_group copy"},
      {RLT_KERNEL_FILL, false, false, " arguments tile element work_group fill"},
      {RLT_KERNEL_TRANSPOSE, true, false,
       " arguments tile convert by_float element work_group transpose"},
      {RLT_KERNEL_INTERLEAVE, false, false, " arguments tile element work_group interleave"},
      {RLT_KERNEL_PERMUTE, true, false,
       " arguments tile convert by_float element work_group permute"},
      {RLT_KERNEL_LOOKUP, false, false, " arguments tile element work_group lookup"},
      {RLT_KERNEL_LOOKUP, false, true, " arguments tile element work_group index_program lookup"},
      {RLT_KERNEL_LOOKUP, true, true,
       " arguments tile convert by_float element work_group index_program lookup"},
  };
  rlt_opencl_device *const device = open_number(at, 0, "");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_kernel_options options = {.kernel = cases[i].kernel,
                                  .word_bytes = 4,
                                  .source_bytes = 4,
                                  .group_size = 1,
                                  .numbers = cases[i].has_program ? 20 : 0};
    if (cases[i].converts) {
      options.conversion = (rlt_conversion){.from = RELAYOUT_F32, .to = RELAYOUT_S32, .scale = 1};
    }
    cl_program program = NULL;
    assert_int_equal(rlt_build_get(device, &options, &program, NULL), RELAYOUT_OK);
    assert_string_equal(fake.texts, cases[i].texts);
    assert_int_equal(fake.builds, i + 1);
    assert_int_equal(fake_holders(FAKE_PROGRAM), i + 2); /* the device's, and this one again */
    fake_release_program(program);
  }
  relayout_device_destroy(&device->base);
}

/* ---- Failures ---- */

/* With the driver's log, which may be missing; the next one that wants it tries again. */
static void test_failures(void **state) {
  scene *const at = *state;
  static const char *const logs[] = {"line 1: nothing is known of this", "", NULL};
  rlt_opencl_device *const device = open_number(at, 0, "");
  relayout_plan *plan = NULL;
  for (int i = 0; i < 3; ++i) {
    char expected[256];
    relayout_error error = {0};
    fake.build_code = CL_BUILD_PROGRAM_FAILURE;
    fake.build_log = logs[i];
    snprintf(expected, sizeof expected,
             "clBuildProgram for kernel relayout_transpose_4 failed: CL_BUILD_PROGRAM_FAILURE "
             "(-11)\n%s",
             logs[i] == NULL ? "" : logs[i]);
    assert_int_equal(plan_on(device, "f32[64,96]{0,1}", &plan, &error), RELAYOUT_OPENCL_ERROR);
    assert_string_equal(error.message, expected);
    assert_int_equal(error.cl_status, CL_BUILD_PROGRAM_FAILURE);
    assert_int_equal(device->base.backend->count_programs(&device->base), 0);
    assert_int_equal(fake_holders(FAKE_PROGRAM), 0);
    assert_int_equal(fake.builds, i + 1);
  }
  fake.build_code = -4242; /* of an extension, perhaps */
  relayout_error error = {.message = ""};
  assert_int_equal(plan_on(device, "f32[64,96]{0,1}", &plan, &error), RELAYOUT_OPENCL_ERROR);
  assert_non_null(strstr(error.message, " failed: unknown OpenCL error (-4242)"));
  fake.build_code = CL_SUCCESS;
  assert_int_equal(plan_on(device, "f32[64,96]{0,1}", &plan, NULL), RELAYOUT_OK);
  assert_int_equal(device->build_counts.compiled, 1);
  relayout_plan_destroy(plan);
  relayout_device_destroy(&device->base);
  assert_int_equal(fake_all_holders(), 1);
}

/* What the device will compile is told, once. */
typedef struct heard {
  int count;
  char text[4096];
} heard;

static void hear(void *context, relayout_log_level level, const char *message) {
  heard *const to = context;
  to->count += 1;
  assert_int_equal(level, fake.build_code == CL_SUCCESS ? RELAYOUT_LOG_INFO : RELAYOUT_LOG_ERROR);
  snprintf(to->text, sizeof to->text, "%s", message);
}

static void test_log(void **state) {
  scene *const at = *state;
  static heard log;
  rlt_opencl_device *const device = open_number(at, 0, "");
  relayout_plan *plan = NULL;
  relayout_set_log(hear, &log);
  fake.build_code = CL_OUT_OF_HOST_MEMORY;
  fake.build_log = "the log";
  assert_int_equal(plan_on(device, "f32[64,96]{0,1}", &plan, NULL), RELAYOUT_OPENCL_ERROR);
  assert_int_equal(log.count, 1);
  assert_non_null(strstr(log.text, "CL_OUT_OF_HOST_MEMORY (-6)\nthe log"));
  fake.build_code = CL_SUCCESS;
  const double start = rlt_seconds();
  assert_int_equal(plan_on(device, "f32[64,96]{0,1}", &plan, NULL), RELAYOUT_OK);
  const int longest = (int)(1000 * (rlt_seconds() - start));
  assert_int_equal(log.count, 2);
  static const char compiled[] = "A GPU: compiled kernel relayout_transpose_4 in ";
  assert_memory_equal(log.text, compiled, sizeof compiled - 1);
  char *rest = NULL;
  assert_in_range(strtol(log.text + sizeof compiled - 1, &rest, 10), 0, longest);
  assert_memory_equal(rest, " ms: -cl-std=CL1.2 ", 19);
  assert_non_null(strstr(log.text, " -DWORD_BYTES=4 -DWIDE=0 -DGROUP=64 -DGRID_AXIS=0 "));
  assert_null(strstr(log.text, "-DBATCH="));
  relayout_set_log(NULL, NULL);
  relayout_plan_destroy(plan);
  relayout_device_destroy(&device->base);
}

/* What programs are compiled with, in the order of kernel_options.h. */
static void test_options(void **state) {
  scene *const at = *state;
  static const struct {
    rlt_kernel_options options;
    const char *text;
  } cases[] = {
      {{.kernel = RLT_KERNEL_COPY, .word_bytes = 4, .source_bytes = 4, .group_size = 64},
       "-DWORD_BYTES=4 -DWIDE=0 -DGROUP=64 -DGRID_AXIS=0 -DNATIVE=0 "
       "-DSOURCE_BYTES=4 -DSOURCE_BITS=0 -DDESTINATION_BITS=0 "
       "-DINDEX_PROGRAM=0 -DREVERSED_BITS=0 -DDESTINATION_HIGH=0 "
       "-DNUMBERS=0 -DTABLE=0 -DCONVERTS=0 -DCHANGES=0"},
      {{.kernel = RLT_KERNEL_TRANSPOSE,
        .word_bytes = 16,
        .source_bytes = 16,
        .wide = true,
        .group_size = 32,
        .tile_rows = 16,
        .tile_columns = 32,
        .batch = 32},
       "-DWORD_BYTES=16 -DWIDE=1 -DGROUP=32 -DGRID_AXIS=0 -DNATIVE=0 "
       "-DSOURCE_BYTES=16 -DSOURCE_BITS=0 -DDESTINATION_BITS=0 "
       "-DINDEX_PROGRAM=0 -DREVERSED_BITS=0 -DDESTINATION_HIGH=0 "
       "-DNUMBERS=0 -DTABLE=0 -DCONVERTS=0 -DCHANGES=0 -DTILE_ROWS=16 "
       "-DTILE_COLUMNS=32 -DBATCH=32"},
      {{.kernel = RLT_KERNEL_LOOKUP,
        .word_bytes = 2,
        .source_bytes = 1,
        .source_bits = 4,
        .reversed_bits = 4,
        .group_size = 1,
        .converts_by_table = true,
        .numbers = 1},
       "-DWORD_BYTES=2 -DWIDE=0 -DGROUP=1 -DGRID_AXIS=0 -DNATIVE=0 "
       "-DSOURCE_BYTES=1 -DSOURCE_BITS=4 -DDESTINATION_BITS=0 "
       "-DINDEX_PROGRAM=1 -DREVERSED_BITS=4 -DDESTINATION_HIGH=0 "
       "-DNUMBERS=1 -DTABLE=1 -DCONVERTS=0 -DCHANGES=1"},
      {{.kernel = RLT_KERNEL_COPY,
        .word_bytes = 1,
        .source_bytes = 1,
        .destination_bits = 2,
        .destination_high = true,
        .group_size = 64,
        .tile_rows = 1,
        .tile_columns = 128,
        .channels = 1,
        .joins = true,
        .batch = 1},
       "-DWORD_BYTES=1 -DWIDE=0 -DGROUP=64 -DGRID_AXIS=0 -DNATIVE=0 "
       "-DSOURCE_BYTES=1 -DSOURCE_BITS=0 -DDESTINATION_BITS=2 "
       "-DINDEX_PROGRAM=0 -DREVERSED_BITS=0 -DDESTINATION_HIGH=1 "
       "-DNUMBERS=0 -DTABLE=0 -DCONVERTS=0 -DCHANGES=1 -DTILE_ROWS=1 "
       "-DTILE_COLUMNS=128 -DCHANNELS=1 -DJOINS=1 -DBATCH=1"},
  };
  static heard log;
  rlt_opencl_device *const device = open_number(at, 0, "");
  relayout_set_log(hear, &log);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    static const char begin[] = " ms: -cl-std=CL1.2 -w ";
    cl_program program = NULL;
    assert_int_equal(rlt_build_get(device, &cases[i].options, &program, NULL), RELAYOUT_OK);
    assert_int_equal(log.count, i + 1);
    const char *const told = strstr(log.text, begin);
    assert_non_null(told);
    assert_string_equal(told + sizeof begin - 1, cases[i].text);
    fake_release_program(program);
  }
  relayout_set_log(NULL, NULL);
  relayout_device_destroy(&device->base);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_contexts_of_several_devices),
      TEST(test_what_programs_are_known_by),
      TEST(test_written_once),
      TEST(test_unknown_vendor),
      TEST(test_short_binaries),
      TEST(test_where_programs_are_kept),
      TEST(test_trimmed),
      TEST(test_shared),
      TEST(test_files),
      TEST(test_failures),
      TEST(test_log),
      TEST(test_options),
  };
  unsetenv("RELAYOUT_CACHE");
  fake_driver_use();
  return cmocka_run_group_tests_name("built_programs", tests, NULL, NULL);
}
