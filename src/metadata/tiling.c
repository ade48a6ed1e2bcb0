/* tiling.c: XLA's rules for tiles, applied to digits. Depends on base/. */
#include "metadata/tiling.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "metadata/widths.h"

static const rlt_digit always_zero = {.number = RLT_NO_NUMBER, .size = 1};

static bool is_found(rlt_digit digit) {
  return digit.number != RLT_NO_NUMBER;
}

static void note(rlt_tiling *tiling, rlt_change change) {
  tiling->changes[tiling->change_count++] = change;
}

static void note_widening(rlt_tiling *tiling, rlt_digit digit) {
  note(tiling, (rlt_change){RLT_CHANGE_WIDEN, .major = digit.number, .bound = digit.size});
}

static rlt_digit merge(rlt_tiling *tiling, rlt_digit major, rlt_digit minor) {
  rlt_digit both = {major.number, major.size * minor.size};
  if (!is_found(major)) {
    both.number = minor.number;
    if (is_found(minor) && major.size > 1) {
      note_widening(tiling, minor);
    }
  } else if (is_found(minor) || minor.size > 1) {
    note(tiling, (rlt_change){RLT_CHANGE_MERGE, .major = major.number, .minor = minor.number,
                              .size = minor.size});
  }
  return both;
}

/* Into the tile's number and the position in the tile. */
static void split(rlt_tiling *tiling, rlt_digit digit, int64_t size, rlt_digit *outer,
                  rlt_digit *inner) {
  *outer = (rlt_digit){digit.number, rlt_divide_up(digit.size, size)};
  *inner = (rlt_digit){RLT_NO_NUMBER, size};
  if (!is_found(digit) || size == 1) {
    return;
  }
  if (digit.size <= size) {
    inner->number = digit.number;
    outer->number = RLT_NO_NUMBER;
    if (digit.size < size) {
      note_widening(tiling, digit);
    }
    return;
  }
  inner->number = tiling->number_count++;
  note(tiling, (rlt_change){RLT_CHANGE_SPLIT, .major = digit.number, .minor = inner->number,
                            .size = size, .bound = digit.size});
}

/* Where a tile has more dimensions than there are, adds major ones of size 1. */
static void add_major_digits(rlt_tiling *tiling, int32_t count) {
  const int32_t missing = count - tiling->digit_count;
  if (missing <= 0) {
    return;
  }
  memmove(tiling->digits + missing, tiling->digits,
          (size_t)tiling->digit_count * sizeof tiling->digits[0]);
  for (int32_t i = 0; i < missing; ++i) {
    tiling->digits[i] = always_zero;
  }
  tiling->digit_count = count;
}

static void apply(rlt_tiling *tiling, const int64_t *tile, int32_t rank) {
  add_major_digits(tiling, rank);
  rlt_digit inner[RELAYOUT_MAX_TILE_DIMENSIONS];
  int32_t inner_count = 0;
  const int32_t first = tiling->digit_count - rank;
  rlt_digit digit = always_zero;
  for (int32_t i = 0; i < rank; ++i) {
    digit = merge(tiling, digit, tiling->digits[first + i]);
    if (tile[i] != RELAYOUT_TILE_COMBINE) {
      split(tiling, digit, tile[i], &tiling->digits[first + inner_count], &inner[inner_count]);
      ++inner_count;
      digit = always_zero;
    }
  }
  memcpy(tiling->digits + first + inner_count, inner, (size_t)inner_count * sizeof inner[0]);
  tiling->digit_count = first + 2 * inner_count;
}

/* The product of the digits' sizes; false when it is more than `most`. */
static bool count_elements(const rlt_tiling *tiling, int64_t most, int64_t *count) {
  *count = 1;
  for (int32_t i = 0; i < tiling->digit_count; ++i) {
    if (!rlt_multiply(*count, tiling->digits[i].size, count) || *count > most) {
      return false;
    }
  }
  return true;
}

