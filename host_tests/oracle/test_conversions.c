/* test_conversions.c: the oracle's numbers against figures worked out by hand: IEEE 754 and the OCP
 * formats' definitions, and, where those leave a choice, what ml_dtypes 0.6 does. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cmocka_all.h"
#include "oracle/conversion.h"
#include "oracle/formats.h"
#include "oracle/oracle.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void put(relayout_element_type type, uint64_t pattern, unsigned char *bytes) {
  const number_format format = format_of(type);
  format_store(&format, pattern, bytes);
}

/* Both patterns, expected first, and the case's number: whatever differs shows where. */
static void assert_rounded(size_t number, relayout_element_type from, uint64_t pattern,
                           relayout_element_type to, bool wraps, bool to_nearest, double scale,
                           uint64_t expected) {
  unsigned char element[8];
  unsigned char found[8];
  unsigned char wanted[8];
  put(from, pattern, element);
  put(to, expected, wanted);
  oracle_convert(from, to, wraps, to_nearest, scale, element, found);
  if (memcmp(wanted, found, oracle_element_size(to)) != 0) {
    fail_msg("case %zu: type %d's 0x%llx x %g is not type %d's 0x%llx, but begins with 0x%02x",
             number, (int)from, (unsigned long long)pattern, scale, (int)to,
             (unsigned long long)expected, found[0]);
  }
}

static void assert_converted(size_t number, relayout_element_type from, uint64_t pattern,
                             relayout_element_type to, bool wraps, double scale,
                             uint64_t expected) {
  assert_rounded(number, from, pattern, to, wraps, false, scale, expected);
}

static uint64_t f64(double value) {
  uint64_t pattern;
  memcpy(&pattern, &value, sizeof(pattern));
  return pattern;
}

/* ---- From f64, in which every figure can be written ------------------------------------------ */

typedef struct value_case {
  double value;
  relayout_element_type to;
  uint64_t expected;
} value_case;

