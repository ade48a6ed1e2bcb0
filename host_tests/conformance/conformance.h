/* conformance.h: the proof that a device moves every tensor to the bit.
 *
 * One suite for every device, used by ctest and by `relayout selftest`. It uses the library's
 * public headers alone and holds what the device did against the oracle.
 */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <stddef.h>
#include <stdint.h>

#include "relayout/relayout.h"

typedef enum conformance_level {
  CONFORMANCE_TINY, /* for interpreters of kernels: a sample of small shapes */
  CONFORMANCE_QUICK,
  CONFORMANCE_FULL
} conformance_level;

/* What the first failure reads like: a `relayout convert` to paste, and what was found. */
enum { CONFORMANCE_FAILURE_SIZE = 2 * RELAYOUT_SHAPE_TEXT_SIZE + 1024 };

typedef struct conformance_report {
  size_t cases; /* relayouts carried out and checked */
  size_t failures;
  uint64_t seed; /* what makes the run again */
  char first_failure[CONFORMANCE_FAILURE_SIZE];
} conformance_report;

/* Called now and then. `done` of `total` requests have been tried; each makes several cases. */
typedef void (*conformance_progress)(void *context, size_t done, size_t total);

/* Runs all cases of the level. Each asks for a relayout of one shape into another, with options. It
 * is carried out by the schedules that the library chooses and, in most cases, by each one that is
 * offered, between host pointers and, on an OpenCL device, between buffers. `progress` may be NULL.
 * Host memory lies between pages that are not there: a fault meanwhile, of any thread, ends the
 * process with EXIT_FAILURE and a line on stderr that names the case. One thread may call this at a
 * time. RELAYOUT_OK when the suite could run: whether the device conforms is in the report.
 * RELAYOUT_OUT_OF_MEMORY, RELAYOUT_OPENCL_ERROR. */
relayout_status conformance_run(relayout_device *device, conformance_level level, uint64_t seed,
                                conformance_progress progress, void *context,
                                conformance_report *report, relayout_error *error);

/* Properties of random pairs of shapes: there and back is the identity; the way through any third
 * layout ends where the straight one does, and so does the one-shot call; `device` and `reference`
 * agree in every byte. Otherwise as conformance_run. */
relayout_status conformance_run_properties(relayout_device *device, relayout_device *reference,
                                           conformance_level level, uint64_t seed,
                                           conformance_progress progress, void *context,
                                           conformance_report *report, relayout_error *error);

#endif
