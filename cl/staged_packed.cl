/* staged_packed.cl: inner axes too short to fill a line; several together form each side of a tile.
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

/* The group loads in the source's order, rows fastest, into local memory, and stores in the
 * destination's, columns fastest. Of each side the tables hold, rows first,
 *     stores   by position: (destination offset, whether it has a source)
 *     loads    by rank in the source: (source offset or NO_SOURCE, position)
 * An odd pitch keeps the words of one column, which neighbours write at once, in different banks.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
packed(__global word *restrict destination, const ulong destination_start,
       __constant const grid *grid, const word fill, __global const word *restrict source,
       const ulong source_start, __global const offset_pair *restrict positions,
       __local word *restrict staged) {
  const uint row_count = (uint)grid->rows.length;
  const uint column_count = (uint)grid->columns.length;
  const uint pitch = column_count | 1;
  __global const offset_pair *const row_stores = positions;
  __global const offset_pair *const row_loads = row_stores + row_count;
  __global const offset_pair *const column_stores = row_loads + row_count;
  __global const offset_pair *const column_loads = column_stores + column_count;
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    __global const word *from = source + source_start + t.source;
    __global word *to = destination + destination_start + t.destination;
    for (uint i = (uint)get_local_id(0); i < row_count * column_count; i += GROUP) {
      const uint rank = divide(i, grid->rows.by_length);
      const offset_pair down = row_loads[i - rank * row_count];
      const offset_pair along = column_loads[rank];
      if (down.x != NO_SOURCE && along.x != NO_SOURCE && (uint)down.y < t.valid_rows &&
          (uint)along.y < t.valid_columns) {
        staged[(uint)down.y * pitch + (uint)along.y] = from[down.x + along.x];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = (uint)get_local_id(0); i < row_count * column_count; i += GROUP) {
      const uint row = divide(i, grid->columns.by_length);
      const uint column = i - row * column_count;
      if (row >= t.rows || column >= t.columns) {
        continue;
      }
      const offset_pair down = row_stores[row];
      const offset_pair along = column_stores[column];
      if (down.y != 0 && along.y != 0 && row < t.valid_rows && column < t.valid_columns) {
        to[down.x + along.x] = staged[row * pitch + column];
      } else if (grid->fills) {
        to[down.x + along.x] = fill;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* before the next tile takes the place of this one */
  }
}
