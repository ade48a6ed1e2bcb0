/* test_edges.c: what relayout/scaled.h allows and refuses at its edges: types, fields that do not
 * count, options, NaNs and infinities, devices' memory. */
#include "cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "many/on_cpu.h"
#include "relayout/scaled.h"
#include "shape_of.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static relayout_status create(const relayout_scaled_view *from, const relayout_scaled_view *to,
                              const relayout_plan_options *options, relayout_plan **plan) {
  relayout_error error = {.message = ""};
  *plan = NULL;
  const relayout_status status =
      relayout_plan_create_many(device, from, to, 1, options, plan, &error);
  print_message("%s\n", error.message);
  return status;
}

/* With default options; the destination's scales are at hand where it has some. */
static void move(const char *from_text, const void *elements, const void *scales,
                 const char *to_text, void *found, void *to_scales) {
  const relayout_scaled_view from = scaled_of(from_text), to = scaled_of(to_text);
  const relayout_source_memory source = {.elements = elements, .scales = scales};
  const relayout_destination_memory destination = {.elements = found, .scales = to_scales};
  relayout_plan *plan;
  print_message("%s to %s\n", from_text, to_text);
  assert_int_equal(create(&from, &to, NULL, &plan), RELAYOUT_OK);
  assert_int_equal(relayout_plan_execute_many(plan, &source, &destination, NULL), RELAYOUT_OK);
  relayout_plan_destroy(plan);
}

/* ---- Types ---------------------------------------------------------------------------------- */

/* Whether it is an integer type of at most `most` bits, or a float type of at most 32. */
static bool is_small(relayout_element_type type, int32_t most, bool integers_alone) {
  const relayout_element_kind kind = relayout_element_type_kind(type);
  const bool is_integer = kind == RELAYOUT_KIND_SIGNED || kind == RELAYOUT_KIND_UNSIGNED;
  const int32_t bits = relayout_element_type_bits(type);
  return is_integer ? bits <= most : kind == RELAYOUT_KIND_FLOAT && bits <= 32 && !integers_alone;
}

static bool is_for_scales(relayout_element_type type) {
  return relayout_element_type_kind(type) == RELAYOUT_KIND_FLOAT && type != RELAYOUT_F64 &&
         relayout_element_type_bits(type) >= 8;
}

static void test_types(void **state) {
  (void)state;
#define TYPE(name, ...) RELAYOUT_##name,
  static const relayout_element_type types[] = {RELAYOUT_ELEMENT_TYPE_TABLE(TYPE)};
#undef TYPE
  for (size_t i = 0; i < COUNT(types); ++i) {
    const relayout_element_type type = types[i];
    relayout_scaled_view view = scaled_of("(s8[4]-s8[1])*f32[1]");
    print_message("%s\n", relayout_element_type_name(type));
    view.zero_points.shape.element_type = type;
    assert_int_equal(relayout_scaled_view_validate(&view, NULL),
                     is_small(type, 16, true) ? RELAYOUT_OK : RELAYOUT_UNSUPPORTED);
    view = scaled_of("(s8[4]-s8[1])*f32[1]");
    view.elements.shape.element_type = type;
    assert_int_equal(relayout_scaled_view_validate(&view, NULL),
                     is_small(type, 32, true) ? RELAYOUT_OK : RELAYOUT_UNSUPPORTED);
    view.has_zero_points = false;
    assert_int_equal(relayout_scaled_view_validate(&view, NULL),
                     is_small(type, 32, false) ? RELAYOUT_OK : RELAYOUT_UNSUPPORTED);
    view = scaled_of("s8[4]*f32[1]");
    view.scales.shape.element_type = type;
    assert_int_equal(relayout_scaled_view_validate(&view, NULL),
                     is_for_scales(type) ? RELAYOUT_OK : RELAYOUT_UNSUPPORTED);
    view.has_scales = false;
    assert_int_equal(relayout_scaled_view_validate(&view, NULL), RELAYOUT_OK);
  }
}

