/* scaled_text.c: see scaled_text.h. */
#include "scaled_text.h"

#include <string.h>

static bool names_blocks(const char *text) {
  char name[16];
  relayout_block_format format;
  const size_t length = strcspn(text, "[ ");
  if (length >= sizeof name) {
    return false;
  }
  memcpy(name, text, length);
  name[length] = '\0';
  return relayout_block_format_parse(name, &format, NULL) == RELAYOUT_OK;
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
  relayout_block_format format;
  relayout_error error;
  const relayout_shape *const shape = from != NULL ? &from->elements.shape : NULL;
  const bool is_name =
      shape != NULL && relayout_block_format_parse(text, &format, NULL) == RELAYOUT_OK;
  const relayout_status status =
      is_name ? relayout_scaled_view_make_blocks(format, shape->rank, shape->dimensions, NULL, view,
                                                 &error)
              : relayout_scaled_view_parse(text, view, &error);
  if (status == RELAYOUT_OK) {
    return EXIT_CODE_OK;
  }
  /* An argument that is wrong came from the text. */
  return status == RELAYOUT_INVALID_ARGUMENT
             ? report(EXIT_CODE_BAD_INPUT, "%s: %s", about, error.message)
             : report_error(about, &error);
}
