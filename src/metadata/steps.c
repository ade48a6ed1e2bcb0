/* steps.c: writes the changes that tiles make to an index as steps, forwards and backwards.
 *
 * Depends on tiling.h and on base/.
 */
#include "metadata/steps.h"

#include "base/error.h"
#include "metadata/tiling.h"
#include "metadata/widths.h"

/* One more number than there are digits, for the constant 0. */
_Static_assert(RELAYOUT_MAX_RANK + RELAYOUT_MAX_TILE_DIMENSIONS + 2 < RLT_MOST_NUMBERS,
               "numbers for every layout");

/* Of each change at most two steps forwards and two backwards, and at most three a dimension. */
_Static_assert(4 * RLT_MOST_CHANGES + 3 * RELAYOUT_MAX_RANK <= RLT_MOST_STEPS,
               "steps for every two layouts");

/* Counts also what does not fit, which check_room refuses. */
static void append(rlt_steps *steps, rlt_step_kind kind, int32_t to, int32_t from, int64_t size) {
  if (steps->count < RLT_MOST_STEPS) {
    steps->of[steps->count] =
        (rlt_step){.kind = (int32_t)kind, .to = to, .from = from, .size = size};
  }
  ++steps->count;
}

static relayout_status check_room(rlt_steps *steps, relayout_error *error) {
  if (steps->count > RLT_MOST_STEPS) {
    steps->count = RLT_MOST_STEPS;
    return rlt_fail(error, RELAYOUT_UNSUPPORTED, "the layouts take more than %d steps",
                    RLT_MOST_STEPS);
  }
  return RELAYOUT_OK;
}

relayout_status rlt_steps_bound(rlt_steps *steps, int32_t number, int64_t size,
                                relayout_error *error) {
  append(steps, RLT_STEP_BOUND, number, 0, size);
  return check_room(steps, error);
}

/* All digits merged into one. An array without elements has no steps to take: they end at once. */
static relayout_status make_joined(const relayout_shape *shape, rlt_tiling *tiling,
                                   rlt_steps *steps, relayout_error *error) {
  const relayout_status status = rlt_tiling_make(shape, tiling, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  rlt_tiling_join(tiling);
  if (tiling->elements == 0) {
    append(steps, RLT_STEP_BOUND, 0, 0, 0);
  }
  return RELAYOUT_OK;
}

/* Sets a number to 0, the remainder of another one divided by 1. */
static void append_zero(rlt_steps *steps, int32_t number, int32_t other) {
  append(steps, RLT_STEP_SPLIT, number, other, 1);
}

static void append_change(rlt_steps *steps, const rlt_change *change, int32_t zero) {
  if (change->kind == RLT_CHANGE_SPLIT) {
    append(steps, RLT_STEP_SPLIT, change->minor, change->major, change->size);
  } else if (change->kind == RLT_CHANGE_MERGE) {
    const bool is_zero = change->minor == RLT_NO_NUMBER;
    if (is_zero) {
      append_zero(steps, zero, change->major);
    }
    append(steps, RLT_STEP_JOIN, change->major, is_zero ? zero : change->minor, change->size);
  }
}

relayout_status rlt_steps_to_linear(const relayout_shape *shape, rlt_steps *steps,
                                    relayout_error *error) {
  rlt_tiling tiling;
  const relayout_status status = make_joined(shape, &tiling, steps, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const int32_t zero = tiling.number_count;
  for (int32_t i = 0; i < tiling.change_count; ++i) {
    append_change(steps, &tiling.changes[i], zero);
  }
  steps->result = tiling.digits[0].number;
  if (steps->result == RLT_NO_NUMBER) {
    append_zero(steps, zero, 0);
    steps->result = zero;
  }
  return check_room(steps, error);
}

/* The way back of one change. A digit that is 0 for every element has no number of its own: it is
 * found in `rest`, and where it is not 0 the position is padding's. */
static void append_inverse(rlt_steps *steps, const rlt_change *change, int32_t rest) {
  const bool is_zero = change->minor == RLT_NO_NUMBER;
  switch (change->kind) {
  case RLT_CHANGE_SPLIT:
    append(steps, RLT_STEP_JOIN, change->major, change->minor, change->size);
    if (change->bound % change->size != 0) {
      append(steps, RLT_STEP_BOUND, change->major, 0, change->bound);
    }
    return;
  case RLT_CHANGE_MERGE:
    append(steps, RLT_STEP_SPLIT, is_zero ? rest : change->minor, change->major, change->size);
    if (is_zero) {
      append(steps, RLT_STEP_BOUND, rest, 0, 1);
    }
    return;
  default:
    append(steps, RLT_STEP_BOUND, change->major, 0, change->bound);
    return;
  }
}

/* Dimensions of size 1 are no digits. That of number 0, which holds the linear index,
 * becomes 0 when that moves on. */
static void append_zeros(rlt_steps *steps, const relayout_shape *shape) {
  for (int32_t d = 1; d < shape->rank; ++d) {
    if (rlt_padded_width(shape, d) == 1) {
      append_zero(steps, d, 0);
    }
  }
}

relayout_status rlt_steps_from_linear(const relayout_shape *shape, rlt_steps *steps,
                                      relayout_error *error) {
  rlt_tiling tiling;
  const relayout_status status = make_joined(shape, &tiling, steps, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const int32_t linear = tiling.digits[0].number;
  append_zeros(steps, shape);
  if (linear == RLT_NO_NUMBER) {
    append(steps, RLT_STEP_BOUND, 0, 0, 1);
    return check_room(steps, error);
  }
  if (tiling.held > tiling.elements) {
    append(steps, RLT_STEP_BOUND, 0, 0, tiling.elements);
  }
  if (linear != 0) {
    append(steps, RLT_STEP_SPLIT, linear, 0, tiling.digits[0].size);
  }
  for (int32_t i = tiling.change_count - 1; i >= 0; --i) {
    append_inverse(steps, &tiling.changes[i], tiling.number_count);
  }
  return check_room(steps, error);
}

relayout_status rlt_steps_sum(int32_t count, const int64_t *factors, int32_t to, rlt_steps *steps,
                              relayout_error *error) {
  append_zero(steps, to, 0);
  for (int32_t i = 0; i < count; ++i) {
    append(steps, RLT_STEP_ADD, to, i, factors[i]);
  }
  return check_room(steps, error);
}

relayout_status rlt_steps_multiply(rlt_steps *steps, int32_t number, int64_t factor,
                                   relayout_error *error) {
  const int32_t zero = number + 1;
  append_zero(steps, zero, number);
  append(steps, RLT_STEP_JOIN, number, zero, factor);
  return check_room(steps, error);
}

bool rlt_steps_run(const rlt_steps *steps, int64_t numbers[RLT_MOST_NUMBERS]) {
  for (int32_t i = 0; i < steps->count; ++i) {
    const rlt_step *const step = &steps->of[i];
    int64_t *const to = &numbers[step->to];
    int64_t *const from = &numbers[step->from];
    switch ((rlt_step_kind)step->kind) {
    case RLT_STEP_SPLIT:
      *to = *from % step->size;
      *from /= step->size;
      break;
    case RLT_STEP_JOIN:
      *to = *to * step->size + *from;
      break;
    case RLT_STEP_ADD:
      *to += *from * step->size;
      break;
    default:
      if (*to >= step->size) {
        return false;
      }
    }
  }
  return true;
}
