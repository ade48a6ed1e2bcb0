/* adapting.c: how much faster plans get while they work: as estimated, adapting and measured, case
 * by case, each on a CPU device of its own, from and to the same memory, in turns.
 *
 *   adapting SUITE [EVERY [CALLS]]    every case, and 80 calls behind the first 20, when left out
 *
 * It prints how many times as fast as the estimated plan the others are from call 20 on, by their
 * mean calls; how many times as fast as the measured plan the adapting one is; and how many times
 * as long as the estimated plan's its calls took before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/statistics.h"
#include "cost.h"
#include "cost_suite.h"
#include "relayout/relayout.h"

const char cost_program[] = "adapting";

enum { LEARNING_CALLS = 20, LATER_CALLS = 80, MOST = 1000000, PAGE_BYTES = 4096 };
enum { ESTIMATED, ADAPTING, MEASURED, PLANS };

static const relayout_plan_effort efforts[PLANS] = {RELAYOUT_PLAN_ESTIMATE, RELAYOUT_PLAN_ADAPT,
                                                    RELAYOUT_PLAN_MEASURE};

/* Every page is there. */
static void *take_memory(const relayout_shape *shape) {
  relayout_error error;
  size_t bytes = 0;
  cost_check(relayout_shape_byte_size(shape, &bytes, &error), &error);
  void *const made = aligned_alloc(PAGE_BYTES, (bytes / PAGE_BYTES + 1) * PAGE_BYTES);
  if (made == NULL) {
    cost_stop("no memory");
  }
  return memset(made, 1, bytes);
}

static double time_call(const relayout_plan *plan, const void *source, void *destination) {
  relayout_error error;
  const double begin = cost_now();
  cost_check(relayout_plan_execute(plan, source, destination, &error), &error);
  return cost_now() - begin;
}

typedef struct ratios {
  double adapting; /* estimated to adapting */
  double measured; /* estimated to measured */
  double to_measured;
} ratios;

static ratios compare(relayout_device *const *devices, const bench_case *of, int calls) {
  void *const source = take_memory(&of->from);
  void *const destination = take_memory(&of->to);
  relayout_plan *plans[PLANS];
  double early[PLANS] = {0}, late[PLANS] = {0};
  for (int p = 0; p < PLANS; ++p) {
    relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
    relayout_error error;
    options.effort = efforts[p];
    cost_check(relayout_plan_create(devices[p], &of->from, &of->to, &options, &plans[p], &error),
               &error);
  }
  for (int call = 0; call < calls; ++call) {
    for (int turn = 0; turn < PLANS; ++turn) {
      const int p = (call + turn) % PLANS;
      const double seconds = time_call(plans[p], source, destination);
      early[p] += call < LEARNING_CALLS ? seconds : 0;
      late[p] += call < LEARNING_CALLS ? 0 : seconds;
    }
  }
  for (int p = 0; p < PLANS; ++p) {
    relayout_plan_destroy(plans[p]);
  }
  free(source);
  free(destination);
  const ratios found = {late[ESTIMATED] / late[ADAPTING], late[ESTIMATED] / late[MEASURED],
                        late[MEASURED] / late[ADAPTING]};
  printf("%-32s adapting %6.3f  measured %6.3f  adapting to measured %6.3f  first calls %6.3f\n",
         of->name, found.adapting, found.measured, found.to_measured,
         early[ADAPTING] / early[ESTIMATED]);
  fflush(stdout);
  return found;
}

static int number_of(const char *text, int usual) {
  char *end = NULL;
  const long number = text == NULL ? usual : strtol(text, &end, 10);
  if (number < 1 || number > MOST || (end != NULL && *end != '\0')) {
    cost_stop("EVERY and CALLS are numbers from 1 to 1000000");
  }
  return (int)number;
}

int main(int count, char **values) {
  if (count < 2 || count > 4) {
    cost_stop("wants SUITE [EVERY [CALLS]]");
  }
  const size_t every = (size_t)number_of(count > 2 ? values[2] : NULL, 1);
  const int calls = LEARNING_CALLS + number_of(count > 3 ? values[3] : NULL, LATER_CALLS);
  bench_suite suite;
  cost_read_suite(values[1], &suite);
  relayout_device *devices[PLANS];
  for (int p = 0; p < PLANS; ++p) {
    relayout_error error;
    cost_check(relayout_device_open("cpu", &devices[p], &error), &error);
  }
  double *const all = malloc(3 * (suite.count + 1) * sizeof *all);
  if (all == NULL) {
    cost_stop("no memory");
  }
  double *const adapting = all, *const measured = all + suite.count + 1;
  double *const to_measured = measured + suite.count + 1;
  size_t cases = 0;
  for (size_t i = 0; i < suite.count; i += every) {
    const ratios found = compare(devices, &suite.cases[i], calls);
    adapting[cases] = found.adapting;
    measured[cases] = found.measured;
    to_measured[cases++] = found.to_measured;
  }
  printf("%-32s adapting %6.3f  measured %6.3f  adapting to measured %6.3f\n", "geomean",
         statistics_geomean(adapting, cases), statistics_geomean(measured, cases),
         statistics_geomean(to_measured, cases));
  free(all);
  bench_suite_free(&suite);
  for (int p = 0; p < PLANS; ++p) {
    relayout_device_destroy(devices[p]);
  }
  return 0;
}
