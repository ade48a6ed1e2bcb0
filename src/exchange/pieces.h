/* pieces.h: which boxes of a tensor go from which peer to which: pure, and the same on every peer.
 *
 * Along a dimension a shard of one side meets shards of the other in segments; a piece is a segment
 * of each dimension, and all pieces between two shards go from one holder of the one to each holder
 * of the other.
 *
 * Depends on metadata/ and base/.
 */
#ifndef RLT_EXCHANGE_PIECES_H
#define RLT_EXCHANGE_PIECES_H

#include "metadata/shards.h"

/* One side of an exchange. */
typedef struct rlt_exchange_side {
  relayout_shape shape;
  relayout_sharding sharding;
  int64_t devices;
  int64_t first_peer;
  int64_t replicas;                 /* devices of each shard */
  int64_t start[RELAYOUT_MAX_RANK]; /* where that begins which is moved */
} rlt_exchange_side;

typedef struct rlt_exchange_plan {
  rlt_exchange_side from, to;
  int64_t sizes[RELAYOUT_MAX_RANK]; /* of what is moved */
  const int32_t *node_of;           /* or NULL */
  int64_t node_count;
} rlt_exchange_plan;

/* A box that a peer sends, receives or keeps. Of many small ones those that share lines of the
 * destination follow each other. */
typedef struct rlt_piece {
  bool is_sent;
  int64_t peer;                     /* the other one */
  int64_t order;                    /* among the pieces between the two of them */
  int64_t start[RELAYOUT_MAX_RANK]; /* in what is moved */
  int64_t sizes[RELAYOUT_MAX_RANK];
  int64_t from_start[RELAYOUT_MAX_RANK]; /* in the sender's shard */
  int64_t to_start[RELAYOUT_MAX_RANK];   /* in the receiver's */
} rlt_piece;

/* False ends the visit. */
typedef bool rlt_piece_visitor(void *context, const rlt_piece *piece);

/* Visits all pieces of a peer: those that it sends, what it keeps among them with itself as the
 * other one, and those that it receives from others. The visitor's end is a success.
 * RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_pieces_visit(const rlt_exchange_plan *plan, int64_t self,
                                 rlt_piece_visitor *visitor, void *context, relayout_error *error);

#endif
