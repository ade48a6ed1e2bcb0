/* test_narrow.c: the arithmetic in 32 bits, as devices use it where it is
 * enough, agrees with that in 64. */
#define NARROW 1
#include "convert/formats.h"

#include "cmocka_all.h"
#include "convert/convert.h"
#include "metadata/type_table.h"
#include "real_types.h"

static void check(const rlt_conversion *conversion, uint32_t bits) {
  uint8_t from[8], to[8];
  rlt_part_store(bits, relayout_element_type_byte_size(conversion->from), from);
  rlt_convert_elements(conversion, from, to, 1);
  const uint64_t wanted = rlt_part_load(relayout_element_type_byte_size(conversion->to), to);
  const integer_rule by = {conversion->wraps, conversion->rounds_to_nearest};
  const pattern got = convert_unscaled(bits, rlt_number_format_of(conversion->from),
                                       rlt_number_format_of(conversion->to), by);
  if (got != wanted) {
    fail_msg("%s 0x%x to %s: 0x%x, not 0x%llx", relayout_element_type_name(conversion->from), bits,
             relayout_element_type_name(conversion->to), got, (unsigned long long)wanted);
  }
}

/* Every element of up to 8 bits, and others all over their range, both ends of it included. */
static void check_pair(const rlt_conversion *conversion) {
  const size_t bytes = relayout_element_type_byte_size(conversion->from);
  if (bytes == 1) {
    for (uint32_t bits = 0; bits < 256; ++bits) {
      check(conversion, bits);
    }
    return;
  }
  const uint32_t last = bytes == 2 ? UINT16_MAX : UINT32_MAX;
  uint32_t bits = 0;
  for (int i = 0; i < 4000; ++i) {
    check(conversion, bits);
    check(conversion, last - bits);
    check(conversion, bits >> i % 32);
    bits = (bits + UINT32_C(0x9e3779b9)) & last;
  }
}

static void test_agrees(void **state) {
  (void)state;
  for (size_t i = 0; i < REAL_TYPES * REAL_TYPES; ++i) {
    const relayout_element_type from = real_types[i / REAL_TYPES];
    const relayout_element_type to = real_types[i % REAL_TYPES];
    if (relayout_element_type_bits(from) <= 32 && relayout_element_type_bits(to) <= 32) {
      check_pair(&(rlt_conversion){from, to, false, 1, false});
      check_pair(&(rlt_conversion){from, to, true, 1, false});
      check_pair(&(rlt_conversion){from, to, false, 1, true});
      check_pair(&(rlt_conversion){from, to, true, 1, true});
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_agrees)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
