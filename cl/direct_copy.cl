/* direct_copy.cl: both sides run along the columns. Follows tile.cl and line.cl.
 *
 *     source       |a b c d e|. . .      destination  |a b c d e|0 0 0|
 *                  |f g h i j|. . .                   |f g h i j|0 0 0|
 *
 * Each row is a run on both sides. The words are the widest ones that the runs and strides allow,
 * up to 16 bytes.
 */

/* One run, line by line. */
static void copy_run(__global word *to, __global const word *from, uint count, bool streams) {
  uint i = 0;
  for (const uint head = words_before_line(to, count, streams); i < head; ++i) {
    to[i] = from[i];
  }
  for (; i + LINE <= count; i += LINE) {
    store_line(load_line(from + i), to + i, streams);
  }
  for (; i < count; ++i) {
    to[i] = from[i];
  }
}

/* Long runs go one after the other. Short ones go column by column: the loop over rows is the long
 * one then, and what a row costs to start is paid once a column. The tile stays in the cache. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
copy(__global word *restrict destination, const ulong destination_start,
     __constant const grid *grid, const word fill, __global const word *restrict source,
     const ulong source_start) {
  const offset source_column = (offset)grid->columns.source_stride;
  const offset destination_column = (offset)grid->columns.destination_stride;
  const offset source_row = (offset)grid->rows.source_stride;
  const offset destination_row = (offset)grid->rows.destination_stride;
  const bool fills = grid->fills;
  const bool streams = grid->streams;
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    __global const word *from = source + source_start + t.source;
    __global word *to = destination + destination_start + t.destination;
    if (source_column == 1 && destination_column == 1 && t.columns >= LINE) {
      for (uint row = 0; row < t.rows; ++row) {
        const uint valid = row < t.valid_rows ? t.valid_columns : 0;
        copy_run(to + row * destination_row, from + row * source_row, valid, streams);
        if (fills) {
          fill_run(to + row * destination_row + valid, t.columns - valid, fill, streams);
        }
      }
      continue;
    }
    for (uint column = 0; column < t.columns; ++column) {
      const uint valid = column < t.valid_columns ? t.valid_rows : 0;
      __global const word *const down = from + column * source_column;
      __global word *const to_down = to + column * destination_column;
      for (uint row = 0; row < valid; ++row) {
        to_down[row * destination_row] = down[row * source_row];
      }
      for (uint row = valid; fills && row < t.rows; ++row) {
        to_down[row * destination_row] = fill;
      }
    }
  }
}
