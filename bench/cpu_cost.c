/* cpu_cost.c: what calls cost on the CPU backend: a kilobyte beside a plain copy of one, making
 * plans, and a caller's own threads beside the library's.
 *
 *   cpu_cost [--quick]    fewer repetitions, and at most a megabyte
 *
 * Built with the tests, since it looks inside plans. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/pool.h"
#include "cost.h"
#include "machine/processors.h"
#include "plan/plan.h"

const char cost_program[] = "cpu_cost";

/* A relayout, ready to run. */
typedef struct move {
  relayout_device *device;
  relayout_plan *plan;
  relayout_shape from;
  relayout_shape to;
  void *source;
  void *destination;
  size_t bytes;
} move;

/* ---- Making ---- */

static relayout_device *new_device(int32_t threads, pool *own) {
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = threads;
  if (own != NULL) {
    options.parallel_for = pool_parallel_for;
    options.parallel_context = own;
  }
  relayout_device *device = NULL;
  relayout_error error;
  cost_check(relayout_cpu_device_create(&options, &device, &error), &error);
  return device;
}

/* Every page is written, so that the first relayout finds it there. */
static void *new_memory(size_t bytes) {
  enum { PAGE_BYTES = 4096 };
  void *made = NULL;
  if (posix_memalign(&made, PAGE_BYTES, bytes) != 0) {
    cost_stop("no memory");
  }
  memset(made, 1, bytes);
  return made;
}

/* f32[side,side], transposed. */
static void open_move(int64_t side, move *made) {
  const relayout_layout from = {.rank = 2, .minor_to_major = {1, 0}};
  const relayout_layout to = {.rank = 2, .minor_to_major = {0, 1}};
  made->from = (relayout_shape){
      .element_type = RELAYOUT_F32, .rank = 2, .dimensions = {side, side}, .layout = from};
  made->to = made->from;
  made->to.layout = to;
  made->bytes = (size_t)(side * side) * sizeof(float);
  made->source = new_memory(made->bytes);
  made->destination = new_memory(made->bytes);
}

static void close_move(move *made) {
  free(made->source);
  free(made->destination);
}

/* The same relayout of the same memory on a device of its own. */
static move move_on(const move *original, relayout_device *device) {
  move made = *original;
  relayout_error error;
  made.device = device;
  cost_check(relayout_plan_create(device, &made.from, &made.to, NULL, &made.plan, &error), &error);
  return made;
}

static void leave(move *made) {
  relayout_plan_destroy(made->plan);
  relayout_device_destroy(made->device);
}

/* ---- A kilobyte, plans ---- */

/* So many calls are timed together, since a single one takes less than reading the clock. */
enum { BATCH = 100 };

static void execute(const move *what) {
  relayout_error error;
  cost_check(relayout_plan_execute(what->plan, what->source, what->destination, &error), &error);
}

static void copy_at_once(const move *what) {
  relayout_error error;
  cost_check(
      relayout_copy(what->device, &what->from, &what->to, what->source, what->destination, &error),
      &error);
}

static void create_remembered(const move *what) {
  relayout_plan *plan = NULL;
  relayout_error error;
  cost_check(relayout_plan_create(what->device, &what->from, &what->to, NULL, &plan, &error),
             &error);
  relayout_plan_destroy(plan);
}

static void create_anew(const move *what) {
  rlt_plan_request request;
  rlt_plan_request_clear(&request);
  relayout_plan *plan = NULL;
  relayout_error error;
  cost_check(rlt_plan_create(what->device, &what->from, &what->to, &request, (rlt_texts){0, NULL},
                             &plan, &error),
             &error);
  relayout_plan_destroy(plan);
}

/* Volatile, so that the compiler leaves out no copy. */
static void *(*volatile copy_bytes)(void *to, const void *from, size_t count) = memcpy;

static void copy_plainly(const move *what) {
  copy_bytes(what->destination, what->source, what->bytes);
}

typedef struct batch {
  void (*call)(const move *what);
  const move *what;
} batch;

static double time_batch(const void *context) {
  const batch *const calls = context;
  const double begin = cost_now();
  for (int i = 0; i < BATCH; ++i) {
    calls->call(calls->what);
  }
  return (cost_now() - begin) / BATCH;
}

