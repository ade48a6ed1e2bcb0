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

/* What a destination's padding is filled with, be it that of wider dimensions, of tiles
 * or of the tail. XLA, which had this until 2018, numbered zero to unknown from 1; here
 * a zeroed layout means zero. */
typedef enum relayout_padding_value {
  RELAYOUT_PADDING_ZERO = 0,
  RELAYOUT_PADDING_ONE = 1,
  RELAYOUT_PADDING_LOWEST = 2,  /* -inf, or the least finite value of a type without infinities */
  RELAYOUT_PADDING_HIGHEST = 3, /* +inf, or the greatest finite value; neither for complex types */
  RELAYOUT_PADDING_UNKNOWN = 4, /* the bytes stay as they were */
  RELAYOUT_PADDING_LITERAL = 5  /* the bytes of padding_literal */
} relayout_padding_value;

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

  /* Tiles, applied in turn: tile i has tile_ranks[i] >= 1 dimensions, major to minor; those of
   * all tiles follow each other in tile_dimensions. Each is >= 1 or RELAYOUT_TILE_COMBINE,
   * which the last of a tile is not.
   *
   * A tile lies over the most minor of the physical dimensions, whose first are the array's, padded
   * widths and all. With more dimensions than there are, it finds dimensions of size 1 before them.
   * `*` merges a dimension into the next more minor one. Of each dimension it then makes two: how
   * many tiles it takes, rounded up, stays where it was, and its size in the tile is appended as a
   * more minor one (XLA, docs/tiled_layout.md). What the last tiles do not fill is padding. */
  int32_t tile_count;
  int32_t tile_ranks[RELAYOUT_MAX_TILES];
  int64_t tile_dimensions[RELAYOUT_MAX_TILE_DIMENSIONS];

  /* The array's element count after tiling is rounded up to a multiple of this; 0
   * means 1. What that adds is padding. */
  int64_t tail_padding_alignment_in_elements;
  /* Bits an element takes in memory: 0 or 8 * its type's bytes for whole bytes, so that 8 means the
   * same as 0 for s4 and u8, and 32 for f32. All else is a power of two that holds the type's bits:
   *
   *   1, 2, 4    packed, of types of fewer than 8 bits, over the whole array, padding among them:
   *              element i lies at bit i * n % 8 of byte i * n / 8, the low bits first, and the
   *              bits behind the last one are 0.
   *   8, 16, 32  a wider container, of types of fewer bytes: element i lies at byte i * n / 8. The
   *              container's low bytes, which come first, are the element as it lies in whole
   *              bytes; the others are 0 when it is written, be it an element or padding, and are
   *              never used when it is read. With RELAYOUT_PADDING_UNKNOWN all of a padding
   *              element's container stays as it was. */
  int64_t element_size_in_bits;
  /* XLA's memory space number; kept, and without effect on any byte. */
  int64_t memory_space;
} relayout_layout;

/* ---- Making layouts ------------------------------------------------------------------------- */

/* The dense layout of this order; minor_to_major has `rank` entries (NULL when rank is 0).
 * RELAYOUT_INVALID_SHAPE when it is no permutation or the rank is not in 0 .. 64. */
RELAYOUT_API relayout_status relayout_layout_make(int32_t rank, const int32_t *minor_to_major,
                                                  relayout_layout *layout, relayout_error *error);

/* The same from the opposite list: the slowest varying dimension first. */
RELAYOUT_API relayout_status relayout_layout_make_from_major_to_minor(int32_t rank,
                                                                      const int32_t *major_to_minor,
                                                                      relayout_layout *layout,
                                                                      relayout_error *error);

/* The layout of this order and these tiles, as the fields of XLA's LayoutProto and of PJRT's tiled
 * layouts have them: minor_to_major has `rank` entries; tile i has tile_ranks[i] dimensions, and
 * those of all tiles follow each other. Tail alignment, element size and memory space are fields to
 * set. NULLs stand for lists without entries. RELAYOUT_INVALID_ARGUMENT for NULLs elsewhere;
 * RELAYOUT_INVALID_SHAPE as relayout_shape_validate has it, and for more tiles than a layout holds.
 */
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

/* Equal in every field that means something: order, padding, tiles, tail alignment, element size,
 * memory space. A field at its default equals the same default written otherwise (an alignment of 0
 * and 1). A layout knows neither its dimensions nor its element type, so that padding that widens
 * nothing differs from none, and an element size of whole bytes from 0: compare shapes for that. */
