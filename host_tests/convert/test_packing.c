/* test_packing.c: packed elements are read and written from either end of their byte. */
#include "cmocka_all.h"
#include "convert/packing.h"

static void test_get(void **state) {
  (void)state;
  const uint8_t packed[] = {0xb4, 0x1e}; /* 10110100 00011110 */
  static const uint8_t ones[] = {0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 0, 0, 0};
  static const uint8_t twos[] = {0, 1, 3, 2, 2, 3, 1, 0};
  static const uint8_t fours[] = {0x4, 0xb, 0xe, 0x1};
  for (int i = 0; i < 16; ++i) {
    assert_int_equal(rlt_packed_get(packed, i, 1, false), ones[i]);
  }
  for (int i = 0; i < 8; ++i) {
    assert_int_equal(rlt_packed_get(packed, i, 2, false), twos[i]);
  }
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(rlt_packed_get(packed, i, 4, false), fours[i]);
  }
}

static void test_put(void **state) {
  (void)state;
  uint8_t packed[] = {0xff, 0x00};
  rlt_packed_put(packed, 1, 4, false, 0x25); /* the low bits alone, beside what is there */
  assert_int_equal(packed[0], 0x5f);
  rlt_packed_put(packed, 5, 2, false, 0xfe);
  assert_int_equal(packed[1], 0x08);
  rlt_packed_put(packed, 15, 1, false, 1);
  assert_int_equal(packed[1], 0x88);
  rlt_packed_put(packed, 11, 1, false, 0);
  assert_int_equal(packed[1], 0x80);
  assert_int_equal(packed[0], 0x5f);
}

static void test_high_first(void **state) {
  (void)state;
  const uint8_t packed[] = {0xb4, 0x1e}; /* 10110100 00011110 */
  static const uint8_t ones[] = {1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0};
  static const uint8_t twos[] = {2, 3, 1, 0, 0, 1, 3, 2};
  static const uint8_t fours[] = {0xb, 0x4, 0x1, 0xe};
  for (int i = 0; i < 16; ++i) {
    assert_int_equal(rlt_packed_get(packed, i, 1, true), ones[i]);
    assert_int_equal(rlt_packed_get(packed, i / 2, 2, true), twos[i / 2]);
    assert_int_equal(rlt_packed_get(packed, i / 4, 4, true), fours[i / 4]);
  }
  uint8_t put[] = {0xff, 0x00};
  rlt_packed_put(put, 1, 4, true, 0x25);
  assert_int_equal(put[0], 0xf5);
  rlt_packed_put(put, 5, 2, true, 0xfd);
  assert_int_equal(put[1], 0x10);
  rlt_packed_put(put, 15, 1, true, 1);
  assert_int_equal(put[1], 0x11);
}

static void test_used_and_reversed(void **state) {
  (void)state;
  assert_int_equal(rlt_packed_used(1, false), 0x01);
  assert_int_equal(rlt_packed_used(6, false), 0x3f);
  assert_int_equal(rlt_packed_used(1, true), 0x80);
  assert_int_equal(rlt_packed_used(6, true), 0xfc);
  assert_int_equal(rlt_packed_reverse(0xb4, 4), 0x4b);
  assert_int_equal(rlt_packed_reverse(0xb4, 2), 0x1e); /* 10 11 01 00 */
  assert_int_equal(rlt_packed_reverse(0xb4, 1), 0x2d);
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
      cmocka_unit_test(test_get),        cmocka_unit_test(test_put),
      cmocka_unit_test(test_high_first), cmocka_unit_test(test_used_and_reversed),
      cmocka_unit_test(test_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
