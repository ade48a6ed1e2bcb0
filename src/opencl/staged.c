/* staged.c: from a packed tile's axes to the runs, slots and places that cl/staged_packed.cl knows. */
#include "opencl/staged.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "opencl/arguments.h"
#include "opencl/offset_list.h"

enum {
  PIECE_BYTES = 16,
  UNIT_BYTES = 4,    /* or one element, where that is more */
  SECTOR_BYTES = 32, /* what a GPU's memory moves at least */
  LINE_BYTES = 128,
  TILE_BYTES = 16 << 10,
  /* What every device has for a work-group. */
  LOCAL_BYTES = 32 << 10
};

/* ---- Tiles ---- */

/* Room for 16 KiB of the destination's words: four pieces for each of 256 work-items, and several groups'
 * tiles in a compute unit's memory. Lines on both sides, and what room is left for more of them: columns,
 * then rows, in turns. Where there is too little, as packed elements are many, rows are fewer first, yet
 * enough for a column to go around all banks. */
static rlt_staged_tile transpose_tile(int64_t source_bits, int64_t destination_bits,
                                      int64_t bytes) {
  const int64_t room = TILE_BYTES / bytes;
  const int64_t least_rows = LINE_BYTES / bytes;
  rlt_staged_tile tile = {.rows = rlt_max(8 * LINE_BYTES / source_bits, least_rows),
                          .columns = 8 * LINE_BYTES / destination_bits};
  for (bool by_columns = true; tile.rows * tile.columns < room; by_columns = !by_columns) {
    *(by_columns ? &tile.columns : &tile.rows) *= 2;
  }
  for (bool by_rows = true; tile.rows * tile.columns > room; by_rows = !by_rows) {
    *(by_rows && tile.rows > least_rows ? &tile.rows : &tile.columns) /= 2;
  }
  return tile;
}

rlt_staged_tile rlt_staged_transpose_tile(const rlt_problem *problem) {
  return transpose_tile(rlt_problem_source_bits(problem), rlt_problem_destination_bits(problem),
                        rlt_problem_destination_bytes(problem));
}

rlt_traits rlt_staged_traits(int64_t element_bytes) {
  const rlt_staged_tile tile = transpose_tile(8 * element_bytes, 8 * element_bytes, element_bytes);
  return (rlt_traits){.line_bytes = LINE_BYTES,
                      .run_columns_bytes = TILE_BYTES,
                      .run_tile_bytes = TILE_BYTES,
                      .transpose_rows = tile.rows,
                      .transpose_columns = tile.columns,
                      .transpose_least_bytes = TILE_BYTES / 4,
                      .packed_tile_bytes = TILE_BYTES,
                      .rates = {.line_again = 0.1, .line_in_parts = 0.5, .element = 0.02}};
}

int64_t rlt_staged_unit(int64_t bits) {
  return rlt_max(8 * UNIT_BYTES / bits, 1);
}

/* ---- The axes of a packed tile ---- */

/* One that moves in the source: of `steps` digits in a tile, each `stride` apart there. */
typedef struct tile_axis {
  int32_t axis;
  int64_t steps;
  int64_t stride;
  bool of_columns;
  bool is_cut; /* taken in blocks: a ragged tile has fewer steps */
} tile_axis;

/* The axes in the destination's order, the columns first; and what becomes of their digits. An axis
 * either runs, and its digit is so many elements into the run, or counts slots. */
typedef struct layout {
  const rlt_problem *problem;
  const rlt_strategy *strategy;
  int64_t bytes; /* of a word in local memory */
  int64_t unit;  /* words of one there */

  int32_t count;
  tile_axis axes[2 * RLT_MAX_GROUP_AXES];
  int64_t run_stride[RLT_MAX_AXES];
  int64_t slot_stride[RLT_MAX_AXES];

  int64_t run_length; /* of a whole tile */
  int64_t run_unit;   /* and for each step of the cut axis that ends it, if one does, */
  int64_t run_over;   /* to which this is added */
  const tile_axis *run_end;

  int64_t column_runs;  /* that the columns alone count */
  int64_t column_slots; /* for these, of every unit's elements as many */
  int64_t slots;
  int64_t pitch;
} layout;

