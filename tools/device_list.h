/* device_list.h: all devices that can be opened, in one array. Depends on the public headers and
 * report.h. */
#ifndef TOOLS_DEVICE_LIST_H
#define TOOLS_DEVICE_LIST_H

#include <stddef.h>

#include "relayout/device.h"
#include "report.h"

/* `*infos` is the caller's to free. Reports what goes wrong. */
exit_code device_list_read(relayout_device_info **infos, size_t *count);

#endif