static const value_case float_cases[] = {
    /* The greatest, halfway to what would be next, and beyond. */
    {448, RELAYOUT_F8E4M3FN, 0x7e},
    {464, RELAYOUT_F8E4M3FN, 0x7e},
    {464.0001, RELAYOUT_F8E4M3FN, 0x7f},
    {1e30, RELAYOUT_F8E4M3FN, 0x7f},
    {-1e30, RELAYOUT_F8E4M3FN, 0xff},
    {-INFINITY, RELAYOUT_F8E4M3FN, 0xff},
    {240, RELAYOUT_F8E4M3, 0x77},
    {247.9, RELAYOUT_F8E4M3, 0x77},
    {248, RELAYOUT_F8E4M3, 0x78},
    {15.5, RELAYOUT_F8E3M4, 0x6f},
    {15.75, RELAYOUT_F8E3M4, 0x70},
    {57344, RELAYOUT_F8E5M2, 0x7b},
    {61439, RELAYOUT_F8E5M2, 0x7b},
    {61440, RELAYOUT_F8E5M2, 0x7c},
    {-61440, RELAYOUT_F8E5M2, 0xfc},
    {240, RELAYOUT_F8E4M3FNUZ, 0x7f},
    {247.9, RELAYOUT_F8E4M3FNUZ, 0x7f},
    {248, RELAYOUT_F8E4M3FNUZ, 0x80},
    {30, RELAYOUT_F8E4M3B11FNUZ, 0x7f},
    {-31, RELAYOUT_F8E4M3B11FNUZ, 0x80},
    {57344, RELAYOUT_F8E5M2FNUZ, 0x7f},
    {INFINITY, RELAYOUT_F8E5M2FNUZ, 0x80},
    {6, RELAYOUT_F4E2M1FN, 0x7},
    {1e300, RELAYOUT_F4E2M1FN, 0x7},
    {-INFINITY, RELAYOUT_F4E2M1FN, 0xf},
    {7.5, RELAYOUT_F6E2M3FN, 0x1f},
    {8, RELAYOUT_F6E2M3FN, 0x1f},
    {-28, RELAYOUT_F6E3M2FN, 0x3f},
    {-1e9, RELAYOUT_F6E3M2FN, 0x3f},
    {65504, RELAYOUT_F16, 0x7bff},
    {65519.99, RELAYOUT_F16, 0x7bff},
    {65520, RELAYOUT_F16, 0x7c00},
    {0x1.fep127, RELAYOUT_BF16, 0x7f7f},
    {0x1.ffp127, RELAYOUT_BF16, 0x7f80},
    {0x1.fffffefffffffp127, RELAYOUT_F32, 0x7f7fffff},
    {0x1.ffffffp127, RELAYOUT_F32, 0x7f800000},
    /* Ties go to the even mantissa. */
    {2.5, RELAYOUT_F4E2M1FN, 0x4},
    {3.5, RELAYOUT_F4E2M1FN, 0x6},
    {0.75, RELAYOUT_F4E2M1FN, 0x2},
    {-5, RELAYOUT_F4E2M1FN, 0xe},
    {1 + 0x1p-8, RELAYOUT_BF16, 0x3f80},
    {1 + 0x3p-8, RELAYOUT_BF16, 0x3f82},
    {1 + 0x1p-8 + 0x1p-40, RELAYOUT_BF16, 0x3f81},
    {2049, RELAYOUT_F16, 0x6800},
    {2051, RELAYOUT_F16, 0x6802},
    {1 + 0x1p-24, RELAYOUT_F32, 0x3f800000},
    {1 + 0x1p-24 + 0x1p-52, RELAYOUT_F32, 0x3f800001},
    /* Subnormal numbers, and half of the least. */
    {0x1p-24, RELAYOUT_F16, 0x0001},
    {0x1p-25, RELAYOUT_F16, 0x0000},
    {0x1.0000000000001p-25, RELAYOUT_F16, 0x0001},
    {0x3p-25, RELAYOUT_F16, 0x0002},
    {-0x1p-25, RELAYOUT_F16, 0x8000},
    {0x1.ffcp-15, RELAYOUT_F16, 0x0400},
    {0x1p-149, RELAYOUT_F32, 0x00000001},
    {-0x1p-150, RELAYOUT_F32, 0x80000000},
    {0x1p-133, RELAYOUT_BF16, 0x0001},
    {0x1p-9, RELAYOUT_F8E4M3FN, 0x01},
    {0x1p-10, RELAYOUT_F8E4M3FN, 0x00},
    {0x1p-10, RELAYOUT_F8E4M3FNUZ, 0x01},
    {-0x1p-11, RELAYOUT_F8E4M3FNUZ, 0x00},
    {0x1p-13, RELAYOUT_F8E4M3B11FNUZ, 0x01},
    {0x1p-16, RELAYOUT_F8E5M2, 0x01},
    {0x1p-6, RELAYOUT_F8E3M4, 0x01},
    {0.5, RELAYOUT_F4E2M1FN, 0x1},
    {0.25, RELAYOUT_F4E2M1FN, 0x0},
    {0.125, RELAYOUT_F6E2M3FN, 0x01},
    {0.0625, RELAYOUT_F6E3M2FN, 0x01},
    /* Zeros. */
    {0.0, RELAYOUT_F32, 0},
    {-0.0, RELAYOUT_F32, 0x80000000},
    {-0.0, RELAYOUT_F4E2M1FN, 0x8},
    {-0.0, RELAYOUT_F8E4M3FNUZ, 0x00},
    {-0.0, RELAYOUT_F8E4M3B11FNUZ, 0x00},
    {-0.0, RELAYOUT_F8E5M2FNUZ, 0x00},
    /* Powers of two alone. */
    {1, RELAYOUT_F8E8M0FNU, 127},
    {1.25, RELAYOUT_F8E8M0FNU, 127},
    {1.5, RELAYOUT_F8E8M0FNU, 128},
    {3, RELAYOUT_F8E8M0FNU, 129},
    {0x1p127, RELAYOUT_F8E8M0FNU, 254},
    {0x1.8p127, RELAYOUT_F8E8M0FNU, 255},
    {0x1p-127, RELAYOUT_F8E8M0FNU, 0},
    {0x1.0000000000001p-127, RELAYOUT_F8E8M0FNU, 1},
    {0x1p-126, RELAYOUT_F8E8M0FNU, 1},
    {0x1.4p-126, RELAYOUT_F8E8M0FNU, 1},
    {0x1p-1074, RELAYOUT_F8E8M0FNU, 0},
    {0.0, RELAYOUT_F8E8M0FNU, 255},
    {-2, RELAYOUT_F8E8M0FNU, 255},
    {INFINITY, RELAYOUT_F8E8M0FNU, 255},
    {NAN, RELAYOUT_F8E8M0FNU, 255},
    /* NaN. */
    {NAN, RELAYOUT_F32, 0x7fc00000},
    {-NAN, RELAYOUT_F32, 0xffc00000},
    {NAN, RELAYOUT_F16, 0x7e00},
    {NAN, RELAYOUT_BF16, 0x7fc0},
    {NAN, RELAYOUT_F8E5M2, 0x7e},
    {NAN, RELAYOUT_F8E4M3, 0x7c},
    {NAN, RELAYOUT_F8E3M4, 0x78},
    {-NAN, RELAYOUT_F8E4M3FN, 0xff},
    {NAN, RELAYOUT_F8E4M3FNUZ, 0x80},
    {-NAN, RELAYOUT_F8E5M2FNUZ, 0x80},
    {NAN, RELAYOUT_F4E2M1FN, 0x8},
    {-NAN, RELAYOUT_F4E2M1FN, 0x0},
    {NAN, RELAYOUT_F6E2M3FN, 0x20},
    {-NAN, RELAYOUT_F6E3M2FN, 0x00},
};

