/* transfer.h: a queue and buffers of our own. Depends on device.h. */
#ifndef RLT_OPENCL_TRANSFER_H
#define RLT_OPENCL_TRANSFER_H

#include "opencl/device.h"

typedef struct rlt_transfer {
  cl_command_queue queue;
  cl_mem source; /* NULL where it takes nothing */
  cl_mem destination;
} rlt_transfer;

/* A buffer of so many bytes, at least one; the caller releases it. `name` says in messages what it
 * is for. RELAYOUT_OPENCL_ERROR, RELAYOUT_OUT_OF_DEVICE_MEMORY. */
relayout_status rlt_buffer_make(const rlt_opencl_device *device, const char *name, size_t size,
                                cl_mem *buffer, relayout_error *error);

/* `made` starts with NULLs; after a failure too it is to be released. Sizes are in bytes. */
relayout_status rlt_transfer_make(const rlt_opencl_device *device, size_t source_size,
                                  size_t destination_size, cl_command_queue_properties properties,
                                  rlt_transfer *made, relayout_error *error);
/* Releases what is not NULL. */
void rlt_transfer_release(rlt_transfer *used);

#endif
