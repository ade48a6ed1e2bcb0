/* mpi.h: moving a tensor from one sharding to another between the processes of a communicator.
 *
 * A library of its own, relayout-mpi, since each MPI has its own binary interface: CMake's
 * find_package(relayout COMPONENTS mpi), pkg-config relayout-mpi. It needs no more than MPI 3.0,
 * nor threads. Peers of an exchange (exchange.h) are the ranks of the communicator.
 *
 * A reshard is made once, by all ranks together, and then run any number of times. It packs one
 * message while others are on their way, and keeps to the memory that it took when it was made.
 * Shards are in host memory. */
#ifndef RELAYOUT_MPI_H
#define RELAYOUT_MPI_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/exchange.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opaque; for one thread at a time. */
typedef struct relayout_mpi_reshard relayout_mpi_reshard;

/* Start from RELAYOUT_MPI_RESHARD_OPTIONS_INIT. Nothing in it is kept. */
typedef struct relayout_mpi_reshard_options {
  size_t struct_size;
  /* NULL: RELAYOUT_EXCHANGE_OPTIONS_INIT. Its message_bytes may be 1 GiB at most; 0: 1 MiB. */
  const relayout_exchange_options *exchange;
  /* How many messages a rank has under way in each direction: 1 to 64; 0: 2. Each needs memory for
   * a message, but for those that lie in a shard as they are. */
  int32_t depth;
} relayout_mpi_reshard_options;

#define RELAYOUT_MPI_RESHARD_OPTIONS_INIT                                                          \
  { .struct_size = sizeof(relayout_mpi_reshard_options) }

/* Makes a reshard; all ranks of the communicator call it, also those that take no part. The device
 * packs and unpacks, and may be NULL on ranks that take no part. All that can fail does so here,
 * and on all ranks alike: each returns the same status, that of relayout_exchange_create on a rank
 * that failed, RELAYOUT_INVALID_ARGUMENT for ranks that were given different arguments, for peers
 * that the communicator has not and for options that are none, RELAYOUT_OUT_OF_MEMORY, or
 * RELAYOUT_TRANSPORT_ERROR for what MPI reports. Its messages travel on a communicator of their
 * own, which returns errors whatever the handler of `comm` does. Only for MPI_COMM_NULL and
 * intercommunicators RELAYOUT_INVALID_ARGUMENT comes back at once. */
RELAYOUT_API relayout_status relayout_mpi_reshard_create(
    MPI_Comm comm, relayout_device *device, const relayout_shape *from,
    const relayout_sharding *from_sharding, const relayout_shape *to,
    const relayout_sharding *to_sharding, const relayout_mpi_reshard_options *options,
    relayout_mpi_reshard **reshard, relayout_error *error);

/* Begins to move from this rank's shard of one side to its shard of the other, and moves what stays
 * here. Both must stay until the end, and the source unchanged; they must not overlap. NULL for a
 * shard that the rank has not. Returns before the messages have arrived, and RELAYOUT_OK if it has
 * begun: what fails from then on is told by the end. RELAYOUT_INVALID_ARGUMENT for a reshard that
 * runs already, or has failed. */
RELAYOUT_API relayout_status relayout_mpi_reshard_start(relayout_mpi_reshard *reshard,
                                                        const void *source, void *destination,
                                                        relayout_error *error);

/* Goes on with what can be done at once; `*is_done` becomes true at the end. The status, and the
 * error, are those of relayout_mpi_reshard_wait. */
RELAYOUT_API relayout_status relayout_mpi_reshard_test(relayout_mpi_reshard *reshard, bool *is_done,
                                                       relayout_error *error);

/* Returns at the end, when the destination is complete and the source may change.
 * RELAYOUT_TRANSPORT_ERROR names the rank that sent or received what failed. A rank that fails goes
 * on, with an empty message for each that it cannot send, so that the others end too: those that
 * lack something return RELAYOUT_TRANSPORT_ERROR. After a failure the destination is written in
 * part, and the reshard can only be destroyed. RELAYOUT_INVALID_ARGUMENT for NULL, and for a
 * reshard that does not run; and the statuses of relayout_exchange_pack. */
RELAYOUT_API relayout_status relayout_mpi_reshard_wait(relayout_mpi_reshard *reshard,
                                                       relayout_error *error);

/* All ranks call it, before MPI_Finalize; not while the reshard runs. NULL is allowed. */
RELAYOUT_API void relayout_mpi_reshard_destroy(relayout_mpi_reshard *reshard);

/* The exchange, to be asked what moves: valid as long as the reshard. NULL for NULL. */
RELAYOUT_API const relayout_exchange *
relayout_mpi_reshard_exchange(const relayout_mpi_reshard *reshard);

/* How many bytes of memory its messages have on this rank: at most twice the depth times the
 * largest message. 0 for NULL. */
RELAYOUT_API size_t relayout_mpi_reshard_staging_bytes(const relayout_mpi_reshard *reshard);

#ifdef __cplusplus
}
#endif

#endif