typedef struct integer_case {
  double value;
  relayout_element_type to;
  uint64_t saturated;
  uint64_t wrapped;
} integer_case;

static const integer_case integer_cases[] = {
    {3.5, RELAYOUT_S4, 3, 3},
    {-3.99, RELAYOUT_S4, 0xd, 0xd},
    {8, RELAYOUT_S4, 7, 8},
    {-9, RELAYOUT_S4, 8, 7},
    {1, RELAYOUT_S1, 0, 1},
    {-1, RELAYOUT_S1, 1, 1},
    {-7, RELAYOUT_S2, 2, 1},
    {5, RELAYOUT_U2, 3, 1},
    {-1, RELAYOUT_U4, 0, 15},
    {2, RELAYOUT_U1, 1, 0},
    {300, RELAYOUT_S8, 127, 44},
    {300.9, RELAYOUT_U8, 255, 44},
    {-129, RELAYOUT_S8, 0x80, 0x7f},
    {-0.99, RELAYOUT_U8, 0, 0},
    {-0.0, RELAYOUT_S32, 0, 0},
    {65536, RELAYOUT_U16, 0xffff, 0},
    {-32769, RELAYOUT_S16, 0x8000, 0x7fff},
    {0x1p31, RELAYOUT_S32, 0x7fffffff, 0x80000000},
    {0x1p63, RELAYOUT_S64, 0x7fffffffffffffff, 0x8000000000000000},
    {-0x1p63, RELAYOUT_S64, 0x8000000000000000, 0x8000000000000000},
    {0x1p64, RELAYOUT_U64, UINT64_MAX, 0},
    {0x1.8p64, RELAYOUT_U64, UINT64_MAX, 0x8000000000000000},
    {0x1p63, RELAYOUT_U64, 0x8000000000000000, 0x8000000000000000},
    {1e300, RELAYOUT_U32, UINT32_MAX, 0},
    {0x1p-1074, RELAYOUT_U32, 0, 0},
    {NAN, RELAYOUT_S8, 0, 0},
    {-NAN, RELAYOUT_U64, 0, 0},
    {INFINITY, RELAYOUT_S8, 127, 0},
    {-INFINITY, RELAYOUT_S8, 0x80, 0},
    {-INFINITY, RELAYOUT_U8, 0, 0},
};

