/* float_values.c: the float types' formats, and the formula for the value of a bit pattern. */
#include "metadata/float_values.h"

#include <math.h>
#include <stdbool.h>

/* Widths, biases and special values as in the OCP formats' and ml_dtypes' descriptions. */
const float_type float_types[FLOAT_TYPE_COUNT] = {
    {RELAYOUT_F4E2M1FN, 1, 2, 1, 1, 0, -1},      {RELAYOUT_F6E2M3FN, 1, 2, 3, 1, 0, -1},
    {RELAYOUT_F6E3M2FN, 1, 3, 2, 3, 0, -1},      {RELAYOUT_F8E3M4, 1, 3, 4, 3, 'i', -1},
    {RELAYOUT_F8E4M3, 1, 4, 3, 7, 'i', -1},      {RELAYOUT_F8E4M3FN, 1, 4, 3, 7, 0, 0x7f},
    {RELAYOUT_F8E4M3FNUZ, 1, 4, 3, 8, 0, 0x80},  {RELAYOUT_F8E4M3B11FNUZ, 1, 4, 3, 11, 0, 0x80},
    {RELAYOUT_F8E5M2, 1, 5, 2, 15, 'i', -1},     {RELAYOUT_F8E5M2FNUZ, 1, 5, 2, 16, 0, 0x80},
    {RELAYOUT_F8E8M0FNU, 0, 8, 0, 127, 0, 0xff}, {RELAYOUT_F16, 1, 5, 10, 15, 'i', -1},
    {RELAYOUT_BF16, 1, 8, 7, 127, 'i', -1},      {RELAYOUT_F32, 1, 8, 23, 127, 'i', -1},
    {RELAYOUT_F64, 1, 11, 52, 1023, 'i', -1},
};

double float_value(const float_type *type, uint64_t pattern) {
  const int bits = type->exponent + type->mantissa;
  const bool negative = type->sign == 1 && (pattern >> bits & 1) == 1;
  const uint64_t fraction = pattern & ((UINT64_C(1) << type->mantissa) - 1);
  const int exponent = (int)(pattern >> type->mantissa & ((UINT64_C(1) << type->exponent) - 1));
  if (type->nan >= 0 &&
      (pattern == (uint64_t)type->nan || (type->nan == 0x7f && pattern == 0xff))) {
    return NAN;
  }
  if (type->infinity == 'i' && exponent == (1 << type->exponent) - 1) {
    return fraction != 0 ? NAN : negative ? -INFINITY : INFINITY;
  }
  const double whole = ldexp(1.0, type->mantissa);
  /* A type without a sign has no subnormals either. */
  const double magnitude =
      exponent == 0 && type->sign == 1
          ? ldexp((double)fraction, 1 - type->bias - type->mantissa)
          : ldexp(whole + (double)fraction, exponent - type->bias - type->mantissa);
  return negative ? -magnitude : magnitude;
}
