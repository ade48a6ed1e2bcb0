/* test_limits.c: `relayout convert` with less address space, smaller files and fewer processes than
 * it wants, as `ulimit -v`, `-f` and `-u` set them: a message and exit code 1 or the right result,
 * never a death by signal, never a part of the output. */
#include "cmocka_all.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults/process.h"
#include "scratch.h"

/* Large enough for several threads, and for memory that comes from the system at once. */
enum { ROWS = 1500, COLUMNS = 1000, BYTES = ROWS * COLUMNS * 4 };
static const char from_text[] = "f32[1500,1000]";
static const char to_text[] = "f32[1500,1000]{0,1}";

static file_bytes expected;

static uint32_t element(size_t row, size_t column) {
  return (uint32_t)(row * 2654435761U + column);
}

static void make_files(void) {
  uint32_t *const source = malloc(BYTES);
  uint32_t *const transposed = malloc(BYTES);
  assert_true(source != NULL && transposed != NULL);
  for (size_t r = 0; r < ROWS; ++r) {
    for (size_t c = 0; c < COLUMNS; ++c) {
      source[r * COLUMNS + c] = element(r, c);
      transposed[c * ROWS + r] = element(r, c);
    }
  }
  file_write("in.raw", source, BYTES);
  free(source);
  expected = (file_bytes){(uint8_t *)transposed, BYTES};
  assert_int_equal(mkdir("out", 0777), 0);
  assert_int_equal(chmod("out", 0777), 0);
}

/* Runs the command so; it did what it should, or said why not. Returns its exit code. */
static int convert(bool (*limit)(int64_t value), int64_t value) {
  unlink("out/result");
  const command_call call = {
      .words = {"--device", "cpu", "--from", from_text, "--to", to_text, "in.raw", "out/result"},
      .limit = limit,
      .limit_value = value};
  const command_result result = command_run(&call);
  const file_bytes found = file_read("out/result");
  if (result.code == COMMAND_SKIPPED) {
    skip();
  }
  if (result.signal != 0 || (result.code != 0 && result.code != 1)) {
    fail_msg("limit %lld: signal %d, exit code %d: %s", (long long)value, result.signal,
             result.code, result.said);
  }
  if (result.code == 0) {
    assert_true(file_same(&found, &expected));
  } else if (strncmp(result.said, "relayout: convert: ", 19) != 0) {
    fail_msg("limit %lld: it failed with `%s`", (long long)value, result.said);
  }
  assert_int_equal(scratch_count("out"), result.code == 0);
  free(found.bytes);
  return result.code;
}

static bool set_limit(int resource, int64_t value) {
  const struct rlimit limit = {(rlim_t)value, (rlim_t)value};
  return setrlimit(resource, &limit) == 0;
}

/* ---- Address space ---- */

/* What this process takes; 0 where that cannot be known. */
static int64_t address_space(void) {
  long long pages = 0;
  FILE *const file = fopen("/proc/self/statm", "r");
  if (file == NULL) {
    return 0;
  }
  const int found = fscanf(file, "%lld", &pages);
  fclose(file);
  return found == 1 ? pages * sysconf(_SC_PAGESIZE) : 0;
}

static bool limit_address_space(int64_t more) {
  const int64_t now = address_space();
  return now > 0 && set_limit(RLIMIT_AS, now + more);
}

static void test_address_space(void **state) {
  (void)state;
#ifdef FAULTS_SANITIZED
  skip(); /* address sanitizers take terabytes of it */
#endif
  int failures = 0;
  int successes = 0;
  /* The source and the destination take 11.4 MiB together, threads 8 MiB each for their stacks. */
  for (int64_t more = 0; more <= 64 << 20; more += more < 1 << 20 ? 16 << 10 : 1 << 20) {
    const int code = convert(limit_address_space, more);
    failures += code != 0;
    successes += code == 0;
  }
  assert_true(failures > 0 && successes > 0);
}

/* ---- Size of files ---- */

static bool limit_file_size(int64_t bytes) {
  return set_limit(RLIMIT_FSIZE, bytes);
}

static void test_file_size(void **state) {
  (void)state;
  static const int64_t too_small[] = {1, 4096, 1 << 20, BYTES - 1};
  for (size_t i = 0; i < sizeof too_small / sizeof too_small[0]; ++i) {
    assert_int_equal(convert(limit_file_size, too_small[i]), 1);
  }
  assert_int_equal(convert(limit_file_size, BYTES), 0);
}

/* ---- Processes, and so threads ---- */

/* The system does not hold root to it. */
static bool limit_processes(int64_t count) {
  enum { NOBODY = 65534 };
  return set_limit(RLIMIT_NPROC, count) && (geteuid() != 0 || setuid(NOBODY) == 0);
}

static void test_processes(void **state) {
  (void)state;
  assert_int_equal(convert(limit_processes, 0), 0);
  assert_int_equal(convert(limit_processes, 1), 0);
}

int main(void) {
  static char home[SCRATCH_PATH];
  scratch_make(home);
  setenv("RELAYOUT_CACHE", "off", 1);
  if (chdir(home) != 0 || chmod(home, 0755) != 0) {
    perror(home);
    return 1;
  }
  make_files();
  assert_int_equal(chmod("in.raw", 0644), 0);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_address_space),
      cmocka_unit_test(test_file_size),
      cmocka_unit_test(test_processes),
  };
  const int failures = cmocka_run_group_tests(tests, NULL, NULL);
  free(expected.bytes);
  scratch_remove(home);
  return failures;
}
