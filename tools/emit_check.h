/* emit_check.h: compiles what `relayout emit kernel` prints, and runs it where that can be done.
 * Depends on the public headers, verify.h and report.h. */
#ifndef TOOLS_EMIT_CHECK_H
#define TOOLS_EMIT_CHECK_H

#include "relayout/relayout.h"
#include "report.h"

/* What is checked: all kernels of a plan. */
typedef struct emit_check_subject {
  const relayout_shape *from;
  const relayout_shape *to;
  relayout_language language;
  relayout_kernel *kernels;
  int32_t count;
  const char *device; /* of OpenCL, that runs them; NULL: the first there is */
} emit_check_subject;

/* Says what was done, in one line; EXIT_CODE_DIFFERENT where other bytes come out than the
 * definition says. */
exit_code emit_check(const emit_check_subject *of);

/* ---- For its parts ---- */

/* What is moved, and the destination, all zeros. */
typedef struct emit_check_memory {
  unsigned char *source;
  unsigned char *destination;
  size_t source_size;
  size_t destination_size;
} emit_check_memory;

/* Builds and runs the kernels of OpenCL on the memory. */
exit_code emit_check_on_opencl(const emit_check_subject *of, emit_check_memory *memory);

#endif
