/* tuning.h: a device's row of tuning: the numbers by which its schedules are chosen, as measured on
 * a machine of its kind.
 *
 * A row is a text of lines. The first four name the device, the next three the kind of machine it
 * was found on, the date, and the tool; all others are numbers. A row changes how fast relayouts
 * are and never what they write.
 *
 * A device uses the row that relayout_tuning_keep or relayout_device_tune kept for it; otherwise
 * the library's own row for the most similar kind of machine. RELAYOUT_TUNING in the environment
 * names a file with a row for all devices instead, whichever device the row names. If the file
 * cannot be read or is not a row, opening a device fails with RELAYOUT_INVALID_ARGUMENT.
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

/* Writes the device's row. Like snprintf: writes at most `capacity` bytes with the NUL (buffer may
 * be NULL when capacity is 0) and returns the length of the whole text without it; 0 when device is
 * NULL. */
RELAYOUT_API size_t relayout_device_get_tuning(const relayout_device *device, char *buffer,
                                               size_t capacity);

/* Keeps a row for devices like this one that are opened later, in a file tuning-*.txt in the folder
 * of wisdom. RELAYOUT_INVALID_TEXT for a text that is not a row; the message names the line.
 * RELAYOUT_UNSUPPORTED for a row of another device, and where no file can be written; the former
 * file stays. */
RELAYOUT_API relayout_status relayout_tuning_keep(relayout_device *device, const char *text,
                                                  relayout_error *error);

/* Writes the path of the file for the row of devices like this one, whether the file exists or not.
 * Like relayout_device_get_tuning; 0 also where no files are kept.
 */
RELAYOUT_API size_t relayout_device_get_tuning_path(const relayout_device *device, char *buffer,
                                                    size_t capacity);

/* Removes that file, so that devices like this one that are opened later have the library's own row
 * again. `was_kept` may be NULL; `*was_kept` becomes 1 if there was a file, 0 if not.
 * RELAYOUT_INVALID_ARGUMENT for a NULL device; RELAYOUT_UNSUPPORTED if the file cannot be removed.
 */
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
