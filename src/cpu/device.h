/* device.h: the CPU device. Depends on instruction_sets.h, scratch.h and device/target.h. */
#ifndef RLT_CPU_DEVICE_H
#define RLT_CPU_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "cpu/instruction_sets.h"
#include "cpu/scratch.h"
#include "device/target.h"

typedef struct rlt_cpu_device {
  struct relayout_device base;
  const rlt_cpu_instruction_set *instructions;
  rlt_cpu_kept_scratch *kept_scratch;
  relayout_parallel_for parallel_for; /* NULL: the pool's threads */
  void *parallel_context;
} rlt_cpu_device;

#endif
