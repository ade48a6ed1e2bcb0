/* rows_kernels.c: the passes that rows of elements go through, for one instruction set. It is
 * compiled for each, which says ROW_PASSES, the name of what it defines.
 *
 * Most are loops over elements that compilers make into vectors. They work on integers alone
 * wherever that is as fast; those that need floating point find its control word as programs start
 * with it, so that no caller's rounding mode or flushing of subnormals counts.
 */
#include "cpu/row_passes.h"

#define NARROW  1
#define INLINED static inline __attribute__((always_inline))
#include "base/opencl_c.h"
#include "convert/arithmetic.h"
#include "convert/float_bits.h"
#include "cpu/bits.h"
#include "cpu/runs.h"
#include "metadata/float_format.h"

/* Elements anywhere. */
#define ANYWHERE __attribute__((aligned(1), may_alias))
typedef int8_t s8 ANYWHERE;
typedef int16_t s16 ANYWHERE;
typedef int32_t s32 ANYWHERE;
typedef int64_t s64 ANYWHERE;
typedef uint8_t u8 ANYWHERE;
typedef uint16_t u16 ANYWHERE;
typedef uint32_t u32 ANYWHERE;
typedef uint64_t u64 ANYWHERE;
typedef float f32 ANYWHERE;
typedef double f64 ANYWHERE;

#define PASS(name)                                                                                 \
  static void name(const rlt_cpu_row *row, const uint8_t *restrict from, uint8_t *restrict to,     \
                   int64_t count)

/* The elements of a row, which compilers are told are whole groups: nothing has to be done to some
 * that are left over. */
#define IN_GROUPS(count) ((count) & -(int64_t)RLT_CPU_ROW_GROUP)

/* Elements one by one, each becoming what `made` says of it; `with` is the row. */
#define EACH(name, from_type, to_type, made)                                                       \
  PASS(name) {                                                                                     \
    const rlt_cpu_row with = *row;                                                                 \
    (void)with;                                                                                    \
    for (int64_t i = 0; i < IN_GROUPS(count); ++i) {                                               \
      const from_type element = ((const from_type *)from)[i];                                      \
      ((to_type *)to)[i] = (to_type)(made);                                                        \
    }                                                                                              \
  }

/* ---- By the table ---- */

#define BY_TABLE(name, type, mask)                                                                 \
  EACH(name, u8, type, ((const type *)with.table)[element & (mask)])

BY_TABLE(bytes_to_8, u64, 0xff)
BY_TABLE(nibbles_to_8, u64, 0xf)

/* Preds, which are 0 or something else, by the first two entries. */
#define PREDS(name, type)                                                                          \
  PASS(name) {                                                                                     \
    const type zero = ((const type *)row->table)[0], one = ((const type *)row->table)[1];          \
    for (int64_t i = 0; i < IN_GROUPS(count); ++i) {                                               \
      ((type *)to)[i] = from[i] == 0 ? zero : one;                                                 \
    }                                                                                              \
  }

PREDS(preds_to_1, u8)
PREDS(preds_to_2, u16)
PREDS(preds_to_4, u32)
PREDS(preds_to_8, u64)

#if VECTOR_BYTES == 64

/* The table as words of 16 bits, in eight registers. */
typedef struct word_table {
  __m512i parts[8];
} word_table;

/* What each of 32 bytes becomes. */
static inline __m512i look_up(const word_table *of, const uint8_t *from) {
  const __m512i at = _mm512_cvtepu8_epi16(LOAD_256(from));
  const __mmask32 bit_6 = _mm512_test_epi16_mask(at, _mm512_set1_epi16(1 << 6));
  const __mmask32 bit_7 = _mm512_test_epi16_mask(at, _mm512_set1_epi16(1 << 7));
  __m512i found[4];
  UNROLLED
  for (int i = 0; i < 4; ++i) {
    found[i] = _mm512_permutex2var_epi16(of->parts[2 * i], at, of->parts[2 * i + 1]);
  }
  return _mm512_mask_blend_epi16(bit_7, _mm512_mask_blend_epi16(bit_6, found[0], found[1]),
                                 _mm512_mask_blend_epi16(bit_6, found[2], found[3]));
}

PASS(bytes_to_1) {
  word_table all;
  UNROLLED
  for (int i = 0; i < 8; ++i) {
    all.parts[i] = _mm512_cvtepu8_epi16(LOAD_256(row->planes + 32 * i));
  }
  for (int64_t i = 0; i < count; i += 32) {
    STORE_256(to + i, _mm512_cvtepi16_epi8(look_up(&all, from + i)));
  }
}

PASS(bytes_to_2) {
  word_table all;
  UNROLLED
  for (int i = 0; i < 8; ++i) {
    all.parts[i] = LOAD_512((const uint8_t *)row->table + 64 * i);
  }
  for (int64_t i = 0; i < count; i += 32) {
    STORE_512(to + 2 * i, look_up(&all, from + i));
  }
}

PASS(bytes_to_4) {
  for (int64_t i = 0; i < count; i += 16) {
    const __m512i at = _mm512_cvtepu8_epi32(LOAD_128(from + i));
    STORE_512(to + 4 * i, _mm512_i32gather_epi32(at, row->table, 4));
  }
}

PASS(nibbles_to_1) {
  const __m512i table = _mm512_broadcast_i32x4(LOAD_128(row->table));
  for (int64_t i = 0; i < count; i += 64) {
    const __m512i at = _mm512_and_si512(LOAD_512(from + i), _mm512_set1_epi8(15));
    STORE_512(to + i, _mm512_shuffle_epi8(table, at));
  }
}

/* The upper bits of a byte repeat the table. */
PASS(nibbles_to_2) {
  const __m512i table = _mm512_broadcast_i64x4(LOAD_256(row->table));
  for (int64_t i = 0; i < count; i += 32) {
    const __m512i at = _mm512_cvtepu8_epi16(LOAD_256(from + i));
    STORE_512(to + 2 * i, _mm512_permutexvar_epi16(at, table));
  }
}

PASS(nibbles_to_4) {
  const __m512i table = LOAD_512(row->table);
  for (int64_t i = 0; i < count; i += 16) {
    const __m512i at = _mm512_cvtepu8_epi32(LOAD_128(from + i));
    STORE_512(to + 4 * i, _mm512_permutexvar_epi32(at, table));
  }
}

#elif VECTOR_BYTES == 32

/* What 32 bytes become. Of a byte the lower four bits look it up in 16 entries of the table, as
 * many times as there are such entries; the upper ones choose among what is found. */
typedef struct looked_up {
  const uint8_t *table;
  __m256i lower;
  __m256i upper[4]; /* bit 4, 5, 6 or 7 is the highest of its byte */
} looked_up;

