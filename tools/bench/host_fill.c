/* host_fill.c: host memory filled by several threads. */
#include "host_fill.h"

#include <string.h>

enum {
  PATTERN = 4096,   /* bytes, which stay in the first cache */
  SHARE = 256 << 10 /* bytes that a thread fills at a time */
};

typedef struct filling {
  char pattern[PATTERN];
  char *to;
  size_t size;
} filling;

static void fill_share(void *data, size_t i) {
  const filling *const all = data;
  const size_t begin = i * SHARE;
  const size_t end = all->size - begin > SHARE ? begin + SHARE : all->size;
  for (size_t at = begin; at < end; at += PATTERN) {
    memcpy(all->to + at, all->pattern, end - at < PATTERN ? end - at : PATTERN);
  }
}

void host_fill_run(pool *threads, void *to, size_t size, const void *element,
                   size_t element_bytes) {
  filling all = {.to = to, .size = size};
  memcpy(all.pattern, element, element_bytes);
  for (size_t filled = element_bytes; filled < PATTERN; filled *= 2) {
    memcpy(all.pattern + filled, all.pattern, filled);
  }
  pool_parallel_for(threads, (size + SHARE - 1) / SHARE, fill_share, &all);
}
