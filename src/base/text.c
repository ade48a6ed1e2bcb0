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
