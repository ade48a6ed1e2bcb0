/* native.h: the target of OpenCL devices that run native kernels (CL_EXEC_NATIVE_KERNEL): plans are
 * the CPU target's, for the device's own processors, and run on its queues.
 *
 * Depends on device.h.
 */
#ifndef RLT_OPENCL_NATIVE_H
#define RLT_OPENCL_NATIVE_H

#include "opencl/device.h"

extern const rlt_backend rlt_native_backend;

static inline bool rlt_opencl_is_native(const rlt_opencl_device *device) {
  return device->base.backend == &rlt_native_backend;
}

/* Whether a CPU device runs native kernels, on buffers as aligned as the CPU target's schedules ask
 * for. */
relayout_status rlt_native_can_run(cl_device_id id, const relayout_device_info *info, bool *can,
                                   relayout_error *error);

/* Makes a device that has its handles and its info, and nothing else, one of this target; after a
 * failure it has nothing else either. The statuses of relayout_cpu_device_create. */
relayout_status rlt_native_set_up(rlt_opencl_device *device, const relayout_opencl_options *options,
                                  relayout_error *error);

/* The same plan by work-group kernels, for command buffers, which take no native ones: the plan's,
 * as long as that is there. A plan of a device that runs such kernels anyway is that itself. */
relayout_status rlt_native_plan_by_kernels(relayout_plan *plan, relayout_plan **found,
                                           relayout_error *error);

#endif
