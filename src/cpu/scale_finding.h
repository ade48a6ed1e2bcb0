/* scale_finding.h: the scales of groups by the greatest of their values, in integers and in doubles
 * that are exact enough, so that all devices agree; for one instruction set.
 *
 * Depends on convert/scale_rule.h and convert/float_bits.h.
 */
#ifndef RLT_CPU_SCALE_FINDING_H
#define RLT_CPU_SCALE_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/float_bits.h"
#include "convert/scale_rule.h"

#define FINDING_INLINED static inline __attribute__((always_inline))

enum { LEAST_POWER = -127 /* the exponent of the least f8e8m0fnu */ };

/* Floats below the normal ones are counted up to them. */
FINDING_INLINED int32_t exponent_of_f32(uint32_t bits) {
  const bool is_small = bits < 0x00800000;
  const uint32_t normal = bits_of_f32(f32_of_bits(bits) * 0x1p32F);
  return (int32_t)((is_small ? normal : bits) >> 23) - (is_small ? 127 + 32 : 127);
}

/* 0 where it is too small for f32. Each of two factors is normal. */
FINDING_INLINED float f32_power_of_2(int32_t exponent) {
  const int32_t within = exponent > 2 * -126 ? exponent : 2 * -126, half = within >> 1;
  return f32_of_bits((uint32_t)(half + 127) << 23) *
         f32_of_bits((uint32_t)(within - half + 127) << 23);
}

/* The nearest number of the scales' type that is not below. Quotients of f32s and of `most`, which
 * has few digits, are never so near to such a number that a double does not tell them apart. */
FINDING_INLINED double rounded_up(const rlt_scale_finder *by, bool is_power, double quotient) {
  const int32_t exponent = exponent_of_f64(quotient);
  if (is_power) {
    const double power = f64_power_of_2(exponent < LEAST_POWER ? LEAST_POWER : exponent);
    return quotient > power ? 2 * power : power;
  }
  const int32_t least = by->least_exponent;
  const double step = f64_power_of_2((exponent > least ? exponent : least) - by->mantissa_bits);
  const double steps = (double)(int64_t)(quotient / step);
  return (steps + (steps * step < quotient ? 1 : 0)) * step;
}

/* Of a finite number above 0. */
FINDING_INLINED float finite_scale(const rlt_scale_finder *by, relayout_scale_rule rule,
                                   bool is_power, uint32_t greatest) {
  if (rule == RELAYOUT_SCALES_POWER2) {
    const int32_t exponent = exponent_of_f32(greatest) - by->most_exponent;
    return f32_power_of_2(is_power && exponent < LEAST_POWER ? LEAST_POWER : exponent);
  }
  const double quotient = (double)f32_of_bits(greatest) / by->most;
  return rule == RELAYOUT_SCALES_AMAX_UP ? (float)rounded_up(by, is_power, quotient)
         : by->type == RELAYOUT_F32      ? (float)quotient
                                         : f32_of_bits(odd_float(quotient));
}

/* Callers give constants for the rule and the kind of type. */
FINDING_INLINED void find_by(const rlt_scale_finder *finder, relayout_scale_rule rule,
                             bool is_power, const uint32_t *restrict greatest, int64_t count,
                             float *restrict scales) {
  const uint32_t infinite = 0x7f800000, nan = 0x7fc00000, one = 0x3f800000;
  const uint32_t zero = is_power ? 0x00400000 : 0;
  const rlt_scale_finder by = *finder;
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t most = greatest[i];
    const bool is_usual = most != 0 && most < infinite;
    const uint32_t found = bits_of_f32(finite_scale(&by, rule, is_power, is_usual ? most : one));
    const uint32_t number = is_usual ? found : most == 0 ? zero : infinite;
    scales[i] = f32_of_bits(most > infinite ? nan : number);
  }
}

static void find_scales(const rlt_scale_finder *by, const uint32_t *greatest, int64_t count,
                        float *scales) {
  const bool is_power = by->type == RELAYOUT_F8E8M0FNU;
#define FIND_BY(rule)                                                                              \
  (is_power ? find_by(by, rule, true, greatest, count, scales)                                     \
            : find_by(by, rule, false, greatest, count, scales))
  switch (by->rule) {
  case RELAYOUT_SCALES_POWER2:
    FIND_BY(RELAYOUT_SCALES_POWER2);
    break;
  case RELAYOUT_SCALES_AMAX_UP:
    FIND_BY(RELAYOUT_SCALES_AMAX_UP);
    break;
  default:
    FIND_BY(RELAYOUT_SCALES_AMAX);
  }
#undef FIND_BY
}

#endif
