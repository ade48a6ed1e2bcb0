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
#include <stdint.h>

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

/* Writes the path of the file in which a row for devices like this one is kept, whether it is there
 * or not, like relayout_device_get_tuning. 0 where the device is NULL, and where no files are kept.
 */
RELAYOUT_API size_t relayout_device_get_tuning_path(const relayout_device *device, char *buffer,
                                                    size_t capacity);

/* Removes that file, so that devices like this one that are opened later have the library's own row
 * again. `*was_kept`, which may be NULL, becomes 1 where there was one and 0 where there was none.
 * RELAYOUT_INVALID_ARGUMENT for a NULL device; RELAYOUT_UNSUPPORTED where it cannot be removed. */
RELAYOUT_API relayout_status relayout_tuning_reset(relayout_device *device, int32_t *was_kept,
                                                   relayout_error *error);

/* What came of a finding. */
typedef enum relayout_tuned_outcome {
  RELAYOUT_TUNED_SAME = 0,        /* nothing was faster: it stays as it was */
  RELAYOUT_TUNED_FASTER = 1,      /* faster, a second time too: it becomes part of the row */
  RELAYOUT_TUNED_UNCONFIRMED = 2, /* not clearly faster twice: it stays as it was */
  RELAYOUT_TUNED_NOISE = 3        /* faster than a plain copy can be: it stays as it was */
} relayout_tuned_outcome;

/* What was found. Fractions are of a plain copy's speed, and means of all passes; `after` is
 * `before` where it stays as it was. */
typedef struct relayout_tuned {
  size_t struct_size;
  const char *what; /* "words of 4 bytes, far tiles"; for the time of the call */
  double before;
  double after;
  double done;   /* of all work, from 0 to 1 */
  double spread; /* by which part of its speed a pass differed from the slowest one, at most */
  relayout_tuned_outcome outcome;
} relayout_tuned;

typedef struct relayout_tune_options {
  size_t struct_size;
  double seconds; /* to take, about; 0: 30 */
  /* Gets each finding, on the calling thread; NULL: nobody does. */
  void (*found)(void *context, const relayout_tuned *what);
  void *context; /* handed to found as it is */
  /* Becomes 1 where a row was kept, and 0 where nothing was confirmed; NULL: nobody asks. */
  int32_t *was_kept;
} relayout_tune_options;

#define RELAYOUT_TUNE_OPTIONS_INIT                                                                 \
  { sizeof(relayout_tune_options), 0, NULL, NULL, NULL }

/* Finds a row by measuring, and keeps it as relayout_tuning_keep does. Whatever seems to be faster
 * meets what there was again, until two passes in a row say the same: only what both confirm is
 * kept, and what comes out faster than a plain copy is noise. Where nothing is confirmed, what was
 * kept before stays. NULL options are the defaults. The device itself stays as it is.
 * RELAYOUT_INVALID_ARGUMENT for a bad struct_size, and
 * for seconds that are negative or no number; else as relayout_tuning_keep, and as plans and their
 * runs fail. */
RELAYOUT_API relayout_status relayout_device_tune(relayout_device *device,
                                                  const relayout_tune_options *options,
                                                  relayout_error *error);

#ifdef __cplusplus
}
#endif

#endif
