/* target.h: CPUs as a target of the search. Depends on search/target.h. */
#ifndef RLT_CPU_TARGET_H
#define RLT_CPU_TARGET_H

#include "search/target.h"

extern const rlt_target rlt_cpu_target;

#endif
