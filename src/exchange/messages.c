/* messages.c: cuts pieces into messages, and puts these into their order. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "exchange/exchange.h"

enum { MOST_BOXES = 1 << 18 };

/* Pieces on their way to becoming messages. */
typedef struct making {
  relayout_exchange *exchange;
  bool lacks_memory;
  bool are_too_many;
  int32_t order[RELAYOUT_MAX_RANK]; /* dimensions of a message, the most major first */
  int64_t last_peer;
  bool last_is_sent;
  bool is_open; /* the last message has whole pieces, and may get more */
  int32_t tag;
} making;

static bool grow(void **block, int64_t *capacity_of, int64_t used, int64_t capacity, size_t size) {
  void *const grown = rlt_realloc(*block, (size_t)used * size, (size_t)capacity * size);
  *block = grown != NULL ? grown : *block;
  *capacity_of = grown != NULL ? capacity : *capacity_of;
  return grown != NULL;
}

static bool reserve_message(relayout_exchange *exchange) {
  const int64_t used = exchange->count + exchange->kept_count;
  void *messages = exchange->messages;
  const bool is_there =
      used < exchange->capacity ||
      grow(&messages, &exchange->capacity, used, rlt_max(2 * used, 16), sizeof *exchange->messages);
  exchange->messages = messages;
  return is_there;
}

static bool reserve_box(relayout_exchange *exchange) {
  const int64_t used = exchange->box_count, capacity = rlt_max(2 * used, 16);
  const size_t numbers = (size_t)exchange->plan.from.shape.rank * sizeof(int64_t);
  int64_t grown = 0;
  void *boxes = exchange->boxes;
  if (used < exchange->box_capacity) {
    return true;
  }
  bool is_there = grow(&boxes, &grown, used, capacity, sizeof *exchange->boxes);
  exchange->boxes = boxes;
  for (int i = 0; i < RLT_LISTS && is_there; ++i) {
    void *list = exchange->lists[i];
    is_there = grow(&list, &grown, used, capacity, rlt_max(numbers, 1));
    exchange->lists[i] = list;
  }
  exchange->box_capacity = is_there ? capacity : exchange->box_capacity;
  return is_there;
}

static rlt_message *begin_message(making *at, const rlt_piece *piece) {
  relayout_exchange *const exchange = at->exchange;
  const bool is_kept = piece->peer == exchange->self;
  rlt_message *const made = &exchange->messages[exchange->count + exchange->kept_count];
  *made = (rlt_message){.is_sent = piece->is_sent,
                        .is_kept = is_kept,
                        .peer = piece->peer,
                        .tag = at->tag++,
                        .first_box = exchange->box_count};
  exchange->count += !is_kept;
  exchange->kept_count += is_kept;
  return made;
}

/* As a message of its own; or behind the last whole piece for that peer, if both are whole. */
static bool add_box(making *at, const rlt_piece *piece, const int64_t *inside, const int64_t *sizes,
                    bool is_whole) {
  relayout_exchange *const exchange = at->exchange;
  const int64_t number = exchange->box_count;
  size_t bytes = relayout_element_type_byte_size(exchange->wire.type);
  at->are_too_many = number == MOST_BOXES;
  at->lacks_memory = !at->are_too_many && (!reserve_box(exchange) || !reserve_message(exchange));
  if (at->are_too_many || at->lacks_memory) {
    return false;
  }
  for (int32_t d = 0; d < exchange->plan.from.shape.rank; ++d) {
    rlt_exchange_list(exchange, number, RLT_START)[d] = piece->start[d] + inside[d];
    rlt_exchange_list(exchange, number, RLT_SIZES)[d] = sizes[d];
    rlt_exchange_list(exchange, number, RLT_FROM_START)[d] = piece->from_start[d] + inside[d];
    rlt_exchange_list(exchange, number, RLT_TO_START)[d] = piece->to_start[d] + inside[d];
    bytes *= (size_t)sizes[d];
  }
  rlt_message *of = &exchange->messages[exchange->count + exchange->kept_count - at->is_open];
  if (!at->is_open || !is_whole || bytes > exchange->message_bytes ||
      of->bytes > exchange->message_bytes - bytes) {
    of = begin_message(at, piece);
  }
  exchange->boxes[number] = (rlt_message_box){.at = of->bytes};
  of->bytes += bytes;
  ++of->box_count;
  ++exchange->box_count;
  at->is_open = is_whole && !of->is_kept;
  return true;
}

/* ---- Sizes ---------------------------------------------------------------------------------- */

/* Elements along dimension d that share a byte of the destination, which no two messages have a
 * part of. */
static int64_t elements_in_byte(const relayout_exchange *exchange, int32_t d) {
  const relayout_layout *const layout = &exchange->plan.to.shape.layout;
  return relayout_layout_is_packed(layout) && d == layout->minor_to_major[0]
             ? 8 / layout->element_size_in_bits
             : 1;
}

