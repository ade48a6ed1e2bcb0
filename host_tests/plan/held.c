/* held.c: counts what is taken and what is given back. */
#include "plan/held.h"

#include "cmocka_all.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "relayout/hooks.h"

static atomic_int blocks;
static _Thread_local int mutexes; /* that each thread holds */

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex) {
  ++mutexes;
  return __real_pthread_mutex_lock(mutex);
}

/* What nobody holds is not let go of. */
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex) {
  assert_true(mutexes > 0);
  --mutexes;
  return __real_pthread_mutex_unlock(mutex);
}

static void *allocate(void *context, size_t size, size_t alignment) {
  (void)context;
  void *const block = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  assert_non_null(block);
  memset(block, 0xa5, size);
  ++blocks;
  return block;
}

static void release(void *context, void *block) {
  (void)context;
  --blocks;
  free(block);
}

int held_set_up(void **state) {
  (void)state;
  relayout_allocator own = RELAYOUT_ALLOCATOR_INIT;
  own.allocate = allocate;
  own.release = release;
  assert_int_equal(relayout_set_allocator(&own, NULL), RELAYOUT_OK);
  blocks = 0;
  mutexes = 0;
  return 0;
}

int held_tear_down(void **state) {
  (void)state;
  assert_int_equal(blocks, 0);
  assert_int_equal(mutexes, 0);
  assert_int_equal(relayout_set_allocator(NULL, NULL), RELAYOUT_OK);
  return 0;
}
