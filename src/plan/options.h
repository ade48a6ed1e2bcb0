/* options.h: a caller's wishes, checked. Depends on plan.h. */
#ifndef RLT_PLAN_OPTIONS_H
#define RLT_PLAN_OPTIONS_H

#include "plan/plan.h"

/* For sides of this rank, 0 where it is not valid; NULL asks for nothing.
 * RELAYOUT_INVALID_ARGUMENT. */
relayout_status rlt_options_read(const relayout_plan_options *options, int32_t rank, rlt_wish *wish,
                                 relayout_error *error);

#endif
