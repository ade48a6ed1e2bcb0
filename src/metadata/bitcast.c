/* bitcast.c: whether a transpose or a reshape leaves every byte where it is.
 *
 * Depends on rules.h and on the comparison of layouts.
 */
#include <string.h>

#include "metadata/layout_equal.h"
#include "metadata/rules.h"
#include "metadata/widths.h"
#include "relayout/shape.h"

static bool agree(const relayout_shape *input, const relayout_shape *output,
                  const int32_t *permutation) {
  for (int32_t i = 0; i < output->rank; ++i) {
    const int32_t d = permutation[i];
    if (output->dimensions[i] != input->dimensions[d] ||
        rlt_padded_width(output, i) != rlt_padded_width(input, d)) {
      return false;
    }
  }
  return true;
}

/* Elements take as many bits in the same order, and both arrays as many of them. */
static bool is_same_room(const relayout_shape *a, const relayout_shape *b) {
  int64_t of_a = 0;
  int64_t of_b = 0;
  return a->element_type == b->element_type && rlt_element_bits(a) == rlt_element_bits(b) &&
         a->layout.packing_order == b->layout.packing_order &&
         relayout_shape_physical_element_count(a, &of_a, NULL) == RELAYOUT_OK &&
         relayout_shape_physical_element_count(b, &of_b, NULL) == RELAYOUT_OK && of_a == of_b;
}

/* Tiles lie over physical positions, so with them the order has to be the same throughout. */
static bool has_same_order(const relayout_shape *input, const relayout_shape *output,
                           const int32_t *permutation) {
  for (int32_t i = 0; i < output->rank; ++i) {
    if (permutation[output->layout.minor_to_major[i]] != input->layout.minor_to_major[i]) {
      return false;
    }
  }
  return true;
}

bool relayout_shape_transpose_is_bitcast(const relayout_shape *input, const relayout_shape *output,
                                         const int32_t *permutation) {
  if (relayout_shape_validate(input, NULL) != RELAYOUT_OK ||
      relayout_shape_validate(output, NULL) != RELAYOUT_OK ||
      (input->rank > 0 && permutation == NULL) || input->rank != output->rank ||
      rlt_check_permutation(input->rank, permutation, "permutation", RELAYOUT_INVALID_ARGUMENT,
                            NULL) != RELAYOUT_OK ||
      !agree(input, output, permutation) || !is_same_room(input, output) ||
      !rlt_layout_equal_tiles(&input->layout, &output->layout)) {
    return false;
  }
  if (input->layout.tile_count > 0) {
    return has_same_order(input, output, permutation);
  }
  if (relayout_shape_element_count(input) == 0) {
    return true;
  }
  int64_t from[RELAYOUT_MAX_RANK];
  int64_t to[RELAYOUT_MAX_RANK];
  rlt_strides(input, from);
  rlt_strides(output, to);
  for (int32_t i = 0; i < output->rank; ++i) {
    if (output->dimensions[i] > 1 && to[i] != from[permutation[i]]) {
      return false;
    }
  }
  return true;
}

/* The dimensions from the last to the first, those of size 1 left out, and each fused with the one
 * before it where its stride goes on where that one ends. For an array that has elements it is the
 * one shortest list that gives the same place for each element's number in logical order: of two
 * arrays these lists are equal just when their elements lie in the same order. */
typedef struct digits {
  int32_t count;
  struct {
    int64_t extent;
    int64_t stride;
  } of[RELAYOUT_MAX_RANK];
} digits;

static digits fused_digits(const relayout_shape *shape) {
  digits list = {0};
  int64_t strides[RELAYOUT_MAX_RANK];
  rlt_strides(shape, strides);
  for (int32_t d = shape->rank - 1; d >= 0; --d) {
    const int64_t extent = shape->dimensions[d];
    if (extent == 1) {
      continue;
    }
    const int32_t last = list.count - 1;
    if (last >= 0 && strides[d] == list.of[last].extent * list.of[last].stride) {
      list.of[last].extent *= extent;
      continue;
    }
    list.of[list.count].extent = extent;
    list.of[list.count++].stride = strides[d];
  }
  return list;
}

/* One element follows the other; what the tail adds comes behind them. */
static bool is_dense(const relayout_shape *shape) {
  return shape->layout.tile_count == 0 && !rlt_is_widened(shape);
}

bool relayout_shape_reshape_is_bitcast(const relayout_shape *input, const relayout_shape *output) {
  if (relayout_shape_validate(input, NULL) != RELAYOUT_OK ||
      relayout_shape_validate(output, NULL) != RELAYOUT_OK) {
    return false;
  }
  if (!is_dense(input) || !is_dense(output)) {
    return relayout_shape_equal(input, output);
  }
  const int64_t count = relayout_shape_element_count(input);
  if (!is_same_room(input, output) || count != relayout_shape_element_count(output)) {
    return false;
  }
  if (count == 0) {
    return true;
  }
  const digits from = fused_digits(input); /* zero behind the last one */
  const digits to = fused_digits(output);
  return from.count == to.count && memcmp(from.of, to.of, sizeof from.of) == 0;
}
