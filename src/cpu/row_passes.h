/* row_passes.h: what is done to rows of elements, by instruction set. A codec puts a few in a row.
 *
 * A pass takes elements side by side at `from` and leaves others side by side at `to`. Pointers
 * need no alignment and the two do not overlap. Counts are multiples of RLT_CPU_ROW_GROUP: whoever
 * calls a pass has put the ends of his rows into buffers.
 *
 * Where a pass is NULL the instruction set has none that is worth its while.
 *
 * Depends on the public element types.
 */
#ifndef RLT_CPU_ROW_PASSES_H
#define RLT_CPU_ROW_PASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/convert.h"

enum {
  RLT_CPU_ROW_GROUP =
      64, /* packed elements of any width end with a byte here, and bytes with a line */
  RLT_CPU_ROW_INTEGERS = 8,
  RLT_CPU_ROW_TYPES = 64 /* more than the greatest element type */
};

/* What the passes of one codec work with. */
typedef struct rlt_cpu_row {
  const rlt_conversion *conversion;
  const void *table;     /* the element that each byte becomes, and a line that may be read */
  const uint8_t *planes; /* of these the first byte of each, then the second of each, ... */
  bool table_has_sign;   /* the upper half of it is the lower one, with the highest bit set */
  double scale;
  double lowest, highest; /* of the integers wanted */
  uint32_t low_mask;      /* the bits that are kept of low bytes */
} rlt_cpu_row;

typedef void rlt_cpu_pass(const rlt_cpu_row *row, const uint8_t *from, uint8_t *to, int64_t count);

/* Lines, past the cache. */
typedef void rlt_cpu_stream(uint8_t *to, const uint8_t *from, int64_t lines);

/* As many rows of packed elements as a byte has, `length` bytes each and `stride` apart, to as many
 * that lie `pitch` apart: element e of row r becomes element r of row e, both counted from the low
 * bits. Either distance may be negative. */
typedef void rlt_cpu_bit_transpose(const uint8_t *from, int64_t stride, uint8_t *to, int64_t pitch,
                                   int64_t length);

/* Reorders each 16 bytes of a tile buffer, whose size is a multiple of a line: byte b
 * becomes the one that was number order[b]. */
typedef void rlt_cpu_shuffle_kernel(uint8_t *buffered, int64_t bytes, const uint8_t *order);

/* What becomes of values times a scale. */
enum {
  RLT_CPU_TO_F32,
  RLT_CPU_TO_F64,
  RLT_CPU_TO_ODD,  /* f32 rounded to odd: it can be rounded once more as if it were exact */
  RLT_CPU_TO_S32,  /* within lowest .. highest */
  RLT_CPU_TO_BYTE, /* the low bits of that */
  RLT_CPU_TO_U32,
  RLT_CPU_TO_S64,
  RLT_CPU_TO_U64,
  RLT_CPU_NEAREST_S32, /* the nearest integers, in the same order */
  RLT_CPU_NEAREST_BYTE,
  RLT_CPU_NEAREST_U32,
  RLT_CPU_NEAREST_S64,
  RLT_CPU_NEAREST_U64,
  RLT_CPU_VALUE_TARGETS
};
typedef struct rlt_cpu_value_passes {
  rlt_cpu_pass *to[RLT_CPU_VALUE_TARGETS];
} rlt_cpu_value_passes;

/* Their sources. */
enum {
  RLT_CPU_FROM_F32,
  RLT_CPU_FROM_S32,
  RLT_CPU_FROM_U32,
  RLT_CPU_FROM_F64,
  RLT_CPU_VALUE_SOURCES
};

typedef struct rlt_cpu_row_passes {
  /* Of 1, 2 and 4 bits, from and to bytes: where low bits come first, and where high ones do. */
  rlt_cpu_pass *pack[2][3], *unpack[2][3];
  rlt_cpu_pass *reverse[3];                /* of such elements the order within each byte */
  rlt_cpu_pass *swap[4];                   /* of elements of 2, 4 and 8 bytes the bytes' order */
  rlt_cpu_bit_transpose *bit_transpose[3]; /* of such elements */
  /* By the table: bytes, of which the low 4 bits count or all, to 1, 2, 4 and 8 bytes. */
  rlt_cpu_pass *nibbles[4], *bytes[4];
  rlt_cpu_pass *preds[4]; /* so too, by whether they are 0: by entry 0 or 1 */
  bool halves_by_f32;     /* integers of a byte become f16 sooner by way of f32 than by the table */
  /* Of what f32 holds, floats and integers of at most 16 bits; and floats of f32, exact or rounded
   * to odd. These want floating point as programs start with it. */
  rlt_cpu_pass *to_f32[RLT_CPU_ROW_TYPES], *of_f32[RLT_CPU_ROW_TYPES];
  rlt_cpu_pass *low[4][3]; /* of elements of 1, 2, 4 and 8 bytes the low 1, 2 and 4 bytes */
  /* Saturating: s8, s16, s32, s64, u8, u16, u32, u64 to each of these. */
  rlt_cpu_pass *integers[RLT_CPU_ROW_INTEGERS][RLT_CPU_ROW_INTEGERS];
  /* These want floating point as programs start with it. */
  /* By scales that make products exact in doubles, and by others of a moderate size. Of f32 also by
   * those that are f32s. */
  rlt_cpu_value_passes exact[RLT_CPU_VALUE_SOURCES], any[RLT_CPU_VALUE_SOURCES];
  rlt_cpu_value_passes single;
  rlt_cpu_value_passes unscaled[2];           /* of s64 and u64 */
  rlt_cpu_pass *f32_to_s32, *f32_nearest_s32; /* unscaled, all of its range */
  rlt_cpu_shuffle_kernel *shuffle;
  rlt_cpu_stream *stream;             /* to where a line begins, */
  rlt_cpu_stream *stream_reversed[3]; /* or so what `reverse` makes */
} rlt_cpu_row_passes;

#endif
