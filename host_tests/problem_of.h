/* problem_of.h: the problem between two shapes whose texts are valid and that
 * makes one, else the test fails.
 *
 * Depends on shape_of.h and problem/.
 */
#ifndef HOST_TESTS_PROBLEM_OF_H
#define HOST_TESTS_PROBLEM_OF_H

#include "problem/lower.h"
#include "shape_of.h"

static inline rlt_problem problem_of(const char *from_text, const char *to_text) {
  const relayout_shape from_shape = shape_of(from_text);
  const relayout_shape to_shape = shape_of(to_text);
  const rlt_view from = rlt_view_of_shape(&from_shape);
  const rlt_view to = rlt_view_of_shape(&to_shape);
  const rlt_changes none = {.scale = 1};
  rlt_lowered made;
  print_message("%s -> %s\n", from_text, to_text);
  assert_int_equal(rlt_lower(&from, &to, NULL, &none, &made, NULL), RELAYOUT_OK);
  assert_int_equal(made.count, 1);
  assert_null(made.index_program);
  const rlt_problem problem = made.problems[0];
  rlt_lowered_free(&made);
  return problem;
}

#endif
