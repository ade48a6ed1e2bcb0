/* measure.h: finding out which candidate is the fastest, by running them. Depends on candidates.h
 * and backend.h. */
#ifndef RLT_PLAN_MEASURE_H
#define RLT_PLAN_MEASURE_H

#include "plan/backend.h"
#include "plan/candidates.h"

/* Times those that are predicted to be the fastest on scratch memory of the device and sets
 * `*chosen` to the winner, whose strategy stays with the candidates, and `*program` to its program
 * unless only a part of the problem was run. False, with nothing set, where nothing could be
 * measured: without the memory, without a way to tell the time, or where no run would end soon.
 * What the runs take goes off `*seconds_left`, at 0 of which none is begun but the first of each;
 * relayout_plan_options says how much that is. */
#define RLT_MEASURE_SECONDS 2.0
bool rlt_measure(relayout_device *device, const rlt_problem *problem,
                 const rlt_candidates *candidates, double *seconds_left, int32_t *chosen,
                 void **program);

#endif
