/* layout.c: making, asking, comparing and changing layouts.
 *
 * Depends on rules.h and on base/.
 */
#include "relayout/layout.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "metadata/layout_equal.h"
#include "metadata/rules.h"
#include "metadata/widths.h"

/* ---- Making layouts ------------------------------------------------------------------------- */

/* Of an order, called `name` in messages, that begins with the most minor or most major one. */
static relayout_status make(int32_t rank, const int32_t *order, const char *name, bool from_major,
                            relayout_layout *layout, relayout_error *error) {
  if (layout == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "layout is NULL");
  }
  relayout_status status = rlt_check_rank(rank, "rank", error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (rank > 0 && order == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL, but the rank is %d", name, rank);
  }
  status = rlt_check_permutation(rank, order, name, RELAYOUT_INVALID_SHAPE, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  relayout_layout made = {.rank = rank};
  for (int32_t i = 0; i < rank; ++i) {
    made.minor_to_major[i] = order[from_major ? rank - 1 - i : i];
  }
  *layout = made;
  return RELAYOUT_OK;
}

relayout_status relayout_layout_make(int32_t rank, const int32_t *minor_to_major,
                                     relayout_layout *layout, relayout_error *error) {
  return make(rank, minor_to_major, "minor_to_major", false, layout, error);
}

/* Numbers that are too large for a dimension's become one that no dimension has. */
static relayout_status make_order(int32_t rank, const int64_t *minor_to_major,
                                  relayout_layout *layout, relayout_error *error) {
  int32_t order[RELAYOUT_MAX_RANK];
  for (int32_t i = 0; i < rank && i < RELAYOUT_MAX_RANK && minor_to_major != NULL; ++i) {
    const bool fits = minor_to_major[i] >= INT32_MIN && minor_to_major[i] <= INT32_MAX;
    order[i] = fits ? (int32_t)minor_to_major[i] : INT32_MAX;
  }
  return make(rank, minor_to_major == NULL ? NULL : order, "minor_to_major", false, layout, error);
}

static relayout_status add_tiles(size_t tile_count, const size_t *tile_ranks,
                                 const int64_t *tile_dimensions, relayout_layout *layout,
                                 relayout_error *error) {
  if (tile_count > 0 && (tile_ranks == NULL || tile_dimensions == NULL)) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL, but there are %zu tiles",
                    tile_ranks == NULL ? "tile_ranks" : "tile_dimensions", tile_count);
  }
  if (tile_count > RELAYOUT_MAX_TILES) {
    return rlt_fail(error, RELAYOUT_INVALID_SHAPE, "tile_count is %zu; expected at most %d",
                    tile_count, RELAYOUT_MAX_TILES);
  }
  size_t dimensions = 0;
  for (size_t i = 0; i < tile_count; ++i) {
    if (tile_ranks[i] > RELAYOUT_MAX_TILE_DIMENSIONS - dimensions) {
      return rlt_fail(error, RELAYOUT_INVALID_SHAPE,
                      "tile_ranks[%zu] is %zu; all tiles together may have %d dimensions", i,
                      tile_ranks[i], RELAYOUT_MAX_TILE_DIMENSIONS);
    }
    layout->tile_ranks[i] = (int32_t)tile_ranks[i];
    dimensions += tile_ranks[i];
  }
  layout->tile_count = (int32_t)tile_count;
  for (size_t i = 0; i < dimensions; ++i) {
    layout->tile_dimensions[i] = tile_dimensions[i];
  }
  return rlt_check_untyped_layout(layout, error);
}

relayout_status relayout_layout_make_tiled(int32_t rank, const int64_t *minor_to_major,
                                           size_t tile_count, const size_t *tile_ranks,
                                           const int64_t *tile_dimensions, relayout_layout *layout,
                                           relayout_error *error) {
  if (layout == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "layout is NULL");
  }
  relayout_layout made;
  relayout_status status = make_order(rank, minor_to_major, &made, error);
  if (status == RELAYOUT_OK) {
    status = add_tiles(tile_count, tile_ranks, tile_dimensions, &made, error);
  }
  if (status == RELAYOUT_OK) {
    *layout = made;
  }
  return status;
}

relayout_status relayout_layout_make_from_major_to_minor(int32_t rank,
                                                         const int32_t *major_to_minor,
                                                         relayout_layout *layout,
                                                         relayout_error *error) {
  return make(rank, major_to_minor, "major_to_minor", true, layout, error);
}

