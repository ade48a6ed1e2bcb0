/* test_figures.c: the oracle against figures worked out by hand. */
#include <stdbool.h>
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

/* ---- Tiles ---------------------------------------------------------------------------------- */

enum { MANY = 4, STAR = -1 };

/* Dimensions major to minor in memory; tiles, and each one's dimensions, up to a 0. */
typedef struct tiled_case {
  int32_t rank;
  int64_t dimensions[MANY];
  int64_t tiles[MANY][MANY];
  int64_t alignment;
  int64_t count;
  int64_t index[MANY];
  int64_t number;
} tiled_case;

static const tiled_case tiled_cases[] = {
    /* As XLA's documentation and tests have them. */
    {2, {3, 5}, {{2, 2}}, 0, 24, {2, 3}, 17},
    {1, {8}, {{2, 2}}, 0, 16, {5}, 9},
    {1, {2048}, {{1024}, {128}, {2, 1}}, 0, 2048, {128}, 1},
    {2, {9216, 6144}, {{64, 128}, {8, 1}}, 0, 9216 * 6144, {9, 130}, 0x2000 + 0x400 + 17},
    /* Row 9 is row 1 of the second tile down, column 130 the third of the second across: tile 1 * 2
     * + 1 of 1024 elements, and in it 1 * 128 + 2. */
    {2, {16, 200}, {{8, 128}}, 0, 4096, {9, 130}, 3 * 1024 + 130},
    /* In a pair of rows, elements of one column are neighbours. */
    {2, {16, 256}, {{8, 128}, {2, 1}}, 0, 4096, {9, 130}, 3 * 1024 + 2 * 2 + 1},
    /* The rows of all matrices make one dimension: 2 * 3 rows, of which 1,2 is number 5. */
    {3, {2, 3, 4}, {{STAR, 2, 4}}, 0, 24, {1, 2, 3}, 2 * 8 + 4 + 3},
    /* Everything makes one: number 23 of 24, in tiles of 5. */
    {3, {2, 3, 4}, {{STAR, STAR, 5}}, 0, 25, {1, 2, 3}, 23},
    /* More dimensions than there are. */
    {1, {3}, {{2, 2, 2}}, 0, 16, {2}, 8},
    /* The tail. */
    {2, {3, 5}, {{2, 2}}, 100, 100, {2, 4}, 20},
    {1, {7}, {{0}}, 4, 8, {6}, 6},
    {2, {0, 5}, {{2, 2}}, 8, 0, {0, 0}, 0},
};

static relayout_shape tiled(const tiled_case *c) {
  relayout_shape shape = {.element_type = RELAYOUT_U8, .rank = c->rank};
  relayout_layout *layout = &shape.layout;
  memcpy(shape.dimensions, c->dimensions, sizeof(c->dimensions));
  layout->rank = shape.rank;
  for (int32_t i = 0; i < shape.rank; ++i) {
    layout->minor_to_major[i] = shape.rank - 1 - i;
  }
  int64_t *next = layout->tile_dimensions;
  for (int32_t t = 0; t < MANY && c->tiles[t][0] != 0; ++t) {
    for (int32_t i = 0; i < MANY && c->tiles[t][i] != 0; ++i) {
      *next++ = c->tiles[t][i] == STAR ? RELAYOUT_TILE_COMBINE : c->tiles[t][i];
      layout->tile_ranks[t] += 1;
    }
    layout->tile_count += 1;
  }
  layout->tail_padding_alignment_in_elements = c->alignment;
  return shape;
}

static void test_tiles(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof(tiled_cases) / sizeof(tiled_cases[0]); ++i) {
    const tiled_case *c = &tiled_cases[i];
    const relayout_shape shape = tiled(c);
    assert_int_equal(oracle_element_count(&shape), c->count);
    assert_int_equal(oracle_linear_index(&shape, c->index), c->number);
  }
}

/* Tiles lie on the widths, in the order of memory: XLA's picture of f32[3,5]{1,0:T(2,2)}, here with
 * a sixth column of padding beneath, dimension 0 fastest, and two more at the tail. */
