/* view.h: a tensor as it lies in somebody's memory, which need not be a whole one: a slice, a
 * broadcast, rows that run backwards, a part of a larger buffer.
 *
 * A view is a shape, the places of its elements relative to a pointer, and whether they may be
 * written. It is a plain value, like a shape: fill it, copy it, compare it. It owns nothing and
 * contains no pointer: calls that move data take a pointer or a buffer in addition. All functions
 * here are pure and thread-safe. */
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

/* The order of the bytes of an element, or of each part of a complex element. It does not matter
 * for elements of one byte. */
typedef enum relayout_byte_order {
  RELAYOUT_BYTE_ORDER_NATIVE = 0, /* the host's */
  RELAYOUT_BYTE_ORDER_LITTLE = 1, /* the lowest bits come first */
  RELAYOUT_BYTE_ORDER_BIG = 2     /* the highest bits come first */
} relayout_byte_order;

typedef struct relayout_view {
  /* The layout of a strided view must be the default one: no other order, no padding and no tiles.
   */
  relayout_shape shape;
  /* False: the shape's layout says where elements lie. True: byte_strides says how many bytes lie
   * between neighbours along each logical dimension; a stride may be 0 or negative. */
  bool is_strided;
  /* True: the view cannot be a relayout's destination. */
  bool is_read_only;
  /* The bytes from the pointer or offset that a call is given to the tensor's first byte; for a
   * strided view, to the element at index 0, ..., 0. */
  int64_t byte_offset;
  int64_t byte_strides[RELAYOUT_MAX_RANK];
  /* The byte order of the elements, and of padding that is written. Elements of several bytes in
   * wider containers must have the host's byte order. */
  relayout_byte_order byte_order;
} relayout_view;

/* ---- Making views --------------------------------------------------------------------------- */

/* Makes a view of a whole tensor of this shape. Returns what relayout_shape_validate returns. */
RELAYOUT_API relayout_status relayout_view_make(const relayout_shape *shape, relayout_view *view,
                                                relayout_error *error);

/* Makes a strided view. `dimensions` and `byte_strides` have `rank` entries. With NULL strides the
 * elements follow each other, the last dimension varying fastest. Returns what
 * relayout_view_validate returns. */
RELAYOUT_API relayout_status relayout_view_make_strided(relayout_element_type type, int32_t rank,
                                                        const int64_t *dimensions,
                                                        const int64_t *byte_strides,
                                                        relayout_view *view, relayout_error *error);

/* Makes a view of a part, like NumPy's slices: along this dimension (a negative number counts from
 * the end) `count` elements, beginning at index `first` and `step` apart; a step of -1 goes
 * backwards, and 0 repeats one element. The other dimensions stay whole. `result` becomes strided
 * and may be `view`. RELAYOUT_OUT_OF_RANGE for a dimension or an index out of range,
 * RELAYOUT_INVALID_ARGUMENT for a negative count, RELAYOUT_UNSUPPORTED for a layout with tiles,
 * packed elements or wider containers. */
RELAYOUT_API relayout_status relayout_view_slice(const relayout_view *view, int64_t dimension,
                                                 int64_t first, int64_t count, int64_t step,
                                                 relayout_view *result, relayout_error *error);

/* Makes a view of the same elements with permuted indices: dimension i of the result is dimension
 * permutation[i] of `view`, as in relayout_shape_permute_dimensions. `result` may be `view`.
 * RELAYOUT_UNSUPPORTED for a layout with tiles, RELAYOUT_INVALID_ARGUMENT if `permutation` is not a
 * permutation. */
RELAYOUT_API relayout_status relayout_view_permute_dimensions(const relayout_view *view,
                                                              const int32_t *permutation,
                                                              relayout_view *result,
                                                              relayout_error *error);

/* ---- Asking --------------------------------------------------------------------------------- */

/* Checks that the shape is valid and that the offset is at most 2^57 bytes from 0. Checks that a
 * strided view has the default layout with elements of whole bytes, which all lie within 2^57
 * bytes. RELAYOUT_INVALID_ARGUMENT, RELAYOUT_SIZE_OVERFLOW, RELAYOUT_UNSUPPORTED for elements in
 * wider containers whose byte order is not the host's, and what relayout_shape_validate returns. */
RELAYOUT_API relayout_status relayout_view_validate(const relayout_view *view,
                                                    relayout_error *error);

/* True if shape, strides, offset, is_read_only and byte order are the same. Strides of dimensions
 * of size 1 do not matter, and the host's byte order is the same as the native one. */
RELAYOUT_API bool relayout_view_equal(const relayout_view *a, const relayout_view *b);

/* Returns how many bytes the tensor spans, padding included, and how far its lowest byte is from
 * the pointer that calls are given. */
RELAYOUT_API relayout_status relayout_view_span(const relayout_view *view, int64_t *lowest,
                                                size_t *bytes, relayout_error *error);

/* Returns the `rank` strides in bytes of a strided view, or of a layout that has strides.
 * RELAYOUT_UNSUPPORTED for a layout with tiles or packed elements. */
RELAYOUT_API relayout_status relayout_view_byte_strides(const relayout_view *view,
                                                        int64_t *byte_strides,
                                                        relayout_error *error);

#ifdef __cplusplus
}
#endif

#endif
