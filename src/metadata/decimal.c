/* decimal.c: multiplies and divides decimal digits in an array by powers of two, as on paper.
 *
 * Depends on base/.
 */
#include "metadata/decimal.h"

#include <string.h>

#include "base/checked.h"

enum {
  STEP_BITS = 28,      /* the largest power of two of one multiplication or division */
  STEP_DIGITS = 9,     /* decimal digits that one step can add in front */
  PLAIN_DIGITS = 17,   /* zeros are written out in numbers up to this long */
  POINT_LIMIT = 100000 /* where a parsed number's point saturates, far beyond every float type */
};

static void trim(rlt_decimal *decimal) {
  int32_t zeros = 0;
  while (zeros < decimal->count && decimal->digits[zeros] == 0) {
    ++zeros;
  }
  decimal->count -= zeros;
  decimal->point -= zeros;
  memmove(decimal->digits, decimal->digits + zeros, (size_t)decimal->count);
  while (decimal->count > 0 && decimal->digits[decimal->count - 1] == 0) {
    --decimal->count;
  }
  if (decimal->count == 0) {
    decimal->point = 0;
  }
}

/* Digit number i, where zeros precede and follow those that are there. */
static uint8_t digit_at(const rlt_decimal *decimal, int32_t i) {
  return i < 0 || i >= decimal->count ? 0 : decimal->digits[i];
}

/* Appends a digit, or notes that it did not fit. */
static void append(rlt_decimal *decimal, uint8_t digit) {
  if (decimal->count < RLT_DECIMAL_DIGITS) {
    decimal->digits[decimal->count++] = digit;
  } else if (digit != 0) {
    decimal->more = true;
  }
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Reads an exponent's digits up to `end`; false when there are none or something else. */
static bool parse_exponent(const char *at, const char *end, int64_t *exponent) {
  const bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) {
    ++at;
  }
  if (at == end) {
    return false;
  }
  int64_t value = 0;
  for (; at < end; ++at) {
    if (!is_digit(*at)) {
      return false;
    }
    if (value < INT64_MAX / 20) {
      value = value * 10 + (*at - '0');
    }
  }
  *exponent = negative ? -value : value;
  return true;
}

bool rlt_decimal_parse(const char *text, size_t length, rlt_decimal *decimal) {
  *decimal = (rlt_decimal){0};
  const char *const end = text + length;
  const char *at = text;
  int64_t point = 0;
  bool in_fraction = false;
  bool any = false;
  for (; at < end && (is_digit(*at) || (*at == '.' && !in_fraction)); ++at) {
    if (*at == '.') {
      in_fraction = true;
      continue;
    }
    any = true;
    const bool leads = decimal->count == 0 && *at == '0';
    if (!leads) {
      append(decimal, (uint8_t)(*at - '0'));
    }
    point += in_fraction ? (leads ? -1 : 0) : (leads ? 0 : 1);
  }
  if (!any) {
    return false;
  }
  if (at < end) {
    int64_t exponent;
    if ((*at != 'e' && *at != 'E') || !parse_exponent(at + 1, end, &exponent)) {
      return false;
    }
    point += exponent;
  }
  decimal->point = (int32_t)rlt_max(rlt_min(point, POINT_LIMIT), -POINT_LIMIT);
  trim(decimal);
  return true;
}

void rlt_decimal_set(rlt_decimal *decimal, uint64_t value) {
  *decimal = (rlt_decimal){.point = 20};
  for (uint64_t unit = UINT64_C(10000000000000000000); unit > 0; unit /= 10) {
    append(decimal, (uint8_t)(value / unit % 10));
  }
  trim(decimal);
}

