/* cl.h: OpenCL's own header, of the version that the backend asks of a device. */
#ifndef RLT_OPENCL_CL_H
#define RLT_OPENCL_CL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#endif
