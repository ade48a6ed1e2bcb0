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

/* X(type, exponent bits, mantissa bits, bias, specials) for each format of at most 16 bits with a
 * sign. */
#define RLT_SIGNED_FLOATS_TO_16(X)                                                                 \
  X(F4E2M1FN, 2, 1, 1, FINITE)                                                                     \
  X(F6E2M3FN, 2, 3, 1, FINITE)                                                                     \
  X(F6E3M2FN, 3, 2, 3, FINITE)                                                                     \
  X(F8E3M4, 3, 4, 3, IEEE)                                                                         \
  X(F8E4M3, 4, 3, 7, IEEE)                                                                         \
  X(F8E4M3FN, 4, 3, 7, FN)                                                                         \
  X(F8E4M3FNUZ, 4, 3, 8, FNUZ)                                                                     \
  X(F8E4M3B11FNUZ, 4, 3, 11, FNUZ)                                                                 \
  X(F8E5M2, 5, 2, 15, IEEE)                                                                        \
  X(F8E5M2FNUZ, 5, 2, 16, FNUZ)                                                                    \
  X(F16, 5, 10, 15, IEEE)                                                                          \
  X(BF16, 8, 7, 127, IEEE)

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

/* Appends a decimal that rounds to this pattern, the exact one where that is short and else the
 * shortest, or inf or -inf; false when there is none: the pattern is a NaN. */
bool rlt_float_format_text(const rlt_float_format *format, uint64_t pattern, rlt_text *text);

#endif
