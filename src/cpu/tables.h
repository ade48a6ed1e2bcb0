/* tables.h: what the frame of a program's tiles says of where they lie. Depends on kernels.h and
 * plan/schedule.h. */
#ifndef RLT_CPU_TABLES_H
#define RLT_CPU_TABLES_H

#include "cpu/kernels.h"
#include "plan/schedule.h"
#include "relayout/status.h"

/* Fills the part of a frame that is for tiles by tables. `arrived` is the problem as
 * the kernels see it, of which they read what has been unpacked. The frame owns the
 * tables, also after a failure. */
relayout_status rlt_cpu_tables_make(const rlt_schedule *schedule, const rlt_problem *arrived,
                                    rlt_cpu_frame *frame, relayout_error *error);
void rlt_cpu_tables_free(rlt_cpu_frame *frame);

#endif
