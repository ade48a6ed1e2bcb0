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

/* The host compiles in TILE_ROWS and TILE_COLUMNS, powers of two (src/plan/local_tile.c). */
#define TILE_WORDS (TILE_ROWS * TILE_COLUMNS)

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
  const uint turn = SOURCE_UNIT > UNIT ? row / LINE_WORDS * UNIT : 0;
  const uint pattern = (column & ~(UNIT - 1u)) ^ ((column & (UNIT - 1u)) * 4) ^ turn;
  return column * TILE_ROWS + (row ^ (pattern & (TILE_ROWS - 1)));
}

/* What a unit of the source becomes. */
ALWAYS_INLINE static void stage(__local word *staged, uint row, uint column, source_unit loaded,
                                const place from) {
  if (SOURCE_UNIT % UNIT == 0 && row % UNIT == 0) {
#pragma unroll
    for (uint k = 0; k < SOURCE_UNIT / UNIT * UNIT; k += UNIT) {
      stage_unit(converted_unit(loaded, k, from), staged + place_of(row + k, column));
    }
    return;
  }
  FEW_AT_ONCE
  for (uint k = 0; k < SOURCE_UNIT; ++k) {
    staged[place_of(row + k, column)] = converted_word(loaded, k, from);
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

/* Elements of a run that neighbours touch together. */
#define LOADED_AT_ONCE (SOURCE_LINE < TILE_ROWS ? SOURCE_LINE : TILE_ROWS)
#define STORED_AT_ONCE (DESTINATION_LINE < TILE_COLUMNS ? DESTINATION_LINE : TILE_COLUMNS)

/* Parts of a tile, pieces or units, are numbered along a line of a run, or all of a shorter one,
 * then from run to run, then from line to line. Units of a run are numbered from the start of the
 * line that has its first element, so that neighbours touch whole lines; the first ones, before the
 * run, come round to its end:
 *
 *     lines              |       |       |       |
 *     units of the run       2 3 4 5 6 7 0 1         of 8 in two lines
 *
 * A unit that the run's ends cut in two is moved word by word. */
ALWAYS_INLINE static part part_of_tile(uint number, uint per_line, uint runs) {
  const part found = {number / per_line % runs,
                      number % per_line + number / (per_line * runs) * per_line};
  return found;
}

/* ---- Loading: the runs are columns ---- */

/* A part of a column: from `run` on, at element `row` of it. */
typedef struct spot {
  place run;
  uint row;
  uint column;
  bool is_whole;
} spot;

ALWAYS_INLINE static spot spot_of(uint number, const place from, offset source_column, const tile t,
                                  bool by_pieces) {
  const uint elements = by_pieces ? SOURCE_PIECE : SOURCE_UNIT;
  const part p = part_of_tile(number, LOADED_AT_ONCE / elements, TILE_COLUMNS);
  const place run = onward(from, (offset)p.run * source_column);
  const uint row =
      (p.number * elements - (by_pieces ? 0 : elements_into_line(run))) & (TILE_ROWS - 1);
  const spot found = {run, row, p.run, p.run < t.valid_columns && row + elements <= t.valid_rows};
  return found;
}

/* An element of the column from `from` on, or what is in its place without a source. */
ALWAYS_INLINE static void stage_element(__local word *staged, uint row, uint column,
                                        const place from, const tile t, word fill) {
  if (row < t.rows && column < t.columns) {
    const bool has_source = row < t.valid_rows && column < t.valid_columns;
    staged[place_of(row, column)] = has_source ? element_at(onward(from, row)) : fill;
  }
}

/* A part that is loaded, or that has to be element by element. */
ALWAYS_INLINE static void stage_part(__local word *staged, const spot at, const loaded_part loaded,
                                     const tile t, word fill, bool by_pieces) {
  const uint elements = by_pieces ? SOURCE_PIECE : SOURCE_UNIT;
  if (at.is_whole) {
    FEW_AT_ONCE
    for (uint k = 0; k < elements; k += SOURCE_UNIT) {
      stage(staged, at.row + k, at.column, unit_of_part(loaded, k / SOURCE_UNIT, by_pieces),
            at.run);
    }
    return;
  }
  ONE_BY_ONE
  for (uint first = 0; first < elements; first += SOURCE_UNIT) {
    FEW_AT_ONCE
    for (uint k = first; k < first + SOURCE_UNIT; ++k) {
      stage_element(staged, (at.row + k) & (TILE_ROWS - 1), at.column, at.run, t, fill);
    }
  }
}

ALWAYS_INLINE static void load_tile(__local word *staged, const place from, offset source_column,
                                    const tile t, word fill, bool by_pieces) {
  const uint elements = by_pieces ? SOURCE_PIECE : SOURCE_UNIT;
  const uint count = TILE_WORDS / elements;
  const uint most = HELD(by_pieces ? MOST_PIECES : MOST_UNITS, count);
  for (uint first = (uint)get_local_id(0); first < count; first += most * GROUP) {
    loaded_part held[MOST_UNITS];
#pragma unroll
    for (uint h = 0; h < most; ++h) {
      const spot at = spot_of(first + h * GROUP, from, source_column, t, by_pieces);
      if (at.is_whole) {
        held[h] = load_part(onward(at.run, at.row), by_pieces);
      }
    }
#pragma unroll
    for (uint h = 0; h < most; ++h) {
      stage_part(staged, spot_of(first + h * GROUP, from, source_column, t, by_pieces), held[h], t,
                 fill, by_pieces);
    }
  }
}

/* ---- Storing: the runs are rows ---- */

ALWAYS_INLINE static void store_tile(__global word *to, offset destination_row,
                                     __local const word *staged, uint rows, uint columns,
                                     bool by_pieces) {
  const uint elements = by_pieces ? DESTINATION_PIECE : DESTINATION_UNIT;
  const uint count = TILE_WORDS / elements;
#pragma unroll 4
  for (uint i = 0; i < (count + GROUP - 1) / GROUP; ++i) {
    const uint n = (uint)get_local_id(0) + i * GROUP;
    const part p = part_of_tile(n, STORED_AT_ONCE / elements, TILE_ROWS);
    __global word *const run = to + (offset)p.run * destination_row;
    const uint column =
        (p.number * elements - (by_pieces ? 0 : stored_into_line(run))) & (TILE_COLUMNS - 1);
    if (n >= count || p.run >= rows) {
      continue;
    }
    if (column + elements <= columns && by_pieces) {
      unit made[UNITS_PER_PIECE];
#pragma unroll
      for (uint u = 0; u < UNITS_PER_PIECE; ++u) {
        made[u] = gather_unit(staged, p.run, column + u * DESTINATION_UNIT);
      }
      store_piece(made, run + stored_offset(column));
      continue;
    }
    if (column + elements <= columns) {
      store_unit(gather_unit(staged, p.run, column), run + stored_offset(column));
      continue;
    }
    ONE_BY_ONE
    for (uint first = 0; first < elements; first += DESTINATION_UNIT) {
      FEW_AT_ONCE
      for (uint k = first; k < first + DESTINATION_UNIT; k += IN_DESTINATION_BYTE) {
        const uint c = (column + k) & (TILE_COLUMNS - 1);
        if (c < columns) {
          run[stored_offset(c)] = gather_word(staged, p.run, c, columns);
        }
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
  const offset destination_row = stored_offset((offset)grid->rows.destination_stride);
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    const place from = onward(PLACE(source, source_start), (long)t.source);
    __global word *const to = place_in(destination, destination_start + t.destination);
    if (on_source_piece(from) && (source_column & (SOURCE_PIECE - 1)) == 0) {
      load_tile(staged, from, source_column, t, fill, true);
    } else {
      load_tile(staged, from, source_column, t, fill, false);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint rows = grid->fills ? t.rows : t.valid_rows;
    const uint columns = grid->fills ? t.columns : t.valid_columns;
    if (on_piece(to) && (destination_row & (PIECE - 1)) == 0) {
      store_tile(to, destination_row, staged, rows, columns, true);
    } else {
      store_tile(to, destination_row, staged, rows, columns, false);
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* before the next tile takes the place of this one */
  }
}
