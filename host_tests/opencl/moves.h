/* moves.h: a problem moved on a device and compared with its definition. */
#ifndef HOST_TESTS_OPENCL_MOVES_H
#define HOST_TESTS_OPENCL_MOVES_H

#include <stdbool.h>

#include "opencl/bench.h"
#include "problem/problem.h"

/* Where the source lies in its buffer, and the destination behind a guarded margin in its own, in
 * elements. */
typedef struct move_offsets {
  int64_t source;
  int64_t destination;
} move_offsets;

/* Makes a plan with the wanted strategy, enqueues it on buffers whose bytes come from `seed`, and
 * compares every byte of the destination's buffer, poisoned before, with the definition. Returns
 * false, with nothing done, for a strategy that does not apply. A difference fails the test and
 * prints `what` and the problem. */
bool moves_as_defined(const opencl_bench *bench, const rlt_problem *problem,
                      relayout_strategy wanted, move_offsets offsets, uint64_t seed,
                      const char *what);

/* The same with each candidate that a plan of this problem has. */
void candidates_move_as_defined(const opencl_bench *bench, const rlt_problem *problem,
                                move_offsets offsets, uint64_t seed, const char *what);

/* moves_as_defined through host memory at an odd address (relayout_plan_execute). */
bool executes_as_defined(const opencl_bench *bench, const rlt_problem *problem,
                         relayout_strategy wanted, uint64_t seed, const char *what);

#endif
