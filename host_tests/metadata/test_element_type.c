/* test_element_type.c: the table of element types against XLA's numbers and the
 * types' known values. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "metadata/float_values.h"
#include "relayout/layout.h"

typedef struct type_case {
  const char *name;
  int number; /* in xla_data.proto */
  int bits;
  size_t bytes;
  relayout_element_kind kind;
} type_case;

static const type_case type_cases[] = {
    {"pred", 1, 1, 1, RELAYOUT_KIND_PRED},
    {"s1", 30, 1, 1, RELAYOUT_KIND_SIGNED},
    {"s2", 26, 2, 1, RELAYOUT_KIND_SIGNED},
    {"s4", 21, 4, 1, RELAYOUT_KIND_SIGNED},
    {"s8", 2, 8, 1, RELAYOUT_KIND_SIGNED},
    {"s16", 3, 16, 2, RELAYOUT_KIND_SIGNED},
    {"s32", 4, 32, 4, RELAYOUT_KIND_SIGNED},
    {"s64", 5, 64, 8, RELAYOUT_KIND_SIGNED},
    {"u1", 31, 1, 1, RELAYOUT_KIND_UNSIGNED},
    {"u2", 27, 2, 1, RELAYOUT_KIND_UNSIGNED},
    {"u4", 22, 4, 1, RELAYOUT_KIND_UNSIGNED},
    {"u8", 6, 8, 1, RELAYOUT_KIND_UNSIGNED},
    {"u16", 7, 16, 2, RELAYOUT_KIND_UNSIGNED},
    {"u32", 8, 32, 4, RELAYOUT_KIND_UNSIGNED},
    {"u64", 9, 64, 8, RELAYOUT_KIND_UNSIGNED},
    {"f4e2m1fn", 32, 4, 1, RELAYOUT_KIND_FLOAT},
    {"f6e2m3fn", 36, 6, 1, RELAYOUT_KIND_FLOAT},
    {"f6e3m2fn", 35, 6, 1, RELAYOUT_KIND_FLOAT},
    {"f8e3m4", 29, 8, 1, RELAYOUT_KIND_FLOAT},
    {"f8e4m3", 28, 8, 1, RELAYOUT_KIND_FLOAT},
    {"f8e4m3fn", 20, 8, 1, RELAYOUT_KIND_FLOAT},
    {"f8e4m3fnuz", 25, 8, 1, RELAYOUT_KIND_FLOAT},
    {"f8e4m3b11fnuz", 23, 8, 1, RELAYOUT_KIND_FLOAT},
    {"f8e5m2", 19, 8, 1, RELAYOUT_KIND_FLOAT},
    {"f8e5m2fnuz", 24, 8, 1, RELAYOUT_KIND_FLOAT},
    {"f8e8m0fnu", 33, 8, 1, RELAYOUT_KIND_FLOAT},
    {"f16", 10, 16, 2, RELAYOUT_KIND_FLOAT},
    {"bf16", 16, 16, 2, RELAYOUT_KIND_FLOAT},
    {"f32", 11, 32, 4, RELAYOUT_KIND_FLOAT},
    {"f64", 12, 64, 8, RELAYOUT_KIND_FLOAT},
    {"c64", 15, 64, 8, RELAYOUT_KIND_COMPLEX},
    {"c128", 18, 128, 16, RELAYOUT_KIND_COMPLEX},
};

static void test_table(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof type_cases / sizeof type_cases[0]; ++i) {
    const type_case *c = &type_cases[i];
    const relayout_element_type type = (relayout_element_type)c->number;
    relayout_element_type parsed = RELAYOUT_ELEMENT_TYPE_INVALID;
    assert_string_equal(relayout_element_type_name(type), c->name);
    assert_int_equal(relayout_element_type_parse(c->name, &parsed, NULL), RELAYOUT_OK);
    assert_int_equal(parsed, c->number);
    assert_int_equal(relayout_element_type_bits(type), c->bits);
    assert_int_equal(relayout_element_type_byte_size(type), c->bytes);
    assert_int_equal(relayout_element_type_kind(type), c->kind);
  }
}

