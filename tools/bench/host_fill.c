#include "host_fill.h"

#include <string.h>

enum {
  PATTERN = 4096,   /* bytes, which stay in the first cache */
  SHARE = 256 << 10 /* bytes that a thread fills at a time */
};

void host_fill_run(int threads, void *to, size_t size, const void *element, size_t element_bytes) {
  char pattern[PATTERN];
  memcpy(pattern, element, element_bytes);
  for (size_t filled = element_bytes; filled < PATTERN; filled *= 2) {
    memcpy(pattern + filled, pattern, filled);
  }
  const int count = (int)((size + SHARE - 1) / SHARE);
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static)
#else
  (void)threads;
#endif
  for (int i = 0; i < count; i++) {
    const size_t begin = (size_t)i * SHARE;
    const size_t end = size - begin > SHARE ? begin + SHARE : size;
    for (size_t at = begin; at < end; at += PATTERN) {
      memcpy((char *)to + at, pattern, end - at < PATTERN ? end - at : PATTERN);
    }
  }
}
