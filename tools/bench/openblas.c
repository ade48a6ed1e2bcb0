/* OpenBLAS's omatcopy, which one thread does. It is looked for when the command runs, and needed
 * neither to build it nor to run it. */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_mover.h"

/* Constants of the C interface to the BLAS. */
enum { ROW_MAJOR = 101, TRANSPOSE = 112 };

/* cblas_{s,d,z}omatcopy. */
#define OMATCOPY(name, number, factor)                                                             \
  void (*name)(int order, int transpose, int rows, int columns, factor alpha,                      \
               const number *source, int source_pitch, number *destination, int destination_pitch)

typedef struct openblas {
  void *library;
  OMATCOPY(single_real, float, float);
  OMATCOPY(double_real, double, double);
  OMATCOPY(double_complex, double, const double *); /* pairs of numbers */
  bench_transposition prepared;
} openblas;

/* ISO C has no conversion from a pointer to an object to one to a function. */
static bool find(const openblas *in, const char *name, void *function) {
  void *const symbol = dlsym(in->library, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

static void close_library(void *mover) {
  openblas *const own = mover;
  if (own->library != NULL) {
    dlclose(own->library);
  }
  free(own);
}

static void *open_library(int threads) {
  (void)threads;
  openblas *const made = calloc(1, sizeof *made);
  if (made == NULL) {
    return NULL;
  }
  made->library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (made->library == NULL || !find(made, "cblas_somatcopy", &made->single_real) ||
      !find(made, "cblas_domatcopy", &made->double_real) ||
      !find(made, "cblas_zomatcopy", &made->double_complex)) {
    close_library(made);
    return NULL;
  }
  return made;
}

static bool prepare(void *mover, const bench_strided *moved) {
  bench_transposition *const made = &((openblas *)mover)->prepared;
  return bench_transposition_of(moved, made) && made->rows <= INT_MAX && made->columns <= INT_MAX &&
         made->source_pitch <= INT_MAX && made->destination_pitch <= INT_MAX;
}

static bool run(void *mover, void *to, const void *from) {
  const openblas *const own = mover;
  const int rows = (int)own->prepared.rows;
  const int columns = (int)own->prepared.columns;
  const int source_pitch = (int)own->prepared.source_pitch;
  const int destination_pitch = (int)own->prepared.destination_pitch;
  static const double one[2] = {1, 0};
  switch (own->prepared.element_bytes) {
  case sizeof(float):
    own->single_real(ROW_MAJOR, TRANSPOSE, rows, columns, 1, from, source_pitch, to,
                     destination_pitch);
    return true;
  case sizeof(double):
    own->double_real(ROW_MAJOR, TRANSPOSE, rows, columns, 1, from, source_pitch, to,
                     destination_pitch);
    return true;
  case sizeof one:
    own->double_complex(ROW_MAJOR, TRANSPOSE, rows, columns, one, from, source_pitch, to,
                        destination_pitch);
    return true;
  default:
    return false;
  }
}

const cpu_mover openblas_mover = {
    .open = open_library, .close = close_library, .prepare = prepare, .run = run};
