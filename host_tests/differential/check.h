/* check.h: trying a case on devices.
 *
 * Depends on drawn_case.h and the suite's movers and buffers.
 */
#ifndef DIFFERENTIAL_CHECK_H
#define DIFFERENTIAL_CHECK_H

#include "conformance/fenced_pages.h"
#include "conformance/mover.h"
#include "differential/differential.h"
#include "differential/drawn_case.h"

typedef struct checked_device {
  const char *name;
  relayout_backend backend;
  relayout_device *of[DRAWN_THREADS]; /* the same one, but on the CPU */
  opencl_mover *opencl;               /* NULL on the CPU */
} checked_device;

/* Zeroed, it has nothing yet. */
typedef struct checker {
  size_t device_count;
  checked_device devices[DIFFERENTIAL_MOST_DEVICES];
  fenced_pages source_pages;
  fenced_pages destination_pages;
  differential_spoiler spoils;
} checker;

/* What checker_close takes back in any case. */
relayout_status checker_open(const differential_options *options, checker *made,
                             relayout_error *error);
void checker_close(checker *used);

/* Whether all devices have the backend of the CPU. */
bool checker_is_of_cpu(const checker *of);

typedef enum check_outcome {
  CHECK_PASSED,
  CHECK_REFUSED, /* strides that a device has no way for */
  CHECK_FAILED,
  CHECK_NO_MEMORY
} check_outcome;

/* Writes a case as a command, how it is tried there, and what is wrong with it; `found` has
 * DIFFERENTIAL_TEXT_SIZE bytes. */
void checker_describe(const relayout_device *device, const drawn_case *what, const char *wrong,
                      char *found);

/* Tries the case on every device. `found`, of DIFFERENTIAL_TEXT_SIZE bytes, gets the relayout as a
 * command and what is wrong with it. */
check_outcome checker_try(checker *by, const drawn_case *what, char *found);

#endif
