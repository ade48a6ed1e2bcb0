/* vectors.h: what an instruction set moves at once, for elements of ELEMENT_BYTES.
 *
 * A vector is what a vector register holds: LANES lanes of 16 bytes, each BLOCK_ROWS elements. What
 * happens to elements in registers is in block.h.
 *
 * One instruction set is chosen as this is compiled: AVX-512 or AVX2 where the compiler may use it,
 * or vectors of 16 bytes that gcc and clang know for every processor (SSE, NEON), with PLAIN
 * without any instruction that other processors may lack.
 *
 * Depends on kernels.h and base/opencl_c.h.
 */
#ifndef RLT_CPU_VECTORS_H
#define RLT_CPU_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512BW__) || defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSSE3__)
#include <tmmintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "base/opencl_c.h"
#include "cpu/kernels.h"

enum { LINE_BYTES = RLT_CPU_LINE_BYTES, LANE_BYTES = 16 };

/* ---- Registers ---- */

/* Elements of so many bytes. Those of 16 are moved alone, as two numbers. */
#if ELEMENT_BYTES == 1
typedef uint8_t scalar;
#define IN_64 64
#define IN_32 32
#define IN_16 16
#elif ELEMENT_BYTES == 2
typedef uint16_t scalar;
#define IN_64 32
#define IN_32 16
#define IN_16 8
#elif ELEMENT_BYTES == 4
typedef uint32_t scalar;
#define IN_64 16
#define IN_32 8
#define IN_16 4
#elif ELEMENT_BYTES == 8
typedef uint64_t scalar;
#define IN_64 8
#define IN_32 4
#define IN_16 2
#else
typedef uint64_t scalar;
#define IN_64 4
#define IN_32 2
#define IN_16 1
#endif
#define NAME_COUNT(bytes)  IN_##bytes
#define ELEMENTS_IN(bytes) NAME_COUNT(bytes)

#if defined(__AVX512BW__) && !defined(PLAIN)
#define VECTOR_BYTES 64
#elif defined(__AVX2__) && !defined(PLAIN)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
typedef scalar vector __attribute__((vector_size(VECTOR_BYTES)));

#define LANES         (VECTOR_BYTES / 16)
#define BLOCK_ROWS    IN_16                     /* elements of a lane */
#define BLOCK_COLUMNS ELEMENTS_IN(VECTOR_BYTES) /* elements of a vector */

/* The bits of `a` where those of `keep` are set, those of `b` where they are not. */
static inline vector blend(vector keep, vector a, vector b) {
  return (a & keep) | (b & ~keep);
}

/* ---- Memory: any alignment, if nothing else is said ---- */

static inline vector load_vector(const uint8_t *from) {
  vector loaded;
  memcpy(&loaded, from, sizeof loaded);
  return loaded;
}

static inline void store_vector(void *to, vector value) {
  memcpy(to, &value, sizeof value);
}

/* The instructions of vectors, from and to any place. */
#define LOAD_64(at)          _mm_loadl_epi64((const __m128i *)(const void *)(at))
#define LOAD_128(at)         _mm_loadu_si128((const __m128i *)(const void *)(at))
#define LOAD_256(at)         _mm256_loadu_si256((const __m256i *)(const void *)(at))
#define LOAD_512(at)         _mm512_loadu_si512(at)
#define STORE_256(at, value) _mm256_storeu_si256((__m256i *)(void *)(at), value)
#define STORE_512(at, value) _mm512_storeu_si512(at, value)

/* Lanes from these places, as many as a vector has. */
static inline vector load_lanes(const uint8_t *from, int64_t first, int64_t second, int64_t third,
                                int64_t fourth) {
#if VECTOR_BYTES > 16
#if VECTOR_BYTES == 64
  __m512i lanes = _mm512_castsi128_si512(LOAD_128(from + first));
  lanes = _mm512_inserti32x4(lanes, LOAD_128(from + second), 1);
  lanes = _mm512_inserti32x4(lanes, LOAD_128(from + third), 2);
  return (vector)_mm512_inserti32x4(lanes, LOAD_128(from + fourth), 3);
#else
  (void)third;
  (void)fourth;
  return (vector)_mm256_inserti128_si256(_mm256_castsi128_si256(LOAD_128(from + first)),
                                         LOAD_128(from + second), 1);
#endif
#else
  (void)second;
  (void)third;
  (void)fourth;
  return load_vector(from + first);
#endif
}

