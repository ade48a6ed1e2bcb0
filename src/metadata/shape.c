/* shape.c: making, comparing and measuring shapes. Depends on rules.h, tiling.h and on base/. */
#include "relayout/shape.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "metadata/layout_equal.h"
#include "metadata/rules.h"
#include "metadata/tiling.h"
#include "metadata/widths.h"

static bool is_valid(const relayout_shape *shape) {
  return relayout_shape_validate(shape, NULL) == RELAYOUT_OK;
}

/* ---- Making shapes -------------------------------------------------------------------------- */

relayout_status relayout_shape_make(relayout_element_type type, int32_t rank,
                                    const int64_t *dimensions, relayout_shape *shape,
                                    relayout_error *error) {
  if (shape == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "shape is NULL");
  }
  relayout_layout layout;
  const relayout_status status = relayout_layout_make_descending(rank, &layout, error);
  return status == RELAYOUT_OK
             ? relayout_shape_make_with_layout(type, rank, dimensions, &layout, shape, error)
             : status;
}

relayout_status relayout_shape_make_with_layout(relayout_element_type type, int32_t rank,
                                                const int64_t *dimensions,
                                                const relayout_layout *layout,
                                                relayout_shape *shape, relayout_error *error) {
  if (layout == NULL || shape == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    layout == NULL ? "layout" : "shape");
  }
  relayout_status status = rlt_check_rank(rank, "rank", error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (rank > 0 && dimensions == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "dimensions is NULL, but the rank is %d",
                    rank);
  }
  relayout_shape made = {.element_type = type, .rank = rank, .layout = *layout};
  for (int32_t d = 0; d < rank; ++d) {
    made.dimensions[d] = dimensions[d];
  }
  status = relayout_shape_validate(&made, error);
  if (status == RELAYOUT_OK) {
    *shape = made;
  }
  return status;
}

/* ---- Comparing ------------------------------------------------------------------------------ */

static bool equal_dimensions(const relayout_shape *a, const relayout_shape *b) {
  return a->rank == b->rank &&
         memcmp(a->dimensions, b->dimensions, (size_t)a->rank * sizeof a->dimensions[0]) == 0;
}

static size_t smaller_element(const relayout_shape *a, const relayout_shape *b) {
  const size_t of_a = relayout_element_type_byte_size(a->element_type);
  const size_t of_b = relayout_element_type_byte_size(b->element_type);
  return of_a < of_b ? of_a : of_b;
}

/* Of shapes of the same dimensions. */
static bool equal_but_tiles(const relayout_shape *a, const relayout_shape *b) {
  for (int32_t d = 0; d < a->rank; ++d) {
    if (rlt_padded_width(a, d) != rlt_padded_width(b, d)) {
      return false;
    }
  }
  return rlt_layout_equal_order(&a->layout, &b->layout) &&
         rlt_layout_equal_tail(&a->layout, &b->layout) &&
         rlt_custom_bits(a) == rlt_custom_bits(b) &&
         a->layout.packing_order == b->layout.packing_order &&
         a->layout.memory_space == b->layout.memory_space &&
         ((!relayout_shape_is_padded(a) && !relayout_shape_is_padded(b)) ||
          rlt_layout_equal_padding_value(&a->layout, &b->layout, smaller_element(a, b)));
}

static bool equal_layouts(const relayout_shape *a, const relayout_shape *b) {
  return equal_but_tiles(a, b) && rlt_layout_equal_tiles(&a->layout, &b->layout);
}

bool relayout_shape_equal(const relayout_shape *a, const relayout_shape *b) {
  return relayout_shape_equal_ignoring_layout(a, b) && equal_layouts(a, b);
}

bool relayout_shape_equal_ignoring_tiles(const relayout_shape *a, const relayout_shape *b) {
  return relayout_shape_equal_ignoring_layout(a, b) && equal_but_tiles(a, b);
}

bool relayout_shape_equal_ignoring_layout(const relayout_shape *a, const relayout_shape *b) {
  return relayout_shape_same_dimensions(a, b) && a->element_type == b->element_type;
}

bool relayout_shape_equal_ignoring_element_type(const relayout_shape *a, const relayout_shape *b) {
  return relayout_shape_same_dimensions(a, b) && equal_layouts(a, b);
}

bool relayout_shape_same_dimensions(const relayout_shape *a, const relayout_shape *b) {
  return is_valid(a) && is_valid(b) && equal_dimensions(a, b);
}

bool relayout_shape_compatible(const relayout_shape *a, const relayout_shape *b) {
  return relayout_shape_equal_ignoring_layout(a, b);
}

/* ---- Sizes ---------------------------------------------------------------------------------- */

int32_t relayout_shape_true_rank(const relayout_shape *shape) {
  if (!is_valid(shape)) {
    return 0;
  }
  int32_t count = 0;
  for (int32_t d = 0; d < shape->rank; ++d) {
    count += shape->dimensions[d] != 1;
  }
  return count;
}

