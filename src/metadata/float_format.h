/* float_format.h: the bit patterns of the float types, to and from decimal text.
 *
 * Depends on the type table and on decimal.h.
 */
#ifndef RLT_METADATA_FLOAT_FORMAT_H
#define RLT_METADATA_FLOAT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metadata/decimal.h"
#include "relayout/element_type.h"

/* What the patterns beyond the finite numbers mean. */
typedef enum rlt_float_specials {
  RLT_FLOAT_IEEE,    /* the largest exponent holds infinities and NaNs */
  RLT_FLOAT_FN,      /* no infinity; NaN is all ones but the sign */
  RLT_FLOAT_FNUZ,    /* no infinity, no negative zero, whose pattern is NaN */
  RLT_FLOAT_FINITE,  /* neither infinities nor NaN */
  RLT_FLOAT_UNSIGNED /* powers of two alone: no sign, no zero; NaN is all ones */
} rlt_float_specials;

typedef struct rlt_float_format {
  relayout_element_type type;
  int32_t exponent_bits;
  int32_t mantissa_bits;
  int32_t bias;
  rlt_float_specials specials;
} rlt_float_format;

/* The format of a float type, or of a complex type's parts; NULL for other types. */
const rlt_float_format *rlt_float_format_of(relayout_element_type type);

/* The nearest value, ties to the even pattern; false when the type has no zero and the number is
 * 0, no sign and it is negative, or when it rounds to beyond the greatest finite value. */
bool rlt_float_from_decimal(const rlt_float_format *format, bool negative,
                            const rlt_decimal *decimal, uint64_t *pattern);

/* false when the type has none. */
bool rlt_float_infinity(const rlt_float_format *format, bool negative, uint64_t *pattern);
bool rlt_float_nan(const rlt_float_format *format, uint64_t *pattern);

/* Writes a decimal that rounds to this pattern, the exact one where that is short and else the
 * shortest, or inf or -inf; returns its length, or 0 when there is none: the pattern is a NaN. */
size_t rlt_float_format_text(const rlt_float_format *format, uint64_t pattern,
                             char text[RLT_DECIMAL_TEXT_SIZE]);

#endif
