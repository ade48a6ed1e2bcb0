/* backend.h: the functions of rlt_backend, by their names there. Depends on device/target.h. */
#ifndef RLT_OPENCL_BACKEND_H
#define RLT_OPENCL_BACKEND_H

#include "device/target.h"

relayout_status rlt_opencl_executable_create(relayout_device *device, const rlt_schedule *schedule,
                                             void **executable, int64_t *most_group_size,
                                             relayout_error *error);
void rlt_opencl_executable_destroy(relayout_device *device, void *executable);
size_t rlt_opencl_executable_bytes(const void *executable);
size_t rlt_opencl_executable_host_bytes(const void *executable);
void rlt_opencl_executable_describe(const relayout_device *device, const void *executable,
                                    rlt_text *text);
rlt_host_transfers rlt_opencl_host_transfers(const relayout_plan *plan);
relayout_status rlt_opencl_execute(const relayout_plan *plan, const void *source, void *destination,
                                   relayout_error *error);
relayout_status rlt_opencl_scratch_create(relayout_device *device, size_t source_size,
                                          size_t destination_size, void **scratch,
                                          relayout_error *error);
void rlt_opencl_scratch_destroy(relayout_device *device, void *scratch);
relayout_status rlt_opencl_executable_time(relayout_device *device, const void *executable,
                                           void *scratch, rlt_offsets offsets, double *seconds,
                                           relayout_error *error);

#endif
