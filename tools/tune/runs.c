/* runs.c: from a row to a plan, and the best of its times. */
#include "runs.h"

#include <time.h>

enum { PAGE_BYTES = 4096, REST_NANOSECONDS = 300 * 1000 };

static int64_t pages_of(const relayout_plan *plan) {
  const size_t source = relayout_plan_source_size(plan);
  const size_t destination = relayout_plan_destination_size(plan);
  const size_t larger = source > destination ? source : destination;
  return (int64_t)((larger + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
}

void tune_field_add(tune_field *on, const tune_case *of, const tune_row *row,
                    const char *schedule) {
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  relayout_device *const device = on->target->device;
  relayout_plan *plan = NULL;
  if (schedule != NULL) {
    options.schedules = &schedule;
    options.schedule_count = 1;
  }
  if (relayout_device_set_tuning(device, row->text, NULL) == RELAYOUT_OK &&
      relayout_plan_create(device, &of->from, &of->to, &options, &plan, NULL) == RELAYOUT_OK &&
      pages_of(plan) > on->side_bytes) {
    relayout_plan_destroy(plan);
    plan = NULL;
  }
  on->plans[on->count++] = plan;
}

static bool run(void *context, int32_t number, int32_t round, rlt_run_time *time) {
  (void)round;
  tune_field *const on = context;
  const relayout_plan *const plan = on->plans[number];
  const double begun = bench_now();
  if (plan == NULL) {
    return false;
  }
  if (on->rests) {
    nanosleep(&(struct timespec){0, REST_NANOSECONDS}, NULL);
  }
  if (on->stays || on->place + pages_of(plan) > on->side_bytes) {
    on->place = 0;
  }
  const size_t place = (size_t)on->place;
  bench_time taken;
  on->place += pages_of(plan);
  if (on->target->move(on->target, plan, place, place, &taken, NULL) != RELAYOUT_OK) {
    return false;
  }
  *time = (rlt_run_time){.counted = taken.counted, .taken = bench_now() - begun};
  return true;
}

void tune_field_run(tune_field *on, int32_t compared, int32_t rounds, double end) {
  const rlt_turns turns = {.count = on->count,
                           .least_rounds = 1,
                           .most_rounds = rounds,
                           .seconds = end - bench_now(),
                           .compared = compared,
                           .run = run,
                           .context = on};
  rlt_take_turns(&turns, on->times);
}

double tune_field_time(const tune_field *on, int32_t number) {
  return on->times[number].runs > 0 ? on->times[number].least : 0;
}

void tune_field_clear(tune_field *on) {
  while (on->count > 0) {
    relayout_plan_destroy(on->plans[--on->count]);
  }
}
