/* target.c: what targets of all backends share. */
#include "target.h"

#include <time.h>

double bench_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

relayout_status bench_target_open(relayout_device *device, bench_target **target,
                                  relayout_error *error) {
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  relayout_status status = relayout_device_get_info(device, &info, error);
  bench_target *made = NULL;
  if (status == RELAYOUT_OK) {
    status = info.backend == RELAYOUT_BACKEND_CPU
                 ? bench_cpu_target_create((int32_t)info.compute_units, &made, error)
                 : bench_opencl_target_create(device, &made, error);
  }
  if (status != RELAYOUT_OK) {
    relayout_device_destroy(device);
    return status;
  }
  made->device = device;
  made->info = info;
  made->options = (relayout_plan_options)RELAYOUT_PLAN_OPTIONS_INIT;
  *target = made;
  return RELAYOUT_OK;
}
