/* shape.h: element type, dimensions and layout of an array (XLA's Shape and ShapeUtil).
 *
 * A shape is a plain value of about two kilobytes: fill it, copy it, compare it. It owns nothing. A
 * shape always has a layout. Functions other than make, parse and validate expect a valid shape.
 * Given an invalid one, those that return a status refuse it, and the others return 0 or false. All
 * functions here are pure and thread-safe.
 *
 * Dimension numbers count from 0. Where a function says so, a negative number counts from the end:
 * -1 is the last dimension. */
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

/* Makes a shape with the default (descending) layout. `dimensions` has `rank` entries and may be
 * NULL when that is 0. RELAYOUT_INVALID_SHAPE, RELAYOUT_SIZE_OVERFLOW. */
RELAYOUT_API relayout_status relayout_shape_make(relayout_element_type type, int32_t rank,
                                                 const int64_t *dimensions, relayout_shape *shape,
                                                 relayout_error *error);

/* Makes a shape with any layout of this rank. */
RELAYOUT_API relayout_status relayout_shape_make_with_layout(
    relayout_element_type type, int32_t rank, const int64_t *dimensions,
    const relayout_layout *layout, relayout_shape *shape, relayout_error *error);

/* XLA's MakeShapeWithDescendingLayoutAndSamePhysicalLayout: lists the dimensions of `shape` from
 * major to minor and gives them the descending layout, so that every byte keeps its place. Padding
 * follows its dimension. */
RELAYOUT_API relayout_status relayout_shape_make_descending_same_physical(
    const relayout_shape *shape, relayout_shape *result, relayout_error *error);

/* Checks XLA's rules: a known element type; rank 0 .. 64; dimensions >= 0; minor_to_major a
 * permutation (XLA's parser accepts duplicates, which are refused here); padded_dimensions none, or
 * one for each dimension and not smaller than it; a padding value that the type has; at least one
 * dimension in each tile, all >= 1 or `*`, but not `*` last; an alignment >= 0; an element size
 * that the type can have; and at most 2^57 bytes (2^60 bits) in memory, with padding, tiles and
 * alignment. A dimension of 0 counts as 1 for this limit. RELAYOUT_INVALID_SHAPE,
 * RELAYOUT_SIZE_OVERFLOW. */
RELAYOUT_API relayout_status relayout_shape_validate(const relayout_shape *shape,
                                                     relayout_error *error);

/* ---- Comparing ------------------------------------------------------------------------------ */

/* Element type, dimensions and layout. Padded dimensions that equal the dimensions are the same as
 * none, an element size of the type's whole bytes is the same as 0, an alignment of 1 is the same
 * as 0, and without padding all padding values are the same. */
RELAYOUT_API bool relayout_shape_equal(const relayout_shape *a, const relayout_shape *b);
/* The same, except that the layouts' tiles may differ. */
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

/* The number of dimensions that are not 1 (XLA's TrueRank). */
RELAYOUT_API int32_t relayout_shape_true_rank(const relayout_shape *shape);

/* Turns a dimension number in -rank .. rank-1 into one in 0 .. rank-1; returns the size of such a
 * dimension. RELAYOUT_OUT_OF_RANGE. */
RELAYOUT_API relayout_status relayout_shape_dimension_number(const relayout_shape *shape,
                                                             int64_t number, int32_t *dimension,
                                                             relayout_error *error);
RELAYOUT_API relayout_status relayout_shape_dimension(const relayout_shape *shape, int64_t number,
                                                      int64_t *size, relayout_error *error);

/* The width in memory of logical dimension d in 0 .. rank-1, with its padding. 0 for any other d.
 */
RELAYOUT_API int64_t relayout_shape_padded_dimension(const relayout_shape *shape, int32_t d);

/* True if a padded dimension is wider than its dimension, or if tiles or the tail alignment add
 * elements that have no multi-index. */
RELAYOUT_API bool relayout_shape_is_padded(const relayout_shape *shape);

/* Logical elements: the product of the dimensions, 1 for a scalar. */
RELAYOUT_API int64_t relayout_shape_element_count(const relayout_shape *shape);

/* The elements and bytes that the array takes in memory, padding of every kind included: the
 * product of the dimensions after tiling, rounded up to the tail alignment. Elements that are
 * packed or in wider containers take ceil(count * element_size_in_bits / 8) bytes. For an invalid
 * shape both return what relayout_shape_validate returns. */
