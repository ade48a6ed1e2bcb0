/* gather.cl: element by element, whatever the axes and guards. Follows tile.cl.
 *
 * A tile is a run of the destination's inner axis. A guard asks that a weighted sum of the
 * iterations stay below its size. Weights are place values, never negative, so within a run a
 * guard is just another bound on the column.
 */

/* The columns of tile n that pass every guard, at most `valid`. */
static uint guarded_columns(__constant const grid *grid, tile_number n, uint valid) {
  __constant const loop *loops = loops_of(grid);
  __constant const long *guard = (__constant const long *)(loops + grid->loop_count);
  for (int g = 0; g < (int)grid->guard_count; ++g) {
    const long column_weight = guard[1];
    long room = guard[0];
    tile_number left = n;
    for (int l = 0; l < (int)grid->loop_count; ++l) {
      const tile_number rest = quotient(left, &loops[l]);
      room -= (long)(left - rest * (tile_number)loops[l].count) * guard[2 + l];
      left = rest;
    }
    if (room <= 0) {
      return 0;
    }
    if (column_weight > 0) {
      valid = (uint)min((long)valid, (room - 1) / column_weight + 1);
    }
    guard += 2 + grid->loop_count;
  }
  return valid;
}

/* Every across-th element of a run, from `first` on. */
static void gather_run(__global word *to, __global const word *from, uint first, uint across,
                       const tile t, uint valid, __constant const grid *grid, word fill) {
  const offset source_column = (offset)grid->columns.source_stride;
  const offset destination_column = (offset)grid->columns.destination_stride;
  uint column = first;
  for (; column < valid; column += across) {
    to[column * destination_column] = from[column * source_column];
  }
  for (; grid->fills && column < t.columns; column += across) {
    to[column * destination_column] = fill;
  }
}

#if DIRECT
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
#else
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
#endif
void gather(__global word *restrict destination, const ulong destination_start,
            __constant const grid *grid, const word fill, __global const word *restrict source,
            const ulong source_start) {
  /* Runs may be short: 2^across_shift work-items take one, the others the runs that follow. */
  const uint across = 1u << grid->across_shift;
  const uint down = GROUP >> grid->across_shift;
  const tile_number first = (tile_number)get_group_id(0) * (tile_number)grid->tiles_per_group;
  const tile_number end = min(first + (tile_number)grid->tiles_per_group,
                              (tile_number)grid->tile_count);
  for (tile_number n = first + ((uint)get_local_id(0) >> grid->across_shift); n < end; n += down) {
    const tile t = find_tile(grid, n);
    const uint valid = t.valid_rows == 0 ? 0 : guarded_columns(grid, n, t.valid_columns);
    gather_run(destination + destination_start + t.destination, source + source_start + t.source,
               (uint)get_local_id(0) & (across - 1), across, t, valid, grid, fill);
  }
}
