/* index_program.c: writes the changes that tiles make to an index as a program,
 * forwards and backwards. Depends on tiling.h. */
#include "metadata/index_program.h"

#include "metadata/tiling.h"
#include "metadata/widths.h"

/* One more number than there are digits, for the constant 0. */
_Static_assert(RELAYOUT_MAX_RANK + RELAYOUT_MAX_TILE_DIMENSIONS + 2 < RLT_MOST_NUMBERS,
               "numbers for every layout");

/* Of each change at most two operations in either direction, and at most three a dimension. */
_Static_assert(4 * RLT_MOST_CHANGES + 3 * RELAYOUT_MAX_RANK <= RLT_MOST_INDEX_OPS,
               "operations for every two layouts");

static void append(rlt_index_program *program, rlt_index_op_kind kind, int32_t to, int32_t from,
                   int64_t size) {
  program->of[program->count++] =
      (rlt_index_op){.kind = (int32_t)kind, .to = to, .from = from, .size = size};
}

void rlt_index_program_bound(rlt_index_program *program, int32_t number, int64_t size) {
  append(program, RLT_INDEX_BOUND, number, 0, size);
}

/* All digits merged into one. In an array without elements a program ends at once. */
static void make_joined(const relayout_shape *shape, rlt_tiling *tiling,
                        rlt_index_program *program) {
  rlt_tiling_make(shape, tiling, NULL); /* of a valid shape */
  rlt_tiling_join(tiling);
  if (tiling->elements == 0) {
    rlt_index_program_bound(program, 0, 0);
  }
}

/* Sets a number to 0, the remainder of another one divided by 1. */
static void append_zero(rlt_index_program *program, int32_t number, int32_t other) {
  append(program, RLT_INDEX_SPLIT, number, other, 1);
}

static void append_change(rlt_index_program *program, const rlt_change *change, int32_t zero) {
  if (change->kind == RLT_CHANGE_SPLIT) {
    append(program, RLT_INDEX_SPLIT, change->minor, change->major, change->size);
  } else if (change->kind == RLT_CHANGE_MERGE) {
    const bool is_zero = change->minor == RLT_NO_NUMBER;
    if (is_zero) {
      append_zero(program, zero, change->major);
    }
    append(program, RLT_INDEX_JOIN, change->major, is_zero ? zero : change->minor, change->size);
  }
}

void rlt_index_program_to_linear(const relayout_shape *shape, rlt_index_program *program) {
  rlt_tiling tiling;
  make_joined(shape, &tiling, program);
  const int32_t zero = tiling.number_count;
  for (int32_t i = 0; i < tiling.change_count; ++i) {
    append_change(program, &tiling.changes[i], zero);
  }
  program->result = tiling.digits[0].number;
  if (program->result == RLT_NO_NUMBER) {
    append_zero(program, zero, 0);
    program->result = zero;
  }
}

/* The way back of one change. A digit that is 0 for every element has no number of its own: it is
 * found in `rest`, and where it is not 0 the position is padding's. */
static void append_inverse(rlt_index_program *program, const rlt_change *change, int32_t rest) {
  const bool is_zero = change->minor == RLT_NO_NUMBER;
  switch (change->kind) {
  case RLT_CHANGE_SPLIT:
    append(program, RLT_INDEX_JOIN, change->major, change->minor, change->size);
    if (change->bound % change->size != 0) {
      rlt_index_program_bound(program, change->major, change->bound);
    }
    return;
  case RLT_CHANGE_MERGE:
    append(program, RLT_INDEX_SPLIT, is_zero ? rest : change->minor, change->major, change->size);
    if (is_zero) {
      rlt_index_program_bound(program, rest, 1);
    }
    return;
  default:
    rlt_index_program_bound(program, change->major, change->bound);
    return;
  }
}

/* Dimensions of size 1 are no digits. That of number 0, which holds the linear index,
 * becomes 0 when that moves on. */
static void append_zeros(rlt_index_program *program, const relayout_shape *shape) {
  for (int32_t d = 1; d < shape->rank; ++d) {
    if (rlt_padded_width(shape, d) == 1) {
      append_zero(program, d, 0);
    }
  }
}

void rlt_index_program_from_linear(const relayout_shape *shape, rlt_index_program *program) {
  rlt_tiling tiling;
  make_joined(shape, &tiling, program);
  const int32_t linear = tiling.digits[0].number;
  append_zeros(program, shape);
  if (linear == RLT_NO_NUMBER) {
    rlt_index_program_bound(program, 0, 1);
    return;
  }
  if (tiling.held > tiling.elements) {
    rlt_index_program_bound(program, 0, tiling.elements);
  }
  if (linear != 0) {
    append(program, RLT_INDEX_SPLIT, linear, 0, tiling.digits[0].size);
  }
  for (int32_t i = tiling.change_count - 1; i >= 0; --i) {
    append_inverse(program, &tiling.changes[i], tiling.number_count);
  }
}

void rlt_index_program_sum(int32_t count, const int64_t *factors, int64_t divisor, int32_t to,
                           rlt_index_program *program) {
  append_zero(program, to, 0);
  for (int32_t i = 0; i < count; ++i) {
    append(program, RLT_INDEX_ADD, to, i, factors[i] / divisor);
  }
}

void rlt_index_program_multiply(rlt_index_program *program, int32_t number, int64_t factor) {
  const int32_t zero = number + 1;
  append_zero(program, zero, number);
  append(program, RLT_INDEX_JOIN, number, zero, factor);
}
