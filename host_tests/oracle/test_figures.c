/* The oracle against figures worked out by hand. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cmocka_all.h"
#include "oracle/oracle.h"

enum { MAX_BYTES = 64 };

/* ---- Moving letters ------------------------------------------------------------------------- */

/* A u8 shape; dimensions, order and padded dimensions as digits, `padded` empty for none. */
static relayout_shape letters(const char *dimensions, const char *minor_to_major,
                              const char *padded, relayout_padding_value padding) {
  relayout_shape shape = {.element_type = RELAYOUT_U8, .rank = (int32_t)strlen(dimensions)};
  shape.layout.rank = shape.rank;
  shape.layout.padded_dimension_count = (int32_t)strlen(padded);
  shape.layout.padding_value = padding;
  for (int32_t d = 0; d < shape.rank; ++d) {
    shape.dimensions[d] = dimensions[d] - '0';
    shape.layout.minor_to_major[d] = minor_to_major[d] - '0';
    if (padded[0] != '\0') {
      shape.layout.padded_dimensions[d] = padded[d] - '0';
    }
  }
  return shape;
}

typedef struct move_case {
  const char *dimensions;
  const char *from_order;
  const char *from_padded;
  const char *source;
  const char *to_order;
  const char *to_padded;
  relayout_padding_value padding;
  const char *destination; /* 0 and 1 are bytes of these values, ? what was there before */
} move_case;

static const move_case move_cases[] = {
    /* The documentation of XLA: a b c over d e f. */
    {"23", "10", "", "abcdef", "01", "", RELAYOUT_PADDING_ZERO, "adbecf"},
    {"23", "10", "", "abcdef", "10", "", RELAYOUT_PADDING_ZERO, "abcdef"},
    {"23", "10", "", "abcdef", "01", "35", RELAYOUT_PADDING_ZERO, "ad0be0cf0000000"},
    {"23", "01", "", "adbecf", "10", "", RELAYOUT_PADDING_ZERO, "abcdef"},
    /* The same padding the other way round, with one and with unknown. */
    {"23", "10", "", "abcdef", "10", "35", RELAYOUT_PADDING_ONE, "abc11def1111111"},
    {"23", "10", "", "abcdef", "10", "35", RELAYOUT_PADDING_UNKNOWN, "abc??def???????"},
    /* A source's padding stays behind. */
    {"23", "01", "35", "adxbexcfxxxxxxx", "10", "", RELAYOUT_PADDING_ZERO, "abcdef"},
    {"23", "10", "24", "abcxdefx", "01", "33", RELAYOUT_PADDING_ZERO, "ad0be0cf0"},
    /* Letter a + 4z + 2y + x, from x fastest to y, z, x. */
    {"222", "210", "", "abcdefgh", "102", "", RELAYOUT_PADDING_ZERO, "acegbdfh"},
    /* No elements: nothing, or padding alone. A scalar. */
    {"03", "10", "", "", "01", "", RELAYOUT_PADDING_ZERO, ""},
    {"03", "10", "", "", "01", "23", RELAYOUT_PADDING_ONE, "111111"},
    {"", "", "", "a", "", "", RELAYOUT_PADDING_ZERO, "a"},
};

static void test_moves(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof(move_cases) / sizeof(move_cases[0]); ++i) {
    const move_case *c = &move_cases[i];
    const relayout_shape from =
        letters(c->dimensions, c->from_order, c->from_padded, RELAYOUT_PADDING_ZERO);
    const relayout_shape to = letters(c->dimensions, c->to_order, c->to_padded, c->padding);
    assert_int_equal(oracle_byte_size(&from), strlen(c->source));
    const size_t size = oracle_byte_size(&to);
    assert_int_equal(size, strlen(c->destination));
    char destination[MAX_BYTES];
    memset(destination, '?', sizeof(destination));
    oracle_relayout(&from, &to, c->source, destination);
    for (size_t b = 0; b < size; ++b) {
      if (destination[b] == 0 || destination[b] == 1) {
        destination[b] = (char)('0' + destination[b]);
      }
    }
    destination[size] = '\0';
    assert_string_equal(destination, c->destination);
  }
}

/* ---- Padding values ------------------------------------------------------------------------- */

typedef struct padding_case {
  relayout_element_type type;
  size_t size;
  uint64_t one;
  uint64_t lowest;
  uint64_t highest;
} padding_case;

enum { NONE = 0x0bad1dea }; /* no type has this value */

