/* scaled_text.h: texts of sides with scales, or of blocks. Depends on report.h and on
 * relayout/scaled.h. */
#ifndef TOOLS_SCALED_TEXT_H
#define TOOLS_SCALED_TEXT_H

#include <stdbool.h>

#include "relayout/scaled.h"
#include "report.h"

/* Whether a text may be such a one, and not that of a shape alone. */
bool scaled_text_is(const char *text);

/* Reads a side with scales or without; messages are about `about`. With `from` a text may be the
 * name of a block format alone: then the dimensions are that side's, in the default order. */
exit_code scaled_text_read(const char *about, const char *text, const relayout_scaled_view *from,
                           relayout_scaled_view *view);

#endif
