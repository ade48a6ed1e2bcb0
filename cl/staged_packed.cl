/* staged_packed.cl: inner axes too short to fill a line; several together form each side of a tile.
 * Follows staged.cl.
 *
 *     source  [y][x][rgb]             destination  [rgb][y][x]
 *     r g b r g b r g b r g b ...     r r r r ...
 *                                     g g g g ...     rows: rgb, columns: x and y
 *                                     b b b b ...
 *
 * In the source a tile is some runs, as long as its axes make them together. The group loads them
 * into local memory, each into a *slot*, and gathers rows from there:
 *
 *     slots     |a b c d e f . |      pitch, of which some is never used
 *               |g h i j k l . |
 *
 * Where runs, rows and columns lie follows no single stride, so it stands in tables that the host
 * made once (src/opencl/staged.c). A run or a row is looked up by each work-item that has a part of
 * it, a column once for all the rows that a work-item has, where rows begin with a unit.
 */

typedef struct packing {
  long run_words; /* of a run, for each step of the last axis of run_side, */
  long run_over;  /* to which this is added */
  long run_side;  /* 0: neither; 1: the columns; 2: the rows */
  long slots;
  long pitch;
  long loads_pieces;  /* the offsets of all runs are whole pieces */
  long stores_pieces; /* those of all rows are */
  long is_dense;      /* rows are written without gaps */
  /* 2^this work-items lie side by side along a run or a row */
  long load_piece_shift;
  long load_unit_shift;
  long store_piece_shift;
  long store_unit_shift;
} packing;

/* Of each slot (source offset, steps); of each row (destination offset, place). Then the place of
 * each column, and its destination offset. Steps are those of the last axes at which there is this
 * run, of the columns in the low 16 bits and of the rows in the high ones. A place has the words
 * within a run in the low 16 bits and the words before it in the high ones; the one of a row and the
 * one of a column add up to that of the word. */
typedef struct tables {
  __global const offset_pair *slots;
  __global const offset_pair *rows;
  __global const offset *columns;
  __global const offset *column_offsets;
  uint slot_count;
  uint pitch;
} tables;

static tables tables_of(__global const packing *made, __constant const grid *grid) {
  tables found;
  found.slot_count = (uint)made->slots;
  found.pitch = (uint)made->pitch;
  found.slots = (__global const offset_pair *)(made + 1);
  found.rows = found.slots + found.slot_count;
  found.columns = (__global const offset *)(found.rows + grid->rows.length);
  found.column_offsets = found.columns + grid->columns.length;
  return found;
}

/* The place of what never has a source. */
#define NOWHERE 0xffffffffu

/* A unit is left out behind each line of a run, so that words a line apart are in different banks. */
static uint place_in_run(uint word_of_run) {
  return word_of_run + word_of_run / (128 / WORD_BYTES) * UNIT;
}

#define HELD_PIECES 4
#define HELD_UNITS  8

/* ---- Loading ---- */

/* A work-item's place among the parts of the runs. All go from part to part and from run to run at
 * the same time. */
typedef struct part {
  uint slot;
  uint number;
} part;

static part first_part(uint shift) {
  const part first = {(uint)get_local_id(0) >> shift, (uint)get_local_id(0) & ((1u << shift) - 1)};
  return first;
}

static part next_part(part at, uint shift, uint numbers) {
  const uint first = (uint)get_local_id(0) & ((1u << shift) - 1);
  part next = {at.slot, at.number + (1u << shift)};
  if (next.number - first >= numbers) {
    next.number = first;
    next.slot += GROUP >> shift;
  }
  return next;
}

/* A run; of length 0 where this tile has none. */
typedef struct run {
  __global const word *from;
  __local word *to;
  uint length;
} run;

static run run_at(uint slot, uint length, uint column_steps, uint row_steps, const tables at,
                  __global const word *from, __local word *staged) {
  run found = {from, staged, 0};
  if (slot < at.slot_count) {
    const offset_pair entry = at.slots[slot];
    const uint steps = (uint)entry.y;
    if ((steps & 0xffff) < column_steps && steps >> 16 < row_steps) {
      found.from = from + entry.x;
      found.to = staged + slot * at.pitch;
      found.length = length;
    }
  }
  return found;
}

static void stage_unit(unit value, __local word *to) {
  *(__local unit *)to = value;
}

