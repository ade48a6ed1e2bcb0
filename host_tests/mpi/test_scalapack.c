/* test_scalapack.c: ScaLAPACK's names, on random grids of all ranks. What matrices hold at the end
 * follows from the definition of block-cyclic matrices; ScaLAPACK gives the grids alone, and what
 * is handed on to it. */
#include "cmocka_all.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/random.h"
#include "scalapack/names.h"

enum { ROUNDS = 120, MOST_RANKS = 16, MOST_SIZE = 40, POISON = 0xa5 };

/* ---- What the library stands in for --------------------------------------------------------- */

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridmap(int *context, int *map, int leading, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);

scalapack_copy_by_value Cpsgemr2d, Cpdgemr2d, Cpcgemr2d, Cpzgemr2d, Cpigemr2d;
scalapack_copy psgemr2d_, pdgemr2d_, pcgemr2d_, pzgemr2d_, pigemr2d_;
scalapack_transposition pstran_, pdtran_, pctranu_, pztranu_;

static const struct {
  size_t bytes;
  scalapack_copy_by_value *by_value;
  scalapack_copy *by_address;
  scalapack_transposition *transposes;
} types[] = {{4, Cpsgemr2d, psgemr2d_, pstran_},
             {8, Cpdgemr2d, pdgemr2d_, pdtran_},
             {8, Cpcgemr2d, pcgemr2d_, pctranu_},
             {16, Cpzgemr2d, pzgemr2d_, pztranu_},
             {4, Cpigemr2d, pigemr2d_, NULL}};

/* Only reshards have persistent messages: those of ScaLAPACK have none. */
static int messages;

int MPI_Send_init(const void *buffer, int count, MPI_Datatype type, int rank, int tag,
                  MPI_Comm comm, MPI_Request *request) {
  ++messages;
  return PMPI_Send_init(buffer, count, type, rank, tag, comm, request);
}

/* ---- Matrices ------------------------------------------------------------------------------- */

typedef struct matrix {
  int context;
  int grid[2], seat[2]; /* -1: not in the grid */
  int sizes[2], blocks[2], first[2], leading;
  int descriptor[11];
  size_t bytes; /* of an element */
  uint8_t *memory;
  size_t memory_bytes;
} matrix;

/* All ranks draw the same. */
static int draw(uint64_t *random, int least, int most) {
  return least + (int)random_below(random, most - least + 1);
}

static int make_context(uint64_t *random, int ranks, int rows, int columns) {
  int map[MOST_RANKS], context;
  for (int i = 0; i < ranks; ++i) {
    const int other = draw(random, 0, i);
    map[i] = map[other];
    map[other] = i;
  }
  Cblacs_get(-1, 0, &context);
  Cblacs_gridmap(&context, map, rows, rows, columns);
  return context;
}

static int local_size(const matrix *of, int d) {
  int size = 0;
  for (int i = 0; i < of->sizes[d]; ++i) {
    size += (i / of->blocks[d] + of->first[d]) % of->grid[d] == of->seat[d];
  }
  return size;
}

/* Of the descriptor's other form where `has_first_blocks`. */
static void describe(matrix *of, bool has_first_blocks) {
  int at = 0;
  of->descriptor[at++] = has_first_blocks ? 2 : 1;
  of->descriptor[at++] = of->seat[0] >= 0 ? of->context : -1;
  of->descriptor[at++] = of->sizes[0];
  of->descriptor[at++] = of->sizes[1];
  for (int i = 0; i < (has_first_blocks ? 2 : 1); ++i) {
    of->descriptor[at++] = of->blocks[0];
    of->descriptor[at++] = of->blocks[1];
  }
  of->descriptor[at++] = of->first[0];
  of->descriptor[at++] = of->first[1];
  of->descriptor[at++] = of->leading;
  if (of->seat[0] < 0) { /* nothing else is read */
    memset(of->descriptor + 2, 0x77, sizeof of->descriptor - 2 * sizeof of->descriptor[0]);
  }
}

static void make_matrix(uint64_t *random, int context, const int *grid, size_t bytes,
                        bool has_first_blocks, matrix *made) {
  *made = (matrix){.context = context, .bytes = bytes};
  for (int d = 0; d < 2; ++d) {
    made->grid[d] = grid[d];
    made->sizes[d] = draw(random, 1, MOST_SIZE);
    made->blocks[d] = draw(random, 1, 9);
    made->first[d] = draw(random, 0, grid[d] - 1);
  }
  int found[2];
  Cblacs_gridinfo(context, &found[0], &found[1], &made->seat[0], &made->seat[1]);
  const int gap = draw(random, 0, 3);
  const bool is_in = made->seat[0] >= 0;
  const int rows = is_in ? local_size(made, 0) : 0, columns = is_in ? local_size(made, 1) : 0;
  made->leading = (rows > 0 ? rows : 1) + gap;
  made->memory_bytes = (size_t)made->leading * (size_t)(columns + 1) * bytes;
  made->memory = malloc(made->memory_bytes);
  memset(made->memory, POISON, made->memory_bytes);
  describe(made, has_first_blocks);
}

