/* interchange.h: tensors as other libraries describe them, as views, and back.
 *
 * These functions take the fields of such descriptions, so they need no header of another library.
 * relayout/dlpack.h and relayout/pjrt.h take the structs themselves and need those libraries'
 * headers. No function uses a handle, or a pointer to a tensor's bytes. All functions here are pure
 * and thread-safe. */
#ifndef RELAYOUT_INTERCHANGE_H
#define RELAYOUT_INTERCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- DLPack --------------------------------------------------------------------------------- */

/* A tensor as DLPack 1 describes it: the fields of DLTensor and its DLDataType, and the flags of
 * DLManagedTensorVersioned. */
typedef struct relayout_dlpack_fields {
  uint8_t code; /* DLDataTypeCode */
  uint8_t bits;
  uint16_t lanes;
  int32_t ndim;
  const int64_t *shape;
  const int64_t *strides; /* in elements of all lanes; NULL: the last dimension varies fastest */
  uint64_t byte_offset;
  uint64_t flags; /* 0 where there are none */
} relayout_dlpack_fields;

/* Makes a view. If there are several lanes, they become one more dimension, the last. Elements of
 * fewer than 8 bits are packed, unless the flags say that each takes a byte. The view of packed
 * elements has a layout instead of strides; gaps between its rows are never written. A tensor with
 * the read-only flag becomes a read-only view. Strides of dimensions of size 1 and of tensors
 * without elements are ignored. RELAYOUT_UNSUPPORTED for a type that XLA lacks, for packed elements
 * of 6 bits, and for packed elements whose strides no layout has; RELAYOUT_INVALID_ARGUMENT for a
 * NULL, for 0 lanes, and unless there are 0 .. 64 dimensions, including that of the lanes; and what
 * relayout_view_validate returns. */
RELAYOUT_API relayout_status relayout_view_from_dlpack_fields(const relayout_dlpack_fields *fields,
                                                              relayout_view *view,
                                                              relayout_error *error);

/* The reverse: describes a view with one lane, and fills both lists, of `rank` entries each.
 * RELAYOUT_UNSUPPORTED for a layout with tiles, wider containers or packed elements that begin in a
 * byte's high bits, strides that are not multiples of the element size, a negative offset, and a
 * byte order that is not the host's. */
RELAYOUT_API relayout_status relayout_view_to_dlpack_fields(const relayout_view *view,
                                                            int64_t *shape, int64_t *strides,
                                                            relayout_dlpack_fields *fields,
                                                            relayout_error *error);

/* ---- PJRT ----------------------------------------------------------------------------------- */

/* Returns the element type of a PJRT_Buffer_Type. PJRT numbers types differently: 16 is f8e5m2
 * there. RELAYOUT_UNSUPPORTED for a type that is not an array element, and for an unknown one. */
RELAYOUT_API relayout_status relayout_element_type_from_pjrt(int32_t pjrt_type,
                                                             relayout_element_type *type,
                                                             relayout_error *error);

/* The reverse. RELAYOUT_UNSUPPORTED for a type that PJRT lacks. */
RELAYOUT_API relayout_status relayout_element_type_to_pjrt(relayout_element_type type,
                                                           int32_t *pjrt_type,
                                                           relayout_error *error);

/* The kind of a PJRT_Buffer_MemoryLayout. */
typedef enum relayout_pjrt_layout {
  RELAYOUT_PJRT_LAYOUT_NONE = 0, /* none is given: the last dimension varies fastest */
  RELAYOUT_PJRT_LAYOUT_TILED = 1,
  RELAYOUT_PJRT_LAYOUT_STRIDES = 2
} relayout_pjrt_layout;

/* A buffer as PJRT describes it: type, dimensions, and the fields of its kind of layout. */
typedef struct relayout_pjrt_fields {
  int32_t type;
  const int64_t *dimensions;
  size_t rank;
  relayout_pjrt_layout layout;
  const int64_t *minor_to_major;
  size_t minor_to_major_size;
  const int64_t *tile_dimensions;
  const size_t *tile_ranks;
  size_t tile_count;
  const int64_t *byte_strides;
  size_t byte_stride_count;
} relayout_pjrt_fields;

/* Makes a view of a host buffer of PJRT's. Each element of fewer than 8 bits takes a byte. If
 * strides are given, the buffer's pointer is that of the element at index 0, ..., 0.
 * RELAYOUT_INVALID_ARGUMENT for a NULL, an unknown kind of layout, and lists whose length is not
 * the rank; and what relayout_element_type_from_pjrt, relayout_layout_make_tiled,
 * relayout_shape_make_with_layout and relayout_view_make_strided return. */
RELAYOUT_API relayout_status relayout_view_from_pjrt_fields(const relayout_pjrt_fields *fields,
                                                            relayout_view *view,
                                                            relayout_error *error);

/* Room for the lists of one relayout_pjrt_fields. */
typedef struct relayout_pjrt_lists {
  int64_t dimensions[RELAYOUT_MAX_RANK];
  int64_t numbers[RELAYOUT_MAX_RANK]; /* minor_to_major or byte_strides */
  int64_t tile_dimensions[RELAYOUT_MAX_TILE_DIMENSIONS];
  size_t tile_ranks[RELAYOUT_MAX_TILES];
} relayout_pjrt_lists;

/* The reverse: fills `lists` and makes the fields point into them. A layout becomes a tiled layout
 * with its order and tiles, if any; a layout without tiles, but with padded dimensions or wider
 * containers, becomes strides. Add the view's offset to the pointer. is_read_only is lost.
 * RELAYOUT_UNSUPPORTED for a type that PJRT lacks, packed elements, a byte order that is not the
 * host's, and tiles with padded dimensions, tail alignment or wider containers. */
RELAYOUT_API relayout_status relayout_view_to_pjrt_fields(const relayout_view *view,
                                                          relayout_pjrt_lists *lists,
                                                          relayout_pjrt_fields *fields,
                                                          relayout_error *error);

/* ---- NumPy ---------------------------------------------------------------------------------- */

/* The longest typestr that is written, with the NUL. */
enum { RELAYOUT_TYPESTR_SIZE = 8 };

/* Makes a view from NumPy's __array_interface__: its typestr, such as "<f4", or ">f4" with the
 * highest byte first; its shape; its strides in bytes, or NULL for None; and whether its data are
 * read-only. RELAYOUT_UNSUPPORTED for types that XLA lacks. That includes types without a name in
 * NumPy, such as bf16, which are void types there: use relayout_view_make_strided for them. */
RELAYOUT_API relayout_status relayout_view_from_array_interface(
    const char *typestr, int32_t rank, const int64_t *shape, const int64_t *strides,
    bool is_read_only, relayout_view *view, relayout_error *error);

/* The reverse; fills both lists, of `rank` entries each. Add the view's offset to the pointer.
 * RELAYOUT_UNSUPPORTED for a type without a name in NumPy, and for a layout with tiles, packed
 * elements or wider containers. */
RELAYOUT_API relayout_status relayout_view_to_array_interface(const relayout_view *view,
                                                              char typestr[RELAYOUT_TYPESTR_SIZE],
                                                              int64_t *shape, int64_t *strides,
                                                              relayout_error *error);

#ifdef __cplusplus
}
#endif

#endif