static const value_case truth_cases[] = {
    {0.0, RELAYOUT_PRED, 0},  {-0.0, RELAYOUT_PRED, 0}, {0x1p-1074, RELAYOUT_PRED, 1},
    {-256, RELAYOUT_PRED, 1}, {NAN, RELAYOUT_PRED, 1},  {INFINITY, RELAYOUT_PRED, 1},
};

static void test_from_f64(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(float_cases); ++i) {
    const value_case *c = &float_cases[i];
    assert_converted(i, RELAYOUT_F64, f64(c->value), c->to, false, 1, c->expected);
    assert_converted(i, RELAYOUT_F64, f64(c->value), c->to, true, 1, c->expected);
  }
  for (size_t i = 0; i < COUNT(integer_cases); ++i) {
    const integer_case *c = &integer_cases[i];
    assert_converted(i, RELAYOUT_F64, f64(c->value), c->to, false, 1, c->saturated);
    assert_converted(i, RELAYOUT_F64, f64(c->value), c->to, true, 1, c->wrapped);
  }
  for (size_t i = 0; i < COUNT(truth_cases); ++i) {
    const value_case *c = &truth_cases[i];
    assert_converted(i, RELAYOUT_F64, f64(c->value), c->to, false, 1, c->expected);
  }
}

/* Halves go to the even neighbour, after which what is beyond the range saturates or wraps. */
static const integer_case nearest_cases[] = {
    {0.5, RELAYOUT_S8, 0, 0},
    {-0.5, RELAYOUT_S8, 0, 0},
    {0x1.0000000000001p-1, RELAYOUT_S8, 1, 1},
    {0x1.fffffffffffffp-2, RELAYOUT_S8, 0, 0},
    {1.5, RELAYOUT_U4, 2, 2},
    {2.5, RELAYOUT_U4, 2, 2},
    {3.5, RELAYOUT_U4, 4, 4},
    {2.4999, RELAYOUT_U4, 2, 2},
    {2.5001, RELAYOUT_U4, 3, 3},
    {-2.5, RELAYOUT_S8, 0xfe, 0xfe},
    {-3.5, RELAYOUT_S8, 0xfc, 0xfc},
    {7.5, RELAYOUT_S4, 7, 8},
    {-8.5, RELAYOUT_S4, 8, 8},
    {-9.5, RELAYOUT_S4, 8, 6},
    {127.5, RELAYOUT_S8, 127, 0x80},
    {255.5, RELAYOUT_U8, 255, 0},
    {-0.75, RELAYOUT_U8, 0, 255},
    {0x1.fffffffep30, RELAYOUT_S32, 0x7fffffff, 0x80000000},
    {0x1.0000000000001p51, RELAYOUT_U64, UINT64_C(1) << 51, UINT64_C(1) << 51},
    {0x1.0000000000003p51, RELAYOUT_U64, (UINT64_C(1) << 51) + 2, (UINT64_C(1) << 51) + 2},
    {0x1p64, RELAYOUT_U64, UINT64_MAX, 0},
    {0x1p-1074, RELAYOUT_U32, 0, 0},
    {NAN, RELAYOUT_S8, 0, 0},
    {INFINITY, RELAYOUT_S8, 127, 0},
};

