/* scalapack.c: ScaLAPACK's names for copies and transpositions, for programs that are linked with
 * this library before ScaLAPACK. What a reshard cannot do goes on to ScaLAPACK. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scalapack/blacs.h"
#include "scalapack/names.h"
#include "scalapack/remap.h"

/* The function of this name behind this library. */
static void find_next(const char *name, void *function, size_t size) {
  void *const found = dlsym(RTLD_NEXT, name);
  if (found == NULL) {
    fprintf(stderr,
            "relayout-scalapack: %s is in no library behind this one: link ScaLAPACK, too\n", name);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
  }
  memcpy(function, &found, size);
}

#pragma GCC visibility push(default)

/* ---- Copies --------------------------------------------------------------------------------- */

#define COPY(letter, type)                                                                         \
  scalapack_copy_by_value Cp##letter##gemr2d;                                                      \
  scalapack_copy p##letter##gemr2d_;                                                               \
  void Cp##letter##gemr2d(int rows, int columns, const void *a, int row, int column,               \
                          const int *descriptor_a, void *b, int row_b, int column_b,               \
                          const int *descriptor_b, int context) {                                  \
    const remap_side from = {descriptor_a, row, column}, to = {descriptor_b, row_b, column_b};     \
    if (!remap(type, false, rows, columns, from, a, to, b, context)) {                             \
      scalapack_copy_by_value *next;                                                               \
      find_next("Cp" #letter "gemr2d", &next, sizeof next);                                        \
      next(rows, columns, a, row, column, descriptor_a, b, row_b, column_b, descriptor_b,          \
           context);                                                                               \
    }                                                                                              \
  }                                                                                                \
  void p##letter##gemr2d_(const int *rows, const int *columns, const void *a, const int *row,      \
                          const int *column, const int *descriptor_a, void *b, const int *row_b,   \
                          const int *column_b, const int *descriptor_b, const int *context) {      \
    Cp##letter##gemr2d(*rows, *columns, a, *row, *column, descriptor_a, b, *row_b, *column_b,      \
                       descriptor_b, *context);                                                    \
  }

COPY(s, RELAYOUT_F32)
COPY(d, RELAYOUT_F64)
COPY(c, RELAYOUT_C64)
COPY(z, RELAYOUT_C128)
COPY(i, RELAYOUT_S32)

/* ---- Transpositions ------------------------------------------------------------------------- */

/* Whether C becomes A^T: alpha is 1 and beta is 0, of `words` numbers of 4 or 8 bytes each. */
static bool is_plain(const void *alpha, const void *beta, int words, size_t bytes) {
  double found[2][2] = {{0, 0}, {0, 0}};
  const void *const given[] = {alpha, beta};
  for (int i = 0; i < 2; i++) {
    for (int w = 0; w < words; w++) {
      const char *const at = (const char *)given[i] + (size_t)w * bytes;
      float narrow = 0;
      if (bytes == sizeof narrow) {
        memcpy(&narrow, at, sizeof narrow);
        found[i][w] = (double)narrow;
      } else {
        memcpy(&found[i][w], at, sizeof found[i][w]);
      }
    }
  }
  return found[0][0] == 1 && found[0][1] == 0 && found[1][0] == 0 && found[1][1] == 0;
}

#define TRANSPOSITION(name, type, words, bytes)                                                    \
  scalapack_transposition name##_;                                                                 \
  void name##_(const int *rows, const int *columns, const void *alpha, const void *a,              \
               const int *row_a, const int *column_a, const int *descriptor_a, const void *beta,   \
               void *c, const int *row_c, const int *column_c, const int *descriptor_c) {          \
    const remap_side from = {descriptor_a, *row_a, *column_a};                                     \
    const remap_side to = {descriptor_c, *row_c, *column_c};                                       \
    const int context = descriptor_c[DESCRIPTOR_CONTEXT];                                          \
    if (!is_plain(alpha, beta, words, bytes) || descriptor_a[DESCRIPTOR_CONTEXT] != context ||     \
        !remap(type, true, *rows, *columns, from, a, to, c, context)) {                            \
      scalapack_transposition *next;                                                               \
      find_next(#name "_", &next, sizeof next);                                                    \
      next(rows, columns, alpha, a, row_a, column_a, descriptor_a, beta, c, row_c, column_c,       \
           descriptor_c);                                                                          \
    }                                                                                              \
  }

TRANSPOSITION(pstran, RELAYOUT_F32, 1, sizeof(float))
TRANSPOSITION(pdtran, RELAYOUT_F64, 1, sizeof(double))
TRANSPOSITION(pctranu, RELAYOUT_C64, 2, sizeof(float))
TRANSPOSITION(pztranu, RELAYOUT_C128, 2, sizeof(double))

#pragma GCC visibility pop
