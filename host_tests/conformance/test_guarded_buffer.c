/* The suite's own watchmen: a stray access to a guarded buffer ends in a fault or shows as a
 * difference, and a fault says what was running. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "child.h"
#include "conformance/fault.h"
#include "conformance/guarded_buffer.h"

static void fill(unsigned char *bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = (unsigned char)(7 * i + 1);
  }
}

/* ---- What is made ---- */

static void check_made(const guarded_buffer *made, const unsigned char *content, size_t size,
                       buffer_place place) {
  const size_t page = fenced_pages_page_size();
  assert_int_equal(made->size, size);
  assert_int_equal((uintptr_t)made->bytes % page, 0);
  assert_int_equal(made->total % page, 0);
  assert_int_equal(made->origin, made->start + size / 2);
  assert_memory_equal(made->bytes + made->start, content, size);
  if (place == PLACE_BEHIND_FENCE) {
    assert_int_equal(made->start, 0);
    assert_true(made->total - size < page || size == 0);
  } else if (place == PLACE_BEFORE_FENCE) {
    assert_int_equal(made->start + size, made->total);
    assert_true(made->start < page || size == 0);
  } else {
    assert_int_equal(made->start % GUARD_SIZE, 3);
    assert_true(made->total - made->start - size >= GUARD_SIZE);
  }
}

/* Each byte of the guards and of the buffer counts. */
static void check_differences(const guarded_buffer *made, const unsigned char *content) {
  difference first;
  assert_false(guarded_buffer_differs(made, content, &first));
  const size_t positions[] = {0,
                              made->start - 1,
                              made->start,
                              made->start + made->size - 1,
                              made->start + made->size,
                              made->total - 1};
  for (size_t i = 0; i < sizeof positions / sizeof positions[0]; ++i) {
    const size_t at = positions[i];
    if (at >= made->total) {
      continue; /* a guard or a buffer that is empty */
    }
    made->bytes[at] ^= 0x10;
    assert_true(guarded_buffer_differs(made, content, &first));
    assert_int_equal(first.position, (int64_t)at - (int64_t)made->start);
    assert_int_equal(first.found, first.expected ^ 0x10);
    made->bytes[at] ^= 0x10;
  }
}

static void test_each_place_and_size(void **state) {
  (void)state;
  static unsigned char content[3 * 65536 + 1];
  fill(content, sizeof content);
  const size_t page = fenced_pages_page_size();
  const size_t sizes[] = {0, 1, page - 1, page, page + 1, 17, 3 * page, 2 * page - 5, 0};
  fenced_pages pages = {NULL, 0, 0};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    for (int place = 0; place < BUFFER_PLACES; ++place) {
      guarded_buffer made;
      assert_true(guarded_buffer_make(&pages, content, sizes[i], (buffer_place)place, 3,
                                      sizes[i] / 2, &made));
      check_made(&made, content, sizes[i], (buffer_place)place);
      check_differences(&made, content);
    }
  }
  fenced_pages_free(&pages);
}

/* What is large is given back, and nothing of it is in the way. */
static void test_large_and_small_again(void **state) {
  (void)state;
  enum { LARGE = 20 << 20 };
  unsigned char *const content = malloc(LARGE);
  assert_non_null(content);
  fill(content, LARGE);
  fenced_pages pages = {NULL, 0, 0};
  const size_t sizes[] = {LARGE, 5, LARGE - 1, LARGE / 4};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    guarded_buffer made;
    difference first;
    assert_true(guarded_buffer_make(&pages, content, sizes[i], PLACE_BEFORE_FENCE, 0, 0, &made));
    assert_false(guarded_buffer_differs(&made, content, &first));
  }
  assert_true(pages.room < LARGE);
  fenced_pages_free(&pages);
  free(content);
}

/* ---- What is not to be touched ---- */

typedef struct scene {
  relayout_device *device;
  fenced_pages pages[2];
  guarded_buffer source;
  guarded_buffer destination;
} scene;

enum { SIZE = 60 };

static void set_scene(scene *made, buffer_place source, buffer_place destination) {
  unsigned char content[SIZE];
  fill(content, SIZE);
  memset(made, 0, sizeof *made);
  assert_int_equal(relayout_device_open("cpu", &made->device, NULL), RELAYOUT_OK);
  assert_true(guarded_buffer_make(&made->pages[0], content, SIZE, source, 0, 0, &made->source));
  assert_true(
      guarded_buffer_make(&made->pages[1], content, SIZE, destination, 0, 0, &made->destination));
  fenced_pages_lock(&made->pages[0]);
}

static void clear_scene(scene *made) {
  fenced_pages_free(&made->pages[0]);
  fenced_pages_free(&made->pages[1]);
  relayout_device_destroy(made->device);
}

typedef enum touch { READS, WRITES } touch;

