/* kernel.h: what a plan does as source text, for runtimes that launch kernels by an API of their
 * own: CUDA's, HIP's, Level Zero's, or OpenCL's.
 *
 * All functions are thread-safe. */
#ifndef RELAYOUT_KERNEL_H
#define RELAYOUT_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "relayout/device.h"
#include "relayout/emit.h"
#include "relayout/plan.h"
#include "relayout/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A GPU that is not there ---------------------------------------------------------------- */

/* Start from RELAYOUT_GPU_OPTIONS_INIT. */
typedef struct relayout_gpu_options {
  size_t struct_size;
  /* The most work-items of a work-group: a power of two from 1 to 1024. 0 means 64, and for some
   * plans with options.specialize 128. */
  int32_t group_size;
  /* Bytes of the cache that all work-groups share: how far apart what is used again may lie. 0:
   * unknown. */
  uint64_t cache_bytes;
} relayout_gpu_options;

#define RELAYOUT_GPU_OPTIONS_INIT                                                                  \
  { sizeof(relayout_gpu_options), 0, 0 }

/* Makes a device that stands for any GPU, without a driver: plans can be made for it, described,
 * and handed out as kernels; relayout_plan_execute and all that enqueues refuse them with
 * RELAYOUT_UNSUPPORTED or RELAYOUT_INVALID_ARGUMENT. It has 32 KiB of local memory, lines of 128
 * bytes and little-endian numbers, as GPUs do. `options` NULL means the defaults.
 * RELAYOUT_INVALID_ARGUMENT for a NULL, a bad struct_size, and a group size that is none of those;
 * RELAYOUT_OUT_OF_MEMORY. */
RELAYOUT_API relayout_status relayout_gpu_device_create(const relayout_gpu_options *options,
                                                        relayout_device **device,
                                                        relayout_error *error);

/* ---- Kernels -------------------------------------------------------------------------------- */

/* Start from RELAYOUT_KERNEL_OPTIONS_INIT. Nothing in it is kept. */
typedef struct relayout_kernel_options {
  size_t struct_size;
  /* RELAYOUT_LANGUAGE_OPENCL, CUDA, HIP or C. */
  relayout_language language;
  /* The function's name, with which all other names of the text begin too; NULL: "relayout". As in
   * relayout_emit_options. Kernel number 1 appends "_1", and so on. */
  const char *name;
  /* Where both sides begin: a kernel for aligned sides may be faster. */
  relayout_schedule_use use;
} relayout_kernel_options;

#define RELAYOUT_KERNEL_OPTIONS_INIT                                                               \
  { sizeof(relayout_kernel_options), RELAYOUT_LANGUAGE_OPENCL, NULL, RELAYOUT_SCHEDULE_ALIGNED }

typedef enum relayout_argument_role {
  RELAYOUT_ARGUMENT_DESTINATION = 0,        /* the destination's memory: a pointer or a buffer */
  RELAYOUT_ARGUMENT_DESTINATION_OFFSET = 1, /* where in it the destination begins, in bytes */
  RELAYOUT_ARGUMENT_SOURCE = 2,
  RELAYOUT_ARGUMENT_SOURCE_OFFSET = 3
} relayout_argument_role;

/* An argument of a kernel. */
typedef struct relayout_kernel_argument {
  relayout_argument_role role;
  /* Of memory the bytes that the tensor takes from its offset on; of an offset 8, the bytes of the
   * number itself. */
  size_t size;
} relayout_kernel_argument;

enum { RELAYOUT_KERNEL_MOST_ARGUMENTS = 4 };

/* A kernel, all of it. Set struct_size (RELAYOUT_KERNEL_INIT) before the call. */
typedef struct relayout_kernel {
  size_t struct_size;
  /* The text of one file, NUL-terminated, which needs no option of a compiler and no other file. It
   * begins with a comment that says the same as this struct, and how the kernel is launched. */
  char *source;
  size_t source_length;
  char name[RELAYOUT_EMIT_MAX_NAME + 13]; /* of the function */
  /* Work-items of the launch and of each work-group, along one dimension. Threads and blocks of
   * CUDA and HIP: global_size / local_size blocks of local_size threads. 1 in C. */
  size_t global_size;
  size_t local_size;
  size_t local_bytes; /* of local memory, which the text itself declares */
  int32_t argument_count;
  relayout_kernel_argument arguments[RELAYOUT_KERNEL_MOST_ARGUMENTS]; /* in their order */
  /* The kernel is right only where memory plus offset are multiples of these. */
  size_t source_alignment;
  size_t destination_alignment;
} relayout_kernel;

#define RELAYOUT_KERNEL_INIT                                                                       \
  { sizeof(relayout_kernel), NULL, 0, "", 0, 0, 0, 0, {{RELAYOUT_ARGUMENT_DESTINATION, 0}}, 0, 0 }

/* How many kernels do what the plan does, one for each part; in C one function does all of it. They
 * may run in any order, or at the same time. 0 for a plan that moves nothing, but in C. `options`
 * may be NULL. The statuses of relayout_plan_get_kernel. */
RELAYOUT_API relayout_status relayout_plan_count_kernels(const relayout_plan *plan,
                                                         const relayout_kernel_options *options,
                                                         int32_t *count, relayout_error *error);

/* Makes kernel 0 .. count-1. It is compiled for this plan alone: extents, strides and tables are
 * constants of its text, and its arguments are the destination, its offset in bytes, the source,
 * and its offset; of a kernel that only writes padding the first two. In C the function takes the
 * two pointers, source first.
 *
 * The caller frees the kernel with relayout_kernel_free. The text is the library's, and its licence
 * that of the library. Another version of the library may write another text.
 *
 * RELAYOUT_INVALID_ARGUMENT for a NULL, a bad struct_size, a plan of several destinations, and an
 * option that has none of the values above; RELAYOUT_OUT_OF_RANGE for another number;
 * RELAYOUT_UNSUPPORTED for a language without kernels, for a plan whose device runs no work-group
 * kernels, unless the language is C, and for a schedule of options->schedules whose tables are more
 * than a kernel's constants may take, 48 KiB: a plan that chose such a schedule itself hands out
 * the best other one; RELAYOUT_OUT_OF_MEMORY. */
RELAYOUT_API relayout_status relayout_plan_get_kernel(const relayout_plan *plan, int32_t number,
                                                      const relayout_kernel_options *options,
                                                      relayout_kernel *kernel,
                                                      relayout_error *error);

/* Frees the text. NULL is allowed, and so is a kernel that was never made. */
RELAYOUT_API void relayout_kernel_free(relayout_kernel *kernel);

#ifdef __cplusplus
}
#endif

#endif
