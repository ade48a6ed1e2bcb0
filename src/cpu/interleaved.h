/* interleaved.h: whole groups of rows whose records are interleaved, and the same records row by
 * row, for one instruction set.
 *
 * Of a group's rows the records of the same 32 elements lie together: the scales of all rows, then
 * `run` bytes of each row's elements in turn. What is constant for a format and a run is constant
 * in the code: without that a record takes four times as long.
 *
 * Depends on scale_passes.h.
 */
#ifndef RLT_CPU_INTERLEAVED_H
#define RLT_CPU_INTERLEAVED_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cpu/scale_passes.h"

#define GROUPS_INLINED static inline __attribute__((always_inline))

enum { VECTOR = 16 /* bytes */, MOST_VECTORS = 16, FOUR = 4 };

typedef uint8_t sixteen_bytes __attribute__((vector_size(VECTOR)));

/* A record of one format, in bytes; the bits that are turned in its elements. */
typedef struct record_bytes {
  int32_t scale, elements;
  uint8_t turned;
} record_bytes;

/* Takes two vectors apart into words of `bytes` bytes each. `low` becomes the first half of both, a
 * word of `a` and a word of `b` in turn; `high` becomes the second half. */
GROUPS_INLINED void zip_words(sixteen_bytes a, sixteen_bytes b, int32_t bytes, sixteen_bytes *low,
                              sixteen_bytes *high) {
  if (bytes == 8) {
    *low = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
    *high =
        __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  } else if (bytes == 4) {
    *low = __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
    *high =
        __builtin_shufflevector(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
  } else {
    *low = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    *high =
        __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  }
}

/* A few vectors of words, the words in another order: each zip of the vectors' first half with the
 * second one takes all bits of a word's number around by one. As many as a row's number has bring
 * words row by row to words of all rows in turn; as many as a word's number within a row has bring
 * them back. */
GROUPS_INLINED void turn_words(const uint8_t *from, int64_t from_apart, int32_t vectors,
                               int32_t bytes, int32_t zips, uint8_t turned, uint8_t *to,
                               int64_t to_apart) {
  sixteen_bytes words[MOST_VECTORS], zipped[MOST_VECTORS];
#pragma GCC unroll 16
  for (int32_t v = 0; v < vectors; ++v) {
    memcpy(&words[v], from + v * from_apart, sizeof words[v]);
    words[v] ^= turned;
  }
#pragma GCC unroll 4
  for (int32_t z = 0; z < zips; ++z) {
#pragma GCC unroll 8
    for (int32_t v = 0; v < vectors / 2; ++v) {
      zip_words(words[v], words[v + vectors / 2], bytes, &zipped[2 * v], &zipped[2 * v + 1]);
    }
#pragma GCC unroll 16
    for (int32_t v = 0; v < vectors; ++v) {
      words[v] = zipped[v];
    }
  }
#pragma GCC unroll 16
  for (int32_t v = 0; v < vectors; ++v) {
    memcpy(to + v * to_apart, &words[v], sizeof words[v]);
  }
}

GROUPS_INLINED int32_t bits_of(int32_t power) {
  return 31 - __builtin_clz((unsigned)power);
}

/* Moves sixteen bytes of elements of each of `vectors` rows. Together, `run` bytes of the first row
 * are followed by `run` bytes of the next one, and so on. */
GROUPS_INLINED void move_elements(int32_t vectors, int32_t run, uint8_t turned, uint8_t *plain,
                                  int64_t apart, uint8_t *together, int64_t rows, bool joins) {
  const int64_t of_rows = rows * run > VECTOR ? rows * run : VECTOR;
  if (joins) {
    turn_words(plain, apart, vectors, run, bits_of(vectors), turned, together, of_rows);
  } else {
    turn_words(together, of_rows, vectors, run, bits_of(VECTOR / run), turned, plain, apart);
  }
}

/* Records in the same place of each row, FOUR rows or as many as there are vectors at a time. */
GROUPS_INLINED void move_group(record_bytes of, int32_t vectors, int32_t run, int32_t rows,
                               uint8_t *plain, int64_t apart, uint8_t *together, bool joins) {
  const int32_t some = vectors > FOUR ? vectors : FOUR;
  uint8_t *const runs = together + rows * of.scale;
  for (int32_t r = 0; r < rows; r += some, plain += some * apart) {
#pragma GCC unroll 16
    for (int32_t i = 0; i < some; ++i) {
      uint8_t *const scale = together + (r + i) * of.scale;
      memcpy(joins ? scale : plain + i * apart, joins ? plain + i * apart : scale,
             (size_t)of.scale);
    }
#pragma GCC unroll 2
    for (int32_t i = 0; i < some; i += vectors) {
#pragma GCC unroll 2
      for (int32_t b = 0; b < of.elements; b += VECTOR) {
        move_elements(vectors, run, of.turned, plain + i * apart + of.scale + b, apart,
                      runs + b * rows + (r + i) * run, rows, joins);
      }
    }
  }
}

GROUPS_INLINED void move_groups(record_bytes of, int32_t vectors, int32_t run,
                                const rlt_interleaving *by, uint8_t *plain, int64_t apart,
                                uint8_t *together, int64_t count, bool joins) {
  const int64_t bytes = of.scale + of.elements;
  for (int64_t i = 0; i < count; ++i) {
    move_group(of, vectors, run, by->rows, plain + i * bytes, apart,
               together + i * bytes * by->rows, joins);
  }
}

/* As many vectors as words of a run are in one, or as rows are there. */
GROUPS_INLINED void move_runs(record_bytes of, const rlt_interleaving *by, uint8_t *plain,
                              int64_t apart, uint8_t *together, int64_t count, bool joins) {
  if (by->run == 8) {
    move_groups(of, 2, 8, by, plain, apart, together, count, joins);
  } else if (by->run == 4) {
    move_groups(of, 4, 4, by, plain, apart, together, count, joins);
  } else if (by->rows >= 16) {
    move_groups(of, 16, 1, by, plain, apart, together, count, joins);
  } else if (by->rows == 8) {
    move_groups(of, 8, 1, by, plain, apart, together, count, joins);
  } else {
    move_groups(of, 4, 1, by, plain, apart, together, count, joins);
  }
}

GROUPS_INLINED void move_formats(const rlt_interleaving *by, uint8_t *plain, int64_t apart,
                                 uint8_t *together, int64_t count, bool joins) {
  const record_bytes q4_0 = {2, 16, 0x88}, q8_0 = {2, 32, 0}, mxfp4 = {1, 16, 0};
  switch (by->format) {
  case RELAYOUT_BLOCK_FORMAT_Q4_0:
    move_runs(q4_0, by, plain, apart, together, count, joins);
    break;
  case RELAYOUT_BLOCK_FORMAT_Q8_0:
    move_runs(q8_0, by, plain, apart, together, count, joins);
    break;
  default:
    move_runs(mxfp4, by, plain, apart, together, count, joins);
  }
}

static void join_records(const rlt_interleaving *by, const uint8_t *plain, int64_t apart,
                         int64_t count, uint8_t *together) {
  move_formats(by, (uint8_t *)(uintptr_t)plain, apart, together, count, true);
}

static void part_records(const rlt_interleaving *by, const uint8_t *together, int64_t count,
                         uint8_t *plain, int64_t apart) {
  move_formats(by, plain, apart, (uint8_t *)(uintptr_t)together, count, false);
}

#endif