static void multiply(rlt_decimal *decimal, int32_t bits) {
  uint8_t product[RLT_DECIMAL_DIGITS + STEP_DIGITS];
  uint64_t carry = 0;
  for (int32_t i = decimal->count - 1; i >= 0; --i) {
    carry += (uint64_t)decimal->digits[i] << bits;
    product[i + STEP_DIGITS] = (uint8_t)(carry % 10);
    carry /= 10;
  }
  for (int32_t i = STEP_DIGITS - 1; i >= 0; --i) {
    product[i] = (uint8_t)(carry % 10);
    carry /= 10;
  }
  const int32_t count = decimal->count + STEP_DIGITS;
  int32_t zeros = 0;
  while (zeros < count && product[zeros] == 0) {
    ++zeros;
  }
  decimal->point += STEP_DIGITS - zeros;
  decimal->count = 0;
  for (int32_t i = zeros; i < count; ++i) {
    append(decimal, product[i]);
  }
  trim(decimal);
}

static void divide(rlt_decimal *decimal, int32_t bits) {
  rlt_decimal quotient = {.point = decimal->point, .more = decimal->more};
  const uint64_t mask = (UINT64_C(1) << bits) - 1;
  uint64_t rest = 0;
  for (int32_t i = 0; i < decimal->count || rest != 0; ++i) {
    rest = rest * 10 + digit_at(decimal, i);
    const uint8_t digit = (uint8_t)(rest >> bits);
    rest &= mask;
    if (quotient.count == 0 && digit == 0) {
      --quotient.point;
      continue;
    }
    append(&quotient, digit);
  }
  *decimal = quotient;
  trim(decimal);
}

void rlt_decimal_scale(rlt_decimal *decimal, int32_t power) {
  while (power > 0) {
    const int32_t bits = power < STEP_BITS ? power : STEP_BITS;
    multiply(decimal, bits);
    power -= bits;
  }
  while (power < 0) {
    const int32_t bits = -power < STEP_BITS ? -power : STEP_BITS;
    divide(decimal, bits);
    power += bits;
  }
}

uint64_t rlt_decimal_floor(const rlt_decimal *decimal, int *fraction_to_half) {
  uint64_t integer = 0;
  for (int32_t i = 0; i < decimal->point; ++i) {
    integer = integer * 10 + digit_at(decimal, i);
  }
  const int32_t first = decimal->point; /* the first digit of the fraction */
  if (first < 0 || first >= decimal->count || decimal->digits[first] < 5) {
    *fraction_to_half = -1;
  } else if (decimal->digits[first] > 5 || first + 1 < decimal->count || decimal->more) {
    *fraction_to_half = 1;
  } else {
    *fraction_to_half = 0;
  }
  return integer;
}

void rlt_decimal_cut(rlt_decimal *decimal, int32_t digits, bool up) {
  if (decimal->count <= digits) {
    return;
  }
  decimal->count = digits;
  decimal->more = false;
  int32_t i = digits - 1;
  while (up && i >= 0 && decimal->digits[i] == 9) {
    decimal->digits[i--] = 0;
  }
  if (up && i >= 0) {
    ++decimal->digits[i];
  } else if (up) {
    decimal->digits[0] = 1; /* 99..9 became 100..0 */
    ++decimal->point;
  }
  trim(decimal);
}

void rlt_decimal_format(const rlt_decimal *decimal, rlt_text *text) {
  const int32_t shown = decimal->count < PLAIN_DIGITS ? decimal->count : PLAIN_DIGITS;
  const bool plain = decimal->point > -4 && decimal->point <= PLAIN_DIGITS;
  const int32_t point = plain ? decimal->point : 1;
  if (point <= 0) {
    rlt_text_add(text, "0");
  }
  for (int32_t i = 0; i < point; ++i) {
    rlt_text_add(text, "%d", digit_at(decimal, i));
  }
  if (shown > point) {
    rlt_text_add(text, ".");
  }
  for (int32_t i = point; i < shown; ++i) {
    rlt_text_add(text, "%d", digit_at(decimal, i));
  }
  if (!plain) {
    rlt_text_add(text, "e%d", decimal->point - 1);
  }
}
