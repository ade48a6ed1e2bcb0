/* transpose.cl: the destination runs along the columns, the source along the rows.
 * Follows work_group.cl.
 *
 *     source   a e i m . .     destination   a b c d . .
 *              b f j n . .                   e f g h . .
 *              c g k o . .                   i j k l . .
 *              d h l p . .                   m n o p . .
 *
 * Either side alone could be walked along its run; a tile makes it so for both. A work-item takes
 * a *block*, a unit of the source from each of as many columns as a unit of the destination holds,
 * and turns it in registers, so that what goes to local memory are units of the destination:
 *
 *     from column 0   a e i m         a b c d   unit of row 0
 *                 1   b f j n         e f g h               1
 *                 2   c g k o   -->   i j k l               2
 *                 3   d h l p         m n o p               3
 *
 * Rows then leave as pieces where both sides allow it, or unit by unit.
 */

/* The host compiles in TILE_ROWS and TILE_COLUMNS, powers of two (src/gpu/local_tile.c).
 * Local memory holds a column of units behind the other. */
#define TILE_WORDS   (TILE_ROWS * TILE_COLUMNS)
#define UNIT_COLUMNS (TILE_COLUMNS / UNIT)
#define UNIT_PITCH   ((TILE_ROWS + TILE_ROWS / 32) | 1)

/* ---- Blocks ---- */

/* Elements that come packed, and are to be nothing but unpacked into bytes. */
#define ONLY_UNPACKS (SOURCE_BITS && UNIT == 4 && !CONVERTS && !TABLE)

/* A unit's words in as many columns become words of the same row. */
#if !CHANGES || ONLY_UNPACKS
ALWAYS_INLINE static void turn_words(const unit *columns, unit *rows) {
#if UNIT == 4
  const uint even_01 = (columns[0] & 0x00ff00ff) | (columns[1] & 0x00ff00ff) << 8;
  const uint odd_01 = (columns[0] >> 8 & 0x00ff00ff) | (columns[1] & 0xff00ff00);
  const uint even_23 = (columns[2] & 0x00ff00ff) | (columns[3] & 0x00ff00ff) << 8;
  const uint odd_23 = (columns[2] >> 8 & 0x00ff00ff) | (columns[3] & 0xff00ff00);
  rows[0] = (even_01 & 0xffff) | even_23 << 16;
  rows[1] = (odd_01 & 0xffff) | odd_23 << 16;
  rows[2] = (even_01 >> 16) | (even_23 & 0xffff0000);
  rows[3] = (odd_01 >> 16) | (odd_23 & 0xffff0000);
#elif UNIT == 2
  rows[0] = (columns[0] & 0xffff) | columns[1] << 16;
  rows[1] = (columns[0] >> 16) | (columns[1] & 0xffff0000);
#else
  rows[0] = columns[0];
#endif
}
#endif

/* The units of SOURCE_UNIT rows, from as many elements of UNIT columns. Packed ones become bytes
 * four at a time: those that have the same place in their bytes. */
ALWAYS_INLINE static void turn(const source_unit *columns, const place from, unit *rows) {
#if ONLY_UNPACKS
#pragma unroll
  for (uint j = 0; j < IN_SOURCE_BYTE; ++j) {
    unit apart[UNIT];
    unit turned[UNIT];
#pragma unroll
    for (uint k = 0; k < UNIT; ++k) {
      apart[k] = columns[k] >> j * SOURCE_BITS & SOURCE_ONES * 0x01010101;
    }
    turn_words(apart, turned);
#pragma unroll
    for (uint i = 0; i < UNIT; ++i) {
      rows[i * IN_SOURCE_BYTE + j] = turned[i];
    }
  }
#elif CHANGES
#pragma unroll
  for (uint i = 0; i < SOURCE_UNIT; ++i) {
    rows[i] = (unit)(0);
#pragma unroll
    for (uint k = 0; k < UNIT; ++k) {
      rows[i] = with_word(rows[i], k, converted_word(columns[k], i, from));
    }
  }
#else
  turn_words(columns, rows);
#endif
}

/* ---- Places in a tile ---- */

typedef struct spot {
  uint row;
  uint column;
} spot;

