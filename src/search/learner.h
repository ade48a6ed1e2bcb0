/* learner.h: a plan that learns while it works: a few schedules take turns on the calls of the
 * plan's user until it is known which of them is the fastest.
 *
 *     call 1          the schedule that is predicted to be the fastest, on memory that may be new
 *     calls 2 to 13   that one, those that other kinds of machines like best and, where there is
 *                     room for more, those with other tiles that are predicted to be the next best,
 *                     six in all, twice each: each call is timed
 *     calls 14 to 21  four with the fastest tile and other orders, prefetches or stores, twice each
 *     calls 22 to 30  the predicted one and the two fastest, three times each
 *     later calls     the one with the fastest call
 *
 * Where there are fewer schedules, there are fewer trials.
 *
 * All schedules write the same bytes. Nothing is run beside the user's calls, and nothing needs
 * memory for a second source or destination. A call whose turn it is compiles its schedule, in some
 * tens of microseconds. Any number of threads may call at once: none waits for another.
 *
 * Depends on plan/plan.h.
 */
#ifndef RLT_SEARCH_LEARNER_H
#define RLT_SEARCH_LEARNER_H

#include "plan/plan.h"

enum {
  RLT_LEARNER_TILES = 6,
  RLT_LEARNER_ORDERS = 4,
  RLT_LEARNER_SCHEDULES = RLT_LEARNER_TILES + RLT_LEARNER_ORDERS,
  RLT_LEARNER_ROUNDS = 2,
  RLT_LEARNER_LAST = 3,
  RLT_LEARNER_LAST_ROUNDS = 3
};

typedef struct rlt_learner rlt_learner;

/* True if a part with this problem learns: by such a request, on such a device, and if a call takes
 * so long that trying others is worth it. */
bool rlt_learns(const relayout_device *device, const rlt_plan_request *request,
                const rlt_problem *problem);

/* Learns for one variant of a part. NULL without memory: then the variant stays as it is. */
rlt_learner *rlt_learner_create(const rlt_plan_request *request);
/* NULL is none. No call is under way. */
void rlt_learner_destroy(relayout_device *device, rlt_learner *learner);

/* A call that is timed. */
typedef struct rlt_trial {
  const void *executable; /* what it runs */
  void *own;              /* the same, if it is for this call alone; or NULL */
  int32_t number;         /* of the schedule */
  double begun;
} rlt_trial;

/* True if this call of the part's variant is a trial, which begins now and has to be ended. If not,
 * it runs what rlt_variant_now says. `ran` is false where it failed. The device is the planner. */
bool rlt_trial_begin(relayout_device *device, const rlt_part *part, const rlt_variant *variant,
                     rlt_trial *trial);
void rlt_trial_end(relayout_device *device, const rlt_part *part, const rlt_variant *variant,
                   const rlt_trial *trial, bool ran);

/* The variant, or the one that was learned to be faster in its place. */
const rlt_variant *rlt_variant_now(const rlt_variant *variant);

/* What learning took so far. */
typedef struct rlt_learning {
  int32_t schedules; /* that took turns; 0: nothing was tried yet */
  int32_t trials;    /* calls that are over, */
  int32_t of_trials; /* and that there will be */
  double seconds; /* that trials took longer than as many calls of the fastest would have taken */
} rlt_learning;

rlt_learning rlt_variant_learning(const rlt_variant *variant);

/* Memory of the host's. */
uint64_t rlt_learner_bytes(const relayout_device *device, const rlt_learner *learner);

#endif
