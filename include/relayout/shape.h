/* shape.h: element type, dimensions and layout of an array (XLA's Shape and ShapeUtil).
 *
 * A shape is a plain value of some two kilobytes: fill it, copy it, compare it. It owns nothing. A
 * shape always has a layout. Functions other than make, parse and validate expect a valid shape;
 * given an invalid one those that return a status refuse it, those that do not return 0 or false.
 * All functions here are pure and thread-safe.
 *
 * Dimension numbers count from 0; a negative one counts from the end, -1 being the last, where a
 * function says so.
 */
#ifndef RELAYOUT_SHAPE_H
#define RELAYOUT_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/element_type.h"
#include "relayout/layout.h"
#include "relayout/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct relayout_shape {
  relayout_element_type element_type;
  int32_t rank;                          /* 0 .. RELAYOUT_MAX_RANK; 0 is a scalar */
  int64_t dimensions[RELAYOUT_MAX_RANK]; /* >= 0 each, in elements, by logical dimension */
  relayout_layout layout;
} relayout_shape;

/* ---- Making shapes -------------------------------------------------------------------------- */

/* The default (descending) layout. `dimensions` has `rank` entries and may be NULL when that is 0.
 * RELAYOUT_INVALID_SHAPE, RELAYOUT_SIZE_OVERFLOW. */
RELAYOUT_API relayout_status relayout_shape_make(relayout_element_type type, int32_t rank,
                                                 const int64_t *dimensions, relayout_shape *shape,
                                                 relayout_error *error);

/* Any layout; its rank must be this one. */
RELAYOUT_API relayout_status relayout_shape_make_with_layout(
    relayout_element_type type, int32_t rank, const int64_t *dimensions,
    const relayout_layout *layout, relayout_shape *shape, relayout_error *error);

/* XLA's MakeShapeWithDescendingLayoutAndSamePhysicalLayout: the dimensions of `shape` listed major
 * to minor, with the descending layout; the bytes lie the same. Padding follows its dimension. */
RELAYOUT_API relayout_status relayout_shape_make_descending_same_physical(
    const relayout_shape *shape, relayout_shape *result, relayout_error *error);

/* Checks XLA's rules: a known element type; rank 0 .. 64; dimensions >= 0; minor_to_major a
 * permutation (duplicates are refused, which XLA's parser lets pass); padded_dimensions none or one
 * for each dimension and not smaller than it; a padding value the type has; at least one dimension
 * a tile, each >= 1 or `*`, never `*` last; an alignment >= 0; an element size that the type can
 * have; and, with padding, tiles and alignment, at most 2^57 bytes (2^60 bits) in memory. Where a
 * dimension is 0, that holds for what the array would take if it were 1. RELAYOUT_INVALID_SHAPE,
 * RELAYOUT_SIZE_OVERFLOW. */
RELAYOUT_API relayout_status relayout_shape_validate(const relayout_shape *shape,
                                                     relayout_error *error);

/* ---- Comparing ------------------------------------------------------------------------------ */

/* Element type, dimensions and layout. Padded dimensions that widen nothing equal none, an element
 * size of its own type's whole bytes equals 0, an alignment of 1 equals 0, and a padding value that
 * fills nothing equals any other. */
RELAYOUT_API bool relayout_shape_equal(const relayout_shape *a, const relayout_shape *b);
/* The same, bar the layouts' tiles. */
RELAYOUT_API bool relayout_shape_equal_ignoring_tiles(const relayout_shape *a,
                                                      const relayout_shape *b);
/* Element type and dimensions. */
RELAYOUT_API bool relayout_shape_equal_ignoring_layout(const relayout_shape *a,
                                                       const relayout_shape *b);
/* Dimensions and layout. */
RELAYOUT_API bool relayout_shape_equal_ignoring_element_type(const relayout_shape *a,
                                                             const relayout_shape *b);
/* Dimensions alone. */
RELAYOUT_API bool relayout_shape_same_dimensions(const relayout_shape *a, const relayout_shape *b);
/* XLA's Compatible: one can be relaid out as the other. For arrays, equal_ignoring_layout's twin.
 */
RELAYOUT_API bool relayout_shape_compatible(const relayout_shape *a, const relayout_shape *b);

/* ---- Sizes ---------------------------------------------------------------------------------- */

/* The dimensions that are not 1 (XLA's TrueRank). */
RELAYOUT_API int32_t relayout_shape_true_rank(const relayout_shape *shape);

/* A dimension number in -rank .. rank-1 as one in 0 .. rank-1, and the size of that dimension.
 * RELAYOUT_OUT_OF_RANGE. */
RELAYOUT_API relayout_status relayout_shape_dimension_number(const relayout_shape *shape,
                                                             int64_t number, int32_t *dimension,
                                                             relayout_error *error);