/* Pairs of sides, each of which is valid. */
static void test_pairs(void **state) {
  (void)state;
  static const struct {
    const char *from, *to;
    relayout_scale_rule rule;
    relayout_status status;
  } cases[] = {
      {"s32[32]", "s8[32]*f32[1]", RELAYOUT_SCALES_GIVEN, RELAYOUT_OK},
      {"u64[32]", "s8[32]*f32[1]", RELAYOUT_SCALES_AMAX, RELAYOUT_OK},
      {"f64[32]", "s8[32]*f32[1]", RELAYOUT_SCALES_GIVEN, RELAYOUT_OK},
      {"f32[32]", "s32[32]*f32[1]", RELAYOUT_SCALES_GIVEN, RELAYOUT_OK},
      {"f32[32]", "s32[32]*f32[1]", RELAYOUT_SCALES_AMAX, RELAYOUT_UNSUPPORTED},
      {"f32[32]", "u32[32]*f32[1]", RELAYOUT_SCALES_POWER2, RELAYOUT_UNSUPPORTED},
      {"c64[32]", "s8[32]*f32[1]", RELAYOUT_SCALES_GIVEN, RELAYOUT_UNSUPPORTED},
      {"s8[32]*f32[1]", "u32[32]", RELAYOUT_SCALES_GIVEN, RELAYOUT_OK},
      {"s8[32]*f32[1]", "s64[32]", RELAYOUT_SCALES_GIVEN, RELAYOUT_OK},
      {"s8[32]*f32[1]", "f64[32]", RELAYOUT_SCALES_GIVEN, RELAYOUT_OK},
      {"s8[32]*f32[1]", "c128[32]", RELAYOUT_SCALES_GIVEN, RELAYOUT_UNSUPPORTED},
      {"c64[32]", "q8_0[32]", RELAYOUT_SCALES_GIVEN, RELAYOUT_UNSUPPORTED},
      {"q8_0[32]", "c64[32]", RELAYOUT_SCALES_GIVEN, RELAYOUT_UNSUPPORTED},
      {"f32[32]", "s1[32]*f32[1]", RELAYOUT_SCALES_AMAX, RELAYOUT_UNSUPPORTED},
      {"f32[32]", "s1[32]*f32[1]", RELAYOUT_SCALES_GIVEN, RELAYOUT_OK},
      {"s8[32]*f32[1]", "pred[32]", RELAYOUT_SCALES_GIVEN, RELAYOUT_OK},
      {"pred[32]", "s16[32]*f32[1]", RELAYOUT_SCALES_AMAX_UP, RELAYOUT_OK},
      {"s64[32]", "q8_0[32]", RELAYOUT_SCALES_GIVEN, RELAYOUT_OK},
      {"q4_1[32]", "f64[32]", RELAYOUT_SCALES_GIVEN, RELAYOUT_OK},
      {"s64[32]", "f64[32]", RELAYOUT_SCALES_GIVEN, RELAYOUT_OK},
      {"c64[32]", "c64[32]", RELAYOUT_SCALES_GIVEN, RELAYOUT_OK},
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    const relayout_scaled_view from = scaled_of(cases[i].from);
    relayout_scaled_view to = scaled_of(cases[i].to);
    relayout_plan *plan;
    to.rule = cases[i].rule;
    print_message("%s to %s: ", cases[i].from, cases[i].to);
    assert_int_equal(create(&from, &to, NULL, &plan), cases[i].status);
    assert_int_equal(plan != NULL, cases[i].status == RELAYOUT_OK);
    relayout_plan_destroy(plan);
  }
}

/* ---- Views ---------------------------------------------------------------------------------- */

static void test_records_alone(void **state) {
  (void)state;
  const relayout_scaled_view valid = scaled_of("q8_0[2,64]");
  relayout_scaled_view view = valid;
  view.elements.is_strided = true;
  view.elements.byte_strides[0] = 256;
  view.elements.byte_strides[1] = 4;
  assert_int_equal(relayout_scaled_view_validate(&view, NULL), RELAYOUT_INVALID_ARGUMENT);
  view = scaled_of("f32[2,64]*f32[2,2]");
  assert_int_equal(relayout_scaled_view_validate(&view, NULL), RELAYOUT_OK);
  view.block_format = RELAYOUT_BLOCK_FORMAT_Q8_0;
  assert_int_equal(relayout_scaled_view_validate(&view, NULL), RELAYOUT_INVALID_ARGUMENT);
  view = valid;
  view.elements.shape.layout.padded_dimension_count = 2;
  view.elements.shape.layout.padded_dimensions[0] = 2;
  view.elements.shape.layout.padded_dimensions[1] = 96;
  assert_int_equal(relayout_scaled_view_validate(&view, NULL), RELAYOUT_UNSUPPORTED);
  view = valid;
  view.elements.byte_offset = INT64_MAX;
  assert_int_equal(relayout_scaled_view_validate(&view, NULL), RELAYOUT_SIZE_OVERFLOW);
}

