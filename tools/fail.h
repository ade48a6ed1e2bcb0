/* fail.h: fills in errors in the library's form. Depends on the public status alone. */
#ifndef TOOLS_FAIL_H
#define TOOLS_FAIL_H

#include "relayout/status.h"

/* Returns the status, so that a failing function ends in `return fail_with(...)`. `error` may be
 * NULL. */
relayout_status fail_with(relayout_error *error, relayout_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