RELAYOUT_API relayout_status relayout_shape_dimension(const relayout_shape *shape, int64_t number,
                                                      int64_t *size, relayout_error *error);

/* The width in memory of logical dimension d in 0 .. rank-1: padded where there is padding. 0 for
 * any other d. */
RELAYOUT_API int64_t relayout_shape_padded_dimension(const relayout_shape *shape, int32_t d);

/* Some padded dimension is wider than its dimension, or tiles or the tail alignment bring elements
 * that have no multi-index. */
RELAYOUT_API bool relayout_shape_is_padded(const relayout_shape *shape);

/* Logical elements: the product of the dimensions, 1 for a scalar. */
RELAYOUT_API int64_t relayout_shape_element_count(const relayout_shape *shape);

/* Elements and bytes the array takes in memory, padding of every kind included: the product of the
 * dimensions after tiling, rounded up to the tail alignment. Elements that are packed or lie in
 * wider containers take ceil(count * element_size_in_bits / 8) bytes. What validate returns for an
 * invalid shape. */
RELAYOUT_API relayout_status relayout_shape_physical_element_count(const relayout_shape *shape,
                                                                   int64_t *count,
                                                                   relayout_error *error);
RELAYOUT_API relayout_status relayout_shape_byte_size(const relayout_shape *shape, size_t *bytes,
                                                      relayout_error *error);

/* How many of these bytes are padding: what the array takes more than its elements would alone, one
 * behind the other, in their containers. What validate returns for an invalid shape. */
RELAYOUT_API relayout_status relayout_shape_padding_byte_size(const relayout_shape *shape,
                                                              size_t *bytes, relayout_error *error);

/* The dimensions of the array as it lies in memory, the most major first: padded, and what tiles
 * make of them. In the descending layout over these lie the same elements, bar the tail alignment,
 * which adds to none of them. Of an array with tiles and without elements the first is 0. `*count`
 * becomes how many there are, RELAYOUT_MAX_PHYSICAL_RANK at most; at most `capacity` are filled
 * (dimensions may be NULL when capacity is 0). What validate returns for an invalid shape. */
enum { RELAYOUT_MAX_PHYSICAL_RANK = 2 * RELAYOUT_MAX_TILE_DIMENSIONS };
RELAYOUT_API relayout_status relayout_shape_physical_dimensions(const relayout_shape *shape,
                                                                size_t capacity,
                                                                int64_t *dimensions, size_t *count,
                                                                relayout_error *error);

/* Strides in elements by logical dimension, `rank` of them: the product of the padded widths of all
 * more minor dimensions. Packed elements, and those in wider containers, count as others do:
 * element i has its place at bit i * element_size_in_bits. RELAYOUT_UNSUPPORTED for tiled layouts,
 * which have none. */
RELAYOUT_API relayout_status relayout_shape_strides(const relayout_shape *shape, int64_t *strides,
                                                    relayout_error *error);

/* ---- Changing dimensions, the layout following ---------------------------------------------- */
/* In each, `result` may be `shape`. Padding follows its dimension. Shapes with tiles are refused
 * (RELAYOUT_UNSUPPORTED): a tile is bound to physical positions. */

/* Dimension i of the result is dimension permutation[i] of `shape`, the bytes staying where they
 * are: the transpose that makes it is a bitcast. RELAYOUT_INVALID_ARGUMENT for no permutation. */
RELAYOUT_API relayout_status relayout_shape_permute_dimensions(const relayout_shape *shape,
                                                               const int32_t *permutation,
                                                               relayout_shape *result,
                                                               relayout_error *error);

/* Removes a dimension (negative numbers count from the end); the order of the others stays. */
RELAYOUT_API relayout_status relayout_shape_delete_dimension(const relayout_shape *shape,
                                                             int64_t number, relayout_shape *result,
                                                             relayout_error *error);

/* Inserts a dimension of `size` before logical dimension `at` in 0 .. rank (rank appends), as the
 * most major one in memory when prepended or inserted, the most minor one when appended, as XLA's
 * PrependMajorDimension and AppendMinorDimension do. */
RELAYOUT_API relayout_status relayout_shape_insert_dimension(const relayout_shape *shape,
                                                             int32_t at, int64_t size,
                                                             relayout_shape *result,
                                                             relayout_error *error);

/* Moves a dimension to logical position `to`, the others keeping their order, and every element its
 * place in memory. Both numbers may be negative. */
RELAYOUT_API relayout_status relayout_shape_move_dimension(const relayout_shape *shape,
                                                           int64_t number, int64_t to,
                                                           relayout_shape *result,
                                                           relayout_error *error);

