/* tables.c: where the rows, columns and segments of a tile lie, and what the next one reads. */
#include "cpu/tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "plan/grid.h"

enum { LINE_BYTES = RLT_CPU_LINE_BYTES };

static relayout_status no_memory(relayout_error *error) {
  return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the tables of a plan's tiles");
}

/* ---- Positions ---- */

/* Those that have no source stand where the one before them does, so that they can be read too. */
static relayout_status set_column_gaps(const int64_t *sources, int64_t length,
                                       int64_t element_bytes, rlt_cpu_frame *frame,
                                       relayout_error *error) {
  frame->keeps = calloc((size_t)(length * element_bytes + LINE_BYTES), 1);
  if (frame->keeps == NULL) {
    return no_memory(error);
  }
  for (int64_t p = 0; p < length; ++p) {
    if (sources[p] == RLT_NO_SOURCE) {
      frame->columns.from[p] = p > 0 ? frame->columns.from[p - 1] : 0;
    } else {
      memset(frame->keeps + p * element_bytes, 0xff, (size_t)element_bytes);
    }
  }
  return RELAYOUT_OK;
}

static relayout_status set_positions(const rlt_problem *problem, const rlt_group *group,
                                     const rlt_staging *staging, bool staged, int64_t *offsets,
                                     rlt_cpu_positions *made, relayout_error *error) {
  const int64_t length = rlt_group_held(group);
  int64_t *const destinations = offsets + length;
  made->from = malloc(2 * (size_t)length * sizeof *made->from);
  if (made->from == NULL) {
    return no_memory(error);
  }
  made->to = made->from + length;
  rlt_group_offsets(problem, group, offsets, destinations);
  if (staged) {
    rlt_staging_offsets(problem, group, staging, destinations);
  }
  for (int64_t p = 0; p < length; ++p) {
    made->from[p] = offsets[p] == RLT_NO_SOURCE ? RLT_CPU_NO_SOURCE
                                                : (ptrdiff_t)(offsets[p] * problem->element_bytes);
    made->to[p] = (ptrdiff_t)(destinations[p] * problem->element_bytes);
  }
  return RELAYOUT_OK;
}

static relayout_status set_sides(const rlt_problem *problem, const rlt_schedule *schedule,
                                 rlt_cpu_frame *frame, relayout_error *error) {
  const bool staged = schedule->staged;
  const int64_t column_length = rlt_group_held(&schedule->columns);
  const int64_t longer = rlt_max(column_length, rlt_group_held(&schedule->rows));
  int64_t *const offsets = malloc(2 * (size_t)longer * sizeof *offsets);
  if (offsets == NULL) {
    return no_memory(error);
  }
  relayout_status status = set_positions(problem, &schedule->rows, &frame->staging, staged, offsets,
                                         &frame->rows, error);
  if (status == RELAYOUT_OK) {
    status = set_positions(problem, &schedule->columns, &frame->staging, staged, offsets,
                           &frame->columns, error);
  }
  if (status == RELAYOUT_OK && rlt_group_has_gaps(problem, &schedule->columns)) {
    status = set_column_gaps(offsets, column_length, problem->element_bytes, frame, error);
  }
  free(offsets);
  frame->row_gaps = rlt_group_has_gaps(problem, &schedule->rows);
  return status;
}

/* ---- Segments ---- */

static relayout_status set_segments(const rlt_schedule *schedule, rlt_cpu_frame *frame,
                                    relayout_error *error) {
  const rlt_problem *const problem = schedule->problem;
  const size_t count = (size_t)frame->staging.segment_count;
  rlt_segment *const segments = malloc(count * sizeof *segments);
  frame->segments = malloc(count * sizeof *frame->segments);
  if (segments == NULL || frame->segments == NULL) {
    free(segments);
    return no_memory(error);
  }
  rlt_staging_segments(problem, &schedule->columns, &schedule->rows, &frame->staging, segments);
  for (size_t s = 0; s < count; ++s) {
    frame->segments[s] =
        (rlt_cpu_segment){.destination = (ptrdiff_t)(segments[s].destination *
                                                     rlt_problem_destination_bits(problem) / 8),
                          .position = segments[s].destination,
                          .column_step = segments[s].column_step,
                          .row_step = segments[s].row_step};
  }
  free(segments);
  const rlt_staging *const made = &frame->staging;
  frame->segment_bits = made->segment_unit * rlt_problem_destination_bits(problem);
  frame->segment_pitch =
      rlt_divide_up(made->segment_pitch * rlt_problem_destination_bits(problem), 8);
  return RELAYOUT_OK;
}

/* ---- What to fetch ahead ---- */

/* The tile's axes as the source has them, the smallest stride first, and each as often as a
 * whole tile moves it. In bits. */
