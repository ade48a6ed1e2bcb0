/* comb.h: two to four runs side by side, or eight, become one, its elements in turns, and one becomes
 * them:
 *
 *     a0 b0 c0 a1 b1 c1 a2 b2 c2     <->     a0 a1 a2   b0 b1 b2   c0 c1 c2
 *
 * Turned in blocks, lanes that are so short would be mostly empty. Instruction sets that cannot put the
 * bytes of a register into any order do without those of two to four, for bytes and halves; HAS_COMBS
 * says which do. Combs of eight are zipped within lanes, which all can; they are for bytes and halves,
 * since eight wider elements fill blocks well enough.
 *
 * Depends on turn.h.
 */
#ifndef RLT_CPU_COMB_H
#define RLT_CPU_COMB_H

#include "cpu/turn.h"

/* ---- Two to four ---- */

/* Vectors as wide as elements of this size find their places in by one or two instructions. */
#if defined(PLAIN) || ELEMENT_BYTES == 16
#define HAS_COMBS 0
#elif defined(__AVX512VBMI__)
#define HAS_COMBS  1
#define TOOTH_BITS 6
#elif defined(__AVX512BW__)
#define HAS_COMBS  1
#define TOOTH_BITS (ELEMENT_BYTES == 1 ? 4 : 6)
#elif defined(__AVX2__)
#define HAS_COMBS  1
#define TOOTH_BITS (ELEMENT_BYTES <= 2 ? 4 : 5)
#elif defined(__SSE2__)
#define HAS_COMBS  (ELEMENT_BYTES >= 4)
#define TOOTH_BITS 4
#else
#define HAS_COMBS  1
#define TOOTH_BITS 4
#endif

enum { FEW_TEETH = 4 };

#if HAS_COMBS

enum { TOOTH_BYTES = 1 << TOOTH_BITS, TOOTH = TOOTH_BYTES / ELEMENT_BYTES };

#if ELEMENT_BYTES == 1
typedef int8_t tooth __attribute__((vector_size(TOOTH_BYTES)));
#elif ELEMENT_BYTES == 2
typedef int16_t tooth __attribute__((vector_size(TOOTH_BYTES)));
#elif ELEMENT_BYTES == 4
typedef int32_t tooth __attribute__((vector_size(TOOTH_BYTES)));
#else
typedef int64_t tooth __attribute__((vector_size(TOOTH_BYTES)));
#endif

/* place(i, x) for each element i of a tooth. */
#define TWO(place, first, x)     place(first, x), place((first) + 1, x)
#define FOUR(place, first, x)    TWO(place, first, x), TWO(place, (first) + 2, x)
#define EIGHT(place, first, x)   FOUR(place, first, x), FOUR(place, (first) + 4, x)
#define SIXTEEN(place, first, x) EIGHT(place, first, x), EIGHT(place, (first) + 8, x)
#if (1 << TOOTH_BITS) / ELEMENT_BYTES == 2
#define EACH(place, x) TWO(place, 0, x)
#elif (1 << TOOTH_BITS) / ELEMENT_BYTES == 4
#define EACH(place, x) FOUR(place, 0, x)
#elif (1 << TOOTH_BITS) / ELEMENT_BYTES == 8
#define EACH(place, x) EIGHT(place, 0, x)
#elif (1 << TOOTH_BITS) / ELEMENT_BYTES == 16
#define EACH(place, x) SIXTEEN(place, 0, x)
#elif (1 << TOOTH_BITS) / ELEMENT_BYTES == 32
#define EACH(place, x) SIXTEEN(place, 0, x), SIXTEEN(place, 16, x)
#else
#define EACH(place, x)                                                                             \
  SIXTEEN(place, 0, x), SIXTEEN(place, 16, x), SIXTEEN(place, 32, x), SIXTEEN(place, 48, x)
#endif
#define SHUFFLE(a, b, place, x) __builtin_shufflevector(a, b, EACH(place, x))

/* Element i of tooth x is element 2 i + x of two vectors, element 3 i + x of three; -1 is any. Of
 * three vectors the first two are looked up first, then their result and the third. */
#define OF_TWO(i, x)      (2 * (i) + (x))
#define OF_THREE(i, x)    (3 * (i) + (x))
#define AMONG_TWO(i, x)   (OF_THREE(i, x) < 2 * TOOTH ? OF_THREE(i, x) : -1)
#define AMONG_THREE(i, x) (OF_THREE(i, x) < 2 * TOOTH ? (i) : OF_THREE(i, x) - TOOTH)

