/* exact.h: numbers without any rounding, and what patterns of each number format stand for.
 *
 * A number is a whole number times a power of two, over a whole number of 32 bits. Depends on the
 * facts of the number formats that the conformance suite's oracle keeps.
 */
#ifndef MANY_EXACT_H
#define MANY_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "relayout/element_type.h"

/* An element of f32 less a zero point takes 277 bits, and its scale 24 more. */
enum { EXACT_LIMBS = 16 };

typedef enum exact_kind { EXACT_FINITE, EXACT_INFINITE, EXACT_NAN } exact_kind;

typedef struct exact {
  exact_kind kind;
  bool is_negative; /* also of zeros and NaNs */
  uint32_t whole[EXACT_LIMBS];
  int64_t exponent;
  uint32_t divisor;
} exact;

typedef enum exact_rounding { EXACT_TO_ZERO, EXACT_TO_NEAREST, EXACT_UP } exact_rounding;

/* What an element's pattern stands for. No complex types. */
exact exact_of(relayout_element_type type, uint64_t pattern);
exact exact_of_integer(int64_t integer);

bool exact_is_zero(const exact *number);

/* Both are of patterns or of differences. A NaN keeps its sign, that of `number` before that of
 * `other`; a NaN that is made has none. A zero less the integer 0 keeps its sign. */
exact exact_minus(const exact *number, int64_t integer);
/* Of patterns, of which no two are infinities of both signs. */
exact exact_plus(const exact *number, const exact *other);
exact exact_times(const exact *number, const exact *other);
/* The divisor is not 0. */
exact exact_over(const exact *number, const exact *other);

/* The greatest power of two that is not more than the magnitude, which is finite and not 0. */
int64_t exact_log2(const exact *number);
exact exact_power_of_two(int64_t exponent);

/* The greatest finite number of a type. */
exact exact_most(relayout_element_type type);

/* The pattern of a number in a type of floats: to the nearest, or up (EXACT_UP). */
uint64_t exact_to_float(const exact *number, relayout_element_type type, exact_rounding rounding);

/* To the nearest, but what lies beyond the greatest or the least finite number is that number, also
 * an infinity. */
uint64_t exact_to_bounded_float(const exact *number, relayout_element_type type);

/* The same of integers: to the nearest or to zero; `zero_point` is added then. `wraps`: the low
 * bits instead of the nearest number of the type. */
uint64_t exact_to_integer(const exact *number, relayout_element_type type, exact_rounding rounding,
                          int64_t zero_point, bool wraps);

/* One of both, or pred. */
uint64_t exact_to_pattern(const exact *number, relayout_element_type type, exact_rounding rounding,
                          bool wraps);

#endif
