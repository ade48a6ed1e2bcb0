/* Shapes and layouts as values, and the texts that functions lend. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relayout/relayout.h"
#include "shape_of.h"

static void test_zeros_are_the_layout_of_a_scalar(void **state) {
  (void)state;
  relayout_shape shape;
  memset(&shape, 0, sizeof shape);
  shape.element_type = RELAYOUT_F32;
  assert_int_equal(relayout_shape_validate(&shape, NULL), RELAYOUT_OK);
  char text[16];
  relayout_shape_format(&shape, text, sizeof text);
  assert_string_equal(text, "f32[]");
  const relayout_shape parsed = shape_of("f32[]");
  assert_true(relayout_shape_equal(&shape, &parsed));
  assert_int_equal(RELAYOUT_PADDING_ZERO, 0); /* what a zeroed layout is filled with */
}

/* A copy of the bytes is a copy, and outlives what it was copied from. */
static void test_copies_are_values(void **state) {
  (void)state;
  relayout_shape *const made = malloc(sizeof *made);
  assert_non_null(made);
  *made = shape_of("bf16[20,30]{0,1:PD(20,40)PV(-1.5)T(8,16)(2,1)L(4)S(1)}");
  const relayout_shape again = *made;
  memset(made, 0x5a, sizeof *made);
  free(made);
  char text[128];
  relayout_shape_format(&again, text, sizeof text);
  assert_string_equal(text, "bf16[20,30]{0,1:PD(20,40)PV(-1.5)T(8,16)(2,1)L(4)S(1)}");
}

static void test_sizes_of_the_structs(void **state) {
  (void)state;
  assert_in_range(sizeof(relayout_shape), 1500, 3000);
  int32_t widest = 0;
#define WIDER(name, value, text, bits, kind, one, lowest, highest)                                 \
  widest = widest < bits ? bits : widest;
  RELAYOUT_ELEMENT_TYPE_TABLE(WIDER)
#undef WIDER
  assert_int_equal(widest, 8 * RELAYOUT_MAX_ELEMENT_SIZE);
  assert_int_equal(sizeof(((relayout_error *)NULL)->message), RELAYOUT_MESSAGE_SIZE);
}

/* So are shardings values. */
static void test_shardings_are_values(void **state) {
  (void)state;
  assert_in_range(sizeof(relayout_sharding), 5000, 7000);
  const relayout_shape shape = shape_of("f32[2,3]");
  relayout_sharding *const made = calloc(1, sizeof *made);
  assert_non_null(made);
  assert_int_equal(relayout_sharding_validate(made, &shape, 0, NULL), RELAYOUT_OK);
  char text[128];
  relayout_sharding_format(made, text, sizeof text);
  assert_string_equal(text, "{replicated}");
  static const char listed[] = "{devices=[2,1,2]0,3,1,2 last_tile_dim_replicate block=[1,4]}";
  assert_int_equal(relayout_sharding_parse(listed, made, NULL), RELAYOUT_OK);
  const relayout_sharding again = *made;
  memset(made, 0x5a, sizeof *made);
  free(made);
  relayout_sharding_format(&again, text, sizeof text);
  assert_string_equal(text, listed);
}

