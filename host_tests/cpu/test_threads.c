/* Work on several threads: the caller's pool, the library's, and one plan used from many at
 * once. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "cpu/cpu.h"
#include "cpu/device.h"
#include "cpu/executable.h"
#include "cpu/trial.h"
#include "problem/definition.h"
#include "shape_of.h"

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

/* A pool that runs tasks one after the other, and leaves some out. */
typedef struct sparse_pool {
  bool (*takes)(size_t i, size_t count);
  size_t asked; /* tasks, */
  size_t run;   /* and those of them that it ran */
} sparse_pool;

static bool takes_all(size_t i, size_t count) {
  return i < count;
}

static bool takes_none(size_t i, size_t count) {
  return i >= count;
}

static bool takes_first(size_t i, size_t count) {
  (void)count;
  return i == 0;
}

static bool takes_last(size_t i, size_t count) {
  return i == count - 1;
}

static void sparse_parallel_for(void *context, size_t count, void (*task)(void *data, size_t i),
                                void *data) {
  sparse_pool *const used = context;
  used->asked += count;
  for (size_t i = 0; i < count; ++i) {
    if (used->takes(i, count)) {
      task(data, i);
      ++used->run;
    }
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

/* A device to which an eighth of a megabyte is worth a thread, so that tests can be small. */
static relayout_device *eager_device_with(int32_t threads, relayout_parallel_for parallel_for,
                                          void *context) {
  static rlt_tuning eager;
  relayout_device *const device = device_with(threads, parallel_for, context);
  eager = *device->tuning;
  eager.thread_bytes = 128 << 10;
  device->tuning = &eager;
  return device;
}

/* ---- Problems of a megabyte or so, one for each method ---- */

/* Everything lies where it is to lie. */
static const rlt_index_program no_operations = {.count = 0, .result = 0};

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
     .axis_count = 1,
     .axes = {{64 * 1000, 64 * 1000, 1, 1}},
     .index_program = &no_operations},
};
enum { LARGE_PROBLEMS = sizeof large_problems / sizeof *large_problems };
static const char *const large_methods[LARGE_PROBLEMS] = {"copy", "transpose", "permute", "fill",
                                                          "index-program"};

static void run_large_problems(relayout_device *device) {
  for (int i = 0; i < LARGE_PROBLEMS; ++i) {
    assert_string_equal(trial_passes_as_chosen(device, &large_problems[i], 0), large_methods[i]);
  }
}

static void test_pool(void **state) {
  (void)state;
  for (int32_t threads = 2; threads <= 5; ++threads) {
    pool used = {0};
    relayout_device *device = eager_device_with(threads, pool_parallel_for, &used);
    run_large_problems(device);
    assert_int_equal(atomic_load(&used.calls), LARGE_PROBLEMS);
    assert_true(atomic_load(&used.most_tasks) == (size_t)threads);
    relayout_device_destroy(device);
  }
}

static void test_any_order_of_tasks(void **state) {
  (void)state;
  relayout_device *device = eager_device_with(6, backward_parallel_for, NULL);
  run_large_problems(device);
  relayout_device_destroy(device);
}

static void test_tasks_in_turn(void **state) {
  (void)state;
  sparse_pool used = {takes_all, 0, 0};
  relayout_device *device = eager_device_with(6, sparse_parallel_for, &used);
  run_large_problems(device);
  assert_true(used.asked > LARGE_PROBLEMS && used.run == used.asked);
  relayout_device_destroy(device);
}

static bool (*const sparse[])(size_t i, size_t count) = {takes_none, takes_first, takes_last};
enum { SPARSE = sizeof sparse / sizeof *sparse };

static void test_tasks_left_out(void **state) {
  (void)state;
  for (int s = 0; s < SPARSE; ++s) {
    sparse_pool used = {sparse[s], 0, 0};
    relayout_device *device = eager_device_with(6, sparse_parallel_for, &used);
    run_large_problems(device);
    assert_true(used.asked > LARGE_PROBLEMS);
    assert_true(used.run == (s == 0 ? 0 : LARGE_PROBLEMS));
    relayout_device_destroy(device);
  }
}

