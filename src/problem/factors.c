/* factors.c: applies a layout's tiles to factors instead of sizes. */
#include "problem/factors.h"

#include <string.h>

#include "base/checked.h"
#include "metadata/widths.h"

static void append(rlt_number *to, rlt_factor factor) {
  to->of[to->count++] = factor;
}

/* Splits a factor into its first `inner` values, which repeat, and a factor that counts the
 * repetitions. */
static void split_factor(rlt_factor whole, int64_t inner, rlt_number *outer_number,
                         rlt_number *inner_number) {
  rlt_factor outer = whole;
  whole.is_last = false;
  whole.extent = inner;
  outer.weight *= inner;
  outer.extent = rlt_divide_up(outer.extent, inner);
  append(inner_number, whole);
  append(outer_number, outer);
}

/* Computes number / tile and number % tile, neither with more factors than the number has. Only the
 * number's last factor may be split into more values than it has, and only if it is the last factor
 * of its dimension too. */
static bool split_number(const rlt_number *whole, int64_t tile, rlt_number *outer,
                         rlt_number *inner) {
  *outer = (rlt_number){.count = 0};
  *inner = (rlt_number){.count = 0};
  int64_t left = tile; /* the tile's positions that remain for the next factors */
  for (int32_t i = 0; i < whole->count; ++i) {
    const rlt_factor factor = whole->of[i];
    const bool is_last = i == whole->count - 1;
    if (left == 1) {
      append(outer, factor);
    } else if (!is_last && left % factor.extent == 0) {
      left /= factor.extent;
      append(inner, factor);
    } else if (factor.extent % left == 0 || (is_last && factor.is_last)) {
      split_factor(factor, left, outer, inner);
      left = 1;
    } else {
      return false;
    }
  }
  return true;
}

/* Appends the factors of a more major number, except those that are always 0. */
static bool merge_into(const rlt_number *major, rlt_number *minor) {
  for (int32_t i = 0; i < major->count; ++i) {
    if (major->of[i].extent == 1) {
      continue;
    }
    if (minor->count == RLT_MOST_IN_NUMBER) {
      return false;
    }
    append(minor, major->of[i]);
  }
  return true;
}

/* A number that is always 0. It has a dimension of its own, because a tile may widen it. */
static bool make_one(rlt_numbers *all, rlt_number *made) {
  if (all->dimension_count == RLT_MOST_DIMENSIONS) {
    return false;
  }
  *made = (rlt_number){
      .count = 1,
      .of = {{.dimension = all->dimension_count++, .is_last = true, .weight = 1, .extent = 1}}};
  return true;
}

/* If a tile has more dimensions than there are numbers, numbers that are always 0 come before
 * them. */
static bool prepend_ones(rlt_numbers *all, int32_t wanted) {
  while (all->count < wanted) {
    memmove(&all->of[1], &all->of[0], (size_t)all->count * sizeof all->of[0]);
    if (!make_one(all, &all->of[0])) {
      return false;
    }
    ++all->count;
  }
  return true;
}

/* The last numbers, one for each of the tile's dimensions, except those that merge into the
 * next. */
static bool merge_numbers(rlt_numbers *all, const int64_t *tile, int32_t rank, int64_t *sizes,
                          int32_t *size_count) {
  const int32_t first = all->count - rank;
  int32_t kept = 0;
  rlt_number merged = {.count = 0};
  for (int32_t i = 0; i < rank; ++i) {
    rlt_number own = all->of[first + i];
    if (!merge_into(&merged, &own)) {
      return false;
    }
    merged = (rlt_number){.count = 0};
    if (tile[i] == RELAYOUT_TILE_COMBINE) {
      merged = own;
    } else {
      sizes[kept] = tile[i];
      all->of[first + kept++] = own;
    }
  }
  all->count = first + kept;
  *size_count = kept;
  return true;
}

static bool apply_tile(rlt_numbers *all, const int64_t *tile, int32_t rank) {
  int64_t sizes[RELAYOUT_MAX_TILE_DIMENSIONS];
  int32_t count = 0;
  if (!prepend_ones(all, rank) || !merge_numbers(all, tile, rank, sizes, &count) ||
      all->count + count > RLT_MOST_DIMENSIONS) {
    return false;
  }
  const int32_t first = all->count - count;
  for (int32_t i = 0; i < count; ++i) {
    const rlt_number whole = all->of[first + i];
    rlt_number *const inner = &all->of[all->count + i];
    if (!split_number(&whole, sizes[i], &all->of[first + i], inner) ||
        (inner->count == 0 && !make_one(all, inner))) {
      return false;
    }
  }
  all->count += count;
  return true;
}

static bool list_factors(const rlt_numbers *all, int64_t stride, rlt_factors *factors) {
  factors->dimension_count = all->dimension_count;
  factors->count = 0;
  for (int32_t i = all->count - 1; i >= 0; --i) {
    for (int32_t f = 0; f < all->of[i].count; ++f) {
      if (factors->count == RLT_MOST_FACTORS) {
        return false;
      }
      rlt_factor *const listed = &factors->of[factors->count++];
      *listed = all->of[i].of[f];
      listed->stride = stride;
      stride *= listed->extent;
    }
  }
  return true;
}

bool rlt_factors_of_layout(const relayout_shape *shape, int64_t words, rlt_numbers *all,
                           rlt_factors *factors) {
  const relayout_layout *const layout = &shape->layout;
  all->dimension_count = shape->rank;
  all->count = shape->rank;
  for (int32_t i = 0; i < shape->rank; ++i) {
    const int32_t d = layout->minor_to_major[shape->rank - 1 - i];
    all->of[i] = (rlt_number){
        .count = 1,
        .of = {
            {.dimension = d, .is_last = true, .weight = 1, .extent = rlt_padded_width(shape, d)}}};
  }
  const int64_t *tile = layout->tile_dimensions;
  for (int32_t i = 0; i < layout->tile_count; ++i) {
    if (!apply_tile(all, tile, layout->tile_ranks[i])) {
      return false;
    }
    tile += layout->tile_ranks[i];
  }
  return list_factors(all, words, factors);
}

void rlt_factors_of_strides(const relayout_shape *shape, const int64_t *byte_strides,
                            int64_t word_bytes, rlt_factors *factors) {
  factors->dimension_count = shape->rank;
  factors->count = shape->rank;
  for (int32_t d = 0; d < shape->rank; ++d) {
    factors->of[d] = (rlt_factor){.dimension = d,
                                  .is_last = true,
                                  .weight = 1,
                                  .extent = shape->dimensions[d],
                                  .stride = byte_strides[d] / word_bytes};
  }
}
