/* host.c: asking the system, the processor and the C library in turn. */
#include "machine/host.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "machine/cpuid.h"
#include "machine/processors.h"
#include "machine/sysfs.h"

static int64_t ask_system(int name, int64_t most) {
  const long answer = sysconf(name);
  return answer > 0 && answer <= most ? answer : 0;
}

/* What the C library knows, which is nothing of who shares a cache. */
static void ask_library(rlt_machine *facts) {
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  static const struct {
    int bytes;
    int ways;
  } names[RLT_CACHE_LEVELS] = {{_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_ASSOC},
                               {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_ASSOC},
                               {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL3_CACHE_ASSOC}};
  for (int level = 0; level < RLT_CACHE_LEVELS; ++level) {
    facts->caches[level] =
        (rlt_cache_facts){.bytes = ask_system(names[level].bytes, RLT_MOST_CACHE_BYTES),
                          .ways = (int32_t)ask_system(names[level].ways, RLT_MOST_COUNTED)};
  }
  facts->line_bytes = ask_system(_SC_LEVEL1_DCACHE_LINESIZE, RLT_MOST_LINE_BYTES);
  rlt_facts_settle(facts);
#else
  (void)facts;
#endif
}

static rlt_machine host;
static pthread_once_t host_is_read = PTHREAD_ONCE_INIT;

/* Whoever knows the first level is believed in all: no third one then means that there is none. */
static void read_host(void) {
  const rlt_processors allowed = rlt_allowed_processors();
  rlt_sysfs_read_caches(RLT_SYSFS_PROCESSORS, allowed.first, allowed.last, &host);
  if (host.caches[0].bytes == 0) {
    rlt_cpuid_read_caches(rlt_cpuid_ask, &host);
  }
  if (host.caches[0].bytes == 0) {
    ask_library(&host);
  }
  rlt_cpuid_read_tlbs(rlt_cpuid_ask, &host);
  host.page_bytes = ask_system(_SC_PAGESIZE, RLT_MOST_PAGE_BYTES);
}

void rlt_host_add_facts(rlt_machine *facts) {
  pthread_once(&host_is_read, read_host);
  facts->line_bytes = host.line_bytes;
  memcpy(facts->caches, host.caches, sizeof facts->caches);
  facts->page_bytes = host.page_bytes;
  memcpy(facts->tlb_pages, host.tlb_pages, sizeof facts->tlb_pages);
}
