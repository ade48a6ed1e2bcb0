/* permute.cl: inner axes too short to fill a line; several together form each side of a
 * tile. Follows work_group.cl.
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
 * made once (src/gpu/slot_tables.c). A work-item has the same part of several runs or rows, so
 * that it looks up its columns once for all of them. A specialised kernel works out what it can of
 * the tables: the host writes SLOT_SOURCE and the like for those that are sums over digits. Where
 * the text stands alone it has the other tables too.
 */

#if ALONE
#define IN_TABLES __constant
#define TABLES_PARAMETERS
#define FIND_TABLES                                                                                \
  __local unit units[(LOCAL_BYTES_OF_PROBLEM + sizeof(unit) - 1) / sizeof(unit)];                  \
  __global const kernel_slots *const made = 0
#else
#define IN_TABLES         __global
#define TABLES_PARAMETERS , __global const kernel_slots *restrict made, __local unit *restrict units
#define FIND_TABLES
#endif

/* The place of each column, four numbers at a time; of each slot (source offset, steps), and of one
 * more that no tile has; of each row (destination offset, place); of each column its destination
 * offset. Steps are those of the last axes at which there is this run, of the columns in the low 16
 * bits and of the rows in the high ones. A place counts words before it, slot after slot; those of
 * a row and of a column add up to that of the word. */
typedef struct tables {
  IN_TABLES const uint *columns;
  IN_TABLES const offset_pair *slots;
  IN_TABLES const offset_pair *rows;
  IN_TABLES const offset *column_offsets;
  uint slot_count;
  uint pitch;
  uint gap_shift;
  uint gather_shift;
  uint fill_place;
  bool has_all; /* so that compilers see it: no position of the tile is without a source */
} tables;

/* What the tables follow is compiled in with the grid. */
#if SPECIALIZED
#define SLOTS_HEAD      __constant const kernel_slots *
#define FIND_HEAD(made) (&slots_of_problem)
#else
#define SLOTS_HEAD      __global const kernel_slots *
#define FIND_HEAD(made) (made)
#endif

ALWAYS_INLINE static tables tables_of(__global const kernel_slots *made, SLOTS_HEAD head,
                                      __constant const kernel_grid *grid) {
  tables found;
  found.slot_count = (uint)head->slots;
  found.pitch = (uint)head->pitch;
  found.gap_shift = (uint)head->gap_shift;
  found.gather_shift = (uint)head->gather_shift;
  found.fill_place = (uint)head->fill_place;
  found.has_all = false;
#if ALONE
  found.columns = COLUMNS_OF_PROBLEM;
  found.slots = SLOTS_OF_PROBLEM;
  found.rows = ROWS_OF_PROBLEM;
  found.column_offsets = COLUMN_OFFSETS_OF_PROBLEM;
#else
  found.columns = (__global const uint *)(made + 1);
  found.slots = (__global const offset_pair *)(found.columns + (grid->columns.length + 3) / 4 * 4);
  found.rows = found.slots + found.slot_count + 1;
  found.column_offsets = (__global const offset *)(found.rows + grid->rows.length);
#endif
  return found;
}

/* Where words lie: where that keeps places a power of two apart out of the same bank, a unit is
 * left out behind each 2^gap_shift. */
ALWAYS_INLINE static uint with_gaps(uint place, uint gap_shift) {
  return place + (place >> gap_shift) * UNIT;
}

/* What stands in the tables. */
ALWAYS_INLINE static offset_pair slot_entry(const tables at, uint slot) {
#ifdef SLOT_SOURCE
  return (offset_pair)(SLOT_SOURCE(slot), (offset)SLOT_STEPS(slot));
#else
  return at.slots[slot];
#endif
}

ALWAYS_INLINE static offset_pair row_entry(const tables at, uint row) {
#ifdef ROW_OFFSET
  return (offset_pair)(ROW_OFFSET(row), (offset)ROW_PLACE(row));
#else
  return at.rows[row];
#endif
}

ALWAYS_INLINE static uint column_place(const tables at, uint column) {
#ifdef COLUMN_PLACE
  return COLUMN_PLACE(column);
#else
  return at.columns[column];
#endif
}

