/* tables.c: where the rows, columns and segments of a tile lie, and what the next one reads. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "cpu/executable.h"

enum { LINE_BYTES = RLT_CPU_LINE_BYTES };

static relayout_status no_memory(relayout_error *error) {
  return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the tables of a plan's tiles");
}

/* ---- Positions ---- */

/* In bytes, but for those that have no source. */
static relayout_status set_positions(const rlt_schedule *schedule, const rlt_problem *problem,
                                     const rlt_group *group, rlt_cpu_positions *made,
                                     relayout_error *error) {
  const int64_t length = rlt_group_length(group);
  made->count = length;
  made->from = rlt_malloc(2 * (size_t)length * sizeof *made->from);
  if (made->from == NULL) {
    return no_memory(error);
  }
  made->to = made->from + length;
  int64_t strides[RLT_MAX_AXES];
  rlt_tile_buffer_strides(problem, &schedule->columns, &schedule->rows, &schedule->tile_buffer,
                          strides);
  rlt_group_offsets(problem, group, schedule->buffered ? strides : NULL, made->from, made->to);
  for (int64_t p = 0; p < length; ++p) {
    made->from[p] *= made->from[p] == RLT_NO_SOURCE ? 1 : problem->element_bytes;
    made->to[p] *= problem->element_bytes;
  }
  return RELAYOUT_OK;
}

/* Columns that have no source stand where the one before them does, so that they can be read too.
 * The first one has a source. */
static relayout_status set_column_gaps(int64_t length, int64_t element_bytes, rlt_cpu_frame *frame,
                                       relayout_error *error) {
  int64_t *const from = frame->columns.from;
  frame->keeps = rlt_calloc((size_t)(length * element_bytes + LINE_BYTES), 1);
  if (frame->keeps == NULL) {
    return no_memory(error);
  }
  for (int64_t p = 0; p < length; ++p) {
    if (from[p] == RLT_NO_SOURCE) {
      from[p] = from[p - 1];
    } else {
      memset(frame->keeps + p * element_bytes, 0xff, (size_t)element_bytes);
    }
  }
  return RELAYOUT_OK;
}

/* Keeps every `run`th position. */
static void keep_run_starts(int64_t run, rlt_cpu_positions *positions) {
  const int64_t length = positions->count;
  const int64_t count = rlt_divide_up(length, run);
  for (int64_t r = 0; r < count; ++r) {
    positions->from[r] = positions->from[r * run];
  }
  for (int64_t r = 0; r < count; ++r) {
    positions->from[count + r] = positions->to[r * run];
  }
  int64_t *const shorter = rlt_realloc(positions->from, 2 * (size_t)length * sizeof *shorter,
                                       2 * (size_t)count * sizeof *shorter);
  positions->from = shorter == NULL ? positions->from : shorter;
  positions->to = positions->from + count;
  positions->count = count;
}

/* True if these positions are one pixel of three bytes apart. */
static bool are_pixels(const int64_t *positions, int64_t count) {
  bool are = count > 1;
  for (int64_t p = 0; p < count && are; ++p) {
    are = positions[p] == 3 * p;
  }
  return are;
}

static relayout_status set_sides(const rlt_problem *problem, const rlt_schedule *schedule,
                                 rlt_cpu_frame *frame, relayout_error *error) {
  const rlt_group *const columns = &schedule->columns;
  relayout_status status = set_positions(schedule, problem, &schedule->rows, &frame->rows, error);
  if (status == RELAYOUT_OK) {
    status = set_positions(schedule, problem, columns, &frame->columns, error);
  }
  if (status == RELAYOUT_OK && rlt_group_has_gaps(problem, columns)) {
    status = set_column_gaps(rlt_group_length(columns), problem->element_bytes, frame, error);
  }
  if (status == RELAYOUT_OK && rlt_cpu_move_row_of(schedule->move)->copies_runs) {
    keep_run_starts(frame->tile_buffer.dense_columns, &frame->columns);
    frame->are_pixels = frame->tile_buffer.dense_columns * frame->element_bytes == 3 &&
                        are_pixels(frame->rows.from, frame->rows.count) &&
                        are_pixels(frame->columns.to, frame->columns.count);
  }
  frame->row_gaps = rlt_group_has_gaps(problem, &schedule->rows);
  return status;
}

/* ---- Segments ---- */

static relayout_status set_segments(const rlt_schedule *schedule, rlt_cpu_frame *frame,
                                    relayout_error *error) {
  const rlt_problem *const problem = schedule->problem;
  const rlt_tile_buffer *const tile_buffer = &frame->tile_buffer;
  frame->segments = rlt_malloc((size_t)tile_buffer->segment_count * sizeof *frame->segments);
  if (frame->segments == NULL) {
    return no_memory(error);
  }
  rlt_staging_segments(problem, &schedule->columns, &schedule->rows, tile_buffer, frame->segments);
  frame->begins_lines = schedule->only_aligned;
  frame->destination_bits = rlt_problem_destination_bits(problem);
  frame->segment_pitch = rlt_divide_up(tile_buffer->segment_pitch * frame->destination_bits, 8);
  return RELAYOUT_OK;
}

/* ---- What to fetch ahead ---- */

/* How far the source goes from its lowest element on without leaving out a line, in bits, and how
 * many of the axes that takes. */
static int64_t run_of(const rlt_problem *problem, const rlt_tile_axis *axes, int32_t count,
                      int32_t *inside) {
  const int64_t bits = rlt_problem_source_bits(problem);
  int64_t run = bits;
  for (*inside = 0; *inside < count; ++*inside) {
    const rlt_tile_axis *const next = &axes[*inside];
    const int64_t stride = bits * llabs(problem->axes[next->axis].source_stride);
    if (stride > run + 8 * LINE_BYTES) {
      break;
    }
    run += stride * (next->steps - 1);
  }
  return run;
}

