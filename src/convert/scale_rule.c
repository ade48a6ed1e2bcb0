/* scale_rule.c: see scale_rule.h. */
#include "convert/scale_rule.h"

#include <math.h>

#include "base/error.h"
#include "convert/convert.h"
#include "convert/float_bits.h"
#include "metadata/float_format.h"
#include "metadata/type_table.h"

double rlt_greatest_element(relayout_element_type type) {
  const rlt_type_row *const row = rlt_type_find(type);
  const rlt_float_format *const format = rlt_float_format_of(type);
  const rlt_conversion conversion = {.from = type, .to = RELAYOUT_F64, .scale = 1};
  rlt_element element = {row->highest, 0};
  uint8_t bytes[RELAYOUT_MAX_ELEMENT_SIZE];
  double greatest = 0;
  if (format != NULL && format->specials == RLT_FLOAT_IEEE) {
    element.real -= 1; /* what comes before infinity */
  }
  rlt_element_store(row, element, bytes);
  rlt_convert_elements(&conversion, bytes, &greatest, 1);
  return greatest;
}

rlt_integer_range rlt_range_of(relayout_element_type type) {
  const int32_t bits = relayout_element_type_bits(type);
  return relayout_element_type_kind(type) == RELAYOUT_KIND_SIGNED
             ? (rlt_integer_range){-(1 << (bits - 1)), (1 << (bits - 1)) - 1}
             : (rlt_integer_range){0, (1 << bits) - 1};
}

relayout_status rlt_scale_finder_make(const relayout_scaled_view *view, rlt_scale_finder *made,
                                      relayout_error *error) {
  const relayout_element_type elements = view->elements.shape.element_type;
  const rlt_float_format *const scales = rlt_float_format_of(view->scales.shape.element_type);
  *made = (rlt_scale_finder){.rule = view->rule,
                             .most = rlt_greatest_element(elements),
                             .type = scales->type,
                             .mantissa_bits = scales->mantissa_bits,
                             .least_exponent = 1 - scales->bias};
  if (made->most <= 0) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "scales cannot be found for elements of %s, none of which is above 0",
                    relayout_element_type_name(elements));
  }
  if (view->rule == RELAYOUT_SCALES_RANGE) {
    const rlt_integer_range range = rlt_range_of(elements);
    made->most = range.last - range.first;
  }
  made->most_exponent = exponent_of_f64(made->most);
  made->product = (float)made->most;
  return RELAYOUT_OK;
}

enum { INFINITE = 0x7f800000, NOT_A_NUMBER = 0x7fc00000 }; /* as f32s */

static bool is_above_zero(float number) {
  return number > 0 && number < INFINITY;
}

rlt_scale_finder rlt_scale_finder_below(const rlt_scale_finder *of, float tensor_scale) {
  rlt_scale_finder made = *of;
  made.product = fabsf((float)of->most * tensor_scale);
  made.most = is_above_zero(made.product) ? (double)made.product : 1;
  made.most_exponent = exponent_of_f64(made.most);
  return made;
}

void rlt_scale_finder_level(const rlt_scale_finder *by, uint32_t *greatest, int64_t count) {
  const bool all_are_zero = by->product == 0, is_infinite = by->product > 0;
  for (int64_t i = 0; i < count && !is_above_zero(by->product); ++i) {
    const bool counts = greatest[i] > 0 && !(is_infinite && greatest[i] < INFINITE);
    greatest[i] = counts && !all_are_zero ? NOT_A_NUMBER : 0;
  }
}

/* An f32 as the number of the scales' type that it becomes. */
static float as_stored(const rlt_scale_finder *by, float scale) {
  const rlt_conversion to = {.from = RELAYOUT_F32, .to = by->type, .scale = 1};
  const rlt_conversion back = {.from = by->type, .to = RELAYOUT_F32, .scale = 1};
  uint8_t bytes[RELAYOUT_MAX_ELEMENT_SIZE];
  float made = scale;
  if (by->type != RELAYOUT_F32) {
    rlt_convert_elements(&to, &scale, bytes, 1);
    rlt_convert_elements(&back, bytes, &made, 1);
  }
  return made;
}

/* Within the range; a NaN is 0 before. Adding a number so large that its neighbours are integers
 * rounds to the nearest. */
static float point_of(rlt_integer_range range, float exact) {
  const float large = 0x1.8p23F, first = (float)range.first, last = (float)range.last;
  const float number = exact != exact ? 0 : exact;
  const float bounded = number < first ? first : number > last ? last : number;
  return bounded + large - large;
}

void rlt_find_spans(uint32_t *above, const uint32_t *below, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    above[i] = bits_of_f32(f32_of_bits(above[i]) + f32_of_bits(below[i]));
  }
}

void rlt_find_points(const rlt_scale_finder *by, float tensor_scale, rlt_integer_range range,
                     const uint32_t *below, const float *scales, int64_t count, float *points) {
  for (int64_t i = 0; i < count; ++i) {
    const float scale = as_stored(by, scales[i]) * tensor_scale;
    const float steps = scale == 0 ? 0 : -f32_of_bits(below[i]) / scale;
    points[i] = point_of(range, (float)range.first - steps);
  }
}
