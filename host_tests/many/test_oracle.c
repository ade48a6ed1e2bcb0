/* test_oracle.c: whether the oracle of scaled views is right: its numbers against those of the
 * conformance suite's, quotients against hand-worked ones, records against gguf-py's. */
#include "cmocka_all.h"

#include <string.h>

#include "conformance/values.h"
#include "many/blocks.h"
#include "many/exact.h"
#include "oracle/conversion.h"
#include "oracle/formats.h"
#include "real_types.h"

/* ---- Numbers -------------------------------------------------------------------------------- */

static void expect_conversions(relayout_element_type from, relayout_element_type to) {
  enum { COUNT = 400 };
  static unsigned char bytes[COUNT * 8];
  const number_format from_format = format_of(from), to_format = format_of(to);
  values_draw(from, to, 1, COUNT, bytes);
  for (size_t i = 0; i < COUNT; ++i) {
    const unsigned char *const element = bytes + i * format_size(&from_format);
    const exact number = exact_of(from, format_load(&from_format, element));
    for (unsigned options = 0; options < 4; ++options) {
      const bool wraps = options % 2 != 0, to_nearest = options / 2 != 0;
      unsigned char converted[8];
      oracle_convert(from, to, wraps, to_nearest, 1, element, converted);
      const uint64_t wanted = format_load(&to_format, converted);
      const uint64_t found =
          exact_to_pattern(&number, to, to_nearest ? EXACT_TO_NEAREST : EXACT_TO_ZERO, wraps);
      if (wanted != found) {
        fail_msg("%s %#llx to %s: %#llx, not %#llx", relayout_element_type_name(from),
                 (unsigned long long)format_load(&from_format, element),
                 relayout_element_type_name(to), (unsigned long long)found,
                 (unsigned long long)wanted);
      }
    }
  }
}

static void test_conversions(void **state) {
  (void)state;
  for (size_t i = 0; i < REAL_TYPES; ++i) {
    for (size_t j = 0; j < REAL_TYPES; ++j) {
      expect_conversions(real_types[i], real_types[j]);
    }
  }
}

static uint64_t over(int64_t number, int64_t divisor, relayout_element_type type,
                     exact_rounding rounding) {
  const exact a = exact_of_integer(number), b = exact_of_integer(divisor);
  const exact quotient = exact_over(&a, &b);
  return format_of(type).kind == FLOATING ? exact_to_float(&quotient, type, rounding)
                                          : exact_to_integer(&quotient, type, rounding, 0, false);
}

static void test_quotients(void **state) {
  (void)state;
  assert_int_equal(over(1, 3, RELAYOUT_F32, EXACT_TO_NEAREST), 0x3eaaaaab);
  assert_int_equal(over(2, 3, RELAYOUT_F32, EXACT_TO_NEAREST), 0x3f2aaaab);
  assert_int_equal(over(-1, 3, RELAYOUT_F16, EXACT_TO_NEAREST), 0xb555);
  assert_int_equal(over(1, 3, RELAYOUT_F16, EXACT_UP), 0x3556);
  assert_int_equal(over(1, 2, RELAYOUT_F16, EXACT_UP), 0x3800);
  assert_int_equal(over(448, 448, RELAYOUT_F8E4M3FN, EXACT_UP), 0x38);
  assert_int_equal(over(449, 448, RELAYOUT_F8E4M3FN, EXACT_UP), 0x39);
  assert_int_equal(over(449, 448, RELAYOUT_F8E4M3FN, EXACT_TO_NEAREST), 0x38);
  assert_int_equal(over(3, 1, RELAYOUT_F8E8M0FNU, EXACT_TO_NEAREST), 129);
  assert_int_equal(over(8, 3, RELAYOUT_F8E8M0FNU, EXACT_TO_NEAREST), 128);
  assert_int_equal(over(8, 3, RELAYOUT_F8E8M0FNU, EXACT_UP), 129);
  assert_int_equal(over(7, 2, RELAYOUT_S8, EXACT_TO_NEAREST), 4);
  assert_int_equal(over(5, 2, RELAYOUT_S8, EXACT_TO_NEAREST), 2);
  assert_int_equal(over(-5, 2, RELAYOUT_S8, EXACT_TO_NEAREST), 0xfe);
  assert_int_equal(over(-5, 2, RELAYOUT_S8, EXACT_TO_ZERO), 0xfe);
  assert_int_equal(over(8, 3, RELAYOUT_S8, EXACT_TO_ZERO), 2);
  assert_int_equal(over(8, 3, RELAYOUT_S8, EXACT_TO_NEAREST), 3);
  assert_int_equal(over(-1000, 3, RELAYOUT_S8, EXACT_TO_NEAREST), 0x80);
}

