/* own_threads.c: relayouts run on the program's own thread pool. */
#include <pthread.h>
#include <relayout/relayout.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, ROWS = 2048, COLUMNS = 1024 };

/* [pool] */
/* What a pool is asked to do. This one starts its threads for each job; yours has them waiting. */
typedef struct job {
  void (*task)(void *task_data, size_t i);
  void *task_data;
  size_t count;
  size_t next;
  pthread_mutex_t lock;
} job;

static void *work(void *context) {
  job *of = context;
  for (;;) {
    pthread_mutex_lock(&of->lock);
    const size_t i = of->next++;
    pthread_mutex_unlock(&of->lock);
    if (i >= of->count) {
      return NULL;
    }
    of->task(of->task_data, i);
  }
}

/* A relayout_parallel_for: returns when each of the tasks has. The calling thread works too, so a
 * thread that does not start is no failure. */
static void run_all(void *context, size_t count, void (*task)(void *task_data, size_t i),
                    void *task_data) {
  job of = {task, task_data, count, 0, PTHREAD_MUTEX_INITIALIZER};
  pthread_t threads[THREADS - 1];
  int started = 0;
  *(size_t *)context += count;
  while (started < THREADS - 1 && pthread_create(&threads[started], NULL, work, &of) == 0) {
    started++;
  }
  work(&of);
  while (started > 0) {
    pthread_join(threads[--started], NULL);
  }
}
/* [end] */

static void must(relayout_status status, const relayout_error *error) {
  if (status != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error->message);
    exit(1);
  }
}

int main(void) {
  static float rows[ROWS * COLUMNS], columns[ROWS * COLUMNS];
  size_t tasks = 0;
  relayout_error error;
  relayout_device *device = NULL;
  relayout_shape from, to;
  /* [use] */
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = THREADS; /* the most tasks at once */
  options.parallel_for = run_all;
  options.parallel_context = &tasks;
  must(relayout_cpu_device_create(&options, &device, &error), &error);
  /* [done] */
  must(relayout_shape_parse("f32[2048,1024]", &from, &error), &error);
  must(relayout_shape_parse("f32[2048,1024]{0,1}", &to, &error), &error);
  for (size_t i = 0; i < ROWS * COLUMNS; i++) {
    rows[i] = (float)i;
  }
  must(relayout_copy(device, &from, &to, rows, columns, &error), &error);
  printf("the pool ran %s\n", tasks > 0 ? "tasks" : "nothing");
  printf("second of the first column: %g\n", (double)columns[1]);
  relayout_device_destroy(device);
  return 0;
}