/* The other way round, element i of vector x is element n / count of tooth n % count. */
#define NUMBER(i, x)     ((x)*TOOTH + (i))
#define FROM_PAIR(i, x)  (NUMBER(i, x) % 2 * TOOTH + NUMBER(i, x) / 2)
#define FROM_TWO(i, x)   (NUMBER(i, x) % 3 < 2 ? NUMBER(i, x) % 3 * TOOTH + NUMBER(i, x) / 3 : -1)
#define FROM_THREE(i, x) (NUMBER(i, x) % 3 < 2 ? (i) : TOOTH + NUMBER(i, x) / 3)

#define part_two(a, b, x) SHUFFLE(a, b, OF_TWO, x)
#define part_three(in, x) SHUFFLE(SHUFFLE((in)[0], (in)[1], AMONG_TWO, x), (in)[2], AMONG_THREE, x)
#define join_two(a, b, x) SHUFFLE(a, b, FROM_PAIR, x)
#define join_three(in, x) SHUFFLE(SHUFFLE((in)[0], (in)[1], FROM_TWO, x), (in)[2], FROM_THREE, x)

static inline void part_teeth(const tooth *in, tooth *out, int64_t teeth) {
  if (teeth == 2) {
    out[0] = part_two(in[0], in[1], 0);
    out[1] = part_two(in[0], in[1], 1);
  } else if (teeth == 3) {
    out[0] = part_three(in, 0);
    out[1] = part_three(in, 1);
    out[2] = part_three(in, 2);
  } else {
    const tooth even = part_two(in[0], in[1], 0);
    const tooth odd = part_two(in[0], in[1], 1);
    const tooth next_even = part_two(in[2], in[3], 0);
    const tooth next_odd = part_two(in[2], in[3], 1);
    out[0] = part_two(even, next_even, 0);
    out[1] = part_two(odd, next_odd, 0);
    out[2] = part_two(even, next_even, 1);
    out[3] = part_two(odd, next_odd, 1);
  }
}

static inline void join_teeth(const tooth *in, tooth *out, int64_t teeth) {
  if (teeth == 2) {
    out[0] = join_two(in[0], in[1], 0);
    out[1] = join_two(in[0], in[1], 1);
  } else if (teeth == 3) {
    out[0] = join_three(in, 0);
    out[1] = join_three(in, 1);
    out[2] = join_three(in, 2);
  } else {
    const tooth even = join_two(in[0], in[2], 0);
    const tooth next_even = join_two(in[0], in[2], 1);
    const tooth odd = join_two(in[1], in[3], 0);
    const tooth next_odd = join_two(in[1], in[3], 1);
    out[0] = join_two(even, odd, 0);
    out[1] = join_two(even, odd, 1);
    out[2] = join_two(next_even, next_odd, 0);
    out[3] = join_two(next_even, next_odd, 1);
  }
}

/* A column follows the other `teeth` elements on in the source, so that its rows lie there in turns
 * with its neighbours'. The first `count` columns of the piece, all with a source; what lies between
 * them is read too. */
static inline void part_piece(const piece *of, int64_t count, int64_t teeth) {
  tooth in[FEW_TEETH];
  tooth out[FEW_TEETH];
  for (int64_t c = 0; c < count; c += TOOTH) {
    const int64_t column = block_start(c, count, TOOTH);
    const uint8_t *const from = of->from + of->columns_from[column];
    uint8_t *const to = of->to + column * ELEMENT_BYTES;
#pragma GCC unroll 4
    for (int t = 0; t < FEW_TEETH; ++t) {
      if (t < teeth) {
        memcpy(&in[t], from + t * TOOTH_BYTES, TOOTH_BYTES);
      }
    }
    part_teeth(in, out, teeth);
#pragma GCC unroll 4
    for (int r = 0; r < FEW_TEETH; ++r) {
      if (r < teeth && r < of->rows) {
        memcpy(to + of->rows_to[r], &out[r], TOOTH_BYTES);
      }
    }
  }
}

