/* local_tile.c: what a tile takes in local memory, and where in it. */
#include "gpu/local_tile.h"

#include "base/checked.h"

enum {
  UNIT_BYTES = RLT_LOCAL_UNIT_BYTES,
  SECTOR_BYTES = 32, /* what a GPU's memory moves at least */
  LINE_BYTES = RLT_LOCAL_LINE_BYTES
};

/* Lines on both sides, and what room is left for more of them: columns, then rows, in turns.
 * Where there is too little, as packed elements are many, rows are fewer first, yet enough for a
 * column to go around all banks; and columns hold a piece of the destination. */
rlt_square_tile rlt_square_tile_of(int64_t source_bits, int64_t destination_bits, int64_t bytes,
                                   int64_t tile_bytes) {
  const int64_t room = rlt_min(tile_bytes, RLT_LOCAL_BYTES / 2) / bytes; /* gaps take some too */
  const int64_t least_rows = LINE_BYTES / rlt_max(bytes, UNIT_BYTES);
  const int64_t least_columns = 8 * RLT_LOCAL_PIECE_BYTES / destination_bits;
  rlt_square_tile tile = {.rows = rlt_max(8 * LINE_BYTES / source_bits, least_rows),
                          .columns = 8 * LINE_BYTES / destination_bits};
  for (bool by_columns = true; tile.rows * tile.columns < room; by_columns = !by_columns) {
    *(by_columns ? &tile.columns : &tile.rows) *= 2;
  }
  for (bool by_rows = true;
       tile.rows * tile.columns > room && (tile.rows > least_rows || tile.columns > least_columns);
       by_rows = !by_rows) {
    const bool has_rows = tile.rows > least_rows && (by_rows || tile.columns <= least_columns);
    *(has_rows ? &tile.rows : &tile.columns) /= 2;
  }
  return tile;
}

rlt_square_tile rlt_square_tile_for(const rlt_problem *problem, int64_t tile_bytes) {
  return rlt_square_tile_of(rlt_problem_source_bits(problem), rlt_problem_destination_bits(problem),
                            rlt_problem_destination_bytes(problem), tile_bytes);
}

