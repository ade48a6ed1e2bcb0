/* unpacking.c: where the runs of a tile lie once they are unpacked. */
#include "plan/unpacking.h"

#include <stdlib.h>

#include "base/checked.h"

/* Elements that are unpacked before a run's first one, where it begins within a byte. */
enum { BEFORE_RUN = 8 };

static int64_t stride_of(const rlt_problem *problem, const rlt_tile_axis *of) {
  return llabs(problem->axes[of->axis].source_stride);
}

/* The smallest stride first, bar what elements are swapped among, which comes behind the run. */
static bool comes_before(const rlt_problem *problem, const rlt_tile_axis *a,
                         const rlt_tile_axis *b) {
  const int64_t swapped = problem->transposed_stride;
  if (stride_of(problem, b) == swapped || stride_of(problem, a) == swapped) {
    return stride_of(problem, a) == swapped && stride_of(problem, b) != 1;
  }
  return stride_of(problem, a) < stride_of(problem, b);
}

/* The axes that a tile reads along, in that order, with the steps that have a source. What repeats
 * itself in the source is read once. */
static int32_t read_axes(const rlt_problem *problem, const rlt_group *columns,
                         const rlt_group *rows, rlt_tile_axis *axes) {
  rlt_tile_axis all[RLT_MAX_TILE_AXES];
  const int32_t all_count = rlt_tile_axes(problem, columns, rows, all);
  int32_t count = 0;
  for (int32_t i = 0; i < all_count; ++i) {
    const rlt_axis *const axis = &problem->axes[all[i].axis];
    rlt_tile_axis added = all[i];
    added.is_cut = added.steps < axis->extent || axis->valid < axis->extent;
    added.steps = rlt_min(added.steps, axis->valid);
    if (axis->source_stride == 0) {
      continue;
    }
    int32_t at = count++;
    for (; at > 0 && comes_before(problem, &added, &axes[at - 1]); --at) {
      axes[at] = axes[at - 1];
    }
    axes[at] = added;
  }
  return count;
}

/* How many of them make up a run. */
static int32_t run_axes_of(const rlt_problem *problem, const rlt_tile_axis *axes, int32_t count,
                           int64_t *length) {
  int32_t inside = 0;
  *length = 1;
  while (inside < count && problem->axes[axes[inside].axis].source_stride == *length &&
         *length != problem->transposed_stride) {
    const rlt_tile_axis *const joined = &axes[inside++];
    *length *= joined->steps;
    if (joined->is_cut) {
      break;
    }
  }
  return inside;
}

/* Whether each run's first element begins a byte: the first `inside` axes make up a run. */
static bool runs_start_bytes(const rlt_problem *problem, const rlt_tile_axis *axes,
                             int32_t inside) {
  const int64_t in_byte = 8 / rlt_problem_source_bits(problem);
  int64_t steps[RLT_MAX_AXES];
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    steps[a] = problem->axes[a].source_stride;
  }
  for (int32_t i = 0; i < inside; ++i) {
    steps[axes[i].axis] *= axes[i].is_cut ? axes[i].steps : in_byte;
  }
  bool start = problem->source_start % in_byte == 0;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    start = start && steps[a] % in_byte == 0;
  }
  return start;
}

/* From one run's place to the next one's, with room before each; what a run leaves behind it is
 * overwritten by the next. Whole lines are read faster. */
static int64_t pitch_of(int64_t length, int64_t before, int64_t runs, int64_t room) {
  const int64_t tight = length + before;
  const int64_t lines = rlt_divide_up(tight, RLT_AROUND_RUN) * RLT_AROUND_RUN;
  return runs * lines + 2 * RLT_AROUND_RUN <= room ? lines : tight;
}

void rlt_unpacking_make(const rlt_problem *problem, const rlt_group *columns, const rlt_group *rows,
                        int64_t room, rlt_unpacking *made) {
  rlt_tile_axis *const axes = made->axes;
  int64_t length;
  made->problem = *problem;
  made->axis_count = read_axes(problem, columns, rows, axes);
  made->run_axes = run_axes_of(problem, axes, made->axis_count, &length);
  made->is_exact = length < RLT_AROUND_RUN && !rlt_problem_transposes_bits(problem);
  made->run_unit = length;
  made->run_side = RLT_SEGMENT_NEITHER;
  if (made->run_axes > 0 && axes[made->run_axes - 1].last) {
    made->run_unit = length / axes[made->run_axes - 1].steps;
    made->run_side = axes[made->run_axes - 1].of_columns ? RLT_SEGMENT_COLUMNS : RLT_SEGMENT_ROWS;
  }
  made->run_count = 1;
  for (int32_t i = made->run_axes; i < made->axis_count; ++i) {
    made->problem.axes[axes[i].axis].source_stride = made->run_count;
    made->run_count *= axes[i].steps;
  }
  const int64_t before = runs_start_bytes(problem, axes, made->run_axes) ? 0 : BEFORE_RUN;
  made->pitch = made->is_exact ? length : pitch_of(length, before, made->run_count, room);
  for (int32_t i = made->run_axes; i < made->axis_count; ++i) {
    made->problem.axes[axes[i].axis].source_stride *= made->pitch;
  }
  made->problem.source_packed = 0;
  made->problem.source_elements = room - RLT_AROUND_RUN;
}