RELAYOUT_API bool relayout_layout_equal(const relayout_layout *a, const relayout_layout *b);

/* The order is {rank-1 .. 0} (dimension 0 is the most major), or {0 .. rank-1} (the most minor). */
RELAYOUT_API bool relayout_layout_is_monotonic_with_dim0_major(const relayout_layout *layout);
RELAYOUT_API bool relayout_layout_is_monotonic_with_dim0_minor(const relayout_layout *layout);

/* No tiles, elements of whole bytes (in wider containers too), no tail alignment: byte strides
 * describe where all of them lie. */
RELAYOUT_API bool relayout_layout_is_untiled(const relayout_layout *layout);

/* Elements take fewer bits than a byte has, so that several of them share one. */
RELAYOUT_API bool relayout_layout_is_packed(const relayout_layout *layout);

/* Physical to logical: the logical dimension at physical position `position`, counted from the most
 * major (major) or the most minor (minor). RELAYOUT_OUT_OF_RANGE. */
RELAYOUT_API relayout_status relayout_layout_major(const relayout_layout *layout, int32_t position,
                                                   int32_t *dimension, relayout_error *error);
RELAYOUT_API relayout_status relayout_layout_minor(const relayout_layout *layout, int32_t position,
                                                   int32_t *dimension, relayout_error *error);

/* Logical to physical: for each logical dimension its physical position, 0 being the most major.
 * `physical` has room for layout->rank entries. RELAYOUT_INVALID_SHAPE for an invalid order. */
RELAYOUT_API relayout_status relayout_layout_make_logical_to_physical(const relayout_layout *layout,
                                                                      int32_t *physical,
                                                                      relayout_error *error);

/* Whether these logical dimensions are neighbours in memory, in any order. */
RELAYOUT_API bool relayout_layout_are_dimensions_consecutive(const relayout_layout *layout,
                                                             int32_t count,
                                                             const int32_t *dimensions);

/* ---- Changing layouts ----------------------------------------------------------------------- */

/* `result` is `layout` with this logical dimension moved to the most major or most minor physical
 * position, the others keeping their order. `result` may be `layout`. RELAYOUT_OUT_OF_RANGE. */
RELAYOUT_API relayout_status relayout_layout_move_dimension_to_major(const relayout_layout *layout,
                                                                     int32_t dimension,
                                                                     relayout_layout *result,
                                                                     relayout_error *error);
RELAYOUT_API relayout_status relayout_layout_move_dimension_to_minor(const relayout_layout *layout,
                                                                     int32_t dimension,
                                                                     relayout_layout *result,
                                                                     relayout_error *error);

/* ---- Padding value -------------------------------------------------------------------------- */

/* The bytes of one element of padding, byte_size(type) of them, as they lie in whole bytes. Those
 * of RELAYOUT_PADDING_UNKNOWN are zero. RELAYOUT_INVALID_SHAPE where the type has no such value
 * (lowest and highest of a complex type, one of s1). */
RELAYOUT_API relayout_status relayout_layout_padding_bytes(const relayout_layout *layout,
                                                           relayout_element_type type,
                                                           uint8_t bytes[RELAYOUT_MAX_ELEMENT_SIZE],
                                                           relayout_error *error);

/* ---- Text ----------------------------------------------------------------------------------- */

/* Parses `{0,1:PD(3,5)PV(lowest)T(8,128)}` for a shape of this element type and rank; the text form
 * is described at relayout_shape_parse. Empty text is the default layout. RELAYOUT_INVALID_TEXT,
 * RELAYOUT_INVALID_SHAPE, RELAYOUT_UNSUPPORTED. */
RELAYOUT_API relayout_status relayout_layout_parse(const char *text, relayout_element_type type,
                                                   int32_t rank, relayout_layout *layout,
                                                   relayout_error *error);

/* Prints as XLA does; the text is empty for a scalar's layout without properties, and for an
 * invalid layout. Like snprintf: writes at most `capacity` bytes with the NUL (buffer may be NULL
 * when capacity is 0) and returns the length of the whole text without it. The element type says
 * how a padding literal is written. */
RELAYOUT_API size_t relayout_layout_format(const relayout_layout *layout,
                                           relayout_element_type type, char *buffer,
                                           size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
