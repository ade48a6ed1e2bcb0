/* target.h: GPUs, and whatever else runs work-group kernels, as a target of the search. Depends on
 * search/target.h. */
#ifndef RLT_GPU_TARGET_H
#define RLT_GPU_TARGET_H

#include "search/target.h"

extern const rlt_target rlt_gpu_target;

#endif
