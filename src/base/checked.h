/* checked.h: arithmetic on sizes that says when it overflows. Depends on nothing. */
#ifndef RLT_BASE_CHECKED_H
#define RLT_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* *result = a * b; false, with *result unspecified, when it does not fit. */
static inline bool rlt_multiply(int64_t a, int64_t b, int64_t *result) {
  return !__builtin_mul_overflow(a, b, result);
}

/* The same of a + b. */
static inline bool rlt_add(int64_t a, int64_t b, int64_t *result) {
  return !__builtin_add_overflow(a, b, result);
}

/* size + by, of which `by` may be below 0. */
static inline bool rlt_add_size(size_t size, int64_t by, size_t *result) {
  return !__builtin_add_overflow(size, by, result);
}

/* a / b rounded up; a >= 0, b > 0. Cannot overflow. */
static inline int64_t rlt_divide_up(int64_t a, int64_t b) {
  return a / b + (a % b != 0);
}

/* The largest number that divides both; the other one when one is 0. a, b >= 0. */
static inline int64_t rlt_common_factor(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static inline int64_t rlt_min(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static inline int64_t rlt_max(int64_t a, int64_t b) {
  return a > b ? a : b;
}

#endif
