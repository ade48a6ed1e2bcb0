/* rectangles.h: runs of bytes put together to what one transfer between host and buffer moves.
 *
 * Depends on problem/runs.h.
 */
#ifndef RLT_OPENCL_RECTANGLES_H
#define RLT_OPENCL_RECTANGLES_H

#include <stddef.h>
#include <stdint.h>

#include "problem/runs.h"

/* `rows` of `width` bytes, `row_pitch` apart, in `slices` that are `slice_pitch` apart, which is
 * rows * row_pitch or more, and just that of a single one. */
typedef struct rlt_rectangle {
  int64_t first; /* the first byte's place */
  int64_t width;
  int64_t rows;
  int64_t row_pitch;
  int64_t slices;
  int64_t slice_pitch;
} rlt_rectangle;

typedef void (*rlt_rectangle_visitor)(void *context, const rlt_rectangle *rectangle);

/* Runs as they come, and what they have become so far. */
typedef struct rlt_rectangles {
  rlt_rectangle slice; /* the last rows, which may become a slice; no rows: none yet */
  rlt_rectangle whole; /* the slices before them, as many rows each; no slices: none yet */
  rlt_rectangle_visitor visitor;
  void *context;
} rlt_rectangles;

rlt_rectangles rlt_rectangles_of(rlt_rectangle_visitor visitor, void *context);

/* An rlt_run_visitor: `context` is the rlt_rectangles. */
void rlt_rectangles_add(void *context, rlt_bytes run);

/* Tells of what is left. */
void rlt_rectangles_finish(rlt_rectangles *of);

#endif
