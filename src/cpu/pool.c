/* pool.c: tasks are offered in places that all threads look at. What is offered there, and who
 * works on it, is one number, so that no lock is held on the way. Only threads that have looked in
 * vain for a moment sleep, under a mutex. */
#include "cpu/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "base/forks.h"
#include "base/memory.h"
#include "base/threads.h"
#include "machine/processors.h"

enum {
  LINE_BYTES = 64,
  PLACES = 16, /* calls that find none do all their tasks themselves */
  /* A task takes much less; what the process keeps for each thread lies here too. */
  STACK_BYTES = 256 << 10,
  LOOKS = 32 /* between two looks at the clock */
};

/* How long a thread looks for work before it sleeps: about as long as it would take to wake it. */
static const int64_t patience = 100 * 1000; /* nanoseconds */

/* A call's tasks. The lower half of `state` counts the threads that are at them, the upper half
 * those tasks, numbered from 1 on, that nobody has taken. */
typedef struct job {
  _Alignas(LINE_BYTES) _Atomic uint64_t state;
  atomic_bool is_used; /* by a call */
  void (*task)(void *data, size_t i);
  void *data;
} job;

static const uint64_t one_inside = 1;
static const uint64_t one_left = UINT64_C(1) << 32;

typedef struct worker {
  pthread_t thread;
  uint64_t era;
  struct worker *next;
} worker;

static struct {
  _Alignas(LINE_BYTES) _Atomic uint64_t posts; /* changes after whatever workers have to know, */
  _Atomic uint64_t era;                        /* and this when those of before are to end */
  atomic_int worker_count;
  atomic_int looking;  /* workers that look for work */
  atomic_int asleep;   /* and those that wait for `posted` */
  atomic_int waiting;  /* calls that wait for `finished` */
  bool spins;          /* there are processors to look on. Set once, as is the next one */
  bool survives_forks; /* without which no worker is started */
  int64_t users;
  worker *workers;
  worker *lost; /* the parent's, in a child: their memory, until the last device goes */
  job jobs[PLACES];
} pool;

/* For those who sleep, and for all that is not atomic. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t posted = PTHREAD_COND_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;

/* ---- Forks ---- */

/* Puts a list in front of another. */
static void prepend(worker *first, worker **list) {
  while (first != NULL) {
    worker *const next = first->next;
    first->next = *list;
    *list = first;
    first = next;
  }
}

/* In a child. The thread that forked is the only one here, and was in no call. Others may have
 * waited for the conditions: these are set anew, since destroying them would wait for those
 * threads. Memory is not freed here: the caller's allocator may be locked by one of them. */
static void begin_anew(void) {
  static const pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;
  posted = finished = fresh;
  for (int i = 0; i < PLACES; ++i) {
    atomic_store(&pool.jobs[i].state, 0);
    atomic_store(&pool.jobs[i].is_used, false);
  }
  prepend(pool.workers, &pool.lost);
  pool.workers = NULL;
  atomic_store(&pool.worker_count, 0);
  atomic_store(&pool.looking, 0);
  atomic_store(&pool.asleep, 0);
  atomic_store(&pool.waiting, 0);
}

static rlt_fork_guard guard = {.mutex = &mutex, .in_child = begin_anew};

/* ---- Waiting ---- */

