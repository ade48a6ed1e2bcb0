/* winners.h: what was measured to be the fastest, problem by problem, for the next plan and the
 * next process.
 *
 * As text, in a file and wherever a caller keeps it:
 *
 *     relayout winners 2
 *     device: AMD EPYC 9654, 2 compute units
 *     driver:
 *     bytes 4 elements 2624:2624 starts 0:0 keeps 64/64:41:1 41/41:1:64 = packed 16 x 64
 *
 * A line is a simplified problem, as problem_text.h has it, and the rows and columns of the
 * candidate that won it. Lines that cannot be read are passed over, and so is a whole text of
 * another version, device or driver; a winner that is no candidate any more does no harm. Any
 * number of threads may use one set of winners at once.
 *
 * Depends on backend.h, candidates.h, problem/ and base/.
 */
#ifndef RLT_PLAN_WINNERS_H
#define RLT_PLAN_WINNERS_H

#include "plan/backend.h"
#include "plan/candidates.h"

typedef struct rlt_winners rlt_winners;

/* None, and no file. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_winners_create(rlt_winners **winners, relayout_error *error);
void rlt_winners_destroy(rlt_winners *winners);

/* Keeps the device's winners in a file of this folder, which is read when it is first needed; NULL
 * for no file. Before any plan is made. */
void rlt_winners_keep_in(relayout_device *device, const char *folder);

/* The candidate that won this problem; -1 when none is known. */
int32_t rlt_winners_find(relayout_device *device, const rlt_problem *problem,
                         const rlt_candidates *candidates);

/* From now on that one wins. What other processes have put in the file meanwhile stays there. */
void rlt_winners_remember(relayout_device *device, const rlt_problem *problem,
                          const rlt_strategy *won);

#endif
