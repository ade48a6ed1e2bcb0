/* layout.h: how a tensor's elements lie in memory (XLA's Layout, for arrays).
 *
 * A layout is a plain value: fill it, copy it, compare it. It owns nothing, and a layout of all
 * zeros is the valid layout of a scalar. All functions here are pure and thread-safe.
 */
#ifndef RELAYOUT_LAYOUT_H
#define RELAYOUT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/element_type.h"
#include "relayout/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  RELAYOUT_MAX_RANK = 64,
  RELAYOUT_MAX_TILES = 16,           /* tile levels of one layout */
  RELAYOUT_MAX_TILE_DIMENSIONS = 128 /* dimensions of all its tiles together */
};

/* A tile dimension written `*`: it merges into the next more minor one (XLA's kCombineDimension).
 */
#define RELAYOUT_TILE_COMBINE INT64_MIN

/* The value of a destination's padding: of padded dimensions, of tiles and of the tail. XLA had
 * this until 2018 and numbered the values from 1; here a layout of all zeros pads with zero. */
typedef enum relayout_padding_value {
  RELAYOUT_PADDING_ZERO = 0,
  RELAYOUT_PADDING_ONE = 1,
  RELAYOUT_PADDING_LOWEST = 2,  /* -inf, or the least finite value of a type without infinities */
  RELAYOUT_PADDING_HIGHEST = 3, /* +inf, or the greatest finite value; neither for complex types */
  RELAYOUT_PADDING_UNKNOWN = 4, /* the bytes stay as they were */
  RELAYOUT_PADDING_LITERAL = 5  /* the bytes of padding_literal */
} relayout_padding_value;

/* At which end of a byte its first packed element lies. NumPy's packbits, PNG and TIFF put it into
 * the high bits. XLA, DLPack and ONNX put it into the low ones. */
typedef enum relayout_packing_order {
  RELAYOUT_PACKING_LOW_FIRST = 0,
  RELAYOUT_PACKING_HIGH_FIRST = 1
} relayout_packing_order;

typedef struct relayout_layout {
  /* The number of entries of minor_to_major; the rank of every shape it belongs to. */
  int32_t rank;
  /* A permutation of 0 .. rank-1: logical dimension numbers, the fastest varying in memory first.
   */
  int32_t minor_to_major[RELAYOUT_MAX_RANK];

  /* 0, or rank: then padded_dimensions[d] >= the shape's dimensions[d] is the width of logical
   * dimension d in memory. Padding lies at the dimension's end and is not part of the shape. */
  int32_t padded_dimension_count;
  relayout_padding_value padding_value;
  int64_t padded_dimensions[RELAYOUT_MAX_RANK];
  /* One element as it lies in memory (host byte order), for RELAYOUT_PADDING_LITERAL. */
  uint8_t padding_literal[RELAYOUT_MAX_ELEMENT_SIZE];

  /* The tiles, applied in this order: tile i has tile_ranks[i] >= 1 dimensions, major to minor;
   * tile_dimensions lists the dimensions of all tiles one after the other. Each is >= 1 or
   * RELAYOUT_TILE_COMBINE; the last of a tile must not be RELAYOUT_TILE_COMBINE.
   *
   * A tile covers the most minor physical dimensions. The first tile's are those of the array, with
   * their padded widths. A tile with more dimensions than the array has sees dimensions of size 1
   * before them. `*` merges a dimension into the next more minor one. The tile then makes two
   * dimensions of each: the number of tiles, rounded up, stays in its place, and the size within
   * the tile is appended as a more minor dimension (XLA, docs/tiled_layout.md). So a dimension that
   * a tile takes whole moves behind those of which it takes 1. Elements of the last tiles that the
   * array does not fill are padding. */
  int32_t tile_count;
  int32_t tile_ranks[RELAYOUT_MAX_TILES];
  int64_t tile_dimensions[RELAYOUT_MAX_TILE_DIMENSIONS];

  /* The array's element count after tiling is rounded up to a multiple of this; 0 means 1. The
   * added elements are padding. */
  int64_t tail_padding_alignment_in_elements;
  /* The bits of an element in memory: 0 or 8 * its type's bytes for whole bytes, so that 8 means
   * the same as 0 for s4 and u8, and 32 means the same as 0 for f32. Any other value is a power of
   * two that holds the type's bits:
   *
   *   1, 2, 4    packed, of types of fewer than 8 bits, over the whole array, padding among them:
   *              element i lies in n bits of byte i * n / 8, which begin at bit i * n % 8 with the
   *              low bits first, and at bit 8 - n - i * n % 8 with the high bits first. The bits
   *              of the last byte that no element lies in are 0.
   *   8, 16, 32  a wider container, of types of fewer bytes: element i lies at byte i * n / 8. The
   *              container's low bytes, which come first, are the element as it lies in whole
   *              bytes; the others are 0 when it is written, be it an element or padding, and are
   *              never used when it is read. With RELAYOUT_PADDING_UNKNOWN all of a padding
   *              element's container stays as it was. */
  int64_t element_size_in_bits;
  /* The order of packed elements within a byte. Layouts that are not packed have no other than
   * RELAYOUT_PACKING_LOW_FIRST. */
  relayout_packing_order packing_order;
  /* XLA's memory space number, which is kept and changes no byte. */
  int64_t memory_space;
} relayout_layout;