/* What is not there may differ. */
static void test_fields_that_do_not_count(void **state) {
  (void)state;
  const relayout_scaled_view plain = scaled_of("f32[64]"), full = scaled_of("s8[64]*f32[2]");
  const relayout_scaled_view records = scaled_of("q8_0[64]");
  const relayout_scaled_view *const views[] = {&plain, &records};
  for (size_t i = 0; i < COUNT(views); ++i) {
    relayout_scaled_view other = *views[i];
    other.scales = full.scales;
    other.zero_points = full.scales;
    other.group_sizes[0] = 5;
    other.rule = RELAYOUT_SCALES_POWER2;
    assert_true(relayout_scaled_view_equal(views[i], &other));
    assert_int_equal(relayout_scaled_view_validate(&other, NULL), RELAYOUT_OK);
  }
  relayout_scaled_view other = full;
  other.zero_points = full.elements;
  other.group_sizes[1] = 5;
  assert_true(relayout_scaled_view_equal(&full, &other));
  other.group_sizes[0] = 33;
  assert_false(relayout_scaled_view_equal(&full, &other));
  other = full;
  other.scales.byte_offset = 4;
  assert_false(relayout_scaled_view_equal(&full, &other));
  other = full;
  other.scales.shape.element_type = RELAYOUT_F16;
  assert_false(relayout_scaled_view_equal(&full, &other));
  other = records;
  other.block_format = RELAYOUT_BLOCK_FORMAT_Q4_0;
  assert_false(relayout_scaled_view_equal(&records, &other));
  assert_false(relayout_scaled_view_equal(&records, &plain));
}

static void test_sizes_of_strided_elements(void **state) {
  (void)state;
  relayout_scaled_view view = scaled_of("s16[3,4]*f32[1,1]");
  size_t bytes = 0;
  view.elements.is_strided = true;
  view.elements.byte_strides[0] = -20;
  view.elements.byte_strides[1] = 4;
  assert_int_equal(relayout_scaled_view_elements_size(&view, &bytes, NULL), RELAYOUT_OK);
  assert_int_equal(bytes, 2 * 20 + 3 * 4 + 2);
}

/* ---- Options -------------------------------------------------------------------------------- */

