/* vbmi_kernels.c: the passes of rows that AVX-512 with VBMI has in place of those of AVX-512 alone:
 * bytes are looked up in registers. BYTE_PASSES is the name of what this defines.
 */
#include "cpu/row_passes.h"

#include "cpu/vectors.h"

enum { ENTRIES = 256 };

/* A plane of the table, in registers. */
typedef struct plane {
  __m512i parts[4];
} plane;

static inline plane load_plane(const uint8_t *from) {
  return (plane){{LOAD_512(from), LOAD_512(from + 64), LOAD_512(from + 128), LOAD_512(from + 192)}};
}

/* What each of 64 bytes becomes. */
static inline __m512i look_up(const plane *of, __m512i at) {
  const __m512i low = _mm512_permutex2var_epi8(of->parts[0], at, of->parts[1]);
  const __m512i high = _mm512_permutex2var_epi8(of->parts[2], at, of->parts[3]);
  return _mm512_mask_blend_epi8(_mm512_movepi8_mask(at), low, high);
}

static void bytes_to_1(const rlt_cpu_row *row, const uint8_t *restrict from, uint8_t *restrict to,
                       int64_t count) {
  const plane all = load_plane(row->planes);
  for (int64_t i = 0; i < count; i += 64) {
    STORE_512(to + i, look_up(&all, LOAD_512(from + i)));
  }
}

/* The low bytes of all elements and the high ones are looked up, and zipped within lanes, which
 * begin with eight bytes of each half. */
static void bytes_to_2(const rlt_cpu_row *row, const uint8_t *restrict from, uint8_t *restrict to,
                       int64_t count) {
  const plane low = load_plane(row->planes), high = load_plane(row->planes + ENTRIES);
  const __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
  for (int64_t i = 0; i < count; i += 64) {
    const __m512i at = _mm512_permutexvar_epi64(order, LOAD_512(from + i));
    const __m512i lows = look_up(&low, at), highs = look_up(&high, at);
    STORE_512(to + 2 * i, _mm512_unpacklo_epi8(lows, highs));
    STORE_512(to + 2 * i + 64, _mm512_unpackhi_epi8(lows, highs));
  }
}

/* The same of four bytes, zipped one by one and then by twos, within lanes that begin with four
 * bytes of each quarter. */
static void bytes_to_4(const rlt_cpu_row *row, const uint8_t *restrict from, uint8_t *restrict to,
                       int64_t count) {
  const plane first = load_plane(row->planes), second = load_plane(row->planes + ENTRIES);
  const plane third = load_plane(row->planes + 2 * ENTRIES);
  const plane fourth = load_plane(row->planes + 3 * ENTRIES);
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  for (int64_t i = 0; i < count; i += 64) {
    const __m512i at = _mm512_permutexvar_epi32(order, LOAD_512(from + i));
    const __m512i a = look_up(&first, at), b = look_up(&second, at);
    const __m512i c = look_up(&third, at), d = look_up(&fourth, at);
    const __m512i low = _mm512_unpacklo_epi8(a, b), high = _mm512_unpacklo_epi8(c, d);
    const __m512i later_low = _mm512_unpackhi_epi8(a, b), later_high = _mm512_unpackhi_epi8(c, d);
    uint8_t *const place = to + 4 * i;
    STORE_512(place, _mm512_unpacklo_epi16(low, high));
    STORE_512(place + 64, _mm512_unpackhi_epi16(low, high));
    STORE_512(place + 128, _mm512_unpacklo_epi16(later_low, later_high));
    STORE_512(place + 192, _mm512_unpackhi_epi16(later_low, later_high));
  }
}

rlt_cpu_pass *const BYTE_PASSES[4] = {bytes_to_1, bytes_to_2, bytes_to_4};
