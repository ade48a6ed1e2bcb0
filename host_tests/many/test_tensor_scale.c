/* test_tensor_scale.c: hand-worked plans of sides with a tensor scale, and what is refused. */
#include <math.h>
#include <string.h>

#include "many/on_cpu.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static float float_of(uint32_t bits) {
  float made;
  memcpy(&made, &bits, sizeof made);
  return made;
}

static uint32_t bits_of(float number) {
  uint32_t made;
  memcpy(&made, &number, sizeof made);
  return made;
}

static relayout_plan *plan_of(const relayout_scaled_view *from, const relayout_scaled_view *to,
                              double scale) {
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  relayout_plan *plan = NULL;
  relayout_error error = {.message = ""};
  options.rounding = RELAYOUT_ROUNDING_NEAREST;
  options.scale = scale;
  if (relayout_plan_create_many(device, from, to, 1, &options, &plan, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  return plan;
}

static void execute(const relayout_plan *plan, const relayout_source_memory *from,
                    const relayout_destination_memory *to) {
  relayout_error error = {.message = ""};
  if (relayout_plan_execute_many(plan, from, to, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
}

/* To one destination, by a rule, `scale` being the options'. */
static void move(const char *from_text, relayout_source_memory from, double scale,
                 const char *to_text, relayout_scale_rule rule, relayout_destination_memory to) {
  const relayout_scaled_view source = scaled_of(from_text);
  relayout_scaled_view destination = scaled_of(to_text);
  destination.rule = rule;
  relayout_plan *const plan = plan_of(&source, &destination, scale);
  execute(plan, &from, &to);
  relayout_plan_destroy(plan);
}

/* ---- Values --------------------------------------------------------------------------------- */

/* (1 + 2^-23) squared is 1 + 2^-22 as an f32, and 3 times that is an f32. */
static void test_source(void **state) {
  (void)state;
  static const int8_t elements[] = {3, -1, 0};
  static const uint32_t wanted[] = {0x40400003, 0xbf800002, 0};
  const float scale = float_of(0x3f800001);
  float found[3];
  move("s8[3]*f32[1]*f32[]", (relayout_source_memory){elements, &scale, NULL, &scale}, 1, "f32[3]",
       RELAYOUT_SCALES_GIVEN, (relayout_destination_memory){.elements = found});
  assert_memory_equal(found, wanted, sizeof found);
}

/* The same number in memory, in the options, and half of it in both; with zero points. */
static void test_source_by_options(void **state) {
  (void)state;
  static const uint8_t elements[] = {7, 0, 255, 128}, point = 100;
  static const float scales[] = {0.1F, -3e-5F}, factor = 0.7F, half = 0.35F;
  float by_memory[4], by_options[4], by_both[4];
  move("(u8[4]-u8[2])*f32[2]*f32[1]",
       (relayout_source_memory){elements, scales, (uint8_t[]){point, point}, &factor}, 1, "f32[4]",
       RELAYOUT_SCALES_GIVEN, (relayout_destination_memory){.elements = by_memory});
  move("(u8[4]-u8[2])*f32[2]",
       (relayout_source_memory){elements, scales, (uint8_t[]){point, point}, NULL}, (double)factor,
       "f32[4]", RELAYOUT_SCALES_GIVEN, (relayout_destination_memory){.elements = by_options});
  move("(u8[4]-u8[2])*f32[2]*f32[1]",
       (relayout_source_memory){elements, scales, (uint8_t[]){point, point}, &half}, 2, "f32[4]",
       RELAYOUT_SCALES_GIVEN, (relayout_destination_memory){.elements = by_both});
  assert_true(by_memory[0] == (7 - 100) * (0.1F * 0.7F));
  assert_memory_equal(by_options, by_memory, sizeof by_memory);
  assert_memory_equal(by_both, by_memory, sizeof by_memory);
}

/* By an f32 as well, 1 + 2^-22: 1.5 times that is halfway between two integers, and the f32 before
 * it is not. */
static void test_given(void **state) {
  (void)state;
  static const uint32_t values[] = {0x3fc00003, 0x3fc00002, 0xbfc00003, 0x3f800002};
  static const int8_t wanted[] = {2, 1, -2, 1};
  const float scale = float_of(0x3f800001);
  float kept = scale;
  int8_t found[4];
  move("f32[4]", (relayout_source_memory){.elements = values}, 1, "s8[4]*f32[1]*f32[1]",
       RELAYOUT_SCALES_GIVEN, (relayout_destination_memory){found, &kept, NULL, &scale});
  assert_memory_equal(found, wanted, sizeof found);
  assert_true(bits_of(kept) == bits_of(scale));
}

/* 12 over 6 times a half is 4; over 6 times 3 it is 2/3, and the nearest e4m3 is 11/16. */
static void test_found(void **state) {
  (void)state;
  static const float values[] = {12, 3};
  static const struct {
    relayout_scale_rule rule;
    float tensor_scale;
    uint8_t scale, first, second;
  } cases[] = {
      {RELAYOUT_SCALES_AMAX, 0.5F, 0x48, 7, 3}, /* 6 and 1.5 */
      {RELAYOUT_SCALES_AMAX, 3, 0x33, 7, 3},
      {RELAYOUT_SCALES_AMAX_UP, 3, 0x33, 7, 3},
      {RELAYOUT_SCALES_AMAX_UP, 2, 0x38, 7, 3},
      {RELAYOUT_SCALES_AMAX_UP, 2.125F, 0x38, 7, 3},    /* 0.94 becomes 1: 5.6 and 1.4 */
      {RELAYOUT_SCALES_POWER2, 0.75F, 0x40, 7, 4},      /* 2^3 over 2^2: 8 and 2 */
      {RELAYOUT_SCALES_AMAX, -0.5F, 0x48, 7 + 8, 3 + 8} /* less than 0 */
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    uint8_t elements[2], scale;
    print_message("case %zu\n", i);
    move("f32[2]", (relayout_source_memory){.elements = values}, 1,
         "f4e2m1fn[2]*f8e4m3fn[1]*f32[1]", cases[i].rule,
         (relayout_destination_memory){elements, &scale, NULL, &cases[i].tensor_scale});
    assert_int_equal(scale, cases[i].scale);
    assert_int_equal(elements[0], cases[i].first);
    assert_int_equal(elements[1], cases[i].second);
  }
}

/* 255 over 255 times 2. Below it is 1 lower than 0. */
static void test_range(void **state) {
  (void)state;
  static const float values[] = {-1, 0, 254}, tensor_scale = 2;
  static const uint8_t wanted[] = {0, 1, 255};
  uint8_t elements[3], point = 9;
  float scale = 9;
  move("f32[3]", (relayout_source_memory){.elements = values}, 1,
       "(u8[3] - u8[1]) * f32[1] * f32[]", RELAYOUT_SCALES_RANGE,
       (relayout_destination_memory){elements, &scale, &point, &tensor_scale});
  assert_true(scale == 0.5F);
  assert_int_equal(point, 1);
  assert_memory_equal(elements, wanted, sizeof elements);
}

/* What tensor scales are not meant to be, for 127 and for a group of zeros. */
static void test_odd_scales(void **state) {
  (void)state;
  enum { NOT_A_NUMBER = 0x7fc00000, INFINITE = 0x7f800000 };
  const struct {
    float value, tensor_scale;
    uint32_t wanted;
    int8_t element;
  } cases[] = {
      {127, 0, 0, 0},
      {INFINITY, 0, 0, 0},
      {NAN, 0, 0, 0},
      {127, NAN, NOT_A_NUMBER, 0},
      {127, INFINITY, 0, 0},
      {-INFINITY, INFINITY, NOT_A_NUMBER, 0},
      {127, 0x1p127F, 0, 0}, /* times 127 an infinity: 0 times the scale is 0 */
      {0x1p100F, 0x1p-140F, INFINITE, 0},
      {127, 0x1p-2F, 0x40800000, 127},
      {127, -0x1p-2F, 0x40800000, -127},
      {0, NAN, 0, 0},
      {0, 2, 0, 0},
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    int8_t elements[2] = {9, 9};
    float scales[2] = {9, 9};
    const float values[2] = {cases[i].value, 0};
    print_message("case %zu\n", i);
    move("f32[2]", (relayout_source_memory){.elements = values}, 1, "s8[2]*f32[2]*f32[]",
         RELAYOUT_SCALES_AMAX,
         (relayout_destination_memory){elements, scales, NULL, &cases[i].tensor_scale});
    assert_int_equal(bits_of(scales[0]), cases[i].wanted);
    assert_int_equal(elements[0], cases[i].element);
    assert_int_equal(bits_of(scales[1]), 0);
    assert_int_equal(elements[1], 0);
  }
}

/* Rounded up, and beyond the greatest number of the scales' type. */
static void test_scales_beyond(void **state) {
  (void)state;
  static const float value = 0x1p100F, tensor_scale = 0x1p-100F;
  uint8_t element, scale;
  static const struct {
    const char *text;
    relayout_scale_rule rule;
    uint8_t scale;
  } cases[] = {
      {"s8[1]*f8e8m0fnu[1]*f32[]", RELAYOUT_SCALES_POWER2, 0xff},
      {"s8[1]*f8e8m0fnu[1]*f32[]", RELAYOUT_SCALES_AMAX, 0xff},
      {"s8[1]*f8e8m0fnu[1]*f32[]", RELAYOUT_SCALES_AMAX_UP, 0xff},
      {"s8[1]*f8e4m3fn[1]*f32[]", RELAYOUT_SCALES_AMAX_UP, 0x7f},
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    print_message("case %zu\n", i);
    move("f32[1]", (relayout_source_memory){.elements = &value}, 1, cases[i].text, cases[i].rule,
         (relayout_destination_memory){&element, &scale, NULL, &tensor_scale});
    assert_int_equal(scale, cases[i].scale);
    assert_int_equal(element, 0);
  }
}

/* One plan for any number of them, whose bytes lie where the view says, in the other order. */
static void test_read_by_each_call(void **state) {
  (void)state;
  static const bool host_is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  static const int8_t elements[] = {1, 2};
  static const float scale = 1;
  relayout_scaled_view from = scaled_of("s8[2]*f32[1]"), to = scaled_of("f32[2]");
  relayout_view above = {.shape.element_type = RELAYOUT_F32, .byte_offset = 3};
  above.byte_order = host_is_little ? RELAYOUT_BYTE_ORDER_BIG : RELAYOUT_BYTE_ORDER_LITTLE;
  assert_int_equal(relayout_scaled_view_add_tensor_scale(&from, &above, NULL), RELAYOUT_OK);
  relayout_plan *const plan = plan_of(&from, &to, 1);
  for (int i = 1; i < 4; ++i) {
    uint8_t bytes[7] = {0};
    float found[2];
    const uint32_t swapped = __builtin_bswap32(bits_of((float)i));
    memcpy(bytes + 3, &swapped, sizeof swapped);
    execute(plan, &(relayout_source_memory){elements, &scale, NULL, bytes},
            &(relayout_destination_memory){.elements = found});
    assert_true(found[0] == (float)i && found[1] == 2 * (float)i);
  }
  relayout_plan_destroy(plan);
}

/* NVFP4 of 32 values of which the greatest is 672, a quarter of what 6 * 448 is: the scale of the
 * first group is the greatest number that e4m3 has, and there and back it is exact. */
static void test_nvfp4(void **state) {
  (void)state;
  static const char text[] = "f4e2m1fn[1,32]{1,0:E(4)} * f8e4m3fn[1,2] * f32[1,1]";
  static const float tensor_scale = 0.25F;
  float values[32] = {672, -56, 112, 448}, found[32];
  uint8_t elements[16], scales[2];
  values[16] = 84;
  values[31] = 7;
  move("f32[1,32]", (relayout_source_memory){.elements = values}, 1, text, RELAYOUT_SCALES_AMAX,
       (relayout_destination_memory){elements, scales, NULL, &tensor_scale});
  assert_int_equal(scales[0], 0x7e); /* 448 */
  assert_int_equal(scales[1], 0x66); /* 56 */
  assert_int_equal(elements[0], 0x97);
  assert_int_equal(elements[1], 0x62);
  move(text, (relayout_source_memory){elements, scales, NULL, &tensor_scale}, 1, "f32[1,32]",
       RELAYOUT_SCALES_GIVEN, (relayout_destination_memory){.elements = found});
  assert_memory_equal(found, values, sizeof found);
}

/* ---- Views ---------------------------------------------------------------------------------- */

static void test_added(void **state) {
  (void)state;
  relayout_scaled_view view = scaled_of("s8[4]*f32[1]");
  const relayout_scaled_view before = view, wanted = scaled_of("s8[4]*f32[1]*f32[]");
  assert_int_equal(relayout_scaled_view_add_tensor_scale(&view, NULL, NULL), RELAYOUT_OK);
  assert_true(relayout_scaled_view_equal(&view, &wanted));
  assert_false(relayout_scaled_view_equal(&view, &before));
  view.tensor_scale.byte_offset = 4;
  assert_false(relayout_scaled_view_equal(&view, &wanted));
}

static void test_refused(void **state) {
  (void)state;
  const relayout_scaled_view scaled = scaled_of("s8[4]*f32[1]");
  const struct {
    relayout_scaled_view side;
    const char *tensor_scale;
    relayout_status status;
    const char *message;
  } cases[] = {
      {scaled_of("s8[4]"), "f32[]", RELAYOUT_INVALID_ARGUMENT, "a tensor scale needs scales"},
      {scaled_of("q8_0[32]"), "f32[]", RELAYOUT_INVALID_ARGUMENT, "have no tensor scale"},
      {scaled, "f64[]", RELAYOUT_UNSUPPORTED, "the tensor scale cannot be f64; expected f32"},
      {scaled, "f32[2]", RELAYOUT_SHAPE_MISMATCH, "the tensor scale has 2 elements; expected one"},
      {scaled, "f32[0]", RELAYOUT_SHAPE_MISMATCH, "has 0 elements"},
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    relayout_scaled_view view = cases[i].side;
    relayout_view above = scaled_of(cases[i].tensor_scale).elements;
    relayout_error error = {.message = ""};
    assert_int_equal(relayout_scaled_view_add_tensor_scale(&view, &above, &error), cases[i].status);
    assert_non_null(strstr(error.message, cases[i].message));
    assert_true(relayout_scaled_view_equal(&view, &cases[i].side));
  }
  assert_int_equal(relayout_scaled_view_add_tensor_scale(NULL, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
}

/* ---- Memory --------------------------------------------------------------------------------- */

static void test_null_pointers(void **state) {
  (void)state;
  const relayout_scaled_view side = scaled_of("s8[4]*f32[1]*f32[1]");
  static const int8_t elements[4] = {1, 2, 3, 4};
  int8_t found[4];
  float scale = 1, tensor_scale = 2;
  relayout_error error = {.message = ""};
  relayout_plan *const plan = plan_of(&side, &side, 1);
  relayout_source_memory from = {elements, &scale, NULL, &tensor_scale};
  relayout_destination_memory to = {found, &scale, NULL, &tensor_scale};
  execute(plan, &from, &to);
  assert_memory_equal(found, elements, sizeof found);
  from.tensor_scale = NULL;
  assert_int_equal(relayout_plan_execute_many(plan, &from, &to, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "from->tensor_scale is NULL"));
  from.tensor_scale = &tensor_scale;
  to.tensor_scale = NULL;
  assert_int_equal(relayout_plan_execute_many(plan, &from, &to, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "to[0].tensor_scale is NULL"));
  to.tensor_scale = (float *)(void *)found;
  assert_int_equal(relayout_plan_execute_many(plan, &from, &to, &error), RELAYOUT_BUFFERS_OVERLAP);
  relayout_plan_destroy(plan);
}

/* Nothing is read where there are no elements. */
static void test_empty(void **state) {
  (void)state;
  move("s8[0]*f32[1]*f32[]", (relayout_source_memory){.scales = (float[]){1}}, 1,
       "s8[0]*f32[1]*f32[]", RELAYOUT_SCALES_GIVEN,
       (relayout_destination_memory){.scales = (float[]){1}});
}

static void test_explained(void **state) {
  (void)state;
  const relayout_scaled_view from = scaled_of("f32[64]");
  relayout_scaled_view to = scaled_of("f4e2m1fn[64]*f8e4m3fn[4]*f32[1]");
  char text[4096];
  to.rule = RELAYOUT_SCALES_AMAX;
  relayout_plan *const plan = plan_of(&from, &to, 1);
  relayout_plan_explain(plan, RELAYOUT_EXPLAIN_TEXT, text, sizeof text);
  assert_non_null(strstr(text, "to      f4e2m1fn[64]{0} * f8e4m3fn[4]{0} * f32[1]{0}\n"
                               "        scales: amax / the greatest element, below the tensor "
                               "scale\n"));
  relayout_plan_destroy(plan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_source),        cmocka_unit_test(test_source_by_options),
      cmocka_unit_test(test_given),         cmocka_unit_test(test_found),
      cmocka_unit_test(test_range),         cmocka_unit_test(test_odd_scales),
      cmocka_unit_test(test_scales_beyond), cmocka_unit_test(test_read_by_each_call),
      cmocka_unit_test(test_nvfp4),         cmocka_unit_test(test_added),
      cmocka_unit_test(test_refused),       cmocka_unit_test(test_null_pointers),
      cmocka_unit_test(test_empty),         cmocka_unit_test(test_explained),
  };
  return cmocka_run_group_tests(tests, open_device, close_device);
}
