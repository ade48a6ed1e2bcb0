/* scale_rule.h: the scale of a group by the greatest of its values, in integers and in doubles that
 * are exact enough, so that all devices agree; and how what scales make is rounded.
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

/* What the rule needs to know of both types. */
typedef struct rlt_scale_finder {
  relayout_scale_rule rule;
  /* The greatest finite number of the elements; of a range the difference of the last and the
   * first. */
  double most;
  int32_t most_exponent;
  relayout_element_type type; /* of the scales */
  int32_t mantissa_bits;      /* of that type */
  int32_t least_exponent;     /* of its normal numbers */
} rlt_scale_finder;

/* The greatest finite number of a real type. */
double rlt_greatest_element(relayout_element_type type);

/* RELAYOUT_UNSUPPORTED for elements that have no number above 0. */
relayout_status rlt_scale_finder_make(const relayout_scaled_view *view, rlt_scale_finder *made,
                                      relayout_error *error);

/* Of a range: the elements' first number and last one. */
typedef struct rlt_integer_range {
  int32_t first;
  int32_t last;
} rlt_integer_range;

rlt_integer_range rlt_range_of(relayout_element_type type);

/* The scales of groups, as rlt_find_scales has them, and their zero points, as f32s: `above` has
 * the bits of the greatest values, also of NaNs, and `below` those of the least ones without their
 * sign; 0 where there are none above 0, or below. */
void rlt_find_ranges(const rlt_scale_finder *by, rlt_integer_range range, const uint32_t *above,
                     const uint32_t *below, int64_t count, float *scales, float *points);

/* The scales of groups whose greatest values have these bits as f32s: f32s that become the scales
 * when they are converted to their type. */
void rlt_find_scales(const rlt_scale_finder *by, const uint32_t *greatest, int64_t count,
                     float *scales);

#endif
