/* tune_runs.h: schedules that a device runs in turns while it is tuned.
 *
 * Depends on backend.h, offers.h and tuning.h.
 */
#ifndef RLT_SEARCH_TUNE_RUNS_H
#define RLT_SEARCH_TUNE_RUNS_H

#include "device/target.h"
#include "search/offers.h"
#include "search/tuning.h"

typedef struct rlt_runner {
  rlt_forms forms;
  rlt_offer offer;
  void *program;  /* NULL: it cannot run */
  double seconds; /* its fastest run; 0: none yet */
  int32_t runs;
} rlt_runner;

enum { RLT_MOST_RUNNERS = 33 };

/* The memory that schedules run in. */
typedef struct rlt_track {
  relayout_device *device;
  void *scratch;
  int64_t side_bytes;
  int64_t place;       /* of the next run, in bytes */
  rlt_runner *runners; /* RLT_MOST_RUNNERS, which are large */
} rlt_track;

/* Goes by the first offer that suits the problem by a tuning row; by none, if it returns false. */
bool rlt_runner_make(const rlt_track *on, const rlt_problem *problem, const rlt_tuning *row,
                     rlt_runner *made);

/* Makes the offer's program, for a runner whose forms it is of. */
bool rlt_runner_start(const rlt_track *on, const rlt_offer *offer, rlt_runner *of);

/* Runs once, unless it cannot or the memory is too small, after which there are no
 * further turns. Where places do not stay they follow each other through the memory,
 * so that none is in a cache. */
void rlt_runner_take_turn(rlt_track *on, rlt_runner *of, bool stays);

/* Ends what was made or started; a runner that cannot run may be stopped too. */
void rlt_runner_stop(const rlt_track *on, rlt_runner *of);

#endif
