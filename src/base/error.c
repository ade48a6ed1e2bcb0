/* error.c: formats messages into errors, and names the statuses. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static void fill(relayout_error *error, relayout_status status, int32_t cl_status,
                 const char *format, va_list arguments) {
  if (error == NULL) {
    return;
  }
  error->status = status;
  error->cl_status = cl_status;
  vsnprintf(error->message, sizeof error->message, format, arguments);
}

relayout_status rlt_fail(relayout_error *error, relayout_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fill(error, status, 0, format, arguments);
  va_end(arguments);
  return status;
}

relayout_status rlt_fail_cl(relayout_error *error, int32_t cl_status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fill(error, RELAYOUT_OPENCL_ERROR, cl_status, format, arguments);
  va_end(arguments);
  return RELAYOUT_OPENCL_ERROR;
}

const char *relayout_status_text(relayout_status status) {
  switch (status) {
#define STATUS_TEXT(name, value, text)                                                             \
  case name:                                                                                       \
    return text;
    RELAYOUT_STATUS_TABLE(STATUS_TEXT)
#undef STATUS_TEXT
  }
  return "unknown status";
}
