/* numbers.h: compiles cl/numbers.cl as C, behind cl/convert.cl, so that the host has the products
 * and quotients of devices.
 *
 * Depends on arithmetic.h.
 */
#ifndef RLT_CONVERT_NUMBERS_H
#define RLT_CONVERT_NUMBERS_H

#include "convert/arithmetic.h"

static inline int clz_of_uint(uint value) {
  return __builtin_clz(value);
}

/* As OpenCL C has them: of the type that they are given. */
#define clz(value) _Generic((value), uint : clz_of_uint, default : clz)(value)
#define abs(value) ((ulong)((value) < 0 ? -(value) : (value)))
#define clamp(value, least, most)                                                                  \
  ((value) < (least) ? (least) : (value) > (most) ? (most) : (value))

#include "../../cl/numbers.cl"

#undef clz
#undef abs
#undef clamp

#endif
