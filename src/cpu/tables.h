/* tables.h: what the frame of a program's tiles says of where they lie. Depends on kernels.h. */
#ifndef RLT_CPU_TABLES_H
#define RLT_CPU_TABLES_H

#include "cpu/kernels.h"
#include "problem/problem.h"
#include "relayout/status.h"

/* Fills the part of a frame that is for tiles by tables. Those that are `assembled` are put together
 * before they leave for the destination, others go there at once. `arrived` is the problem as the kernels
 * see it, of which they read what has been unpacked. The frame owns the tables, also after a
 * failure. */
relayout_status rlt_cpu_tables_make(const rlt_problem *problem, const rlt_problem *arrived,
                                    const rlt_strategy *strategy, bool assembled,
                                    rlt_cpu_frame *frame, relayout_error *error);
void rlt_cpu_tables_free(rlt_cpu_frame *frame);

#endif