#if VECTOR_BYTES > 16
ALWAYS_INLINE static __m128i lane_of(vector value, int l) {
#if VECTOR_BYTES == 64
  const __m512i lanes = (__m512i)value;
  return l == 0   ? _mm512_castsi512_si128(lanes)
         : l == 1 ? _mm512_extracti32x4_epi32(lanes, 1)
         : l == 2 ? _mm512_extracti32x4_epi32(lanes, 2)
                  : _mm512_extracti32x4_epi32(lanes, 3);
#else
  const __m256i lanes = (__m256i)value;
  return l == 0 ? _mm256_castsi256_si128(lanes) : _mm256_extracti128_si256(lanes, 1);
#endif
}
#endif

/* Lane `l` of a vector. */
ALWAYS_INLINE static void store_lane(uint8_t *to, vector value, int l) {
#if VECTOR_BYTES > 16
  _mm_storeu_si128((__m128i *)(void *)to, lane_of(value, l));
#else
  (void)l;
  store_vector(to, value);
#endif
}

#if LANES > 1
/* Lane l of all `count` vectors, side by side, to place l: of as many as a vector has lanes, or of
 * two. */
ALWAYS_INLINE static void store_lanes_together(uint8_t *const places[4], const vector *of,
                                               int count) {
#if VECTOR_BYTES == 64
  const __m512i a = (__m512i)of[0], b = (__m512i)of[1];
  const __m512i low = _mm512_shuffle_i32x4(a, b, 0x44);  /* a0 a1 b0 b1 */
  const __m512i high = _mm512_shuffle_i32x4(a, b, 0xee); /* a2 a3 b2 b3 */
  if (count == 2) {
    const __m512i first = _mm512_shuffle_i32x4(low, low, 0xd8); /* a0 b0 a1 b1 */
    const __m512i last = _mm512_shuffle_i32x4(high, high, 0xd8);
    STORE_256(places[0], _mm512_castsi512_si256(first));
    STORE_256(places[1], _mm512_extracti64x4_epi64(first, 1));
    STORE_256(places[2], _mm512_castsi512_si256(last));
    STORE_256(places[3], _mm512_extracti64x4_epi64(last, 1));
    return;
  }
  const __m512i c = (__m512i)of[2], d = (__m512i)of[3];
  const __m512i next_low = _mm512_shuffle_i32x4(c, d, 0x44);
  const __m512i next_high = _mm512_shuffle_i32x4(c, d, 0xee);
  STORE_512(places[0], _mm512_shuffle_i32x4(low, next_low, 0x88)); /* a0 b0 c0 d0 */
  STORE_512(places[1], _mm512_shuffle_i32x4(low, next_low, 0xdd));
  STORE_512(places[2], _mm512_shuffle_i32x4(high, next_high, 0x88));
  STORE_512(places[3], _mm512_shuffle_i32x4(high, next_high, 0xdd));
#else
  (void)count;
  const __m256i a = (__m256i)of[0], b = (__m256i)of[1];
  STORE_256(places[0], _mm256_permute2x128_si256(a, b, 0x20));
  STORE_256(places[1], _mm256_permute2x128_si256(a, b, 0x31));
#endif
}
#endif

/* Its lanes one by one, `step` apart. */
ALWAYS_INLINE static void store_lanes(uint8_t *to, int64_t step, vector value) {
#pragma GCC unroll 4
  for (int l = 0; l < LANES; ++l) {
    store_lane(to + l * step, value, l);
  }
}

/* The first bytes of a vector, 0 < count < VECTOR_BYTES. */
static inline void store_some(uint8_t *to, vector value, int64_t count) {
#if VECTOR_BYTES == 64
  _mm512_mask_storeu_epi8(to, ~UINT64_C(0) >> (64 - count), (__m512i)value);
#else
  uint8_t bytes[VECTOR_BYTES];
  store_vector(bytes, value);
  memcpy(to, bytes, (size_t)count);
#endif
}

/* Whether the bytes of a lane can be put into any order at once. */
#if !defined(PLAIN) && (VECTOR_BYTES > 16 || defined(__SSSE3__) || defined(__aarch64__))
#define LOOKS_UP 1
/* In each lane, the byte at each of these sixteen places of it; 0 for places from 128 on. */
static inline vector take_bytes(vector lanes, const uint8_t *places) {
#if VECTOR_BYTES == 64
  return (vector)_mm512_shuffle_epi8((__m512i)lanes, _mm512_broadcast_i32x4(LOAD_128(places)));
#elif VECTOR_BYTES == 32
  return (vector)_mm256_shuffle_epi8((__m256i)lanes, _mm256_broadcastsi128_si256(LOAD_128(places)));
#elif defined(__SSSE3__)
  return (vector)_mm_shuffle_epi8((__m128i)lanes, LOAD_128(places));
#else
  return (vector)vqtbl1q_u8((uint8x16_t)lanes, vld1q_u8(places));
#endif
}

