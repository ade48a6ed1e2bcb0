/* index.h: multi-indices and linear indices (XLA's IndexUtil, padding and tiles included).
 *
 * A multi-index has one entry for each logical dimension, in logical order. A linear index counts
 * elements from the start of the array's memory, padding included. A packed element, or one in a
 * wider container, has linear * element_size_in_bits bits before it; packing_order says at which
 * end a byte begins. All functions are pure and thread-safe. */
#ifndef RELAYOUT_INDEX_H
#define RELAYOUT_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "relayout/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* True if 0 <= index[d] < dimensions[d] for every d. */
RELAYOUT_API bool relayout_index_in_bounds(const relayout_shape *shape, const int64_t *index);

/* Returns the linear index of the element at `index`. Positions in a dimension's padding have a
 * linear index too: index[d] must be below the padded width. RELAYOUT_OUT_OF_RANGE names the
 * dimension; RELAYOUT_OUT_OF_MEMORY. */
RELAYOUT_API relayout_status relayout_index_to_linear(const relayout_shape *shape,
                                                      const int64_t *index, int64_t *linear,
                                                      relayout_error *error);

/* Returns the multi-index of the element at `linear`; relayout_index_in_bounds tells elements of
 * the array from padding. Padding of tiles and of the tail has no multi-index: every entry becomes
 * -1. (A scalar has no entries; its element is at 0.) RELAYOUT_OUT_OF_RANGE when linear is not in 0
 * .. physical element count - 1; RELAYOUT_OUT_OF_MEMORY. */
RELAYOUT_API relayout_status relayout_index_from_linear(const relayout_shape *shape, int64_t linear,
                                                        int64_t *index, relayout_error *error);

/* Advances to the next multi-index, the last logical dimension varying fastest. Returns false after
 * the last one, with all entries 0 again, and at once for an array without elements or dimensions.
 */
RELAYOUT_API bool relayout_index_bump(const relayout_shape *shape, int64_t *index);

/* Returns the stride of a dimension in elements; a negative number counts from the end.
 * RELAYOUT_OUT_OF_RANGE, and RELAYOUT_UNSUPPORTED for tiled layouts. */
RELAYOUT_API relayout_status relayout_index_dimension_stride(const relayout_shape *shape,
                                                             int64_t number, int64_t *stride,
                                                             relayout_error *error);

#ifdef __cplusplus
}
#endif

#endif