enum { POISON = 0xa7, WATCHED = 1 << 20 };

/* A pool that runs its last task, and looks at what is written then, before any other. */
typedef struct watching_pool {
  const uint8_t *destination;
  bool all_is_written;
} watching_pool;

static void watching_parallel_for(void *context, size_t count, void (*task)(void *data, size_t i),
                                  void *data) {
  watching_pool *const used = context;
  task(data, count - 1);
  used->all_is_written = memchr(used->destination, POISON, WATCHED) == NULL;
  for (size_t i = 0; i + 1 < count; ++i) {
    task(data, i);
  }
}

/* What no other task does meanwhile is done by the one that runs, in scratch memory of its own
 * where tiles are put together. */
static void test_each_task_moves(void **state) {
  (void)state;
  static const char *const shapes[][2] = {{"u8[1024,1024]{1,0}", "u8[1024,1024]{0,1}"},
                                          {"f32[1024,512]{1,0}", "bf16[1024,512]{0,1}"}};
  uint8_t *const source = calloc(2, WATCHED);
  uint8_t *const destination = malloc(WATCHED);
  watching_pool used = {.destination = destination};
  relayout_device *const device = eager_device_with(3, watching_parallel_for, &used);
  assert_non_null(source);
  assert_non_null(destination);
  for (int i = 0; i < 2; ++i) {
    const relayout_shape from = shape_of(shapes[i][0]);
    const relayout_shape to = shape_of(shapes[i][1]);
    memset(destination, POISON, WATCHED);
    used.all_is_written = false;
    assert_int_equal(relayout_copy(device, &from, &to, source, destination, NULL), RELAYOUT_OK);
    assert_true(used.all_is_written);
  }
  relayout_device_destroy(device);
  free(source);
  free(destination);
}

/* ---- Pools that call the library ---- */

/* One that relays out on the same device before each task, but not in those relayouts' own. */
typedef struct calling_pool {
  relayout_device *device;
  int depth;
  int calls; /* of the library */
} calling_pool;

static void calling_parallel_for(void *context, size_t count, void (*task)(void *data, size_t i),
                                 void *data) {
  calling_pool *const used = context;
  ++used->depth;
  for (size_t i = 0; i < count; ++i) {
    if (used->depth == 1) {
      assert_non_null(trial_passes_as_chosen(used->device, &large_problems[i % LARGE_PROBLEMS], 0));
      ++used->calls;
    }
    task(data, i);
  }
  --used->depth;
}

static void test_pool_that_calls_the_library(void **state) {
  (void)state;
  calling_pool used = {.depth = 0};
  used.device = eager_device_with(6, calling_parallel_for, &used);
  run_large_problems(used.device);
  assert_true(used.calls > LARGE_PROBLEMS);
  relayout_device_trim(used.device);
  /* and while schedules are measured */
  const relayout_shape from = shape_of("u16[900,700]");
  const relayout_shape to = shape_of("u16[900,700]{0,1}");
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  relayout_plan *plan = NULL;
  options.effort = RELAYOUT_PLAN_MEASURE;
  options.measured = 2;
  used.calls = 0;
  assert_int_equal(relayout_plan_create(used.device, &from, &to, &options, &plan, NULL),
                   RELAYOUT_OK);
  assert_true(used.calls > 0);
  relayout_plan_destroy(plan);
  relayout_device_destroy(used.device);
}

/* One whose threads each relay out on the same device before their task, all at once. */
typedef struct busy_pool {
  relayout_device *device;
  atomic_int depth;
  atomic_int failures;
} busy_pool;

typedef struct busy_task {
  busy_pool *in;
  pool_task mine;
} busy_task;

static void *run_busy_task(void *argument) {
  const busy_task *const of = argument;
  const rlt_problem *const problem = &large_problems[of->mine.i % LARGE_PROBLEMS];
  trial t;
  trial_initialize(&t, problem, 0);
  relayout_plan *const plan = trial_plan(of->in->device, problem);
  atomic_fetch_add(&of->in->failures, !trial_run(&t, plan, 0));
  relayout_plan_destroy(plan);
  trial_deinitialize(&t);
  of->mine.task(of->mine.data, of->mine.i);
  return NULL;
}

