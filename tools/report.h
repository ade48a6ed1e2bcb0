/* report.h: messages on stderr, and the exit codes that go with them. Depends on fail.h. */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include "relayout/status.h"

typedef enum exit_code {
  EXIT_CODE_OK = 0,
  EXIT_CODE_FAILURE = 1,   /* the machine: memory, files, drivers */
  EXIT_CODE_USAGE = 2,     /* the command line cannot be understood */
  EXIT_CODE_DIFFERENT = 3, /* a verification found a difference */
  EXIT_CODE_BAD_INPUT = 4, /* shapes, indices or files that cannot be right */
  EXIT_CODE_NO_DEVICE = 5  /* nothing answers to the device's name */
} exit_code;

/* The command that messages come from, once it is known: `relayout: convert: message`. */
void report_set_command(const char *name);

/* The tensor that messages are about, from now on: `relayout: convert: tensor 'w': message`; NULL
 * for none. The name must stay. */
void report_set_tensor(const char *name);

/* Prints one line on stderr, behind the command's name. */
void report_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints one line and returns `code`, so that a failing function ends in `return report(...)`. */
exit_code report(exit_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the library's message, behind the words it is about (`about` may be NULL), and returns the
 * exit code of its status. */
exit_code report_error(const char *about, const relayout_error *error);

#endif
