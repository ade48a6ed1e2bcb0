/* staging_tables.h: what the kernels of cl/staging.cl read of a staged tile. Depends on
 * plan/schedule.h. */
#ifndef RLT_LAUNCH_STAGING_TABLES_H
#define RLT_LAUNCH_STAGING_TABLES_H

#include <stddef.h>

#include "plan/schedule.h"
#include "relayout/status.h"

/* The tables as bytes, to be freed by the caller, with 64-bit offsets where the kernel is `wide`.
 * RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_staging_tables_make(const rlt_schedule *schedule, bool wide, void **tables,
                                        size_t *size, relayout_error *error);

#endif
