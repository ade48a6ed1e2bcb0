/* grids.c: grids of the BLACS, seen from one of their processes, and what all of them make. */
#include "scalapack/grids.h"

#include "scalapack/blacs.h"

enum { MOST_DEVICES = 1024 }; /* that a sharding can list */

bool grid_take_seat(const int *descriptor, seat *made) {
  int rows, columns, row, column;
  *made = (seat){.is_there = 0};
  Cblacs_gridinfo(descriptor[DESCRIPTOR_CONTEXT], &rows, &columns, &row, &column);
  if (row < 0 || column < 0) {
    return true;
  }
  const int type = descriptor[DESCRIPTOR_TYPE];
  const int *const sizes = descriptor + DESCRIPTOR_SIZES;
  const int *const first = descriptor + DESCRIPTOR_BLOCKS;
  const int *const blocks = type == FIRST_BLOCKS ? first + 2 : first;
  *made = (seat){.is_there = 1,
                 .grid_rows = rows,
                 .grid_columns = columns,
                 .grid_row = row,
                 .grid_column = column,
                 .rows = sizes[0],
                 .columns = sizes[1],
                 .row_block = blocks[0],
                 .column_block = blocks[1],
                 .first_row = blocks[2],
                 .first_column = blocks[3],
                 .leading = blocks[4]};
  return type == BLOCK_CYCLIC ||
         (type == FIRST_BLOCKS && first[0] == blocks[0] && first[1] == blocks[1]);
}

static const seat *seat_of(const told *of, bool is_from) {
  return is_from ? &of->from : &of->to;
}

/* A process that is in the grid; NULL: there is none. */
static const seat *find_any(int count, const told *all, bool is_from) {
  for (int i = 0; i < count; i++) {
    if (seat_of(&all[i], is_from)->is_there) {
      return seat_of(&all[i], is_from);
    }
  }
  return NULL;
}

/* The number of the process at a place of the grid; -1: there is none. */
static int find_process(int count, const told *all, bool is_from, int row, int column) {
  for (int i = 0; i < count; i++) {
    const seat *const of = seat_of(&all[i], is_from);
    if (of->is_there && of->grid_row == row && of->grid_column == column) {
      return i;
    }
  }
  return -1;
}

/* The grid's processes, in the order of the blocks that they have; `turned` with columns first. */
static bool list_devices(int count, const told *all, bool is_from, bool turned, const seat *any,
                         relayout_sharding *made) {
  const int rows = any->grid_rows, columns = any->grid_columns;
  bool is_whole = rows > 0 && columns > 0 && rows <= MOST_DEVICES / columns;
  for (int i = 0; i < rows && is_whole; i++) {
    for (int j = 0; j < columns && is_whole; j++) {
      const int process = find_process(count, all, is_from, (any->first_row + i) % rows,
                                       (any->first_column + j) % columns);
      made->order.list[turned ? j * rows + i : i * columns + j] = process;
      is_whole = process >= 0;
    }
  }
  return is_whole;
}

/* A matrix lies column by column; its transpose, row by row. */
bool grid_make_side(int count, const told *all, bool is_from, bool turned, sharded *made) {
  static const int32_t by_columns[] = {0, 1}, by_rows[] = {1, 0};
  const seat *const any = find_any(count, all, is_from);
  if (any == NULL || any->row_block <= 0 || any->column_block <= 0 || any->first_row < 0 ||
      any->first_column < 0) {
    return false;
  }
  const int64_t dimensions[] = {any->rows, any->columns};
  const int64_t grid[] = {any->grid_rows, any->grid_columns};
  const int64_t blocks[] = {any->row_block, any->column_block};
  const int64_t start[] = {(is_from ? all->from_row : all->to_row) - 1,
                           (is_from ? all->from_column : all->to_column) - 1};
  *made = (sharded){.sharding = {.kind = RELAYOUT_SHARDING_TILED, .rank = 2, .block_count = 2}};
  int64_t sizes[2];
  for (int d = 0; d < 2; d++) {
    const int of = turned ? 1 - d : d;
    sizes[d] = dimensions[of];
    made->sharding.shards[d] = grid[of];
    made->sharding.blocks[d] = blocks[of];
    made->start[d] = start[d];
  }
  relayout_layout layout;
  return list_devices(count, all, is_from, turned, any, &made->sharding) &&
         relayout_layout_make(2, turned ? by_rows : by_columns, &layout, NULL) == RELAYOUT_OK &&
         relayout_shape_make_with_layout((relayout_element_type)all->type, 2, sizes, &layout,
                                         &made->shape, NULL) == RELAYOUT_OK;
}

bool grid_make_view(const sharded *side, const seat *own, int number, bool turned,
                    relayout_view *made) {
  relayout_shape local;
  if (relayout_sharding_local_shape(&side->sharding, &side->shape, number, &local, NULL) !=
      RELAYOUT_OK) {
    return false;
  }
  const int64_t bytes = (int64_t)relayout_element_type_byte_size(side->shape.element_type);
  *made = (relayout_view){.is_strided = true};
  made->byte_strides[turned ? 1 : 0] = bytes;
  made->byte_strides[turned ? 0 : 1] = own->leading * bytes;
  return relayout_shape_make(side->shape.element_type, 2, local.dimensions, &made->shape, NULL) ==
         RELAYOUT_OK;
}