typedef struct walk {
  int64_t first; /* from the tile's start back to the lowest, where strides are below 0 */
  int32_t count;
  int64_t strides[RLT_MAX_TILE_AXES];
  int64_t steps[RLT_MAX_TILE_AXES];
} walk;

static walk walk_of(const rlt_schedule *schedule) {
  const rlt_problem *const problem = schedule->problem;
  rlt_tile_axis axes[RLT_MAX_TILE_AXES];
  const int32_t count = rlt_tile_axes(problem, &schedule->columns, &schedule->rows, axes);
  walk made = {.first = 0};
  for (int32_t i = 0; i < count; ++i) {
    const rlt_axis *const axis = &problem->axes[axes[i].axis];
    const int64_t steps = rlt_min(axes[i].steps, axis->valid);
    if (steps <= 1 || axis->source_stride == 0) {
      continue;
    }
    int32_t at = made.count++;
    const int64_t signed_stride = axis->source_stride * rlt_problem_source_bits(problem);
    const int64_t stride = llabs(signed_stride);
    made.first += signed_stride < 0 ? signed_stride * (steps - 1) : 0;
    for (; at > 0 && made.strides[at - 1] > stride; --at) {
      made.strides[at] = made.strides[at - 1];
      made.steps[at] = made.steps[at - 1];
    }
    made.strides[at] = stride;
    made.steps[at] = steps;
  }
  return made;
}

/* How far the source goes without leaving out a line, and how many of the axes that takes. */
static int64_t run_of(const walk *over, int64_t element_bits, int32_t *inside) {
  int64_t run = element_bits;
  for (*inside = 0; *inside < over->count && over->strides[*inside] <= run + 8 * LINE_BYTES;
       ++*inside) {
    run += over->strides[*inside] * (over->steps[*inside] - 1);
  }
  return run;
}

/* Whether runs begin with a line of the source, if the source does. */
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
  const walk over = walk_of(schedule);
  int32_t inside;
  const int64_t run_bits = run_of(&over, rlt_problem_source_bits(problem), &inside);
  const int64_t run = rlt_divide_up(run_bits, 8);
  int64_t runs = 1;
  for (int32_t a = inside; a < over.count; ++a) {
    runs *= over.steps[a];
  }
  const int64_t most_in_run = rlt_divide_up(run, LINE_BYTES) + 1;
  int64_t *const bytes = malloc((size_t)most_in_run * sizeof *bytes);
  frame->ahead = malloc((size_t)(runs * most_in_run) * sizeof *frame->ahead);
  if (bytes == NULL || frame->ahead == NULL) {
    free(bytes);
    return no_memory(error);
  }
  const int64_t in_run = bytes_of_run(run, begins_lines(problem, run_bits), bytes);
  for (int64_t r = 0; r < runs; ++r) {
    int64_t rest = r;
    int64_t start = over.first;
    for (int32_t a = inside; a < over.count; ++a) {
      start += rest % over.steps[a] * over.strides[a];
      rest /= over.steps[a];
    }
    for (int64_t i = 0; i < in_run; ++i) {
      frame->ahead[frame->ahead_count++] = (ptrdiff_t)(start / 8 + bytes[i]);
    }
  }
  free(bytes);
  return RELAYOUT_OK;
}

/* ---- All of it ---- */

/* The dense columns are evenly spaced in the source if they are those of one axis. */
static ptrdiff_t column_step(const rlt_problem *problem, const rlt_group *columns, int64_t dense) {
  const bool are_of_one = columns->axis_count > 0 && dense == rlt_group_steps(problem, columns, 0);
  return are_of_one
             ? (ptrdiff_t)(problem->axes[columns->axes[0]].source_stride * problem->element_bytes)
             : 0;
}

relayout_status rlt_cpu_tables_make(const rlt_schedule *schedule, const rlt_problem *arrived,
                                    rlt_cpu_frame *frame, relayout_error *error) {
  frame->staging = schedule->staging;
  frame->staging.exact = frame->staging.exact || !schedule->staged;
  frame->column_step = column_step(arrived, &schedule->columns, frame->staging.dense_columns);
  frame->row_inner = schedule->rows.inner;
  frame->column_inner = schedule->columns.inner;
  relayout_status status = set_sides(arrived, schedule, frame, error);
  if (status == RELAYOUT_OK && schedule->staged) {
    status = set_segments(schedule, frame, error);
  }
  if (status == RELAYOUT_OK && schedule->prefetched) {
    status = set_ahead(schedule, frame, error);
  }
  return status;
}

void rlt_cpu_tables_free(rlt_cpu_frame *frame) {
  free(frame->rows.from);
  free(frame->columns.from);
  free(frame->keeps);
  free(frame->segments);
  free(frame->ahead);
}
