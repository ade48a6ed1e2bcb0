/* test_kept_programs.c: programs from one process to the next, on every device: a second start
 * compiles nothing, and whatever is wrong with a file, a program is compiled again without a word.
 *
 * Run with arguments, it is that other process:
 *   DEVICE FAMILY DIRECTORY MOVES   so many relayouts on opencl:P:D with the numbered kernel
 *                                   family; its exit code is one of `outcome`
 */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "opencl/bench.h"
#include "opencl/build.h"
#include "plan/plan.h"
#include "scratch.h"
#include "search/method.h"
#include "shape_of.h"

static const char *program_path;

/* ---- Some relayouts ---- */

enum { ROWS = 37, COLUMNS = 53, PITCH = 64 };

/* Several programs: a transpose, a copy, a gather and a fill of padding. */
static const struct {
  const char *to;
  const char *method;
  size_t row_step; /* of the destination, in elements */
  size_t column_step;
} moves[] = {
    {"f32[37,53]{0,1}", "transpose", 1, ROWS},
    {"f32[37,53]{1,0:PD(37,64)}", "copy", PITCH, 1},
    {"f32[37,53]{1,0:PD(37,64)}", "index-program", PITCH, 1},
};
enum { MOVES = sizeof moves / sizeof moves[0] };

/* False after a relayout that failed or moved something wrong. */
static bool move(relayout_device *device, size_t number, relayout_error *error) {
  static float source[ROWS * COLUMNS];
  static float destination[ROWS * PITCH];
  for (size_t i = 0; i < sizeof source / sizeof source[0]; ++i) {
    source[i] = (float)i + 1;
  }
  memset(destination, 0x7f, sizeof destination);
  relayout_shape from;
  relayout_shape to;
  rlt_plan_request request;
  rlt_plan_request_clear(&request);
  request.method = rlt_method_named(moves[number].method, strlen(moves[number].method));
  relayout_plan *plan = NULL;
  if (relayout_shape_parse("f32[37,53]{1,0}", &from, error) != RELAYOUT_OK ||
      relayout_shape_parse(moves[number].to, &to, error) != RELAYOUT_OK ||
      rlt_plan_create(device, &from, &to, &request, (rlt_texts){0, NULL}, &plan, error) !=
          RELAYOUT_OK) {
    return false;
  }
  bool right = relayout_plan_execute(plan, source, destination, error) == RELAYOUT_OK;
  for (size_t r = 0; r < ROWS; ++r) {
    for (size_t c = 0; c < COLUMNS; ++c) {
      right = right && destination[r * moves[number].row_step + c * moves[number].column_step] ==
                           source[r * COLUMNS + c];
    }
  }
  relayout_plan_destroy(plan);
  return right;
}

static void expect_move(relayout_device *device, size_t number) {
  relayout_error error = {.message = "a wrong result"};
  if (!move(device, number, &error)) {
    fail_msg("to %s: %s", moves[number].to, error.message);
  }
}

