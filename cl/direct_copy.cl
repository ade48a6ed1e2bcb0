/* direct_copy.cl: both sides run along the columns. Follows run.cl, and staging.cl with
 * STAGES.
 *
 *     source       |a b c d e|. . .      destination  |a b c d e|0 0 0|
 *                  |f g h i j|. . .                   |f g h i j|0 0 0|
 *
 * Each row is a run on both sides. Long runs go straight to the destination. Short ones have their
 * neighbours in the destination put beside them first, with STAGES, to leave in whole lines.
 */

#if STAGES

/* One run, whose last line may spill over unless `exact`. */
static void stage_run(word *to, place from, uint count, bool exact) {
  uint i = 0;
  for (; i + LINE <= count; i += LINE) {
    STORE_LINE(__private, load_line(onward(from, i)), to + i);
  }
  if (i == count) {
    return;
  }
  if (count >= LINE) {
    STORE_LINE(__private, load_line(onward(from, count - LINE)), to + count - LINE);
  } else if (!exact) {
    STORE_LINE(__private, load_line(onward(from, i)), to + i);
  } else {
    gather_words(to + i, onward(from, i), count - i);
  }
}

#if CHANGES

/* How much later the columns are whose lines are fetched. */
#define COLUMNS_AHEAD 8

/* Whether the rows have short runs, which are better changed together, and
 * these are one in the source. */
static bool are_joined(__global const offset_pair *rows, uint row_count, uint run) {
  PLAIN_LOOP
  for (uint row = 0; row < row_count; ++row) {
    if (rows[row].x != (offset)(row * run)) {
      return false;
    }
  }
  return row_count > 1 && run < WIDTH;
}

/* Lines of elements change together, and then go to their rows, run by run, while those of a
 * later column are on their way. */
static void part_runs(word *to, place from, place later, __global const offset_pair *rows,
                      uint row_count, uint run) {
  enum { AT_ONCE = 4 * LINE };
  line changed[AT_ONCE / LINE];
  const word *const words = (const word *)changed;
  const uint rows_at_once = AT_ONCE / run;
  for (uint i = 0; i < row_count * run; i += SOURCE_LINE) {
    fetch_at(onward(later, i), 0);
  }
  for (uint row = 0; row < row_count; row += rows_at_once) {
    const uint count = min(rows_at_once, row_count - row);
    gather_words((word *)changed, onward(from, row * run), count * run);
    for (uint r = 0; r < count; ++r) {
      move_few(to + rows[row + r].y, words + r * run, run);
    }
  }
}

#else
#define are_joined(rows, row_count, run)                 false
#define part_runs(to, from, later, rows, row_count, run) (void)(later)
#define COLUMNS_AHEAD                                    0
#endif