static void test_no_other_type(void **state) {
  (void)state;
  int known = 0;
  for (int number = -300; number <= 300; ++number) {
    const relayout_element_type type = (relayout_element_type)number;
    if (relayout_element_type_bits(type) != 0) {
      ++known;
      continue;
    }
    assert_string_equal(relayout_element_type_name(type), "invalid");
    assert_int_equal(relayout_element_type_byte_size(type), 0);
    assert_int_equal(relayout_element_type_kind(type), RELAYOUT_KIND_INVALID);
  }
  assert_int_equal(known, sizeof type_cases / sizeof type_cases[0]);
}

typedef struct refusal {
  const char *text;
  relayout_status status;
  const char *message;
} refusal;

static const refusal refusals[] = {
    {"", RELAYOUT_INVALID_TEXT, "'' is not an element type"},
    {"F32", RELAYOUT_INVALID_TEXT, "'F32' is not an element type; did you mean 'f32'?"},
    {"f32 ", RELAYOUT_INVALID_TEXT, "'f32 ' is not an element type"},
    {"f3", RELAYOUT_INVALID_TEXT, "'f3' is not an element type"},
    {"f\x01\n", RELAYOUT_INVALID_TEXT, "'f\?\?' is not an element type"},
    {"a_name_far_too_long_to_be_quoted_as_a_whole", RELAYOUT_INVALID_TEXT,
     "'a_name_far_too_long_to_be_quoted_a'... is not an element type"},
    {"tuple", RELAYOUT_INVALID_TEXT, "tuple is not the type of an array's elements"},
    {"token", RELAYOUT_INVALID_TEXT, "token is not the type of an array's elements"},
    {"opaque", RELAYOUT_INVALID_TEXT, "opaque is not the type of an array's elements"},
    {NULL, RELAYOUT_INVALID_ARGUMENT, "text is NULL"},
};

static void test_refusals(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; ++i) {
    relayout_element_type type = RELAYOUT_U8;
    relayout_error error;
    assert_int_equal(relayout_element_type_parse(refusals[i].text, &type, &error),
                     refusals[i].status);
    assert_int_equal(error.status, refusals[i].status);
    assert_string_equal(error.message, refusals[i].message);
    assert_int_equal(type, RELAYOUT_U8);
  }
  relayout_error error;
  assert_int_equal(relayout_element_type_parse("f32", NULL, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "type is NULL");
}

/* What other libraries call a type is answered with what it is called here. */
static void test_names_of_others(void **state) {
  (void)state;
  static const char *const names[][2] = {{"float32", "f32"},
                                         {"float16", "f16"},
                                         {"float64", "f64"},
                                         {"float", "f32"},
                                         {"half", "f16"},
                                         {"double", "f64"},
                                         {"single", "f32"},
                                         {"bfloat16", "bf16"},
                                         {"BF16", "bf16"},
                                         {"int8", "s8"},
                                         {"int16", "s16"},
                                         {"int32", "s32"},
                                         {"int64", "s64"},
                                         {"int4", "s4"},
                                         {"uint8", "u8"},
                                         {"uint16", "u16"},
                                         {"uint32", "u32"},
                                         {"uint64", "u64"},
                                         {"uint4", "u4"},
                                         {"uint8_t", "u8"},
                                         {"int64_t", "s64"},
                                         {"float32_t", "f32"},
                                         {"I8", "s8"},
                                         {"i32", "s32"},
                                         {"U16", "u16"},
                                         {"ui8", "u8"},
                                         {"fp16", "f16"},
                                         {"fp32", "f32"},
                                         {"bool", "pred"},
                                         {"Bool", "pred"},
                                         {"boolean", "pred"},
                                         {"byte", "u8"},
                                         {"complex64", "c64"},
                                         {"complex128", "c128"},
                                         {"float8_e4m3fn", "f8e4m3fn"},
                                         {"float8_e5m2", "f8e5m2"},
                                         {"float8_e5m2fnuz", "f8e5m2fnuz"},
                                         {"F8_E4M3", "f8e4m3fn"},
                                         {"F8_E5M2", "f8e5m2"},
                                         {"float8_e8m0fnu", "f8e8m0fnu"},
                                         {"float4_e2m1fn", "f4e2m1fn"},
                                         {"int2", "s2"},
                                         {"", NULL},
                                         {"float31", NULL},
                                         {"int7", NULL},
                                         {"f", NULL},
                                         {"t", NULL},
                                         {"_", NULL},
                                         {"complex", NULL},
                                         {"long", NULL},
                                         {"a_name_that_is_far_too_long_for_any", NULL}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    relayout_element_type type = RELAYOUT_U8;
    relayout_error error;
    char hint[64] = "is not an element type";
    assert_int_equal(relayout_element_type_parse(names[i][0], &type, &error),
                     RELAYOUT_INVALID_TEXT);
    if (names[i][1] != NULL) {
      snprintf(hint, sizeof hint, "; did you mean '%s'?", names[i][1]);
    }
    if (strlen(error.message) < strlen(hint) ||
        strcmp(error.message + strlen(error.message) - strlen(hint), hint) != 0) {
      fail_msg("'%s': \"%s\" does not end in \"%s\"", names[i][0], error.message, hint);
    }
  }
}

