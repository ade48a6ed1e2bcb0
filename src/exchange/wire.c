/* wire.c: the type and the order of messages, chosen or asked for. */
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/text.h"
#include "exchange/exchange.h"

/* ---- Asked for ------------------------------------------------------------------------------ */

static relayout_status read_type(const relayout_exchange *exchange, const char *text, size_t length,
                                 rlt_wire *wire, relayout_error *error) {
  char name[16] = "";
  relayout_error cause;
  relayout_element_type type;
  if (length >= sizeof name) {
    return rlt_fail(error, RELAYOUT_INVALID_TEXT, "options->wire: `%.32s` is no element type",
                    text);
  }
  memcpy(name, text, length);
  if (relayout_element_type_parse(name, &type, &cause) != RELAYOUT_OK) {
    return rlt_fail(error, cause.status, "options->wire: %s", cause.message);
  }
  if (type != exchange->plan.from.shape.element_type &&
      type != exchange->plan.to.shape.element_type) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "options->wire is of %s, but values are rounded once: expected the type of "
                    "`from` or of `to`",
                    name);
  }
  wire->type = type;
  return RELAYOUT_OK;
}

static relayout_status read_order(const relayout_exchange *exchange, const char *text,
                                  rlt_wire *wire, relayout_error *error) {
  relayout_error cause;
  relayout_layout layout;
  const int32_t rank = exchange->plan.from.shape.rank;
  const relayout_status status = relayout_layout_parse(text, wire->type, rank, &layout, &cause);
  if (status != RELAYOUT_OK) {
    return rlt_fail(error, status, "options->wire: %s", cause.message);
  }
  relayout_layout bare;
  relayout_layout_make(rank, layout.minor_to_major, &bare, NULL);
  if (!relayout_layout_equal(&layout, &bare)) {
    return rlt_fail(
        error, RELAYOUT_UNSUPPORTED,
        "options->wire is of layout %s, but messages are dense: expected an order alone", text);
  }
  memcpy(wire->order, layout.minor_to_major, sizeof wire->order);
  return RELAYOUT_OK;
}

/* ---- Chosen --------------------------------------------------------------------------------- */

static const int32_t *order_of(const rlt_exchange_side *side) {
  return side->shape.layout.minor_to_major;
}

static bool has_order(const rlt_exchange_side *side, const int32_t *order) {
  return memcmp(order_of(side), order, (size_t)side->shape.rank * sizeof *order) == 0;
}

/* Whether what a shard and one of the other side have in common lies in one piece in the shard, in
 * this order: all of its minor dimensions, and one of the next ones in part. The first shards stand
 * for all. */
static bool lies_in_one_piece(const rlt_exchange_plan *plan, const rlt_exchange_side *side,
                              const int32_t *order) {
  bool is_whole = true, lies = relayout_layout_is_untiled(&side->shape.layout);
  for (int32_t i = 0; i < plan->from.shape.rank && lies; ++i) {
    const int32_t d = order[i];
    const rlt_deal from = rlt_deal_of(&plan->from.sharding, &plan->from.shape, d);
    const rlt_deal to = rlt_deal_of(&plan->to.sharding, &plan->to.shape, d);
    const rlt_deal own = side == &plan->from ? from : to;
    const int64_t common = rlt_min(rlt_min(from.block, to.block), plan->sizes[d]);
    lies = is_whole || common == 1;
    is_whole = is_whole && common == rlt_deal_elements(own, 0);
  }
  return lies && has_order(side, order);
}

/* What one device of a side does for each byte that it has: nothing, a copy of runs, or a
 * transposition. */
static double work_on(const relayout_exchange *exchange, const rlt_exchange_side *side,
                      const int32_t *order) {
  enum { COPY = 2, TRANSPOSITION = 3 }; /* as they are to each other on CPUs */
  const bool is_as_sent = side->shape.element_type == exchange->wire.type;
  const double work = is_as_sent && lies_in_one_piece(&exchange->plan, side, order) ? 0
                      : has_order(side, order)                                      ? COPY
                                                                                    : TRANSPOSITION;
  return work / (double)side->devices;
}

/* The order that leaves the least to do. Of equal ones the destination's. */
static const int32_t *choose_order(const relayout_exchange *exchange) {
  const rlt_exchange_side *const from = &exchange->plan.from, *const to = &exchange->plan.to;
  const double as_from =
      work_on(exchange, from, order_of(from)) + work_on(exchange, to, order_of(from));
  const double as_to = work_on(exchange, from, order_of(to)) + work_on(exchange, to, order_of(to));
  return order_of(as_from < as_to ? from : to);
}

/* The type of fewer bytes. Of equal ones the destination's. */
static relayout_element_type choose_type(const rlt_exchange_plan *plan) {
  const relayout_element_type from = plan->from.shape.element_type;
  const relayout_element_type to = plan->to.shape.element_type;
  return relayout_element_type_byte_size(from) < relayout_element_type_byte_size(to) ? from : to;
}

relayout_status rlt_wire_make(relayout_exchange *exchange, const char *text,
                              relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  const char *const asked = text != NULL ? text : "";
  const char *const brace = strchr(asked, '{');
  const size_t length = brace != NULL ? (size_t)(brace - asked) : strlen(asked);
  rlt_wire *const wire = &exchange->wire;
  wire->type = choose_type(&exchange->plan);
  if (length > 0) {
    status = read_type(exchange, asked, length, wire, error);
  }
  if (status == RELAYOUT_OK && brace != NULL) {
    return read_order(exchange, brace, wire, error);
  }
  memcpy(wire->order, choose_order(exchange), sizeof wire->order);
  return status;
}

/* ---- Telling -------------------------------------------------------------------------------- */

size_t relayout_exchange_get_wire(const relayout_exchange *exchange, char *buffer,
                                  size_t capacity) {
  rlt_text text = rlt_text_in(buffer, capacity);
  if (exchange == NULL) {
    return 0;
  }
  const int32_t rank = exchange->plan.from.shape.rank;
  rlt_text_add(&text, "%s", relayout_element_type_name(exchange->wire.type));
  for (int32_t i = 0; i < rank; ++i) {
    rlt_text_add(&text, "%c%d%s", i == 0 ? '{' : ',', (int)exchange->wire.order[i],
                 i == rank - 1 ? "}" : "");
  }
  return text.length;
}

void rlt_message_view(const relayout_exchange *exchange, const int64_t *sizes,
                      relayout_view *made) {
  const int32_t rank = exchange->plan.from.shape.rank;
  *made = (relayout_view){.is_strided = true};
  relayout_shape_make(exchange->wire.type, rank, sizes, &made->shape, NULL);
  int64_t stride = (int64_t)relayout_element_type_byte_size(exchange->wire.type);
  for (int32_t i = 0; i < rank; ++i) {
    const int32_t d = exchange->wire.order[i];
    made->byte_strides[d] = stride;
    stride *= sizes[d];
  }
}