/* Run after run, in the order in which they lie in the staging buffer where there is one. */
INLINED_TILE static void stage_tile(word *to, place from, load_limit limit,
                                    __global const kernel_staging *made,
                                    __constant const kernel_grid *grid, const tile *t, word fill) {
  __global const offset_pair *const rows = row_table(made);
  __global const offset_pair *const columns = column_table(made, grid);
  const uint run = (uint)made->dense_columns;
  const uint valid_run = (uint)made->valid_columns;
  const bool joined = valid_run == run && are_joined(rows, t->valid_rows, run);
  const bool exact = made->exact || limit.near || joined;
  const bool rows_inside = made->rows_inside || joined;
  const uint outer_count = rows_inside ? t->columns : t->rows;
  const uint outer_step = rows_inside ? run : 1;
  const uint inner_count = rows_inside ? t->rows : t->columns;
  const uint inner_step = rows_inside ? 1 : run;
  for (uint outer = 0; outer < outer_count; outer += outer_step) {
    uint inner = 0;
    if (joined && outer + run <= t->valid_columns && columns[outer].x != NO_SOURCE) {
      const uint later = min(outer + COLUMNS_AHEAD * run, t->columns - run);
      part_runs(to + columns[outer].y, onward(from, columns[outer].x),
                onward(from, columns[later].x), rows, t->valid_rows, run);
      inner = t->valid_rows;
    }
    for (; inner < inner_count; inner += inner_step) {
      const uint row = rows_inside ? inner : outer;
      const uint column = rows_inside ? outer : inner;
      const offset_pair down = rows[row];
      const offset_pair along = columns[column];
      const uint count = min(run, t->columns - column);
      const bool has_source = row < t->valid_rows && column < t->valid_columns &&
                              down.x != NO_SOURCE && along.x != NO_SOURCE;
      const uint valid = has_source ? min(valid_run, t->valid_columns - column) : 0;
      word *const begin = to + along.y + down.y;
      stage_run(begin, onward(from, has_source ? along.x + down.x : 0), valid, exact);
      fill_exactly(begin + valid, count - valid, fill);
    }
  }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
ENTRY(copy)(SIDE_PARAMETERS(word, destination), __constant const kernel_grid *grid, const word fill,
            SIDE_PARAMETERS(const source_word, source),
            __global const kernel_staging *restrict made CONVERSION_PARAMETER) {
  FIND_SIDE(word, destination);
  FIND_SIDE(const source_word, source);
  move_staged(destination, START(destination_starts), grid, fill,
              PLACE(source, START(source_starts)), made, LINE);
}

#else

#if CHANGES

/* Not more than a line of the destination holds. Without memory of its own where that can be: clang
 * 15 loses what single words of so short an array get. */
static void copy_words(__global word *to, const place from, uint count) {
#if DESTINATION_BITS
  line lines[DESTINATION_LINE / LINE];
  gather_words((word *)lines, from, count);
  store_elements(to, (const word *)lines, count);
#else
  if (count < WIDTH) {
    PLAIN_LOOP
    for (uint i = 0; i < count; ++i) {
      to[i] = element_at(onward(from, i));
    }
    return;
  }
  for (uint i = 0; i + WIDTH <= count; i += WIDTH) {
    STORE_WORDS(__global, words_at(onward(from, i)), to + i);
  }
  STORE_WORDS(__global, words_at(onward(from, count - WIDTH)), to + count - WIDTH);
#endif
}

ALWAYS_INLINE static line copied_line(const place from) {
#if DESTINATION_BITS
  line lines[DESTINATION_LINE / LINE];
#pragma unroll
  for (uint i = 0; i < DESTINATION_LINE / LINE; ++i) {
    lines[i] = load_line(onward(from, i * LINE));
  }
  return packed_line((const word *)lines);
#else
  return load_line(from);
#endif
}

#else

#define copy_words(to, from, count) copy_few(to, from, count)
#define copied_line(from)           load_line(from)

#endif

/* How far ahead the source is fetched of a run that is a tile by itself. */
#define AHEAD (32 * SOURCE_LINE)

/* One run, line by line, while the next one's are on their way. */
static void copy_run(__global word *to, const place from, const place next, uint count,
                     bool streams) {
  uint i = elements_before_line(to, count, streams);
  copy_words(to, from, i);
  for (; i + DESTINATION_LINE <= count; i += DESTINATION_LINE) {
    for (uint ahead = 0; ahead < DESTINATION_LINE; ahead += SOURCE_LINE) {
      fetch_at(onward(next, i + ahead), 0);
    }
    store_line(copied_line(onward(from, i)), place_in(to, i), streams);
  }
  copy_words(place_in(to, i), onward(from, i), count - i);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
ENTRY(copy)(SIDE_PARAMETERS(word, destination), __constant const kernel_grid *grid, const word fill,
            SIDE_PARAMETERS(const source_word, source) CONVERSION_PARAMETER) {
  FIND_SIDE(word, destination);
  FIND_SIDE(const source_word, source);
  const offset source_row = (offset)grid->rows.source_stride;
  const offset destination_row = (offset)grid->rows.destination_stride;
#if !DESTINATION_BITS
  const bool fills = grid->fills;
#endif
  const bool streams = grid->streams;
  const place start = PLACE(source, START(source_starts));
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    const place from = onward(start, (long)t.source);
    const ulong to = START(destination_starts) + t.destination;
    for (uint row = 0; row < t.rows; ++row) {
      const uint valid = row < t.valid_rows ? t.valid_columns : 0;
      const place run = onward(from, (offset)row * source_row);
      const ulong row_start = to + (ulong)((offset)row * destination_row);
      const place next = onward(run, t.rows > 1 ? source_row : AHEAD);
      copy_run(place_in(destination, row_start), run, next, valid, streams);
#if !DESTINATION_BITS
      if (fills) {
        fill_run(destination + row_start + valid, t.columns - valid, fill, streams);
      }
#endif
    }
  }
}

#endif
