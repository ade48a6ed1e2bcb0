/* test_many.c: hand-worked plans of several destinations, one for each thing that relayout/scaled.h
 * says of them. */
#include "cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "many/on_cpu.h"
#include "relayout/scaled.h"
#include "shape_of.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static relayout_plan *plan_of(const relayout_scaled_view *from, const relayout_scaled_view *to,
                              int32_t count, relayout_rounding rounding) {
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  relayout_plan *plan = NULL;
  relayout_error error = {.message = ""};
  options.rounding = rounding;
  if (relayout_plan_create_many(device, from, to, count, &options, &plan, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  return plan;
}

/* Moves to one destination, rounding to the nearest. */
static void move(const char *from_text, relayout_source_memory from, const char *to_text,
                 relayout_scale_rule rule, relayout_destination_memory to) {
  const relayout_scaled_view source = scaled_of(from_text);
  relayout_scaled_view destination = scaled_of(to_text);
  relayout_error error = {.message = ""};
  destination.rule = rule;
  relayout_plan *const plan = plan_of(&source, &destination, 1, RELAYOUT_ROUNDING_NEAREST);
  if (relayout_plan_execute_many(plan, &from, &to, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  relayout_plan_destroy(plan);
}

/* Elements, scales and zero points, as many as there are. */
#define SOURCE(...)      source_of((const void *[3]){__VA_ARGS__})
#define DESTINATION(...) destination_of((void *[3]){__VA_ARGS__})

static relayout_source_memory source_of(const void *const *pointers) {
  return (relayout_source_memory){pointers[0], pointers[1], pointers[2]};
}

static relayout_destination_memory destination_of(void *const *pointers) {
  return (relayout_destination_memory){pointers[0], pointers[1], pointers[2]};
}

static relayout_status execute(const relayout_plan *plan, relayout_source_memory from,
                               relayout_destination_memory to) {
  return relayout_plan_execute_many(plan, &from, &to, NULL);
}

static void expect_floats(const float *found, const float *wanted, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (memcmp(&found[i], &wanted[i], sizeof(float)) != 0) {
      fail_msg("value %zu is %g, not %g", i, (double)found[i], (double)wanted[i]);
    }
  }
}

/* ---- Values --------------------------------------------------------------------------------- */

static void test_value(void **state) {
  (void)state;
  static const int8_t elements[] = {10, -3, 0, 127}, zero_point = 3;
  static const float scale = 0.5F, wanted[] = {3.5F, -3, -1.5F, 62};
  float found[4];
  move("(s8[4]-s8[1])*f32[1]", SOURCE(elements, &scale, &zero_point), "f32[4]",
       RELAYOUT_SCALES_GIVEN, DESTINATION(found));
  expect_floats(found, wanted, 4);
}

/* 3 * (1 + 2^-23) is no f32: values are exact, and only the destination's rounding counts. Divided
 * by the same scale it is 3 again, and 1.5 times it is between. */
static void test_values_are_exact(void **state) {
  (void)state;
  uint32_t scale = 0x3f800001;
  static const int8_t elements[] = {3, 1, -3};
  static const uint32_t wanted[] = {0x40400002, 0x3f800001, 0xc0400002};
  uint32_t found[3];
  int8_t back[3];
  move("s8[3]*f32[1]", SOURCE(elements, &scale), "f32[3]", RELAYOUT_SCALES_GIVEN,
       DESTINATION(found));
  assert_memory_equal(found, wanted, sizeof(wanted));
  move("s8[3]*f32[1]", SOURCE(elements, &scale), "s8[3]*f32[1]", RELAYOUT_SCALES_GIVEN,
       DESTINATION(back, &scale));
  assert_memory_equal(back, elements, sizeof(elements));
}

/* In floating point each quotient would be the number between two integers. */
static void test_quotients_are_exact(void **state) {
  (void)state;
  static const struct {
    uint32_t value, scale;
    int8_t wanted;
  } cases[] = {
      {0x3fc00001, 0x3f800001, 1},                               /* less than 1.5 */
      {0x3fc00002, 0x3f800001, 2},  {0x40200004, 0x3f800003, 3}, /* more than 2.5 */
      {0xbfc00001, 0x3f800001, -1}, {0xc0200004, 0x3f800003, -3},
      {0x40f00000, 0x40400000, 2},  {0x41280000, 0x40400000, 4},
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    uint32_t scale = cases[i].scale;
    int8_t found;
    move("f32[1]", SOURCE(&cases[i].value), "s8[1]*f32[1]", RELAYOUT_SCALES_GIVEN,
         DESTINATION(&found, &scale));
    assert_int_equal(found, cases[i].wanted);
    assert_int_equal(scale, cases[i].scale);
  }
}

/* ---- Near ties ------------------------------------------------------------------------------ */

enum { NEIGHBOURS = 5, MOST_TIES = 256, NEAR_TIES = MOST_TIES * NEIGHBOURS };

/* Scales of many and of few digits, powers of two at both ends, and negative ones. */
static const float many_scales[] = {0.1F,      0x1.fffffep0F, 0x1.000002p-3F, 0x1.5p7F, -0.3F,
                                    -0x1.8p0F, 0x1p-127F,     0x1p118F,       1e-12F,   0x1.23p40F};

/* The f32s nearest to numbers halfway between two elements, times the scale, which doubles hold,
 * and two on either side; and the number of the element that is nearest to each. `halfway[i]` lies
 * between elements i and i + 1, of which the even one is nearest to it. */
static void make_near_ties(const double *halfway, int count, float scale, float *values,
                           int *nearest) {
  for (int i = 0; i < count; ++i) {
    const double tie = halfway[i] * (double)scale;
    float value = nextafterf(nextafterf((float)tie, -INFINITY), -INFINITY);
    for (int j = 0; j < NEIGHBOURS; ++j, value = nextafterf(value, INFINITY)) {
      const bool is_above = scale < 0 ? (double)value < tie : (double)value > tie;
      values[i * NEIGHBOURS + j] = value;
      nearest[i * NEIGHBOURS + j] = is_above ? i + 1 : (double)value == tie ? i + i % 2 : i;
    }
  }
}

static void test_integers_near_ties(void **state) {
  (void)state;
  double halfway[MOST_TIES];
  float values[NEAR_TIES];
  int nearest[NEAR_TIES];
  int8_t found[NEAR_TIES];
  for (int i = 0; i < MOST_TIES; ++i) {
    halfway[i] = i - 127.5; /* between i - 128 and the next one, of which even ones have even i */
  }
  for (size_t s = 0; s < COUNT(many_scales); ++s) {
    float scale = many_scales[s];
    make_near_ties(halfway, MOST_TIES, scale, values, nearest);
    move("f32[1280]", SOURCE(values), "s8[1280]*f32[1]", RELAYOUT_SCALES_GIVEN,
         DESTINATION(found, &scale));
    for (int i = 0; i < NEAR_TIES; ++i) {
      const int wanted = nearest[i] - 128 > 127 ? 127 : nearest[i] - 128;
      if (found[i] != wanted) {
        fail_msg("%a / %a is %d, not %d", (double)values[i], (double)scale, found[i], wanted);
      }
    }
  }
}

/* The value of a positive f8e4m3fn. */
static double value_of_f8(int bits) {
  return bits < 8 ? ldexp(bits, -9) : ldexp(8 + bits % 8, bits / 8 - 10);
}

static void test_floats_near_ties(void **state) {
  (void)state;
  enum { TIES = 126, VALUES = TIES * NEIGHBOURS };
  double halfway[TIES];
  float values[VALUES];
  int nearest[VALUES];
  uint8_t found[VALUES];
  for (int i = 0; i < TIES; ++i) {
    halfway[i] = (value_of_f8(i) + value_of_f8(i + 1)) / 2;
  }
  for (size_t s = 0; s < COUNT(many_scales); ++s) {
    float scale = many_scales[s];
    uint32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    uint16_t half = (uint16_t)(bits >> 16);
    const bool is_short = (bits & 0xffff) == 0;
    make_near_ties(halfway, TIES, scale, values, nearest);
    move("f32[630]", SOURCE(values), is_short ? "f8e4m3fn[630]*bf16[1]" : "f8e4m3fn[630]*f32[1]",
         RELAYOUT_SCALES_GIVEN, DESTINATION(found, is_short ? (void *)&half : (void *)&scale));
    for (int i = 0; i < VALUES; ++i) {
      const int sign = (values[i] < 0) != (scale < 0) ? 0x80 : 0;
      if (found[i] != (nearest[i] | sign)) {
        fail_msg("%a / %a is %x, not %x", (double)values[i], (double)scale, found[i],
                 (unsigned)(nearest[i] | sign));
      }
    }
  }
}

static void test_groups(void **state) {
  (void)state;
  static const int8_t elements[] = {1, 2, 3, 4, 5, 6, 7, 8};
  static const float scales[] = {1, 10, 100, 1000};
  static const struct {
    const char *from, *to;
    float wanted[8];
  } cases[] = {
      {"s8[2,4]*f32[2,1]", "f32[2,4]", {1, 2, 3, 4, 50, 60, 70, 80}},         /* major */
      {"s8[2,4]*f32[1,4]", "f32[2,4]", {1, 20, 300, 4000, 5, 60, 700, 8000}}, /* minor */
      {"s8[2,4]*f32[1,2]", "f32[2,4]", {1, 2, 30, 40, 5, 6, 70, 80}},
      {"s8[2,4]*f32[2,2]", "f32[2,4]", {1, 2, 30, 40, 500, 600, 7000, 8000}},
      {"s8[2,4]*f32[2,2]{0,1}", "f32[2,4]", {1, 2, 300, 400, 50, 60, 7000, 8000}},
      {"s8[2,4]*f32[1,1]", "f32[2,4]", {1, 2, 3, 4, 5, 6, 7, 8}}, /* the tensor */
      {"s8[4,2]*f32[2,2]", "f32[4,2]", {1, 20, 3, 40, 500, 6000, 700, 8000}},
      {"s8[2,4]{0,1}*f32[1,2]", "f32[2,4]", {1, 3, 50, 70, 2, 4, 60, 80}},
      {"s8[8]*f32[3]per[3]", "f32[8]", {1, 2, 3, 40, 50, 60, 700, 800}}, /* the last has fewer */
      {"s8[2,4]*f32[1,2]per[7,3]", "f32[2,4]", {1, 2, 3, 40, 5, 6, 7, 80}},
      {"s8[2,2,2]*f32[1,2,1]", "f32[2,2,2]", {1, 2, 30, 40, 5, 6, 70, 80}},
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    float found[8];
    print_message("%s\n", cases[i].from);
    move(cases[i].from, SOURCE(elements, scales), cases[i].to, RELAYOUT_SCALES_GIVEN,
         DESTINATION(found));
    expect_floats(found, cases[i].wanted, 8);
  }
}

/* ---- Group sizes ---------------------------------------------------------------------------- */

static void test_group_sizes(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t sizes[2];
  } cases[] = {
      {"s8[100,7]*f32[4,1]", {25, 7}},  /* quotients */
      {"s8[100,7]*f32[7,4]", {16, 2}},  /* powers of two: 100 / 16 is 6.25 */
      {"s8[65,33]*f16[3,2]", {32, 32}}, /* not 22 and 17 */
      {"s8[65,33]*f16[3,2]per[22,17]", {22, 17}},
      {"s8[65,33]*f16[1,33]", {65, 1}},
      {"s8[65,33]*f16[1,1]per[1000,33]", {1000, 33}},
      {"s8[0,33]*f16[0,33]", {1, 1}},
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    const relayout_scaled_view view = scaled_of(cases[i].text);
    print_message("%s\n", cases[i].text);
    assert_int_equal(view.group_sizes[0], cases[i].sizes[0]);
    assert_int_equal(view.group_sizes[1], cases[i].sizes[1]);
  }
}

/* ---- Rules ---------------------------------------------------------------------------------- */

/* Four elements, with their scale first. */
static void test_rules(void **state) {
  (void)state;
  static const struct {
    const char *to;
    relayout_scale_rule rule;
    float values[4];
    uint32_t scale;
    uint8_t wanted[4];
  } cases[] = {
      {"s8[4]*f32[1]", RELAYOUT_SCALES_AMAX, {127, -63.5F, 2.5F, 0}, 0x3f800000, {127, 0xc0, 2, 0}},
      {"s8[4]*f32[1]", RELAYOUT_SCALES_AMAX, {-1, 0.5F, 0.25F, 1}, 0x3c010204, {129, 64, 32, 127}},
      /* 1000 / 127 is 7.874: 0x47df.. in f16 is 7.871, and 0x47e0 7.875 */
      {"s8[4]*f16[1]", RELAYOUT_SCALES_AMAX, {1000, -1000, 0, 500}, 0x47e0, {127, 129, 0, 63}},
      /* 5 / 127 is 0.03937: between 5 / 128 and 2.5 / 2^6 * 1.0625 of f8e4m3fn */
      {"s8[4]*f8e4m3fn[1]", RELAYOUT_SCALES_AMAX, {5, 1, 0, -5}, 0x12, {127, 26, 0, 128}},
      {"s8[4]*f8e4m3fn[1]", RELAYOUT_SCALES_AMAX_UP, {5, 1, 0, -5}, 0x13, {116, 23, 0, 140}},
      {"u8[4]*f32[1]", RELAYOUT_SCALES_AMAX, {510, 1, -3, 3}, 0x40000000, {255, 0, 0, 2}},
      {"f8e4m3fn[4]*f32[1]",
       RELAYOUT_SCALES_AMAX,
       {896, -2, 1, 0},
       0x40000000,
       {0x7e, 0xb8, 0x30, 0}},
      {"f4e2m1fn[4]*f32[1]",
       RELAYOUT_SCALES_AMAX,
       {3, -0.75F, 1.25F, 0},
       0x3f000000,
       {7, 0xb, 4, 0}},
      /* floor(log2(10)) is 3, and floor(log2(448)) is 8 */
      {"f8e4m3fn[4]*f8e8m0fnu[1]",
       RELAYOUT_SCALES_POWER2,
       {10, -1, 0, 5},
       122,
       {0x7a, 0xe0, 0, 0x72}},
      /* 7 / 1 is more than 6 */
      {"f4e2m1fn[4]*f8e8m0fnu[1]",
       RELAYOUT_SCALES_POWER2,
       {7, -1, 2.5F, 0.25F},
       127,
       {7, 0xa, 4, 0}},
      {"f4e2m1fn[4]*f8e8m0fnu[1]",
       RELAYOUT_SCALES_AMAX_UP,
       {7, -1, 2.5F, 0.25F},
       128,
       {6, 9, 2, 0}},
      /* the nearest power of 7 / 6 is 1, of 9 / 6 the greater of two as near */
      {"f4e2m1fn[4]*f8e8m0fnu[1]", RELAYOUT_SCALES_AMAX, {7, 0, 0, 0}, 127, {7, 0, 0, 0}},
      {"f4e2m1fn[4]*f8e8m0fnu[1]", RELAYOUT_SCALES_AMAX, {9, 0, 0, 0}, 128, {6, 0, 0, 0}},
      {"s8[4]*f32[1]", RELAYOUT_SCALES_POWER2, {64, -127, 1, 0}, 0x3f800000, {64, 129, 1, 0}},
      {"s8[4]*f32[1]", RELAYOUT_SCALES_POWER2, {-128, 255, 1, 0}, 0x40000000, {192, 127, 0, 0}},
      /* zeros */
      {"s8[4]*f32[1]", RELAYOUT_SCALES_AMAX, {0, -0.0F, 0, 0}, 0, {0, 0, 0, 0}},
      {"s8[4]*f16[1]", RELAYOUT_SCALES_AMAX_UP, {0, -0.0F, 0, 0}, 0, {0, 0, 0, 0}},
      {"s8[4]*f8e8m0fnu[1]", RELAYOUT_SCALES_POWER2, {0, 0, 0, 0}, 0, {0, 0, 0, 0}},
      {"s8[4]*f8e8m0fnu[1]", RELAYOUT_SCALES_AMAX, {0, 0, 0, 0}, 0, {0, 0, 0, 0}},
      /* a scale that is rounded to 0 */
      {"s8[4]*f16[1]", RELAYOUT_SCALES_AMAX, {1e-6F, -1e-6F, 0, 0}, 0, {0, 0, 0, 0}},
      {"s8[4]*f16[1]", RELAYOUT_SCALES_AMAX_UP, {1e-6F, -1e-6F, 0, 0}, 1, {17, 239, 0, 0}},
      /* infinities and NaNs */
      {"s8[4]*f32[1]", RELAYOUT_SCALES_AMAX, {INFINITY, 1, -INFINITY, 0}, 0x7f800000, {0, 0, 0, 0}},
      {"s8[4]*f32[1]", RELAYOUT_SCALES_AMAX, {NAN, 1, -1, 0}, 0x7fc00000, {0, 0, 0, 0}},
      {"s8[4]*f8e8m0fnu[1]", RELAYOUT_SCALES_POWER2, {INFINITY, 1, 0, 0}, 255, {0, 0, 0, 0}},
      {"f8e5m2[4]*f16[1]",
       RELAYOUT_SCALES_AMAX_UP,
       {-INFINITY, 1, -1, 0},
       0x7c00,
       {0x7e, 0, 0x80, 0}},
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    uint32_t scale = 0;
    uint8_t found[4];
    print_message("case %zu, %s\n", i, cases[i].to);
    move("f32[4]", SOURCE(cases[i].values), cases[i].to, cases[i].rule, DESTINATION(found, &scale));
    assert_int_equal(scale, cases[i].scale);
    assert_memory_equal(found, cases[i].wanted, sizeof(found));
  }
}

/* Each value is rounded to f32 before the greatest is found: 127 + 127 / 2^23 becomes
 * 127 + 128 / 2^23, of which a 127th is more than 1 + 1 / 2^23. */
static void test_greatest_in_f32(void **state) {
  (void)state;
  static const int8_t elements[] = {127, -1, 3, 0}, wanted[] = {127, -1, 3, 0};
  static const uint32_t source_scale = 0x3f800001;
  uint32_t scale = 0;
  int8_t found[4];
  move("s8[4]*f32[1]", SOURCE(elements, &source_scale), "s8[4]*f32[1]", RELAYOUT_SCALES_AMAX_UP,
       DESTINATION(found, &scale));
  assert_int_equal(scale, 0x3f800002);
  assert_memory_equal(found, wanted, sizeof(wanted));
}

/* The least power of two is above the quotient, and values are taken exactly, however small. */
static void test_tiny_values(void **state) {
  (void)state;
  static const float tiny = 1e-7F;
  static const uint16_t element = 1; /* 2^-133, and 2^-260 with the scale */
  static const uint8_t least = 0;
  uint8_t scale = 9, found = 9;
  float quotient = 0;
  for (int rule = RELAYOUT_SCALES_AMAX; rule <= RELAYOUT_SCALES_POWER2; ++rule) {
    print_message("rule %d\n", rule);
    move("f32[1]", SOURCE(&tiny), "f32[1]*f8e8m0fnu[1]", (relayout_scale_rule)rule,
         DESTINATION(&quotient, &scale));
    assert_int_equal(scale, 0);
    assert_true(quotient == ldexpf(tiny, 127));
  }
  move("bf16[1]*f8e8m0fnu[1]", SOURCE(&element, &least), "pred[1]", RELAYOUT_SCALES_GIVEN,
       DESTINATION(&found));
  assert_int_equal(found, 1);
  move("bf16[1]*f8e8m0fnu[1]", SOURCE(&element, &least), "f8e8m0fnu[1]", RELAYOUT_SCALES_GIVEN,
       DESTINATION(&found));
  assert_int_equal(found, 0);
}

/* Groups along two dimensions, the last of them smaller; scales have a layout too. */
static void test_made_scales(void **state) {
  (void)state;
  static const float values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  static const float wanted_scales[] = {5, 8, 6, 9};
  float scales[4];
  uint8_t found[9];
  move("f32[3,3]", SOURCE(values), "u1[3,3]*f32[2,2]{0,1}", RELAYOUT_SCALES_AMAX,
       DESTINATION(found, scales));
  expect_floats(scales, wanted_scales, 4);
}

/* ---- Scales in blocks of 128 by 4 ----------------------------------------------------------- */

/* Where cuBLAS has the scale of row r and column c: blocks of 128 by 4 follow each other row by row
 * of blocks, and in a block r % 32 is more major than r / 32. */
static size_t place_in_blocks(int r, int c, int columns) {
  const int blocks = (columns + 3) / 4;
  return (size_t)((r / 128 * blocks + c / 4) * 512 + r % 32 * 16 + r % 128 / 32 * 4 + c % 4);
}

enum { GROUP = 32, MOST_ROWS = 1000, MOST_COLUMNS = 34, MOST_PLACES = 8 * 9 * 512 };

/* Groups whose elements are all 2 to a power that hangs on the group; and what all this is to be
 * with scales of 2 to the same power, less `shift`. */
typedef struct blocked {
  int rows, columns; /* of groups */
  float values[MOST_ROWS * MOST_COLUMNS * GROUP];
  uint8_t elements[MOST_ROWS * MOST_COLUMNS * GROUP];
  uint8_t scales[MOST_PLACES];
} blocked;

static void make_blocked(int rows, int columns, int shift, blocked *made) {
  made->rows = rows;
  made->columns = columns;
  memset(made->scales, 0, sizeof made->scales);
  for (int i = 0; i < rows * columns; ++i) {
    const int power = i % 41 - 20;
    made->scales[place_in_blocks(i / columns, i % columns, columns)] =
        (uint8_t)(127 + power - shift);
    for (int j = 0; j < GROUP; ++j) {
      made->values[i * GROUP + j] = ldexpf(1, power);
      made->elements[i * GROUP + j] = (uint8_t)((7 + shift) << 3); /* 2^shift in f8e4m3fn */
    }
  }
}

static void expect_blocked(const blocked *of, relayout_scale_rule rule) {
  static uint8_t elements[sizeof of->elements], scales[sizeof of->scales];
  static float values[sizeof of->values / sizeof(float)];
  const size_t count = (size_t)of->rows * (size_t)of->columns * GROUP;
  const size_t places = (size_t)(of->rows + 127) / 128 * (size_t)((of->columns + 3) / 4) * 512;
  char floats[64], scaled[160];
  snprintf(floats, sizeof floats, "f32[%d,%d]", of->rows, of->columns * GROUP);
  snprintf(scaled, sizeof scaled, "f8e4m3fn[%d,%d]*f8e8m0fnu[%d,%d]{1,0:T(32,4)(4,1,1,4)}",
           of->rows, of->columns * GROUP, of->rows, of->columns);
  print_message("%s, rule %d\n", scaled, (int)rule);
  memset(elements, 0xcd, sizeof elements);
  memset(scales, 0xcd, sizeof scales); /* padding becomes 0 where scales are written */
  if (rule == RELAYOUT_SCALES_GIVEN) {
    memcpy(scales, of->scales, places);
  }
  move(floats, SOURCE(of->values), scaled, rule, DESTINATION(elements, scales));
  assert_memory_equal(elements, of->elements, count);
  assert_memory_equal(scales, of->scales, places);
  move(scaled, SOURCE(of->elements, of->scales), floats, RELAYOUT_SCALES_GIVEN,
       DESTINATION(values));
  expect_floats(values, of->values, count);
}

static void test_scales_in_blocks(void **state) {
  (void)state;
  static const int sizes[][2] = {{128, 4}, {1, 1}, {300, 10}, {MOST_ROWS, MOST_COLUMNS}};
  static blocked of;
  for (size_t i = 0; i < COUNT(sizes); ++i) {
    make_blocked(sizes[i][0], sizes[i][1], 3, &of);
    expect_blocked(&of, RELAYOUT_SCALES_GIVEN);
    make_blocked(sizes[i][0], sizes[i][1], 8, &of); /* floor(log2(448)) is 8 */
    expect_blocked(&of, RELAYOUT_SCALES_POWER2);
  }
}

/* NVFP4: the elements are 6, the greatest of their type, of a scale that is their sixth. */
static void test_packed_with_scales_in_blocks(void **state) {
  (void)state;
  enum { ROWS = 131, COLUMNS = 9, HALF = 16 };
  static float values[ROWS * COLUMNS * HALF];
  static uint8_t elements[sizeof values / 8], wanted_elements[sizeof values / 8];
  static uint8_t scales[2 * 3 * 512], wanted[2 * 3 * 512];
  for (int i = 0; i < ROWS * COLUMNS; ++i) {
    const int power = i % 13 - 6;
    wanted[place_in_blocks(i / COLUMNS, i % COLUMNS, COLUMNS)] = (uint8_t)((7 + power) << 3);
    for (int j = 0; j < HALF; ++j) {
      values[i * HALF + j] = ldexpf(6, power);
    }
  }
  memset(wanted_elements, 0x77, sizeof wanted_elements);
  memset(scales, 0xcd, sizeof scales);
  move("f32[131,144]", SOURCE(values),
       "f4e2m1fn[131,144]{1,0:E(4)}*f8e4m3fn[131,9]{1,0:T(32,4)(4,1,1,4)}", RELAYOUT_SCALES_AMAX,
       DESTINATION(elements, scales));
  assert_memory_equal(scales, wanted, sizeof wanted);
  assert_memory_equal(elements, wanted_elements, sizeof elements);
}

/* So that few plans move all boxes: each has whole tiles, or an equal part of one. */
static void test_boxes_lie_alike_in_tiles(void **state) {
  (void)state;
  static const struct {
    const char *to;
    int rows;
  } cases[] = {
      {"f8e4m3fn[4096,5120]*f8e4m3fn[4096,320]{1,0:T(32,4)(4,1,1,4)}", 32},
      {"(s8[4096,5120]-s8[2048,320]{1,0:T(8,4)})*f32[2048,320]", 16},
      {"bf16[4096,5120]{1,0:T(8,128)(2,1)}", 8},
  };
  const relayout_scaled_view from = scaled_of("f32[4096,5120]");
  for (size_t i = 0; i < COUNT(cases); ++i) {
    const relayout_scaled_view to = scaled_of(cases[i].to);
    relayout_plan *const plan = plan_of(&from, &to, 1, RELAYOUT_ROUNDING_ZERO);
    char text[1024];
    int rows = 0;
    relayout_plan_explain(plan, RELAYOUT_EXPLAIN_JSON, text, sizeof text);
    print_message("%s\n", text);
    assert_int_equal(sscanf(strstr(text, "\"box\":"), "\"box\":[%d,", &rows), 1);
    assert_true(rows % cases[i].rows == 0 || cases[i].rows % rows == 0);
    relayout_plan_destroy(plan);
  }
}

/* ---- Destinations with scales --------------------------------------------------------------- */

static void test_zero_points(void **state) {
  (void)state;
  static const float values[] = {2.5F, 3.5F, -2.5F, 126, -200, 1000, NAN, -INFINITY};
  static const int8_t wanted[] = {12, 14, 8, 127, -128, 127, 10, -128};
  static const uint8_t wanted_unsigned[] = {130, 132, 126, 254, 0, 255, 128, 0};
  float scale = 1;
  int8_t zero_point = 10, found[8];
  uint8_t unsigned_zero_point = 128, found_unsigned[8];
  move("f32[8]", SOURCE(values), "(s8[8]-s8[1])*f32[1]", RELAYOUT_SCALES_GIVEN,
       DESTINATION(found, &scale, &zero_point));
  assert_memory_equal(found, wanted, sizeof(wanted));
  move("f32[8]", SOURCE(values), "(u8[8]-u8[1])*f32[1]", RELAYOUT_SCALES_GIVEN,
       DESTINATION(found_unsigned, &scale, &unsigned_zero_point));
  assert_memory_equal(found_unsigned, wanted_unsigned, sizeof(wanted_unsigned));
  assert_int_equal(zero_point, 10);
  assert_int_equal(unsigned_zero_point, 128);
}

/* They are given with any rule. */
static void test_zero_points_are_given(void **state) {
  (void)state;
  static const float values[] = {254, -127, 1, 3};
  static const uint8_t wanted[] = {255, 1, 129, 131};
  float scale = 0;
  uint8_t zero_point = 128, found[4];
  move("f32[4]", SOURCE(values), "(u8[4]-u8[1])*f32[1]", RELAYOUT_SCALES_POWER2,
       DESTINATION(found, &scale, &zero_point));
  assert_true(scale == 1);
  assert_int_equal(zero_point, 128);
  assert_memory_equal(found, wanted, sizeof(wanted));
}

/* From -1 to 254 there are 255 steps of one; 2 to 257 are taken from 0 on, in 257 / 255; -510 to 0
 * are 255 steps of two. Zeros have the scale 0 and the first number. The last group has one
 * value. */
static void test_ranges(void **state) {
  (void)state;
  static const float values[] = {-1, 254, 2, 257, -510, 0, 0, -0.0F, 3};
  static const uint8_t wanted[] = {0, 255, 2, 255, 0, 255, 0, 0, 255}, points[] = {1, 0, 255, 0, 0};
  static const float wanted_scales[] = {1, 257.0F / 255, 2, 0, 3.0F / 255};
  static const int8_t below[] = {-128, 127, -126, 127, -128, 127, -128, -128, 127};
  static const int8_t points_below[] = {-127, -128, 127, -128, -128};
  uint8_t found[9], found_points[5];
  int8_t signed_found[9], signed_points[5];
  float scales[5];
  move("f32[9]", SOURCE(values), "(u8[9]-u8[5])*f32[5]per[2]", RELAYOUT_SCALES_RANGE,
       DESTINATION(found, scales, found_points));
  expect_floats(scales, wanted_scales, COUNT(scales));
  assert_memory_equal(found_points, points, sizeof(points));
  assert_memory_equal(found, wanted, sizeof(wanted));
  move("f32[9]", SOURCE(values), "(s8[9]-s8[5])*f32[5]per[2]", RELAYOUT_SCALES_RANGE,
       DESTINATION(signed_found, scales, signed_points));
  expect_floats(scales, wanted_scales, COUNT(scales));
  assert_memory_equal(signed_points, points_below, sizeof(points_below));
  assert_memory_equal(signed_found, below, sizeof(below));
}

/* The zero point is by the scale as it is stored: 17 / 15 is 1 as a power of two. 2.5 is halfway
 * between 2 and 3, and 2 is even. A zero point is saturated to its own type too. */
static void test_points_by_stored_scales(void **state) {
  (void)state;
  static const float values[] = {-2.5F, 14.5F, -9, 6};
  uint8_t found[4], points[2], scales[2];
  move("f32[4]", SOURCE(values), "(u4[4]-u8[2])*f8e8m0fnu[2]", RELAYOUT_SCALES_RANGE,
       DESTINATION(found, scales, points));
  assert_int_equal(scales[0], 127);
  assert_int_equal(points[0], 2);
  assert_int_equal(found[0], 0);
  assert_int_equal(found[1], 15);
  assert_int_equal(points[1], 9);
  move("f32[4]", SOURCE(values), "(u4[4]-u2[2])*f8e8m0fnu[2]", RELAYOUT_SCALES_RANGE,
       DESTINATION(found, scales, points));
  assert_int_equal(points[0], 2);
  assert_int_equal(points[1], 3);
}

/* What is divided by an infinity is 0, and a NaN is 0 as an integer. */
static void test_ranges_without_end(void **state) {
  (void)state;
  static const float values[] = {INFINITY, 1, -INFINITY, 1, NAN, -1, -NAN, 1};
  static const int8_t wanted_points[] = {-128, 0, 0, 0};
  float scales[4];
  int8_t found[8], points[4];
  move("f32[8]", SOURCE(values), "(s8[8]-s8[4])*f32[4]", RELAYOUT_SCALES_RANGE,
       DESTINATION(found, scales, points));
  assert_true(isinf(scales[0]) && isinf(scales[1]) && scales[1] > 0);
  assert_true(isnan(scales[2]) && isnan(scales[3]));
  assert_memory_equal(points, wanted_points, sizeof(points));
}

/* ONNX's formula, as its operator says it, for a whole tensor of several boxes. It rounds quotients
 * to f32s before they become integers, by which some are one off; here they are rounded once. */
static void test_ranges_of_onnx(void **state) {
  (void)state;
  enum { ALL = 300 * 1000 };
  static float values[ALL];
  static uint8_t found[ALL];
  for (uint32_t round = 0; round < 4; ++round) {
    uint32_t random = round + 1;
    float least = 0, greatest = 0, scale;
    uint8_t point;
    for (int i = 0; i < ALL; ++i) {
      random = random * 1664525 + 1013904223;
      values[i] = ((float)(random >> 8) * 0x1p-24F - 0.3F * (float)round) * 7.31F;
      least = fminf(least, values[i]);
      greatest = fmaxf(greatest, values[i]);
    }
    const float wanted_scale = (greatest - least) / (255 - 0);
    const float between = fminf(fmaxf(0 - least / wanted_scale, 0), 255);
    const float wanted_point = nearbyintf(between);
    move("f32[300,1000]", SOURCE(values), "(u8[300,1000]-u8[1,1])*f32[1,1]", RELAYOUT_SCALES_RANGE,
         DESTINATION(found, &scale, &point));
    assert_true(scale == wanted_scale);
    assert_int_equal(point, (int)wanted_point);
    int off = 0;
    for (int i = 0; i < ALL; ++i) {
      const double once = nearbyint((double)values[i] / (double)wanted_scale) + wanted_point;
      const float twice = nearbyintf(values[i] / wanted_scale) + wanted_point;
      assert_int_equal(found[i], (int)fmin(fmax(once, 0), 255));
      off += found[i] != (int)fminf(fmaxf(twice, 0), 255);
    }
    assert_true(off < ALL / 10000);
  }
}

static void test_scale_of_zero(void **state) {
  (void)state;
  static const float values[] = {5, -5, INFINITY, 0, 1, 2};
  float scales[] = {0, 1};
  int8_t zero_points[] = {7, 7}, found[6];
  static const int8_t wanted[] = {7, 7, 7, 7, 8, 9};
  uint16_t halves[6];
  static const uint16_t wanted_halves[] = {0, 0, 0, 0, 0x3c00, 0x4000};
  move("f32[6]", SOURCE(values), "(s8[6]-s8[2])*f32[2]per[4]", RELAYOUT_SCALES_GIVEN,
       DESTINATION(found, scales, zero_points));
  assert_memory_equal(found, wanted, sizeof(wanted));
  move("f32[6]", SOURCE(values), "f16[6]*f32[2]per[4]", RELAYOUT_SCALES_GIVEN,
       DESTINATION(halves, scales));
  assert_memory_equal(halves, wanted_halves, sizeof(wanted_halves));
}

/* What lies beyond the greatest or the least finite element becomes that element, also infinities
 * and what is rounded to one; but not where the destination has no scales. */
static void test_saturation(void **state) {
  (void)state;
  static const struct {
    const char *to;
    float values[4];
    uint16_t wanted[4]; /* of one byte each, but for f16 and bf16 */
  } cases[] = {
      {"f8e4m3fn[4]*f32[1]", {1000, -1000, INFINITY, -INFINITY}, {0x7e, 0xfe, 0x7e, 0xfe}},
      {"f8e4m3fn[4]*f32[1]", {448, 464, -465, NAN}, {0x7e, 0x7e, 0xfe, 0x7f}},
      {"f8e5m2[4]*f32[1]", {57344, 61440, -INFINITY, NAN}, {0x7b, 0x7b, 0xfb, 0x7e}},
      {"f8e4m3fnuz[4]*f32[1]", {241, -1e30F, INFINITY, NAN}, {0x7f, 0xff, 0x7f, 0x80}},
      {"f4e2m1fn[4]*f32[1]", {7, -7, INFINITY, -INFINITY}, {7, 15, 7, 15}},
      {"f16[4]*f32[1]", {65519, 65520, -1e9F, INFINITY}, {0x7bff, 0x7bff, 0xfbff, 0x7bff}},
      {"bf16[4]*f32[1]", {3.4e38F, -INFINITY, INFINITY, NAN}, {0x7f7f, 0xff7f, 0x7f7f, 0x7fc0}},
      {"s8[4]*f32[1]", {127.5F, -129, INFINITY, NAN}, {127, 128, 127, 0}},
      {"u16[4]*f32[1]", {65536, -1, INFINITY, -INFINITY}, {65535, 0, 65535, 0}},
      {"f8e4m3fn[4]", {1000, -1000, INFINITY, 0}, {0x7f, 0xff, 0x7f, 0}},
      {"f16[4]", {65519, 65520, -1e9F, INFINITY}, {0x7bff, 0x7c00, 0xfc00, 0x7c00}},
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    const relayout_scaled_view to = scaled_of(cases[i].to);
    const bool is_narrow = relayout_element_type_bits(to.elements.shape.element_type) <= 8;
    float scale = 1;
    uint8_t found[8];
    print_message("case %zu, %s\n", i, cases[i].to);
    move("f32[4]", SOURCE(cases[i].values), cases[i].to, RELAYOUT_SCALES_GIVEN,
         DESTINATION(found, &scale));
    for (int j = 0; j < 4; ++j) {
      uint16_t element = found[j];
      if (!is_narrow) {
        memcpy(&element, found + 2 * j, sizeof(element));
      }
      assert_int_equal(element, cases[i].wanted[j]);
    }
  }
}

/* MX 1.0 divides by a power of two, with which the greatest elements may be beyond all others: the
 * scale of 15.9 is 2^(3 - 8), of which it is 508.8 and f8e4m3fn's greatest number 448. */
static void test_saturation_of_mx(void **state) {
  (void)state;
  static const float values[] = {15.9F, 1, -15.9F, 0};
  static const uint8_t wanted[] = {0x7e, 0x60, 0xfe, 0};
  uint8_t found[4], scale = 0;
  move("f32[4]", SOURCE(values), "f8e4m3fn[4]*f8e8m0fnu[1]", RELAYOUT_SCALES_POWER2,
       DESTINATION(found, &scale));
  assert_int_equal(scale, 127 - 5);
  assert_memory_equal(found, wanted, sizeof(wanted));
}

/* The greatest f32 over a scale below 1, and an infinity over one above. */
static void test_saturation_of_f32(void **state) {
  (void)state;
  static const float values[] = {3e38F, -3e38F, INFINITY, 1};
  static const uint32_t wanted[] = {0x7f7fffff, 0xff7fffff, 0x7f7fffff, 0x40000000};
  float scale = 0.5F;
  uint32_t found[4];
  move("f32[4]", SOURCE(values), "f32[4]*f32[1]", RELAYOUT_SCALES_GIVEN,
       DESTINATION(found, &scale));
  assert_memory_equal(found, wanted, sizeof(wanted));
  scale = 2;
  move("f32[4]", SOURCE(values), "f32[4]*f32[1]", RELAYOUT_SCALES_GIVEN,
       DESTINATION(found, &scale));
  assert_int_equal(found[2], 0x7f7fffff);
}

static void test_rounding(void **state) {
  (void)state;
  static const float values[] = {2.5F, -2.5F, 3.5F, 2.75F, -0.75F, 0.5F};
  static const int8_t nearest[] = {2, -2, 4, 3, -1, 0}, to_zero[] = {2, -2, 3, 2, 0, 0};
  const relayout_scaled_view from = scaled_of("f32[6]");
  const relayout_scaled_view to[] = {scaled_of("s8[6]*f32[1]"), scaled_of("s8[6]")};
  const relayout_source_memory source = SOURCE(values);
  float scale = 1;
  int8_t found[2][6];
  const relayout_destination_memory memory[] = {{found[0], &scale, NULL}, {found[1], NULL, NULL}};
  for (int i = 0; i < 2; ++i) {
    relayout_plan *const plan =
        plan_of(&from, to, 2, i == 0 ? RELAYOUT_ROUNDING_NEAREST : RELAYOUT_ROUNDING_ZERO);
    assert_int_equal(relayout_plan_execute_many(plan, &source, memory, NULL), RELAYOUT_OK);
    for (int j = 0; j < 2; ++j) {
      assert_memory_equal(found[j], i == 0 ? nearest : to_zero, sizeof(nearest));
    }
    relayout_plan_destroy(plan);
  }
}

/* ---- Several destinations ------------------------------------------------------------------- */

static void test_several_destinations(void **state) {
  (void)state;
  static const int8_t elements[] = {1, 2, 3, -4, 5, 6};
  static const float source_scales[] = {2, 4};
  static const uint16_t wanted_bf16[] = {0x4000, 0xc180, 0x4080, 0x41a0, 0x40c0, 0x41c0};
  static const float wanted_f32[] = {2, 4, 6, 9, -16, 20, 24, 9};
  const relayout_scaled_view from = scaled_of("s8[2,3]*f32[2,1]");
  relayout_scaled_view to[] = {scaled_of("bf16[2,3]{0,1}"), scaled_of("f32[2,3]{1,0:PD(2,4)PV(9)}"),
                               scaled_of("s8[2,3]*f32[2,1]"), scaled_of("s4[2,3]{1,0:E(4)}")};
  const relayout_source_memory source = SOURCE(elements, source_scales);
  uint16_t bf16[6];
  float f32[8], scales[2];
  int8_t s8[6];
  uint8_t s4[3];
  const relayout_destination_memory memory[] = {
      {bf16, NULL, NULL}, {f32, NULL, NULL}, {s8, scales, NULL}, {s4, NULL, NULL}};
  to[2].rule = RELAYOUT_SCALES_AMAX;
  relayout_plan *const plan = plan_of(&from, to, 4, RELAYOUT_ROUNDING_ZERO);
  assert_int_equal(relayout_plan_destination_count(plan), 4);
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(relayout_plan_execute_many(plan, &source, memory, NULL), RELAYOUT_OK);
  }
  assert_memory_equal(bf16, wanted_bf16, sizeof(bf16));
  expect_floats(f32, wanted_f32, 8);
  assert_true(scales[0] == 6.0F / 127 && scales[1] == 24.0F / 127);
  assert_int_equal(s8[0], 42);
  assert_int_equal(s8[3], -84);
  assert_int_equal(s8[5], 127);
  assert_int_equal(s4[0], 0x42);
  assert_int_equal(s4[1], 0x86); /* 6, then -16 in s4 */
  assert_int_equal(s4[2], 0x77);
  relayout_plan_destroy(plan);
}

/* A source's own bytes stay as they are where the type is the same. */
static void test_copies(void **state) {
  (void)state;
  static const uint32_t values[] = {0x7f800001, 0xffc12345, 0x80000000, 1};
  static const uint32_t turned[] = {0x7f800001, 0x80000000, 0xffc12345, 1};
  uint32_t found[4];
  move("f32[2,2]", SOURCE(values), "f32[2,2]{0,1}", RELAYOUT_SCALES_GIVEN, DESTINATION(found));
  assert_memory_equal(found, turned, sizeof(turned));
}

/* Floats that lie apart, or backwards, are taken where they are. */
static void test_strided_values(void **state) {
  (void)state;
  static const float values[] = {1, 2, 3, 4, 5, 6, 7, 8};
  static const struct {
    int64_t offset, strides[2];
    int8_t wanted[4];
  } cases[] = {
      {0, {8, 4}, {1, 2, 3, 4}},    {4, {16, 8}, {2, 4, 6, 8}}, {0, {4, 16}, {1, 5, 2, 6}},
      {16, {-8, -4}, {5, 4, 3, 2}}, {8, {4, 0}, {3, 3, 4, 4}},
  };
  float scale = 1;
  for (size_t i = 0; i < COUNT(cases); ++i) {
    relayout_scaled_view from = scaled_of("f32[2,2]");
    const relayout_scaled_view to = scaled_of("s8[2,2]*f32[1,1]");
    int8_t found[4];
    from.elements.is_strided = true;
    from.elements.byte_offset = cases[i].offset;
    memcpy(from.elements.byte_strides, cases[i].strides, sizeof(cases[i].strides));
    print_message("case %zu\n", i);
    relayout_plan *const plan = plan_of(&from, &to, 1, RELAYOUT_ROUNDING_NEAREST);
    assert_int_equal(execute(plan, SOURCE(values), DESTINATION(found, &scale)), RELAYOUT_OK);
    assert_memory_equal(found, cases[i].wanted, sizeof(found));
    relayout_plan_destroy(plan);
  }
}

static void test_destination_counts(void **state) {
  (void)state;
  const relayout_scaled_view view = scaled_of("s8[3]");
  const relayout_shape shape = shape_of("s8[3]");
  relayout_scaled_view to[RELAYOUT_MAX_RANK];
  static const int8_t elements[] = {1, 2, 3};
  const relayout_source_memory source = SOURCE(elements);
  int8_t found[16][3];
  relayout_destination_memory memory[16];
  relayout_plan *plan = NULL;
  for (int i = 0; i < 16; ++i) {
    to[i] = view;
    memory[i] = DESTINATION(found[i]);
  }
  plan = plan_of(&view, to, 16, RELAYOUT_ROUNDING_ZERO);
  assert_int_equal(relayout_plan_destination_count(plan), 16);
  assert_int_equal(relayout_plan_execute_many(plan, &source, memory, NULL), RELAYOUT_OK);
  for (int i = 0; i < 16; ++i) {
    assert_memory_equal(found[i], elements, sizeof(elements));
  }
  relayout_plan_destroy(plan);
  assert_int_equal(relayout_plan_create(device, &shape, &shape, NULL, &plan, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_destination_count(plan), 1);
  assert_int_equal(relayout_plan_execute_many(plan, &source, memory, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  relayout_plan_destroy(plan);
  assert_int_equal(relayout_plan_destination_count(NULL), 0);
}

/* ---- Block formats -------------------------------------------------------------------------- */

static const struct {
  relayout_block_format format;
  const char *name;
  int number;
  size_t bytes;
  /* Of (i * 7 % 32 - 13) / 8, as gguf-py has it. */
  uint8_t record[34];
} formats[] = {
    {RELAYOUT_BLOCK_FORMAT_Q4_0,
     "q4_0",
     2,
     18,
     {128, 180, 126, 75, 8, 196, 129, 92, 41, 214, 163, 112, 75, 24, 197, 146, 109, 58}},
    {RELAYOUT_BLOCK_FORMAT_Q4_1, "q4_1", 3, 20, {34,  52, 128, 190, 128, 179, 247, 42, 110, 145,
                                                 213, 8,  76,  127, 179, 230, 42,  93, 145, 196}},
    {RELAYOUT_BLOCK_FORMAT_Q5_0, "q5_0", 6, 22, {128, 176, 99,  204, 152, 49,  220, 117,
                                                 31,  121, 19,  185, 67,  188, 70,  224,
                                                 134, 32,  138, 36,  202, 84}},
    {RELAYOUT_BLOCK_FORMAT_Q5_1, "q5_1", 7, 24, {0,   48,  128, 190, 152, 51,  103, 204,
                                                 0,   119, 238, 85,  204, 51,  170, 17,
                                                 136, 255, 102, 221, 68,  187, 34,  153}},
    {RELAYOUT_BLOCK_FORMAT_Q8_0, "q8_0", 8, 34, {137, 36, 164, 214, 7,   56, 106, 185, 235,
                                                 28,  78, 127, 207, 0,   49, 99,  178, 228,
                                                 21,  71, 120, 200, 249, 42, 92,  171, 221,
                                                 14,  64, 113, 192, 242, 35, 85}},
    {RELAYOUT_BLOCK_FORMAT_MXFP4,
     "mxfp4",
     39,
     17,
     {126, 29, 75, 96, 196, 6, 60, 89, 210, 165, 22, 75, 96, 195, 149, 45, 90}},
};

static void test_format_table(void **state) {
  (void)state;
  relayout_error error = {.message = ""};
  relayout_block_format parsed = RELAYOUT_BLOCK_FORMAT_NONE;
  for (size_t i = 0; i < COUNT(formats); ++i) {
    assert_int_equal(formats[i].format, formats[i].number);
    assert_string_equal(relayout_block_format_name(formats[i].format), formats[i].name);
    assert_int_equal(relayout_block_format_record_bytes(formats[i].format), formats[i].bytes);
    assert_int_equal(relayout_block_format_parse(formats[i].name, &parsed, &error), RELAYOUT_OK);
    assert_int_equal(parsed, formats[i].format);
  }
  assert_string_equal(relayout_block_format_name(RELAYOUT_BLOCK_FORMAT_NONE), "none");
  assert_string_equal(relayout_block_format_name((relayout_block_format)1), "none");
  assert_string_equal(relayout_block_format_name((relayout_block_format)-1), "none");
  assert_int_equal(relayout_block_format_record_bytes(RELAYOUT_BLOCK_FORMAT_NONE), 0);
  assert_int_equal(relayout_block_format_record_bytes((relayout_block_format)12), 0);
  static const char *const others[] = {"", "Q8_0", "q8_0 ", " q8_0", "q8_1", "q8_", "q8_00", "f32"};
  for (size_t i = 0; i < COUNT(others); ++i) {
    assert_int_equal(relayout_block_format_parse(others[i], &parsed, &error),
                     RELAYOUT_INVALID_TEXT);
  }
  assert_int_not_equal(relayout_block_format_parse(NULL, &parsed, NULL), RELAYOUT_OK);
  assert_int_not_equal(relayout_block_format_parse("q8_0", NULL, NULL), RELAYOUT_OK);
}

static void test_records(void **state) {
  (void)state;
  float values[2][RELAYOUT_BLOCK_ELEMENTS];
  for (int i = 0; i < 2 * RELAYOUT_BLOCK_ELEMENTS; ++i) {
    values[i % 2][i / 2] = (float)(i / 2 * 7 % 32 - 13) / 8;
  }
  for (size_t i = 0; i < COUNT(formats); ++i) {
    const size_t bytes = formats[i].bytes;
    uint8_t found[2 * 34];
    char text[32];
    print_message("%s\n", formats[i].name);
    snprintf(text, sizeof(text), "%s[2,32]", formats[i].name);
    move("f32[2,32]", SOURCE(values), text, RELAYOUT_SCALES_GIVEN, DESTINATION(found));
    assert_memory_equal(found, formats[i].record, bytes);
    assert_memory_equal(found + bytes, formats[i].record, bytes);
    snprintf(text, sizeof(text), "%s[32,2]{0,1}", formats[i].name);
    memset(found, 0, sizeof(found));
    move("f32[32,2]{0,1}", SOURCE(values), text, RELAYOUT_SCALES_GIVEN, DESTINATION(found));
    assert_memory_equal(found, formats[i].record, bytes);
    assert_memory_equal(found + bytes, formats[i].record, bytes);
  }
}

/* Rows of records from columns. */
static void test_turned_records(void **state) {
  (void)state;
  float values[RELAYOUT_BLOCK_ELEMENTS][2];
  uint8_t found[2 * 34];
  for (int i = 0; i < RELAYOUT_BLOCK_ELEMENTS; ++i) {
    values[i][0] = (float)(127 - i);
    values[i][1] = (float)(i - 127);
  }
  move("f32[2,32]{0,1}", SOURCE(values), "q8_0[2,32]", RELAYOUT_SCALES_GIVEN, DESTINATION(found));
  for (int i = 0; i < RELAYOUT_BLOCK_ELEMENTS; ++i) {
    assert_int_equal((int8_t)found[2 + i], 127 - i);
    assert_int_equal((int8_t)found[34 + 2 + i], i - 127);
  }
}

/* Four rows' scales, then eight bytes of each row's elements in turn, with the upper bit of every
 * element turned; and back, to the bit. */
static void test_interleaved_records(void **state) {
  (void)state;
  enum { ROWS = 4, BYTES = 18 };
  uint8_t plain[ROWS * BYTES], together[ROWS * BYTES], found[ROWS * BYTES];
  for (int r = 0; r < ROWS; ++r) {
    plain[r * BYTES] = together[2 * r] = (uint8_t)r;
    plain[r * BYTES + 1] = together[2 * r + 1] = 0x3c;
    for (int i = 0; i < 16; ++i) {
      const uint8_t pair = (uint8_t)(r * 16 + i + 1); /* no row has an element of -8 */
      plain[r * BYTES + 2 + i] = pair;
      together[2 * ROWS + i / 8 * 8 * ROWS + r * 8 + i % 8] = pair ^ 0x88;
    }
  }
  move("q4_0[4,32]", SOURCE(plain), "q4_0_4_8[4,32]", RELAYOUT_SCALES_GIVEN, DESTINATION(found));
  assert_memory_equal(found, together, sizeof(found));
  memset(found, 0, sizeof(found));
  move("q4_0_4_8[4,32]", SOURCE(together), "q4_0[4,32]", RELAYOUT_SCALES_GIVEN, DESTINATION(found));
  assert_memory_equal(found, plain, sizeof(found));
}

/* Runs of four bytes, of eight rows, and one value that is found again. */
static void test_interleaved_values(void **state) {
  (void)state;
  static float values[8][64], read[8][64];
  static uint8_t records[8 * 2 * 34];
  for (int r = 0; r < 8; ++r) {
    values[r][40] = 127.0F * (float)(r + 1);
  }
  move("f32[8,64]", SOURCE(values), "q8_0_8_4[8,64]", RELAYOUT_SCALES_GIVEN, DESTINATION(records));
  const uint8_t *const second = records + 8 * 34; /* elements 32 to 63 of all rows */
  for (int r = 0; r < 8; ++r) {
    const int run = 8 / 4; /* element 40 is the first of the third run of four */
    assert_int_equal(second[8 * 2 + (run * 8 + r) * 4], 127);
  }
  move("q8_0_8_4[8,64]", SOURCE(records), "f32[8,64]", RELAYOUT_SCALES_GIVEN, DESTINATION(read));
  assert_memory_equal(read, values, sizeof(read));
}

/* Numbers that f32 does not hold, and products and quotients of them, rounded once: to a double
 * first, the first product would become the number halfway between two f32s, and then the even
 * one. */
static void test_wide_elements(void **state) {
  (void)state;
  const int32_t integers[2] = {1628739979, INT32_MAX};
  const float scales[2] = {16336419.0F, 0x1p20F}, one[1] = {1}, small[1] = {0x1p-30F};
  const uint32_t largest = UINT32_MAX;
  uint32_t bits;
  const double doubles[4] = {0.5 + 0x1p-40, -0.5, 2147483652.0, -1e300}, two[1] = {1.5};
  const int8_t points[1] = {-10}, bytes[2] = {3, -128};
  const float tenths[2] = {0.1F, 0.1F}, three[1] = {3};
  float made[2], whole;
  int64_t long_integers[2];
  int8_t rounded[4];
  int32_t words[4];
  double exact[2];
  move("s32[2]*f32[2]", SOURCE(integers, scales), "f32[2]", RELAYOUT_SCALES_GIVEN,
       DESTINATION(made));
  memcpy(&bits, made, sizeof(bits));
  assert_int_equal(bits, 0x5abd0f45);
  move("s32[2]*f32[2]", SOURCE(integers, scales), "s64[2]", RELAYOUT_SCALES_GIVEN,
       DESTINATION(long_integers));
  assert_int_equal(long_integers[1], 2251799812636672);
  move("u32[1]*f32[1]", SOURCE(&largest, one), "f32[1]", RELAYOUT_SCALES_GIVEN,
       DESTINATION(&whole));
  assert_true(whole == 4294967296.0F);
  move("f64[4]", SOURCE(doubles), "s8[4]*f32[1]", RELAYOUT_SCALES_GIVEN,
       DESTINATION(rounded, (void *)(uintptr_t)one));
  assert_memory_equal(rounded, ((const int8_t[4]){1, 0, 127, -128}), 4);
  move("f64[4]", SOURCE(doubles), "(s32[4]-s8[1])*f32[1]", RELAYOUT_SCALES_GIVEN,
       DESTINATION(words, (void *)(uintptr_t)one, (void *)(uintptr_t)points));
  assert_memory_equal(words, ((const int32_t[4]){-9, -10, 2147483642, INT32_MIN}), 16);
  move("f32[1]", SOURCE(three), "s32[1]*f32[1]", RELAYOUT_SCALES_GIVEN,
       DESTINATION(words, (void *)(uintptr_t)small));
  assert_int_equal(words[0], INT32_MAX); /* 3 * 2^30 is beyond */
  move("s8[2]*f32[2]", SOURCE(bytes, tenths), "f64[2]", RELAYOUT_SCALES_GIVEN, DESTINATION(exact));
  assert_true(exact[0] == 40265319 * 0x1p-27); /* 0.1f is 13421773 / 2^27 */
  move("f64[1]", SOURCE(two), "s32[1]*f32[1]", RELAYOUT_SCALES_GIVEN,
       DESTINATION(words, (void *)(uintptr_t)small));
  assert_int_equal(words[0], 1610612736);
}

/* All numbers of rows and bytes: of records of any bits, each byte where the definition has it, and
 * back. */
static void test_interleaved_forms(void **state) {
  (void)state;
  enum { MOST_OF_ROWS = 128, IN_ROW = 2, MOST_BYTES = MOST_OF_ROWS * IN_ROW * 34 };
  static const struct {
    const char *name;
    int bytes, scale, turned;
  } kinds[] = {{"q4_0", 18, 2, 0x88}, {"q8_0", 34, 2, 0}, {"mxfp4", 17, 1, 0}};
  static const int runs[] = {1, 4, 8};
  static uint8_t plain[MOST_BYTES], together[MOST_BYTES], found[MOST_BYTES];
  for (size_t i = 0; i < MOST_BYTES; ++i) {
    plain[i] = (uint8_t)(i * 2654435761U >> 13);
  }
  for (size_t f = 0; f < COUNT(kinds); ++f) {
    for (int rows = 4; rows <= 64; rows *= 2) {
      for (size_t k = 0; k < COUNT(runs); ++k) {
        const int bytes = kinds[f].bytes, scale = kinds[f].scale, run = runs[k];
        for (int i = 0; i < 2 * rows * IN_ROW * bytes; ++i) {
          const int row = i / bytes / IN_ROW, block = i / bytes % IN_ROW, b = i % bytes;
          uint8_t *const of_rows = together + (row / rows * IN_ROW + block) * rows * bytes;
          const int element = b - scale;
          of_rows[b < scale
                      ? row % rows * scale + b
                      : rows * scale + (element / run * rows + row % rows) * run + element % run] =
              (uint8_t)(plain[i] ^ (b < scale ? 0 : kinds[f].turned));
        }
        char from[32], to[32];
        snprintf(from, sizeof(from), "%s[%d,64]", kinds[f].name, 2 * rows);
        snprintf(to, sizeof(to), "%s_%d_%d[%d,64]", kinds[f].name, rows, run, 2 * rows);
        print_message("%s to %s and back\n", from, to);
        move(from, SOURCE(plain), to, RELAYOUT_SCALES_GIVEN, DESTINATION(found));
        assert_memory_equal(found, together, (size_t)(2 * rows * IN_ROW * bytes));
        move(to, SOURCE(together), from, RELAYOUT_SCALES_GIVEN, DESTINATION(found));
        assert_memory_equal(found, plain, (size_t)(2 * rows * IN_ROW * bytes));
      }
    }
  }
}

/* Records lie where the view says, too. */
static void test_offset_of_records(void **state) {
  (void)state;
  relayout_scaled_view from = scaled_of("q8_0[32]"), to = from;
  uint8_t source[4 + 34] = {9, 9, 9, 9, 0, 0x3c, 127, 1, 2}, found[6 + 34 + 6];
  from.elements.byte_offset = 4;
  to.elements.byte_offset = 6;
  memset(found, 9, sizeof(found));
  relayout_plan *const plan = plan_of(&from, &to, 1, RELAYOUT_ROUNDING_ZERO);
  assert_int_equal(execute(plan, SOURCE(source), DESTINATION(found)), RELAYOUT_OK);
  assert_memory_equal(found + 6, source + 4, 34);
  for (int i = 0; i < 6; ++i) {
    assert_int_equal(found[i], 9);
    assert_int_equal(found[6 + 34 + i], 9);
  }
  relayout_plan_destroy(plan);
}

/* A NaN is the positive one on all machines: of a scale that is NaN, and of 0 times infinity. */
static void test_nan_of_records(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint8_t record[34];
    size_t at;
  } cases[] = {
      {"q8_0[32]", {1, 0x7c, 1}, 0},          {"q8_0[32]", {0x33, 0xfe, 1}, 0},
      {"q8_0[32]", {0, 0x7c, 1}, 1},          {"q8_0[32]", {0, 0xfc, 1}, 1},
      {"q4_0[32]", {0, 0x7c, 0x18}, 0},       {"q5_0[32]", {0, 0xfc, 1, 0, 0, 0, 0x10}, 0},
      {"q4_1[32]", {0, 0x7c, 0, 0xfc, 1}, 0}, {"q5_1[32]", {0, 0, 1, 0xfc, 1}, 0},
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    uint32_t found[RELAYOUT_BLOCK_ELEMENTS];
    print_message("case %zu, %s\n", i, cases[i].text);
    move(cases[i].text, SOURCE(cases[i].record), "f32[32]", RELAYOUT_SCALES_GIVEN,
         DESTINATION(found));
    assert_int_equal(found[cases[i].at], 0x7fc00000);
  }
}

/* ggml's exponent is floorf(log2f(amax)) - 2, and f32 does not tell the logarithms of the few
 * numbers before a power of two from its own: the more, the greater the logarithm. */
static void test_scale_of_mxfp4(void **state) {
  (void)state;
  static const struct {
    uint32_t value;
    uint8_t record[2];
  } cases[] = {
      {0, {0, 0}},
      {0x41000000, {128, 6}}, /* 8 is 2 * 4 */
      {0xc1000000, {128, 14}},
      {0x40fff000, {127, 7}}, /* 6 at most */
      {0x3f7fffff, {124, 7}}, /* below 1, 2, 4 and 8 */
      {0x3fffffff, {125, 7}},
      {0x407fffff, {126, 7}},
      {0x40ffffff, {128, 6}},
      {0x40fffffe, {127, 7}},
      {0x41ffffff, {130, 6}}, /* 2^5: 2^-22 is more than 2 * 1.44 * 2^-24, but not 3 * */
      {0x41fffffe, {130, 6}},
      {0x41fffffd, {129, 7}},
      {0x477ffffb, {141, 6}}, /* 2^16 */
      {0x477ffffa, {140, 7}},
      {0x4f7ffff5, {157, 6}}, /* 2^32 */
      {0x4f7ffff4, {156, 7}},
      {0x5f7fffea, {189, 6}}, /* 2^64 */
      {0x5f7fffe9, {188, 7}},
      {0x7e7fffd4, {251, 6}}, /* 2^126 */
      {0x7e7fffd3, {250, 7}},
      {0x3effffff, {123, 7}}, /* below 1/2, 1/4 and 1/8 */
      {0x3e7fffff, {123, 6}},
      {0x3e7ffffe, {122, 7}},
      {0x3dffffff, {122, 6}},
      {0x3dfffffe, {121, 7}},
      {0x7f7fffff, {253, 5}}, /* with 2^128: 8 * 2^125 is an infinity already, 6 is the nearest */
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    const uint32_t values[RELAYOUT_BLOCK_ELEMENTS] = {cases[i].value};
    uint8_t found[17];
    print_message("case %zu\n", i);
    move("f32[32]", SOURCE(values), "mxfp4[32]", RELAYOUT_SCALES_GIVEN, DESTINATION(found));
    assert_memory_equal(found, cases[i].record, 2);
  }
}

/* What a record of each format stands for, worked out by hand. */
static void test_values_of_records(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint8_t record[34];
    float first, second, seventeenth;
  } cases[] = {
      {"q4_0[32]", {0, 0x38, 0x90}, -4, -4, 0.5F},            /* 0.5 * (0 - 8), (9 - 8) */
      {"q4_1[32]", {0, 0x38, 0, 0xc0, 0x92}, -1, -2, 2.5F},   /* 0.5 * 2 - 2, 0.5 * 9 - 2 */
      {"q5_0[32]", {0, 0x38, 1, 0, 1, 0, 0x92}, 1, -8, 4.5F}, /* 0.5 * (18 - 16), (25 - 16) */
      {"q5_1[32]", {0, 0x38, 0, 0xc0, 1, 0, 1, 0, 0x92}, 7, -2, 10.5F},
      {"q8_0[32]", {0, 0x38, 0x80, 3}, -64, 1.5F, 0},
      {"mxfp4[32]", {128, 0xf1}, 1, 0, -12}, /* 2 * 0.5, 2 * -6 */
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    float found[RELAYOUT_BLOCK_ELEMENTS];
    print_message("%s\n", cases[i].text);
    move(cases[i].text, SOURCE(cases[i].record), "f32[32]", RELAYOUT_SCALES_GIVEN,
         DESTINATION(found));
    assert_true(found[0] == cases[i].first);
    assert_true(found[1] == cases[i].second);
    assert_true(found[16] == cases[i].seventeenth);
  }
}

static void test_sizes(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t bytes;
  } cases[] = {
      {"q8_0[3,64]", 3 * 2 * 34},  {"mxfp4[32,5]{0,1}", 5 * 17}, {"q4_0[0,32]", 0},
      {"s4[3,5]{1,0:E(4)}", 8},    {"s8[3,5]*f32[3,1]", 15},     {"f32[2,3]{1,0:PD(2,4)}", 32},
      {"(u8[7]-u8[1])*f16[1]", 7},
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    const relayout_scaled_view view = scaled_of(cases[i].text);
    size_t bytes = 99;
    assert_int_equal(relayout_scaled_view_elements_size(&view, &bytes, NULL), RELAYOUT_OK);
    assert_int_equal(bytes, cases[i].bytes);
  }
}

/* ---- Text ----------------------------------------------------------------------------------- */

/* Each as it is parsed and as it is printed. */
static void test_texts(void **state) {
  (void)state;
  static const char *const texts[] = {
      "f32[]",
      "s8[4,4]",
      "s8[4,4]{0,1}",
      "q8_0[2,64]",
      "mxfp4[64,2]{0,1}",
      "q4_0_4_8[8,64]",
      "mxfp4_8_4[64,8]{0,1}",
      "q4_0_16_1[16,64]",
      "mxfp4_64_8[128,32]",
      "s8[4,4]*f32[4,1]",
      "s8[100]*f32[7]",
      "s8[65]*f16[3]per[22]",
      "(u4[8,64]{1,0:E(4)}-u4[8,2])*f16[8,2]",
      "( u4 [8 , 64] - u4[8,2] ) * f16[8,2] per [ 1 , 32 ]",
      "s8[2,3]*f8e8m0fnu[1,1]per[5,3]",
  };
  for (size_t i = 0; i < COUNT(texts); ++i) {
    const relayout_scaled_view view = scaled_of(texts[i]);
    char text[3 * RELAYOUT_SHAPE_TEXT_SIZE], part[8];
    const size_t length = relayout_scaled_view_format(&view, text, sizeof(text));
    print_message("%s is %s\n", texts[i], text);
    assert_int_equal(length, strlen(text));
    const relayout_scaled_view again = scaled_of(text);
    assert_true(relayout_scaled_view_equal(&view, &again));
    assert_int_equal(relayout_scaled_view_format(&view, NULL, 0), length);
    assert_int_equal(relayout_scaled_view_format(&view, part, sizeof(part)), length);
    assert_int_equal(strncmp(part, text, sizeof(part) - 1), 0);
    assert_int_equal(part[sizeof(part) - 1 < length ? sizeof(part) - 1 : length], 0);
  }
}

/* Refused, at a column unless that is 0. */
static void test_wrong_texts(void **state) {
  (void)state;
  static const struct {
    const char *text;
    relayout_status status;
    int column;
  } cases[] = {
      {"", RELAYOUT_INVALID_TEXT, 1},
      {"s9[4]", RELAYOUT_INVALID_TEXT, 1},
      {"s8[4]*", RELAYOUT_INVALID_TEXT, 7},
      {"s8[4]*f32[1] per", RELAYOUT_INVALID_TEXT, 17},
      {"s8[4]*f32[1] pre[4]", RELAYOUT_INVALID_TEXT, 14},
      {"s8[4]*f32[1]per[4", RELAYOUT_INVALID_TEXT, 18},
      {"s8[4]*f32[1]per[4,4]", RELAYOUT_INVALID_TEXT, 0},
      {"s8[4]*f32[1]per[]", RELAYOUT_INVALID_TEXT, 0},
      {"s8[4]*f32[1] x", RELAYOUT_INVALID_TEXT, 14},
      {"s8[4] per[4]", RELAYOUT_INVALID_TEXT, 7},
      {"s8[4]-s8[1]", RELAYOUT_INVALID_TEXT, 6},
      {"(s8[4]-s8[1])", RELAYOUT_INVALID_TEXT, 14},
      {"(s8[4]*f32[1]", RELAYOUT_INVALID_TEXT, 7},
      {"(s8[4]-s8[1]*f32[1]", RELAYOUT_INVALID_TEXT, 13},
      {"q8_0", RELAYOUT_INVALID_TEXT, 5},
      {"q8_0[32", RELAYOUT_INVALID_TEXT, 8},
      {"q8_0[32]*f32[1]", RELAYOUT_INVALID_TEXT, 9},
      {"q8_0[-32]", RELAYOUT_INVALID_SHAPE, 0},     /* as in a shape */
      {"s8[5]*f32[4]", RELAYOUT_SHAPE_MISMATCH, 0}, /* no group size makes 4 of 5 */
      {"s8[5]*f32[1,1]", RELAYOUT_SHAPE_MISMATCH, 0},
      {"s8[5]*f32[2]per[2]", RELAYOUT_SHAPE_MISMATCH, 0},
      {"(s8[4]-s8[2])*f32[1]", RELAYOUT_SHAPE_MISMATCH, 0},
      {"s8[4]*s8[1]", RELAYOUT_UNSUPPORTED, 0},
      {"s8[4]*f64[1]", RELAYOUT_UNSUPPORTED, 0},
      {"s8[4]*f4e2m1fn[1]", RELAYOUT_UNSUPPORTED, 0},
      {"(s8[4]-s32[1])*f32[1]", RELAYOUT_UNSUPPORTED, 0},
      {"(s8[4]-f16[1])*f32[1]", RELAYOUT_UNSUPPORTED, 0},
      {"q8_0[33]", RELAYOUT_INVALID_ARGUMENT, 0},
      {"q8_0[32]{0:T(8)}", RELAYOUT_UNSUPPORTED, 0},
      {"q8_0[32]{0:PD(64)}", RELAYOUT_UNSUPPORTED, 0},
      {"q8_0[]", RELAYOUT_UNSUPPORTED, 0},
      {"q8_0[32,2]", RELAYOUT_INVALID_ARGUMENT, 0},
      {"q8_0_4_4[6,32]", RELAYOUT_INVALID_ARGUMENT, 0},
      {"q8_0_4_4[32]", RELAYOUT_INVALID_ARGUMENT, 0},
      {"q5_1_4_4[4,32]", RELAYOUT_UNSUPPORTED, 0},
      {"q8_0_2_4[4,32]", RELAYOUT_INVALID_TEXT, 1},
      {"q8_0_4_2[4,32]", RELAYOUT_INVALID_TEXT, 1},
      {"q8_0_1_4[4,32]", RELAYOUT_INVALID_TEXT, 1},
      {"q8_0_16_1[24,32]", RELAYOUT_INVALID_ARGUMENT, 0},
      {"q8_0_4[4,32]", RELAYOUT_INVALID_TEXT, 1},
  };
  int wrong = 0;
  for (size_t i = 0; i < COUNT(cases); ++i) {
    relayout_scaled_view view;
    relayout_error error = {.message = ""};
    char column[32];
    const relayout_status status = relayout_scaled_view_parse(cases[i].text, &view, &error);
    snprintf(column, sizeof(column), "column %d", cases[i].column);
    const char *const said = strstr(error.message, column);
    const bool is_there =
        cases[i].column == 0 ||
        (said != NULL && (said[strlen(column)] < '0' || said[strlen(column)] > '9'));
    if (status != cases[i].status || !is_there) {
      print_message("'%s': status %d, not %d, at column %d: %s\n", cases[i].text, (int)status,
                    (int)cases[i].status, cases[i].column, error.message);
      wrong += 1;
    }
  }
  assert_int_equal(wrong, 0);
}

/* ---- Views ---------------------------------------------------------------------------------- */

static void test_making(void **state) {
  (void)state;
  const relayout_shape elements_shape = shape_of("s4[6,64]"), scales_shape = shape_of("f16[6,2]");
  const relayout_shape points_shape = shape_of("u4[6,2]");
  relayout_view elements, scales, points;
  relayout_scaled_view made;
  const int64_t sizes[] = {1, 32};
  const int64_t dimensions[] = {64, 3};
  const int32_t order[] = {0, 1};
  relayout_view_make(&elements_shape, &elements, NULL);
  relayout_view_make(&scales_shape, &scales, NULL);
  relayout_view_make(&points_shape, &points, NULL);
  assert_int_equal(relayout_scaled_view_make(&elements, &made, NULL), RELAYOUT_OK);
  relayout_scaled_view wanted = scaled_of("s4[6,64]");
  assert_true(relayout_scaled_view_equal(&made, &wanted));
  assert_int_equal(relayout_scaled_view_add_scales(&made, &scales, NULL, sizes, NULL), RELAYOUT_OK);
  wanted = scaled_of("s4[6,64]*f16[6,2]");
  assert_true(relayout_scaled_view_equal(&made, &wanted));
  assert_int_equal(relayout_scaled_view_make(&elements, &made, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_scaled_view_add_scales(&made, &scales, &points, NULL, NULL),
                   RELAYOUT_OK);
  assert_false(relayout_scaled_view_equal(&made, &wanted));
  wanted = scaled_of("(s4[6,64]-u4[6,2])*f16[6,2]");
  assert_true(relayout_scaled_view_equal(&made, &wanted));
  made.rule = RELAYOUT_SCALES_AMAX;
  assert_false(relayout_scaled_view_equal(&made, &wanted));
  assert_int_equal(relayout_scaled_view_make_blocks(RELAYOUT_BLOCK_FORMAT_Q5_1, 2, dimensions,
                                                    order, &made, NULL),
                   RELAYOUT_OK);
  wanted = scaled_of("q5_1[64,3]{0,1}");
  assert_true(relayout_scaled_view_equal(&made, &wanted));
  assert_int_not_equal(relayout_scaled_view_make_blocks(RELAYOUT_BLOCK_FORMAT_Q5_1, 2, dimensions,
                                                        NULL, &made, NULL),
                       RELAYOUT_OK);
}

typedef void (*spoiler)(relayout_scaled_view *view);

static void spoil_group(relayout_scaled_view *view) {
  view->group_sizes[0] = 0;
}
static void spoil_rule(relayout_scaled_view *view) {
  view->rule = (relayout_scale_rule)(RELAYOUT_SCALES_RANGE + 1);
}
static void spoil_format(relayout_scaled_view *view) {
  view->block_format = (relayout_block_format)5;
}
static void spoil_by_format(relayout_scaled_view *view) {
  view->block_format = RELAYOUT_BLOCK_FORMAT_Q8_0;
}
static void spoil_scales(relayout_scaled_view *view) {
  view->has_scales = false;
}
static void spoil_scale_count(relayout_scaled_view *view) {
  view->scales.shape.dimensions[0] = 2;
}
static void spoil_scale_type(relayout_scaled_view *view) {
  view->scales.shape.element_type = RELAYOUT_S8;
}
static void spoil_zero_points(relayout_scaled_view *view) {
  view->zero_points.shape.dimensions[0] = 2;
}
static void spoil_zero_point_type(relayout_scaled_view *view) {
  view->zero_points.shape.element_type = RELAYOUT_F32;
}
static void spoil_elements(relayout_scaled_view *view) {
  view->elements.shape.dimensions[0] = -1;
}
static void spoil_nothing(relayout_scaled_view *view) {
  (void)view;
}

static void test_validation(void **state) {
  (void)state;
  static const struct {
    spoiler spoil;
    relayout_status status;
  } cases[] = {
      {spoil_nothing, RELAYOUT_OK},
      {spoil_group, RELAYOUT_INVALID_ARGUMENT},
      {spoil_rule, RELAYOUT_INVALID_ARGUMENT},
      {spoil_format, RELAYOUT_INVALID_ARGUMENT},
      {spoil_by_format, RELAYOUT_INVALID_ARGUMENT},
      {spoil_scales, RELAYOUT_INVALID_ARGUMENT}, /* zero points need them */
      {spoil_scale_count, RELAYOUT_SHAPE_MISMATCH},
      {spoil_scale_type, RELAYOUT_UNSUPPORTED},
      {spoil_zero_points, RELAYOUT_SHAPE_MISMATCH},
      {spoil_zero_point_type, RELAYOUT_UNSUPPORTED},
      {spoil_elements, RELAYOUT_INVALID_SHAPE},
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    relayout_scaled_view view = scaled_of("(s8[64]-s8[1])*f32[1]");
    cases[i].spoil(&view);
    print_message("case %zu\n", i);
    assert_int_equal(relayout_scaled_view_validate(&view, NULL), cases[i].status);
  }
  relayout_scaled_view blocks = scaled_of("q8_0[2,32]");
  assert_int_equal(relayout_scaled_view_validate(&blocks, NULL), RELAYOUT_OK);
  blocks.elements.shape.element_type = RELAYOUT_F16;
  assert_int_not_equal(relayout_scaled_view_validate(&blocks, NULL), RELAYOUT_OK);
  blocks = scaled_of("q8_0[2,32]");
  blocks.elements.shape.layout.tail_padding_alignment_in_elements = 1024;
  assert_int_not_equal(relayout_scaled_view_validate(&blocks, NULL), RELAYOUT_OK);
  blocks = scaled_of("q8_0[2,32]");
  blocks.elements.shape.layout.minor_to_major[0] = 0;
  blocks.elements.shape.layout.minor_to_major[1] = 1;
  assert_int_equal(relayout_scaled_view_validate(&blocks, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_scaled_view_validate(NULL, NULL), RELAYOUT_INVALID_ARGUMENT);
}

/* ---- Refusals ------------------------------------------------------------------------------- */

static void test_refused_plans(void **state) {
  (void)state;
  static const struct {
    const char *from, *to;
    relayout_scale_rule rule;
    relayout_status status;
  } cases[] = {
      {"f32[4]", "f32[5]", RELAYOUT_SCALES_GIVEN, RELAYOUT_SHAPE_MISMATCH},
      {"f32[4]", "f32[2,2]", RELAYOUT_SCALES_GIVEN, RELAYOUT_SHAPE_MISMATCH},
      {"f32[4]", "s32[4]*f32[1]", RELAYOUT_SCALES_AMAX, RELAYOUT_UNSUPPORTED},
      {"f32[4]", "f64[4]*f32[1]", RELAYOUT_SCALES_AMAX, RELAYOUT_UNSUPPORTED},
      {"u64[4]*f32[1]", "f32[4]", RELAYOUT_SCALES_GIVEN, RELAYOUT_UNSUPPORTED},
      {"c64[4]", "f32[4]", RELAYOUT_SCALES_GIVEN, RELAYOUT_UNSUPPORTED},
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    relayout_plan *plan = NULL;
    relayout_scaled_view from, to;
    relayout_error error = {.message = ""};
    relayout_status status = relayout_scaled_view_parse(cases[i].from, &from, &error);
    status = status == RELAYOUT_OK ? relayout_scaled_view_parse(cases[i].to, &to, &error) : status;
    if (status == RELAYOUT_OK) { /* views of such types may be refused already */
      to.rule = cases[i].rule;
      status = relayout_plan_create_many(device, &from, &to, 1, NULL, &plan, &error);
    }
    print_message("%s to %s: %s\n", cases[i].from, cases[i].to, error.message);
    assert_int_equal(status, cases[i].status);
    assert_null(plan);
  }
}

static void test_invalid_arguments(void **state) {
  (void)state;
  const relayout_scaled_view from = scaled_of("f32[4]"), to = scaled_of("s8[4]*f32[1]");
  const relayout_scaled_view plain = scaled_of("s8[4]");
  relayout_scaled_view changed[17];
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  relayout_plan *plan = NULL;
  relayout_error error;
#define EXPECT_INVALID(...)                                                                        \
  assert_int_equal(relayout_plan_create_many(__VA_ARGS__, &error), RELAYOUT_INVALID_ARGUMENT)
  EXPECT_INVALID(NULL, &from, &to, 1, NULL, &plan);
  EXPECT_INVALID(device, NULL, &to, 1, NULL, &plan);
  EXPECT_INVALID(device, &from, NULL, 1, NULL, &plan);
  EXPECT_INVALID(device, &from, &to, 1, NULL, NULL);
  EXPECT_INVALID(device, &from, &to, 0, NULL, &plan);
  EXPECT_INVALID(device, &from, &to, -1, NULL, &plan);
  for (int i = 0; i < 17; ++i) {
    changed[i] = plain;
  }
  EXPECT_INVALID(device, &from, changed, 17, NULL, &plan);
  options.scale = INFINITY;
  EXPECT_INVALID(device, &from, &plain, 1, &options, &plan);
  options.scale = 1;
  options.overflow = RELAYOUT_OVERFLOW_WRAP;
  EXPECT_INVALID(device, &from, &to, 1, &options, &plan);
  assert_int_equal(relayout_plan_create_many(device, &from, &plain, 1, &options, &plan, NULL),
                   RELAYOUT_OK);
  relayout_plan_destroy(plan);
  changed[0].elements.is_read_only = true;
  EXPECT_INVALID(device, &from, changed, 1, NULL, &plan);
  changed[0] = to;
  changed[0].rule = RELAYOUT_SCALES_RANGE; /* without zero points */
  EXPECT_INVALID(device, &from, changed, 1, NULL, &plan);
  changed[0] = scaled_of("(s8[4]-s8[1])*f32[1]");
  changed[0].rule = RELAYOUT_SCALES_RANGE;
  changed[0].zero_points.is_read_only = true;
  EXPECT_INVALID(device, &from, changed, 1, NULL, &plan);
  changed[0] = to;
  changed[0].scales.is_read_only = true;
  assert_int_equal(relayout_plan_create_many(device, &from, changed, 1, NULL, &plan, NULL),
                   RELAYOUT_OK);
  relayout_plan_destroy(plan);
  changed[0].rule = RELAYOUT_SCALES_AMAX;
  EXPECT_INVALID(device, &from, changed, 1, NULL, &plan);
  changed[0] = plain;
  changed[0].elements.is_strided = true;
  changed[0].elements.byte_strides[0] = 0; /* all at one place */
  EXPECT_INVALID(device, &from, changed, 1, NULL, &plan);
  changed[0] = to;
  changed[0].group_sizes[0] = 0;
  EXPECT_INVALID(device, &from, changed, 1, NULL, &plan);
#undef EXPECT_INVALID
}

/* Bytes of one buffer for all: where each tensor begins in it, and what comes of that. */
static void test_overlaps(void **state) {
  (void)state;
  const relayout_scaled_view from = scaled_of("(s8[8]-s8[1])*f32[1]");
  const relayout_scaled_view given = scaled_of("(s8[8]-s8[1])*f32[1]");
  relayout_scaled_view to[2] = {given, given};
  static const struct {
    int elements, scales, zero_points, others;
    relayout_status status;
  } cases[] = {
      {0, 32, 48, 64, RELAYOUT_OK},
      {99, 32, 48, 64, RELAYOUT_BUFFERS_OVERLAP}, /* the source's elements */
      {100 + 8, 32, 48, 64, RELAYOUT_OK},         /* behind them */
      {100 - 8, 32, 48, 64, RELAYOUT_OK},
      {100 - 7, 32, 48, 64, RELAYOUT_BUFFERS_OVERLAP},
      {117, 32, 48, 64, RELAYOUT_BUFFERS_OVERLAP}, /* the source's scales */
      {125, 32, 48, 64, RELAYOUT_BUFFERS_OVERLAP}, /* its zero points */
      {0, 4, 48, 64, RELAYOUT_BUFFERS_OVERLAP},    /* each other */
      {0, 7, 48, 64, RELAYOUT_BUFFERS_OVERLAP},
      {0, 8, 48, 64, RELAYOUT_OK},
      {0, 32, 5, 64, RELAYOUT_BUFFERS_OVERLAP},
      {0, 32, 48, 4, RELAYOUT_BUFFERS_OVERLAP}, /* both destinations */
      {0, 62, 48, 64, RELAYOUT_BUFFERS_OVERLAP},
  };
  to[0].rule = RELAYOUT_SCALES_AMAX;
  relayout_plan *const plan = plan_of(&from, to, 2, RELAYOUT_ROUNDING_ZERO);
  for (size_t i = 0; i < COUNT(cases); ++i) {
    static uint8_t bytes[200], before[200];
    for (int b = 0; b < 200; ++b) {
      bytes[b] = before[b] = (uint8_t)(b * 5);
    }
    const relayout_source_memory source = {bytes + 100, bytes + 120, bytes + 128};
    const relayout_destination_memory memory[2] = {
        {bytes + cases[i].elements, bytes + cases[i].scales, bytes + cases[i].zero_points},
        {bytes + cases[i].others, bytes + 140, bytes + 148}};
    print_message("case %zu\n", i);
    assert_int_equal(relayout_plan_execute_many(plan, &source, memory, NULL), cases[i].status);
    if (cases[i].status != RELAYOUT_OK) {
      assert_memory_equal(bytes, before, sizeof(bytes));
    }
  }
  relayout_plan_destroy(plan);
}

/* What is only read may be shared. */
static void test_shared_reads(void **state) {
  (void)state;
  static const int8_t elements[] = {1, 2, 3, 4};
  float scale = 0.5F;
  int8_t found[4];
  move("s8[4]*f32[1]", SOURCE(elements, &scale), "s8[4]*f32[1]", RELAYOUT_SCALES_GIVEN,
       DESTINATION(found, &scale));
  assert_memory_equal(found, elements, sizeof(elements));
}

static void test_null_pointers(void **state) {
  (void)state;
  const relayout_scaled_view from = scaled_of("(s8[4]-s8[1])*f32[1]");
  const relayout_scaled_view to = scaled_of("(s8[4]-s8[1])*f32[1]");
  int8_t elements[4] = {1, 2, 3, 4}, found[4], point = 0;
  float scale = 1;
  relayout_plan *const plan = plan_of(&from, &to, 1, RELAYOUT_ROUNDING_ZERO);
  const relayout_source_memory source = {elements, &scale, &point};
  const relayout_destination_memory memory = {found, &scale, &point};
  assert_int_equal(relayout_plan_execute_many(plan, &source, &memory, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_execute_many(NULL, &source, &memory, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_plan_execute_many(plan, NULL, &memory, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_plan_execute_many(plan, &source, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  for (int i = 0; i < 6; ++i) { /* one is missing */
    const void *from_pointers[] = {elements, &scale, &point};
    void *to_pointers[] = {found, &scale, &point};
    if (i < 3) {
      from_pointers[i] = NULL;
    } else {
      to_pointers[i - 3] = NULL;
    }
    print_message("pointer %d\n", i);
    assert_int_equal(execute(plan, source_of(from_pointers), destination_of(to_pointers)),
                     RELAYOUT_INVALID_ARGUMENT);
  }
  relayout_plan_destroy(plan);
}

/* No elements: nothing is read, and padding alone is written. */
static void test_empty(void **state) {
  (void)state;
  uint8_t found[3] = {1, 1, 1};
  float scale = 7;
  move("f32[0]", SOURCE(&scale), "s8[0]{0:PD(3)PV(5)}*f32[0]", RELAYOUT_SCALES_AMAX,
       DESTINATION(found, &scale));
  assert_true(scale == 7);
  assert_int_equal(found[0], 5);
  assert_int_equal(found[2], 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_value),
      cmocka_unit_test(test_values_are_exact),
      cmocka_unit_test(test_quotients_are_exact),
      cmocka_unit_test(test_integers_near_ties),
      cmocka_unit_test(test_floats_near_ties),
      cmocka_unit_test(test_groups),
      cmocka_unit_test(test_group_sizes),
      cmocka_unit_test(test_rules),
      cmocka_unit_test(test_greatest_in_f32),
      cmocka_unit_test(test_tiny_values),
      cmocka_unit_test(test_made_scales),
      cmocka_unit_test(test_scales_in_blocks),
      cmocka_unit_test(test_packed_with_scales_in_blocks),
      cmocka_unit_test(test_boxes_lie_alike_in_tiles),
      cmocka_unit_test(test_zero_points),
      cmocka_unit_test(test_zero_points_are_given),
      cmocka_unit_test(test_ranges),
      cmocka_unit_test(test_points_by_stored_scales),
      cmocka_unit_test(test_ranges_without_end),
      cmocka_unit_test(test_ranges_of_onnx),
      cmocka_unit_test(test_scale_of_zero),
      cmocka_unit_test(test_saturation),
      cmocka_unit_test(test_saturation_of_mx),
      cmocka_unit_test(test_saturation_of_f32),
      cmocka_unit_test(test_rounding),
      cmocka_unit_test(test_several_destinations),
      cmocka_unit_test(test_copies),
      cmocka_unit_test(test_strided_values),
      cmocka_unit_test(test_destination_counts),
      cmocka_unit_test(test_interleaved_records),
      cmocka_unit_test(test_interleaved_values),
      cmocka_unit_test(test_interleaved_forms),
      cmocka_unit_test(test_wide_elements),
      cmocka_unit_test(test_format_table),
      cmocka_unit_test(test_records),
      cmocka_unit_test(test_turned_records),
      cmocka_unit_test(test_offset_of_records),
      cmocka_unit_test(test_nan_of_records),
      cmocka_unit_test(test_scale_of_mxfp4),
      cmocka_unit_test(test_values_of_records),
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_texts),
      cmocka_unit_test(test_wrong_texts),
      cmocka_unit_test(test_making),
      cmocka_unit_test(test_validation),
      cmocka_unit_test(test_refused_plans),
      cmocka_unit_test(test_invalid_arguments),
      cmocka_unit_test(test_overlaps),
      cmocka_unit_test(test_shared_reads),
      cmocka_unit_test(test_null_pointers),
      cmocka_unit_test(test_empty),
  };
  return cmocka_run_group_tests_name("many.many", tests, open_device, close_device);
}
