/* trial.h: one problem run on a CPU device and held against the definition, byte by byte. */
#ifndef HOST_TESTS_CPU_TRIAL_H
#define HOST_TESTS_CPU_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/plan.h"

/* A source of random bytes, what the destination must become, and a destination that starts out
 * poisoned and is guarded on both sides. Each lies `shift` bytes past the start of a line. */
typedef struct trial {
  const rlt_problem *problem;
  unsigned char *source_memory;
  unsigned char *source;
  unsigned char *expected; /* guards included */
  size_t guarded_size;
} trial;

void trial_initialize(trial *t, const rlt_problem *problem, size_t shift);
void trial_deinitialize(trial *t);

/* Executes the plan into a destination of its own. False, with what differs on stderr, when the
 * call fails or any byte, guards included, is not as expected. May be called from many threads. */
bool trial_run(const trial *t, const relayout_plan *plan, size_t shift);

/* All of it for one problem and strategy. A strategy that does not apply counts as passed and
 * leaves *used at AUTO. */
bool trial_passes(relayout_device *device, const rlt_problem *problem, relayout_strategy wanted,
                  size_t shift, relayout_strategy *used);

#endif
