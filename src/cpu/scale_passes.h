/* scale_passes.h: what is done to rows of values with scales, and to records of blocks, by
 * instruction set.
 *
 * Values are f32s side by side, scales and zero points too: one for each group along the row. All
 * passes want floating point as programs start with it; what is written overlaps nothing that is
 * read.
 *
 * Depends on convert/scale_rule.h.
 */
#ifndef RLT_CPU_SCALE_PASSES_H
#define RLT_CPU_SCALE_PASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/scale_rule.h"

/* Anywhere in memory. */
typedef float rlt_unaligned_float __attribute__((aligned(1), may_alias));

/* Scales and zero points of one side: value i of the row has those of number (skip + i) / group. */
typedef struct rlt_scale_row {
  const float *scales;   /* NULL: none, and no zero points */
  const float *points;   /* NULL: none */
  const float *inverses; /* of the scales, by `invert`; NULL: none */
  int64_t group;
  int64_t skip; /* less than a group */
} rlt_scale_row;

/* Values that have the scales `from` become elements that have the scales `to`. */
typedef struct rlt_rescaling {
  rlt_scale_row from;
  rlt_scale_row to;
  bool is_exact;   /* f32 holds all products by scales of `from` */
  bool is_narrow;  /* elements are floats, of fewer exponents than f32 has */
  bool are_powers; /* and scales of `to` are powers of two */
  bool are_short;  /* or have at most 11 digits */
  float most;      /* of elements that have scales: what is beyond becomes this */
  rlt_scale_rounding rounding;
} rlt_rescaling;

/* How the records of `rows` rows lie together: `run` bytes of each row's elements in turn. */
typedef struct rlt_interleaving {
  relayout_block_format format; /* q4_0, q8_0 or mxfp4 */
  int32_t rows;
  int32_t run;
} rlt_interleaving;

typedef struct rlt_cpu_scale_passes {
  /* The elements that stand for values first .. first + count - 1 of a row, of which the first is
   * given: ((value - point) * scale) / scale + point. Integers before the point is added are
   * within 2^22; all that lies further out is there. */
  void (*rescale)(const rlt_rescaling *of, const rlt_unaligned_float *values, int64_t first,
                  float *to, int64_t count);
  /* Of elements that bf16 holds, given as such, and a source's scales alone, without zero points,
   * the products: as f32s, or, where f32 holds all of them, as bf16s. */
  void (*multiply_words)(const rlt_scale_row *row, const uint16_t *elements, int64_t first,
                         bool to_words, void *to, int64_t count);
  /* Integers of 32 bits, less their zero points, times their scales, each product rounded to an f32
   * once. False where a scale is not finite: then nothing is said of what was written. */
  bool (*multiply_integers)(const rlt_scale_row *row, const void *elements, bool are_signed,
                            float *to, int64_t count);
  /* What values are multiplied by where a quotient follows from the product: 1 / scale as an f32, 0
   * for the scale 0, or NaN for a scale for which it does not. */
  void (*invert)(const float *scales, int64_t count, float *inverses);
  /* found[g] becomes the greatest of itself and the bits, without signs, of values i that have g as
   * (skip + i) / group: numbers in their order, then infinity, then NaNs. */
  void (*find_greatest)(const rlt_unaligned_float *values, int64_t count, int64_t group,
                        int64_t skip, uint32_t *found);
  /* above[g] and below[g] become the greatest of themselves and the bits, without signs, of values
   * i of group g above 0, or NaN, and of those below 0. */
  void (*find_ends)(const rlt_unaligned_float *values, int64_t count, int64_t group, int64_t skip,
                    uint32_t *above, uint32_t *below);
  /* The scales of groups whose greatest values have these bits: f32s that become the scales when
   * they are converted to their type. */
  void (*find_scales)(const rlt_scale_finder *by, const uint32_t *greatest, int64_t count,
                      float *scales);
  /* Values to records and back; `count` is a multiple of 32. */
  void (*encode)(relayout_block_format format, const rlt_unaligned_float *values, int64_t count,
                 uint8_t *records);
  void (*decode)(relayout_block_format format, const uint8_t *records, int64_t count,
                 float *values);
  /* The records of all rows of a group, `count` of each row: from rows that lie `apart` bytes from
   * each other to those that are interleaved, and back. Their bits stay. */
  void (*join)(const rlt_interleaving *by, const uint8_t *plain, int64_t apart, int64_t count,
               uint8_t *together);
  void (*part)(const rlt_interleaving *by, const uint8_t *together, int64_t count, uint8_t *plain,
               int64_t apart);
} rlt_cpu_scale_passes;

#endif
