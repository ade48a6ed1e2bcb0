/* test_literal.c: padding literals: text to bits and bits to text, for every
 * type, in any locale. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metadata/float_values.h"
#include "oracle/conversion.h"
#include "relayout/shape.h"

enum { TEXT_SIZE = 1200 };

/* ---- By hand ---- */

typedef struct literal_case {
  relayout_element_type type;
  const char *text;
  uint64_t high; /* the element's bits as one number; of a complex one the imaginary part first */
  uint64_t low;
  const char *printed;
} literal_case;

static const literal_case literal_cases[] = {
    {RELAYOUT_PRED, "1", 0, 1, "1"},
    {RELAYOUT_PRED, "true", 0, 1, "1"},
    {RELAYOUT_PRED, "0x1", 0, 1, "1"},
    {RELAYOUT_S1, "-1", 0, 1, "-1"},
    {RELAYOUT_S2, "-2", 0, 2, "-2"},
    {RELAYOUT_S4, "-1", 0, 0x0f, "-1"},
    {RELAYOUT_S4, "0x8", 0, 8, "-8"},
    {RELAYOUT_S4, "7", 0, 7, "7"},
    {RELAYOUT_U1, "1", 0, 1, "1"},
    {RELAYOUT_U2, "3", 0, 3, "3"},
    {RELAYOUT_U4, "15", 0, 15, "15"},
    {RELAYOUT_S8, "-128", 0, 0x80, "-128"},
    {RELAYOUT_S8, "0x000000000000000000000000000000000000FF", 0, 0xff, "-1"},
    {RELAYOUT_U8, "00255", 0, 255, "255"},
    {RELAYOUT_S16, "-32768", 0, 0x8000, "-32768"},
    {RELAYOUT_U16, "65535", 0, 65535, "65535"},
    {RELAYOUT_S32, "-2147483648", 0, 0x80000000, "-2147483648"},
    {RELAYOUT_U32, "4294967295", 0, 0xffffffff, "4294967295"},
    {RELAYOUT_S64, "-9223372036854775808", 0, 0x8000000000000000, "-9223372036854775808"},
    {RELAYOUT_S64, "9223372036854775807", 0, INT64_MAX, "9223372036854775807"},
    {RELAYOUT_U64, "18446744073709551615", 0, UINT64_MAX, "18446744073709551615"},
    {RELAYOUT_F4E2M1FN, "-6", 0, 0xf, "-6"},
    {RELAYOUT_F4E2M1FN, "0.25", 0, 0, ""}, /* a tie, to zero */
    {RELAYOUT_F4E2M1FN, "0.75", 0, 2, "1"},
    {RELAYOUT_F4E2M1FN, "6.99", 0, 7, "6"},
    {RELAYOUT_F6E2M3FN, "0.125", 0, 1, "0.125"},
    {RELAYOUT_F6E3M2FN, "28", 0, 0x1f, "28"},
    {RELAYOUT_F8E4M3FN, "448", 0, 0x7e, "448"},
    {RELAYOUT_F8E4M3FN, "463.99", 0, 0x7e, "448"},
    {RELAYOUT_F8E4M3FN, "nan", 0, 0x7f, "0x7f"},
    {RELAYOUT_F8E4M3FNUZ, "nan", 0, 0x80, "0x80"},
    {RELAYOUT_F8E4M3FNUZ, "-0", 0, 0, ""},
    {RELAYOUT_F8E4M3FNUZ, "-1e-30", 0, 0, ""},
    {RELAYOUT_F8E5M2, "-inf", 0, 0xfc, "-inf"},
    {RELAYOUT_F8E8M0FNU, "1", 0, 0x7f, "1"},
    {RELAYOUT_F8E8M0FNU, "3", 0, 0x81, "4"}, /* ties go up */
    {RELAYOUT_F8E8M0FNU, "6", 0, 0x82, "8"},
    {RELAYOUT_F8E8M0FNU, "2.999", 0, 0x80, "2"},
    /* 2^-127 is 5.877...e-39: what is more goes to 2^-126, what is less does not go to 0. */
    {RELAYOUT_F8E8M0FNU, "5.8774717541114375398e-39", 0, 0, ""},
    {RELAYOUT_F8E8M0FNU, "5.8774717541114375399e-39", 0, 1, "1e-38"},
    {RELAYOUT_F8E8M0FNU, "6e-39", 0, 1, "1e-38"},
    {RELAYOUT_F8E8M0FNU, "1.1754943508222875e-38", 0, 1, "1e-38"},
    {RELAYOUT_F8E8M0FNU, "1e-300", 0, 0, ""}, /* the least value, whose bits are all zero */
    {RELAYOUT_F8E8M0FNU, "nan", 0, 0xff, "0xff"},
    {RELAYOUT_F16, "65504", 0, 0x7bff, "65504"},
    {RELAYOUT_F16, "65519.999", 0, 0x7bff, "65504"},
    {RELAYOUT_F16, "6e-8", 0, 1, "6e-8"},
    {RELAYOUT_F16, "2.98e-8", 0, 0, ""}, /* just below half of the least */
    {RELAYOUT_F16, "2.9802322387695312e-8", 0, 0, ""},
    {RELAYOUT_F16, "2.9802322387695313e-8", 0, 1, "6e-8"},
    {RELAYOUT_BF16, "0x7fc0", 0, 0x7fc0, "0x7fc0"},
    {RELAYOUT_BF16, "-1.5", 0, 0xbfc0, "-1.5"},
    /* Rounded once: through f32 it would tie and go down. */
    {RELAYOUT_BF16, "1.00390625000000000001", 0, 0x3f81, "1.01"},
    {RELAYOUT_BF16, "1.00390625", 0, 0x3f80, "1"},
    {RELAYOUT_F32, "0.1", 0, 0x3dcccccd, "0.1"},
    {RELAYOUT_F32, "-0.0", 0, 0x80000000, "-0"},
    {RELAYOUT_F32, "1e-45", 0, 1, "1e-45"},
    {RELAYOUT_F32, "3.4028235e38", 0, 0x7f7fffff, "3.4028235e38"},
    {RELAYOUT_F32, "inf", 0, 0x7f800000, "inf"},
    {RELAYOUT_F32, "nan", 0, 0x7fc00000, "0x7fc00000"},
    {RELAYOUT_F32, "1E+2", 0, 0x42c80000, "100"},
    {RELAYOUT_F32, ".5", 0, 0x3f000000, "0.5"},
    {RELAYOUT_F32, "5.", 0, 0x40a00000, "5"},
    {RELAYOUT_F32, "1e-99999999999999999999999999", 0, 0, ""},
    {RELAYOUT_F32, "0e99999999999999999999999999", 0, 0, ""},
    {RELAYOUT_F32, "123456789", 0, 0x4ceb79a3, "123456792"},
    {RELAYOUT_F64, "5e-324", 0, 1, "5e-324"},
    {RELAYOUT_F64, "2.2250738585072014e-308", 0, 0x0010000000000000, "2.2250738585072014e-308"},
    {RELAYOUT_F64, "1.7976931348623157e308", 0, 0x7fefffffffffffff, "1.7976931348623157e308"},
    {RELAYOUT_F64, "5.6843418860808015e-14", 0, 0x3d30000000000000, "5.684341886080802e-14"},
    {RELAYOUT_F64, "0.0001", 0, 0x3f1a36e2eb1c432d, "0.0001"},
    {RELAYOUT_C64, "-1.5", 0, 0xbfc00000, "-1.5"},
    {RELAYOUT_C64, "0x3f80000040000000", 0, 0x3f80000040000000, "0x3f80000040000000"},
    {RELAYOUT_C128, "1", 0, 0x3ff0000000000000, "1"},
    {RELAYOUT_C128, "0x3ff00000000000004000000000000000", 0x3ff0000000000000, 0x4000000000000000,
     "0x3ff00000000000004000000000000000"},
};

