/* staged_copy.cl: both sides run along the columns. Follows staged.cl.
 *
 *     source       |a b c d e|. . .      destination  |a b c d e|0 0 0|
 *                  |f g h i j|. . .                   |f g h i j|0 0 0|
 *
 * Each row is a run on both sides. 2^across_shift work-items side by side take a row, so that
 * neighbours touch neighbouring units; the others take the rows below:
 *
 *     0 1 2 3 | 0 1 2 ...      numbers are work-items, four of them across
 *     4 5 6 7 | 4 5 6 ...
 */

/* A row of a tile, as far as it is written and as far as it has a source. */
typedef struct row {
  place from;
  __global word *to;
  uint length;
  uint valid;
} row;

ALWAYS_INLINE static row row_at(const place from, __global word *to, uint number, const tile t,
                                __constant const kernel_grid *grid) {
  const uint valid = number < t.valid_rows ? t.valid_columns : 0;
  const row found = {onward(from, (offset)number * (offset)grid->rows.source_stride),
                     to + stored_offset((offset)number * (offset)grid->rows.destination_stride),
                     number >= t.rows ? 0
                     : grid->fills    ? t.columns
                                      : valid,
                     valid};
  return found;
}

#if !CHANGES

/* ---- Straight to the destination ----
 *
 * The words are the widest ones that the runs and strides allow, up to 16 bytes; narrower ones than
 * 4 bytes move in units of the destination. */

#define HELD_UNITS (WORD_BYTES < 16 ? 8 : 4)

/* Whether the units of the source that have these words lie within the run. */
ALWAYS_INLINE static bool can_load(const row r, uint column) {
  const uint into_unit = elements_into_unit(onward(r.from, column));
  return is_whole(column, UNIT, r.valid) &&
         (into_unit == 0 || (column >= into_unit && column - into_unit + 2 * UNIT <= r.valid));
}

ALWAYS_INLINE static unit load_words(const row r, uint column) {
  const uint into_unit = elements_into_unit(onward(r.from, column));
  const place from = onward(r.from, (long)column - (long)into_unit);
#if UNIT > 1
  if (into_unit > 0) {
    const ulong first = load_unit(from);
    const ulong second = load_unit(onward(from, UNIT));
#ifdef __ENDIAN_LITTLE__
    return (unit)((first | second << 32) >> 8 * WORD_BYTES * into_unit);
#else
    return (unit)((first << 32 | second) >> 8 * WORD_BYTES * (UNIT - into_unit));
#endif
  }
#endif
  return load_unit(from);
}

ALWAYS_INLINE static void store_words(const row r, uint column, bool is_loaded, unit loaded,
                                      word fill) {
  if (is_loaded) {
    store_unit(loaded, r.to + column);
    return;
  }
  if (is_whole(column, UNIT, r.length) && column >= r.valid) {
    unit fills = (unit)(0);
#pragma unroll
    for (uint k = 0; k < UNIT; ++k) {
      fills = with_word(fills, k, fill);
    }
    store_unit(fills, r.to + column);
    return;
  }
#pragma unroll
  for (uint k = 0; k < UNIT; ++k) {
    const uint at = column + k; /* comes round at 0 */
    if (at < r.length) {
      r.to[at] = at < r.valid ? source_element(onward(r.from, at)) : fill;
    }
  }
}

static void copy_rows(const place from, __global word *to, const tile t,
                      __constant const kernel_grid *grid, word fill) {
  const uint shift = grid->across_shift;
  const bool is_long = t.columns >= 8 * SOURCE_LINE;
  const uint units = units_of(t.columns, UNIT, SOURCE_LINE, is_long);
  for (part p = first_part(shift); p.run < t.rows;) {
    row rows[HELD_UNITS];
    uint columns[HELD_UNITS];
    unit held[HELD_UNITS];
#pragma unroll
    for (uint h = 0; h < HELD_UNITS; ++h) {
      rows[h] = row_at(from, to, p.run, t, grid);
      columns[h] = store_start(rows[h].to, p.number, is_long);
      if (can_load(rows[h], columns[h])) {
        held[h] = load_words(rows[h], columns[h]);
      }
      p = next_part(p, shift, units);
    }
#pragma unroll
    for (uint h = 0; h < HELD_UNITS; ++h) {
      store_words(rows[h], columns[h], can_load(rows[h], columns[h]), held[h], fill);
    }
  }
}

#else

/* ---- By way of local memory, for elements that change ----
 *
 *     source       |a b c d e f g h|i j k l m n o p|      units of 8 elements
 *     local        |a . b .|c . d .|e . f .|g . h .|      words
 *     destination  |a . b .|c . d .|e . f .|g . h .|      units of 2
 *
 * Units of the two sides hold different numbers of elements, and may begin anywhere in each other.
 * So a group loads a tile in the source's units into local memory and stores it in the
 * destination's. A row begins as far into a unit of local memory as into one of the destination, so
 * that units are stored as they lie. */

/* Words of all rows of a tile, with where they begin in a unit: the host sees to it
 * (src/plan/local_tile.c). */
#define STAGED_WORDS (TILE_BYTES / WORD_BYTES + DESTINATION_UNIT)

/* Where the first element of a row is, before the gaps. */
ALWAYS_INLINE static uint staged_start(const row r, uint number, uint pitch) {
  return number * pitch + stored_into_unit(r.to);
}

