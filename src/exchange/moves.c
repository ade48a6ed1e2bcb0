/* moves.c: packing, unpacking and keeping in host memory; and all of it in one process. */
#include <inttypes.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "exchange/exchange.h"

/* ---- One peer ------------------------------------------------------------------------------- */

relayout_status rlt_exchange_find_kind(const relayout_exchange *exchange, int64_t number,
                                       bool is_sent, const rlt_message **found,
                                       relayout_error *error) {
  const relayout_status status = rlt_exchange_find_message(exchange, number, found, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if ((*found)->is_sent != is_sent) {
    return rlt_fail(error, RELAYOUT_OUT_OF_RANGE,
                    "number is %" PRId64 ", which is a message that is %s", number,
                    is_sent ? "received" : "sent");
  }
  return exchange->device != NULL
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "exchange was made without a device");
}

/* Bytes on from a pointer; NULL where the caller gave that. */
static uint8_t *behind(const void *pointer, int64_t bytes) {
  return pointer != NULL ? (uint8_t *)(uintptr_t)pointer + bytes : NULL;
}

/* Packs the boxes of a message that is sent, or unpacks those of one that is received. */
static relayout_status move_boxes(const relayout_exchange *exchange, int64_t number, bool is_sent,
                                  const void *source, void *destination, relayout_error *error) {
  const rlt_message *of = NULL;
  relayout_status status = rlt_exchange_find_kind(exchange, number, is_sent, &of, error);
  for (int64_t i = 0; status == RELAYOUT_OK && i < of->box_count; ++i) {
    const rlt_message_box *const one = &exchange->boxes[of->first_box + i];
    const int64_t at = (int64_t)one->at;
    status = is_sent ? relayout_plan_execute(one->pack, behind(source, one->pack_offset),
                                             behind(destination, at), error)
                     : relayout_plan_execute(one->unpack, behind(source, at),
                                             behind(destination, one->unpack_offset), error);
  }
  return status;
}

relayout_status relayout_exchange_pack(const relayout_exchange *exchange, int64_t number,
                                       const void *source, void *message_out,
                                       relayout_error *error) {
  return move_boxes(exchange, number, true, source, message_out, error);
}

relayout_status relayout_exchange_unpack(const relayout_exchange *exchange, int64_t number,
                                         const void *message_in, void *destination,
                                         relayout_error *error) {
  return move_boxes(exchange, number, false, message_in, destination, error);
}

static relayout_status keep_box(const rlt_message_box *of, const void *source, void *destination,
                                void *between, relayout_error *error) {
  const uint8_t *const from = behind(source, of->pack_offset);
  uint8_t *const to = behind(destination, of->unpack_offset);
  if (of->unpack == NULL) {
    return relayout_plan_execute(of->pack, from, to, error);
  }
  const relayout_status status = relayout_plan_execute(of->pack, from, between, error);
  return status == RELAYOUT_OK ? relayout_plan_execute(of->unpack, between, to, error) : status;
}

relayout_status relayout_exchange_keep(const relayout_exchange *exchange, const void *source,
                                       void *destination, relayout_error *error) {
  if (exchange == NULL || exchange->device == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "exchange %s",
                    exchange == NULL ? "is NULL" : "was made without a device");
  }
  size_t most = 0;
  const rlt_message *const kept = exchange->messages + exchange->count;
  for (int64_t i = 0; i < exchange->kept_count; ++i) {
    const bool goes_between = exchange->boxes[kept[i].first_box].unpack != NULL;
    most = goes_between && kept[i].bytes > most ? kept[i].bytes : most;
  }
  void *const between = most > 0 ? rlt_malloc(most) : NULL;
  if (most > 0 && between == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for %zu bytes that are kept", most);
  }
  relayout_status status = RELAYOUT_OK;
  for (int64_t i = 0; i < exchange->kept_count && status == RELAYOUT_OK; ++i) {
    status = keep_box(&exchange->boxes[kept[i].first_box], source, destination, between, error);
  }
  rlt_free(between);
  return status;
}

/* ---- All peers ------------------------------------------------------------------------------ */

