/* opencl.h: the OpenCL backend, as the plan layer sees it.
 *
 * Depends on device/target.h; needs no OpenCL header.
 */
#ifndef RLT_OPENCL_OPENCL_H
#define RLT_OPENCL_OPENCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/target.h"

extern const rlt_backend rlt_opencl_backend;

/* Opens the first GPU, else the first accelerator, else, unless `offload_only`, any other device,
 * in a context of its own. Devices that cannot run relayouts (older than OpenCL 1.2, no compiler),
 * or do not answer, are passed over. RELAYOUT_NO_DEVICE. */
relayout_status rlt_opencl_open_best(bool offload_only, relayout_device **device,
                                     relayout_error *error);

/* Opens one device by its numbers: its platform counted as the loader lists them, itself as that
 * platform does, both from 0. RELAYOUT_NO_DEVICE, RELAYOUT_UNSUPPORTED. */
relayout_status rlt_opencl_open_at(uint32_t platform, uint32_t device_number,
                                   relayout_device **device, relayout_error *error);

/* All devices of all platforms that can run relayouts; `*count` becomes their number, at most
 * `capacity` infos are filled. No platform is no error, nor is a platform without a device,
 * nor one that does not answer. The struct_size of each info is the caller's to check. */
relayout_status rlt_opencl_list(relayout_device_info *infos, size_t capacity, size_t *count,
                                relayout_error *error);

#endif