static void busy_parallel_for(void *context, size_t count, void (*task)(void *data, size_t i),
                              void *data) {
  enum { MOST = 8 };
  busy_pool *const used = context;
  const bool is_within = atomic_fetch_add(&used->depth, 1) > 0;
  busy_task tasks[MOST];
  pthread_t threads[MOST];
  assert_true(count <= MOST);
  for (size_t i = 0; i < count; ++i) {
    tasks[i] = (busy_task){used, {task, data, i}};
    if (is_within) {
      task(data, i);
    } else {
      assert_int_equal(pthread_create(&threads[i], NULL, run_busy_task, &tasks[i]), 0);
    }
  }
  for (size_t i = 0; i < count && !is_within; ++i) {
    pthread_join(threads[i], NULL);
  }
  atomic_fetch_sub(&used->depth, 1);
}

static void test_pool_that_other_threads_call_the_library_in(void **state) {
  (void)state;
  busy_pool used = {.depth = 0};
  used.device = eager_device_with(5, busy_parallel_for, &used);
  run_large_problems(used.device);
  assert_int_equal(atomic_load(&used.failures), 0);
  relayout_device_destroy(used.device);
}

static void test_default_threads(void **state) {
  (void)state;
  relayout_device *device = NULL;
  assert_int_equal(relayout_cpu_device_create(NULL, &device, NULL), RELAYOUT_OK);
  run_large_problems(device);
  relayout_device_destroy(device);
}

/* Each thread that is woken gets a megabyte at least. */
static void test_small_problems_stay_on_the_calling_thread(void **state) {
  (void)state;
  for (int64_t rows = 2047; rows <= 2048; ++rows) {
    const rlt_problem problem = {.element_bytes = 4,
                                 .source_elements = 256 * rows,
                                 .destination_elements = 256 * rows,
                                 .axis_count = 2,
                                 .axes = {{256, 256, rows, 1}, {rows, rows, 1, 256}}};
    pool used = {0};
    relayout_device *device = device_with(4, pool_parallel_for, &used);
    assert_non_null(trial_passes_as_chosen(device, &problem, 0));
    assert_true(atomic_load(&used.most_tasks) == (rows == 2047 ? 0 : 2));
    relayout_device_destroy(device);
  }
}

/* ---- Lines that tiles and threads share, past the cache ---- */

/* Runs of the destination begin anywhere in a line: tiles hand each other the lines that they end
 * in, and where a thread's block ends, the next thread goes on within the line. */
static const rlt_problem odd_problems[] = {
    {.element_bytes = 4,
     .source_elements = 613 * 509,
     .destination_elements = 613 * 509,
     .axis_count = 2,
     .axes = {{509, 509, 613, 1}, {613, 613, 1, 509}},
     .fills = true},
    {.element_bytes = 1,
     .source_elements = 1153 * 1021,
     .destination_elements = 1153 * 1021,
     .axis_count = 2,
     .axes = {{1021, 1021, 1153, 1}, {1153, 1153, 1, 1021}},
     .fills = true},
    /* Padded on both sides. */
    {.element_bytes = 2,
     .source_elements = 811 * 719,
     .destination_elements = 829 * 807,
     .axis_count = 2,
     .axes = {{829, 711, 807, 1}, {807, 805, 1, 829}},
     .fills = true,
     .fill = {1, 2}},
    /* The padding is left alone. */
    {.element_bytes = 4,
     .source_elements = 503 * 601,
     .destination_elements = 601 * 517,
     .axis_count = 2,
     .axes = {{503, 503, 601, 1}, {601, 601, 1, 517}}},
    /* Short runs side by side, padded. */
    {.element_bytes = 4,
     .source_elements = 4801 * 67,
     .destination_elements = 4801 * 73,
     .axis_count = 2,
     .axes = {{73, 67, 1, 1}, {4801, 4801, 67, 73}},
     .fills = true,
     .fill = {1, 2, 3, 4}},
    /* Three channels. */
    {.element_bytes = 1,
     .source_elements = 3 * 400009,
     .destination_elements = 3 * 400009,
     .axis_count = 2,
     .axes = {{400009, 400009, 3, 1}, {3, 3, 1, 400009}},
     .fills = true},
};
enum { ODD_PROBLEMS = sizeof odd_problems / sizeof *odd_problems };