/* That an array may hold. */
static int64_t most_elements(const relayout_shape *shape) {
  const int64_t most_bytes = rlt_min(RLT_MOST_BYTES, PTRDIFF_MAX);
  const int64_t packed = rlt_packed_bits(&shape->layout);
  return packed > 0 ? most_bytes / packed * 8 : most_bytes / (rlt_element_bits(shape) / 8);
}

__attribute__((format(printf, 3, 4))) static relayout_status
fail_large(relayout_error *error, const relayout_shape *shape, const char *format, ...) {
  char cause[RELAYOUT_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(cause, sizeof cause, format, arguments);
  va_end(arguments);
  return rlt_fail(error, RELAYOUT_SIZE_OVERFLOW,
                  "with %s, an array of %s exceeds %" PRId64 " elements", cause,
                  relayout_element_type_name(shape->element_type), most_elements(shape));
}

/* One digit a dimension, as wide as it is in memory. */
static relayout_status start(const relayout_shape *shape, rlt_tiling *tiling, bool *is_empty,
                             relayout_error *error) {
  const int64_t most = most_elements(shape);
  tiling->digit_count = shape->rank;
  tiling->number_count = shape->rank > 1 ? shape->rank : 1;
  tiling->change_count = 0;
  tiling->elements = 1;
  *is_empty = false;
  for (int32_t d = 0; d < shape->rank; ++d) {
    const int64_t width = rlt_padded_width(shape, d);
    *is_empty = *is_empty || width == 0;
    if (!rlt_multiply(tiling->elements, rlt_max(width, 1), &tiling->elements) ||
        tiling->elements > most) {
      return fail_large(error, shape, "%sdimensions[%d], which is %" PRId64,
                        shape->layout.padded_dimension_count == 0 ? "" : "padded_", d, width);
    }
  }
  for (int32_t i = 0; i < shape->rank; ++i) {
    const int32_t d = shape->layout.minor_to_major[shape->rank - 1 - i];
    const int64_t width = rlt_padded_width(shape, d);
    tiling->digits[i] = width > 1 ? (rlt_digit){d, width} : always_zero;
  }
  return RELAYOUT_OK;
}

/* Rounds up to the tail alignment. */
static relayout_status add_tail(const relayout_shape *shape, rlt_tiling *tiling,
                                relayout_error *error) {
  const int64_t alignment = rlt_max(shape->layout.tail_padding_alignment_in_elements, 1);
  if (!rlt_multiply(rlt_divide_up(tiling->elements, alignment), alignment, &tiling->held) ||
      tiling->held > most_elements(shape)) {
    return fail_large(error, shape, "tail_padding_alignment_in_elements, which is %" PRId64,
                      alignment);
  }
  return RELAYOUT_OK;
}

relayout_status rlt_tiling_make(const relayout_shape *shape, rlt_tiling *tiling,
                                relayout_error *error) {
  bool is_empty;
  const relayout_status status = start(shape, tiling, &is_empty, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const relayout_layout *const layout = &shape->layout;
  const int64_t *dimensions = layout->tile_dimensions;
  for (int32_t i = 0; i < layout->tile_count; ++i) {
    apply(tiling, dimensions, layout->tile_ranks[i]);
    dimensions += layout->tile_ranks[i];
    if (!count_elements(tiling, most_elements(shape), &tiling->elements)) {
      return fail_large(error, shape, "tile %d", i);
    }
  }
  if (is_empty) {
    tiling->elements = 0;
  }
  return add_tail(shape, tiling, error);
}

void rlt_tiling_join(rlt_tiling *tiling) {
  rlt_digit linear = always_zero;
  for (int32_t i = 0; i < tiling->digit_count; ++i) {
    linear = merge(tiling, linear, tiling->digits[i]);
  }
  tiling->digits[0] = linear;
  tiling->digit_count = 1;
}