ALWAYS_INLINE static offset offset_of_column(const tables at, uint column) {
#ifdef COLUMN_OFFSET
  return COLUMN_OFFSET(column);
#else
  return at.column_offsets[column];
#endif
}

/* Loops whose rounds compilers can count only where the grid is compiled in, and where they go on
 * until the last of all work-items has reached the end. Else each goes on until it is there itself:
 * with rounds counted, a simulated GPU took longer (bench/RESULTS.md). */
#if SPECIALIZED
#define EACH_ROUND _Pragma("unroll")
#else
#define EACH_ROUND
#endif

ALWAYS_INLINE static bool goes_on(uint all, uint own, uint end) {
  return (SPECIALIZED ? all : own) < end;
}

/* What never has a source is at or beyond this place, also when another one is added. */
#define NOWHERE (1u << 30)

/* ---- Loading ---- */

/* As vectors of its words a unit of local memory may alias them. */
#if WORD_BYTES == 1
#define AS_WORDS(value) as_uchar4(UNIT_IN_MEMORY(value))
typedef uchar4 unit_words;
#elif WORD_BYTES == 2
#define AS_WORDS(value) as_ushort2(UNIT_IN_MEMORY(value))
typedef ushort2 unit_words;
#else
#define AS_WORDS(value) (value)
typedef word unit_words;
#endif

/* What a unit of the source becomes, from this place on. */
ALWAYS_INLINE static void stage(const tables at, __local word *staged, uint first,
                                source_unit loaded, const place from) {
#pragma unroll
  for (uint k = 0; k < SOURCE_UNIT / UNIT * UNIT; k += UNIT) {
    *(__local unit_words *)(staged + with_gaps(first + k, at.gap_shift)) =
        AS_WORDS(converted_unit(loaded, k, from));
  }
#pragma unroll
  for (uint k = SOURCE_UNIT / UNIT * UNIT; k < SOURCE_UNIT; ++k) {
    staged[with_gaps(first + k, at.gap_shift)] = converted_word(loaded, k, from);
  }
}

/* A work-item's place among the parts of all slots, one slot's after another's; and how far on the
 * next one is that it takes. Where the grid is compiled in, 2^shift work-items share a slot, so
 * that all but where a work-item begins is known, also how many it takes at most. */
#if SPECIALIZED
typedef struct slot_part {
  part at;
  uint shift;
  uint parts;
  uint rounds;
} slot_part;

ALWAYS_INLINE static slot_part first_of_slots(const tables at, uint parts, uint shift) {
  const uint across = 1u << shift;
  const uint down = GROUP >> shift;
  const slot_part first = {first_part(shift), shift, parts,
                           (parts + across - 1) / across * ((at.slot_count + down - 1) / down)};
  return first;
}

ALWAYS_INLINE static part next_of_slots(const slot_part p) {
  return next_part(p.at, p.shift, p.parts);
}

ALWAYS_INLINE static bool has_parts(const tables at, const slot_part p, uint round) {
  (void)at;
  return round < p.rounds;
}
#else
#define LOAD_PIECE_SHIFT 0
#define LOAD_UNIT_SHIFT  0

typedef struct slot_part {
  part at;
  part step;
  uint parts;
} slot_part;

ALWAYS_INLINE static slot_part first_of_slots(const tables at, uint parts, uint shift) {
  (void)at;
  (void)shift;
  const slot_part first = {part_of(local_id(), parts), part_of(GROUP, parts), parts};
  return first;
}

ALWAYS_INLINE static part next_of_slots(const slot_part p) {
  part next = {p.at.run + p.step.run, p.at.number + p.step.number};
  if (next.number >= p.parts) {
    next.number -= p.parts;
    next.run += 1;
  }
  return next;
}

ALWAYS_INLINE static bool has_parts(const tables at, const slot_part p, uint round) {
  (void)round;
  return p.at.run < at.slot_count;
}
#endif

/* The last steps of both axes at which a tile has runs, as a slot's are kept. Where one of a slot's
 * is beyond, the highest bit of its half, or of the one below, is 1 in the difference. */