static void add_axes(layout *of, const rlt_group *group, bool of_columns) {
  for (int32_t i = 0; i < group->axis_count; ++i) {
    const rlt_axis *const axis = &of->problem->axes[group->axes[i]];
    const bool is_cut = i == group->axis_count - 1 && group->block < axis->extent;
    const int64_t steps = is_cut ? group->block : axis->valid;
    if (steps > 1) {
      of->axes[of->count++] =
          (tile_axis){group->axes[i], steps, axis->source_stride, of_columns, is_cut};
    }
  }
}

/* Whether a run goes on along an axis whose steps are that far apart: at once, or after a gap so
 * small that the memory moves it anyway. What lies there is loaded and never looked at. */
static bool goes_on(const layout *of, int64_t stride) {
  const int64_t gap = stride - of->run_length;
  return gap >= 0 && 2 * gap <= of->run_length &&
         gap * rlt_problem_source_bits(of->problem) < 8 * SECTOR_BYTES;
}

/* The run grows by the axis that goes on where it ends. */
static void find_run(layout *of) {
  of->run_length = 1;
  of->run_unit = 1;
  for (int32_t i = 0; i < of->count && of->run_end == NULL; ++i) {
    const tile_axis *const next = &of->axes[i];
    if (of->run_stride[next->axis] != 0 || !goes_on(of, next->stride)) {
      continue;
    }
    of->run_stride[next->axis] = next->stride;
    of->run_end = next->is_cut ? next : NULL;
    of->run_unit = next->stride;
    of->run_over = of->run_length - next->stride;
    of->run_length += (next->steps - 1) * next->stride;
    if (!next->is_cut) {
      of->run_unit = of->run_length;
      of->run_over = 0;
    }
    i = -1;
  }
}

/* Elements up to `element` of a run, with the units that are left out behind each line. */
static int64_t with_gaps(const layout *of, int64_t element) {
  return element + element / (LINE_BYTES / of->bytes) * of->unit;
}

static void find_slots(layout *of) {
  of->column_runs = 1;
  of->column_slots = 1;
  for (int32_t i = 0; i < of->count; ++i) {
    const tile_axis *const axis = &of->axes[i];
    if (of->run_stride[axis->axis] != 0) {
      continue;
    }
    if (axis->of_columns) {
      of->slot_stride[axis->axis] = of->column_runs;
      of->column_runs *= axis->steps;
      of->column_slots = rlt_divide_up(of->column_runs, of->unit) * of->unit;
    } else {
      of->slot_stride[axis->axis] = of->slots == 0 ? of->column_slots : of->slots;
      of->slots = of->slot_stride[axis->axis] * axis->steps;
    }
  }
  of->slots = rlt_max(of->slots, of->column_slots);
  /* An odd pitch has neighbouring slots in different banks. */
  const int64_t units = rlt_divide_up(with_gaps(of, of->run_length - 1) + 1, of->unit);
  of->pitch = (units | 1) * of->unit;
}

static void find_layout(const rlt_problem *problem, const rlt_strategy *strategy, layout *found) {
  const int64_t bytes = rlt_problem_destination_bytes(problem);
  *found = (layout){
      .problem = problem, .strategy = strategy, .bytes = bytes, .unit = rlt_staged_unit(8 * bytes)};
  add_axes(found, &strategy->columns, true);
  add_axes(found, &strategy->rows, false);
  find_run(found);
  find_slots(found);
}

/* The words of a unit come from slots that are `column_slots / unit` apart, so that units side by
 * side come from slots side by side. */
static int64_t slot_of_run(const layout *of, int64_t run) {
  return of->column_slots == 1 ? 0
                               : run % of->unit * (of->column_slots / of->unit) + run / of->unit;
}

static int64_t run_of_slot(const layout *of, int64_t slot) {
  const int64_t side_by_side = of->column_slots / of->unit;
  return of->column_slots == 1 ? 0 : slot % side_by_side * of->unit + slot / side_by_side;
}

/* ---- Room in local memory ---- */

/* What a row of a copy takes, wherever it begins in the destination's units. */
static int64_t copied_row_words(const rlt_problem *problem, int64_t columns) {
  const int64_t unit = rlt_staged_unit(rlt_problem_destination_bits(problem));
  return rlt_divide_up(columns + unit - 1, unit) * unit;
}

