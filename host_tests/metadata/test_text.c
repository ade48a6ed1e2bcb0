/* test_text.c: the text form: what parses, what it prints as, and what is
 * refused with which words. */
#include "cmocka_all.h"

#include <string.h>

#include "shape_of.h"

typedef struct round_trip {
  const char *text;
  const char *printed; /* NULL: the same */
} round_trip;

static const round_trip round_trips[] = {
    {"f32[2,3]{0,1}", NULL},
    {"f32[2,3]", "f32[2,3]{1,0}"},
    {"f32[]", NULL},
    {"f32[ ]", "f32[]"},
    {"pred[7]", "pred[7]{0}"},
    {"f32[0]{0}", NULL},
    {"f32[2,3]{0,1:PD(3,5)}", NULL},
    {"f32[2,3]{0,1:PD(3,5)PV(lowest)}", NULL},
    {"f32[2,3]{0,1:PD(3,5)PV(zero)}", "f32[2,3]{0,1:PD(3,5)}"},
    {"f32[2,3]{0,1:PD(2,3)}", "f32[2,3]{0,1}"},
    {"f32[2,3]{0,1:PD(2,4)}", NULL},
    {"f32[2,3]{0,1:PV(one)}", NULL},
    {"f32[2,3]{0,1:PV(0)}", "f32[2,3]{0,1}"},
    {"f32[2,3]{0,1:PV(0x0)}", "f32[2,3]{0,1}"},
    {"f32[2,3]{0,1:PV(unknown)}", NULL},
    {"f32[2,3]{0,1:PV(highest)}", NULL},
    {"bf16[16,256]{1,0:T(8,128)(2,1)}", NULL},
    {"bf16[2048]{0:T(1024)(128)(2,1)}", NULL},
    {"f32[2,3,4]{2,1,0:T(*,8)}", NULL},
    {"f32[2,3,4]{2,1,0:T(*,*,8)L(16)E(32)S(1)}", NULL},
    {"s4[9216,6144]{1,0:T(64,128)(8,1)E(4)}", NULL},
    {"pred[8,8,8]{0,2,1:T(8,128)E(32)}", NULL},
    {"pred[]{:E(32)}", NULL},
    {"pred[9]{0:E(8)}", NULL},
    {"pred[9]{0:E(16)}", NULL},
    {"s4[9]{0:PD(12)PV(-8)E(32)}", NULL},
    {"f8e5m2[9]{0:E(16)}", NULL},
    {"bf16[9]{0:L(4)E(32)S(1)}", NULL},
    {"pred[9]{0:E(1)}", NULL},
    {"u4[4,6]{1,0:PO(high)E(4)}", NULL},
    {"u4[4,6]{1,0:PO(low)E(4)}", "u4[4,6]{1,0:E(4)}"},
    {"u4[4,6]{1,0:PO(low)}", "u4[4,6]{1,0}"},
    {"s1[9]{0:PD(12)PV(0)PO ( high ) T(4)L(8)E(1)S(1)}", "s1[9]{0:PD(12)PO(high)T(4)L(8)E(1)S(1)}"},
    {"u2[9]{0:PV(3)PO(high)E(2)}", NULL},
    {"f4e2m1fn[]{:PO(high)E(4)}", NULL},
    {"pred[9]{0:E(2)}", NULL},
    {"u2[9]{0:E(2)}", NULL},
    {"u1[9]{0:L(3)E(4)}", NULL},
    {"f4e2m1fn[9]{0:E(4)}", NULL},
    {"f6e2m3fn[9]{0:E(8)}", NULL},
    {"f6e2m3fn[9]{0:E(16)}", NULL},
    {"c128[9]{0:E(128)}", NULL},
    {"f32[2]{0:L(1)}", "f32[2]{0}"},
    {"f32[2]{0:E(0)}", "f32[2]{0}"},
    {"f32[2]{0:S(0)}", "f32[2]{0}"},
    {"f32[2]{0:}", "f32[2]{0}"},
    {"s4[9]{0:E(4)}", NULL},
    {"f32[]{:S(5)}", NULL},
    {"f32[]{:T(128)}", NULL},
    {"f32[]{:PV(one)L(8)}", NULL},
    {"f32[2]{0:S(-3)}", NULL},
    {"f32[007]{0}", "f32[7]{0}"},
    {" f32 \t[ 2\n,\v3 ] { 0 , 1 : PD ( 3 , 5 ) PV ( -1.5 ) T ( 2 , * , 1 ) ( 4 ) L ( 2 ) } ",
     "f32[2,3]{0,1:PD(3,5)PV(-1.5)T(2,*,1)(4)L(2)}"},
    {"bf16[2]{0:PD(4)PV(0x7fc0)}", NULL},
    {"c128[1]{0:PV(0x3ff00000000000000000000000000000)}", NULL},
    {"f8e4m3b11fnuz[2,2,2,2]{3,1,2,0}", NULL},
};

