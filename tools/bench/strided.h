/* strided.h: a relayout as a benchmark's peers see it: the axes that both shapes have in common.
 * Depends on the public headers. */
#ifndef TOOLS_BENCH_STRIDED_H
#define TOOLS_BENCH_STRIDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/shape.h"

/* Strides count elements. */
typedef struct bench_axis {
  size_t extent;
  size_t source_stride;
  size_t destination_stride;
} bench_axis;

typedef struct bench_strided {
  size_t element_bytes;
  size_t destination_bytes;
  size_t axis_count;                  /* 0: a single element */
  bench_axis axes[RELAYOUT_MAX_RANK]; /* extents above 1, by destination stride; fused where both
                                         sides keep neighbours together */
  bool fills;                         /* there is padding to write, all of it with `fill` */
  uint8_t fill[RELAYOUT_MAX_ELEMENT_SIZE];
} bench_strided;

/* Whether strides and the element type say all of a layout: no tiles, and elements in just their
 * own bytes. */
static inline bool bench_is_strided(const relayout_shape *shape) {
  const int64_t bits = shape->layout.element_size_in_bits;
  return relayout_layout_is_untiled(&shape->layout) &&
         (bits == 0 || bits == 8 * (int64_t)relayout_element_type_byte_size(shape->element_type));
}

/* False for shapes of different element types, for others than that, and without elements. */
bool bench_strided_of(const relayout_shape *from, const relayout_shape *to, bench_strided *made);

/* The transpose of a matrix, row-major as its result is; pitches count elements. */
typedef struct bench_transposition {
  size_t element_bytes; /* 4, 8 or 16, which a BLAS takes for f32, f64 and complex f64 */
  size_t rows;          /* of the source */
  size_t columns;
  size_t source_pitch;
  size_t destination_pitch;
} bench_transposition;

/* Whether this is the transposition of one matrix, of an element size that a BLAS knows. */
bool bench_transposition_of(const bench_strided *moved, bench_transposition *made);

#endif
