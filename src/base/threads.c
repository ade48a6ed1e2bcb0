/* threads.c: a thread's attributes and signals, and calls that run on another stack. */
#include "base/threads.h"

#include <signal.h>

static const size_t large_stack_bytes = (size_t)8 << 20; /* touched as far as it is used */

bool rlt_thread_start(pthread_t *thread, size_t stack_bytes, void *(*run)(void *argument),
                      void *argument) {
  static const int raised[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) {
    return false;
  }
  sigset_t blocked;
  sigset_t before;
  sigfillset(&blocked);
  for (size_t i = 0; i < sizeof raised / sizeof *raised; ++i) {
    sigdelset(&blocked, raised[i]);
  }
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const bool is_started = pthread_attr_setstacksize(&attributes, stack_bytes) == 0 &&
                          pthread_create(thread, &attributes, run, argument) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return is_started;
}

typedef struct call {
  void (*run)(void *argument);
  void *argument;
} call;

static void *make_call(void *argument) {
  const call *const made = argument;
  made->run(made->argument);
  return NULL;
}

void rlt_run_on_large_stack(void (*run)(void *argument), void *argument) {
  call made = {run, argument};
  pthread_t thread;
  if (rlt_thread_start(&thread, large_stack_bytes, make_call, &made)) {
    pthread_join(thread, NULL);
  } else {
    run(argument);
  }
}