static size_t print(const relayout_shape *shape, char text[RELAYOUT_SHAPE_TEXT_SIZE]) {
  const size_t length = relayout_shape_format(shape, text, RELAYOUT_SHAPE_TEXT_SIZE);
  assert_true(length < RELAYOUT_SHAPE_TEXT_SIZE);
  assert_int_equal(length, strlen(text));
  return length;
}

static void check_round_trip(const char *text, const char *printed) {
  const relayout_shape shape = shape_of(text);
  char first[RELAYOUT_SHAPE_TEXT_SIZE];
  char second[RELAYOUT_SHAPE_TEXT_SIZE];
  print(&shape, first);
  assert_string_equal(first, printed);
  const relayout_shape again = shape_of(first);
  print(&again, second);
  assert_string_equal(second, first);
  if (!relayout_shape_equal(&shape, &again)) {
    fail_msg("%s: the printed shape is another one", text);
  }
}

static void test_round_trips(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof round_trips / sizeof round_trips[0]; ++i) {
    const round_trip *const c = &round_trips[i];
    check_round_trip(c->text, c->printed == NULL ? c->text : c->printed);
  }
}

typedef struct refusal {
  const char *text;
  relayout_status status;
  const char *message; /* a part of it */
} refusal;

static const refusal refusals[] = {
    {"", RELAYOUT_INVALID_TEXT, "column 1: expected an element type, but the text ends"},
    {"f31[2]", RELAYOUT_INVALID_TEXT, "column 1: 'f31' is not an element type"},
    {"F32[2]", RELAYOUT_INVALID_TEXT,
     "column 1: 'F32' is not an element type; did you mean 'f32'?"},
    {"float32[2]", RELAYOUT_INVALID_TEXT,
     "column 1: 'float32' is not an element type; did you mean 'f32'?"},
    {"[2]", RELAYOUT_INVALID_TEXT, "column 1: expected an element type, found '[2]'"},
    {"f32", RELAYOUT_INVALID_TEXT, "column 4: expected '[', but the text ends"},
    {"f32[2", RELAYOUT_INVALID_TEXT, "column 6: expected ',' or ']', but the text ends"},
    {"f32[2,]", RELAYOUT_INVALID_TEXT, "column 7: expected a dimension's size, found ']'"},
    {"f32[,2]", RELAYOUT_INVALID_TEXT, "column 5: expected a dimension's size, found ',2]'"},
    {"f32[2 3]", RELAYOUT_INVALID_TEXT, "column 7: expected ',' or ']', found '3]'"},
    {"f32[2)", RELAYOUT_INVALID_TEXT, "column 6: expected ',' or ']', found ')'"},
    {"f32[0x10]", RELAYOUT_INVALID_TEXT, "column 6: expected ',' or ']', found 'x10]'"},
    {"f32[- 2]", RELAYOUT_INVALID_TEXT, "column 5: expected a dimension's size, found '- 2]'"},
    {"f32[+2]", RELAYOUT_INVALID_TEXT, "column 5: expected a dimension's size, found '+2]'"},
    {"f32[2]x", RELAYOUT_INVALID_TEXT, "column 7: expected the text's end, found 'x'"},
    {"f32[2]{0}{0}", RELAYOUT_INVALID_TEXT, "column 10: expected the text's end, found '{0}'"},
    {"f32[2]\x01\x7f\xff", RELAYOUT_INVALID_TEXT, "expected the text's end, found '\?\?\?'"},
    {"f32[-2]", RELAYOUT_INVALID_SHAPE, "dimensions[0] is -2; expected 0 or more"},
    {"f32[9223372036854775808]", RELAYOUT_SIZE_OVERFLOW, "'9223372036854775808' does not fit"},
    {"f32[-9223372036854775809]", RELAYOUT_SIZE_OVERFLOW, "'-9223372036854775809' does not fit"},
    {"f32[4611686018427387904]", RELAYOUT_SIZE_OVERFLOW,
     "dimensions[0], which is 4611686018427387"},
    {"f32[0,9223372036854775807]", RELAYOUT_SIZE_OVERFLOW, "dimensions[1]"},
    {"u8[4294967296,4294967296]", RELAYOUT_SIZE_OVERFLOW, "dimensions[1], which is 4294967296"},
    {"u8[2]{0:PD(9223372036854775807)PV(1)T(9)}extra", RELAYOUT_INVALID_TEXT, "found 'extra'"},
    {"u8[2,2]{0,1:PD(144115188075855872,2)}", RELAYOUT_SIZE_OVERFLOW, "padded_dimensions[1]"},

    {"f32[]{}", RELAYOUT_INVALID_TEXT, "column 7: expected a dimension number or ':', found '}'"},
    {"f32[2]{", RELAYOUT_INVALID_TEXT, "column 8: expected a dimension number or ':'"},
    {"f32[2]{0", RELAYOUT_INVALID_TEXT, "column 9: expected ',', ':' or '}'"},
    {"f32[2]{0,}", RELAYOUT_INVALID_TEXT, "column 10: expected a dimension number, found '}'"},
    {"f32[2]{0:", RELAYOUT_INVALID_TEXT, "column 10: expected a property or '}'"},
    {"f32[2]{:S(1)}", RELAYOUT_INVALID_SHAPE,
     "column 8: minor_to_major lists 0 dimensions, but the shape has 1"},
    {"f32[2,3]{0}", RELAYOUT_INVALID_SHAPE,
     "column 10: minor_to_major lists 1 dimensions, but the shape has 2"},
    {"f32[2]{0,1}", RELAYOUT_INVALID_SHAPE, "lists 2 dimensions, but the shape has 1"},
    {"f32[2,3]{0,0}", RELAYOUT_INVALID_SHAPE, "minor_to_major[1] is 0, which is listed twice"},
    {"f32[2,3]{0,2}", RELAYOUT_INVALID_SHAPE, "minor_to_major[1] is 2; expected 0 to 1"},
    {"f32[2,3]{0,-1}", RELAYOUT_INVALID_SHAPE, "minor_to_major contains -1"},
    {"f32[2]{4294967296}", RELAYOUT_INVALID_SHAPE, "minor_to_major contains 4294967296"},

    {"f32[2]{0:PD(1)}", RELAYOUT_INVALID_SHAPE,
     "padded_dimensions[0] is 1; expected at least dimensions[0], 2"},
    {"f32[2]{0:PD(-1)}", RELAYOUT_INVALID_SHAPE, "padded_dimensions[0] is -1; expected 0 or more"},
    {"f32[2,3]{1,0:PD(4)}", RELAYOUT_INVALID_SHAPE, "padded_dimension_count is 1"},
    {"f32[2]{0:PD()}", RELAYOUT_INVALID_TEXT, "column 13: expected a dimension's size"},
    {"f32[2]{0:PD 4}", RELAYOUT_INVALID_TEXT, "column 13: expected '('"},
    {"f32[2]{0:PV()}", RELAYOUT_INVALID_TEXT, "column 13: expected a padding value"},
    {"f32[2]{0:PV(lowes)}", RELAYOUT_INVALID_TEXT,
     "column 13: padding value 'lowes' is not a number"},
    {"f32[2]{0:PV(1 2)}", RELAYOUT_INVALID_TEXT, "column 15: expected ')', found '2)}'"},
    {"c64[2]{0:PV(lowest)}", RELAYOUT_INVALID_SHAPE, "padding_value is lowest, which type c64"},
    {"s1[2]{0:PV(one)}", RELAYOUT_INVALID_SHAPE, "padding_value is one, which type s1"},
    {"f32[2]{0:T()}", RELAYOUT_INVALID_TEXT, "column 12: expected a tile dimension, found ')}'"},
    {"f32[2]{0:T}", RELAYOUT_INVALID_TEXT, "column 11: expected '(', found '}'"},
    {"f32[2]{0:T(0)}", RELAYOUT_INVALID_SHAPE, "column 12: tile dimension is 0; expected"},
    {"f32[2]{0:T(-2)}", RELAYOUT_INVALID_SHAPE, "column 12: tile dimension is -2; expected"},
    {"f32[2]{0:T(-9223372036854775808)}", RELAYOUT_INVALID_SHAPE,
     "tile dimension is -9223372036854"},
    {"f32[2]{0:T(8,*)}", RELAYOUT_INVALID_SHAPE, "tile_dimensions[1] is *, but the last"},
    {"f32[2]{0:T(8)(*)}", RELAYOUT_INVALID_SHAPE, "tile_dimensions[1] is *, but the last"},
    {"f32[2]{0:T(1)(1)(1)(1)(1)(1)(1)(1)(1)(1)(1)(1)(1)(1)(1)(1)(1)}", RELAYOUT_INVALID_SHAPE,
     "more than 16 tiles"},
    {"f32[2]{0:L(0)}", RELAYOUT_INVALID_SHAPE, "column 12: a tail alignment is 0"},
    {"f32[2]{0:L(-1)}", RELAYOUT_INVALID_SHAPE, "column 12: a tail alignment is -1"},
    {"f32[2]{0:L()}", RELAYOUT_INVALID_TEXT, "column 12: expected a tail alignment"},
    {"f32[2]{0:E(-1)}", RELAYOUT_INVALID_SHAPE, "column 12: an element size is -1"},
    {"f32[2]{0:E(4)}", RELAYOUT_INVALID_SHAPE,
     "element_size_in_bits is 4; an element of f32 can take 32 bits"},
    {"s8[2]{0:E(4)}", RELAYOUT_INVALID_SHAPE,
     "element_size_in_bits is 4; an element of s8 can take 8, 16 or 32 bits"},
    {"s4[2]{0:E(3)}", RELAYOUT_INVALID_SHAPE,
     "element_size_in_bits is 3; an element of s4 can take 4, 8, 16 or 32 bits"},
    {"s4[2]{0:E(2)}", RELAYOUT_INVALID_SHAPE,
     "element_size_in_bits is 2; an element of s4 can take 4, 8, 16 or 32 bits"},
    {"u2[2]{0:E(1)}", RELAYOUT_INVALID_SHAPE,
     "element_size_in_bits is 1; an element of u2 can take 2, 4, 8, 16 or 32 bits"},
    {"pred[2]{0:E(64)}", RELAYOUT_INVALID_SHAPE,
     "element_size_in_bits is 64; an element of pred can take 1, 2, 4, 8, 16 or 32 bits"},
    {"u8[2]{0:E(24)}", RELAYOUT_INVALID_SHAPE,
     "element_size_in_bits is 24; an element of u8 can take 8, 16 or 32 bits"},
    {"f16[2]{0:E(8)}", RELAYOUT_INVALID_SHAPE,
     "element_size_in_bits is 8; an element of f16 can take 16 or 32 bits"},
    {"f64[2]{0:E(32)}", RELAYOUT_INVALID_SHAPE,
     "element_size_in_bits is 32; an element of f64 can take 64 bits"},
    {"c64[2]{0:E(128)}", RELAYOUT_INVALID_SHAPE,
     "element_size_in_bits is 128; an element of c64 can take 64 bits"},
    {"u16[36028797018963969]{0:E(32)}", RELAYOUT_SIZE_OVERFLOW,
     "exceeds 36028797018963968 elements"},
    {"f6e3m2fn[2]{0:E(4)}", RELAYOUT_INVALID_SHAPE,
     "element_size_in_bits is 4; an element of f6e3m2fn can take 8, 16 or 32 bits"},
    {"u4[2]{0:PO(high)}", RELAYOUT_INVALID_SHAPE,
     "packing_order is high, but element_size_in_bits is 0; expected 1, 2 or 4"},
    {"u4[2]{0:PO(high)E(8)}", RELAYOUT_INVALID_SHAPE, "but element_size_in_bits is 8"},
    {"f32[2]{0:PO(high)E(32)}", RELAYOUT_INVALID_SHAPE, "but element_size_in_bits is 32"},
    {"u4[2]{0:PO()E(4)}", RELAYOUT_INVALID_TEXT, "column 12: expected low or high, found ')E(4)}'"},
    {"u4[2]{0:PO(higher)E(4)}", RELAYOUT_INVALID_TEXT, "column 12: expected low or high"},
    {"u4[2]{0:PO(high,low)E(4)}", RELAYOUT_INVALID_TEXT, "column 16: expected ')'"},
    {"u4[2]{0:PO high E(4)}", RELAYOUT_INVALID_TEXT, "column 12: expected '('"},
    {"u4[2]{0:E(4)PO(high)}", RELAYOUT_INVALID_TEXT, "column 13: property PO must come before E"},
    {"u4[2]{0:PO(high)PO(high)E(4)}", RELAYOUT_INVALID_TEXT, "property PO is given twice"},
    {"f32[2]{0:T(9223372036854775807)}", RELAYOUT_SIZE_OVERFLOW,
     "with tile 0, an array of f32 exceeds 36028797018963968 elements"},
    {"u8[2,2]{1,0:T(2)(4294967296,2147483648)}", RELAYOUT_SIZE_OVERFLOW,
     "with tile 1, an array of u8 exceeds 144115188075855872 elements"},
    {"s4[2,0]{1,0:T(4294967296,2147483648)E(4)}", RELAYOUT_SIZE_OVERFLOW,
     "with tile 0, an array of s4 exceeds 288230376151711744 elements"},
    {"u16[3]{0:L(4611686018427387904)}", RELAYOUT_SIZE_OVERFLOW,
     "with tail_padding_alignment_in_elements, which is 4611686018427387904, an array of u16"},
    {"u8[144115188075855871]{0:L(3)}", RELAYOUT_SIZE_OVERFLOW,
     "with tail_padding_alignment_in_elements, which is 3, an array of u8 exceeds"},
    {"f32[2]{0:T(*)}", RELAYOUT_INVALID_SHAPE, "tile_dimensions[0] is *, but the last"},
    {"f32[2]{0:S(1,2)}", RELAYOUT_INVALID_TEXT, "column 13: expected ')', found ',2)}'"},
    {"f32[2]{0:L(1)L(1)}", RELAYOUT_INVALID_TEXT, "column 14: property L is given twice"},
    {"f32[2]{0:PV(1)PD(3)}", RELAYOUT_INVALID_TEXT, "column 15: property PD must come before PV"},
    {"f32[2]{0:E(32)T(2)}", RELAYOUT_INVALID_TEXT, "column 15: property T must come before E"},
    {"f32[2]{0:X(4)}", RELAYOUT_INVALID_TEXT,
     "column 10: expected a property or '}', found 'X(4)}'"},
    {"f32[2]{0:,}", RELAYOUT_INVALID_TEXT, "column 10: expected a property or '}', found ',}'"},

    {"(f32[2],f32[3])", RELAYOUT_UNSUPPORTED, "column 1: '(': tuples"},
    {"()", RELAYOUT_UNSUPPORTED, "tuples"},
    {"token[]", RELAYOUT_UNSUPPORTED, "column 1: 'token'"},
    {"opaque[]", RELAYOUT_UNSUPPORTED, "column 1: 'opaque'"},
    {"tuple", RELAYOUT_UNSUPPORTED, "column 1: 'tuple'"},
    {"b(f32[2])", RELAYOUT_UNSUPPORTED, "column 1: 'b(': buffers"},
    {"f32[2,<=4]", RELAYOUT_UNSUPPORTED, "column 7: '<='"},
    {"f32[?]", RELAYOUT_UNSUPPORTED, "column 5: '?'"},
    {"f32[2]{0:D(D)}", RELAYOUT_UNSUPPORTED, "column 10: property D:"},
    {"f32[2]{0:#(u32)}", RELAYOUT_UNSUPPORTED, "column 10: property #:"},
    {"f32[2]{0:*(u32)}", RELAYOUT_UNSUPPORTED, "column 10: property *:"},
    {"f32[2]{0:S(1)SC(0:1)}", RELAYOUT_UNSUPPORTED, "column 14: property SC:"},
    {"f32[2]{0:P(f32[2])}", RELAYOUT_UNSUPPORTED, "column 10: property P:"},
    {"f32[2]{0:M(8)}", RELAYOUT_UNSUPPORTED, "column 10: property M:"},
};

