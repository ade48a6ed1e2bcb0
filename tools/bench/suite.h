/* suite.h: the relayouts that a benchmark measures, and the text they are read from. Depends on the
 * public headers.
 *
 * A suite is lines of text:
 *
 *   # a comment, to the end of the line
 *   NAME FROM TO        a case: a word and two shapes, which have no white space in them
 *   @hot                the same bytes over and over, so that they stay in the cache
 *   @orders NAME SHAPE  a case for each order the shape's dimensions can have in memory, from the
 *                       shape's own: NAME_021 has dimension 0 outermost and 1 innermost
 *
 * The two shapes of a case have the same dimensions. A shape whose element type is T has the type
 * that the benchmark is run with. */
#ifndef TOOLS_BENCH_SUITE_H
#define TOOLS_BENCH_SUITE_H

#include <stdbool.h>
#include <stddef.h>

#include "relayout/shape.h"

enum { BENCH_NAME_SIZE = 48 };

typedef struct bench_case {
  char name[BENCH_NAME_SIZE];
  relayout_shape from;
  relayout_shape to;
  bool is_generic; /* its type was T */
} bench_case;

typedef struct bench_suite {
  bench_case *cases;
  size_t count;
  bool is_hot;
} bench_suite;

/* Reads a suite. RELAYOUT_INVALID_TEXT, naming the line; RELAYOUT_OUT_OF_MEMORY; and what
 * relayout_shape_parse returns. */
relayout_status bench_suite_parse(const char *text, relayout_element_type generic,
                                  bench_suite *suite, relayout_error *error);

/* Frees the cases; a suite of zeros has none. */
void bench_suite_free(bench_suite *suite);

/* Splits `ttc-u8` into `ttc` and u8; the type of a bare name is f32. RELAYOUT_INVALID_TEXT. */
relayout_status bench_suite_parse_name(const char *text, char name[BENCH_NAME_SIZE],
                                       relayout_element_type *generic, relayout_error *error);

/* Halves dimension 0 of a generic case without padding whose elements take 8 bytes or more. False,
 * changing nothing, for any other case and when the dimension is 1 already. */
bool bench_case_shrink(bench_case *shrunk);

/* Every byte that must be read, once, and every byte that must be written, once: padding, that of
 * tiles too, counts where it is written. */
size_t bench_case_bytes(const bench_case *of);

#endif
