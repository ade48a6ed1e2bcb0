/* sharing.h: whether a plan would write a byte that it reads, if both sides lie in one block of
 * memory. Depends on plan.h and problem/. */
#ifndef RLT_PLAN_SHARING_H
#define RLT_PLAN_SHARING_H

#include "plan/plan.h"
#include "problem/shared_bytes.h"

/* True if the ranges of both sides overlap. `source` and `destination` are the positions of the
 * first bytes that the plan uses, counted from a common start. */
bool rlt_plan_ranges_overlap(const relayout_plan *plan, uintptr_t source, uintptr_t destination);

/* Says whether the plan writes a byte that it reads; the answer may be that it cannot tell. */
rlt_sharing rlt_plan_sharing(const relayout_plan *plan, uintptr_t source, uintptr_t destination);

/* The end of the message about overlapping ranges, for sides that may share no byte but whose
 * ranges must not overlap. */
const char *rlt_sharing_text(rlt_sharing sharing);

#endif
