/* processors.c: a row each, of one core and what it can have of a cache that it shares.
 *
 * From the vendors' optimization and technical reference manuals; Apple's from what its systems say
 * of themselves (sysctl hw.perflevel0) and from what others measured. How Intel's second TLBs find
 * their sets is from Gras et al., Translation Leak-aside Buffer, 2018; of the others it is not
 * known, and the lowest digits are taken, which is the worst for powers of two.
 */
#include "cache/processors.h"

#include <stdio.h>
#include <stdlib.h>

#include "search/wisdom.h"

#define KIB(count) ((int64_t)(count) << 10)
#define MIB(count) ((int64_t)(count) << 20)

#define LINES(line, size, associativity)                                                           \
  { .entries = (size) / (line), .ways = (associativity) }
#define PAGES(count, associativity)                                                                \
  { .entries = (count), .ways = (associativity) }
#define HASHED_PAGES(count, associativity)                                                         \
  { .entries = (count), .ways = (associativity), .is_hashed = true }

/* A cache is its size and its ways, the nearest first. */
#define CACHES(line, first, first_ways, second, second_ways, third, third_ways)                    \
  .line_bytes = (line),                                                                            \
  .caches = {LINES(line, first, first_ways), LINES(line, second, second_ways),                     \
             LINES(line, third, third_ways)}

const processor processors[PROCESSORS] = {
    {"Zen 2",
     32,
     {CACHES(64, KIB(32), 8, KIB(512), 8, MIB(16), 16), .page_bytes = KIB(4),
      .tlbs = {PAGES(64, 64), PAGES(2048, 16)}, .write_buffers = 8}},
    {"Zen 3",
     32,
     {CACHES(64, KIB(32), 8, KIB(512), 8, MIB(32), 16), .page_bytes = KIB(4),
      .tlbs = {PAGES(64, 64), PAGES(2048, 16)}, .write_buffers = 8}},
    {"Zen 4",
     64,
     {CACHES(64, KIB(32), 8, MIB(1), 8, MIB(32), 16), .page_bytes = KIB(4),
      .tlbs = {PAGES(72, 72), PAGES(3072, 24)}, .write_buffers = 8}},
    {"Zen 5",
     64,
     {CACHES(64, KIB(48), 12, MIB(1), 16, MIB(32), 16), .page_bytes = KIB(4),
      .tlbs = {PAGES(96, 96), PAGES(4096, 16)}, .write_buffers = 8}},
    {"Skylake-SP",
     64,
     {CACHES(64, KIB(32), 8, MIB(1), 16, MIB(22), 11), .page_bytes = KIB(4),
      .tlbs = {PAGES(64, 4), HASHED_PAGES(1536, 12)}, .write_buffers = 10}},
    {"Ice Lake-SP",
     64,
     {CACHES(64, KIB(48), 12, KIB(1280), 20, MIB(36), 12), .page_bytes = KIB(4),
      .tlbs = {PAGES(64, 4), HASHED_PAGES(2048, 16)}, .write_buffers = 12}},
    {"Sapphire Rapids",
     64,
     {CACHES(64, KIB(48), 12, MIB(2), 16, MIB(60), 15), .page_bytes = KIB(4),
      .tlbs = {PAGES(96, 6), HASHED_PAGES(2048, 16)}, .write_buffers = 16}},
    {"Neoverse N1",
     16,
     {CACHES(64, KIB(64), 4, MIB(1), 8, MIB(32), 16), .page_bytes = KIB(4),
      .tlbs = {PAGES(48, 48), PAGES(1280, 5)}, .write_buffers = 8}},
    {"Neoverse V1",
     16,
     {CACHES(64, KIB(64), 4, MIB(1), 8, MIB(32), 16), .page_bytes = KIB(4),
      .tlbs = {PAGES(40, 40), PAGES(2048, 4)}, .write_buffers = 8}},
    {"Neoverse V2",
     16,
     {CACHES(64, KIB(64), 4, MIB(2), 8, MIB(36), 12), .page_bytes = KIB(4),
      .tlbs = {PAGES(48, 48), PAGES(2048, 8)}, .write_buffers = 8}},
    {"Apple M1",
     16,
     {CACHES(128, KIB(128), 8, MIB(12), 12, MIB(8), 16), .page_bytes = KIB(16),
      .tlbs = {PAGES(160, 160), PAGES(3072, 12)}, .write_buffers = 8}},
    {"Cortex-A76",
     16,
     {CACHES(64, KIB(64), 4, KIB(512), 8, MIB(3), 12), .page_bytes = KIB(4),
      .tlbs = {PAGES(48, 48), PAGES(1280, 5)}, .write_buffers = 8}},
};

/* What the backend says of itself here, with what depends on the processor put in its place. */
static rlt_facts facts_there(const processor *of, const rlt_facts *device) {
  const simulator_geometry *const geometry = &of->geometry;
  rlt_facts facts = *device;
  for (int i = 0; i < RLT_CACHE_LEVELS; ++i) {
    facts.machine.caches[i] =
        (rlt_cache_facts){.bytes = geometry->caches[i].entries * geometry->line_bytes,
                          .ways = geometry->caches[i].ways,
                          .shared = 1};
  }
  for (int i = 0; i < RLT_TLB_LEVELS; ++i) {
    facts.machine.tlb_pages[i] = (int32_t)geometry->tlbs[i].entries;
  }
  facts.machine.page_bytes = geometry->page_bytes;
  facts.machine.vector_bytes = of->vector_bytes;
  facts.machine.streams = true;
  for (int i = 0; i < RLT_WORD_SIZES; ++i) {
    const int32_t bytes = INT32_C(1) << i;
    facts.words[i].block_rows = 16 / bytes;
    facts.words[i].block_columns = of->vector_bytes / bytes;
  }
  facts.cache_bytes = rlt_facts_cache_bytes(&facts.machine, 1);
  return facts;
}

relayout_device *processor_device(const processor *of) {
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = 1;
  relayout_error error = {0};
  relayout_device *device = NULL;
  if (relayout_cpu_device_create(&options, &device, &error) != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error.message);
    exit(1);
  }
  device->facts = facts_there(of, &device->facts);
  device->tuning = rlt_tuning_of(&device->facts);
  rlt_wisdom_keep_in(device, NULL);
  return device;
}
