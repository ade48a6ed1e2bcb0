/* message_plans.c: the plans that pack, unpack and keep. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "exchange/exchange.h"

/* What a box's plans are for: from a shard to a message, back, or from one shard to the other. */
enum { PACK, UNPACK, KEEP, USES };

/* Between strided sides boxes of equal sizes have one plan, and shards of many blocks have many of
 * these. The last box of each place is remembered; -1: none. */
enum { KNOWN = 256 };
typedef struct planning {
  relayout_exchange *exchange;
  const relayout_plan_options *options;
  int64_t known[USES][KNOWN];
} planning;

/* A box of a strided shard by itself, `*offset` bytes on from the shard: equal boxes are equal
 * views then, and have one plan. */
static void cut_box(relayout_view *shard, const int64_t *start, const int64_t *sizes,
                    int64_t *offset) {
  *offset = 0;
  for (int32_t d = 0; d < shard->shape.rank; ++d) {
    *offset += start[d] * shard->byte_strides[d];
    shard->shape.dimensions[d] = sizes[d];
  }
}

/* ---- Between strided sides ------------------------------------------------------------------ */

static size_t sizes_bytes(const planning *at) {
  return (size_t)at->exchange->plan.from.shape.rank * sizeof(int64_t);
}

static int64_t *known_place(planning *at, int use, const int64_t *sizes) {
  return &at->known[use][rlt_hash(RLT_HASH_START, sizes, sizes_bytes(at)) % KNOWN];
}

static relayout_plan **plan_of(planning *at, int use, int64_t number) {
  rlt_message_box *const of = &at->exchange->boxes[number];
  return use == UNPACK ? &of->unpack : &of->pack;
}

/* The plan of a box of these sizes, for the caller to hold too; NULL: none is remembered. */
static relayout_plan *find_known(planning *at, int use, const int64_t *sizes) {
  const int64_t known = *known_place(at, use, sizes);
  if (known < 0 ||
      memcmp(rlt_exchange_list(at->exchange, known, RLT_SIZES), sizes, sizes_bytes(at)) != 0) {
    return NULL;
  }
  relayout_plan *const found = *plan_of(at, use, known);
  relayout_plan_retain(found);
  return found;
}

/* Values change once, on the side that has the wider elements. */
static const relayout_plan_options *options_for(const planning *at, int use) {
  const bool changes = use == KEEP || (use == PACK) == rlt_exchange_packs_values(at->exchange);
  return changes ? at->options : NULL;
}

static relayout_status plan_strided(planning *at, int use, int64_t number, relayout_error *error) {
  relayout_exchange *const exchange = at->exchange;
  rlt_message_box *const of = &exchange->boxes[number];
  relayout_plan **const plan = plan_of(at, use, number);
  const int64_t *const sizes = rlt_exchange_list(exchange, number, RLT_SIZES);
  relayout_view from = exchange->from.view, to = exchange->to.view;
  relayout_status status = RELAYOUT_OK;
  if (use != UNPACK) {
    cut_box(&from, rlt_exchange_list(exchange, number, RLT_FROM_START), sizes, &of->pack_offset);
  }
  if (use != PACK) {
    cut_box(&to, rlt_exchange_list(exchange, number, RLT_TO_START), sizes, &of->unpack_offset);
  }
  *plan = find_known(at, use, sizes);
  if (*plan == NULL) {
    if (use != KEEP) {
      rlt_message_view(exchange, sizes, use == UNPACK ? &from : &to);
    }
    status = relayout_plan_create_between(exchange->device, &from, &to, options_for(at, use), plan,
                                          error);
  }
  if (status == RELAYOUT_OK) {
    *known_place(at, use, sizes) = number;
  }
  return status;
}

/* Larger boxes have plans of their own, as parts of the whole shard: what is written past the cache
 * depends on how much that is. */
static bool is_small(const planning *at, int64_t number) {
  enum { SMALL = 64 << 10 };
  const int64_t *const sizes = rlt_exchange_list(at->exchange, number, RLT_SIZES);
  int64_t bytes = (int64_t)relayout_element_type_byte_size(at->exchange->wire.type);
  for (int32_t d = 0; d < at->exchange->plan.from.shape.rank; ++d) {
    bytes *= sizes[d];
  }
  return bytes <= SMALL;
}

/* ---- Boxes ---------------------------------------------------------------------------------- */