/* Of patterns of f32. */
static exact number_of(uint32_t pattern) {
  return exact_of(RELAYOUT_F32, pattern);
}

static uint64_t f32_of(exact number) {
  return exact_to_float(&number, RELAYOUT_F32, EXACT_TO_NEAREST);
}

static void test_arithmetic(void **state) {
  (void)state;
  const exact least = number_of(1), most = number_of(0x7f7fffff), half = number_of(0x3f000000);
  const exact infinite = number_of(0x7f800000), zero = number_of(0x80000000);
  const exact nan = number_of(0xffc00001), minus_one = number_of(0xbf800000);
  exact difference = exact_minus(&least, -1);
  assert_int_equal(f32_of(difference), 0x3f800000);
  assert_int_equal(exact_log2(&difference), 0);
  difference = exact_minus(&difference, 1);
  assert_int_equal(f32_of(difference), 1);
  difference = exact_minus(&half, 1);
  assert_int_equal(f32_of(difference), 0xbf000000);
  difference = exact_minus(&most, 65535);
  assert_int_equal(f32_of(difference), 0x7f7fffff);
  assert_int_equal(exact_log2(&difference), 127);
  assert_int_equal(f32_of(exact_minus(&zero, 0)), 0x80000000);
  assert_int_equal(f32_of(exact_minus(&minus_one, -1)), 0);
  assert_int_equal(f32_of(exact_times(&least, &half)), 0);
  assert_int_equal(f32_of(exact_times(&most, &most)), 0x7f800000);
  assert_int_equal(f32_of(exact_times(&zero, &minus_one)), 0);
  assert_int_equal(f32_of(exact_times(&zero, &infinite)), 0x7fc00000);
  assert_int_equal(f32_of(exact_times(&nan, &minus_one)), 0xffc00000);
  assert_int_equal(f32_of(exact_over(&least, &most)), 0);
  assert_int_equal(f32_of(exact_over(&most, &least)), 0x7f800000);
  assert_int_equal(f32_of(exact_over(&minus_one, &infinite)), 0x80000000);
  assert_int_equal(f32_of(exact_over(&infinite, &minus_one)), 0xff800000);
  assert_int_equal(f32_of(exact_over(&infinite, &infinite)), 0x7fc00000);
}

static uint64_t bounded(relayout_element_type type, uint32_t pattern) {
  const exact number = number_of(pattern);
  return exact_to_bounded_float(&number, type);
}

static void test_bounded_floats(void **state) {
  (void)state;
  assert_int_equal(bounded(RELAYOUT_F32, 0x7f800000), 0x7f7fffff);
  assert_int_equal(bounded(RELAYOUT_F16, 0xff800000), 0xfbff);
  assert_int_equal(bounded(RELAYOUT_F16, 0x477ff000), 0x7bff); /* 65520, rounded to an infinity */
  assert_int_equal(bounded(RELAYOUT_F8E4M3FN, 0x447a0000), 0x7e);
  assert_int_equal(bounded(RELAYOUT_F8E4M3FNUZ, 0xc47a0000), 0xff);
  assert_int_equal(bounded(RELAYOUT_F4E2M1FN, 0xff800000), 0xf);
  assert_int_equal(bounded(RELAYOUT_F8E4M3FN, 0x7fc00000), 0x7f);
  assert_int_equal(bounded(RELAYOUT_F8E5M2, 0x3f800000), 0x3c);
}

