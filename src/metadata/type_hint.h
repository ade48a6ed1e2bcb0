/* type_hint.h: which element type somebody means who names it as other libraries do.
 *
 * Depends on the table of types and on quote.h.
 */
#ifndef RLT_METADATA_TYPE_HINT_H
#define RLT_METADATA_TYPE_HINT_H

#include <stddef.h>

/* The type that NumPy, PyTorch, C or .safetensors files call so: "f32" for "float32", "s8" for
 * "I8", "pred" for "bool"; NULL where that is not known. The name need not end in a NUL. */
const char *rlt_type_hint(const char *name, size_t length);

/* "'float32' is not an element type; did you mean 'f32'?" */
typedef struct rlt_unknown_type {
  char text[128];
} rlt_unknown_type;

rlt_unknown_type rlt_unknown_type_of(const char *name, size_t length);

#endif
