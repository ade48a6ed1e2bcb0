/* shape_text.h: texts of shapes and of sides with scales, added to a text.
 *
 * Depends on base/text.h and on the public headers of both. */
#ifndef RLT_METADATA_SHAPE_TEXT_H
#define RLT_METADATA_SHAPE_TEXT_H

#include "base/text.h"
#include "relayout/scaled.h"

/* What relayout_shape_format and relayout_scaled_view_format print; nothing for what is invalid. */
void rlt_shape_add_text(const relayout_shape *shape, rlt_text *text);
void rlt_scaled_view_add_text(const relayout_scaled_view *view, rlt_text *text);

#endif
