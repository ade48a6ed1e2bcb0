/* exchange.h: moving a tensor from one sharding to another: who sends what to whom.
 *
 * * An exchange is made of two shapes and two shardings, without any communication: each process
 * makes its own, and all of them agree. It says which boxes of the tensor a process sends, receives
 * and keeps, packs each into a message, and unpacks messages that arrive; the transport is the
 * caller's: MPI, sockets, NCCL, files. Layouts, tiles and element types may differ between the
 * sides; each value is rounded once, and what a device holds in the end is, to the bit, what one
 * plan of the whole tensor would have written there.
 *
 * * Processes are called peers, and have numbers of 0 or more. Device d of a side is peer
 * from_first_peer + d, or to_first_peer + d: by default a peer has the devices of its own number on
 * both sides. A peer that is a device of neither side takes no part.
 *
 * * A message is a box of the tensor, dense, its elements those of the side with the fewer bytes an
 * element; or several small boxes, one behind the other. Its order is that of the destination's
 * layout, or of the source's where less is to be done then. Where several devices hold what a
 * receiver wants, it comes from itself if it can, from a peer on the same node if there is one, and
 * else from the holders in turns, so that each sends about as much. */
#ifndef RELAYOUT_EXCHANGE_H
#define RELAYOUT_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/device.h"
#include "relayout/plan.h"
#include "relayout/sharding.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opaque and immutable. Any number of threads may use it at once. */
typedef struct relayout_exchange relayout_exchange;

/* Start from RELAYOUT_EXCHANGE_OPTIONS_INIT. Nothing in it is kept. All peers must give the same,
 * but for `plan`'s effort. */
typedef struct relayout_exchange_options {
  size_t struct_size;
  /* How many devices a side has; 0: as many as its sharding names. {replicated} names none: it
   * needs a number. */
  int64_t from_devices;
  int64_t to_devices;
  /* The peer that is device 0 of a side. */
  int64_t from_first_peer;
  int64_t to_first_peer;
  /* NULL, or the node of each of `node_count` peers; of further ones nothing is known. */
  const int32_t *node_of;
  int64_t node_count;
  /* The most bytes of a message; 0: 16 MiB. A message holds more only where one element takes more,
   * or those elements that share a byte of the destination. A peer's messages have at most 262144
   * boxes. */
  size_t message_bytes;
  /* How values change: scale, rounding, overflow; effort. NULL: RELAYOUT_PLAN_OPTIONS_INIT. */
  const relayout_plan_options *plan;
  /* A part of each side instead of the whole tensor: where it begins in `from` and in `to`, and its
   * sizes, a number for each dimension. `from` and `to` may have different dimensions then, and of
   * the destination the rest stays as it is. NULL, all three: the whole. */
  const int64_t *from_start;
  const int64_t *to_start;
  const int64_t *sizes;
  /* How this peer's shard of a side lies in memory: a view with the dimensions and the type of its
   * local shape (relayout_sharding_local_shape). NULL: as that shape says. Each peer gives its
   * own. */
  const relayout_view *from_shard;
  const relayout_view *to_shard;
  /* The elements of messages and their order, as "bf16{1,0}", "bf16" or "{1,0}": the type of
   * `from` or of `to`, and dimensions from minor to major. NULL: chosen; what is not said is chosen
   * too. Each value is rounded once all the same. */
  const char *wire;
} relayout_exchange_options;

#define RELAYOUT_EXCHANGE_OPTIONS_INIT                                                             \
  { .struct_size = sizeof(relayout_exchange_options) }

/* Makes the exchange of peer `self`. With device NULL it cannot pack and unpack: it only tells what
 * is sent. The device may be destroyed before it. RELAYOUT_INVALID_ARGUMENT for options that are no
 * exchange's; the statuses of relayout_sharding_validate and relayout_sharding_local_shape;
 * RELAYOUT_SHAPE_MISMATCH for shapes of different dimensions, and for a view that is not of the
 * local shape; RELAYOUT_OUT_OF_RANGE for a part that a side does not have; RELAYOUT_INVALID_TEXT
 * and RELAYOUT_UNSUPPORTED for a wire that is none; RELAYOUT_OUT_OF_MEMORY; and those of
 * relayout_plan_create_range, as for boxes that would share a byte of packed elements. */
RELAYOUT_API relayout_status relayout_exchange_create(
    relayout_device *device, const relayout_shape *from, const relayout_sharding *from_sharding,
    const relayout_shape *to, const relayout_sharding *to_sharding, int64_t self,
    const relayout_exchange_options *options, relayout_exchange **exchange, relayout_error *error);

/* NULL is allowed. */
RELAYOUT_API void relayout_exchange_destroy(relayout_exchange *exchange);

/* What one peer moves, in bytes of messages. */
typedef struct relayout_exchange_volume {
  uint64_t sent;
  uint64_t received;
  uint64_t kept; /* from its own device on one side to its own on the other */
} relayout_exchange_volume;

