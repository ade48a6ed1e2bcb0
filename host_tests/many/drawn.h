/* drawn.h: plans of several destinations, drawn from a number.
 *
 * Depends on the conformance suite's random shapes, and on the oracle for values.
 */
#ifndef MANY_DRAWN_H
#define MANY_DRAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conformance/cover.h"
#include "relayout/scaled.h"

enum { DRAWN_DESTINATIONS = 4 };

/* What elements and scales are. */
typedef enum drawn_values {
  DRAWN_TIES,    /* small multiples of a half, and powers of two as scales */
  DRAWN_NUMBERS, /* of all magnitudes that are near 1 */
  DRAWN_PATTERNS /* any: infinities, NaNs, zeros, the least and the greatest */
} drawn_values;

typedef struct drawn_many {
  relayout_scaled_view from;
  relayout_scaled_view to[DRAWN_DESTINATIONS];
  int32_t count;
  relayout_plan_options options;
  drawn_values values;
  uint64_t content; /* what the bytes are drawn from */
  cover ranges;     /* one: all is moved by one plan; else each has a plan of its own */
} drawn_many;

void drawn_many_of(uint64_t number, drawn_many *drawn);

/* Whether relayout_plan_create_many may say that it does not support it: elements that are packed
 * or that tiles scatter; ranges with padding, which index programs may have to write; and elements
 * of 32 and 64 bits, but for f32, on one side while the other has scales. */
bool drawn_many_may_be_refused(const drawn_many *drawn);

/* Draws the whole elements of a view: of `values`, as scales or not. */
void drawn_elements(uint64_t *random, relayout_element_type type, drawn_values values,
                    bool are_scales, size_t count, unsigned char *elements);

/* Draws records. */
void drawn_records(uint64_t *random, relayout_block_format format, drawn_values values,
                   size_t count, unsigned char *records);

/* Prints all views, and what their texts leave out. */
void drawn_many_print(const drawn_many *drawn);

#endif