/* Where an element of the matrix lies; NULL: with another rank. */
static uint8_t *find_element(const matrix *of, uint8_t *memory, int i, int j) {
  const int index[] = {i, j};
  size_t local[2];
  for (int d = 0; d < 2; ++d) {
    const int block = index[d] / of->blocks[d];
    if (of->seat[d] < 0 || (block + of->first[d]) % of->grid[d] != of->seat[d]) {
      return NULL;
    }
    local[d] = (size_t)(block / of->grid[d] * of->blocks[d] + index[d] % of->blocks[d]);
  }
  return memory + (local[1] * (size_t)of->leading + local[0]) * of->bytes;
}

/* Element (i, j) of the source: a number whose words say where it is from, and in which round. */
static void make_element(int round, int i, int j, size_t bytes, uint8_t *element) {
  const float narrow[] = {(float)(i * 64 + j), (float)round};
  const double wide[] = {(double)(i * 64 + j), (double)round};
  memcpy(element,
         bytes == 4   ? (const void *)narrow
         : bytes == 8 ? (const void *)wide
                      : wide,
         bytes);
}

static void fill(const matrix *of, int round) {
  for (int i = 0; i < of->sizes[0]; ++i) {
    for (int j = 0; j < of->sizes[1]; ++j) {
      uint8_t *const at = find_element(of, of->memory, i, j);
      if (at != NULL) {
        make_element(round, i, j, of->bytes, at);
      }
    }
  }
}

/* A part of `to` holds a part of the source's matrix, and the rest is as it was. */
static void expect(const matrix *to, int round, const int *part, const int *from_start,
                   const int *to_start, bool transposed) {
  uint8_t *const wanted = malloc(to->memory_bytes);
  memset(wanted, POISON, to->memory_bytes);
  for (int i = 0; i < part[0]; ++i) {
    for (int j = 0; j < part[1]; ++j) {
      uint8_t *const at = find_element(to, wanted, to_start[0] + i, to_start[1] + j);
      if (at != NULL) {
        make_element(round, from_start[0] + (transposed ? j : i),
                     from_start[1] + (transposed ? i : j), to->bytes, at);
      }
    }
  }
  assert_memory_equal(to->memory, wanted, to->memory_bytes);
  free(wanted);
}

static int least(int a, int b) {
  return a < b ? a : b;
}

static void draw_part(uint64_t *random, const matrix *from, const matrix *to, bool transposed,
                      int *part, int *from_start, int *to_start) {
  for (int d = 0; d < 2; ++d) {
    const int other = transposed ? 1 - d : d;
    part[d] = draw(random, 1, least(to->sizes[d], from->sizes[other]));
    to_start[d] = draw(random, 0, to->sizes[d] - part[d]);
    from_start[other] = draw(random, 0, from->sizes[other] - part[d]);
  }
}

/* ---- Copies --------------------------------------------------------------------------------- */

static int rank, ranks;

static void draw_grid(uint64_t *random, int *grid) {
  grid[0] = draw(random, 1, least(ranks, 4));
  grid[1] = draw(random, 1, ranks / grid[0]);
}

static void try_copy(uint64_t *random, int round, bool by_address) {
  const int type = draw(random, 0, 4), all[] = {1, ranks};
  int grids[2][2], contexts[2], part[2], from_start[2], to_start[2];
  matrix from, to;
  for (int side = 0; side < 2; ++side) {
    draw_grid(random, grids[side]);
    contexts[side] = make_context(random, ranks, grids[side][0], grids[side][1]);
  }
  const int context = make_context(random, ranks, all[0], all[1]);
  make_matrix(random, contexts[0], grids[0], types[type].bytes, false, &from);
  make_matrix(random, contexts[1], grids[1], types[type].bytes, false, &to);
  draw_part(random, &from, &to, false, part, from_start, to_start);
  for (int again = 0; again < 2; ++again) { /* the second one with what the first has made */
    const int rows[] = {from_start[0] + 1, to_start[0] + 1};
    const int columns[] = {from_start[1] + 1, to_start[1] + 1};
    fill(&from, round + again);
    memset(to.memory, POISON, to.memory_bytes);
    if (by_address) {
      types[type].by_address(&part[0], &part[1], from.memory, &rows[0], &columns[0],
                             from.descriptor, to.memory, &rows[1], &columns[1], to.descriptor,
                             &context);
    } else {
      types[type].by_value(part[0], part[1], from.memory, rows[0], columns[0], from.descriptor,
                           to.memory, rows[1], columns[1], to.descriptor, context);
    }
    expect(&to, round + again, part, from_start, to_start, false);
  }
  for (int side = 0; side < 2; ++side) {
    if ((side == 0 ? &from : &to)->seat[0] >= 0) {
      Cblacs_gridexit(contexts[side]);
    }
  }
  Cblacs_gridexit(context);
  free(from.memory);
  free(to.memory);
}

