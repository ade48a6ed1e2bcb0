/* padding_text.c: prints a layout and cuts its padding value out of the text. */
#include "padding_text.h"

#include <stdio.h>
#include <string.h>

#include "relayout/shape.h"

void padding_text(const relayout_layout *layout, relayout_element_type type,
                  char text[PADDING_TEXT_CAPACITY]) {
  char whole[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_layout_format(layout, type, whole, sizeof whole);
  const char *value = strstr(whole, "PV(");
  if (value == NULL) {
    snprintf(text, PADDING_TEXT_CAPACITY, "zero");
    return;
  }
  value += strlen("PV(");
  snprintf(text, PADDING_TEXT_CAPACITY, "%.*s", (int)strcspn(value, ")"), value);
}