static void test_to_nearest(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(nearest_cases); ++i) {
    const integer_case *c = &nearest_cases[i];
    assert_rounded(i, RELAYOUT_F64, f64(c->value), c->to, false, true, 1, c->saturated);
    assert_rounded(i, RELAYOUT_F64, f64(c->value), c->to, true, true, 1, c->wrapped);
  }
  /* Integers, which a scale takes between others: 5/2, -7/2, (2^64 - 1) / 2, and
   * (2^63 + 2^11) (4 - 2^-12) = 2^65 + 2^13 - 2^51 - 1/2. */
  assert_rounded(0, RELAYOUT_S8, 5, RELAYOUT_S8, false, true, 0.5, 2);
  assert_rounded(1, RELAYOUT_S8, 0xf9, RELAYOUT_S8, false, true, 0.5, 0xfc);
  assert_rounded(2, RELAYOUT_U64, UINT64_MAX, RELAYOUT_U64, false, true, 0.5, UINT64_C(1) << 63);
  assert_rounded(3, RELAYOUT_U64, (UINT64_C(1) << 63) + (1 << 11), RELAYOUT_U64, true, true,
                 4 - 0x1p-12, 0 - (UINT64_C(1) << 51) + (1 << 13));
  /* What is no integer is as ever. */
  assert_rounded(4, RELAYOUT_F64, f64(0.25), RELAYOUT_PRED, false, true, 1, 1);
  assert_rounded(5, RELAYOUT_F64, f64(2.5), RELAYOUT_F32, false, true, 1, 0x40200000);
}

/* ---- What patterns of each type are, as f64 -------------------------------------------------- */

typedef struct pattern_case {
  relayout_element_type from;
  uint64_t pattern;
  double value;
} pattern_case;

static const pattern_case pattern_cases[] = {
    {RELAYOUT_PRED, 0, 0},
    {RELAYOUT_PRED, 1, 1},
    {RELAYOUT_PRED, 0x80, 1},
    {RELAYOUT_S1, 1, -1},
    {RELAYOUT_S1, 0xfe, 0}, /* the upper bits do not count */
    {RELAYOUT_S2, 2, -2},
    {RELAYOUT_S4, 0xf7, 7},
    {RELAYOUT_S4, 8, -8},
    {RELAYOUT_S8, 0x80, -128},
    {RELAYOUT_S16, 0xffff, -1},
    {RELAYOUT_S32, 0x80000000, -0x1p31},
    {RELAYOUT_S64, 0x8000000000000000, -0x1p63},
    {RELAYOUT_S64, 0x7fffffffffffffff, 0x1p63}, /* rounded */
    {RELAYOUT_U1, 3, 1},
    {RELAYOUT_U2, 0xff, 3},
    {RELAYOUT_U4, 0x1f, 15},
    {RELAYOUT_U8, 0xff, 255},
    {RELAYOUT_U16, 0xffff, 65535},
    {RELAYOUT_U32, 0xffffffff, 4294967295.0},
    {RELAYOUT_U64, UINT64_MAX, 0x1p64},
    {RELAYOUT_U64, (UINT64_C(1) << 53) + 1, 0x1p53},
    {RELAYOUT_U64, (UINT64_C(1) << 53) + 3, 0x1p53 + 4},
    {RELAYOUT_F4E2M1FN, 0xf1, 0.5},
    {RELAYOUT_F4E2M1FN, 0xb, -1.5},
    {RELAYOUT_F4E2M1FN, 0x7, 6},
    {RELAYOUT_F6E2M3FN, 0x1f, 7.5},
    {RELAYOUT_F6E2M3FN, 0x21, -0.125},
    {RELAYOUT_F6E3M2FN, 0x1f, 28},
    {RELAYOUT_F6E3M2FN, 0x0c, 1},
    {RELAYOUT_F8E3M4, 0x6f, 15.5},
    {RELAYOUT_F8E3M4, 0x70, INFINITY},
    {RELAYOUT_F8E3M4, 0x01, 0x1p-6},
    {RELAYOUT_F8E4M3, 0xf8, -INFINITY},
    {RELAYOUT_F8E4M3, 0x79, NAN},
    {RELAYOUT_F8E4M3FN, 0x7e, 448},
    {RELAYOUT_F8E4M3FN, 0x7f, NAN},
    {RELAYOUT_F8E4M3FN, 0x01, 0x1p-9},
    {RELAYOUT_F8E4M3FNUZ, 0x7f, 240},
    {RELAYOUT_F8E4M3FNUZ, 0x80, -NAN},
    {RELAYOUT_F8E4M3FNUZ, 0x81, -0x1p-10},
    {RELAYOUT_F8E4M3B11FNUZ, 0x7f, 30},
    {RELAYOUT_F8E5M2, 0x7b, 57344},
    {RELAYOUT_F8E5M2, 0xfd, -NAN},
    {RELAYOUT_F8E5M2FNUZ, 0x40, 1},
    {RELAYOUT_F8E8M0FNU, 0, 0x1p-127},
    {RELAYOUT_F8E8M0FNU, 254, 0x1p127},
    {RELAYOUT_F8E8M0FNU, 255, NAN},
    {RELAYOUT_F16, 0x3555, 0x1.554p-2},
    {RELAYOUT_F16, 0x8001, -0x1p-24},
    {RELAYOUT_F16, 0x7c01, NAN},
    {RELAYOUT_BF16, 0x4049, 0x1.92p1},
    {RELAYOUT_BF16, 0xff80, -INFINITY},
    {RELAYOUT_F32, 0x00000001, 0x1p-149},
    {RELAYOUT_F32, 0xff7fffff, -0x1.fffffep127},
    {RELAYOUT_F64, 1, 0x1p-1074},
};