static void check_refusal(const refusal *c) {
  relayout_shape shape;
  memset(&shape, 0x5a, sizeof shape);
  const relayout_shape before = shape;
  relayout_error error = {0};
  const relayout_status status = relayout_shape_parse(c->text, &shape, &error);
  if (status != c->status || error.status != status || strstr(error.message, c->message) == NULL) {
    fail_msg("%s: status %d, message: %s", c->text, status, error.message);
  }
  assert_memory_equal(&shape, &before, sizeof shape);
  assert_int_equal(relayout_shape_parse(c->text, &shape, NULL), c->status);
}

static void test_refusals(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; ++i) {
    check_refusal(&refusals[i]);
  }
}

/* Appends `text` this many times, with `separator` between. */
static void repeat(char *buffer, const char *text, const char *separator, int times) {
  for (int i = 0; i < times; ++i) {
    strcat(buffer, i == 0 ? "" : separator);
    strcat(buffer, text);
  }
}

static void test_capacities(void **state) {
  (void)state;
  char text[4096] = "u8[";
  repeat(text, "1", ",", RELAYOUT_MAX_RANK);
  strcat(text, "]");
  const relayout_shape shape = shape_of(text);
  assert_int_equal(shape.rank, RELAYOUT_MAX_RANK);
  char printed[RELAYOUT_SHAPE_TEXT_SIZE];
  print(&shape, printed);
  check_round_trip(printed, printed);

  strcpy(text, "u8[");
  repeat(text, "1", ",", RELAYOUT_MAX_RANK + 1);
  strcat(text, "]");
  check_refusal(&(refusal){text, RELAYOUT_INVALID_SHAPE, "there are more than 64 dimensions"});

  strcpy(text, "u8[1]{");
  repeat(text, "0", ",", RELAYOUT_MAX_RANK + 1);
  strcat(text, "}");
  check_refusal(&(refusal){text, RELAYOUT_INVALID_SHAPE, "more than 64 entries of minor_to_major"});

  strcpy(text, "u8[1]{0:PD(");
  repeat(text, "1", ",", RELAYOUT_MAX_RANK + 1);
  strcat(text, ")}");
  check_refusal(&(refusal){text, RELAYOUT_INVALID_SHAPE, "more than 64 padded dimensions"});

  strcpy(text, "u8[1]{0:T(2)(");
  repeat(text, "1", ",", RELAYOUT_MAX_TILE_DIMENSIONS);
  strcat(text, ")}");
  check_refusal(&(refusal){text, RELAYOUT_INVALID_SHAPE, "more than 127 tile dimensions"});

  strcpy(text, "u8[1]{0:T(");
  repeat(text, "1", ",", RELAYOUT_MAX_TILE_DIMENSIONS);
  strcat(text, ")}");
  check_round_trip(text, text);

  strcpy(text, "u8[");
  repeat(text, "9", "", 3000);
  strcat(text, "]");
  check_refusal(&(refusal){text, RELAYOUT_SIZE_OVERFLOW, "column 4: '999999"});
  strcpy(text, "u8[1]{0:PV(");
  repeat(text, "9", "", 3000);
  strcat(text, ")}");
  check_refusal(&(refusal){text, RELAYOUT_INVALID_TEXT, "column 12: padding value '999999"});
  text[0] = '\0';
  repeat(text, "(", "", 4000);
  check_refusal(&(refusal){text, RELAYOUT_UNSUPPORTED, "tuples"});
}

