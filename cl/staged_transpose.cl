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

/* The host compiles in TILE_ROWS and TILE_COLUMNS, powers of two (src/opencl/staged.c). */
#define TILE_WORDS (TILE_ROWS * TILE_COLUMNS)

/* Words that take one turn of all banks. */
#define BANK_WORDS (128 / WORD_BYTES)

/* Where a word of the tile lies. A column's words take TILE_ROWS places in a row. Were they in
 * order, the words of a row, which neighbours gather at once, would share a bank; so each column
 * has an order of its own, by a bit pattern that no other of 32 neighbours has:
 *
 *     bank             0 1 2 3
 *     of column 0      a b c d
 *               1      f e h g
 *               2      k l i j
 *               3      p o n m
 *
 * Words of a unit stay together. Units, which are loaded at once from four columns, differ in the
 * lowest bits of the pattern, columns a unit apart in all of it. Where a unit of the source becomes
 * several, neighbours put theirs so far apart that one turn of the banks is not enough for them; so
 * each turn has an order of its own too. */
ALWAYS_INLINE static uint place_of(uint row, uint column) {
  const uint turn = SOURCE_UNIT > UNIT ? row / BANK_WORDS * UNIT : 0;
  const uint pattern = (column & ~(UNIT - 1u)) ^ ((column & (UNIT - 1u)) * 4) ^ turn;
  return column * TILE_ROWS + (row ^ (pattern & (TILE_ROWS - 1)));
}

/* What a unit of the source becomes. */
ALWAYS_INLINE static void stage(__local word *staged, uint row, uint column, source_unit loaded,
                                const place from) {
  if (SOURCE_UNIT % UNIT == 0 && row % UNIT == 0) {
#pragma unroll
    for (uint k = 0; k < SOURCE_UNIT / UNIT * UNIT; k += UNIT) {
      stage_unit(arriving_unit(loaded, k, from), staged + place_of(row + k, column));
    }
    return;
  }
  FEW_AT_ONCE
  for (uint k = 0; k < SOURCE_UNIT; ++k) {
    staged[place_of(row + k, column)] = arriving_word(loaded, k, from);
  }
}

/* A word of the destination; what is left of a row's last one becomes zeros. */
ALWAYS_INLINE static word gather_word(__local const word *staged, uint row, uint column,
                                      uint columns) {
  word made = (word)(0);
#pragma unroll
  for (uint k = 0; k < IN_DESTINATION_BYTE; ++k) {
    if (column + k < columns) {
      made = with_element(made, k, staged[place_of(row, column + k)]);
    }
  }
  return made;
}

ALWAYS_INLINE static unit gather_unit(__local const word *staged, uint row, uint column) {
  unit made = (unit)(0);
#pragma unroll
  for (uint k = 0; k < UNIT; ++k) {
    const uint first = column + k * IN_DESTINATION_BYTE;
    made = with_word(made, k, gather_word(staged, row, first, TILE_COLUMNS));
  }
  return made;
}

ALWAYS_INLINE static uint4 gather_piece(__local const word *staged, uint row, uint column) {
  unit units[UNITS_PER_PIECE];
#pragma unroll
  for (uint u = 0; u < UNITS_PER_PIECE; ++u) {
    units[u] = gather_unit(staged, row, column + u * LEAVING_UNIT);
  }
  return piece_of(units);
}

/* Pieces and units of a tile are numbered along a line of a run, or all of a shorter one, then from
 * run to run, then from line to line. */
#define IN_LINE(parts, part, run) ((parts) * (part) < (run) ? (parts) : (run) / (part))

#define LOADED_PIECES        (TILE_WORDS / SOURCE_PIECE)
#define LOADED_UNITS         (TILE_WORDS / SOURCE_UNIT)
#define PIECES_PER_LOAD_LINE IN_LINE(PIECES_PER_LINE, SOURCE_PIECE, TILE_ROWS)
#define UNITS_PER_LOAD_LINE  IN_LINE(SOURCE_UNITS_PER_LINE, SOURCE_UNIT, TILE_ROWS)
#define HELD_PIECES          HELD(MOST_PIECES, LOADED_PIECES)
#define HELD_UNITS           HELD(MOST_UNITS, LOADED_UNITS)

