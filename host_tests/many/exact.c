/* exact.c: long numbers limb by limb, the lowest first, as on paper. */
#include "many/exact.h"

#include <string.h>

#include "oracle/formats.h"

/* ---- Long numbers --------------------------------------------------------------------------- */

static int64_t length_of(const uint32_t *whole) {
  for (int i = EXACT_LIMBS - 1; i >= 0; --i) {
    if (whole[i] != 0) {
      return 32 * i + 32 - __builtin_clz(whole[i]);
    }
  }
  return 0;
}

static bool bit_of(const uint32_t *whole, int64_t bit) {
  return bit >= 0 && bit < 32 * EXACT_LIMBS && (whole[bit / 32] >> (bit % 32) & 1) != 0;
}

static bool has_bits_below(const uint32_t *whole, int64_t end) {
  for (int64_t i = 0; i < EXACT_LIMBS && 32 * i < end; ++i) {
    const int64_t bits = end - 32 * i;
    if ((whole[i] & (bits < 32 ? ((uint32_t)1 << bits) - 1 : UINT32_MAX)) != 0) {
      return true;
    }
  }
  return false;
}

static uint32_t limb_of(const uint32_t *whole, int64_t i) {
  return i >= 0 && i < EXACT_LIMBS ? whole[i] : 0;
}

/* Left, or right by a negative number of places. */
static void shift(uint32_t *whole, int64_t places) {
  const int64_t bits = (places % 32 + 32) % 32;
  const int64_t limbs = (places - bits) / 32;
  uint32_t shifted[EXACT_LIMBS];
  for (int64_t i = 0; i < EXACT_LIMBS; ++i) {
    const uint64_t both = (uint64_t)limb_of(whole, i - limbs) << 32 | limb_of(whole, i - limbs - 1);
    shifted[i] = (uint32_t)(both << bits >> 32);
  }
  memcpy(whole, shifted, sizeof(shifted));
}

static void multiply(uint32_t *whole, uint32_t factor) {
  uint64_t carry = 0;
  for (int i = 0; i < EXACT_LIMBS; ++i) {
    carry += (uint64_t)whole[i] * factor;
    whole[i] = (uint32_t)carry;
    carry >>= 32;
  }
}

/* The remainder. */
static uint32_t divide(uint32_t *whole, uint32_t divisor) {
  uint64_t rest = 0;
  for (int i = EXACT_LIMBS - 1; i >= 0 && divisor > 1; --i) {
    rest = rest << 32 | whole[i];
    whole[i] = rest >= divisor ? (uint32_t)(rest / divisor) : 0;
    rest -= (uint64_t)whole[i] * divisor;
  }
  return (uint32_t)rest;
}

/* In two's complement. */
static void add(uint32_t *sum, const uint32_t *other) {
  uint64_t carry = 0;
  for (int i = 0; i < EXACT_LIMBS; ++i) {
    carry += (uint64_t)sum[i] + other[i];
    sum[i] = (uint32_t)carry;
    carry >>= 32;
  }
}

static void negate(uint32_t *whole) {
  const uint32_t one[EXACT_LIMBS] = {1};
  for (int i = 0; i < EXACT_LIMBS; ++i) {
    whole[i] = ~whole[i];
  }
  add(whole, one);
}

static uint64_t low_bits(const uint32_t *whole) {
  return (uint64_t)whole[1] << 32 | whole[0];
}

/* ---- Arithmetic ----------------------------------------------------------------------------- */

static exact make(bool is_negative, uint64_t whole, int64_t exponent) {
  return (exact){
      EXACT_FINITE, is_negative, {(uint32_t)whole, (uint32_t)(whole >> 32)}, exponent, 1};
}

exact exact_of_integer(int64_t integer) {
  return make(integer < 0, integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer, 0);
}

exact exact_power_of_two(int64_t exponent) {
  return make(false, 1, exponent);
}

bool exact_is_zero(const exact *number) {
  return number->kind == EXACT_FINITE && length_of(number->whole) == 0;
}

