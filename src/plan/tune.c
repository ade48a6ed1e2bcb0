/* tune.c: the device's own row is the best that is known. */
#include "plan/tune.h"

relayout_status rlt_tune(relayout_device *device, double seconds, const rlt_tune_report *report,
                         rlt_tuning *found, relayout_error *error) {
  (void)seconds;
  (void)report;
  (void)error;
  *found = *device->tuning;
  return RELAYOUT_OK;
}
