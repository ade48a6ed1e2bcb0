/* sharing.h: whether a plan would write a byte that it reads, where both sides lie in one memory.
 * Depends on plan.h and problem/. */
#ifndef RLT_PLAN_SHARING_H
#define RLT_PLAN_SHARING_H

#include "plan/plan.h"
#include "problem/shared_bytes.h"

/* Whether the ranges that the plan takes overlap, of sides whose first bytes that are taken lie
 * there, counted from one beginning. */
bool rlt_plan_ranges_overlap(const relayout_plan *plan, uintptr_t source, uintptr_t destination);

/* Whether bytes do: any that is read and one that is written. */
rlt_sharing rlt_plan_sharing(const relayout_plan *plan, uintptr_t source, uintptr_t destination);

/* What more a message says of sides that are refused because their ranges overlap. Of those that
 * share nothing: where their memory may not lie between each other. */
const char *rlt_sharing_text(rlt_sharing sharing);

#endif
