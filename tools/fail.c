/* fail.c: errors in the library's form. */
#include "fail.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

relayout_status fail_with(relayout_error *error, relayout_status status, const char *format, ...) {
  if (error != NULL) {
    *error = (relayout_error){.status = status};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    hide_controls(error->message);
  }
  return status;
}

/* The control characters of ASCII, and UTF-8's others, which are 0xc2 and 0x80 to 0x9f. */
static bool is_control(const char *text) {
  const unsigned char byte = (unsigned char)text[0];
  const unsigned char next = byte == 0xc2 ? (unsigned char)text[1] : 0;
  return byte < 0x20 || byte == 0x7f || (next >= 0x80 && next < 0xa0);
}

void hide_controls(char *text) {
  for (char *c = text; *c != '\0'; c++) {
    *c = is_control(c) ? '?' : *c;
  }
}
