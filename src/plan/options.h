/* options.h: a caller's wishes, checked. Depends on plan.h. */
#ifndef RLT_PLAN_OPTIONS_H
#define RLT_PLAN_OPTIONS_H

#include "plan/plan.h"

/* All but the strides; NULL asks for nothing. RELAYOUT_INVALID_ARGUMENT. */
relayout_status rlt_options_read(const relayout_plan_options *options, rlt_wish *wish,
                                 relayout_error *error);

/* The strides of sides of this rank, which is valid. */
void rlt_options_read_strides(const relayout_plan_options *options, int32_t rank,
                              rlt_changes *changes);

#endif
