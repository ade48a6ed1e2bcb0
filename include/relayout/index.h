/* index.h: multi-indices and linear indices (XLA's IndexUtil, padding and tiles included).
 *
 * A multi-index has one entry for each logical dimension, in logical order. A linear index counts
 * elements from the start of the array's memory, padding included; one that is packed or lies in a
 * wider container begins at bit linear * element_size_in_bits. All functions are pure and
 * thread-safe. */
#ifndef RELAYOUT_INDEX_H
#define RELAYOUT_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "relayout/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 0 <= index[d] < dimensions[d] for every d. */
RELAYOUT_API bool relayout_index_in_bounds(const relayout_shape *shape, const int64_t *index);

/* Where the element at `index` lies. Positions in the padding of a wider dimension have a
 * linear index too: the bound is the padded width. RELAYOUT_OUT_OF_RANGE names the
 * dimension; RELAYOUT_OUT_OF_MEMORY. */
RELAYOUT_API relayout_status relayout_index_to_linear(const relayout_shape *shape,
                                                      const int64_t *index, int64_t *linear,
                                                      relayout_error *error);

/* The multi-index of what lies at `linear`; relayout_index_in_bounds tells an element of the array
 * from padding. Where tiles or the tail are padded there is none: every entry is -1. (A scalar has
 * no entries to tell; its element lies at 0.) RELAYOUT_OUT_OF_RANGE when linear is not in 0 ..
 * physical element count - 1; RELAYOUT_OUT_OF_MEMORY. */
RELAYOUT_API relayout_status relayout_index_from_linear(const relayout_shape *shape, int64_t linear,
                                                        int64_t *index, relayout_error *error);

/* Steps to the next multi-index, the last logical dimension fastest. False, with all entries back
 * at 0, after the last one; false at once when the array has no elements or no dimensions. */
RELAYOUT_API bool relayout_index_bump(const relayout_shape *shape, int64_t *index);

/* Elements between neighbours along a dimension; negative numbers count from the end.
 * RELAYOUT_OUT_OF_RANGE, and RELAYOUT_UNSUPPORTED for tiled layouts. */
RELAYOUT_API relayout_status relayout_index_dimension_stride(const relayout_shape *shape,
                                                             int64_t number, int64_t *stride,
                                                             relayout_error *error);

#ifdef __cplusplus
}
#endif

#endif
