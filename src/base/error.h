/* error.h: filling a relayout_error. Depends on one_line.h and the public status. */
#ifndef RLT_BASE_ERROR_H
#define RLT_BASE_ERROR_H

#include <stdint.h>

#include "relayout/status.h"

/* Fills `error` (may be NULL) with the status and the formatted message, made one line; returns the
 * status, so that a failing function ends in `return rlt_fail(error, ...)`. */
relayout_status rlt_fail(relayout_error *error, relayout_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for RELAYOUT_OPENCL_ERROR, with the OpenCL error code. */
relayout_status rlt_fail_cl(relayout_error *error, int32_t cl_status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a message that quotes a compiler's log, whose lines and columns stay. */
relayout_status rlt_fail_cl_with_log(relayout_error *error, int32_t cl_status, const char *format,
                                     ...) __attribute__((format(printf, 3, 4)));

/* The cause's status and OpenCL error code, and its message behind what is formatted, which says
 * where it was: "to[1]: ...". */
relayout_status rlt_fail_at(relayout_error *error, const relayout_error *cause, const char *format,
                            ...) __attribute__((format(printf, 3, 4)));

#define RLT_LOG_CONTROLS "\n\t"

#endif
