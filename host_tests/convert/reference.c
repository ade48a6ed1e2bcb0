#include "convert/reference.h"

#include <math.h>
#include <string.h>

/* What the patterns above the greatest finite number are. */
typedef enum special { INFINITY_AND_NANS, ONE_NAN, NAN_IS_MINUS_ZERO, NONE } special;

typedef struct float_type {
  relayout_element_type type;
  int bits, mantissa, least_power; /* of subnormals: 2^least_power is the least number */
  uint64_t greatest;
  uint64_t nan; /* without sign; where there is none, -0, whose sign is turned */
  special special;
} float_type;

static const float_type floats[] = {
    {RELAYOUT_F4E2M1FN, 4, 1, -1, 0x7, 0x8, NONE},
    {RELAYOUT_F6E2M3FN, 6, 3, -3, 0x1f, 0x20, NONE},
    {RELAYOUT_F6E3M2FN, 6, 2, -4, 0x1f, 0x20, NONE},
    {RELAYOUT_F8E3M4, 8, 4, -6, 0x6f, 0x78, INFINITY_AND_NANS},
    {RELAYOUT_F8E4M3, 8, 3, -9, 0x77, 0x7c, INFINITY_AND_NANS},
    {RELAYOUT_F8E4M3FN, 8, 3, -9, 0x7e, 0x7f, ONE_NAN},
    {RELAYOUT_F8E4M3FNUZ, 8, 3, -10, 0x7f, 0x80, NAN_IS_MINUS_ZERO},
    {RELAYOUT_F8E4M3B11FNUZ, 8, 3, -13, 0x7f, 0x80, NAN_IS_MINUS_ZERO},
    {RELAYOUT_F8E5M2, 8, 2, -16, 0x7b, 0x7e, INFINITY_AND_NANS},
    {RELAYOUT_F8E5M2FNUZ, 8, 2, -17, 0x7f, 0x80, NAN_IS_MINUS_ZERO},
    {RELAYOUT_F8E8M0FNU, 9, 0, -126, 0xfe, 0xff, ONE_NAN},
    {RELAYOUT_F16, 16, 10, -24, 0x7bff, 0x7e00, INFINITY_AND_NANS},
    {RELAYOUT_BF16, 16, 7, -133, 0x7f7f, 0x7fc0, INFINITY_AND_NANS},
    {RELAYOUT_F32, 32, 23, -149, 0x7f7fffff, 0x7fc00000, INFINITY_AND_NANS},
    {RELAYOUT_F64, 64, 52, -1074, 0x7fefffffffffffff, 0x7ff8000000000000, INFINITY_AND_NANS},
};

const relayout_element_type reference_types[] = {RELAYOUT_PRED,
                                                 RELAYOUT_S1,
                                                 RELAYOUT_S2,
                                                 RELAYOUT_S4,
                                                 RELAYOUT_S8,
                                                 RELAYOUT_S16,
                                                 RELAYOUT_S32,
                                                 RELAYOUT_S64,
                                                 RELAYOUT_U1,
                                                 RELAYOUT_U2,
                                                 RELAYOUT_U4,
                                                 RELAYOUT_U8,
                                                 RELAYOUT_U16,
                                                 RELAYOUT_U32,
                                                 RELAYOUT_U64,
                                                 RELAYOUT_F4E2M1FN,
                                                 RELAYOUT_F6E2M3FN,
                                                 RELAYOUT_F6E3M2FN,
                                                 RELAYOUT_F8E3M4,
                                                 RELAYOUT_F8E4M3,
                                                 RELAYOUT_F8E4M3FN,
                                                 RELAYOUT_F8E4M3FNUZ,
                                                 RELAYOUT_F8E4M3B11FNUZ,
                                                 RELAYOUT_F8E5M2,
                                                 RELAYOUT_F8E5M2FNUZ,
                                                 RELAYOUT_F8E8M0FNU,
                                                 RELAYOUT_F16,
                                                 RELAYOUT_BF16,
                                                 RELAYOUT_F32,
                                                 RELAYOUT_F64,
                                                 RELAYOUT_ELEMENT_TYPE_INVALID};

static const float_type *float_of(relayout_element_type type) {
  for (size_t i = 0; i < sizeof floats / sizeof floats[0]; ++i) {
    if (floats[i].type == type) {
      return &floats[i];
    }
  }
  return NULL;
}

/* The number that a size of a float has, were the exponents without an end. */
static long double size_value(const float_type *of, uint64_t size) {
  const uint64_t power = size >> of->mantissa;
  const uint64_t fraction = size - (power << of->mantissa);
  if (power == 0) {
    return ldexpl((long double)fraction, of->least_power);
  }
  return ldexpl((long double)(fraction + (UINT64_C(1) << of->mantissa)),
                of->least_power + (int)power - 1);
}

static long double float_value(const float_type *of, uint64_t pattern) {
  const uint64_t sign = UINT64_C(1) << (of->bits - 1);
  const uint64_t size = pattern & (sign - 1);
  const bool is_nan = of->special == INFINITY_AND_NANS   ? size > of->greatest + 1
                      : of->special == ONE_NAN           ? size > of->greatest
                      : of->special == NAN_IS_MINUS_ZERO ? (pattern & (sign | size)) == sign
                                                         : false;
  long double value = is_nan ? nanl("") : size_value(of, size);
  if (of->special == INFINITY_AND_NANS && size == of->greatest + 1) {
    value = INFINITY;
  }
  if (of->type == RELAYOUT_F8E8M0FNU && size == 0) {
    value = 0x1p-127L;
  }
  return copysignl(value, (pattern & sign) != 0 ? -1 : 1);
}

