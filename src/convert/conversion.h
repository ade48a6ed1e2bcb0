/* conversion.h: how a relayout changes the values of elements: from which type to which, and how.
 *
 * Depends on the public element types.
 */
#ifndef RLT_CONVERT_CONVERSION_H
#define RLT_CONVERT_CONVERSION_H

#include <stdbool.h>

#include "relayout/element_type.h"

/* All zeros: elements keep their bits. */
typedef struct rlt_conversion {
  relayout_element_type from; /* RELAYOUT_ELEMENT_TYPE_INVALID: elements keep their bits */
  relayout_element_type to;
  bool wraps;   /* integers beyond the target's range: its low bits, instead of the nearest end */
  double scale; /* finite; values are multiplied by it, exactly, before they are rounded once */
} rlt_conversion;

/* Whether elements take another value or type. */
static inline bool rlt_converts(const rlt_conversion *conversion) {
  return conversion->from != RELAYOUT_ELEMENT_TYPE_INVALID;
}

#endif
