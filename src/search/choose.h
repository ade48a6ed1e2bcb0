/* choose.h: which of the schedules that are offered a part of a plan runs by.
 *
 * Depends on plan.h.
 */
#ifndef RLT_SEARCH_CHOOSE_H
#define RLT_SEARCH_CHOOSE_H

#include "plan/plan.h"

/* Chooses the part's ways, and makes their programs: what `text` describes, unless that is NULL;
 * or what is remembered as the fastest, or is measured now, or is predicted to be.
 * `seconds_left` is what measuring may take, and becomes less. Needs the part's problem alone.
 * The statuses of relayout_plan_create. */
relayout_status rlt_choose(relayout_device *device, const rlt_plan_request *request,
                           const char *text, double *seconds_left, rlt_part *part,
                           relayout_error *error);

#endif