long double reference_value(relayout_element_type type, uint64_t pattern) {
  const float_type *const as_float = float_of(type);
  if (as_float != NULL) {
    return float_value(as_float, pattern);
  }
  const int bits = relayout_element_type_bits(type);
  switch (relayout_element_type_kind(type)) {
  case RELAYOUT_KIND_PRED:
    return pattern != 0;
  case RELAYOUT_KIND_SIGNED: {
    const uint64_t low = pattern << (64 - bits);
    return ldexpl((long double)(int64_t)low, bits - 64);
  }
  default:
    return ldexpl((long double)(pattern << (64 - bits)), bits - 64);
  }
}

uint64_t reference_pattern_below(relayout_element_type type, long double size) {
  const float_type *const as_float = float_of(type);
  const int bits = relayout_element_type_bits(type);
  uint64_t low = 0;
  uint64_t high = as_float != NULL ? as_float->greatest
                  : relayout_element_type_kind(type) == RELAYOUT_KIND_SIGNED
                      ? (UINT64_C(1) << (bits - 1)) - 1
                      : ~UINT64_C(0) >> (64 - bits);
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2 + (high - low) % 2;
    const long double value =
        as_float != NULL ? size_value(as_float, middle) : reference_value(type, middle);
    if (value <= size) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

static uint64_t to_float(const float_type *of, long double value) {
  const bool no_sign = of->type == RELAYOUT_F8E8M0FNU;
  const bool negative = signbit(value) != 0;
  const uint64_t sign = UINT64_C(1) << (of->bits - 1);
  if (isnan(value)) {
    const uint64_t pattern =
        of->special == NAN_IS_MINUS_ZERO || no_sign || !negative ? of->nan : of->nan ^ sign;
    return pattern;
  }
  if (no_sign && (negative || value == 0)) {
    return of->nan;
  }
  const long double size = fabsl(value);
  uint64_t nearest = reference_pattern_below(of->type, size);
  const long double below = size - size_value(of, nearest);
  const long double above = size_value(of, nearest + 1) - size;
  const bool tie_goes_up = no_sign ? nearest > 0 : nearest % 2 == 1;
  if (below > above || (below == above && tie_goes_up)) {
    nearest += 1;
  }
  if (nearest > of->greatest) {
    nearest = of->special == INFINITY_AND_NANS ? of->greatest + 1
              : of->special == NONE            ? of->greatest
                                               : of->nan;
  }
  const bool is_unsigned_zero = of->special == NAN_IS_MINUS_ZERO && nearest == 0;
  return negative && !is_unsigned_zero ? nearest | sign : nearest;
}

static uint64_t to_integer(relayout_element_type type, bool wraps, long double value) {
  if (isnan(value) || (wraps && isinf(value))) {
    return 0;
  }
  const int bits = relayout_element_type_bits(type);
  const bool is_signed = relayout_element_type_kind(type) == RELAYOUT_KIND_SIGNED;
  long double whole = truncl(value);
  if (wraps) {
    whole = fmodl(whole, ldexpl(1, bits));
  } else {
    const long double end = ldexpl(1, is_signed ? bits - 1 : bits);
    whole = fminl(fmaxl(whole, is_signed ? -end : 0), end - 1);
  }
  const uint64_t size = (uint64_t)fabsl(whole);
  return (whole < 0 ? 0 - size : size) & ~UINT64_C(0) >> (64 - bits);
}

uint64_t reference_convert(const rlt_conversion *conversion, uint64_t pattern) {
  long double value = reference_value(conversion->from, pattern);
  if (!isnan(value)) {
    value *= conversion->scale;
  }
  const float_type *const as_float = float_of(conversion->to);
  if (as_float != NULL) {
    return to_float(as_float, value);
  }
  if (relayout_element_type_kind(conversion->to) == RELAYOUT_KIND_PRED) {
    return value != 0;
  }
  return to_integer(conversion->to, conversion->wraps, value);
}

uint64_t reference_load(relayout_element_type type, const void *element) {
  uint8_t byte;
  uint16_t half;
  uint32_t single;
  uint64_t wide;
  switch (relayout_element_type_byte_size(type)) {
  case 1:
    memcpy(&byte, element, sizeof byte);
    return byte;
  case 2:
    memcpy(&half, element, sizeof half);
    return half;
  case 4:
    memcpy(&single, element, sizeof single);
    return single;
  default:
    memcpy(&wide, element, sizeof wide);
    return wide;
  }
}

void reference_store(relayout_element_type type, uint64_t pattern, void *element) {
  const uint8_t byte = (uint8_t)pattern;
  const uint16_t half = (uint16_t)pattern;
  const uint32_t single = (uint32_t)pattern;
  switch (relayout_element_type_byte_size(type)) {
  case 1:
    memcpy(element, &byte, sizeof byte);
    return;
  case 2:
    memcpy(element, &half, sizeof half);
    return;
  case 4:
    memcpy(element, &single, sizeof single);
    return;
  default:
    memcpy(element, &pattern, sizeof pattern);
    return;
  }
}
