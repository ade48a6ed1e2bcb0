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

/* Of a finite value above 0. */
FINDING_INLINED float finite_scale(const rlt_scale_finder *by, relayout_scale_rule rule,
                                   bool is_power, double value) {
  if (rule == RELAYOUT_SCALES_POWER2) {
    const int32_t exponent = exponent_of_f64(value) - by->most_exponent;
    return (float)f64_power_of_2(is_power && exponent < LEAST_POWER ? LEAST_POWER : exponent);
  }
  const double quotient = value / by->most;
  return rule == RELAYOUT_SCALES_AMAX_UP ? (float)rounded_up(by, is_power, quotient)
         : by->type == RELAYOUT_F32      ? (float)quotient
                                         : f32_of_bits(odd_float(quotient));
}

/* Callers give constants for the rule and the kind of type. Conditions are -1 or 0, of which
 * compilers make vectors. */
FINDING_INLINED void find_by(const rlt_scale_finder *finder, relayout_scale_rule rule,
                             bool is_power, const int32_t *restrict greatest, int64_t count,
                             float *restrict scales) {
  const int32_t infinite = 0x7f800000, nan = 0x7fc00000, one = 0x3f800000;
  const int32_t zero = is_power ? 0x00400000 : 0;
  const rlt_scale_finder by = *finder;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t most = greatest[i];
    const int32_t is_zero = -(int32_t)(most == 0), is_nan = -(int32_t)(most > infinite);
    const int32_t is_usual = -(int32_t)(most < infinite) & ~is_zero;
    const float usual = f32_of_bits((uint32_t)((most & is_usual) | (one & ~is_usual)));
    const int32_t found = (int32_t)bits_of_f32(finite_scale(&by, rule, is_power, (double)usual));
    const int32_t beyond = is_power ? nan : infinite; /* which powers have not */
    const int32_t unusual = (zero & is_zero) | (nan & is_nan) | (beyond & ~is_zero & ~is_nan);
    scales[i] = f32_of_bits((uint32_t)((found & is_usual) | (unusual & ~is_usual)));
  }
}

static void find_scales(const rlt_scale_finder *by, const uint32_t *greatest, int64_t count,
                        float *scales) {
  const int32_t *const bits = (const int32_t *)greatest;
  const bool is_power = by->type == RELAYOUT_F8E8M0FNU;
#define FIND_BY(rule)                                                                              \
  (is_power ? find_by(by, rule, true, bits, count, scales)                                         \
            : find_by(by, rule, false, bits, count, scales))
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
