/* tune.h: finding a row of the tuning table by running schedules on a device.
 *
 * Depends on backend.h and tuning.h.
 */
#ifndef RLT_SEARCH_TUNE_H
#define RLT_SEARCH_TUNE_H

#include "device/target.h"
#include "relayout/tuning.h"

/* Whom findings are told. */
typedef struct rlt_tune_report {
  void (*found)(void *context, const relayout_tuned *what); /* NULL: nobody */
  void *context;
} rlt_tune_report;

/* What the device's tuning becomes after about so many seconds of running schedules: the wishes
 * that were the fastest for each word size and kind of tiles, and the rates that foretell best what
 * all of them took. What there was no time for stays, and so does what no second pass confirms, and
 * what the row is called, and when and by what it was found; `*is_new` says whether anything has
 * changed. RELAYOUT_UNSUPPORTED for a device whose workers do not move tiles by
 * themselves, or that cannot be timed; RELAYOUT_OUT_OF_MEMORY, RELAYOUT_OPENCL_ERROR. */
relayout_status rlt_tune(relayout_device *device, double seconds, const rlt_tune_report *report,
                         rlt_tuning *found, bool *is_new, relayout_error *error);

#endif
