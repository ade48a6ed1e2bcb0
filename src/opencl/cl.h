/* cl.h: OpenCL's own header, of the version that has all that the backend may use: what a device or
 * a loader of OpenCL 1.2 has, and what it asks for before it uses it. */
#ifndef RLT_OPENCL_CL_H
#define RLT_OPENCL_CL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 200
#endif
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* queues as before 2.0 */
#endif
#include <CL/cl.h>

#endif