static void load_rows(__local word *staged, const place from, __global word *to, uint pitch,
                      const tile t, __constant const kernel_grid *grid) {
  const uint shift = grid->across_shift;
  const bool is_long = t.columns >= 8 * SOURCE_LINE;
  const uint units = units_of(t.valid_columns, SOURCE_UNIT, SOURCE_LINE, is_long);
  for (part p = first_part(shift); p.run < t.valid_rows;) {
    load loads[MOST_UNITS];
#pragma unroll
    for (uint h = 0; h < MOST_UNITS; ++h) {
      const row r = row_at(from, to, p.run, t, grid);
      const source_run of = {r.from, staged, staged_start(r, p.run, pitch), r.valid};
      loads[h] = begin_load(of, load_start(r.from, p.number, is_long), false);
      p = next_part(p, shift, units);
    }
#pragma unroll
    for (uint h = 0; h < MOST_UNITS; ++h) {
      end_load(loads[h], false);
    }
  }
}

/* Four elements of a word each, from the lowest byte up, to the lowest bits. */
#if DESTINATION_BITS
ALWAYS_INLINE static uint packed_four(unit four) {
  uint made = 0;
#pragma unroll
  for (uint k = 0; k < UNIT; ++k) {
    made |= (four >> 8 * UP(k, UNIT) & DESTINATION_ONES) << k * DESTINATION_BITS;
  }
  return made;
}
#endif

/* The unit of the destination that begins with this word of the tile. */
ALWAYS_INLINE static unit gather_unit(__local const word *staged, uint index) {
#if DESTINATION_BITS
  unit made = 0;
#pragma unroll
  for (uint k = 0; k < DESTINATION_UNIT; k += UNIT) {
    const uint four = packed_four(staged_unit(staged + staged_place(index + k)));
    const uint bit = k % IN_DESTINATION_BYTE * DESTINATION_BITS;
    made |= four << (8 * UP(k / IN_DESTINATION_BYTE, UNIT) + bit);
  }
  return made;
#else
  return staged_unit(staged + staged_place(index));
#endif
}

/* The same where the source, or the row itself, may end: what is left of its last word becomes
 * zeros. */
ALWAYS_INLINE static word gather_word(__local const word *staged, uint start, const row r,
                                      uint column, word fill) {
  word made = (word)(0);
#pragma unroll
  for (uint k = 0; k < IN_DESTINATION_BYTE; ++k) {
    const uint at = column + k;
    if (at < r.length) {
      made = with_element(made, k, at < r.valid ? staged[staged_place(start + at)] : fill);
    }
  }
  return made;
}

ALWAYS_INLINE static unit gather_filled(__local const word *staged, uint start, const row r,
                                        uint column, word fill) {
  unit made = (unit)(0);
#pragma unroll
  for (uint k = 0; k < UNIT; ++k) {
    const uint first = column + k * IN_DESTINATION_BYTE;
    made = with_word(made, k, gather_word(staged, start, r, first, fill));
  }
  return made;
}

static void store_rows(__local const word *staged, const place from, __global word *to, uint pitch,
                       const tile t, __constant const kernel_grid *grid, word fill) {
  const uint shift = grid->across_shift;
  const bool is_long = t.columns >= 8 * DESTINATION_LINE;
  const uint units = units_of(t.columns, DESTINATION_UNIT, DESTINATION_LINE, is_long);
  for (part p = first_part(shift); p.run < t.rows; p = next_part(p, shift, units)) {
    const row r = row_at(from, to, p.run, t, grid);
    const uint first = staged_start(r, p.run, pitch);
    const uint start = store_start(r.to, p.number, is_long);
    if (is_whole(start, DESTINATION_UNIT, r.length)) {
      const unit made = is_whole(start, DESTINATION_UNIT, r.valid)
                            ? gather_unit(staged, first + start)
                            : gather_filled(staged, first, r, start, fill);
      store_unit(made, r.to + stored_offset(start));
      continue;
    }
    ONE_BY_ONE
    for (uint k = 0; k < DESTINATION_UNIT; k += IN_DESTINATION_BYTE) {
      const uint column = start + k; /* comes round at 0 */
      if (column < r.length) {
        r.to[stored_offset(column)] = gather_word(staged, first, r, column, fill);
      }
    }
  }
}

#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
copy(__global word *restrict destination, const ulong destination_start,
     __constant const kernel_grid *grid, const word fill,
     __global const source_word *restrict source, const ulong source_start CONVERSION_PARAMETER) {
#if CHANGES
  __local word staged[STAGED_WORDS + (STAGED_WORDS / LINE_WORDS + 1) * UNIT]
      __attribute__((aligned(16)));
  const uint unit_ends = DESTINATION_UNIT - 1;
  const uint pitch = ((uint)grid->columns.length + 2 * unit_ends) & ~unit_ends;
#endif
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    const place from = onward(PLACE(source, source_start), (long)t.source);
    __global word *const to = place_in(destination, destination_start + t.destination);
#if CHANGES
    load_rows(staged, from, to, pitch, t, grid);
    barrier(CLK_LOCAL_MEM_FENCE);
    store_rows(staged, from, to, pitch, t, grid, fill);
    barrier(CLK_LOCAL_MEM_FENCE); /* before the next tile takes the place of this one */
#else
    copy_rows(from, to, t, grid, fill);
#endif
  }
}
