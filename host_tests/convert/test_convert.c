/* test_convert.c: the scalar conversion against the oracle: every element of the narrow types, the
 * boundaries of the wide ones. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmocka_all.h"
#include "convert/convert.h"
#include "metadata/type_table.h"
#include "oracle/conversion.h"
#include "real_types.h"

static int32_t bits_of(relayout_element_type type) {
  return relayout_element_type_bits(type);
}

static bool is_integer(relayout_element_type type) {
  const relayout_element_kind kind = relayout_element_type_kind(type);
  return kind == RELAYOUT_KIND_SIGNED || kind == RELAYOUT_KIND_UNSIGNED;
}

static const char *name_of(relayout_element_type type) {
  return relayout_element_type_name(type);
}

static uint64_t load(relayout_element_type type, const uint8_t *element) {
  return rlt_part_load(relayout_element_type_byte_size(type), element);
}

static void store(relayout_element_type type, uint64_t pattern, uint8_t *element) {
  rlt_part_store(pattern, relayout_element_type_byte_size(type), element);
}

static uint64_t converted(const rlt_conversion *conversion, uint64_t pattern) {
  uint8_t from[8], to[8];
  store(conversion->from, pattern, from);
  rlt_convert_elements(conversion, from, to, 1);
  return load(conversion->to, to);
}

static void check_becomes(const rlt_conversion *conversion, uint64_t pattern, uint64_t wanted) {
  const uint64_t got = converted(conversion, pattern);
  if (got != wanted) {
    fail_msg("%s 0x%llx to %s, scale %a%s%s: 0x%llx, not 0x%llx", name_of(conversion->from),
             (unsigned long long)pattern, name_of(conversion->to), conversion->scale,
             conversion->wraps ? ", wraps" : "",
             conversion->rounds_to_nearest ? ", to nearest" : "", (unsigned long long)got,
             (unsigned long long)wanted);
  }
}

static void check_pattern(const rlt_conversion *conversion, uint64_t pattern) {
  uint8_t from[8], to[8];
  store(conversion->from, pattern, from);
  oracle_convert(conversion->from, conversion->to, conversion->wraps, conversion->rounds_to_nearest,
                 conversion->scale, from, to);
  check_becomes(conversion, pattern, load(conversion->to, to));
}

/* ---- Narrow sources ---- */

static const double narrow_scales[] = {1, 0.5, -3, 0x1.5555555555p-3, 0x1p-140, 0x1.8p+120};
enum { NARROW_SCALES = sizeof narrow_scales / sizeof narrow_scales[0] };

/* All that fits a source's bytes: the upper bits of narrow types too. */
static void check_all(relayout_element_type from, relayout_element_type to, bool wraps,
                      bool to_nearest) {
  const uint64_t end = UINT64_C(1) << 8 * relayout_element_type_byte_size(from);
  for (int s = 0; s < NARROW_SCALES; ++s) {
    const rlt_conversion conversion = {from, to, wraps, narrow_scales[s], to_nearest};
    const uint64_t step = s > 0 && end > 256 ? 7 : 1;
    for (uint64_t pattern = 0; pattern < end; pattern += step) {
      check_pattern(&conversion, pattern);
    }
  }
}

static void test_narrow_sources(void **state) {
  (void)state;
  for (size_t i = 0; i < REAL_TYPES * REAL_TYPES; ++i) {
    const relayout_element_type from = real_types[i / REAL_TYPES];
    const relayout_element_type to = real_types[i % REAL_TYPES];
    if (bits_of(from) > 16) {
      continue;
    }
    check_all(from, to, false, false);
    if (is_integer(to)) {
      check_all(from, to, true, false);
      check_all(from, to, false, true);
      check_all(from, to, true, true);
    }
  }
}

/* ---- Wide sources ---- */

static double value_of(relayout_element_type type, uint64_t pattern) {
  uint8_t element[8];
  store(type, pattern, element);
  return oracle_value(type, element);
}

static uint64_t pattern_near(relayout_element_type type, double value) {
  uint8_t number[8], element[8];
  memcpy(number, &value, sizeof value);
  oracle_convert(RELAYOUT_F64, type, false, false, 1, number, element);
  return load(type, element);
}