/* The longest numbers that an array's size allows still fit RELAYOUT_SHAPE_TEXT_SIZE, and so do the
 * longest of all in a layout, which has no size. */
static void test_longest_text(void **state) {
  (void)state;
  relayout_shape shape = {.element_type = RELAYOUT_F8E4M3B11FNUZ, .rank = RELAYOUT_MAX_RANK};
  relayout_layout *const layout = &shape.layout;
  layout->rank = layout->padded_dimension_count = shape.rank;
  for (int32_t d = 0; d < shape.rank; ++d) {
    layout->minor_to_major[d] = d;
    layout->padded_dimensions[d] = d == 0 ? INT64_C(100000000000000000) : 1;
    shape.dimensions[d] = d == 0 ? INT64_C(99999999999999999) : 1;
  }
  layout->padding_value = RELAYOUT_PADDING_LITERAL;
  layout->padding_literal[0] = 0x80;
  layout->tile_count = RELAYOUT_MAX_TILES;
  for (int32_t i = 0; i < RELAYOUT_MAX_TILE_DIMENSIONS; ++i) {
    layout->tile_ranks[i / 8] = 8;
    layout->tile_dimensions[i] = i % 8 == 7 ? INT64_C(100000000000000000) : 1;
  }
  layout->tail_padding_alignment_in_elements = (int64_t)1 << 57;
  layout->memory_space = INT64_MIN;
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  print(&shape, text);
  check_round_trip(text, text);
  for (int32_t i = 0; i < RELAYOUT_MAX_TILE_DIMENSIONS; ++i) {
    layout->tile_dimensions[i] = INT64_MAX;
  }
  for (int32_t d = 0; d < shape.rank; ++d) {
    layout->padded_dimensions[d] = INT64_MAX;
  }
  assert_true(relayout_layout_format(layout, shape.element_type, text, sizeof text) < sizeof text);
}

