/* Work on several threads: the caller's pool, OpenMP's, and one plan used from many at once. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cmocka_all.h"
#include "cpu/trial.h"
#include "problem/definition.h"

/* ---- A pool that starts a thread for each task ---- */

typedef struct pool {
  atomic_int calls;
  atomic_size_t most_tasks;
} pool;

typedef struct pool_task {
  void (*task)(void *data, size_t i);
  void *data;
  size_t i;
} pool_task;

static void *run_pool_task(void *argument) {
  const pool_task *mine = argument;
  mine->task(mine->data, mine->i);
  return NULL;
}

static void pool_parallel_for(void *context, size_t count, void (*task)(void *data, size_t i),
                              void *data) {
  pool *used = context;
  atomic_fetch_add(&used->calls, 1);
  if (count > atomic_load(&used->most_tasks)) {
    atomic_store(&used->most_tasks, count);
  }
  pthread_t *threads = calloc(count, sizeof *threads);
  pool_task *tasks = calloc(count, sizeof *tasks);
  for (size_t i = 0; i < count; ++i) {
    tasks[i] = (pool_task){task, data, i};
    if (pthread_create(&threads[i], NULL, run_pool_task, &tasks[i]) != 0) {
      abort();
    }
  }
  for (size_t i = 0; i < count; ++i) {
    pthread_join(threads[i], NULL);
  }
  free(threads);
  free(tasks);
}

/* The first task that runs does everything, before the others start. */
static void backward_parallel_for(void *context, size_t count, void (*task)(void *data, size_t i),
                                  void *data) {
  (void)context;
  for (size_t i = count; i-- > 0;) {
    task(data, i);
  }
}

static relayout_device *device_with(int32_t threads, relayout_parallel_for parallel_for,
                                    void *context) {
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = threads;
  options.parallel_for = parallel_for;
  options.parallel_context = context;
  relayout_device *device = NULL;
  assert_int_equal(relayout_cpu_device_create(&options, &device, NULL), RELAYOUT_OK);
  return device;
}

/* ---- Problems of a megabyte or so, one for each strategy ---- */

static const rlt_problem large_problems[] = {
    {.element_bytes = 4,
     .source_elements = 300000,
     .destination_elements = 300000,
     .axis_count = 1,
     .axes = {{300000, 299999, 1, 1}},
     .fills = true,
     .fill = {1, 2, 3, 4}},
    {.element_bytes = 1,
     .source_elements = 1000 * 1100,
     .destination_elements = 1100 * 1000,
     .axis_count = 2,
     .axes = {{1000, 1000, 1100, 1}, {1100, 1090, 1, 1000}},
     .fills = true},
    {.element_bytes = 2,
     .source_elements = 3 * 200000,
     .destination_elements = 4 * 200000,
     .axis_count = 2,
     .axes = {{4, 3, 200000, 1}, {200000, 200000, 1, 4}}},
    {.element_bytes = 8,
     .source_elements = 1,
     .destination_elements = 200000,
     .axis_count = 1,
     .axes = {{200000, 0, 0, 1}},
     .fills = true,
     .fill = {1, 2, 3, 4, 5, 6, 7, 8}},
    {.element_bytes = 16,
     .source_elements = 64 * 1000,
     .destination_elements = 64 * 1000,
     .axis_count = 2,
     .axes = {{64, 64, 1, 1}, {1000, 1000, 64, 64}},
     .guard_count = 1,
     .guards = {{.weight = {1, 64}, .size = 63001}},
     .fills = true},
};
enum { LARGE_PROBLEMS = sizeof large_problems / sizeof *large_problems };
static const relayout_strategy large_strategies[LARGE_PROBLEMS] = {
    RELAYOUT_STRATEGY_COPY, RELAYOUT_STRATEGY_TRANSPOSE, RELAYOUT_STRATEGY_PACKED,
    RELAYOUT_STRATEGY_FILL, RELAYOUT_STRATEGY_GATHER};

static void run_large_problems(relayout_device *device) {
  for (int i = 0; i < LARGE_PROBLEMS; ++i) {
    relayout_strategy used;
    assert_true(trial_passes(device, &large_problems[i], RELAYOUT_STRATEGY_AUTO, 0, &used));
    assert_int_equal(used, large_strategies[i]);
  }
}

static void test_pool(void **state) {
  (void)state;
  for (int32_t threads = 2; threads <= 5; ++threads) {
    pool used = {0};
    relayout_device *device = device_with(threads, pool_parallel_for, &used);
    run_large_problems(device);
    assert_int_equal(atomic_load(&used.calls), LARGE_PROBLEMS);
    assert_true(atomic_load(&used.most_tasks) == (size_t)threads);
    relayout_device_destroy(device);
  }
}

static void test_any_order_of_tasks(void **state) {
  (void)state;
  relayout_device *device = device_with(6, backward_parallel_for, NULL);
  run_large_problems(device);
  relayout_device_destroy(device);
}

static void test_default_threads(void **state) {
  (void)state;
  relayout_device *device = NULL;
  assert_int_equal(relayout_cpu_device_create(NULL, &device, NULL), RELAYOUT_OK);
  run_large_problems(device);
  relayout_device_destroy(device);
}

static void test_small_problems_stay_on_the_calling_thread(void **state) {
  (void)state;
  static const rlt_problem small = {.element_bytes = 4,
                                    .source_elements = 10000,
                                    .destination_elements = 10000,
                                    .axis_count = 2,
                                    .axes = {{100, 100, 100, 1}, {100, 100, 1, 100}}};
  pool used = {0};
  relayout_device *device = device_with(4, pool_parallel_for, &used);
  relayout_strategy strategy;
  assert_true(trial_passes(device, &small, RELAYOUT_STRATEGY_AUTO, 0, &strategy));
  assert_int_equal(atomic_load(&used.calls), 0);
  relayout_device_destroy(device);
}

/* ---- One plan, many callers ---- */

typedef struct caller {
  const trial *t;
  const relayout_plan *plan;
  bool passed;
} caller;

static void *call(void *argument) {
  caller *mine = argument;
  mine->passed = true;
  for (size_t shift = 0; shift < 3; ++shift) {
    mine->passed = trial_run(mine->t, mine->plan, shift) && mine->passed;
  }
  return NULL;
}

static void test_one_plan_from_many_threads(void **state) {
  (void)state;
  enum { CALLERS = 4 };
  pool used = {0};
  relayout_device *device = device_with(2, pool_parallel_for, &used);
  for (int i = 0; i < LARGE_PROBLEMS; ++i) {
    relayout_plan *plan = NULL;
    assert_int_equal(rlt_plan_create_for_problem(device, &large_problems[i], RELAYOUT_STRATEGY_AUTO,
                                                 &plan, NULL),
                     RELAYOUT_OK);
    trial t;
    trial_initialize(&t, &large_problems[i], 0);
    pthread_t threads[CALLERS];
    caller callers[CALLERS];
    for (int c = 0; c < CALLERS; ++c) {
      callers[c] = (caller){.t = &t, .plan = plan};
      assert_int_equal(pthread_create(&threads[c], NULL, call, &callers[c]), 0);
    }
    for (int c = 0; c < CALLERS; ++c) {
      pthread_join(threads[c], NULL);
      assert_true(callers[c].passed);
    }
    trial_deinitialize(&t);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pool),
      cmocka_unit_test(test_any_order_of_tasks),
      cmocka_unit_test(test_default_threads),
      cmocka_unit_test(test_small_problems_stay_on_the_calling_thread),
      cmocka_unit_test(test_one_plan_from_many_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
