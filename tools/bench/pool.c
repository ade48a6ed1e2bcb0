/* pool.c: threads that a benchmark lends to the library. */
#include "pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* Looks before a thread sleeps: some ten microseconds, less than waking it takes. */
enum { LOOKS = 4000 };

typedef struct worker {
  pool *of;
  pthread_t thread;
  size_t number; /* of its first task; the caller's is 0 */
} worker;

struct pool {
  size_t threads;
  pthread_mutex_t mutex; /* for those who sleep */
  pthread_cond_t changed;
  atomic_size_t job;  /* how many have begun */
  atomic_size_t left; /* workers that have not finished it */
  void (*task)(void *task_data, size_t i);
  void *task_data;
  size_t count;
  bool ends;
  worker workers[];
};

/* After something has changed. */
static void wake(pool *of) {
  pthread_mutex_lock(&of->mutex);
  pthread_cond_broadcast(&of->changed);
  pthread_mutex_unlock(&of->mutex);
}

static bool is_value(atomic_size_t *what, size_t value) {
  return atomic_load_explicit(what, memory_order_acquire) == value;
}

static void wait_for(pool *of, atomic_size_t *what, size_t value) {
  for (int i = 0; i < LOOKS; ++i) {
    if (is_value(what, value)) {
      return;
    }
  }
  pthread_mutex_lock(&of->mutex);
  while (!is_value(what, value)) {
    pthread_cond_wait(&of->changed, &of->mutex);
  }
  pthread_mutex_unlock(&of->mutex);
}

static void run_tasks(const pool *of, size_t first) {
  for (size_t i = first; i < of->count; i += of->threads) {
    of->task(of->task_data, i);
  }
}

static void *work(void *argument) {
  const worker *const mine = argument;
  pool *const of = mine->of;
  for (size_t job = 1;; ++job) {
    wait_for(of, &of->job, job);
    if (of->ends) {
      return NULL;
    }
    run_tasks(of, mine->number);
    if (atomic_fetch_sub_explicit(&of->left, 1, memory_order_acq_rel) == 1) {
      wake(of);
    }
  }
}

static void begin_job(pool *of) {
  atomic_fetch_add_explicit(&of->job, 1, memory_order_release);
  wake(of);
}

static void end_workers(pool *made) {
  made->ends = true;
  begin_job(made);
  for (size_t i = 0; i + 1 < made->threads; ++i) {
    pthread_join(made->workers[i].thread, NULL);
  }
  pthread_cond_destroy(&made->changed);
  pthread_mutex_destroy(&made->mutex);
  free(made);
}

pool *pool_create(size_t threads) {
  pool *const made = calloc(1, sizeof *made + (threads - 1) * sizeof *made->workers);
  if (made == NULL) {
    return NULL;
  }
  pthread_mutex_init(&made->mutex, NULL);
  pthread_cond_init(&made->changed, NULL);
  for (made->threads = 1; made->threads < threads; ++made->threads) {
    worker *const next = &made->workers[made->threads - 1];
    *next = (worker){.of = made, .number = made->threads};
    if (pthread_create(&next->thread, NULL, work, next) != 0) {
      end_workers(made);
      return NULL;
    }
  }
  return made;
}

void pool_destroy(pool *made) {
  if (made != NULL) {
    end_workers(made);
  }
}

size_t pool_threads(const pool *of) {
  return of->threads;
}

void pool_parallel_for(void *context, size_t count, void (*task)(void *task_data, size_t i),
                       void *task_data) {
  pool *const of = context;
  of->task = task;
  of->task_data = task_data;
  of->count = count;
  atomic_store_explicit(&of->left, of->threads - 1, memory_order_relaxed);
  begin_job(of);
  run_tasks(of, 0);
  wait_for(of, &of->left, 0);
}