ALWAYS_INLINE static uint steps_of(uint column_steps, uint row_steps) {
  return (column_steps - 1) | (row_steps - 1) << 16;
}

/* Whether there is such a part. What stands behind the last slot in its table says that too. */
ALWAYS_INLINE static bool is_part(const tables at, const slot_part p) {
  return !SPECIALIZED || (p.at.run < at.slot_count && p.at.number < p.parts);
}

/* Whether this tile has the run in a slot. */
ALWAYS_INLINE static bool has_run(const offset_pair entry, uint steps) {
#ifdef WHOLE_STEPS
  if (steps == WHOLE_STEPS) {
    return true;
  }
#endif
  return ((steps - (uint)entry.y) & 0x80008000u) == 0;
}

/* Units that a work-item has under way, fewer where their change is long code. Where they are whole
 * elements it loads what it wants alone: compilers put loads off to where their values are wanted
 * under a condition, and each waits for the one before. Else it loads the tile's first unit in
 * place of what it does not want, or registers run out on Intel's. */
#define HELD_LOADS (CONVERTS ? 2 : SOURCE_BYTES > 8 ? 2 : SOURCE_BYTES > 4 ? 4 : 8)

ALWAYS_INLINE static void load_units(const tables at, const source_tile source,
                                     __local word *staged, uint length, uint steps) {
  slot_part p = first_of_slots(at, (length + SOURCE_UNIT - 1) / SOURCE_UNIT, (uint)LOAD_UNIT_SHIFT);
  EACH_ROUND
  for (uint round = 0; has_parts(at, p, round); round += HELD_LOADS) {
    loose_unit held[HELD_LOADS] NOTHING_YET;
    uint places[HELD_LOADS];
#pragma unroll
    for (uint h = 0; h < HELD_LOADS; ++h) {
      const uint slot = min(p.at.run, at.slot_count);
      const uint start = p.at.number * SOURCE_UNIT;
      const offset_pair entry = slot_entry(at, slot);
      const bool is_held = is_part(at, p) && has_run(entry, steps);
      places[h] = is_held ? slot * at.pitch + start : NOWHERE;
      if (is_held || SOURCE_UNIT > 1) {
        held[h] = load_loose(source, is_held ? entry.x + (offset)start : 0, length - start);
      }
      p.at = next_of_slots(p);
    }
#pragma unroll
    for (uint h = 0; h < HELD_LOADS; ++h) {
      if (places[h] != NOWHERE) {
        stage(at, staged, places[h], unit_of_loose(held[h]), source.from);
      }
    }
  }
}

/* The same where all runs begin with a piece, and are so many. */
#define HELD_PIECES 4

#if !CHANGES
/* What stands in the tables of the next parts' slots. */
ALWAYS_INLINE static void look_up_slots(const tables at, slot_part p, offset_pair *entries) {
#pragma unroll
  for (uint h = 0; h < HELD_PIECES; ++h) {
    entries[h] = slot_entry(at, min(p.at.run, at.slot_count));
    p.at = next_of_slots(p);
  }
}

/* Parts are looked up while those before them are under way. */
ALWAYS_INLINE static void load_pieces(const tables at, const source_tile source,
                                      __local word *staged, uint length, uint steps) {
  slot_part p = first_of_slots(at, length / PIECE, (uint)LOAD_PIECE_SHIFT);
  offset_pair entries[HELD_PIECES];
  look_up_slots(at, p, entries);
  EACH_ROUND
  for (uint round = 0; has_parts(at, p, round); round += HELD_PIECES) {
    uint4 held[HELD_PIECES];
    uint places[HELD_PIECES];
#pragma unroll
    for (uint h = 0; h < HELD_PIECES; ++h) {
      const uint start = p.at.number * PIECE;
      const offset_pair entry = entries[h];
      const bool is_held = is_part(at, p) && has_run(entry, steps);
      held[h] = load_piece(onward(source.from, is_held ? entry.x + (offset)start : 0));
      places[h] = is_held ? p.at.run * at.pitch + start : NOWHERE;
      p.at = next_of_slots(p);
    }
    look_up_slots(at, p, entries);
#pragma unroll
    for (uint h = 0; h < HELD_PIECES; ++h) {
      if (places[h] != NOWHERE) {
#pragma unroll
        for (uint u = 0; u < UNITS_PER_PIECE; ++u) {
          stage(at, staged, places[h] + u * UNIT, unit_of_piece(held[h], u), source.from);
        }
      }
    }
  }
}
#endif

