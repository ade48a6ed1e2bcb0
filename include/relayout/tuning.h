/* tuning.h: what a device's schedules go by, found on a machine of its kind: a row.
 *
 * A row is a text of lines. The first four say which device it is of, the next three what kind of
 * machine it was found on, when, and by what; all others are numbers. A row changes how relayouts
 * are done and never what they do.
 *
 * Devices have the row that was kept for them, by relayout_tuning_keep, as `relayout tune` does
 * with the row that it finds by measuring; else the library's own for the kind of machine that is
 * nearest. RELAYOUT_TUNING in the environment names a file with the row of all devices instead, of
 * whatever device it is: one that cannot be read, or is no row, fails to open them with
 * RELAYOUT_INVALID_ARGUMENT.
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

/* Makes this device go by a row, of whatever device it is: plans that are created later do. The
 * device forgets the plans that it remembers; those that somebody holds stay as they are. No other
 * thread may create or explain plans of the device meanwhile. RELAYOUT_INVALID_ARGUMENT for a NULL;
 * RELAYOUT_INVALID_TEXT names the line of a text that is no row, and the device keeps its own;
 * RELAYOUT_OUT_OF_MEMORY. */
RELAYOUT_API relayout_status relayout_device_set_tuning(relayout_device *device, const char *text,
                                                        relayout_error *error);

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

#ifdef __cplusplus
}
#endif

#endif