RELAYOUT_API relayout_status relayout_shape_physical_element_count(const relayout_shape *shape,
                                                                   int64_t *count,
                                                                   relayout_error *error);
RELAYOUT_API relayout_status relayout_shape_byte_size(const relayout_shape *shape, size_t *bytes,
                                                      relayout_error *error);

/* How many of these bytes are padding: the bytes of the array less those that its elements would
 * take one after the other, in their containers. Returns what relayout_shape_validate returns for
 * an invalid shape. */
RELAYOUT_API relayout_status relayout_shape_padding_byte_size(const relayout_shape *shape,
                                                              size_t *bytes, relayout_error *error);

/* The dimensions of the array as it lies in memory, the most major first, after padding and tiling.
 * The descending layout of these dimensions has the same elements at the same places, without the
 * tail alignment. The first is 0 for an array with tiles and without elements. `*count` becomes
 * their number, RELAYOUT_MAX_PHYSICAL_RANK at most; at most `capacity` are filled (dimensions may
 * be NULL when capacity is 0). Returns what relayout_shape_validate returns for an invalid shape.
 */
enum { RELAYOUT_MAX_PHYSICAL_RANK = 2 * RELAYOUT_MAX_TILE_DIMENSIONS };
RELAYOUT_API relayout_status relayout_shape_physical_dimensions(const relayout_shape *shape,
                                                                size_t capacity,
                                                                int64_t *dimensions, size_t *count,
                                                                relayout_error *error);

/* Strides in elements by logical dimension, `rank` of them: the product of the padded widths of all
 * more minor dimensions. Strides count elements also when these are packed or in wider containers:
 * element i begins at bit i * element_size_in_bits. RELAYOUT_UNSUPPORTED for tiled layouts, which
 * have no strides. */
RELAYOUT_API relayout_status relayout_shape_strides(const relayout_shape *shape, int64_t *strides,
                                                    relayout_error *error);

/* ---- Changing dimensions, the layout following ---------------------------------------------- */
/* In each, `result` may be `shape`. Padding follows its dimension. RELAYOUT_UNSUPPORTED for shapes
 * with tiles, because tiles belong to physical positions. */

/* Dimension i of the result is dimension permutation[i] of `shape`. Every byte keeps its place: the
 * transpose is a bitcast. RELAYOUT_INVALID_ARGUMENT if `permutation` is not a permutation. */
RELAYOUT_API relayout_status relayout_shape_permute_dimensions(const relayout_shape *shape,
                                                               const int32_t *permutation,
                                                               relayout_shape *result,
                                                               relayout_error *error);

/* Removes a dimension (negative numbers count from the end); the order of the others stays. */
RELAYOUT_API relayout_status relayout_shape_delete_dimension(const relayout_shape *shape,
                                                             int64_t number, relayout_shape *result,
                                                             relayout_error *error);

/* Inserts a dimension of `size` before logical dimension `at` in 0 .. rank (rank appends). In
 * memory an appended dimension becomes the most minor one, any other the most major one, as with
 * XLA's AppendMinorDimension and PrependMajorDimension. */
RELAYOUT_API relayout_status relayout_shape_insert_dimension(const relayout_shape *shape,
                                                             int32_t at, int64_t size,
                                                             relayout_shape *result,
                                                             relayout_error *error);

/* Moves a dimension to logical position `to`. The others keep their order, and every element keeps
 * its place in memory. Both numbers may be negative. */
RELAYOUT_API relayout_status relayout_shape_move_dimension(const relayout_shape *shape,
                                                           int64_t number, int64_t to,
                                                           relayout_shape *result,
                                                           relayout_error *error);

/* Removes every dimension of size 1 that padding does not widen. */
RELAYOUT_API relayout_status relayout_shape_drop_degenerate_dimensions(const relayout_shape *shape,
                                                                       relayout_shape *result,
                                                                       relayout_error *error);

/* ---- Bitcasts ------------------------------------------------------------------------------- */

/* True if every byte keeps its place when `input` is transposed so that dimension i of `output` is
 * dimension permutation[i] of `input`. The position of dimensions of size 1 does not matter. The
 * padding must be the same, except for its value. Tiled layouts must have the same tiles over the
 * same physical order. False for an invalid permutation, and for different element types,
 * dimensions, tiles or element sizes. */