#define STORED_PIECES         (TILE_WORDS / LEAVING_PIECE)
#define STORED_UNITS          (TILE_WORDS / LEAVING_UNIT)
#define PIECES_PER_STORE_LINE IN_LINE(PIECES_PER_LINE, LEAVING_PIECE, TILE_COLUMNS)
#define UNITS_PER_STORE_LINE  IN_LINE(UNITS_PER_LINE, LEAVING_UNIT, TILE_COLUMNS)

ALWAYS_INLINE static uint run_of(uint number, uint per_line, uint runs) {
  return number / per_line % runs;
}

ALWAYS_INLINE static uint within_run(uint number, uint per_line, uint runs) {
  return number % per_line + number / (per_line * runs) * per_line;
}

/* ---- Loading: the runs are columns ---- */

/* An element of the column from `from` on, or what is in its place without a source. */
ALWAYS_INLINE static void stage_element(__local word *staged, uint row, uint column,
                                        const place from, const tile t, word fill) {
  if (row < t.rows && column < t.columns) {
    const bool has_source = row < t.valid_rows && column < t.valid_columns;
    staged[place_of(row, column)] = has_source ? element_at(onward(from, row)) : fill;
  }
}

static void load_pieces(__local word *staged, const place from, offset source_column, const tile t,
                        word fill) {
  for (uint first = (uint)get_local_id(0); first < LOADED_PIECES; first += HELD_PIECES * GROUP) {
    uint4 held[HELD_PIECES];
#pragma unroll
    for (uint h = 0; h < HELD_PIECES; ++h) {
      const uint column = run_of(first + h * GROUP, PIECES_PER_LOAD_LINE, TILE_COLUMNS);
      const uint row =
          SOURCE_PIECE * within_run(first + h * GROUP, PIECES_PER_LOAD_LINE, TILE_COLUMNS);
      if (column < t.valid_columns && row + SOURCE_PIECE <= t.valid_rows) {
        held[h] = load_piece(onward(from, (offset)column * source_column + (offset)row));
      }
    }
#pragma unroll
    for (uint h = 0; h < HELD_PIECES; ++h) {
      const uint column = run_of(first + h * GROUP, PIECES_PER_LOAD_LINE, TILE_COLUMNS);
      const uint row =
          SOURCE_PIECE * within_run(first + h * GROUP, PIECES_PER_LOAD_LINE, TILE_COLUMNS);
      if (column < t.valid_columns && row + SOURCE_PIECE <= t.valid_rows) {
        FEW_AT_ONCE
        for (uint u = 0; u < UNITS_PER_SOURCE_PIECE; ++u) {
          stage(staged, row + u * SOURCE_UNIT, column, unit_of_piece(held[h], u), from);
        }
        continue;
      }
      ONE_BY_ONE
      for (uint r = row; r < row + SOURCE_PIECE; ++r) {
        stage_element(staged, r, column, onward(from, (offset)column * source_column), t, fill);
      }
    }
  }
}

/* Where unit `number` of a run begins, of `unit` elements. Units are numbered from the start of the
 * line that has the run's first element, so that neighbours touch whole lines; the first ones,
 * before the run, come round to its end:
 *
 *     lines              |       |       |       |
 *     units of the run       2 3 4 5 6 7 0 1         of 8 in two lines
 *
 * A unit that the run's ends cut in two is moved word by word. */
ALWAYS_INLINE static uint unit_start(uint number, uint unit, uint into_line, uint length) {
  return (number * unit - into_line) & (length - 1);
}

