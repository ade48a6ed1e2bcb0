/* slot_tables.c: the runs, slots and places of a tile in local memory, as its kernel looks them
 * up. */
#include "gpu/tables.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "gpu/arguments.h"
#include "gpu/local_tile.h"

enum {
  NOWHERE = 1 << 30,
  COLUMNS_AT_ONCE = 4 /* whose places are read */
};

/* In the low 16 bits and the high ones of what the kernel reads as an unsigned number. */
static int64_t halves(int64_t low, int64_t high) {
  return (int32_t)(uint32_t)(low | high << 16);
}

/* Steps that are more than any tile's. */
static int64_t no_steps(void) {
  return halves(INT16_MAX + 1, INT16_MAX + 1);
}

/* The run in one slot, and at which steps of the cut axes a tile has it. Where it lies in the
 * source. */
static int64_t add_slot(const rlt_slots *of, int64_t slot, rlt_offset_list *list) {
  int64_t column_rest = rlt_run_of_slot(of, slot % of->column_slots);
  int64_t row_rest = slot / of->column_slots;
  int64_t source = 0;
  int64_t column_step = 0;
  int64_t row_step = 0;
  if (column_rest >= of->column_runs) {
    rlt_offset_add(list, 0);
    rlt_offset_add(list, no_steps());
    return 0;
  }
  for (int32_t i = 0; i < of->count; ++i) {
    const rlt_tile_axis *const axis = &of->axes[i];
    if (of->run_stride[axis->axis] != 0) {
      continue;
    }
    int64_t *const rest = axis->of_columns ? &column_rest : &row_rest;
    const int64_t digit = *rest % axis->steps;
    *rest /= axis->steps;
    source += digit * of->problem->axes[axis->axis].source_stride;
    if (axis->is_cut && axis->of_columns) {
      column_step = digit;
    } else if (axis->is_cut) {
      row_step = digit;
    }
  }
  rlt_offset_add(list, source);
  rlt_offset_add(list, halves(column_step, row_step));
  return source;
}

/* Whether the units left out before a row's place and before a column's are, together, those left
 * out before their sum. */
static bool places_add_up(const rlt_schedule *schedule, const rlt_slots *of) {
  if (of->gap_shift == RLT_NO_GAPS) {
    return true;
  }
  const rlt_group *const groups[] = {&schedule->rows, &schedule->columns};
  const int64_t between = INT64_C(1) << of->gap_shift;
  int64_t most = 0;
  for (int32_t g = 0; g < 2; ++g) {
    int64_t behind = 0;
    for (int64_t position = 0; position < rlt_group_length(groups[g]); ++position) {
      const int64_t place = rlt_slots_place(of, groups[g], g == 1, position);
      behind = place < 0 ? behind : rlt_max(behind, place % between);
    }
    most += behind;
  }
  return most < between;
}

/* As the kernel knows it: where a position never has a source, and with the units left out before
 * it where the kernel leaves out none. */
static int64_t place_of(const rlt_slots *of, const kernel_slots *head, const rlt_group *group,
                        bool of_columns, int64_t position) {
  const int64_t place = rlt_slots_place(of, group, of_columns, position);
  if (place < 0) {
    return NOWHERE;
  }
  return head->gather_shift == RLT_NO_GAPS ? rlt_slots_with_gaps(of, place) : place;
}

static bool all_have_sources(const rlt_schedule *schedule) {
  return !rlt_group_has_gaps(schedule->problem, &schedule->columns) &&
         !rlt_group_has_gaps(schedule->problem, &schedule->rows);
}

/* Whether a tile's rows are runs of the destination, every element of which is written. */
static bool is_dense(const rlt_schedule *schedule) {
  const rlt_problem *const problem = schedule->problem;
  int64_t length = 1;
  for (int32_t i = 0; i < schedule->columns.axis_count; ++i) {
    const rlt_axis *const axis = &problem->axes[schedule->columns.axes[i]];
    if (axis->destination_stride != length) {
      return false;
    }
    length *= axis->extent;
  }
  return problem->fills || all_have_sources(schedule);
}

/* Elements of 16 bytes of memory. */
static int64_t piece_of(int64_t bits) {
  return 8 * RLT_LOCAL_PIECE_BYTES / bits;
}

/* Units that a run may touch, wherever it begins. */
static int64_t units_of(int64_t length, int64_t unit) {
  return (length + 2 * unit - 2) / unit;
}

