/* error.h: filling a relayout_error. Depends on the public status alone. */
#ifndef RLT_BASE_ERROR_H
#define RLT_BASE_ERROR_H

#include <stdint.h>

#include "relayout/status.h"

/* Fills `error` (may be NULL) with the status and the formatted message; returns the status, so
 * that a failing function ends in `return rlt_fail(error, ...)`. */
relayout_status rlt_fail(relayout_error *error, relayout_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for RELAYOUT_OPENCL_ERROR, with the OpenCL error code. */
relayout_status rlt_fail_cl(relayout_error *error, int32_t cl_status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
