/* exchange.h: an exchange as its parts see it.
 *
 * Pieces (pieces.h) are cut into messages (messages.c) of a type and order (wire.c), which get
 * plans (message_plans.c); these move what is sent, received and kept (moves.c).
 *
 * Depends on pieces.h, metadata/ and the public headers.
 */
#ifndef RLT_EXCHANGE_EXCHANGE_H
#define RLT_EXCHANGE_EXCHANGE_H

#include "exchange/pieces.h"
#include "relayout/exchange.h"

/* A box of a message, and the plans that move it. Where a plan's side of a shard begins is told
 * apart, so that equal boxes have one plan. */
typedef struct rlt_message_box {
  size_t at;             /* bytes from the message's beginning on */
  relayout_plan *pack;   /* of what is sent and kept, or NULL */
  relayout_plan *unpack; /* of what is received, and kept if there is no plan from shard to shard */
  int64_t pack_offset;   /* bytes from the shard on */
  int64_t unpack_offset;
} rlt_message_box;

/* A message, or a part of what is kept, which never is on its way. */
typedef struct rlt_message {
  bool is_sent, is_kept;
  int64_t peer;
  int32_t tag;
  size_t bytes;
  int64_t first_box; /* of the exchange's */
  int64_t box_count;
} rlt_message;

/* What is known of a box: where it is in the tensor, its sizes, and where it is in the shards. */
enum { RLT_START, RLT_SIZES, RLT_FROM_START, RLT_TO_START, RLT_LISTS };

/* This peer's shard of a side. */
typedef struct rlt_own_shard {
  relayout_view view; /* strided if it can be */
  bool is_as_sent;    /* its elements are those of messages */
} rlt_own_shard;

/* Elements of messages, and in which order: minor to major. */
typedef struct rlt_wire {
  relayout_element_type type;
  int32_t order[RELAYOUT_MAX_RANK];
} rlt_wire;

struct relayout_exchange {
  rlt_exchange_plan plan;
  rlt_own_shard from, to; /* of a peer that has one */
  int64_t self;
  relayout_device *device; /* or NULL */
  rlt_wire wire;
  size_t message_bytes;
  uint64_t fingerprint;
  int64_t count;      /* of messages */
  int64_t kept_count; /* behind them */
  int64_t capacity;
  rlt_message *messages;
  int64_t box_count;
  int64_t box_capacity;
  rlt_message_box *boxes;
  int64_t *lists[RLT_LISTS]; /* of a number for each dimension, for each box */
  int32_t *node_of;
};

/* One of these lists, of a box. */
static inline int64_t *rlt_exchange_list(const relayout_exchange *exchange, int64_t number,
                                         int list) {
  return exchange->lists[list] + number * exchange->plan.from.shape.rank;
}

/* Whether values change on the side that packs: the one that has the wider elements, once. */
static inline bool rlt_exchange_packs_values(const relayout_exchange *exchange) {
  return exchange->wire.type == exchange->plan.to.shape.element_type;
}

/* Reads the type and the order of messages from a text, or chooses what it does not say; NULL says
 * nothing. All peers choose the same. RELAYOUT_INVALID_TEXT, RELAYOUT_INVALID_SHAPE,
 * RELAYOUT_UNSUPPORTED. */
relayout_status rlt_wire_make(relayout_exchange *exchange, const char *text, relayout_error *error);

/* Cuts this peer's pieces into messages, in the order in which they are told.
 * RELAYOUT_INVALID_ARGUMENT for more boxes than there may be, RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_messages_make(relayout_exchange *exchange, relayout_error *error);

/* How far a message's peer is from this one, going round: on from it for those who are sent to, and
 * back. Messages of each kind are in this order, and then in that of their tags. */
uint64_t rlt_message_distance(const relayout_exchange *exchange, const rlt_message *of);

/* Makes the plans of all messages, on the exchange's device. */
relayout_status rlt_messages_plan(relayout_exchange *exchange, const relayout_plan_options *options,
                                  relayout_error *error);

/* A box's elements alone, in the wire's type and order. */
void rlt_message_view(const relayout_exchange *exchange, const int64_t *sizes, relayout_view *made);

/* A message that lies in this peer's shard as it is, in runs of equal length and distance: in
 * bytes. */
typedef struct rlt_message_runs {
  int64_t place; /* of the first one; -1: it does not lie there */
  int64_t bytes, count, stride;
} rlt_message_runs;

rlt_message_runs rlt_message_find_runs(const relayout_exchange *exchange, const rlt_message *of);

/* Where a message lies in this peer's shard in one run, in bytes; -1: nowhere. */
int64_t rlt_message_place(const relayout_exchange *exchange, const rlt_message *of);

/* That these are the exchanges of all peers, 0 to count-1, which have devices and equal arguments.
 * RELAYOUT_INVALID_ARGUMENT for others, and for lists that the caller has not given. */
relayout_status rlt_exchange_check_all(int64_t count, const relayout_exchange *const *exchanges,
                                       bool has_sources, bool has_destinations,
                                       relayout_error *error);

/* The number that a message has with its receiver. */
int64_t rlt_exchange_find_received(const relayout_exchange *receiver, int64_t sender,
                                   const rlt_message *sent);

/* The message of this number. RELAYOUT_INVALID_ARGUMENT for NULL, RELAYOUT_OUT_OF_RANGE. */
relayout_status rlt_exchange_find_message(const relayout_exchange *exchange, int64_t number,
                                          const rlt_message **found, relayout_error *error);

/* The same of a message that is sent, or received; of an exchange with a device. */
relayout_status rlt_exchange_find_kind(const relayout_exchange *exchange, int64_t number,
                                       bool is_sent, const rlt_message **found,
                                       relayout_error *error);

#endif
