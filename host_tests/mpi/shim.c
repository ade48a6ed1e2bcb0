/* shim.c: each call asks whether it is the one. */
#include "mpi/shim.h"

#include <mpi.h>
#include <time.h>

#include "conformance/random.h"

static int64_t failing, calls;
static bool has_failed;
static uint64_t disturbing;

void shim_fail(int64_t number) {
  failing = number;
  calls = 0;
  has_failed = false;
}

int64_t shim_count(void) {
  return calls;
}

bool shim_has_failed(void) {
  return has_failed;
}

void shim_disturb(uint64_t seed) {
  disturbing = seed;
}

static bool fails(void) {
  calls += 1;
  has_failed = has_failed || calls == failing;
  if (disturbing != 0 && random_below(&disturbing, 4) == 0) {
    const struct timespec while_others_go_on = {0, 1000 * random_below(&disturbing, 300)};
    nanosleep(&while_others_go_on, NULL);
  }
  return calls == failing;
}

int MPI_Start(MPI_Request *request) {
  return fails() ? MPI_ERR_OTHER : PMPI_Start(request);
}

int MPI_Isend(const void *memory, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request) {
  return fails() ? MPI_ERR_OTHER : PMPI_Isend(memory, count, type, peer, tag, comm, request);
}

int MPI_Irecv(void *memory, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request) {
  return fails() ? MPI_ERR_OTHER : PMPI_Irecv(memory, count, type, peer, tag, comm, request);
}

int MPI_Send_init(const void *memory, int count, MPI_Datatype type, int peer, int tag,
                  MPI_Comm comm, MPI_Request *request) {
  return fails() ? MPI_ERR_OTHER : PMPI_Send_init(memory, count, type, peer, tag, comm, request);
}

int MPI_Recv_init(void *memory, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  MPI_Request *request) {
  return fails() ? MPI_ERR_OTHER : PMPI_Recv_init(memory, count, type, peer, tag, comm, request);
}

/* The last that has ended is told first. */
static void reverse(int count, int *indices, MPI_Status *statuses) {
  for (int i = 0; disturbing != 0 && i < count / 2; i++) {
    const int index = indices[i];
    const MPI_Status status = statuses[i];
    indices[i] = indices[count - 1 - i];
    statuses[i] = statuses[count - 1 - i];
    indices[count - 1 - i] = index;
    statuses[count - 1 - i] = status;
  }
}

int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status) {
  return fails() ? MPI_ERR_OTHER : PMPI_Waitany(count, requests, index, status);
}

int MPI_Testsome(int count, MPI_Request *requests, int *ended, int *indices, MPI_Status *statuses) {
  if (fails()) {
    return MPI_ERR_OTHER;
  }
  const int code = PMPI_Testsome(count, requests, ended, indices, statuses);
  reverse(*ended, indices, statuses);
  return code;
}