/* Neighbours store a line of a row, and then the next rows'. Beyond the last piece there are no
 * rows. */
#define PIECE_ELEMENTS (PIECE * IN_DESTINATION_BYTE)
#define PIECES_OF_ROW  (TILE_COLUMNS / PIECE_ELEMENTS)
#define STORED_ALONG   (PIECES_OF_ROW < 8 ? PIECES_OF_ROW : 8)

ALWAYS_INLINE static spot spot_of_piece(uint number) {
  const uint along = number % STORED_ALONG + number / (STORED_ALONG * TILE_ROWS) * STORED_ALONG;
  const bool is_any = number < PIECES_OF_ROW * TILE_ROWS;
  const spot found = {is_any ? number / STORED_ALONG % TILE_ROWS : TILE_ROWS,
                      along * PIECE_ELEMENTS};
  return found;
}

/* ---- By pieces: tiles without padding, where all runs begin with one ----
 *
 * Elements that change have more or fewer bytes in a piece on either side, and go by units. */

#if !CHANGES

/* Units that neighbours fetch along a row, or stage in a column with some rows between, would share
 * a bank if all columns had their rows in the same order. So the rows of a line lie in an order of
 * the column's own. Banks go by the number of a row's piece in its line and by the lowest bits
 * of its place in the piece; the column changes them, so that neighbours are in different ones
 *
 *     who stage what pieces became     by the piece, and by the column's lowest bits
 *     who fetch pieces                 by the column's higher bits, and by the place
 */
#define LINE_ROWS    (TILE_ROWS < 8 * PIECE ? TILE_ROWS : 8 * PIECE)
#define LINE_BANKS   (LINE_ROWS < 32 ? LINE_ROWS : 32)
#define PIECES_ALONG (LINE_ROWS / PIECE)
#define PIECE_BANKS  (LINE_BANKS / PIECES_ALONG)

typedef struct row_place {
  uint start; /* of the units that it may lie among */
  uint bank;  /* of them in column 0 */
} row_place;

ALWAYS_INLINE static row_place place_of_row(uint row) {
  const row_place found = {row / LINE_ROWS * LINE_ROWS + row % PIECE / PIECE_BANKS * LINE_BANKS,
                           row % LINE_ROWS / PIECE * PIECE_BANKS + row % PIECE_BANKS};
  return found;
}

ALWAYS_INLINE static uint place_of(const row_place row, uint unit_column) {
  return unit_column * TILE_ROWS + row.start + ((row.bank ^ unit_column) & (LINE_BANKS - 1));
}

/* Neighbours take a line of a column, and then the next units' columns. */
#define PIECE_BLOCKS     (TILE_WORDS / (PIECE * UNIT))
#define MOST_PIECES      (UNIT < 4 ? 4 / UNIT : 1)
#define BLOCKS_OF_PIECES (ROUNDS(PIECE_BLOCKS) < MOST_PIECES ? ROUNDS(PIECE_BLOCKS) : MOST_PIECES)

ALWAYS_INLINE static uint row_of_block(uint number) {
  return (number % PIECES_ALONG + number / (PIECES_ALONG * UNIT_COLUMNS) * PIECES_ALONG) * PIECE;
}

ALWAYS_INLINE static uint unit_column_of_block(uint number) {
  return number / PIECES_ALONG % UNIT_COLUMNS;
}