static void load_pieces(const tables at, uint shift, __global const word *from,
                        __local word *staged, uint length, uint column_steps, uint row_steps) {
  const uint numbers = (length + PIECE - 1) / PIECE;
  for (part p = first_part(shift); p.slot < at.slot_count;) {
    run runs[HELD_PIECES];
    uint starts[HELD_PIECES];
    uint4 held[HELD_PIECES];
#pragma unroll
    for (uint h = 0; h < HELD_PIECES; ++h) {
      runs[h] = run_at(p.slot, length, column_steps, row_steps, at, from, staged);
      starts[h] = p.number * PIECE;
      if (starts[h] + PIECE <= runs[h].length) {
        held[h] = load_piece(runs[h].from + starts[h]);
      }
      p = next_part(p, shift, numbers);
    }
#pragma unroll
    for (uint h = 0; h < HELD_PIECES; ++h) {
      if (starts[h] + PIECE <= runs[h].length) {
#pragma unroll
        for (uint u = 0; u < UNITS_PER_PIECE; ++u) {
          stage_unit(unit_of_piece(held[h], u), runs[h].to + place_in_run(starts[h] + u * UNIT));
        }
        continue;
      }
      for (uint i = starts[h]; i < runs[h].length; ++i) {
        runs[h].to[place_in_run(i)] = runs[h].from[i];
      }
    }
  }
}

static void load_units(const tables at, uint shift, __global const word *from, __local word *staged,
                       uint length, uint column_steps, uint row_steps) {
  const uint numbers = (length + 2 * UNIT - 2) / UNIT; /* of a run, wherever it begins */
  for (part p = first_part(shift); p.slot < at.slot_count;) {
    run runs[HELD_UNITS];
    uint starts[HELD_UNITS];
    unit held[HELD_UNITS];
#pragma unroll
    for (uint h = 0; h < HELD_UNITS; ++h) {
      runs[h] = run_at(p.slot, length, column_steps, row_steps, at, from, staged);
      starts[h] = p.number * UNIT - words_into_unit(runs[h].from);
      if (is_whole(starts[h], UNIT, runs[h].length)) {
        held[h] = load_unit(runs[h].from + starts[h]);
      }
      p = next_part(p, shift, numbers);
    }
#pragma unroll
    for (uint h = 0; h < HELD_UNITS; ++h) {
      const bool whole = is_whole(starts[h], UNIT, runs[h].length);
      if (whole && starts[h] % UNIT == 0) {
        stage_unit(held[h], runs[h].to + place_in_run(starts[h]));
        continue;
      }
#pragma unroll
      for (uint k = 0; k < UNIT; ++k) {
        const uint i = starts[h] + k; /* comes round at 0 */
        if (i < runs[h].length) {
          runs[h].to[place_in_run(i)] = whole ? word_of_unit(held[h], k) : runs[h].from[i];
        }
      }
    }
  }
}

/* ---- Storing ---- */

static uint place_of_column(const tables at, const tile t, uint column) {
  return column < t.valid_columns ? (uint)at.columns[column] : NOWHERE;
}

static uint place_of_row(const offset_pair entry, const tile t, uint row) {
  return row < t.valid_rows ? (uint)entry.y : NOWHERE;
}

static word staged_word(__local const word *staged, uint row_place, uint column_place, word fill) {
  if (row_place == NOWHERE || column_place == NOWHERE) {
    return fill;
  }
  const uint place = row_place + column_place;
  return staged[(place >> 16) + place_in_run(place & 0xffff)];
}

static unit gather_unit(__local const word *staged, uint row_place, const uint *column_places,
                        word fill) {
  word words[UNIT];
#pragma unroll
  for (uint k = 0; k < UNIT; ++k) {
    words[k] = staged_word(staged, row_place, column_places[k], fill);
  }
  return unit_of(words);
}

static uint4 gather_piece(__local const word *staged, uint row_place, const uint *column_places,
                          word fill) {
  unit units[UNITS_PER_PIECE];
#pragma unroll
  for (uint u = 0; u < UNITS_PER_PIECE; ++u) {
    units[u] = gather_unit(staged, row_place, column_places + u * UNIT, fill);
  }
  return piece_of(units);
}

