/* test_bench_target.c: the plain copies that a benchmark measures relayouts against: each way to
 * copy, on the device that the command line names, moves all bytes of its place and no other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise.h"
#include "cmocka_all.h"
#include "tools/open_target.h"

enum { PLACE = 4096, LEAST_SIZE = 64 };

static bench_target *target;

static void assert_ok(relayout_status status, const relayout_error *error) {
  if (status != RELAYOUT_OK) {
    fail_msg("%s", error->message);
  }
}

static void check_copy(size_t which, size_t from, size_t to, size_t size, size_t capacity) {
  relayout_error error;
  bench_time time;
  const uint8_t *source;
  const uint8_t *destination;
  assert_ok(target->clear(target, capacity, &error), &error);
  assert_ok(target->copy(target, which, from, to, size, &time, &error), &error);
  assert_ok(target->map(target, capacity, capacity, &source, &destination, &error), &error);
  for (size_t i = 0; i < capacity; i++) {
    const uint8_t expected = i >= to && i < to + size ? source[from + i - to] : 0;
    if (destination[i] != expected) {
      fail_msg("%s of %zu bytes: byte %zu is %u, not %u", target->copies[which].name, size, i,
               destination[i], expected);
    }
  }
  target->unmap(target);
}

static void test_copies(void **state) {
  (void)state;
  static const size_t sizes[] = {LEAST_SIZE, 3 * LEAST_SIZE, PLACE, 1 << 16, (1 << 20) + 192};
  const size_t capacity = (1 << 20) + 4 * PLACE;
  relayout_error error;
  assert_ok(target->reserve(target, capacity, capacity, &error), &error);
  assert_true(target->source_capacity >= capacity && target->destination_capacity >= capacity);
  assert_in_range(target->copy_count, 1, BENCH_MOST_COPIES);
  for (size_t which = 0; which < target->copy_count; which++) {
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
      check_copy(which, 0, 0, sizes[i], capacity);
      check_copy(which, 2 * PLACE, PLACE, sizes[i], capacity);
    }
  }
}

static void test_noise_does_not_repeat(void **state) {
  (void)state;
  uint64_t noise[512];
  bench_fill_noise(noise, sizeof noise);
  for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++) {
    for (size_t j = 0; j < i; j++) {
      assert_true(noise[i] != noise[j]);
    }
  }
}

static void test_growing_keeps_what_is_larger(void **state) {
  (void)state;
  const size_t before = target->source_capacity;
  relayout_error error;
  assert_ok(target->reserve(target, LEAST_SIZE, 8 << 20, &error), &error);
  assert_int_equal(target->source_capacity, before);
  assert_int_equal(target->destination_capacity, 8 << 20);
}

static void test_huge_pages(void **state) {
  (void)state;
  relayout_error error;
  if (target->use_huge_pages == NULL) {
    assert_null(target->pages);
    skip();
  }
  assert_string_equal(target->pages, "ordinary");
  if (target->use_huge_pages(target, &error) != RELAYOUT_OK) {
    assert_string_equal(target->pages, "ordinary");
    print_message("%s\n", error.message);
    skip();
  }
  assert_string_equal(target->pages, "huge");
  const size_t capacity = 16 << 20;
  if (target->reserve(target, capacity, capacity, &error) != RELAYOUT_OK) {
    print_message("%s\n", error.message);
    skip();
  }
  check_copy(0, PLACE, 2 * PLACE, 1 << 20, capacity);
}

int main(int argument_count, char **arguments) {
  const int code = argument_count == 2 ? open_target(arguments[1], &target) : 1;
  if (code != 0) {
    return code;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_copies),
      cmocka_unit_test(test_growing_keeps_what_is_larger),
      cmocka_unit_test(test_noise_does_not_repeat),
      cmocka_unit_test(test_huge_pages),
  };
  const int failures = cmocka_run_group_tests_name("tools.bench_target", tests, NULL, NULL);
  target->destroy(target);
  return failures;
}