/* At most 2^57 bytes or 2^60 bits, to the element; for what is empty, with 1 in place of 0. */
static void test_bound_of_sizes(void **state) {
  (void)state;
  static const struct {
    const char *most;
    const char *more;
  } cases[] = {
      {"u8[144115188075855872]", "u8[144115188075855873]"},
      {"c128[9007199254740992]", "c128[9007199254740993]"},
      {"u1[1152921504606846976]{0:E(1)}", "u1[1152921504606846977]{0:E(1)}"},
      {"u8[36028797018963968]{0:E(32)}", "u8[36028797018963969]{0:E(32)}"},
      {"u8[3]{0:PD(144115188075855872)}", "u8[3]{0:PD(144115188075855873)}"},
      {"u8[3]{0:T(144115188075855872)}", "u8[3]{0:T(144115188075855873)}"},
      {"u8[3]{0:L(144115188075855872)}", "u8[3]{0:L(144115188075855873)}"},
      {"u8[0,144115188075855872]", "u8[0,144115188075855873]"},
      {"u8[0,3]{1,0:T(36028797018963968,2)}", "u8[0,3]{1,0:T(36028797018963969,2)}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_shape shape = shape_of(cases[i].most);
    assert_int_equal(relayout_shape_validate(&shape, NULL), RELAYOUT_OK);
    print_message("%s\n", cases[i].more);
    assert_int_equal(relayout_shape_parse(cases[i].more, &shape, NULL), RELAYOUT_SIZE_OVERFLOW);
  }
}

/* Nobody has to copy them: it is the same text at the same place, whatever was asked between. */
static void test_texts_are_static(void **state) {
  (void)state;
  const char *const type = relayout_element_type_name(RELAYOUT_BF16);
  const char *const no_type = relayout_element_type_name((relayout_element_type)99);
  const char *const status = relayout_status_text(RELAYOUT_OUT_OF_RANGE);
  const char *const version = relayout_version();
  const char *const format = relayout_block_format_name(RELAYOUT_BLOCK_FORMAT_Q8_0);
  for (int number = -1; number < 100; ++number) {
    (void)relayout_element_type_name((relayout_element_type)number);
    (void)relayout_status_text((relayout_status)number);
    (void)relayout_block_format_name((relayout_block_format)number);
  }
  assert_ptr_equal(relayout_element_type_name(RELAYOUT_BF16), type);
  assert_ptr_equal(relayout_status_text(RELAYOUT_OUT_OF_RANGE), status);
  assert_ptr_equal(relayout_version(), version);
  assert_ptr_equal(relayout_block_format_name(RELAYOUT_BLOCK_FORMAT_Q8_0), format);
  assert_string_equal(type, "bf16");
  assert_string_equal(no_type, "invalid");
  assert_string_equal(status, "out of range");
  assert_string_equal(format, "q8_0");
}

static void test_version(void **state) {
  (void)state;
  char expected[48];
  snprintf(expected, sizeof expected, "%d.%d.%d", RELAYOUT_VERSION_MAJOR, RELAYOUT_VERSION_MINOR,
           RELAYOUT_VERSION_PATCH);
  assert_string_equal(relayout_version(), expected);
  assert_int_equal(relayout_version_number(), RELAYOUT_VERSION_NUMBER);
  int major = 0;
  int minor = 0;
  int patch = 0;
  assert_int_equal(sscanf(relayout_version(), "%d.%d.%d", &major, &minor, &patch), 3);
  assert_int_equal(relayout_version_number(), 1000 * 1000 * major + 1000 * minor + patch);
}

/* As languages without _INIT fill them in: C++ by {}, others by their own zeros. */
static void test_zeros_are_the_defaults(void **state) {
  (void)state;
  const relayout_cpu_options cpu = {.struct_size = sizeof cpu};
  relayout_device *device = NULL;
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT, default_info = RELAYOUT_DEVICE_INFO_INIT;
  assert_int_equal(relayout_cpu_device_create(NULL, &device, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_device_get_info(device, &default_info, NULL), RELAYOUT_OK);
  relayout_device_destroy(device);
  assert_int_equal(relayout_cpu_device_create(&cpu, &device, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_device_get_info(device, &info, NULL), RELAYOUT_OK);
  assert_int_equal(info.compute_units, default_info.compute_units);

  const relayout_plan_options options = {.struct_size = sizeof options};
  const relayout_shape from = shape_of("f32[4]"), to = shape_of("s8[4]");
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(device, &from, &to, &options, &plan, NULL), RELAYOUT_OK);
  const float source[] = {1.75F, -2.5F, 300, 0};
  static const int8_t expected[] = {1, -2, 127, 0};
  int8_t found[4];
  assert_int_equal(relayout_plan_execute(plan, source, found, NULL), RELAYOUT_OK);
  assert_memory_equal(found, expected, sizeof found);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);

  const relayout_allocator memory = RELAYOUT_ALLOCATOR_INIT;
  assert_true(memory.allocate == NULL && memory.release == NULL && memory.context == NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_zeros_are_the_layout_of_a_scalar),
      cmocka_unit_test(test_copies_are_values),
      cmocka_unit_test(test_sizes_of_the_structs),
      cmocka_unit_test(test_shardings_are_values),
      cmocka_unit_test(test_bound_of_sizes),
      cmocka_unit_test(test_texts_are_static),
      cmocka_unit_test(test_zeros_are_the_defaults),
      cmocka_unit_test(test_version),
  };
  return cmocka_run_group_tests_name("contracts.values", tests, NULL, NULL);
}
