/* kernel_choice.h: --kernels, which kernels an OpenCL device runs. Depends on the public headers
 * and report.h. */
#ifndef TOOLS_KERNEL_CHOICE_H
#define TOOLS_KERNEL_CHOICE_H

#include "relayout/relayout.h"
#include "report.h"

/* Makes an OpenCL device that was opened one with these kernels: `auto`, `native` or `opencl`; NULL
 * leaves it as it is. After a failure, which is reported, the device is gone. */
exit_code kernel_choice_apply(const char *kernels, relayout_device **device);

#endif
