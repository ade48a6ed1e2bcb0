/* rect_copy.h: a relayout as a series of copies of rectangles, which is what
 * clEnqueueCopyBufferRect can do. Depends on strided.h. */
#ifndef TOOLS_BENCH_RECT_COPY_H
#define TOOLS_BENCH_RECT_COPY_H

#include "strided.h"

/* All sizes are in bytes but for the counts of rows and slices. */
typedef struct rect_copy {
  size_t region[3]; /* bytes of a row, rows, slices */
  size_t source_row_pitch;
  size_t source_slice_pitch;
  size_t destination_row_pitch;
  size_t destination_slice_pitch;
  size_t count; /* rectangles */
  size_t loop_count;
  bench_axis loops[RELAYOUT_MAX_RANK]; /* from one rectangle to the next; strides are in bytes */
} rect_copy;

/* As few rectangles as there can be. False where both sides do not run along the same axis, and for
 * more than 16384 rectangles. */
bool rect_copy_of(const bench_strided *moved, rect_copy *made);

/* Where rectangle `which` begins on both sides. */
void rect_copy_begin(const rect_copy *of, size_t which, size_t *source, size_t *destination);

#endif