ALWAYS_INLINE static void load_tile(const tables at, SLOTS_HEAD head,
                                    __constant const kernel_grid *grid, const tile t,
                                    const source_tile from, __local word *staged) {
  const uint column_steps = t.valid_columns / (uint)grid->columns.inner;
  const uint row_steps = t.valid_rows / (uint)grid->rows.inner;
  const uint steps = head->run_side == 1 ? column_steps : head->run_side == 2 ? row_steps : 1;
  const uint length = (uint)head->run_elements * steps + (uint)head->run_over;
  const uint tile_steps = steps_of(column_steps, row_steps);
  if (column_steps == 0 || row_steps == 0) {
    return;
  }
#if !CHANGES
  if (head->loads_pieces && length % PIECE == 0 && on_source_piece(from.from)) {
    load_pieces(at, from, staged, length, tile_steps);
    return;
  }
#endif
  load_units(at, from, staged, length, tile_steps);
}

/* ---- Storing ---- */

/* The places of `count` columns. */
ALWAYS_INLINE static void find_columns(const tables at, const tile t, uint column, uint count,
                                       uint *places) {
#pragma unroll
  for (uint k = 0; k < count; ++k) {
    places[k] = column + k < t.valid_columns ? column_place(at, column + k) : NOWHERE;
  }
}

/* Of a piece, whose first column is a multiple of so many, and all of which have a source. */
ALWAYS_INLINE static void find_piece(const tables at, uint column, uint *places) {
#if PIECE == 4 && !defined(COLUMN_PLACE)
  const uint4 four = *(IN_TABLES const uint4 *)(at.columns + column);
  places[0] = four.x;
  places[1] = four.y;
  places[2] = four.z;
  places[3] = four.w;
#else
#pragma unroll
  for (uint k = 0; k < PIECE; ++k) {
    places[k] = column_place(at, column + k);
  }
#endif
}

ALWAYS_INLINE static uint place_of_row(const offset_pair entry, const tile t, uint row) {
  return row < t.valid_rows ? (uint)entry.y : NOWHERE;
}

/* Behind the slots lies a word that has the fill. */
ALWAYS_INLINE static word staged_word(const tables at, __local const word *staged, uint row_place,
                                      uint of_column) {
  const uint place = row_place + of_column;
  return staged[with_gaps(at.has_all ? place : min(place, at.fill_place), at.gather_shift)];
}

/* The word of a row with the elements of these columns, of which there are still `count`; what is
 * left of a row's last one becomes zeros. */
ALWAYS_INLINE static word gather_word(const tables at, __local const word *staged, uint row_place,
                                      const uint *column_places, uint count) {
  word made = (word)(0);
#pragma unroll
  for (uint k = 0; k < IN_DESTINATION_BYTE; ++k) {
    if (k < count) {
      made = with_element(made, k, staged_word(at, staged, row_place, column_places[k]));
    }
  }
  return made;
}

ALWAYS_INLINE static unit gather_unit(const tables at, __local const word *staged, uint row_place,
                                      const uint *column_places) {
  unit made = (unit)(0);
#pragma unroll
  for (uint k = 0; k < UNIT; ++k) {
    made = with_word(made, k,
                     gather_word(at, staged, row_place, column_places + k * IN_DESTINATION_BYTE,
                                 IN_DESTINATION_BYTE));
  }
  return made;
}