/* ---- Making layouts ------------------------------------------------------------------------- */

/* Makes the dense layout of this order; minor_to_major has `rank` entries (NULL when rank is 0).
 * RELAYOUT_INVALID_SHAPE if it is not a permutation or the rank is not in 0 .. 64. */
RELAYOUT_API relayout_status relayout_layout_make(int32_t rank, const int32_t *minor_to_major,
                                                  relayout_layout *layout, relayout_error *error);

/* The same from the opposite list: the slowest varying dimension first. */
RELAYOUT_API relayout_status relayout_layout_make_from_major_to_minor(int32_t rank,
                                                                      const int32_t *major_to_minor,
                                                                      relayout_layout *layout,
                                                                      relayout_error *error);

/* Makes the layout of this order and these tiles, given as in XLA's LayoutProto and PJRT's tiled
 * layouts: minor_to_major has `rank` entries; tile i has tile_ranks[i] dimensions, and
 * tile_dimensions lists those of all tiles one after the other. Set tail alignment, element size
 * and memory space in the result. A list without entries may be NULL. RELAYOUT_INVALID_ARGUMENT for
 * any other NULL; RELAYOUT_INVALID_SHAPE as in relayout_shape_validate, and for more tiles than a
 * layout holds. */
RELAYOUT_API relayout_status relayout_layout_make_tiled(int32_t rank, const int64_t *minor_to_major,
                                                        size_t tile_count, const size_t *tile_ranks,
                                                        const int64_t *tile_dimensions,
                                                        relayout_layout *layout,
                                                        relayout_error *error);

/* {rank-1, ..., 1, 0}: C order. It is XLA's default layout. */
RELAYOUT_API relayout_status relayout_layout_make_descending(int32_t rank, relayout_layout *layout,
                                                             relayout_error *error);

/* {0, 1, ..., rank-1}: Fortran order. */
RELAYOUT_API relayout_status relayout_layout_make_ascending(int32_t rank, relayout_layout *layout,
                                                            relayout_error *error);

/* ---- Asking layouts ------------------------------------------------------------------------- */

/* True if all fields that matter are equal: order, padding, tiles, tail alignment, element size,
 * packing order, memory space. Two ways to write a default are equal, such as an alignment of 0 and
 * of 1. A layout has neither dimensions nor an element type, so padded dimensions that equal the
 * dimensions differ from none, and an element size of whole bytes differs from 0: compare shapes
 * instead to treat these as equal. */
RELAYOUT_API bool relayout_layout_equal(const relayout_layout *a, const relayout_layout *b);

/* True if the order is {rank-1 .. 0} (dimension 0 is the most major), or {0 .. rank-1} (dimension 0
 * is the most minor). */
