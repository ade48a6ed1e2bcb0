/* index.h: elements that are looked up one by one, and what that takes. Depends on problem/. */
#ifndef RLT_PLAN_INDEX_H
#define RLT_PLAN_INDEX_H

#include "problem/problem.h"

/* Elements of a byte where they are packed in so many bits, of a word where they are not. */
static inline int64_t rlt_in_byte(int64_t packed) {
  return packed > 0 ? 8 / packed : 1;
}

/* Iterations that an element takes: packed ones count again with their byte. */
static inline int64_t rlt_index_iterations(const rlt_problem *problem) {
  return 2 + (problem->index_program == NULL ? 0 : problem->index_program->count);
}

#endif
