/* staging_tables.c: a staged tile as the direct kernels read it. */
#include "gpu/tables.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "cpu/tile_buffer.h"
#include "gpu/arguments.h"

static relayout_status add_positions(const rlt_problem *problem, const rlt_group *group,
                                     const rlt_staging *staging, rlt_offset_list *list,
                                     relayout_error *error) {
  const size_t length = (size_t)rlt_group_held(group);
  rlt_blob scratch;
  const relayout_status status = rlt_blob_make(2 * length * sizeof(int64_t), &scratch, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  int64_t *const offsets = scratch.bytes;
  rlt_group_offsets(problem, group, staging->strides, offsets, offsets + length);
  for (size_t p = 0; p < length; ++p) {
    rlt_offset_add(list, offsets[p]);
    rlt_offset_add(list, offsets[length + p]);
  }
  rlt_free(offsets);
  return RELAYOUT_OK;
}

static relayout_status add_segments(const rlt_schedule *schedule, rlt_offset_list *list,
                                    relayout_error *error) {
  const rlt_staging *const staging = &schedule->staging;
  rlt_blob scratch;
  const relayout_status status =
      rlt_blob_make((size_t)staging->segment_count * sizeof(rlt_tile_run), &scratch, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  rlt_tile_run *const segments = scratch.bytes;
  rlt_staging_segments(schedule->problem, &schedule->columns, &schedule->rows, staging, segments);
  for (int64_t s = 0; s < staging->segment_count; ++s) {
    rlt_offset_add(list, segments[s].start);
    rlt_offset_add(list, 0);
    rlt_offset_add(list, segments[s].column_step);
    rlt_offset_add(list, segments[s].row_step);
  }
  rlt_free(segments);
  return RELAYOUT_OK;
}

static kernel_staging head_of(const rlt_schedule *schedule) {
  const rlt_problem *const problem = schedule->problem;
  const rlt_staging *const staging = &schedule->staging;
  const bool is_dense = problem->destination_packed > 0 && rlt_problem_is_dense(problem);
  return (kernel_staging){.dense_columns = staging->dense_columns,
                          .valid_columns = staging->valid_columns,
                          .dense_rows = staging->dense_rows,
                          .valid_rows = staging->valid_rows,
                          .segment_count = staging->segment_count,
                          .segment_pitch = staging->segment_pitch,
                          .segment_unit = staging->segment.unit,
                          .segment_side = staging->segment.side,
                          .exact = staging->exact,
                          .rows_inside = staging->rows_inside,
                          .column_gaps = rlt_group_has_gaps(problem, &schedule->columns),
                          .row_gaps = rlt_group_has_gaps(problem, &schedule->rows),
                          .column_reach = rlt_group_inner_reach(problem, &schedule->columns),
                          .row_reach = rlt_group_inner_reach(problem, &schedule->rows),
                          .source_elements = problem->source_elements - problem->source_start,
                          .dense_elements = is_dense ? problem->destination_elements : 0,
                          .axis_count = is_dense ? problem->axis_count : 0,
                          .read_channels = (int32_t)staging->read_channels,
                          .write_channels = (int32_t)staging->write_channels};
}

relayout_status rlt_staging_tables_make(const rlt_schedule *schedule, bool wide, rlt_blob *tables,
                                        relayout_error *error) {
  const rlt_problem *const problem = schedule->problem;
  const rlt_staging *const staging = &schedule->staging;
  const kernel_staging head = head_of(schedule);
  const int64_t pairs = rlt_group_held(&schedule->rows) + rlt_group_held(&schedule->columns) +
                        2 * staging->segment_count;
  const size_t axes_at = sizeof head + 2 * (size_t)pairs * rlt_offset_size(wide);
  relayout_status status =
      rlt_blob_make(axes_at + (size_t)head.axis_count * sizeof(kernel_axis), tables, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  uint8_t *const made = tables->bytes;
  memcpy(made, &head, sizeof head);
  rlt_offset_list list = {.wide = wide, .offsets = made + sizeof head};
  status = add_positions(problem, &schedule->rows, staging, &list, error);
  if (status == RELAYOUT_OK) {
    status = add_positions(problem, &schedule->columns, staging, &list, error);
  }
  if (status == RELAYOUT_OK) {
    status = add_segments(schedule, &list, error);
  }
  /* So that a tile finds the elements that share a byte with its last one. */
  kernel_axis *const axes = (kernel_axis *)(void *)(made + axes_at);
  for (int64_t a = 0; a < head.axis_count; ++a) {
    const rlt_axis *const axis = &problem->axes[a];
    axes[a] = (kernel_axis){axis->extent, axis->valid, axis->source_stride};
  }
  return status;
}
