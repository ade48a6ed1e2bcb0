/* formula.h: the arithmetic of a layout as sums of digits, the shortest that its sizes allow.
 *
 * A variable is an argument of the function or a sum that has a name. A term is a digit of a
 * variable times a factor:
 *
 *     variable / divisor % modulus * factor
 *
 * A tile splits sums into their digits and joins digits to sums. The greatest value of everything
 * is known: a division with quotient 0, a remainder of what is less, and a digit that is split here
 * and joined there are left out. A sum that cannot be split term by term becomes a variable.
 *
 * Depends on the tiling of shapes.
 */
#ifndef RLT_EMIT_FORMULA_H
#define RLT_EMIT_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

#include "metadata/tiling.h"

/* Each change of a tiling makes two terms at most, and each bound a variable. */
enum {
  RLT_NO_TERM = -1,
  RLT_MOST_TERMS = 2 * RELAYOUT_MAX_RANK + 3 * RLT_MOST_CHANGES,
  RLT_MOST_VARIABLES = 2 * RELAYOUT_MAX_RANK + 2 * RLT_MOST_CHANGES
};

typedef struct rlt_term {
  int32_t variable;
  int32_t next; /* the sum's next term, whose factor is smaller; or RLT_NO_TERM */
  int64_t factor;
  int64_t divisor;
  int64_t modulus; /* 0: the quotient needs none */
} rlt_term;

typedef struct rlt_variable {
  int32_t sum;   /* RLT_NO_TERM for an argument of the function */
  int64_t bound; /* an index's argument is less than this; else where it is not lies padding */
} rlt_variable;

/* A sum is the number of its first term: RLT_NO_TERM for 0. */
typedef struct rlt_formula {
  int32_t argument_count; /* the first variables */
  int32_t variable_count;
  int32_t term_count;
  int32_t result_count;
  int32_t results[RELAYOUT_MAX_RANK]; /* sums */
  rlt_variable variables[RLT_MOST_VARIABLES];
  rlt_term terms[RLT_MOST_TERMS];
} rlt_formula;

/* From the multi-index, an argument for each dimension and less than its padded width, to the
 * linear index. `shape` is valid, and `formula` need not be set before. */
void rlt_formula_to_linear(const relayout_shape *shape, rlt_formula *formula);

/* From the linear index, the one argument, to the multi-index. Where a variable is not less than
 * its bound, and there alone, lies no element. */
void rlt_formula_from_linear(const relayout_shape *shape, rlt_formula *formula);

/* How many values a term's digit has, from 0 on; at least 1. */
int64_t rlt_digit_size(const rlt_formula *formula, const rlt_term *term);

/* How many values a sum has, from 0 on. */
int64_t rlt_sum_size(const rlt_formula *formula, int32_t sum);

/* Whether a variable that is no argument can reach its bound, where padding lies. */
bool rlt_is_checked(const rlt_formula *formula, int32_t variable);

#endif
