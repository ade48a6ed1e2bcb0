/* problem_of.h: the simplified problem between two shapes whose texts are valid, else the test fails.
 *
 * Depends on shape_of.h and problem/.
 */
#ifndef HOST_TESTS_PROBLEM_OF_H
#define HOST_TESTS_PROBLEM_OF_H

#include "problem/problem.h"
#include "shape_of.h"

static inline rlt_problem problem_of(const char *from_text, const char *to_text) {
  const relayout_shape from = shape_of(from_text);
  const relayout_shape to = shape_of(to_text);
  rlt_problem problem;
  print_message("%s -> %s\n", from_text, to_text);
  assert_int_equal(rlt_problem_lower(&from, &to, &problem, NULL), RELAYOUT_OK);
  rlt_problem_simplify(&problem);
  return problem;
}

#endif
