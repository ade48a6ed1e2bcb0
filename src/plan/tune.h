/* tune.h: finding a row of the tuning table by running schedules on a device.
 *
 * Depends on backend.h and tuning.h.
 */
#ifndef RLT_PLAN_TUNE_H
#define RLT_PLAN_TUNE_H

#include "plan/backend.h"
#include "relayout/tuning.h"

/* Whom findings are told. */
typedef struct rlt_tune_report {
  void (*found)(void *context, const relayout_tuned *what); /* NULL: nobody */
  void *context;
} rlt_tune_report;

/* Takes about so many seconds. Fills in all of a row but what it is called and when and by what it
 * was found. */
relayout_status rlt_tune(relayout_device *device, double seconds, const rlt_tune_report *report,
                         rlt_tuning *found, relayout_error *error);

#endif
