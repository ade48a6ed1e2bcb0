/* formats.h: describes an element type to the arithmetic of cl/convert.cl.
 *
 * Depends on arithmetic.h and metadata/.
 */
#ifndef RLT_CONVERT_FORMATS_H
#define RLT_CONVERT_FORMATS_H

#include <stddef.h>

#include "convert/arithmetic.h"
#include "metadata/float_format.h"

static inline number_format rlt_number_format_of(relayout_element_type type) {
  number_format format = {.kind = (int)relayout_element_type_kind(type),
                          .bits = relayout_element_type_bits(type)};
  const rlt_float_format *const as_float = rlt_float_format_of(type);
  if (as_float != NULL) {
    format.exponent_bits = as_float->exponent_bits;
    format.mantissa_bits = as_float->mantissa_bits;
    format.bias = as_float->bias;
    format.specials = (int)as_float->specials;
  }
  return format;
}

#endif