/* Parses `{:PV(text)}` for a scalar. */
static relayout_status parse(relayout_element_type type, const char *text, relayout_layout *layout,
                             relayout_error *error) {
  char layout_text[TEXT_SIZE + 8];
  snprintf(layout_text, sizeof layout_text, "{:PV(%s)}", text);
  return relayout_layout_parse(layout_text, type, 0, layout, error);
}

static relayout_layout parse_valid(relayout_element_type type, const char *text) {
  relayout_layout layout;
  relayout_error error;
  if (parse(type, text, &layout, &error) != RELAYOUT_OK) {
    fail_msg("%s PV(%s): %s", relayout_element_type_name(type), text, error.message);
  }
  return layout;
}

/* Reads the bits back the way the host holds such numbers: as integers, complex parts in turn. */
static void bits_of(relayout_element_type type, const relayout_layout *layout, uint64_t *high,
                    uint64_t *low) {
  uint8_t bytes[RELAYOUT_MAX_ELEMENT_SIZE];
  assert_int_equal(relayout_layout_padding_bytes(layout, type, bytes, NULL), RELAYOUT_OK);
  uint16_t as16;
  uint32_t as32[2];
  uint64_t as64[2];
  memcpy(&as16, bytes, sizeof as16);
  memcpy(as32, bytes, sizeof as32);
  memcpy(as64, bytes, sizeof as64);
  *high = type == RELAYOUT_C128 ? as64[1] : 0;
  switch (relayout_element_type_byte_size(type)) {
  case 1:
    *low = bytes[0];
    return;
  case 2:
    *low = as16;
    return;
  case 4:
    *low = as32[0];
    return;
  default:
    *low = type == RELAYOUT_C64 ? (uint64_t)as32[1] << 32 | as32[0] : as64[0];
    return;
  }
}

