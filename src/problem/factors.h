/* factors.h: a side's dimensions, each as the factors that tiles split it into.
 *
 * f32[6,300]{1,0:T(2,128)} has 300 as 3 blocks of 128, and 6 as 3 of 2. The value of a factor is
 * index / weight % extent, and a step of it goes `stride` words far in memory:
 *
 *     dimension      1    0    1    0
 *     weight         1    1  128    2
 *     extent       128    2    3    3
 *     stride         1  128  256  768
 *
 * The last factor of a dimension may reach farther than the dimension, which is padding.
 *
 * Depends on metadata/ and base/.
 */
#ifndef RLT_PROBLEM_FACTORS_H
#define RLT_PROBLEM_FACTORS_H

#include <stdbool.h>
#include <stdint.h>

#include "relayout/shape.h"

enum {
  RLT_MOST_FACTORS = 192,
  /* Tiles of a higher rank than the array's add dimensions of size 1. */
  RLT_MOST_DIMENSIONS = RELAYOUT_MAX_RANK + RELAYOUT_MAX_TILE_DIMENSIONS,
  RLT_MOST_IN_NUMBER = 8
};

typedef struct rlt_factor {
  int32_t dimension;
  bool is_last; /* of its dimension */
  int64_t weight;
  int64_t extent;
  int64_t stride;
} rlt_factor;

typedef struct rlt_factors {
  int32_t dimension_count; /* the shape's dimensions, followed by those that tiles add */
  int32_t count;
  rlt_factor of[RLT_MOST_FACTORS];
} rlt_factors;

/* A physical dimension while tiles are applied: its factors, the fastest varying first. Merged
 * dimensions have several. */
typedef struct rlt_number {
  int32_t count;
  rlt_factor of[RLT_MOST_IN_NUMBER];
} rlt_number;

/* Memory for that, too large for a stack. */
typedef struct rlt_numbers {
  int32_t dimension_count;
  int32_t count;
  rlt_number of[RLT_MOST_DIMENSIONS]; /* major to minor */
} rlt_numbers;

/* Finds the factors of a shape whose elements have this many words, in which strides are counted.
 * Returns false if a tile splits a dimension at a position that is not a multiple of a factor, if
 * the tile is not divisible by the dimensions that it merges, or if there are too many factors. The
 * shape is valid and none of its padded dimensions is 0. */
bool rlt_factors_of_layout(const relayout_shape *shape, int64_t words, rlt_numbers *all,
                           rlt_factors *factors);

/* Finds the factors of a strided side, whose byte strides are multiples of this word size. */
void rlt_factors_of_strides(const relayout_shape *shape, const int64_t *byte_strides,
                            int64_t word_bytes, rlt_factors *factors);

#endif
