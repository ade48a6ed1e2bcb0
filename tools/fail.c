/* fail.c: errors in the library's form. */
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>

relayout_status fail_with(relayout_error *error, relayout_status status, const char *format, ...) {
  if (error != NULL) {
    *error = (relayout_error){.status = status};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
  }
  return status;
}
