/* submit.h: a relayout whose sides are checked, on its way. Depends on staged.h. */
#ifndef RLT_OPENCL_SUBMIT_H
#define RLT_OPENCL_SUBMIT_H

#include "opencl/staged.h"

/* All that a submission needs. */
typedef struct rlt_submission {
  const relayout_plan *plan;
  const rlt_opencl_device *device;
  rlt_endpoint source;
  rlt_endpoint destination;
  rlt_means means;
} rlt_submission;

/* Enqueues it, of a plan that moves something and has ways for these places. After a failure the
 * events are of what was enqueued. */
relayout_status rlt_submit(rlt_submission *of, rlt_submitted *submitted, relayout_error *error);

#endif
