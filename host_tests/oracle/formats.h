/* formats.h: the facts of the number formats, which the oracle keeps for itself.
 *
 * Depends on the public element types alone.
 */
#ifndef ORACLE_FORMATS_H
#define ORACLE_FORMATS_H

#include <stddef.h>
#include <stdint.h>

#include "relayout/element_type.h"

typedef enum format_kind {
  BOOLEAN,
  TWOS_COMPLEMENT,
  NATURAL,
  FLOATING, /* one number */
  COMPLEX   /* two numbers of this format, the real one first */
} format_kind;

/* What a floating format has beside its numbers, and at which patterns. */
typedef enum format_top {
  TOP_INFINITY,    /* the largest exponent is infinity and NaN, as in IEEE 754 */
  TOP_NAN,         /* the largest pattern alone is NaN: ...fn of 8 bits */
  NAN_FOR_MINUS_0, /* minus zero is NaN: ...fnuz */
  ALL_NUMBERS      /* ...fn of fewer bits */
} format_top;

typedef struct number_format {
  format_kind kind;
  unsigned bits; /* of the number, or of each of the two */
  unsigned exponent_bits;
  unsigned mantissa_bits;
  unsigned bias;
  format_top top;
} number_format;

number_format format_of(relayout_element_type type);

/* The patterns of a number, from the lowest bit on, as the host stores them in whole bytes. */
size_t format_size(const number_format *format);
uint64_t format_load(const number_format *format, const unsigned char *bytes);
void format_store(const number_format *format, uint64_t pattern, unsigned char *bytes);

/* A pattern of so many ones, 64 at the most. */
uint64_t format_ones(unsigned bits);

/* Of a floating format: the bit that negates, 0 where there is none, and the pattern of
 * the greatest finite number. */
uint64_t format_sign(const number_format *format);
uint64_t format_greatest(const number_format *format);

#endif
