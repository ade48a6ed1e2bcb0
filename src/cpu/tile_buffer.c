/* tile_buffer.c: the order of the destination, kept within a tile. */
#include "cpu/tile_buffer.h"

#include <string.h>

#include "base/checked.h"

enum { LEAST_INTERLEAVED = 64, FEW_CHANNELS = 4 };

/* The tile's axes in the destination's order. Simplified problems number them so. */
static int32_t axes_of(const rlt_problem *problem, const rlt_group *columns, const rlt_group *rows,
                       rlt_tile_axis *axes) {
  const int32_t count = rlt_tile_axes(problem, columns, rows, axes);
  for (int32_t i = 1; i < count; ++i) {
    const rlt_tile_axis moved = axes[i];
    int32_t at = i;
    for (; at > 0 && axes[at - 1].axis > moved.axis; --at) {
      axes[at] = axes[at - 1];
    }
    axes[at] = moved;
  }
  return count;
}

static bool is_interleaved(const rlt_tile_buffer_request *of, int64_t stride) {
  const bool is_known = (stride >= 2 && stride <= FEW_CHANNELS) || stride == 2 * FEW_CHANNELS;
  return (is_known && stride <= of->most_channels) ||
         (stride > FEW_CHANNELS && stride <= of->most_in_lanes);
}

/* The pieces of what is not a copy, and which are interleaved. Channels end with the first
 * axis of their columns, or rows, though more of them may be dense, unless these are so few
 * that transposing them with others is faster. It never is for rows of few channels, which
 * leave most of a block idle. */
static void make_pieces(const rlt_tile_buffer_request *of, const int64_t *strides,
                        rlt_tile_buffer *tile_buffer) {
  const rlt_problem *const problem = of->problem;
  const rlt_group *const columns = of->columns;
  const rlt_group *const rows = of->rows;
  tile_buffer->dense_columns = rlt_group_runs(problem, columns, false).length;
  tile_buffer->valid_columns = tile_buffer->dense_columns;
  if (columns->axis_count == 0 || rows->axis_count == 0) {
    return;
  }
  const rlt_axis *const first = &problem->axes[columns->axes[0]];
  const int64_t steps = rlt_group_steps(problem, columns, 0);
  if (is_interleaved(of, first->source_stride) && tile_buffer->dense_rows <= first->source_stride &&
      (tile_buffer->dense_columns == steps ||
       (tile_buffer->dense_columns > steps && first->valid >= LEAST_INTERLEAVED))) {
    tile_buffer->read_channels = first->source_stride;
    tile_buffer->dense_columns = steps;
    tile_buffer->valid_columns = columns->axis_count == 1 ? steps : first->valid;
  }
  const int64_t row_stride = strides[rows->axes[0]];
  const int64_t row_steps = rlt_group_steps(problem, rows, 0);
  const bool are_enough = row_stride <= FEW_CHANNELS || row_steps >= LEAST_INTERLEAVED;
  if (is_interleaved(of, row_stride) && tile_buffer->dense_columns == row_stride &&
      (tile_buffer->dense_rows == row_steps ||
       (tile_buffer->dense_rows > row_steps && are_enough))) {
    tile_buffer->write_channels = row_stride;
    tile_buffer->valid_rows = rlt_min(tile_buffer->valid_rows, row_steps);
    tile_buffer->dense_rows = row_steps;
  }
}

/* True if pieces of this length ascend in memory when `inner` is the inner loop over them. */
static bool is_ascending(const rlt_problem *problem, const rlt_group *inner, const rlt_group *outer,
                         const int64_t *strides, int64_t piece) {
  rlt_tile_axis axes[RLT_MAX_TILE_AXES];
  const int32_t count = rlt_tile_axes(problem, inner, outer, axes);
  int64_t below = piece;
  for (int32_t i = 0; i < count; ++i) {
    const int64_t stride = strides[axes[i].axis];
    if (stride >= piece) { /* behind it */
      if (stride < below) {
        return false;
      }
      below = stride;
    }
  }
  return true;
}

void rlt_tile_buffer_strides(const rlt_problem *problem, const rlt_group *columns,
                             const rlt_group *rows, const rlt_tile_buffer *tile_buffer,
                             int64_t strides[RLT_MAX_AXES]) {
  rlt_tile_axis axes[RLT_MAX_TILE_AXES];
  const int32_t count = axes_of(problem, columns, rows, axes);
  int64_t pitch = tile_buffer->segment_pitch;
  memset(strides, 0, RLT_MAX_AXES * sizeof strides[0]);
  for (int32_t i = 0; i < count; ++i) {
    const bool is_inside = i < tile_buffer->segment.axis_count;
    strides[axes[i].axis] = is_inside ? problem->axes[axes[i].axis].destination_stride : pitch;
    pitch *= is_inside ? 1 : axes[i].steps;
  }
}

void rlt_tile_buffer_make(const rlt_tile_buffer_request *of, rlt_tile_buffer *tile_buffer) {
  const rlt_problem *const problem = of->problem;
  rlt_tile_axis axes[RLT_MAX_TILE_AXES];
  const int32_t count = axes_of(problem, of->columns, of->rows, axes);
  const rlt_tile_runs segment = rlt_tile_runs_of(problem, axes, count, false);
  const rlt_tile_runs dense = rlt_group_runs(problem, of->rows, true);
  *tile_buffer = (rlt_tile_buffer){.dense_rows = dense.length,
                                   .valid_rows = dense.valid,
                                   .segment = segment,
                                   .segment_count = 1,
                                   .segment_pitch = segment.length + of->lanes};
  for (int32_t i = segment.axis_count; i < count; ++i) {
    tile_buffer->segment_count *= axes[i].steps;
  }
  int64_t strides[RLT_MAX_AXES];
  rlt_tile_buffer_strides(problem, of->columns, of->rows, tile_buffer, strides);
  tile_buffer->elements = tile_buffer->segment_pitch * tile_buffer->segment_count;
  if (of->copies) {
    const bool alone = of->columns->axis_count <= 1;
    tile_buffer->dense_columns = alone ? rlt_group_length(of->columns) : problem->axes[0].extent;
    tile_buffer->valid_columns = alone ? tile_buffer->dense_columns : problem->axes[0].valid;
  } else {
    make_pieces(of, strides, tile_buffer);
  }
  const int64_t piece = tile_buffer->dense_columns;
  tile_buffer->rows_inside = is_ascending(problem, of->rows, of->columns, strides, piece);
  tile_buffer->exact = !tile_buffer->rows_inside && piece < of->lanes;
  if (tile_buffer->exact && of->copies) {
    tile_buffer->exact = !is_ascending(problem, of->columns, of->rows, strides, piece);
  }
}

void rlt_staging_segments(const rlt_problem *problem, const rlt_group *columns,
                          const rlt_group *rows, const rlt_tile_buffer *tile_buffer,
                          rlt_tile_run *segments) {
  rlt_tile_axis axes[RLT_MAX_TILE_AXES];
  const int32_t count = axes_of(problem, columns, rows, axes);
  const int32_t inside = tile_buffer->segment.axis_count;
  for (int64_t s = 0; s < tile_buffer->segment_count; ++s) {
    segments[s] = rlt_tile_run_at(problem, axes + inside, count - inside, false, s);
  }
}
