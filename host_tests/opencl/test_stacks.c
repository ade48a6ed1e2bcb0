/* test_stacks.c: how much of the caller's stack the calls take in which drivers are loaded and
 * compile: 64 KiB at most, as all others. Each case has a process of its own, where no driver is
 * loaded yet, and PoCL a folder of its own, where it finds no kernel. */
#include "cmocka_all.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "child.h"
#include "cpu/sanitizers.h"
#include "relayout/opencl.h"
#include "relayout/relayout.h"
#include "scratch.h"
#include "shape_of.h"
#include "stack_use.h"

enum { MOST_USED = 64 << 10, NO_DEVICE = 77 };

/* ---- Threads that the system refuses ---- */

static bool refuses_threads;
static int threads_refused;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument) {
  threads_refused += refuses_threads;
  return refuses_threads ? EAGAIN : __real_pthread_create(thread, attributes, run, argument);
}

/* ---- Calls ---- */

static relayout_status status;

static void list(void *unused) {
  (void)unused;
  size_t count = 0;
  status = relayout_device_list(NULL, 0, &count, NULL);
}

static void open_named(void *name) {
  relayout_device *device = NULL;
  status = relayout_device_open(name, &device, NULL);
  relayout_device_destroy(device);
}

/* The driver is loaded, and has compiled nothing yet. */
static void make_plan(void *device) {
  const relayout_shape from = shape_of("u16[40,50]");
  const relayout_shape to = shape_of("u16[40,50]{0,1}");
  relayout_plan *plan = NULL;
  status = relayout_plan_create(device, &from, &to, NULL, &plan, NULL);
  relayout_plan_destroy(plan);
}

/* ---- Each in a process of its own ---- */

static void be_list(void) {
  const size_t used = stack_used_by(list, NULL);
  print_message("relayout_device_list: %zu bytes\n", used);
  _exit(status == RELAYOUT_OK && used <= MOST_USED ? 0 : 1);
}

static void be_open(void) {
  static char name[] = "opencl";
  const size_t used = stack_used_by(open_named, name);
  print_message("relayout_device_open: %zu bytes\n", used);
  _exit(status == RELAYOUT_NO_DEVICE                 ? NO_DEVICE
        : status == RELAYOUT_OK && used <= MOST_USED ? 0
                                                     : 1);
}

static void be_plan(void) {
  relayout_device *opened = NULL;
  relayout_device *device = NULL;
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  cl_context context = NULL;
  cl_device_id id = NULL;
  options.kernels = RELAYOUT_KERNELS_WORK_GROUP;
  if (relayout_device_open("opencl", &opened, NULL) != RELAYOUT_OK) {
    _exit(NO_DEVICE);
  }
  if (relayout_opencl_device_get_handles(opened, &context, &id, NULL) != RELAYOUT_OK ||
      relayout_opencl_device_create(context, id, &options, &device, NULL) != RELAYOUT_OK) {
    _exit(1);
  }
  const size_t used = stack_used_by(make_plan, device);
  print_message("relayout_plan_create: %zu bytes\n", used);
  relayout_device_usage usage = RELAYOUT_DEVICE_USAGE_INIT;
  const relayout_status told = relayout_device_get_usage(device, &usage, NULL);
  _exit(status == RELAYOUT_OK && used <= MOST_USED && told == RELAYOUT_OK && usage.programs > 0
            ? 0
            : 1);
}

/* On the caller's stack then, which is large enough here. */
static void be_without_threads(void) {
  size_t count = 0;
  refuses_threads = true;
  status = relayout_device_list(NULL, 0, &count, NULL);
  _exit(status == RELAYOUT_OK && count > 0 && threads_refused > 0 ? 0 : 1);
}

/* A signal to the process reaches a thread of the caller's, also while a driver is loaded. */
static void be_signalled(void) {
  sigset_t before;
  sigset_t after;
  size_t count = 0;
  pthread_sigmask(SIG_BLOCK, NULL, &before);
  status = relayout_device_list(NULL, 0, &count, NULL);
  pthread_sigmask(SIG_BLOCK, NULL, &after);
  bool same = status == RELAYOUT_OK;
  for (int s = 1; s < 32; ++s) {
    same = same && sigismember(&before, s) == sigismember(&after, s);
  }
  _exit(same ? 0 : 1);
}

/* The state is one of these. */
typedef struct alone {
  void (*be)(void);
} alone;

static void run_alone(void **state) {
  const alone *const of = *state;
  char folder[SCRATCH_PATH];
  scratch_make(folder);
  fflush(stdout);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    alarm(300);
    setenv("POCL_CACHE_DIR", folder, 1);
    of->be();
  }
  const int code = child_code(child);
  scratch_remove(folder);
  if (code == NO_DEVICE) {
    skip();
  }
  assert_int_equal(code, 0);
}

#define ALONE(name)                                                                                \
  {                                                                                                \
#name, run_alone, NULL, NULL, &(alone) {                                                       \
      name                                                                                         \
    }                                                                                              \
  }

int main(void) {
  if (!LEAVES_MEMORY_ALONE || !FOLLOWS_FORKS) {
    print_message("skipped: the sanitizer takes more of the stack\n");
    return 77;
  }
  setenv("RELAYOUT_CACHE", "off", 1);
  const struct CMUnitTest tests[] = {
      ALONE(be_list),      ALONE(be_open), ALONE(be_plan), ALONE(be_without_threads),
      ALONE(be_signalled),
  };
  return cmocka_run_group_tests_name("opencl.stacks", tests, NULL, NULL);
}
