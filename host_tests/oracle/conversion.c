/* conversion.c: conversions by exact numbers: a whole number times a power of two. Rounding is
 * a search: patterns of a format count up with the values they stand for, so bisection finds
 * the neighbours of any number. */
#include "oracle/conversion.h"

#include <stdint.h>
#include <string.h>

#include "oracle/formats.h"
#include "oracle/wide.h"

typedef enum number_kind { NUMBER, INFINITE, NOT_A_NUMBER } number_kind;

typedef struct number {
  number_kind kind;
  bool negative;
  wide whole; /* times 2 to the power, for a NUMBER; a product of 64 and 53 bits at most */
  int64_t power;
} number;

/* ---- Exact arithmetic ----------------------------------------------------------------------- */

/* -1, 0, 1 as the magnitude of a is less than, equal to or greater than that of b. */
static int compare_magnitudes(const number *a, const number *b) {
  if (wide_is_zero(a->whole) || wide_is_zero(b->whole)) {
    return wide_is_zero(b->whole) - wide_is_zero(a->whole);
  }
  const int64_t a_length = wide_length(a->whole);
  const int64_t b_length = wide_length(b->whole);
  const int64_t a_top = a->power + a_length;
  const int64_t b_top = b->power + b_length;
  if (a_top != b_top) {
    return a_top < b_top ? -1 : 1;
  }
  return wide_compare(wide_shift_left(a->whole, 128 - a_length),
                      wide_shift_left(b->whole, 128 - b_length));
}

/* f8e8m0fnu alone: powers of two. */
static bool has_no_zero(const number_format *format) {
  return format->mantissa_bits == 0;
}

/* ---- What patterns stand for ---------------------------------------------------------------- */

/* Of a floating format, for a pattern without sign. */
static number magnitude_of(const number_format *format, uint64_t pattern) {
  const int64_t exponent = (int64_t)(pattern >> format->mantissa_bits);
  const uint64_t fraction = pattern & format_ones(format->mantissa_bits);
  const int64_t power = exponent - (int64_t)format->bias - (int64_t)format->mantissa_bits;
  if (exponent == 0 && !has_no_zero(format)) { /* a subnormal number */
    return (number){NUMBER, false, wide_of(fraction), power + 1};
  }
  return (number){NUMBER, false, wide_of(((uint64_t)1 << format->mantissa_bits) + fraction), power};
}

static number float_of(const number_format *format, uint64_t pattern) {
  const uint64_t sign = format_sign(format);
  const uint64_t magnitude = pattern & ~sign;
  const bool negative = (pattern & sign) != 0;
  number value = magnitude_of(format, magnitude);
  value.negative = negative;
  if (magnitude > format_greatest(format)) {
    const bool is_infinity =
        format->top == TOP_INFINITY && magnitude == format_greatest(format) + 1;
    value.kind = is_infinity ? INFINITE : NOT_A_NUMBER;
  } else if (format->top == NAN_FOR_MINUS_0 && negative && magnitude == 0) {
    value.kind = NOT_A_NUMBER;
  }
  return value;
}

static number number_of(const number_format *format, uint64_t pattern) {
  switch (format->kind) {
  case BOOLEAN:
    return (number){NUMBER, false, wide_of(pattern != 0), 0};
  case NATURAL:
    return (number){NUMBER, false, wide_of(pattern), 0};
  case TWOS_COMPLEMENT:
    if (pattern >> (format->bits - 1) != 0) {
      return (number){NUMBER, true, wide_of((0 - pattern) & format_ones(format->bits)), 0};
    }
    return (number){NUMBER, false, wide_of(pattern), 0};
  case FLOATING:
  case COMPLEX:
    break;
  }
  return float_of(format, pattern);
}

static number times(number value, double scale) {
  const number_format f64 = format_of(RELAYOUT_F64);
  uint64_t pattern;
  memcpy(&pattern, &scale, sizeof(pattern));
  const number factor = number_of(&f64, pattern);
  if (value.kind != NOT_A_NUMBER) { /* which keeps its sign */
    value.negative = value.negative != factor.negative;
  }
  value.whole = wide_product(value.whole.low, factor.whole.low);
  value.power += factor.power;
  return value;
}

/* ---- The nearest float ---------------------------------------------------------------------- */

static uint64_t quiet_nan(const number_format *format, bool negative) {
  const uint64_t sign = format_sign(format);
  const uint64_t infinity = format_greatest(format) + 1;
  switch (format->top) {
  case TOP_INFINITY:
    return infinity + ((uint64_t)1 << (format->mantissa_bits - 1)) + (negative ? sign : 0);
  case TOP_NAN:
    return format_greatest(format) + 1 + (negative ? sign : 0);
  case NAN_FOR_MINUS_0:
    return sign;
  case ALL_NUMBERS:
    break;
  }
  return negative ? 0 : sign;
}

static uint64_t beyond_greatest(const number_format *format, bool negative) {
  switch (format->top) {
  case TOP_INFINITY:
    return format_greatest(format) + 1 + (negative ? format_sign(format) : 0);
  case TOP_NAN:
  case NAN_FOR_MINUS_0:
    return quiet_nan(format, negative);
  case ALL_NUMBERS:
    break;
  }
  return format_greatest(format) + (negative ? format_sign(format) : 0);
}

