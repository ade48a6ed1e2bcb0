/* tune.h: finding out what a machine likes, by running schedules on it.
 *
 * Depends on backend.h.
 */
#ifndef RLT_PLAN_TUNE_H
#define RLT_PLAN_TUNE_H

#include "plan/backend.h"

/* Told of each finding: what it is about, in English, the fraction of a plain copy's speed that
 * tiles reached before and do now, and how much of all work is done, 0 to 1. */
typedef struct rlt_tune_report {
  void (*found)(void *context, const char *what, double before, double after, double done);
  void *context;
} rlt_tune_report;

/* What the device's tuning becomes after `seconds` of running schedules: the wishes that were the
 * fastest for each word size and kind of tiles, and the rates that foretell best what all of them
 * took; what there was no time for stays. `kind`, `date` and `suites` stay too.
 * RELAYOUT_UNSUPPORTED for a device whose workers do not move tiles by themselves, or that cannot
 * be timed; RELAYOUT_OUT_OF_MEMORY, RELAYOUT_OPENCL_ERROR. */
relayout_status rlt_tune(relayout_device *device, double seconds, const rlt_tune_report *report,
                         rlt_tuning *found, relayout_error *error);

#endif
