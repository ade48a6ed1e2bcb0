/* test_reshard.c: what ranks agree on, and what becomes of the others when one fails. Run by three
 * ranks; each asserts for itself, and a rank that fails ends the whole run. */
#include "cmocka_all.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/shim.h"
#include "relayout/mpi.h"
#include "relayout/relayout.h"
#include "shape_of.h"
#include "sharding_of.h"

enum { RANKS = 3, SIDE = 12, PART = SIDE * SIDE / RANKS };

static int rank;
static relayout_device *device;

/* A matrix of numbers from 0 on: rows on all ranks, columns on all ranks. */
typedef struct matrix {
  relayout_shape from, to;
  relayout_sharding rows, columns;
  float source[PART], destination[PART];
} matrix;

static void make_matrix(matrix *made) {
  made->from = shape_of("f32[12,12]");
  made->to = shape_of("f32[12,12]{0,1}");
  made->rows = sharding_of("{devices=[3,1]<=[3]}");
  made->columns = sharding_of("{devices=[1,3]<=[3]}");
  for (int i = 0; i < PART; ++i) {
    made->source[i] = (float)(rank * PART + i);
    made->destination[i] = -1;
  }
}

/* Column by column, each from top to bottom. */
static void expect_columns(const matrix *of) {
  for (int i = 0; i < PART; ++i) {
    const int column = rank * SIDE / RANKS + i / SIDE, row = i % SIDE;
    assert_true(of->destination[i] == (float)(row * SIDE + column));
  }
}

static relayout_status create(const matrix *of, MPI_Comm comm, size_t message_bytes, int32_t depth,
                              relayout_mpi_reshard **made, relayout_error *error) {
  relayout_exchange_options exchange = RELAYOUT_EXCHANGE_OPTIONS_INIT;
  relayout_mpi_reshard_options options = RELAYOUT_MPI_RESHARD_OPTIONS_INIT;
  exchange.message_bytes = message_bytes;
  options.exchange = &exchange;
  options.depth = depth;
  return relayout_mpi_reshard_create(comm, device, &of->from, &of->rows, &of->to, &of->columns,
                                     &options, made, error);
}

/* ---- What is agreed ------------------------------------------------------------------------- */