/* Words of 4 bytes of `a` and `b` in turns: the first two of each lane, or the last two. */
static inline vector zip_words(vector a, vector b, bool first) {
#if VECTOR_BYTES == 64
  const __m512i left = (__m512i)a, right = (__m512i)b;
  return (vector)(first ? _mm512_unpacklo_epi32(left, right) : _mm512_unpackhi_epi32(left, right));
#elif VECTOR_BYTES == 32
  const __m256i left = (__m256i)a, right = (__m256i)b;
  return (vector)(first ? _mm256_unpacklo_epi32(left, right) : _mm256_unpackhi_epi32(left, right));
#elif defined(__SSSE3__)
  const __m128i left = (__m128i)a, right = (__m128i)b;
  return (vector)(first ? _mm_unpacklo_epi32(left, right) : _mm_unpackhi_epi32(left, right));
#else
  const uint32x4_t left = (uint32x4_t)a, right = (uint32x4_t)b;
  return (vector)(first ? vzip1q_u32(left, right) : vzip2q_u32(left, right));
#endif
}

/* The first three words of 4 bytes of each lane, side by side. */
static inline vector join_three_words(vector value) {
  typedef uint32_t words __attribute__((vector_size(VECTOR_BYTES)));
  const words of = (words)value;
#if VECTOR_BYTES == 64
  return (vector)__builtin_shufflevector(of, of, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11,
                                         15);
#elif VECTOR_BYTES == 32
  return (vector)__builtin_shufflevector(of, of, 0, 1, 2, 4, 5, 6, 3, 7);
#else
  return (vector)of;
#endif
}
#else
#define LOOKS_UP 0
#endif

/* ---- Lines ---- */

enum { LINE_VECTORS = LINE_BYTES / VECTOR_BYTES };

typedef struct line {
  vector vectors[LINE_VECTORS];
} line;

static inline line load_line(const uint8_t *from) {
  line loaded;
#pragma GCC unroll 4
  for (int i = 0; i < LINE_VECTORS; ++i) {
    loaded.vectors[i] = load_vector(from + i * VECTOR_BYTES);
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
  for (int i = 0; i < LINE_VECTORS; ++i) {
    a.vectors[i] = blend(keep.vectors[i], a.vectors[i], b.vectors[i]);
  }
  return a;
}

/* Vector by vector: a line copied at once is one that compilers keep in memory. */
static inline void store_line(uint8_t *to, line value) {
#pragma GCC unroll 4
  for (int i = 0; i < LINE_VECTORS; ++i) {
    store_vector(to + i * VECTOR_BYTES, value.vectors[i]);
  }
}

/* Whether stream_line goes past the cache. */
#if defined(PLAIN)
#define STREAMS false
#elif defined(__SSE2__)
#define STREAMS true
#elif defined(__has_builtin) && __has_builtin(__builtin_nontemporal_store)
#define STREAMS true
#else
#define STREAMS false
#endif

/* Past the cache, to an address that is a multiple of a vector's size: an ordinary store would read
 * the line first. A caller that streams part of a line must stream the rest of it next. */
static inline void stream_vector(uint8_t *to, vector value) {
#if defined(PLAIN)
  store_vector(to, value);
#elif VECTOR_BYTES == 64
  _mm512_stream_si512((__m512i *)(void *)to, (__m512i)value);
#elif VECTOR_BYTES == 32
  _mm256_stream_si256((__m256i *)(void *)to, (__m256i)value);
#elif defined(__SSE2__)
  _mm_stream_si128((__m128i *)(void *)to, (__m128i)value);
#elif defined(__has_builtin) && __has_builtin(__builtin_nontemporal_store)
  __builtin_nontemporal_store(value, (vector *)(void *)to);
#else
  store_vector(to, value);
#endif
}

/* Lane `l` of a vector, in the same way. */
ALWAYS_INLINE static void stream_lane(uint8_t *to, vector value, int l) {
#if VECTOR_BYTES > 16
  _mm_stream_si128((__m128i *)(void *)to, lane_of(value, l));
#else
  (void)l;
  stream_vector(to, value);
#endif
}

/* To where a line begins. */
static inline void stream_line(uint8_t *to, line value) {
#pragma GCC unroll 4
  for (int i = 0; i < LINE_VECTORS; ++i) {
    stream_vector(to + i * VECTOR_BYTES, value.vectors[i]);
  }
}

/* Streamed lines are there for other threads once this has been called. */
static inline void finish_streams(void) {
#if defined(__SSE2__) && !defined(PLAIN)
  _mm_sfence();
#endif
}

#endif