/* Counts for any peer. RELAYOUT_INVALID_ARGUMENT for NULL, RELAYOUT_OUT_OF_MEMORY. */
RELAYOUT_API relayout_status relayout_exchange_get_volume(const relayout_exchange *exchange,
                                                          int64_t peer,
                                                          relayout_exchange_volume *volume,
                                                          relayout_error *error);

/* A number that all peers with equal arguments have in common, and others hardly: to be compared
 * before anything is sent. `self`, the device and `plan`'s effort do not count. 0 for NULL. */
RELAYOUT_API uint64_t relayout_exchange_fingerprint(const relayout_exchange *exchange);

/* The elements of messages and their order, as relayout_exchange_options has them: "bf16{1,0}".
 * Like snprintf: writes at most `capacity` bytes with the NUL (buffer may be NULL when capacity is
 * 0) and returns the length of the whole text without it; 0 for NULL. */
RELAYOUT_API size_t relayout_exchange_get_wire(const relayout_exchange *exchange, char *buffer,
                                               size_t capacity);

/* One more than the greatest peer that takes part; 0 for NULL. */
RELAYOUT_API int64_t relayout_exchange_peer_count(const relayout_exchange *exchange);

/* ---- Messages ------------------------------------------------------------------------------- */

/* A message that this peer sends or receives. `start` and `sizes`, one number for each dimension,
 * are its box in the tensor, or in the part of it that is moved; `from_start` is where that begins
 * in the sender's shard, `to_start` in the receiver's. Of a message of several boxes all have those
 * of one box after the other. Blocks that lie behind each other in both shards are one box, which
 * `start` is the first element of. All are valid as long as the exchange. Sender and receiver know
 * a message by the two of them and its tag, which counts the messages between them from 0.
 *
 * `place` is how many bytes behind the beginning of this peer's shard the message lies as it is, in
 * one piece: it can be sent from there, or received there, without packing or unpacking; -1:
 * nowhere.
 *
 * `run_place` is the same of a message that lies there as it is in one run or several: `run_count`
 * runs of `run_bytes` bytes, each `run_stride` bytes behind the one before, as a vector of MPI or a
 * list of an iovec has them. */
typedef struct relayout_exchange_message {
  int64_t number; /* 0 .. message_count-1 */
  bool is_sent;   /* else it is received */
  int64_t peer;   /* the other one */
  int32_t tag;
  size_t bytes;
  int64_t box_count;
  const int64_t *start;
  const int64_t *sizes;
  const int64_t *from_start;
  const int64_t *to_start;
  int64_t place;
  int64_t run_place;
  size_t run_bytes;
  int64_t run_count;
  int64_t run_stride;
} relayout_exchange_message;

/* How many messages this peer sends and receives; 0 for NULL. */
RELAYOUT_API int64_t relayout_exchange_message_count(const relayout_exchange *exchange);

/* The message of a number. Those that are sent come first. Each kind begins with the peers behind
 * this one (before it, of those that are received) and goes round, so that not all send to one.
 * RELAYOUT_OUT_OF_RANGE. */
RELAYOUT_API relayout_status relayout_exchange_get_message(const relayout_exchange *exchange,
                                                           int64_t number,
                                                           relayout_exchange_message *message,
                                                           relayout_error *error);

/* Packs message `number`, which is sent, from this peer's shard; unpacks one that has been received
 * into it. A message's memory needs no alignment. RELAYOUT_OUT_OF_RANGE for a number that is no
 * message of that kind, RELAYOUT_INVALID_ARGUMENT for NULL and an exchange without a device, and
 * the statuses of relayout_plan_execute. */
RELAYOUT_API relayout_status relayout_exchange_pack(const relayout_exchange *exchange,
                                                    int64_t number, const void *source,
                                                    void *message, relayout_error *error);
RELAYOUT_API relayout_status relayout_exchange_unpack(const relayout_exchange *exchange,
                                                      int64_t number, const void *message,
                                                      void *destination, relayout_error *error);

/* Moves what stays with this peer, from its shard on one side to its shard on the other; nothing
 * where nothing does. Takes memory for one message where both sides have tiles.
 * RELAYOUT_INVALID_ARGUMENT as above, RELAYOUT_OUT_OF_MEMORY, and the statuses of
 * relayout_plan_execute. */
RELAYOUT_API relayout_status relayout_exchange_keep(const relayout_exchange *exchange,
                                                    const void *source, void *destination,
                                                    relayout_error *error);

/* Does all of it where all peers are in one process: exchange i is that of peer i of `count`, and
 * moves from sources[i] to destinations[i], which may be NULL for peers without a shard on that
 * side. Each peer may have a device of its own. Takes memory for one message.
 * RELAYOUT_INVALID_ARGUMENT for NULL, and for exchanges that are not of one kind
 * (relayout_exchange_fingerprint) or not all of those who take part; RELAYOUT_OUT_OF_MEMORY, and
 * the statuses of relayout_exchange_pack. After a failure destinations may be written in part. */
RELAYOUT_API relayout_status relayout_exchange_execute(int64_t count,
                                                       const relayout_exchange *const *exchanges,
                                                       const void *const *sources,
                                                       void *const *destinations,
                                                       relayout_error *error);

#ifdef __cplusplus
}
#endif

#endif
