/* target.h: GPUs, and whatever else runs work-group kernels, as a target of the search. Depends on
 * search/target.h. */
#ifndef RLT_GPU_TARGET_H
#define RLT_GPU_TARGET_H

#include "search/target.h"

extern const rlt_target rlt_gpu_target;

enum {
  /* Small groups leave fewer compute units idle while the last ones end, and wait for fewer others
   * at a barrier. */
  RLT_GPU_GROUP_SIZE = 64,
  /* For kernels that take many instructions for an element (gpu/methods.c). */
  RLT_GPU_MOST_GROUP_SIZE = 2 * RLT_GPU_GROUP_SIZE,
  /* Kernels look a few elements before and behind a tile without leaving 32 bits. */
  RLT_GPU_MOST_OFFSET = 1 << 30,
  /* Some drivers count the work-items of a launch in 32 bits. */
  RLT_GPU_MOST_GROUPS = 1 << 22
};

/* What schedules depend on, but for the machine. Work-items share local memory. */
rlt_facts rlt_gpu_facts(int64_t group_size, int64_t most_group_size, int64_t most_groups);

#endif
