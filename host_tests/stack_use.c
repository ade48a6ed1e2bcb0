/* stack_use.c: paints a stack, and looks how far it was overwritten. */
#include "stack_use.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"

/* A thread's whole stack, for which the C library takes some too. */
enum { STACK_SIZE = 512 << 10, PAGE = 4096, UNUSED = 0xa5 };

typedef struct call {
  void (*run)(void *argument);
  void *argument;
} call;

static void *make_call(void *argument) {
  const call *const made = argument;
  made->run(made->argument);
  return NULL;
}

static size_t used_of(const unsigned char *stack) {
  size_t unused = 0;
  while (unused < STACK_SIZE && stack[unused] == UNUSED) {
    ++unused;
  }
  return STACK_SIZE - unused;
}

static void do_nothing(void *argument) {
  (void)argument;
}

static size_t measure_thread(void (*run)(void *argument), void *argument) {
  void *stack = NULL;
  assert_int_equal(posix_memalign(&stack, PAGE, STACK_SIZE), 0);
  memset(stack, UNUSED, STACK_SIZE);
  pthread_attr_t attributes;
  assert_int_equal(pthread_attr_init(&attributes), 0);
  assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK_SIZE), 0);
  call made = {run, argument};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, &attributes, make_call, &made), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  pthread_attr_destroy(&attributes);
  const size_t used = used_of(stack);
  free(stack);
  return used;
}

size_t stack_used_by(void (*run)(void *argument), void *argument) {
  return measure_thread(run, argument) - measure_thread(do_nothing, NULL);
}
