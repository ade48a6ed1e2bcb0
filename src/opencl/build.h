/* build.h: the device's built programs, each built once and kept for the next process. Depends on
 * device.h. */
#ifndef RLT_OPENCL_BUILD_H
#define RLT_OPENCL_BUILD_H

#include "opencl/device.h"

/* What is compiled into a program, besides what its device decides alone; everything else is an
 * argument of its kernel. */
typedef struct rlt_build_options {
  relayout_strategy strategy; /* its kernel, and the end of its file's name in cl/, bear its name */
  relayout_kernel_family family;
  int32_t word_bytes; /* of the destination's words */
  int32_t source_bytes;
  int32_t source_bits; /* of packed elements; or 0 */
  int32_t destination_bits;
  bool wide; /* 64-bit arithmetic within tiles */
  int32_t group_size;
  int32_t grid_axis;         /* the dimension of a launch along which work-groups are counted */
  bool assembles;            /* DIRECT: tiles are assembled before they are written */
  rlt_conversion conversion; /* of elements by arithmetic; a scale other than 1 is an argument */
  bool converts_by_table;
  bool shuffles; /* words leave with their bytes in the order of rlt_problem's shuffle */
  uint8_t shuffle[RELAYOUT_MAX_ELEMENT_SIZE];
  int32_t tile_rows; /* STAGED: of transposed tiles; 0: there are none */
  int32_t tile_columns;
  int32_t swapped_bits; /* of elements that change places among rows; or 0 */
  int32_t numbers;      /* that the steps of a gather work with; 0: it follows the axes */
} rlt_build_options;

/* Sets up what `device` keeps its programs in: its lock, its list, and its files, where
 * relayout_opencl_options.cache_directory says. The device has its id. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_builds_initialize(rlt_opencl_device *device, const char *cache_directory,
                                      relayout_error *error);

/* Drops all that. Kernels made from the programs live on. */
void rlt_builds_release(rlt_opencl_device *device);

/* The built program for these options, from the device's list, from its files or compiled now. The
 * caller releases it. RELAYOUT_OPENCL_ERROR with the build log, RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_build_get(rlt_opencl_device *device, const rlt_build_options *options,
                              cl_program *program, relayout_error *error);

/* Writes the program to a file for the next process, where the device keeps programs and this one
 * was compiled here. Drivers may compile when a kernel is made, so this comes after. */
void rlt_build_keep(rlt_opencl_device *device, const rlt_build_options *options);

/* How many programs the device has compiled, and how many it has taken from files. */
typedef struct rlt_build_counts {
  size_t compiled;
  size_t loaded;
} rlt_build_counts;

rlt_build_counts rlt_build_count(rlt_opencl_device *device);

#endif
