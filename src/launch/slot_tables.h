/* slot_tables.h: what cl/staged_permute.cl reads of a tile whose runs lie in slots of local memory.
 * Depends on plan/schedule.h. */
#ifndef RLT_LAUNCH_SLOT_TABLES_H
#define RLT_LAUNCH_SLOT_TABLES_H

#include <stddef.h>

#include "plan/schedule.h"
#include "relayout/status.h"

/* The tables as bytes, to be freed by the caller, with 64-bit offsets where the kernel is `wide`.
 * RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_slot_tables_make(const rlt_schedule *schedule, bool wide, void **tables,
                                     size_t *size, relayout_error *error);

#endif
