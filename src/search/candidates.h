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
  bool varied;   /* its variations have been added (rlt_candidates_vary) */
  bool is_known; /* the best of its kind on some machine (rlt_candidates_add_known) */
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

/* True if the candidate may be chosen: for sides at any offset it must need no alignment. */
static inline bool rlt_candidate_is_allowed(const rlt_candidate *candidate, bool at_any_offset) {
  return !at_any_offset || !candidate->schedule.only_aligned;
}

/* Limits on what the methods may offer. */
typedef struct rlt_candidates_request {
  const struct rlt_method *method; /* the only one that is asked; NULL: all are */
  bool stays_cached; /* no store goes past the cache: the destination is read again at once */
  bool specializes;  /* kernels are compiled for this problem alone */
} rlt_candidates_request;

/* No two are equal. Those in wider words come first; then the order is that of the methods. */
typedef struct rlt_candidates {
  const rlt_facts *facts;
  const rlt_tuning *tuning;
  const rlt_forms *forms;
  rlt_candidates_request request;
  bool has_all;    /* tiles of all sizes, too (rlt_candidates_add_all) */
  bool adds_known; /* what suits is known to be the best somewhere */
  int32_t count;
  int32_t capacity;
  rlt_candidate *of;
  bool lacks_memory;
} rlt_candidates;

/* Makes the candidates that are likely to be the best, for all forms, which must outlive them.
 * `request` may be NULL. After a failure there are none. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_candidates_make(const rlt_forms *forms, const rlt_facts *facts,
                                    const rlt_tuning *tuning, const rlt_candidates_request *request,
                                    rlt_candidates *made, relayout_error *error);

/* Adds what the rows of tuning for other machines ask for in place of this device's row, and marks
 * it as known. What this machine likes best is seldom far from what one of those does. Adds nothing
 * where the table has one machine alone that works in this way, and fewer if memory runs out. */
void rlt_candidates_add_known(rlt_candidates *candidates);

/* Adds candidates with tiles of all sizes, most of which are never the best. A second call adds
 * nothing. Adds fewer if memory runs out. */
void rlt_candidates_add_all(rlt_candidates *candidates);

/* Whether a device like this has variations of a candidate. */
bool rlt_candidates_are_varied(const rlt_facts *facts);

/* Adds candidates that differ from candidate `number` in one field: loops, prefetch, packing,
 * stores, or whether its kernel is specialised. Does nothing for -1. Adds fewer if memory runs
 * out. */
void rlt_candidates_vary(rlt_candidates *candidates, int32_t number);

/* Which candidate has this schedule; -1: none. */
int32_t rlt_candidates_number(const rlt_candidates *candidates, const rlt_schedule *schedule);

/* Adds a finished schedule and returns its number; -1 without memory. */
int32_t rlt_candidates_add_finished(rlt_candidates *candidates, const rlt_schedule *schedule);

void rlt_candidates_free(rlt_candidates *candidates);

/* Sorts by predicted fraction, the highest first; equal ones keep their order. */
void rlt_candidates_sort(rlt_candidates *candidates);

/* For methods: completes a schedule, in which the problem, the method, the tile, the move and
 * `suits` are set, and adds it unless an equal one is there. */
void rlt_candidates_add(rlt_candidates *candidates, const rlt_schedule *schedule);

#endif
