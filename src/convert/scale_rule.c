/* scale_rule.c: see scale_rule.h. */
#include "convert/scale_rule.h"

#include "base/error.h"
#include "convert/convert.h"
#include "convert/float_bits.h"
#include "metadata/float_format.h"
#include "metadata/type_table.h"

enum {
  INFINITE = 0x7f800000,
  POWER_LEAST = -127, /* the exponent of the least f8e8m0fnu */
  DOUBLE_MANTISSA = 52,
  DOUBLE_BIAS = 1023
};

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

/* Of a normal double above 0, as every f32 and its quotient by `most` are. */
static int32_t exponent_of(double number) {
  return (int32_t)(bits_of_f64(number) >> DOUBLE_MANTISSA) - DOUBLE_BIAS;
}

static double power_of_2(int32_t exponent) {
  return f64_of_bits((uint64_t)(exponent + DOUBLE_BIAS) << DOUBLE_MANTISSA);
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
  made->most_exponent = exponent_of(made->most);
  return RELAYOUT_OK;
}

/* The nearest number of the scales' type that is not below. Quotients of f32s and of `most`, which
 * has few digits, are never so near to such a number that a double does not tell them apart. */
static double round_up(const rlt_scale_finder *by, double quotient) {
  const int32_t exponent = exponent_of(quotient);
  if (by->type == RELAYOUT_F8E8M0FNU) {
    const double power = power_of_2(exponent < POWER_LEAST ? POWER_LEAST : exponent);
    return quotient > power ? 2 * power : power;
  }
  const int32_t least = by->least_exponent;
  const double step = power_of_2((exponent > least ? exponent : least) - by->mantissa_bits);
  const double steps = (double)(int64_t)(quotient / step);
  return (steps + (steps * step < quotient ? 1 : 0)) * step;
}

static float find(const rlt_scale_finder *by, uint32_t greatest) {
  const float value = f32_of_bits(greatest);
  if (greatest > INFINITE) {
    return __builtin_nanf("");
  }
  if (greatest == INFINITE) {
    return value;
  }
  if (greatest == 0) {
    return by->type == RELAYOUT_F8E8M0FNU ? (float)power_of_2(POWER_LEAST) : 0;
  }
  if (by->rule == RELAYOUT_SCALES_POWER2) {
    const int32_t exponent = exponent_of((double)value) - by->most_exponent;
    const bool has_least = by->type == RELAYOUT_F8E8M0FNU && exponent < POWER_LEAST;
    return (float)power_of_2(has_least ? POWER_LEAST : exponent);
  }
  const double quotient = (double)value / by->most;
  return by->rule == RELAYOUT_SCALES_AMAX_UP ? (float)round_up(by, quotient)
         : by->type == RELAYOUT_F32          ? (float)quotient
                                             : f32_of_bits(odd_float(quotient));
}

void rlt_find_scales(const rlt_scale_finder *by, const uint32_t *greatest, int64_t count,
                     float *scales) {
  for (int64_t i = 0; i < count; ++i) {
    scales[i] = find(by, greatest[i]);
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

void rlt_find_ranges(const rlt_scale_finder *by, rlt_integer_range range, const uint32_t *above,
                     const uint32_t *below, int64_t count, float *scales, float *points) {
  for (int64_t i = 0; i < count; ++i) {
    const float least = -f32_of_bits(below[i]);
    scales[i] = find(by, bits_of_f32(f32_of_bits(above[i]) - least));
    const float scale = as_stored(by, scales[i]);
    const float steps = scale == 0 ? 0 : least / scale;
    points[i] = point_of(range, (float)range.first - steps);
  }
}
