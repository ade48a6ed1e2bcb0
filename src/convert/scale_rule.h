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

/* What the rule needs to know of both types. */
typedef struct rlt_scale_finder {
  relayout_scale_rule rule;
  double most; /* the greatest finite number of the elements */
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

#endif
