/* gather.h: problems in the form in which cl/gather.cl takes them on.
 *
 * Depends on device.h and plan/strategy.h.
 */
#ifndef RLT_OPENCL_GATHER_H
#define RLT_OPENCL_GATHER_H

#include <stdbool.h>

#include "opencl/device.h"
#include "plan/strategy.h"

/* Elements of a byte where they are packed in so many bits, of a word where they are not. */
static inline int64_t rlt_in_byte(int64_t packed) {
  return packed > 0 ? 8 / packed : 1;
}

/* Whether that kernel carries out the strategy: fills of packed elements are gathers without a
 * source. */
static inline bool rlt_is_gather(const rlt_problem *problem, const rlt_strategy *strategy) {
  return strategy->kind == RELAYOUT_STRATEGY_GATHER ||
         (strategy->kind == RELAYOUT_STRATEGY_FILL && problem->destination_packed > 0);
}

typedef struct rlt_gather {
  rlt_problem problem;
  rlt_strategy strategy;
} rlt_gather;

/* The same with runs that consist of whole bytes, the array's last one excepted, and that no work-item
 * goes through longer than it may. */
void rlt_gather_make(const rlt_opencl_device *device, const rlt_problem *problem,
                     const rlt_strategy *strategy, rlt_gather *made);

/* How many numbers the problem's steps work with, as a power of two, for few programs serve many; 0
 * without steps. */
int32_t rlt_gather_numbers(const rlt_problem *problem);

/* Iterations that an element takes: packed ones count again with their byte. */
int64_t rlt_gather_iterations(const rlt_problem *problem);

#endif
