/* language.h: how each language spells what index functions are made of, and its reserved words.
 *
 * Depends on the public languages, metadata/quote.h and base/error.h.
 */
#ifndef RLT_EMIT_LANGUAGE_H
#define RLT_EMIT_LANGUAGE_H

#include <stdbool.h>

#include "relayout/emit.h"

/* What integers a language has, and thus what has to be said of them. */
typedef enum rlt_integers {
  RLT_INTEGERS_OF_64_BITS, /* arguments are signed; 32-bit arithmetic asks for casts */
  RLT_INTEGERS_OF_32_BITS, /* everything is unsigned, and literals say so */
  RLT_INTEGERS_OF_ANY_SIZE /* Python */
} rlt_integers;

typedef struct rlt_language {
  rlt_integers integers;
  /* Types of RLT_INTEGERS_OF_64_BITS. */
  const char *wide;
  const char *unsigned_wide;
  const char *narrow;
  /* Lines that come first, before the constants. */
  const char *includes;
  /* Around a constant's name and its value. */
  const char *constant[3];
  /* Around a function's name, its arguments, and between these. */
  const char *function;
  const char *inverse;
  const char *argument[2];
  const char *no_arguments;
  const char *end_of_head;
  const char *end_of_inverse_head; /* likewise, behind the arguments */
  /* The inverse's second argument, around the rank; it is left out where that is 0 if these are of
   * arrays with a size. */
  const char *indices[2];
  bool has_sized_indices;
  const char *element; /* before the number in brackets */
  /* Before the name of a value, and before its type where integers have 64 bits. */
  const char *named;
  const char *end; /* of a statement */
} rlt_language;

/* NULL for a number that is no language. */
const rlt_language *rlt_language_find(relayout_language language);

/* Whether a word means something in the language already. */
bool rlt_language_reserves(relayout_language language, const char *word);

/* RELAYOUT_INVALID_ARGUMENT, of options->name, for what cannot be a function's name there. */
relayout_status rlt_language_check_name(relayout_language language, const char *name,
                                        relayout_error *error);

#endif