/* ---- Records -------------------------------------------------------------------------------- */

/* As gguf-py 0.10 and later make them of (i * 7 % 32 - 13) / 8. */
static void test_records(void **state) {
  (void)state;
  static const struct {
    relayout_block_format format;
    uint8_t record[34];
  } cases[] = {
      {RELAYOUT_BLOCK_FORMAT_Q4_0,
       {128, 180, 126, 75, 8, 196, 129, 92, 41, 214, 163, 112, 75, 24, 197, 146, 109, 58}},
      {RELAYOUT_BLOCK_FORMAT_Q4_1, {34,  52, 128, 190, 128, 179, 247, 42, 110, 145,
                                    213, 8,  76,  127, 179, 230, 42,  93, 145, 196}},
      {RELAYOUT_BLOCK_FORMAT_Q5_0, {128, 176, 99,  204, 152, 49,  220, 117, 31, 121, 19,
                                    185, 67,  188, 70,  224, 134, 32,  138, 36, 202, 84}},
      {RELAYOUT_BLOCK_FORMAT_Q5_1, {0,   48, 128, 190, 152, 51,  103, 204, 0,  119, 238, 85,
                                    204, 51, 170, 17,  136, 255, 102, 221, 68, 187, 34,  153}},
      {RELAYOUT_BLOCK_FORMAT_Q8_0,
       {137, 36, 164, 214, 7,   56,  106, 185, 235, 28,  78, 127, 207, 0,   49,  99, 178,
        228, 21, 71,  120, 200, 249, 42,  92,  171, 221, 14, 64,  113, 192, 242, 35, 85}},
      {RELAYOUT_BLOCK_FORMAT_MXFP4,
       {126, 29, 75, 96, 196, 6, 60, 89, 210, 165, 22, 75, 96, 195, 149, 45, 90}},
  };
  float values[RELAYOUT_BLOCK_ELEMENTS];
  for (int i = 0; i < RELAYOUT_BLOCK_ELEMENTS; ++i) {
    values[i] = (float)(i * 7 % 32 - 13) / 8;
  }
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
    const size_t bytes = blocks_record_bytes(cases[i].format);
    uint8_t record[34];
    float read[RELAYOUT_BLOCK_ELEMENTS];
    assert_true(blocks_write(cases[i].format, values, record));
    assert_memory_equal(record, cases[i].record, bytes);
    blocks_read(cases[i].format, record, read);
    assert_true(blocks_write(cases[i].format, read, record));
  }
}

static void test_unknown_records(void **state) {
  (void)state;
  float values[RELAYOUT_BLOCK_ELEMENTS] = {0};
  uint8_t record[34];
  const relayout_block_format formats[] = {RELAYOUT_BLOCK_FORMAT_Q4_0, RELAYOUT_BLOCK_FORMAT_Q4_1,
                                           RELAYOUT_BLOCK_FORMAT_Q8_0, RELAYOUT_BLOCK_FORMAT_MXFP4};
  for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); ++i) {
    values[5] = 1;
    assert_true(blocks_write(formats[i], values, record));
    values[5] = 1e-41F;
    assert_false(blocks_write(formats[i], values, record));
    const uint32_t infinity = 0x7f800000;
    memcpy(&values[5], &infinity, sizeof(infinity));
    assert_false(blocks_write(formats[i], values, record));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_conversions),     cmocka_unit_test(test_quotients),
      cmocka_unit_test(test_arithmetic),      cmocka_unit_test(test_records),
      cmocka_unit_test(test_unknown_records), cmocka_unit_test(test_bounded_floats),
  };
  return cmocka_run_group_tests_name("many.oracle", tests, NULL, NULL);
}
