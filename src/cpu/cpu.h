/* cpu.h: what the CPU backend offers to plans. Depends on device/target.h. */
#ifndef RLT_CPU_CPU_H
#define RLT_CPU_CPU_H

#include "device/target.h"
#include "relayout/device.h"

extern const rlt_backend rlt_cpu_backend;

/* relayout_cpu_device_create for another target, whose native kernels cannot fail once they are
 * enqueued: rlt_cpu_run never does. `most_threads` bounds what the options ask for; what is kept
 * for the next process lies in `folder`, as rlt_cache_folder takes it. */
relayout_status rlt_cpu_device_create_behind(const relayout_cpu_options *options,
                                             int32_t most_threads, const char *folder,
                                             relayout_device **device, relayout_error *error);

/* Runs the executables of all parts, which are this CPU device's, from and to these lowest bytes.
 * RELAYOUT_OUT_OF_MEMORY, with nothing written. */
relayout_status rlt_cpu_run(relayout_device *device, const rlt_work *all, const void *source,
                            void *destination, relayout_error *error);

/* A plan of several destinations, of this CPU device's boxes, in two steps: the first takes all
 * memory that the second needs, which runs once, and on a device of rlt_cpu_device_create_behind
 * never fails. RELAYOUT_OUT_OF_MEMORY. */
typedef struct rlt_cpu_many_call rlt_cpu_many_call;
relayout_status rlt_cpu_many_prepare(const relayout_plan *plan, rlt_cpu_many_call **call,
                                     relayout_error *error);
relayout_status rlt_cpu_many_run(rlt_cpu_many_call *call, const relayout_source_memory *from,
                                 const relayout_destination_memory *to);
void rlt_cpu_many_free(rlt_cpu_many_call *call); /* NULL is allowed */

/* The info of the device that relayout_cpu_device_create makes with its defaults. */
void rlt_cpu_default_info(relayout_device_info *info);

#endif
