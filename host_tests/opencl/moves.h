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

/* Makes a plan with what this method offers, any if it is NULL, enqueues it on buffers whose bytes
 * come from `seed`, and compares every byte of the destination's buffer, poisoned before, with the
 * definition. Returns false, with nothing done, where the method offers nothing. A difference fails
 * the test and prints `what` and the problem. */
bool moves_as_defined(const opencl_bench *bench, const rlt_problem *problem, const char *method,
                      move_offsets offsets, uint64_t seed, const char *what);

/* The same with each schedule that is offered, at each of `count` places, or at the next where it
 * asks for more alignment. */
void schedules_move_as_defined(const opencl_bench *bench, const rlt_problem *problem,
                               const move_offsets *offsets, size_t count, uint64_t seed,
                               const char *what);

typedef struct drawn_count {
  int drawn;
  int refused; /* of them, as they break a rule */
} drawn_count;

/* The same with `draws` schedules drawn at random, which no method offers; adds to `count`. */
void drawn_schedules_move_as_defined(const opencl_bench *bench, const rlt_problem *problem,
                                     const move_offsets *offsets, size_t offset_count, int draws,
                                     uint64_t seed, const char *what, drawn_count *count);

/* Through host memory at an odd address (relayout_plan_execute), as the plan chooses. */
void executes_as_defined(const opencl_bench *bench, const rlt_problem *problem, uint64_t seed,
                         const char *what);

#endif