static void test_buffer_sizes(void **state) {
  (void)state;
  static const char expected[] = "f32[2,3]{0,1:PD(3,5)}";
  const relayout_shape shape = shape_of(expected);
  assert_int_equal(relayout_shape_format(&shape, NULL, 0), strlen(expected));
  for (size_t capacity = 1; capacity <= sizeof expected; ++capacity) {
    char text[sizeof expected + 1];
    memset(text, '#', sizeof text);
    assert_int_equal(relayout_shape_format(&shape, text, capacity), strlen(expected));
    assert_int_equal(strlen(text), capacity - 1);
    assert_memory_equal(text, expected, capacity - 1);
    assert_int_equal(text[capacity], '#');
  }
}

static void test_bare_layouts(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int32_t rank;
    const char *printed;
  } cases[] = {
      {"", 0, ""},
      {"  ", 2, "{1,0}"},
      {"{0,1:PD(3,5)}", 2, "{0,1:PD(3,5)}"},
      {"{0:PV(0x1)}", 1, "{0:PV(1e-45)}"},
      {"{:S(5)}", 0, "{:S(5)}"},
      {" { 1 , 0 : T ( 8 , 128 ) } ", 2, "{1,0:T(8,128)}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_layout layout;
    relayout_layout again;
    relayout_error error;
    char text[RELAYOUT_SHAPE_TEXT_SIZE];
    if (relayout_layout_parse(cases[i].text, RELAYOUT_F32, cases[i].rank, &layout, &error) !=
        RELAYOUT_OK) {
      fail_msg("%s: %s", cases[i].text, error.message);
    }
    relayout_layout_format(&layout, RELAYOUT_F32, text, sizeof text);
    assert_string_equal(text, cases[i].printed);
    assert_int_equal(relayout_layout_parse(text, RELAYOUT_F32, cases[i].rank, &again, NULL),
                     RELAYOUT_OK);
    assert_true(relayout_layout_equal(&layout, &again));
  }
}