relayout_status relayout_shape_dimension_number(const relayout_shape *shape, int64_t number,
                                                int32_t *dimension, relayout_error *error) {
  if (dimension == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "dimension is NULL");
  }
  const relayout_status status = relayout_shape_validate(shape, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (number < -shape->rank || number >= shape->rank) {
    return rlt_fail(error, RELAYOUT_OUT_OF_RANGE,
                    "dimension number is %" PRId64 ", out of range for a shape of %d dimensions",
                    number, shape->rank);
  }
  *dimension = (int32_t)(number < 0 ? number + shape->rank : number);
  return RELAYOUT_OK;
}

relayout_status relayout_shape_dimension(const relayout_shape *shape, int64_t number, int64_t *size,
                                         relayout_error *error) {
  if (size == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "size is NULL");
  }
  int32_t dimension = 0;
  const relayout_status status = relayout_shape_dimension_number(shape, number, &dimension, error);
  if (status == RELAYOUT_OK) {
    *size = shape->dimensions[dimension];
  }
  return status;
}

int64_t relayout_shape_padded_dimension(const relayout_shape *shape, int32_t d) {
  return is_valid(shape) && d >= 0 && d < shape->rank ? rlt_padded_width(shape, d) : 0;
}

bool relayout_shape_is_padded(const relayout_shape *shape) {
  int64_t physical = 0;
  return relayout_shape_physical_element_count(shape, &physical, NULL) == RELAYOUT_OK &&
         (rlt_is_widened(shape) || physical > relayout_shape_element_count(shape));
}

int64_t relayout_shape_element_count(const relayout_shape *shape) {
  if (!is_valid(shape)) {
    return 0;
  }
  int64_t count = 1;
  for (int32_t d = 0; d < shape->rank; ++d) {
    count *= shape->dimensions[d];
  }
  return count;
}

relayout_status relayout_shape_physical_element_count(const relayout_shape *shape, int64_t *count,
                                                      relayout_error *error) {
  if (count == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "count is NULL");
  }
  const relayout_status status = relayout_shape_validate(shape, error);
  if (status == RELAYOUT_OK) {
    rlt_tiling tiling;
    rlt_tiling_make(shape, &tiling, NULL);
    *count = tiling.held;
  }
  return status;
}

/* Of so many elements, each in what the shape's take. */
static size_t bytes_of(const relayout_shape *shape, int64_t count) {
  const int64_t bits = rlt_element_bits(shape);
  return (size_t)(count / 8 * bits + rlt_divide_up(count % 8 * bits, 8));
}

relayout_status relayout_shape_byte_size(const relayout_shape *shape, size_t *bytes,
                                         relayout_error *error) {
  if (bytes == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "bytes is NULL");
  }
  int64_t count = 0;
  const relayout_status status = relayout_shape_physical_element_count(shape, &count, error);
  if (status == RELAYOUT_OK) {
    *bytes = bytes_of(shape, count);
  }
  return status;
}

relayout_status relayout_shape_padding_byte_size(const relayout_shape *shape, size_t *bytes,
                                                 relayout_error *error) {
  size_t held = 0;
  const relayout_status status =
      relayout_shape_byte_size(shape, bytes == NULL ? NULL : &held, error);
  if (status == RELAYOUT_OK) {
    *bytes = held - bytes_of(shape, relayout_shape_element_count(shape));
  }
  return status;
}

static int64_t physical_dimension(const relayout_shape *shape, const rlt_tiling *tiling,
                                  int32_t position) {
  if (shape->layout.tile_count == 0) {
    return rlt_padded_width(shape, shape->layout.minor_to_major[shape->rank - 1 - position]);
  }
  return position == 0 && tiling->elements == 0 ? 0 : tiling->digits[position].size;
}

relayout_status relayout_shape_physical_dimensions(const relayout_shape *shape, size_t capacity,
                                                   int64_t *dimensions, size_t *count,
                                                   relayout_error *error) {
  if (count == NULL || (dimensions == NULL && capacity > 0)) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    count == NULL ? "count" : "dimensions");
  }
  const relayout_status status = relayout_shape_validate(shape, error);
  if (status == RELAYOUT_OK) {
    rlt_tiling tiling;
    rlt_tiling_make(shape, &tiling, NULL);
    *count = (size_t)tiling.digit_count;
    for (size_t i = 0; i < *count && i < capacity; ++i) {
      dimensions[i] = physical_dimension(shape, &tiling, (int32_t)i);
    }
  }
  return status;
}

relayout_status relayout_shape_strides(const relayout_shape *shape, int64_t *strides,
                                       relayout_error *error) {
  const relayout_status status = rlt_check_strided(shape, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (shape->rank > 0 && strides == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "strides is NULL");
  }
  rlt_strides(shape, strides);
  return RELAYOUT_OK;
}
