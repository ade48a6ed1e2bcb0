/* measure.c: a few candidates take turns, so that whatever else the machine does meets them alike.
 *
 * They run on the problem itself, or where that is too large on a part of it: both sides' strides,
 * and all that a tile of any of them takes, are those of the whole.
 */
#include "plan/measure.h"

#include "base/checked.h"
#include "problem/crop.h"

enum {
  MOST_CONTENDERS = 4,
  REPETITIONS = 5, /* after one that warms up */
  MOST_SCRATCH_BYTES = 1 << 30,
  MEMORY_SHARES = 4
};

/* After that a contender has no further turn. */
static const double most_seconds_each = 0.25;

/* A run that is predicted to take as long as copying so much is not begun. */
static const double most_copied_bytes = 8.0 * (1 << 30);

typedef struct contender {
  int32_t candidate;
  void *program;
  int32_t runs;
  double spent;   /* seconds, of all runs */
  double seconds; /* its fastest run: what else goes on only ever slows it down */
} contender;

typedef struct contest {
  relayout_device *device;
  const rlt_problem *problem; /* that is run */
  rlt_problem part;           /* or the one made for that */
  void *scratch;
  double *seconds_left; /* to the plan */
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

/* ---- What is run ---- */

/* What both sides may take together. */
static int64_t room_of(const relayout_device *device, int64_t *largest) {
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  device->backend->get_info(device, &info);
  const uint64_t share = info.memory_bytes / MEMORY_SHARES;
  const int64_t room =
      share > 0 && share < MOST_SCRATCH_BYTES ? (int64_t)share : MOST_SCRATCH_BYTES;
  *largest = info.allocation_bytes > 0 && info.allocation_bytes < (uint64_t)room
                 ? (int64_t)info.allocation_bytes
                 : room;
  return room;
}

/* A tile of any candidate takes at least these steps of each axis. */
static void find_least(const rlt_problem *problem, const rlt_candidates *candidates,
                       int64_t *least) {
  const bool is_packed = problem->source_packed > 0 || problem->destination_packed > 0;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    least[a] = 1;
  }
  for (int32_t i = 0; i < candidates->count; ++i) {
    const rlt_group *const groups[] = {&candidates->of[i].strategy.columns,
                                       &candidates->of[i].strategy.rows};
    for (int32_t g = 0; g < 2; ++g) {
      for (int32_t n = 0; n < groups[g]->axis_count; ++n) {
        int64_t *const of_axis = &least[groups[g]->axes[n]];
        *of_axis = rlt_max(*of_axis, rlt_group_steps(problem, groups[g], n));
      }
    }
  }
  for (int32_t a = 0; a < problem->axis_count && is_packed; ++a) {
    least[a] = rlt_divide_up(least[a], 8) * 8;
  }
}

/* The problem, or a part of it that there is room for. False where there is room for none. What one
 * side does not need of its half is the other's. */
static bool choose_problem(const rlt_problem *whole, const rlt_candidates *candidates,
                           contest *held) {
  int64_t largest;
  const int64_t room = room_of(held->device, &largest);
  const int64_t source = (int64_t)rlt_problem_source_size(whole);
  const int64_t destination = (int64_t)rlt_problem_destination_size(whole);
  held->problem = whole;
  if (source <= largest && destination <= largest && source + destination <= room) {
    return true;
  }
  int64_t least[RLT_MAX_AXES];
  find_least(whole, candidates, least);
  held->part = *whole;
  held->problem = &held->part;
  return rlt_problem_crop(&held->part, least,
                          rlt_min(rlt_max(room / 2, room - destination), largest),
                          rlt_min(rlt_max(room / 2, room - source), largest));
}

/* ---- Taking part ---- */

static double copied_bytes(const rlt_problem *problem) {
  double elements = 1;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    elements *= (double)problem->axes[a].extent;
  }
  const int64_t bits =
      rlt_max(rlt_problem_source_bits(problem), rlt_problem_destination_bits(problem));
  return elements * (double)bits / 8;
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
static void enter(const rlt_candidates *candidates, contest *held) {
  const double bytes = copied_bytes(held->problem);
  bool taken[RLT_MOST_CANDIDATES] = {false};
  const rlt_backend *const backend = held->device->backend;
  for (int32_t next = most_promising(candidates, taken); next >= 0 && held->count < MOST_CONTENDERS;
       next = most_promising(candidates, taken)) {
    taken[next] = true;
    if (bytes > most_copied_bytes * candidates->of[next].cost.fraction) {
      return; /* nor do those that are slower */
    }
    contender *const entered = &held->of[held->count];
    *entered = (contender){.candidate = next};
    if (backend->program_create(held->device, held->problem, &candidates->of[next].strategy,
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

/* The first run warms up, and counts where it is the only one. */
static void take_turns(contest *held) {
  for (int32_t i = held->count - 1; i >= 0; --i) {
    contender *const next = &held->of[i];
    double seconds = 0;
    if (next->spent >= most_seconds_each || (next->runs > 0 && *held->seconds_left <= 0)) {
      continue;
    }
    if (held->device->backend->program_time(held->device, next->program, held->scratch, &seconds,
                                            NULL) != RELAYOUT_OK) {
      leave(held, i);
      continue;
    }
    if (next->runs <= 1 || seconds < next->seconds) {
      next->seconds = seconds;
    }
    next->spent += seconds;
    *held->seconds_left -= seconds;
    ++next->runs;
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

/* All contenders' turns. */
static void hold(contest *held) {
  const rlt_backend *const backend = held->device->backend;
  for (int32_t repetition = 0; repetition <= REPETITIONS; ++repetition) {
    take_turns(held);
  }
  backend->scratch_destroy(held->device, held->scratch);
}

static bool make_scratch(contest *held) {
  return held->device->backend->scratch_create(held->device, rlt_problem_source_size(held->problem),
                                               rlt_problem_destination_size(held->problem),
                                               &held->scratch, NULL) == RELAYOUT_OK;
}

bool rlt_measure(relayout_device *device, const rlt_problem *problem,
                 const rlt_candidates *candidates, double *seconds_left, int32_t *chosen,
                 void **program) {
  contest held = {.device = device, .seconds_left = seconds_left};
  if (*seconds_left <= 0 || device->backend->program_time == NULL ||
      !choose_problem(problem, candidates, &held)) {
    return false;
  }
  enter(candidates, &held);
  const bool is_held = held.count > 0 && make_scratch(&held);
  if (is_held) {
    hold(&held);
  }
  const bool measured = is_held && held.count > 0;
  if (measured) {
    const int32_t winner = winner_of(&held);
    *chosen = held.of[winner].candidate;
    if (held.problem == problem) {
      *program = held.of[winner].program;
      held.of[winner] = held.of[--held.count];
    }
  }
  while (held.count > 0) {
    leave(&held, held.count - 1);
  }
  return measured;
}