/* How far apart neighbours along each dimension are in a piece by itself, in a layout's order. */
static void find_steps(const relayout_layout *layout, const int64_t *sizes, int64_t *steps) {
  int64_t step = 1;
  for (int32_t i = 0; i < layout->rank; ++i) {
    steps[layout->minor_to_major[i]] = step;
    step *= sizes[layout->minor_to_major[i]];
  }
}

/* The dimension to be cut: of those that can be, the one whose steps are long on both sides; of
 * equal ones the longest. -1: none can be. */
static int32_t find_cut(const relayout_exchange *exchange, const int64_t *from_steps,
                        const int64_t *to_steps, const int64_t *sizes) {
  int32_t best = -1;
  int64_t best_step = 0;
  for (int32_t d = 0; d < exchange->plan.from.shape.rank; ++d) {
    const int64_t step = rlt_min(from_steps[d], to_steps[d]);
    if (sizes[d] > elements_in_byte(exchange, d) &&
        (best < 0 || step > best_step || (step == best_step && sizes[d] > sizes[best]))) {
      best = d;
      best_step = step;
    }
  }
  return best;
}

/* Half of a size, rounded up to what tiles and lines like. */
static int64_t half_of(int64_t size, int64_t unit) {
  enum { MOST_UNIT = 128 };
  for (int64_t next = 2 * unit; next <= MOST_UNIT && 4 * next <= size; next = 2 * unit) {
    unit = next;
  }
  return rlt_divide_up(rlt_divide_up(size, 2), unit) * unit;
}

/* Cuts across runs of both sides while that is possible, and then along both, so that runs stay
 * long. */
static void cut_evenly(const relayout_exchange *exchange, const rlt_piece *piece, int64_t *sizes) {
  int64_t from_steps[RELAYOUT_MAX_RANK], to_steps[RELAYOUT_MAX_RANK];
  size_t bytes = relayout_element_type_byte_size(exchange->wire.type);
  find_steps(&exchange->plan.from.shape.layout, piece->sizes, from_steps);
  find_steps(&exchange->plan.to.shape.layout, piece->sizes, to_steps);
  for (int32_t d = 0; d < exchange->plan.from.shape.rank; ++d) {
    sizes[d] = piece->sizes[d];
    bytes *= (size_t)sizes[d];
  }
  for (int32_t d = 0; d >= 0 && bytes > exchange->message_bytes;) {
    d = find_cut(exchange, from_steps, to_steps, sizes);
    if (d >= 0) {
      bytes /= (size_t)sizes[d];
      sizes[d] = half_of(sizes[d], elements_in_byte(exchange, d));
      bytes *= (size_t)sizes[d];
    }
  }
}

/* Cuts what a message holds into what lies behind each other there. Returns how many of its most
 * minor dimensions stay whole. */
static int32_t cut_in_order(const relayout_exchange *exchange, const rlt_piece *piece,
                            int64_t *sizes) {
  size_t bytes = relayout_element_type_byte_size(exchange->wire.type);
  int32_t whole = 0;
  bool fits = true;
  for (int32_t i = 0; i < exchange->plan.from.shape.rank; ++i) {
    const int32_t d = exchange->wire.order[i];
    const int64_t unit = elements_in_byte(exchange, d);
    const int64_t most = (int64_t)(exchange->message_bytes / bytes) / unit * unit;
    sizes[d] = fits ? rlt_min(piece->sizes[d], rlt_max(most, unit)) : 1;
    fits = fits && sizes[d] == piece->sizes[d];
    whole += fits;
    bytes *= (size_t)sizes[d];
  }
  return whole;
}

/* Whether each message is one run of bytes in a peer's shard, if messages have `whole` of their
 * minor dimensions whole. */
static bool are_runs(const relayout_exchange *exchange, const rlt_exchange_side *side, int64_t peer,
                     const rlt_piece *piece, int32_t whole) {
  const int32_t *const order = exchange->wire.order;
  const relayout_layout *const layout = &side->shape.layout;
  const size_t bytes = (size_t)layout->rank * sizeof *order;
  relayout_shape shard;
  bool are = relayout_layout_is_untiled(layout) &&
             memcmp(layout->minor_to_major, order, bytes) == 0 &&
             relayout_sharding_local_shape(&side->sharding, &side->shape, peer - side->first_peer,
                                           &shard, NULL) == RELAYOUT_OK;
  for (int32_t i = 0; i < whole && are; ++i) {
    are = piece->sizes[order[i]] == shard.dimensions[order[i]];
  }
  return are;
}

/* The sizes of a piece's messages, but for the last ones along each dimension: the same on both
 * peers. Runs of a shard need no packing there, or no unpacking. */
