/* remap.h: a part of a block-cyclic matrix moved to a part of another one, whose grid may be
 * another.
 *
 * Depends on relayout/mpi.h and on the BLACS of the program.
 */
#ifndef RELAYOUT_SCALAPACK_REMAP_H
#define RELAYOUT_SCALAPACK_REMAP_H

#include <stdbool.h>

#include "relayout/mpi.h"

/* A part of a matrix, from a row and a column on, counted from 1. The descriptor's context alone is
 * read where the process is not in the matrix's grid. */
typedef struct remap_side {
  const int *descriptor;
  int row, column;
} remap_side;

/* Moves `rows` by `columns` elements of `to` from those of `from`, or from their transpose, whose
 * part has `columns` by `rows`. All processes of `context` call it, which has those of both grids.
 * False on all of them if a reshard cannot do it, or is not worth it: nothing has been written
 * then. What fails while messages are on their way ends the program, as errors do in ScaLAPACK. */
bool remap(relayout_element_type type, bool transposes, int rows, int columns, remap_side from,
           const void *source, remap_side to, void *destination, int context);

#endif
