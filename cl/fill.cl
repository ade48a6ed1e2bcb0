/* fill.cl: nothing has a source; every element becomes the fill. Follows tile.cl. */

/* Neighbouring work-items store neighbouring words. */
__kernel WORK_GROUP void ENTRY(fill)(SIDE_PARAMETERS(word, destination)
                                         GRID_PARAMETER FILL_PARAMETER) {
  FIND_GRID;
  FIND_FILL;
  FIND_SIDE(word, destination);
  const offset stride = (offset)grid->columns.destination_stride;
  const offset row_stride = (offset)grid->rows.destination_stride;
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    __global word *to = destination + DESTINATION_START + t.destination;
    for (uint row = 0; row < t.rows; ++row, to += row_stride) {
      for (uint column = (uint)get_local_id(0); column < t.columns; column += GROUP) {
        to[(offset)column * stride] = fill;
      }
    }
  }
}
