/* build.h: the device's built programs, each built once and kept for the next process. Depends on
 * device.h and gpu/kernel_options.h. */
#ifndef RLT_OPENCL_BUILD_H
#define RLT_OPENCL_BUILD_H

#include "gpu/kernel_options.h"
#include "opencl/device.h"

/* Sets up what `device` keeps its programs in: its lock, its list, and its files, where
 * relayout_opencl_options.cache_directory says. The device has its id. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_builds_initialize(rlt_opencl_device *device, const char *cache_directory,
                                      relayout_error *error);

/* Drops all that. Kernels made from the programs live on. */
void rlt_builds_release(rlt_opencl_device *device);

/* The built program for these options, from the device's list, from its files or compiled now. The
 * caller releases it. RELAYOUT_OPENCL_ERROR with the build log, RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_build_get(rlt_opencl_device *device, const rlt_kernel_options *options,
                              cl_program *program, relayout_error *error);

/* Lets go of all programs, but for those that are being built. */
void rlt_builds_trim(relayout_device *device);
uint64_t rlt_builds_count(relayout_device *device);

/* Writes the program to a file for the next process, where the device keeps programs and this one
 * was compiled here. Drivers may compile when a kernel is made, so this comes after. */
void rlt_build_keep(rlt_opencl_device *device, const rlt_kernel_options *options,
                    cl_program program);

#endif