RELAYOUT_API bool relayout_shape_transpose_is_bitcast(const relayout_shape *input,
                                                      const relayout_shape *output,
                                                      const int32_t *permutation);

/* True if every byte keeps its place when `input` is reshaped to `output` (the same elements in the
 * order of ascending multi-indices). False for padded or tiled layouts unless the shapes are equal,
 * and for different element sizes or tail padding. */
RELAYOUT_API bool relayout_shape_reshape_is_bitcast(const relayout_shape *input,
                                                    const relayout_shape *output);

/* ---- Text ----------------------------------------------------------------------------------- */

/* The longest text a valid shape prints as, with the NUL. */
enum { RELAYOUT_SHAPE_TEXT_SIZE = 8192 };

/* Parses XLA's text form, extended by PD (padded dimensions), PV (padding value) and PO (packing
 * order):
 *
 *   shape    := type '[' [size {',' size}] ']' [layout]
 *   layout   := '{' [dimension {',' dimension}] [':' properties] '}'
 *   properties, in this order, each at most once:
 *     PD(n,..)     padded_dimensions, one for each logical dimension
 *     PV(value)    zero | one | lowest | highest | unknown | a number | 0x and the element's bits
 *     PO(order)    packing_order: low | high
 *     T(n,..)(..)  tiles; a dimension may be `*`, but not the last
 *     L(n)         tail_padding_alignment_in_elements
 *     E(n)         element_size_in_bits: 0, the type's whole bytes, packed, or a wider container
 *     S(n)         memory_space
 *
 * White space is allowed between any two tokens. A shape without a layout has the default one. A
 * number is rounded to a float type as conversions are (plan.h) and must be in the type's range;
 * inf, -inf and nan are numbers if the type has them. For a complex type it is the real part; the
 * imaginary part is zero. The bits of a complex element are those of the imaginary part, followed
 * by those of the real part. The locale has no effect. The result is valid
 * (relayout_shape_validate). Tuples, dynamic dimensions, and XLA's sparse and other properties are
 * refused; the message names them. RELAYOUT_INVALID_TEXT with the column, RELAYOUT_INVALID_SHAPE,
 * RELAYOUT_SIZE_OVERFLOW, RELAYOUT_UNSUPPORTED. */
RELAYOUT_API relayout_status relayout_shape_parse(const char *text, relayout_shape *shape,
                                                  relayout_error *error);

/* Parses a whole shape as above, or a part of one, and takes everything else from `defaults`:
 *
 *   part     := layout | type | type layout
 *   layout   := as above, or '{' ':' properties '}', or '{' '}'
 *
 * A part has the dimensions of `defaults`, and its type if the text has none. A layout in the text
 * replaces the layout of `defaults` with all its properties; a layout without an order takes the
 * order of `defaults`; `{}` is the layout of rank 0. A type alone keeps the layout of `defaults`,
 * with two changes: an element size that the new type cannot have, or that was the whole bytes of
 * the old type, becomes 0 and its packing order low, and a padding literal becomes the same number
 * in the new type.
 * RELAYOUT_INVALID_SHAPE if the new type lacks the padding value.
 *
 * RELAYOUT_SHAPE_MISMATCH only if the layout of a part has another rank than `defaults`; the other
 * statuses are those of relayout_shape_parse. Columns count in `text`. `shape` may be `defaults`.
 * If `defaults` is NULL, the text must be a whole shape. */
RELAYOUT_API relayout_status relayout_shape_parse_with_defaults(const char *text,
                                                                const relayout_shape *defaults,
                                                                relayout_shape *shape,
                                                                relayout_error *error);

/* Prints the shape with its layout, as XLA does: no white space, no layout for a plain scalar, no
 * property at its default. E is printed unless it is 0, also for the type's whole bytes. Padded
 * dimensions that equal the dimensions are left out. A padding value is printed also without
 * padding: a literal as a short number that parses to its bits, or else as its bits. Parsing the
 * text gives an equal shape. Like snprintf: writes at most `capacity` bytes with the NUL (buffer
 * may be NULL when capacity is 0) and returns the length of the whole text without it. */
RELAYOUT_API size_t relayout_shape_format(const relayout_shape *shape, char *buffer,
                                          size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
