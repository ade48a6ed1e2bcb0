/* staging.h: a queue and buffers of our own. Depends on device.h. */
#ifndef RLT_OPENCL_STAGING_H
#define RLT_OPENCL_STAGING_H

#include "opencl/device.h"

typedef struct rlt_stage {
  cl_command_queue queue;
  cl_mem source; /* NULL where it takes nothing */
  cl_mem destination;
} rlt_stage;

/* `made` starts with NULLs; after a failure too it is to be released. Sizes are in bytes. */
relayout_status rlt_stage_make(const rlt_opencl_device *device, size_t source_size,
                               size_t destination_size, cl_command_queue_properties properties,
                               rlt_stage *made, relayout_error *error);
/* Releases what is not NULL. */
void rlt_stage_release(rlt_stage *used);

#endif