static relayout_device *device_with(const opencl_bench *bench, const char *directory) {
  relayout_device *device = NULL;
  relayout_error error = {0};
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.kernels = bench->family;
  options.cache_directory = directory;
  if (relayout_opencl_device_create(bench->context, bench->id, &options, &device, &error) !=
      RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  return device;
}

static rlt_build_counts counts_of(relayout_device *device) {
  return ((rlt_opencl_device *)device)->build_counts;
}

/* Relayouts on a new device with this directory; how it came by its programs. */
static rlt_build_counts move_all(const opencl_bench *bench, const char *directory) {
  relayout_device *const device = device_with(bench, directory);
  for (size_t m = 0; m < MOVES; ++m) {
    expect_move(device, m);
  }
  const rlt_build_counts counts = counts_of(device);
  relayout_device_destroy(device);
  return counts;
}

/* The same with one relayout alone: with a single program, but for drivers that
 * refuse the first. */
static rlt_build_counts move_one(const opencl_bench *bench, const char *directory) {
  relayout_device *const device = device_with(bench, directory);
  expect_move(device, 0);
  const rlt_build_counts counts = counts_of(device);
  relayout_device_destroy(device);
  return counts;
}

/* ---- The tests ---- */

typedef struct place {
  const opencl_bench *bench;
  char directory[SCRATCH_PATH];
} place;

static opencl_bench *current;

static int set_up(void **state) {
  place *const made = calloc(1, sizeof *made);
  assert_non_null(made);
  made->bench = current;
  scratch_make(made->directory);
  *state = made;
  return 0;
}

static int tear_down(void **state) {
  place *const made = *state;
  scratch_remove(made->directory);
  free(made);
  return 0;
}

static void test_loaded_the_second_time(void **state) {
  const place *const here = *state;
  const rlt_build_counts first = move_all(here->bench, here->directory);
  assert_int_equal(first.loaded, 0);
  assert_true(first.compiled >= MOVES);
  assert_int_equal(scratch_count(here->directory), first.compiled);
  const rlt_build_counts second = move_all(here->bench, here->directory);
  assert_int_equal(second.compiled, 0);
  assert_int_equal(second.loaded, first.compiled);
}

static void test_nothing_kept_where_none_is_wanted(void **state) {
  const place *const here = *state;
  move_one(here->bench, "");
  assert_int_equal(move_one(here->bench, "").loaded, 0);
  setenv("RELAYOUT_CACHE", "off", 1);
  move_one(here->bench, here->directory);
  assert_int_equal(move_one(here->bench, here->directory).loaded, 0);
  unsetenv("RELAYOUT_CACHE");
  assert_int_equal(scratch_count(here->directory), 0);
}

static void test_users_directory(void **state) {
  const place *const here = *state;
  const char *const ours = getenv("XDG_CACHE_HOME");
  char *const before = ours == NULL ? NULL : strdup(ours);
  setenv("XDG_CACHE_HOME", here->directory, 1);
  assert_int_equal(move_one(here->bench, NULL).loaded, 0);
  /* A driver that keeps programs itself is not asked for them. */
  const rlt_opencl_device *const device = (rlt_opencl_device *)here->bench->device;
  assert_int_equal(move_one(here->bench, NULL).compiled == 0, !device->driver_keeps_programs);
  if (before == NULL) {
    unsetenv("XDG_CACHE_HOME");
  } else {
    setenv("XDG_CACHE_HOME", before, 1);
  }
  free(before);
}

static void test_key_tells_of_the_device(void **state) {
  const place *const here = *state;
  static const cl_device_info queries[RLT_KEY_DEVICE_STRINGS] = {
      [RLT_KEY_DEVICE_NAME] = CL_DEVICE_NAME,
      [RLT_KEY_DEVICE_VENDOR] = CL_DEVICE_VENDOR,
      [RLT_KEY_DEVICE_VERSION] = CL_DEVICE_VERSION,
      [RLT_KEY_DRIVER_VERSION] = CL_DRIVER_VERSION,
  };
  cl_platform_id platform = NULL;
  clGetDeviceInfo(here->bench->id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
  char **const strings = ((rlt_opencl_device *)here->bench->device)->key_strings;
  char text[512] = "";
  clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof text, text, NULL);
  assert_string_equal(strings[RLT_KEY_PLATFORM_NAME], text);
  clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof text, text, NULL);
  assert_string_equal(strings[RLT_KEY_PLATFORM_VERSION], text);
  for (size_t i = RLT_KEY_DEVICE_NAME; i < RLT_KEY_DEVICE_STRINGS; ++i) {
    clGetDeviceInfo(here->bench->id, queries[i], sizeof text, text, NULL);
    assert_string_equal(strings[i], text);
  }
}

/* Every string that tells of the device, the driver's version among them. */
static void test_another_driver_version_misses(void **state) {
  const place *const here = *state;
  const size_t files = move_one(here->bench, here->directory).compiled;
  for (size_t i = 0; i < RLT_KEY_DEVICE_STRINGS; ++i) {
    relayout_device *const device = device_with(here->bench, here->directory);
    char **const string = &((rlt_opencl_device *)device)->key_strings[i];
    assert_true(strlen(*string) > 0);
    (*string)[strlen(*string) - 1] ^= 1;
    expect_move(device, 0);
    assert_int_equal(counts_of(device).loaded, 0);
    assert_int_equal(scratch_count(here->directory), (i + 2) * files);
    relayout_device_destroy(device);
  }
  assert_int_equal(move_one(here->bench, here->directory).compiled, 0);
}

/* FNV-1a, as the file's checksum is made. */
static uint64_t checksum_of(const unsigned char *bytes, size_t size) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < size; ++i) {
    hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
  }
  return hash;
}

enum { HEAD_SIZE = 40, KEY_SIZE_AT = 16, BINARY_SIZE_AT = 24, CHECKSUM_AT = 32 };

