/* recorder.h: a device that moves nothing and records what plans ask of it, so that plans can be
 * tested without any backend. Its programs are copies of their schedules, and it is like the
 * buffered device of devices.h. */
#ifndef HOST_TESTS_PLAN_RECORDER_H
#define HOST_TESTS_PLAN_RECORDER_H

#include <stdbool.h>

#include "device/target.h"

/* A program that is timed: the nth that is, of all. */
typedef struct recorded_run {
  const rlt_schedule *schedule;
  rlt_offsets offsets;
  int number;
} recorded_run;

typedef struct recorder {
  int programs_made;
  int programs_alive;
  int executions;
  int trims;
  int programs_timed;
  int scratches_alive;
  size_t scratch_source; /* bytes, of the scratch made last */
  size_t scratch_destination;
  rlt_problem problem;     /* of the program made last */
  int64_t most_group_size; /* that a program can have; 0 at first: any */
  bool device_alive;
  relayout_status next_program; /* what program_create returns; RELAYOUT_OK at first */
  relayout_status next_scratch; /* likewise */
  /* How long a run takes; below 0: it fails. NULL at first: always a second. */
  double (*seconds)(const recorded_run *run);
} recorder;

/* The device writes into `record`, which outlives it. A test may change the device's facts, and
 * what its tuning points to, before it makes a plan. */
relayout_device *recorder_device(recorder *record);

/* The same, but like the CPU of devices.h. */
relayout_device *recorder_cpu_device(recorder *record);

#endif
