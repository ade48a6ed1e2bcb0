/* index_runs.h: runs of elements that are looked up one by one. Depends on method.h. */
#ifndef RLT_PLAN_METHODS_INDEX_RUNS_H
#define RLT_PLAN_METHODS_INDEX_RUNS_H

#include "plan/methods/method.h"

/* Columns along axis 0 that consist of whole bytes, the array's last one excepted, and that no
 * work-item goes through longer than it may. */
rlt_group rlt_index_run(const rlt_scene *scene);

#endif