static const padding_case padding_cases[] = {
    {RELAYOUT_PRED, 1, 1, 0, 1},
    {RELAYOUT_S1, 1, NONE, 0x1 /* -1 */, 0},
    {RELAYOUT_S2, 1, 1, 0x2 /* -2 */, 0x1},
    {RELAYOUT_S4, 1, 1, 0x8 /* -8 */, 0x7},
    {RELAYOUT_S8, 1, 1, 0x80 /* -128 */, 0x7f},
    {RELAYOUT_S16, 2, 1, 0x8000, 0x7fff},
    {RELAYOUT_S32, 4, 1, 0x80000000, 0x7fffffff},
    {RELAYOUT_S64, 8, 1, 0x8000000000000000, 0x7fffffffffffffff},
    {RELAYOUT_U1, 1, 1, 0, 1},
    {RELAYOUT_U2, 1, 1, 0, 3},
    {RELAYOUT_U4, 1, 1, 0, 15},
    {RELAYOUT_U8, 1, 1, 0, 255},
    {RELAYOUT_U16, 2, 1, 0, 65535},
    {RELAYOUT_U32, 4, 1, 0, 4294967295},
    {RELAYOUT_U64, 8, 1, 0, 0xffffffffffffffff},
    {RELAYOUT_F4E2M1FN, 1, 0x2, 0xf /* -6 */, 0x7},
    {RELAYOUT_F6E2M3FN, 1, 0x08, 0x3f /* -7.5 */, 0x1f},
    {RELAYOUT_F6E3M2FN, 1, 0x0c, 0x3f /* -28 */, 0x1f},
    {RELAYOUT_F8E3M4, 1, 0x30, 0xf0 /* -inf */, 0x70},
    {RELAYOUT_F8E4M3, 1, 0x38, 0xf8 /* -inf */, 0x78},
    {RELAYOUT_F8E4M3FN, 1, 0x38, 0xfe /* -448 */, 0x7e},
    {RELAYOUT_F8E4M3FNUZ, 1, 0x40, 0xff /* -240 */, 0x7f},
    {RELAYOUT_F8E4M3B11FNUZ, 1, 0x58, 0xff /* -30 */, 0x7f},
    {RELAYOUT_F8E5M2, 1, 0x3c, 0xfc /* -inf */, 0x7c},
    {RELAYOUT_F8E5M2FNUZ, 1, 0x40, 0xff /* -57344 */, 0x7f},
    {RELAYOUT_F8E8M0FNU, 1, 0x7f, 0x00 /* 2^-127 */, 0xfe /* 2^127 */},
    {RELAYOUT_F16, 2, 0x3c00, 0xfc00, 0x7c00},
    {RELAYOUT_BF16, 2, 0x3f80, 0xff80, 0x7f80},
    {RELAYOUT_F32, 4, 0x3f800000, 0xff800000, 0x7f800000},
    {RELAYOUT_F64, 8, 0x3ff0000000000000, 0xfff0000000000000, 0x7ff0000000000000},
    {RELAYOUT_C64, 8, 0x3f800000, NONE, NONE},
    {RELAYOUT_C128, 16, 0x3ff0000000000000, NONE, NONE},
};

/* Whether the padding is this number, least significant byte first, then zeros. */
static void assert_padding(relayout_element_type type, relayout_padding_value value,
                           uint64_t expected) {
  const relayout_layout layout = {.padding_value = value};
  unsigned char bytes[RELAYOUT_MAX_ELEMENT_SIZE];
  memset(bytes, 0xee, sizeof(bytes));
  assert_int_equal(oracle_padding(&layout, type, bytes), expected != NONE);
  const size_t size = expected == NONE ? 0 : oracle_element_size(type);
  for (size_t b = 0; b < sizeof(bytes); ++b) {
    const unsigned expected_byte = b >= size ? 0xee : b < 8 ? expected >> (8 * b) & 0xff : 0;
    assert_int_equal(bytes[b], expected_byte);
  }
}

static void test_padding_values(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof(padding_cases) / sizeof(padding_cases[0]); ++i) {
    const padding_case *c = &padding_cases[i];
    assert_int_equal(oracle_element_size(c->type), c->size);
    assert_padding(c->type, RELAYOUT_PADDING_ZERO, 0);
    assert_padding(c->type, RELAYOUT_PADDING_ONE, c->one);
    assert_padding(c->type, RELAYOUT_PADDING_LOWEST, c->lowest);
    assert_padding(c->type, RELAYOUT_PADDING_HIGHEST, c->highest);
    assert_padding(c->type, RELAYOUT_PADDING_UNKNOWN, NONE);
  }
}

static void test_a_literal_is_its_bytes(void **state) {
  (void)state;
  const relayout_layout minus_1_5 = {.padding_value = RELAYOUT_PADDING_LITERAL,
                                     .padding_literal = {0x00, 0x00, 0xc0, 0xbf}};
  unsigned char bytes[RELAYOUT_MAX_ELEMENT_SIZE];
  assert_true(oracle_padding(&minus_1_5, RELAYOUT_F32, bytes));
  float value;
  memcpy(&value, bytes, sizeof(value));
  assert_true(value == -1.5F);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_moves),
      cmocka_unit_test(test_padding_values),
      cmocka_unit_test(test_a_literal_is_its_bytes),
  };
  return cmocka_run_group_tests_name("oracle.figures", tests, NULL, NULL);
}
