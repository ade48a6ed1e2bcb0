/* padding_names.h: the names of padding values in the text form.
 *
 * Depends on the public layouts alone.
 */
#ifndef RLT_METADATA_PADDING_NAMES_H
#define RLT_METADATA_PADDING_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "relayout/layout.h"

/* `zero` to `unknown`; NULL for literals. */
const char *rlt_padding_value_name(relayout_padding_value value);

/* The value of exactly this name, which need not end in a NUL; false when there is none. */
bool rlt_padding_value_find(const char *name, size_t length, relayout_padding_value *value);

#endif
