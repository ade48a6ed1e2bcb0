/* direct_packed.cl: inner axes too short to fill a line; several together form each side of a tile.
 * Follows tile.cl.
 *
 *     source  [y][x][rgb]             destination  [rgb][y][x]
 *     r g b r g b r g b r g b ...     r r r r ...
 *                                     g g g g ...     rows: rgb, columns: x and y
 *                                     b b b b ...
 *
 * Where the positions of a side lie follows no single stride, so it stands in tables that the host
 * made once: `side.length` pairs for the rows, as many for the columns.
 */

/* A position without a source, whatever the tile. */
#if WIDE
#define NO_SOURCE LONG_MIN
#else
#define NO_SOURCE INT_MIN
#endif

/* `valid` words at equal distances, and fills after them. */
static void move_steps(__global word *to, offset to_stride, __global const word *from,
                       offset from_stride, uint valid, uint count, bool fills, word fill) {
  uint step = 0;
  for (; step < valid; ++step) {
    to[step * to_stride] = from[step * from_stride];
  }
  for (; fills && step < count; ++step) {
    to[step * to_stride] = fill;
  }
}

/* Pairs of (source offset, destination offset), by position: rows, then columns. Only the first
 * step of the columns' last axis is looked up, the others follow at its strides:
 *
 *     r g b r g b r g b r g b         look up r, step by 3; look up g, step by 3; look up b ...
 */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
packed(__global word *restrict destination, const ulong destination_start,
       __constant const grid *grid, const word fill, __global const word *restrict source,
       const ulong source_start, __global const offset_pair *restrict positions) {
  __global const offset_pair *const rows = positions;
  __global const offset_pair *const columns = positions + grid->rows.length;
  const offset source_step = (offset)grid->columns.source_stride;
  const offset destination_step = (offset)grid->columns.destination_stride;
  const uint inner = (uint)grid->columns.inner;
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    __global const word *from = source + source_start + t.source;
    __global word *to = destination + destination_start + t.destination;
    const uint steps = t.columns / inner;
    const uint valid_steps = t.valid_columns / inner;
    for (uint row = 0; row < t.rows; ++row) {
      const offset_pair down = rows[row];
      const bool row_is_valid = row < t.valid_rows && down.x != NO_SOURCE;
      for (uint column = 0; column < inner; ++column) {
        const offset_pair along = columns[column];
        const bool is_valid = row_is_valid && along.x != NO_SOURCE;
        move_steps(to + down.y + along.y, destination_step,
                   is_valid ? from + down.x + along.x : from, source_step,
                   is_valid ? valid_steps : 0, steps, grid->fills, fill);
      }
    }
  }
}