/* The low `bits` of an element's bytes. */
static uint64_t padding_bits(relayout_element_type type, relayout_padding_value value) {
  const relayout_layout layout = {.padding_value = value};
  uint8_t bytes[RELAYOUT_MAX_ELEMENT_SIZE];
  relayout_error error;
  if (relayout_layout_padding_bytes(&layout, type, bytes, &error) != RELAYOUT_OK) {
    fail_msg("%s: %s", relayout_element_type_name(type), error.message);
  }
  uint16_t as16;
  uint32_t as32;
  uint64_t as64;
  memcpy(&as16, bytes, sizeof as16);
  memcpy(&as32, bytes, sizeof as32);
  memcpy(&as64, bytes, sizeof as64);
  const size_t size = relayout_element_type_byte_size(type);
  return size == 1 ? bytes[0] : size == 2 ? as16 : size == 4 ? as32 : as64;
}

/* The greatest values, worked out from the formats' descriptions. */
static double known_highest(relayout_element_type type) {
  switch (type) {
  case RELAYOUT_F4E2M1FN:
    return 6;
  case RELAYOUT_F6E2M3FN:
    return 7.5;
  case RELAYOUT_F6E3M2FN:
    return 28;
  case RELAYOUT_F8E4M3FN:
    return 448;
  case RELAYOUT_F8E4M3FNUZ:
    return 240;
  case RELAYOUT_F8E4M3B11FNUZ:
    return 30;
  case RELAYOUT_F8E5M2FNUZ:
    return 57344;
  case RELAYOUT_F8E8M0FNU:
    return 170141183460469231731687303715884105728.0; /* 2^127 */
  default:
    return INFINITY;
  }
}

static void test_float_values(void **state) {
  (void)state;
  for (size_t i = 0; i < FLOAT_TYPE_COUNT; ++i) {
    const float_type *const t = &float_types[i];
    const double highest = known_highest(t->type);
    const double lowest = t->type == RELAYOUT_F8E8M0FNU ? ldexp(1, -127) : -highest;
    print_message("%s\n", relayout_element_type_name(t->type));
    assert_true(float_value(t, padding_bits(t->type, RELAYOUT_PADDING_ONE)) == 1.0);
    assert_true(float_value(t, padding_bits(t->type, RELAYOUT_PADDING_HIGHEST)) == highest);
    assert_true(float_value(t, padding_bits(t->type, RELAYOUT_PADDING_LOWEST)) == lowest);
    assert_true(padding_bits(t->type, RELAYOUT_PADDING_ZERO) == 0);
  }
}

typedef struct integer_case {
  relayout_element_type type;
  uint64_t lowest;
  uint64_t highest;
} integer_case;

