/* convert.h: an element's value as an element of another type.
 *
 * The exact value times the exact scale is rounded once:
 *
 *     to a float    to the nearest, ties to even, subnormals kept. Beyond the greatest finite
 *                   number lies the type's infinity, else its NaN, else that number itself. A NaN
 *                   becomes the type's quiet NaN of the same sign: in IEEE's formats the top bit
 *                   of the mantissa alone. A zero has the sign of the product, where the type
 *                   knows one.
 *     to an integer towards zero, or to the nearest, ties to even; beyond its range the nearest
 *                   end of it, or the low bits of the integer if the conversion wraps. NaN is 0,
 *                   and so are infinities if it wraps.
 *     to pred       1 unless the value is 0; NaN is 1. Of a pred, every byte but 0 is 1.
 *
 * Where types lack what that asks for, ml_dtypes is followed: of f4e2m1fn, f6e2m3fn and
 * f6e3m2fn, NaN is the zero of the other sign; of f8e8m0fnu, zeros, negative numbers and
 * infinities are NaN, numbers too small for it are its least, and it rounds as if that were 0
 * and the next one its least, ties upwards.
 *
 * Elements lie in whole bytes, in the host's order; rlt_turn_bytes brings them there from the other
 * one, and back. Of types of fewer than 8 bits only those count
 * when read; the others are written as 0.
 *
 * Depends on metadata/ and base/.
 */
#ifndef RLT_CONVERT_CONVERT_H
#define RLT_CONVERT_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "relayout/element_type.h"
#include "relayout/status.h"

/* All zeros: elements keep their bits. */
typedef struct rlt_conversion {
  relayout_element_type from; /* RELAYOUT_ELEMENT_TYPE_INVALID: elements keep their bits */
  relayout_element_type to;
  bool wraps;   /* integers beyond the target's range: its low bits, instead of the nearest end */
  double scale; /* finite; values are multiplied by it, exactly, before they are rounded once */
  bool rounds_to_nearest; /* what becomes an integer, ties to even; instead of towards zero */
} rlt_conversion;

/* Whether elements take another value or type. */
static inline bool rlt_converts(const rlt_conversion *conversion) {
  return conversion->from != RELAYOUT_ELEMENT_TYPE_INVALID;
}

/* RELAYOUT_INVALID_ARGUMENT for a type outside the table, and a scale that is not finite or 0;
 * RELAYOUT_UNSUPPORTED for complex types. */
relayout_status rlt_conversion_check(const rlt_conversion *conversion, relayout_error *error);

/* `count` elements side by side. The conversion has been checked. */
void rlt_convert_elements(const rlt_conversion *conversion, const void *from, void *to,
                          int64_t count);

/* `count` elements of so many bytes side by side, the last byte of each first. */
void rlt_turn_bytes(void *elements, int64_t bytes, int64_t count);

/* An element that becomes this one: what becomes of it the other way round, or else the first of
 * all there are of few. False where that finds none. */
bool rlt_convert_back(const rlt_conversion *conversion, const void *to, void *from);

/* The compiler options that cl/convert.cl needs, each preceded by a blank: -DFROM_KIND=4 and so on.
 * They say whether there is a scale, not which. */
void rlt_conversion_add_options(const rlt_conversion *conversion, rlt_text *options);

/* The scale as cl/convert.cl reads it: digits / 2^63 * 2^exponent, the highest digit being set. */
typedef struct rlt_scale_factor {
  uint64_t digits;
  int32_t exponent;
  int32_t negative;
} rlt_scale_factor;

rlt_scale_factor rlt_conversion_scale_factor(const rlt_conversion *conversion);

#endif
