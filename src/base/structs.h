/* structs.h: structs that begin with their struct_size, from callers with older or newer headers.
 *
 * What both know is the same in both: fields are only ever added behind the last byte, and 0 in
 * them is what older callers get. Depends on the public status alone.
 */
#ifndef RLT_BASE_STRUCTS_H
#define RLT_BASE_STRUCTS_H

#include <stddef.h>

#include "relayout/status.h"

/* Takes over what a caller set, if it gave anything: `known`, of `size` bytes, has the defaults of
 * what callers need not know. `first_size` is the struct's size in the first version. `owner` is
 * what comes before a field in messages: "options->", "infos[1].". RELAYOUT_INVALID_ARGUMENT for a
 * size that it never has; RELAYOUT_UNSUPPORTED for a struct that sets what this version does not
 * know. */
relayout_status rlt_struct_read(const void *given, const char *owner, size_t first_size,
                                void *known, size_t size, relayout_error *error);

/* Tells a caller, whose struct_size stays: what it does not know is left out, and what this version
 * does not know is 0. The given size was checked. */
void rlt_struct_write(const void *known, size_t size, void *given);

/* That a struct to be written is at least as large as in the first version.
 * RELAYOUT_INVALID_ARGUMENT. */
relayout_status rlt_struct_check(const void *given, const char *owner, size_t first_size,
                                 relayout_error *error);

#endif
