/* on_cpu.h: the CPU device of a test, and sides from their texts. For cmocka's programs, each of
 * which is one file. */
#ifndef MANY_ON_CPU_H
#define MANY_ON_CPU_H

#include "cmocka_all.h"
#include "relayout/scaled.h"

static relayout_device *device;

static int open_device(void **state) {
  (void)state;
  return relayout_device_open("cpu", &device, NULL) == RELAYOUT_OK ? 0 : -1;
}

static int close_device(void **state) {
  (void)state;
  relayout_device_destroy(device);
  return 0;
}

static relayout_scaled_view scaled_of(const char *text) {
  relayout_scaled_view view;
  relayout_error error = {.message = ""};
  if (relayout_scaled_view_parse(text, &view, &error) != RELAYOUT_OK) {
    fail_msg("%s: %s", text, error.message);
  }
  return view;
}

#endif