/* Removes every dimension of size 1 that padding does not widen. */
RELAYOUT_API relayout_status relayout_shape_drop_degenerate_dimensions(const relayout_shape *shape,
                                                                       relayout_shape *result,
                                                                       relayout_error *error);

/* ---- Bitcasts ------------------------------------------------------------------------------- */

/* Whether transposing `input` so that dimension i of `output` is dimension permutation[i] of
 * `input` leaves every byte where it is. Dimensions of size 1 lie anywhere; the padding, bar its
 * value, must agree. Tiled layouts have to have the same tiles over the same physical order. False
 * for an invalid permutation, and for element types, dimensions, tiles or element sizes that do not
 * agree. */
RELAYOUT_API bool relayout_shape_transpose_is_bitcast(const relayout_shape *input,
                                                      const relayout_shape *output,
                                                      const int32_t *permutation);

/* Whether reshaping (same elements in the order of ascending multi-indices) leaves every byte where
 * it is. Never for widened or tiled layouts unless the shapes are equal; elements have to take as
 * many bits on both sides, and both tails have to end alike. */
RELAYOUT_API bool relayout_shape_reshape_is_bitcast(const relayout_shape *input,
                                                    const relayout_shape *output);

/* ---- Text ----------------------------------------------------------------------------------- */

/* The longest text a valid shape prints as, with the NUL. */
enum { RELAYOUT_SHAPE_TEXT_SIZE = 8192 };

/* Parses XLA's text form, extended by PD (padded dimensions) and PV (padding value):
 *
 *   shape    := type '[' [size {',' size}] ']' [layout]
 *   layout   := '{' [dimension {',' dimension}] [':' properties] '}'
 *   properties, in this order, each at most once:
 *     PD(n,..)     padded_dimensions, one for each logical dimension
 *     PV(value)    zero | one | lowest | highest | unknown | a number | 0x and the element's bits
 *     T(n,..)(..)  tiles; a dimension may be `*`, but not the last
 *     L(n)         tail_padding_alignment_in_elements
 *     E(n)         element_size_in_bits: 0, the type's whole bytes, packed, or a wider container
 *     S(n)         memory_space
 *
 * White space may stand between any two tokens. Without a layout it is the default one. A number is
 * rounded as a conversion to the float type rounds it (plan.h; inf, -inf and nan where it has them)
 * and must lie in the type's range; the imaginary part of a complex one is zero. Bits of a complex
 * element are the imaginary part's, then the real part's. The locale has no effect. The result is
 * valid (relayout_shape_validate). Tuples, dynamic dimensions, and XLA's sparse and other
 * properties are refused by name. RELAYOUT_INVALID_TEXT with the column, RELAYOUT_INVALID_SHAPE,
 * RELAYOUT_SIZE_OVERFLOW, RELAYOUT_UNSUPPORTED. */
RELAYOUT_API relayout_status relayout_shape_parse(const char *text, relayout_shape *shape,
                                                  relayout_error *error);

/* Parses a whole shape as above, or a part of one, and takes what the text does not say from
 * `defaults`:
 *
 *   part     := layout | type | type layout
 *   layout   := as above, or '{' ':' properties '}', or '{' '}'
 *
 * The dimensions of a part are those of `defaults`, and without a type so is the type. A layout of
 * the text replaces the other one with all its properties; without an order it has the order of
 * `defaults`; `{}` is the layout of rank 0. A type alone keeps the layout of `defaults`: an element
 * size that the type cannot have, or that was the other type's whole bytes, becomes 0, and a
 * padding literal becomes the same number of the type. Where the type lacks the padding value that
 * is RELAYOUT_INVALID_SHAPE.
 *
 * RELAYOUT_SHAPE_MISMATCH where the layout of a part is of another rank than `defaults`, and for
 * nothing else; otherwise as relayout_shape_parse. Columns count in `text`. `shape` may be
 * `defaults`; with NULL as `defaults` only a whole shape will do. */
RELAYOUT_API relayout_status relayout_shape_parse_with_defaults(const char *text,
                                                                const relayout_shape *defaults,
                                                                relayout_shape *shape,
                                                                relayout_error *error);

/* Prints the shape with its layout, as XLA does: no white space, no layout for a plain scalar, no
 * property at its default. E is printed wherever it is not 0, of the type's whole bytes too. Padded
 * dimensions that widen nothing are left out, a padding value is
 * printed also where it fills nothing, a literal as a short number that parses to its bits, or
 * as its bits where none does. Parsing the text gives an equal shape. Like snprintf: writes at most
 * `capacity` bytes with the NUL (buffer may be NULL when capacity is 0) and returns the length of
 * the whole text without it. */
RELAYOUT_API size_t relayout_shape_format(const relayout_shape *shape, char *buffer,
                                          size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
