/* boxes.h: cuts a dimension into boxes in which its axes are independent.
 *
 * The axes of a dimension are its digits to the weights of both sides' factors together, and a box
 * is a range of each. 300 elements in rows of 128, of which 3 are written:
 *
 *     weight   128        1             weight   128        1
 *              0..1   x   0..127                 2..2   x   0..43 with a source, and up to 127
 *
 * Depends on factors.h. */
#ifndef RLT_PROBLEM_BOXES_H
#define RLT_PROBLEM_BOXES_H

#include "problem/factors.h"

/* Each of the three ends of the cut range (first, valid, written) adds at most one box for each
 * level. */
enum { RLT_MOST_LEVELS = 8, RLT_MOST_BOXES = 3 * RLT_MOST_LEVELS };

/* The digits of a dimension, the fastest varying first, and the stride of each on either side. */
typedef struct rlt_levels {
  int32_t count;
  int64_t weights[RLT_MOST_LEVELS];
  int64_t source_strides[RLT_MOST_LEVELS];
  int64_t destination_strides[RLT_MOST_LEVELS];
} rlt_levels;

/* False if the weights do not divide each other, or if there are too many. */
bool rlt_levels_make(const rlt_factors *source, const rlt_factors *destination, int32_t dimension,
                     rlt_levels *levels);

typedef struct rlt_digit_range {
  int64_t first;
  int64_t extent;
  int64_t valid; /* the first boxes, which have a source */
} rlt_digit_range;

typedef struct rlt_digit_boxes {
  int32_t count;
  rlt_digit_range of[RLT_MOST_BOXES][RLT_MOST_LEVELS]; /* for each box, a range of every level */
} rlt_digit_boxes;

/* Cuts first .. written-1 into boxes; indices below `valid` have a source. Requires first <= valid
 * <= written. */
void rlt_digit_boxes_make(const rlt_levels *levels, int64_t first, int64_t valid, int64_t written,
                          rlt_digit_boxes *boxes);

#endif
