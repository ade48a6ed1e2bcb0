/* test_packing.c: packed elements are read and written low bits first. */
#include "cmocka_all.h"
#include "convert/packing.h"

static void test_get(void **state) {
  (void)state;
  const uint8_t packed[] = {0xb4, 0x1e}; /* 10110100 00011110 */
  static const uint8_t ones[] = {0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 0, 0, 0};
  static const uint8_t twos[] = {0, 1, 3, 2, 2, 3, 1, 0};
  static const uint8_t fours[] = {0x4, 0xb, 0xe, 0x1};
  for (int i = 0; i < 16; ++i) {
    assert_int_equal(rlt_packed_get(packed, i, 1), ones[i]);
  }
  for (int i = 0; i < 8; ++i) {
    assert_int_equal(rlt_packed_get(packed, i, 2), twos[i]);
  }
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(rlt_packed_get(packed, i, 4), fours[i]);
  }
}

static void test_put(void **state) {
  (void)state;
  uint8_t packed[] = {0xff, 0x00};
  rlt_packed_put(packed, 1, 4, 0x25); /* the low bits alone, beside what is there */
  assert_int_equal(packed[0], 0x5f);
  rlt_packed_put(packed, 5, 2, 0xfe);
  assert_int_equal(packed[1], 0x08);
  rlt_packed_put(packed, 15, 1, 1);
  assert_int_equal(packed[1], 0x88);
  rlt_packed_put(packed, 11, 1, 0);
  assert_int_equal(packed[1], 0x80);
  assert_int_equal(packed[0], 0x5f);
}

static void test_bytes(void **state) {
  (void)state;
  assert_int_equal(rlt_packed_bytes(0, 4), 0);
  assert_int_equal(rlt_packed_bytes(3, 4), 2);
  assert_int_equal(rlt_packed_bytes(9, 1), 2);
  assert_int_equal(rlt_packed_bytes(8, 2), 2);
  assert_true(rlt_packed_bytes(INT64_MAX, 4) == INT64_MAX / 2 + 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_get),
      cmocka_unit_test(test_put),
      cmocka_unit_test(test_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
