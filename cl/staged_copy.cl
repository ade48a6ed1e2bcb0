/* staged_copy.cl: both sides run along the columns. Follows staged.cl.
 *
 *     source       |a b c d e|. . .      destination  |a b c d e|0 0 0|
 *                  |f g h i j|. . .                   |f g h i j|0 0 0|
 *
 * Each row is a run on both sides. The words are the widest ones that the runs and strides allow,
 * up to 16 bytes; narrower ones than 4 bytes move in units of the destination.
 *
 * 2^across_shift work-items side by side take a row, so that neighbours touch neighbouring units;
 * the others take the rows below:
 *
 *     0 1 2 3 | 0 1 2 ...      numbers are work-items, four of them across
 *     4 5 6 7 | 4 5 6 ...
 */

#define HELD_UNITS (WORD_BYTES < 16 ? 8 : 4)

/* A row of a tile, as far as it is written and as far as it has a source. */
typedef struct run {
  __global word *to;
  __global const word *from;
  uint length;
  uint valid;
} run;

static run run_at(__global word *to, __global const word *from, uint row, const tile t,
                  __constant const kernel_grid *grid) {
  const uint valid = row < t.valid_rows ? t.valid_columns : 0;
  const run found = {to + (offset)row * (offset)grid->rows.destination_stride,
                     from + (offset)row * (offset)grid->rows.source_stride,
                     row >= t.rows ? 0
                     : grid->fills ? t.columns
                                   : valid,
                     valid};
  return found;
}

/* The column where a unit of the destination begins; below 0, which is beyond any, where it begins
 * before its run does. The units of long rows are numbered from the start of a line. */
static uint unit_start(const run r, uint number, bool is_long) {
  return number * UNIT - (is_long ? leaving_into_line(r.to) : leaving_into_unit(r.to));
}

static unit unit_at(__global const word *from) {
  return *(__global const unit *)from;
}

#if UNIT == 1

static bool can_load(const run r, uint column) {
  return is_whole(column, UNIT, r.valid);
}

static unit load_words(const run r, uint column) {
  return unit_at(r.from + column);
}

#else

/* Whether the units of the source that have these words lie within the run. */
static bool can_load(const run r, uint column) {
  const uint into_unit = leaving_into_unit(r.from + column);
  return is_whole(column, UNIT, r.valid) &&
         (into_unit == 0 || (column >= into_unit && column - into_unit + 2 * UNIT <= r.valid));
}

static unit load_words(const run r, uint column) {
  const uint into_unit = leaving_into_unit(r.from + column);
  __global const word *const from = r.from + column - into_unit;
  if (into_unit == 0) {
    return unit_at(from);
  }
  const ulong first = unit_at(from);
  const ulong second = unit_at(from + UNIT);
#ifdef __ENDIAN_LITTLE__
  return (unit)((first | second << 32) >> 8 * WORD_BYTES * into_unit);
#else
  return (unit)((first << 32 | second) >> 8 * WORD_BYTES * (UNIT - into_unit));
#endif
}

#endif

static void store_words(const run r, uint column, bool is_loaded, unit loaded, word fill) {
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
      r.to[at] = at < r.valid ? r.from[at] : fill;
    }
  }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
copy(__global word *restrict destination, const ulong destination_start,
     __constant const kernel_grid *grid, const word fill, __global const word *restrict source,
     const ulong source_start) {
  const uint across = 1u << grid->across_shift;
  const uint down = GROUP >> grid->across_shift;
  const uint first_number = (uint)get_local_id(0) & (across - 1);
  const uint first_row = (uint)get_local_id(0) >> grid->across_shift;
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    __global const word *const from = source + source_start + t.source;
    __global word *const to = destination + destination_start + t.destination;
    const bool is_long = t.columns >= 1024 / WORD_BYTES;
    const uint more = is_long ? 128 / WORD_BYTES : UNIT; /* for rows that begin within one */
    const uint units = (t.columns + more - 1 + UNIT - 1) / UNIT;
    uint row = first_row;
    uint number = first_number;
    while (row < t.rows) {
      run runs[HELD_UNITS];
      uint columns[HELD_UNITS];
      unit held[HELD_UNITS];
#pragma unroll
      for (uint h = 0; h < HELD_UNITS; ++h) {
        runs[h] = run_at(to, from, row, t, grid);
        columns[h] = unit_start(runs[h], number, is_long);
        if (can_load(runs[h], columns[h])) {
          held[h] = load_words(runs[h], columns[h]);
        }
        number += across;
        if (number - first_number >= units) {
          number = first_number;
          row += down;
        }
      }
#pragma unroll
      for (uint h = 0; h < HELD_UNITS; ++h) {
        store_words(runs[h], columns[h], can_load(runs[h], columns[h]), held[h], fill);
      }
    }
  }
}
