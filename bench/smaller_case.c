/* smaller_case.c: halving dimensions, of both sides alike. */
#include "smaller_case.h"

#include <stdint.h>

enum { MOST_KEPT = 256, INNERMOST_WEIGHT = 4 };

static int64_t half(int64_t length) {
  int64_t unit = 2;
  while (unit < MOST_KEPT && 8 * unit <= length) {
    unit *= 2;
  }
  const int64_t rest = length % unit;
  return (length - rest) / 2 / unit * unit + rest;
}

static bool can_be_halved(int64_t length) {
  return half(length) > 0 && half(length) < length;
}

/* The fastest in memory of those that have more than one element. */
static bool is_innermost(const relayout_shape *side, int32_t dimension) {
  for (int32_t i = 0; i < side->rank; ++i) {
    const int32_t at = side->layout.minor_to_major[i];
    if (side->dimensions[at] > 1) {
      return at == dimension;
    }
  }
  return false;
}

static void halve(relayout_shape *side, int32_t dimension) {
  int64_t *const length = &side->dimensions[dimension];
  *length = half(*length);
  if (side->layout.padded_dimension_count > 0) {
    int64_t *const padded = &side->layout.padded_dimensions[dimension];
    const int64_t halved = can_be_halved(*padded) ? half(*padded) : *padded;
    *padded = halved < *length ? *length : halved;
  }
}

static bool fits(const relayout_shape *side, size_t most_bytes) {
  size_t bytes;
  return relayout_shape_byte_size(side, &bytes, NULL) == RELAYOUT_OK && bytes <= most_bytes;
}

/* The dimension that is to be halved next; -1: none can be. */
static int32_t choose(const bench_case *of) {
  int32_t best = -1;
  int64_t best_weight = 0;
  for (int32_t d = 0; d < of->from.rank; ++d) {
    const int64_t length = of->from.dimensions[d];
    const bool is_inner = is_innermost(&of->from, d) || is_innermost(&of->to, d);
    const int64_t weight = is_inner ? length : INNERMOST_WEIGHT * length;
    if (can_be_halved(length) && weight > best_weight) {
      best = d;
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
