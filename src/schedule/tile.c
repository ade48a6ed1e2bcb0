/* tile.c: groups of axes, and where their positions lie. */
#include "schedule/tile.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/checked.h"

rlt_group rlt_group_of_axis(const rlt_problem *problem, int32_t axis, int64_t most) {
  return (rlt_group){.axis_count = 1,
                     .axes = {axis},
                     .inner = 1,
                     .steps = rlt_max(rlt_min(problem->axes[axis].extent, most), 1)};
}

bool rlt_group_has(const rlt_group *group, int32_t axis) {
  for (int32_t i = 0; i < group->axis_count; ++i) {
    if (group->axes[i] == axis) {
      return true;
    }
  }
  return false;
}

void rlt_group_append(const rlt_problem *problem, rlt_group *group, int32_t axis, int64_t target) {
  const int64_t extent = problem->axes[axis].extent;
  group->inner = rlt_group_length(group);
  group->steps = rlt_min(extent, rlt_divide_up(target, group->inner));
  group->axes[group->axis_count++] = axis;
}

int32_t rlt_tile_axes(const rlt_problem *problem, const rlt_group *columns, const rlt_group *rows,
                      rlt_tile_axis *axes) {
  const rlt_group *const groups[] = {columns, rows};
  int32_t count = 0;
  for (int g = 0; g < 2; ++g) {
    for (int32_t i = 0; i < groups[g]->axis_count; ++i) {
      const int32_t a = groups[g]->axes[i];
      const bool last = i == groups[g]->axis_count - 1;
      const int64_t steps = rlt_group_steps(problem, groups[g], i);
      axes[count++] = (rlt_tile_axis){.axis = a,
                                      .steps = steps,
                                      .of_columns = g == 0,
                                      .last = last,
                                      .is_cut = last && groups[g]->steps < problem->axes[a].extent};
    }
  }
  return count;
}

int32_t rlt_tile_read_axes(const rlt_problem *problem, const rlt_group *columns,
                           const rlt_group *rows, rlt_tile_axis *axes) {
  rlt_tile_axis all[RLT_MAX_TILE_AXES];
  const int32_t all_count = rlt_tile_axes(problem, columns, rows, all);
  int32_t count = 0;
  for (int32_t i = 0; i < all_count; ++i) {
    const rlt_axis *const axis = &problem->axes[all[i].axis];
    if (axis->source_stride == 0) {
      continue;
    }
    int32_t at = count++;
    for (; at > 0 &&
           llabs(problem->axes[axes[at - 1].axis].source_stride) > llabs(axis->source_stride);
         --at) {
      axes[at] = axes[at - 1];
    }
    axes[at] = all[i];
    axes[at].is_cut = all[i].steps < axis->extent || axis->valid < axis->extent;
    axes[at].steps = rlt_min(all[i].steps, axis->valid);
  }
  return count;
}

static int64_t stride_of(const rlt_problem *problem, const rlt_tile_axis *of, bool in_source) {
  const rlt_axis *const axis = &problem->axes[of->axis];
  return in_source ? axis->source_stride : axis->destination_stride;
}

rlt_tile_runs rlt_tile_runs_of(const rlt_problem *problem, const rlt_tile_axis *axes, int32_t count,
                               bool in_source) {
  rlt_tile_runs runs = {.length = 1, .valid = 1, .unit = 1, .side = RLT_SEGMENT_NEITHER};
  for (bool ends = false; runs.axis_count < count && !ends; ++runs.axis_count) {
    const rlt_tile_axis *const joined = &axes[runs.axis_count];
    const rlt_axis *const axis = &problem->axes[joined->axis];
    if (stride_of(problem, joined, in_source) != runs.length ||
        (in_source && runs.length == problem->transposed_stride)) {
      break;
    }
    runs.unit = joined->last ? runs.length : runs.length * joined->steps;
    runs.side = !joined->last        ? RLT_SEGMENT_NEITHER
                : joined->of_columns ? RLT_SEGMENT_COLUMNS
                                     : RLT_SEGMENT_ROWS;
    runs.valid = runs.length * (joined->last ? joined->steps : axis->valid);
    runs.length *= joined->steps;
    ends = joined->is_cut || (in_source && axis->valid < axis->extent);
  }
  return runs;
}

rlt_tile_runs rlt_group_runs(const rlt_problem *problem, const rlt_group *group, bool in_source) {
  rlt_tile_axis axes[RLT_MAX_TILE_AXES];
  const int32_t count = rlt_tile_axes(problem, group, &rlt_no_axes, axes);
  return rlt_tile_runs_of(problem, axes, count, in_source);
}

rlt_tile_run rlt_tile_run_at(const rlt_problem *problem, const rlt_tile_axis *axes, int32_t count,
                             bool in_source, int64_t number) {
  rlt_tile_run run = {.start = 0};
  for (int32_t i = 0; i < count; ++i) {
    const int64_t digit = number % axes[i].steps;
    number /= axes[i].steps;
    run.start += digit * stride_of(problem, &axes[i], in_source);
    if (axes[i].last) {
      *(axes[i].of_columns ? &run.column_step : &run.row_step) = (int32_t)digit;
    }
  }
  return run;
}

void rlt_group_offsets(const rlt_problem *problem, const rlt_group *group, const int64_t *strides,
                       int64_t *source, int64_t *destination) {
  const int64_t length = rlt_group_length(group);
  for (int64_t p = 0; p < length; ++p) {
    int64_t rest = p;
    int64_t source_offset = 0;
    int64_t destination_offset = 0;
    bool has_source = true;
    for (int32_t i = 0; i < group->axis_count; ++i) {
      const rlt_axis *axis = &problem->axes[group->axes[i]];
      const bool last = i == group->axis_count - 1;
      const int64_t digit = last ? rest : rest % axis->extent;
      has_source = has_source && (last || digit < axis->valid);
      source_offset += rlt_problem_source_steps(problem, digit, axis->source_stride);
      destination_offset +=
          digit * (strides != NULL ? strides[group->axes[i]] : axis->destination_stride);
      rest /= axis->extent;
    }
    if (source != NULL) {
      source[p] = has_source ? source_offset : RLT_NO_SOURCE;
    }
    if (destination != NULL) {
      destination[p] = destination_offset;
    }
  }
}

int64_t rlt_group_reach(const rlt_problem *problem, const rlt_group *group) {
  int64_t reach = 0;
  for (int32_t i = 0; i < group->axis_count; ++i) {
    const rlt_axis *const axis = &problem->axes[group->axes[i]];
    const int64_t steps = rlt_min(rlt_group_steps(problem, group, i), axis->valid);
    reach += rlt_max((steps - 1) * axis->source_stride, 0);
  }
  return reach;
}

bool rlt_group_has_gaps(const rlt_problem *problem, const rlt_group *group) {
  for (int32_t i = 0; i + 1 < group->axis_count; ++i) {
    const rlt_axis *const axis = &problem->axes[group->axes[i]];
    if (axis->valid < axis->extent) {
      return true;
    }
  }
  return false;
}
