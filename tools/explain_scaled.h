/* explain_scaled.h: what a plan between sides with scales, or of blocks, does. Depends on
 * command.h, scaled_text.h and relayout/scaled.h. */
#ifndef TOOLS_EXPLAIN_SCALED_H
#define TOOLS_EXPLAIN_SCALED_H

#include <stdbool.h>

#include "command.h"
#include "relayout/relayout.h"

/* One of both texts is such a one; TO may be the name of a block format alone. */
exit_code explain_scaled(const char *from, const char *to, const char *device, bool as_json,
                         const relayout_plan_options *options);

#endif
