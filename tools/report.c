/* report.c: prints messages on stderr, and maps statuses to exit codes. */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>

#include "fail.h"

static const char *command_name;
static const char *tensor_name;

void report_set_command(const char *name) {
  command_name = name;
}

void report_set_tensor(const char *name) {
  tensor_name = name;
}

enum { MOST_TEXT = 8192, MOST_NAME = 1024 };

static void print_line(const char *format, va_list arguments) {
  char text[MOST_TEXT];
  char tensor[MOST_NAME] = "";
  vsnprintf(text, sizeof text, format, arguments);
  hide_controls(text);
  if (tensor_name != NULL) {
    snprintf(tensor, sizeof tensor, "tensor '%s': ", tensor_name);
    hide_controls(tensor);
  }
  fputs("relayout: ", stderr);
  if (command_name != NULL) {
    fprintf(stderr, "%s: ", command_name);
  }
  fputs(tensor, stderr);
  fputs(text, stderr);
  fputc('\n', stderr);
}

void report_line(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_line(format, arguments);
  va_end(arguments);
}

exit_code report(exit_code code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_line(format, arguments);
  va_end(arguments);
  return code;
}

static exit_code code_of_status(relayout_status status) {
  switch (status) {
  case RELAYOUT_OK:
    return EXIT_CODE_OK;
  case RELAYOUT_INVALID_TEXT:
  case RELAYOUT_INVALID_SHAPE:
  case RELAYOUT_SHAPE_MISMATCH:
  case RELAYOUT_OUT_OF_RANGE:
  case RELAYOUT_SIZE_OVERFLOW:
  case RELAYOUT_UNSUPPORTED:
    return EXIT_CODE_BAD_INPUT;
  case RELAYOUT_NO_DEVICE:
    return EXIT_CODE_NO_DEVICE;
  default:
    return EXIT_CODE_FAILURE;
  }
}

exit_code report_error(const char *about, const relayout_error *error) {
  const exit_code code = code_of_status(error->status);
  if (about != NULL) {
    return report(code, "%s: %s", about, error->message);
  }
  return report(code, "%s", error->message);
}