static inline looked_up look_up(const uint8_t *table, __m256i at) {
  const __m256i lower = _mm256_and_si256(at, _mm256_set1_epi8(15));
  return (looked_up){
      table,
      lower,
      {_mm256_slli_epi16(at, 3), _mm256_slli_epi16(at, 2), _mm256_slli_epi16(at, 1), at}};
}

static inline __m256i find_1(const looked_up *of, int first) {
  const __m256i entries = _mm256_broadcastsi128_si256(LOAD_128(of->table + first));
  return _mm256_shuffle_epi8(entries, of->lower);
}

/* Among so many times 16 entries, of which the first is given. */
#define FIND(count, half, bit)                                                                     \
  static inline __m256i find_##count(const looked_up *of, int first) {                             \
    const __m256i low = find_##half(of, first);                                                    \
    const __m256i high = find_##half(of, first + (half)*16);                                       \
    return _mm256_blendv_epi8(low, high, of->upper[(bit)-4]);                                      \
  }

FIND(2, 1, 4)
FIND(4, 2, 5)
FIND(8, 4, 6)
FIND(16, 8, 7)

PASS(bytes_to_1) {
  for (int64_t i = 0; i < count; i += 32) {
    const looked_up of = look_up(row->table, LOAD_256(from + i));
    STORE_256(to + i, find_16(&of, 0));
  }
}

/* Both bytes of an element are looked up alike. Of floats the highest bit is the sign. */
PASS(bytes_to_2) {
  const bool has_sign = row->table_has_sign;
  for (int64_t i = 0; i < count; i += 32) {
    const __m256i at = _mm256_permute4x64_epi64(LOAD_256(from + i), 0xd8);
    const looked_up lows = look_up(row->planes, at), highs = look_up(row->planes + 256, at);
    const __m256i sign = _mm256_and_si256(at, _mm256_set1_epi8(INT8_MIN));
    const __m256i low = has_sign ? find_8(&lows, 0) : find_16(&lows, 0);
    const __m256i high = has_sign ? _mm256_or_si256(find_8(&highs, 0), sign) : find_16(&highs, 0);
    STORE_256(to + 2 * i, _mm256_unpacklo_epi8(low, high));
    STORE_256(to + 2 * i + 32, _mm256_unpackhi_epi8(low, high));
  }
}

PASS(bytes_to_4) {
  for (int64_t i = 0; i < count; i += 8) {
    const __m256i at = _mm256_cvtepu8_epi32(LOAD_64(from + i));
    STORE_256(to + 4 * i, _mm256_i32gather_epi32(row->table, at, 4));
  }
}

PASS(nibbles_to_1) {
  const __m256i table = _mm256_broadcastsi128_si256(LOAD_128(row->table));
  for (int64_t i = 0; i < count; i += 32) {
    const __m256i at = _mm256_and_si256(LOAD_256(from + i), _mm256_set1_epi8(15));
    STORE_256(to + i, _mm256_shuffle_epi8(table, at));
  }
}

/* Of both bytes of an element, which are looked up alike. */
PASS(nibbles_to_2) {
  const __m256i low = _mm256_broadcastsi128_si256(LOAD_128(row->planes));
  const __m256i high = _mm256_broadcastsi128_si256(LOAD_128(row->planes + 256));
  for (int64_t i = 0; i < count; i += 32) {
    const __m256i at =
        _mm256_and_si256(_mm256_permute4x64_epi64(LOAD_256(from + i), 0xd8), _mm256_set1_epi8(15));
    const __m256i low_at = _mm256_shuffle_epi8(low, at), high_at = _mm256_shuffle_epi8(high, at);
    STORE_256(to + 2 * i, _mm256_unpacklo_epi8(low_at, high_at));
    STORE_256(to + 2 * i + 32, _mm256_unpackhi_epi8(low_at, high_at));
  }
}

PASS(nibbles_to_4) {
  const __m256i low = LOAD_256(row->table);
  const __m256i high = LOAD_256((const uint8_t *)row->table + 32);
  for (int64_t i = 0; i < count; i += 8) {
    const __m256i at = _mm256_cvtepu8_epi32(LOAD_64(from + i));
    const __m256 first = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, at));
    const __m256 second = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, at));
    const __m256 upper = _mm256_castsi256_ps(_mm256_slli_epi32(at, 28));
    STORE_256(to + 4 * i, _mm256_castps_si256(_mm256_blendv_ps(first, second, upper)));
  }
}

#else

BY_TABLE(bytes_to_1, u8, 0xff)
BY_TABLE(bytes_to_2, u16, 0xff)
BY_TABLE(bytes_to_4, u32, 0xff)
BY_TABLE(nibbles_to_1, u8, 0xf)
BY_TABLE(nibbles_to_2, u16, 0xf)
BY_TABLE(nibbles_to_4, u32, 0xf)

#endif

/* ---- Bytes in the other order ---- */

#define SWAP(type, swapped)                                                                        \
  PASS(swap_##type) {                                                                              \
    (void)row;                                                                                     \
    for (int64_t i = 0; i < count; ++i) {                                                          \
      ((type *)to)[i] = swapped(((const type *)from)[i]);                                          \
    }                                                                                              \
  }

SWAP(u16, __builtin_bswap16)
SWAP(u32, __builtin_bswap32)
SWAP(u64, __builtin_bswap64)

/* ---- Packed ---- */

/* A word's lowest byte is the first in memory. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FIRST_LOWEST(bytes, word) (word)
#else
#define BYTE_SWAP_2(word)         __builtin_bswap16(word)
#define BYTE_SWAP_4(word)         __builtin_bswap32(word)
#define BYTE_SWAP_8(word)         __builtin_bswap64(word)
#define FIRST_LOWEST(bytes, word) BYTE_SWAP_##bytes(word)
#endif

/* Of elements of `bits`, and words with `bytes` for those of one byte; `order` is their order in
 * that, _HIGH or none. */
#define EXPAND_AND_COMPRESS(order, bits, type, loose, bytes)                                       \
  PASS(unpack##order##_##bits) {                                                                   \
    (void)row;                                                                                     \
    for (int64_t i = 0; i < IN_GROUPS(count) / (bytes); ++i) {                                     \
      const type packed = from[i];                                                                 \
      const type expanded = (type)EXPAND##order##_##bits(type, packed);                            \
      ((loose *)to)[i] = FIRST_LOWEST(bytes, expanded);                                            \
    }                                                                                              \
  }                                                                                                \
  PASS(pack##order##_##bits) {                                                                     \
    (void)row;                                                                                     \
    for (int64_t i = 0; i < IN_GROUPS(count) / (bytes); ++i) {                                     \
      const type loaded = FIRST_LOWEST(bytes, ((const loose *)from)[i]);                           \
      const type elements = (type)LOW_ELEMENTS(type, loaded, bits);                                \
      const type compressed = (type)COMPRESS##order##_##bits(type, elements);                      \
      to[i] = (uint8_t)compressed;                                                                 \
    }                                                                                              \
  }

