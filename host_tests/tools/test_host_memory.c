/* test_host_memory.c: memory in ordinary pages and in huge ones, checked against what the system
 * counts for the whole process. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "bench/host_memory.h"
#include "cmocka_all.h"

enum { HUGE_PAGE = 2 << 20, SIZE = 2 * HUGE_PAGE + 12345, WHOLE = 3 * HUGE_PAGE };

static bool read_huge_kibibytes(uint64_t *kibibytes) {
  FILE *const file = fopen("/proc/self/smaps_rollup", "r");
  if (file == NULL) {
    return false;
  }
  char line[256];
  bool found = false;
  while (!found && fgets(line, sizeof line, file) != NULL) {
    found = sscanf(line, "AnonHugePages: %" SCNu64, kibibytes) == 1;
  }
  fclose(file);
  return found;
}

static void check(const host_memory *memory) {
  assert_int_equal((uintptr_t)memory->bytes % HUGE_PAGE, 0);
  assert_int_equal(memory->size, WHOLE);
  for (size_t i = 0; i < memory->size; i++) {
    assert_int_equal(memory->bytes[i], 0);
  }
  memory->bytes[0] = 1;
  memory->bytes[memory->size - 1] = 1;
}

static void test_ordinary(void **state) {
  (void)state;
  relayout_error error;
  host_memory memory;
  uint64_t before;
  uint64_t after;
  const bool can_tell = read_huge_kibibytes(&before);
  assert_int_equal(host_memory_create(SIZE, HOST_PAGES_ORDINARY, &memory, &error), RELAYOUT_OK);
  check(&memory);
  if (can_tell) {
    assert_true(read_huge_kibibytes(&after));
    assert_int_equal(after, before);
  }
  host_memory_free(&memory);
  assert_null(memory.bytes);
  host_memory_free(&memory);
}

static void test_huge(void **state) {
  (void)state;
  relayout_error error;
  host_memory memory;
  host_memory second;
  uint64_t before = 0;
  uint64_t after;
  read_huge_kibibytes(&before);
  if (host_memory_create(SIZE, HOST_PAGES_HUGE, &memory, &error) != RELAYOUT_OK) {
    assert_int_equal(error.status, RELAYOUT_OUT_OF_MEMORY);
    assert_null(memory.bytes);
    print_message("%s\n", error.message);
    skip();
  }
  check(&memory);
  /* What lies beside the first does not count as the second's. */
  if (host_memory_create(SIZE, HOST_PAGES_HUGE, &second, &error) == RELAYOUT_OK) {
    check(&second);
    assert_true(read_huge_kibibytes(&after));
    assert_int_equal(after - before, 2 * (WHOLE >> 10));
    host_memory_free(&second);
  }
  host_memory_free(&memory);
}

static void test_too_much(void **state) {
  (void)state;
  static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - HUGE_PAGE, SIZE_MAX - 2 * HUGE_PAGE};
  relayout_error error;
  host_memory memory;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    assert_int_equal(host_memory_create(sizes[i], HOST_PAGES_ORDINARY, &memory, &error),
                     RELAYOUT_OUT_OF_MEMORY);
    assert_null(memory.bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ordinary),
      cmocka_unit_test(test_huge),
      cmocka_unit_test(test_too_much),
  };
  return cmocka_run_group_tests_name("tools.host_memory", tests, NULL, NULL);
}
