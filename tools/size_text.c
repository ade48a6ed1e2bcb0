/* size_text.c: prints a byte count in the largest unit that it reaches, from bytes to EiB. */
#include "size_text.h"

#include <stdio.h>

void size_text(uint64_t bytes, char text[SIZE_TEXT_CAPACITY]) {
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) {
    snprintf(text, SIZE_TEXT_CAPACITY, "%d bytes", (int)bytes);
    return;
  }
  double value = (double)bytes / 1024;
  int unit = 0;
  while (value >= 1024) {
    value /= 1024;
    unit += 1;
  }
  snprintf(text, SIZE_TEXT_CAPACITY, "%.1f %s", value, units[unit]);
}
