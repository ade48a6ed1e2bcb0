/* strips.h: what an instruction set moves at once, for elements of ELEMENT_BYTES.
 *
 * A strip is a vector register: LANES lanes of 16 bytes, each DEPTH elements. Processors move elements
 * within a lane more cheaply than across lanes; so all that happens to elements in registers is that
 * two strips are zipped, lane by lane:
 *
 *     a    a0 a1 a2 a3 | a4 a5 a6 a7        zip_low(a, b)     a0 b0 a1 b1 | a4 b4 a5 b5
 *     b    b0 b1 b2 b3 | b4 b5 b6 b7        zip_high(a, b)    a2 b2 a3 b3 | a6 b6 a7 b7
 *
 * One instruction set is chosen as this is compiled: AVX-512 or AVX2 where the compiler may use it,
 * vectors of 16 bytes that gcc and clang know for every processor (SSE2, NEON), or with PLAIN arrays
 * alone.
 *
 * Depends on kernels.h.
 */
#ifndef RLT_CPU_STRIPS_H
#define RLT_CPU_STRIPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512BW__) || defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "cpu/kernels.h"

enum { LINE_BYTES = RLT_CPU_LINE_BYTES, LANE_BYTES = 16 };

/* ---- Registers ---- */

#define JOIN_NAMES(a, b, c) a##b##c
#define NAMED(a, b, c)      JOIN_NAMES(a, b, c)
#if ELEMENT_BYTES == 1
#define ELEMENT_BITS 8
#elif ELEMENT_BYTES == 2
#define ELEMENT_BITS 16
#elif ELEMENT_BYTES == 4
#define ELEMENT_BITS 32
#elif ELEMENT_BYTES == 8
#define ELEMENT_BITS 64
#endif

#if defined(PLAIN)

enum { STRIP_BYTES = 16 };

typedef struct strip {
  uint8_t bytes[STRIP_BYTES];
} strip;

static inline strip zip(strip a, strip b, int first) {
  strip zipped = a;
  for (int i = 0; i < STRIP_BYTES / 2; i += ELEMENT_BYTES) {
    memcpy(zipped.bytes + 2 * i, a.bytes + first + i, ELEMENT_BYTES);
    memcpy(zipped.bytes + 2 * i + ELEMENT_BYTES, b.bytes + first + i, ELEMENT_BYTES);
  }
  return zipped;
}

#define zip_low(a, b)  zip(a, b, 0)
#define zip_high(a, b) zip(a, b, STRIP_BYTES / 2)

/* The bytes of `a` where those of `keep` are 0xff, those of `b` where they are 0. */
static inline strip blend(strip keep, strip a, strip b) {
  for (int i = 0; i < STRIP_BYTES; ++i) {
    a.bytes[i] = (uint8_t)((a.bytes[i] & keep.bytes[i]) | (b.bytes[i] & ~keep.bytes[i]));
  }
  return a;
}

#else

#if defined(__AVX512BW__)
enum { STRIP_BYTES = 64 };
typedef __m512i strip;
#define UNPACK(half) NAMED(_mm512_unpack, half, NAMED(_epi, ELEMENT_BITS, ))
#elif defined(__AVX2__)
enum { STRIP_BYTES = 32 };
typedef __m256i strip;
#define UNPACK(half) NAMED(_mm256_unpack, half, NAMED(_epi, ELEMENT_BITS, ))
#else
enum { STRIP_BYTES = 16 };
typedef uint8_t strip __attribute__((vector_size(STRIP_BYTES)));
#endif

#if defined(UNPACK)
#define zip_low(a, b)  UNPACK(lo)(a, b)
#define zip_high(a, b) UNPACK(hi)(a, b)
#elif ELEMENT_BYTES == 1
#define ZIPPED(n)                                                                                  \
  n, 16 + n, 1 + n, 17 + n, 2 + n, 18 + n, 3 + n, 19 + n, 4 + n, 20 + n, 5 + n, 21 + n, 6 + n,     \
      22 + n, 7 + n, 23 + n
#elif ELEMENT_BYTES == 2
#define ZIPPED(n)                                                                                  \
  n, 1 + n, 16 + n, 17 + n, 2 + n, 3 + n, 18 + n, 19 + n, 4 + n, 5 + n, 20 + n, 21 + n, 6 + n,     \
      7 + n, 22 + n, 23 + n
#elif ELEMENT_BYTES == 4
#define ZIPPED(n)                                                                                  \
  n, 1 + n, 2 + n, 3 + n, 16 + n, 17 + n, 18 + n, 19 + n, 4 + n, 5 + n, 6 + n, 7 + n, 20 + n,      \
      21 + n, 22 + n, 23 + n
#elif ELEMENT_BYTES == 8
#define ZIPPED(n)                                                                                  \
  n, 1 + n, 2 + n, 3 + n, 4 + n, 5 + n, 6 + n, 7 + n, 16 + n, 17 + n, 18 + n, 19 + n, 20 + n,      \
      21 + n, 22 + n, 23 + n
#endif
#if defined(ZIPPED)
#define zip_low(a, b)  __builtin_shufflevector(a, b, ZIPPED(0))
#define zip_high(a, b) __builtin_shufflevector(a, b, ZIPPED(8))
#endif

/* The bits of `a` where those of `keep` are set, those of `b` where they are not. */
static inline strip blend(strip keep, strip a, strip b) {
  return (a & keep) | (b & ~keep);
}

#endif

enum {
  LANES = STRIP_BYTES / LANE_BYTES,
  DEPTH = LANE_BYTES / ELEMENT_BYTES, /* elements of a lane */
  SIDE = LANES * DEPTH                /* elements of a strip */
};

/* ---- Memory: any alignment, if nothing else is said ---- */

