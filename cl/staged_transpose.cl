/* staged_transpose.cl: the destination runs along the columns, the source along the rows.
 * Follows tile.cl.
 *
 *     source   a e i m . .     destination   a b c d . .
 *              b f j n . .                   e f g h . .
 *              c g k o . .                   i j k l . .
 *              d h l p . .                   m n o p . .
 *
 * Either side alone could be walked along its run; a tile makes it so for both.
 */

/* The group loads along the rows, as the source runs, and stores along the columns, as the
 * destination does, through a tile in local memory. Its pitch is one word more than its width:
 * words of one column, which neighbours write at once, would share a bank otherwise.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
transpose(__global word *restrict destination, const ulong destination_start,
          __constant const grid *grid, const word fill, __global const word *restrict source,
          const ulong source_start) {
  __local word staged[TILE * (TILE + 1)];
  const offset source_column = (offset)grid->columns.source_stride;
  const offset destination_column = (offset)grid->columns.destination_stride;
  const offset source_row = (offset)grid->rows.source_stride;
  const offset destination_row = (offset)grid->rows.destination_stride;
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    __global const word *from = source + source_start + t.source;
    __global word *to = destination + destination_start + t.destination;
    for (uint i = (uint)get_local_id(0); i < TILE * TILE; i += GROUP) {
      const uint row = i % TILE;
      const uint column = i / TILE;
      if (row < t.valid_rows && column < t.valid_columns) {
        staged[row * (TILE + 1) + column] = from[row * source_row + column * source_column];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = (uint)get_local_id(0); i < TILE * TILE; i += GROUP) {
      const uint row = i / TILE;
      const uint column = i % TILE;
      if (row >= t.rows || column >= t.columns) {
        continue;
      }
      const offset at = row * destination_row + column * destination_column;
      if (row < t.valid_rows && column < t.valid_columns) {
        to[at] = staged[row * (TILE + 1) + column];
      } else if (grid->fills) {
        to[at] = fill;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* before the next tile takes the place of this one */
  }
}
