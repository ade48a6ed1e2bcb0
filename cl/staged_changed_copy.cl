/* staged_changed_copy.cl: both sides run along the columns, and elements change on their way.
 * Follows staged.cl.
 *
 *     source       |a b c d e f g h|i j k l m n o p|      units of 8 elements
 *     local        |a . b .|c . d .|e . f .|g . h .|      words
 *     destination  |a . b .|c . d .|e . f .|g . h .|      units of 2
 *
 * Units of the two sides hold different numbers of elements, and may begin anywhere in each other.
 * So a group loads a tile in the source's units into local memory and stores it in the
 * destination's. Neighbours take neighbouring units of a row, 2^across_shift of them; the others
 * take the rows below.
 *
 * A row begins as far into a unit of local memory as into one of the destination, so that units
 * leave as they lie.
 */

#define HELD_UNITS MOST_UNITS

/* Words of all rows of a tile, with where they begin in a unit: the host sees to it
 * (src/opencl/staged.c). */
#define STAGED_WORDS ((16 << 10) / WORD_BYTES + LEAVING_UNIT)

/* A row of a tile, as far as it is written and as far as it has a source. */
typedef struct run {
  place from;
  __global word *to;
  uint staged; /* where its first element is, before the gaps */
  uint length;
  uint valid;
} run;

ALWAYS_INLINE static run run_at(const place from, __global word *to, uint row, uint pitch,
                                const tile t, __constant const kernel_grid *grid) {
  const uint valid = row < t.valid_rows ? t.valid_columns : 0;
  run found = {onward(from, (offset)row * (offset)grid->rows.source_stride),
               to + leaving_offset((offset)row * (offset)grid->rows.destination_stride), 0,
               row >= t.rows ? 0
               : grid->fills ? t.columns
                             : valid,
               valid};
  found.staged = row * pitch + leaving_into_unit(found.to);
  return found;
}

/* Units of so many elements that a row may touch. Those of long rows are numbered from the start of
 * a line. */
ALWAYS_INLINE static uint units_of(uint columns, uint unit, uint units_per_line, bool is_long) {
  const uint more = is_long ? unit * units_per_line : unit;
  return (columns + more - 1 + unit - 1) / unit;
}

/* ---- Loading ---- */

/* Where a unit begins; below 0, which is beyond any, where it begins before its run does. */
ALWAYS_INLINE static uint load_start(const run r, uint number, bool is_long) {
  return number * SOURCE_UNIT - (is_long ? elements_into_line(r.from) : elements_into_unit(r.from));
}

static void load_rows(__local word *staged, const place from, __global word *to, uint pitch,
                      const tile t, __constant const kernel_grid *grid) {
  const bool is_long = t.columns >= 8 * SOURCE_UNIT * SOURCE_UNITS_PER_LINE;
  const uint units = units_of(t.valid_columns, SOURCE_UNIT, SOURCE_UNITS_PER_LINE, is_long);
  for (part p = first_part(grid->across_shift); p.run < t.valid_rows;) {
    run runs[HELD_UNITS];
    uint starts[HELD_UNITS];
    source_unit held[HELD_UNITS];
#pragma unroll
    for (uint h = 0; h < HELD_UNITS; ++h) {
      runs[h] = run_at(from, to, p.run, pitch, t, grid);
      starts[h] = load_start(runs[h], p.number, is_long);
      if (is_whole(starts[h], SOURCE_UNIT, runs[h].valid)) {
        held[h] = load_unit(onward(runs[h].from, starts[h]));
      }
      p = next_part(p, grid->across_shift, units);
    }
#pragma unroll
    for (uint h = 0; h < HELD_UNITS; ++h) {
      if (is_whole(starts[h], SOURCE_UNIT, runs[h].valid)) {
        stage_in_run(staged, runs[h].staged + starts[h], held[h], from);
        continue;
      }
      ONE_BY_ONE
      for (uint k = 0; k < SOURCE_UNIT; ++k) {
        const uint column = starts[h] + k; /* comes round at 0 */
        if (column < runs[h].valid) {
          staged[staged_place(runs[h].staged + column)] = element_at(onward(runs[h].from, column));
        }
      }
    }
  }
}

