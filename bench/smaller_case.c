/* smaller_case.c: halving dimensions, of both sides alike. */
#include "smaller_case.h"

#include <stdint.h>

enum { MOST_KEPT = 256, INNERMOST_WEIGHT = 16 };

static int64_t half(int64_t length) {
  int64_t unit = length == 2 ? 1 : 2;
  while (unit < MOST_KEPT && 8 * unit <= length) {
    unit *= 2;
  }
  const int64_t rest = length % unit;
  return (length - rest) / 2 / unit * unit + rest;
}

static bool can_be_halved(int64_t length) {
  return half(length) > 0 && half(length) < length;
}

/* How many dimensions of more than one element are faster in memory. */
static int32_t count_faster(const relayout_shape *side, int32_t dimension) {
  int32_t count = 0;
  for (int32_t i = 0; side->layout.minor_to_major[i] != dimension; ++i) {
    count += side->dimensions[side->layout.minor_to_major[i]] > 1;
  }
  return count;
}

/* The same on the side where they are fewer: 0 for what is innermost on either. */
static int32_t depth_of(const bench_case *of, int32_t dimension) {
  const int32_t source = count_faster(&of->from, dimension);
  const int32_t destination = count_faster(&of->to, dimension);
  return source < destination ? source : destination;
}

static void halve(relayout_shape *side, int32_t dimension) {
  int64_t *const length = &side->dimensions[dimension];
  *length = half(*length);
  if (side->layout.padded_dimension_count > 0) {
    int64_t *const padded = &side->layout.padded_dimensions[dimension];
    const int64_t halved = can_be_halved(*padded) ? half(*padded) : *padded;
    *padded = halved < *length ? *length : halved;
  }
  int64_t *const tail = &side->layout.tail_padding_alignment_in_elements;
  *tail = *tail > MOST_KEPT ? half(*tail) : *tail;
}

static bool fits(const relayout_shape *side, size_t most_bytes) {
  size_t bytes;
  return relayout_shape_byte_size(side, &bytes, NULL) == RELAYOUT_OK && bytes <= most_bytes;
}

/* The dimension that is to be halved next; -1: none can be. */
static int32_t choose(const bench_case *of) {
  int32_t best = -1;
  int32_t best_depth = 0;
  int64_t best_weight = 0;
  for (int32_t d = 0; d < of->from.rank; ++d) {
    const int64_t length = of->from.dimensions[d];
    const int32_t depth = depth_of(of, d);
    const int64_t weight = depth == 0 ? length : INNERMOST_WEIGHT * length;
    if (can_be_halved(length) &&
        (weight > best_weight || (weight == best_weight && depth > best_depth))) {
      best = d;
      best_depth = depth;
      best_weight = weight;
    }
  }
  return best;
}

bool smaller_case_make(bench_case *of, size_t most_bytes) {
  while (!fits(&of->from, most_bytes) || !fits(&of->to, most_bytes)) {
    const int32_t next = choose(of);
    if (next < 0) {
      return false;
    }
    halve(&of->from, next);
    halve(&of->to, next);
  }
  return true;
}
