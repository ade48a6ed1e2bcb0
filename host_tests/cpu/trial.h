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

/* The plan that the library makes; the test fails without one. */
relayout_plan *trial_plan(relayout_device *device, const rlt_problem *problem);

/* Executes the plan into a destination of its own. False, with what differs on stderr, when the
 * call fails or any byte, guards included, is not as expected. May be called from many threads. */
bool trial_run(const trial *t, const relayout_plan *plan, size_t shift);

enum { TRIAL_METHODS = 8 };

/* How problems were moved. */
typedef struct trial_record {
  const char *chosen;           /* the method of the library's own choice, last */
  int schedules[TRIAL_METHODS]; /* that ran, of each method, in the order of rlt_methods */
  int rare;                     /* that ran and are offered only when they are asked for */
  int drawn;                    /* schedules drawn at random, */
  int refused;                  /* and those of them that the library refused */
} trial_record;

/* How many schedules of the method of this name ran. */
int trial_count(const trial_record *of, const char *method);

/* All of it for one problem: as the library chooses, by every schedule that is likely to be the
 * best, and by a few of the others. Those
 * that need more aligned places get them instead of `shift`. Adds to the record. */
bool trial_passes(relayout_device *device, const rlt_problem *problem, size_t shift,
                  trial_record *record);

/* As the library chooses alone; the method, or NULL where it does not pass. */
const char *trial_passes_as_chosen(relayout_device *device, const rlt_problem *problem,
                                   size_t shift);

#endif
