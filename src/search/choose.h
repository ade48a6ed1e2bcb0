/* choose.h: which of the schedules that are offered a part of a plan runs by.
 *
 * Depends on plan.h.
 */
#ifndef RLT_SEARCH_CHOOSE_H
#define RLT_SEARCH_CHOOSE_H

#include "plan/plan.h"

/* Chooses a part's variants and makes their executables: the schedule that `text` describes if it
 * is not NULL; else what wisdom holds, what a measurement finds, or what is predicted to be the
 * fastest. Subtracts the time of measuring from `*seconds_left`. Of the part, `forms` are set.
 * Returns the statuses of relayout_plan_create. */
relayout_status rlt_choose(relayout_device *device, const rlt_plan_request *request,
                           const char *text, double *seconds_left, rlt_part *part,
                           relayout_error *error);

#endif
