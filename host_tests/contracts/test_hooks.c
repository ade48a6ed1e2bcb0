/* test_hooks.c: a program's own allocator, of which every block is known, and its own log. */
#include "cmocka_all.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "relayout/relayout.h"
#include "shape_of.h"

/* ---- Memory ---- */

/* In front of each block: whose it is. */
enum { MARK = 0x5eed, FRONT = 4096 };

typedef struct heap {
  atomic_int made;
  atomic_int held;
  atomic_int left; /* so many, and then there is no memory */
} heap;

static void *allocate(void *context, size_t size, size_t alignment) {
  heap *const of = context;
  assert_true(size > 0);
  assert_true(alignment > 0 && alignment <= FRONT && (alignment & (alignment - 1)) == 0);
  if (atomic_fetch_sub(&of->left, 1) <= 0) {
    return NULL;
  }
  char *const block = aligned_alloc(FRONT, FRONT + (size + FRONT - 1) / FRONT * FRONT);
  assert_non_null(block);
  memset(block + FRONT, 0xa5, size);
  memcpy(block, &(int){MARK}, sizeof(int));
  of->made += 1;
  of->held += 1;
  return block + FRONT;
}

static void release(void *context, void *block) {
  heap *const of = context;
  char *const start = (char *)block - FRONT;
  int mark = 0;
  assert_non_null(block);
  memcpy(&mark, start, sizeof mark);
  assert_int_equal(mark, MARK);
  memset(start, 0, sizeof mark);
  free(start);
  of->held -= 1;
}

static relayout_allocator allocator_of(heap *of) {
  relayout_allocator made = RELAYOUT_ALLOCATOR_INIT;
  made.allocate = allocate;
  made.release = release;
  made.context = of;
  return made;
}

/* A device, a plan whose tables take memory, and a relayout by it; the first status that is no
 * success. */
static relayout_status work(void) {
  const relayout_shape from = shape_of("u8[30,17,3]{2,1,0}");
  const relayout_shape to = shape_of("u8[30,17,3]{1,0,2:T(8,128)}");
  static uint8_t source[30 * 17 * 3];
  static uint8_t destination[3 * 32 * 128];
  relayout_device *device = NULL;
  relayout_plan *plan = NULL;
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.effort = RELAYOUT_PLAN_MEASURE;
  relayout_status status = relayout_device_open("cpu", &device, NULL);
  if (status == RELAYOUT_OK) {
    status = relayout_plan_create(device, &from, &to, &options, &plan, NULL);
  }
  if (status == RELAYOUT_OK) {
    status = relayout_plan_execute(plan, source, destination, NULL);
  }
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  return status;
}

static void test_all_memory_is_the_allocators(void **state) {
  (void)state;
  heap own = {.left = 1 << 20};
  const relayout_allocator allocator = allocator_of(&own);
  assert_int_equal(relayout_set_allocator(&allocator, NULL), RELAYOUT_OK);
  assert_int_equal(work(), RELAYOUT_OK);
  assert_true(own.made > 10);
  assert_int_equal(own.held, 0);
  const int made = own.made;
  assert_int_equal(relayout_set_allocator(NULL, NULL), RELAYOUT_OK);
  assert_int_equal(work(), RELAYOUT_OK);
  assert_int_equal(own.made, made);
}

/* Wherever it runs out, that is said, and nothing is lost. */
static void test_it_runs_out(void **state) {
  (void)state;
  relayout_status status = RELAYOUT_OUT_OF_MEMORY;
  int count = 0;
  for (; status != RELAYOUT_OK && count < 1000; ++count) {
    heap own = {.left = count};
    const relayout_allocator allocator = allocator_of(&own);
    assert_int_equal(relayout_set_allocator(&allocator, NULL), RELAYOUT_OK);
    status = work();
    assert_true(status == RELAYOUT_OK || status == RELAYOUT_OUT_OF_MEMORY);
    assert_int_equal(own.held, 0);
  }
  assert_in_range(count, 5, 999);
  assert_int_equal(relayout_set_allocator(NULL, NULL), RELAYOUT_OK);
}

static void test_not_while_memory_is_held(void **state) {
  (void)state;
  heap own = {.left = 1 << 20};
  const relayout_allocator allocator = allocator_of(&own);
  relayout_error error = {0};
  relayout_device *device = NULL;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_set_allocator(&allocator, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "allocator cannot be changed while the library holds"));
  assert_int_equal(relayout_set_allocator(NULL, NULL), RELAYOUT_OK); /* none is another */
  relayout_device_destroy(device);
  assert_int_equal(own.made, 0);
}

static void test_bad_allocators(void **state) {
  (void)state;
  heap own = {.left = 0};
  relayout_error error = {0};
  relayout_allocator bad = allocator_of(&own);
  bad.release = NULL;
  assert_int_equal(relayout_set_allocator(&bad, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "allocator->release is NULL"));
  bad = allocator_of(&own);
  bad.allocate = NULL;
  assert_int_equal(relayout_set_allocator(&bad, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "allocator->allocate is NULL"));
  bad = allocator_of(&own);
  bad.struct_size = 8;
  assert_int_equal(relayout_set_allocator(&bad, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "allocator->struct_size is 8"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_memory_is_the_allocators),
      cmocka_unit_test(test_it_runs_out),
      cmocka_unit_test(test_not_while_memory_is_held),
      cmocka_unit_test(test_bad_allocators),
  };
  return cmocka_run_group_tests_name("contracts.hooks", tests, NULL, NULL);
}
