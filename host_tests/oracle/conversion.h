/* conversion.h: what becomes of a number in another type, without any arithmetic that rounds.
 *
 * Depends on the number formats.
 */
#ifndef ORACLE_CONVERSION_H
#define ORACLE_CONVERSION_H

#include <stdbool.h>

#include "relayout/element_type.h"

/* Reads one element in whole bytes, multiplies it by `scale`, and writes the nearest value of the
 * other type; `converted` may be `element`. Neither type is complex. Of types with fewer than 8
 * bits the low ones of the byte count; the others are written as zeros.
 *
 * To a float: the nearest one; of two as near, the one with an even mantissa. Beyond the greatest:
 * infinity where there is one, else NaN, else the greatest. NaN: the quiet one of the same sign
 * bit. Two more rules are those of ml_dtypes. What has no NaN makes minus zero of a NaN without the
 * sign bit and zero of one with it. f8e8m0fnu has no zero and no sign: of zero and of all that is
 * negative it makes NaN; of two numbers as near it takes the greater; and to its least one, 2^-127,
 * it rounds as if that were zero, so that it gets what is less, and what is more goes to the next.
 *
 * To an integer: the number without its fraction, or, with `to_nearest`, the nearest integer, of
 * two as near the even one; 0 for NaN. Of what then lies beyond the type's range, the nearest end,
 * or, with `wraps`, the low bits in two's complement, and 0 for infinities.
 *
 * To pred: whether it is anything but zero, however small. From pred: 1, unless the byte is 0. A
 * factor below zero changes the sign of all but NaN: of zeros too, an integer's, which is that of a
 * float without a sign. */
void oracle_convert(relayout_element_type from, relayout_element_type to, bool wraps,
                    bool to_nearest, double scale, const unsigned char *element,
                    unsigned char *converted);

/* The number that an element stands for, rounded where a double cannot hold it. */
double oracle_value(relayout_element_type type, const unsigned char *element);

#endif