/* A device whose cache is too small for any destination. */
static relayout_device *streaming_device_with(int32_t threads, relayout_parallel_for parallel_for,
                                              void *context) {
  relayout_device *const device = eager_device_with(threads, parallel_for, context);
  device->facts.cache_bytes = 1;
  return device;
}

static relayout_plan *odd_plan(relayout_device *device, const rlt_problem *problem) {
  relayout_plan *const plan = trial_plan(device, problem);
  const rlt_schedule *const schedule = &plan->work.parts[0].variants[0].candidate.schedule;
  assert_true(schedule->buffered);
  assert_true(schedule->streamed);
  return plan;
}

static void run_odd_problems(relayout_device *device) {
  static const struct {
    size_t source;
    size_t destination;
  } shifts[] = {{0, 36}, {17, 1}};
  for (int i = 0; i < ODD_PROBLEMS; ++i) {
    relayout_plan *const plan = odd_plan(device, &odd_problems[i]);
    for (size_t s = 0; s < sizeof shifts / sizeof *shifts; ++s) {
      trial t;
      trial_initialize(&t, &odd_problems[i], shifts[s].source);
      const bool passed = trial_run(&t, plan, shifts[s].destination);
      trial_deinitialize(&t);
      if (!passed) {
        definition_print(&odd_problems[i]);
        fail_msg("source shifted by %zu, destination by %zu", shifts[s].source,
                 shifts[s].destination);
      }
    }
    relayout_plan_destroy(plan);
  }
}

static void test_lines_shared_in_a_pool(void **state) {
  (void)state;
  for (int32_t threads = 2; threads <= 5; threads += 3) {
    pool used = {0};
    relayout_device *device = streaming_device_with(threads, pool_parallel_for, &used);
    run_odd_problems(device);
    assert_true(atomic_load(&used.most_tasks) == (size_t)threads);
    relayout_device_destroy(device);
  }
}

static void test_lines_shared_in_any_order(void **state) {
  (void)state;
  relayout_device *device = streaming_device_with(6, backward_parallel_for, NULL);
  run_odd_problems(device);
  relayout_device_destroy(device);
}

static void test_lines_shared_where_tasks_are_left_out(void **state) {
  (void)state;
  for (int s = 0; s < SPARSE; ++s) {
    sparse_pool used = {sparse[s], 0, 0};
    relayout_device *device = streaming_device_with(6, sparse_parallel_for, &used);
    run_odd_problems(device);
    assert_true(used.asked > used.run);
    relayout_device_destroy(device);
  }
}

static void test_lines_shared_by_default_threads(void **state) {
  (void)state;
  relayout_device *device = streaming_device_with(0, NULL, NULL);
  run_odd_problems(device);
  relayout_device_destroy(device);
}

/* ---- Bytes that tiles and threads share ---- */