static void test_copies(void **state) {
  (void)state;
  uint64_t random = 1;
  messages = 0;
  for (int round = 0; round < ROUNDS / ranks; ++round) {
    try_copy(&random, round, round % 2 == 1);
  }
  assert_true(ranks == 1 || messages > 0);
}

/* ---- Transpositions ------------------------------------------------------------------------- */

static void try_transposition(uint64_t *random, int round, bool has_first_blocks) {
  const int type = draw(random, 0, 3);
  const double wide[2][2] = {{1, 0}, {0, 0}};
  const float narrow[2][2] = {{1, 0}, {0, 0}};
  const bool is_wide = type == 1 || type == 3;
  int grid[2], part[2], from_start[2], to_start[2];
  matrix from, to;
  draw_grid(random, grid);
  const int context = make_context(random, ranks, grid[0], grid[1]);
  make_matrix(random, context, grid, types[type].bytes, has_first_blocks, &from);
  make_matrix(random, context, grid, types[type].bytes, has_first_blocks, &to);
  draw_part(random, &from, &to, true, part, from_start, to_start);
  if (from.seat[0] >= 0) {
    const int rows[] = {from_start[0] + 1, to_start[0] + 1};
    const int columns[] = {from_start[1] + 1, to_start[1] + 1};
    fill(&from, round);
    types[type].transposes(&part[0], &part[1], is_wide ? (const void *)wide[0] : narrow[0],
                           from.memory, &rows[0], &columns[0], from.descriptor,
                           is_wide ? (const void *)wide[1] : narrow[1], to.memory, &rows[1],
                           &columns[1], to.descriptor);
    expect(&to, round, part, from_start, to_start, true);
    Cblacs_gridexit(context);
  }
  free(from.memory);
  free(to.memory);
}

static void test_transpositions(void **state) {
  (void)state;
  uint64_t random = 2;
  messages = 0;
  for (int round = 0; round < ROUNDS / ranks; ++round) {
    try_transposition(&random, round, round % 2 == 1);
  }
  assert_true(rank > 0 || ranks == 1 || messages > 0);
}

/* ---- Handed on ------------------------------------------------------------------------------ */

/* What is scaled or added to is ScaLAPACK's, and so are few bytes. */
static void test_handed_on(void **state) {
  (void)state;
  enum { SIZE = 12 };
  const int grid[] = {1, ranks}, one = 1, size = SIZE;
  const double alpha = 2, beta = 3;
  uint64_t random = 3;
  const int context = make_context(&random, ranks, grid[0], grid[1]);
  matrix from, to;
  make_matrix(&random, context, grid, sizeof(double), false, &from);
  make_matrix(&random, context, grid, sizeof(double), false, &to);
  matrix *const both[] = {&from, &to};
  for (int side = 0; side < 2; ++side) {
    free(both[side]->memory);
    both[side]->sizes[0] = both[side]->sizes[1] = SIZE;
    both[side]->leading = SIZE;
    both[side]->memory_bytes = (size_t)SIZE * SIZE * sizeof(double);
    both[side]->memory = calloc(1, both[side]->memory_bytes);
    describe(both[side], false);
    fill(both[side], 0);
  }
  messages = 0;
  pdtran_(&size, &size, &alpha, from.memory, &one, &one, from.descriptor, &beta, to.memory, &one,
          &one, to.descriptor);
  for (int i = 0; i < SIZE; ++i) {
    for (int j = 0; j < SIZE; ++j) {
      const uint8_t *const at = find_element(&to, to.memory, i, j);
      double found = 0;
      if (at != NULL) {
        memcpy(&found, at, sizeof found);
        assert_true(found == 2.0 * (j * 64 + i) + 3.0 * (i * 64 + j));
      }
    }
  }
  assert_int_equal(messages, 0);
  Cblacs_gridexit(context);
  free(from.memory);
  free(to.memory);
}

int main(int argc, char **argv) {
  setenv("RELAYOUT_SCALAPACK_LEAST_BYTES", "0", 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_copies),
      cmocka_unit_test(test_transpositions),
      cmocka_unit_test(test_handed_on),
  };
  const int failed = ranks <= MOST_RANKS ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
  MPI_Finalize();
  return failed;
}
