/* runs.h: which bytes of either side a problem uses. Depends on problem.h. */
#ifndef RLT_PROBLEM_RUNS_H
#define RLT_PROBLEM_RUNS_H

#include <stddef.h>

#include "problem/problem.h"

/* Bytes of a side's memory, from its lowest on: those from `first` up to, not including, `end`. */
typedef struct rlt_bytes {
  int64_t first;
  int64_t end;
} rlt_bytes;

static inline size_t rlt_bytes_size(rlt_bytes bytes) {
  return (size_t)(bytes.end - bytes.first);
}

/* The smallest range that contains both; an empty one is ignored. */
static inline rlt_bytes rlt_bytes_join(rlt_bytes a, rlt_bytes b) {
  if (a.first == a.end || b.first == b.end) {
    return a.first == a.end ? b : a;
  }
  return (rlt_bytes){rlt_min(a.first, b.first), rlt_max(a.end, b.end)};
}

/* The range from the lowest byte that a problem reads or writes to the highest; the whole side for
 * a problem with an index program. Empty if there are none. */
rlt_bytes rlt_problem_bytes_read(const rlt_problem *problem);
rlt_bytes rlt_problem_bytes_written(const rlt_problem *problem);

/* The runs of one side: each is `length` consecutive elements of `bits` bits, and begins at the
 * first element plus a sum of steps. */
typedef struct rlt_runs {
  int64_t first;
  int64_t length; /* 0: there are none */
  int64_t bits;
  int32_t step_count;
  int64_t counts[RLT_MAX_AXES];
  int64_t strides[RLT_MAX_AXES]; /* above 0, in ascending order */
} rlt_runs;

/* Finds what a problem reads or writes, as the longest possible runs. Returns false for a problem
 * with an index program. The problem is simplified. */
bool rlt_problem_runs_read(const rlt_problem *problem, rlt_runs *of);
bool rlt_problem_runs_written(const rlt_problem *problem, rlt_runs *of);

/* Visits every run of bytes that a problem writes, each byte once, or reads, where a byte may come
 * again; with a NULL visitor it only checks that it could. Returns false, without a visit, for a
 * problem with an index program, and if written runs of packed elements share bytes. The problem is
 * simplified. */
typedef void (*rlt_run_visitor)(void *context, rlt_bytes run);
bool rlt_problem_visit_written(const rlt_problem *problem, rlt_run_visitor visitor, void *context);
bool rlt_problem_visit_read(const rlt_problem *problem, rlt_run_visitor visitor, void *context);

#endif
