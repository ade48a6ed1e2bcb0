/* decimal.h: exact decimal numbers, large enough to round any text to any float type and to write
 * any float as text, whatever the process's locale.
 *
 * Depends on base/.
 */
#ifndef RLT_METADATA_DECIMAL_H
#define RLT_METADATA_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* The number 0.d1d2d3... * 10^point, without leading or trailing zeros; 0 has no digits. A value
 * halfway between two f64 has at most 767 digits, so digits past the 800th matter only by being
 * there: `more` says that some are not zero. */
enum { RLT_DECIMAL_DIGITS = 800 };

typedef struct rlt_decimal {
  uint8_t digits[RLT_DECIMAL_DIGITS];
  int32_t count;
  int32_t point;
  bool more;
} rlt_decimal;

/* Reads `digits [. digits] [(e|E) [+|-] digits]`, at least one digit before the exponent; false
 * when the text is anything else. */
bool rlt_decimal_parse(const char *text, size_t length, rlt_decimal *decimal);

void rlt_decimal_set(rlt_decimal *decimal, uint64_t value);

/* Times 2^power. Exact while the digits suffice. */
void rlt_decimal_scale(rlt_decimal *decimal, int32_t power);

/* The integral part, for decimals below 10^19, and how the fraction compares with one half: -1, 0
 * or 1. */
uint64_t rlt_decimal_floor(const rlt_decimal *decimal, int *fraction_to_half);

/* Cuts to this many digits, downwards or, when `up`, to the next above. */
void rlt_decimal_cut(rlt_decimal *decimal, int32_t digits, bool up);

/* Appends what rlt_decimal_parse reads: plainly where that is short, else with an exponent. */
void rlt_decimal_format(const rlt_decimal *decimal, rlt_text *text);

#endif
