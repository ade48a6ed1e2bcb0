/* measure.h: finding out which candidate is the fastest, by running them. Depends on candidates.h and
 * backend.h. */
#ifndef RLT_PLAN_MEASURE_H
#define RLT_PLAN_MEASURE_H

#include "plan/backend.h"
#include "plan/candidates.h"

/* Times those that are predicted to be the fastest on scratch memory of the device and sets
 * `*chosen` and `*program` to the winner, whose strategy stays with the candidates. False, with
 * nothing set, where nothing could be measured: without memory, without a way to tell the time. */
bool rlt_measure(relayout_device *device, const rlt_problem *problem,
                 const rlt_candidates *candidates, int32_t *chosen, void **program);

#endif
