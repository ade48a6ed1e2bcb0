/* entry_points.h: the OpenCL functions that the library calls, and the table that it calls them
 * through, so that a process without OpenCL, or with one of its own, can use the library.
 *
 * Depends on cl.h. calls.h lets calls look as they do elsewhere.
 */
#ifndef RLT_OPENCL_ENTRY_POINTS_H
#define RLT_OPENCL_ENTRY_POINTS_H

#include <stdbool.h>

#include "opencl/cl.h"
#include "relayout/status.h"

/* X(function, whether nothing goes without it). Those of the others that are missing are NULL: they
 * are beyond OpenCL 1.2, or for native kernels. Each has its line in calls.h too. */
#define RLT_CL_FUNCTIONS(X)                                                                        \
  X(clBuildProgram, true)                                                                          \
  X(clCreateBuffer, true)                                                                          \
  X(clCreateCommandQueue, true)                                                                    \
  X(clCreateContext, true)                                                                         \
  X(clCreateKernel, true)                                                                          \
  X(clCreateProgramWithBinary, true)                                                               \
  X(clCreateProgramWithSource, true)                                                               \
  X(clEnqueueCopyBufferToImage, true)                                                              \
  X(clEnqueueCopyImageToBuffer, true)                                                              \
  X(clEnqueueFillBuffer, true)                                                                     \
  X(clEnqueueMapBuffer, true)                                                                      \
  X(clEnqueueMarkerWithWaitList, true)                                                             \
  X(clEnqueueNDRangeKernel, true)                                                                  \
  X(clEnqueueReadBuffer, true)                                                                     \
  X(clEnqueueReadBufferRect, true)                                                                 \
  X(clEnqueueUnmapMemObject, true)                                                                 \
  X(clEnqueueWriteBuffer, true)                                                                    \
  X(clEnqueueWriteBufferRect, true)                                                                \
  X(clFinish, true)                                                                                \
  X(clFlush, true)                                                                                 \
  X(clGetCommandQueueInfo, true)                                                                   \
  X(clGetContextInfo, true)                                                                        \
  X(clGetDeviceIDs, true)                                                                          \
  X(clGetDeviceInfo, true)                                                                         \
  X(clGetEventProfilingInfo, true)                                                                 \
  X(clGetExtensionFunctionAddressForPlatform, true)                                                \
  X(clGetImageInfo, true)                                                                          \
  X(clGetKernelInfo, true)                                                                         \
  X(clGetKernelWorkGroupInfo, true)                                                                \
  X(clGetMemObjectInfo, true)                                                                      \
  X(clGetPlatformIDs, true)                                                                        \
  X(clGetPlatformInfo, true)                                                                       \
  X(clGetProgramBuildInfo, true)                                                                   \
  X(clGetProgramInfo, true)                                                                        \
  X(clReleaseCommandQueue, true)                                                                   \
  X(clReleaseContext, true)                                                                        \
  X(clReleaseDevice, true)                                                                         \
  X(clReleaseEvent, true)                                                                          \
  X(clReleaseKernel, true)                                                                         \
  X(clReleaseMemObject, true)                                                                      \
  X(clReleaseProgram, true)                                                                        \
  X(clRetainCommandQueue, true)                                                                    \
  X(clRetainContext, true)                                                                         \
  X(clRetainDevice, true)                                                                          \
  X(clRetainEvent, true)                                                                           \
  X(clRetainProgram, true)                                                                         \
  X(clSetKernelArg, true)                                                                          \
  X(clWaitForEvents, true)                                                                         \
  X(clEnqueueNativeKernel, false)                                                                  \
  X(clSetMemObjectDestructorCallback, false)                                                       \
  X(clSetKernelArgSVMPointer, false)

typedef struct rlt_cl_functions {
#define RLT_CL_MEMBER(name, is_needed) __typeof__(name) *name;
  RLT_CL_FUNCTIONS(RLT_CL_MEMBER)
#undef RLT_CL_MEMBER
} rlt_cl_functions;

/* The table in use, for the rest of the process; NULL until rlt_cl_load or relayout_opencl_use. */
extern _Atomic(const rlt_cl_functions *) rlt_cl;

/* Sees to it that there is a table: from libOpenCL.so.1, unless there is one. Whoever has an OpenCL
 * device need not ask. RELAYOUT_UNSUPPORTED where there is no such library, or one that lacks a
 * function; RELAYOUT_OUT_OF_MEMORY. The next call tries again. */
relayout_status rlt_cl_load(relayout_error *error);

#endif
