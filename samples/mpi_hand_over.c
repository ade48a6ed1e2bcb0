/* mpi_hand_over.c: what hand_over.c does, by MPI: four ranks hold quarters of the rows of a tensor
 * as f32, and the two ranks behind them get half of the columns each as bf16 in tiles.
 *
 *     mpirun -n 6 mpi_hand_over
 */
#include <relayout/mpi.h>
#include <relayout/relayout.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 64, COLUMNS = 512, TRAINERS = 4, SERVERS = 2 };

/* ---- What is where -------------------------------------------------------------------------- */

typedef struct tensor {
  relayout_shape from, to;
  relayout_sharding from_sharding, to_sharding;
} tensor;

static relayout_status describe(tensor *made, relayout_error *error) {
  relayout_status status = relayout_shape_parse("f32[64,512]", &made->from, error);
  if (status == RELAYOUT_OK) {
    status = relayout_shape_parse("bf16[64,512]{1,0:T(8,128)(2,1)}", &made->to, error);
  }
  if (status == RELAYOUT_OK) {
    status = relayout_sharding_parse("{devices=[4,1]<=[4]}", &made->from_sharding, error);
  }
  return status == RELAYOUT_OK
             ? relayout_sharding_parse("{devices=[1,2]<=[2]}", &made->to_sharding, error)
             : status;
}

/* ---- Moving --------------------------------------------------------------------------------- */

static relayout_status hand_over(const tensor *of, relayout_device *device, const void *rows,
                                 void *columns, relayout_error *error) {
  relayout_exchange_options exchange = RELAYOUT_EXCHANGE_OPTIONS_INIT;
  relayout_mpi_reshard_options options = RELAYOUT_MPI_RESHARD_OPTIONS_INIT;
  relayout_mpi_reshard *reshard = NULL;
  exchange.to_first_peer = TRAINERS; /* servers are the ranks behind the trainers */
  options.exchange = &exchange;
  /* Once: all ranks call it, and all of them succeed or none. */
  relayout_status status =
      relayout_mpi_reshard_create(MPI_COMM_WORLD, device, &of->from, &of->from_sharding, &of->to,
                                  &of->to_sharding, &options, &reshard, error);
  /* As often as there are new weights; between these two, a rank may do something else. */
  if (status == RELAYOUT_OK) {
    status = relayout_mpi_reshard_start(reshard, rows, columns, error);
  }
  if (status == RELAYOUT_OK) {
    status = relayout_mpi_reshard_wait(reshard, error);
  }
  relayout_mpi_reshard_destroy(reshard);
  return status;
}

/* ---- Shards --------------------------------------------------------------------------------- */

/* A number that bf16 holds. */
static float weight(int64_t row, int64_t column) {
  return (float)((row * 31 + column * 7) % 251 - 125);
}

static float *make_rows(int trainer) {
  float *const rows = malloc(ROWS / TRAINERS * COLUMNS * sizeof *rows);
  for (int64_t i = 0; i < ROWS / TRAINERS * COLUMNS && rows != NULL; i++) {
    rows[i] = weight(trainer * (ROWS / TRAINERS) + i / COLUMNS, i % COLUMNS);
  }
  return rows;
}

/* How many of a server's numbers are wrong: bf16 is the upper half of an f32. */
static int64_t count_wrong(const tensor *of, int server, const uint16_t *columns,
                           relayout_error *error) {
  relayout_shape shard;
  int64_t wrong = 0;
  if (relayout_sharding_local_shape(&of->to_sharding, &of->to, server, &shard, error) !=
      RELAYOUT_OK) {
    return ROWS * COLUMNS;
  }
  for (int64_t row = 0; row < ROWS; row++) {
    for (int64_t column = 0; column < COLUMNS / SERVERS; column++) {
      const float expected = weight(row, server * (COLUMNS / SERVERS) + column);
      const int64_t index[] = {row, column};
      int64_t place = 0;
      relayout_index_to_linear(&shard, index, &place, NULL);
      const union {
        uint32_t bits;
        float number;
      } found = {.bits = (uint32_t)columns[place] << 16};
      wrong += found.number != expected;
    }
  }
  return wrong;
}

static int run(int rank) {
  tensor of;
  relayout_error error = {.message = "no memory"};
  relayout_device *device = NULL;
  const int server = rank - TRAINERS;
  float *const rows = rank < TRAINERS ? make_rows(rank) : NULL;
  uint16_t *const columns = server >= 0 ? calloc(ROWS * COLUMNS / SERVERS, sizeof *columns) : NULL;
  relayout_status status = describe(&of, &error);
  if (status == RELAYOUT_OK) {
    status = relayout_device_open("cpu", &device, &error);
  }
  if (status == RELAYOUT_OK) {
    status = hand_over(&of, device, rows, columns, &error);
  }
  const int64_t wrong =
      status == RELAYOUT_OK && server >= 0 ? count_wrong(&of, server, columns, &error) : 0;
  if (status != RELAYOUT_OK) {
    fprintf(stderr, "rank %d: %s\n", rank, error.message);
  } else if (server >= 0) {
    printf("server %d has its columns, %d of them wrong\n", server, (int)wrong);
  }
  relayout_device_destroy(device);
  free(rows);
  free(columns);
  return status == RELAYOUT_OK && wrong == 0 ? 0 : 1;
}

int main(int argument_count, char **arguments) {
  int rank = 0, ranks = 0, code = 1;
  MPI_Init(&argument_count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks == TRAINERS + SERVERS) {
    code = run(rank);
  } else if (rank == 0) {
    fprintf(stderr, "run this by %d ranks: mpirun -n 6 %s\n", TRAINERS + SERVERS, arguments[0]);
  }
  MPI_Finalize();
  return code;
}
