/* stress.c: the plans that threads share, and what each thread does beside moving. */
#include "stress/stress.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/conformance.h"
#include "conformance/failure.h"
#include "conformance/mover.h"
#include "conformance/random.h"
#include "stress/flights.h"

enum { SHARED_PLANS = 16 };

typedef struct shared_plan {
  relayout_plan *plan; /* NULL: none yet */
  const stress_case *of;
} shared_plan;

struct stress {
  relayout_device *device;
  relayout_backend backend;
  const stress_cases *cases;
  event_board *board;
  pthread_mutex_t mutex;
  shared_plan shared[SHARED_PLANS]; /* under the mutex */
  atomic_uint_fast64_t moves;
  atomic_uint_fast64_t plans;
  atomic_uint_fast64_t one_shots;
  atomic_uint_fast64_t on_host;
};

/* A thread. */
typedef struct worker {
  stress *on;
  uint64_t random;
  flights *flights; /* NULL on the CPU backend */
  fenced_pages source_pages;
  fenced_pages destination_pages;
} worker;

static bool chance(worker *w, int64_t count) {
  return random_below(&w->random, count) == 0;
}

void stress_fail(stress *on, const stress_case *of, const char *format, ...) {
  static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* for good: the first one ends it all */
  char text[CONFORMANCE_FAILURE_SIZE] = "";
  char wrong[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(wrong, sizeof(wrong), format, arguments);
  va_end(arguments);
  pthread_mutex_lock(&one);
  if (of != NULL) {
    failure_describe(on->device, &of->asked, text, sizeof(text));
  }
  fprintf(stderr, "%s%s\n", text, wrong);
  fflush(NULL);
  _Exit(EXIT_FAILURE);
}

/* ---- Plans ---------------------------------------------------------------------------------- */

static const stress_case *draw_case(worker *w) {
  const stress_cases *const all = w->on->cases;
  const bool is_large = all->small_count < all->count && chance(w, 128);
  const int64_t count = (int64_t)(is_large ? all->count - all->small_count : all->small_count);
  return &all->of[(is_large ? all->small_count : 0) + (size_t)random_below(&w->random, count)];
}

/* Measuring compiles what nothing else needs, so the CPU backend alone does it. */
static relayout_plan *make_plan(worker *w, const stress_case *of) {
  relayout_plan_options options = request_plan_options(&of->asked);
  relayout_plan *plan = NULL;
  relayout_error error;
  if (w->on->backend == RELAYOUT_BACKEND_CPU && chance(w, 256)) {
    options.effort = RELAYOUT_PLAN_MEASURE;
    options.measured = 2;
  }
  if (relayout_plan_create_between(w->on->device, &of->from, &of->to, &options, &plan, &error) !=
      RELAYOUT_OK) {
    stress_fail(w->on, of, "no plan: %s", error.message);
  }
  atomic_fetch_add(&w->on->plans, 1);
  return plan;
}

/* One that other threads may be running, and may drop meanwhile. */
static relayout_plan *take_shared(worker *w, const stress_case **of) {
  shared_plan *const from = &w->on->shared[random_below(&w->random, SHARED_PLANS)];
  pthread_mutex_lock(&w->on->mutex);
  relayout_plan *const plan = from->plan;
  relayout_plan_retain(plan);
  *of = from->of;
  pthread_mutex_unlock(&w->on->mutex);
  return plan;
}

static void share(worker *w, relayout_plan *plan, const stress_case *of) {
  shared_plan *const to = &w->on->shared[random_below(&w->random, SHARED_PLANS)];
  relayout_plan_retain(plan);
  pthread_mutex_lock(&w->on->mutex);
  relayout_plan *const former = to->plan;
  *to = (shared_plan){plan, of};
  pthread_mutex_unlock(&w->on->mutex);
  relayout_plan_destroy(former);
}

/* Whether shapes alone say it all. */
static bool is_plain(const stress_case *of) {
  return !of->from.is_strided && !of->to.is_strided && of->asked.options.scale == 1 &&
         !of->asked.options.wraps && !of->asked.options.to_nearest;
}

/* NULL where the case is to be done in one call. */
static relayout_plan *draw_plan(worker *w, const stress_case **of) {
  relayout_plan *plan = chance(w, 2) ? take_shared(w, of) : NULL;
  if (plan != NULL) {
    return plan;
  }
  *of = draw_case(w);
  if (is_plain(*of) && chance(w, 3)) {
    atomic_fetch_add(&w->on->one_shots, 1);
    return NULL;
  }
  plan = make_plan(w, *of);
  if (chance(w, 4)) {
    share(w, plan, *of);
  }
  return plan;
}

/* ---- Host memory ---------------------------------------------------------------------------- */

static void place(worker *w, const unsigned char *content, size_t size, size_t origin,
                  fenced_pages *pages, guarded_buffer *made) {
  const buffer_place where = (buffer_place)random_below(&w->random, BUFFER_PLACES);
  const size_t offset = (size_t)random_below(&w->random, 20);
  if (!guarded_buffer_make(pages, content, size, where, offset, origin, made)) {
    stress_fail(w->on, NULL, "no memory for buffers");
  }
}

static void move_on_host(worker *w, const relayout_plan *plan, const stress_case *of) {
  const trial *const bytes = &of->bytes;
  guarded_buffer source;
  guarded_buffer destination;
  difference first;
  relayout_error error;
  place(w, bytes->source, bytes->source_size, bytes->source_origin, &w->source_pages, &source);
  place(w, bytes->before, bytes->destination_size, bytes->destination_origin, &w->destination_pages,
        &destination);
  const relayout_status status =
      plan != NULL ? mover_execute(plan, &source, &destination, &error)
                   : relayout_copy(w->on->device, &of->from_shape, &of->to_shape,
                                   source.bytes + source.origin,
                                   destination.bytes + destination.origin, &error);
  if (status != RELAYOUT_OK) {
    stress_fail(w->on, of, "between host pointers: %s", error.message);
  }
  if (guarded_buffer_differs(&destination, bytes->after, &first)) {
    stress_fail(w->on, of, "host pointers: byte %lld of the destination is 0x%02x, not 0x%02x",
                (long long)first.position, first.found, first.expected);
  }
  if (guarded_buffer_differs(&source, bytes->source, &first)) {
    stress_fail(w->on, of, "host pointers: byte %lld of the source became 0x%02x",
                (long long)first.position, first.found);
  }
  atomic_fetch_add(&w->on->on_host, 1);
}

/* ---- What the device keeps ------------------------------------------------------------------ */

static void check_usage(worker *w) {
  relayout_device_usage usage = RELAYOUT_DEVICE_USAGE_INIT;
  relayout_error error;
  if (relayout_device_get_usage(w->on->device, &usage, &error) != RELAYOUT_OK) {
    stress_fail(w->on, NULL, "usage: %s", error.message);
  }
  const uint64_t bytes = usage.device_bytes + usage.host_bytes;
  if (bytes > usage.budget_bytes || (usage.plans > 0) != (usage.host_bytes > 0)) {
    stress_fail(w->on, NULL, "the device keeps %llu plans, with %llu bytes of %llu that they may",
                (unsigned long long)usage.plans, (unsigned long long)bytes,
                (unsigned long long)usage.budget_bytes);
  }
}

static void change_budget(worker *w) {
  static const uint64_t budgets[] = {UINT64_MAX, UINT64_MAX, 1 << 20, 1 << 17, 0};
  const int64_t taken = random_below(&w->random, sizeof(budgets) / sizeof(budgets[0]));
  relayout_device_set_budget(w->on->device, budgets[taken], NULL);
}

/* What the device knows it may be told again at any time. */
static void pass_wisdom_on(worker *w) {
  enum { ROOM = 1 << 16 };
  char *const text = malloc(ROOM);
  relayout_error error;
  if (text == NULL) {
    stress_fail(w->on, NULL, "no memory for wisdom");
  }
  const size_t size = relayout_device_export_wisdom(w->on->device, text, ROOM);
  if (size >= ROOM ||
      relayout_device_import_wisdom(w->on->device, text, size, &error) != RELAYOUT_OK) {
    stress_fail(w->on, NULL, "%zu bytes of wisdom: %s", size, size < ROOM ? error.message : "");
  }
  free(text);
}

/* A device of the CPU backend shares the library's threads with all others. */
static void open_another(worker *w) {
  relayout_device *other;
  relayout_error error;
  if (relayout_device_open("cpu", &other, &error) != RELAYOUT_OK) {
    stress_fail(w->on, NULL, "another device: %s", error.message);
  }
  relayout_device_destroy(other);
}

static void tend(worker *w) {
  if (chance(w, 16)) {
    check_usage(w);
  }
  if (chance(w, 64)) {
    change_budget(w);
  }
  if (chance(w, 64)) {
    pass_wisdom_on(w);
  }
  if (chance(w, 256)) {
    relayout_device_trim(w->on->device);
  }
  if (chance(w, 256) && w->on->backend == RELAYOUT_BACKEND_CPU) {
    open_another(w);
  }
}

/* ---- All of it ------------------------------------------------------------------------------ */

static void move(worker *w) {
  const stress_case *of = NULL;
  relayout_plan *const plan = draw_plan(w, &of);
  if (w->flights != NULL && !chance(w, 4)) {
    flights_start(w->flights, plan, of);
  } else {
    move_on_host(w, plan, of);
  }
  relayout_plan_destroy(plan);
  atomic_fetch_add(&w->on->moves, 1);
}

void stress_work(stress *on, uint64_t seed, uint64_t moves) {
  worker w = {.on = on, .random = random_mix(seed)};
  if (on->board != NULL) {
    w.flights = flights_begin(on, on->device, on->board, &w.random);
  }
  for (uint64_t i = 0; i < moves; ++i) {
    move(&w);
    tend(&w);
  }
  flights_end(w.flights);
  fenced_pages_free(&w.source_pages);
  fenced_pages_free(&w.destination_pages);
}

relayout_status stress_create(relayout_device *device, const stress_cases *cases, stress **made,
                              relayout_error *error) {
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  relayout_status status = relayout_device_get_info(device, &info, error);
  *made = NULL;
  if (status != RELAYOUT_OK) {
    return status;
  }
  stress *const on = calloc(1, sizeof(*on));
  if (on == NULL) {
    return RELAYOUT_OUT_OF_MEMORY;
  }
  on->device = device;
  on->backend = info.backend;
  on->cases = cases;
  pthread_mutex_init(&on->mutex, NULL);
  *made = on;
  return event_board_create(device, &on->board, error);
}

void stress_destroy(stress *used) {
  if (used == NULL) {
    return;
  }
  for (size_t i = 0; i < SHARED_PLANS; ++i) {
    relayout_plan_destroy(used->shared[i].plan);
  }
  event_board_destroy(used->board);
  pthread_mutex_destroy(&used->mutex);
  free(used);
}

stress_totals stress_done(stress *on) {
  return (stress_totals){atomic_load(&on->moves), atomic_load(&on->plans),
                         atomic_load(&on->one_shots), atomic_load(&on->on_host)};
}
