/* direct_copy.cl: both sides run along the columns. Follows line.cl, and assembly.cl with ASSEMBLES.
 *
 *     source       |a b c d e|. . .      destination  |a b c d e|0 0 0|
 *                  |f g h i j|. . .                   |f g h i j|0 0 0|
 *
 * Each row is a run on both sides. Long runs go straight to the destination. Short ones have their
 * neighbours in the destination put beside them first, with ASSEMBLES, to leave in whole lines.
 */

#if ASSEMBLES

/* One run, whose last line may spill over unless `exact`. */
static void assemble_run(word *to, __global const word *from, uint count, bool exact) {
  uint i = 0;
  for (; i + LINE <= count; i += LINE) {
    STORE_LINE(__private, LOAD_LINE(__global, from + i), to + i);
  }
  if (i == count) {
    return;
  }
  if (count >= LINE) {
    STORE_LINE(__private, LOAD_LINE(__global, from + count - LINE), to + count - LINE);
  } else if (!exact) {
    STORE_LINE(__private, LOAD_LINE(__global, from + i), to + i);
  } else {
    gather_few(to + i, from + i, count - i);
  }
}

/* Run after run, in the order in which they lie in the assembly where there is one. */
static void assemble_tile(word *to, __global const word *from, load_limit limit,
                          __global const assembly *made, __constant const grid *grid, const tile *t,
                          word fill) {
  __global const offset_pair *const rows = row_table(made);
  __global const offset_pair *const columns = column_table(made, grid);
  const uint run = (uint)made->dense_columns;
  const uint valid_run = (uint)made->valid_columns;
  const bool exact = made->exact || limit.near;
  const bool rows_inside = made->rows_inside;
  const uint outer_count = rows_inside ? t->columns : t->rows;
  const uint outer_step = rows_inside ? run : 1;
  const uint inner_count = rows_inside ? t->rows : t->columns;
  const uint inner_step = rows_inside ? 1 : run;
  for (uint outer = 0; outer < outer_count; outer += outer_step) {
    for (uint inner = 0; inner < inner_count; inner += inner_step) {
      const uint row = rows_inside ? inner : outer;
      const uint column = rows_inside ? outer : inner;
      const offset_pair down = rows[row];
      const offset_pair along = columns[column];
      const uint count = min(run, t->columns - column);
      const bool has_source = row < t->valid_rows && column < t->valid_columns &&
                              down.x != NO_SOURCE && along.x != NO_SOURCE;
      const uint valid = has_source ? min(valid_run, t->valid_columns - column) : 0;
      word *const begin = to + along.y + down.y;
      assemble_run(begin, from + (has_source ? along.x + down.x : 0), valid, exact);
      fill_exactly(begin + valid, count - valid, fill);
    }
  }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
copy(__global word *restrict destination, const ulong destination_start,
     __constant const grid *grid, const word fill, __global const word *restrict source,
     const ulong source_start, __global const assembly *restrict made) {
  move_assembled(destination + destination_start, grid, fill, source + source_start, made, LINE);
}

#else

/* One run, line by line, while the next one's are on their way. */
static void copy_run(__global word *to, __global const word *from, __global const word *next,
                     uint count, bool streams) {
  uint i = words_before_line(to, count, streams);
  copy_few(to, from, i);
  for (; i + LINE <= count; i += LINE) {
    fetch(next, (long)i * WORD_BYTES);
    store_line(LOAD_LINE(__global, from + i), to + i, streams);
  }
  copy_few(to + i, from + i, count - i);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
copy(__global word *restrict destination, const ulong destination_start,
     __constant const grid *grid, const word fill, __global const word *restrict source,
     const ulong source_start) {
  const offset source_row = (offset)grid->rows.source_stride;
  const offset destination_row = (offset)grid->rows.destination_stride;
  const bool fills = grid->fills;
  const bool streams = grid->streams;
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    __global const word *from = source + source_start + t.source;
    __global word *to = destination + destination_start + t.destination;
    for (uint row = 0; row < t.rows; ++row) {
      const uint valid = row < t.valid_rows ? t.valid_columns : 0;
      __global const word *const run = from + (offset)row * source_row;
      copy_run(to + (offset)row * destination_row, run, run + source_row, valid, streams);
      if (fills) {
        fill_run(to + (offset)row * destination_row + valid, t.columns - valid, fill, streams);
      }
    }
  }
}

#endif
