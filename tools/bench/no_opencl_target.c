/* Stands for opencl_target.c where there is no OpenCL, or no loader to
 * link with. */
#include "fail.h"
#include "target.h"

relayout_status bench_opencl_target_create(relayout_device *device, bench_target **target,
                                           relayout_error *error) {
  (void)device;
  (void)target;
  return fail_with(error, RELAYOUT_NO_DEVICE,
                   "this build of the command measures no OpenCL devices");
}
