/* transfer.h: a queue and buffers of our own. Depends on device.h. */
#ifndef RLT_OPENCL_TRANSFER_H
#define RLT_OPENCL_TRANSFER_H

#include "opencl/device.h"

typedef struct rlt_transfer {
  cl_command_queue queue;
  cl_mem source; /* NULL where it takes nothing */
  cl_mem destination;
} rlt_transfer;

/* `made` starts with NULLs; after a failure too it is to be released. Sizes are in bytes. */
relayout_status rlt_transfer_make(const rlt_opencl_device *device, size_t source_size,
                                  size_t destination_size, cl_command_queue_properties properties,
                                  rlt_transfer *made, relayout_error *error);
/* Releases what is not NULL. */
void rlt_transfer_release(rlt_transfer *used);

#endif
