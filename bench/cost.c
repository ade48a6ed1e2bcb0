/* cost.c: the clock, the error exit and the printed lines that cost.h declares. */
#include "cost.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/statistics.h"

double cost_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void cost_stop(const char *what) {
  fprintf(stderr, "%s: %s\n", cost_program, what);
  exit(1);
}

void cost_check(relayout_status status, const relayout_error *error) {
  if (status != RELAYOUT_OK) {
    cost_stop(error->message);
  }
}

void cost_check_cl(int code, const char *call) {
  if (code != 0) {
    cost_stop(call);
  }
}

void cost_measure_in_turns(const cost_way *ways, size_t count, size_t repetitions,
                           double *medians) {
  double *const times = malloc(count * repetitions * sizeof *times);
  if (times == NULL) {
    cost_stop("no memory");
  }
  for (size_t i = 0; i < repetitions; ++i) {
    for (size_t turn = 0; turn < count; ++turn) {
      const size_t w = (i + turn) % count;
      times[w * repetitions + i] = ways[w].run(ways[w].context);
    }
  }
  for (size_t w = 0; w < count; ++w) {
    medians[w] = statistics_median(times + w * repetitions, repetitions);
  }
  free(times);
}

/* In microseconds, or in nanoseconds where there is less than one. */
static const char *unit_of(double seconds) {
  return fabs(seconds) < 1e-6 ? "ns" : "us";
}

static double in_unit_of(double seconds) {
  return seconds * (fabs(seconds) < 1e-6 ? 1e9 : 1e6);
}

void cost_print_line(const char *what, double seconds, const char *beside) {
  printf("%-46s %12.2f %s  %s\n", what, in_unit_of(seconds), unit_of(seconds), beside);
  fflush(stdout);
}

void cost_print_beside(const char *what, double median, double bare_median) {
  char beside[64];
  const double more = median - bare_median;
  snprintf(beside, sizeof beside, "%+.2f %s, x %.2f", in_unit_of(more), unit_of(more),
           median / bare_median);
  cost_print_line(what, median, beside);
}