/* The dimensions in the order of their numbers. */
static relayout_status make_monotonic(int32_t rank, bool from_major, relayout_layout *layout,
                                      relayout_error *error) {
  int32_t order[RELAYOUT_MAX_RANK];
  for (int32_t i = 0; i < RELAYOUT_MAX_RANK; ++i) {
    order[i] = i;
  }
  return make(rank, order, "", from_major, layout, error);
}

relayout_status relayout_layout_make_descending(int32_t rank, relayout_layout *layout,
                                                relayout_error *error) {
  return make_monotonic(rank, true, layout, error);
}

relayout_status relayout_layout_make_ascending(int32_t rank, relayout_layout *layout,
                                               relayout_error *error) {
  return make_monotonic(rank, false, layout, error);
}

/* ---- Asking layouts ------------------------------------------------------------------------- */

static bool is_ordered(const relayout_layout *layout) {
  return layout != NULL && rlt_check_order(layout, NULL) == RELAYOUT_OK;
}

bool rlt_layout_equal_order(const relayout_layout *a, const relayout_layout *b) {
  return a->rank == b->rank && memcmp(a->minor_to_major, b->minor_to_major,
                                      (size_t)a->rank * sizeof a->minor_to_major[0]) == 0;
}

/* A literal of zeros is zero. */
static relayout_padding_value normal_value(const relayout_layout *layout, size_t literal_bytes) {
  static const uint8_t zeros[RELAYOUT_MAX_ELEMENT_SIZE];
  const bool is_zero = layout->padding_value == RELAYOUT_PADDING_LITERAL &&
                       memcmp(layout->padding_literal, zeros, literal_bytes) == 0;
  return is_zero ? RELAYOUT_PADDING_ZERO : layout->padding_value;
}

bool rlt_layout_equal_padding_value(const relayout_layout *a, const relayout_layout *b,
                                    size_t literal_bytes) {
  const relayout_padding_value value = normal_value(a, literal_bytes);
  return value == normal_value(b, literal_bytes) &&
         (value != RELAYOUT_PADDING_LITERAL ||
          memcmp(a->padding_literal, b->padding_literal, literal_bytes) == 0);
}

static int64_t tail_alignment(const relayout_layout *layout) {
  return layout->tail_padding_alignment_in_elements == 0
             ? 1
             : layout->tail_padding_alignment_in_elements;
}

bool rlt_layout_equal_tiles(const relayout_layout *a, const relayout_layout *b) {
  size_t dimensions = 0; /* of all tiles */
  for (int32_t i = 0; i < a->tile_count; ++i) {
    dimensions += (size_t)a->tile_ranks[i];
  }
  return a->tile_count == b->tile_count &&
         memcmp(a->tile_ranks, b->tile_ranks, (size_t)a->tile_count * sizeof a->tile_ranks[0]) ==
             0 &&
         memcmp(a->tile_dimensions, b->tile_dimensions,
                dimensions * sizeof a->tile_dimensions[0]) == 0;
}

bool rlt_layout_equal_tail(const relayout_layout *a, const relayout_layout *b) {
  return tail_alignment(a) == tail_alignment(b);
}

/* Its counts may be used. */
static bool is_countable(const relayout_layout *layout) {
  return layout != NULL && rlt_check_untyped_layout(layout, NULL) == RELAYOUT_OK &&
         layout->padding_value >= RELAYOUT_PADDING_ZERO &&
         layout->padding_value <= RELAYOUT_PADDING_LITERAL && layout->element_size_in_bits >= 0 &&
         rlt_check_packing_order(layout, NULL) == RELAYOUT_OK;
}

bool relayout_layout_equal(const relayout_layout *a, const relayout_layout *b) {
  if (!is_countable(a) || !is_countable(b)) {
    return false;
  }
  return rlt_layout_equal_order(a, b) && a->padded_dimension_count == b->padded_dimension_count &&
         memcmp(a->padded_dimensions, b->padded_dimensions,
                (size_t)a->padded_dimension_count * sizeof a->padded_dimensions[0]) == 0 &&
         rlt_layout_equal_padding_value(a, b, RELAYOUT_MAX_ELEMENT_SIZE) &&
         rlt_layout_equal_tiles(a, b) && rlt_layout_equal_tail(a, b) &&
         a->element_size_in_bits == b->element_size_in_bits &&
         a->packing_order == b->packing_order && a->memory_space == b->memory_space;
}

static bool is_monotonic(const relayout_layout *layout, bool from_major) {
  relayout_layout wanted;
  return is_ordered(layout) &&
         make_monotonic(layout->rank, from_major, &wanted, NULL) == RELAYOUT_OK &&
         rlt_layout_equal_order(layout, &wanted);
}