static void test_bare_layout_refusals(void **state) {
  (void)state;
  static const struct {
    const char *text;
    relayout_element_type type;
    int32_t rank;
    relayout_status status;
    const char *message;
  } cases[] = {
      {"{}", RELAYOUT_F32, 0, RELAYOUT_INVALID_TEXT, "column 2: expected a dimension number"},
      {"f32[2]{0}", RELAYOUT_F32, 1, RELAYOUT_INVALID_TEXT, "column 1: expected the text's end"},
      {"{0} {", RELAYOUT_F32, 1, RELAYOUT_INVALID_TEXT, "column 5: expected the text's end"},
      {"{0}", RELAYOUT_F32, 2, RELAYOUT_INVALID_SHAPE, "lists 1 dimensions, but the shape has 2"},
      {"{0}", RELAYOUT_F32, 65, RELAYOUT_INVALID_SHAPE, "rank is 65; expected 0 to 64"},
      {"{0}", RELAYOUT_F32, -1, RELAYOUT_INVALID_SHAPE, "rank is -1; expected 0 to 64"},
      {"{0}", (relayout_element_type)13, 1, RELAYOUT_INVALID_ARGUMENT, "type is 13"},
      {"{0:D(D)}", RELAYOUT_F32, 1, RELAYOUT_UNSUPPORTED, "column 4: property D:"},
      {"{0:PV(highest)}", RELAYOUT_C64, 1, RELAYOUT_INVALID_SHAPE, "padding_value is highest"},
      {NULL, RELAYOUT_F32, 1, RELAYOUT_INVALID_ARGUMENT, "text is NULL"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_layout layout;
    relayout_error error = {0};
    const relayout_status status =
        relayout_layout_parse(cases[i].text, cases[i].type, cases[i].rank, &layout, &error);
    if (status != cases[i].status || strstr(error.message, cases[i].message) == NULL) {
      fail_msg("case %zu: status %d, message: %s", i, status, error.message);
    }
  }
}

static void test_null_arguments(void **state) {
  (void)state;
  relayout_shape shape;
  relayout_error error;
  assert_int_equal(relayout_shape_parse(NULL, &shape, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "text is NULL");
  assert_int_equal(relayout_shape_parse("f32[]", NULL, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "shape is NULL");
  assert_int_equal(relayout_layout_parse("", RELAYOUT_F32, 0, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "layout is NULL");
  char text[8] = "before";
  assert_int_equal(relayout_shape_format(NULL, text, sizeof text), 0);
  assert_string_equal(text, "");
  assert_int_equal(relayout_layout_format(NULL, RELAYOUT_F32, text, sizeof text), 0);
}

/* Every cut and every single changed character of a valid text parses to a shape that prints and
 * parses again, or is refused; what parses is valid. */
static void test_mangled_texts(void **state) {
  (void)state;
  static const char junk[] = "\0 ,:()[]{}*?<=#-0179xabPDVTLES\x80";
  for (size_t i = 0; i < sizeof round_trips / sizeof round_trips[0]; ++i) {
    const size_t length = strlen(round_trips[i].text);
    for (size_t at = 0; at < length; ++at) {
      for (size_t j = 0; j < sizeof junk - 1; ++j) {
        char text[256];
        strcpy(text, round_trips[i].text);
        text[at] = junk[j];
        relayout_shape shape;
        relayout_error error = {0};
        if (relayout_shape_parse(text, &shape, &error) != RELAYOUT_OK) {
          assert_true(error.message[0] != '\0');
          continue;
        }
        assert_int_equal(relayout_shape_validate(&shape, NULL), RELAYOUT_OK);
        char printed[RELAYOUT_SHAPE_TEXT_SIZE];
        print(&shape, printed);
        check_round_trip(text, printed);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trips),          cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_capacities),           cmocka_unit_test(test_longest_text),
      cmocka_unit_test(test_buffer_sizes),         cmocka_unit_test(test_bare_layouts),
      cmocka_unit_test(test_bare_layout_refusals), cmocka_unit_test(test_null_arguments),
      cmocka_unit_test(test_mangled_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
