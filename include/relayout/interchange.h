/* interchange.h: tensors as other libraries describe them, as views, and back.
 *
 * These functions take the fields of such descriptions, so that nobody's header is needed.
 * relayout/dlpack.h and relayout/pjrt.h take the structs themselves, where their headers are there.
 * No handle and no pointer to a tensor's bytes is ever looked at. All functions here are pure and
 * thread-safe.
 */
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

/* What DLPack 1 says of a tensor: the fields of DLTensor and its DLDataType, and the flags of
 * DLManagedTensorVersioned. */
typedef struct relayout_dlpack_fields {
  uint8_t code; /* DLDataTypeCode */
  uint8_t bits;
  uint16_t lanes;
  int32_t ndim;
  const int64_t *shape;
  const int64_t *strides; /* in elements of all lanes; NULL: the last dimension the fastest */
  uint64_t byte_offset;
  uint64_t flags; /* 0 where there are none */
} relayout_dlpack_fields;

/* Several lanes are one more dimension, the last. Elements of fewer than 8 bits are packed, unless
 * the flags say that each has a byte; packed ones lie by a layout, whose gaps stay as they were,
 * and not by strides. What is flagged read-only becomes so. Strides of dimensions of size 1 and of
 * tensors without elements may be anything. RELAYOUT_UNSUPPORTED for a type that XLA has not,
 * packed elements of 6 bits, and packed elements in no plain order; RELAYOUT_INVALID_ARGUMENT for a
 * NULL, a number of dimensions that is not 0 .. 64 with the lanes', and no lanes; and what
 * relayout_view_validate returns. */
RELAYOUT_API relayout_status relayout_view_from_dlpack_fields(const relayout_dlpack_fields *fields,
                                                              relayout_view *view,
                                                              relayout_error *error);

/* The other way: one lane, and both lists, of `rank` entries each, are filled. RELAYOUT_UNSUPPORTED
 * for a layout with tiles or wider containers, strides that are no multiples of the element size,
 * an offset below 0, and the other byte order than the host's. */
RELAYOUT_API relayout_status relayout_view_to_dlpack_fields(const relayout_view *view,
                                                            int64_t *shape, int64_t *strides,
                                                            relayout_dlpack_fields *fields,
                                                            relayout_error *error);

/* ---- PJRT ----------------------------------------------------------------------------------- */

/* The element type of this PJRT_Buffer_Type, which numbers types in its own way: 16 is f8e5m2
 * there. RELAYOUT_UNSUPPORTED for one that is no array element or that is not known. */
RELAYOUT_API relayout_status relayout_element_type_from_pjrt(int32_t pjrt_type,
                                                             relayout_element_type *type,
                                                             relayout_error *error);

/* The other way. RELAYOUT_UNSUPPORTED for a type that PJRT has not. */
RELAYOUT_API relayout_status relayout_element_type_to_pjrt(relayout_element_type type,
                                                           int32_t *pjrt_type,
                                                           relayout_error *error);

/* Which kind of PJRT_Buffer_MemoryLayout it is. */
typedef enum relayout_pjrt_layout {
  RELAYOUT_PJRT_LAYOUT_NONE = 0, /* none is given: the last dimension the fastest */
  RELAYOUT_PJRT_LAYOUT_TILED = 1,
  RELAYOUT_PJRT_LAYOUT_STRIDES = 2
} relayout_pjrt_layout;

/* What PJRT says of a buffer: type, dimensions, and the fields of that kind of layout. */
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

/* A host buffer of PJRT's, where an element of fewer than 8 bits takes a byte; where strides are
 * given its pointer is that of the element at index 0, ..., 0. RELAYOUT_INVALID_ARGUMENT for a
 * NULL, an unknown kind of layout and lists that are not as long as the rank; and what
 * relayout_element_type_from_pjrt, relayout_layout_make_tiled, relayout_shape_make_with_layout and
 * relayout_view_make_strided return. */
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

/* The other way: the fields point into `lists`, which are filled. A layout becomes a tiled one with
 * its order and tiles, of which there may be none; where it has no tiles, but padded dimensions or
 * wider containers, it becomes strides. The view's offset is to be added to the pointer; that it is
 * read-only is not told. RELAYOUT_UNSUPPORTED for a type that PJRT has not, packed elements, the
 * other byte order than the host's, and tiles with padded dimensions, tail alignment or wider
 * containers. */
RELAYOUT_API relayout_status relayout_view_to_pjrt_fields(const relayout_view *view,
                                                          relayout_pjrt_lists *lists,
                                                          relayout_pjrt_fields *fields,
                                                          relayout_error *error);

/* ---- NumPy ---------------------------------------------------------------------------------- */

/* The longest typestr that is written, with the NUL. */
enum { RELAYOUT_TYPESTR_SIZE = 8 };

/* What NumPy's __array_interface__ says: its typestr, as "<f4" or, the highest byte first, ">f4";
 * its shape; its strides in bytes, of which NULL stands for None; and whether its data are
 * read-only. RELAYOUT_UNSUPPORTED for types that XLA has not. So are those that NumPy itself has no
 * name for, bf16 and the like, which are void types there: relayout_view_make_strided takes them by
 * their own. */
RELAYOUT_API relayout_status relayout_view_from_array_interface(
    const char *typestr, int32_t rank, const int64_t *shape, const int64_t *strides,
    bool is_read_only, relayout_view *view, relayout_error *error);

/* The other way; both lists of `rank` entries are filled. The view's offset is to be added to the
 * pointer. RELAYOUT_UNSUPPORTED for a type that NumPy has no name for, and for a layout with tiles,
 * packed elements or wider containers. */
RELAYOUT_API relayout_status relayout_view_to_array_interface(const relayout_view *view,
                                                              char typestr[RELAYOUT_TYPESTR_SIZE],
                                                              int64_t *shape, int64_t *strides,
                                                              relayout_error *error);

#ifdef __cplusplus
}
#endif

#endif
