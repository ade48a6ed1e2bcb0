/* staged_copy.cl: both sides run along the columns. Follows tile.cl.
 *
 *     source       |a b c d e|. . .      destination  |a b c d e|0 0 0|
 *                  |f g h i j|. . .                   |f g h i j|0 0 0|
 *
 * Each row is a run on both sides. The words are the widest ones that the runs and strides allow,
 * up to 16 bytes.
 */

/* 2^across_shift work-items side by side take a row, so that neighbours touch neighbouring words;
 * the others take the rows below:
 *
 *     0 1 2 3 | 0 1 2 ...      numbers are work-items, four of them across
 *     4 5 6 7 | 4 5 6 ...
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
copy(__global word *restrict destination, const ulong destination_start,
     __constant const grid *grid, const word fill, __global const word *restrict source,
     const ulong source_start) {
  const uint across = 1u << grid->across_shift;
  const uint down = GROUP >> grid->across_shift;
  const uint first_column = (uint)get_local_id(0) & (across - 1);
  const uint first_row = (uint)get_local_id(0) >> grid->across_shift;
  const offset source_column = (offset)grid->columns.source_stride;
  const offset destination_column = (offset)grid->columns.destination_stride;
  const offset source_row = (offset)grid->rows.source_stride;
  const offset destination_row = (offset)grid->rows.destination_stride;
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    __global const word *from = source + source_start + t.source;
    __global word *to = destination + destination_start + t.destination;
    for (uint row = first_row; row < t.rows; row += down) {
      for (uint column = first_column; column < t.columns; column += across) {
        const offset at = row * destination_row + column * destination_column;
        if (row < t.valid_rows && column < t.valid_columns) {
          to[at] = from[row * source_row + column * source_column];
        } else if (grid->fills) {
          to[at] = fill;
        }
      }
    }
  }
}
