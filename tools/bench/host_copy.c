/* host_copy.c: plain copies of host memory, past the cache or through it. */
#include "host_copy.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
  LINE = 64,
  SHARES = 16,      /* of each thread, so that none has to wait for one that was held up */
  LEAST_SHARE = 512 /* lines that are worth one */
};

static void copy_by_memcpy(void *to, const void *from, size_t size) {
  memcpy(to, from, size);
}

#if defined(__x86_64__)
/* Stores past the cache: an ordinary store reads the line from memory first. */
static void stream_by_16(void *to, const void *from, size_t size) {
  for (size_t at = 0; at < size; at += LINE) {
    const __m128i *const source = (const __m128i *)((const char *)from + at);
    __m128i *const destination = (__m128i *)((char *)to + at);
    const __m128i a = _mm_load_si128(source);
    const __m128i b = _mm_load_si128(source + 1);
    const __m128i c = _mm_load_si128(source + 2);
    const __m128i d = _mm_load_si128(source + 3);
    _mm_stream_si128(destination, a);
    _mm_stream_si128(destination + 1, b);
    _mm_stream_si128(destination + 2, c);
    _mm_stream_si128(destination + 3, d);
  }
  _mm_sfence();
}

__attribute__((target("avx512f"))) static void stream_by_64(void *to, const void *from,
                                                            size_t size) {
  for (size_t at = 0; at < size; at += LINE) {
    const __m512i line = _mm512_load_si512((const char *)from + at);
    _mm512_stream_si512((__m512i *)(void *)((char *)to + at), line);
  }
  _mm_sfence();
}
#endif

size_t host_copy_list(host_copy_kind kinds[3]) {
  size_t count = 0;
  kinds[count++] = (host_copy_kind){"memcpy", copy_by_memcpy};
#if defined(__x86_64__)
  kinds[count++] = (host_copy_kind){"streaming stores of 16 bytes", stream_by_16};
  if (__builtin_cpu_supports("avx512f")) {
    kinds[count++] = (host_copy_kind){"streaming stores of 64 bytes", stream_by_64};
  }
#endif
  return count;
}

/* Shares that threads take in turns. */
typedef struct shares {
  host_copy copy;
  char *to;
  const char *from;
  size_t lines;
  size_t share; /* lines */
  atomic_size_t next;
} shares;

static void copy_shares(void *data, size_t thread) {
  (void)thread;
  shares *const all = data;
  for (;;) {
    const size_t begin = all->share * atomic_fetch_add(&all->next, 1);
    if (begin >= all->lines) {
      return;
    }
    const size_t left = all->lines - begin;
    const size_t some = left < all->share ? left : all->share;
    all->copy(all->to + begin * LINE, all->from + begin * LINE, some * LINE);
  }
}

void host_copy_run(host_copy copy, pool *threads, void *to, const void *from, size_t size) {
  if (threads == NULL) {
    copy(to, from, size);
    return;
  }
  const size_t lines = size / LINE;
  const size_t even = lines / (pool_threads(threads) * SHARES);
  shares all = {.copy = copy,
                .to = to,
                .from = from,
                .lines = lines,
                .share = even > LEAST_SHARE ? even : LEAST_SHARE};
  atomic_init(&all.next, 0);
  pool_parallel_for(threads, pool_threads(threads), copy_shares, &all);
}
