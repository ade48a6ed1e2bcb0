/* differential.h: random relayouts without end, held against the oracle and against each other.
 *
 * Each case follows from one number: shapes, layouts, strides, types, offsets, threads, and what is
 * tried beside the relayout itself. `relayout selftest --forever` runs them. They use the library's
 * public headers alone.
 */
#ifndef DIFFERENTIAL_H
#define DIFFERENTIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/relayout.h"

enum {
  DIFFERENTIAL_MOST_DEVICES = 32,
  DIFFERENTIAL_TEXT_SIZE = 2 * RELAYOUT_SHAPE_TEXT_SIZE + 2048,
  DIFFERENTIAL_COMMAND_SIZE = 1024
};

/* Told of a destination behind a relayout, before it is looked at. */
typedef void (*differential_spoiler)(const relayout_shape *from, const relayout_shape *to,
                                     unsigned char *destination, size_t size);

typedef struct differential_options {
  /* As relayout_device_open takes them, DIFFERENTIAL_MOST_DEVICES at most. Each case is tried on
   * all of them. */
  const char *const *devices;
  size_t device_count;
  uint64_t seed;
  uint64_t most_cases;
  /* Asked before each case, with the number of those before it, whether to go on. NULL: yes. */
  bool (*goes_on)(void *context, uint64_t cases);
  void *context;
  differential_spoiler spoils; /* NULL, but in tests of what is found */
} differential_options;

typedef struct differential_report {
  uint64_t cases;
  uint64_t refused; /* of them, on some device: strides that the library says it has no way for */
  bool has_failed;
  uint64_t failed_case;
  char failure[DIFFERENTIAL_TEXT_SIZE]; /* a relayout to paste into a shell, and what was found */
} differential_report;

/* Runs case after case until one fails, and fills in the report. Memory and faults are as
 * conformance_run has them; RELAYOUT_CACHE=off should be in the environment, so that no case
 * depends on what was kept. RELAYOUT_OK when the cases could run: whether one failed is in the
 * report. What relayout_device_open returns, RELAYOUT_OUT_OF_MEMORY, RELAYOUT_OPENCL_ERROR. */
relayout_status differential_run(const differential_options *options, differential_report *report,
                                 relayout_error *error);

/* Tries the case of this number alone, and makes one that fails smaller for as long as it does:
 * fewer checks, axes, tiles, strides and conversions, smaller extents. The report's failure is the
 * smallest one's. On the CPU each is tried in a child of the process, so that one that crashes, or
 * takes a minute, is as good as one that differs. Otherwise as differential_run. */
relayout_status differential_shrink(const differential_options *options, uint64_t number,
                                    differential_report *report, relayout_error *error);

/* Writes the command that tries the case of this number again, on these devices, to
 * DIFFERENTIAL_COMMAND_SIZE bytes. */
void differential_command(const differential_options *options, uint64_t number, char *text);

#endif
