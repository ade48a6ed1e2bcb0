/* many_bytes.c: which bytes of its tensors a plan of several destinations reads and writes. */
#include <string.h>

#include "base/checked.h"
#include "plan/many.h"
#include "problem/runs.h"

void rlt_records_place(const relayout_scaled_view *side, rlt_box_rows *made) {
  const relayout_shape *const shape = &side->elements.shape;
  const int64_t rows = rlt_rows_together(side);
  made->bytes = (int64_t)relayout_block_format_record_bytes(side->block_format) * rows;
  for (int32_t i = 0; i < shape->rank; ++i) {
    const int32_t d = shape->layout.minor_to_major[i];
    made->strides[d] = made->bytes;
    made->bytes *= rlt_max(shape->dimensions[d] / rlt_records_together(side, i), 1);
  }
}

int64_t rlt_records_together(const relayout_scaled_view *side, int32_t position) {
  return position == 0 ? RELAYOUT_BLOCK_ELEMENTS : position == 1 ? rlt_rows_together(side) : 1;
}

/* Those of a range of records, or of all. */
static void find_records(const relayout_scaled_view *side, const rlt_index_box *range,
                         rlt_used_bytes *made) {
  const relayout_shape *const shape = &side->elements.shape;
  rlt_box_rows rows;
  int64_t end =
      (int64_t)relayout_block_format_record_bytes(side->block_format) * rlt_rows_together(side);
  made->lowest = side->elements.byte_offset;
  made->bytes = made->whole = rlt_blocks_size(side);
  if (range == NULL) {
    return;
  }
  rlt_records_place(side, &rows);
  for (int32_t i = 0; i < shape->rank; ++i) {
    const int32_t d = shape->layout.minor_to_major[i];
    const int64_t together = rlt_records_together(side, i);
    const int64_t first = range->start[d] / together;
    made->lowest += first * rows.strides[d];
    end += ((range->start[d] + range->sizes[d] - 1) / together - first) * rows.strides[d];
  }
  made->bytes = (size_t)end;
}

/* Those that move between a box of a view and one of a tensor without gaps. RELAYOUT_UNSUPPORTED
 * where the view cannot be cut. */
static relayout_status find_box(const relayout_view *view, const rlt_index_box *box,
                                rlt_used_bytes *made, relayout_error *error) {
  static const rlt_changes none = {.packing = RLT_PACKING_MERGED, .scale = 1};
  const relayout_view dense = rlt_dense_view(&view->shape);
  const rlt_view side = rlt_view_of(view), other = rlt_view_of(&dense);
  rlt_lowered lowered;
  rlt_bytes taken = {0, 0};
  const relayout_status status = made->is_written
                                     ? rlt_lower(&other, &side, box, &none, &lowered, error)
                                     : rlt_lower(&side, &other, box, &none, &lowered, error);
  for (int32_t i = 0; i < lowered.count && status == RELAYOUT_OK; ++i) {
    const rlt_problem *const problem = &lowered.problems[i];
    taken = rlt_bytes_join(taken, made->is_written ? rlt_problem_bytes_written(problem)
                                                   : rlt_problem_bytes_read(problem));
  }
  made->lowest = view->byte_offset + taken.first -
                 (made->is_written ? lowered.destination_before : lowered.source_before);
  made->bytes = rlt_bytes_size(taken);
  rlt_lowered_free(&lowered);
  return status;
}

static relayout_status find_view(const relayout_view *view, const rlt_index_box *box,
                                 bool is_written, rlt_used_bytes *made, relayout_error *error) {
  *made = (rlt_used_bytes){.is_used = true, .is_written = is_written};
  relayout_status status = relayout_view_span(view, &made->lowest, &made->bytes, error);
  made->whole = made->bytes;
  if (status == RELAYOUT_OK && box != NULL) {
    rlt_used_bytes taken = *made;
    status = find_box(view, box, &taken, error);
    *made = status == RELAYOUT_OK ? taken : *made;
  }
  return status == RELAYOUT_UNSUPPORTED ? RELAYOUT_OK : status;
}

static relayout_status find_side(const relayout_scaled_view *side, const rlt_index_box *range,
                                 bool is_written, rlt_side_bytes made, relayout_error *error) {
  const bool finds = is_written && rlt_finds_scales(side);
  rlt_index_box groups;
  if (rlt_has_blocks(side)) {
    made[0] = (rlt_used_bytes){.is_used = true, .is_written = is_written};
    find_records(side, range, &made[0]);
    return RELAYOUT_OK;
  }
  if (side->has_scales && range != NULL) {
    rlt_groups_of_box(side, range, &groups);
  }
  const rlt_index_box *const met = range == NULL ? NULL : &groups;
  relayout_status status = find_view(&side->elements, range, is_written, &made[0], error);
  if (status == RELAYOUT_OK && side->has_scales) {
    status = find_view(&side->scales, met, finds, &made[1], error);
  }
  if (status == RELAYOUT_OK && side->has_zero_points) {
    status =
        find_view(&side->zero_points, met, is_written && rlt_finds_points(side), &made[2], error);
  }
  if (status == RELAYOUT_OK && side->has_tensor_scale &&
      relayout_shape_element_count(&side->elements.shape) > 0) {
    status = find_view(&side->tensor_scale, NULL, false, &made[RLT_TENSOR_SCALE], error);
  }
  return status;
}

/* An empty range uses none. */
relayout_status rlt_many_find_bytes(rlt_many *many, relayout_error *error) {
  const rlt_boxes *const boxes = &many->boxes;
  const rlt_index_box *const range = rlt_boxes_range(boxes);
  relayout_status status = RELAYOUT_OK;
  memset(many->bytes, 0, sizeof many->bytes);
  if (rlt_boxes_are_none(boxes)) {
    return RELAYOUT_OK;
  }
  status = find_side(&many->from, range, false, many->bytes[0], error);
  for (int32_t i = 0; i < many->count && status == RELAYOUT_OK; ++i) {
    status = find_side(&many->to[i].view, range, true, many->bytes[i + 1], error);
  }
  return status;
}
