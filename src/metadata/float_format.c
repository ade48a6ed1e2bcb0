/* float_format.c: what a float type's bit patterns mean, as one table and one rounding rule.
 *
 * Depends on decimal.h.
 */
#include "metadata/float_format.h"

/* C64 and C128 stand for their parts. */
static const rlt_float_format formats[] = {
#define ROW(type, exponent, mantissa, bias, specials)                                              \
  {RELAYOUT_##type, exponent, mantissa, bias, RLT_FLOAT_##specials},
    RLT_SIGNED_FLOATS_TO_16(ROW)
#undef ROW
        {RELAYOUT_F8E8M0FNU, 8, 0, 127, RLT_FLOAT_UNSIGNED},
    {RELAYOUT_F32, 8, 23, 127, RLT_FLOAT_IEEE},
    {RELAYOUT_F64, 11, 52, 1023, RLT_FLOAT_IEEE},
    {RELAYOUT_C64, 8, 23, 127, RLT_FLOAT_IEEE},
    {RELAYOUT_C128, 11, 52, 1023, RLT_FLOAT_IEEE},
};

/* Points beyond these make every type's infinity and zero. */
enum { GREATEST_POINT = 400, LEAST_POINT = -400 };

const rlt_float_format *rlt_float_format_of(relayout_element_type type) {
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; ++i) {
    if (formats[i].type == type) {
      return &formats[i];
    }
  }
  return NULL;
}

static uint64_t sign_bit(const rlt_float_format *format) {
  return UINT64_C(1) << (format->exponent_bits + format->mantissa_bits);
}

/* All ones but the sign. */
static uint64_t greatest_magnitude(const rlt_float_format *format) {
  return sign_bit(format) - 1;
}

static uint64_t ieee_infinity(const rlt_float_format *format) {
  return greatest_magnitude(format) >> format->mantissa_bits << format->mantissa_bits;
}

static uint64_t greatest_finite(const rlt_float_format *format) {
  switch (format->specials) {
  case RLT_FLOAT_IEEE:
    return ieee_infinity(format) - 1;
  case RLT_FLOAT_FN:
  case RLT_FLOAT_UNSIGNED:
    return greatest_magnitude(format) - 1;
  case RLT_FLOAT_FNUZ:
  case RLT_FLOAT_FINITE:
    break;
  }
  return greatest_magnitude(format);
}

/* The exponent of the least normal number. */
static int32_t least_exponent(const rlt_float_format *format) {
  return (format->specials == RLT_FLOAT_UNSIGNED ? 0 : 1) - format->bias;
}

/* The largest e with 2^e <= decimal, which is not 0. */
static int32_t binary_exponent(const rlt_decimal *decimal) {
  rlt_decimal scaled = *decimal;
  int32_t exponent = 0;
  /* 10^(point-1) <= scaled < 10^point; 3 bits are less than a digit. */
  while (scaled.point > 1) {
    const int32_t step = 3 * (scaled.point - 1);
    rlt_decimal_scale(&scaled, -step);
    exponent += step;
  }
  while (scaled.point < 1) {
    const int32_t step = 3 * (1 - scaled.point);
    rlt_decimal_scale(&scaled, step);
    exponent -= step;
  }
  /* One digit is left before the point: 1 .. 9. */
  for (uint8_t digit = scaled.digits[0]; digit > 1; digit /= 2) {
    ++exponent;
  }
  return exponent;
}

/* Whether a number that lies so from halfway between two patterns goes to the upper one. Powers of
 * two alone have ties that go up, and the least of them, which stands where others have 0, is kept
 * for what is no more: as conversions have it (cl/convert.cl). */
static bool goes_up(const rlt_float_format *format, uint64_t pattern, int fraction_to_half,
                    bool is_exact) {
  if (format->specials == RLT_FLOAT_UNSIGNED) {
    return fraction_to_half >= 0 || (pattern == 0 && !is_exact);
  }
  return fraction_to_half > 0 || (fraction_to_half == 0 && pattern % 2 == 1);
}

/* The pattern that a decimal other than 0 is rounded to, without its sign. */
static uint64_t round_magnitude(const rlt_float_format *format, const rlt_decimal *decimal) {
  if (decimal->point > GREATEST_POINT) {
    return UINT64_MAX;
  }
  if (decimal->point < LEAST_POINT) {
    return 0;
  }
  const int32_t least = least_exponent(format);
  const int32_t exact = binary_exponent(decimal);
  const int32_t exponent = exact < least ? least : exact;
  if (exponent > format->bias + 1) {
    return UINT64_MAX;
  }
  rlt_decimal scaled = *decimal;
  rlt_decimal_scale(&scaled, format->mantissa_bits - exponent);
  int fraction_to_half;
  const uint64_t mantissa = rlt_decimal_floor(&scaled, &fraction_to_half);
  uint64_t pattern = mantissa + ((uint64_t)(exponent - least) << format->mantissa_bits);
  if (format->specials == RLT_FLOAT_UNSIGNED) {
    if (mantissa == 0) {
      return 0; /* below the least value, which is the nearest */
    }
    --pattern;
  }
  const bool is_exact = scaled.count <= scaled.point && !scaled.more;
  return goes_up(format, pattern, fraction_to_half, is_exact) ? pattern + 1 : pattern;
}