ALWAYS_INLINE static void load_pieces(__local unit *staged, const place from, offset source_column,
                                      uint rows, uint columns) {
#pragma unroll
  for (uint round = 0; round < ROUNDS(PIECE_BLOCKS); round += BLOCKS_OF_PIECES) {
    uint4 held[BLOCKS_OF_PIECES][UNIT] NOTHING_YET;
#pragma unroll
    for (uint b = 0; b < BLOCKS_OF_PIECES; ++b) {
      const uint number = local_id() + (round + b) * GROUP;
      const uint row = row_of_block(number);
      const uint column = unit_column_of_block(number) * UNIT;
      if (number < PIECE_BLOCKS && row < rows && column < columns) {
#pragma unroll
        for (uint k = 0; k < UNIT; ++k) {
          held[b][k] = load_piece(onward(from, (offset)(column + k) * source_column + (offset)row));
        }
      }
    }
#pragma unroll
    for (uint b = 0; b < BLOCKS_OF_PIECES; ++b) {
      const uint number = local_id() + (round + b) * GROUP;
      if (number >= PIECE_BLOCKS || row_of_block(number) >= rows ||
          unit_column_of_block(number) * UNIT >= columns) {
        continue;
      }
#pragma unroll
      for (uint u = 0; u < UNITS_PER_PIECE; ++u) {
        unit block[UNIT];
        unit turned[UNIT];
#pragma unroll
        for (uint k = 0; k < UNIT; ++k) {
          block[k] = unit_of_piece(held[b][k], u);
        }
        turn(block, from, turned);
#pragma unroll
        for (uint i = 0; i < UNIT; ++i) {
          const row_place row = place_of_row(row_of_block(number) + u * UNIT + i);
          staged[place_of(row, unit_column_of_block(number))] = turned[i];
        }
      }
    }
  }
}

ALWAYS_INLINE static void store_pieces(__global word *to, offset destination_row,
                                       __local const unit *staged, uint rows, uint columns) {
#pragma unroll
  for (uint round = 0; round < ROUNDS(PIECES_OF_ROW * TILE_ROWS); ++round) {
    const spot at = spot_of_piece(local_id() + round * GROUP);
    if (at.row < rows && at.column < columns) {
      const row_place place = place_of_row(at.row);
      unit made[UNITS_PER_PIECE];
#pragma unroll
      for (uint u = 0; u < UNITS_PER_PIECE; ++u) {
        made[u] = staged[place_of(place, at.column / UNIT + u)];
      }
      store_piece(made, to + (offset)at.row * destination_row + (offset)at.column);
    }
  }
}
#endif

/* ---- By units: any tile ----
 *
 * A unit is left out behind each 32 rows of a column of units, and each such column has an odd
 * length: so neighbours are in different banks, be it that they stage every n-th row of a column,
 * or that they fetch along a row. */

#define UNITS_ALONG     (TILE_ROWS / SOURCE_UNIT)
#define UNIT_BLOCKS     (UNITS_ALONG * UNIT_COLUMNS)
#define LOADS_OF_BLOCK  (SOURCE_UNIT > 1 ? 2 * UNIT : UNIT)
#define MOST_LOADS      (SOURCE_UNIT == 1 ? 8 : 16)
#define MOST_BLOCKS     (LOADS_OF_BLOCK < MOST_LOADS ? MOST_LOADS / LOADS_OF_BLOCK : 1)
#define BLOCKS_OF_UNITS (ROUNDS(UNIT_BLOCKS) < MOST_BLOCKS ? ROUNDS(UNIT_BLOCKS) : MOST_BLOCKS)

#define GAP_ROWS 32

ALWAYS_INLINE static uint gapped_place(uint row, uint unit_column) {
  return unit_column * UNIT_PITCH + row + row / GAP_ROWS;
}

/* The column of one of a unit's elements. Where the destination packs them, a unit has one for each
 * byte of as many, so that several become one of the destination by shifts alone. */
ALWAYS_INLINE static uint column_of(uint unit_column, uint number) {
  return unit_column / IN_DESTINATION_BYTE * DESTINATION_UNIT + unit_column % IN_DESTINATION_BYTE +
         number * IN_DESTINATION_BYTE;
}

/* How far on the columns of the unit lie that is so many behind this one. */
ALWAYS_INLINE static uint columns_between(uint unit_column, uint apart) {
  return apart % IN_DESTINATION_BYTE == 0
             ? apart * UNIT
             : column_of(unit_column + apart, 0) - column_of(unit_column, 0);
}

ALWAYS_INLINE static void turn_loose(const loose_unit *held, const place from, unit *rows) {
  source_unit block[UNIT];
#pragma unroll
  for (uint k = 0; k < UNIT; ++k) {
    block[k] = unit_of_loose(held[k]);
  }
  turn(block, from, rows);
}