/* The source's patterns around a size, of either sign. */
static void check_around(const rlt_conversion *conversion, double size) {
  const uint64_t sign = UINT64_C(1) << (bits_of(conversion->from) - 1);
  const uint64_t mask = sign | (sign - 1);
  const uint64_t near = pattern_near(conversion->from, size / fabs(conversion->scale));
  const bool is_float = relayout_element_type_kind(conversion->from) == RELAYOUT_KIND_FLOAT;
  for (uint64_t i = 0; i < 5; ++i) {
    const uint64_t pattern = (near - 2 + i) & mask;
    check_pattern(conversion, pattern);
    check_pattern(conversion, (is_float ? pattern ^ sign : 0 - pattern) & mask);
  }
}

/* Each value of a narrow target, and each middle of two. */
static void check_boundaries_of_all(const rlt_conversion *conversion, uint64_t step) {
  const bool has_sign = relayout_element_type_kind(conversion->to) != RELAYOUT_KIND_UNSIGNED;
  const uint64_t end = UINT64_C(1) << (bits_of(conversion->to) - (has_sign ? 1 : 0));
  for (uint64_t pattern = 0; pattern < end; pattern += step) {
    const double low = fabs(value_of(conversion->to, pattern));
    const double high = fabs(value_of(conversion->to, pattern + 1));
    if (isfinite(low)) {
      check_around(conversion, low);
      check_around(conversion, isfinite(high) ? (low + high) / 2 : low * (1 + 0x1p-12));
    }
  }
}

/* The same where a wide target's exponent changes. */
static void check_boundaries_of_some(const rlt_conversion *conversion) {
  static const uint64_t mantissas[] = {0, 1, 0x155555, 0x7ffffe, 0x7fffff};
  const bool is_64 = bits_of(conversion->to) == 64;
  const bool is_float = relayout_element_type_kind(conversion->to) == RELAYOUT_KIND_FLOAT;
  const int shift = is_float ? (is_64 ? 52 : 23) : is_64 ? 59 : 27;
  const uint64_t end = UINT64_C(1) << (bits_of(conversion->to) - 1 - shift);
  for (uint64_t exponent = 0; exponent < end; ++exponent) {
    for (size_t i = 0; i < sizeof mantissas / sizeof mantissas[0]; ++i) {
      const uint64_t pattern =
          exponent << shift | (shift > 23 ? mantissas[i] << (shift - 23) : mantissas[i]);
      const double low = value_of(conversion->to, pattern);
      const double high = value_of(conversion->to, pattern + 1);
      if (isfinite(low) && isfinite(high)) {
        check_around(conversion, low);
        check_around(conversion, low / 2 + high / 2);
      }
    }
  }
}

static void check_random(const rlt_conversion *conversion) {
  uint64_t random = 88172645463325252u;
  for (int i = 0; i < 3000; ++i) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    const uint64_t pattern = random >> (i % 2 == 0 ? 0 : random % 61);
    check_pattern(conversion, pattern & ~UINT64_C(0) >> (64 - bits_of(conversion->from)));
  }
}

static void check_wide(rlt_conversion conversion) {
  const bool is_float = relayout_element_type_kind(conversion.from) == RELAYOUT_KIND_FLOAT;
  static const double scales[] = {1, -0.25, 0x1.5555555555p-3};
  for (int s = 0; s < 3; ++s) {
    conversion.scale = scales[s];
    if (bits_of(conversion.to) <= 16) {
      const bool is_first =
          s == 0 && is_float && !conversion.wraps && !conversion.rounds_to_nearest;
      check_boundaries_of_all(&conversion, is_first || bits_of(conversion.to) <= 8 ? 1 : 61);
    } else {
      check_boundaries_of_some(&conversion);
    }
    check_random(&conversion);
  }
}

static void test_wide_sources(void **state) {
  (void)state;
  for (size_t i = 0; i < REAL_TYPES * REAL_TYPES; ++i) {
    const relayout_element_type from = real_types[i / REAL_TYPES];
    const relayout_element_type to = real_types[i % REAL_TYPES];
    if (bits_of(from) <= 16) {
      continue;
    }
    check_wide((rlt_conversion){from, to, false, 1, false});
    if (is_integer(to)) {
      check_wide((rlt_conversion){from, to, true, 1, false});
      check_wide((rlt_conversion){from, to, false, 1, true});
      check_wide((rlt_conversion){from, to, true, 1, true});
    }
  }
}

