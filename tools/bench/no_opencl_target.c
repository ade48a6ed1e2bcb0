/* Stands for opencl_target.c where the library is built without OpenCL: no
 * device is of that kind. */
#include "fail.h"
#include "target.h"

relayout_status bench_opencl_target_create(relayout_device *device, bench_target **target,
                                           relayout_error *error) {
  (void)device;
  (void)target;
  return fail_with(error, RELAYOUT_NO_DEVICE, "this build has no OpenCL");
}
