/* staged_transpose.cl: the destination runs along the columns, the source along the rows.
 * Follows staged.cl.
 *
 *     source   a e i m . .     destination   a b c d . .
 *              b f j n . .                   e f g h . .
 *              c g k o . .                   i j k l . .
 *              d h l p . .                   m n o p . .
 *
 * Either side alone could be walked along its run; a tile makes it so for both. The group loads
 * columns, along which the source runs, into local memory, as they are, and gathers rows from it.
 */

/* 16 KiB, in lines of 128 bytes or more on both sides: each work-item has some pieces to load at once,
 * and a compute unit's memory holds the tiles of several groups. */
#define TILE_ROWS    (WORD_BYTES == 1 ? 128 : WORD_BYTES <= 4 ? 64 : 32)
#define TILE_COLUMNS ((16 << 10) / WORD_BYTES / TILE_ROWS)
#define TILE_WORDS   (TILE_ROWS * TILE_COLUMNS)

/* Where a word of the tile lies. A column's words take TILE_ROWS places in a row. Were they in order, the
 * words of a row, which neighbours gather at once, would share a bank; so each column has an order
 * of its own, by a bit pattern that no other of 32 neighbours has:
 *
 *     bank             0 1 2 3
 *     of column 0      a b c d
 *               1      f e h g
 *               2      k l i j
 *               3      p o n m
 *
 * Words of a unit stay together. Units, which are loaded at once from four columns, differ in the
 * lowest bits of the pattern, columns a unit apart in all of it. */
static uint place_of(uint row, uint column) {
  const uint pattern = (column & ~(UNIT - 1u)) ^ ((column & (UNIT - 1u)) * 4);
  return column * TILE_ROWS + (row ^ (pattern & (TILE_ROWS - 1)));
}

static void stage_unit(__local word *staged, uint row, uint column, unit value) {
  *(__local unit *)(staged + place_of(row, column)) = value;
}

static unit gather_unit(__local const word *staged, uint row, uint column) {
  word words[UNIT];
#pragma unroll
  for (uint k = 0; k < UNIT; ++k) {
    words[k] = staged[place_of(row, column + k)];
  }
  return unit_of(words);
}

static uint4 gather_piece(__local const word *staged, uint row, uint column) {
  unit units[UNITS_PER_PIECE];
#pragma unroll
  for (uint u = 0; u < UNITS_PER_PIECE; ++u) {
    units[u] = gather_unit(staged, row, column + u * UNIT);
  }
  return piece_of(units);
}

/* Pieces and units of a tile are numbered along a line of a run, then from run to run, then from
 * line to line. */
#define PIECES      (TILE_WORDS / PIECE)
#define UNITS       (TILE_WORDS / UNIT)
#define HELD_PIECES HELD(4, PIECES)
#define HELD_UNITS  HELD(8, UNITS)

static uint run_of(uint number, uint per_line, uint runs) {
  return number / per_line % runs;
}

static uint within_run(uint number, uint per_line, uint runs) {
  return number % per_line + number / (per_line * runs) * per_line;
}

/* ---- Loading: the runs are columns ---- */

/* A word of column `from`, or what is in its place without a source. */
static void stage_word(__local word *staged, uint row, uint column, __global const word *from,
                       const tile t, word fill) {
  if (row < t.rows && column < t.columns) {
    const bool has_source = row < t.valid_rows && column < t.valid_columns;
    staged[place_of(row, column)] = has_source ? from[row] : fill;
  }
}

static void load_pieces(__local word *staged, __global const word *from, offset source_column,
                        const tile t, word fill) {
  for (uint first = (uint)get_local_id(0); first < PIECES; first += HELD_PIECES * GROUP) {
    uint4 held[HELD_PIECES];
#pragma unroll
    for (uint h = 0; h < HELD_PIECES; ++h) {
      const uint column = run_of(first + h * GROUP, PIECES_PER_LINE, TILE_COLUMNS);
      const uint row = PIECE * within_run(first + h * GROUP, PIECES_PER_LINE, TILE_COLUMNS);
      if (column < t.valid_columns && row + PIECE <= t.valid_rows) {
        held[h] = load_piece(from + (offset)column * source_column + row);
      }
    }
#pragma unroll
    for (uint h = 0; h < HELD_PIECES; ++h) {
      const uint column = run_of(first + h * GROUP, PIECES_PER_LINE, TILE_COLUMNS);
      const uint row = PIECE * within_run(first + h * GROUP, PIECES_PER_LINE, TILE_COLUMNS);
      if (column < t.valid_columns && row + PIECE <= t.valid_rows) {
#pragma unroll
        for (uint u = 0; u < UNITS_PER_PIECE; ++u) {
          stage_unit(staged, row + u * UNIT, column, unit_of_piece(held[h], u));
        }
        continue;
      }
      for (uint r = row; r < row + PIECE; ++r) {
        stage_word(staged, r, column, from + (offset)column * source_column, t, fill);
      }
    }
  }
}

