/* open_target.h: opens the device that a test's command line names as a benchmark does. */
#ifndef HOST_TESTS_TOOLS_OPEN_TARGET_H
#define HOST_TESTS_TOOLS_OPEN_TARGET_H

#include <stdio.h>

#include "bench/target.h"

/* 0, or what the test is to exit with: 77 where there is no such device. */
static inline int open_target(const char *name, bench_target **target) {
  relayout_error error;
  relayout_device *device;
  const relayout_status status = relayout_device_open(name, &device, &error);
  if (status == RELAYOUT_NO_DEVICE) {
    return 77;
  }
  if (status != RELAYOUT_OK || bench_target_open(device, target, &error) != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  printf("%s: %s\n", (*target)->info.name, (*target)->info.description);
  return 0;
}

#endif
