/* widths.h: how wide dimensions and elements are in memory, and the strides that follow. For valid
 * shapes.
 *
 * Depends on the public shapes alone.
 */
#ifndef RLT_METADATA_WIDTHS_H
#define RLT_METADATA_WIDTHS_H

#include <stdbool.h>
#include <stdint.h>

#include "relayout/shape.h"

/* The width in memory of logical dimension d. */
static inline int64_t rlt_padded_width(const relayout_shape *shape, int32_t d) {
  return shape->layout.padded_dimension_count == 0 ? shape->dimensions[d]
                                                   : shape->layout.padded_dimensions[d];
}

/* Some padded dimension is wider than its dimension. */
static inline bool rlt_is_widened(const relayout_shape *shape) {
  for (int32_t d = 0; d < shape->rank; ++d) {
    if (rlt_padded_width(shape, d) > shape->dimensions[d]) {
      return true;
    }
  }
  return false;
}

/* The bits of an element that shares bytes with others; 0 for one of whole bytes. */
static inline int64_t rlt_packed_bits(const relayout_layout *layout) {
  return layout->element_size_in_bits < 8 ? layout->element_size_in_bits : 0;
}

/* True if a byte's first packed element lies in its high bits. */
static inline bool rlt_is_high_first(const relayout_layout *layout) {
  return layout->packing_order == RELAYOUT_PACKING_HIGH_FIRST;
}

/* The bits an element takes in memory where those are not its type's whole bytes: fewer than 8
 * where it is packed, more than its own in a wider container. Else 0. */
static inline int64_t rlt_custom_bits(const relayout_shape *shape) {
  const int64_t stated = shape->layout.element_size_in_bits;
  return stated == 8 * (int64_t)relayout_element_type_byte_size(shape->element_type) ? 0 : stated;
}

/* The bits an element takes in memory. */
static inline int64_t rlt_element_bits(const relayout_shape *shape) {
  const int64_t stated = shape->layout.element_size_in_bits;
  return stated > 0 ? stated : 8 * (int64_t)relayout_element_type_byte_size(shape->element_type);
}

/* Strides in elements by logical dimension, tiles left aside. */
static inline void rlt_strides(const relayout_shape *shape, int64_t *strides) {
  int64_t stride = 1;
  for (int32_t i = 0; i < shape->rank; ++i) {
    const int32_t d = shape->layout.minor_to_major[i];
    strides[d] = stride;
    stride *= rlt_padded_width(shape, d);
  }
}

#endif