static void store_pieces(const tables at, uint shift, __global word *to, __local const word *staged,
                         const tile t, uint rows, uint columns, word fill) {
  const uint first = (uint)get_local_id(0) & ((1u << shift) - 1);
  const uint first_row = (uint)get_local_id(0) >> shift;
  for (uint column = first * PIECE; first_row < rows && column < columns;
       column += PIECE << shift) {
    uint places[PIECE];
#pragma unroll
    for (uint k = 0; k < PIECE; ++k) {
      places[k] = place_of_column(at, t, column + k);
    }
    for (uint row = first_row; row < rows; row += GROUP >> shift) {
      const offset_pair entry = at.rows[row];
      const uint place = place_of_row(entry, t, row);
      __global word *const run = to + entry.x;
      if (column + PIECE <= columns) {
        store_piece(gather_piece(staged, place, places, fill), run + column);
        continue;
      }
#pragma unroll
      for (uint k = 0; k < PIECE; ++k) {
        if (column + k < columns) {
          run[column + k] = staged_word(staged, place, places[k], fill);
        }
      }
    }
  }
}

/* The columns are looked up again where another row's units begin at others. */
static void store_units(const tables at, uint shift, __global word *to, __local const word *staged,
                        const tile t, uint rows, uint columns, word fill) {
  const uint first = (uint)get_local_id(0) & ((1u << shift) - 1);
  const uint numbers = (columns + 2 * UNIT - 2) / UNIT; /* of a row, wherever it begins */
  for (uint number = first; number < numbers; number += 1u << shift) {
    uint places[UNIT];
    uint looked_up = 1u << 31;
    for (uint row = (uint)get_local_id(0) >> shift; row < rows; row += GROUP >> shift) {
      const offset_pair entry = at.rows[row];
      const uint place = place_of_row(entry, t, row);
      __global word *const run = to + entry.x;
      const uint column = number * UNIT - words_into_unit(run);
      if (column != looked_up) {
#pragma unroll
        for (uint k = 0; k < UNIT; ++k) {
          places[k] = place_of_column(at, t, column + k);
        }
        looked_up = column;
      }
      if (is_whole(column, UNIT, columns)) {
        store_unit(gather_unit(staged, place, places, fill), run + column);
        continue;
      }
#pragma unroll
      for (uint k = 0; k < UNIT; ++k) {
        if (column + k < columns) { /* which comes round at 0 */
          run[column + k] = staged_word(staged, place, places[k], fill);
        }
      }
    }
  }
}

/* Rows with gaps, word by word. */
static void store_words(const tables at, uint shift, __global word *to, __local const word *staged,
                        const tile t, bool fills, word fill) {
  const uint first = (uint)get_local_id(0) & ((1u << shift) - 1);
  for (uint column = first; column < t.columns; column += 1u << shift) {
    const uint column_place = place_of_column(at, t, column);
    const offset column_offset = at.column_offsets[column];
    for (uint row = (uint)get_local_id(0) >> shift; row < t.rows; row += GROUP >> shift) {
      const offset_pair entry = at.rows[row];
      const uint place = place_of_row(entry, t, row);
      if (fills || (place != NOWHERE && column_place != NOWHERE)) {
        to[entry.x + column_offset] = staged_word(staged, place, column_place, fill);
      }
    }
  }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
packed(__global word *restrict destination, const ulong destination_start,
       __constant const grid *grid, const word fill, __global const word *restrict source,
       const ulong source_start, __global const packing *restrict made,
       __local word *restrict staged) {
  const tables at = tables_of(made, grid);
  const uint inner_columns = (uint)grid->columns.inner;
  const uint inner_rows = (uint)grid->rows.inner;
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    __global const word *const from = source + source_start + t.source;
    __global word *const to = destination + destination_start + t.destination;
    const uint column_steps = t.valid_columns / inner_columns;
    const uint row_steps = t.valid_rows / inner_rows;
    const uint steps = made->run_side == 1 ? column_steps : made->run_side == 2 ? row_steps : 1;
    const uint length = (uint)made->run_words * steps + (uint)made->run_over;
    if (column_steps == 0 || row_steps == 0) {
      /* nothing to load */
    } else if (made->loads_pieces && on_piece(from)) {
      load_pieces(at, (uint)made->load_piece_shift, from, staged, length, column_steps, row_steps);
    } else {
      load_units(at, (uint)made->load_unit_shift, from, staged, length, column_steps, row_steps);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint rows = grid->fills ? t.rows : t.valid_rows;
    const uint columns = grid->fills ? t.columns : t.valid_columns;
    if (!made->is_dense) {
      store_words(at, (uint)made->store_unit_shift, to, staged, t, grid->fills, fill);
    } else if (made->stores_pieces && on_piece(to)) {
      store_pieces(at, (uint)made->store_piece_shift, to, staged, t, rows, columns, fill);
    } else {
      store_units(at, (uint)made->store_unit_shift, to, staged, t, rows, columns, fill);
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* before the next tile takes the place of this one */
  }
}