static uint64_t low_bits_of(relayout_element_type type, const char *text) {
  const relayout_layout layout = parse_valid(type, text);
  uint64_t high;
  uint64_t low;
  bits_of(type, &layout, &high, &low);
  return low;
}

/* The text between the brackets of PV(); empty when the value is zero. */
static void print(relayout_element_type type, const relayout_layout *layout, char *text) {
  char printed[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_layout_format(layout, type, printed, sizeof printed);
  text[0] = '\0';
  sscanf(printed, "{:PV(%[^)])}", text);
}

static void test_by_hand(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof literal_cases / sizeof literal_cases[0]; ++i) {
    const literal_case *const c = &literal_cases[i];
    const relayout_layout layout = parse_valid(c->type, c->text);
    uint64_t high;
    uint64_t low;
    char text[TEXT_SIZE];
    bits_of(c->type, &layout, &high, &low);
    print(c->type, &layout, text);
    if (high != c->high || low != c->low || strcmp(text, c->printed) != 0) {
      fail_msg("%s PV(%s): bits 0x%016" PRIx64 "%016" PRIx64 ", printed '%s'",
               relayout_element_type_name(c->type), c->text, high, low, text);
    }
    const bool is_zero = c->high == 0 && c->low == 0;
    assert_int_equal(layout.padding_value,
                     is_zero ? RELAYOUT_PADDING_ZERO : RELAYOUT_PADDING_LITERAL);
  }
}

typedef struct refusal {
  relayout_element_type type;
  const char *text;
  const char *message; /* after the column */
} refusal;