bool rlt_float_from_decimal(const rlt_float_format *format, bool negative,
                            const rlt_decimal *decimal, uint64_t *pattern) {
  const bool is_unsigned = format->specials == RLT_FLOAT_UNSIGNED;
  if (is_unsigned && (negative || decimal->count == 0)) {
    return false;
  }
  const uint64_t magnitude = decimal->count == 0 ? 0 : round_magnitude(format, decimal);
  if (magnitude > greatest_finite(format)) {
    return false;
  }
  const bool has_sign = negative && !(magnitude == 0 && format->specials == RLT_FLOAT_FNUZ);
  *pattern = magnitude | (has_sign ? sign_bit(format) : 0);
  return true;
}

bool rlt_float_infinity(const rlt_float_format *format, bool negative, uint64_t *pattern) {
  if (format->specials != RLT_FLOAT_IEEE) {
    return false;
  }
  *pattern = ieee_infinity(format) | (negative ? sign_bit(format) : 0);
  return true;
}

bool rlt_float_nan(const rlt_float_format *format, uint64_t *pattern) {
  switch (format->specials) {
  case RLT_FLOAT_IEEE:
    *pattern = ieee_infinity(format) | UINT64_C(1) << (format->mantissa_bits - 1);
    return true;
  case RLT_FLOAT_FN:
  case RLT_FLOAT_UNSIGNED:
    *pattern = greatest_magnitude(format);
    return true;
  case RLT_FLOAT_FNUZ:
    *pattern = sign_bit(format);
    return true;
  case RLT_FLOAT_FINITE:
    break;
  }
  return false;
}

/* The exact value of a finite pattern without its sign. */
static void set_to_magnitude(const rlt_float_format *format, uint64_t magnitude,
                             rlt_decimal *decimal) {
  const uint64_t hidden = UINT64_C(1) << format->mantissa_bits;
  const int32_t field = (int32_t)(magnitude >> format->mantissa_bits);
  const uint64_t fraction = magnitude & (hidden - 1);
  const bool normal = field > 0 || format->specials == RLT_FLOAT_UNSIGNED;
  const int32_t exponent = normal ? field - format->bias : least_exponent(format);
  rlt_decimal_set(decimal, normal ? fraction | hidden : fraction);
  rlt_decimal_scale(decimal, exponent - format->mantissa_bits);
}

/* The value cut to these digits still rounds to the pattern. */
static bool cuts_to(const rlt_float_format *format, uint64_t magnitude, const rlt_decimal *exact,
                    int32_t digits, bool up, rlt_decimal *cut) {
  *cut = *exact;
  rlt_decimal_cut(cut, digits, up);
  uint64_t back;
  return cut->count > 0 && rlt_float_from_decimal(format, false, cut, &back) && back == magnitude;
}

/* Cuts the exact value to the fewest digits that round to it, and of those to the nearer side. */
static void shorten(const rlt_float_format *format, uint64_t magnitude, rlt_decimal *decimal) {
  const rlt_decimal exact = *decimal;
  for (int32_t digits = 1; digits < exact.count; ++digits) {
    const bool nearer_up = exact.digits[digits] >= 5;
    if (cuts_to(format, magnitude, &exact, digits, nearer_up, decimal) ||
        cuts_to(format, magnitude, &exact, digits, !nearer_up, decimal)) {
      return;
    }
  }
  *decimal = exact;
}

/* An exact value that a reader would rather see than a shorter one that rounds to it: 448 and 0.125
 * stay what they are, in whatever type 450 and 0.1 would do. */
static bool is_short(const rlt_decimal *decimal) {
  enum { FEW_DIGITS = 6, INTEGER_DIGITS = 15 };
  const bool is_integer = decimal->count <= decimal->point;
  return decimal->count <= FEW_DIGITS || (is_integer && decimal->point <= INTEGER_DIGITS);
}

bool rlt_float_format_text(const rlt_float_format *format, uint64_t pattern, rlt_text *text) {
  const bool has_sign = format->specials != RLT_FLOAT_UNSIGNED && (pattern & sign_bit(format)) != 0;
  const uint64_t magnitude = has_sign ? pattern & ~sign_bit(format) : pattern;
  const char *const sign = has_sign ? "-" : "";
  if (format->specials == RLT_FLOAT_IEEE && magnitude == ieee_infinity(format)) {
    rlt_text_add(text, "%sinf", sign);
    return true;
  }
  const bool is_negative_zero = has_sign && magnitude == 0;
  if (magnitude > greatest_finite(format) ||
      (is_negative_zero && format->specials == RLT_FLOAT_FNUZ)) {
    return false;
  }
  rlt_decimal decimal;
  set_to_magnitude(format, magnitude, &decimal);
  if (!is_short(&decimal)) {
    shorten(format, magnitude, &decimal);
  }
  rlt_text_add(text, "%s", sign);
  rlt_decimal_format(&decimal, text);
  return true;
}
