/* calls.h: OpenCL's functions under their own names, called through the table of entry_points.h.
 *
 * For each file that calls them. A call that bypasses the table makes the library want a loader
 * when it is linked, which the test opencl.no_loader finds.
 */
#ifndef RLT_OPENCL_CALLS_H
#define RLT_OPENCL_CALLS_H

#include "opencl/entry_points.h"

#define clBuildProgram                           rlt_cl->clBuildProgram
#define clCreateBuffer                           rlt_cl->clCreateBuffer
#define clCreateCommandQueue                     rlt_cl->clCreateCommandQueue
#define clCreateContext                          rlt_cl->clCreateContext
#define clCreateKernel                           rlt_cl->clCreateKernel
#define clCreateProgramWithBinary                rlt_cl->clCreateProgramWithBinary
#define clCreateProgramWithSource                rlt_cl->clCreateProgramWithSource
#define clEnqueueCopyBufferToImage               rlt_cl->clEnqueueCopyBufferToImage
#define clEnqueueCopyImageToBuffer               rlt_cl->clEnqueueCopyImageToBuffer
#define clEnqueueFillBuffer                      rlt_cl->clEnqueueFillBuffer
#define clEnqueueMapBuffer                       rlt_cl->clEnqueueMapBuffer
#define clEnqueueMarkerWithWaitList              rlt_cl->clEnqueueMarkerWithWaitList
#define clEnqueueNativeKernel                    rlt_cl->clEnqueueNativeKernel
#define clEnqueueNDRangeKernel                   rlt_cl->clEnqueueNDRangeKernel
#define clEnqueueReadBuffer                      rlt_cl->clEnqueueReadBuffer
#define clEnqueueReadBufferRect                  rlt_cl->clEnqueueReadBufferRect
#define clEnqueueUnmapMemObject                  rlt_cl->clEnqueueUnmapMemObject
#define clEnqueueWriteBuffer                     rlt_cl->clEnqueueWriteBuffer
#define clEnqueueWriteBufferRect                 rlt_cl->clEnqueueWriteBufferRect
#define clFinish                                 rlt_cl->clFinish
#define clFlush                                  rlt_cl->clFlush
#define clGetCommandQueueInfo                    rlt_cl->clGetCommandQueueInfo
#define clGetContextInfo                         rlt_cl->clGetContextInfo
#define clGetDeviceIDs                           rlt_cl->clGetDeviceIDs
#define clGetDeviceInfo                          rlt_cl->clGetDeviceInfo
#define clGetEventProfilingInfo                  rlt_cl->clGetEventProfilingInfo
#define clGetExtensionFunctionAddressForPlatform rlt_cl->clGetExtensionFunctionAddressForPlatform
#define clGetImageInfo                           rlt_cl->clGetImageInfo
#define clGetKernelInfo                          rlt_cl->clGetKernelInfo
#define clGetKernelWorkGroupInfo                 rlt_cl->clGetKernelWorkGroupInfo
#define clGetMemObjectInfo                       rlt_cl->clGetMemObjectInfo
#define clGetPlatformIDs                         rlt_cl->clGetPlatformIDs
#define clGetPlatformInfo                        rlt_cl->clGetPlatformInfo
#define clGetProgramBuildInfo                    rlt_cl->clGetProgramBuildInfo
#define clGetProgramInfo                         rlt_cl->clGetProgramInfo
#define clReleaseCommandQueue                    rlt_cl->clReleaseCommandQueue
#define clReleaseContext                         rlt_cl->clReleaseContext
#define clReleaseDevice                          rlt_cl->clReleaseDevice
#define clReleaseEvent                           rlt_cl->clReleaseEvent
#define clReleaseKernel                          rlt_cl->clReleaseKernel
#define clReleaseMemObject                       rlt_cl->clReleaseMemObject
#define clReleaseProgram                         rlt_cl->clReleaseProgram
#define clRetainCommandQueue                     rlt_cl->clRetainCommandQueue
#define clRetainContext                          rlt_cl->clRetainContext
#define clRetainDevice                           rlt_cl->clRetainDevice
#define clRetainEvent                            rlt_cl->clRetainEvent
#define clRetainProgram                          rlt_cl->clRetainProgram
#define clSetKernelArg                           rlt_cl->clSetKernelArg
#define clSetKernelArgSVMPointer                 rlt_cl->clSetKernelArgSVMPointer
#define clSetMemObjectDestructorCallback         rlt_cl->clSetMemObjectDestructorCallback
#define clWaitForEvents                          rlt_cl->clWaitForEvents

#endif