static const refusal refusals[] = {
    {RELAYOUT_PRED, "2", "'2' is out of the range of pred"},
    {RELAYOUT_PRED, "TRUE", "'TRUE' is not an integer, which is needed for pred"},
    {RELAYOUT_U8, "true", "'true' is not an integer"},
    {RELAYOUT_S1, "1", "'1' is out of the range of s1"},
    {RELAYOUT_S4, "8", "'8' is out of the range of s4"},
    {RELAYOUT_S4, "-9", "'-9' is out of the range of s4"},
    {RELAYOUT_S4, "0x10", "'0x10' has more bits than s4"},
    {RELAYOUT_U4, "-1", "'-1' is out of the range of u4"},
    {RELAYOUT_U8, "256", "'256' is out of the range of u8"},
    {RELAYOUT_U64, "18446744073709551616", "is out of the range of u64"},
    {RELAYOUT_S64, "9223372036854775808", "is out of the range of s64"},
    {RELAYOUT_S64, "-9223372036854775809", "is out of the range of s64"},
    {RELAYOUT_S32, "1.0", "'1.0' is not an integer, which is needed for s32"},
    {RELAYOUT_S32, "1e3", "'1e3' is not an integer"},
    {RELAYOUT_S32, "-", "'-' is not a number of type s32"},
    {RELAYOUT_S32, "--1", "'--1' is not an integer"},
    {RELAYOUT_S32, "+1", "'+1' is not an integer"},
    {RELAYOUT_S32, "-0x1", "'-0x1' is not an integer"},
    {RELAYOUT_S32, "0x", "'0x' has no digits of s32"},
    {RELAYOUT_S32, "0xg", "'0xg' is not a number of type s32"},
    {RELAYOUT_F32, "0x100000000", "'0x100000000' has more bits than f32"},
    {RELAYOUT_C128, "0x100000000000000000000000000000000", "has more bits than c128"},
    {RELAYOUT_C64, "0x10000000000000000", "has more bits than c64"},
    {RELAYOUT_F32, "3.4028236e38", "'3.4028236e38' is out of the range of f32"},
    {RELAYOUT_F32, "1e999999999999999999999999", "is out of the range of f32"},
    {RELAYOUT_F64, "-1.7976931348623159e308", "is out of the range of f64"},
    {RELAYOUT_F16, "65520", "'65520' is out of the range of f16"},
    {RELAYOUT_F8E4M3FN, "464.01", "'464.01' is out of the range of f8e4m3fn"},
    {RELAYOUT_F8E4M3FN, "inf", "'inf' does not exist in f8e4m3fn"},
    {RELAYOUT_F8E4M3FNUZ, "-inf", "'-inf' does not exist in f8e4m3fnuz"},
    {RELAYOUT_F4E2M1FN, "nan", "'nan' does not exist in f4e2m1fn"},
    {RELAYOUT_F4E2M1FN, "7", "'7' is out of the range of f4e2m1fn"},
    {RELAYOUT_F8E8M0FNU, "0", "'0' is out of the range of f8e8m0fnu"},
    {RELAYOUT_F8E8M0FNU, "-1", "'-1' is out of the range of f8e8m0fnu"},
    {RELAYOUT_F8E8M0FNU, "3e38", "'3e38' is out of the range of f8e8m0fnu"},
    {RELAYOUT_F32, "-nan", "'-nan' is not a number"},
    {RELAYOUT_F32, "infinity", "'infinity' is not a number"},
    {RELAYOUT_F32, "1e", "'1e' is not a number"},
    {RELAYOUT_F32, "1e+", "'1e+' is not a number"},
    {RELAYOUT_F32, "1.2.3", "'1.2.3' is not a number"},
    {RELAYOUT_F32, ".", "'.' is not a number"},
    {RELAYOUT_F32, "-.e1", "'-.e1' is not a number"},
    {RELAYOUT_F32, "1f", "'1f' is not a number"},
    {RELAYOUT_F32, "0.1\x02", "'0.1?' is not a number"},
};

