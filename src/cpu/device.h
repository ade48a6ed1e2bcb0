/* device.h: the CPU device, and running tasks on its threads. Depends on plan/backend.h and
 * scratch.h. */
#ifndef RLT_CPU_DEVICE_H
#define RLT_CPU_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "cpu/instruction_sets.h"
#include "cpu/scratch.h"
#include "plan/backend.h"

typedef struct rlt_cpu_device {
  struct relayout_device base;
  relayout_device_info info; /* read once: wisdom is known by it */
  const rlt_cpu_instruction_set *instructions;
  rlt_cpu_kept_scratch *kept_scratch;
  relayout_parallel_for parallel_for; /* NULL: the pool's threads */
  void *parallel_context;
} rlt_cpu_device;

/* Calls task(data, i) once for each i in 0 .. count-1, count <= threads, and returns when all have
 * returned. A single task runs on the calling thread. */
void rlt_cpu_run_tasks(const rlt_cpu_device *device, int32_t count,
                       void (*task)(void *data, size_t i), void *data);

#endif