static void find_sizes(const relayout_exchange *exchange, const rlt_piece *piece, int64_t *sizes) {
  const rlt_exchange_plan *const plan = &exchange->plan;
  const int64_t sender = piece->is_sent ? exchange->self : piece->peer;
  const int64_t receiver = piece->is_sent ? piece->peer : exchange->self;
  const int32_t whole = cut_in_order(exchange, piece, sizes);
  if (whole < plan->from.shape.rank && !are_runs(exchange, &plan->to, receiver, piece, whole) &&
      !are_runs(exchange, &plan->from, sender, piece, whole)) {
    cut_evenly(exchange, piece, sizes);
  }
}

/* In as many messages as it takes, in the order of what they hold. */
static bool cut_piece(making *at, const rlt_piece *piece) {
  const int32_t rank = at->exchange->plan.from.shape.rank;
  int64_t most[RELAYOUT_MAX_RANK], inside[RELAYOUT_MAX_RANK] = {0}, sizes[RELAYOUT_MAX_RANK];
  bool is_left = true;
  find_sizes(at->exchange, piece, most);
  const bool is_whole = memcmp(most, piece->sizes, (size_t)rank * sizeof *most) == 0;
  while (is_left) {
    for (int32_t d = 0; d < rank; ++d) {
      sizes[d] = rlt_min(most[d], piece->sizes[d] - inside[d]);
    }
    if (!add_box(at, piece, inside, sizes, is_whole)) {
      return false;
    }
    is_left = false;
    for (int32_t i = rank - 1; i >= 0 && !is_left; --i) {
      const int32_t d = at->order[i];
      inside[d] += most[d];
      is_left = inside[d] < piece->sizes[d];
      inside[d] = is_left ? inside[d] : 0;
    }
  }
  return true;
}

static bool take_piece(void *context, const rlt_piece *piece) {
  making *const at = context;
  if (piece->peer != at->last_peer || piece->is_sent != at->last_is_sent || piece->order == 0) {
    at->tag = 0;
    at->is_open = false;
  }
  at->last_peer = piece->peer;
  at->last_is_sent = piece->is_sent;
  return cut_piece(at, piece);
}

/* ---- Their order ---------------------------------------------------------------------------- */

uint64_t rlt_message_distance(const relayout_exchange *exchange, const rlt_message *of) {
  const uint64_t all = (uint64_t)4 * RELAYOUT_MAX_DEVICES;
  const int64_t ahead = of->is_sent ? of->peer - exchange->self : exchange->self - of->peer;
  return ((uint64_t)ahead + all) % all;
}

typedef struct sorted {
  int kind;
  uint64_t distance;
  int32_t tag;
  int64_t at;
} sorted;

static int by_turn(const void *a, const void *b) {
  const sorted *const x = a, *const y = b;
  return x->kind != y->kind           ? x->kind - y->kind
         : x->distance != y->distance ? (x->distance < y->distance ? -1 : 1)
                                      : (x->tag > y->tag) - (x->tag < y->tag);
}

/* Those that are sent come first, then those that are received, then what is kept. */
static bool sort_messages(relayout_exchange *exchange) {
  const int64_t count = exchange->count + exchange->kept_count;
  sorted *const turns = rlt_malloc((size_t)rlt_max(count, 1) * sizeof *turns);
  rlt_message *const moved = rlt_malloc((size_t)rlt_max(count, 1) * sizeof *moved);
  const bool is_there = turns != NULL && moved != NULL;
  for (int64_t i = 0; i < count && is_there; ++i) {
    const rlt_message *const of = &exchange->messages[i];
    turns[i] = (sorted){of->is_kept   ? 2
                        : of->is_sent ? 0
                                      : 1,
                        rlt_message_distance(exchange, of), of->tag, i};
  }
  if (is_there) {
    qsort(turns, (size_t)count, sizeof *turns, by_turn);
  }
  for (int64_t i = 0; i < count && is_there; ++i) {
    moved[i] = exchange->messages[turns[i].at];
  }
  rlt_free(turns);
  if (is_there) {
    rlt_free(exchange->messages);
    exchange->messages = moved;
  } else {
    rlt_free(moved);
  }
  return is_there;
}

relayout_status rlt_messages_make(relayout_exchange *exchange, relayout_error *error) {
  making at = {.exchange = exchange, .last_peer = -1};
  const int32_t rank = exchange->plan.from.shape.rank;
  for (int32_t i = 0; i < rank; ++i) {
    at.order[i] = exchange->wire.order[rank - 1 - i];
  }
  const relayout_status status =
      rlt_pieces_visit(&exchange->plan, exchange->self, take_piece, &at, error);
  if (at.are_too_many) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->message_bytes is %zu; with that there are more than %d boxes",
                    exchange->message_bytes, MOST_BOXES);
  }
  return status != RELAYOUT_OK ? status
         : at.lacks_memory || !sort_messages(exchange)
             ? rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the messages of an exchange")
             : RELAYOUT_OK;
}