static int64_t now(void) {
  struct timespec time = {0, 0};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Spins for a moment; true if the number became, or stopped being, this one. */
static bool soon(const _Atomic uint64_t *number, bool is, uint64_t value) {
  if ((atomic_load(number) == value) == is) {
    return true;
  }
  if (!pool.spins) {
    return false;
  }
  const int64_t end = now() + patience;
  do {
    for (int i = 0; i < LOOKS; ++i) {
      rlt_cpu_pause();
      if ((atomic_load(number) == value) == is) {
        return true;
      }
    }
  } while (now() < end);
  return false;
}

/* Either the sleeper, which counts itself first, sees the new number, or who changed that sees the
 * sleeper. */
static void sleep_while(const _Atomic uint64_t *number, bool is, uint64_t value,
                        pthread_cond_t *changed, atomic_int *sleepers) {
  pthread_mutex_lock(&mutex);
  atomic_fetch_add(sleepers, 1);
  while ((atomic_load(number) == value) == is) {
    pthread_cond_wait(changed, &mutex);
  }
  atomic_fetch_sub(sleepers, 1);
  pthread_mutex_unlock(&mutex);
}

static void wake_all(pthread_cond_t *changed, const atomic_int *sleepers) {
  if (atomic_load(sleepers) > 0) {
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(changed);
    pthread_mutex_unlock(&mutex);
  }
}

/* ---- Tasks ---- */

static bool take(job *from, size_t *i) {
  uint64_t state = atomic_load_explicit(&from->state, memory_order_relaxed);
  while (state >= one_left) {
    if (atomic_compare_exchange_weak(&from->state, &state, state - one_left + one_inside)) {
      *i = (size_t)(state / one_left);
      return true;
    }
  }
  return false;
}

/* The job may be another call's right after the last task. */
static void help(job *with) {
  size_t i;
  while (take(with, &i)) {
    with->task(with->data, i);
    if (atomic_fetch_sub(&with->state, one_inside) == one_inside) {
      wake_all(&finished, &pool.waiting);
    }
  }
}

static void *work(void *argument) {
  const worker *const mine = argument;
  for (;;) {
    const uint64_t seen = atomic_load(&pool.posts);
    if (atomic_load(&pool.era) != mine->era) {
      return NULL;
    }
    for (int i = 0; i < PLACES; ++i) {
      help(&pool.jobs[i]);
    }
    atomic_fetch_add(&pool.looking, 1);
    const bool is_new = soon(&pool.posts, false, seen);
    atomic_fetch_sub(&pool.looking, 1);
    if (!is_new) {
      sleep_while(&pool.posts, true, seen, &posted, &pool.asleep);
    }
  }
}

/* ---- Workers ---- */

/* Under the mutex. */
static bool start_worker(void) {
  worker *const made = rlt_malloc(sizeof *made);
  if (made == NULL) {
    return false;
  }
  *made = (worker){.era = atomic_load(&pool.era), .next = pool.workers};
  if (!rlt_thread_start(&made->thread, STACK_BYTES, work, made)) {
    rlt_free(made);
    return false;
  }
  pool.workers = made;
  atomic_fetch_add(&pool.worker_count, 1);
  return true;
}

/* Starts this many threads, or as many as the system allows. True if there are any. */
static bool have_workers(int32_t wanted) {
  if (atomic_load(&pool.worker_count) < wanted) {
    pthread_mutex_lock(&mutex);
    while (pool.survives_forks && atomic_load(&pool.worker_count) < wanted && start_worker()) {
    }
    pthread_mutex_unlock(&mutex);
  }
  return atomic_load(&pool.worker_count) > 0;
}

void rlt_pool_open(void) {
  const bool survives_forks = rlt_fork_guard_list(&guard);
  pthread_mutex_lock(&mutex);
  if (!pool.survives_forks) { /* and therefore has never had a worker */
    pool.spins = rlt_cpu_processors() > 1;
    pool.survives_forks = survives_forks;
  }
  ++pool.users;
  pthread_mutex_unlock(&mutex);
}

static void free_all(worker *list) {
  while (list != NULL) {
    worker *const next = list->next;
    rlt_free(list);
    list = next;
  }
}

void rlt_pool_close(void) {
  pthread_mutex_lock(&mutex);
  worker *ended = NULL;
  worker *lost = NULL;
  if (--pool.users == 0) {
    ended = pool.workers;
    lost = pool.lost;
    pool.workers = pool.lost = NULL;
    atomic_store(&pool.worker_count, 0);
    atomic_fetch_add(&pool.era, 1);
    atomic_fetch_add(&pool.posts, 1);
    pthread_cond_broadcast(&posted);
  }
  pthread_mutex_unlock(&mutex);
  for (const worker *at = ended; at != NULL; at = at->next) {
    pthread_join(at->thread, NULL);
  }
  free_all(ended);
  free_all(lost);
}

/* ---- Calls ---- */

/* A place that no other call uses; NULL when there is none. */
static job *find_place(void) {
  for (int i = 0; i < PLACES; ++i) {
    job *const place = &pool.jobs[i];
    if (!atomic_load_explicit(&place->is_used, memory_order_relaxed) &&
        !atomic_exchange_explicit(&place->is_used, true, memory_order_acquire)) {
      return place;
    }
  }
  return NULL;
}

/* As many of the sleeping ones as there are tasks for which none is looking. */
static void wake_workers(int32_t tasks) {
  const int missing = tasks - atomic_load(&pool.looking);
  const int asleep = atomic_load(&pool.asleep);
  if (missing >= asleep) {
    wake_all(&posted, &pool.asleep);
    return;
  }
  for (int i = 0; i < missing; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&posted);
    pthread_mutex_unlock(&mutex);
  }
}

void rlt_pool_run(int32_t count, void (*task)(void *data, size_t i), void *data) {
  job *const made = count > 1 && have_workers(count - 1) ? find_place() : NULL;
  if (made == NULL) {
    for (int32_t i = 0; i < count; ++i) {
      task(data, (size_t)i);
    }
    return;
  }
  made->task = task;
  made->data = data;
  atomic_store(&made->state, (uint64_t)(count - 1) * one_left);
  atomic_fetch_add(&pool.posts, 1);
  wake_workers(count - 1);
  task(data, 0);
  help(made);
  if (!soon(&made->state, true, 0)) {
    sleep_while(&made->state, false, 0, &finished, &pool.waiting);
  }
  atomic_store_explicit(&made->is_used, false, memory_order_release);
}