/* From the place of the first on, as all of a block's rows lie in front of the same gap. */
ALWAYS_INLINE static void stage(__local unit *first, const unit *rows) {
#pragma unroll
  for (uint i = 0; i < SOURCE_UNIT; ++i) {
    first[i] = rows[i];
  }
}

/* The one in a column from which so many columns farther on a work-item takes the next. */
ALWAYS_INLINE static loose_place next_column(loose_place at, long elements, bool are_aligned) {
  at = loose_onward(at, elements);
  at.into = are_aligned ? 0 : at.into;
  return at;
}

/* A whole tile, of which all units lie in the source. A work-item walks over the columns with the
 * same rows of each, so that it finds its way by additions alone. Where all columns begin with
 * aligned units, each is loaded once. */
ALWAYS_INLINE static void load_columns(__local unit *staged, const source_tile source,
                                       offset source_column, uint row, bool are_aligned) {
  const uint first = local_id() / ALONG(UNITS_ALONG);
  const uint apart = APART(UNITS_ALONG);
  __local unit *to = staged + gapped_place(row, first);
  loose_place from[UNIT];
#pragma unroll
  for (uint k = 0; k < UNIT; ++k) {
    from[k] = loose_at(onward(source.from, (long)column_of(first, k) * source_column + (long)row));
    from[k].into = are_aligned ? 0 : from[k].into;
  }
  ONE_BY_ONE
  for (uint column = first; column < UNIT_COLUMNS; column += BLOCKS_OF_UNITS * apart) {
    loose_unit held[BLOCKS_OF_UNITS][UNIT];
#pragma unroll
    for (uint b = 0; b < BLOCKS_OF_UNITS; ++b) {
#pragma unroll
      for (uint k = 0; k < UNIT; ++k) {
        const uint columns = columns_between(column + b * apart, apart);
        held[b][k] = load_loose_at(from[k], !are_aligned);
        from[k] = next_column(from[k], (long)columns * source_column, are_aligned);
      }
    }
#pragma unroll
    for (uint b = 0; b < BLOCKS_OF_UNITS; ++b) {
      unit rows[SOURCE_UNIT];
      turn_loose(held[b], source.from, rows);
      stage(to, rows);
      to += apart * UNIT_PITCH;
    }
  }
}

ALWAYS_INLINE static void load_units(__local unit *staged, const source_tile source,
                                     offset source_column, bool are_aligned) {
#pragma unroll
  for (uint along = 0; along < UNITS_ALONG; along += ALONG(UNITS_ALONG)) {
    load_columns(staged, source, source_column,
                 (along + local_id() % ALONG(UNITS_ALONG)) * SOURCE_UNIT, are_aligned);
  }
}

/* How many of a unit's elements come before this column; none below 0. */
ALWAYS_INLINE static int elements_before(uint column, uint unit_column) {
  return ((int)column - (int)column_of(unit_column, 0) + IN_DESTINATION_BYTE - 1) /
         IN_DESTINATION_BYTE;
}

/* The first of the rows that a work-item loads as its block of this number, counted along the rows
 * and then along the columns of units. */
ALWAYS_INLINE static uint row_of_loads(uint number) {
  return number % UNITS_ALONG * SOURCE_UNIT;
}

/* Any other, each element of which may be padding, or the source's last. */
ALWAYS_INLINE static void load_edge(__local unit *staged, const source_tile source,
                                    offset source_column, const tile t, word fill) {
  const unit fills = unit_of_equal(fill);
#pragma unroll 1
  for (uint first = local_id(); first < UNIT_BLOCKS; first += BLOCKS_OF_UNITS * GROUP) {
    loose_unit held[BLOCKS_OF_UNITS][UNIT];
#pragma unroll
    for (uint b = 0; b < BLOCKS_OF_UNITS; ++b) {
      const uint row = row_of_loads(first + b * GROUP);
#pragma unroll
      for (uint k = 0; k < UNIT; ++k) {
        const uint column = column_of((first + b * GROUP) / UNITS_ALONG, k);
        const offset from = (offset)column * source_column + (offset)row;
        const bool has_source = row < t.valid_rows && column < t.valid_columns;
        held[b][k] = has_source ? load_loose(source, from, t.valid_rows - row) : nothing_loaded();
      }
    }
#pragma unroll
    for (uint b = 0; b < BLOCKS_OF_UNITS; ++b) {
      const uint row = row_of_loads(first + b * GROUP);
      const uint unit_column = (first + b * GROUP) / UNITS_ALONG;
      const int valid = elements_before(t.valid_columns, unit_column);
      unit rows[SOURCE_UNIT];
      turn_loose(held[b], source.from, rows);
#pragma unroll
      for (uint i = 0; i < SOURCE_UNIT; ++i) {
        rows[i] = first_words(rows[i], row + i < t.valid_rows ? valid : 0, fills);
      }
      if (unit_column < UNIT_COLUMNS) {
        stage(staged + gapped_place(row, unit_column), rows);
      }
    }
  }
}