static const integer_case integer_cases[] = {
    {RELAYOUT_PRED, 0, 1},
    {RELAYOUT_S1, 1, 0}, /* -1 and 0 */
    {RELAYOUT_S2, 2, 1},
    {RELAYOUT_S4, 8, 7},
    {RELAYOUT_S8, (uint8_t)INT8_MIN, INT8_MAX},
    {RELAYOUT_S16, (uint16_t)INT16_MIN, INT16_MAX},
    {RELAYOUT_S32, (uint32_t)INT32_MIN, INT32_MAX},
    {RELAYOUT_S64, (uint64_t)INT64_MIN, INT64_MAX},
    {RELAYOUT_U1, 0, 1},
    {RELAYOUT_U2, 0, 3},
    {RELAYOUT_U4, 0, 15},
    {RELAYOUT_U8, 0, UINT8_MAX},
    {RELAYOUT_U16, 0, UINT16_MAX},
    {RELAYOUT_U32, 0, UINT32_MAX},
    {RELAYOUT_U64, 0, UINT64_MAX},
};

static void test_integer_values(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof integer_cases / sizeof integer_cases[0]; ++i) {
    const integer_case *const c = &integer_cases[i];
    assert_true(padding_bits(c->type, RELAYOUT_PADDING_LOWEST) == c->lowest);
    assert_true(padding_bits(c->type, RELAYOUT_PADDING_HIGHEST) == c->highest);
    assert_true(padding_bits(c->type, RELAYOUT_PADDING_UNKNOWN) == 0);
    if (c->type != RELAYOUT_S1) {
      assert_true(padding_bits(c->type, RELAYOUT_PADDING_ONE) == 1);
    }
  }
}

static void test_complex_one(void **state) {
  (void)state;
  const relayout_layout one = {.padding_value = RELAYOUT_PADDING_ONE};
  const float c64[2] = {1, 0};
  const double c128[2] = {1, 0};
  uint8_t bytes[RELAYOUT_MAX_ELEMENT_SIZE];
  assert_int_equal(relayout_layout_padding_bytes(&one, RELAYOUT_C64, bytes, NULL), RELAYOUT_OK);
  assert_memory_equal(bytes, c64, sizeof c64);
  assert_int_equal(relayout_layout_padding_bytes(&one, RELAYOUT_C128, bytes, NULL), RELAYOUT_OK);
  assert_memory_equal(bytes, c128, sizeof c128);
}

typedef struct missing_value {
  relayout_element_type type;
  relayout_padding_value value;
  relayout_status status;
  const char *message;
} missing_value;

static const missing_value missing_values[] = {
    {RELAYOUT_S1, RELAYOUT_PADDING_ONE, RELAYOUT_INVALID_SHAPE, "one, which type s1"},
    {RELAYOUT_C64, RELAYOUT_PADDING_LOWEST, RELAYOUT_INVALID_SHAPE, "lowest, which type c64"},
    {RELAYOUT_C128, RELAYOUT_PADDING_HIGHEST, RELAYOUT_INVALID_SHAPE, "highest, which type c128"},
    {RELAYOUT_F32, (relayout_padding_value)6, RELAYOUT_INVALID_SHAPE, "padding_value is 6"},
    {(relayout_element_type)99, RELAYOUT_PADDING_ONE, RELAYOUT_INVALID_ARGUMENT, "type is 99"},
};

static void test_missing_values(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof missing_values / sizeof missing_values[0]; ++i) {
    const missing_value *const c = &missing_values[i];
    const relayout_layout layout = {.padding_value = c->value};
    uint8_t bytes[RELAYOUT_MAX_ELEMENT_SIZE] = {42};
    relayout_error error;
    assert_int_equal(relayout_layout_padding_bytes(&layout, c->type, bytes, &error), c->status);
    assert_non_null(strstr(error.message, c->message));
    assert_int_equal(bytes[0], 42);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table),          cmocka_unit_test(test_no_other_type),
      cmocka_unit_test(test_refusals),       cmocka_unit_test(test_float_values),
      cmocka_unit_test(test_integer_values), cmocka_unit_test(test_complex_one),
      cmocka_unit_test(test_missing_values), cmocka_unit_test(test_names_of_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
