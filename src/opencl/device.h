/* device.h: an OpenCL device of ours, and the ones that the platforms offer.
 *
 * Depends on device/target.h, cl.h, disk_cache.h and the public OpenCL header.
 */
#ifndef RLT_OPENCL_DEVICE_H
#define RLT_OPENCL_DEVICE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opencl/cl.h"
#include "opencl/disk_cache.h"
#include "opencl/opencl.h"
#include "relayout/opencl.h"

struct rlt_build;

/* Sets an argument of a kernel to a pointer, as clSetKernelArgSVMPointer does. */
typedef cl_int CL_API_CALL rlt_set_pointer(cl_kernel kernel, cl_uint argument, const void *pointer);

typedef struct rlt_build_counts {
  size_t compiled;
  size_t loaded; /* from files */
} rlt_build_counts;

typedef struct rlt_opencl_device {
  struct relayout_device base;
  cl_context context; /* retained, like the id */
  cl_device_id id;
  bool native; /* made for a processor by clang itself: builtins and vectors of any width do */
  int32_t grid_axis;          /* the dimension of a launch along which work-groups are counted */
  bool driver_keeps_programs; /* from process to process, by itself */
  bool keeps_programs;        /* in disk_cache */
  int64_t most_offset;        /* in a tile that 32-bit arithmetic bears; tests lower it */
  /* Pointers that kernels take: NULL where they take none. Tests lower them. */
  rlt_set_pointer *set_svm_pointer;
  rlt_set_pointer *set_usm_pointer;
  bool svm_is_all_memory;  /* of the process */
  bool shares_host_memory; /* a buffer on it is no copy */
  pthread_mutex_t build_lock;
  pthread_cond_t build_ended; /* of some thread's program, well or not */
  struct rlt_build *builds;   /* behind build_lock, as their counts */
  rlt_build_counts build_counts;
  rlt_disk_cache disk_cache;
  char *key_strings[RLT_KEY_DEVICE_STRINGS]; /* of a key in disk_cache; owned */
  /* Of a device that runs native kernels, which has none of the builds before. */
  cl_command_queue questions; /* to drivers with an order of buffers of their own; or NULL */
  char *kept_directory;       /* options->cache_directory; owned */
  _Atomic(relayout_device *) by_kernels; /* the same device for recordings; NULL: none yet */
} rlt_opencl_device;

/* The device as OpenCL's targets know it; NULL for one of another target. */
const rlt_opencl_device *rlt_opencl_device_of(const relayout_device *device);

/* Of a device that is destroyed. */
void rlt_opencl_release_handles(rlt_opencl_device *device);

/* The work-items of a group: the power of two `wanted`, or the largest one below it that the device
 * allows. RELAYOUT_OPENCL_ERROR. */
relayout_status rlt_opencl_group_size(const rlt_opencl_device *device, int64_t wanted,
                                      int64_t *group_size, relayout_error *error);

/* ---- What the platforms offer (platform.c) ---- */

/* RELAYOUT_UNSUPPORTED where relayouts cannot run on this device. Like all from here on,
 * RELAYOUT_OPENCL_ERROR where the driver does not answer, and RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_opencl_device_check(cl_device_id id, relayout_error *error);

/* All of the info but struct_size. */
relayout_status rlt_opencl_device_info(cl_device_id id, relayout_device_info *info,
                                       relayout_error *error);

/* Whether this info is of PoCL, whose compiler and quirks are known. */
bool rlt_opencl_is_pocl(const relayout_device_info *info);

/* Adds what the machine is behind a device of this class and platform: lines, caches, pages, TLB's,
 * vectors and streaming stores. A CPU device that shares the host's memory is the host's own
 * processors; of another device no more is known than one cache. */
relayout_status rlt_opencl_add_facts(cl_device_id id, const relayout_device_info *info,
                                     rlt_machine *facts, relayout_error *error);

/* What the device tells of itself: a value of so many bytes, or a string, uncut, which the caller
 * frees; CL_PLATFORM_... is asked of its platform. Left as they are after a failure. */
relayout_status rlt_opencl_device_value(cl_device_id id, cl_device_info what, size_t size,
                                        void *value, relayout_error *error);
/* A number from 0 to `most`, else 0; also where the driver does not know the question. */
relayout_status rlt_opencl_number_told(cl_device_id id, cl_device_info what, int64_t most,
                                       int64_t *number, relayout_error *error);
relayout_status rlt_opencl_device_text(cl_device_id id, cl_uint what, char **text,
                                       relayout_error *error);

#endif
