/* shape_dimensions.c: shapes with their dimensions permuted, removed and added, the layout
 * following so that elements stay where they are.
 *
 * Depends on rules.h and on base/.
 */
#include "base/error.h"
#include "metadata/rules.h"
#include "metadata/widths.h"
#include "relayout/shape.h"

static relayout_status check(const relayout_shape *shape, const relayout_shape *result,
                             relayout_error *error) {
  if (result == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "result is NULL");
  }
  return relayout_shape_validate(shape, error);
}

static relayout_status check_without_tiles(const relayout_shape *shape,
                                           const relayout_shape *result, relayout_error *error) {
  const relayout_status status = check(shape, result, error);
  if (status == RELAYOUT_OK && shape->layout.tile_count > 0) {
    return rlt_fail(
        error, RELAYOUT_UNSUPPORTED,
        "the layout has %d tiles; dimensions of tiled layouts cannot be added, removed or changed",
        shape->layout.tile_count);
  }
  return status;
}

/* A shape of `rank` dimensions, all else but dimensions and order being that of `shape`. */
static relayout_shape with_rank(const relayout_shape *shape, int32_t rank) {
  relayout_shape made = {.element_type = shape->element_type, .rank = rank};
  made.layout = shape->layout;
  made.layout.rank = rank;
  if (shape->layout.padded_dimension_count > 0) {
    made.layout.padded_dimension_count = rank;
  }
  return made;
}

/* Dimension `to` of `result` becomes dimension `from` of `shape`. */
static void copy_dimension(const relayout_shape *shape, int32_t from, relayout_shape *result,
                           int32_t to) {
  result->dimensions[to] = shape->dimensions[from];
  if (shape->layout.padded_dimension_count > 0) {
    result->layout.padded_dimensions[to] = shape->layout.padded_dimensions[from];
  }
}

/* Of a valid shape and permutation. */
static relayout_shape permuted(const relayout_shape *shape, const int32_t *permutation) {
  relayout_shape made = with_rank(shape, shape->rank);
  int32_t number[RELAYOUT_MAX_RANK]; /* in the result, by number in the shape */
  for (int32_t i = 0; i < shape->rank; ++i) {
    copy_dimension(shape, permutation[i], &made, i);
    number[permutation[i]] = i;
  }
  for (int32_t i = 0; i < shape->rank; ++i) {
    made.layout.minor_to_major[i] = number[shape->layout.minor_to_major[i]];
  }
  return made;
}

/* Of a valid shape, without the dimensions whose bit is set. */
static relayout_shape without(const relayout_shape *shape, uint64_t removed) {
  int32_t number[RELAYOUT_MAX_RANK]; /* in the result, by number in the shape */
  int32_t rank = 0;
  for (int32_t d = 0; d < shape->rank; ++d) {
    number[d] = rank;
    rank += (removed >> d & 1) == 0;
  }
  relayout_shape made = with_rank(shape, rank);
  int32_t position = 0;
  for (int32_t i = 0; i < shape->rank; ++i) {
    const int32_t d = shape->layout.minor_to_major[i];
    if ((removed >> d & 1) == 0) {
      copy_dimension(shape, d, &made, number[d]);
      made.layout.minor_to_major[position++] = number[d];
    }
  }
  return made;
}