static exact sum_of_finite(exact sum, exact other) {
  const int64_t least = sum.exponent < other.exponent ? sum.exponent : other.exponent;
  shift(sum.whole, sum.exponent - least);
  shift(other.whole, other.exponent - least);
  if (sum.is_negative) {
    negate(sum.whole);
  }
  if (other.is_negative) {
    negate(other.whole);
  }
  add(sum.whole, other.whole);
  sum.is_negative = bit_of(sum.whole, 32 * EXACT_LIMBS - 1);
  if (sum.is_negative) {
    negate(sum.whole);
  }
  sum.exponent = least;
  return sum;
}

exact exact_minus(const exact *number, int64_t integer) {
  return number->kind != EXACT_FINITE || integer == 0
             ? *number
             : sum_of_finite(*number, exact_of_integer(-integer));
}

exact exact_plus(const exact *number, const exact *other) {
  return number->kind != EXACT_FINITE  ? *number
         : other->kind != EXACT_FINITE ? *other
                                       : sum_of_finite(*number, *other);
}

static exact nan_of(bool is_negative) {
  return (exact){.kind = EXACT_NAN, .is_negative = is_negative, .divisor = 1};
}

exact exact_times(const exact *number, const exact *other) {
  exact product = *number;
  if (number->kind == EXACT_NAN || other->kind == EXACT_NAN) {
    return nan_of(number->kind == EXACT_NAN ? number->is_negative : other->is_negative);
  }
  if ((number->kind == EXACT_INFINITE && exact_is_zero(other)) ||
      (other->kind == EXACT_INFINITE && exact_is_zero(number))) {
    return nan_of(false);
  }
  product.is_negative = number->is_negative != other->is_negative;
  if (other->kind == EXACT_INFINITE) {
    product.kind = EXACT_INFINITE;
    return product;
  }
  multiply(product.whole, other->whole[0]);
  product.exponent += other->exponent;
  return product;
}

exact exact_over(const exact *number, const exact *other) {
  exact quotient = *number;
  if (number->kind == EXACT_NAN || other->kind == EXACT_NAN) {
    return nan_of(number->kind == EXACT_NAN ? number->is_negative : other->is_negative);
  }
  if (number->kind == EXACT_INFINITE && other->kind == EXACT_INFINITE) {
    return nan_of(false);
  }
  quotient.is_negative = number->is_negative != other->is_negative;
  if (other->kind == EXACT_INFINITE) {
    memset(quotient.whole, 0, sizeof(quotient.whole));
    return quotient;
  }
  quotient.exponent -= other->exponent;
  quotient.divisor = other->whole[0];
  return quotient;
}

/* The whole part of a number over 2 to the power of `exponent`, whether half of one more is in the
 * rest, and whether the rest has anything besides. */
typedef struct cut {
  uint32_t whole[EXACT_LIMBS];
  bool has_half;
  bool has_more;
} cut;

static cut cut_at(const exact *number, int64_t exponent) {
  cut made = {.has_half = false};
  const int64_t places = number->exponent - exponent;
  memcpy(made.whole, number->whole, sizeof(made.whole));
  if (places >= 0) {
    shift(made.whole, places);
  }
  const uint64_t rest = divide(made.whole, number->divisor);
  if (places >= 0) {
    made.has_half = 2 * rest >= number->divisor;
    made.has_more = rest != 0 && 2 * rest != number->divisor;
    return made;
  }
  made.has_half = bit_of(made.whole, -places - 1);
  made.has_more = has_bits_below(made.whole, -places - 1) || rest != 0;
  shift(made.whole, places);
  return made;
}

static void round_cut(cut *of, bool is_negative, exact_rounding rounding) {
  const uint32_t one[EXACT_LIMBS] = {1};
  const bool is_odd = (of->whole[0] & 1) != 0;
  const bool is_up = rounding == EXACT_UP        ? !is_negative && (of->has_half || of->has_more)
                     : rounding == EXACT_TO_ZERO ? false
                                                 : of->has_half && (of->has_more || is_odd);
  if (is_up) {
    add(of->whole, one);
  }
}

int64_t exact_log2(const exact *number) {
  const int64_t divisor_length = 32 - __builtin_clz(number->divisor);
  const int64_t most = number->exponent + length_of(number->whole) - divisor_length;
  if (number->divisor == 1) {
    return most;
  }
  const cut whole = cut_at(number, most);
  return length_of(whole.whole) > 0 ? most : most - 1;
}

/* ---- Patterns ------------------------------------------------------------------------------- */

