/* wide.h: whole numbers below 2 to the 128, of which not every compiler has a type. */
#ifndef ORACLE_WIDE_H
#define ORACLE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct wide {
  uint64_t high;
  uint64_t low;
} wide;

static inline wide wide_of(uint64_t whole) {
  return (wide){0, whole};
}

static inline bool wide_is_zero(wide of) {
  return of.high == 0 && of.low == 0;
}

/* The number behind it. */
static inline wide wide_next(wide of) {
  return (wide){of.high + (of.low == UINT64_MAX), of.low + 1};
}

static inline int wide_compare(wide a, wide b) {
  if (a.high != b.high) {
    return a.high < b.high ? -1 : 1;
  }
  return (a.low > b.low) - (a.low < b.low);
}

/* By fewer than 128 places. */
static inline wide wide_shift_left(wide of, int64_t places) {
  if (places >= 64) {
    return (wide){of.low << (places - 64), 0};
  }
  return places == 0 ? of : (wide){of.high << places | of.low >> (64 - places), of.low << places};
}

/* By fewer than 128 places. */
static inline wide wide_shift_right(wide of, int64_t places) {
  if (places >= 64) {
    return (wide){0, of.high >> (places - 64)};
  }
  return places == 0 ? of : (wide){of.high >> places, of.low >> places | of.high << (64 - places)};
}

/* Half by half, as on paper. */
static inline wide wide_product(uint64_t a, uint64_t b) {
  const uint64_t half = UINT32_MAX;
  const uint64_t low = (a & half) * (b & half);
  const uint64_t upper = (a >> 32) * (b & half) + (low >> 32);
  const uint64_t lower = (a & half) * (b >> 32) + (upper & half);
  return (wide){(a >> 32) * (b >> 32) + (upper >> 32) + (lower >> 32), lower << 32 | (low & half)};
}

/* How many bits a number other than 0 takes. */
static inline int64_t wide_length(wide of) {
  return of.high != 0 ? 128 - __builtin_clzll(of.high) : 64 - __builtin_clzll(of.low);
}

#endif
