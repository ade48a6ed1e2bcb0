/* bits.h: elements of 1, 2 or 4 bits: to bytes, from bytes, and from row to row.
 *
 * Element 0 of a byte is in its lowest bits, or in its highest ones.
 *
 * Depends on vectors.h.
 */
#ifndef RLT_CPU_BITS_H
#define RLT_CPU_BITS_H

#include "cpu/vectors.h"

#if !defined(PLAIN)
typedef uint64_t bit_row __attribute__((vector_size(VECTOR_BYTES)));
#else
typedef uint64_t bit_row;
#endif
typedef uint64_t bit_word;

/* ---- Expand and compress ----
 *
 *     4 bits to bytes       . . b a      2 bits     . . . . dcba      1 bit, likewise in 3 rounds
 *                           . b . a                 . dc  . . ba
 *                                                   . d . c . b . a
 *
 * A byte of elements is expanded in a word that has a byte for each of them: of 2, 4 or 8 bytes,
 * which is the `type`; `words` may be a vector of it. Each round moves the upper half of what lies
 * together, `count` elements of it, up to where the next bytes begin; `starts` has a bit for each
 * place where some lie then. Compressing takes the same rounds back. The byte is the lowest one of
 * the word then, under others.
 *
 * Where a byte's first elements are its upper half, these come down, and the lower half goes up:
 *
 *     4 bits to bytes       . . a b      2 bits     . . . . abcd
 *                           . b . a                 . cd  . . ab
 *                                                   . d . c . b . a
 */
#define EXPAND_ROUND(type, words, bits, count, starts)                                             \
  (((words) | (words) << (count) * (8 - (bits))) & (type)((starts) * ((1 << (count) * (bits)) - 1)))

#define EXPAND_ROUND_HIGH(type, words, bits, count, starts)                                        \
  (((words) >> (count) * (bits) | (words) << 8 * (count)) &                                        \
   (type)((starts) * ((1 << (count) * (bits)) - 1)))

#define EXPAND_4(type, words) EXPAND_ROUND(type, words, 4, 1, 0x0101)
#define EXPAND_2(type, words)                                                                      \
  EXPAND_ROUND(type, EXPAND_ROUND(type, words, 2, 2, 0x00010001), 2, 1, 0x01010101)
#define EXPAND_1(type, words)                                                                      \
  EXPAND_ROUND(type,                                                                               \
               EXPAND_ROUND(type, EXPAND_ROUND(type, words, 1, 4, 0x0000000100000001), 1, 2,       \
                            0x0001000100010001),                                                   \
               1, 1, 0x0101010101010101)

#define EXPAND_HIGH_4(type, words) EXPAND_ROUND_HIGH(type, words, 4, 1, 0x0101)
#define EXPAND_HIGH_2(type, words)                                                                 \
  EXPAND_ROUND_HIGH(type, EXPAND_ROUND_HIGH(type, words, 2, 2, 0x00010001), 2, 1, 0x01010101)
#define EXPAND_HIGH_1(type, words)                                                                 \
  EXPAND_ROUND_HIGH(type,                                                                          \
                    EXPAND_ROUND_HIGH(type,                                                        \
                                      EXPAND_ROUND_HIGH(type, words, 1, 4, 0x0000000100000001), 1, \
                                      2, 0x0001000100010001),                                      \
                    1, 1, 0x0101010101010101)

#define COMPRESS_ROUND(words, bits, count) ((words) | (words) >> (count) * (8 - (bits)))
#define COMPRESS_ROUND_HIGH(words, bits, count)                                                    \
  ((words) << (count) * (bits) | (words) >> 8 * (count))
#define COMPRESS_MASKED(type, words, bits, count, starts)                                          \
  (COMPRESS_ROUND(words, bits, count) & (type)((starts) * ((1 << 2 * (count) * (bits)) - 1)))