static void test_tiles_over_padding(void **state) {
  (void)state;
  const relayout_shape from = letters("53", "10", "", RELAYOUT_PADDING_ZERO);
  relayout_shape to = letters("53", "01", "63", RELAYOUT_PADDING_ZERO);
  to.layout.tile_count = 1;
  to.layout.tile_ranks[0] = 2;
  to.layout.tile_dimensions[0] = 2;
  to.layout.tile_dimensions[1] = 2;
  to.layout.tail_padding_alignment_in_elements = 13;
  char found[27] = {0};
  assert_int_equal(oracle_byte_size(&to), 26);
  memset(found, '?', 26);
  /* a b c / d e f / g h i / j k l / m n o; physical rows are abc's columns: adgjm, behkn, cfilo. */
  oracle_relayout(&from, &to, "abcdefghijklmno", found);
  assert_memory_equal(found, "adbegjhkm\0n\0cf\0\0il\0\0o\0\0\0\0\0", 26);

  memset(found, '?', 26);
  to.layout.padding_value = RELAYOUT_PADDING_UNKNOWN;
  oracle_relayout(&from, &to, "abcdefghijklmno", found);
  assert_memory_equal(found, "adbegjhkm?n?cf??il??o?????", 26);

  char back[16] = {0};
  oracle_relayout(&to, &from, found, back);
  assert_string_equal(back, "abcdefghijklmno");
}

/* ---- Packed elements ------------------------------------------------------------------------ */

static relayout_shape packed(int64_t count, int64_t padded, relayout_element_type type,
                             int64_t bits) {
  relayout_shape shape = {.element_type = type, .rank = 1, .dimensions = {count}};
  shape.layout.rank = 1;
  shape.layout.padded_dimension_count = 1;
  shape.layout.padded_dimensions[0] = padded;
  shape.layout.element_size_in_bits = bits;
  return shape;
}

static void test_packing(void **state) {
  (void)state;
  const relayout_shape bytes = packed(5, 5, RELAYOUT_U4, 0);
  relayout_shape nibbles = packed(5, 7, RELAYOUT_U4, 4);
  assert_int_equal(oracle_byte_size(&nibbles), 4);
  /* Low bits first; bits above the fourth are lost; ones of padding; four spare bits. */
  nibbles.layout.padding_value = RELAYOUT_PADDING_ONE;
  unsigned char found[5] = {0xff, 0xff, 0xff, 0xff, 0xff};
  oracle_relayout(&bytes, &nibbles, "\x01\xf2\x03\x04\x05", found);
  assert_memory_equal(found, "\x21\x43\x15\x01\xff", 5);
  unsigned char back[5] = {0xff, 0xff, 0xff, 0xff, 0xff};
  oracle_relayout(&nibbles, &bytes, found, back);
  assert_memory_equal(back, "\x01\x02\x03\x04\x05", 5);

  /* Unknown padding keeps its bits, in a byte with an element too; spare ones are still cleared. */
  nibbles.layout.padding_value = RELAYOUT_PADDING_UNKNOWN;
  memset(found, 0xa6, sizeof(found));
  oracle_relayout(&bytes, &nibbles, "\x01\x02\x03\x04\x05", found);
  assert_memory_equal(found, "\x21\x43\xa5\x06\xa6", 5);

  /* 1 and 2 bits, and from one packing to another. */
  const relayout_shape bits = packed(10, 10, RELAYOUT_PRED, 1);
  const relayout_shape pairs = packed(10, 10, RELAYOUT_PRED, 2);
  const relayout_shape truths = packed(10, 10, RELAYOUT_PRED, 0);
  assert_int_equal(oracle_byte_size(&bits), 2);
  assert_int_equal(oracle_byte_size(&pairs), 3);
  oracle_relayout(&truths, &bits, "\1\0\1\1\0\0\0\1\0\1", found);
  assert_memory_equal(found, "\x8d\x02", 2);
  oracle_relayout(&bits, &pairs, "\x8d\xfe", found);
  assert_memory_equal(found, "\x51\x40\x04", 3);

  relayout_shape weights = {.element_type = RELAYOUT_S4, .rank = 2, .dimensions = {9216, 6144}};
  weights.layout = (relayout_layout){.rank = 2,
                                     .minor_to_major = {1, 0},
                                     .tile_count = 2,
                                     .tile_ranks = {2, 2},
                                     .tile_dimensions = {64, 128, 8, 1},
                                     .element_size_in_bits = 4};
  assert_int_equal(oracle_byte_size(&weights), 28311552);
}