static inline strip load_strip(const uint8_t *from) {
  strip loaded;
  memcpy(&loaded, from, sizeof loaded);
  return loaded;
}

static inline void store_strip(uint8_t *to, strip value) {
  memcpy(to, &value, sizeof value);
}

/* Lanes from these places, as many as a strip has. */
static inline strip load_lanes(const uint8_t *from, ptrdiff_t first, ptrdiff_t second,
                               ptrdiff_t third, ptrdiff_t fourth) {
#if !defined(PLAIN) && (defined(__AVX512BW__) || defined(__AVX2__))
#define LANE(at) _mm_loadu_si128((const __m128i *)(const void *)(from + (at)))
#if defined(__AVX512BW__)
  strip lanes = _mm512_castsi128_si512(LANE(first));
  lanes = _mm512_inserti32x4(lanes, LANE(second), 1);
  lanes = _mm512_inserti32x4(lanes, LANE(third), 2);
  return _mm512_inserti32x4(lanes, LANE(fourth), 3);
#else
  (void)third;
  (void)fourth;
  return _mm256_inserti128_si256(_mm256_castsi128_si256(LANE(first)), LANE(second), 1);
#endif
#undef LANE
#else
  (void)second;
  (void)third;
  (void)fourth;
  return load_strip(from + first);
#endif
}

/* Its lanes one by one, `step` apart. */
static inline void store_lanes(uint8_t *to, ptrdiff_t step, strip value) {
#if !defined(PLAIN) && (defined(__AVX512BW__) || defined(__AVX2__))
#define LANE(i) ((__m128i *)(void *)(to + (i)*step))
#if defined(__AVX512BW__)
  _mm_storeu_si128(LANE(0), _mm512_castsi512_si128(value));
  _mm_storeu_si128(LANE(1), _mm512_extracti32x4_epi32(value, 1));
  _mm_storeu_si128(LANE(2), _mm512_extracti32x4_epi32(value, 2));
  _mm_storeu_si128(LANE(3), _mm512_extracti32x4_epi32(value, 3));
#else
  _mm_storeu_si128(LANE(0), _mm256_castsi256_si128(value));
  _mm_storeu_si128(LANE(1), _mm256_extracti128_si256(value, 1));
#endif
#undef LANE
#else
  (void)step;
  store_strip(to, value);
#endif
}

/* The first bytes of a strip, 0 < count < STRIP_BYTES. */
static inline void store_some(uint8_t *to, strip value, int64_t count) {
#if defined(__AVX512BW__) && !defined(PLAIN)
  _mm512_mask_storeu_epi8(to, ~UINT64_C(0) >> (64 - count), value);
#else
  uint8_t bytes[STRIP_BYTES];
  store_strip(bytes, value);
  memcpy(to, bytes, (size_t)count);
#endif
}

/* ---- Lines ---- */

enum { LINE_STRIPS = LINE_BYTES / STRIP_BYTES };

typedef struct line {
  strip strips[LINE_STRIPS];
} line;

static inline line load_line(const uint8_t *from) {
  line loaded;
  for (int i = 0; i < LINE_STRIPS; ++i) {
    loaded.strips[i] = load_strip(from + i * STRIP_BYTES);
  }
  return loaded;
}

/* Ones for the first `count` bytes, zeros for the others. */
static inline line first_bytes(int64_t count) {
  static const uint8_t ones_and_zeros[2 * LINE_BYTES] = {
#define SIXTEEN_ONES                                                                               \
  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
      SIXTEEN_ONES, SIXTEEN_ONES, SIXTEEN_ONES, SIXTEEN_ONES
#undef SIXTEEN_ONES
  };
  return load_line(ones_and_zeros + LINE_BYTES - count);
}

/* The first `count` bytes of `a`, the others of `b`. */
static inline line join_lines(line a, line b, int64_t count) {
  const line keep = first_bytes(count);
  for (int i = 0; i < LINE_STRIPS; ++i) {
    a.strips[i] = blend(keep.strips[i], a.strips[i], b.strips[i]);
  }
  return a;
}

static inline void store_line(uint8_t *to, line value) {
  memcpy(to, &value, sizeof value);
}

/* To where a line begins, past the cache: an ordinary store would read it first. */
static inline void stream_line(uint8_t *to, line value) {
#if defined(PLAIN)
  store_line(to, value);
#elif defined(__AVX512BW__)
  _mm512_stream_si512((__m512i *)(void *)to, value.strips[0]);
#elif defined(__AVX2__)
  _mm256_stream_si256((__m256i *)(void *)to, value.strips[0]);
  _mm256_stream_si256((__m256i *)(void *)(to + STRIP_BYTES), value.strips[1]);
#elif defined(__SSE2__)
  for (int i = 0; i < LINE_STRIPS; ++i) {
    _mm_stream_si128((__m128i *)(void *)(to + i * STRIP_BYTES), (__m128i)value.strips[i]);
  }
#elif defined(__has_builtin) && __has_builtin(__builtin_nontemporal_store)
  for (int i = 0; i < LINE_STRIPS; ++i) {
    __builtin_nontemporal_store(value.strips[i], (strip *)(void *)(to + i * STRIP_BYTES));
  }
#else
  store_line(to, value);
#endif
}

/* Streamed lines are there for other threads once this has been called. */
static inline void finish_streams(void) {
#if defined(__SSE2__) && !defined(PLAIN)
  _mm_sfence();
#endif
}

/* Fetches a line, which need not be anybody's memory: into the first-level cache, but for elements so
 * narrow that whole lines of them on both sides make tiles that fill it. */
static inline void fetch(const uint8_t *from) {
  __builtin_prefetch(from, 0, ELEMENT_BYTES <= 2 ? 2 : 3);
}

#endif