/* In units, whose columns are looked up again where another row's units begin at others. */
ALWAYS_INLINE static void store_units(const tables at, uint shift, __global word *to,
                                      __local const word *staged, const tile t, uint rows,
                                      uint columns) {
  const uint numbers = (columns + 2 * (DESTINATION_UNIT - 1)) / DESTINATION_UNIT;
  const part first = first_part(shift);
  for (uint number = first.number; number < numbers; number += 1u << shift) {
    uint places[DESTINATION_UNIT];
    uint looked_up = 1u << 31;
    for (uint row = first.run; row < rows; row += GROUP >> shift) {
      const offset_pair entry = row_entry(at, row);
      __global word *const run = to + stored_offset(entry.x);
      const uint column = column_of_unit(run, number);
      if (!is_whole(column, DESTINATION_UNIT, columns)) {
        continue;
      }
      if (column != looked_up) {
        find_columns(at, t, column, DESTINATION_UNIT, places);
        looked_up = column;
      }
      store_unit(gather_unit(at, staged, place_of_row(entry, t, row), places),
                 run + stored_offset((offset)column));
    }
  }
}

/* What is in no whole unit of a row. */
static void store_ends(const tables at, __global word *to, __local const word *staged, const tile t,
                       uint rows, uint columns) {
  const uint ends = ends_of(columns);
#pragma unroll 1
  for (uint number = local_id(); number < rows * ends; number += GROUP) {
    const part end = part_of(number, ends);
    const uint row = end.run;
    const offset_pair entry = row_entry(at, row);
    __global word *const run = to + stored_offset(entry.x);
    const uint column = end_column(run, columns, end.number);
    if (column < columns) {
      uint places[IN_DESTINATION_BYTE];
      find_columns(at, t, column, IN_DESTINATION_BYTE, places);
      run[stored_offset((offset)column)] =
          gather_word(at, staged, place_of_row(entry, t, row), places, columns - column);
    }
  }
}

/* In pieces, with which all rows begin and end. A work-item looks several rows up before it waits
 * for the first. */
#define HELD_ROWS 4

#if UNIT == 1 && !DESTINATION_BITS
#define STORES_PIECES 1
ALWAYS_INLINE static void store_pieces(const tables at, uint shift, __global word *to,
                                       __local const word *staged, const tile t, uint rows,
                                       uint columns) {
  const part first = first_part(shift);
  const uint step = GROUP >> shift;
  EACH_ROUND
  for (uint before = 0; goes_on(before, before + first.number * PIECE, columns);
       before += PIECE << shift) {
    const uint column = before + first.number * PIECE;
    uint places[PIECE];
    if (column >= columns) {
      break;
    }
    find_piece(at, column, places);
#pragma unroll
    for (uint k = 0; k < PIECE; ++k) {
      places[k] = column + k < t.valid_columns ? places[k] : NOWHERE;
    }
    EACH_ROUND
    for (uint above = 0; goes_on(above, above + first.run, rows); above += HELD_ROWS * step) {
      const uint row = above + first.run;
      offset_pair entries[HELD_ROWS];
#pragma unroll
      for (uint h = 0; h < HELD_ROWS; ++h) {
        entries[h] = row_entry(at, min(row + h * step, rows - 1));
      }
#pragma unroll
      for (uint h = 0; h < HELD_ROWS; ++h) {
        const offset_pair entry = entries[h];
        /* fetched without a condition, for which each would wait */
        const uint row_place = place_of_row(entry, t, min(row + h * step, rows - 1));
        unit made[PIECE];
#pragma unroll
        for (uint k = 0; k < PIECE; ++k) {
          made[k] = staged_word(at, staged, row_place, places[k]);
        }
        if (row + h * step < rows) {
          store_piece(made, to + entry.x + (offset)column);
        }
      }
    }
  }
}

/* The same of a single row where no position is without a source and what is in the tables is all
 * that tells its place: two pieces at once. More are slower, and take so many registers that IGC
 * has them in memory. */
#define PIECES_OF_ROW 2

ALWAYS_INLINE static void store_row(const tables at, __global word *to, __local const word *staged,
                                    uint columns) {
  EACH_ROUND
  for (uint before = 0; goes_on(before, before + local_id() * PIECE, columns);
       before += PIECES_OF_ROW * GROUP * PIECE) {
    const uint first = before + local_id() * PIECE;
    unit made[PIECES_OF_ROW][PIECE];
#pragma unroll
    for (uint h = 0; h < PIECES_OF_ROW; ++h) {
      const uint column = first + h * GROUP * PIECE;
      if (column < columns) {
        uint places[PIECE];
        find_piece(at, column, places);
#pragma unroll
        for (uint k = 0; k < PIECE; ++k) {
          made[h][k] = staged[places[k]];
        }
      }
    }
#pragma unroll
    for (uint h = 0; h < PIECES_OF_ROW; ++h) {
      const uint column = first + h * GROUP * PIECE;
      if (column < columns) {
        store_piece(made[h], to + column);
      }
    }
  }
}
#else
#define STORES_PIECES 0
#endif

