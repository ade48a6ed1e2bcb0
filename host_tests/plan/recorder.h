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
  int programs_timed;
  int scratches_alive;
  size_t scratch_source; /* bytes, of the scratch made last */
  size_t scratch_destination;
  uint64_t memory_bytes; /* what the device says it has; 0 at first: unknown */
  uint64_t allocation_bytes;
  rlt_problem problem; /* of the program made last */
  bool device_alive;
  relayout_status next_program; /* what program_create returns; RELAYOUT_OK at first */
  relayout_status next_scratch; /* likewise */
  /* What a program of this strategy takes the nth time that any is timed; below 0: it fails. NULL
   * at first: always a second. */
  double (*seconds)(const rlt_strategy *strategy, int n);
  /* Whether programs of these strategies are the same when timed; NULL at first: never. */
  bool (*match)(const rlt_strategy *a, const rlt_strategy *b);
} recorder;

/* The device writes into `record`, which outlives it. */
relayout_device *recorder_device(recorder *record);

#endif
