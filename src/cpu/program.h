/* program.h: what the CPU runs for one plan. Depends on device.h and kernels.h. */
#ifndef RLT_CPU_PROGRAM_H
#define RLT_CPU_PROGRAM_H

#include "cpu/device.h"

/* Moves one part. */
void rlt_cpu_program_run(relayout_device *device, const void *program, const void *source,
                         void *destination);

/* The rlt_backend functions of these names. */
rlt_traits rlt_cpu_traits(const relayout_device *device, int64_t element_bytes);
relayout_status rlt_cpu_program_create(relayout_device *device, const rlt_problem *problem,
                                       const rlt_strategy *strategy, void **program,
                                       relayout_error *error);
void rlt_cpu_program_destroy(relayout_device *device, void *program);
relayout_status rlt_cpu_execute(relayout_device *device, const rlt_work *all, const void *source,
                                void *destination, relayout_error *error);
relayout_status rlt_cpu_scratch_create(relayout_device *device, size_t source_size,
                                       size_t destination_size, void **scratch,
                                       relayout_error *error);
void rlt_cpu_scratch_destroy(relayout_device *device, void *scratch);
relayout_status rlt_cpu_program_time(relayout_device *device, const void *program, void *scratch,
                                     double *seconds, relayout_error *error);
void rlt_cpu_program_describe(const relayout_device *device, const void *program, rlt_text *text);

#endif
