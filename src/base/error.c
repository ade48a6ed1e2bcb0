/* error.c: formats messages into errors, and names the statuses. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/one_line.h"

/* Whatever a caller, the environment or a driver has put into it, a message is one line; `kept` are
 * control characters that may stand in it all the same. */
static void fill(relayout_error *error, relayout_status status, int32_t cl_status, const char *kept,
                 const char *format, va_list arguments) {
  if (error == NULL) {
    return;
  }
  error->status = status;
  error->cl_status = cl_status;
  vsnprintf(error->message, sizeof error->message, format, arguments);
  rlt_clean_text(error->message, kept);
}

relayout_status rlt_fail(relayout_error *error, relayout_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fill(error, status, 0, "", format, arguments);
  va_end(arguments);
  return status;
}

/* OpenCL's CL_MEM_OBJECT_ALLOCATION_FAILURE and CL_INVALID_BUFFER_SIZE, whose header a build
 * without it has not. */
enum { ALLOCATION_FAILURE = -4, INVALID_BUFFER_SIZE = -61 };

static relayout_status status_of(int32_t cl_status) {
  return cl_status == ALLOCATION_FAILURE || cl_status == INVALID_BUFFER_SIZE
             ? RELAYOUT_OUT_OF_DEVICE_MEMORY
             : RELAYOUT_OPENCL_ERROR;
}

relayout_status rlt_fail_cl(relayout_error *error, int32_t cl_status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fill(error, status_of(cl_status), cl_status, "", format, arguments);
  va_end(arguments);
  return status_of(cl_status);
}

relayout_status rlt_fail_cl_with_log(relayout_error *error, int32_t cl_status, const char *format,
                                     ...) {
  va_list arguments;
  va_start(arguments, format);
  fill(error, status_of(cl_status), cl_status, RLT_LOG_CONTROLS, format, arguments);
  va_end(arguments);
  return status_of(cl_status);
}

relayout_status rlt_fail_at(relayout_error *error, const relayout_error *cause, const char *format,
                            ...) {
  char place[64];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(place, sizeof place, format, arguments);
  va_end(arguments);
  if (error != NULL) {
    error->status = cause->status;
    error->cl_status = cause->cl_status;
    snprintf(error->message, sizeof error->message, "%s: %.*s", place,
             (int)(sizeof error->message - sizeof place - 2), cause->message);
  }
  return cause->status;
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
