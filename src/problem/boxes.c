/* boxes.c: the digits of a dimension, and the boxes in which they are independent. */
#include "problem/boxes.h"

#include "base/checked.h"

/* ---- Levels ---- */

/* Inserts a weight in ascending order, each once. */
static bool add_weight(rlt_levels *levels, int64_t weight) {
  int32_t at = 0;
  while (at < levels->count && levels->weights[at] < weight) {
    ++at;
  }
  if (at < levels->count && levels->weights[at] == weight) {
    return true;
  }
  if (levels->count == RLT_MOST_LEVELS) {
    return false;
  }
  for (int32_t l = levels->count++; l > at; --l) {
    levels->weights[l] = levels->weights[l - 1];
  }
  levels->weights[at] = weight;
  return true;
}

static bool add_weights(const rlt_factors *factors, int32_t dimension, rlt_levels *levels) {
  for (int32_t i = 0; i < factors->count; ++i) {
    const rlt_factor *const factor = &factors->of[i];
    if (factor->dimension == dimension && factor->extent > 1 &&
        !add_weight(levels, factor->weight)) {
      return false;
    }
  }
  return true;
}

/* The stride of a step of `weight` along the dimension: it belongs to one factor. The step is never
 * taken if the side ends before it. */
static int64_t stride_of(const rlt_factors *factors, int32_t dimension, int64_t weight) {
  const rlt_factor *best = NULL;
  for (int32_t i = 0; i < factors->count; ++i) {
    const rlt_factor *const factor = &factors->of[i];
    if (factor->dimension == dimension && factor->weight <= weight && factor->extent > 1 &&
        (best == NULL || factor->weight > best->weight)) {
      best = factor;
    }
  }
  if (best == NULL || weight / best->weight >= best->extent) {
    return 0;
  }
  return weight / best->weight * best->stride;
}

bool rlt_levels_make(const rlt_factors *source, const rlt_factors *destination, int32_t dimension,
                     rlt_levels *levels) {
  levels->count = 1;
  levels->weights[0] = 1;
  if (!add_weights(source, dimension, levels) || !add_weights(destination, dimension, levels)) {
    return false;
  }
  for (int32_t l = 0; l < levels->count; ++l) {
    const int64_t weight = levels->weights[l];
    if (l > 0 && weight % levels->weights[l - 1] != 0) {
      return false;
    }
    levels->source_strides[l] = stride_of(source, dimension, weight);
    levels->destination_strides[l] = stride_of(destination, dimension, weight);
  }
  return true;
}

/* ---- Boxes ---- */

/* The state while boxes are made: all of them have the same ranges of the levels above. */
typedef struct making {
  const rlt_levels *levels;
  rlt_digit_range above[RLT_MOST_LEVELS];
  rlt_digit_boxes *boxes;
} making;

/* Adds one box: a range of this level, and everything of the levels below it. */
static void add_box(making *at, int32_t level, rlt_digit_range range) {
  if (range.extent == 0) {
    return;
  }
  rlt_digit_range *const box = at->boxes->of[at->boxes->count++];
  for (int32_t l = 0; l < at->levels->count; ++l) {
    box[l] = at->above[l];
  }
  for (int32_t l = 0; l < level; ++l) {
    const int64_t extent = at->levels->weights[l + 1] / at->levels->weights[l];
    box[l] = (rlt_digit_range){0, extent, extent};
  }
  box[level] = range;
}

/* Cuts first .. written-1, in digits up to this level. */
static void add_boxes(making *at, int32_t level, int64_t first, int64_t valid, int64_t written);

/* Cuts from this step on: whole steps with a source come first, then the step in which the source
 * ends together with those after it, then a partial last step by itself. */
static void add_steps(making *at, int32_t level, int64_t step, int64_t valid, int64_t written) {
  const int64_t weight = at->levels->weights[level];
  const int64_t whole = valid / weight;
  const int64_t steps = written / weight;
  const int64_t rest = whole < step ? 0 : valid % weight;
  if (rest == 0) {
    add_box(at, level, (rlt_digit_range){step, steps - step, rlt_max(whole - step, 0)});
  } else {
    add_box(at, level, (rlt_digit_range){step, whole - step, whole - step});
  }
  if (rest > 0 && steps > whole) {
    at->above[level] = (rlt_digit_range){whole, steps - whole, 1};
    add_boxes(at, level - 1, 0, rest, weight);
  }
  if (written % weight != 0) {
    at->above[level] = (rlt_digit_range){steps, 1, 1};
    add_boxes(at, level - 1, 0, rlt_max(valid - steps * weight, 0), written % weight);
  }
}

/* A partial first step is a box by itself. */
static void add_boxes(making *at, int32_t level, int64_t first, int64_t valid, int64_t written) {
  const int64_t weight = at->levels->weights[level];
  const int64_t step = first / weight;
  if (first % weight != 0) {
    const int64_t before = step * weight;
    at->above[level] = (rlt_digit_range){step, 1, 1};
    add_boxes(at, level - 1, first % weight, rlt_min(valid - before, weight),
              rlt_min(written - before, weight));
  }
  if (rlt_divide_up(first, weight) * weight < written) {
    add_steps(at, level, rlt_divide_up(first, weight), valid, written);
  }
}

void rlt_digit_boxes_make(const rlt_levels *levels, int64_t first, int64_t valid, int64_t written,
                          rlt_digit_boxes *boxes) {
  making at = {.levels = levels, .boxes = boxes};
  boxes->count = 0;
  add_boxes(&at, levels->count - 1, first, valid, written);
}