#define COMPRESS_4(type, words) COMPRESS_ROUND(words, 4, 1)
#define COMPRESS_2(type, words) COMPRESS_ROUND(COMPRESS_MASKED(type, words, 2, 1, 0x00010001), 2, 2)
#define COMPRESS_1(type, words)                                                                    \
  COMPRESS_ROUND(COMPRESS_MASKED(type, COMPRESS_MASKED(type, words, 1, 1, 0x0001000100010001), 1,  \
                                 2, 0x0000000100000001),                                           \
                 1, 4)

#define COMPRESS_MASKED_HIGH(type, words, bits, count, starts)                                     \
  (COMPRESS_ROUND_HIGH(words, bits, count) & (type)((starts) * ((1 << 2 * (count) * (bits)) - 1)))

#define COMPRESS_HIGH_4(type, words) COMPRESS_ROUND_HIGH(words, 4, 1)
#define COMPRESS_HIGH_2(type, words)                                                               \
  COMPRESS_ROUND_HIGH(COMPRESS_MASKED_HIGH(type, words, 2, 1, 0x00010001), 2, 2)
#define COMPRESS_HIGH_1(type, words)                                                               \
  COMPRESS_ROUND_HIGH(                                                                             \
      COMPRESS_MASKED_HIGH(type, COMPRESS_MASKED_HIGH(type, words, 1, 1, 0x0001000100010001), 1,   \
                           2, 0x0000000100000001),                                                 \
      1, 4)

/* Of each byte the element in its low bits, as COMPRESS wants it. */
#define LOW_ELEMENTS(type, words, bits) ((words) & (type)(0x0101010101010101 * ((1 << (bits)) - 1)))

/* ---- Reverse ---- */

/* Of each byte the parts of `apart` bits, two and two, change places. */
#define EXCHANGE_PARTS(type, words, apart)                                                         \
  (((words) >> (apart)&PARTS_IN_TURNS(type, apart)) | ((words)&PARTS_IN_TURNS(type, apart))        \
                                                          << (apart))
/* 0x0f0f.., 0x3333.. or 0x5555.. */
#define PARTS_IN_TURNS(type, apart) (type)(~(uint64_t)0 / (((uint64_t)1 << (apart)) + 1))

#define REVERSE_4(type, words) EXCHANGE_PARTS(type, words, 4)
#define REVERSE_2(type, words) EXCHANGE_PARTS(type, REVERSE_4(type, words), 2)
#define REVERSE_1(type, words) EXCHANGE_PARTS(type, REVERSE_2(type, words), 1)

/* ---- Bit transpose ---- */

/* Of two rows the elements of `bits` at even numbers, and those at odd ones, in turns. */
ALWAYS_INLINE static void exchange_bits(bit_row *a, bit_row *b, unsigned bits) {
  /* 0x0f0f.., 0x3333.. or 0x5555.. */
  const bit_word even = ~(bit_word)0 / (((bit_word)1 << bits) + 1);
  const bit_row low = (*a & even) | (*b & even) << bits;
  *b = (*a >> bits & even) | (*b & ~even);
  *a = low;
}

/* That with each row in whose number `apart` is not set, and the one so far from it. */
ALWAYS_INLINE static void exchange_round(bit_row *rows, unsigned count, unsigned apart,
                                         unsigned bits) {
  UNROLLED
  for (unsigned r = 0; r < count; ++r) {
    if ((r & apart) == 0) {
      exchange_bits(&rows[r], &rows[r + apart], bits);
    }
  }
}

/* As many rows as a byte has elements, 2, 4 or 8: element e of row r and element r of row e change
 * places. Blocks of 4 bits do so first, then those of 2 within them, then single bits, as far as
 * rows go. */
ALWAYS_INLINE static void transpose_bits(bit_row *rows, unsigned count) {
  exchange_round(rows, count, count / 2, 4);
  if (count > 2) {
    exchange_round(rows, count, count / 4, 2);
  }
  if (count > 4) {
    exchange_round(rows, count, 1, 1);
  }
}

#endif
