/* float_values.h: the values of the bit patterns of the float types, from their definitions.
 *
 * Depends on the public element types and the C library's ldexp alone.
 */
#ifndef METADATA_FLOAT_VALUES_H
#define METADATA_FLOAT_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "relayout/element_type.h"

typedef struct float_type {
  relayout_element_type type;
  int sign;     /* bits */
  int exponent; /* bits */
  int mantissa; /* bits */
  int bias;
  char infinity; /* 'i': IEEE's infinities and NaNs, 0: none */
  int64_t nan;   /* the one NaN pattern but for its sign; -1: IEEE's or none */
} float_type;

enum { FLOAT_TYPE_COUNT = 15 };
extern const float_type float_types[FLOAT_TYPE_COUNT];

/* The value of a pattern, NaN and the infinities included. */
double float_value(const float_type *type, uint64_t pattern);

#endif
