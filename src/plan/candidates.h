/* candidates.h: the ways a relayout could be carried out, and what each is predicted to take.
 *
 * A candidate is a strategy with its tiles. The first is the one that the device's own traits ask
 * for; the others have more of what the problem may need: longer runs on one side, another kind,
 * straight copies or assembled ones.
 *
 * Depends on strategy.h and cost.h.
 */
#ifndef RLT_PLAN_CANDIDATES_H
#define RLT_PLAN_CANDIDATES_H

#include "plan/cost.h"
#include "plan/strategy.h"

enum { RLT_MOST_CANDIDATES = 8 };

typedef struct rlt_candidate {
  rlt_strategy strategy;
  rlt_cost cost;
} rlt_candidate;

/* All differ. `best` is the one of the highest predicted fraction; where others are hardly faster,
 * the first. */
typedef struct rlt_candidates {
  int32_t count;
  int32_t best;
  rlt_candidate of[RLT_MOST_CANDIDATES];
} rlt_candidates;

/* The problem is simplified and not empty. With `wanted` not AUTO all are of that kind. The statuses
 * of rlt_strategy_choose. */
relayout_status rlt_candidates_make(const rlt_problem *problem, const rlt_traits *traits,
                                    relayout_strategy wanted, rlt_candidates *candidates,
                                    relayout_error *error);

/* Whether both carry a problem out alike; reasons may differ. */
bool rlt_strategies_equal(const rlt_strategy *a, const rlt_strategy *b);

#endif