/* Rows with gaps, word by word. */
static void store_words(const tables at, uint shift, __global word *to, __local const word *staged,
                        const tile t, bool fills) {
  const part first = first_part(shift);
  for (uint column = first.number * IN_DESTINATION_BYTE; column < t.columns;
       column += IN_DESTINATION_BYTE << shift) {
    uint places[IN_DESTINATION_BYTE];
    find_columns(at, t, column, IN_DESTINATION_BYTE, places);
    const offset column_offset = offset_of_column(at, column);
    for (uint row = first.run; row < t.rows; row += GROUP >> shift) {
      const offset_pair entry = row_entry(at, row);
      const uint place = place_of_row(entry, t, row);
      if (fills || (place + places[0] < NOWHERE)) {
        to[stored_offset(entry.x + column_offset)] =
            gather_word(at, staged, place, places, t.columns - column);
      }
    }
  }
}

ALWAYS_INLINE static void store_tile(tables at, SLOTS_HEAD head, __constant const kernel_grid *grid,
                                     const tile t, __global word *to, __local const word *staged) {
  at.has_all =
      SPECIALIZED && head->sums_places && t.valid_rows == t.rows && t.valid_columns == t.columns;
  const uint rows = grid->fills ? t.rows : t.valid_rows;
  const uint columns = grid->fills ? t.columns : t.valid_columns;
  if (!head->is_dense) {
    store_words(at, (uint)head->store_unit_shift, to, staged, t, grid->fills);
#if STORES_PIECES
  } else if (head->row_bytes >= 16 && columns % PIECE == 0 && on_piece(to)) {
    if (head->sums_places && rows == 1 && t.valid_rows == 1 && columns == t.valid_columns) {
      store_row(at, to, staged, columns);
    } else {
      store_pieces(at, (uint)head->store_piece_shift, to, staged, t, rows, columns);
    }
#endif
  } else {
    store_units(at, (uint)head->store_unit_shift, to, staged, t, rows, columns);
    if (have_ends(to, head->row_bytes >= 4 ? 0 : 1, columns)) {
      store_ends(at, to, staged, t, rows, columns);
    }
  }
}

__kernel SUB_GROUP WORK_GROUP void ENTRY(permute)(SIDE_PARAMETERS(word, destination)
                                                      GRID_PARAMETER FILL_PARAMETER,
                                                  SIDE_PARAMETERS(const source_word, source)
                                                      TABLES_PARAMETERS CONVERSION_PARAMETER) {
  FIND_GRID;
  FIND_FILL;
  FIND_SIDE(word, destination);
  FIND_SIDE(const source_word, source);
  FIND_TABLES;
  /* Units are stored to it: NVIDIA's driver aligns local memory no better than its parameter wants,
   * and devices stop at a misaligned address. */
  __local word *const staged = (__local word *)units;
  SLOTS_HEAD const head = FIND_HEAD(made);
  const tables at = tables_of(made, head, grid);
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    const source_tile from = source_tile_at(PLACE(source, SOURCE_START), t, grid);
    __global word *const to = place_in(destination, DESTINATION_START + t.destination);
    if (local_id() == 0) {
      staged[with_gaps(at.fill_place, at.gather_shift)] = fill;
    }
#define LOAD(sized) load_tile(at, head, grid, sized, from, staged)
    BY_SIZE(LOAD, t, grid);
    barrier(CLK_LOCAL_MEM_FENCE);
#define STORE(sized) store_tile(at, head, grid, sized, to, staged)
    BY_SIZE(STORE, t, grid);
    barrier(CLK_LOCAL_MEM_FENCE); /* before the next tile takes the place of this one */
  }
}