/* Whether a tile is whole, and all of its columns, and the units that these are in, lie in the
 * source. */
ALWAYS_INLINE static bool is_plain(const source_tile source, offset source_column, const tile t) {
  const offset reach = (offset)(TILE_COLUMNS - 1) * source_column;
  return UNIT_COLUMNS % (BLOCKS_OF_UNITS * APART(UNITS_ALONG)) == 0 &&
         t.valid_columns == TILE_COLUMNS && t.valid_rows == TILE_ROWS &&
         lies_inside(source, min(reach, (offset)0), max(reach, (offset)0) + (offset)TILE_ROWS);
}

/* The destination's unit of this number in a row, counted from the tile's first column. */
ALWAYS_INLINE static unit unit_of_row(__local const unit *row, uint number) {
#if DESTINATION_BITS
  unit made = 0;
#pragma unroll
  for (uint k = 0; k < IN_DESTINATION_BYTE; ++k) {
    made |= (row[gapped_place(0, number * IN_DESTINATION_BYTE + k)] & DESTINATION_ONES * 0x01010101)
            << BITS_BELOW(k);
  }
  return made;
#else
  return row[gapped_place(0, number)];
#endif
}

/* The one that begins so many elements before. */
ALWAYS_INLINE static unit fetch_unit(__local const unit *row, uint number, uint into) {
#if DESTINATION_UNIT == 1
  return unit_of_row(row, number);
#else
  return joined_before(unit_of_row(row, number == 0 ? 0 : number - 1), unit_of_row(row, number),
                       into * DESTINATION_ELEMENT_BITS);
#endif
}

/* The destination's word from this column on; what is left of a row's last one becomes zeros. */
ALWAYS_INLINE static word word_of_row(__local const unit *staged, uint row, uint column,
                                      uint columns) {
  word made = (word)(0);
#pragma unroll
  for (uint k = 0; k < IN_DESTINATION_BYTE; ++k) {
    if (column + k < columns) {
      const uint at = column + k;
      const unit found = staged[gapped_place(row, at / DESTINATION_UNIT * IN_DESTINATION_BYTE +
                                                      at % IN_DESTINATION_BYTE)];
#if UNIT == 1
      made = found;
#else
      made = with_element(
          made, k, (word)(found >> 8 * WORD_BYTES * (at % DESTINATION_UNIT / IN_DESTINATION_BYTE)));
#endif
    }
  }
  return made;
}

#define UNITS_OF_ROW (TILE_COLUMNS / DESTINATION_UNIT)

/* Rows so far apart begin at the same place within a unit, wherever the first does. */
#define LIKE_ROWS(apart) ((apart) < UNIT ? UNIT : (apart))

/* A work-item's of the rows between two gaps, from the first on of which one is its own. */
ALWAYS_INLINE static void store_between_gaps(__global word *run, long step, __local const unit *row,
                                             uint number, uint into, uint rows, bool are_all) {
#if SPECIALIZED
  /* clang 14 makes wrong code of a known number of rows that end within the unrolled loop. */
  if (!are_all) {
    ONE_BY_ONE
    for (uint on = 0; on < GAP_ROWS && on < rows; on += LIKE_ROWS(APART(UNITS_OF_ROW))) {
      store_unit(fetch_unit(row + on, number, into), run);
      run += step;
    }
    return;
  }
#endif
#pragma unroll
  for (uint on = 0; on < GAP_ROWS; on += LIKE_ROWS(APART(UNITS_OF_ROW))) {
    if (are_all || on < rows) {
      store_unit(fetch_unit(row + on, number, into), run);
      run += step;
    }
  }
}

