/* no_kernel_choice.c: --kernels of a command without OpenCL. */
#include "kernel_choice.h"

#include <stddef.h>

exit_code kernel_choice_apply(const char *kernels, relayout_device **device) {
  if (kernels == NULL) {
    return EXIT_CODE_OK;
  }
  relayout_device_destroy(*device);
  *device = NULL;
  return report(EXIT_CODE_USAGE, "--kernels is for OpenCL devices, which this build has none of");
}
