/* turns.h: times candidates in turns, so that whatever else the machine does meets them alike.
 *
 * Measured plans, `relayout bench` and `relayout tune` all measure by it. Depends on nothing.
 */
#ifndef RLT_SEARCH_TURNS_H
#define RLT_SEARCH_TURNS_H

#include <stdbool.h>
#include <stdint.h>

/* Seconds of one run. */
typedef struct rlt_run_time {
  double counted; /* by the clock that counts */
  double taken;   /* of the time that there is for all runs */
} rlt_run_time;

/* The times of one candidate. */
typedef struct rlt_timed {
  double
      least; /* its fastest run that counts: what else goes on only ever slows it down; 0: none */
  double taken; /* by all its runs */
  int32_t runs;
  bool is_out; /* it failed, or is much slower than the best, and has no further turn */
} rlt_timed;

typedef struct rlt_turns {
  int32_t count;        /* of candidates */
  int32_t least_rounds; /* that each takes part in, even when the time is over */
  int32_t most_rounds;
  bool warms_up;       /* the first run of a candidate counts only if it is the only one */
  double seconds;      /* that all runs may take */
  double seconds_each; /* that the runs of one candidate may take; 0: no limit */
  /* The first so many are compared: one that takes 1.6 times as long as the best of them after one
   * run, or 1.2 times after more, is out. */
  int32_t compared;
  /* Runs a candidate once; false: it cannot run, and is out. */
  bool (*run)(void *context, int32_t number, int32_t round, rlt_run_time *time);
  void *context;
} rlt_turns;

/* Fills in one entry for each candidate. Returns the seconds that all runs took. */
double rlt_take_turns(const rlt_turns *how, rlt_timed *of);

#endif