static void test_to_f64(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(pattern_cases); ++i) {
    const pattern_case *c = &pattern_cases[i];
    assert_converted(i, c->from, c->pattern, RELAYOUT_F64, false, 1, f64(c->value));
  }
}

/* ---- Scales ---------------------------------------------------------------------------------- */

typedef struct scale_case {
  relayout_element_type from;
  uint64_t pattern;
  double scale;
  relayout_element_type to;
  bool wraps;
  uint64_t expected;
} scale_case;

static const scale_case scale_cases[] = {
    {RELAYOUT_S8, 100, 0.5, RELAYOUT_S8, false, 50},
    {RELAYOUT_S8, 0xff, 0.5, RELAYOUT_S8, false, 0}, /* -0.5 */
    {RELAYOUT_S8, 100, -2, RELAYOUT_S8, false, 0x80},
    {RELAYOUT_S8, 100, -2, RELAYOUT_S8, true, 56}, /* -200 */
    {RELAYOUT_U4, 15, 1.0 / 15, RELAYOUT_F32, false, 0x3f800000},
    {RELAYOUT_PRED, 7, -3, RELAYOUT_S4, false, 0xd},
    {RELAYOUT_F32, 0x3f800000, 0.1, RELAYOUT_F64, false, 0x3fb999999999999a},
    /* 1 + 2^-23 by 1 + 2^-52: what follows 53 bits decides. */
    {RELAYOUT_F32, 0x3f800001, 1 + 0x1p-52, RELAYOUT_F32, false, 0x3f800001},
    {RELAYOUT_F32, 0x3f800001, 1 + 0x1p-52, RELAYOUT_F64, false, 0x3ff0000020000001},
    /* (1 + 2^-11) (1 - 2^-11) = 1 - 2^-22 is less than halfway between 1 and 1 - 2^-11. */
    {RELAYOUT_F64, 0x3ff0020000000000, 1 - 0x1p-11, RELAYOUT_F16, false, 0x3c00},
    /* 1.5 (1 + 2^-52) has 54 bits, the last of which is half of f64's last one:
     * a tie, to the even. */
    {RELAYOUT_F64, 0x3ff8000000000000, 1 + 0x1p-52, RELAYOUT_F64, false, 0x3ff8000000000002},
    /* A product beyond f64 and back, which none that rounds on its way survives. */
    {RELAYOUT_F64, 0x0000000000000001, 0x1p1023, RELAYOUT_F64, false, 0x3cc0000000000000},
    {RELAYOUT_F64, 0x7fe0000000000000, 0x1p1023, RELAYOUT_F64, false, 0x7ff0000000000000},
    {RELAYOUT_F64, 0x7fe0000000000000, 0x1p-1074, RELAYOUT_F8E4M3FN, false, 0x00},
    {RELAYOUT_F64, 0x7fe0000000000000, 0x1p-1022, RELAYOUT_F8E4M3FN, false, 0x40},
    {RELAYOUT_U64, UINT64_MAX, 0x1p-64, RELAYOUT_U8, false, 0},
    {RELAYOUT_U64, UINT64_MAX, 0x1p-63, RELAYOUT_U8, false, 1},
    /* 2^64 + 4095 - 2^-52 without its fraction. */
    {RELAYOUT_U64, UINT64_MAX, 1 + 0x1p-52, RELAYOUT_U64, true, 0xffe},
    {RELAYOUT_F16, 0x0001, 0x1p24, RELAYOUT_PRED, false, 1},
    {RELAYOUT_F64, 1, 0x1p-1074, RELAYOUT_PRED, false, 1},
    {RELAYOUT_F16, 0x0000, -1, RELAYOUT_F16, false, 0x8000},
    {RELAYOUT_F16, 0x8000, -1, RELAYOUT_F16, false, 0x0000},
    {RELAYOUT_S8, 0, -1, RELAYOUT_F16, false, 0x8000},
    {RELAYOUT_F16, 0x7c00, -1, RELAYOUT_F16, false, 0xfc00},
    {RELAYOUT_F16, 0x7d00, -1, RELAYOUT_F16, false, 0x7e00}, /* NaN keeps its sign */
    {RELAYOUT_F8E8M0FNU, 127, -1, RELAYOUT_F8E8M0FNU, false, 255},
    {RELAYOUT_F8E8M0FNU, 127, 3, RELAYOUT_F8E8M0FNU, false, 129},
};

