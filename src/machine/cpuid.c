/* cpuid.c: reading answers of the instruction cpuid, by Intel's manual (volume 2, "CPUID") and
 * AMD's (volume 3, appendix E). */
#include "machine/cpuid.h"

#include <stddef.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/checked.h"

enum {
  INTEL_TLB_DESCRIPTORS = 0x2, /* a byte each */
  INTEL_CACHES = 0x4,
  INTEL_TLBS = 0x18,
  MOST_SUBLEAVES = 64
};
#define AMD_FIRST_TLB  0x80000005u
#define AMD_SECOND_TLB 0x80000006u
#define AMD_CACHES     0x8000001du

rlt_cpuid_answer rlt_cpuid_ask(uint32_t leaf, uint32_t subleaf) {
  rlt_cpuid_answer answer = {0};
#if defined(__x86_64__) || defined(__i386__)
  if (__get_cpuid_count(leaf, subleaf, &answer.eax, &answer.ebx, &answer.ecx, &answer.edx) == 0) {
    return (rlt_cpuid_answer){0};
  }
#else
  (void)leaf;
  (void)subleaf;
#endif
  return answer;
}

/* So many bits of a register from this one on. */
static int64_t bits(uint32_t of, int from, int count) {
  return of >> from & ((UINT32_C(1) << count) - 1);
}

/* ---- Caches ---- */

/* Both makers answer alike, each for a leaf of its own: a cache for each subleaf. */
static void read_cache(const rlt_cpuid_answer *answer, rlt_machine *facts) {
  enum { INSTRUCTIONS = 2 };
  const int64_t level = bits(answer->eax, 5, 3);
  if (bits(answer->eax, 0, 5) == INSTRUCTIONS || level < 1 || level > RLT_CACHE_LEVELS) {
    return;
  }
  const int64_t line_bytes = bits(answer->ebx, 0, 12) + 1;
  const int64_t partitions = bits(answer->ebx, 12, 10) + 1;
  const int64_t ways = bits(answer->ebx, 22, 10) + 1;
  const int64_t sets = (int64_t)answer->ecx + 1;
  /* At most 2^12 * 2^10 * 2^10 * 2^32 bytes: more than there could be, but no overflow. */
  const int64_t way_bytes = line_bytes * partitions * sets;
  if (way_bytes <= RLT_MOST_CACHE_BYTES / ways) {
    facts->caches[level - 1] = (rlt_cache_facts){.bytes = ways * way_bytes,
                                                 .ways = (int32_t)ways,
                                                 .shared = (int32_t)bits(answer->eax, 14, 12) + 1};
    facts->line_bytes = rlt_max(facts->line_bytes, line_bytes);
  }
}

static void read_caches_of(rlt_cpuid *ask, uint32_t leaf, rlt_machine *facts) {
  for (uint32_t subleaf = 0; subleaf < MOST_SUBLEAVES; ++subleaf) {
    const rlt_cpuid_answer answer = ask(leaf, subleaf);
    if (bits(answer.eax, 0, 5) == 0) {
      break;
    }
    read_cache(&answer, facts);
  }
  rlt_facts_settle(facts);
}

void rlt_cpuid_read_caches(rlt_cpuid *ask, rlt_machine *facts) {
  facts->line_bytes = 0;
  memset(facts->caches, 0, sizeof facts->caches);
  read_caches_of(ask, INTEL_CACHES, facts);
  if (facts->caches[0].bytes == 0) {
    read_caches_of(ask, AMD_CACHES, facts);
  }
}

/* ---- TLB's ---- */

static void add_tlb(int64_t level, int64_t pages, rlt_machine *facts) {
  if (level >= 1 && level <= RLT_TLB_LEVELS && pages <= RLT_MOST_COUNTED) {
    int32_t *const known = &facts->tlb_pages[level - 1];
    *known = (int32_t)rlt_max(*known, pages);
  }
}

/* One for each subleaf; eax of the first says which is the last. */
static void read_intel_tlbs(rlt_cpuid *ask, rlt_machine *facts) {
  enum { DATA = 1, BOTH = 3, LOADS = 4 };
  const int64_t last = rlt_min(ask(INTEL_TLBS, 0).eax, MOST_SUBLEAVES - 1);
  for (uint32_t subleaf = 0; subleaf <= last; ++subleaf) {
    const rlt_cpuid_answer answer = ask(INTEL_TLBS, subleaf);
    const int64_t type = bits(answer.edx, 0, 5);
    const bool has_small_pages = bits(answer.ebx, 0, 1) == 1;
    if (has_small_pages && (type == DATA || type == BOTH || type == LOADS)) {
      const int64_t ways = bits(answer.ebx, 16, 16);
      add_tlb(bits(answer.edx, 5, 3), ways * (int64_t)answer.ecx, facts);
    }
  }
}

/* What bytes stand for, of those that are TLB's of data and small pages. */
static const struct {
  uint8_t descriptor;
  uint8_t level;
  uint16_t pages;
} descriptors[] = {
    {0x03, 1, 64},  {0x57, 1, 16}, {0x59, 1, 16},   {0x5b, 1, 64},   {0x5c, 1, 128}, {0x5d, 1, 256},
    {0x64, 2, 512}, {0x6a, 1, 64}, {0x6b, 2, 256},  {0xa0, 1, 32},   {0xb3, 1, 128}, {0xb4, 2, 256},
    {0xba, 1, 64},  {0xc0, 1, 8},  {0xc1, 2, 1024}, {0xc3, 2, 1536}, {0xca, 2, 512},
};

static void read_descriptor(int64_t descriptor, rlt_machine *facts) {
  for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; ++i) {
    if (descriptors[i].descriptor == descriptor) {
      add_tlb(descriptors[i].level, descriptors[i].pages, facts);
    }
  }
}

/* The lowest byte of eax is none; a register whose highest bit is set has none. */
static void read_descriptors(rlt_cpuid *ask, rlt_machine *facts) {
  const rlt_cpuid_answer answer = ask(INTEL_TLB_DESCRIPTORS, 0);
  const uint32_t registers[] = {answer.eax & ~UINT32_C(0xff), answer.ebx, answer.ecx, answer.edx};
  for (size_t i = 0; i < sizeof registers / sizeof *registers; ++i) {
    for (int from = 0; from < 32 && bits(registers[i], 31, 1) == 0; from += 8) {
      read_descriptor(bits(registers[i], from, 8), facts);
    }
  }
}

/* Where there are no ways, the TLB is off. */
static void read_amd_tlbs(rlt_cpuid *ask, rlt_machine *facts) {
  const uint32_t first = ask(AMD_FIRST_TLB, 0).ebx;
  const uint32_t second = ask(AMD_SECOND_TLB, 0).ebx;
  add_tlb(1, bits(first, 24, 8) > 0 ? bits(first, 16, 8) : 0, facts);
  add_tlb(2, bits(second, 28, 4) > 0 ? bits(second, 16, 12) : 0, facts);
}

void rlt_cpuid_read_tlbs(rlt_cpuid *ask, rlt_machine *facts) {
  memset(facts->tlb_pages, 0, sizeof facts->tlb_pages);
  read_intel_tlbs(ask, facts);
  if (facts->tlb_pages[0] == 0) {
    read_descriptors(ask, facts);
  }
  if (facts->tlb_pages[0] == 0) {
    read_amd_tlbs(ask, facts);
  }
}