static kernel_slots packing_of(const rlt_schedule *schedule, const rlt_slots *of) {
  const int64_t group_size = schedule->group_size;
  const int64_t stored_bits = rlt_problem_destination_bits(of->problem);
  const int64_t stored = rlt_local_unit(stored_bits);
  const int64_t rows = rlt_group_length(&schedule->rows);
  const int64_t columns = rlt_group_length(&schedule->columns);
  const int64_t fill_place = of->slots * of->pitch;
  const bool adds_up = of->unit == 1 && places_add_up(schedule, of);
  return (kernel_slots){
      .run_elements = of->run_unit,
      .run_over = of->run_over,
      .run_side = of->run_end == NULL       ? 0
                  : of->run_end->of_columns ? 1
                                            : 2,
      .slots = of->slots,
      .pitch = of->pitch,
      .gap_shift = of->gap_shift,
      .gather_shift = adds_up ? RLT_NO_GAPS : of->gap_shift,
      .fill_place = adds_up ? rlt_slots_with_gaps(of, fill_place) : fill_place,
      .is_dense = is_dense(schedule),
      .sums_places = adds_up && all_have_sources(schedule),
      .store_piece_shift = rlt_line_shift(rows, rlt_divide_up(columns, piece_of(stored_bits)),
                                          RLT_LOCAL_PIECE_BYTES, group_size),
      .store_unit_shift =
          rlt_line_shift(rows, units_of(columns, stored), stored * stored_bits / 8, group_size),
  };
}

static void fill_tables(const rlt_schedule *schedule, const rlt_slots *of,
                        const int64_t *row_offsets, const int64_t *column_offsets,
                        kernel_slots *head, int32_t *column_places, rlt_offset_list *list) {
  const rlt_group *const rows = &schedule->rows;
  const rlt_group *const columns = &schedule->columns;
  const int64_t loaded_piece = piece_of(rlt_problem_source_bits(of->problem));
  const int64_t stored_piece = piece_of(rlt_problem_destination_bits(of->problem));
  const int64_t stored_unit = rlt_local_unit(rlt_problem_destination_bits(of->problem));
  for (int64_t column = 0; column < rlt_group_length(columns); ++column) {
    column_places[column] = (int32_t)place_of(of, head, columns, true, column);
  }
  head->loads_pieces = true;
  for (int64_t slot = 0; slot < of->slots; ++slot) {
    head->loads_pieces &= add_slot(of, slot, list) % loaded_piece == 0;
  }
  rlt_offset_add(list, 0);
  rlt_offset_add(list, no_steps());
  bool are_pieces = true;
  bool are_units = true;
  for (int64_t row = 0; row < rlt_group_length(rows); ++row) {
    are_pieces &= row_offsets[row] % stored_piece == 0;
    are_units &= row_offsets[row] % stored_unit == 0;
    rlt_offset_add(list, row_offsets[row]);
    rlt_offset_add(list, place_of(of, head, rows, false, row));
  }
  head->row_bytes = are_pieces ? RLT_LOCAL_PIECE_BYTES : are_units ? RLT_LOCAL_UNIT_BYTES : 1;
  for (int64_t column = 0; column < rlt_group_length(columns); ++column) {
    rlt_offset_add(list, column_offsets[column]);
  }
}

relayout_status rlt_slot_tables_make(const rlt_schedule *schedule, const rlt_slots *of, bool wide,
                                     rlt_blob *tables, relayout_error *error) {
  const rlt_problem *const problem = schedule->problem;
  kernel_slots head = packing_of(schedule, of);
  const size_t rows = (size_t)rlt_group_length(&schedule->rows);
  const size_t columns = (size_t)rlt_group_length(&schedule->columns);
  const size_t positions = rows + columns;
  const size_t place_bytes =
      (columns + COLUMNS_AT_ONCE - 1) / COLUMNS_AT_ONCE * COLUMNS_AT_ONCE * sizeof(int32_t);
  const size_t count = 2 * ((size_t)of->slots + 1 + rows) + columns;
  rlt_blob scratch = {NULL, 0};
  relayout_status status =
      rlt_blob_make(sizeof head + place_bytes + count * rlt_offset_size(wide), tables, error);
  if (status == RELAYOUT_OK) {
    status = rlt_blob_make(positions * sizeof(int64_t), &scratch, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  int64_t *const row_offsets = scratch.bytes;
  int64_t *const column_offsets = row_offsets + rows;
  rlt_group_offsets(problem, &schedule->rows, NULL, NULL, row_offsets);
  rlt_group_offsets(problem, &schedule->columns, NULL, NULL, column_offsets);
  int32_t *const column_places = (int32_t *)((char *)tables->bytes + sizeof head);
  rlt_offset_list list = {wide, 0, (char *)column_places + place_bytes};
  fill_tables(schedule, of, row_offsets, column_offsets, &head, column_places, &list);
  memcpy(tables->bytes, &head, sizeof head);
  rlt_free(scratch.bytes);
  return RELAYOUT_OK;
}
