/* measure.h: finding out which of the schedules offered is the fastest, by running them.
 *
 * Depends on backend.h and candidates.h.
 */
#ifndef RLT_SEARCH_MEASURE_H
#define RLT_SEARCH_MEASURE_H

#include "device/target.h"
#include "search/candidates.h"

/* What all runs for a plan may take, and how many schedules are run unless a caller says. */
#define RLT_MEASURE_SECONDS 2.0
enum { RLT_MEASURED = 8, RLT_MOST_MEASURED = 1024 };

/* What both sides may take of a device's memory together while something is measured; and one of
 * them, `*largest`. */
int64_t rlt_scratch_room(const relayout_device_info *info, int64_t *largest);

/* The candidate that is the fastest on memory of the device's own: of `most` at a time, which are
 * `estimated`, taken without measuring, and those that are predicted to be the best; then of what
 * differs from the winner in one respect, which may be offered only now. Of those that run at any
 * offset, with both sides a single element behind what schedules like best, or of all. -1 where
 * that cannot be told: the device cannot be timed, or has not the memory or the time.
 * `*seconds_left` becomes what is left of it. */
int32_t rlt_measure(relayout_device *device, rlt_candidates *candidates, int32_t estimated,
                    bool at_any_offset, int32_t most, double *seconds_left);

#endif