/* A row follows the other `teeth` elements on in the assembly, which are its columns. */
static inline void join_piece(const piece *of, int64_t teeth, const uint8_t *fill) {
  tooth in[FEW_TEETH];
  tooth out[FEW_TEETH];
  for (int64_t r = 0; r < of->rows; r += TOOTH) {
    const int64_t row = block_start(r, of->rows, TOOTH);
#pragma GCC unroll 4
    for (int t = 0; t < FEW_TEETH; ++t) {
      if (t < teeth) {
        const bool is_there =
            t < of->valid_columns && (of->keeps == NULL || of->keeps[t * ELEMENT_BYTES] != 0);
        memcpy(&in[t], is_there ? of->from + of->columns_from[t] + row * ELEMENT_BYTES : fill,
               TOOTH_BYTES);
      }
    }
    join_teeth(in, out, teeth);
    uint8_t *const to = of->to + of->rows_to[row];
#pragma GCC unroll 4
    for (int t = 0; t < FEW_TEETH; ++t) {
      if (t < teeth) {
        memcpy(to + t * TOOTH_BYTES, &out[t], TOOTH_BYTES);
      }
    }
  }
}

#endif

/* ---- Eight ---- */

#define HAS_EIGHT (ELEMENT_BYTES <= 2)

enum { MOST_TEETH = HAS_EIGHT ? 8 : FEW_TEETH };

#if HAS_EIGHT

enum { EIGHT_LANES = 8 * LANE_BYTES };

/* As part_piece. Lane l of strip i is number 8 l + i of the source's: in (strip, element of a lane) the
 * lowest three bits are the tooth, and come to be the strip. */
static inline void part_eight(const piece *of, int64_t count) {
  for (int64_t c = 0; c < count; c += SIDE) {
    const int64_t column = block_start(c, count, SIDE);
    const uint8_t *const from = of->from + of->columns_from[column];
    uint8_t *const to = of->to + column * ELEMENT_BYTES;
    strip strips[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      strips[i] =
          load_lanes(from + i * LANE_BYTES, 0, EIGHT_LANES, 2 * EIGHT_LANES, 3 * EIGHT_LANES);
    }
    rotate(strips, 8, DEPTH);
#pragma GCC unroll 8
    for (int r = 0; r < 8; ++r) {
      if (r < of->rows) {
        store_strip(to + of->rows_to[r], strips[r]);
      }
    }
  }
}

/* As join_piece, the other way round. */
static inline void join_eight(const piece *of, const uint8_t *fill) {
  const uint8_t *teeth[8];
  ptrdiff_t step[8];
  for (int t = 0; t < 8; ++t) {
    const bool is_there =
        t < of->valid_columns && (of->keeps == NULL || of->keeps[t * ELEMENT_BYTES] != 0);
    teeth[t] = is_there ? of->from + of->columns_from[t] : fill;
    step[t] = is_there ? ELEMENT_BYTES : 0;
  }
  for (int64_t r = 0; r < of->rows; r += SIDE) {
    const int64_t row = block_start(r, of->rows, SIDE);
    uint8_t *const to = of->to + of->rows_to[row];
    strip strips[8];
#pragma GCC unroll 8
    for (int t = 0; t < 8; ++t) {
      strips[t] = load_strip(teeth[t] + row * step[t]);
    }
    rotate(strips, 8, 8);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      store_lanes(to + i * LANE_BYTES, EIGHT_LANES, strips[i]);
    }
  }
}

#endif

/* ---- Any ---- */

/* How many elements of each tooth a comb takes at once. */
static inline int64_t least_tooth(int64_t teeth) {
  if (HAS_EIGHT && teeth == 8) {
    return SIDE;
  }
#if HAS_COMBS
  return TOOTH;
#else
  return INT64_MAX;
#endif
}

/* Each number of teeth compiled by itself. */
static inline void part_piece_of(const piece *of, int64_t count, int64_t teeth) {
#if HAS_EIGHT
  if (teeth == 8) {
    part_eight(of, count);
    return;
  }
#endif
#if HAS_COMBS
  if (teeth == 2) {
    part_piece(of, count, 2);
  } else if (teeth == 3) {
    part_piece(of, count, 3);
  } else {
    part_piece(of, count, 4);
  }
#else
  (void)of;
  (void)count;
  (void)teeth;
#endif
}

static inline void join_piece_of(const piece *of, int64_t teeth, const uint8_t *fill) {
#if HAS_EIGHT
  if (teeth == 8) {
    join_eight(of, fill);
    return;
  }
#endif
#if HAS_COMBS
  if (teeth == 2) {
    join_piece(of, 2, fill);
  } else if (teeth == 3) {
    join_piece(of, 3, fill);
  } else {
    join_piece(of, 4, fill);
  }
#else
  (void)of;
  (void)teeth;
  (void)fill;
#endif
}

#endif
