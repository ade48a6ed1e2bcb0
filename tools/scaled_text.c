/* scaled_text.c: see scaled_text.h. */
#include "scaled_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "record_form.h"

/* "q8_0", or "q8_0_4_8[64,64]". */
static bool names_blocks(const char *text) {
  record_form form;
  return record_form_parse(text, strcspn(text, "[ "), &form);
}

/* The name with the dimensions of a shape behind it. */
static void add_dimensions(const char *name, const relayout_shape *shape, size_t size, char *text) {
  int length = snprintf(text, size, "%s[", name);
  for (int32_t d = 0; d < shape->rank; ++d) {
    length += snprintf(text + length, size - (size_t)length, "%s%" PRId64, d > 0 ? "," : "",
                       shape->dimensions[d]);
  }
  snprintf(text + length, size - (size_t)length, "]");
}

/* A product stands outside of the layout's braces, where tiles have a '*' of their own. */
bool scaled_text_is(const char *text) {
  int depth = 0;
  for (const char *at = text; *at != '\0'; at++) {
    depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
    if (*at == '*' && depth == 0) {
      return true;
    }
  }
  return names_blocks(text);
}

exit_code scaled_text_read(const char *about, const char *text, const relayout_scaled_view *from,
                           relayout_scaled_view *view) {
  char whole[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_error error;
  const bool is_name = from != NULL && strchr(text, '[') == NULL && names_blocks(text);
  if (is_name) {
    add_dimensions(text, &from->elements.shape, sizeof whole, whole);
  }
  const relayout_status status = relayout_scaled_view_parse(is_name ? whole : text, view, &error);
  if (status == RELAYOUT_OK) {
    return EXIT_CODE_OK;
  }
  /* An argument that is wrong came from the text. */
  return status == RELAYOUT_INVALID_ARGUMENT
             ? report(EXIT_CODE_BAD_INPUT, "%s: %s", about, error.message)
             : report_error(about, &error);
}
