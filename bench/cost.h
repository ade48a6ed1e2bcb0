/* cost.h: what the programs here share: a clock, an exit on errors, measuring alternatives
 * in turns, and printing medians. Depends on the public headers and bench/statistics.h. */
#ifndef BENCH_COST_H
#define BENCH_COST_H

#include <stddef.h>

#include "relayout/status.h"

/* The program's name, for its messages; each defines its own. */
extern const char cost_program[];

double cost_now(void); /* seconds */

/* Ends the program with a message. */
void cost_stop(const char *what);
void cost_check(relayout_status status, const relayout_error *error);

/* Of an OpenCL call: 0 is success. */
void cost_check_cl(int code, const char *call);

/* Does something once, and returns how many seconds of that count. */
typedef struct cost_way {
  double (*run)(const void *context);
  const void *context;
} cost_way;

/* Measures the ways in turns, each round in another order, `repetitions` times each, and
 * returns the median of each. */
void cost_measure_in_turns(const cost_way *ways, size_t count, size_t repetitions, double *medians);

void cost_print_line(const char *what, double seconds, const char *beside);
/* A median beside another: what the driver or a plain copy takes for its part, say. */
void cost_print_beside(const char *what, double median, double bare_median);

#endif