/* NumPy's packbits(bitorder='big') and unpackbits have the third pair of arrays. */
static void test_packing_high_first(void **state) {
  (void)state;
  const relayout_shape bytes = packed(5, 5, RELAYOUT_U4, 0);
  relayout_shape nibbles = packed(5, 7, RELAYOUT_U4, 4);
  nibbles.layout.packing_order = RELAYOUT_PACKING_HIGH_FIRST;
  nibbles.layout.padding_value = RELAYOUT_PADDING_ONE;
  unsigned char found[5] = {0xff, 0xff, 0xff, 0xff, 0xff};
  oracle_relayout(&bytes, &nibbles, "\x01\xf2\x03\x04\x05", found);
  assert_memory_equal(found, "\x12\x34\x51\x10\xff", 5);
  unsigned char back[5] = {0xff, 0xff, 0xff, 0xff, 0xff};
  oracle_relayout(&nibbles, &bytes, found, back);
  assert_memory_equal(back, "\x01\x02\x03\x04\x05", 5);

  nibbles.layout.padding_value = RELAYOUT_PADDING_UNKNOWN;
  memset(found, 0xa6, sizeof(found));
  oracle_relayout(&bytes, &nibbles, "\x01\x02\x03\x04\x05", found);
  assert_memory_equal(found, "\x12\x34\x56\xa0\xa6", 5);

  relayout_shape bits = packed(10, 10, RELAYOUT_PRED, 1);
  bits.layout.packing_order = RELAYOUT_PACKING_HIGH_FIRST;
  relayout_shape pairs = packed(10, 10, RELAYOUT_PRED, 2);
  const relayout_shape truths = packed(10, 10, RELAYOUT_PRED, 0);
  oracle_relayout(&truths, &bits, "\1\0\1\1\0\0\0\1\0\1", found);
  assert_memory_equal(found, "\xb1\x40", 2);
  oracle_relayout(&bits, &pairs, "\xb1\x7f", found); /* to pairs that begin in the low bits */
  assert_memory_equal(found, "\x51\x40\x04", 3);
  pairs.layout.packing_order = RELAYOUT_PACKING_HIGH_FIRST;
  oracle_relayout(&bits, &pairs, "\xb1\x7f", found);
  assert_memory_equal(found, "\x45\x01\x10", 3);
}

static void test_containers(void **state) {
  (void)state;
  const relayout_shape bytes = packed(3, 3, RELAYOUT_U4, 0);
  const relayout_shape nibbles = packed(3, 3, RELAYOUT_U4, 4);
  relayout_shape halves = packed(3, 4, RELAYOUT_U4, 16);
  assert_int_equal(oracle_byte_size(&halves), 8);
  halves.layout.padding_value = RELAYOUT_PADDING_HIGHEST;
  unsigned char found[12];
  memset(found, 0xa6, sizeof(found));
  oracle_relayout(&bytes, &halves, "\x01\x02\x03", found);
  assert_memory_equal(found, "\x01\0\x02\0\x03\0\x0f\0\xa6", 9);
  /* Unknown padding keeps all of its container; packed elements have bytes of their own there. */
  halves.layout.padding_value = RELAYOUT_PADDING_UNKNOWN;
  memset(found, 0xa6, sizeof(found));
  oracle_relayout(&nibbles, &halves, "\x21\xf3", found);
  assert_memory_equal(found, "\x01\0\x02\0\x03\0\xa6\xa6\xa6", 9);

  /* What is above an element is not read, whatever becomes of it. */
  oracle_relayout(&halves, &bytes, "\x01\xf2\x02\xf2\x03\xf2\xf2\xf2", found);
  assert_memory_equal(found, "\x01\x02\x03\0", 4);
  oracle_relayout(&halves, &nibbles, "\x01\xf2\x02\xf2\x03\xf2\xf2\xf2", found);
  assert_memory_equal(found, "\x21\x03", 2);
  const relayout_shape words = packed(3, 3, RELAYOUT_U4, 32);
  oracle_relayout(&halves, &words, "\x01\xf2\x02\xf2\x03\xf2\xf2\xf2", found);
  assert_memory_equal(found, "\x01\0\0\0\x02\0\0\0\x03\0\0\0", 12);
  const relayout_shape floats = packed(1, 1, RELAYOUT_F32, 0);
  const relayout_shape wide = packed(1, 1, RELAYOUT_BF16, 32);
  const float one = 1;
  const uint16_t narrow_one[] = {0x3f80, 0};
  oracle_relayout(&floats, &wide, &one, found);
  assert_memory_equal(found, narrow_one, 4);
}

/* ---- Other types, scales and strides -------------------------------------------------------- */

