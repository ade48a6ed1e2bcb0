/* Writing failures down. */
#include "conformance/failure.h"

#include <stdarg.h>
#include <stdio.h>

void failure_add(conformance_report *report, const relayout_device *device,
                 const relayout_shape *from, const relayout_shape *to, const char *format, ...) {
  report->failures += 1;
  if (report->failures > 1) {
    return;
  }
  char from_text[RELAYOUT_SHAPE_TEXT_SIZE];
  char to_text[RELAYOUT_SHAPE_TEXT_SIZE];
  char found[512];
  relayout_shape_format(from, from_text, sizeof(from_text));
  relayout_shape_format(to, to_text, sizeof(to_text));
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  relayout_device_get_info(device, &info, NULL);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(found, sizeof(found), format, arguments);
  va_end(arguments);
  snprintf(report->first_failure, sizeof(report->first_failure),
           "relayout convert --device '%s' --from '%s' --to '%s' IN OUT # %s", info.name, from_text,
           to_text, found);
}
