/* staged_permute.cl: inner axes too short to fill a line; several together form each side of a
 * tile. Follows staged.cl.
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
 * made once (src/launch/slot_tables.c). A run or a row is looked up by each work-item that has a
 * part of it, a column once for all the rows that a work-item has, where rows begin with a unit.
 */

/* Of each slot (source offset, steps); of each row (destination offset, place). Then the place of
 * each column, and its destination offset. Steps are those of the last axes at which there is this
 * run, of the columns in the low 16 bits and of the rows in the high ones. A place has the words
 * within a run in the low 16 bits and the words before it in the high ones; the one of a row and
 * the one of a column add up to that of the word. */
typedef struct tables {
  __global const offset_pair *slots;
  __global const offset_pair *rows;
  __global const offset *columns;
  __global const offset *column_offsets;
  uint slot_count;
  uint pitch;
} tables;

static tables tables_of(__global const kernel_slots *made, __constant const kernel_grid *grid) {
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

/* ---- Loading ---- */

/* The run in a slot; of length 0 where this tile has none. */
ALWAYS_INLINE static source_run run_at(uint slot, uint length, uint column_steps, uint row_steps,
                                       const tables at, const place from, __local word *staged) {
  source_run found = {from, staged, 0, 0};
  if (slot < at.slot_count) {
    const offset_pair entry = at.slots[slot];
    const uint steps = (uint)entry.y;
    if ((steps & 0xffff) < column_steps && steps >> 16 < row_steps) {
      found.from = onward(from, entry.x);
      found.to = staged + slot * at.pitch;
      found.length = length;
    }
  }
  return found;
}

/* In pieces, where all runs begin with one, or in units. */
ALWAYS_INLINE static void load_runs(const tables at, uint shift, const place from,
                                    __local word *staged, uint length, uint column_steps,
                                    uint row_steps, bool by_pieces) {
  const uint most = by_pieces ? MOST_PIECES : MOST_UNITS;
  const uint numbers = by_pieces ? (length + SOURCE_PIECE - 1) / SOURCE_PIECE
                                 : units_of(length, SOURCE_UNIT, SOURCE_LINE, false);
  for (part p = first_part(shift); p.run < at.slot_count;) {
    load loads[MOST_UNITS];
#pragma unroll
    for (uint h = 0; h < most; ++h) {
      const source_run of = run_at(p.run, length, column_steps, row_steps, at, from, staged);
      const uint start = by_pieces ? p.number * SOURCE_PIECE : load_start(of.from, p.number, false);
      loads[h] = begin_load(of, start, by_pieces);
      p = next_part(p, shift, numbers);
    }
#pragma unroll
    for (uint h = 0; h < most; ++h) {
      end_load(loads[h], by_pieces);
    }
  }
}

/* ---- Storing ---- */

/* The places of `count` columns. */
ALWAYS_INLINE static void find_columns(const tables at, const tile t, uint column, uint count,
                                       uint *places) {
#pragma unroll
  for (uint k = 0; k < count; ++k) {
    places[k] = column + k < t.valid_columns ? (uint)at.columns[column + k] : NOWHERE;
  }
}

ALWAYS_INLINE static uint place_of_row(const offset_pair entry, const tile t, uint row) {
  return row < t.valid_rows ? (uint)entry.y : NOWHERE;
}

ALWAYS_INLINE static word staged_word(__local const word *staged, uint row_place, uint column_place,
                                      word fill) {
  if (row_place == NOWHERE || column_place == NOWHERE) {
    return fill;
  }
  const uint place = row_place + column_place;
  return staged[(place >> 16) + staged_place(place & 0xffff)];
}

/* The word of a row with the elements of these columns, of which there are still `count`; what is
 * left of a row's last one becomes zeros. */
ALWAYS_INLINE static word gather_word(__local const word *staged, uint row_place,
                                      const uint *column_places, uint count, word fill) {
  word made = (word)(0);
#pragma unroll
  for (uint k = 0; k < IN_DESTINATION_BYTE; ++k) {
    if (k < count) {
      made = with_element(made, k, staged_word(staged, row_place, column_places[k], fill));
    }
  }
  return made;
}

ALWAYS_INLINE static unit gather_unit(__local const word *staged, uint row_place,
                                      const uint *column_places, word fill) {
  unit made = (unit)(0);
#pragma unroll
  for (uint k = 0; k < UNIT; ++k) {
    made = with_word(made, k,
                     gather_word(staged, row_place, column_places + k * IN_DESTINATION_BYTE,
                                 IN_DESTINATION_BYTE, fill));
  }
  return made;
}

/* Rows in pieces, where all begin with one, or in units: then the columns are looked up again where
 * another row's units begin at others. */
ALWAYS_INLINE static void store_rows(const tables at, uint shift, __global word *to,
                                     __local const word *staged, const tile t, uint rows,
                                     uint columns, word fill, bool by_pieces) {
  const uint elements = by_pieces ? DESTINATION_PIECE : DESTINATION_UNIT;
  const uint numbers = by_pieces ? (columns + elements - 1) / elements
                                 : units_of(columns, DESTINATION_UNIT, DESTINATION_LINE, false);
  const part first = first_part(shift);
  for (uint number = first.number; number < numbers; number += 1u << shift) {
    uint places[DESTINATION_PIECE];
    uint looked_up = 1u << 31;
    for (uint row = first.run; row < rows; row += GROUP >> shift) {
      const offset_pair entry = at.rows[row];
      const uint place = place_of_row(entry, t, row);
      __global word *const run = to + stored_offset(entry.x);
      const uint column = by_pieces ? number * DESTINATION_PIECE : store_start(run, number, false);
      if (column != looked_up) {
        find_columns(at, t, column, elements, places);
        looked_up = column;
      }
      if (is_whole(column, elements, columns) && by_pieces) {
        unit made[UNITS_PER_PIECE];
#pragma unroll
        for (uint u = 0; u < UNITS_PER_PIECE; ++u) {
          made[u] = gather_unit(staged, place, places + u * DESTINATION_UNIT, fill);
        }
        store_piece(made, run + stored_offset(column));
        continue;
      }
      if (is_whole(column, elements, columns)) {
        store_unit(gather_unit(staged, place, places, fill), run + stored_offset(column));
        continue;
      }
#pragma unroll
      for (uint k = 0; k < elements; k += IN_DESTINATION_BYTE) {
        const uint c = column + k; /* comes round at 0 */
        if (c < columns) {
          run[stored_offset(c)] = gather_word(staged, place, places + k, columns - c, fill);
        }
      }
    }
  }
}

/* Rows with gaps, word by word. */
static void store_words(const tables at, uint shift, __global word *to, __local const word *staged,
                        const tile t, bool fills, word fill) {
  const uint first = ((uint)get_local_id(0) & ((1u << shift) - 1)) * IN_DESTINATION_BYTE;
  for (uint column = first; column < t.columns; column += IN_DESTINATION_BYTE << shift) {
    uint places[IN_DESTINATION_BYTE];
    find_columns(at, t, column, IN_DESTINATION_BYTE, places);
    const offset column_offset = at.column_offsets[column];
    for (uint row = (uint)get_local_id(0) >> shift; row < t.rows; row += GROUP >> shift) {
      const offset_pair entry = at.rows[row];
      const uint place = place_of_row(entry, t, row);
      if (fills || (place != NOWHERE && places[0] != NOWHERE)) {
        to[stored_offset(entry.x + column_offset)] =
            gather_word(staged, place, places, t.columns - column, fill);
      }
    }
  }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
permute(__global word *restrict destination, const ulong destination_start,
        __constant const kernel_grid *grid, const word fill,
        __global const source_word *restrict source, const ulong source_start,
        __global const kernel_slots *restrict made,
        __local word *restrict staged CONVERSION_PARAMETER) {
  const tables at = tables_of(made, grid);
  const uint inner_columns = (uint)grid->columns.inner;
  const uint inner_rows = (uint)grid->rows.inner;
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    const place from = onward(PLACE(source, source_start), (long)t.source);
    __global word *const to = place_in(destination, destination_start + t.destination);
    const uint column_steps = t.valid_columns / inner_columns;
    const uint row_steps = t.valid_rows / inner_rows;
    const uint steps = made->run_side == 1 ? column_steps : made->run_side == 2 ? row_steps : 1;
    const uint length = (uint)made->run_elements * steps + (uint)made->run_over;
    if (column_steps == 0 || row_steps == 0) {
      /* nothing to load */
    } else if (made->loads_pieces && on_source_piece(from)) {
      load_runs(at, (uint)made->load_piece_shift, from, staged, length, column_steps, row_steps,
                true);
    } else {
      load_runs(at, (uint)made->load_unit_shift, from, staged, length, column_steps, row_steps,
                false);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint rows = grid->fills ? t.rows : t.valid_rows;
    const uint columns = grid->fills ? t.columns : t.valid_columns;
    if (!made->is_dense) {
      store_words(at, (uint)made->store_unit_shift, to, staged, t, grid->fills, fill);
    } else if (IN_DESTINATION_BYTE == 1 && made->stores_pieces && on_piece(to)) {
      store_rows(at, (uint)made->store_piece_shift, to, staged, t, rows, columns, fill, true);
    } else {
      store_rows(at, (uint)made->store_unit_shift, to, staged, t, rows, columns, fill, false);
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* before the next tile takes the place of this one */
  }
}
