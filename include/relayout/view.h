/* view.h: a tensor as it lies in somebody's memory, which need not be a whole one: a slice, a
 * broadcast, rows that run backwards, a part of a larger buffer.
 *
 * A view is a shape, where its elements lie from a pointer on, and whether they may be written. It
 * is a plain value, like a shape: fill it, copy it, compare it. It owns nothing and knows no
 * pointer: calls that move data are given that, or a buffer, beside it. All functions here are pure
 * and thread-safe.
 */
#ifndef RELAYOUT_VIEW_H
#define RELAYOUT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/shape.h"
#include "relayout/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In which order the bytes of a number lie: of an element, or of each part of a complex one.
 * Elements of one byte have none. */
typedef enum relayout_byte_order {
  RELAYOUT_BYTE_ORDER_NATIVE = 0, /* the host's */
  RELAYOUT_BYTE_ORDER_LITTLE = 1, /* the lowest bits come first */
  RELAYOUT_BYTE_ORDER_BIG = 2     /* the highest bits come first */
} relayout_byte_order;

typedef struct relayout_view {
  /* Where the view is strided its layout is the default one: no order, padding or tiles. */
  relayout_shape shape;
  /* False: elements lie as the shape's layout says. True: byte_strides has the bytes from an
   * element to its neighbour along each logical dimension, which may be 0 and negative too. */
  bool is_strided;
  /* Nothing may be written through it: it is no relayout's destination. */
  bool is_read_only;
  /* From the pointer or offset that a call is given to the tensor's first byte, or where the view
   * is strided to the element at index 0, ..., 0. */
  int64_t byte_offset;
  int64_t byte_strides[RELAYOUT_MAX_RANK];
  /* Padding that is written has this order too. Wider containers have the host's alone, unless
   * their elements are bytes. */
  relayout_byte_order byte_order;
} relayout_view;

/* ---- Making views --------------------------------------------------------------------------- */

/* All of a tensor of this shape. What relayout_shape_validate returns. */
RELAYOUT_API relayout_status relayout_view_make(const relayout_shape *shape, relayout_view *view,
                                                relayout_error *error);

/* By strides in bytes, `rank` of them, like the dimensions. Strides NULL: one element behind the
 * other, the last dimension the fastest. What relayout_view_validate returns. */
RELAYOUT_API relayout_status relayout_view_make_strided(relayout_element_type type, int32_t rank,
                                                        const int64_t *dimensions,
                                                        const int64_t *byte_strides,
                                                        relayout_view *view, relayout_error *error);

/* A part of a view, as NumPy's slices: along this dimension (a negative number counts from the end)
 * the `count` elements from index `first` on that are `step` apart; -1 goes backwards, 0 repeats
 * one. The others stay. `result` may be `view`, and is strided. RELAYOUT_OUT_OF_RANGE for a
 * dimension or an index that is not there, RELAYOUT_INVALID_ARGUMENT for a count below 0,
 * RELAYOUT_UNSUPPORTED for a layout with tiles, packed elements or wider containers. */
RELAYOUT_API relayout_status relayout_view_slice(const relayout_view *view, int64_t dimension,
                                                 int64_t first, int64_t count, int64_t step,
                                                 relayout_view *result, relayout_error *error);

/* The same elements under other indices: dimension i of the result is dimension permutation[i] of
 * `view`, as relayout_shape_permute_dimensions has it. `result` may be `view`. RELAYOUT_UNSUPPORTED
 * for a layout with tiles, RELAYOUT_INVALID_ARGUMENT for no permutation. */
RELAYOUT_API relayout_status relayout_view_permute_dimensions(const relayout_view *view,
                                                              const int32_t *permutation,
                                                              relayout_view *result,
                                                              relayout_error *error);

/* ---- Asking --------------------------------------------------------------------------------- */

/* Checks that the shape is valid, and of a strided view that its layout is the default one, that no
 * element takes other than its own bytes, and that all lie within 2^57 bytes; and that the offset
 * is no farther than that from 0. RELAYOUT_INVALID_ARGUMENT, RELAYOUT_SIZE_OVERFLOW,
 * RELAYOUT_UNSUPPORTED for elements in wider containers that have the other byte order than the
 * host, and what relayout_shape_validate returns. */
RELAYOUT_API relayout_status relayout_view_validate(const relayout_view *view,
                                                    relayout_error *error);

/* The same shape, strides, offset, rights and byte order. Strides of dimensions of size 1 say
 * nothing, and the host's byte order is the native one. */
RELAYOUT_API bool relayout_view_equal(const relayout_view *a, const relayout_view *b);

/* The bytes from the lowest that belongs to the tensor, padding included, to the highest, and how
 * far the lowest is from the pointer that calls are given. */
RELAYOUT_API relayout_status relayout_view_span(const relayout_view *view, int64_t *lowest,
                                                size_t *bytes, relayout_error *error);

/* Its strides in bytes, `rank` of them, whether it is strided or its layout has some.
 * RELAYOUT_UNSUPPORTED for a layout with tiles or packed elements. */
RELAYOUT_API relayout_status relayout_view_byte_strides(const relayout_view *view,
                                                        int64_t *byte_strides,
                                                        relayout_error *error);

#ifdef __cplusplus
}
#endif

#endif