int64_t rlt_square_tile_bytes(rlt_square_tile tile, int64_t bytes) {
  const int64_t unit = rlt_local_unit(8 * bytes);
  const int64_t pitch = (tile.rows + tile.rows / (LINE_BYTES / UNIT_BYTES)) | 1;
  return tile.columns / unit * pitch * unit * bytes;
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

int64_t rlt_slots_with_gaps(const rlt_slots *of, int64_t place) {
  return place + (place >> of->gap_shift) * of->unit;
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
}

/* ---- Where words lie ---- */

/* Where a word lies, before it is known how far apart slots are. */
typedef struct slot_place {
  int64_t slot; /* negative: it never has a source */
  int64_t in_run;
} slot_place;

static slot_place place_of(const rlt_slots *of, const rlt_group *group, bool of_columns,
                           int64_t position) {
  slot_place found = {0, 0};
  for (int32_t i = 0; i < group->axis_count; ++i) {
    const rlt_axis *const axis = &of->problem->axes[group->axes[i]];
    const bool is_last = i == group->axis_count - 1;
    const int64_t digit = is_last ? position : position % axis->extent;
    position /= axis->extent;
    if (digit >= axis->valid && !(is_last && group->steps < axis->extent)) {
      return (slot_place){-1, 0};
    }
    found.in_run += digit * of->run_stride[group->axes[i]];
    found.slot += digit * of->slot_stride[group->axes[i]];
  }
  found.slot = of_columns ? rlt_slot_of_run(of, found.slot) : found.slot;
  return found;
}

int64_t rlt_slots_place(const rlt_slots *of, const rlt_group *group, bool of_columns,
                        int64_t position) {
  const slot_place found = place_of(of, group, of_columns, position);
  return found.slot < 0 ? -1 : found.slot * of->pitch + found.in_run;
}

/* What work-items side by side touch at once, of a few times that they do so. */
enum {
  BANKS = LINE_BYTES / UNIT_BYTES,
  GROUP = 64, /* work-items, about as many as there will be */
  SAMPLES = 8
};

typedef struct samples {
  int32_t count;
  struct {
    int32_t count;
    slot_place places[BANKS];
  } at[2 * SAMPLES];
} samples;

static void add_sample(samples *to, slot_place place) {
  if (place.slot >= 0) {
    to->at[to->count].places[to->at[to->count].count++] = place;
  }
}

static int64_t loaded_unit(const rlt_slots *of) {
  return rlt_max(rlt_local_unit(rlt_problem_source_bits(of->problem)), of->unit);
}

/* Units of a run's parts, one run's after another's: parts are pieces where runs may have them. */
static void sample_staging(const rlt_slots *of, samples *to) {
  const int64_t piece = RLT_LOCAL_PIECE_BYTES / of->bytes;
  const int64_t unit = loaded_unit(of);
  const int64_t words = of->run_length % piece == 0 ? rlt_max(piece, unit) : unit;
  const int64_t parts = rlt_divide_up(of->run_length, words);
  const int64_t units = words / of->unit;
  for (int64_t sample = 0; sample < SAMPLES; ++sample) {
    const int64_t first = sample / units * BANKS;
    for (int64_t part = first; part < first + BANKS && part < of->slots * parts; ++part) {
      add_sample(to, (slot_place){part / parts, part % parts * words + sample % units * of->unit});
    }
    to->count += 1;
  }
}

/* A word of each of the pieces, or of the units, of some rows. */
static void sample_gathering(const rlt_slots *of, const rlt_group *columns, const rlt_group *rows,
                             samples *to) {
  const int64_t words = of->unit == 1 ? RLT_LOCAL_PIECE_BYTES / of->bytes : of->unit;
  const int64_t length = rlt_group_length(columns);
  const int64_t row_count = rlt_group_length(rows);
  const int64_t shift =
      rlt_line_shift(row_count, rlt_divide_up(length, words), words * of->bytes, GROUP);
  for (int64_t sample = 0; sample < SAMPLES; ++sample) {
    const int64_t first = sample / words * BANKS;
    for (int64_t i = first; i < first + BANKS; ++i) {
      const int64_t column = (i & ((1 << shift) - 1)) * words + sample % words;
      const int64_t row = i >> shift;
      if (column < length && row < row_count) {
        slot_place place = place_of(of, columns, true, column);
        const slot_place of_row = place_of(of, rows, false, row);
        place.slot = place.slot < 0 || of_row.slot < 0 ? -1 : place.slot + of_row.slot;
        place.in_run += of_row.in_run;
        add_sample(to, place);
      }
    }
    to->count += 1;
  }
}

/* How often banks turn for all of them. */
static int64_t bank_turns(const rlt_slots *of, const samples *from) {
  int64_t turns = 0;
  for (int32_t s = 0; s < from->count; ++s) {
    int32_t wanted[BANKS] = {0};
    int32_t most = 0;
    for (int32_t i = 0; i < from->at[s].count; ++i) {
      const slot_place *const place = &from->at[s].places[i];
      const int64_t word = rlt_slots_with_gaps(of, place->slot * of->pitch + place->in_run);
      int32_t *const bank = &wanted[word * of->bytes / UNIT_BYTES % BANKS];
      *bank += 1;
      most = rlt_max(most, *bank);
    }
    turns += most;
  }
  return turns;
}

/* Slots are as far apart as a run is long, in units of the source, or up to so many units farther,
 * and units are left out behind each line or not: as banks turn least often. */
static void find_places(rlt_slots *of, const rlt_group *columns, const rlt_group *rows) {
  enum { TRIED = 8 };
  samples seen = {0};
  sample_staging(of, &seen);
  sample_gathering(of, columns, rows, &seen);
  const int64_t unit = loaded_unit(of);
  const int64_t least = rlt_divide_up(of->run_length, unit) * unit;
  const int64_t line_shift = __builtin_ctzll((unsigned long long)(LINE_BYTES / of->bytes));
  rlt_slots best = *of;
  int64_t best_turns = INT64_MAX;
  for (int64_t tried = 0; tried < 2 * (of->slots > 1 ? TRIED : 1); ++tried) {
    of->pitch = least + tried / 2 * of->unit;
    of->gap_shift = tried % 2 == 0 ? RLT_NO_GAPS : line_shift;
    const int64_t turns = bank_turns(of, &seen);
    if (turns < best_turns) {
      best = *of;
      best_turns = turns;
    }
  }
  *of = best;
  of->has_few_turns = best_turns <= 2 * seen.count;
}

void rlt_slots_find(const rlt_problem *problem, const rlt_group *columns, const rlt_group *rows,
                    rlt_slots *found) {
  const int64_t bytes = rlt_problem_destination_bytes(problem);
  *found = (rlt_slots){.problem = problem, .bytes = bytes, .unit = rlt_local_unit(8 * bytes)};
  add_axes(found, columns, rows);
  find_run(found);
  find_slots(found);
  find_places(found, columns, rows);
}

int64_t rlt_slot_of_run(const rlt_slots *of, int64_t run) {
  return run % of->unit * (of->column_slots / of->unit) + run / of->unit;
}

int64_t rlt_run_of_slot(const rlt_slots *of, int64_t slot) {
  const int64_t side_by_side = of->column_slots / of->unit;
  return of->column_slots == 1 ? 0 : slot % side_by_side * of->unit + slot / side_by_side;
}

/* ---- Room ---- */

int64_t rlt_slots_bytes(const rlt_slots *of) {
  return of->bytes * (rlt_slots_with_gaps(of, of->slots * of->pitch) + 1);
}

int64_t rlt_line_shift(int64_t runs, int64_t parts, int64_t part_bytes, int64_t group_size) {
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
