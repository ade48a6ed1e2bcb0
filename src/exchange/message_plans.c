/* message_plans.c: the plans that pack, unpack and keep. */
#include <stddef.h>

#include "exchange/exchange.h"

void rlt_message_view(const relayout_exchange *exchange, const int64_t *sizes,
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
  rlt_message_box *const of = &exchange->boxes[number];
  const int64_t *const start =
      rlt_exchange_list(exchange, number, packs ? RLT_FROM_START : RLT_TO_START);
  const int64_t *const sizes = rlt_exchange_list(exchange, number, RLT_SIZES);
  const relayout_plan_options *const own =
      packs == rlt_exchange_packs_values(exchange) ? options : NULL;
  const relayout_view *const shard = packs ? &exchange->from.view : &exchange->to.view;
  relayout_plan **const plan = packs ? &of->pack : &of->unpack;
  relayout_view wire;
  rlt_message_view(exchange, sizes, &wire);
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
      exchange->device, &exchange->from.view, rlt_exchange_list(exchange, number, RLT_FROM_START),
      &exchange->to.view, rlt_exchange_list(exchange, number, RLT_TO_START),
      rlt_exchange_list(exchange, number, RLT_SIZES), options, &exchange->boxes[number].pack,
      &cause);
  if (status == RELAYOUT_UNSUPPORTED) {
    return RELAYOUT_OK;
  }
  if (status != RELAYOUT_OK && error != NULL) {
    *error = cause;
  }
  return status;
}

static relayout_status plan_box(relayout_exchange *exchange, const rlt_message *of, int64_t number,
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

relayout_status rlt_messages_plan(relayout_exchange *exchange, const relayout_plan_options *options,
                                  relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  for (int64_t i = 0; i < exchange->count + exchange->kept_count; ++i) {
    const rlt_message *const of = &exchange->messages[i];
    for (int64_t b = 0; b < of->box_count && status == RELAYOUT_OK; ++b) {
      status = plan_box(exchange, of, of->first_box + b, options, error);
    }
  }
  return status;
}