/* Between a box of a shard and a message. */
static relayout_status plan_message(planning *at, int use, int64_t number, relayout_error *error) {
  static const int64_t none[RELAYOUT_MAX_RANK] = {0};
  relayout_exchange *const exchange = at->exchange;
  const int64_t *const sizes = rlt_exchange_list(exchange, number, RLT_SIZES);
  const relayout_view *const shard = use == PACK ? &exchange->from.view : &exchange->to.view;
  relayout_view wire;
  if (shard->is_strided) {
    return plan_strided(at, use, number, error);
  }
  rlt_message_view(exchange, sizes, &wire);
  return use == PACK
             ? relayout_plan_create_box(
                   exchange->device, shard, rlt_exchange_list(exchange, number, RLT_FROM_START),
                   &wire, none, sizes, options_for(at, use), plan_of(at, use, number), error)
             : relayout_plan_create_box(exchange->device, &wire, none, shard,
                                        rlt_exchange_list(exchange, number, RLT_TO_START), sizes,
                                        options_for(at, use), plan_of(at, use, number), error);
}

/* Straight from one shard to the other. The plan stays NULL if there is none. */
static relayout_status plan_straight(planning *at, int64_t number, relayout_error *error) {
  relayout_exchange *const exchange = at->exchange;
  relayout_error cause;
  if (exchange->from.view.is_strided && exchange->to.view.is_strided && is_small(at, number)) {
    return plan_strided(at, KEEP, number, error);
  }
  const relayout_status status = relayout_plan_create_box(
      exchange->device, &exchange->from.view, rlt_exchange_list(exchange, number, RLT_FROM_START),
      &exchange->to.view, rlt_exchange_list(exchange, number, RLT_TO_START),
      rlt_exchange_list(exchange, number, RLT_SIZES), options_for(at, KEEP),
      plan_of(at, KEEP, number), &cause);
  if (status == RELAYOUT_UNSUPPORTED) {
    return RELAYOUT_OK;
  }
  if (status != RELAYOUT_OK && error != NULL) {
    *error = cause;
  }
  return status;
}

/* Where a box of a packed shard is in part, another one has the rest, and the byte between them. */
static relayout_status name_shared_byte(const planning *at, int64_t number, relayout_error *error) {
  const relayout_shape *const shard = &at->exchange->to.view.shape;
  const int64_t *const sizes = rlt_exchange_list(at->exchange, number, RLT_SIZES);
  const int64_t *const start = rlt_exchange_list(at->exchange, number, RLT_TO_START);
  for (int32_t i = 0; i < shard->rank && relayout_layout_is_packed(&shard->layout); ++i) {
    const int32_t d = shard->layout.minor_to_major[i];
    if (sizes[d] != shard->dimensions[d]) {
      return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                      "to_shape: its elements are packed, and a box of %" PRId64 " of the %" PRId64
                      " along dimension %" PRId32 ", from %" PRId64
                      " on, would share a byte with another",
                      sizes[d], shard->dimensions[d], d, start[d]);
    }
  }
  return RELAYOUT_UNSUPPORTED;
}

static relayout_status plan_box(planning *at, const rlt_message *of, int64_t number,
                                relayout_error *error) {
  relayout_status status = of->is_kept ? plan_straight(at, number, error) : RELAYOUT_OK;
  const bool is_straight = at->exchange->boxes[number].pack != NULL;
  if (status == RELAYOUT_OK && !is_straight && (of->is_kept || of->is_sent)) {
    status = plan_message(at, PACK, number, error);
  }
  if (status == RELAYOUT_OK && !is_straight && (of->is_kept || !of->is_sent)) {
    status = plan_message(at, UNPACK, number, error);
    status = status == RELAYOUT_UNSUPPORTED ? name_shared_byte(at, number, error) : status;
  }
  return status;
}

relayout_status rlt_messages_plan(relayout_exchange *exchange, const relayout_plan_options *options,
                                  relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  planning at = {.exchange = exchange, .options = options};
  memset(at.known, -1, sizeof at.known);
  for (int64_t i = 0; i < exchange->count + exchange->kept_count; ++i) {
    const rlt_message *const of = &exchange->messages[i];
    for (int64_t b = 0; b < of->box_count && status == RELAYOUT_OK; ++b) {
      status = plan_box(&at, of, of->first_box + b, error);
    }
  }
  return status;
}
