/* scale_rule.c: see scale_rule.h. */
#include "convert/scale_rule.h"

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
  made->most_exponent = exponent_of_f64(made->most);
  return RELAYOUT_OK;
}