static size_t number_at(const unsigned char *bytes, size_t at) {
  uint64_t number;
  memcpy(&number, bytes + at, sizeof number);
  return (size_t)number;
}

/* Writes a whole file with this key and this binary. */
static void write_file(const char *path, const unsigned char *old, const unsigned char *binary,
                       size_t binary_size) {
  const size_t binary_at = HEAD_SIZE + number_at(old, KEY_SIZE_AT);
  unsigned char *const bytes = malloc(binary_at + binary_size);
  assert_non_null(bytes);
  memcpy(bytes, old, binary_at);
  memcpy(bytes + binary_at, binary, binary_size);
  const uint64_t size = binary_size;
  memcpy(bytes + BINARY_SIZE_AT, &size, sizeof size);
  const uint64_t checksum = checksum_of(bytes + HEAD_SIZE, binary_at - HEAD_SIZE + binary_size);
  memcpy(bytes + CHECKSUM_AT, &checksum, sizeof checksum);
  scratch_write(path, bytes, binary_at + binary_size);
  free(bytes);
}

/* The file's place taken by another, a rebuild, and the right file back. */
static void expect_rebuilt(const place *here, const char *what) {
  const rlt_build_counts counts = move_one(here->bench, here->directory);
  if (counts.loaded != 0 || counts.compiled != 1) {
    fail_msg("%s: %zu programs compiled, %zu loaded", what, counts.compiled, counts.loaded);
  }
  assert_int_equal(move_one(here->bench, here->directory).compiled, 0);
}

static void test_damaged_files(void **state) {
  const place *const here = *state;
  if (move_one(here->bench, here->directory).compiled > 1) {
    skip();
  }
  char path[SCRATCH_PATH];
  scratch_only_file(here->directory, path);
  size_t size = 0;
  unsigned char *const good = scratch_read(path, &size);

  good[size / 2] ^= 1;
  scratch_write(path, good, size);
  good[size / 2] ^= 1;
  expect_rebuilt(here, "one bit changed");

  scratch_write(path, good, size - 1);
  expect_rebuilt(here, "cut short");

  scratch_write(path, "", 0);
  expect_rebuilt(here, "empty");

  unsigned char *const noise = calloc(1, size);
  assert_non_null(noise);
  scratch_write(path, noise, size);
  expect_rebuilt(here, "zeros");

  /* Whole, but no binary of this driver. */
  memset(noise, 'x', 1000);
  write_file(path, good, noise, 1000);
  expect_rebuilt(here, "a binary that the driver refuses");
  free(noise);

  /* Whole and a binary of this driver, but another program's. */
  char others[SCRATCH_PATH];
  assert_true(snprintf(others, sizeof others, "%s/others", here->directory) < SCRATCH_PATH);
  relayout_device *const device = device_with(here->bench, others);
  expect_move(device, 1);
  relayout_device_destroy(device);
  if (scratch_count(others) == 1) {
    char other[SCRATCH_PATH];
    size_t other_size = 0;
    scratch_only_file(others, other);
    unsigned char *const bytes = scratch_read(other, &other_size);
    const size_t binary_at = HEAD_SIZE + number_at(bytes, KEY_SIZE_AT);
    write_file(path, good, bytes + binary_at, other_size - binary_at);
    expect_rebuilt(here, "a binary of another kernel");
    free(bytes);
  }
  free(good);
}

static void test_directory_that_cannot_be(void **state) {
  const place *const here = *state;
  char path[SCRATCH_PATH];
  assert_true(snprintf(path, sizeof path, "%s/file", here->directory) < SCRATCH_PATH);
  scratch_write(path, "", 0);
  assert_true(snprintf(path, sizeof path, "%s/file/directory", here->directory) < SCRATCH_PATH);
  assert_int_equal(move_one(here->bench, path).loaded, 0);
  assert_int_equal(move_one(here->bench, path).loaded, 0);

  assert_int_equal(chmod(here->directory, 0500), 0);
  move_one(here->bench, here->directory);
  assert_int_equal(chmod(here->directory, 0700), 0);
}

/* ---- Other processes ---- */

typedef enum outcome { COMPILED = 40, LOADED = 41, MIXED = 42, WRONG = 43 } outcome;

