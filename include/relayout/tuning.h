/* tuning.h: what a device's schedules go by, found on a machine of its kind: a row.
 *
 * A row is a text of lines. The first four say which device it is of, the next three what kind of
 * machine it was found on, when, and by what; all others are numbers. A row changes how relayouts
 * are done and never what they do.
 *
 * Devices have the row that was kept for them, by relayout_tuning_keep or relayout_device_tune;
 * else the library's own for the kind of machine that is nearest. RELAYOUT_TUNING in the
 * environment names a file with the row of all devices instead, of whatever device it is: one that
 * cannot be read, or is no row, fails to open them with RELAYOUT_INVALID_ARGUMENT.
 */
#ifndef RELAYOUT_TUNING_H
#define RELAYOUT_TUNING_H

#include <stddef.h>

#include "relayout/device.h"
#include "relayout/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the device's row, with a NUL, cut to fit; returns its whole length without the NUL, so
 * that a buffer of NULL and a capacity of 0 ask for it. 0 where the device is NULL. */
RELAYOUT_API size_t relayout_device_get_tuning(const relayout_device *device, char *buffer,
                                               size_t capacity);

/* Keeps a row for devices like this one that are opened later, in a file tuning-*.txt where wisdom
 * is kept too. RELAYOUT_INVALID_TEXT names the line of a text that is no row; RELAYOUT_UNSUPPORTED
 * for one of another device, and where no file can be kept: what was kept before stays. */
RELAYOUT_API relayout_status relayout_tuning_keep(relayout_device *device, const char *text,
                                                  relayout_error *error);

/* What was found. Fractions are of a plain copy's speed. */
typedef struct relayout_tuned {
  size_t struct_size;
  const char *what; /* "words of 4 bytes, far tiles"; for the time of the call */
  double before;
  double after;
  double done; /* of all work, from 0 to 1 */
} relayout_tuned;

typedef struct relayout_tune_options {
  size_t struct_size;
  double seconds; /* to take, about; 0: 30 */
  /* Gets each finding, on the calling thread; NULL: nobody does. */
  void (*found)(void *context, const relayout_tuned *what);
  void *context; /* handed to found as it is */
} relayout_tune_options;

#define RELAYOUT_TUNE_OPTIONS_INIT                                                                 \
  { sizeof(relayout_tune_options), 0, NULL, NULL }

/* Finds a row by measuring, and keeps it as relayout_tuning_keep does. NULL options are the
 * defaults. The device itself stays as it is. RELAYOUT_INVALID_ARGUMENT for a bad struct_size, and
 * for seconds that are negative or no number; else as relayout_tuning_keep, and as plans and their
 * runs fail. */
RELAYOUT_API relayout_status relayout_device_tune(relayout_device *device,
                                                  const relayout_tune_options *options,
                                                  relayout_error *error);

#ifdef __cplusplus
}
#endif

#endif
