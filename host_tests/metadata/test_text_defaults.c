/* test_text_defaults.c: texts that are a part of a shape: what they take from another shape, what
 * is refused, and with which words. */
#include "cmocka_all.h"

#include <string.h>

#include "shape_of.h"

typedef struct part_case {
  const char *text;
  const char *defaults;
  const char *result;
} part_case;

static const part_case parts[] = {
    /* whole shapes, for which the other one does not matter */
    {"bf16[7]", "f32[2,3]{0,1:PD(3,5)}", "bf16[7]{0}"},
    {" u8 [ 2 ] { 0 : L ( 4 ) } ", "f32[]", "u8[2]{0:L(4)}"},
    {"f32[]", "f32[2,3]", "f32[]"},
    {"f32[]{:T(8)}", "f32[2,3]", "f32[]{:T(8)}"},

    /* layouts, which take all of a layout's place */
    {"{0,1:PD(3,5)}", "f32[2,3]", "f32[2,3]{0,1:PD(3,5)}"},
    {"{0,1}", "bf16[2,3]{1,0:PD(8,8)PV(one)T(8,128)(2,1)L(4)E(32)S(1)}", "bf16[2,3]{0,1}"},
    {"{1,0:T(8,128)}", "s4[16,256]{1,0:E(4)}", "s4[16,256]{1,0:T(8,128)}"},
    {"  {0:PV(-1.5)}", "f16[3]", "f16[3]{0:PV(-1.5)}"},
    {"{}", "f64[]", "f64[]"},
    {" { } ", "f64[]{:T(8)}", "f64[]"},

    /* of properties alone: in the other one's order */
    {"{:T(8)}", "f32[]", "f32[]{:T(8)}"},
    {"{:}", "f32[]{:T(8)}", "f32[]"},
    {"{:T(8,128)}", "f32[16,256]{0,1:PD(32,256)S(3)}", "f32[16,256]{0,1:T(8,128)}"},
    {"{:PD(4,5,6)}", "u8[2,3,4]{1,2,0}", "u8[2,3,4]{1,2,0:PD(4,5,6)}"},
    {"{:}", "u8[2,3,4]{1,2,0:T(2)}", "u8[2,3,4]{1,2,0}"},

    /* types, which keep the layout */
    {"bf16", "f32[2,3]", "bf16[2,3]{1,0}"},
    {" bf16 ", "f32[]", "bf16[]"},
    {"f16", "f32[2,3,4]{0,2,1:PD(4,4,4)PV(lowest)T(2,2)(2,1)L(64)S(5)}",
     "f16[2,3,4]{0,2,1:PD(4,4,4)PV(lowest)T(2,2)(2,1)L(64)S(5)}"},
    {"f32", "f32[2]{0:PD(4)PV(0x7fc00001)E(32)}", "f32[2]{0:PD(4)PV(0x7fc00001)E(32)}"},
    {"u4", "s4[9]{0:E(4)}", "u4[9]{0:E(4)}"},
    {"pred", "s4[9]{0:E(4)}", "pred[9]{0:E(4)}"},
    {"u4", "s4[9]{0:PO(high)E(4)}", "u4[9]{0:PO(high)E(4)}"},
    {"u8", "u4[9]{0:PO(high)E(4)}", "u8[9]{0}"},
    {"u4", "u2[9]{0:PO(high)E(2)}", "u4[9]{0}"},
    {"{0:E(4)}", "u4[9]{0:PO(high)E(4)}", "u4[9]{0:E(4)}"},
    {"bf16", "f4e2m1fn[9]{0:E(4)}", "bf16[9]{0}"},
    {"u4", "s2[9]{0:E(2)}", "u4[9]{0}"},
    {"s8", "pred[9]{0:E(32)}", "s8[9]{0:E(32)}"},
    {"f64", "pred[9]{0:E(32)}", "f64[9]{0}"},
    {"s8", "f32[9]{0:E(32)}", "s8[9]{0}"},
    {"u8", "s4[9]{0:E(8)}", "u8[9]{0}"},
    {"bf16", "f32[2]{0:PD(4)PV(2.5)}", "bf16[2]{0:PD(4)PV(2.5)}"},
    {"s8", "f32[2]{0:PD(4)PV(-7)}", "s8[2]{0:PD(4)PV(-7)}"},
    {"f32", "u8[2]{0:PD(4)PV(255)}", "f32[2]{0:PD(4)PV(255)}"},
    {"f16", "f32[2]{0:PD(4)PV(-inf)}", "f16[2]{0:PD(4)PV(-inf)}"},

    /* both */
    {"bf16{1,0:T(8,128)(2,1)}", "f32[16,256]{0,1:PD(32,256)}", "bf16[16,256]{1,0:T(8,128)(2,1)}"},
    {"s4 {0:E(4)}", "f32[3]", "s4[3]{0:E(4)}"},
    {"bf16{:T(8,128)}", "s4[16,256]{0,1:E(4)}", "bf16[16,256]{0,1:T(8,128)}"},
    {"f8e5m2{}", "f32[]", "f8e5m2[]"},
};

