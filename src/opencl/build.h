/* build.h: the device's built programs, each built once. Depends on device.h. */
#ifndef RLT_OPENCL_BUILD_H
#define RLT_OPENCL_BUILD_H

#include "opencl/device.h"

/* What is compiled into a program; everything else is an argument of its kernel. */
typedef struct rlt_build_options {
  relayout_strategy strategy; /* its kernel, and the end of its file's name in cl/, bear its name */
  relayout_kernel_family family;
  int32_t word_bytes;
  bool wide; /* 64-bit arithmetic within tiles */
  int32_t group_size;
  bool prefetches;        /* the compiler knows __builtin_prefetch, and it does something */
  bool assembles;         /* DIRECT: tiles are assembled before they are written */
  int32_t transpose_side; /* rows and columns of a transpose tile in local memory */
} rlt_build_options;

/* The built program for these options, from the device's cache or compiled now. The caller releases
 * it. RELAYOUT_OPENCL_ERROR with the build log, RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_build_get(rlt_opencl_device *device, const rlt_build_options *options,
                              cl_program *program, relayout_error *error);

/* How many programs the device has compiled. */
size_t rlt_build_count(rlt_opencl_device *device);

/* Drops the cache. Kernels made from its programs live on. */
void rlt_builds_release(rlt_opencl_device *device);

#endif