static void test_refusals(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; ++i) {
    const refusal *const c = &refusals[i];
    relayout_layout layout;
    relayout_error error = {0};
    const relayout_status status = parse(c->type, c->text, &layout, &error);
    if (status != RELAYOUT_INVALID_TEXT || strstr(error.message, c->message) == NULL ||
        strncmp(error.message, "column 6: padding value ", 24) != 0) {
      fail_msg("%s PV(%s): status %d, message: %s", relayout_element_type_name(c->type), c->text,
               status, error.message);
    }
  }
}

/* ---- Against the values of all patterns ---- */

static relayout_layout literal_of(const float_type *type, uint64_t pattern) {
  relayout_layout layout = {.padding_value = RELAYOUT_PADDING_LITERAL};
  const uint8_t as8 = (uint8_t)pattern;
  const uint16_t as16 = (uint16_t)pattern;
  const uint32_t as32 = (uint32_t)pattern;
  switch (relayout_element_type_byte_size(type->type)) {
  case 1:
    memcpy(layout.padding_literal, &as8, sizeof as8);
    break;
  case 2:
    memcpy(layout.padding_literal, &as16, sizeof as16);
    break;
  case 4:
    memcpy(layout.padding_literal, &as32, sizeof as32);
    break;
  default:
    memcpy(layout.padding_literal, &pattern, sizeof pattern);
    break;
  }
  return layout;
}

/* Prints the pattern and parses it again; NaNs go through their bits. */
static void check_there_and_back(const float_type *type, uint64_t pattern) {
  const relayout_layout layout = literal_of(type, pattern);
  char text[TEXT_SIZE];
  print(type->type, &layout, text);
  const double value = float_value(type, pattern);
  const bool is_hex = strncmp(text, "0x", 2) == 0;
  if (pattern == 0) {
    assert_string_equal(text, "");
    return;
  }
  if (low_bits_of(type->type, text) != pattern || is_hex != (isnan(value) != 0) ||
      strlen(text) > 24) {
    fail_msg("%s 0x%" PRIx64 " prints as %s, which is 0x%" PRIx64,
             relayout_element_type_name(type->type), pattern, text, low_bits_of(type->type, text));
  }
}

static void test_every_small_pattern(void **state) {
  (void)state;
  for (size_t i = 0; i < FLOAT_TYPE_COUNT; ++i) {
    const float_type *const type = &float_types[i];
    const int bits = type->sign + type->exponent + type->mantissa;
    const uint64_t step = bits <= 8 ? 1 : 23;
    for (uint64_t pattern = 0; bits <= 16 && pattern >> bits == 0; pattern += step) {
      check_there_and_back(type, pattern);
    }
  }
}

/* The exact decimal value of a double, moved by `nudge` in a digit far beyond its last. */
static void exact_text(double value, int nudge, char text[TEXT_SIZE]) {
  int length = snprintf(text, TEXT_SIZE, "%.1100f", value);
  assert_true(length < TEXT_SIZE);
  if (nudge > 0) {
    text[length - 1] = '1';
  }
}

/* Between neighbours everything up to the middle goes down and everything beyond goes up; the
 * middle goes to the even pattern, of powers of two alone up; and so does all that is above their
 * least. */
static void test_every_rounding(void **state) {
  (void)state;
  for (size_t i = 0; i < FLOAT_TYPE_COUNT; ++i) {
    const float_type *const type = &float_types[i];
    const int bits = type->exponent + type->mantissa;
    if (bits > 15) {
      continue;
    }
    const uint64_t step = bits < 8 ? 1 : 509;
    for (uint64_t below = 0; below + 1 < UINT64_C(1) << bits; below += step) {
      const double low = float_value(type, below);
      const double high = float_value(type, below + 1);
      if (!isfinite(low) || !isfinite(high)) {
        continue;
      }
      const double middle = (low + high) / 2;
      const bool has_zero = type->mantissa > 0;
      const uint64_t even = below % 2 == 0 && has_zero ? below : below + 1;
      const uint64_t near = below == 0 && !has_zero ? 1 : below;
      char text[TEXT_SIZE];
      exact_text(middle, 0, text);
      assert_int_equal(low_bits_of(type->type, text), even);
      exact_text(middle, 1, text);
      assert_int_equal(low_bits_of(type->type, text), below + 1);
      exact_text(nextafter(middle, 0), 1, text);
      assert_int_equal(low_bits_of(type->type, text), near);
      exact_text(low, 0, text);
      assert_true(low == 0 || low_bits_of(type->type, text) == below);
    }
  }
}