/* ---- What compilers do ---- */

/* The host's own conversions, in the rounding mode that programs start with. */
static void test_against_the_hardware(void **state) {
  (void)state;
  const rlt_conversion narrowing = {RELAYOUT_F64, RELAYOUT_F32, false, 1, false};
  const rlt_conversion widening = {RELAYOUT_F32, RELAYOUT_F64, false, 1, false};
  const rlt_conversion from_integer = {RELAYOUT_S64, RELAYOUT_F64, false, 1, false};
  const rlt_conversion to_integer = {RELAYOUT_F32, RELAYOUT_S32, false, 1, false};
  const rlt_conversion to_nearest = {RELAYOUT_F64, RELAYOUT_S64, false, 1, true};
  uint64_t random = 123456789;
  for (int i = 0; i < 200000; ++i) {
    random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const int64_t integer = (int64_t)random >> (i % 63);
    const double real = ldexp((double)(int64_t)random, i % 320 - 220);
    const float single = (float)real, back = (float)integer;
    const double converted_integer = (double)integer;
    uint64_t wide, wide_integer;
    uint32_t narrow, narrow_back;
    memcpy(&wide, &real, sizeof wide);
    memcpy(&narrow, &single, sizeof narrow);
    memcpy(&wide_integer, &converted_integer, sizeof wide_integer);
    memcpy(&narrow_back, &back, sizeof narrow_back);
    check_becomes(&narrowing, wide, narrow);
    check_becomes(&from_integer, (uint64_t)integer, wide_integer);
    const double widened = single;
    memcpy(&wide, &widened, sizeof wide);
    check_becomes(&widening, narrow, wide);
    if (fabsf(back) < 0x1p31f) {
      check_becomes(&to_integer, narrow_back, (uint32_t)(int32_t)back);
    }
    const double fractional = ldexp((double)(int64_t)random, i % 66 - 66);
    memcpy(&wide, &fractional, sizeof wide);
    if (fabs(fractional) < 0x1p62) {
      check_becomes(&to_nearest, wide, (uint64_t)llrint(fractional));
    }
  }
}

/* ---- Products of more than 64 bits ---- */