EXPAND_AND_COMPRESS(, 4, uint16_t, u16, 2)
EXPAND_AND_COMPRESS(, 2, uint32_t, u32, 4)
EXPAND_AND_COMPRESS(, 1, uint64_t, u64, 8)
EXPAND_AND_COMPRESS(_HIGH, 4, uint16_t, u16, 2)
EXPAND_AND_COMPRESS(_HIGH, 2, uint32_t, u32, 4)
EXPAND_AND_COMPRESS(_HIGH, 1, uint64_t, u64, 8)

#define REVERSE(bits)                                                                              \
  PASS(reverse_##bits) {                                                                           \
    (void)row;                                                                                     \
    for (int64_t i = 0; i < IN_GROUPS(count) / 8; ++i) {                                           \
      const uint64_t bytes = ((const u64 *)from)[i];                                               \
      ((u64 *)to)[i] = REVERSE_##bits(uint64_t, bytes);                                            \
    }                                                                                              \
  }

REVERSE(4)
REVERSE(2)
REVERSE(1)

/* ---- Packed elements among rows ---- */

enum { ROW_BYTES = sizeof(bit_row), LEAST_ROW_BYTES = 16 < ROW_BYTES ? 16 : ROW_BYTES };

/* As much of the rows as a register holds, or less. Counts are known once it is compiled into its
 * callers. */
ALWAYS_INLINE static void transpose_some(const uint8_t *restrict from, int64_t stride,
                                         uint8_t *restrict to, int64_t pitch, uint count,
                                         size_t bytes) {
  bit_row rows[8];
  memset(rows, 0, sizeof rows);
  UNROLLED
  for (uint r = 0; r < count; ++r) {
    memcpy(&rows[r], from + r * stride, bytes);
  }
  transpose_bits(rows, count);
  UNROLLED
  for (uint r = 0; r < count; ++r) {
    memcpy(to + r * pitch, &rows[r], bytes);
  }
}

#define TRANSPOSE(bits)                                                                            \
  static void transpose_##bits(const uint8_t *restrict from, int64_t stride, uint8_t *restrict to, \
                               int64_t pitch, int64_t length) {                                    \
    int64_t i = 0;                                                                                 \
    for (; i + ROW_BYTES <= length; i += ROW_BYTES) {                                              \
      transpose_some(from + i, stride, to + i, pitch, 8 / (bits), ROW_BYTES);                      \
    }                                                                                              \
    for (; i + LEAST_ROW_BYTES <= length; i += LEAST_ROW_BYTES) {                                  \
      transpose_some(from + i, stride, to + i, pitch, 8 / (bits), LEAST_ROW_BYTES);                \
    }                                                                                              \
    if (i < length) {                                                                              \
      transpose_some(from + i, stride, to + i, pitch, 8 / (bits), (size_t)(length - i));           \
    }                                                                                              \
  }

TRANSPOSE(4)
TRANSPOSE(2)
TRANSPOSE(1)

#if !defined(PLAIN)

/* ---- Integers ---- */

#define LEAST_OF(a, b)    ((a) < (b) ? (a) : (b))
#define GREATEST_OF(a, b) ((a) > (b) ? (a) : (b))

/* `wide` holds all values of the source, and the ends of the target. */
#define INTEGERS(from_type, to_type, wide, least, most)                                            \
  PASS(from_type##_to_##to_type) {                                                                 \
    (void)row;                                                                                     \
    for (int64_t i = 0; i < IN_GROUPS(count); ++i) {                                               \
      const wide value = (wide)((const from_type *)from)[i];                                       \
      ((to_type *)to)[i] = (to_type)LEAST_OF(GREATEST_OF(value, (wide)(least)), (wide)(most));     \
    }                                                                                              \
  }
#define FROM_SIGNED(type, wide, most_u32)                                                          \
  INTEGERS(type, s8, wide, INT8_MIN, INT8_MAX)                                                     \
  INTEGERS(type, u8, wide, 0, UINT8_MAX)                                                           \
  INTEGERS(type, s16, wide, INT16_MIN, INT16_MAX)                                                  \
  INTEGERS(type, u16, wide, 0, UINT16_MAX)                                                         \
  INTEGERS(type, s32, wide, INT32_MIN, INT32_MAX)                                                  \
  INTEGERS(type, u32, wide, 0, most_u32)                                                           \
  INTEGERS(type, s64, int64_t, INT64_MIN, INT64_MAX)                                               \
  INTEGERS(type, u64, int64_t, 0, INT64_MAX)
#define FROM_UNSIGNED(type, wide)                                                                  \
  INTEGERS(type, s8, wide, 0, INT8_MAX)                                                            \
  INTEGERS(type, u8, wide, 0, UINT8_MAX)                                                           \
  INTEGERS(type, s16, wide, 0, INT16_MAX)                                                          \
  INTEGERS(type, u16, wide, 0, UINT16_MAX)                                                         \
  INTEGERS(type, s32, wide, 0, INT32_MAX)                                                          \
  INTEGERS(type, u32, wide, 0, UINT32_MAX)                                                         \
  INTEGERS(type, s64, uint64_t, 0, INT64_MAX)                                                      \
  INTEGERS(type, u64, uint64_t, 0, UINT64_MAX)

FROM_SIGNED(s8, int32_t, INT32_MAX)
FROM_SIGNED(s16, int32_t, INT32_MAX)
FROM_SIGNED(s32, int32_t, INT32_MAX)
FROM_SIGNED(s64, int64_t, UINT32_MAX)
FROM_UNSIGNED(u8, uint32_t)
FROM_UNSIGNED(u16, uint32_t)
FROM_UNSIGNED(u32, uint32_t)
FROM_UNSIGNED(u64, uint64_t)