bool relayout_layout_is_monotonic_with_dim0_major(const relayout_layout *layout) {
  return is_monotonic(layout, true);
}

bool relayout_layout_is_monotonic_with_dim0_minor(const relayout_layout *layout) {
  return is_monotonic(layout, false);
}

bool relayout_layout_is_untiled(const relayout_layout *layout) {
  return layout != NULL && layout->tile_count == 0 && tail_alignment(layout) == 1 &&
         rlt_packed_bits(layout) == 0;
}

bool relayout_layout_is_packed(const relayout_layout *layout) {
  return layout != NULL && rlt_packed_bits(layout) > 0;
}

static relayout_status find_dimension(const relayout_layout *layout, int32_t position,
                                      bool from_major, int32_t *dimension, relayout_error *error) {
  if (layout == NULL || dimension == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    layout == NULL ? "layout" : "dimension");
  }
  const relayout_status status = rlt_check_order(layout, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (position < 0 || position >= layout->rank) {
    return rlt_fail(error, RELAYOUT_OUT_OF_RANGE,
                    "position is %d, out of range for a layout of %d dimensions", position,
                    layout->rank);
  }
  *dimension = layout->minor_to_major[from_major ? layout->rank - 1 - position : position];
  return RELAYOUT_OK;
}

relayout_status relayout_layout_major(const relayout_layout *layout, int32_t position,
                                      int32_t *dimension, relayout_error *error) {
  return find_dimension(layout, position, true, dimension, error);
}

relayout_status relayout_layout_minor(const relayout_layout *layout, int32_t position,
                                      int32_t *dimension, relayout_error *error) {
  return find_dimension(layout, position, false, dimension, error);
}

relayout_status relayout_layout_make_logical_to_physical(const relayout_layout *layout,
                                                         int32_t *physical, relayout_error *error) {
  if (layout == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "layout is NULL");
  }
  const relayout_status status = rlt_check_order(layout, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (layout->rank > 0 && physical == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "physical is NULL");
  }
  for (int32_t i = 0; i < layout->rank; ++i) {
    physical[layout->minor_to_major[i]] = layout->rank - 1 - i;
  }
  return RELAYOUT_OK;
}

bool relayout_layout_are_dimensions_consecutive(const relayout_layout *layout, int32_t count,
                                                const int32_t *dimensions) {
  if (!is_ordered(layout) || count < 0 || count > layout->rank ||
      (count > 0 && dimensions == NULL)) {
    return false;
  }
  uint64_t wanted = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (dimensions[i] < 0 || dimensions[i] >= layout->rank) {
      return false;
    }
    wanted |= UINT64_C(1) << dimensions[i];
  }
  int32_t run = 0;
  for (int32_t i = 0; i < layout->rank && run < count; ++i) {
    const bool is_wanted = (wanted >> layout->minor_to_major[i] & 1) != 0;
    run = is_wanted ? run + 1 : 0;
  }
  return run == count;
}

/* ---- Changing layouts ----------------------------------------------------------------------- */

/* Moves a logical dimension to this entry of minor_to_major. */
static relayout_status move_dimension(const relayout_layout *layout, int32_t dimension,
                                      bool to_major, relayout_layout *result,
                                      relayout_error *error) {
  if (layout == NULL || result == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    layout == NULL ? "layout" : "result");
  }
  const relayout_status status = rlt_check_order(layout, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (dimension < 0 || dimension >= layout->rank) {
    return rlt_fail(error, RELAYOUT_OUT_OF_RANGE,
                    "dimension is %d, out of range for a layout of %d dimensions", dimension,
                    layout->rank);
  }
  relayout_layout moved = *layout;
  int32_t next = to_major ? 0 : 1;
  for (int32_t i = 0; i < layout->rank; ++i) {
    if (layout->minor_to_major[i] != dimension) {
      moved.minor_to_major[next++] = layout->minor_to_major[i];
    }
  }
  moved.minor_to_major[to_major ? layout->rank - 1 : 0] = dimension;
  *result = moved;
  return RELAYOUT_OK;
}

relayout_status relayout_layout_move_dimension_to_major(const relayout_layout *layout,
                                                        int32_t dimension, relayout_layout *result,
                                                        relayout_error *error) {
  return move_dimension(layout, dimension, true, result, error);
}

relayout_status relayout_layout_move_dimension_to_minor(const relayout_layout *layout,
                                                        int32_t dimension, relayout_layout *result,
                                                        relayout_error *error) {
  return move_dimension(layout, dimension, false, result, error);
}
