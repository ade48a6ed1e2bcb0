/* text.c: appends to a text and counts what did not fit. */
#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

rlt_text rlt_text_in(char *buffer, size_t capacity) {
  if (capacity > 0) {
    buffer[0] = '\0';
  }
  return (rlt_text){.buffer = buffer, .capacity = capacity, .length = 0};
}

void rlt_text_add(rlt_text *text, const char *format, ...) {
  const size_t used = text->length < text->capacity ? text->length : text->capacity;
  va_list arguments;
  va_start(arguments, format);
  const int added = vsnprintf(used < text->capacity ? text->buffer + used : NULL,
                              text->capacity - used, format, arguments);
  va_end(arguments);
  if (added > 0) {
    text->length += (size_t)added;
  }
}

/* What is no part of a number is the locale's decimal point, of one byte or several; a dot takes
 * its place. There are no separators between groups of digits. */
void rlt_text_add_double(rlt_text *text, const char *format, double number) {
  char printed[64];
  snprintf(printed, sizeof printed, format, number);
  bool is_in_point = false;
  for (const char *c = printed; *c != '\0'; ++c) {
    const bool is_known = strchr("0123456789+-einfa", *c) != NULL;
    if (is_known || !is_in_point) {
      rlt_text_add(text, "%c", is_known ? *c : '.');
    }
    is_in_point = !is_known;
  }
}

void rlt_text_add_json_string(rlt_text *text, const char *string) {
  rlt_text_add(text, "\"");
  for (const char *c = string; *c != '\0'; ++c) {
    if (*c == '"' || *c == '\\') {
      rlt_text_add(text, "\\%c", *c);
    } else if ((unsigned char)*c < 0x20) {
      rlt_text_add(text, "\\u%04x", (unsigned char)*c);
    } else {
      rlt_text_add(text, "%c", *c);
    }
  }
  rlt_text_add(text, "\"");
}