static exact float_of(const number_format *format, uint64_t pattern) {
  const uint64_t sign = format_sign(format);
  const uint64_t magnitude = pattern & ~sign;
  const bool is_negative = (pattern & sign) != 0;
  const int64_t exponent = (int64_t)(magnitude >> format->mantissa_bits);
  const uint64_t fraction = magnitude & format_ones(format->mantissa_bits);
  const int64_t least = 1 - (int64_t)format->bias - (int64_t)format->mantissa_bits;
  if (magnitude > format_greatest(format) ||
      (format->top == NAN_FOR_MINUS_0 && is_negative && magnitude == 0)) {
    exact special = nan_of(is_negative);
    const bool is_infinite = format->top == TOP_INFINITY && fraction == 0;
    special.kind = is_infinite ? EXACT_INFINITE : EXACT_NAN;
    return special;
  }
  if (exponent == 0 && format->mantissa_bits > 0) {
    return make(is_negative, fraction, least);
  }
  return make(is_negative, ((uint64_t)1 << format->mantissa_bits) + fraction, least + exponent - 1);
}

exact exact_of(relayout_element_type type, uint64_t pattern) {
  const number_format format = format_of(type);
  switch (format.kind) {
  case BOOLEAN:
    return make(false, pattern != 0, 0);
  case TWOS_COMPLEMENT:
    return exact_of_integer((int64_t)(pattern << (64 - format.bits)) >> (64 - format.bits));
  case NATURAL:
    return make(false, pattern, 0);
  case FLOATING:
  case COMPLEX:
    break;
  }
  return float_of(&format, pattern);
}

exact exact_most(relayout_element_type type) {
  const number_format format = format_of(type);
  if (format.kind == FLOATING) {
    return float_of(&format, format_greatest(&format));
  }
  return make(false, format_ones(format.kind == NATURAL ? format.bits : format.bits - 1), 0);
}

/* ---- Floats --------------------------------------------------------------------------------- */

static uint64_t nan_pattern(const number_format *format, bool is_negative) {
  const uint64_t sign = format_sign(format);
  const uint64_t beyond = format_greatest(format) + 1;
  switch (format->top) {
  case TOP_INFINITY:
    return (is_negative ? sign : 0) | beyond | (uint64_t)1 << (format->mantissa_bits - 1);
  case TOP_NAN:
    return (is_negative ? sign : 0) | beyond;
  case NAN_FOR_MINUS_0:
    return sign;
  case ALL_NUMBERS:
    break;
  }
  return is_negative ? 0 : sign;
}

static uint64_t beyond_pattern(const number_format *format, bool is_negative) {
  const uint64_t sign = is_negative ? format_sign(format) : 0;
  return format->top == TOP_INFINITY  ? sign | (format_greatest(format) + 1)
         : format->top == ALL_NUMBERS ? sign | format_greatest(format)
                                      : nan_pattern(format, is_negative);
}

/* Of powers of two alone, of which the least is pattern 0. */
static uint64_t power_pattern(const exact *number, exact_rounding rounding) {
  enum { BIAS = 127, NAN_PATTERN = 255 };
  if (number->is_negative || exact_is_zero(number)) {
    return NAN_PATTERN;
  }
  const int64_t exponent = exact_log2(number);
  const cut one = cut_at(number, exponent);
  const bool is_more = one.has_half || one.has_more;
  if (exponent < -BIAS) {
    return 0;
  }
  const bool is_up = rounding == EXACT_UP || exponent == -BIAS ? is_more : one.has_half;
  const int64_t pattern = exponent + BIAS + (is_up ? 1 : 0);
  return pattern < NAN_PATTERN ? (uint64_t)pattern : NAN_PATTERN;
}

/* Patterns count up with their values, so that a carry goes to the next exponent. */
static uint64_t magnitude_pattern(const number_format *format, const exact *number,
                                  exact_rounding rounding) {
  const int64_t least = 1 - (int64_t)format->bias;
  const int64_t most = (int64_t)format_ones(format->exponent_bits) - (int64_t)format->bias;
  int64_t exponent = exact_log2(number);
  exponent = exponent < least ? least : exponent;
  if (exponent > most) {
    return format_greatest(format) + 1;
  }
  cut mantissa = cut_at(number, exponent - (int64_t)format->mantissa_bits);
  round_cut(&mantissa, number->is_negative, rounding);
  return ((uint64_t)(exponent - least) << format->mantissa_bits) + low_bits(mantissa.whole);
}

