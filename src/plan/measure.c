/* measure.c: a few candidates take turns, so that whatever else the machine does meets them alike. */
#include "plan/measure.h"

#include "base/checked.h"

enum {
  MOST_CONTENDERS = 4,
  REPETITIONS = 5 /* after one that warms up */
};

typedef struct contender {
  int32_t candidate;
  void *program;
  double seconds; /* its fastest run: what else goes on only ever slows it down */
} contender;

typedef struct contest {
  relayout_device *device;
  void *scratch;
  int32_t count;
  contender of[MOST_CONTENDERS];
} contest;

/* The candidate of the highest predicted fraction among those not taken yet; -1 after the last. */
static int32_t most_promising(const rlt_candidates *candidates, const bool *taken) {
  int32_t best = -1;
  for (int32_t i = 0; i < candidates->count; ++i) {
    if (!taken[i] &&
        (best < 0 || candidates->of[i].cost.fraction > candidates->of[best].cost.fraction)) {
      best = i;
    }
  }
  return best;
}

/* Whether one that is there already would run the same. */
static bool is_entered(const contest *held, const void *program) {
  const rlt_backend *const backend = held->device->backend;
  bool is_same = false;
  for (int32_t i = 0; i < held->count && backend->programs_match != NULL; ++i) {
    is_same = is_same || backend->programs_match(held->device, held->of[i].program, program);
  }
  return is_same;
}

/* One that the device cannot make a program of does not take part. */
static void enter(const rlt_problem *problem, const rlt_candidates *candidates, contest *held) {
  bool taken[RLT_MOST_CANDIDATES] = {false};
  const rlt_backend *const backend = held->device->backend;
  for (int32_t next = most_promising(candidates, taken); next >= 0 && held->count < MOST_CONTENDERS;
       next = most_promising(candidates, taken)) {
    taken[next] = true;
    contender *const entered = &held->of[held->count];
    *entered = (contender){.candidate = next};
    if (backend->program_create(held->device, problem, &candidates->of[next].strategy,
                                &entered->program, NULL) != RELAYOUT_OK) {
      continue;
    }
    if (is_entered(held, entered->program)) {
      backend->program_destroy(held->device, entered->program);
    } else {
      ++held->count;
    }
  }
}

static void leave(contest *held, int32_t number) {
  held->device->backend->program_destroy(held->device, held->of[number].program);
  held->of[number] = held->of[--held->count];
}

static void take_turns(contest *held, int32_t repetition) {
  for (int32_t i = held->count - 1; i >= 0; --i) {
    contender *const next = &held->of[i];
    double seconds = 0;
    if (held->device->backend->program_time(held->device, next->program, held->scratch, &seconds,
                                            NULL) != RELAYOUT_OK) {
      leave(held, i);
    } else if (repetition <= 1 || seconds < next->seconds) {
      next->seconds = seconds;
    }
  }
}

static int32_t winner_of(const contest *held) {
  int32_t best = 0;
  for (int32_t i = 1; i < held->count; ++i) {
    if (held->of[i].seconds < held->of[best].seconds) {
      best = i;
    }
  }
  return best;
}

bool rlt_measure(relayout_device *device, const rlt_problem *problem,
                 const rlt_candidates *candidates, int32_t *chosen, void **program) {
  const rlt_backend *const backend = device->backend;
  contest held = {.device = device};
  if (backend->program_time == NULL ||
      backend->scratch_create(device, rlt_problem_source_size(problem),
                              rlt_problem_destination_size(problem), &held.scratch,
                              NULL) != RELAYOUT_OK) {
    return false;
  }
  enter(problem, candidates, &held);
  for (int32_t repetition = 0; repetition <= REPETITIONS; ++repetition) {
    take_turns(&held, repetition);
  }
  backend->scratch_destroy(device, held.scratch);
  const bool measured = held.count > 0;
  if (measured) {
    const int32_t winner = winner_of(&held);
    *chosen = held.of[winner].candidate;
    *program = held.of[winner].program;
    held.of[winner] = held.of[--held.count];
  }
  while (held.count > 0) {
    leave(&held, held.count - 1);
  }
  return measured;
}
