/* fail.h: fills in errors in the library's form. Depends on the public status alone. */
#ifndef TOOLS_FAIL_H
#define TOOLS_FAIL_H

#include "relayout/status.h"

/* Returns the status, so that a failing function ends in `return fail_with(...)`. `error` may be
 * NULL. The message is one line, whatever it quotes. */
relayout_status fail_with(relayout_error *error, relayout_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts a question mark in the place of whatever a terminal may obey, new lines too: texts that come
 * from files must not reach it as commands, nor look like lines of their own. */
void hide_controls(char *text);

#endif