static void test_scales(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(scale_cases); ++i) {
    const scale_case *c = &scale_cases[i];
    assert_converted(i, c->from, c->pattern, c->to, c->wraps, c->scale, c->expected);
  }
}

/* ---- Every pattern of a type through a wider one and back ------------------------------------ */

static const struct {
  relayout_element_type narrow;
  unsigned bits;
  relayout_element_type wide;
} round_trips[] = {
    {RELAYOUT_S1, 1, RELAYOUT_S2},           {RELAYOUT_S2, 2, RELAYOUT_F4E2M1FN},
    {RELAYOUT_S4, 4, RELAYOUT_F8E5M2},       {RELAYOUT_S8, 8, RELAYOUT_BF16},
    {RELAYOUT_S16, 16, RELAYOUT_F32},        {RELAYOUT_U1, 1, RELAYOUT_PRED},
    {RELAYOUT_U2, 2, RELAYOUT_F6E2M3FN},     {RELAYOUT_U4, 4, RELAYOUT_F8E4M3FN},
    {RELAYOUT_U8, 8, RELAYOUT_F16},          {RELAYOUT_U16, 16, RELAYOUT_S32},
    {RELAYOUT_F4E2M1FN, 4, RELAYOUT_F16},    {RELAYOUT_F6E2M3FN, 6, RELAYOUT_F8E4M3},
    {RELAYOUT_F6E3M2FN, 6, RELAYOUT_F8E5M2}, {RELAYOUT_F8E8M0FNU, 8, RELAYOUT_BF16},
};

static void test_wider_and_back(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(round_trips); ++i) {
    for (uint64_t pattern = 0; pattern >> round_trips[i].bits == 0; ++pattern) {
      unsigned char element[8];
      unsigned char there[8];
      unsigned char back[8] = {0};
      put(round_trips[i].narrow, pattern, element);
      oracle_convert(round_trips[i].narrow, round_trips[i].wide, false, false, 1, element, there);
      oracle_convert(round_trips[i].wide, round_trips[i].narrow, false, false, 1, there, back);
      if (memcmp(back, element, oracle_element_size(round_trips[i].narrow)) != 0) {
        fail_msg("trip %zu: 0x%llx comes back as 0x%02x", i, (unsigned long long)pattern, back[0]);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_from_f64),       cmocka_unit_test(test_to_nearest),
      cmocka_unit_test(test_to_f64),         cmocka_unit_test(test_scales),
      cmocka_unit_test(test_wider_and_back),
  };
  return cmocka_run_group_tests_name("oracle.conversions", tests, NULL, NULL);
}