/* ---- Against conversions ---- */

/* The type's greatest number, beyond which conversions know infinities, and literals nothing. */
static double greatest_of(const float_type *type) {
  const int bits = type->exponent + type->mantissa;
  uint64_t pattern = (UINT64_C(1) << bits) - 1;
  while (!isfinite(float_value(type, pattern))) {
    --pattern;
  }
  return float_value(type, pattern);
}

/* Whether a literal is the same element as the number's conversion, where it is one. */
static void check_as_conversion(const float_type *type, double value) {
  char text[TEXT_SIZE];
  snprintf(text, sizeof text, "%.1100e", value); /* exactly */
  relayout_layout layout;
  if (parse(type->type, text, &layout, NULL) != RELAYOUT_OK) {
    const bool has_zero = type->mantissa > 0;
    assert_true(fabs(value) > greatest_of(type) || (!has_zero && value <= 0));
    return;
  }
  unsigned char number[8], literal[RELAYOUT_MAX_ELEMENT_SIZE], element[8];
  memcpy(number, &value, sizeof value);
  oracle_convert(RELAYOUT_F64, type->type, false, false, 1, number, element);
  assert_int_equal(relayout_layout_padding_bytes(&layout, type->type, literal, NULL), RELAYOUT_OK);
  if (memcmp(literal, element, relayout_element_type_byte_size(type->type)) != 0) {
    fail_msg("%s: %a is 0x%02x as a literal, and 0x%02x converted",
             relayout_element_type_name(type->type), value, literal[0], element[0]);
  }
}

static void test_as_conversions(void **state) {
  (void)state;
  for (size_t i = 0; i < FLOAT_TYPE_COUNT; ++i) {
    const float_type *const type = &float_types[i];
    const int bits = type->exponent + type->mantissa;
    const uint64_t step = bits < 8 ? 1 : bits < 16 ? 509 : UINT64_C(1) << (bits - 7);
    for (uint64_t below = 0; below < UINT64_C(1) << bits; below += step) {
      const double low = float_value(type, below), high = float_value(type, below + 1);
      if (!isfinite(low)) {
        continue;
      }
      const double middle = isfinite(high) ? low + (high - low) / 2 : low * 1.03125;
      const double tried[] = {low, middle, nextafter(middle, INFINITY), nextafter(middle, 0),
                              nextafter(low, INFINITY)};
      for (size_t t = 0; t < sizeof tried / sizeof tried[0]; ++t) {
        check_as_conversion(type, tried[t]);
        check_as_conversion(type, -tried[t]);
      }
    }
  }
}

/* ---- Against the C library ---- */

static uint64_t next_random(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 33 ^ *state << 31;
}

static uint32_t float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint64_t double_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static const float_type *type_of(relayout_element_type type) {
  for (size_t i = 0; i < FLOAT_TYPE_COUNT; ++i) {
    if (float_types[i].type == type) {
      return &float_types[i];
    }
  }
  fail_msg("no float type %d", type);
  return NULL;
}

static int digits_in(const char *text) {
  int count = 0;
  bool started = false;
  int zeros = 0;
  for (const char *c = text; *c != '\0' && *c != 'e'; ++c) {
    if (*c < '0' || *c > '9') {
      continue;
    }
    started = started || *c != '0';
    zeros = *c == '0' ? zeros + 1 : 0;
    count += started;
  }
  return started ? count - zeros : 0;
}

