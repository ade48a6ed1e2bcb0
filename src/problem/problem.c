/* problem.c: problems in memory that ends with their last axis. */
#include "problem/problem.h"

#include <string.h>

#include "base/memory.h"

size_t rlt_problem_bytes(const rlt_problem *problem) {
  return offsetof(rlt_problem, axes) + (size_t)problem->axis_count * sizeof problem->axes[0];
}

void rlt_problem_copy(const rlt_problem *problem, rlt_problem *copy) {
  memcpy(copy, problem, rlt_problem_bytes(problem));
}

rlt_problem *rlt_problem_create_copy(const rlt_problem *problem) {
  rlt_problem *const made = rlt_malloc(rlt_problem_bytes(problem));
  if (made != NULL) {
    rlt_problem_copy(problem, made);
  }
  return made;
}
