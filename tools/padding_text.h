/* padding_text.h: a layout's padding value as its text form writes it. Depends on the public
 * headers. */
#ifndef TOOLS_PADDING_TEXT_H
#define TOOLS_PADDING_TEXT_H

#include "relayout/layout.h"

enum { PADDING_TEXT_CAPACITY = 128 };

/* "zero", "lowest", "-1.5": what stands, or is left out, between the brackets of PV(). */
void padding_text(const relayout_layout *layout, relayout_element_type type,
                  char text[PADDING_TEXT_CAPACITY]);

#endif