/* PoCL's own folder is `pocl`, where that is not NULL. */
static int start(const opencl_bench *bench, const char *directory, const char *moves_made,
                 const char *pocl) {
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  assert_int_equal(relayout_device_get_info(bench->device, &info, NULL), RELAYOUT_OK);
  char family[12];
  snprintf(family, sizeof family, "%d", (int)bench->family);
  const pid_t process = fork();
  assert_true(process >= 0);
  if (process == 0) {
    if (pocl != NULL) {
      setenv("POCL_CACHE_DIR", pocl, 1);
    }
    execl(program_path, program_path, info.name, family, directory, moves_made, (char *)NULL);
    _exit(127);
  }
  return process;
}

static void test_second_process_compiles_nothing(void **state) {
  const place *const here = *state;
  assert_int_equal(child_code(start(here->bench, here->directory, "3", NULL)), COMPILED);
  assert_int_equal(child_code(start(here->bench, here->directory, "3", NULL)), LOADED);
}

static void test_processes_at_once(void **state) {
  const place *const here = *state;
  enum { PROCESSES = 2 }; /* stress.cold_cache has more */
  pid_t processes[PROCESSES];
  for (int p = 0; p < PROCESSES; ++p) {
    char pocl[SCRATCH_PATH];
    assert_true(snprintf(pocl, sizeof pocl, "%s/pocl%d", here->directory, p) < SCRATCH_PATH);
    processes[p] = start(here->bench, here->directory, "1", pocl);
  }
  for (int p = 0; p < PROCESSES; ++p) {
    const int ended = child_code(processes[p]);
    assert_true(ended == COMPILED || ended == LOADED || ended == MIXED);
  }
  assert_int_equal(child_code(start(here->bench, here->directory, "1", NULL)), LOADED);
}

static int other_process(const char *name, const char *family, const char *directory,
                         size_t move_count) {
  relayout_device *opened = NULL;
  relayout_device *device = NULL;
  cl_context context = NULL;
  cl_device_id id = NULL;
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.kernels = (relayout_kernel_family)atoi(family);
  options.cache_directory = directory;
  relayout_error error = {.message = "a wrong result"};
  if (relayout_device_open(name, &opened, &error) != RELAYOUT_OK ||
      relayout_opencl_device_get_handles(opened, &context, &id, &error) != RELAYOUT_OK ||
      relayout_opencl_device_create(context, id, &options, &device, &error) != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error.message);
    return WRONG;
  }
  for (size_t m = 0; m < move_count; ++m) {
    if (!move(device, m, &error)) {
      fprintf(stderr, "to %s: %s\n", moves[m].to, error.message);
      return WRONG;
    }
  }
  const rlt_build_counts counts = counts_of(device);
  relayout_device_destroy(device);
  relayout_device_destroy(opened);
  return counts.loaded == 0 ? COMPILED : counts.compiled == 0 ? LOADED : MIXED;
}

/* ---- All of it ---- */

/* Whether the driver hands binaries out at all. */
static bool has_binaries(const opencl_bench *bench) {
  const char *const source = "__kernel void none(void) {}";
  size_t size = 0;
  const cl_program program =
      clCreateProgramWithSource(bench->context, 1, (const char **)&source, NULL, NULL);
  if (clBuildProgram(program, 1, &bench->id, "", NULL, NULL) != CL_SUCCESS ||
      clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) != CL_SUCCESS) {
    size = 0;
  }
  clReleaseProgram(program);
  return size > 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static int run(opencl_bench *bench) {
  const struct CMUnitTest tests[] = {
      TEST(test_loaded_the_second_time),
      TEST(test_nothing_kept_where_none_is_wanted),
      TEST(test_users_directory),
      TEST(test_key_tells_of_the_device),
      TEST(test_another_driver_version_misses),
      TEST(test_damaged_files),
      TEST(test_directory_that_cannot_be),
      TEST(test_second_process_compiles_nothing),
      TEST(test_processes_at_once),
  };
  if (!has_binaries(bench)) {
    printf("%s: the driver gives no binaries\n", bench->label);
    return 0;
  }
  current = bench;
  return cmocka_run_group_tests_name("kept_programs", tests, NULL, NULL);
}

int main(int argc, char **argv) {
  if (argc == 5) {
    return other_process(argv[1], argv[2], argv[3], (size_t)atoi(argv[4]));
  }
  program_path = argv[0];
  unsetenv("RELAYOUT_CACHE");
  return opencl_on_each_device_with(RELAYOUT_KERNELS_WORK_GROUP, run);
}
