/* real_types.h: the element types whose elements are one number, each of which
 * can become any other. */
#ifndef HOST_TESTS_REAL_TYPES_H
#define HOST_TESTS_REAL_TYPES_H

#include "relayout/element_type.h"

static const relayout_element_type real_types[] = {
#define REAL_PRED(type)     type,
#define REAL_SIGNED(type)   type,
#define REAL_UNSIGNED(type) type,
#define REAL_FLOAT(type)    type,
#define REAL_COMPLEX(type)
#define REAL(name, value, text, bits, kind, ...) REAL_##kind(RELAYOUT_##name)
    RELAYOUT_ELEMENT_TYPE_TABLE(REAL)
#undef REAL_PRED
#undef REAL_SIGNED
#undef REAL_UNSIGNED
#undef REAL_FLOAT
#undef REAL_COMPLEX
#undef REAL
};
enum { REAL_TYPES = sizeof(real_types) / sizeof(real_types[0]) };

#endif