RELAYOUT_API bool relayout_layout_is_monotonic_with_dim0_major(const relayout_layout *layout);
RELAYOUT_API bool relayout_layout_is_monotonic_with_dim0_minor(const relayout_layout *layout);

/* True without tiles, packed elements and tail alignment: byte strides then describe where all
 * elements lie. */
RELAYOUT_API bool relayout_layout_is_untiled(const relayout_layout *layout);

/* True if an element takes fewer than 8 bits, so that several of them share a byte. */
RELAYOUT_API bool relayout_layout_is_packed(const relayout_layout *layout);

/* Returns the logical dimension at physical position `position`, counted from the most major
 * dimension (major) or from the most minor one (minor). RELAYOUT_OUT_OF_RANGE. */
RELAYOUT_API relayout_status relayout_layout_major(const relayout_layout *layout, int32_t position,
                                                   int32_t *dimension, relayout_error *error);
RELAYOUT_API relayout_status relayout_layout_minor(const relayout_layout *layout, int32_t position,
                                                   int32_t *dimension, relayout_error *error);

/* Returns the physical position of each logical dimension, 0 being the most major. `physical` has
 * room for layout->rank entries. RELAYOUT_INVALID_SHAPE for an invalid order. */
RELAYOUT_API relayout_status relayout_layout_make_logical_to_physical(const relayout_layout *layout,
                                                                      int32_t *physical,
                                                                      relayout_error *error);

/* True if these logical dimensions are neighbours in memory, in any order. */
RELAYOUT_API bool relayout_layout_are_dimensions_consecutive(const relayout_layout *layout,
                                                             int32_t count,
                                                             const int32_t *dimensions);

/* ---- Changing layouts ----------------------------------------------------------------------- */

/* `result` becomes `layout` with this logical dimension at the most major or the most minor
 * physical position; the other dimensions keep their order. `result` may be `layout`.
 * RELAYOUT_OUT_OF_RANGE. */
RELAYOUT_API relayout_status relayout_layout_move_dimension_to_major(const relayout_layout *layout,
                                                                     int32_t dimension,
                                                                     relayout_layout *result,
                                                                     relayout_error *error);
RELAYOUT_API relayout_status relayout_layout_move_dimension_to_minor(const relayout_layout *layout,
                                                                     int32_t dimension,
                                                                     relayout_layout *result,
                                                                     relayout_error *error);

/* ---- Padding value -------------------------------------------------------------------------- */

/* Returns the relayout_element_type_byte_size(type) bytes of one element of padding, in whole
 * bytes. They are zero for RELAYOUT_PADDING_UNKNOWN. RELAYOUT_INVALID_SHAPE if the type lacks the
 * value (complex types have no lowest and highest, s1 has no one). */
RELAYOUT_API relayout_status relayout_layout_padding_bytes(const relayout_layout *layout,
                                                           relayout_element_type type,
                                                           uint8_t bytes[RELAYOUT_MAX_ELEMENT_SIZE],
                                                           relayout_error *error);

/* ---- Text ----------------------------------------------------------------------------------- */

/* Parses a layout such as `{0,1:PD(3,5)PV(lowest)T(8,128)}` for a shape of this element type and
 * rank; relayout_shape_parse describes the text form. Empty text is the default layout.
 * RELAYOUT_INVALID_TEXT, RELAYOUT_INVALID_SHAPE, RELAYOUT_UNSUPPORTED. */
RELAYOUT_API relayout_status relayout_layout_parse(const char *text, relayout_element_type type,
                                                   int32_t rank, relayout_layout *layout,
                                                   relayout_error *error);

/* Prints the layout as XLA does. The text is empty for a scalar's layout without properties, and
 * for an invalid layout. Like snprintf: writes at most `capacity` bytes with the NUL (buffer may be
 * NULL when capacity is 0) and returns the length of the whole text without it. The element type
 * decides how a padding literal is printed. */
RELAYOUT_API size_t relayout_layout_format(const relayout_layout *layout,
                                           relayout_element_type type, char *buffer,
                                           size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