static void test_moves(void **state) {
  (void)state;
  matrix of;
  relayout_mpi_reshard *reshard = NULL;
  relayout_error error;
  make_matrix(&of);
  assert_int_equal(create(&of, MPI_COMM_WORLD, 0, 0, &reshard, &error), RELAYOUT_OK);
  assert_int_equal(relayout_mpi_reshard_start(reshard, of.source, of.destination, &error),
                   RELAYOUT_OK);
  assert_int_equal(relayout_mpi_reshard_start(reshard, of.source, of.destination, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "reshard runs already");
  assert_int_equal(relayout_mpi_reshard_wait(reshard, &error), RELAYOUT_OK);
  expect_columns(&of);
  assert_int_equal(relayout_mpi_reshard_wait(reshard, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "reshard does not run");
  bool is_done = false;
  assert_int_equal(relayout_mpi_reshard_test(reshard, &is_done, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_exchange_peer_count(relayout_mpi_reshard_exchange(reshard)), RANKS);
  relayout_mpi_reshard_destroy(reshard);
  relayout_mpi_reshard_destroy(NULL);
  assert_null(relayout_mpi_reshard_exchange(NULL));
  assert_int_equal(relayout_mpi_reshard_staging_bytes(NULL), 0);
}

/* Squares are packed and unpacked; a single number is sent from its place, and received there. */
static void test_staging(void **state) {
  (void)state;
  static const struct {
    size_t message_bytes;
    int32_t depth;
    size_t bytes;
  } cases[] = {
      {0, 1, 2 * 64}, {0, 2, 4 * 64}, {0, 9, 4 * 64}, {16, 1, 2 * 16}, {16, 3, 6 * 16}, {1, 2, 0},
  };
  matrix of;
  make_matrix(&of);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_mpi_reshard *reshard = NULL;
    assert_int_equal(
        create(&of, MPI_COMM_WORLD, cases[i].message_bytes, cases[i].depth, &reshard, NULL),
        RELAYOUT_OK);
    assert_int_equal(relayout_mpi_reshard_staging_bytes(reshard), cases[i].bytes);
    relayout_mpi_reshard_destroy(reshard);
  }
}

/* One rank is given something else; all return the same. */
static void test_agreement(void **state) {
  (void)state;
  matrix of;
  relayout_mpi_reshard *reshard = NULL;
  relayout_error error;
  make_matrix(&of);
  if (rank == 1) {
    of.to = shape_of("f32[12,13]");
  }
  assert_int_equal(create(&of, MPI_COMM_WORLD, 0, 0, &reshard, &error), RELAYOUT_SHAPE_MISMATCH);
  assert_string_equal(error.message, rank == 1 ? "`from` and `to` differ in dimensions"
                                               : "rank 1 failed: shapes do not match");
  make_matrix(&of);
  if (rank == 2) {
    of.to = shape_of("f32[12,12]");
  }
  assert_int_equal(create(&of, MPI_COMM_WORLD, 0, 0, &reshard, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "the ranks were given different arguments: shapes, shardings or options");
  assert_int_equal(create(&of, MPI_COMM_WORLD, 0, rank == 0 ? 65 : 0, &reshard, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, rank == 0 ? "options->depth is 65; expected 0 to 64"
                                               : "rank 0 failed: invalid argument");
  make_matrix(&of);
  assert_int_equal(
      create(&of, MPI_COMM_WORLD, rank == 0 ? (size_t)1 << 31 : 0, 0, &reshard, &error),
      RELAYOUT_INVALID_ARGUMENT);
  of.rows = sharding_of("{devices=[4,1]<=[4]}");
  assert_int_equal(create(&of, MPI_COMM_WORLD, 0, 0, &reshard, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "peer 3 takes part, but the communicator has 3 ranks");
  assert_null(reshard);
}

static void test_arguments(void **state) {
  (void)state;
  matrix of;
  relayout_mpi_reshard *reshard = NULL;
  relayout_error error;
  relayout_mpi_reshard_options options = RELAYOUT_MPI_RESHARD_OPTIONS_INIT;
  make_matrix(&of);
  assert_int_equal(create(&of, MPI_COMM_NULL, 0, 0, &reshard, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "comm is MPI_COMM_NULL");
  assert_int_equal(create(&of, MPI_COMM_WORLD, 0, 0, NULL, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "reshard is NULL");
  options.struct_size = 1;
  assert_int_equal(relayout_mpi_reshard_create(MPI_COMM_WORLD, device, &of.from, &of.rows, &of.to,
                                               &of.columns, &options, &reshard, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "options->struct_size is 1; expected "));
  options =
      (relayout_mpi_reshard_options){.struct_size = offsetof(relayout_mpi_reshard_options, depth),
                                     .depth = 99}; /* of an older header, without a depth */
  assert_int_equal(relayout_mpi_reshard_create(MPI_COMM_WORLD, device, &of.from, &of.rows, &of.to,
                                               &of.columns, &options, &reshard, &error),
                   RELAYOUT_OK);
  relayout_mpi_reshard_destroy(reshard);
  reshard = NULL;
  assert_int_equal(relayout_mpi_reshard_create(MPI_COMM_WORLD, rank == 1 ? NULL : device, &of.from,
                                               &of.rows, &of.to, &of.columns, NULL, &reshard,
                                               &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, rank == 1 ? "device is NULL on rank 1, which takes part"
                                               : "rank 1 failed: invalid argument");
  assert_int_equal(relayout_mpi_reshard_start(NULL, NULL, NULL, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "reshard is NULL");
  assert_int_equal(relayout_mpi_reshard_wait(NULL, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "reshard is NULL");
}

/* A rank that has nothing needs no device, and nothing to move from or to. */
static void test_idle_rank(void **state) {
  (void)state;
  matrix of;
  relayout_mpi_reshard *reshard = NULL;
  relayout_error error;
  make_matrix(&of);
  of.rows = sharding_of("{maximal device=0}");
  of.columns = sharding_of("{maximal device=1}");
  float *const whole = calloc(SIDE * SIDE, sizeof *whole);
  for (int i = 0; i < SIDE * SIDE && rank == 0; ++i) {
    whole[i] = (float)i;
  }
  relayout_status status =
      relayout_mpi_reshard_create(MPI_COMM_WORLD, rank == 2 ? NULL : device, &of.from, &of.rows,
                                  &of.to, &of.columns, NULL, &reshard, &error);
  assert_int_equal(status, RELAYOUT_OK);
  assert_int_equal(relayout_mpi_reshard_start(reshard, rank == 0 ? whole : NULL,
                                              rank == 1 ? whole : NULL, &error),
                   RELAYOUT_OK);
  assert_int_equal(relayout_mpi_reshard_wait(reshard, &error), RELAYOUT_OK);
  for (int i = 0; i < SIDE * SIDE && rank == 1; ++i) {
    assert_true(whole[i] == (float)(i % SIDE * SIDE + i / SIDE));
  }
  relayout_mpi_reshard_destroy(reshard);
  free(whole);
}

/* ---- Beside other traffic ------------------------------------------------------------------- */

/* Messages of the caller's with the same tags, sent before and received after. */
static void test_foreign_messages(void **state) {
  (void)state;
  matrix of;
  relayout_mpi_reshard *reshard = NULL;
  MPI_Request requests[2 * RANKS];
  MPI_Status statuses[2 * RANKS];
  int sent[RANKS], received[RANKS];
  make_matrix(&of);
  assert_int_equal(create(&of, MPI_COMM_WORLD, 16, 0, &reshard, NULL), RELAYOUT_OK);
  for (int i = 0; i < RANKS; ++i) {
    sent[i] = 100 * rank + i;
    MPI_Isend(&sent[i], 1, MPI_INT, i, 0, MPI_COMM_WORLD, &requests[i]);
  }
  assert_int_equal(relayout_mpi_reshard_start(reshard, of.source, of.destination, NULL),
                   RELAYOUT_OK);
  assert_int_equal(relayout_mpi_reshard_wait(reshard, NULL), RELAYOUT_OK);
  for (int i = 0; i < RANKS; ++i) {
    MPI_Irecv(&received[i], 1, MPI_INT, i, 0, MPI_COMM_WORLD, &requests[RANKS + i]);
  }
  MPI_Waitall(2 * RANKS, requests, statuses);
  for (int i = 0; i < RANKS; ++i) {
    assert_int_equal(received[i], 100 * i + rank);
  }
  expect_columns(&of);
  relayout_mpi_reshard_destroy(reshard);
}

/* Two reshards at once, each by its own tests; and one on a part of the ranks. */
static void test_several(void **state) {
  (void)state;
  matrix of[2];
  relayout_mpi_reshard *reshards[2] = {NULL, NULL};
  bool are_done[2] = {false, false};
  for (int i = 0; i < 2; ++i) {
    make_matrix(&of[i]);
    assert_int_equal(create(&of[i], MPI_COMM_WORLD, 16, 1, &reshards[i], NULL), RELAYOUT_OK);
    assert_int_equal(relayout_mpi_reshard_start(reshards[i], of[i].source, of[i].destination, NULL),
                     RELAYOUT_OK);
  }
  while (!are_done[0] || !are_done[1]) {
    for (int i = 0; i < 2; ++i) {
      assert_true(are_done[i] ||
                  relayout_mpi_reshard_test(reshards[i], &are_done[i], NULL) == RELAYOUT_OK);
    }
  }
  for (int i = 0; i < 2; ++i) {
    expect_columns(&of[i]);
    relayout_mpi_reshard_destroy(reshards[i]);
  }
}

static void test_part_of_the_ranks(void **state) {
  (void)state;
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, -rank, &part); /* ranks 2 and 1, as 0 and 1 */
  if (rank > 0) {
    const relayout_shape shape = shape_of("s32[4]");
    const relayout_sharding halves = sharding_of("{devices=[2]<=[2]}");
    const relayout_sharding one = sharding_of("{maximal device=1}");
    const int32_t own[2] = {10 * rank, 10 * rank + 1};
    int32_t all[4] = {0, 0, 0, 0};
    relayout_mpi_reshard *reshard = NULL;
    assert_int_equal(relayout_mpi_reshard_create(part, device, &shape, &halves, &shape, &one, NULL,
                                                 &reshard, NULL),
                     RELAYOUT_OK);
    assert_int_equal(relayout_mpi_reshard_start(reshard, own, rank == 1 ? all : NULL, NULL),
                     RELAYOUT_OK);
    assert_int_equal(relayout_mpi_reshard_wait(reshard, NULL), RELAYOUT_OK);
    if (rank == 1) {
      assert_true(all[0] == 20 && all[1] == 21 && all[2] == 10 && all[3] == 11);
    }
    relayout_mpi_reshard_destroy(reshard);
  }
  MPI_Comm_free(&part);
}

/* ---- Failures ------------------------------------------------------------------------------- */

/* A rank without a source: the others get empty messages, and return. */
static void test_rank_without_source(void **state) {
  (void)state;
  matrix of;
  relayout_mpi_reshard *reshard = NULL;
  relayout_error error;
  make_matrix(&of);
  assert_int_equal(create(&of, MPI_COMM_WORLD, 16, 0, &reshard, &error), RELAYOUT_OK);
  assert_int_equal(
      relayout_mpi_reshard_start(reshard, rank == 1 ? NULL : of.source, of.destination, &error),
      RELAYOUT_OK);
  const relayout_status status = relayout_mpi_reshard_wait(reshard, &error);
  assert_int_equal(status, rank == 1 ? RELAYOUT_INVALID_ARGUMENT : RELAYOUT_TRANSPORT_ERROR);
  assert_int_equal(error.status, status);
  if (rank != 1) {
    assert_string_equal(error.message,
                        "a message from rank 1 has 0 bytes in place of 16: that rank has failed");
  }
  assert_int_equal(relayout_mpi_reshard_start(reshard, of.source, of.destination, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "reshard has failed before");
  relayout_mpi_reshard_destroy(reshard);
}

/* Makes call `number` of MPI on rank 1 fail. A rank whose status is RELAYOUT_OK must have its whole
 * shard. */
static void run_with_failure(int64_t number, bool *has_failed) {
  matrix of;
  relayout_mpi_reshard *reshard = NULL;
  relayout_error error;
  make_matrix(&of);
  shim_disturb(number % 3 == 0 ? (uint64_t)number : 0);
  shim_fail(rank == 1 ? number : 0);
  relayout_status status = create(&of, MPI_COMM_WORLD, 16, 2, &reshard, &error);
  if (status == RELAYOUT_OK) {
    assert_int_equal(relayout_mpi_reshard_start(reshard, of.source, of.destination, &error),
                     RELAYOUT_OK);
    status = relayout_mpi_reshard_wait(reshard, &error);
  }
  assert_true(status == RELAYOUT_OK || status == RELAYOUT_TRANSPORT_ERROR);
  if (status == RELAYOUT_OK) {
    expect_columns(&of);
  }
  *has_failed = shim_has_failed();
  assert_true(rank != 1 || *has_failed == (status != RELAYOUT_OK));
  relayout_mpi_reshard_destroy(reshard);
  shim_fail(0);
  shim_disturb(0);
}

static void test_any_call_fails(void **state) {
  (void)state;
  int goes_on = 1;
  int64_t number = 0;
  while (goes_on) {
    bool has_failed = false;
    run_with_failure(++number, &has_failed);
    goes_on = has_failed;
    MPI_Bcast(&goes_on, 1, MPI_INT, 1, MPI_COMM_WORLD);
  }
  print_message("%d calls\n", (int)number);
  assert_true(number > 24); /* eight messages each way; those that are sent are made before */
}

static void test_disturbed(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    matrix of;
    relayout_mpi_reshard *reshard = NULL;
    make_matrix(&of);
    assert_int_equal(create(&of, MPI_COMM_WORLD, 4, (int32_t)(1 + seed % 6), &reshard, NULL),
                     RELAYOUT_OK);
    shim_disturb(seed * 3 + (uint64_t)rank);
    assert_int_equal(relayout_mpi_reshard_start(reshard, of.source, of.destination, NULL),
                     RELAYOUT_OK);
    assert_int_equal(relayout_mpi_reshard_wait(reshard, NULL), RELAYOUT_OK);
    shim_disturb(0);
    expect_columns(&of);
    relayout_mpi_reshard_destroy(reshard);
  }
}

/* A rank that is gone: MPI's launcher ends the others, which wait for it. */
static void wait_for_lost_rank(void) {
  matrix of;
  relayout_mpi_reshard *reshard = NULL;
  make_matrix(&of);
  if (create(&of, MPI_COMM_WORLD, 0, 0, &reshard, NULL) == RELAYOUT_OK && rank == 1) {
    _exit(1);
  }
  relayout_mpi_reshard_start(reshard, of.source, of.destination, NULL);
  relayout_mpi_reshard_wait(reshard, NULL);
}

int main(int argument_count, char **arguments) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_moves),          cmocka_unit_test(test_staging),
      cmocka_unit_test(test_agreement),      cmocka_unit_test(test_arguments),
      cmocka_unit_test(test_idle_rank),      cmocka_unit_test(test_foreign_messages),
      cmocka_unit_test(test_several),        cmocka_unit_test(test_part_of_the_ranks),
      cmocka_unit_test(test_disturbed),      cmocka_unit_test(test_rank_without_source),
      cmocka_unit_test(test_any_call_fails),
  };
  int ranks = 0;
  MPI_Init(&argument_count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != RANKS || relayout_device_open("cpu", &device, NULL) != RELAYOUT_OK) {
    fprintf(stderr, "run this by %d ranks\n", RANKS);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (argument_count > 1 && strcmp(arguments[1], "lost") == 0) {
    wait_for_lost_rank();
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (failed > 0) { /* the others may wait for this rank */
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  relayout_device_destroy(device);
  MPI_Finalize();
  return 0;
}