/* A work-item has the same unit of rows that begin alike. */
ALWAYS_INLINE static void store_units_of(__global word *to, offset destination_row,
                                         __local const unit *staged, uint number, uint first,
                                         uint rows, uint columns) {
  const long step = (long)LIKE_ROWS(APART(UNITS_OF_ROW)) * destination_row;
  __global word *run = to + (long)first * destination_row;
  const uint into = stored_into_unit(run);
  const uint column = column_of_unit(run, number);
  run += stored_offset((offset)column);
  if (is_whole(column, DESTINATION_UNIT, columns)) {
    ONE_BY_ONE
    for (uint row = first; row < rows; row += GAP_ROWS) {
      store_between_gaps(run, step, staged + gapped_place(row, 0), number, into, rows - row,
                         row - first + GAP_ROWS <= rows);
      run += (long)GAP_ROWS * destination_row;
    }
  }
}

ALWAYS_INLINE static void store_units(__global word *to, offset destination_row,
                                      __local const unit *staged, uint rows, uint columns) {
  const uint apart = APART(UNITS_OF_ROW);
#pragma unroll
  for (uint along = 0; along < UNITS_OF_ROW; along += ALONG(UNITS_OF_ROW)) {
    const uint number = along + local_id() % ALONG(UNITS_OF_ROW);
    ONE_BY_ONE
    for (uint first = 0; first < LIKE_ROWS(apart); first += apart) {
      store_units_of(to, destination_row, staged, number, first + local_id() / ALONG(UNITS_OF_ROW),
                     rows, columns);
    }
  }
}

/* The same where all rows begin and end with pieces. */
ALWAYS_INLINE static void store_rows_of_pieces(__global word *to, offset destination_row,
                                               __local const unit *staged, uint rows,
                                               uint columns) {
#pragma unroll 4
  for (uint round = 0; round < ROUNDS(PIECES_OF_ROW * TILE_ROWS); ++round) {
    const spot at = spot_of_piece(local_id() + round * GROUP);
    if (at.row < rows && at.column < columns) {
      unit made[UNITS_PER_PIECE];
#pragma unroll
      for (uint u = 0; u < UNITS_PER_PIECE; ++u) {
        made[u] = unit_of_row(staged + gapped_place(at.row, 0), at.column / DESTINATION_UNIT + u);
      }
      store_piece(made, to + (offset)at.row * destination_row + stored_offset((offset)at.column));
    }
  }
}

/* A work-item has the same word of rows that begin alike. */
ALWAYS_INLINE static void store_ends(__global word *to, offset destination_row,
                                     __local const unit *staged, uint rows, uint columns) {
  const uint apart = APART(MOST_ENDS);
#pragma unroll
  for (uint along = 0; along < MOST_ENDS; along += ALONG(MOST_ENDS)) {
    const uint number = along + local_id() % ALONG(MOST_ENDS);
    ONE_BY_ONE
    for (uint first = 0; first < LIKE_ROWS(apart); first += apart) {
      uint row = first + local_id() / ALONG(MOST_ENDS);
      __global word *run = to + (long)row * destination_row;
      const uint column = end_column(run, columns, number);
      run += stored_offset((offset)column);
      if (column < columns) {
#pragma unroll 4
        for (; row < rows; row += LIKE_ROWS(apart)) {
          *run = word_of_row(staged, row, column, columns);
          run += (long)LIKE_ROWS(apart) * destination_row;
        }
      }
    }
  }
}

/* ---- All of a tile ---- */

/* Whether all columns begin with aligned units. Only elements that change have a loop for that, as
 * others mostly go by pieces then. */
ALWAYS_INLINE static bool begin_aligned(const place from, offset source_column) {
  return CHANGES && SOURCE_UNIT > 1 && elements_into(from, 4) == 0 &&
         source_column % SOURCE_UNIT == 0;
}

