/* Reading answers to cpuid, such as x86 processors of either maker give. */
#include "machine/cpuid.h"

#include <string.h>

#include "cmocka_all.h"

typedef struct leaf {
  uint32_t leaf;
  uint32_t subleaf;
  rlt_cpuid_answer answer;
} leaf;

static const leaf *leaves; /* of the processor that is asked; ends with leaf 0 */

static rlt_cpuid_answer ask(uint32_t number, uint32_t subleaf) {
  for (const leaf *at = leaves; at->leaf != 0; ++at) {
    if (at->leaf == number && at->subleaf == subleaf) {
      return at->answer;
    }
  }
  return (rlt_cpuid_answer){0};
}

static void expect(const leaf *of, int64_t line_bytes, const rlt_cache_facts caches[3],
                   int32_t first_tlb, int32_t second_tlb) {
  leaves = of;
  rlt_machine facts = {.line_bytes = 999, .caches = {{9, 9, 9}, {9, 9, 9}, {9, 9, 9}}};
  facts.tlb_pages[0] = facts.tlb_pages[1] = 999;
  rlt_cpuid_read_caches(ask, &facts);
  rlt_cpuid_read_tlbs(ask, &facts);
  assert_int_equal(facts.line_bytes, line_bytes);
  for (int level = 0; level < RLT_CACHE_LEVELS; ++level) {
    assert_int_equal(facts.caches[level].bytes, caches[level].bytes);
    assert_int_equal(facts.caches[level].ways, caches[level].ways);
    assert_int_equal(facts.caches[level].shared, caches[level].shared);
  }
  assert_int_equal(facts.tlb_pages[0], first_tlb);
  assert_int_equal(facts.tlb_pages[1], second_tlb);
}

/* 48 KiB in 12 ways, 2 MiB in 16, 260 MiB in 20; each level for instructions is passed over. */
static void test_intel(void **state) {
  (void)state;
  static const leaf sapphire_rapids[] = {
      {0x4, 0, {0x04000121, 0x02c0003f, 0x0000003f, 0}},
      {0x4, 1, {0x04000122, 0x01c0003f, 0x0000003f, 0}},
      {0x4, 2, {0x04004143, 0x03c0003f, 0x000007ff, 0}},
      {0x4, 3, {0x041fc163, 0x04c0003f, 0x00033fff, 0}},
      {0x2, 0, {0x00feff01, 0x000000f0, 0, 0}},
      /* Instructions in 4 KiB pages; then loads, 16 sets of 6; stores; pages of 2 MiB; then both
       * in a second level of 128 sets of 8 and one of 128 of 16. */
      {0x18, 0, {5, 0, 0, 0}},
      {0x18, 1, {0, 0x00080001, 32, 0x22}},
      {0x18, 2, {0, 0x00060001, 16, 0x24}},
      {0x18, 3, {0, 0x0010000f, 1, 0x25}},
      {0x18, 4, {0, 0x00200006, 8, 0x24}},
      {0x18, 5, {0, 0x00100003, 128, 0x43}},
      {0x18, 6, {0, 0x00100001, 1024, 0x43}}, /* not told of: 5 is the last */
      {0},
  };
  static const rlt_cache_facts caches[3] = {{49152, 12, 1}, {2097152, 16, 2}, {272629760, 20, 128}};
  expect(sapphire_rapids, 64, caches, 96, 2048);
}

/* 64 pages in the first level (0x03), 1536 in the second (0xc3). */
static void test_intel_descriptors(void **state) {
  (void)state;
  static const leaf skylake[] = {
      {0x2, 0, {0x76036301, 0x00f0b5ff, 0, 0x00c30000}},
      {0x4, 0, {0x1c004121, 0x01c0003f, 0x0000003f, 0}},
      {0x4, 1, {0x1c004122, 0x01c0003f, 0x0000003f, 0}},
      {0x4, 2, {0x1c004143, 0x00c0003f, 0x000003ff, 0}},
      {0x4, 3, {0x1c03c163, 0x03c0003f, 0x00001fff, 0}},
      {0},
  };
  static const rlt_cache_facts caches[3] = {{32768, 8, 2}, {262144, 4, 2}, {8388608, 16, 16}};
  expect(skylake, 64, caches, 64, 1536);

  /* The lowest byte of eax counts, and a register with its highest bit set tells nothing. */
  static const leaf odd[] = {{0x2, 0, {0x00000003, 0x80000003, 0x000000ca, 0}}, {0}};
  static const rlt_cache_facts none[3] = {{0}};
  expect(odd, 0, none, 0, 512);
}

static void test_amd(void **state) {
  (void)state;
  static const leaf zen_3[] = {
      {0x80000005, 0, {0xff40ff40, 0xff40ff40, 0x20080140, 0x20080140}},
      {0x80000006, 0, {0x48002200, 0x68004200, 0x02006140, 0x01009140}},
      {0x8000001d, 0, {0x00004121, 0x01c0003f, 0x0000003f, 0}},
      {0x8000001d, 1, {0x00004122, 0x01c0003f, 0x0000003f, 0}},
      {0x8000001d, 2, {0x00004143, 0x01c0003f, 0x000003ff, 2}},
      {0x8000001d, 3, {0x0003c163, 0x03c0003f, 0x00007fff, 1}},
      {0},
  };
  static const rlt_cache_facts caches[3] = {{32768, 8, 2}, {524288, 8, 2}, {33554432, 16, 16}};
  expect(zen_3, 64, caches, 64, 2048);

  static const leaf off[] = {
      {0x80000005, 0, {0, 0x00400000, 0, 0}}, {0x80000006, 0, {0, 0x02000000, 0, 0}}, {0}};
  static const rlt_cache_facts none[3] = {{0}};
  expect(off, 0, none, 0, 0);
}

/* No leaf at all; and answers of ones, which end. */
static rlt_cpuid_answer answer_ones(uint32_t number, uint32_t subleaf) {
  (void)number;
  (void)subleaf;
  return (rlt_cpuid_answer){UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
}

static void test_nonsense(void **state) {
  (void)state;
  static const leaf nothing[] = {{0}};
  static const rlt_cache_facts none[3] = {{0}};
  expect(nothing, 0, none, 0, 0);

  rlt_machine facts = {0};
  rlt_cpuid_read_caches(answer_ones, &facts);
  rlt_cpuid_read_tlbs(answer_ones, &facts);
  assert_int_equal(facts.line_bytes, 0);
  assert_int_equal(facts.caches[0].bytes, 0);

  /* 2^62 bytes in 1024 ways, and a second level that would be sound. */
  static const leaf huge[] = {{0x4, 0, {0x21, 0xffffffff, 0xffffffff, 0}},
                              {0x4, 1, {0x43, 0x01c0003f, 0x0000003f, 0}},
                              {0}};
  expect(huge, 64, none, 0, 0);
  /* Lines of 96 bytes. */
  static const leaf odd[] = {{0x4, 0, {0x21, 0x01c0005f, 0x0000003f, 0}}, {0}};
  static const rlt_cache_facts caches[3] = {{49152, 8, 1}};
  expect(odd, 0, caches, 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_intel),
      cmocka_unit_test(test_intel_descriptors),
      cmocka_unit_test(test_amd),
      cmocka_unit_test(test_nonsense),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
