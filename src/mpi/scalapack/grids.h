/* grids.h: block-cyclic matrices on grids of processes, as shardings.
 *
 * Depends on relayout/mpi.h and on the BLACS of the program.
 */
#ifndef RELAYOUT_SCALAPACK_GRIDS_H
#define RELAYOUT_SCALAPACK_GRIDS_H

#include <stdbool.h>

#include "relayout/mpi.h"

/* A process's place in a matrix's grid. All are 0 where it has none. */
typedef struct seat {
  int is_there;
  int grid_rows, grid_columns, grid_row, grid_column;
  int rows, columns, row_block, column_block, first_row, first_column, leading;
} seat;

/* What one process tells the others. It repeats the arguments that are the same on all of them, so
 * that the list of all processes identifies a call. It has only ints, because the processes share
 * it by a sum. */
typedef struct told {
  int rank; /* in the communicator that the BLACS began with */
  int cannot;
  int type, transposes, rows, columns;
  int from_row, from_column, to_row, to_column; /* as the part of `to` has them */
  seat from, to;
} told;

enum { TOLD_INTS = sizeof(told) / sizeof(int) };

/* The process's place in the grid of a descriptor. False for matrices that are no block-cyclic
 * ones, or whose first block is smaller than others. */
bool grid_take_seat(const int *descriptor, seat *made);

/* One side of a reshard, as all processes know it. */
typedef struct sharded {
  relayout_shape shape;
  relayout_sharding sharding;
  int64_t start[2];
} sharded;

/* A side as `count` processes know it that have told each other, as its transpose where it is
 * turned. Process i is device i. False where it is no sharding. */
bool grid_make_side(int count, const told *all, bool is_from, bool turned, sharded *made);

/* The part of a side that process `number` has, with its leading dimension. */
bool grid_make_view(const sharded *side, const seat *own, int number, bool turned,
                    relayout_view *made);

#endif