/* The last pattern whose number is not greater than this one, 0 where all are. */
static uint64_t pattern_below(const number_format *format, const number *value) {
  uint64_t low = 0;
  uint64_t high = format_greatest(format);
  while (low < high) {
    const uint64_t middle = high - (high - low) / 2;
    const number at_middle = magnitude_of(format, middle);
    if (compare_magnitudes(&at_middle, value) <= 0) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/* Patterns one beyond the greatest stand for what the next number would be. */
static uint64_t nearest_magnitude(const number_format *format, const number *value) {
  const uint64_t below = pattern_below(format, value);
  const number low = magnitude_of(format, below);
  if (compare_magnitudes(value, &low) <= 0) {
    return below;
  }
  if (below == 0 && has_no_zero(format)) {
    return 1;
  }
  const number halfway = {NUMBER, false, wide_of(2 * low.whole.low + 1), low.power - 1};
  const int side = compare_magnitudes(value, &halfway);
  const bool low_is_odd = (low.whole.low & 1) != 0;
  return below + (side > 0 || (side == 0 && low_is_odd) ? 1 : 0);
}

static uint64_t nearest_float(const number_format *format, const number *value) {
  const uint64_t sign = format_sign(format);
  if (value->kind == NOT_A_NUMBER ||
      (has_no_zero(format) && (value->negative || wide_is_zero(value->whole)))) {
    return quiet_nan(format, value->negative);
  }
  if (value->kind == INFINITE) {
    return beyond_greatest(format, value->negative);
  }
  const uint64_t magnitude = nearest_magnitude(format, value);
  if (magnitude > format_greatest(format)) {
    return beyond_greatest(format, value->negative);
  }
  if (magnitude == 0 && format->top == NAN_FOR_MINUS_0) {
    return 0;
  }
  return magnitude + (value->negative ? sign : 0);
}

/* ---- Integers ------------------------------------------------------------------------------- */

/* The low 64 bits of the magnitude without its fraction. */
static uint64_t whole_magnitude(const number *value) {
  if (value->power >= 64 || value->power <= -128) {
    return 0;
  }
  return (value->power >= 0 ? wide_shift_left(value->whole, value->power)
                            : wide_shift_right(value->whole, -value->power))
      .low;
}

/* The nearest whole number, of two as near the even one: above halfway to the next one is that. */
static number nearest_whole(const number *value) {
  if (value->kind != NUMBER || value->power >= 0) {
    return *value;
  }
  const wide below =
      value->power > -128 ? wide_shift_right(value->whole, -value->power) : wide_of(0);
  const number halfway = {NUMBER, false, wide_next(wide_shift_left(below, 1)), -1};
  const int side = compare_magnitudes(value, &halfway);
  const bool below_is_odd = (below.low & 1) != 0;
  const wide nearest = side > 0 || (side == 0 && below_is_odd) ? wide_next(below) : below;
  return (number){NUMBER, value->negative, nearest, 0};
}

static uint64_t wrapped_integer(const number_format *format, const number *value) {
  if (value->kind != NUMBER) {
    return 0;
  }
  const uint64_t magnitude = whole_magnitude(value);
  return (value->negative ? 0 - magnitude : magnitude) & format_ones(format->bits);
}

/* How far the type reaches up or down from zero. */
static uint64_t reach(const number_format *format, bool negative) {
  if (format->kind == NATURAL) {
    return negative ? 0 : format_ones(format->bits);
  }
  return negative ? (uint64_t)1 << (format->bits - 1) : format_ones(format->bits - 1);
}

static uint64_t saturated_integer(const number_format *format, const number *value) {
  if (value->kind == NOT_A_NUMBER) {
    return 0;
  }
  const number end = {NUMBER, value->negative, wide_of(reach(format, value->negative)), 0};
  const bool is_beyond = value->kind == INFINITE || compare_magnitudes(value, &end) > 0;
  const uint64_t magnitude = is_beyond ? end.whole.low : whole_magnitude(value);
  return (value->negative ? 0 - magnitude : magnitude) & format_ones(format->bits);
}

/* ---- Conversion ----------------------------------------------------------------------------- */

static uint64_t integer_of(const number_format *format, bool wraps, bool to_nearest,
                           const number *value) {
  const number rounded = to_nearest ? nearest_whole(value) : *value;
  return wraps ? wrapped_integer(format, &rounded) : saturated_integer(format, &rounded);
}

static uint64_t pattern_of(const number_format *format, bool wraps, bool to_nearest,
                           const number *value) {
  switch (format->kind) {
  case BOOLEAN:
    return value->kind != NUMBER || !wide_is_zero(value->whole);
  case NATURAL:
  case TWOS_COMPLEMENT:
    return integer_of(format, wraps, to_nearest, value);
  case FLOATING:
  case COMPLEX:
    break;
  }
  return nearest_float(format, value);
}

void oracle_convert(relayout_element_type from, relayout_element_type to, bool wraps,
                    bool to_nearest, double scale, const unsigned char *element,
                    unsigned char *converted) {
  const number_format from_format = format_of(from);
  const number_format to_format = format_of(to);
  const number value = times(number_of(&from_format, format_load(&from_format, element)), scale);
  format_store(&to_format, pattern_of(&to_format, wraps, to_nearest, &value), converted);
}

double oracle_value(relayout_element_type type, const unsigned char *element) {
  unsigned char bytes[sizeof(double)];
  double value;
  oracle_convert(type, RELAYOUT_F64, false, false, 1, element, bytes);
  memcpy(&value, bytes, sizeof(value));
  return value;
}
