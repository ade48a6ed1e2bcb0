/* tuning_file.h: the row that was kept for a device, in a file of the cache folder: tuning-*.txt,
 * one for each device, driver, instruction set and kind of machine.
 *
 * Depends on backend.h, tuning_text.h, wisdom.h and base/.
 */
#ifndef RLT_SEARCH_TUNING_FILE_H
#define RLT_SEARCH_TUNING_FILE_H

#include "device/target.h"

/* Gives a device that knows its folder its own row, where one was kept; files that cannot be read,
 * or are another's, are passed over. RELAYOUT_INVALID_ARGUMENT where RELAYOUT_TUNING names a file
 * that has no row; RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_tuning_file_load(relayout_device *device, relayout_error *error);

#endif
