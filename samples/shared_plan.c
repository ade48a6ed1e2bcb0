/* shared_plan.c: one plan, several threads. A plan is made once and never changes, so that threads
 * may share it without a lock: here four workers turn batches of interleaved stereo sound,
 * s16[frames,2], into one run of samples for each channel. */
#include <pthread.h>
#include <relayout/relayout.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { FRAMES = 4800, CHANNELS = 2, WORKERS = 4, BATCHES = 50 };

typedef struct worker {
  pthread_t thread;
  const relayout_plan *plan;
  int16_t number;
  bool right;
} worker;

static void *work(void *argument) {
  worker *self = argument;
  int16_t interleaved[FRAMES][CHANNELS];
  int16_t planar[CHANNELS][FRAMES];
  for (int16_t batch = 0; batch < BATCHES; batch++) {
    for (int16_t i = 0; i < FRAMES; i++) {
      interleaved[i][0] = (int16_t)(i + batch);
      interleaved[i][1] = (int16_t)-self->number;
    }
    relayout_error error;
    if (relayout_plan_execute(self->plan, interleaved, planar, &error) != RELAYOUT_OK) {
      fprintf(stderr, "worker %d: %s\n", self->number, error.message);
      return NULL;
    }
    if (planar[0][FRAMES - 1] != FRAMES - 1 + batch || planar[1][0] != -self->number) {
      return NULL;
    }
  }
  self->right = true;
  return NULL;
}

int main(void) {
  relayout_error error;
  relayout_device *device = NULL;
  relayout_plan *plan = NULL;
  relayout_shape from;
  relayout_shape to;
  if (relayout_device_open("cpu", &device, &error) != RELAYOUT_OK ||
      relayout_shape_parse("s16[4800,2]{1,0}", &from, &error) != RELAYOUT_OK ||
      relayout_shape_parse("s16[4800,2]{0,1}", &to, &error) != RELAYOUT_OK ||
      relayout_plan_create(device, &from, &to, NULL, &plan, &error) != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  relayout_device_destroy(device); /* the plan keeps what it needs of it */

  worker workers[WORKERS];
  int started = 0;
  for (; started < WORKERS; started++) {
    workers[started] = (worker){.plan = plan, .number = (int16_t)started};
    if (pthread_create(&workers[started].thread, NULL, work, &workers[started]) != 0) {
      break;
    }
  }
  int right = 0;
  for (int i = 0; i < started; i++) {
    pthread_join(workers[i].thread, NULL);
    right += workers[i].right;
  }
  relayout_plan_destroy(plan);
  printf("%d of %d workers moved %d batches each\n", right, WORKERS, BATCHES);
  return right == WORKERS ? 0 : 1;
}