uint64_t exact_to_float(const exact *number, relayout_element_type type, exact_rounding rounding) {
  const number_format format = format_of(type);
  if (number->kind == EXACT_NAN) {
    return nan_pattern(&format, number->is_negative);
  }
  if (format.mantissa_bits == 0) {
    return number->kind == EXACT_INFINITE ? nan_pattern(&format, false)
                                          : power_pattern(number, rounding);
  }
  if (number->kind == EXACT_INFINITE) {
    return beyond_pattern(&format, number->is_negative);
  }
  const uint64_t magnitude =
      exact_is_zero(number) ? 0 : magnitude_pattern(&format, number, rounding);
  if (magnitude > format_greatest(&format)) {
    return beyond_pattern(&format, number->is_negative);
  }
  if (magnitude == 0 && format.top == NAN_FOR_MINUS_0) {
    return 0;
  }
  return magnitude | (number->is_negative ? format_sign(&format) : 0);
}

uint64_t exact_to_bounded_float(const exact *number, relayout_element_type type) {
  const number_format format = format_of(type);
  const uint64_t pattern = exact_to_float(number, type, EXACT_TO_NEAREST);
  const exact made = float_of(&format, pattern);
  if (number->kind == EXACT_NAN || made.kind == EXACT_FINITE) {
    return pattern;
  }
  return format_greatest(&format) | (number->is_negative ? format_sign(&format) : 0);
}

/* ---- Integers ------------------------------------------------------------------------------- */

static int compare(const uint32_t *a, const uint32_t *b) {
  for (int i = EXACT_LIMBS - 1; i >= 0; --i) {
    if (a[i] != b[i]) {
      return a[i] < b[i] ? -1 : 1;
    }
  }
  return 0;
}

/* The nearest number of the type to a whole number. */
static uint64_t saturate(const number_format *format, const uint32_t *whole, bool is_negative) {
  const uint64_t reach = format->kind == NATURAL ? (is_negative ? 0 : format_ones(format->bits))
                                                 : format_ones(format->bits - 1) + is_negative;
  const exact end = make(is_negative, reach, 0);
  const uint64_t magnitude = compare(whole, end.whole) > 0 ? reach : low_bits(whole);
  return (is_negative ? 0 - magnitude : magnitude) & format_ones(format->bits);
}

uint64_t exact_to_integer(const exact *number, relayout_element_type type, exact_rounding rounding,
                          int64_t zero_point, bool wraps) {
  enum { BEYOND_ALL = 90 };
  const number_format format = format_of(type);
  exact rounded = exact_of_integer(0);
  if (number->kind == EXACT_INFINITE || (number->kind == EXACT_FINITE && !exact_is_zero(number) &&
                                         exact_log2(number) > BEYOND_ALL && !wraps)) {
    rounded = exact_power_of_two(0);
    shift(rounded.whole, BEYOND_ALL);
    rounded.is_negative = number->is_negative;
    if (wraps) {
      return 0;
    }
  } else if (number->kind == EXACT_FINITE && !exact_is_zero(number)) {
    cut whole = cut_at(number, 0);
    round_cut(&whole, number->is_negative, rounding);
    memcpy(rounded.whole, whole.whole, sizeof(whole.whole));
    rounded.is_negative = number->is_negative;
  }
  rounded = exact_minus(&rounded, -zero_point);
  if (wraps) {
    const uint64_t magnitude = low_bits(rounded.whole);
    return (rounded.is_negative ? 0 - magnitude : magnitude) & format_ones(format.bits);
  }
  return saturate(&format, rounded.whole, rounded.is_negative);
}

uint64_t exact_to_pattern(const exact *number, relayout_element_type type, exact_rounding rounding,
                          bool wraps) {
  switch (format_of(type).kind) {
  case BOOLEAN:
    return !exact_is_zero(number);
  case TWOS_COMPLEMENT:
  case NATURAL:
    return exact_to_integer(number, type, rounding, 0, wraps);
  case FLOATING:
  case COMPLEX:
    break;
  }
  return exact_to_float(number, type, EXACT_TO_NEAREST);
}
