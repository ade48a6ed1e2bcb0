/* recorder.h: a device that moves nothing and records what plans ask of it, so that plans can be
 * tested without any backend. */
#ifndef HOST_TESTS_PLAN_RECORDER_H
#define HOST_TESTS_PLAN_RECORDER_H

#include <stdbool.h>

#include "plan/backend.h"

typedef struct recorder {
  int programs_made;
  int programs_alive;
  int executions;
  bool device_alive;
  relayout_status next_program; /* what program_create returns; RELAYOUT_OK at first */
} recorder;

/* The device writes into `record`, which outlives it. */
relayout_device *recorder_device(recorder *record);

#endif
