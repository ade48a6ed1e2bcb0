/* index_text.h: a formula as a function in a language.
 *
 * Depends on formulas and languages, and on base/.
 */
#ifndef RLT_EMIT_INDEX_TEXT_H
#define RLT_EMIT_INDEX_TEXT_H

#include "base/text.h"
#include "emit/formula.h"
#include "emit/language.h"

/* What is known of a term and of a variable where they are printed. */
typedef struct rlt_term_use {
  bool is_printed;
  bool names_quotient; /* the variable by the divisor has a name, for this term and others */
} rlt_term_use;

typedef struct rlt_variable_use {
  int32_t terms;   /* of printed sums */
  int32_t number;  /* of the result that it is, or else among those that are none */
  bool is_checked; /* against its bound */
  bool is_result;
} rlt_variable_use;

/* A function on its way to a text. */
typedef struct rlt_index_text {
  const rlt_language *language;
  const char *name;
  bool is_inverse;
  rlt_text *text;
  size_t line; /* where it begins in the text */
  rlt_formula formula;
  rlt_variable_use variables[RLT_MOST_VARIABLES];
  rlt_term_use terms[RLT_MOST_TERMS];
} rlt_index_text;

/* Appends the function from a multi-index to the linear index, and the one back. Language, name and
 * text are set; the formula is made here. */
void rlt_index_text_to_linear(const relayout_shape *shape, rlt_index_text *of);
void rlt_index_text_from_linear(const relayout_shape *shape, rlt_index_text *of);

/* Appends, and notices where lines begin. At most 255 characters. */
void rlt_index_text_say(rlt_index_text *of, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