relayout_status rlt_exchange_check_all(int64_t count, const relayout_exchange *const *exchanges,
                                       bool has_sources, bool has_destinations,
                                       relayout_error *error) {
  if (exchanges == NULL || !has_sources || !has_destinations || count < 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s, with count %" PRId64,
                    exchanges == NULL   ? "exchanges is NULL"
                    : !has_sources      ? "sources is NULL"
                    : !has_destinations ? "destinations is NULL"
                                        : "there are lists",
                    count);
  }
  for (int64_t i = 0; i < count; ++i) {
    const relayout_exchange *const of = exchanges[i];
    if (of == NULL || of->device == NULL) {
      return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "exchanges[%" PRId64 "] %s", i,
                      of == NULL ? "is NULL" : "was made without a device");
    }
    if (of->self != i || of->fingerprint != exchanges[0]->fingerprint) {
      return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                      "exchanges[%" PRId64 "] is that of peer %" PRId64 "%s", i, of->self,
                      of->self != i ? "" : ", with other arguments than exchanges[0]");
    }
    for (int64_t m = 0; m < of->count; ++m) {
      if (of->messages[m].peer >= count) {
        return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                        "count is %" PRId64 ", but peer %" PRId64 " takes part", count,
                        of->messages[m].peer);
      }
    }
  }
  return RELAYOUT_OK;
}

/* What a peer receives is in the order of their distances and tags. */
int64_t rlt_exchange_find_received(const relayout_exchange *receiver, int64_t sender,
                                   const rlt_message *sent) {
  const rlt_message wanted = {.peer = sender};
  const uint64_t ahead = rlt_message_distance(receiver, &wanted);
  int64_t first = 0, end = receiver->count;
  while (first < end) {
    const int64_t middle = first + (end - first) / 2;
    const rlt_message *const of = &receiver->messages[middle];
    const uint64_t own = rlt_message_distance(receiver, of);
    const bool is_before = of->is_sent || own < ahead || (own == ahead && of->tag < sent->tag);
    first = is_before ? middle + 1 : first;
    end = is_before ? end : middle;
  }
  return first;
}

/* One message, from the sender's shard to the receiver's; by way of `between`, unless it lies in
 * one of them as it is. */
static relayout_status hand_over(const relayout_exchange *sender, int64_t number,
                                 const relayout_exchange *receiver, const void *source,
                                 void *between, void *destination, relayout_error *error) {
  const rlt_message *const sent = &sender->messages[number];
  const int64_t received = rlt_exchange_find_received(receiver, sender->self, sent);
  const int64_t from = rlt_message_place(sender, sent);
  const int64_t to = rlt_message_place(receiver, &receiver->messages[received]);
  if (from >= 0 && source != NULL) {
    return relayout_exchange_unpack(receiver, received, (const uint8_t *)source + from, destination,
                                    error);
  }
  if (to >= 0 && destination != NULL) {
    return relayout_exchange_pack(sender, number, source, (uint8_t *)destination + to, error);
  }
  const relayout_status status = relayout_exchange_pack(sender, number, source, between, error);
  return status == RELAYOUT_OK
             ? relayout_exchange_unpack(receiver, received, between, destination, error)
             : status;
}

relayout_status relayout_exchange_execute(int64_t count, const relayout_exchange *const *exchanges,
                                          const void *const *sources, void *const *destinations,
                                          relayout_error *error) {
  relayout_status status =
      rlt_exchange_check_all(count, exchanges, sources != NULL, destinations != NULL, error);
  size_t most = 1;
  for (int64_t i = 0; i < count && status == RELAYOUT_OK; ++i) {
    for (int64_t m = 0; m < exchanges[i]->count; ++m) {
      const rlt_message *const of = &exchanges[i]->messages[m];
      most = of->bytes > most ? of->bytes : most;
    }
  }
  void *const between = status == RELAYOUT_OK ? rlt_malloc(most) : NULL;
  if (status == RELAYOUT_OK && between == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a message of %zu bytes", most);
  }
  for (int64_t i = 0; i < count && status == RELAYOUT_OK; ++i) {
    const relayout_exchange *const own = exchanges[i];
    status = relayout_exchange_keep(own, sources[i], destinations[i], error);
    for (int64_t m = 0; m < own->count && own->messages[m].is_sent && status == RELAYOUT_OK; ++m) {
      const int64_t peer = own->messages[m].peer;
      status = hand_over(own, m, exchanges[peer], sources[i], between, destinations[peer], error);
    }
  }
  rlt_free(between);
  return status;
}