static void test_wrapping(void **state) {
  (void)state;
  static const int16_t values[] = {300, -129, 127, 256};
  static const int8_t saturated[] = {127, -128, 127, 127}, wrapped[] = {44, 127, 127, 0};
  const relayout_scaled_view from = scaled_of("s16[4]"), to = scaled_of("s8[4]");
  const relayout_scaled_view scaled = scaled_of("s8[4]*f32[1]");
  const relayout_source_memory source = {.elements = values};
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  for (int i = 0; i < 2; ++i) {
    int8_t found[4];
    const relayout_destination_memory destination = {.elements = found};
    relayout_plan *plan;
    options.overflow = i == 0 ? RELAYOUT_OVERFLOW_SATURATE : RELAYOUT_OVERFLOW_WRAP;
    assert_int_equal(create(&from, &to, &options, &plan), RELAYOUT_OK);
    assert_int_equal(relayout_plan_execute_many(plan, &source, &destination, NULL), RELAYOUT_OK);
    assert_memory_equal(found, i == 0 ? saturated : wrapped, sizeof(found));
    relayout_plan_destroy(plan);
  }
  relayout_plan *plan;
  assert_int_equal(create(&scaled, &to, &options, &plan), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(create(&from, &scaled, &options, &plan), RELAYOUT_INVALID_ARGUMENT);
}

static void test_refused_options(void **state) {
  (void)state;
  const relayout_scaled_view from = scaled_of("f32[4]"), to = scaled_of("s8[4]*f32[1]");
  const char *const texts[] = {"copy"};
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  relayout_plan *plan;
  options.schedules = texts;
  options.schedule_count = 1;
  assert_int_equal(create(&from, &to, &options, &plan), RELAYOUT_INVALID_TEXT);
  options = (relayout_plan_options)RELAYOUT_PLAN_OPTIONS_INIT;
  static const double refused[] = {NAN, -INFINITY, 0x1p-150, -0x1p-1000, 0x1.ffffffp127, 0x1p200};
  for (size_t i = 0; i < COUNT(refused); ++i) {
    options.scale = refused[i];
    assert_int_equal(create(&from, &to, &options, &plan), RELAYOUT_INVALID_ARGUMENT);
  }
  options.scale = 1;
  options.rounding = (relayout_rounding)9;
  assert_int_equal(create(&from, &to, &options, &plan), RELAYOUT_INVALID_ARGUMENT);
  options = (relayout_plan_options){.struct_size = sizeof(options)};
  assert_int_equal(create(&from, &to, &options, &plan), RELAYOUT_OK);
  relayout_plan_destroy(plan);
}

/* ---- One more scale ------------------------------------------------------------------------- */

/* The same as `move`, with a scale for the source. */
static void move_by(double scale, const char *from_text, const void *elements, const void *scales,
                    const char *to_text, void *found, void *to_scales) {
  const relayout_scaled_view from = scaled_of(from_text);
  relayout_scaled_view to = scaled_of(to_text);
  const relayout_source_memory source = {.elements = elements, .scales = scales};
  const relayout_destination_memory destination = {.elements = found, .scales = to_scales};
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  relayout_plan *plan;
  options.scale = scale;
  to.rule = to.has_scales ? RELAYOUT_SCALES_AMAX : RELAYOUT_SCALES_GIVEN;
  assert_int_equal(create(&from, &to, &options, &plan), RELAYOUT_OK);
  assert_int_equal(relayout_plan_execute_many(plan, &source, &destination, NULL), RELAYOUT_OK);
  relayout_plan_destroy(plan);
}

/* 1 + 2^-23 squared is 1 + 2^-22 + 2^-46, of which an f32 loses the last. 5 times 1 + 2^-22 is
 * halfway between two f32s, and 5 + 2^-20 is the even one; with what was lost it would be nearer to
 * the other. A source without scales is multiplied at once. */
static void test_scale_of_source(void **state) {
  (void)state;
  static const int8_t five = 5;
  static const float scale = 1 + 0x1p-23F, value = 1 + 0x1p-23F;
  static const uint16_t shorts[] = {0x3f80, 0xbf80, 0xffc1}; /* bf16: 1, -1 and a NaN */
  float found = 0, several[3];
  move_by(1 + 0x1p-23, "s8[1]*f32[1]", &five, &scale, "f32[1]", &found, NULL);
  assert_true(found == 5 + 0x1p-20F);
  move_by(1 + 0x1p-23, "f32[1]", &value, NULL, "f32[1]", &found, NULL);
  assert_true(found == 1 + 0x1p-22F);
  move_by(-0.5, "bf16[3]", shorts, NULL, "f32[3]", several, NULL);
  assert_true(several[0] == -0.5F && several[1] == 0.5F && isnan(several[2]));
  assert_false(signbit(several[2])); /* as where there are scales */
}

/* 1 + 2^-40 is 1 as an f32, so that nothing is multiplied: f64s are moved, and a NaN keeps its
 * sign. 0 is 1. */
static void test_scale_as_f32(void **state) {
  (void)state;
  static const double value = 1 + 0x1p-50;
  static const uint32_t nan = 0xffc00000;
  static const double ones[] = {1 + 0x1p-40, 1 - 0x1p-30, 0};
  for (size_t i = 0; i < COUNT(ones); ++i) {
    double found = 0;
    uint16_t short_nan = 0;
    move_by(ones[i], "f64[1]", &value, NULL, "f64[1]", &found, NULL);
    assert_true(found == value);
    move_by(ones[i], "f32[1]", &nan, NULL, "f16[1]", &short_nan, NULL);
    assert_int_equal(short_nan, 0xfe00);
  }
}

/* A record of q8_0 of the scale 2 with 1 to 32: times 0.5 these are its elements; another record of
 * them has 32 / 127 as its scale, 0x3408 as an f16, and 1 is 127 / 32 of that, so 4. */
static void test_scale_of_records(void **state) {
  (void)state;
  uint8_t record[34] = {0, 0x40}, made[34];
  float values[32];
  for (int i = 0; i < 32; ++i) {
    record[2 + i] = (uint8_t)(i + 1);
  }
  move_by(0.5, "q8_0[32]", record, NULL, "f32[32]", values, NULL);
  for (int i = 0; i < 32; ++i) {
    assert_true(values[i] == (float)(i + 1));
  }
  move_by(0.5, "q8_0[32]", record, NULL, "q8_0[32]", made, NULL);
  assert_int_equal(made[0] | made[1] << 8, 0x3408);
  assert_int_equal(made[2], 4);
  assert_int_equal(made[33], 127);
  move_by(1, "q8_0[32]", record, NULL, "q8_0[32]", made, NULL);
  assert_memory_equal(made, record, sizeof(record));
}

/* 16 values of which the greatest is 672, and 16 of which it is 84: a quarter as the tensor's scale
 * makes the groups' 448 and 56, f8s of 0x7e and 0x66. */
static void test_nvfp4(void **state) {
  (void)state;
  static const char text[] = "f4e2m1fn[32]{0:E(4)}*f8e4m3fn[2]";
  float values[32] = {672, -336, 112}, found[32];
  uint8_t elements[16], scales[2];
  values[16] = 84;
  values[31] = -42;
  move_by(4, "f32[32]", values, NULL, text, elements, scales);
  assert_int_equal(scales[0], 0x7e);
  assert_int_equal(scales[1], 0x66);
  assert_int_equal(elements[0], 0xd7); /* 6 and -3 */
  assert_int_equal(elements[1], 0x02); /* 1 and 0 */
  assert_int_equal(elements[8], 0x07);
  assert_int_equal(elements[15], 0xd0);
  move_by(0.25, text, elements, scales, "f32[32]", found, NULL);
  assert_memory_equal(found, values, sizeof(values));
}

static void test_pairs_by_scale(void **state) {
  (void)state;
  static const struct {
    const char *from, *to;
    relayout_status wanted;
  } cases[] = {
      {"f32[32]", "f16[32]", RELAYOUT_OK},          {"s16[32]", "pred[32]", RELAYOUT_OK},
      {"q4_0[32]", "q4_0[32]", RELAYOUT_OK},        {"f64[32]", "f32[32]", RELAYOUT_OK},
      {"s32[32]", "f32[32]", RELAYOUT_OK},          {"pred[32]", "f32[32]", RELAYOUT_UNSUPPORTED},
      {"c64[32]", "c64[32]", RELAYOUT_UNSUPPORTED}, {"f32[32]", "f64[32]", RELAYOUT_OK},
      {"q4_0[32]", "u32[32]", RELAYOUT_OK},         {"f32[32]", "c64[32]", RELAYOUT_UNSUPPORTED},
  };
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.scale = 3;
  for (size_t i = 0; i < COUNT(cases); ++i) {
    const relayout_scaled_view from = scaled_of(cases[i].from), to = scaled_of(cases[i].to);
    relayout_plan *plan;
    print_message("%s to %s: ", cases[i].from, cases[i].to);
    assert_int_equal(create(&from, &to, &options, &plan), cases[i].wanted);
    relayout_plan_destroy(plan);
  }
  options.overflow = RELAYOUT_OVERFLOW_WRAP;
  const relayout_scaled_view from = scaled_of("s16[4]"), to = scaled_of("s8[4]");
  relayout_plan *plan;
  assert_int_equal(create(&from, &to, &options, &plan), RELAYOUT_INVALID_ARGUMENT);
}

/* ---- NaNs and infinities -------------------------------------------------------------------- */

/* A NaN is the positive one if there are scales on either side; else it keeps its sign. */
static void test_signs_of_nans(void **state) {
  (void)state;
  static const uint32_t nan[] = {0xffc00001};
  float one = 1;
  uint32_t scale_of_nan = 0xffc00000;
  static const int8_t element = 3;
  uint32_t f32 = 0;
  uint16_t f16 = 0;
  int8_t s8 = 9;
  move("f32[1]*f32[1]", nan, &one, "f32[1]", &f32, NULL);
  assert_int_equal(f32, 0x7fc00000);
  move("f32[1]", nan, NULL, "f32[1]*f32[1]", &f32, &one);
  assert_int_equal(f32, 0x7fc00000);
  move("f32[1]", nan, NULL, "f16[1]*f32[1]", &f16, &one);
  assert_int_equal(f16, 0x7e00);
  move("s8[1]*f32[1]", &element, &scale_of_nan, "f16[1]", &f16, NULL);
  assert_int_equal(f16, 0x7e00);
  move("s8[1]*f32[1]", &element, &scale_of_nan, "s8[1]", &s8, NULL);
  assert_int_equal(s8, 0);
  move("f32[1]", nan, NULL, "f16[1]", &f16, NULL);
  assert_int_equal(f16, 0xfe00);
}

/* A number over an infinity is 0, and so are the elements. Sanitizers see how it is done. */
static void test_infinite_scales(void **state) {
  (void)state;
  static const uint8_t values[] = {1, 2, 3, 255};
  static const uint16_t zeros[] = {0x8000, 0x8000, 0x8000, 0x8000};
  uint16_t found[4];
  float scale = -INFINITY;
  move("u8[4]", values, NULL, "f16[4]*f32[1]", found, &scale);
  assert_memory_equal(found, zeros, sizeof(zeros));
}

/* The scale is an infinity, of which ggml's inverse is 0; 0 times an infinity is a NaN, which it
 * turns into an integer: C leaves open into which. */
static void test_open_records(void **state) {
  (void)state;
  static const struct {
    const char *format;
    float first;
    uint8_t record[6];
  } cases[] = {
      {"q8_0[32]", INFINITY, {0, 0x7c, 0, 0, 0, 0}},
      {"q8_0[32]", -INFINITY, {0, 0x7c, 0, 0, 0, 0}},
      {"q4_0[32]", INFINITY, {0, 0xfc, 0x80, 0x88, 0x88, 0x88}}, /* 1 * -0 is in the middle */
      {"q4_0[32]", -INFINITY, {0, 0x7c, 0x80, 0x88, 0x88, 0x88}},
      {"q4_1[32]", INFINITY, {0, 0x7c, 0, 0, 0, 0}},
      {"q4_1[32]", -INFINITY, {0, 0x7c, 0, 0xfc, 0, 0}},
      {"q5_0[32]", INFINITY, {0, 0xfc, 0xfe, 0xff, 0xff, 0xff}},
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    const float values[RELAYOUT_BLOCK_ELEMENTS] = {cases[i].first, 1};
    uint8_t found[34];
    move("f32[32]", values, NULL, cases[i].format, found, NULL);
    assert_memory_equal(found, cases[i].record, sizeof(cases[i].record));
  }
}

/* Of a NaN the scale is one too, and what a NaN makes is 0; mxfp4's scales have none, and those
 * of the greatest values make all others small. */
static void test_nan_in_records(void **state) {
  (void)state;
  static const struct {
    const char *format;
    uint8_t record[4];
  } cases[] = {
      {"q8_0[32]", {0, 0x7e, 0, 0}},
      {"q4_0[32]", {0, 0x7e, 0, 0}},
      {"mxfp4[32]", {0xfd, 0, 0, 0}},
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    const float values[RELAYOUT_BLOCK_ELEMENTS] = {-NAN, 1, 100};
    uint8_t found[34];
    move("f32[32]", values, NULL, cases[i].format, found, NULL);
    assert_memory_equal(found, cases[i].record, sizeof(cases[i].record));
  }
}

/* ---- Memory --------------------------------------------------------------------------------- */

/* Each pointer one byte behind a multiple of 16. */
static void test_pointers_need_no_alignment(void **state) {
  (void)state;
  _Alignas(16) static unsigned char source[1 + 8 + 4], destination[1 + 8 + 4];
  static const uint16_t wanted[] = {0x3f80, 0xc000, 0x4040, 0};
  const float scale = 0.5F;
  static const int16_t elements[] = {2, -4, 6, 0};
  memcpy(source + 1, elements, sizeof(elements));
  memcpy(source + 9, &scale, sizeof(scale));
  move("s16[4]*f32[1]", source + 1, source + 9, "bf16[4]", destination + 1, NULL);
  assert_memory_equal(destination + 1, wanted, sizeof(wanted));
  memcpy(destination + 9, &scale, sizeof(scale));
  move("bf16[4]", wanted, NULL, "s16[4]*f32[1]", destination + 1, destination + 9);
  assert_memory_equal(destination + 1, elements, sizeof(elements));
}

/* An explanation says so, of a plan that is larger than caches. */
static void test_boxes(void **state) {
  (void)state;
  const relayout_scaled_view from = scaled_of("f32[4096,4096]");
  const relayout_scaled_view to = scaled_of("s8[4096,4096]{0,1}*f32[4096,128]");
  char text[1024];
  relayout_plan *plan;
  assert_int_equal(create(&from, &to, NULL, &plan), RELAYOUT_OK);
  assert_true(relayout_plan_explain(plan, RELAYOUT_EXPLAIN_TEXT, text, sizeof(text)) <
              sizeof(text));
  print_message("%s", text);
  const char *const boxes = strstr(text, "\nboxes   ");
  assert_non_null(boxes);
  assert_null(strstr(text, "\nboxes   1 of"));
  assert_non_null(strstr(boxes, "every destination gets its part while it is in the cache"));
  relayout_plan_destroy(plan);
}

/* Groups of another side that end within records: no box begins or ends there. */
static void test_boxes_of_whole_records(void **state) {
  (void)state;
  enum { ROWS = 1025, COLUMNS = 64, RECORDS = ROWS * COLUMNS / RELAYOUT_BLOCK_ELEMENTS };
  static uint8_t records[RECORDS][34], again[RECORDS][34];
  static float values[ROWS][COLUMNS];
  static int8_t elements[ROWS][COLUMNS];
  static float scales[2][2];
  const relayout_scaled_view blocks = scaled_of("q8_0[1025,64]"),
                             floats = scaled_of("f32[1025,64]");
  const relayout_scaled_view scaled = scaled_of("s8[1025,64]*f32[2,2]per[1000,33]");
  relayout_scaled_view to[2] = {floats, scaled};
  relayout_destination_memory memory[2] = {{.elements = values},
                                           {.elements = elements, .scales = scales}};
  relayout_source_memory from = {.elements = records};
  relayout_plan *plan = NULL;
  to[1].rule = RELAYOUT_SCALES_AMAX;
  for (int i = 0; i < RECORDS; ++i) {
    records[i][1] = 0x3c; /* the scale is 1 */
    for (int j = 0; j < RELAYOUT_BLOCK_ELEMENTS; ++j) {
      records[i][2 + j] = (uint8_t)(j < 2 ? 127 : (i * 7 + j * 5) % 251 - 125);
    }
  }
  assert_int_equal(relayout_plan_create_many(device, &blocks, to, 2, NULL, &plan, NULL),
                   RELAYOUT_OK);
  assert_int_equal(relayout_plan_execute_many(plan, &from, memory, NULL), RELAYOUT_OK);
  relayout_plan_destroy(plan);
  for (int i = 0; i < ROWS * COLUMNS; ++i) {
    const int8_t wanted = (int8_t)records[i / 32][2 + i % 32];
    assert_true(values[i / COLUMNS][i % COLUMNS] == (float)wanted);
    assert_int_equal(elements[i / COLUMNS][i % COLUMNS], wanted);
  }
  from.elements = values;
  to[0] = blocks;
  memory[0].elements = again;
  assert_int_equal(relayout_plan_create_many(device, &floats, to, 2, NULL, &plan, NULL),
                   RELAYOUT_OK);
  assert_int_equal(relayout_plan_execute_many(plan, &from, memory, NULL), RELAYOUT_OK);
  relayout_plan_destroy(plan);
  assert_memory_equal(again, records, sizeof(records));
}

/* ---- Ranges --------------------------------------------------------------------------------- */

static relayout_status create_range(const char *from_text, const char *to_text,
                                    relayout_scale_rule rule, const int64_t *start,
                                    const int64_t *sizes, relayout_plan **plan, char *message) {
  const relayout_scaled_view from = scaled_of(from_text);
  relayout_scaled_view to = scaled_of(to_text);
  relayout_error error = {.message = ""};
  to.rule = rule;
  *plan = NULL;
  const relayout_status status =
      relayout_plan_create_many_range(device, &from, &to, 1, start, sizes, NULL, plan, &error);
  snprintf(message, sizeof(error.message), "%s", error.message);
  return status;
}

/* Rows 4 and 5 of eight, of which alone there is memory, on either side. */
static void test_memory_of_a_range(void **state) {
  (void)state;
  enum { ROWS = 2, COLUMNS = 64, FIRST = 4 };
  float *const values = malloc(ROWS * COLUMNS * sizeof *values);
  int8_t *const elements = malloc(ROWS * COLUMNS);
  float *const scales = malloc(ROWS * sizeof *scales);
  char message[RELAYOUT_MESSAGE_SIZE];
  relayout_plan *plan;
  for (int i = 0; i < ROWS * COLUMNS; ++i) {
    values[i] = (float)((i % COLUMNS == 7 ? 127 : i % 100) * (1 + i / COLUMNS));
  }
  assert_int_equal(create_range("f32[8,64]", "s8[8,64]*f32[8,1]", RELAYOUT_SCALES_AMAX,
                                (const int64_t[]){FIRST, 0}, (const int64_t[]){ROWS, COLUMNS},
                                &plan, message),
                   RELAYOUT_OK);
  const relayout_source_memory from = {
      .elements = (const void *)((uintptr_t)values - FIRST * COLUMNS * sizeof *values)};
  const relayout_destination_memory to = {
      .elements = (void *)((uintptr_t)elements - (uintptr_t)FIRST * COLUMNS),
      .scales = (void *)((uintptr_t)scales - FIRST * sizeof *scales)};
  assert_int_equal(relayout_plan_execute_many(plan, &from, &to, NULL), RELAYOUT_OK);
  for (int i = 0; i < ROWS * COLUMNS; ++i) {
    assert_int_equal(elements[i], i % COLUMNS == 7 ? 127 : i % 100);
  }
  assert_true(scales[0] == 1 && scales[1] == 2);
  relayout_plan_destroy(plan);
  free(values);
  free(elements);
  free(scales);
}

static void test_refused_ranges(void **state) {
  (void)state;
  static const struct {
    const char *from, *to;
    relayout_scale_rule rule;
    int64_t start[2], sizes[2];
    relayout_status status;
    const char *message;
  } cases[] = {
      {"f32[4,96]", "s8[4,96]*f32[4,3]", RELAYOUT_SCALES_AMAX, {0, 32}, {4, 64}, RELAYOUT_OK, ""},
      {"f32[4,96]", "s8[4,96]*f32[4,3]", RELAYOUT_SCALES_GIVEN, {1, 5}, {2, 9}, RELAYOUT_OK, ""},
      {"f32[4,90]",
       "s8[4,90]*f32[4,3]per[1,32]",
       RELAYOUT_SCALES_AMAX,
       {0, 64},
       {4, 26},
       RELAYOUT_OK,
       ""},
      {"f32[4,96]",
       "s8[4,96]*f32[4,3]",
       RELAYOUT_SCALES_AMAX,
       {0, 32},
       {4, 48},
       RELAYOUT_UNSUPPORTED,
       "to[0]: start[1] is 32 and sizes[1] is 48, which parts a group, whose scale is to be found, "
       "of 32 elements"},
      {"f32[4,96]",
       "q8_0[4,96]",
       RELAYOUT_SCALES_GIVEN,
       {0, 16},
       {4, 32},
       RELAYOUT_UNSUPPORTED,
       "to[0]: start[1] is 16 and sizes[1] is 32, which parts a record of 32 elements"},
      {"q8_0[4,96]",
       "f32[4,96]",
       RELAYOUT_SCALES_GIVEN,
       {0, 32},
       {4, 63},
       RELAYOUT_UNSUPPORTED,
       "from: start[1] is 32 and sizes[1] is 63, which parts a record of 32 elements"},
      {"q4_0_4_8[4,64]", "f32[4,64]", RELAYOUT_SCALES_GIVEN, {1, 32}, {2, 32}, RELAYOUT_OK, ""},
      {"f32[4,96]",
       "u4[4,96]{1,0:E(4)}*f32[1,1]",
       RELAYOUT_SCALES_GIVEN,
       {0, 3},
       {4, 2},
       RELAYOUT_UNSUPPORTED,
       "to[0]: start[1] is 3 and sizes[1] is 2, which parts a byte of 2 elements"},
      {"f32[4,96]",
       "f32[4,96]{0,1}",
       RELAYOUT_SCALES_GIVEN,
       {3, 0},
       {2, 96},
       RELAYOUT_OUT_OF_RANGE,
       "start[0] is 3 and sizes[0] is 2, beyond a dimension of size 4"},
      {"f32[4,96]",
       "f32[4,96]{0,1}",
       RELAYOUT_SCALES_GIVEN,
       {-1, 0},
       {2, 96},
       RELAYOUT_OUT_OF_RANGE,
       "start[0] is -1 and sizes[0] is 2, beyond a dimension of size 4"},
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    char message[RELAYOUT_MESSAGE_SIZE];
    relayout_plan *plan;
    print_message("%s to %s\n", cases[i].from, cases[i].to);
    assert_int_equal(create_range(cases[i].from, cases[i].to, cases[i].rule, cases[i].start,
                                  cases[i].sizes, &plan, message),
                     cases[i].status);
    assert_string_equal(message, cases[i].message);
    relayout_plan_destroy(plan);
  }
  const relayout_scaled_view view = scaled_of("f32[4]");
  const int64_t zero[] = {0};
  relayout_plan *plan = NULL;
  assert_int_equal(
      relayout_plan_create_many_range(device, &view, &view, 1, NULL, zero, NULL, &plan, NULL),
      RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(
      relayout_plan_create_many_range(device, &view, &view, 1, zero, NULL, NULL, &plan, NULL),
      RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(
      relayout_plan_create_many_range(device, &view, &view, 0, zero, zero, NULL, &plan, NULL),
      RELAYOUT_INVALID_ARGUMENT);
  assert_null(plan);
}

/* Nothing is read or written, and no pointer is needed. */
static void test_empty_range(void **state) {
  (void)state;
  static const relayout_source_memory from = {.elements = NULL};
  static const relayout_destination_memory to = {.elements = NULL};
  char message[RELAYOUT_MESSAGE_SIZE], text[1024];
  relayout_plan *plan;
  assert_int_equal(create_range("f32[4,96]", "s8[4,96]*f32[4,3]", RELAYOUT_SCALES_AMAX,
                                (const int64_t[]){4, 0}, (const int64_t[]){0, 96}, &plan, message),
                   RELAYOUT_OK);
  assert_int_equal(relayout_plan_execute_many(plan, &from, &to, NULL), RELAYOUT_OK);
  relayout_plan_explain(plan, RELAYOUT_EXPLAIN_TEXT, text, sizeof(text));
  assert_non_null(strstr(text, "box     indices from 4,0 on, 0,96 of them"));
  assert_non_null(strstr(text, "boxes   none: the range is empty"));
  relayout_plan_explain(plan, RELAYOUT_EXPLAIN_JSON, text, sizeof(text));
  assert_non_null(strstr(text, "\"start\":[4,0],\"sizes\":[0,96],"));
  relayout_plan_destroy(plan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_pairs),
      cmocka_unit_test(test_records_alone),
      cmocka_unit_test(test_fields_that_do_not_count),
      cmocka_unit_test(test_sizes_of_strided_elements),
      cmocka_unit_test(test_wrapping),
      cmocka_unit_test(test_refused_options),
      cmocka_unit_test(test_scale_of_source),
      cmocka_unit_test(test_scale_as_f32),
      cmocka_unit_test(test_scale_of_records),
      cmocka_unit_test(test_nvfp4),
      cmocka_unit_test(test_pairs_by_scale),
      cmocka_unit_test(test_signs_of_nans),
      cmocka_unit_test(test_infinite_scales),
      cmocka_unit_test(test_open_records),
      cmocka_unit_test(test_nan_in_records),
      cmocka_unit_test(test_pointers_need_no_alignment),
      cmocka_unit_test(test_boxes),
      cmocka_unit_test(test_boxes_of_whole_records),
      cmocka_unit_test(test_memory_of_a_range),
      cmocka_unit_test(test_refused_ranges),
      cmocka_unit_test(test_empty_range),
  };
  return cmocka_run_group_tests_name("many.edges", tests, open_device, close_device);
}
