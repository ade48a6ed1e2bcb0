/* cases.h: the pairs of shapes that every device must relay out.
 *
 * They come in families, each after one thing that can go wrong. A level takes a sample of each
 * family, FULL all of most. Depends on random.h and the oracle's padding.
 */
#ifndef CONFORMANCE_CASES_H
#define CONFORMANCE_CASES_H

#include <stdint.h>

#include "conformance/conformance.h"

typedef void (*cases_visitor)(void *context, const relayout_shape *from, const relayout_shape *to);

/* Visits the level's pairs in an order of their own. The seed decides which are sampled and how the
 * free choices (element type, padding) of each fall. */
void cases_visit(conformance_level level, uint64_t seed, cases_visitor visit, void *context);

#endif
