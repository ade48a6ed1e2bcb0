/* scale_rule.h: by what the scale of a group follows from the greatest of its values; and how what
 * scales make is rounded.
 *
 * Depends on relayout/scaled.h and on metadata/.
 */
#ifndef RLT_CONVERT_SCALE_RULE_H
#define RLT_CONVERT_SCALE_RULE_H

#include <stdint.h>

#include "relayout/scaled.h"

/* How what comes of a value is rounded. */
typedef enum rlt_scale_rounding {
  RLT_SCALE_TO_F32,     /* to the nearest, ties to even */
  RLT_SCALE_TO_ODD,     /* to f32s that can be rounded once more as if they were exact */
  RLT_SCALE_TO_NEAREST, /* to the nearest integer, ties to even */
  RLT_SCALE_TO_ZERO     /* to the integer towards zero */
} rlt_scale_rounding;

/* What the rule needs to know of both types, and of a tensor scale. */
typedef struct rlt_scale_finder {
  relayout_scale_rule rule;
  /* The greatest finite number of the elements; of a range the difference of the last and the
   * first. */
  double most;
  int32_t most_exponent;
  /* The same times the tensor scale, without its sign; where that is no number above 0, `most` is
   * some other one. */
  float product;
  relayout_element_type type; /* of the scales */
  int32_t mantissa_bits;      /* of that type */
  int32_t least_exponent;     /* of its normal numbers */
} rlt_scale_finder;

/* The greatest finite number of a real type. */
double rlt_greatest_element(relayout_element_type type);

/* RELAYOUT_UNSUPPORTED for elements that have no number above 0. */
relayout_status rlt_scale_finder_make(const relayout_scaled_view *view, rlt_scale_finder *made,
                                      relayout_error *error);

/* The finder of scales below a tensor scale, which is any f32. */
rlt_scale_finder rlt_scale_finder_below(const rlt_scale_finder *of, float tensor_scale);

/* Where the finder's product is no number above 0, the greatest values of groups, as bits of f32s,
 * become 0 or NaN, whose scales are the same by all numbers. */
void rlt_scale_finder_level(const rlt_scale_finder *by, uint32_t *greatest, int64_t count);

/* Of a range: the elements' first number and last one. */
typedef struct rlt_integer_range {
  int32_t first;
  int32_t last;
} rlt_integer_range;

rlt_integer_range rlt_range_of(relayout_element_type type);

/* `above` has the bits of the greatest values of groups as f32s, also of NaNs, and `below` those of
 * the least ones without their sign; 0 where there are none above 0, or below. The former become
 * the bits of the greatest less the least ones. */
void rlt_find_spans(uint32_t *above, const uint32_t *below, int64_t count);

/* The zero points of groups, as f32s, by the scales that were found by these differences, each
 * times the tensor scale. */
void rlt_find_points(const rlt_scale_finder *by, float tensor_scale, rlt_integer_range range,
                     const uint32_t *below, const float *scales, int64_t count, float *points);

#endif
