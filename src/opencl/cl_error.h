/* cl_error.h: OpenCL's error codes in error messages. Depends on base/error.h and cl.h. */
#ifndef RLT_OPENCL_CL_ERROR_H
#define RLT_OPENCL_CL_ERROR_H

#include "base/error.h"
#include "opencl/cl.h"

/* "CL_INVALID_VALUE" and the like; "unknown OpenCL error" for any other code. Static storage. */
const char *rlt_cl_error_name(cl_int code);

/* RELAYOUT_OPENCL_ERROR, or what stands for it where memory is out, with the message "<call>
 * failed: <name> (<code>)". `call` names the OpenCL function and what it was for. */
relayout_status rlt_cl_fail(relayout_error *error, cl_int code, const char *call);

#endif