relayout_status relayout_shape_make_descending_same_physical(const relayout_shape *shape,
                                                             relayout_shape *result,
                                                             relayout_error *error) {
  const relayout_status status = check(shape, result, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  int32_t major_to_minor[RELAYOUT_MAX_RANK];
  for (int32_t i = 0; i < shape->rank; ++i) {
    major_to_minor[i] = shape->layout.minor_to_major[shape->rank - 1 - i];
  }
  *result = permuted(shape, major_to_minor);
  return RELAYOUT_OK;
}

relayout_status relayout_shape_permute_dimensions(const relayout_shape *shape,
                                                  const int32_t *permutation,
                                                  relayout_shape *result, relayout_error *error) {
  relayout_status status = check_without_tiles(shape, result, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (shape->rank > 0 && permutation == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "permutation is NULL");
  }
  status = rlt_check_permutation(shape->rank, permutation, "permutation", RELAYOUT_INVALID_ARGUMENT,
                                 error);
  if (status == RELAYOUT_OK) {
    *result = permuted(shape, permutation);
  }
  return status;
}

relayout_status relayout_shape_delete_dimension(const relayout_shape *shape, int64_t number,
                                                relayout_shape *result, relayout_error *error) {
  relayout_status status = check_without_tiles(shape, result, error);
  int32_t dimension = 0;
  if (status == RELAYOUT_OK) {
    status = relayout_shape_dimension_number(shape, number, &dimension, error);
  }
  if (status == RELAYOUT_OK) {
    *result = without(shape, UINT64_C(1) << dimension);
  }
  return status;
}

relayout_status relayout_shape_insert_dimension(const relayout_shape *shape, int32_t at,
                                                int64_t size, relayout_shape *result,
                                                relayout_error *error) {
  relayout_status status = check_without_tiles(shape, result, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (at < 0 || at > shape->rank) {
    return rlt_fail(error, RELAYOUT_OUT_OF_RANGE,
                    "at is %d, out of range for a shape of %d dimensions", at, shape->rank);
  }
  if (shape->rank == RELAYOUT_MAX_RANK) {
    return rlt_fail(error, RELAYOUT_INVALID_SHAPE,
                    "the shape has %d dimensions already, the most that are supported",
                    shape->rank);
  }
  relayout_shape made = with_rank(shape, shape->rank + 1);
  made.dimensions[at] = size;
  made.layout.padded_dimensions[at] = size;
  for (int32_t d = 0; d < shape->rank; ++d) {
    copy_dimension(shape, d, &made, d < at ? d : d + 1);
  }
  const bool appended = at == shape->rank;
  for (int32_t i = 0; i < shape->rank; ++i) {
    const int32_t d = shape->layout.minor_to_major[i];
    made.layout.minor_to_major[appended ? i + 1 : i] = d < at ? d : d + 1;
  }
  made.layout.minor_to_major[appended ? 0 : shape->rank] = at;
  status = relayout_shape_validate(&made, error);
  if (status == RELAYOUT_OK) {
    *result = made;
  }
  return status;
}

relayout_status relayout_shape_move_dimension(const relayout_shape *shape, int64_t number,
                                              int64_t to, relayout_shape *result,
                                              relayout_error *error) {
  relayout_status status = check_without_tiles(shape, result, error);
  int32_t moved = 0;
  int32_t target = 0;
  if (status == RELAYOUT_OK) {
    status = relayout_shape_dimension_number(shape, number, &moved, error);
  }
  if (status == RELAYOUT_OK) {
    status = relayout_shape_dimension_number(shape, to, &target, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  int32_t permutation[RELAYOUT_MAX_RANK];
  int32_t other = 0;
  for (int32_t i = 0; i < shape->rank; ++i) {
    if (i == target) {
      permutation[i] = moved;
      continue;
    }
    other += other == moved;
    permutation[i] = other++;
  }
  *result = permuted(shape, permutation);
  return RELAYOUT_OK;
}

relayout_status relayout_shape_drop_degenerate_dimensions(const relayout_shape *shape,
                                                          relayout_shape *result,
                                                          relayout_error *error) {
  const relayout_status status = check_without_tiles(shape, result, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  uint64_t degenerate = 0;
  for (int32_t d = 0; d < shape->rank; ++d) {
    const bool drops = shape->dimensions[d] == 1 && rlt_padded_width(shape, d) == 1;
    degenerate |= (uint64_t)drops << d;
  }
  *result = without(shape, degenerate);
  return RELAYOUT_OK;
}