/* True if every run begins a line of an aligned source. */
static bool begins_lines(const rlt_problem *problem, int64_t run) {
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const int64_t stride = llabs(problem->axes[a].source_stride) * rlt_problem_source_bits(problem);
    if (problem->axes[a].valid > 1 && stride >= run && stride % (8 * LINE_BYTES) != 0) {
      return false;
    }
  }
  return true;
}

/* The bytes of a run by which its lines are fetched: the last that each line can have in it, and
 * where runs begin anywhere in lines, the first of all. */
static int64_t bytes_of_run(int64_t run, bool begins_line, int64_t *bytes) {
  int64_t count = 0;
  if (!begins_line) {
    bytes[count++] = 0;
  }
  for (int64_t last = LINE_BYTES - 1; last < run; last += LINE_BYTES) {
    bytes[count++] = last;
  }
  if (run % LINE_BYTES != 0) {
    bytes[count++] = run - 1;
  }
  return count;
}

static relayout_status set_ahead(const rlt_schedule *schedule, rlt_cpu_frame *frame,
                                 relayout_error *error) {
  const rlt_problem *const problem = schedule->problem;
  rlt_tile_axis axes[RLT_MAX_TILE_AXES];
  const int32_t count = rlt_tile_read_axes(problem, &schedule->columns, &schedule->rows, axes);
  int32_t inside;
  const int64_t run_bits = run_of(problem, axes, count, &inside);
  const int64_t run = rlt_divide_up(run_bits, 8);
  int64_t runs = 1;
  int64_t lowest = 0; /* of a run, from where it starts */
  for (int32_t a = 0; a < count; ++a) {
    const int64_t stride = problem->axes[axes[a].axis].source_stride;
    runs *= a < inside ? 1 : axes[a].steps;
    lowest += a < inside ? rlt_min(stride, 0) * (axes[a].steps - 1) : 0;
  }
  const int64_t most_in_run = rlt_divide_up(run, LINE_BYTES) + 1;
  int64_t *const bytes = rlt_malloc((size_t)most_in_run * sizeof *bytes);
  frame->ahead = rlt_malloc((size_t)(runs * most_in_run) * sizeof *frame->ahead);
  if (bytes == NULL || frame->ahead == NULL) {
    rlt_free(bytes);
    return no_memory(error);
  }
  const int64_t in_run = bytes_of_run(run, begins_lines(problem, run_bits), bytes);
  for (int64_t r = 0; r < runs; ++r) {
    const int64_t start =
        lowest + rlt_tile_run_at(problem, axes + inside, count - inside, true, r).start;
    for (int64_t i = 0; i < in_run; ++i) {
      frame->ahead[frame->ahead_count++] = start * rlt_problem_source_bits(problem) / 8 + bytes[i];
    }
  }
  rlt_free(bytes);
  return RELAYOUT_OK;
}

/* ---- All of it ---- */

/* The dense columns are evenly spaced in the source if they are those of one axis. */
static int64_t column_step(const rlt_problem *problem, const rlt_group *columns, int64_t dense) {
  const bool are_of_one = columns->axis_count > 0 && dense == rlt_group_steps(problem, columns, 0);
  return are_of_one ? problem->axes[columns->axes[0]].source_stride * problem->element_bytes : 0;
}

relayout_status rlt_cpu_tables_make(const rlt_problem *arrived, rlt_cpu_executable *made,
                                    relayout_error *error) {
  const rlt_schedule *const schedule = made->schedule;
  rlt_cpu_frame *const frame = &made->frame;
  frame->is_buffered = schedule->buffered;
  frame->tile_buffer = schedule->tile_buffer;
  frame->tile_buffer.exact = frame->tile_buffer.exact || !schedule->buffered;
  frame->column_step = column_step(arrived, &schedule->columns, frame->tile_buffer.dense_columns);
  frame->row_inner = schedule->rows.inner;
  frame->column_inner = schedule->columns.inner;
  relayout_status status = set_sides(arrived, schedule, frame, error);
  if (status == RELAYOUT_OK && schedule->buffered) {
    status = set_segments(schedule, frame, error);
  }
  frame->fetch_level = schedule->prefetch.level;
  if (status == RELAYOUT_OK && schedule->prefetch.tiles > 0) {
    status = set_ahead(schedule, frame, error);
  }
  return status;
}

void rlt_cpu_tables_free(rlt_cpu_executable *made) {
  rlt_free(made->frame.rows.from);
  rlt_free(made->frame.columns.from);
  rlt_free(made->frame.keeps);
  rlt_free(made->frame.segments);
  rlt_free(made->frame.ahead);
  rlt_free(made->runs);
}

static size_t positions_bytes(const rlt_cpu_positions *made) {
  return made->from == NULL ? 0 : 2 * (size_t)made->count * sizeof *made->from;
}

size_t rlt_cpu_tables_bytes(const rlt_cpu_executable *made) {
  const rlt_cpu_frame *const frame = &made->frame;
  const rlt_group *const columns = &made->schedule->columns;
  size_t bytes = positions_bytes(&frame->rows) + positions_bytes(&frame->columns) +
                 (size_t)frame->ahead_count * sizeof *frame->ahead;
  if (frame->keeps != NULL) {
    bytes += (size_t)(rlt_group_length(columns) * frame->element_bytes + LINE_BYTES);
  }
  if (frame->segments != NULL) {
    bytes += (size_t)frame->tile_buffer.segment_count * sizeof *frame->segments;
  }
  if (made->runs != NULL) {
    bytes += (size_t)made->unpacking.run_count * sizeof *made->runs;
  }
  return bytes;
}