/* Where unit `number` of a run begins. Units are numbered from the start of the line that has the
 * run's first word, so that neighbours touch whole lines; the first ones, before the run, come round
 * to its end:
 *
 *     lines              |       |       |       |
 *     units of the run       2 3 4 5 6 7 0 1         of 8 in two lines
 *
 * A unit that the run's ends cut in two is moved word by word. */
static uint unit_start(uint number, uint into_line, uint length) {
  return (number * UNIT - into_line) & (length - 1);
}

static void load_units(__local word *staged, __global const word *from, offset source_column,
                       const tile t, word fill) {
  for (uint first = (uint)get_local_id(0); first < UNITS; first += HELD_UNITS * GROUP) {
    unit held[HELD_UNITS];
#pragma unroll
    for (uint h = 0; h < HELD_UNITS; ++h) {
      const uint column = run_of(first + h * GROUP, UNITS_PER_LINE, TILE_COLUMNS);
      const uint number = within_run(first + h * GROUP, UNITS_PER_LINE, TILE_COLUMNS);
      __global const word *const run = from + (offset)column * source_column;
      const uint row = unit_start(number, words_into_line(run), TILE_ROWS);
      if (column < t.valid_columns && row + UNIT <= t.valid_rows) {
        held[h] = load_unit(run + row);
      }
    }
#pragma unroll
    for (uint h = 0; h < HELD_UNITS; ++h) {
      const uint column = run_of(first + h * GROUP, UNITS_PER_LINE, TILE_COLUMNS);
      const uint number = within_run(first + h * GROUP, UNITS_PER_LINE, TILE_COLUMNS);
      __global const word *const run = from + (offset)column * source_column;
      const uint row = unit_start(number, words_into_line(run), TILE_ROWS);
      const bool is_loaded = column < t.valid_columns && row + UNIT <= t.valid_rows;
      if (is_loaded && row % UNIT == 0) {
        stage_unit(staged, row, column, held[h]);
        continue;
      }
#pragma unroll
      for (uint k = 0; k < UNIT; ++k) {
        if (is_loaded) {
          staged[place_of(row + k, column)] = word_of_unit(held[h], k);
        } else {
          stage_word(staged, (row + k) & (TILE_ROWS - 1), column, run, t, fill);
        }
      }
    }
  }
}

/* ---- Storing: the runs are rows ---- */

static void store_pieces(__global word *to, offset destination_row, __local const word *staged,
                         uint rows, uint columns) {
#pragma unroll 4
  for (uint i = 0; i < PIECES / GROUP; ++i) {
    const uint row = run_of((uint)get_local_id(0) + i * GROUP, PIECES_PER_LINE, TILE_ROWS);
    const uint column =
        PIECE * within_run((uint)get_local_id(0) + i * GROUP, PIECES_PER_LINE, TILE_ROWS);
    __global word *const run = to + (offset)row * destination_row;
    if (row >= rows) {
      continue;
    }
    if (column + PIECE <= columns) {
      store_piece(gather_piece(staged, row, column), run + column);
      continue;
    }
    for (uint c = column; c < columns; ++c) {
      run[c] = staged[place_of(row, c)];
    }
  }
}

static void store_units(__global word *to, offset destination_row, __local const word *staged,
                        uint rows, uint columns) {
#pragma unroll 4
  for (uint i = 0; i < UNITS / GROUP; ++i) {
    const uint row = run_of((uint)get_local_id(0) + i * GROUP, UNITS_PER_LINE, TILE_ROWS);
    const uint number = within_run((uint)get_local_id(0) + i * GROUP, UNITS_PER_LINE, TILE_ROWS);
    __global word *const run = to + (offset)row * destination_row;
    const uint column = unit_start(number, words_into_line(run), TILE_COLUMNS);
    if (row >= rows) {
      continue;
    }
    if (column + UNIT <= columns) {
      store_unit(gather_unit(staged, row, column), run + column);
      continue;
    }
#pragma unroll
    for (uint k = 0; k < UNIT; ++k) {
      const uint c = (column + k) & (TILE_COLUMNS - 1);
      if (c < columns) {
        run[c] = staged[place_of(row, c)];
      }
    }
  }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
transpose(__global word *restrict destination, const ulong destination_start,
          __constant const grid *grid, const word fill, __global const word *restrict source,
          const ulong source_start) {
  __local word staged[TILE_WORDS] __attribute__((aligned(16)));
  const offset source_column = (offset)grid->columns.source_stride;
  const offset destination_row = (offset)grid->rows.destination_stride;
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    __global const word *const from = source + source_start + t.source;
    __global word *const to = destination + destination_start + t.destination;
    if (on_piece(from) && (source_column & (PIECE - 1)) == 0) {
      load_pieces(staged, from, source_column, t, fill);
    } else {
      load_units(staged, from, source_column, t, fill);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint rows = grid->fills ? t.rows : t.valid_rows;
    const uint columns = grid->fills ? t.columns : t.valid_columns;
    if (on_piece(to) && (destination_row & (PIECE - 1)) == 0) {
      store_pieces(to, destination_row, staged, rows, columns);
    } else {
      store_units(to, destination_row, staged, rows, columns);
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* before the next tile takes the place of this one */
  }
}