static void measure_kilobyte(size_t repetitions) {
  enum { SIDE = 16, PLAIN = 0, STRAIGHT, EXECUTE, COPY, REMEMBERED, ANEW, WAYS };
  move kilobyte;
  open_move(SIDE, &kilobyte);
  move untransposed = kilobyte;
  untransposed.to = untransposed.from;
  move straight_on_one = move_on(&untransposed, new_device(1, NULL));
  move on_one = move_on(&kilobyte, new_device(1, NULL));
  const batch batches[WAYS] = {[PLAIN] = {copy_plainly, &on_one},
                               [STRAIGHT] = {execute, &straight_on_one},
                               [EXECUTE] = {execute, &on_one},
                               [COPY] = {copy_at_once, &on_one},
                               [REMEMBERED] = {create_remembered, &on_one},
                               [ANEW] = {create_anew, &on_one}};
  cost_way ways[WAYS];
  double medians[WAYS];
  for (int w = 0; w < WAYS; ++w) {
    ways[w] = (cost_way){time_batch, &batches[w]};
  }
  cost_measure_in_turns(ways, WAYS, repetitions, medians);
  cost_print_line("memcpy of 1 KiB", medians[PLAIN], "");
  cost_print_beside("relayout_plan_execute of 1 KiB, as it is", medians[STRAIGHT], medians[PLAIN]);
  cost_print_beside("relayout_plan_execute of 1 KiB", medians[EXECUTE], medians[PLAIN]);
  cost_print_beside("relayout_copy, its plan remembered", medians[COPY], medians[PLAIN]);
  cost_print_line("relayout_plan_create, remembered", medians[REMEMBERED], "");
  cost_print_beside("relayout_plan_create, anew", medians[ANEW], medians[REMEMBERED]);
  leave(&straight_on_one);
  leave(&on_one);
  close_move(&kilobyte);
}

/* ---- Threads ---- */

/* By then the threads of the other way sleep, and take no processor. */
static void let_threads_sleep(void) {
  nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
}

/* Calls in a row, 16 MiB of them together, after one that is not timed and wakes the threads. */
static double time_awake(const void *context) {
  enum { BYTES = 16 << 20 };
  const move *const what = context;
  const size_t calls = what->bytes < BYTES ? BYTES / what->bytes : 1;
  let_threads_sleep();
  execute(what);
  const double begin = cost_now();
  for (size_t i = 0; i < calls; ++i) {
    execute(what);
  }
  return (cost_now() - begin) / (double)calls;
}

static double time_from_sleep(const void *context) {
  let_threads_sleep();
  const double begin = cost_now();
  execute(context);
  return cost_now() - begin;
}

static void measure_threads_on(int64_t side, const char *size, int32_t threads, pool *own,
                               size_t repetitions) {
  enum { LIBRARY, POOL, LIBRARY_ASLEEP, POOL_ASLEEP, WAYS };
  move original;
  open_move(side, &original);
  const int32_t library_threads = rlt_cpu_processors();
  move on_library = move_on(&original, new_device(library_threads, NULL));
  move on_pool = move_on(&original, new_device(threads, own));
  const cost_way ways[WAYS] = {[LIBRARY] = {time_awake, &on_library},
                               [POOL] = {time_awake, &on_pool},
                               [LIBRARY_ASLEEP] = {time_from_sleep, &on_library},
                               [POOL_ASLEEP] = {time_from_sleep, &on_pool}};
  double medians[WAYS];
  cost_measure_in_turns(ways, WAYS, repetitions, medians);
  char line[64];
  snprintf(line, sizeof line, "%s, the library's threads: %d", size, (int)library_threads);
  cost_print_line(line, medians[LIBRARY], "");
  snprintf(line, sizeof line, "%s, a caller's: %d", size, (int)threads);
  cost_print_beside(line, medians[POOL], medians[LIBRARY]);
  snprintf(line, sizeof line, "%s, the library's, asleep before", size);
  cost_print_line(line, medians[LIBRARY_ASLEEP], "");
  snprintf(line, sizeof line, "%s, a caller's, asleep before", size);
  cost_print_beside(line, medians[POOL_ASLEEP], medians[LIBRARY_ASLEEP]);
  leave(&on_library);
  leave(&on_pool);
  close_move(&original);
}

/* As many threads as the library has, but two at least. */
static void measure_threads(bool is_quick, size_t repetitions) {
  static const struct {
    int64_t side;
    const char *size;
  } sizes[] = {{256, "256 KiB"}, {512, "1 MiB"}, {2048, "16 MiB"}, {8192, "256 MiB"}};
  enum { SIZES = sizeof sizes / sizeof *sizes, QUICK_SIZES = 2 };
  const int32_t threads = rlt_cpu_processors() > 1 ? rlt_cpu_processors() : 2;
  pool *const own = pool_create((size_t)threads);
  if (own == NULL) {
    cost_stop("no threads");
  }
  for (size_t i = 0; i < (is_quick ? QUICK_SIZES : SIZES); ++i) {
    measure_threads_on(sizes[i].side, sizes[i].size, threads, own, repetitions);
  }
  pool_destroy(own);
}

int main(int argc, char **argv) {
  const bool is_quick = argc == 2 && strcmp(argv[1], "--quick") == 0;
  if (argc > 1 && !is_quick) {
    cost_stop("usage: cpu_cost [--quick]");
  }
  setenv("RELAYOUT_CACHE", "off", 1); /* plans as they are estimated */
  measure_kilobyte(is_quick ? 5 : 2000);
  printf("\nf32 transposed\n");
  measure_threads(is_quick, is_quick ? 3 : 11);
  return 0;
}