/* As cl/staged_changed_copy.cl has them: with a unit left out behind each line. */
static int64_t copied_tile_words(const rlt_problem *problem) {
  const int64_t bytes = rlt_problem_destination_bytes(problem);
  const int64_t words = TILE_BYTES / bytes + rlt_staged_unit(rlt_problem_destination_bits(problem));
  return words + (words / (LINE_BYTES / bytes) + 1) * rlt_staged_unit(8 * bytes);
}

int64_t rlt_staged_local_bytes(const rlt_problem *problem, const rlt_strategy *strategy) {
  layout of;
  switch (strategy->kind) {
  case RELAYOUT_STRATEGY_COPY:
    return rlt_problem_keeps_elements(problem)
               ? 0
               : copied_tile_words(problem) * rlt_problem_destination_bytes(problem);
  case RELAYOUT_STRATEGY_TRANSPOSE:
    return TILE_BYTES;
  case RELAYOUT_STRATEGY_PACKED:
    find_layout(problem, strategy, &of);
    return of.bytes * of.slots * of.pitch;
  default:
    return 0;
  }
}

/* So many steps of the group's only axis, if there are. */
static void set_block(const rlt_problem *problem, rlt_group *group, int64_t steps) {
  if (group->axis_count > 0) {
    group->block = rlt_min(problem->axes[group->axes[0]].extent, rlt_max(steps, 1));
  }
}

/* Rows that change stay a while in local memory. */
static void fit_copy(const rlt_problem *problem, rlt_strategy *strategy) {
  const int64_t room = TILE_BYTES / rlt_problem_destination_bytes(problem);
  set_block(problem, &strategy->columns, rlt_min(strategy->columns.block, room));
  const int64_t row = copied_row_words(problem, rlt_group_length(&strategy->columns));
  set_block(problem, &strategy->rows, rlt_min(strategy->rows.block, room / row));
}

/* About half of the group's positions, in multiples of so many steps, or all of its last axis but one. */
static void shrink(const rlt_problem *problem, rlt_group *group, int64_t steps) {
  if (group->block > steps) {
    group->block = rlt_divide_up(rlt_divide_up(group->block, 2), steps) * steps;
    return;
  }
  group->axis_count -= 1;
  group->block =
      group->axis_count > 0 ? problem->axes[group->axes[group->axis_count - 1]].extent : 1;
  group->inner /= group->block;
}

/* Steps of the columns' last axis that fill whole bytes of the destination. */
static int64_t byte_steps(const rlt_problem *problem, const rlt_group *columns) {
  rlt_byte_run run;
  const bool shares_bytes = columns->axis_count > 0 && rlt_problem_byte_run(problem, &run) &&
                            columns->axes[columns->axis_count - 1] == run.last;
  return shares_bytes ? run.steps : 1;
}

static void fit_packed(const rlt_problem *problem, rlt_strategy *strategy) {
  while (rlt_staged_local_bytes(problem, strategy) > LOCAL_BYTES) {
    const int64_t steps = byte_steps(problem, &strategy->columns);
    const bool columns_are_more =
        rlt_group_length(&strategy->columns) > rlt_group_length(&strategy->rows);
    const bool by_columns = strategy->rows.axis_count == 0 ||
                            (columns_are_more && (steps == 1 || strategy->columns.block > steps));
    shrink(problem, by_columns ? &strategy->columns : &strategy->rows, by_columns ? steps : 1);
  }
}

rlt_strategy rlt_staged_fit(const rlt_problem *problem, const rlt_strategy *strategy) {
  rlt_strategy fitted = *strategy;
  const rlt_staged_tile tile = rlt_staged_transpose_tile(problem);
  switch (strategy->kind) {
  case RELAYOUT_STRATEGY_COPY:
    if (!rlt_problem_keeps_elements(problem)) {
      fit_copy(problem, &fitted);
    }
    break;
  case RELAYOUT_STRATEGY_TRANSPOSE:
    set_block(problem, &fitted.columns, tile.columns);
    set_block(problem, &fitted.rows, tile.rows);
    break;
  case RELAYOUT_STRATEGY_PACKED:
    fit_packed(problem, &fitted);
    break;
  default:
    break;
  }
  return fitted;
}

