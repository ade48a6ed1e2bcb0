/* reference.h: what a conversion means, by search: among all values of the target the nearest one is
 * looked for, in long doubles, which hold the values exactly that tests ask about.
 *
 * Shares no arithmetic and no table with the library.
 */
#ifndef HOST_TESTS_CONVERT_REFERENCE_H
#define HOST_TESTS_CONVERT_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/conversion.h"

/* All types that elements can be converted from and to; ends with RELAYOUT_ELEMENT_TYPE_INVALID. */
extern const relayout_element_type reference_types[];

/* The value of a pattern, NaN and infinities included, whose signs are right. */
long double reference_value(relayout_element_type type, uint64_t pattern);

/* The largest pattern, sign aside, whose value is at most `size`, which is not negative. */
uint64_t reference_pattern_below(relayout_element_type type, long double size);

/* Exact as long as source and scale have 64 significant bits together. */
uint64_t reference_convert(const rlt_conversion *conversion, uint64_t pattern);

/* Elements in whole bytes, in the host's order. */
uint64_t reference_load(relayout_element_type type, const void *element);
void reference_store(relayout_element_type type, uint64_t pattern, void *element);

#endif
