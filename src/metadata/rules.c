/* rules.c: what makes orders, layouts and shapes valid. Structs full of garbage are refused before
 * anything in them is used as a count or an index.
 *
 * Depends on the element types, on tiling.h and on base/.
 */
#include "metadata/rules.h"

#include <inttypes.h>
#include <stdint.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/text.h"
#include "metadata/tiling.h"
#include "metadata/type_table.h"
#include "metadata/widths.h"

relayout_status rlt_check_rank(int64_t rank, const char *name, relayout_error *error) {
  if (rank < 0 || rank > RELAYOUT_MAX_RANK) {
    return rlt_fail(error, RELAYOUT_INVALID_SHAPE, "%s is %" PRId64 "; expected 0 to %d", name,
                    rank, RELAYOUT_MAX_RANK);
  }
  return RELAYOUT_OK;
}

relayout_status rlt_check_permutation(int32_t rank, const int32_t *order, const char *name,
                                      relayout_status failure, relayout_error *error) {
  uint64_t seen = 0;
  for (int32_t i = 0; i < rank; ++i) {
    if (order[i] < 0 || order[i] >= rank) {
      return rlt_fail(error, failure, "%s[%d] is %d; expected 0 to %d", name, i, order[i],
                      rank - 1);
    }
    const uint64_t bit = UINT64_C(1) << order[i];
    if ((seen & bit) != 0) {
      return rlt_fail(error, failure, "%s[%d] is %d, which is listed twice", name, i, order[i]);
    }
    seen |= bit;
  }
  return RELAYOUT_OK;
}

relayout_status rlt_check_order(const relayout_layout *layout, relayout_error *error) {
  const relayout_status status = rlt_check_rank(layout->rank, "layout.rank", error);
  return status == RELAYOUT_OK
             ? rlt_check_permutation(layout->rank, layout->minor_to_major, "minor_to_major",
                                     RELAYOUT_INVALID_SHAPE, error)
             : status;
}

static relayout_status check_padding_value(const relayout_layout *layout, const rlt_type_row *row,
                                           relayout_error *error) {
  uint8_t bytes[RELAYOUT_MAX_ELEMENT_SIZE];
  const relayout_status status = relayout_layout_padding_bytes(layout, row->type, bytes, error);
  if (status == RELAYOUT_OK && row->bits < 8 && bytes[0] >> row->bits != 0) {
    return rlt_fail(error, RELAYOUT_INVALID_SHAPE,
                    "padding_literal is 0x%02x, wider than the %d bits of %s", bytes[0], row->bits,
                    row->name);
  }
  return status;
}

static relayout_status check_tile(const relayout_layout *layout, int32_t first, int32_t count,
                                  relayout_error *error) {
  for (int32_t i = first; i < first + count; ++i) {
    const int64_t size = layout->tile_dimensions[i];
    if (size == RELAYOUT_TILE_COMBINE && i == first + count - 1) {
      return rlt_fail(error, RELAYOUT_INVALID_SHAPE,
                      "tile_dimensions[%d] is *, but the last dimension of a tile has no next one "
                      "to merge with",
                      i);
    }
    if (size != RELAYOUT_TILE_COMBINE && size < 1) {
      return rlt_fail(error, RELAYOUT_INVALID_SHAPE,
                      "tile_dimensions[%d] is %" PRId64 "; expected 1 or more, or *", i, size);
    }
  }
  return RELAYOUT_OK;
}

static relayout_status check_tiles(const relayout_layout *layout, relayout_error *error) {
  if (layout->tile_count < 0 || layout->tile_count > RELAYOUT_MAX_TILES) {
    return rlt_fail(error, RELAYOUT_INVALID_SHAPE, "tile_count is %d; expected 0 to %d",
                    layout->tile_count, RELAYOUT_MAX_TILES);
  }
  int32_t first = 0;
  for (int32_t i = 0; i < layout->tile_count; ++i) {
    const int32_t count = layout->tile_ranks[i];
    if (count < 1 || count > RELAYOUT_MAX_TILE_DIMENSIONS - first) {
      return rlt_fail(
          error, RELAYOUT_INVALID_SHAPE,
          "tile_ranks[%d] is %d; expected 1 to %d: all tiles together may have %d dimensions", i,
          count, RELAYOUT_MAX_TILE_DIMENSIONS - first, RELAYOUT_MAX_TILE_DIMENSIONS);
    }
    const relayout_status status = check_tile(layout, first, count, error);
    if (status != RELAYOUT_OK) {
      return status;
    }
    first += count;
  }
  return RELAYOUT_OK;
}

