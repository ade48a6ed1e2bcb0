/* values.h: elements that a change of type can get wrong.
 *
 * Depends on random.h and the oracle.
 */
#ifndef CONFORMANCE_VALUES_H
#define CONFORMANCE_VALUES_H

#include <stddef.h>

#include "relayout/element_type.h"

/* Writes `count` elements of type `from`, in whole bytes, that are to become `to` when multiplied
 * by `scale`: every pattern of a type of at most 16 bits where there is room for all; else patterns
 * at random, those beside a single bit, and the numbers beside and between those of `to`. Bits that
 * a type of fewer than 8 does not count are random. Neither type is complex. */
void values_draw(relayout_element_type from, relayout_element_type to, double scale, size_t count,
                 unsigned char *bytes);

#endif
