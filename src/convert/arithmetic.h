/* arithmetic.h: compiles cl/convert.cl as C, so that the host has the same arithmetic as devices.
 *
 * With NARROW defined as 1 it is that for types of at most 32 bits, unscaled.
 *
 * Depends on base/opencl_c.h.
 */
#ifndef RLT_CONVERT_ARITHMETIC_H
#define RLT_CONVERT_ARITHMETIC_H

#include "base/opencl_c.h"

#ifndef NARROW
#define NARROW 0
#endif

#if NARROW
static inline int clz(uint value) {
  return __builtin_clz(value);
}
#else
static inline int clz(ulong value) {
  return __builtin_clzll(value);
}
#endif

/* The upper half of a product. */
static inline ulong mul_hi(ulong a, ulong b) {
  const ulong a_low = (uint)a, a_high = a >> 32;
  const ulong b_low = (uint)b, b_high = b >> 32;
  const ulong first = a_high * b_low + (a_low * b_low >> 32);
  const ulong second = a_low * b_high + (uint)first;
  return a_high * b_high + (first >> 32) + (second >> 32);
}

static inline int min(int a, int b) {
  return a < b ? a : b;
}

static inline int max(int a, int b) {
  return a > b ? a : b;
}

#include "../../cl/convert.cl"

#endif
