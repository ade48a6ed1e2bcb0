/* candidates.h: every schedule that the methods offer for a problem on a device.
 *
 * Depends on schedule.h, tuning.h and cost.h.
 */
#ifndef RLT_SEARCH_CANDIDATES_H
#define RLT_SEARCH_CANDIDATES_H

#include "relayout/status.h"
#include "schedule/schedule.h"
#include "search/cost.h"
#include "search/tuning.h"

typedef struct rlt_candidate {
  rlt_schedule schedule;
  rlt_cost cost;
  bool varied; /* what differs from it in one respect is offered too */
} rlt_candidate;

enum { RLT_MOST_FORMS = 2 };

/* The problem in each of the words that it may move in. */
typedef struct rlt_forms {
  int32_t count;
  const rlt_problem
      *of[RLT_MOST_FORMS]; /* elements, then wider words or bytes with bits transposed */
} rlt_forms;

/* The forms of a problem, simplified and not empty, which is copied. RELAYOUT_OUT_OF_MEMORY; free
 * the result then too. */
relayout_status rlt_forms_make(const rlt_facts *facts, const rlt_problem *problem, rlt_forms *made,
                               relayout_error *error);
void rlt_forms_free(rlt_forms *forms);

/* Whether it is to be had where places may be any. */
static inline bool rlt_candidate_is_allowed(const rlt_candidate *candidate, bool at_any_offset) {
  return !at_any_offset || !candidate->schedule.only_aligned;
}

/* What is asked for beyond the problem. */
typedef struct rlt_candidates_request {
  const struct rlt_method *method; /* the only one that is asked; NULL: all are */
  bool stays_cached; /* no store goes past the cache: the destination is read again at once */
} rlt_candidates_request;

/* All differ. Those of wider words come first, in the order of the methods' table. */
typedef struct rlt_candidates {
  const rlt_facts *facts;
  const rlt_tuning *tuning;
  const rlt_forms *forms;
  rlt_candidates_request request;
  bool has_all; /* also what is hardly ever the best */
  int32_t count;
  int32_t capacity;
  rlt_candidate *of;
  bool lacks_memory;
} rlt_candidates;

/* Schedules of all forms, which outlive them: those that are likely to be the best. `request` may
 * be NULL. After a failure there are none. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_candidates_make(const rlt_forms *forms, const rlt_facts *facts,
                                    const rlt_tuning *tuning, const rlt_candidates_request *request,
                                    rlt_candidates *made, relayout_error *error);

/* Adds what is hardly ever the best, tiles of all sizes; once. As much as there is memory for. */
void rlt_candidates_add_all(rlt_candidates *candidates);

/* Adds what differs from one candidate, by number, in one respect: the order of tiles, what is
 * fetched ahead, or how tiles leave; nothing for -1. As much as there is memory for. */
void rlt_candidates_vary(rlt_candidates *candidates, int32_t number);

/* Adds a schedule that is finished, and is told its number; -1 without memory. */
int32_t rlt_candidates_add_finished(rlt_candidates *candidates, const rlt_schedule *schedule);

void rlt_candidates_free(rlt_candidates *candidates);

/* Those of the highest predicted fraction first; of equals, those that were offered first. */
void rlt_candidates_sort(rlt_candidates *candidates);

/* For methods: adds what they have filled in of a schedule, the problem, the method,
 * the tile, the move and what suits; all else becomes what those and the device ask
 * for. Nothing is added twice. */
void rlt_candidates_add(rlt_candidates *candidates, const rlt_schedule *schedule);

#endif
