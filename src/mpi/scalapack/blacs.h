/* blacs.h: what is used of the BLACS, which have no header. The program's ScaLAPACK brings them. */
#ifndef RELAYOUT_SCALAPACK_BLACS_H
#define RELAYOUT_SCALAPACK_BLACS_H

#include <mpi.h>

/* Fields of a descriptor of a block-cyclic matrix: DESCRIPTOR_TYPE and _CONTEXT, then rows,
 * columns, the sizes of their blocks, the grid's row and column that have the first one, and the
 * leading dimension. With FIRST_BLOCKS the sizes of the first blocks stand before those of the
 * others. */
enum { DESCRIPTOR_TYPE, DESCRIPTOR_CONTEXT, DESCRIPTOR_SIZES, DESCRIPTOR_BLOCKS = 4 };
enum { BLOCK_CYCLIC = 1, FIRST_BLOCKS = 2 };

enum { BLACS_SYSTEM_OF_CONTEXT = 10 };

/* All become -1 where the process is not in the context's grid. */
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_get(int context, int what, int *value);
MPI_Comm Cblacs2sys_handle(int system);
void Cigsum2d(int context, const char *scope, const char *topology, int rows, int columns, int *of,
              int leading, int to_row, int to_column);

#endif
