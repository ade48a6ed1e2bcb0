/* shape_scaled.h: what `relayout shape` says of a side with scales, or of blocks. Depends on
 * report.h. */
#ifndef TOOLS_SHAPE_SCALED_H
#define TOOLS_SHAPE_SCALED_H

#include <stdbool.h>

#include "report.h"

exit_code shape_scaled(const char *text, bool as_json);

#endif
