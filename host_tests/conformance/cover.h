/* cover.h: boxes of an index space that have each index once. Depends on random.h and the public
 * structs. */
#ifndef CONFORMANCE_COVER_H
#define CONFORMANCE_COVER_H

#include <stdint.h>

#include "relayout/shape.h"

enum { COVER_MOST_BOXES = 40 };

typedef struct cover_box {
  int64_t start[RELAYOUT_MAX_RANK];
  int64_t sizes[RELAYOUT_MAX_RANK];
} cover_box;

typedef struct cover {
  int count;
  cover_box of[COVER_MOST_BOXES];
} cover;

/* Halves some box again and again, until there are `count`, and puts them in any order. Along
 * dimension d cuts are at multiples of units[d]; NULL: anywhere. A box may have no index. */
void cover_draw(uint64_t *random, const relayout_shape *shape, const int64_t *units, int count,
                cover *made);

#endif
