/* local_tile.c: what a tile takes in local memory, and where in it. */
#include "plan/local_tile.h"

#include "base/checked.h"

enum {
  UNIT_BYTES = 4,    /* or one element, where that is more */
  SECTOR_BYTES = 32, /* what a GPU's memory moves at least */
  LINE_BYTES = RLT_LOCAL_LINE_BYTES
};

/* Lines on both sides, and what room is left for more of them: columns, then rows, in turns.
 * Where there is too little, as packed elements are many, rows are fewer first, yet enough for a
 * column to go around all banks. */
rlt_square_tile rlt_square_tile_of(int64_t source_bits, int64_t destination_bits, int64_t bytes,
                                   int64_t tile_bytes) {
  const int64_t room = tile_bytes / bytes;
  const int64_t least_rows = LINE_BYTES / bytes;
  rlt_square_tile tile = {.rows = rlt_max(8 * LINE_BYTES / source_bits, least_rows),
                          .columns = 8 * LINE_BYTES / destination_bits};
  for (bool by_columns = true; tile.rows * tile.columns < room; by_columns = !by_columns) {
    *(by_columns ? &tile.columns : &tile.rows) *= 2;
  }
  for (bool by_rows = true; tile.rows * tile.columns > room; by_rows = !by_rows) {
    *(by_rows && tile.rows > least_rows ? &tile.rows : &tile.columns) /= 2;
  }
  return tile;
}

rlt_square_tile rlt_square_tile_for(const rlt_problem *problem, int64_t tile_bytes) {
  return rlt_square_tile_of(rlt_problem_source_bits(problem), rlt_problem_destination_bits(problem),
                            rlt_problem_destination_bytes(problem), tile_bytes);
}

int64_t rlt_local_unit(int64_t bits) {
  return rlt_max(8 * UNIT_BYTES / bits, 1);
}

/* ---- Runs in slots ---- */

static void add_axes(rlt_slots *of, const rlt_group *columns, const rlt_group *rows) {
  rlt_tile_axis all[RLT_MAX_TILE_AXES];
  const int32_t count = rlt_tile_axes(of->problem, columns, rows, all);
  for (int32_t i = 0; i < count; ++i) {
    rlt_tile_axis added = all[i];
    added.steps = added.is_cut ? added.steps : of->problem->axes[added.axis].valid;
    if (added.steps > 1) {
      of->axes[of->count++] = added;
    }
  }
}

static int64_t stride_of(const rlt_slots *of, const rlt_tile_axis *axis) {
  return of->problem->axes[axis->axis].source_stride;
}

/* Whether a run goes on along an axis whose steps are that far apart: at once, or after a gap so
 * small that the memory moves it anyway. What lies there is loaded and never looked at. */
static bool goes_on(const rlt_slots *of, int64_t stride) {
  const int64_t gap = stride - of->run_length;
  return gap >= 0 && 2 * gap <= of->run_length &&
         gap * rlt_problem_source_bits(of->problem) < 8 * SECTOR_BYTES;
}

/* The run grows by the axis that goes on where it ends. */
static void find_run(rlt_slots *of) {
  of->run_length = 1;
  of->run_unit = 1;
  for (int32_t i = 0; i < of->count && of->run_end == NULL; ++i) {
    const rlt_tile_axis *const next = &of->axes[i];
    if (of->run_stride[next->axis] != 0 || !goes_on(of, stride_of(of, next))) {
      continue;
    }
    const int64_t stride = stride_of(of, next);
    of->run_stride[next->axis] = stride;
    of->run_end = next->is_cut ? next : NULL;
    of->run_unit = stride;
    of->run_over = of->run_length - stride;
    of->run_length += (next->steps - 1) * stride;
    if (!next->is_cut) {
      of->run_unit = of->run_length;
      of->run_over = 0;
    }
    i = -1;
  }
}

/* Elements up to `element` of a run, with the units that are left out behind each line. */
static int64_t with_gaps(const rlt_slots *of, int64_t element) {
  return element + element / (LINE_BYTES / of->bytes) * of->unit;
}

static void find_slots(rlt_slots *of) {
  of->column_runs = 1;
  of->column_slots = 1;
  for (int32_t i = 0; i < of->count; ++i) {
    const rlt_tile_axis *const axis = &of->axes[i];
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

void rlt_slots_find(const rlt_problem *problem, const rlt_group *columns, const rlt_group *rows,
                    rlt_slots *found) {
  const int64_t bytes = rlt_problem_destination_bytes(problem);
  *found = (rlt_slots){.problem = problem, .bytes = bytes, .unit = rlt_local_unit(8 * bytes)};
  add_axes(found, columns, rows);
  find_run(found);
  find_slots(found);
}

int64_t rlt_slot_of_run(const rlt_slots *of, int64_t run) {
  return of->column_slots == 1 ? 0
                               : run % of->unit * (of->column_slots / of->unit) + run / of->unit;
}

int64_t rlt_run_of_slot(const rlt_slots *of, int64_t slot) {
  const int64_t side_by_side = of->column_slots / of->unit;
  return of->column_slots == 1 ? 0 : slot % side_by_side * of->unit + slot / side_by_side;
}

/* ---- Room ---- */

int64_t rlt_local_copied_row(const rlt_problem *problem, int64_t columns) {
  const int64_t unit = rlt_local_unit(rlt_problem_destination_bits(problem));
  return rlt_divide_up(columns + unit - 1, unit) * unit;
}

int64_t rlt_local_copied_bytes(const rlt_problem *problem, int64_t tile_bytes) {
  const int64_t bytes = rlt_problem_destination_bytes(problem);
  const int64_t words = tile_bytes / bytes + rlt_local_unit(rlt_problem_destination_bits(problem));
  const int64_t gaps = (words / (LINE_BYTES / bytes) + 1) * rlt_local_unit(8 * bytes);
  return (words + gaps) * bytes;
}

int64_t rlt_slots_bytes(const rlt_slots *of) {
  return of->bytes * of->slots * of->pitch;
}

int64_t rlt_across_shift(int64_t rows, int64_t columns, int64_t group_size) {
  int64_t best = 0;
  int64_t best_rounds = INT64_MAX;
  for (int64_t shift = 0; (group_size >> shift) > 0; ++shift) {
    const int64_t across = INT64_C(1) << shift;
    const int64_t rounds =
        rlt_divide_up(columns, across) * rlt_divide_up(rows, group_size / across);
    if (rounds <= best_rounds) {
      best = shift;
      best_rounds = rounds;
    }
  }
  return best;
}
