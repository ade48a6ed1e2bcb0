/* memory.h: which kinds of memory a device reaches, and how. Depends on device.h and submit.h. */
#ifndef RLT_OPENCL_MEMORY_H
#define RLT_OPENCL_MEMORY_H

#include "opencl/device.h"
#include "relayout/submit.h"

/* How kernels come to the bytes of a side. */
typedef enum rlt_access {
  RLT_ACCESS_BUFFER,  /* it is one */
  RLT_ACCESS_POINTER, /* by the pointer itself */
  RLT_ACCESS_WRAPPED, /* by a buffer on the host's memory */
  RLT_ACCESS_STAGED,  /* by staging, from and to host memory */
  RLT_ACCESS_IMAGE    /* by staging, from and to an image */
} rlt_access;

static inline bool rlt_takes_staging(rlt_access access) {
  return access == RLT_ACCESS_STAGED || access == RLT_ACCESS_IMAGE;
}

/* What the device tells of pointers; a device that does not answer knows none. */
void rlt_memory_learn(rlt_opencl_device *device);

/* RELAYOUT_INVALID_ARGUMENT for what is no kind, RELAYOUT_UNSUPPORTED for memory that the device
 * does not know. `name` is the side's in messages. */
relayout_status rlt_memory_access(const rlt_opencl_device *device, const char *name,
                                  relayout_memory_kind kind, rlt_access *access,
                                  relayout_error *error);

/* What sets a kernel's argument to a pointer of this kind. */
rlt_set_pointer *rlt_memory_setter(const rlt_opencl_device *device, relayout_memory_kind kind);

#endif