/* Packed elements whose runs begin and end within bytes. */
static const rlt_problem merging_problems[] = {
    {.element_bytes = 1,
     .source_packed = 4,
     .destination_packed = 4,
     .source_elements = 1153 * 1021,
     .destination_elements = 1153 * 1021,
     .axis_count = 2,
     .axes = {{1021, 1021, 1153, 1}, {1153, 1153, 1, 1021}}},
    /* Short runs side by side, padded. */
    {.element_bytes = 1,
     .destination_packed = 2,
     .source_elements = 9601 * 67,
     .destination_elements = 9601 * 73,
     .axis_count = 2,
     .axes = {{73, 67, 1, 1}, {9601, 9601, 67, 73}},
     .fills = true,
     .fill = {3},
     .fill_word = {3}},
    /* Bits, of which others are left alone. */
    {.element_bytes = 1,
     .source_packed = 1,
     .destination_packed = 1,
     .source_elements = 1000 * 907,
     .destination_elements = 8 * 120000,
     .destination_start = 5,
     .axis_count = 2,
     .axes = {{907, 907, 1000, 1}, {999, 999, 1, 911}}},
    /* Converted on their way, nine channels each. */
    {.element_bytes = 4,
     .destination_packed = 4,
     .conversion = {.from = RELAYOUT_S32, .to = RELAYOUT_U4, .scale = 1},
     .source_elements = 9 * 30011,
     .destination_elements = 9 * 30011,
     .axis_count = 2,
     .axes = {{9, 9, 30011, 1}, {30011, 30011, 1, 9}}},
    /* One run that begins and ends within bytes. */
    {.element_bytes = 1,
     .destination_packed = 4,
     .source_elements = 700001,
     .destination_elements = 700010,
     .destination_start = 3,
     .axis_count = 1,
     .axes = {{700001, 700001, 1, 1}}},
    /* A single element. */
    {.element_bytes = 1,
     .source_packed = 2,
     .destination_packed = 2,
     .source_elements = 5,
     .source_start = 4,
     .destination_elements = 4,
     .destination_start = 1},
    /* Padding alone, apart and in a run. */
    {.element_bytes = 1,
     .source_packed = 4,
     .destination_packed = 4,
     .destination_elements = 3 * 300000,
     .destination_start = 1,
     .axis_count = 1,
     .axes = {{300000, 0, 3, 3}},
     .fills = true,
     .fill = {9}},
    {.element_bytes = 1,
     .source_packed = 1,
     .destination_packed = 1,
     .destination_elements = 600003,
     .destination_start = 3,
     .axis_count = 1,
     .axes = {{600000, 0, 1, 1}},
     .fills = true,
     .fill = {1}},
};
enum { MERGING_PROBLEMS = sizeof merging_problems / sizeof *merging_problems };

static void run_merging_problems(relayout_device *device) {
  for (int i = 0; i < MERGING_PROBLEMS; ++i) {
    assert_non_null(trial_passes_as_chosen(device, &merging_problems[i], (size_t)i % 2));
  }
}

static void test_bytes_shared_in_a_pool(void **state) {
  (void)state;
  for (int32_t threads = 2; threads <= 5; threads += 3) {
    pool used = {0};
    relayout_device *device = eager_device_with(threads, pool_parallel_for, &used);
    run_merging_problems(device);
    assert_true(atomic_load(&used.most_tasks) == (size_t)threads);
    relayout_device_destroy(device);
    device = streaming_device_with(threads, pool_parallel_for, &used);
    run_merging_problems(device);
    relayout_device_destroy(device);
  }
}

static void test_bytes_shared_in_any_order(void **state) {
  (void)state;
  relayout_device *device = eager_device_with(6, backward_parallel_for, NULL);
  run_merging_problems(device);
  relayout_device_destroy(device);
}

/* A page that is mapped twice. The first write to its byte at `guarded` fails, and that is when the
 * other half of the byte is written at `open`, as another thread might between a load of the byte
 * and a store. */
static struct {
  uint8_t *guarded, *open;
  unsigned other;
  volatile sig_atomic_t faults;
} shared;

enum { SHARED_BYTES = 1 << 16 }; /* whole pages, however large */

static void write_other_half(int signal) {
  (void)signal;
  ++shared.faults;
  *shared.open = (uint8_t)(*shared.open | shared.other);
  if (shared.faults > 1 || mprotect(shared.guarded, SHARED_BYTES, PROT_READ | PROT_WRITE) != 0) {
    abort();
  }
}

/* Elements of four bits: 5 becomes the one at `position` while 0xa becomes the other one. */
static void write_both_halves(int64_t position) {
  static const rlt_problem problem = {
      .element_bytes = 1, .destination_packed = 4, .destination_elements = 2};
  const uint8_t bits[2] = {5}; /* a byte behind the last one wanted may be read */
  shared.faults = 0;
  shared.other = position == 0 ? 0xa0 : 0x0a;
  *shared.open = 0;
  assert_int_equal(mprotect(shared.guarded, SHARED_BYTES, PROT_READ), 0);
  rlt_cpu_merge_elements(&problem, bits, shared.guarded, position, 1);
  assert_int_equal(shared.faults, 1);
  assert_int_equal(*shared.open, position == 0 ? 0xa5 : 0x5a);
}