/* ---- The tables ---- */

/* In the low 16 bits and the high ones of what the kernel reads as an unsigned number. */
static int64_t halves(int64_t low, int64_t high) {
  return (int32_t)(uint32_t)(low | high << 16);
}

/* The run in one slot, and at which steps of the cut axes a tile has it. */
static void add_slot(const layout *of, int64_t slot, rlt_offset_list *list) {
  int64_t column_rest = run_of_slot(of, slot % of->column_slots);
  int64_t row_rest = slot / of->column_slots;
  int64_t source = 0;
  int64_t column_step = 0;
  int64_t row_step = 0;
  if (column_rest >= of->column_runs) {
    rlt_offset_add(list, 0);
    rlt_offset_add(list, halves(UINT16_MAX, UINT16_MAX));
    return;
  }
  for (int32_t i = 0; i < of->count; ++i) {
    const tile_axis *const axis = &of->axes[i];
    if (of->run_stride[axis->axis] != 0) {
      continue;
    }
    int64_t *const rest = axis->of_columns ? &column_rest : &row_rest;
    const int64_t digit = *rest % axis->steps;
    *rest /= axis->steps;
    source += digit * axis->stride;
    if (axis->is_cut && axis->of_columns) {
      column_step = digit;
    } else if (axis->is_cut) {
      row_step = digit;
    }
  }
  rlt_offset_add(list, source);
  rlt_offset_add(list, halves(column_step, row_step));
}

/* Where a position of one side is in local memory, as the kernel adds them up; -1 where it never has
 * a source. */
static int64_t place_of(const layout *of, const rlt_group *group, bool of_columns,
                        int64_t position) {
  int64_t in_run = 0;
  int64_t slot = 0;
  for (int32_t i = 0; i < group->axis_count; ++i) {
    const rlt_axis *const axis = &of->problem->axes[group->axes[i]];
    const bool is_last = i == group->axis_count - 1;
    const int64_t digit = is_last ? position : position % axis->extent;
    position /= axis->extent;
    if (digit >= axis->valid && !(is_last && group->block < axis->extent)) {
      return -1;
    }
    in_run += digit * of->run_stride[group->axes[i]];
    slot += digit * of->slot_stride[group->axes[i]];
  }
  return halves(in_run, of->pitch * (of_columns ? slot_of_run(of, slot) : slot));
}

/* Whether a tile's rows are runs of the destination, every element of which is written. */
static bool is_dense(const rlt_problem *problem, const rlt_strategy *strategy) {
  int64_t length = 1;
  for (int32_t i = 0; i < strategy->columns.axis_count; ++i) {
    const rlt_axis *const axis = &problem->axes[strategy->columns.axes[i]];
    if (axis->destination_stride != length) {
      return false;
    }
    length *= axis->extent;
  }
  return problem->fills || (!rlt_group_has_gaps(problem, &strategy->columns) &&
                            !rlt_group_has_gaps(problem, &strategy->rows));
}

/* The fewest work-items side by side that touch whole lines and leave few idle. */
static int64_t shift_of(int64_t runs, int64_t parts, int64_t part_bytes, int64_t group_size) {
  const int64_t line = rlt_min(rlt_min(LINE_BYTES / part_bytes, parts), group_size);
  int64_t best = 0;
  int64_t best_rounds = INT64_MAX;
  for (int64_t shift = 0; group_size >> shift > 0; ++shift) {
    const int64_t across = INT64_C(1) << shift;
    const int64_t rounds = rlt_divide_up(parts, across) * rlt_divide_up(runs, group_size / across);
    if (across >= line && rounds < best_rounds) {
      best = shift;
      best_rounds = rounds;
    }
  }
  return best;
}

/* Elements of 16 bytes of memory. */
static int64_t piece_of(int64_t bits) {
  return 8 * PIECE_BYTES / bits;
}

/* Units that a run may touch, wherever it begins. */
static int64_t units_of(int64_t length, int64_t unit) {
  return (length + 2 * unit - 2) / unit;
}