ALWAYS_INLINE static void load_any(__local unit *staged, const source_tile source,
                                   offset source_column, const tile t, word fill) {
  if (is_plain(source, source_column, t)) {
    if (begin_aligned(source.from, source_column)) {
      load_units(staged, source, source_column, true);
    } else {
      load_units(staged, source, source_column, false);
    }
  } else {
    load_edge(staged, source, source_column, t, fill);
  }
}

ALWAYS_INLINE static void store_any(__global word *to, offset destination_row,
                                    __local const unit *staged, uint rows, uint columns) {
  if (columns % PIECE_ELEMENTS == 0 && on_piece(to) && destination_row % PIECE == 0) {
    store_rows_of_pieces(to, destination_row, staged, rows, columns);
    return;
  }
  store_units(to, destination_row, staged, rows, columns);
  if (have_ends(to, destination_row, columns)) {
    store_ends(to, destination_row, staged, rows, columns);
  }
}

#if !CHANGES
ALWAYS_INLINE static bool goes_by_pieces(const place from, offset source_column,
                                         __global const word *to, offset destination_row,
                                         const tile t, uint rows, uint columns) {
  return rows == t.valid_rows && columns == t.valid_columns && rows % PIECE == 0 &&
         columns % PIECE == 0 && source_column % PIECE == 0 && destination_row % PIECE == 0 &&
         on_source_piece(from) && on_piece(to);
}
#endif

/* Rows and columns that are written. */
ALWAYS_INLINE static uint written_rows(const tile t, __constant const kernel_grid *grid) {
  return grid->fills ? t.rows : t.valid_rows;
}

ALWAYS_INLINE static uint written_columns(const tile t, __constant const kernel_grid *grid) {
  return grid->fills ? t.columns : t.valid_columns;
}

ALWAYS_INLINE static void load_tile(__local unit *staged, const source_tile from,
                                    __global const word *to, const tile t,
                                    __constant const kernel_grid *grid, word fill) {
  const offset source_column = (offset)grid->columns.source_stride;
#if !CHANGES
  const uint rows = written_rows(t, grid);
  const uint columns = written_columns(t, grid);
  if (goes_by_pieces(from.from, source_column, to,
                     stored_offset((offset)grid->rows.destination_stride), t, rows, columns)) {
    load_pieces(staged, from.from, source_column, rows, columns);
    return;
  }
#endif
  load_any(staged, from, source_column, t, fill);
}

ALWAYS_INLINE static void store_tile(__local const unit *staged, const source_tile from,
                                     __global word *to, const tile t,
                                     __constant const kernel_grid *grid) {
  const offset destination_row = stored_offset((offset)grid->rows.destination_stride);
  const uint rows = written_rows(t, grid);
  const uint columns = written_columns(t, grid);
#if !CHANGES
  if (goes_by_pieces(from.from, (offset)grid->columns.source_stride, to, destination_row, t, rows,
                     columns)) {
    store_pieces(to, destination_row, staged, rows, columns);
    return;
  }
#endif
  store_any(to, destination_row, staged, rows, columns);
}

__kernel SUB_GROUP WORK_GROUP void ENTRY(transpose)(SIDE_PARAMETERS(word, destination)
                                                        GRID_PARAMETER FILL_PARAMETER,
                                                    SIDE_PARAMETERS(const source_word, source)
                                                        CONVERSION_PARAMETER) {
  FIND_GRID;
  FIND_FILL;
  FIND_SIDE(word, destination);
  FIND_SIDE(const source_word, source);
  __local unit staged[UNIT_COLUMNS * UNIT_PITCH] __attribute__((aligned(16)));
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    const source_tile from = source_tile_at(PLACE(source, SOURCE_START), t, grid);
    __global word *const to = place_in(destination, DESTINATION_START + t.destination);
#define LOAD(sized) load_tile(staged, from, to, sized, grid, fill)
    WHOLE_OR_NOT(LOAD, t, grid);
    barrier(CLK_LOCAL_MEM_FENCE); /* which PoCL wants outside of any condition */
#define STORE(sized) store_tile(staged, from, to, sized, grid)
    WHOLE_OR_NOT(STORE, t, grid);
    barrier(CLK_LOCAL_MEM_FENCE); /* before the next tile takes the place of this one */
  }
}