static void test_values_change_on_their_way(void **state) {
  (void)state;
  const relayout_shape from = packed(3, 3, RELAYOUT_S4, 4);
  relayout_shape to = packed(3, 4, RELAYOUT_F8E4M3FN, 0);
  to.layout.padding_value = RELAYOUT_PADDING_HIGHEST;
  unsigned char found[4];
  oracle_relayout(&from, &to, "\xf1\x02", found); /* 1, -1, 2 */
  assert_memory_equal(found, "\x38\xb8\x40\x7e", 4);
  oracle_options options = ORACLE_OPTIONS_INIT;
  options.scale = -10;
  oracle_relayout_with(&options, &from, &from, "\xf1\x02", found); /* -10, 10, -20 */
  assert_memory_equal(found, "\x78\x08", 2);
  options.wraps = true;
  oracle_relayout_with(&options, &from, &from, "\xf1\x02", found);
  assert_memory_equal(found, "\xa6\x0c", 2);
  options = (oracle_options){.scale = 0.75, .to_nearest = true};
  oracle_relayout_with(&options, &from, &from, "\xf1\x02", found); /* 0.75, -0.75, 1.5 */
  assert_memory_equal(found, "\xf1\x02", 2);
}

static void test_strides(void **state) {
  (void)state;
  const relayout_shape shape = letters("23", "10", "", RELAYOUT_PADDING_ZERO);
  char found[16];
  memset(found, '.', sizeof found);
  /* Every other row from behind, columns from behind: d e f / a b c transposed round. */
  const int64_t backwards[] = {-6, -1};
  oracle_options options = {.scale = 1, .source_byte_strides = backwards};
  oracle_relayout_with(&options, &shape, &shape, &"abcxxxdef"[8], found);
  assert_memory_equal(found, "fedcba.", 7);
  /* One column three times. */
  const int64_t repeated[] = {2, 0};
  options.source_byte_strides = repeated;
  oracle_relayout_with(&options, &shape, &shape, "axb", found);
  assert_memory_equal(found, "aaabbb.", 7);
  /* What lies between stays. */
  const int64_t apart[] = {1, 4};
  options = (oracle_options){.scale = 1, .destination_byte_strides = apart};
  memset(found, '.', sizeof(found));
  oracle_relayout_with(&options, &shape, &shape, "abcdef", found);
  assert_memory_equal(found, "ad..be..cf......", 16);
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

/* Byte b of a number of so many bytes, as this machine keeps it. */
static unsigned byte_of(uint64_t number, size_t bytes, size_t b) {
  const bool first_is_lowest = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  return number >> 8 * (first_is_lowest ? b : bytes - 1 - b) & 0xff;
}

/* Whether the padding is this number, and the imaginary part zeros. */
static void assert_padding(relayout_element_type type, relayout_padding_value value,
                           uint64_t expected) {
  const relayout_layout layout = {.padding_value = value};
  unsigned char bytes[RELAYOUT_MAX_ELEMENT_SIZE];
  memset(bytes, 0xee, sizeof(bytes));
  assert_int_equal(oracle_padding(&layout, type, bytes), expected != NONE);
  const size_t size = expected == NONE ? 0 : oracle_element_size(type);
  const bool is_complex = type == RELAYOUT_C64 || type == RELAYOUT_C128;
  const size_t real = is_complex ? size / 2 : size;
  for (size_t b = 0; b < sizeof(bytes); ++b) {
    const unsigned expected_byte = b >= size ? 0xee : b < real ? byte_of(expected, real, b) : 0;
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
  relayout_layout minus_1_5 = {.padding_value = RELAYOUT_PADDING_LITERAL};
  memcpy(minus_1_5.padding_literal, &(uint32_t){0xbfc00000}, sizeof(uint32_t));
  unsigned char bytes[RELAYOUT_MAX_ELEMENT_SIZE];
  assert_true(oracle_padding(&minus_1_5, RELAYOUT_F32, bytes));
  float value;
  memcpy(&value, bytes, sizeof(value));
  assert_true(value == -1.5F);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_moves),
      cmocka_unit_test(test_tiles),
      cmocka_unit_test(test_tiles_over_padding),
      cmocka_unit_test(test_packing),
      cmocka_unit_test(test_packing_high_first),
      cmocka_unit_test(test_containers),
      cmocka_unit_test(test_values_change_on_their_way),
      cmocka_unit_test(test_strides),
      cmocka_unit_test(test_padding_values),
      cmocka_unit_test(test_a_literal_is_its_bytes),
  };
  return cmocka_run_group_tests_name("oracle.figures", tests, NULL, NULL);
}
