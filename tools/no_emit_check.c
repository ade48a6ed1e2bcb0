/* no_emit_check.c: --check of kernels in OpenCL C, of a command without OpenCL. */
#include "emit_check.h"

exit_code emit_check_on_opencl(const emit_check_subject *of, emit_check_memory *memory) {
  (void)of;
  (void)memory;
  return report(EXIT_CODE_NO_DEVICE, "--check: this build has no OpenCL");
}