enum { SEED = 20240229, RANDOM_COUNT = 300 };

static void test_random_patterns(void **state) {
  (void)state;
  uint64_t random = SEED;
  print_message("seed %d\n", SEED);
  for (int i = 0; i < RANDOM_COUNT; ++i) {
    const uint64_t bits = next_random(&random);
    check_there_and_back(type_of(RELAYOUT_F32), bits >> 32);
    check_there_and_back(type_of(RELAYOUT_F64), bits);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) {
      continue;
    }
    /* No fewer digits would do: printf's nearest of each length is tried, strtod judges. */
    int needed = 1;
    char text[TEXT_SIZE];
    for (snprintf(text, sizeof text, "%.*e", needed - 1, value); strtod(text, NULL) != value;
         snprintf(text, sizeof text, "%.*e", needed - 1, value)) {
      ++needed;
    }
    const relayout_layout layout = literal_of(type_of(RELAYOUT_F64), bits);
    print(RELAYOUT_F64, &layout, text);
    assert_true(strtod(text, NULL) == value);
    assert_true(digits_in(text) <= needed);
  }
}

static void test_random_texts(void **state) {
  (void)state;
  uint64_t random = SEED;
  print_message("seed %d\n", SEED);
  for (int i = 0; i < RANDOM_COUNT; ++i) {
    char text[TEXT_SIZE];
    const uint64_t digits = next_random(&random);
    const int exponent = (int)(next_random(&random) % 700) - 350;
    const int small = (int)(next_random(&random) % 90) - 45;
    snprintf(text, sizeof text, "%" PRIu64 ".%" PRIu64 "e%d", digits % 100000, digits, exponent);
    const double as_double = strtod(text, NULL);
    relayout_layout layout;
    if (isinf(as_double)) {
      assert_int_equal(parse(RELAYOUT_F64, text, &layout, NULL), RELAYOUT_INVALID_TEXT);
    } else {
      assert_true(low_bits_of(RELAYOUT_F64, text) == double_bits(as_double));
    }
    snprintf(text, sizeof text, "-0.%" PRIu64 "e%d", digits, small);
    const float as_float = strtof(text, NULL);
    if (isinf(as_float)) {
      assert_int_equal(parse(RELAYOUT_F32, text, &layout, NULL), RELAYOUT_INVALID_TEXT);
    } else {
      assert_true(low_bits_of(RELAYOUT_F32, text) == float_bits(as_float));
    }
  }
}

/* ---- Locales ---- */

static void test_comma_locale(void **state) {
  (void)state;
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8",  "de_DE",      "fr_FR.UTF-8",
                                      "fr_FR.utf8",  "nl_NL.UTF-8", "ru_RU.UTF-8"};
  size_t i = 0;
  while (i < sizeof names / sizeof names[0] && setlocale(LC_ALL, names[i]) == NULL) {
    ++i;
  }
  if (strcmp(localeconv()->decimal_point, ",") != 0) {
    setlocale(LC_ALL, "C");
    skip();
  }
  const uint64_t bits = low_bits_of(RELAYOUT_F32, "-1.5");
  const relayout_layout layout = parse_valid(RELAYOUT_F32, "-1.5");
  char text[TEXT_SIZE];
  print(RELAYOUT_F32, &layout, text);
  relayout_layout with_comma;
  const relayout_status status = parse(RELAYOUT_F32, "-1,5", &with_comma, NULL);
  setlocale(LC_ALL, "C");
  assert_int_equal(bits, 0xbfc00000);
  assert_string_equal(text, "-1.5");
  assert_int_equal(status, RELAYOUT_INVALID_TEXT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_by_hand),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_every_small_pattern),
      cmocka_unit_test(test_every_rounding),
      cmocka_unit_test(test_as_conversions),
      cmocka_unit_test(test_random_patterns),
      cmocka_unit_test(test_random_texts),
      cmocka_unit_test(test_comma_locale),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