static kernel_packing packing_of(const layout *of, int64_t group_size) {
  const int64_t loaded_bits = rlt_problem_source_bits(of->problem);
  const int64_t stored_bits = rlt_problem_destination_bits(of->problem);
  const int64_t loaded = rlt_staged_unit(loaded_bits);
  const int64_t stored = rlt_staged_unit(stored_bits);
  const int64_t rows = rlt_group_length(&of->strategy->rows);
  const int64_t columns = rlt_group_length(&of->strategy->columns);
  return (kernel_packing){
      .run_elements = of->run_unit,
      .run_over = of->run_over,
      .run_side = of->run_end == NULL       ? 0
                  : of->run_end->of_columns ? 1
                                            : 2,
      .slots = of->slots,
      .pitch = of->pitch,
      .is_dense = is_dense(of->problem, of->strategy),
      .load_piece_shift = shift_of(of->slots, rlt_divide_up(of->run_length, piece_of(loaded_bits)),
                                   PIECE_BYTES, group_size),
      .load_unit_shift = shift_of(of->slots, units_of(of->run_length, loaded),
                                  loaded * loaded_bits / 8, group_size),
      .store_piece_shift =
          shift_of(rows, rlt_divide_up(columns, piece_of(stored_bits)), PIECE_BYTES, group_size),
      .store_unit_shift =
          shift_of(rows, units_of(columns, stored), stored * stored_bits / 8, group_size),
  };
}

/* Whether each second one of the offsets is whole pieces. */
static bool are_pieces(const rlt_offset_list *list, size_t first, int64_t piece) {
  for (size_t i = first; i < list->count; i += 2) {
    const int64_t offset =
        list->wide ? ((int64_t *)list->offsets)[i] : ((int32_t *)list->offsets)[i];
    if (offset % piece != 0) {
      return false;
    }
  }
  return true;
}

static void fill_tables(const layout *of, const int64_t *row_offsets, const int64_t *column_offsets,
                        kernel_packing *head, rlt_offset_list *list) {
  const rlt_group *const rows = &of->strategy->rows;
  const rlt_group *const columns = &of->strategy->columns;
  for (int64_t slot = 0; slot < of->slots; ++slot) {
    add_slot(of, slot, list);
  }
  head->loads_pieces = are_pieces(list, 0, piece_of(rlt_problem_source_bits(of->problem)));
  const size_t first_row = list->count;
  for (int64_t row = 0; row < rlt_group_length(rows); ++row) {
    rlt_offset_add(list, row_offsets[row]);
    rlt_offset_add(list, place_of(of, rows, false, row));
  }
  /* Of packed elements, a work-item would look up too many columns. */
  head->stores_pieces =
      of->problem->destination_packed == 0 &&
      are_pieces(list, first_row, piece_of(rlt_problem_destination_bits(of->problem)));
  for (int64_t column = 0; column < rlt_group_length(columns); ++column) {
    rlt_offset_add(list, place_of(of, columns, true, column));
  }
  for (int64_t column = 0; column < rlt_group_length(columns); ++column) {
    rlt_offset_add(list, column_offsets[column]);
  }
}

relayout_status rlt_staged_tables_make(const rlt_problem *problem, const rlt_strategy *strategy,
                                       int64_t group_size, bool wide, void **tables, size_t *size,
                                       relayout_error *error) {
  layout of;
  find_layout(problem, strategy, &of);
  kernel_packing head = packing_of(&of, group_size);
  const size_t rows = (size_t)rlt_group_length(&strategy->rows);
  const size_t columns = (size_t)rlt_group_length(&strategy->columns);
  const size_t count = 2 * (size_t)of.slots + 2 * rows + 2 * columns;
  const size_t needed = sizeof head + count * rlt_offset_size(wide);
  int64_t *const offsets = malloc((rows + columns) * sizeof *offsets);
  char *const made = malloc(needed);
  if (offsets == NULL || made == NULL) {
    free(offsets);
    free(made);
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan's tables");
  }
  rlt_group_offsets(problem, &strategy->rows, NULL, offsets);
  rlt_group_offsets(problem, &strategy->columns, NULL, offsets + rows);
  rlt_offset_list list = {wide, 0, made + sizeof head};
  fill_tables(&of, offsets, offsets + rows, &head, &list);
  memcpy(made, &head, sizeof head);
  free(offsets);
  *tables = made;
  *size = needed;
  return RELAYOUT_OK;
}
