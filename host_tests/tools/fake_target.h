/* fake_target.h: a benchmark's target over a device that moves nothing, whose runs take as long as
 * a test says. Link with plan_recorder and plan_fake_clock. */
#ifndef HOST_TESTS_TOOLS_FAKE_TARGET_H
#define HOST_TESTS_TOOLS_FAKE_TARGET_H

#include "bench/target.h"
#include "plan/devices.h"
#include "plan/recorder.h"

typedef struct fake_target {
  bench_target base; /* first: a target of this kind is one */
  recorder record;   /* of the device's; its `seconds` is what a run takes, and below 0: it fails */
  int moves;         /* runs so far */
  relayout_status next_reserve; /* what reserve returns; RELAYOUT_OK at first */
} fake_target;

/* With the CPU of devices.h, of two threads, and a clock that begins anew. */
void fake_target_create(fake_target *made);
void fake_target_destroy(fake_target *dropped);

/* Whether a run is of the plain copies. */
bool fake_target_is_copy(const recorded_run *run);

#endif
