/* rectangles.c: runs become rows, rows slices, slices rectangles. */
#include "opencl/rectangles.h"

#include <stdbool.h>

rlt_rectangles rlt_rectangles_of(rlt_rectangle_visitor visitor, void *context) {
  return (rlt_rectangles){.visitor = visitor, .context = context};
}

static void tell(const rlt_rectangles *of, const rlt_rectangle *rectangle) {
  if (rectangle->slices > 0) {
    of->visitor(of->context, rectangle);
  }
}

/* Whether rows are these, wherever they begin. The pitch of a single one does not matter; where
 * there are none yet they are alike to nothing. */
static bool are_alike(const rlt_rectangle *a, const rlt_rectangle *b) {
  return a->width == b->width && a->rows == b->rows &&
         (a->rows == 1 || a->row_pitch == b->row_pitch);
}

/* The last rows are complete: they go with the slices before them, or begin anew. */
static void close_slice(rlt_rectangles *of) {
  const rlt_rectangle *const slice = &of->slice;
  rlt_rectangle *const whole = &of->whole;
  const int64_t step = slice->first - (whole->first + (whole->slices - 1) * whole->slice_pitch);
  const bool follows =
      are_alike(whole, slice) &&
      (whole->slices == 1 ? step >= whole->rows * whole->row_pitch : step == whole->slice_pitch);
  if (follows) {
    whole->slice_pitch = step;
    ++whole->slices;
  } else {
    tell(of, whole);
    *whole = *slice;
  }
}

static rlt_rectangle row_of(rlt_bytes run) {
  const int64_t width = run.end - run.first;
  return (rlt_rectangle){run.first, width, 1, width, 1, width};
}

void rlt_rectangles_add(void *context, rlt_bytes run) {
  rlt_rectangles *const of = context;
  rlt_rectangle *const slice = &of->slice;
  const int64_t step = run.first - (slice->first + (slice->rows - 1) * slice->row_pitch);
  if (slice->rows == 1 && step == slice->width) { /* goes on where the only row ends */
    *slice = row_of((rlt_bytes){slice->first, run.end});
    return;
  }
  const bool follows = slice->rows > 0 && run.end - run.first == slice->width &&
                       (slice->rows == 1 ? step > slice->width : step == slice->row_pitch) &&
                       !are_alike(&of->whole, slice);
  if (follows) {
    slice->row_pitch = step;
    ++slice->rows;
    slice->slice_pitch = slice->rows * step;
    return;
  }
  if (slice->rows > 0) {
    close_slice(of);
  }
  *slice = row_of(run);
}

void rlt_rectangles_finish(rlt_rectangles *of) {
  if (of->slice.rows > 0) {
    close_slice(of);
  }
  tell(of, &of->whole);
  of->slice = of->whole = (rlt_rectangle){.slices = 0};
}
