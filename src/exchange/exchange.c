/* exchange.c: the messages of one peer, and the plans that pack and unpack them. */
#include "relayout/exchange.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/structs.h"
#include "exchange/pieces.h"
#include "metadata/shards.h"
#include "metadata/view.h"

enum { DEFAULT_MESSAGE_BYTES = 16 << 20, MOST_BOXES = 1 << 18 };

/* A box of a message, and the plans that move it. Where a plan's side of a shard begins is told
 * apart, so that equal boxes have one plan. */
typedef struct box {
  size_t at;             /* bytes from the message's beginning on */
  relayout_plan *pack;   /* of what is sent and kept, or NULL */
  relayout_plan *unpack; /* of what is received, and kept if there is no plan from shard to shard */
  int64_t pack_offset;   /* bytes from the shard on */
  int64_t unpack_offset;
} box;

/* A message, or a part of what is kept, which never is on its way. */
typedef struct message {
  bool is_sent, is_kept;
  int64_t peer;
  int32_t tag;
  size_t bytes;
  int64_t first_box; /* of the exchange's */
  int64_t box_count;
} message;

/* What is known of a box: where it is in the tensor, its sizes, and where it is in the shards. */
enum { START, SIZES, FROM_START, TO_START, LISTS };

/* This peer's shard of a side. */
typedef struct own_shard {
  relayout_view view; /* strided if it can be */
  bool is_as_sent;    /* its elements are those of messages */
} own_shard;

struct relayout_exchange {
  rlt_exchange_plan plan;
  own_shard from, to; /* of a peer that has one */
  int64_t self;
  relayout_device *device; /* or NULL */
  relayout_element_type wire_type;
  size_t message_bytes;
  uint64_t fingerprint;
  int64_t count;      /* of messages */
  int64_t kept_count; /* behind them */
  int64_t capacity;
  message *messages;
  int64_t box_count;
  int64_t box_capacity;
  box *boxes;
  int64_t *lists[LISTS]; /* of a number for each dimension, for each box */
  int32_t *node_of;
};

static int64_t *list_of(const relayout_exchange *exchange, int64_t number, int list) {
  return exchange->lists[list] + number * exchange->plan.from.shape.rank;
}

/* ---- Sides ---------------------------------------------------------------------------------- */

/* Names the side in a message. */
static relayout_status fail_on(const char *side, relayout_status status,
                               const relayout_error *cause, relayout_error *error) {
  return rlt_fail(error, status, "%s_%s", side, cause->message);
}

static relayout_status make_side(const char *name, const relayout_shape *shape,
                                 const relayout_sharding *sharding, int64_t devices,
                                 int64_t first_peer, rlt_exchange_side *made,
                                 relayout_error *error) {
  relayout_error cause;
  relayout_shape local;
  relayout_status status = relayout_sharding_validate(sharding, shape, devices, &cause);
  if (status == RELAYOUT_OK) {
    status = relayout_sharding_local_shape(sharding, shape, 0, &local, &cause);
  }
  if (status != RELAYOUT_OK) {
    return fail_on(name, status, &cause, error);
  }
  if (devices == 0 && sharding->kind == RELAYOUT_SHARDING_REPLICATED) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->%s_devices is 0, but {replicated} is for any number of devices",
                    name);
  }
  if (first_peer < 0 || first_peer > RELAYOUT_MAX_DEVICES) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->%s_first_peer is %" PRId64 "; expected 0 to %d", name, first_peer,
                    RELAYOUT_MAX_DEVICES);
  }
  *made = (rlt_exchange_side){.shape = *shape,
                              .sharding = *sharding,
                              .devices = devices > 0 ? devices
                                                     : rlt_sharding_greatest_device(sharding) + 1,
                              .first_peer = first_peer,
                              .replicas = 1};
  if (sharding->kind == RELAYOUT_SHARDING_REPLICATED) {
    made->replicas = devices;
  }
  for (int32_t i = 0; sharding->kind == RELAYOUT_SHARDING_TILED && i < sharding->subgroup_count;
       ++i) {
    made->replicas *= sharding->subgroup_sizes[i];
  }
  return RELAYOUT_OK;
}

