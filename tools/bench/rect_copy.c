/* rect_copy.c: a relayout cut into copies of rectangles. */
#include "rect_copy.h"

enum { MOST_RECTANGLES = 16384 };

/* OpenCL wants slices to lie behind each other, whole rows apart. Of two strides the larger is
 * always a multiple of the smaller, both being products of widths in the same order. */
static bool is_slice_of(size_t slice_stride, size_t row_stride, size_t rows) {
  return slice_stride / row_stride >= rows;
}

static bool can_be_slices(const bench_axis *slices, const bench_axis *rows) {
  return is_slice_of(slices->source_stride, rows->source_stride, rows->extent) &&
         is_slice_of(slices->destination_stride, rows->destination_stride, rows->extent);
}

/* The axes of rows and of slices that leave the fewest rectangles; axis_count
 * where there is none. */
static void choose(const bench_strided *moved, size_t *rows, size_t *slices) {
  const size_t none = moved->axis_count;
  size_t most = 0;
  *rows = none;
  *slices = none;
  for (size_t r = 1; r < none; r++) {
    if (moved->axes[r].extent > most) {
      most = moved->axes[r].extent;
      *rows = r;
      *slices = none;
    }
    for (size_t s = 1; s < none; s++) {
      const size_t covered = moved->axes[r].extent * moved->axes[s].extent;
      if (s != r && covered > most && can_be_slices(&moved->axes[s], &moved->axes[r])) {
        most = covered;
        *rows = r;
        *slices = s;
      }
    }
  }
}

static void set_rows(rect_copy *made, const bench_axis *axis) {
  made->region[1] = axis->extent;
  made->source_row_pitch = axis->source_stride;
  made->destination_row_pitch = axis->destination_stride;
}

static void set_slices(rect_copy *made, const bench_axis *axis) {
  made->region[2] = axis->extent;
  made->source_slice_pitch = axis->source_stride;
  made->destination_slice_pitch = axis->destination_stride;
}

bool rect_copy_of(const bench_strided *moved, rect_copy *made) {
  if (moved->axis_count > 0 &&
      (moved->axes[0].source_stride != 1 || moved->axes[0].destination_stride != 1)) {
    return false;
  }
  const size_t bytes = moved->element_bytes;
  const size_t run = moved->axis_count > 0 ? moved->axes[0].extent * bytes : bytes;
  size_t rows;
  size_t slices;
  choose(moved, &rows, &slices);
  *made = (rect_copy){.count = 1, .region = {run, 1, 1}};
  set_rows(made, &(bench_axis){1, run, run});
  for (size_t i = 1; i < moved->axis_count; i++) {
    const bench_axis axis = {moved->axes[i].extent, moved->axes[i].source_stride * bytes,
                             moved->axes[i].destination_stride * bytes};
    if (i == rows) {
      set_rows(made, &axis);
    } else if (i == slices) {
      set_slices(made, &axis);
    } else {
      made->loops[made->loop_count] = axis;
      made->loop_count += 1;
      if (axis.extent > MOST_RECTANGLES / made->count) {
        return false;
      }
      made->count *= axis.extent;
    }
  }
  if (made->region[2] == 1) {
    made->source_slice_pitch = made->region[1] * made->source_row_pitch;
    made->destination_slice_pitch = made->region[1] * made->destination_row_pitch;
  }
  return true;
}

void rect_copy_begin(const rect_copy *of, size_t which, size_t *source, size_t *destination) {
  *source = 0;
  *destination = 0;
  for (size_t i = 0; i < of->loop_count; i++) {
    const size_t digit = which % of->loops[i].extent;
    which /= of->loops[i].extent;
    *source += digit * of->loops[i].source_stride;
    *destination += digit * of->loops[i].destination_stride;
  }
}
