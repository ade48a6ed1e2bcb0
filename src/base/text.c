#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

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