static relayout_status check_same_tensor(const relayout_shape *from, const relayout_shape *to,
                                         relayout_error *error) {
  return relayout_shape_same_dimensions(from, to)
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_SHAPE_MISMATCH, "`from` and `to` differ in dimensions");
}

/* ---- This peer's shards --------------------------------------------------------------------- */

static double scale_of(const relayout_plan_options *options) {
  return options == NULL || options->scale == 0 ? 1 : options->scale;
}

/* Values change on the side that has the wider elements, once. */
static bool packs_values(const relayout_exchange *exchange) {
  return exchange->wire_type == exchange->plan.to.shape.element_type;
}

static relayout_status make_shard(const rlt_exchange_side *side, int64_t self,
                                  relayout_element_type wire_type, bool changes, own_shard *made,
                                  relayout_error *error) {
  const int64_t device = self - side->first_peer;
  relayout_view strided;
  if (device < 0 || device >= side->devices) {
    return RELAYOUT_OK;
  }
  const relayout_status status = relayout_sharding_local_shape(&side->sharding, &side->shape,
                                                               device, &made->view.shape, error);
  made->is_as_sent = !changes && side->shape.element_type == wire_type;
  if (status == RELAYOUT_OK && !rlt_view_has_padding(&made->view) &&
      rlt_view_as_strided(&made->view, &strided, NULL) == RELAYOUT_OK) {
    made->view = strided;
  }
  return status;
}

static relayout_status make_shards(relayout_exchange *made, const relayout_plan_options *options,
                                   relayout_error *error) {
  const bool changes = scale_of(options) != 1;
  const relayout_status status = make_shard(&made->plan.from, made->self, made->wire_type,
                                            changes && packs_values(made), &made->from, error);
  return status == RELAYOUT_OK ? make_shard(&made->plan.to, made->self, made->wire_type,
                                            changes && !packs_values(made), &made->to, error)
                               : status;
}

/* ---- Messages ------------------------------------------------------------------------------- */

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
  for (int i = 0; i < LISTS && is_there; ++i) {
    void *list = exchange->lists[i];
    is_there = grow(&list, &grown, used, capacity, rlt_max(numbers, 1));
    exchange->lists[i] = list;
  }
  exchange->box_capacity = is_there ? capacity : exchange->box_capacity;
  return is_there;
}