/* ---- Storing ---- */

/* Four elements of a word each, from the lowest byte up, to the lowest bits. */
#if DESTINATION_BITS
ALWAYS_INLINE static uint packed_four(unit four) {
  uint made = 0;
#pragma unroll
  for (uint k = 0; k < UNIT; ++k) {
    made |= (four >> 8 * UP(k, UNIT) & ONE_ELEMENT) << k * DESTINATION_BITS;
  }
  return made;
}
#endif

/* The unit of the destination that begins with this word of the tile. */
ALWAYS_INLINE static unit gather_unit(__local const word *staged, uint index) {
#if DESTINATION_BITS
  unit made = 0;
#pragma unroll
  for (uint k = 0; k < LEAVING_UNIT; k += UNIT) {
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
ALWAYS_INLINE static word gather_word(__local const word *staged, const run r, uint column,
                                      word fill) {
  word made = (word)(0);
#pragma unroll
  for (uint k = 0; k < IN_DESTINATION_BYTE; ++k) {
    const uint at = column + k;
    if (at < r.length) {
      made = with_element(made, k, at < r.valid ? staged[staged_place(r.staged + at)] : fill);
    }
  }
  return made;
}

ALWAYS_INLINE static unit gather_filled(__local const word *staged, const run r, uint column,
                                        word fill) {
  unit made = (unit)(0);
#pragma unroll
  for (uint k = 0; k < UNIT; ++k) {
    made = with_word(made, k, gather_word(staged, r, column + k * IN_DESTINATION_BYTE, fill));
  }
  return made;
}

static void store_rows(__local const word *staged, const place from, __global word *to, uint pitch,
                       const tile t, __constant const kernel_grid *grid, word fill) {
  const bool is_long = t.columns >= 8 * LEAVING_UNIT * UNITS_PER_LINE;
  const uint units = units_of(t.columns, LEAVING_UNIT, UNITS_PER_LINE, is_long);
  const uint shift = grid->across_shift;
  for (part p = first_part(shift); p.run < t.rows; p = next_part(p, shift, units)) {
    const run r = run_at(from, to, p.run, pitch, t, grid);
    const uint start =
        p.number * LEAVING_UNIT - (is_long ? leaving_into_line(r.to) : leaving_into_unit(r.to));
    if (is_whole(start, LEAVING_UNIT, r.valid)) {
      store_unit(gather_unit(staged, r.staged + start), r.to + leaving_offset(start));
      continue;
    }
    if (is_whole(start, LEAVING_UNIT, r.length)) {
      store_unit(gather_filled(staged, r, start, fill), r.to + leaving_offset(start));
      continue;
    }
    ONE_BY_ONE
    for (uint k = 0; k < LEAVING_UNIT; k += IN_DESTINATION_BYTE) {
      const uint column = start + k; /* comes round at 0 */
      if (column < r.length) {
        r.to[leaving_offset(column)] = gather_word(staged, r, column, fill);
      }
    }
  }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
copy(__global word *restrict destination, const ulong destination_start,
     __constant const kernel_grid *grid, const word fill,
     __global const source_word *restrict source, const ulong source_start CONVERSION_PARAMETER) {
  __local word staged[STAGED_WORDS + (STAGED_WORDS / LINE_WORDS + 1) * UNIT]
      __attribute__((aligned(16)));
  const uint pitch = ((uint)grid->columns.length + 2 * LEAVING_UNIT - 2) & ~(LEAVING_UNIT - 1u);
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    const place from = onward(PLACE(source, source_start), (long)t.source);
    __global word *const to = leaving_place(destination, destination_start + t.destination);
    load_rows(staged, from, to, pitch, t, grid);
    barrier(CLK_LOCAL_MEM_FENCE);
    store_rows(staged, from, to, pitch, t, grid, fill);
    barrier(CLK_LOCAL_MEM_FENCE); /* before the next tile takes the place of this one */
  }
}
