/* names.h: the types of the functions of ScaLAPACK that this library stands in for; they have no
 * header. */
#ifndef RELAYOUT_SCALAPACK_NAMES_H
#define RELAYOUT_SCALAPACK_NAMES_H

/* Cp?gemr2d: B becomes A. */
typedef void scalapack_copy_by_value(int rows, int columns, const void *a, int row, int column,
                                     const int *descriptor_a, void *b, int row_b, int column_b,
                                     const int *descriptor_b, int context);

/* p?gemr2d_, the same for Fortran. */
typedef void scalapack_copy(const int *rows, const int *columns, const void *a, const int *row,
                            const int *column, const int *descriptor_a, void *b, const int *row_b,
                            const int *column_b, const int *descriptor_b, const int *context);

/* p?tran_, p?tranu_: C becomes beta C + alpha A^T. */
typedef void scalapack_transposition(const int *rows, const int *columns, const void *alpha,
                                     const void *a, const int *row_a, const int *column_a,
                                     const int *descriptor_a, const void *beta, void *c,
                                     const int *row_c, const int *column_c,
                                     const int *descriptor_c);

#endif
