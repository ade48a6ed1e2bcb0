/* Devices and plans in a child of fork(), whatever the parent's threads were doing. */
#define _DEFAULT_SOURCE /* usleep */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "child.h"
#include "cmocka_all.h"
#include "cpu/sanitizers.h"
#include "cpu/scene.h"

/* What the parent used, and what is new here. One that hangs is killed, a long time later. */
static void be_a_child(scene *inherited) {
  alarm(120);
  bool passed = scene_works(inherited);
  scene_tear_down(inherited);
  scene own;
  scene_set_up(&own);
  passed = passed && scene_works(&own);
  scene_tear_down(&own);
  _exit(passed ? 0 : 1);
}

static void assert_child_passes(scene *of) {
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    be_a_child(of);
  }
  assert_int_equal(child_code(child), 0);
}

static void test_fork_after_use(void **state) {
  (void)state;
  scene used;
  scene_set_up(&used);
  assert_true(scene_works(&used));
  assert_child_passes(&used);
  assert_true(scene_works(&used));
  scene_tear_down(&used);
}

typedef struct caller {
  const scene *of;
  atomic_bool *is_over;
  bool passed;
} caller;

static void *call(void *argument) {
  caller *const mine = argument;
  mine->passed = true;
  while (!atomic_load(mine->is_over)) {
    mine->passed = scene_works(mine->of) && mine->passed;
  }
  return NULL;
}

static void test_fork_during_use(void **state) {
  (void)state;
  enum { CALLERS = 2, CHILDREN = 40 };
  scene used;
  scene_set_up(&used);
  atomic_bool is_over = false;
  pthread_t threads[CALLERS];
  caller callers[CALLERS];
  for (int c = 0; c < CALLERS; ++c) {
    callers[c] = (caller){.of = &used, .is_over = &is_over};
    assert_int_equal(pthread_create(&threads[c], NULL, call, &callers[c]), 0);
  }
  for (int child = 0; child < CHILDREN; ++child) {
    assert_child_passes(&used);
  }
  atomic_store(&is_over, true);
  for (int c = 0; c < CALLERS; ++c) {
    pthread_join(threads[c], NULL);
    assert_true(callers[c].passed);
  }
  scene_tear_down(&used);
}

/* ---- An allocator with a lock ---- */

static pthread_mutex_t heap_mutex = PTHREAD_MUTEX_INITIALIZER;
static int blocks;

static void *allocate(void *context, size_t size, size_t alignment) {
  void *made = NULL;
  (void)context;
  pthread_mutex_lock(&heap_mutex);
  if (posix_memalign(&made, alignment < sizeof made ? sizeof made : alignment, size) == 0) {
    ++blocks;
  }
  pthread_mutex_unlock(&heap_mutex);
  return made;
}

static void release(void *context, void *block) {
  (void)context;
  pthread_mutex_lock(&heap_mutex);
  free(block);
  --blocks;
  pthread_mutex_unlock(&heap_mutex);
}

static void lend_allocator(void) {
  relayout_allocator lent = RELAYOUT_ALLOCATOR_INIT;
  lent.allocate = allocate;
  lent.release = release;
  assert_int_equal(relayout_set_allocator(&lent, NULL), RELAYOUT_OK);
}

static atomic_bool is_locked;
static atomic_bool may_unlock;

/* A thread of the program's that is within its allocator for a while. */
static void *hold_the_heap(void *unused) {
  pthread_mutex_lock(&heap_mutex);
  atomic_store(&is_locked, true);
  while (!atomic_load(&may_unlock)) {
    usleep(1000);
  }
  pthread_mutex_unlock(&heap_mutex);
  return unused;
}

/* A child that hangs within fork() gets to no alarm of its own. */
static bool ends_soon(pid_t child) {
  for (int tenths = 0; tenths < 300; ++tenths) {
    int status = -1;
    if (waitpid(child, &status, WNOHANG) == child) {
      return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    usleep(100 * 1000);
  }
  kill(child, SIGKILL);
  (void)waitpid(child, NULL, 0);
  return false;
}

static void test_fork_while_the_allocator_is_locked(void **state) {
  (void)state;
  lend_allocator();
  scene used;
  scene_set_up(&used);
  assert_true(scene_works(&used)); /* with workers */
  pthread_t holder;
  assert_int_equal(pthread_create(&holder, NULL, hold_the_heap, NULL), 0);
  while (!atomic_load(&is_locked)) {
    usleep(1000);
  }
  const pid_t child = fork();
  if (child == 0) {
    _exit(0);
  }
  assert_true(child > 0);
  assert_true(ends_soon(child));
  atomic_store(&may_unlock, true);
  pthread_join(holder, NULL);
  scene_tear_down(&used);
  assert_int_equal(blocks, 0);
  assert_int_equal(relayout_set_allocator(NULL, NULL), RELAYOUT_OK);
}

/* What the parent's threads took goes back too, when the child's last device does. */
static void test_child_frees_by_the_allocator(void **state) {
  (void)state;
  lend_allocator();
  scene used;
  scene_set_up(&used);
  assert_true(scene_works(&used));
  const pid_t child = fork();
  if (child == 0) {
    const bool passed = scene_works(&used);
    scene_tear_down(&used);
    _exit(passed && blocks == 0 ? 0 : 1);
  }
  assert_true(child > 0);
  assert_true(ends_soon(child));
  scene_tear_down(&used);
  assert_int_equal(relayout_set_allocator(NULL, NULL), RELAYOUT_OK);
}

int main(void) {
  if (!FOLLOWS_FORKS) {
    print_message("skipped: a child may find the sanitizer's own allocator locked\n");
    return 77;
  }
  setenv("RELAYOUT_CACHE", "off", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fork_after_use),
      cmocka_unit_test(test_fork_during_use),
      cmocka_unit_test(test_fork_while_the_allocator_is_locked),
      cmocka_unit_test(test_child_frees_by_the_allocator),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
