/* Devices and plans in a child of fork(), whatever the parent's threads were doing. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "cpu/device.h"
#include "cpu/sanitizers.h"
#include "relayout/relayout.h"

enum { SIDE = 192, THREADS = 4 };

/* A matrix, and a device to which its few kilobytes are worth some threads, however many processors there
 * are. */
typedef struct scene {
  relayout_device *device;
  relayout_shape from;
  relayout_shape to;
  relayout_plan *plan;
  float source[SIDE][SIDE];
} scene;

static void set_up(scene *made) {
  const relayout_layout rows = {.rank = 2, .minor_to_major = {1, 0}};
  made->from = (relayout_shape){
      .element_type = RELAYOUT_F32, .rank = 2, .dimensions = {SIDE, SIDE}, .layout = rows};
  made->to = made->from;
  made->to.layout = (relayout_layout){.rank = 2, .minor_to_major = {0, 1}};
  for (int r = 0; r < SIDE; ++r) {
    for (int c = 0; c < SIDE; ++c) {
      made->source[r][c] = (float)(r * SIDE + c);
    }
  }
  assert_int_equal(relayout_cpu_device_create(NULL, &made->device, NULL), RELAYOUT_OK);
  rlt_cpu_device *const device = (rlt_cpu_device *)made->device;
  device->threads = THREADS;
  device->share_bytes = 1024;
  assert_int_equal(
      relayout_plan_create(made->device, &made->from, &made->to, NULL, &made->plan, NULL),
      RELAYOUT_OK);
}

static bool is_transposed(const scene *of, float found[SIDE][SIDE]) {
  for (int r = 0; r < SIDE; ++r) {
    for (int c = 0; c < SIDE; ++c) {
      if (found[c][r] != of->source[r][c]) {
        return false;
      }
    }
  }
  return true;
}

/* By the plan that is there, and by one that is asked for. */
static bool relayouts_work(const scene *of) {
  float(*const found)[SIDE] = calloc(SIDE, sizeof *found);
  bool passed = relayout_plan_execute(of->plan, of->source, found, NULL) == RELAYOUT_OK &&
                is_transposed(of, found);
  memset(found, 0, SIDE * sizeof *found);
  passed = passed &&
           relayout_copy(of->device, &of->from, &of->to, of->source, found, NULL) == RELAYOUT_OK &&
           is_transposed(of, found);
  free(found);
  return passed;
}

/* What the parent used, and what is new here. One that hangs is killed, a long time later. */
static void be_a_child(scene *inherited) {
  alarm(120);
  bool passed = relayouts_work(inherited);
  relayout_plan_destroy(inherited->plan);
  relayout_device_destroy(inherited->device);
  scene own;
  set_up(&own);
  passed = passed && relayouts_work(&own);
  relayout_plan_destroy(own.plan);
  relayout_device_destroy(own.device);
  _exit(passed ? 0 : 1);
}

static void assert_child_passes(scene *of) {
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    be_a_child(of);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void tear_down(scene *made) {
  relayout_plan_destroy(made->plan);
  relayout_device_destroy(made->device);
}

static void test_fork_after_use(void **state) {
  (void)state;
  scene used;
  set_up(&used);
  assert_true(relayouts_work(&used));
  assert_child_passes(&used);
  assert_true(relayouts_work(&used));
  tear_down(&used);
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
    mine->passed = relayouts_work(mine->of) && mine->passed;
  }
  return NULL;
}

static void test_fork_during_use(void **state) {
  (void)state;
  enum { CALLERS = 2, CHILDREN = 40 };
  scene used;
  set_up(&used);
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
  tear_down(&used);
}

int main(void) {
  if (!FOLLOWS_FORKS) {
    print_message("skipped: the sanitizer follows no threads that a child starts\n");
    return 77;
  }
  setenv("RELAYOUT_CACHE", "off", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fork_after_use),
      cmocka_unit_test(test_fork_during_use),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
