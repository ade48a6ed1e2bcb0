/* packed_view.c: the fields that a view uses, in order: small numbers first, eight in a packed
 * one, then what may be large. */
#include "metadata/packed_view.h"

#include <string.h>

#include "base/checked.h"

enum { SMALL_BITS = 8, SMALL_LIMIT = 1 << SMALL_BITS };

/* The view's first number, by place. */
typedef enum small {
  TYPE,
  RANK,
  LAYOUT_RANK,
  PADDED_COUNT,
  PADDING_VALUE,
  TILE_COUNT,
  BYTE_ORDER,
  FLAGS,
  SMALLS
} small;

enum { IS_STRIDED = 1, IS_READ_ONLY = 2, IS_HIGH_FIRST = 4 };

/* Too large for an order that there is not. */
static int32_t flag_of(relayout_packing_order order) {
  return order == RELAYOUT_PACKING_LOW_FIRST    ? 0
         : order == RELAYOUT_PACKING_HIGH_FIRST ? IS_HIGH_FIRST
                                                : SMALL_LIMIT;
}

/* ---- Packing ---- */

/* `*all` becomes a number that is small only if all of them are. */
static void pack_small(const int32_t *of, int32_t count, int64_t **at, uint32_t *all) {
  for (int32_t i = 0; i < count; i += RLT_SMALL_IN_NUMBER) {
    uint64_t packed = 0;
    for (int32_t j = rlt_min(count, i + RLT_SMALL_IN_NUMBER) - 1; j >= i; --j) {
      packed = packed << SMALL_BITS | (uint8_t)of[j];
      *all |= (uint32_t)of[j];
    }
    *(*at)++ = (int64_t)packed;
  }
}

static void pack_large(const int64_t *of, int32_t count, int64_t **at) {
  for (int32_t i = 0; i < count; ++i) { /* usually few: memcpy would take longer */
    *(*at)++ = of[i];
  }
}

/* The dimensions of all tiles; -1 if there are too many tiles or dimensions. */
static int32_t tile_dimensions(const relayout_layout *layout) {
  int32_t count = 0;
  if (layout->tile_count < 0 || layout->tile_count > RELAYOUT_MAX_TILES) {
    return -1;
  }
  for (int32_t t = 0; t < layout->tile_count; ++t) {
    const int32_t rank = layout->tile_ranks[t];
    if (rank < 0 || rank > RELAYOUT_MAX_TILE_DIMENSIONS - count) {
      return -1;
    }
    count += rank;
  }
  return count;
}

static bool is_rank(int32_t count) {
  return count >= 0 && count <= RELAYOUT_MAX_RANK;
}

int32_t rlt_view_pack(const rlt_view *view, int64_t numbers[RLT_MOST_VIEW_NUMBERS]) {
  const relayout_shape *const shape = view->shape;
  const relayout_layout *const layout = &shape->layout;
  const int32_t tiled = tile_dimensions(layout);
  if (!is_rank(shape->rank) || !is_rank(layout->rank) || !is_rank(layout->padded_dimension_count) ||
      tiled < 0) {
    return 0;
  }
  const int32_t flags = (view->byte_strides != NULL ? IS_STRIDED : 0) |
                        (view->is_read_only ? IS_READ_ONLY : 0) | flag_of(layout->packing_order);
  const int32_t smalls[SMALLS] = {[TYPE] = (int32_t)shape->element_type,
                                  [RANK] = shape->rank,
                                  [LAYOUT_RANK] = layout->rank,
                                  [PADDED_COUNT] = layout->padded_dimension_count,
                                  [PADDING_VALUE] = (int32_t)layout->padding_value,
                                  [TILE_COUNT] = layout->tile_count,
                                  [BYTE_ORDER] = (int32_t)view->byte_order,
                                  [FLAGS] = flags};
  const int64_t larges[] = {view->byte_offset, layout->tail_padding_alignment_in_elements,
                            layout->element_size_in_bits, layout->memory_space};
  int64_t *at = numbers;
  uint32_t all = 0;
  pack_small(smalls, SMALLS, &at, &all);
  pack_small(layout->minor_to_major, layout->rank, &at, &all);
  pack_small(layout->tile_ranks, layout->tile_count, &at, &all);
  pack_large(larges, sizeof larges / sizeof larges[0], &at);
  pack_large(shape->dimensions, shape->rank, &at);
  pack_large(layout->padded_dimensions, layout->padded_dimension_count, &at);
  pack_large(layout->tile_dimensions, tiled, &at);
  if (layout->padding_value == RELAYOUT_PADDING_LITERAL) {
    memcpy(at, layout->padding_literal, sizeof layout->padding_literal);
    at += sizeof layout->padding_literal / sizeof *at;
  }
  if (view->byte_strides != NULL) {
    pack_large(view->byte_strides, shape->rank, &at);
  }
  return all < SMALL_LIMIT ? (int32_t)(at - numbers) : 0;
}

/* ---- Unpacking ---- */

static void unpack_small(const int64_t **at, int32_t count, int32_t *to) {
  for (int32_t i = 0; i < count; ++i) {
    const uint64_t packed = (uint64_t)(*at)[i / RLT_SMALL_IN_NUMBER];
    to[i] = (uint8_t)(packed >> SMALL_BITS * (i % RLT_SMALL_IN_NUMBER));
  }
  *at += rlt_divide_up(count, RLT_SMALL_IN_NUMBER);
}

static void unpack_large(const int64_t **at, int32_t count, int64_t *to) {
  memcpy(to, *at, (size_t)count * sizeof *to);
  *at += count;
}

int32_t rlt_view_unpack(const int64_t *numbers, relayout_view *view) {
  relayout_shape *const shape = &view->shape;
  relayout_layout *const layout = &shape->layout;
  const int64_t *at = numbers;
  int32_t smalls[SMALLS];
  memset(view, 0, sizeof *view);
  unpack_small(&at, SMALLS, smalls);
  shape->element_type = (relayout_element_type)smalls[TYPE];
  shape->rank = smalls[RANK];
  layout->rank = smalls[LAYOUT_RANK];
  layout->padded_dimension_count = smalls[PADDED_COUNT];
  layout->padding_value = (relayout_padding_value)smalls[PADDING_VALUE];
  layout->tile_count = smalls[TILE_COUNT];
  if ((smalls[FLAGS] & IS_HIGH_FIRST) != 0) {
    layout->packing_order = RELAYOUT_PACKING_HIGH_FIRST;
  }
  view->byte_order = (relayout_byte_order)smalls[BYTE_ORDER];
  view->is_strided = (smalls[FLAGS] & IS_STRIDED) != 0;
  view->is_read_only = (smalls[FLAGS] & IS_READ_ONLY) != 0;
  unpack_small(&at, layout->rank, layout->minor_to_major);
  unpack_small(&at, layout->tile_count, layout->tile_ranks);
  view->byte_offset = *at++;
  layout->tail_padding_alignment_in_elements = *at++;
  layout->element_size_in_bits = *at++;
  layout->memory_space = *at++;
  unpack_large(&at, shape->rank, shape->dimensions);
  unpack_large(&at, layout->padded_dimension_count, layout->padded_dimensions);
  unpack_large(&at, tile_dimensions(layout), layout->tile_dimensions);
  if (layout->padding_value == RELAYOUT_PADDING_LITERAL) {
    memcpy(layout->padding_literal, at, sizeof layout->padding_literal);
    at += sizeof layout->padding_literal / sizeof *at;
  }
  if (view->is_strided) {
    unpack_large(&at, shape->rank, view->byte_strides);
  }
  return (int32_t)(at - numbers);
}
