/* exchange.c: making exchanges, and what they tell. */
#include "exchange/exchange.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/structs.h"
#include "metadata/shards.h"
#include "metadata/view.h"

enum { DEFAULT_MESSAGE_BYTES = 16 << 20 };

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

/* ---- What is moved -------------------------------------------------------------------------- */

static relayout_status check_part(const char *name, const rlt_exchange_side *side,
                                  const int64_t *sizes, relayout_error *error) {
  for (int32_t d = 0; d < side->shape.rank; ++d) {
    const int64_t start = side->start[d], extent = side->shape.dimensions[d];
    if (start < 0 || sizes[d] < 0 || sizes[d] > extent || start > extent - sizes[d]) {
      return rlt_fail(error, RELAYOUT_OUT_OF_RANGE,
                      "options->%s_start[%" PRId32 "] is %" PRId64 " and options->sizes[%" PRId32
                      "] is %" PRId64 ", beyond a dimension of size %" PRId64,
                      name, d, start, d, sizes[d], extent);
    }
  }
  return RELAYOUT_OK;
}

static relayout_status set_part(rlt_exchange_plan *plan, const relayout_exchange_options *options,
                                relayout_error *error) {
  const size_t bytes = (size_t)plan->from.shape.rank * sizeof(int64_t);
  if (options->from_start == NULL || options->to_start == NULL || options->sizes == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->%s is NULL; expected all of from_start, to_start and sizes, or none",
                    options->from_start == NULL ? "from_start"
                    : options->to_start == NULL ? "to_start"
                                                : "sizes");
  }
  memcpy(plan->from.start, options->from_start, bytes);
  memcpy(plan->to.start, options->to_start, bytes);
  memcpy(plan->sizes, options->sizes, bytes);
  const relayout_status status = check_part("from", &plan->from, plan->sizes, error);
  return status == RELAYOUT_OK ? check_part("to", &plan->to, plan->sizes, error) : status;
}

/* All of the tensor, or a part of each side's. */
static relayout_status set_sizes(rlt_exchange_plan *plan, const relayout_exchange_options *options,
                                 relayout_error *error) {
  const relayout_shape *const from = &plan->from.shape, *const to = &plan->to.shape;
  if (from->rank != to->rank) {
    return rlt_fail(error, RELAYOUT_SHAPE_MISMATCH,
                    "the rank of `from` is %" PRId32 ", that of `to` is %" PRId32, from->rank,
                    to->rank);
  }
  if (options->from_start != NULL || options->to_start != NULL || options->sizes != NULL) {
    return set_part(plan, options, error);
  }
  memcpy(plan->sizes, from->dimensions, (size_t)from->rank * sizeof(int64_t));
  return relayout_shape_same_dimensions(from, to)
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_SHAPE_MISMATCH, "`from` and `to` differ in dimensions");
}

/* ---- This peer's shards --------------------------------------------------------------------- */

static double scale_of(const relayout_plan_options *options) {
  return options == NULL || options->scale == 0 ? 1 : options->scale;
}

/* That a caller's view is one of the peer's local shape. */
static relayout_status check_given(const char *name, const relayout_shape *local,
                                   const relayout_view *given, relayout_error *error) {
  relayout_error cause;
  const relayout_status status = relayout_view_validate(given, &cause);
  if (status != RELAYOUT_OK) {
    return rlt_fail(error, status, "options->%s_shard: %s", name, cause.message);
  }
  if (given->shape.element_type != local->element_type ||
      !relayout_shape_same_dimensions(&given->shape, local)) {
    char is[RELAYOUT_SHAPE_TEXT_SIZE], expected[RELAYOUT_SHAPE_TEXT_SIZE];
    relayout_shape_format(&given->shape, is, sizeof is);
    relayout_shape_format(local, expected, sizeof expected);
    return rlt_fail(error, RELAYOUT_SHAPE_MISMATCH,
                    "options->%s_shard is %.200s; expected the dimensions and the type of %.200s",
                    name, is, expected);
  }
  return RELAYOUT_OK;
}

/* `given` may be NULL. */
static relayout_status make_shard(const char *name, const rlt_exchange_side *side, int64_t self,
                                  const relayout_view *given, rlt_own_shard *made,
                                  relayout_error *error) {
  const int64_t device = self - side->first_peer;
  relayout_view strided;
  if (device < 0 || device >= side->devices) {
    return RELAYOUT_OK;
  }
  relayout_status status = relayout_sharding_local_shape(&side->sharding, &side->shape, device,
                                                         &made->view.shape, error);
  if (status == RELAYOUT_OK && given != NULL) {
    status = check_given(name, &made->view.shape, given, error);
    made->view = status == RELAYOUT_OK ? *given : made->view;
  }
  if (status == RELAYOUT_OK && !rlt_view_has_padding(&made->view) &&
      rlt_view_as_strided(&made->view, &strided, NULL) == RELAYOUT_OK) {
    made->view = strided;
  }
  return status;
}

/* Whether messages have the elements of a side as they are. */
static bool is_as_sent(const relayout_exchange *of, const rlt_exchange_side *side, bool packs,
                       const relayout_plan_options *options) {
  const bool changes = scale_of(options) != 1 && packs == rlt_exchange_packs_values(of);
  return !changes && side->shape.element_type == of->wire.type;
}

static relayout_status make_shards(relayout_exchange *made,
                                   const relayout_exchange_options *options,
                                   relayout_error *error) {
  made->from.is_as_sent = is_as_sent(made, &made->plan.from, true, options->plan);
  made->to.is_as_sent = is_as_sent(made, &made->plan.to, false, options->plan);
  const relayout_status status =
      make_shard("from", &made->plan.from, made->self, options->from_shard, &made->from, error);
  return status == RELAYOUT_OK
             ? make_shard("to", &made->plan.to, made->self, options->to_shard, &made->to, error)
             : status;
}

