/* vbmi_kernels.c: the passes of rows that AVX-512 with VBMI has in place of those of AVX-512 alone:
 * bytes are looked up in registers. BYTE_PASSES is the name of what this defines.
 */
#include "cpu/row_passes.h"

#include "cpu/vectors.h"

/* What each of 64 bytes becomes, of 256 in four registers. */
static inline __m512i look_up(const __m512i table[4], __m512i at) {
  const __m512i low = _mm512_permutex2var_epi8(table[0], at, table[1]);
  const __m512i high = _mm512_permutex2var_epi8(table[2], at, table[3]);
  return _mm512_mask_blend_epi8(_mm512_movepi8_mask(at), low, high);
}

static void bytes_to_1(const rlt_cpu_row *row, const uint8_t *restrict from, uint8_t *restrict to,
                       int64_t count) {
  const uint8_t *const table = row->table;
  const __m512i parts[4] = {LOAD_512(table), LOAD_512(table + 64), LOAD_512(table + 128),
                            LOAD_512(table + 192)};
  for (int64_t i = 0; i < count; i += 64) {
    STORE_512(to + i, look_up(parts, LOAD_512(from + i)));
  }
}

/* The low bytes of all elements and the high ones are looked up, and zipped. */
static void bytes_to_2(const rlt_cpu_row *row, const uint8_t *restrict from, uint8_t *restrict to,
                       int64_t count) {
  const uint8_t *const table = row->table;
  __m512i low[4], high[4];
  for (int i = 0; i < 4; ++i) {
    const __m512i first = LOAD_512(table + 128 * i), second = LOAD_512(table + 128 * i + 64);
    low[i] = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi16_epi8(first)),
                                _mm512_cvtepi16_epi8(second), 1);
    high[i] = _mm512_inserti64x4(
        _mm512_castsi256_si512(_mm512_cvtepi16_epi8(_mm512_srli_epi16(first, 8))),
        _mm512_cvtepi16_epi8(_mm512_srli_epi16(second, 8)), 1);
  }
  /* So that lanes, within which bytes are zipped, begin with eight bytes of each half. */
  const __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
  for (int64_t i = 0; i < count; i += 64) {
    const __m512i at = _mm512_permutexvar_epi64(order, LOAD_512(from + i));
    const __m512i lows = look_up(low, at), highs = look_up(high, at);
    STORE_512(to + 2 * i, _mm512_unpacklo_epi8(lows, highs));
    STORE_512(to + 2 * i + 64, _mm512_unpackhi_epi8(lows, highs));
  }
}

rlt_cpu_pass *const BYTE_PASSES[4] = {bytes_to_1, bytes_to_2};
