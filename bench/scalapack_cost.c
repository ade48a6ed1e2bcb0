/* scalapack_cost.c: copies and transpositions between grids of processes by relayout-scalapack, in
 * turns with ScaLAPACK's own.
 *
 *   mpirun -n RANKS scalapack_cost SIZE FROM_BLOCK TO_BLOCK FROM_ROWS TO_ROWS [ROUNDS [LIBRARY]]
 *
 * A matrix of SIZE by SIZE floats goes from a grid of FROM_ROWS rows to one of TO_ROWS, of all
 * ranks each; transposed it stays on the first one, from blocks to blocks. LIBRARY is another one
 * that has ScaLAPACK's names, as COSTA does, to be measured in its place. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/statistics.h"
#include "scalapack/names.h"

enum { MOST_ROUNDS = 101 };

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);

scalapack_copy psgemr2d_;
scalapack_transposition pstran_;

typedef struct matrix {
  int descriptor[9];
  float *memory;
  size_t count;
} matrix;

typedef struct scene {
  int size, context;
  matrix from, to;
} scene;

static int make_context(int rows, int ranks) {
  int context;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "R", rows, ranks / rows);
  return context;
}

static int local_size(int size, int block, int seat, int seats) {
  int found = 0;
  for (int i = 0; i < size; i++) {
    found += i / block % seats == seat;
  }
  return found;
}

static matrix make_matrix(int context, int size, int block) {
  int rows, columns, row, column;
  Cblacs_gridinfo(context, &rows, &columns, &row, &column);
  const int local_rows = local_size(size, block, row, rows);
  const int local_columns = local_size(size, block, column, columns);
  matrix made = {
      .descriptor = {1, context, size, size, block, block, 0, 0, local_rows > 0 ? local_rows : 1},
      .count = (size_t)local_rows * (size_t)local_columns};
  made.memory = malloc((made.count + 1) * sizeof *made.memory);
  for (size_t i = 0; i < made.count; i++) {
    made.memory[i] = (float)(i % 4096) + (float)row;
  }
  return made;
}

static double copy(scene *of, scalapack_copy *copies) {
  const int one = 1;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  copies(&of->size, &of->size, of->from.memory, &one, &one, of->from.descriptor, of->to.memory,
         &one, &one, of->to.descriptor, &of->context);
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime() - start;
}

static double transpose(scene *of, scalapack_transposition *transposes) {
  const int one = 1;
  const float alpha = 1, beta = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  transposes(&of->size, &of->size, &alpha, of->from.memory, &one, &one, of->from.descriptor, &beta,
             of->to.memory, &one, &one, of->to.descriptor);
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime() - start;
}

/* One move by each, in turns: the other's result is what relayout's has to be. */
static void measure(scene *of, const char *name, scalapack_copy *copies,
                    scalapack_transposition *transposes, int rounds, int rank) {
  static double times[2][MOST_ROUNDS];
  float *const other = malloc((of->to.count + 1) * sizeof *other);
  double first = 0;
  int differs = 0;
  for (int i = -2; i < rounds; i++) {
    const double theirs = copies != NULL ? copy(of, copies) : transpose(of, transposes);
    memcpy(other, of->to.memory, of->to.count * sizeof *other);
    memset(of->to.memory, 0xff, of->to.count * sizeof *other);
    const double ours = copies != NULL ? copy(of, psgemr2d_) : transpose(of, pstran_);
    differs += memcmp(other, of->to.memory, of->to.count * sizeof *other) != 0;
    first = i == -2 ? ours : first;
    times[0][i < 0 ? 0 : i] = theirs;
    times[1][i < 0 ? 0 : i] = ours;
  }
  const double theirs = statistics_median(times[0], (size_t)rounds);
  const double ours = statistics_median(times[1], (size_t)rounds);
  MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%s: relayout %.1f ms (first call %.1f), the other %.1f ms: %.1f times as fast%s\n",
           name, ours * 1e3, first * 1e3, theirs * 1e3, theirs / ours,
           differs > 0 ? "; WRONG" : "");
  }
  free(other);
}

/* ---- The other library's own, which this program's names hide ---- */

static void find_other(const char *path, const char *name, void *function, size_t size) {
  void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *const found = library != NULL ? dlsym(library, name) : NULL;
  if (found == NULL) {
    fprintf(stderr, "scalapack_cost: no %s in %s\n", name, path);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
  }
  memcpy(function, &found, size);
}

static scalapack_copy_by_value *copy_of_scalapack;

/* ScaLAPACK's function for Fortran calls the one for C by name, which is relayout's here. */
static void copy_by_scalapack(const int *rows, const int *columns, const void *a, const int *row,
                              const int *column, const int *descriptor_a, void *b, const int *row_b,
                              const int *column_b, const int *descriptor_b, const int *context) {
  copy_of_scalapack(*rows, *columns, a, *row, *column, descriptor_a, b, *row_b, *column_b,
                    descriptor_b, *context);
}

static int run(int argc, char **argv, int rank, int ranks) {
  int numbers[6] = {0, 0, 0, 0, 0, 9};
  for (int i = 1; i < argc && i <= 6; i++) {
    numbers[i - 1] = atoi(argv[i]);
  }
  const int size = numbers[0], rounds = numbers[5];
  const char *const path = argc > 7 ? argv[7] : SCALAPACK_LIBRARY;
  if (argc < 6 || argc > 8 || size < 1 || numbers[1] < 1 || numbers[2] < 1 || numbers[3] < 1 ||
      numbers[4] < 1 || ranks % numbers[3] != 0 || ranks % numbers[4] != 0 || rounds < 1 ||
      rounds > MOST_ROUNDS) {
    fprintf(
        stderr,
        "scalapack_cost: wants SIZE FROM_BLOCK TO_BLOCK FROM_ROWS TO_ROWS [ROUNDS [LIBRARY]]\n");
    return 2;
  }
  scalapack_copy *copies = copy_by_scalapack;
  scalapack_transposition *transposes;
  if (argc > 7) {
    find_other(path, "psgemr2d_", &copies, sizeof copies);
  } else {
    find_other(path, "Cpsgemr2d", &copy_of_scalapack, sizeof copy_of_scalapack);
  }
  find_other(path, "pstran_", &transposes, sizeof transposes);
  const int from = make_context(numbers[3], ranks), to = make_context(numbers[4], ranks);
  scene of = {.size = size, .context = from, .from = make_matrix(from, size, numbers[1])};
  of.to = make_matrix(to, size, numbers[2]);
  measure(&of, "copied", copies, NULL, rounds, rank);
  free(of.to.memory);
  of.to = make_matrix(from, size, numbers[2]);
  measure(&of, "transposed", NULL, transposes, rounds, rank);
  free(of.to.memory);
  free(of.from.memory);
  return 0;
}

int main(int argc, char **argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int code = run(argc, argv, rank, ranks);
  MPI_Finalize();
  return code;
}