/* ---- Fingerprints --------------------------------------------------------------------------- */

static void add_number(uint64_t *hash, int64_t number) {
  *hash = rlt_hash(*hash, &number, sizeof number);
}

static void add_numbers(uint64_t *hash, int32_t count, const int64_t *numbers) {
  *hash = rlt_hash(*hash, numbers, (size_t)count * sizeof *numbers);
}

static void add_side(uint64_t *hash, const rlt_exchange_side *side) {
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  char sharding[RELAYOUT_SHARDING_TEXT_SIZE];
  *hash = rlt_hash(*hash, text, relayout_shape_format(&side->shape, text, sizeof text));
  *hash = rlt_hash(*hash, sharding,
                   relayout_sharding_format(&side->sharding, sharding, sizeof sharding));
  add_number(hash, side->devices);
  add_number(hash, side->first_peer);
  add_numbers(hash, side->shape.rank, side->start);
}

static uint64_t fingerprint_of(const relayout_exchange *exchange,
                               const relayout_plan_options *options) {
  uint64_t hash = RLT_HASH_START;
  add_side(&hash, &exchange->plan.from);
  add_side(&hash, &exchange->plan.to);
  add_numbers(&hash, exchange->plan.from.shape.rank, exchange->plan.sizes);
  add_number(&hash, exchange->wire.type);
  hash = rlt_hash(hash, exchange->wire.order,
                  (size_t)exchange->plan.from.shape.rank * sizeof *exchange->wire.order);
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
    status = set_sizes(&made->plan, options, error);
  }
  if (status == RELAYOUT_OK) {
    status = copy_nodes(options, made, error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_wire_make(made, options->wire, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  made->message_bytes = options->message_bytes == 0            ? DEFAULT_MESSAGE_BYTES
                        : options->message_bytes > PTRDIFF_MAX ? (size_t)PTRDIFF_MAX
                                                               : options->message_bytes;
  made->fingerprint = fingerprint_of(made, options->plan);
  status = make_shards(made, options, error);
  if (status == RELAYOUT_OK) {
    status = rlt_messages_make(made, error);
  }
  if (status == RELAYOUT_OK && device != NULL) {
    relayout_device_retain(device);
    made->device = device;
    status = rlt_messages_plan(made, options->plan, error);
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
  for (int i = 0; i < RLT_LISTS; ++i) {
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
  uint64_t bytes = relayout_element_type_byte_size(at->exchange->wire.type);
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

relayout_status rlt_exchange_find_message(const relayout_exchange *exchange, int64_t number,
                                          const rlt_message **found, relayout_error *error) {
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

rlt_message_runs rlt_message_find_runs(const relayout_exchange *exchange, const rlt_message *of) {
  const rlt_own_shard *const own = of->is_sent ? &exchange->from : &exchange->to;
  const rlt_view view = rlt_view_of(&own->view);
  const int64_t *const start =
      rlt_exchange_list(exchange, of->first_box, of->is_sent ? RLT_FROM_START : RLT_TO_START);
  const int64_t *const sizes = rlt_exchange_list(exchange, of->first_box, RLT_SIZES);
  const int64_t *const strides = own->view.byte_strides;
  rlt_message_runs found = {.place = own->view.byte_offset,
                            .bytes = (int64_t)relayout_element_type_byte_size(exchange->wire.type),
                            .count = 1};
  bool are =
      of->box_count == 1 && own->is_as_sent && own->view.is_strided && !rlt_view_is_swapped(&view);
  for (int32_t i = 0; i < own->view.shape.rank && are; ++i) {
    const int32_t d = exchange->wire.order[i];
    found.place += start[d] * strides[d];
    if (sizes[d] == 1) {
      continue;
    }
    if (found.count == 1 && strides[d] == found.bytes) {
      found.bytes *= sizes[d];
    } else if (found.count == 1) {
      found.count = sizes[d];
      found.stride = strides[d];
    } else {
      are = strides[d] == found.stride * found.count;
      found.count *= sizes[d];
    }
  }
  return are ? found : (rlt_message_runs){.place = -1};
}

int64_t rlt_message_place(const relayout_exchange *exchange, const rlt_message *of) {
  const rlt_message_runs runs = rlt_message_find_runs(exchange, of);
  return runs.count == 1 ? runs.place : -1;
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
  const rlt_message *of = NULL;
  const relayout_status status = rlt_exchange_find_message(exchange, number, &of, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (message_out == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "message is NULL");
  }
  const rlt_message_runs runs = rlt_message_find_runs(exchange, of);
  *message_out = (relayout_exchange_message){
      .number = number,
      .is_sent = of->is_sent,
      .peer = of->peer,
      .tag = of->tag,
      .bytes = of->bytes,
      .box_count = of->box_count,
      .start = rlt_exchange_list(exchange, of->first_box, RLT_START),
      .sizes = rlt_exchange_list(exchange, of->first_box, RLT_SIZES),
      .from_start = rlt_exchange_list(exchange, of->first_box, RLT_FROM_START),
      .to_start = rlt_exchange_list(exchange, of->first_box, RLT_TO_START),
      .place = runs.count == 1 ? runs.place : -1,
      .run_place = runs.place,
      .run_bytes = (size_t)runs.bytes,
      .run_count = runs.count,
      .run_stride = runs.stride};
  return RELAYOUT_OK;
}