static void load_units(__local word *staged, const place from, offset source_column, const tile t,
                       word fill) {
  for (uint first = (uint)get_local_id(0); first < LOADED_UNITS; first += HELD_UNITS * GROUP) {
    source_unit held[HELD_UNITS];
#pragma unroll
    for (uint h = 0; h < HELD_UNITS; ++h) {
      const uint column = run_of(first + h * GROUP, UNITS_PER_LOAD_LINE, TILE_COLUMNS);
      const uint number = within_run(first + h * GROUP, UNITS_PER_LOAD_LINE, TILE_COLUMNS);
      const place run = onward(from, (offset)column * source_column);
      const uint row = unit_start(number, SOURCE_UNIT, elements_into_line(run), TILE_ROWS);
      if (column < t.valid_columns && row + SOURCE_UNIT <= t.valid_rows) {
        held[h] = load_unit(onward(run, row));
      }
    }
#pragma unroll
    for (uint h = 0; h < HELD_UNITS; ++h) {
      const uint column = run_of(first + h * GROUP, UNITS_PER_LOAD_LINE, TILE_COLUMNS);
      const uint number = within_run(first + h * GROUP, UNITS_PER_LOAD_LINE, TILE_COLUMNS);
      const place run = onward(from, (offset)column * source_column);
      const uint row = unit_start(number, SOURCE_UNIT, elements_into_line(run), TILE_ROWS);
      if (column < t.valid_columns && row + SOURCE_UNIT <= t.valid_rows) {
        stage(staged, row, column, held[h], from);
        continue;
      }
      FEW_AT_ONCE
      for (uint k = 0; k < SOURCE_UNIT; ++k) {
        stage_element(staged, (row + k) & (TILE_ROWS - 1), column, run, t, fill);
      }
    }
  }
}

/* ---- Storing: the runs are rows ---- */

static void store_pieces(__global word *to, offset destination_row, __local const word *staged,
                         uint rows, uint columns) {
#pragma unroll 4
  for (uint i = 0; i < (STORED_PIECES + GROUP - 1) / GROUP; ++i) {
    const uint n = (uint)get_local_id(0) + i * GROUP;
    const uint row = run_of(n, PIECES_PER_STORE_LINE, TILE_ROWS);
    const uint column = LEAVING_PIECE * within_run(n, PIECES_PER_STORE_LINE, TILE_ROWS);
    __global word *const run = to + (offset)row * destination_row;
    if (n >= STORED_PIECES || row >= rows) {
      continue;
    }
    if (column + LEAVING_PIECE <= columns) {
      store_piece(gather_piece(staged, row, column), run + leaving_offset(column));
      continue;
    }
    ONE_BY_ONE
    for (uint c = column; c < columns; c += IN_DESTINATION_BYTE) {
      run[leaving_offset(c)] = gather_word(staged, row, c, columns);
    }
  }
}

static void store_units(__global word *to, offset destination_row, __local const word *staged,
                        uint rows, uint columns) {
#pragma unroll 4
  for (uint i = 0; i < (STORED_UNITS + GROUP - 1) / GROUP; ++i) {
    const uint n = (uint)get_local_id(0) + i * GROUP;
    const uint row = run_of(n, UNITS_PER_STORE_LINE, TILE_ROWS);
    const uint number = within_run(n, UNITS_PER_STORE_LINE, TILE_ROWS);
    __global word *const run = to + (offset)row * destination_row;
    const uint column = unit_start(number, LEAVING_UNIT, leaving_into_line(run), TILE_COLUMNS);
    if (n >= STORED_UNITS || row >= rows) {
      continue;
    }
    if (column + LEAVING_UNIT <= columns) {
      store_unit(gather_unit(staged, row, column), run + leaving_offset(column));
      continue;
    }
    FEW_AT_ONCE
    for (uint k = 0; k < LEAVING_UNIT; k += IN_DESTINATION_BYTE) {
      const uint c = (column + k) & (TILE_COLUMNS - 1);
      if (c < columns) {
        run[leaving_offset(c)] = gather_word(staged, row, c, columns);
      }
    }
  }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
transpose(__global word *restrict destination, const ulong destination_start,
          __constant const kernel_grid *grid, const word fill,
          __global const source_word *restrict source,
          const ulong source_start CONVERSION_PARAMETER) {
  __local word staged[TILE_WORDS] __attribute__((aligned(16)));
  const offset source_column = (offset)grid->columns.source_stride;
  const offset destination_row = leaving_offset((offset)grid->rows.destination_stride);
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    const place from = onward(PLACE(source, source_start), (long)t.source);
    __global word *const to = leaving_place(destination, destination_start + t.destination);
    if (on_source_piece(from) && (source_column & (SOURCE_PIECE - 1)) == 0) {
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