/* The low bits of an element, as a smaller one. */
#define LOW(from_type, to_type)                                                                    \
  EACH(from_type##_low_##to_type, from_type, to_type, (to_type)element &(to_type)with.low_mask)

LOW(u16, u8)
LOW(u32, u8)
LOW(u32, u16)
LOW(u64, u8)
LOW(u64, u16)
LOW(u64, u32)

/* ---- Floats as integers ---- */

#define SIGN_32     UINT32_C(0x80000000)
#define INFINITY_32 UINT32_C(0x7f800000)
#define NAN_32      UINT32_C(0x7fc00000)

/* Every NaN is the quiet one of its sign. */
static inline uint32_t canonical_32(uint32_t bits) {
  return (bits & ~SIGN_32) > INFINITY_32 ? (bits & SIGN_32) | NAN_32 : bits;
}

static inline uint64_t canonical_64(uint64_t bits) {
  const uint64_t sign = bits & UINT64_C(0x8000000000000000);
  return (bits ^ sign) > UINT64_C(0x7ff0000000000000) ? sign | UINT64_C(0x7ff8000000000000) : bits;
}

EACH(s8_to_f32, s8, f32, (float)(int32_t)element)
EACH(u8_to_f32, u8, f32, (float)(int32_t)element)
EACH(s16_to_f32, s16, f32, (float)(int32_t)element)
EACH(u16_to_f32, u16, f32, (float)(int32_t)element)

/* As much of OpenCL C as cl/by_float.cl needs. */
#define as_uint(value)            _Generic((value), float : bits_of_f32, int : uint_of_int)(value)
#define as_int(value)             ((int)(value))
#define as_float(value)           f32_of_bits(value)
#define min(a, b)                 LEAST_OF(a, b)
#define max(a, b)                 GREATEST_OF(a, b)
#define clamp(value, least, most) LEAST_OF(GREATEST_OF(value, least), most)
#define BY_FLOAT                  1

static inline uint uint_of_int(int value) {
  return (uint)value;
}

#include "../../cl/by_float.cl"

/* Bytes become f32 through tables. */
#define FLOATS_TO_16(type, exponent, mantissa, bias, specials)                                     \
  static const number_format type##_format = {                                                     \
      KIND_FLOAT, 1 + (exponent) + (mantissa), exponent, mantissa, bias, SPECIALS_##specials};     \
  EACH(type##_to_f32, u16, u32,                                                                    \
       convert_within_float(element, type##_format, f32_format, no_integers))                      \
  EACH(f32_to_##type##_1, u32, u8,                                                                 \
       convert_within_float(element, f32_format, type##_format, no_integers))                      \
  EACH(f32_to_##type##_2, u32, u16,                                                                \
       convert_within_float(element, f32_format, type##_format, no_integers))

static const number_format f32_format = {KIND_FLOAT, 32, 8, 23, 127, SPECIALS_IEEE};
static const integer_rule no_integers = {false, false};

RLT_SIGNED_FLOATS_TO_16(FLOATS_TO_16)

/* What instructions do. NaNs lose their payload. */
/* The nearest power of two, as f8e8m0fnu has them: ties go up, what is above the least becomes the
 * next one at once, and there is neither zero nor sign. */
static inline uint8_t power_of_f32(uint32_t bits) {
  const uint32_t least = 0x00400000, normal = 0x00800000, beyond = 0x7f400000, none = 0xff;
  const uint32_t exponent = bits < normal ? (bits > least ? 1 : 0) : (bits + least) >> 23;
  return (uint8_t)(bits == 0 || bits >= beyond ? none : exponent);
}

EACH(f32_to_power, u32, u8, power_of_f32(element))

#if VECTOR_BYTES == 64
PASS(f32_to_half) {
  (void)row;
  for (int64_t i = 0; i < count; i += 16) {
    const __m512i bits = LOAD_512(from + 4 * i);
    const __m512i size = _mm512_and_si512(bits, _mm512_set1_epi32(INT32_MAX));
    const __mmask16 is_nan = _mm512_cmpgt_epi32_mask(size, _mm512_set1_epi32((int)INFINITY_32));
    const __m512i plain =
        _mm512_mask_and_epi32(bits, is_nan, bits, _mm512_set1_epi32((int)(SIGN_32 | NAN_32)));
    const __m512i quiet =
        _mm512_mask_or_epi32(plain, is_nan, plain, _mm512_set1_epi32((int)NAN_32));
    STORE_256(to + 2 * i, _mm512_cvtps_ph(_mm512_castsi512_ps(quiet), _MM_FROUND_TO_NEAREST_INT));
  }
}

static inline void store_canonical(uint8_t *to, __m512 value) {
  const __mmask16 is_nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
  const __m512i bits = _mm512_castps_si512(value);
  const __m512i sign = _mm512_and_si512(bits, _mm512_set1_epi32((int)SIGN_32));
  STORE_512(to, _mm512_mask_or_epi32(bits, is_nan, sign, _mm512_set1_epi32((int)NAN_32)));
}

PASS(half_to_f32) {
  (void)row;
  for (int64_t i = 0; i < count; i += 16) {
    store_canonical(to + 4 * i, _mm512_cvtph_ps(LOAD_256(from + 2 * i)));
  }
}
#elif VECTOR_BYTES == 32
static inline __m256i canonical_of(__m256 value) {
  const __m256 is_nan = _mm256_cmp_ps(value, value, _CMP_UNORD_Q);
  const __m256i sign = _mm256_set1_epi32((int)SIGN_32);
  const __m256i nan = _mm256_or_si256(_mm256_and_si256(_mm256_castps_si256(value), sign),
                                      _mm256_set1_epi32((int)NAN_32));
  return _mm256_castps_si256(_mm256_blendv_ps(value, _mm256_castsi256_ps(nan), is_nan));
}

PASS(f32_to_half) {
  (void)row;
  for (int64_t i = 0; i < count; i += 8) {
    const __m256i plain = canonical_of(_mm256_castsi256_ps(LOAD_256(from + 4 * i)));
    const __m128i half = _mm256_cvtps_ph(_mm256_castsi256_ps(plain), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128((__m128i *)(void *)(to + 2 * i), half);
  }
}

PASS(half_to_f32) {
  (void)row;
  for (int64_t i = 0; i < count; i += 8) {
    STORE_256(to + 4 * i, canonical_of(_mm256_cvtph_ps(LOAD_128(from + 2 * i))));
  }
}
#endif

/* ---- Floats as numbers ---- */

#if defined(__FMA__) || defined(__aarch64__)
#define HAS_FMA 1
#else
#define HAS_FMA 0
#endif

static inline double from_f32(uint32_t bits) {
  return f32_of_bits(bits);
}

static inline double from_s32(uint32_t bits) {
  return (int32_t)bits;
}

static inline double from_u32(uint32_t bits) {
  return (double)(int32_t)(bits ^ SIGN_32) + 0x1p31;
}

static inline double from_f64(uint64_t bits) {
  return f64_of_bits(bits);
}

static inline uint32_t f32_of(double value) {
  return canonical_32(bits_of_f32((float)value));
}

static inline double product_exact(double value, double scale) {
  return value * scale;
}

static inline int32_t integer_within(double value, double lowest, double highest) {
  const double real = value == value ? value : 0;
  return (int32_t)LEAST_OF(GREATEST_OF(real, lowest), highest);
}

/* Doubles near it are 1 apart: a sum with it is rounded to the nearest integer, ties to even, which
 * is in the low bits of its pattern. It is rounded once where the product is exact. */
#define UNIT_SPACED 0x1.8p52

static inline double sum_exact(double value, double scale) {
  return value * scale + UNIT_SPACED;
}

static inline int32_t nearest_within(double sum, double lowest, double highest) {
  const double real = sum == sum ? sum : UNIT_SPACED;
  const double above = GREATEST_OF(real, UNIT_SPACED + lowest);
  return (int32_t)(uint32_t)bits_of_f64(LEAST_OF(above, UNIT_SPACED + highest));
}

#define SUM(source, kind)     sum_##kind(from_##source(element), with.scale)
#define NEAREST(source, kind) nearest_within(SUM(source, kind), with.lowest, with.highest)
#define NEAREST_VALUES(source, type, kind)                                                         \
  EACH(source##_nearest_s32_##kind, type, s32, NEAREST(source, kind))                              \
  EACH(source##_nearest_byte_##kind, type, u8,                                                     \
       (uint8_t)NEAREST(source, kind) & (uint8_t)with.low_mask)

NEAREST_VALUES(f32, u32, exact)
NEAREST_VALUES(s32, u32, exact)
NEAREST_VALUES(u32, u32, exact)
NEAREST_VALUES(f64, u64, exact)

#define PRODUCT(source, kind) product_##kind(from_##source(element), with.scale)
#define VALUES(source, type, kind)                                                                 \
  EACH(source##_to_f32_##kind, type, u32, f32_of(PRODUCT(source, kind)))                           \
  EACH(source##_to_odd_##kind, type, u32, odd_float(PRODUCT(source, kind)))                        \
  EACH(source##_to_s32_##kind, type, s32,                                                          \
       integer_within(PRODUCT(source, kind), with.lowest, with.highest))                           \
  EACH(source##_to_byte_##kind, type, u8,                                                          \
       (uint8_t)integer_within(PRODUCT(source, kind), with.lowest, with.highest) &                 \
           (uint8_t)with.low_mask)

#if VECTOR_BYTES < 64
VALUES(f32, u32, exact)
#endif
VALUES(s32, u32, exact)
VALUES(u32, u32, exact)
VALUES(f64, u64, exact)

/* A double is a target too; there the product itself is rounded. */
#define TO_F64(source, type)                                                                       \
  EACH(source##_to_f64, type, u64, canonical_64(bits_of_f64(PRODUCT(source, exact))))

TO_F64(f32, u32)
TO_F64(s32, u32)
TO_F64(u32, u32)
TO_F64(f64, u64)

#if HAS_FMA
/* The same for doubles. `rest` is the number less the double. */
static inline double odd_double(double value, double rest) {
  const uint64_t bits = bits_of_f64(value);
  const uint64_t step = (rest > 0) == (value > 0) ? 1 : ~UINT64_C(0);
  return f64_of_bits(bits + ((rest > 0 || rest < 0) && (bits & 1) == 0 ? step : 0));
}

static inline double product_any(double value, double scale) {
  const double nearest = value * scale;
  return odd_double(nearest, __builtin_fma(value, scale, -nearest));
}

#if VECTOR_BYTES < 64
VALUES(f32, u32, any)
#endif
VALUES(s32, u32, any)
VALUES(u32, u32, any)

/* Rounded once, whatever the product is. */
static inline double sum_any(double value, double scale) {
  return __builtin_fma(value, scale, UNIT_SPACED);
}

NEAREST_VALUES(f32, u32, any)
NEAREST_VALUES(s32, u32, any)
NEAREST_VALUES(u32, u32, any)

/* The same in f32, which holds the integers of a byte, by a scale that it has. */
#define UNIT_SPACED_F32 0x1.8p23f

static inline uint8_t nearest_byte(float value, const rlt_cpu_row *row) {
  const float sum = __builtin_fmaf(value, (float)row->scale, UNIT_SPACED_F32);
  const float real = sum == sum ? sum : UNIT_SPACED_F32;
  const float above = GREATEST_OF(real, UNIT_SPACED_F32 + (float)row->lowest);
  const float within = LEAST_OF(above, UNIT_SPACED_F32 + (float)row->highest);
  return (uint8_t)bits_of_f32(within) & (uint8_t)row->low_mask;
}

EACH(f32_nearest_byte_single, f32, u8, nearest_byte(element, &with))
#endif

#if VECTOR_BYTES == 32
/* Eight integers towards zero, as their low bits: a product that was rounded up to an integer
 * becomes the one below. */
static inline __m256i low_integers(const uint8_t *from, const rlt_cpu_row *row) {
  const __m256 value = _mm256_loadu_ps((const float *)(const void *)from);
  const __m256 scale = _mm256_set1_ps((float)row->scale);
  const __m256 product = _mm256_mul_ps(value, scale);
  const __m256 above = _mm256_max_ps(product, _mm256_set1_ps((float)row->lowest));
  const __m256 within = _mm256_min_ps(above, _mm256_set1_ps((float)row->highest));
  const __m256 whole = _mm256_round_ps(within, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  const __m256 rest = _mm256_fmsub_ps(value, scale, whole);
  const __m256 is_beyond =
      _mm256_cmp_ps(_mm256_mul_ps(rest, whole), _mm256_setzero_ps(), _CMP_LT_OQ);
  const __m256 sign = _mm256_and_ps(whole, _mm256_set1_ps(-0.0F));
  const __m256 step = _mm256_and_ps(is_beyond, _mm256_or_ps(sign, _mm256_set1_ps(1)));
  const __m256 is_number = _mm256_cmp_ps(value, value, _CMP_ORD_Q);
  const __m256i integer = _mm256_cvttps_epi32(_mm256_sub_ps(whole, step));
  return _mm256_and_si256(integer, _mm256_and_si256(_mm256_castps_si256(is_number),
                                                    _mm256_set1_epi32((int)row->low_mask)));
}

PASS(f32_to_byte_single) {
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  for (int64_t i = 0; i < count; i += 32) {
    const uint8_t *const at = from + 4 * i;
    const __m256i low = _mm256_packus_epi32(low_integers(at, row), low_integers(at + 32, row));
    const __m256i high =
        _mm256_packus_epi32(low_integers(at + 64, row), low_integers(at + 96, row));
    STORE_256(to + i, _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order));
  }
}
#endif

/* The greatest double below the end of a wide range is not the range's last integer. */
static inline uint32_t u32_within(double value) {
  return (uint32_t)(value > 0 ? LEAST_OF(value, 0x1.fffffffep31) : 0);
}

static inline int64_t s64_within(double value) {
  const double real = value == value ? value : 0;
  const double within = LEAST_OF(GREATEST_OF(real, -0x1p63), 0x1.fffffffffffffp62);
  return real >= 0x1p63 ? INT64_MAX : (int64_t)within;
}

static inline uint64_t u64_within(double value) {
  const double within = value > 0 ? LEAST_OF(value, 0x1.fffffffffffffp63) : 0;
  return value >= 0x1p64 ? UINT64_MAX : (uint64_t)within;
}

static inline uint32_t nearest_u32(double sum) {
  const double above = sum > UNIT_SPACED ? sum : UNIT_SPACED;
  return (uint32_t)bits_of_f64(LEAST_OF(above, UNIT_SPACED + 0x1.fffffffep31));
}

#define WIDE_INTEGERS(source, type)                                                                \
  EACH(source##_to_u32, type, u32, u32_within(PRODUCT(source, exact)))                             \
  EACH(source##_to_s64, type, s64, s64_within(PRODUCT(source, exact)))                             \
  EACH(source##_to_u64, type, u64, u64_within(PRODUCT(source, exact)))                             \
  EACH(source##_nearest_u32, type, u32, nearest_u32(SUM(source, exact)))

WIDE_INTEGERS(f32, u32)
WIDE_INTEGERS(f64, u64)

#if VECTOR_BYTES < 64

#if defined(__SSE2__) && defined(__x86_64__)
/* What an instruction does: all that is beyond its range becomes the least integer. */
static inline int64_t nearest_s64(double value) {
  const double real = value == value ? value : 0;
  return real >= 0x1p63 ? INT64_MAX : _mm_cvtsd_si64(_mm_set_sd(real));
}

static inline uint64_t nearest_u64(double value) {
  return value >= 0x1p63 ? u64_within(value) /* which has no fraction */
         : value > 0     ? (uint64_t)_mm_cvtsd_si64(_mm_set_sd(value))
                         : 0;
}
#else
/* Doubles from 2^52 on have no fraction, and sums with that have none. */
static inline double nearest_whole(double value) {
  const double unit = __builtin_copysign(__builtin_fabs(value) < 0x1p52 ? 0x1p52 : 0, value);
  return (value + unit) - unit;
}

static inline int64_t nearest_s64(double value) {
  return s64_within(nearest_whole(value));
}

static inline uint64_t nearest_u64(double value) {
  return u64_within(nearest_whole(value));
}
#endif

#define NEAREST_WIDE(source, type)                                                                 \
  EACH(source##_nearest_s64, type, s64, nearest_s64(PRODUCT(source, exact)))                       \
  EACH(source##_nearest_u64, type, u64, nearest_u64(PRODUCT(source, exact)))

NEAREST_WIDE(f32, u32)
NEAREST_WIDE(f64, u64)

#endif

/* clang 14 makes f32 of vectors of these by way of f64 on Arm, which rounds twice. */
static inline uint64_t alone(uint64_t element) {
#if defined(__clang__) && defined(__aarch64__)
  __asm__("" : "+r"(element)); /* is not in vectors */
#endif
  return element;
}

EACH(s64_to_f32, s64, f32, (float)(int64_t)alone((uint64_t)element))
EACH(s64_to_f64, s64, f64, (double)element)
EACH(u64_to_f32, u64, f32, (float)alone(element))
EACH(u64_to_f64, u64, f64, (double)element)

/* By a scale that f32 has, the product is rounded once. */
EACH(f32_to_f32_single, f32, u32, canonical_32(bits_of_f32(element *(float)with.scale)))

/* Unscaled. The greatest f32 below the end of the range is not the range's last integer. */
static inline int32_t s32_within(float value) {
  const float real = value == value ? value : 0;
  const float within = LEAST_OF(GREATEST_OF(real, -0x1p31f), 0x1.fffffep30f);
  return real >= 0x1p31f ? INT32_MAX : (int32_t)within;
}

EACH(f32_to_s32, f32, s32, s32_within(element))

/* What an instruction does: all that is beyond its range becomes the least integer. */
#if VECTOR_BYTES >= 32
PASS(f32_nearest_s32) {
  (void)row;
  for (int64_t i = 0; i < count; i += 8) {
    const __m256 value = _mm256_loadu_ps((const float *)(const void *)(from + 4 * i));
    const __m256 is_number = _mm256_cmp_ps(value, value, _CMP_ORD_Q);
    const __m256 is_above = _mm256_cmp_ps(value, _mm256_set1_ps(0x1p31f), _CMP_GE_OQ);
    const __m256 whole = _mm256_and_ps(_mm256_castsi256_ps(_mm256_cvtps_epi32(value)), is_number);
    STORE_256(to + 4 * i, _mm256_castps_si256(_mm256_xor_ps(whole, is_above)));
  }
}
#define NEAREST_S32 f32_nearest_s32
#elif defined(__SSE2__)
PASS(f32_nearest_s32) {
  (void)row;
  for (int64_t i = 0; i < count; i += 4) {
    const __m128 value = _mm_loadu_ps((const float *)(const void *)(from + 4 * i));
    const __m128 is_above = _mm_cmpge_ps(value, _mm_set1_ps(0x1p31f));
    const __m128 whole =
        _mm_and_ps(_mm_castsi128_ps(_mm_cvtps_epi32(value)), _mm_cmpord_ps(value, value));
    _mm_storeu_ps((float *)(void *)(to + 4 * i), _mm_xor_ps(whole, is_above));
  }
}
#define NEAREST_S32 f32_nearest_s32
#else
#define NEAREST_S32 f32_nearest_s32_exact
#endif

#if VECTOR_BYTES == 64

/* Here each instruction says how it rounds. A number rounded down and rounded up are neighbours,
 * one of which is odd, or the same; and what is rounded twice in one direction is as if it were
 * once. */
#define DOWN  (_MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
#define UP    (_MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)
#define CHOP  (_MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
#define ROUND (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)

static inline __m512 join_halves(__m256 low, __m256 high) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}

static inline __m512 odd_of(__m512 down, __m512 up) {
  const __mmask16 is_odd = _mm512_test_epi32_mask(_mm512_castps_si512(down), _mm512_set1_epi32(1));
  return _mm512_mask_blend_ps(is_odd, up, down);
}

static inline __m512d odd_product(__m512d value, __m512d scale) {
  const __m512d down = _mm512_mul_round_pd(value, scale, DOWN);
  const __m512d up = _mm512_mul_round_pd(value, scale, UP);
  const __mmask8 is_odd = _mm512_test_epi64_mask(_mm512_castpd_si512(down), _mm512_set1_epi64(1));
  return _mm512_mask_blend_pd(is_odd, up, down);
}

static inline __m512d load_doubles(const uint8_t *from) {
  return _mm512_cvtps_pd(_mm256_loadu_ps((const float *)(const void *)from));
}

static inline __m512d as_doubles(const uint8_t *from) {
  return _mm512_loadu_pd((const double *)(const void *)from);
}

/* Eight exact products, to nearest. */
#define NEAREST_WIDE(source, bytes, load)                                                          \
  PASS(source##_nearest_s64) {                                                                     \
    const __m512d scale = _mm512_set1_pd(row->scale);                                              \
    for (int64_t i = 0; i < count; i += 8) {                                                       \
      const __m512d value = _mm512_mul_pd(load(from + (bytes)*i), scale);                          \
      const __mmask8 is_number = _mm512_cmp_pd_mask(value, value, _CMP_ORD_Q);                     \
      const __mmask8 is_above = _mm512_cmp_pd_mask(value, _mm512_set1_pd(0x1p63), _CMP_GE_OQ);     \
      const __m512i whole = _mm512_maskz_cvtpd_epi64(is_number, value);                            \
      STORE_512(to + 8 * i, _mm512_mask_mov_epi64(whole, is_above, _mm512_set1_epi64(INT64_MAX))); \
    }                                                                                              \
  }                                                                                                \
  PASS(source##_nearest_u64) {                                                                     \
    const __m512d scale = _mm512_set1_pd(row->scale);                                              \
    for (int64_t i = 0; i < count; i += 8) {                                                       \
      const __m512d value = _mm512_mul_pd(load(from + (bytes)*i), scale);                          \
      const __mmask8 is_above = _mm512_cmp_pd_mask(value, _mm512_setzero_pd(), _CMP_GT_OQ);        \
      STORE_512(to + 8 * i, _mm512_maskz_cvtpd_epu64(is_above, value));                            \
    }                                                                                              \
  }

NEAREST_WIDE(f32, 4, load_doubles)
NEAREST_WIDE(f64, 8, as_doubles)

PASS(f32_to_f32_any) {
  const __m512d scale = _mm512_set1_pd(row->scale);
  for (int64_t i = 0; i < count; i += 16) {
    const __m512d low = odd_product(load_doubles(from + 4 * i), scale);
    const __m512d high = odd_product(load_doubles(from + 4 * i + 32), scale);
    store_canonical(to + 4 * i, join_halves(_mm512_cvt_roundpd_ps(low, ROUND),
                                            _mm512_cvt_roundpd_ps(high, ROUND)));
  }
}

PASS(f32_to_odd_single) {
  const __m512 scale = _mm512_set1_ps((float)row->scale);
  for (int64_t i = 0; i < count; i += 16) {
    const __m512 value = _mm512_loadu_ps((const float *)(const void *)(from + 4 * i));
    const __m512 odd =
        odd_of(_mm512_mul_round_ps(value, scale, DOWN), _mm512_mul_round_ps(value, scale, UP));
    STORE_512(to + 4 * i, _mm512_castps_si512(odd));
  }
}

#define ROUNDED(value, scale, direction)                                                           \
  _mm512_cvt_roundpd_ps(_mm512_mul_round_pd(value, scale, direction), direction)

PASS(f32_to_odd_any) {
  const __m512d scale = _mm512_set1_pd(row->scale);
  for (int64_t i = 0; i < count; i += 16) {
    const __m512d low = load_doubles(from + 4 * i), high = load_doubles(from + 4 * i + 32);
    const __m512 down = join_halves(ROUNDED(low, scale, DOWN), ROUNDED(high, scale, DOWN));
    const __m512 up = join_halves(ROUNDED(low, scale, UP), ROUNDED(high, scale, UP));
    STORE_512(to + 4 * i, _mm512_castps_si512(odd_of(down, up)));
  }
}

static inline void store_bytes(uint8_t *to, __m512i integers, const rlt_cpu_row *row) {
  const __m512i low = _mm512_and_si512(integers, _mm512_set1_epi32((int)row->low_mask));
  _mm_storeu_si128((__m128i *)(void *)to, _mm512_cvtepi32_epi8(low));
}

PASS(f32_to_byte_single) {
  const __m512 scale = _mm512_set1_ps((float)row->scale);
  const __m512 lowest = _mm512_set1_ps((float)row->lowest);
  const __m512 highest = _mm512_set1_ps((float)row->highest);
  for (int64_t i = 0; i < count; i += 16) {
    const __m512 value = _mm512_loadu_ps((const float *)(const void *)(from + 4 * i));
    const __mmask16 is_number = _mm512_cmp_ps_mask(value, value, _CMP_ORD_Q);
    const __m512 product = _mm512_mul_round_ps(value, scale, CHOP);
    const __m512 within = _mm512_min_ps(_mm512_max_ps(product, lowest), highest);
    store_bytes(to + i, _mm512_maskz_cvttps_epi32(is_number, within), row);
  }
}

/* Eight of 16 that are to be between these, NaN being 0. */
static inline __m256i integers_of(const uint8_t *from, const rlt_cpu_row *row) {
  const __m512d value = load_doubles(from);
  const __mmask8 is_number = _mm512_cmp_pd_mask(value, value, _CMP_ORD_Q);
  const __m512d product = _mm512_mul_round_pd(value, _mm512_set1_pd(row->scale), CHOP);
  const __m512d within = _mm512_min_pd(_mm512_max_pd(product, _mm512_set1_pd(row->lowest)),
                                       _mm512_set1_pd(row->highest));
  return _mm512_maskz_cvttpd_epi32(is_number, within);
}

PASS(f32_to_s32_any) {
  for (int64_t i = 0; i < count; i += 8) {
    STORE_256(to + 4 * i, integers_of(from + 4 * i, row));
  }
}

PASS(f32_to_byte_any) {
  for (int64_t i = 0; i < count; i += 16) {
    const __m256i low = integers_of(from + 4 * i, row);
    const __m256i high = integers_of(from + 4 * i + 32, row);
    store_bytes(to + i, _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1), row);
  }
}

#define f32_to_f32_exact  f32_to_f32_any
#define f32_to_odd_exact  f32_to_odd_any
#define f32_to_s32_exact  f32_to_s32_any
#define f32_to_byte_exact f32_to_byte_any

#endif

#endif

/* ---- Words in another order ---- */

static void shuffle(uint8_t *buffered, int64_t bytes, const uint8_t *order) {
#if VECTOR_BYTES == 64
  const __m512i lanes = _mm512_broadcast_i32x4(LOAD_128(order));
  for (int64_t i = 0; i < bytes; i += VECTOR_BYTES) {
    STORE_512(buffered + i, _mm512_shuffle_epi8(LOAD_512(buffered + i), lanes));
  }
#elif VECTOR_BYTES == 32
  const __m256i lanes = _mm256_broadcastsi128_si256(LOAD_128(order));
  for (int64_t i = 0; i < bytes; i += VECTOR_BYTES) {
    STORE_256(buffered + i, _mm256_shuffle_epi8(LOAD_256(buffered + i), lanes));
  }
#elif defined(__SSSE3__)
  const __m128i lane = LOAD_128(order);
  for (int64_t i = 0; i < bytes; i += VECTOR_BYTES) {
    store_vector(buffered + i, (vector)_mm_shuffle_epi8(LOAD_128(buffered + i), lane));
  }
#elif defined(__aarch64__) && !defined(PLAIN)
  const uint8x16_t lane = vld1q_u8(order);
  for (int64_t i = 0; i < bytes; i += VECTOR_BYTES) {
    vst1q_u8(buffered + i, vqtbl1q_u8(vld1q_u8(buffered + i), lane));
  }
#else
  for (int64_t i = 0; i < bytes; i += LANE_BYTES) {
    uint8_t lane[LANE_BYTES];
    memcpy(lane, buffered + i, LANE_BYTES);
    for (int b = 0; b < LANE_BYTES; ++b) {
      buffered[i + b] = lane[order[b]];
    }
  }
#endif
}

/* ---- Past the cache ---- */

static void stream_lines(uint8_t *to, const uint8_t *from, int64_t lines) {
  for (int64_t i = 0; i < lines; ++i) {
    stream_line(to + i * LINE_BYTES, load_line(from + i * LINE_BYTES));
  }
}

typedef uint64_t vector_of_64_bits __attribute__((vector_size(VECTOR_BYTES)));

#define STREAM_REVERSED(bits)                                                                      \
  static void stream_reversed_##bits(uint8_t *to, const uint8_t *from, int64_t lines) {            \
    for (int64_t i = 0; i < lines; ++i) {                                                          \
      line made = load_line(from + i * LINE_BYTES);                                                \
      UNROLLED                                                                                     \
      for (int v = 0; v < LINE_VECTORS; ++v) {                                                     \
        const vector_of_64_bits bytes = (vector_of_64_bits)made.vectors[v];                        \
        made.vectors[v] = (vector)REVERSE_##bits(uint64_t, bytes);                                 \
      }                                                                                            \
      stream_line(to + i * LINE_BYTES, made);                                                      \
    }                                                                                              \
  }

STREAM_REVERSED(4)
STREAM_REVERSED(2)
STREAM_REVERSED(1)

const rlt_cpu_row_passes ROW_PASSES = {
    .pack = {{pack_1, pack_2, pack_4}, {pack_HIGH_1, pack_HIGH_2, pack_HIGH_4}},
    .unpack = {{unpack_1, unpack_2, unpack_4}, {unpack_HIGH_1, unpack_HIGH_2, unpack_HIGH_4}},
    .reverse = {reverse_1, reverse_2, reverse_4},
    .swap = {NULL, swap_u16, swap_u32, swap_u64},
    .bit_transpose = {transpose_1, transpose_2, transpose_4},
    .bytes = {bytes_to_1, bytes_to_2, bytes_to_4, bytes_to_8},
    .nibbles = {nibbles_to_1, nibbles_to_2, nibbles_to_4, nibbles_to_8},
    .preds = {preds_to_1, preds_to_2, preds_to_4, preds_to_8},
    .halves_by_f32 = VECTOR_BYTES == 32,
#if !defined(PLAIN)
#if VECTOR_BYTES >= 32
#define IS_HALF(mantissa) ((mantissa) == 10)
#else
#define IS_HALF(mantissa) false
#define f32_to_half       NULL
#define half_to_f32       NULL
#endif
#define OF_16(type, exponent, mantissa, bias, specials)                                            \
  [RELAYOUT_##type] = (exponent) + (mantissa) != 15 ? NULL                                         \
                      : IS_HALF(mantissa)           ? half_to_f32                                  \
                                                    : type##_to_f32,
#define TO_16(type, exponent, mantissa, bias, specials)                                            \
  [RELAYOUT_##type] = IS_HALF(mantissa)             ? f32_to_half                                  \
                      : (exponent) + (mantissa) < 8 ? f32_to_##type##_1                            \
                                                    : f32_to_##type##_2,
    .to_f32 = {RLT_SIGNED_FLOATS_TO_16(OF_16)[RELAYOUT_S8] = s8_to_f32, [RELAYOUT_U8] = u8_to_f32,
               [RELAYOUT_S16] = s16_to_f32, [RELAYOUT_U16] = u16_to_f32},
    .of_f32 = {RLT_SIGNED_FLOATS_TO_16(TO_16)[RELAYOUT_F8E8M0FNU] = f32_to_power},
    .low = {{NULL},
            {u16_low_u8},
            {u32_low_u8, u32_low_u16},
            {u64_low_u8, u64_low_u16, u64_low_u32}},
#define TO_ALL(type)                                                                               \
  {                                                                                                \
    type##_to_s8, type##_to_s16, type##_to_s32, type##_to_s64, type##_to_u8, type##_to_u16,        \
        type##_to_u32, type##_to_u64                                                               \
  }
    .integers = {TO_ALL(s8), TO_ALL(s16), TO_ALL(s32), TO_ALL(s64), TO_ALL(u8), TO_ALL(u16),
                 TO_ALL(u32), TO_ALL(u64)},
    .f32_to_s32 = f32_to_s32,
    .f32_nearest_s32 = NEAREST_S32,
#define SCALED(source, kind)                                                                       \
  [RLT_CPU_TO_F32] = source##_to_f32_##kind, [RLT_CPU_TO_ODD] = source##_to_odd_##kind,            \
  [RLT_CPU_TO_S32] = source##_to_s32_##kind, [RLT_CPU_TO_BYTE] = source##_to_byte_##kind,          \
  [RLT_CPU_NEAREST_S32] = source##_nearest_s32_##kind,                                             \
  [RLT_CPU_NEAREST_BYTE] = source##_nearest_byte_##kind
#define EXACT(source) SCALED(source, exact), [RLT_CPU_TO_F64] = source##_to_f64
#define TO_WIDE(source)                                                                            \
  [RLT_CPU_TO_U32] = source##_to_u32, [RLT_CPU_TO_S64] = source##_to_s64,                          \
  [RLT_CPU_TO_U64] = source##_to_u64, [RLT_CPU_NEAREST_U32] = source##_nearest_u32,                \
  [RLT_CPU_NEAREST_S64] = source##_nearest_s64, [RLT_CPU_NEAREST_U64] = source##_nearest_u64
#define TO_FLOATS(source) [RLT_CPU_TO_F32] = source##_to_f32, [RLT_CPU_TO_F64] = source##_to_f64
    .single = {{[RLT_CPU_TO_F32] = f32_to_f32_single,
#if HAS_FMA
                [RLT_CPU_NEAREST_BYTE] = f32_nearest_byte_single,
#endif
#if VECTOR_BYTES >= 32
                [RLT_CPU_TO_BYTE] = f32_to_byte_single,
#endif
#if VECTOR_BYTES == 64
                [RLT_CPU_TO_ODD] = f32_to_odd_single
#endif
    }},
    .exact = {{{EXACT(f32), TO_WIDE(f32)}},
              {{EXACT(s32)}},
              {{EXACT(u32)}},
              {{EXACT(f64), TO_WIDE(f64)}}},
    .unscaled = {{{TO_FLOATS(s64)}}, {{TO_FLOATS(u64)}}},
#if HAS_FMA
    .any = {{{SCALED(f32, any)}}, {{SCALED(s32, any)}}, {{SCALED(u32, any)}}},
#endif
#endif
    .shuffle = shuffle,
    .stream = stream_lines,
    .stream_reversed = {stream_reversed_1, stream_reversed_2, stream_reversed_4}};
