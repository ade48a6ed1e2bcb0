/* measure.h: runs candidates to find the fastest.
 *
 * Depends on backend.h and candidates.h.
 */
#ifndef RLT_SEARCH_MEASURE_H
#define RLT_SEARCH_MEASURE_H

#include "device/target.h"
#include "search/candidates.h"

/* Seconds that all runs for one plan may take; schedules that are run by default, and at most. */
#define RLT_MEASURE_SECONDS 2.0
enum { RLT_MEASURED = 8, RLT_MOST_MEASURED = 1024 };

/* Bytes of a device's memory that both sides may take together during a measurement; `*largest`
 * becomes the most that one side may take. */
int64_t rlt_scratch_room(const relayout_device_info *info, int64_t *largest);

/* Returns the number of the fastest candidate; -1 if the device cannot be timed, or lacks memory
 * or time. Runs `most` candidates: `estimated`, which would be taken without measuring, and the
 * best predicted ones; then as many variations of the winner, which this call adds. With
 * `at_any_offset` only candidates that need no alignment take part, and both sides begin one
 * element after an aligned address. Subtracts the time that it took from `*seconds_left`. */
int32_t rlt_measure(relayout_device *device, rlt_candidates *candidates, int32_t estimated,
                    bool at_any_offset, int32_t most, double *seconds_left);

#endif