relayout_status rlt_check_untyped_layout(const relayout_layout *layout, relayout_error *error) {
  relayout_status status = rlt_check_order(layout, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (layout->padded_dimension_count != 0 && layout->padded_dimension_count != layout->rank) {
    return rlt_fail(error, RELAYOUT_INVALID_SHAPE,
                    "padded_dimension_count is %d; expected 0 or the rank, %d",
                    layout->padded_dimension_count, layout->rank);
  }
  for (int32_t d = 0; d < layout->padded_dimension_count; ++d) {
    if (layout->padded_dimensions[d] < 0) {
      return rlt_fail(error, RELAYOUT_INVALID_SHAPE,
                      "padded_dimensions[%d] is %" PRId64 "; expected 0 or more", d,
                      layout->padded_dimensions[d]);
    }
  }
  status = check_tiles(layout, error);
  if (status == RELAYOUT_OK && layout->tail_padding_alignment_in_elements < 0) {
    return rlt_fail(error, RELAYOUT_INVALID_SHAPE,
                    "tail_padding_alignment_in_elements is %" PRId64 "; expected 0 or more",
                    layout->tail_padding_alignment_in_elements);
  }
  return status;
}

enum { WIDEST_CONTAINER = 32 };

/* A power of two that holds the element: bits that are packed with others', its whole bytes, or a
 * wider container. */
static relayout_status check_element_size(const relayout_layout *layout, const rlt_type_row *row,
                                          relayout_error *error) {
  const int64_t given = layout->element_size_in_bits;
  const int64_t whole = 8 * (int64_t)relayout_element_type_byte_size(row->type);
  const int64_t most = rlt_max(whole, WIDEST_CONTAINER);
  const bool is_power = given > 0 && (given & (given - 1)) == 0;
  if (given == 0 || (is_power && given >= row->bits && given <= most)) {
    return RELAYOUT_OK;
  }
  char sizes[32] = "";
  rlt_text text = rlt_text_in(sizes, sizeof sizes);
  for (int64_t bits = 1; bits <= most; bits *= 2) {
    if (bits >= row->bits) {
      rlt_text_add(&text, "%s%" PRId64, text.length == 0 ? "" : bits < most ? ", " : " or ", bits);
    }
  }
  return rlt_fail(error, RELAYOUT_INVALID_SHAPE,
                  "element_size_in_bits is %" PRId64 "; an element of %s can take %s bits", given,
                  row->name, sizes);
}

relayout_status rlt_check_packing_order(const relayout_layout *layout, relayout_error *error) {
  const int64_t order = (int64_t)layout->packing_order;
  if (order != RELAYOUT_PACKING_LOW_FIRST && order != RELAYOUT_PACKING_HIGH_FIRST) {
    return rlt_fail(error, RELAYOUT_INVALID_SHAPE,
                    "packing_order is %" PRId64 "; expected %d or %d", order,
                    RELAYOUT_PACKING_LOW_FIRST, RELAYOUT_PACKING_HIGH_FIRST);
  }
  if (rlt_is_high_first(layout) && rlt_packed_bits(layout) == 0) {
    return rlt_fail(error, RELAYOUT_INVALID_SHAPE,
                    "packing_order is high, but element_size_in_bits is %" PRId64
                    "; expected 1, 2 or 4, as only packed elements have an order within a byte",
                    layout->element_size_in_bits);
  }
  return RELAYOUT_OK;
}

relayout_status rlt_check_layout(const relayout_layout *layout, relayout_element_type type,
                                 relayout_error *error) {
  const rlt_type_row *row = rlt_type_find(type);
  if (row == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_SHAPE,
                    "element_type is %" PRId64 ", which is not an element type", (int64_t)type);
  }
  relayout_status status = rlt_check_untyped_layout(layout, error);
  if (status == RELAYOUT_OK) {
    status = check_padding_value(layout, row, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_element_size(layout, row, error);
  }
  return status == RELAYOUT_OK ? rlt_check_packing_order(layout, error) : status;
}

relayout_status relayout_shape_validate(const relayout_shape *shape, relayout_error *error) {
  if (shape == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "shape is NULL");
  }
  relayout_status status = rlt_check_rank(shape->rank, "rank", error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  for (int32_t d = 0; d < shape->rank; ++d) {
    if (shape->dimensions[d] < 0) {
      return rlt_fail(error, RELAYOUT_INVALID_SHAPE,
                      "dimensions[%d] is %" PRId64 "; expected 0 or more", d, shape->dimensions[d]);
    }
  }
  if (shape->layout.rank != shape->rank) {
    return rlt_fail(error, RELAYOUT_INVALID_SHAPE,
                    "the layout orders %d dimensions, but the shape has %d", shape->layout.rank,
                    shape->rank);
  }
  status = rlt_check_layout(&shape->layout, shape->element_type, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  for (int32_t d = 0; d < shape->layout.padded_dimension_count; ++d) {
    if (shape->layout.padded_dimensions[d] < shape->dimensions[d]) {
      return rlt_fail(error, RELAYOUT_INVALID_SHAPE,
                      "padded_dimensions[%d] is %" PRId64
                      "; expected at least dimensions[%d], %" PRId64,
                      d, shape->layout.padded_dimensions[d], d, shape->dimensions[d]);
    }
  }
  rlt_tiling tiling;
  return rlt_tiling_make(shape, &tiling, error);
}

relayout_status rlt_check_strided(const relayout_shape *shape, relayout_error *error) {
  const relayout_status status = relayout_shape_validate(shape, error);
  if (status == RELAYOUT_OK && shape->layout.tile_count > 0) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED, "tiled layouts have no strides; tile_count is %d",
                    shape->layout.tile_count);
  }
  return status;
}
