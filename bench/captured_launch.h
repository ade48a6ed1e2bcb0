/* captured_launch.h: one launch of a kernel with all that it takes to run it again, as a folder:
 *
 *   launch.json     the kernel's name, how it is built, its range and its arguments
 *   source.cl       the program's whole source
 *   explained.json  what the library says of the whole plan
 *   arg0.before     the contents of the buffer that is argument 0, as the launch found them,
 *   arg0.after      and as it left them, where it changed any
 *
 * README.md tells of the keys. Functions report what is wrong by themselves. Depends on report.h,
 * bench/suite.h and the public headers. */
#ifndef BENCH_CAPTURED_LAUNCH_H
#define BENCH_CAPTURED_LAUNCH_H

#include <stddef.h>

#include "bench/suite.h"
#include "relayout/shape.h"
#include "report.h"

enum {
  CAPTURED_MOST_ARGUMENTS = 16,
  CAPTURED_MOST_VALUE_BYTES = 128, /* the widest of OpenCL's vectors */
  CAPTURED_KERNEL_SIZE = 64,
  CAPTURED_OPTIONS_SIZE = 2048,
  CAPTURED_SCHEDULE_SIZE = 4096
};

typedef enum captured_kind { CAPTURED_BUFFER, CAPTURED_VALUE, CAPTURED_LOCAL } captured_kind;

typedef struct captured_argument {
  captured_kind kind;
  size_t bytes;
  unsigned char value[CAPTURED_MOST_VALUE_BYTES]; /* of a value, in the order of memory */
  unsigned char *before; /* of a buffer, like `after`; NULL: the launch was not run */
  unsigned char *after;  /* NULL: as before */
} captured_argument;

typedef struct captured_launch {
  char kernel[CAPTURED_KERNEL_SIZE];
  char options[CAPTURED_OPTIONS_SIZE]; /* for building the program */
  size_t global[3];                    /* work-items; dimensions that are not used have 1 */
  size_t local[3];
  char name[BENCH_NAME_SIZE]; /* of the case whose launch it is, */
  char from[RELAYOUT_SHAPE_TEXT_SIZE];
  char to[RELAYOUT_SHAPE_TEXT_SIZE];
  char schedule[CAPTURED_SCHEDULE_SIZE]; /* and which part of its plan */
  char *explained;                       /* as RELAYOUT_EXPLAIN_JSON; NULL: is not known */
  char *source;
  size_t argument_count;
  captured_argument arguments[CAPTURED_MOST_ARGUMENTS];
} captured_launch;

/* Makes the folder, which must not be there yet. */
exit_code captured_launch_write(const captured_launch *launch, const char *folder);

/* EXIT_CODE_BAD_INPUT for what is missing or cannot be right. Whatever it returns, what is there is
 * freed with captured_launch_free. */
exit_code captured_launch_read(const char *folder, captured_launch *launch);

/* Frees what it owns, but not the launch itself; one of zeros owns nothing. */
void captured_launch_free(captured_launch *launch);

#endif
