/* command.c: the command that tries one case again. */
#include <inttypes.h>
#include <stdio.h>

#include "differential/differential.h"

void differential_command(const differential_options *options, uint64_t number, char *text) {
  const size_t size = DIFFERENTIAL_COMMAND_SIZE;
  size_t length = (size_t)snprintf(text, size, "relayout selftest --case 0x%016" PRIx64, number);
  for (size_t i = 0; i < options->device_count && length < size; ++i) {
    length += (size_t)snprintf(text + length, size - length, " --device %s", options->devices[i]);
  }
}