static void test_a_byte_that_changes_while_it_is_merged(void **state) {
  (void)state;
  FILE *const file = tmpfile();
  assert_non_null(file);
  assert_int_equal(ftruncate(fileno(file), SHARED_BYTES), 0);
  uint8_t *maps[2];
  for (int i = 0; i < 2; ++i) {
    maps[i] = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    assert_ptr_not_equal(maps[i], MAP_FAILED);
  }
  shared.guarded = maps[0];
  shared.open = maps[1];
  struct sigaction before;
  const struct sigaction during = {.sa_handler = write_other_half};
  assert_int_equal(sigaction(SIGSEGV, &during, &before), 0);
  write_both_halves(0);
  write_both_halves(1);
  assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
  for (int i = 0; i < 2; ++i) {
    munmap(maps[i], SHARED_BYTES);
  }
  fclose(file);
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

static void run_from_many_threads(const relayout_plan *plan, const rlt_problem *problem) {
  enum { CALLERS = 4 };
  trial t;
  trial_initialize(&t, problem, 0);
  pthread_t threads[CALLERS];
  caller callers[CALLERS];
  for (int c = 0; c < CALLERS; ++c) {
    callers[c] = (caller){.t = &t, .plan = plan};
    assert_int_equal(pthread_create(&threads[c], NULL, call, &callers[c]), 0);
  }
  bool passed = true;
  for (int c = 0; c < CALLERS; ++c) {
    pthread_join(threads[c], NULL);
    passed = passed && callers[c].passed;
  }
  trial_deinitialize(&t);
  assert_true(passed);
}

static void run_plans_from_many_threads(relayout_device *device) {
  for (int i = 0; i < LARGE_PROBLEMS; ++i) {
    relayout_plan *const plan = trial_plan(device, &large_problems[i]);
    run_from_many_threads(plan, &large_problems[i]);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
}

static void test_one_plan_from_many_threads(void **state) {
  (void)state;
  pool used = {0};
  run_plans_from_many_threads(eager_device_with(2, pool_parallel_for, &used));
}

/* All of them share the library's threads, however many processors there are. */
static void test_one_plan_from_many_threads_with_the_librarys(void **state) {
  (void)state;
  relayout_device *const device = eager_device_with(0, NULL, NULL);
  device->facts.threads = 4;
  run_plans_from_many_threads(device);
}

static void test_one_streaming_plan_from_many_threads(void **state) {
  (void)state;
  pool used = {0};
  relayout_device *device = streaming_device_with(2, pool_parallel_for, &used);
  for (int i = 0; i < ODD_PROBLEMS; ++i) {
    relayout_plan *const plan = odd_plan(device, &odd_problems[i]);
    run_from_many_threads(plan, &odd_problems[i]);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pool),
      cmocka_unit_test(test_any_order_of_tasks),
      cmocka_unit_test(test_tasks_in_turn),
      cmocka_unit_test(test_tasks_left_out),
      cmocka_unit_test(test_each_task_moves),
      cmocka_unit_test(test_pool_that_calls_the_library),
      cmocka_unit_test(test_pool_that_other_threads_call_the_library_in),
      cmocka_unit_test(test_default_threads),
      cmocka_unit_test(test_small_problems_stay_on_the_calling_thread),
      cmocka_unit_test(test_lines_shared_in_a_pool),
      cmocka_unit_test(test_lines_shared_in_any_order),
      cmocka_unit_test(test_lines_shared_where_tasks_are_left_out),
      cmocka_unit_test(test_lines_shared_by_default_threads),
      cmocka_unit_test(test_bytes_shared_in_a_pool),
      cmocka_unit_test(test_bytes_shared_in_any_order),
      cmocka_unit_test(test_a_byte_that_changes_while_it_is_merged),
      cmocka_unit_test(test_one_plan_from_many_threads),
      cmocka_unit_test(test_one_plan_from_many_threads_with_the_librarys),
      cmocka_unit_test(test_one_streaming_plan_from_many_threads),
  };
  setenv("RELAYOUT_CACHE", "off", 1); /* what an earlier run has measured is measured again */
  return cmocka_run_group_tests(tests, NULL, NULL);
}