static void test_exact_products(void **state) {
  (void)state;
  /* 3 * (2^63 - 1) / 4 = 3 * 2^61 - 1 + 1/4. */
  const rlt_conversion quarters = {RELAYOUT_S64, RELAYOUT_S64, false, 0.75, false};
  check_becomes(&quarters, INT64_MAX, 3 * (UINT64_C(1) << 61) - 1);
  /* (2^52 + 1) (2^63 + 1) = 2^115 + 2^63 + 2^52 + 1 */
  const rlt_conversion wraps = {RELAYOUT_U64, RELAYOUT_U64, true, 0x1p52 + 1, false};
  check_becomes(&wraps, (UINT64_C(1) << 63) + 1, (UINT64_C(1) << 63) + (UINT64_C(1) << 52) + 1);
  const rlt_conversion negative = {RELAYOUT_U64, RELAYOUT_S64, true, -(0x1p52 + 1), false};
  check_becomes(&negative, (UINT64_C(1) << 63) + 1,
                0 - ((UINT64_C(1) << 63) + (UINT64_C(1) << 52) + 1));
  const rlt_conversion low = {RELAYOUT_U64, RELAYOUT_U8, true, 0x1p52 + 1, false};
  check_becomes(&low, (UINT64_C(1) << 63) + 3, 3);
  /* 2^63 - 1/2 and 2^63 - 3/2, each halfway between an odd and an even number. */
  const rlt_conversion half = {RELAYOUT_U64, RELAYOUT_U64, false, 0.5, true};
  check_becomes(&half, UINT64_MAX, UINT64_C(1) << 63);
  check_becomes(&half, UINT64_MAX - 2, (UINT64_C(1) << 63) - 2);
  /* (2^63 + 2^11) (4 - 2^-12) = 2^65 + 2^13 - 2^51 - 1/2: below an even number. */
  rlt_conversion wide = {RELAYOUT_U64, RELAYOUT_U64, true, 4 - 0x1p-12, true};
  check_becomes(&wide, (UINT64_C(1) << 63) + (1 << 11), 0 - (UINT64_C(1) << 51) + (1 << 13));
  wide.rounds_to_nearest = false;
  check_becomes(&wide, (UINT64_C(1) << 63) + (1 << 11), 0 - (UINT64_C(1) << 51) + (1 << 13) - 1);
  /* (2^63 + 1) (2 - 2^-52) = 2^64 - 2^11 + 2 - 2^-52, and 2^64 - 2^-42, which is beyond the type
   * once it is rounded. */
  wide = (rlt_conversion){RELAYOUT_U64, RELAYOUT_U64, false, 2 - 0x1p-52, true};
  check_becomes(&wide, (UINT64_C(1) << 63) + 1, UINT64_MAX - (1 << 11) + 3);
  check_becomes(&wide, (UINT64_C(1) << 63) + (1 << 10), UINT64_MAX);
  wide.wraps = true;
  check_becomes(&wide, (UINT64_C(1) << 63) + (1 << 10), 0);
  /* (1 + 2^-52) (1 + 2^-23) = 1 + 2^-23 + 2^-52 + 2^-75; with 1 + 2^-24 it is just over a tie. */
  const rlt_conversion over_tie = {RELAYOUT_F64, RELAYOUT_F32, false, 1 + 0x1p-52, false};
  check_becomes(&over_tie, UINT64_C(0x3ff0000010000000), 0x3f800001);
  check_becomes(&(rlt_conversion){RELAYOUT_F64, RELAYOUT_F32, false, 1, false},
                UINT64_C(0x3ff0000010000000), 0x3f800000);
  /* (1 + 2^-52)^2 = 1 + 2^-51 + 2^-104, a little over a pattern: rounded down to it. */
  const rlt_conversion same = {RELAYOUT_F64, RELAYOUT_F64, false, 1 + 0x1p-52, false};
  check_becomes(&same, UINT64_C(0x3ff0000000000001), UINT64_C(0x3ff0000000000002));
  /* Scales that are subnormal, and products far beyond every type. */
  const rlt_conversion least = {RELAYOUT_F64, RELAYOUT_F64, false, 0x1p-1074, false};
  check_becomes(&least, UINT64_C(0x3ff0000000000000), 1);
  check_becomes(&least, UINT64_C(0x7fe0000000000000), UINT64_C(0x3cc0000000000000));
  check_becomes(&least, 1, 0);
  check_becomes(&least, UINT64_C(0x8000000000000001), UINT64_C(0x8000000000000000));
  const rlt_conversion most = {RELAYOUT_F64, RELAYOUT_S64, false, -0x1p1023, false};
  check_becomes(&most, UINT64_C(0x7fefffffffffffff), UINT64_C(0x8000000000000000));
}

/* ---- What the header promises, by hand ---- */

