/* runs.h: plans by different rows, and schedules, that a device runs in turns. Depends on
 * bench/target.h, search/turns.h, cases.h and row.h. */
#ifndef TOOLS_TUNE_RUNS_H
#define TOOLS_TUNE_RUNS_H

#include "bench/target.h"
#include "cases.h"
#include "row.h"
#include "search/turns.h"

enum { TUNE_MOST_PLANS = 41 };

/* The memory that plans run in, one behind the other, and those that take turns. */
typedef struct tune_field {
  bench_target *target;
  int64_t side_bytes;
  int64_t place; /* of the next run, in bytes */
  bool stays;    /* runs follow each other in one place; else none finds its bytes in a cache */
  bool rests;    /* before each run, for longer than threads look for work before they sleep */
  int32_t count;
  relayout_plan *plans[TUNE_MOST_PLANS]; /* NULL: one that cannot run */
  rlt_timed times[TUNE_MOST_PLANS];
} tune_field;

/* Adds a plan by a row, or by this schedule where that is not NULL; one that cannot be made, or for
 * which the memory is too small, is there and does not run. */
void tune_field_add(tune_field *on, const tune_case *of, const tune_row *row, const char *schedule);

/* All of them run in turns, so many rounds at most, and the first one until `end`. The first
 * `compared` have no further turn once they are much slower than the best of them. */
void tune_field_run(tune_field *on, int32_t compared, int32_t rounds, double end);

/* The fastest run of one; 0: it did not run. */
double tune_field_time(const tune_field *on, int32_t number);

/* Drops all plans. */
void tune_field_clear(tune_field *on);

#endif