/* Touches the byte under watch, and ends the process if it still lives. */
static _Noreturn void touch_watched(const scene *of, volatile unsigned char *byte, touch how) {
  relayout_shape from;
  relayout_shape to;
  relayout_shape_parse("f32[3,5]{1,0}", &from, NULL);
  relayout_shape_parse("f32[3,5]{0,1}", &to, NULL);
  const request asked = {&from, &to, ORACLE_OPTIONS_INIT, false};
  fault_watch();
  fault_expect_request(of->device, &asked);
  fault_expect("by hand", &of->source, &of->destination);
  if (how == READS) {
    (void)*byte;
  } else {
    *byte = 1;
  }
  _exit(EXIT_SUCCESS);
}

/* What the process says that touches a byte, and how it ends. */
static int touch_in_child(const scene *of, unsigned char *byte, touch how, char *said,
                          size_t size) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    touch_watched(of, byte, how);
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t some = 1; some > 0 && length < size - 1;) {
    some = read(ends[0], said + length, size - 1 - length);
    length += some > 0 ? (size_t)some : 0;
  }
  said[length] = '\0';
  close(ends[0]);
  return child_code(child);
}

static void expect_fault(const scene *of, unsigned char *byte, touch how, const char *where) {
  char said[CONFORMANCE_FAILURE_SIZE];
  char expected[CONFORMANCE_FAILURE_SIZE];
  assert_int_equal(touch_in_child(of, byte, how, said, sizeof said), EXIT_FAILURE);
  snprintf(expected, sizeof expected,
           "relayout convert --device 'cpu' --from 'f32[3,5]{1,0}' --to 'f32[3,5]{0,1}' IN OUT # "
           "by hand: a fault at %s\n",
           where);
  assert_string_equal(said, expected);
}

static void expect_none(const scene *of, unsigned char *byte, touch how) {
  char said[CONFORMANCE_FAILURE_SIZE];
  assert_int_equal(touch_in_child(of, byte, how, said, sizeof said), EXIT_SUCCESS);
  assert_string_equal(said, "");
}

static void test_faults_at_the_ends(void **state) {
  (void)state;
  scene s;
  set_scene(&s, PLACE_BEFORE_FENCE, PLACE_BEHIND_FENCE);
  unsigned char *const source = s.source.bytes + s.source.start;
  unsigned char *const destination = s.destination.bytes + s.destination.start;
  expect_none(&s, source, READS);
  expect_none(&s, source + SIZE - 1, READS);
  expect_fault(&s, source + SIZE, READS, "byte 60 of the source's 60");
  expect_fault(&s, source + 5, WRITES, "byte 5 of the source's 60");
  expect_none(&s, destination, WRITES);
  expect_none(&s, destination + SIZE - 1, WRITES);
  expect_fault(&s, destination - 1, READS, "byte -1 of the destination's 60");
  expect_fault(&s, destination - 7, WRITES, "byte -7 of the destination's 60");
  clear_scene(&s);
  set_scene(&s, PLACE_BEHIND_FENCE, PLACE_BEFORE_FENCE);
  expect_fault(&s, s.source.bytes - 1, READS, "byte -1 of the source's 60");
  expect_fault(&s, s.destination.bytes + s.destination.total, WRITES,
               "byte 60 of the destination's 60");
  clear_scene(&s);
}

/* The pages that a smaller buffer has left are not there either. */
static void test_faults_behind_what_shrank(void **state) {
  (void)state;
  scene s;
  set_scene(&s, PLACE_BEHIND_FENCE, PLACE_BEHIND_FENCE);
  const size_t page = fenced_pages_page_size();
  fenced_pages_unlock(&s.pages[0]);
  assert_true(fenced_pages_resize(&s.pages[0], 3 * page));
  s.pages[0].bytes[2 * page] = 1;
  unsigned char content[SIZE];
  fill(content, SIZE);
  assert_true(guarded_buffer_make(&s.pages[0], content, SIZE, PLACE_BEFORE_FENCE, 0, 0, &s.source));
  expect_fault(&s, s.source.bytes + s.source.total, READS, "byte 60 of the source's 60");
  clear_scene(&s);
}

static void test_faults_elsewhere(void **state) {
  (void)state;
  scene s;
  set_scene(&s, PLACE_BETWEEN, PLACE_BETWEEN);
  fenced_pages missing = {NULL, 0, 0};
  assert_true(fenced_pages_resize(&missing, 1));
  expect_fault(&s, missing.bytes + missing.size, READS, "an address outside of both buffers");
  fenced_pages_free(&missing);
  clear_scene(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_place_and_size), cmocka_unit_test(test_large_and_small_again),
      cmocka_unit_test(test_faults_at_the_ends),  cmocka_unit_test(test_faults_behind_what_shrank),
      cmocka_unit_test(test_faults_elsewhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