static void test_parts(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
    const part_case *const c = &parts[i];
    relayout_shape shape = shape_of(c->defaults);
    relayout_error error;
    char printed[RELAYOUT_SHAPE_TEXT_SIZE];
    if (relayout_shape_parse_with_defaults(c->text, &shape, &shape, &error) != RELAYOUT_OK) {
      fail_msg("%s of %s: %s", c->text, c->defaults, error.message);
    }
    relayout_shape_format(&shape, printed, sizeof printed);
    if (strcmp(printed, c->result) != 0) {
      fail_msg("%s of %s is %s, not %s", c->text, c->defaults, printed, c->result);
    }
  }
}

typedef struct refused_part {
  const char *text;
  const char *defaults;
  relayout_status status;
  const char *message; /* a part of it */
} refused_part;

static const refused_part refusals[] = {
    /* ranks, which callers tell apart by the status */
    {"{1,0:T(8,128)}", "f32[5]", RELAYOUT_SHAPE_MISMATCH,
     "column 2: minor_to_major lists 2 dimensions, but the shape has 1"},
    {" bf16{0}", "f32[]", RELAYOUT_SHAPE_MISMATCH,
     "column 7: minor_to_major lists 1 dimensions, but the shape has 0"},
    {"{}", "f32[5]", RELAYOUT_SHAPE_MISMATCH,
     "column 2: minor_to_major lists 0 dimensions, but the shape has 1"},
    {"f32{}", "f32[5,6]", RELAYOUT_SHAPE_MISMATCH, "lists 0 dimensions, but the shape has 2"},
    {"{:PD(4)}", "f32[2,3]", RELAYOUT_SHAPE_MISMATCH,
     "column 6: PD lists 1 dimensions, but the shape has 2"},
    {"{0:PD(4,4)}", "f32[2]", RELAYOUT_SHAPE_MISMATCH, "PD lists 2 dimensions"},

    /* everything else is something else, also of a whole shape */
    {"f32[2,3]{0}", "f32[2]", RELAYOUT_INVALID_SHAPE,
     "column 10: minor_to_major lists 1 dimensions, but the shape has 2"},
    {"f32[]{}", "f32[]", RELAYOUT_INVALID_TEXT, "column 7: expected a dimension number or ':'"},
    {"f32[2,3]{:T(8)}", "f32[2,3]", RELAYOUT_INVALID_SHAPE, "lists 0 dimensions"},
    {"{0,0}", "f32[2,3]", RELAYOUT_INVALID_SHAPE, "minor_to_major[1] is 0, which is listed twice"},
    {"{2,0}", "f32[2,3]", RELAYOUT_INVALID_SHAPE, "minor_to_major[0] is 2; expected 0 to 1"},
    {"{0:PD(1)}", "f32[2]", RELAYOUT_INVALID_SHAPE, "padded_dimensions[0] is 1; expected at least"},
    {"{0:E(4)}", "f32[2]", RELAYOUT_INVALID_SHAPE, "an element of f32 can take 32 bits"},
    {"{0:L(4611686018427387904)}", "u16[3]", RELAYOUT_SIZE_OVERFLOW, "which is 46116860184273879"},
    {"f64", "u8[144115188075855872]", RELAYOUT_SIZE_OVERFLOW, "an array of f64 exceeds"},

    /* texts that are none, with their own columns */
    {"", "f32[2]", RELAYOUT_INVALID_TEXT,
     "column 1: expected an element type or a layout, but the text ends"},
    {" [3]", "f32[2]", RELAYOUT_INVALID_TEXT,
     "column 2: expected an element type or a layout, found '[3]'"},
    {"f32 x", "f32[2]", RELAYOUT_INVALID_TEXT,
     "column 5: expected '[', '{' or the text's end, found 'x'"},
    {"float", "f32[2]", RELAYOUT_INVALID_TEXT, "column 1: 'float' is not an element type"},
    {"{0}x", "f32[2]", RELAYOUT_INVALID_TEXT, "column 4: expected the text's end, found 'x'"},
    {"{0} {", "f32[2]", RELAYOUT_INVALID_TEXT, "column 5: expected the text's end"},
    {"{", "f32[]", RELAYOUT_INVALID_TEXT, "column 2: expected a dimension number or ':'"},
    {"{,}", "f32[2]", RELAYOUT_INVALID_TEXT, "column 2: expected a dimension number or ':'"},
    {"(f32)", "f32[2]", RELAYOUT_UNSUPPORTED, "column 1: '(': tuples"},
    {"token", "f32[2]", RELAYOUT_UNSUPPORTED, "column 1: 'token'"},

    /* padding values that the new type lacks */
    {"c64", "f32[2]{0:PD(4)PV(lowest)}", RELAYOUT_INVALID_SHAPE,
     "column 1: c64 cannot have the layout of f32 (padding_value is lowest, which type c64 does "
     "not"},
    {" s8", "f32[2]{0:PD(4)PV(2.5)}", RELAYOUT_INVALID_SHAPE,
     "column 2: s8 cannot have the padding value 2.5 of f32 ("},
    {"s8", "s32[2]{0:PD(4)PV(300)}", RELAYOUT_INVALID_SHAPE, "the padding value 300 of s32"},
    {"bf16", "f32[2]{0:PD(4)PV(0x7fc00001)}", RELAYOUT_INVALID_SHAPE,
     "bf16 cannot have the padding value 0x7fc00001 of f32 (it is not a number): state the layout"},
};