static void test_specials(void **state) {
  (void)state;
  static const struct {
    relayout_element_type from, to;
    uint64_t pattern, wanted;
  } cases[] = {
      {RELAYOUT_F32, RELAYOUT_BF16, 0xff800001, 0xffc0},
      {RELAYOUT_F32, RELAYOUT_F16, 0x7fffffff, 0x7e00},
      {RELAYOUT_F32, RELAYOUT_F8E4M3FN, 0xff800000, 0xff},
      {RELAYOUT_F32, RELAYOUT_F8E4M3FN, 0x43e80000, 0x7e}, /* 464, a tie */
      {RELAYOUT_F32, RELAYOUT_F8E4M3FN, 0x43e80001, 0x7f},
      {RELAYOUT_F32, RELAYOUT_F8E5M2FNUZ, 0xffc00000, 0x80},
      {RELAYOUT_F32, RELAYOUT_F8E5M2FNUZ, 0x80000000, 0x00},
      {RELAYOUT_F32, RELAYOUT_F8E4M3FNUZ, 0x7f7fffff, 0x80},
      {RELAYOUT_F32, RELAYOUT_F4E2M1FN, 0x7f800000, 0x7},
      {RELAYOUT_F32, RELAYOUT_F4E2M1FN, 0x7fc00000, 0x8},
      {RELAYOUT_F32, RELAYOUT_F4E2M1FN, 0xffc00000, 0x0},
      {RELAYOUT_F32, RELAYOUT_F8E8M0FNU, 0x00000000, 0xff},
      {RELAYOUT_F32, RELAYOUT_F8E8M0FNU, 0xbf800000, 0xff},
      {RELAYOUT_F32, RELAYOUT_F8E8M0FNU, 0x7f800000, 0xff},
      {RELAYOUT_F32, RELAYOUT_F8E8M0FNU, 0x00000001, 0x00},
      {RELAYOUT_F32, RELAYOUT_F8E8M0FNU, 0x3fc00000, 0x80}, /* 1.5 */
      {RELAYOUT_F32, RELAYOUT_F8E8M0FNU, 0x40400000, 0x81}, /* 3 */
      {RELAYOUT_F32, RELAYOUT_F8E8M0FNU, 0x003fffff, 0x00}, /* below 2^-127, and above it */
      {RELAYOUT_F32, RELAYOUT_F8E8M0FNU, 0x00400000, 0x00},
      {RELAYOUT_F32, RELAYOUT_F8E8M0FNU, 0x00400001, 0x01},
      {RELAYOUT_F32, RELAYOUT_F8E8M0FNU, 0x00800000, 0x01},
      {RELAYOUT_F32, RELAYOUT_F8E8M0FNU, 0x7f3fffff, 0xfe}, /* below 1.5 * 2^127 */
      {RELAYOUT_F8E8M0FNU, RELAYOUT_F32, 0x00, 0x00400000},
      {RELAYOUT_F8E8M0FNU, RELAYOUT_F32, 0xff, 0x7fc00000},
      {RELAYOUT_F32, RELAYOUT_S8, 0x7fc00000, 0},
      {RELAYOUT_F32, RELAYOUT_S8, 0xff800000, 0x80},
      {RELAYOUT_F32, RELAYOUT_U8, 0xbf7fffff, 0},
      {RELAYOUT_F32, RELAYOUT_U8, 0x43800000, 255},
      {RELAYOUT_F32, RELAYOUT_PRED, 0x00000001, 1},
      {RELAYOUT_F32, RELAYOUT_PRED, 0x80000000, 0},
      {RELAYOUT_F32, RELAYOUT_PRED, 0x7fc00000, 1},
      {RELAYOUT_PRED, RELAYOUT_F16, 0x40, 0x3c00},
      {RELAYOUT_S4, RELAYOUT_S8, 0x78, 0xf8},
      {RELAYOUT_U4, RELAYOUT_F32, 0xff, 0x41700000},
      {RELAYOUT_S32, RELAYOUT_S4, 100, 0x7},
      {RELAYOUT_S32, RELAYOUT_S1, 1, 0},
      {RELAYOUT_S32, RELAYOUT_S1, 0xffffffff, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_conversion conversion = {cases[i].from, cases[i].to, false, 1, false};
    check_becomes(&conversion, cases[i].pattern, cases[i].wanted);
  }
  const rlt_conversion wraps = {RELAYOUT_F32, RELAYOUT_U8, true, 1, false};
  check_becomes(&wraps, 0xbf800000, 0xff);
  check_becomes(&wraps, 0x43808000, 1);
  check_becomes(&wraps, 0x7f800000, 0);
}

/* To nearest: halves to the even one; what then is beyond the range saturates or wraps. */
static void test_nearest(void **state) {
  (void)state;
  static const struct {
    double value;
    relayout_element_type to;
    uint64_t saturated, wrapped;
  } cases[] = {
      {0.5, RELAYOUT_S8, 0, 0},
      {-0.5, RELAYOUT_S8, 0, 0},
      {0x1.0000000000001p-1, RELAYOUT_S8, 1, 1},
      {0x1.fffffffffffffp-2, RELAYOUT_S8, 0, 0},
      {1.5, RELAYOUT_S8, 2, 2},
      {2.5, RELAYOUT_S8, 2, 2},
      {-1.5, RELAYOUT_S8, 0xfe, 0xfe},
      {-2.5, RELAYOUT_S8, 0xfe, 0xfe},
      {-2.51, RELAYOUT_S8, 0xfd, 0xfd},
      {7.5, RELAYOUT_S4, 7, 8},
      {-8.5, RELAYOUT_S4, 8, 8},
      {-8.51, RELAYOUT_S4, 8, 7},
      {127.5, RELAYOUT_S8, 127, 0x80},
      {255.5, RELAYOUT_U8, 255, 0},
      {-0.5, RELAYOUT_U8, 0, 0},
      {-0.51, RELAYOUT_U8, 0, 0xff},
      {0.51, RELAYOUT_U1, 1, 1},
      {1.5, RELAYOUT_U1, 1, 0},
      {-0.51, RELAYOUT_S1, 1, 1},
      {0x1.fffffffcp30, RELAYOUT_S32, 0x7fffffff, 0x7fffffff},
      {0x1.fffffffep30, RELAYOUT_S32, 0x7fffffff, 0x80000000},
      {0x1.ffffffffp31, RELAYOUT_U32, UINT32_MAX, 0},
      {0x1.00000000001p52, RELAYOUT_S64, (UINT64_C(1) << 52) + 256, (UINT64_C(1) << 52) + 256},
      {0x1.0000000000001p51, RELAYOUT_U64, UINT64_C(1) << 51, UINT64_C(1) << 51},
      {0x1.0000000000003p51, RELAYOUT_U64, (UINT64_C(1) << 51) + 2, (UINT64_C(1) << 51) + 2},
      {0x1p-1074, RELAYOUT_S64, 0, 0},
      {INFINITY, RELAYOUT_U16, UINT16_MAX, 0},
      {NAN, RELAYOUT_S16, 0, 0},
      /* What is no integer is as ever. */
      {0.25, RELAYOUT_PRED, 1, 1},
      {2.5, RELAYOUT_F32, 0x40200000, 0x40200000},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    uint64_t pattern;
    memcpy(&pattern, &cases[i].value, sizeof pattern);
    const rlt_conversion saturates = {RELAYOUT_F64, cases[i].to, false, 1, true};
    const rlt_conversion wraps = {RELAYOUT_F64, cases[i].to, true, 1, true};
    check_becomes(&saturates, pattern, cases[i].saturated);
    check_becomes(&wraps, pattern, cases[i].wrapped);
  }
}

/* As IEEE 754 has the sign of a product; types without that zero have their own. */
static void test_zeros_by_negative_scales(void **state) {
  (void)state;
  static const struct {
    relayout_element_type from, to;
    uint64_t pattern, wanted;
  } cases[] = {
      {RELAYOUT_S8, RELAYOUT_F32, 0, 0x80000000},
      {RELAYOUT_U64, RELAYOUT_F64, 0, UINT64_C(0x8000000000000000)},
      {RELAYOUT_S4, RELAYOUT_BF16, 0x70, 0x8000}, /* whose upper bits do not count */
      {RELAYOUT_PRED, RELAYOUT_F16, 0, 0x8000},
      {RELAYOUT_S32, RELAYOUT_F4E2M1FN, 0, 0x8},
      {RELAYOUT_F32, RELAYOUT_F16, 0, 0x8000},
      {RELAYOUT_F32, RELAYOUT_F16, 0x80000000, 0},
      {RELAYOUT_S8, RELAYOUT_F8E4M3FNUZ, 0, 0},
      {RELAYOUT_S8, RELAYOUT_F8E8M0FNU, 0, 0xff},
      {RELAYOUT_S8, RELAYOUT_S16, 0, 0},
      {RELAYOUT_S8, RELAYOUT_PRED, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_conversion conversion = {cases[i].from, cases[i].to, false, -0.5, false};
    check_becomes(&conversion, cases[i].pattern, cases[i].wanted);
  }
}

static void test_refusals(void **state) {
  (void)state;
  relayout_error error = {0};
  rlt_conversion conversion = {RELAYOUT_C64, RELAYOUT_F32, false, 1, false};
  assert_int_equal(rlt_conversion_check(&conversion, &error), RELAYOUT_UNSUPPORTED);
  assert_non_null(strstr(error.message, "from c64"));
  conversion = (rlt_conversion){RELAYOUT_F32, RELAYOUT_C128, false, 1, false};
  assert_int_equal(rlt_conversion_check(&conversion, &error), RELAYOUT_UNSUPPORTED);
  assert_non_null(strstr(error.message, "to c128"));
  conversion = (rlt_conversion){RELAYOUT_F32, (relayout_element_type)99, false, 1, false};
  assert_int_equal(rlt_conversion_check(&conversion, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "99"));
  const double bad_scales[] = {0, -0.0, NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < sizeof bad_scales / sizeof bad_scales[0]; ++i) {
    conversion = (rlt_conversion){RELAYOUT_F32, RELAYOUT_S8, false, bad_scales[i], false};
    assert_int_equal(rlt_conversion_check(&conversion, &error), RELAYOUT_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "scale"));
  }
  conversion = (rlt_conversion){RELAYOUT_PRED, RELAYOUT_F8E8M0FNU, true, 0x1p-1074, false};
  assert_int_equal(rlt_conversion_check(&conversion, &error), RELAYOUT_OK);
}

static void test_options(void **state) {
  (void)state;
  char buffer[400];
  rlt_text text = rlt_text_in(buffer, sizeof buffer);
  rlt_conversion conversion = {RELAYOUT_F32, RELAYOUT_F8E4M3FNUZ, true, 1, false};
  rlt_conversion_add_options(&conversion, &text);
  assert_string_equal(
      buffer, " -DFROM_KIND=4 -DFROM_BITS=32 -DFROM_EXPONENT_BITS=8 -DFROM_MANTISSA_BITS=23"
              " -DFROM_BIAS=127 -DFROM_SPECIALS=0"
              " -DTO_KIND=4 -DTO_BITS=8 -DTO_EXPONENT_BITS=4 -DTO_MANTISSA_BITS=3"
              " -DTO_BIAS=8 -DTO_SPECIALS=2 -DWRAPS=1 -DTO_NEAREST=0 -DSCALED=0 -DNARROW=1");
  conversion.scale = -0.75;
  text = rlt_text_in(buffer, sizeof buffer);
  rlt_conversion_add_options(&conversion, &text);
  assert_non_null(strstr(buffer, "-DSCALED=1 -DNARROW=0"));
  conversion.rounds_to_nearest = true;
  text = rlt_text_in(buffer, sizeof buffer);
  rlt_conversion_add_options(&conversion, &text);
  assert_non_null(strstr(buffer, "-DWRAPS=1 -DTO_NEAREST=1"));
  const rlt_scale_factor scale = rlt_conversion_scale_factor(&conversion);
  assert_true(scale.digits == UINT64_C(0xc000000000000000));
  assert_int_equal(scale.exponent, -1);
  assert_int_equal(scale.negative, 1);
}

/* ---- The other way round ---- */

typedef struct origin {
  rlt_conversion conversion;
  uint64_t to;
  bool exists;
  uint64_t from; /* the only one there is */
} origin;

static const origin origins[] = {
    {{RELAYOUT_BF16, RELAYOUT_F32, false, 1, false}, 0x3f800000, true, 0x3f80},
    {{RELAYOUT_BF16, RELAYOUT_F32, false, 1, false}, 0x3f800001, false, 0},
    {{RELAYOUT_F16, RELAYOUT_F32, false, 1, false}, 0xff800000, true, 0xfc00},
    {{RELAYOUT_S8, RELAYOUT_U8, true, 1, false}, 0xff, true, 0xff}, /* back it saturates */
    {{RELAYOUT_S8, RELAYOUT_U8, false, 1, false}, 0xff, false, 0},
    {{RELAYOUT_S16, RELAYOUT_U16, true, 1, false}, 0x8001, true, 0x8001},
    {{RELAYOUT_S8, RELAYOUT_S16, false, 3, false}, 9, true, 3}, /* a third of it is below 3 */
    {{RELAYOUT_S8, RELAYOUT_S16, false, 3, false}, 10, false, 0},
    {{RELAYOUT_F64, RELAYOUT_F32, false, 1, false}, 0x3f800001, true, 0x3ff0000020000000},
    {{RELAYOUT_F32, RELAYOUT_F64, false, 1, false}, 0x3ff0000000000001, false, 0},
};

static void test_back(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof origins / sizeof origins[0]; ++i) {
    const origin *const of = &origins[i];
    uint8_t from[8], to[8];
    store(of->conversion.to, of->to, to);
    assert_int_equal(rlt_convert_back(&of->conversion, to, from), of->exists);
    if (of->exists) {
      assert_true(load(of->conversion.from, from) == of->from);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_narrow_sources),
      cmocka_unit_test(test_wide_sources),
      cmocka_unit_test(test_against_the_hardware),
      cmocka_unit_test(test_exact_products),
      cmocka_unit_test(test_specials),
      cmocka_unit_test(test_nearest),
      cmocka_unit_test(test_zeros_by_negative_scales),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_options),
      cmocka_unit_test(test_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
