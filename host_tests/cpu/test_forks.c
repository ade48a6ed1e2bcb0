/* Devices and plans in a child of fork(), whatever the parent's threads were doing. */
#include <pthread.h>
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

int main(void) {
  if (!FOLLOWS_FORKS) {
    print_message("skipped: a child may find the sanitizer's own allocator locked\n");
    return 77;
  }
  setenv("RELAYOUT_CACHE", "off", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fork_after_use),
      cmocka_unit_test(test_fork_during_use),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
