/* facts.c: what follows from facts. */
#include "machine/facts.h"

#include "base/checked.h"

enum {
  LEAST_CACHE_BYTES = 1 << 20, /* of a worker; the third level holds that much */
  GUESSED_CACHE_BYTES = 4 << 20
};

void rlt_facts_settle(rlt_machine *facts) {
  bool is_known = true;
  for (int level = 0; level < RLT_CACHE_LEVELS; ++level) {
    is_known = is_known && facts->caches[level].bytes > 0;
    if (!is_known) {
      facts->caches[level] = (rlt_cache_facts){0};
    }
  }
  if ((facts->line_bytes & (facts->line_bytes - 1)) != 0) {
    facts->line_bytes = 0;
  }
}

int64_t rlt_facts_cache_bytes(const rlt_machine *facts, int64_t workers) {
  const rlt_cache_facts *const second = &facts->caches[1];
  const int64_t sharers = rlt_max(rlt_min(second->shared, workers), 1);
  const int64_t bytes = second->bytes == 0
                            ? GUESSED_CACHE_BYTES
                            : rlt_max(2 * (second->bytes / sharers), LEAST_CACHE_BYTES);
  int64_t all = 0;
  return rlt_multiply(bytes, workers, &all) ? all : INT64_MAX;
}
