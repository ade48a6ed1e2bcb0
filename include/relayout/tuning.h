/* tuning.h: a device's row of tuning: the numbers by which its schedules are chosen, as measured on
 * a machine of its kind.
 *
 * A row is a text of lines. The first four name the device, the next three the kind of machine it
 * was found on, the date, and the tool; all others are numbers. A row changes how fast relayouts
 * are and never what they write.
 *
 * A device uses the row that relayout_tuning_keep kept for it, as `relayout tune` does with the row
 * that it finds by measuring; otherwise the library's own row for the most similar kind of machine:
 * where that has other caches or vectors, `, the most similar machine` stands behind its kind.
 * RELAYOUT_TUNING in the environment names a file with a row for all devices instead, whichever
 * device the row names. If the file cannot be read or is not a row, opening a device fails with
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

/* Writes the device's row. Like snprintf: writes at most `capacity` bytes with the NUL (buffer may
 * be NULL when capacity is 0) and returns the length of the whole text without it; 0 when device is
 * NULL. */
RELAYOUT_API size_t relayout_device_get_tuning(const relayout_device *device, char *buffer,
                                               size_t capacity);

/* Makes this device use a row, of whatever device the row is. Plans that are created later use it;
 * existing plans keep their schedules, and the device forgets the plans that it remembers. No other
 * thread may create or explain plans of the device at the same time. RELAYOUT_INVALID_ARGUMENT for
 * a NULL. RELAYOUT_INVALID_TEXT for a text that is not a row, and RELAYOUT_OUT_OF_MEMORY: the
 * device keeps the row that it has. */
RELAYOUT_API relayout_status relayout_device_set_tuning(relayout_device *device, const char *text,
                                                        relayout_error *error);

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

#ifdef __cplusplus
}
#endif

#endif
