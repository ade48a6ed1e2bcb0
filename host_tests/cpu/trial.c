#include "cpu/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem/definition.h"

enum { GUARD_BYTES = 64, LINE_BYTES = 64, POISON = 0xa5 };

/* At the start of a line. */
static unsigned char *allocate(size_t size) {
  void *made = NULL;
  return posix_memalign(&made, LINE_BYTES, size) == 0 ? made : NULL;
}

void trial_initialize(trial *t, const rlt_problem *problem, size_t shift) {
  const size_t source_size = rlt_problem_source_size(problem);
  t->problem = problem;
  /* Nothing behind the source, so that an address sanitizer sees a read past its end. */
  t->source_memory = allocate(shift + source_size);
  t->source = t->source_memory + shift;
  uint64_t seed = source_size;
  for (size_t i = 0; i < source_size; ++i) {
    t->source[i] = (unsigned char)definition_random(&seed, 256);
  }
  t->guarded_size = rlt_problem_destination_size(problem) + 2 * GUARD_BYTES;
  t->expected = malloc(t->guarded_size);
  memset(t->expected, POISON, t->guarded_size);
  definition_relayout(problem, t->source, t->expected + GUARD_BYTES);
}

void trial_deinitialize(trial *t) {
  free(t->source_memory);
  free(t->expected);
}

static bool same_bytes(const trial *t, const unsigned char *found) {
  if (memcmp(found, t->expected, t->guarded_size) == 0) {
    return true;
  }
  size_t i = 0;
  while (found[i] == t->expected[i]) {
    ++i;
  }
  fprintf(stderr, "destination byte %td is 0x%02x, not 0x%02x\n", (ptrdiff_t)i - GUARD_BYTES,
          found[i], t->expected[i]);
  return false;
}

bool trial_run(const trial *t, const relayout_plan *plan, size_t shift) {
  unsigned char *memory = allocate(shift + t->guarded_size);
  unsigned char *guarded = memory + shift;
  memset(guarded, POISON, t->guarded_size);
  relayout_error error = {0};
  bool passed =
      relayout_plan_execute(plan, t->source, guarded + GUARD_BYTES, &error) == RELAYOUT_OK;
  if (!passed) {
    fprintf(stderr, "relayout_plan_execute: %s\n", error.message);
  }
  passed = passed && same_bytes(t, guarded);
  free(memory);
  return passed;
}

bool trial_passes(relayout_device *device, const rlt_problem *problem, relayout_strategy wanted,
                  size_t shift, relayout_strategy *used) {
  relayout_plan *plan = NULL;
  relayout_error error = {0};
  *used = RELAYOUT_STRATEGY_AUTO;
  const relayout_status status =
      rlt_plan_create_for_problem(device, problem, wanted, &plan, &error);
  if (status == RELAYOUT_UNSUPPORTED && wanted != RELAYOUT_STRATEGY_AUTO) {
    return true;
  }
  bool passed = status == RELAYOUT_OK;
  if (!passed) {
    fprintf(stderr, "rlt_plan_create_for_problem: %s\n", error.message);
  } else {
    *used = relayout_plan_get_strategy(plan);
    trial t;
    trial_initialize(&t, problem, shift);
    passed = trial_run(&t, plan, shift);
    trial_deinitialize(&t);
    relayout_plan_destroy(plan);
  }
  if (!passed) {
    fprintf(stderr, "strategy %s wanted, %s used, pointers shifted by %zu\n",
            relayout_strategy_name(wanted), relayout_strategy_name(*used), shift);
    definition_print(problem);
  }
  return passed;
}