static void check_refusal(const refused_part *c) {
  const relayout_shape defaults = shape_of(c->defaults);
  relayout_shape shape = defaults;
  relayout_error error = {0};
  const relayout_status status =
      relayout_shape_parse_with_defaults(c->text, &shape, &shape, &error);
  if (status != c->status || error.status != status || strstr(error.message, c->message) == NULL) {
    fail_msg("'%s' of %s: status %d, message: %s", c->text, c->defaults, status, error.message);
  }
  assert_memory_equal(&shape, &defaults, sizeof shape);
  assert_int_equal(relayout_shape_parse_with_defaults(c->text, &defaults, &shape, NULL), status);
}

static void test_refusals(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; ++i) {
    check_refusal(&refusals[i]);
  }
}

/* Layouts alone mean what they mean to relayout_layout_parse, which knows no defaults. */
static void test_layouts_agree(void **state) {
  (void)state;
  static const char *const layouts[] = {"{0,1}", "{1,0:T(2,2)}", "{0,1:PD(3,5)PV(one)L(4)S(1)}"};
  const relayout_shape defaults = shape_of("s4[2,3]{0,1:PD(8,8)PV(3)T(4)E(4)}");
  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; ++i) {
    relayout_shape shape;
    relayout_layout layout;
    assert_int_equal(relayout_shape_parse_with_defaults(layouts[i], &defaults, &shape, NULL),
                     RELAYOUT_OK);
    assert_int_equal(relayout_layout_parse(layouts[i], RELAYOUT_S4, 2, &layout, NULL), RELAYOUT_OK);
    assert_true(relayout_layout_equal(&shape.layout, &layout));
  }
}

static void test_arguments(void **state) {
  (void)state;
  relayout_shape shape = shape_of("f32[2]");
  relayout_shape invalid = shape;
  relayout_error error;
  invalid.rank = 65;
  assert_int_equal(relayout_shape_parse_with_defaults(NULL, &shape, &shape, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "text is NULL");
  assert_int_equal(relayout_shape_parse_with_defaults("f32", &shape, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "shape is NULL");
  assert_int_equal(relayout_shape_parse_with_defaults("f32", &invalid, &shape, &error),
                   RELAYOUT_INVALID_SHAPE);
  assert_string_equal(error.message, "defaults: rank is 65; expected 0 to 64");
  assert_int_equal(relayout_shape_parse_with_defaults("u8[3]", NULL, &shape, &error), RELAYOUT_OK);
  assert_int_equal(shape.dimensions[0], 3);
  assert_int_equal(relayout_shape_parse_with_defaults("u8", NULL, &shape, &error),
                   RELAYOUT_INVALID_TEXT);
  assert_string_equal(error.message, "column 3: expected '[', but the text ends");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parts),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_layouts_agree),
      cmocka_unit_test(test_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