static message *begin_message(making *at, const rlt_piece *piece) {
  relayout_exchange *const exchange = at->exchange;
  const bool is_kept = piece->peer == exchange->self;
  message *const made = &exchange->messages[exchange->count + exchange->kept_count];
  *made = (message){.is_sent = piece->is_sent,
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
  size_t bytes = relayout_element_type_byte_size(exchange->wire_type);
  at->are_too_many = number == MOST_BOXES;
  at->lacks_memory = !at->are_too_many && (!reserve_box(exchange) || !reserve_message(exchange));
  if (at->are_too_many || at->lacks_memory) {
    return false;
  }
  for (int32_t d = 0; d < exchange->plan.from.shape.rank; ++d) {
    list_of(exchange, number, START)[d] = piece->start[d] + inside[d];
    list_of(exchange, number, SIZES)[d] = sizes[d];
    list_of(exchange, number, FROM_START)[d] = piece->from_start[d] + inside[d];
    list_of(exchange, number, TO_START)[d] = piece->to_start[d] + inside[d];
    bytes *= (size_t)sizes[d];
  }
  message *of = &exchange->messages[exchange->count + exchange->kept_count - at->is_open];
  if (!at->is_open || !is_whole || bytes > exchange->message_bytes ||
      of->bytes > exchange->message_bytes - bytes) {
    of = begin_message(at, piece);
  }
  exchange->boxes[number] = (box){.at = of->bytes};
  of->bytes += bytes;
  ++of->box_count;
  ++exchange->box_count;
  at->is_open = is_whole && !of->is_kept;
  return true;
}

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
  size_t bytes = relayout_element_type_byte_size(exchange->wire_type);
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

/* Cuts the destination into what lies behind each other there. Returns how many of its most minor
 * dimensions stay whole. */
static int32_t cut_in_order(const relayout_exchange *exchange, const rlt_piece *piece,
                            int64_t *sizes) {
  const relayout_layout *const layout = &exchange->plan.to.shape.layout;
  size_t bytes = relayout_element_type_byte_size(exchange->wire_type);
  int32_t whole = 0;
  bool fits = true;
  for (int32_t i = 0; i < layout->rank; ++i) {
    const int32_t d = layout->minor_to_major[i];
    const int64_t unit = elements_in_byte(exchange, d);
    const int64_t most = (int64_t)(exchange->message_bytes / bytes) / unit * unit;
    sizes[d] = fits ? rlt_min(piece->sizes[d], rlt_max(most, unit)) : 1;
    fits = fits && sizes[d] == piece->sizes[d];
    whole += fits;
    bytes *= (size_t)sizes[d];
  }
  return whole;
}

/* Whether messages with so many whole minor dimensions are one run each in the receiver's shard. */
static bool are_runs(const relayout_exchange *exchange, const rlt_piece *piece, int32_t whole) {
  const rlt_exchange_side *const to = &exchange->plan.to;
  const relayout_layout *const layout = &to->shape.layout;
  const int64_t receiver = piece->is_sent ? piece->peer : exchange->self;
  relayout_shape shard;
  bool are = relayout_layout_is_untiled(layout) &&
             relayout_sharding_local_shape(&to->sharding, &to->shape, receiver - to->first_peer,
                                           &shard, NULL) == RELAYOUT_OK;
  for (int32_t i = 0; i < whole && are; ++i) {
    are = piece->sizes[layout->minor_to_major[i]] == shard.dimensions[layout->minor_to_major[i]];
  }
  return are;
}

/* The sizes of a piece's messages, but for the last ones along each dimension: the same on both
 * peers. Runs of the receiver's shard need no unpacking. */
static void find_sizes(const relayout_exchange *exchange, const rlt_piece *piece, int64_t *sizes) {
  const int32_t whole = cut_in_order(exchange, piece, sizes);
  if (!are_runs(exchange, piece, whole)) {
    cut_evenly(exchange, piece, sizes);
  }
}

/* In as many messages as it takes, in the order of the destination. */
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

/* How far a peer is from this one, going round: on from it for those who are sent to, and back. */
static uint64_t distance(const relayout_exchange *exchange, const message *of) {
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
  message *const moved = rlt_malloc((size_t)rlt_max(count, 1) * sizeof *moved);
  const bool is_there = turns != NULL && moved != NULL;
  for (int64_t i = 0; i < count && is_there; ++i) {
    const message *const of = &exchange->messages[i];
    turns[i] = (sorted){of->is_kept ? 2 : of->is_sent ? 0 : 1, distance(exchange, of), of->tag, i};
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

static relayout_status make_messages(relayout_exchange *exchange, relayout_error *error) {
  making at = {.exchange = exchange, .last_peer = -1};
  const relayout_layout *const layout = &exchange->plan.to.shape.layout;
  for (int32_t d = 0; d < layout->rank; ++d) {
    at.order[d] = layout->minor_to_major[layout->rank - 1 - d];
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

/* ---- Plans ---------------------------------------------------------------------------------- */

/* A box's elements alone, in the wire's type and order. */
static void view_message(const relayout_exchange *exchange, const int64_t *sizes,
                         relayout_view *made) {
  const relayout_layout *const layout = &exchange->plan.to.shape.layout;
  *made = (relayout_view){.is_strided = true};
  relayout_shape_make(exchange->wire_type, layout->rank, sizes, &made->shape, NULL);
  int64_t stride = (int64_t)relayout_element_type_byte_size(exchange->wire_type);
  for (int32_t i = 0; i < layout->rank; ++i) {
    const int32_t d = layout->minor_to_major[i];
    made->byte_strides[d] = stride;
    stride *= sizes[d];
  }
}

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

/* Between a box of a shard and a message. */
static relayout_status plan_message(relayout_exchange *exchange, int64_t number, bool packs,
                                    const relayout_plan_options *options, relayout_error *error) {
  static const int64_t none[RELAYOUT_MAX_RANK] = {0};
  box *const of = &exchange->boxes[number];
  const int64_t *const start = list_of(exchange, number, packs ? FROM_START : TO_START);
  const int64_t *const sizes = list_of(exchange, number, SIZES);
  const relayout_plan_options *const own = packs == packs_values(exchange) ? options : NULL;
  const relayout_view *const shard = packs ? &exchange->from.view : &exchange->to.view;
  relayout_plan **const plan = packs ? &of->pack : &of->unpack;
  relayout_view wire;
  view_message(exchange, sizes, &wire);
  if (shard->is_strided) {
    relayout_view part = *shard;
    cut_box(&part, start, sizes, packs ? &of->pack_offset : &of->unpack_offset);
    return relayout_plan_create_between(exchange->device, packs ? &part : &wire,
                                        packs ? &wire : &part, own, plan, error);
  }
  return relayout_plan_create_box(exchange->device, packs ? shard : &wire, packs ? start : none,
                                  packs ? &wire : shard, packs ? none : start, sizes, own, plan,
                                  error);
}

/* Straight from one shard to the other. The plan stays NULL if there is none. */
static relayout_status plan_straight(relayout_exchange *exchange, int64_t number,
                                     const relayout_plan_options *options, relayout_error *error) {
  relayout_error cause;
  const relayout_status status = relayout_plan_create_box(
      exchange->device, &exchange->from.view, list_of(exchange, number, FROM_START),
      &exchange->to.view, list_of(exchange, number, TO_START), list_of(exchange, number, SIZES),
      options, &exchange->boxes[number].pack, &cause);
  if (status == RELAYOUT_UNSUPPORTED) {
    return RELAYOUT_OK;
  }
  if (status != RELAYOUT_OK && error != NULL) {
    *error = cause;
  }
  return status;
}

static relayout_status plan_box(relayout_exchange *exchange, const message *of, int64_t number,
                                const relayout_plan_options *options, relayout_error *error) {
  relayout_status status =
      of->is_kept ? plan_straight(exchange, number, options, error) : RELAYOUT_OK;
  const bool is_straight = exchange->boxes[number].pack != NULL;
  if (status == RELAYOUT_OK && !is_straight && (of->is_kept || of->is_sent)) {
    status = plan_message(exchange, number, true, options, error);
  }
  if (status == RELAYOUT_OK && !is_straight && (of->is_kept || !of->is_sent)) {
    status = plan_message(exchange, number, false, options, error);
  }
  return status;
}

static relayout_status make_plans(relayout_exchange *exchange, const relayout_plan_options *options,
                                  relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  for (int64_t i = 0; i < exchange->count + exchange->kept_count; ++i) {
    const message *const of = &exchange->messages[i];
    for (int64_t b = 0; b < of->box_count && status == RELAYOUT_OK; ++b) {
      status = plan_box(exchange, of, of->first_box + b, options, error);
    }
  }
  return status;
}

/* ---- Fingerprints --------------------------------------------------------------------------- */

static void add_number(uint64_t *hash, int64_t number) {
  *hash = rlt_hash(*hash, &number, sizeof number);
}

static void add_side(uint64_t *hash, const rlt_exchange_side *side) {
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  char sharding[RELAYOUT_SHARDING_TEXT_SIZE];
  *hash = rlt_hash(*hash, text, relayout_shape_format(&side->shape, text, sizeof text));
  *hash = rlt_hash(*hash, sharding,
                   relayout_sharding_format(&side->sharding, sharding, sizeof sharding));
  add_number(hash, side->devices);
  add_number(hash, side->first_peer);
}

static uint64_t fingerprint_of(const relayout_exchange *exchange,
                               const relayout_plan_options *options) {
  uint64_t hash = RLT_HASH_START;
  add_side(&hash, &exchange->plan.from);
  add_side(&hash, &exchange->plan.to);
  add_number(&hash, (int64_t)exchange->message_bytes);
  add_number(&hash, exchange->plan.node_count);
  for (int64_t i = 0; i < exchange->plan.node_count; ++i) {
    add_number(&hash, exchange->plan.node_of[i]);
  }
  const double scale = scale_of(options);
  hash = rlt_hash(hash, &scale, sizeof scale);
  add_number(&hash, options == NULL ? 0 : (int64_t)options->overflow);
  add_number(&hash, options == NULL ? 0 : (int64_t)options->rounding);
  return hash != 0 ? hash : 1;
}

/* ---- Exchanges ------------------------------------------------------------------------------ */

static relayout_status copy_nodes(const relayout_exchange_options *options,
                                  relayout_exchange *exchange, relayout_error *error) {
  if (options->node_count < 0 || (options->node_count > 0 && options->node_of == NULL)) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->node_count is %" PRId64 ", and node_of is %s", options->node_count,
                    options->node_of == NULL ? "NULL" : "not NULL");
  }
  if (options->node_of == NULL) {
    return RELAYOUT_OK;
  }
  exchange->node_of = rlt_malloc((size_t)options->node_count * sizeof(int32_t) + 1);
  if (exchange->node_of == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the nodes of an exchange");
  }
  memcpy(exchange->node_of, options->node_of, (size_t)options->node_count * sizeof(int32_t));
  exchange->plan.node_of = exchange->node_of;
  exchange->plan.node_count = options->node_count;
  return RELAYOUT_OK;
}

static relayout_status fill(relayout_exchange *made, relayout_device *device,
                            const relayout_shape *from, const relayout_sharding *from_sharding,
                            const relayout_shape *to, const relayout_sharding *to_sharding,
                            const relayout_exchange_options *options, relayout_error *error) {
  relayout_status status = make_side("from", from, from_sharding, options->from_devices,
                                     options->from_first_peer, &made->plan.from, error);
  if (status == RELAYOUT_OK) {
    status = make_side("to", to, to_sharding, options->to_devices, options->to_first_peer,
                       &made->plan.to, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_same_tensor(from, to, error);
  }
  if (status == RELAYOUT_OK) {
    status = copy_nodes(options, made, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  const bool widens = relayout_element_type_byte_size(from->element_type) <
                      relayout_element_type_byte_size(to->element_type);
  made->wire_type = widens ? from->element_type : to->element_type;
  made->message_bytes = options->message_bytes == 0            ? DEFAULT_MESSAGE_BYTES
                        : options->message_bytes > PTRDIFF_MAX ? (size_t)PTRDIFF_MAX
                                                               : options->message_bytes;
  made->fingerprint = fingerprint_of(made, options->plan);
  status = make_shards(made, options->plan, error);
  if (status == RELAYOUT_OK) {
    status = make_messages(made, error);
  }
  if (status == RELAYOUT_OK && device != NULL) {
    relayout_device_retain(device);
    made->device = device;
    status = make_plans(made, options->plan, error);
  }
  return status;
}

relayout_status relayout_exchange_create(relayout_device *device, const relayout_shape *from,
                                         const relayout_sharding *from_sharding,
                                         const relayout_shape *to,
                                         const relayout_sharding *to_sharding, int64_t self,
                                         const relayout_exchange_options *options,
                                         relayout_exchange **exchange, relayout_error *error) {
  relayout_exchange_options read = RELAYOUT_EXCHANGE_OPTIONS_INIT;
  if (from == NULL || to == NULL || from_sharding == NULL || to_sharding == NULL ||
      exchange == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    from == NULL            ? "from"
                    : to == NULL            ? "to"
                    : from_sharding == NULL ? "from_sharding"
                    : to_sharding == NULL   ? "to_sharding"
                                            : "exchange");
  }
  relayout_status status = RELAYOUT_OK;
  if (options != NULL) {
    status = rlt_struct_read(options, "options->", sizeof read, &read, sizeof read, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (self < 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "self is %" PRId64 "; expected 0 or more",
                    self);
  }
  relayout_exchange *const made = rlt_calloc(1, sizeof *made);
  if (made == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for an exchange");
  }
  made->self = self;
  status = fill(made, device, from, from_sharding, to, to_sharding, &read, error);
  if (status != RELAYOUT_OK) {
    relayout_exchange_destroy(made);
    return status;
  }
  *exchange = made;
  return RELAYOUT_OK;
}

void relayout_exchange_destroy(relayout_exchange *exchange) {
  if (exchange == NULL) {
    return;
  }
  for (int64_t i = 0; i < exchange->box_count; ++i) {
    relayout_plan_destroy(exchange->boxes[i].pack);
    relayout_plan_destroy(exchange->boxes[i].unpack);
  }
  for (int i = 0; i < LISTS; ++i) {
    rlt_free(exchange->lists[i]);
  }
  relayout_device_destroy(exchange->device);
  rlt_free(exchange->messages);
  rlt_free(exchange->boxes);
  rlt_free(exchange->node_of);
  rlt_free(exchange);
}

uint64_t relayout_exchange_fingerprint(const relayout_exchange *exchange) {
  return exchange == NULL ? 0 : exchange->fingerprint;
}

/* ---- Asking --------------------------------------------------------------------------------- */

typedef struct counting {
  const relayout_exchange *exchange;
  int64_t peer;
  relayout_exchange_volume volume;
} counting;

static bool count_piece(void *context, const rlt_piece *piece) {
  counting *const at = context;
  uint64_t bytes = relayout_element_type_byte_size(at->exchange->wire_type);
  for (int32_t d = 0; d < at->exchange->plan.from.shape.rank; ++d) {
    bytes *= (uint64_t)piece->sizes[d];
  }
  uint64_t *const sum = piece->peer == at->peer ? &at->volume.kept
                        : piece->is_sent        ? &at->volume.sent
                                                : &at->volume.received;
  *sum += bytes;
  return true;
}

relayout_status relayout_exchange_get_volume(const relayout_exchange *exchange, int64_t peer,
                                             relayout_exchange_volume *volume,
                                             relayout_error *error) {
  if (exchange == NULL || volume == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    exchange == NULL ? "exchange" : "volume");
  }
  counting at = {.exchange = exchange, .peer = peer};
  const relayout_status status = rlt_pieces_visit(&exchange->plan, peer, count_piece, &at, error);
  if (status == RELAYOUT_OK) {
    *volume = at.volume;
  }
  return status;
}

int64_t relayout_exchange_message_count(const relayout_exchange *exchange) {
  return exchange == NULL ? 0 : exchange->count;
}

/* A message of this number. */
static relayout_status find(const relayout_exchange *exchange, int64_t number,
                            const message **found, relayout_error *error) {
  if (exchange == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "exchange is NULL");
  }
  if (number < 0 || number >= exchange->count) {
    return rlt_fail(error, RELAYOUT_OUT_OF_RANGE,
                    "number is %" PRId64 ", out of range for an exchange of %" PRId64 " messages",
                    number, exchange->count);
  }
  *found = &exchange->messages[number];
  return RELAYOUT_OK;
}

/* Where it lies in this peer's shard as it is; -1: nowhere. */
static int64_t place_of(const relayout_exchange *exchange, const message *of) {
  const own_shard *const own = of->is_sent ? &exchange->from : &exchange->to;
  const int64_t *const start =
      list_of(exchange, of->first_box, of->is_sent ? FROM_START : TO_START);
  const int64_t *const sizes = list_of(exchange, of->first_box, SIZES);
  relayout_view wire;
  bool is_there = of->box_count == 1 && own->is_as_sent && own->view.is_strided;
  int64_t place = 0;
  view_message(exchange, sizes, &wire);
  for (int32_t d = 0; d < wire.shape.rank && is_there; ++d) {
    is_there = sizes[d] == 1 || own->view.byte_strides[d] == wire.byte_strides[d];
    place += start[d] * own->view.byte_strides[d];
  }
  return is_there ? place : -1;
}

int64_t relayout_exchange_peer_count(const relayout_exchange *exchange) {
  if (exchange == NULL) {
    return 0;
  }
  const rlt_exchange_side *const from = &exchange->plan.from, *const to = &exchange->plan.to;
  return rlt_max(from->first_peer + from->devices, to->first_peer + to->devices);
}

relayout_status relayout_exchange_get_message(const relayout_exchange *exchange, int64_t number,
                                              relayout_exchange_message *message_out,
                                              relayout_error *error) {
  const message *of = NULL;
  const relayout_status status = find(exchange, number, &of, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (message_out == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "message is NULL");
  }
  *message_out =
      (relayout_exchange_message){.number = number,
                                  .is_sent = of->is_sent,
                                  .peer = of->peer,
                                  .tag = of->tag,
                                  .bytes = of->bytes,
                                  .box_count = of->box_count,
                                  .start = list_of(exchange, of->first_box, START),
                                  .sizes = list_of(exchange, of->first_box, SIZES),
                                  .from_start = list_of(exchange, of->first_box, FROM_START),
                                  .to_start = list_of(exchange, of->first_box, TO_START),
                                  .place = place_of(exchange, of)};
  return RELAYOUT_OK;
}

/* ---- Moving --------------------------------------------------------------------------------- */

/* A message of this number that is sent, or received; of an exchange with a device. */
static relayout_status find_kind(const relayout_exchange *exchange, int64_t number, bool is_sent,
                                 const message **found, relayout_error *error) {
  const relayout_status status = find(exchange, number, found, error);
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

relayout_status relayout_exchange_pack(const relayout_exchange *exchange, int64_t number,
                                       const void *source, void *message_out,
                                       relayout_error *error) {
  const message *of = NULL;
  relayout_status status = find_kind(exchange, number, true, &of, error);
  for (int64_t i = 0; status == RELAYOUT_OK && i < of->box_count; ++i) {
    const box *const one = &exchange->boxes[of->first_box + i];
    status = relayout_plan_execute(one->pack, behind(source, one->pack_offset),
                                   behind(message_out, (int64_t)one->at), error);
  }
  return status;
}

relayout_status relayout_exchange_unpack(const relayout_exchange *exchange, int64_t number,
                                         const void *message_in, void *destination,
                                         relayout_error *error) {
  const message *of = NULL;
  relayout_status status = find_kind(exchange, number, false, &of, error);
  for (int64_t i = 0; status == RELAYOUT_OK && i < of->box_count; ++i) {
    const box *const one = &exchange->boxes[of->first_box + i];
    status = relayout_plan_execute(one->unpack, behind(message_in, (int64_t)one->at),
                                   behind(destination, one->unpack_offset), error);
  }
  return status;
}

static relayout_status keep_box(const box *of, const void *source, void *destination, void *between,
                                relayout_error *error) {
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
  const message *const kept = exchange->messages + exchange->count;
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

/* ---- In one process ------------------------------------------------------------------------- */

static relayout_status check_all(int64_t count, const relayout_exchange *const *exchanges,
                                 const void *const *sources, void *const *destinations,
                                 relayout_error *error) {
  if (exchanges == NULL || sources == NULL || destinations == NULL || count < 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s, with count %" PRId64,
                    exchanges == NULL      ? "exchanges is NULL"
                    : sources == NULL      ? "sources is NULL"
                    : destinations == NULL ? "destinations is NULL"
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
  }
  return RELAYOUT_OK;
}

/* What a peer receives is in the order of `sorted`: the message that `sent` is there. */
static int64_t find_received(const relayout_exchange *receiver, int64_t sender,
                             const message *sent) {
  const message wanted = {.peer = sender};
  const uint64_t ahead = distance(receiver, &wanted);
  int64_t first = 0, end = receiver->count;
  while (first < end) {
    const int64_t middle = first + (end - first) / 2;
    const message *const of = &receiver->messages[middle];
    const uint64_t own = distance(receiver, of);
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
  const message *const sent = &sender->messages[number];
  const int64_t received = find_received(receiver, sender->self, sent);
  const int64_t from = place_of(sender, sent);
  const int64_t to = place_of(receiver, &receiver->messages[received]);
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
  relayout_status status = check_all(count, exchanges, sources, destinations, error);
  size_t most = 1;
  for (int64_t i = 0; i < count && status == RELAYOUT_OK; ++i) {
    for (int64_t m = 0; m < exchanges[i]->count; ++m) {
      const message *const of = &exchanges[i]->messages[m];
      most = of->bytes > most ? of->bytes : most;
      if (of->peer >= count) {
        return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                        "count is %" PRId64 ", but peer %" PRId64 " takes part", count, of->peer);
      }
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
