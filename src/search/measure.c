/* measure.c: a few schedules take turns, so that whatever else the machine does meets them alike.
 *
 * They run on the problem itself, or where that is too large on a part of it: both sides' strides,
 * and all that a tile of any of them takes, are those of the whole.
 */
#include "search/measure.h"

#include "base/checked.h"
#include "base/memory.h"
#include "problem/crop.h"
#include "search/target.h"
#include "search/turns.h"

enum {
  REPETITIONS = 5, /* after one that warms up */
  MOST_SCRATCH_BYTES = 1 << 30,
  MEMORY_SHARES = 4
};

/* A trial that took this long in all has no further turn. */
static const double most_seconds_each = 0.25;

/* A run that is predicted to take as long as copying so much is not begun. */
static const double most_copied_bytes = 8.0 * (1 << 30);

/* A candidate that is predicted to take this many times as long as the best does not take part. */
static const double hopeless = 4;

typedef struct trial {
  int32_t candidate;
  rlt_schedule schedule; /* of the form that is run */
  void *executable;
} trial;

typedef struct comparison {
  relayout_device *device;
  rlt_candidates *candidates;
  bool at_any_offset;
  int32_t most;      /* candidates */
  int32_t first;     /* offers that take part: this one, */
  int32_t first_new; /* and those from here on */
  int32_t form_count;
  rlt_problem forms[RLT_MOST_FORMS]; /* that are run: the problem's, or parts of these */
  void *scratch;
  rlt_offsets offsets;
  double *seconds_left; /* to the plan */
  int32_t count;
  rlt_timed *times; /* of each trial */
  trial of[];
} comparison;

/* ---- What is run ---- */

int64_t rlt_scratch_room(const relayout_device_info *info, int64_t *largest) {
  const int64_t share = (int64_t)(info->memory_bytes / MEMORY_SHARES);
  const int64_t room = share > 0 ? rlt_min(share, MOST_SCRATCH_BYTES) : MOST_SCRATCH_BYTES;
  *largest = info->allocation_bytes > 0 && info->allocation_bytes < (uint64_t)room
                 ? (int64_t)info->allocation_bytes
                 : room;
  return room;
}

/* The room that is left after the bytes before both sides' first elements. */
static int64_t room_of(const comparison *held, int64_t *largest) {
  const int64_t source_before = (int64_t)held->offsets.source;
  const int64_t destination_before = (int64_t)held->offsets.destination;
  const int64_t room = rlt_scratch_room(&held->device->info, largest);
  *largest -= rlt_max(source_before, destination_before);
  return room - source_before - destination_before;
}

/* A tile of any schedule of this form takes at least these steps of each axis. Those that look each
 * element up take shorter tiles where they must. */
static void find_least(const rlt_problem *form, const rlt_candidates *candidates, int64_t *least) {
  const bool is_packed = form->source_packed > 0 || form->destination_packed > 0;
  for (int32_t a = 0; a < form->axis_count; ++a) {
    least[a] = 1;
  }
  for (int32_t i = 0; i < candidates->count; ++i) {
    const rlt_schedule *const schedule = &candidates->of[i].schedule;
    if (schedule->problem == form && !rlt_schedule_goes_by_index(schedule)) {
      rlt_tile_axis axes[RLT_MAX_TILE_AXES];
      const int32_t count = rlt_tile_axes(form, &schedule->columns, &schedule->rows, axes);
      for (int32_t n = 0; n < count; ++n) {
        least[axes[n].axis] = rlt_max(least[axes[n].axis], axes[n].steps);
      }
    }
  }
  for (int32_t a = 0; a < form->axis_count && is_packed; ++a) {
    least[a] = rlt_divide_up(least[a], 8) * 8;
  }
}

/* A form, or a part of it that there is room for. False where there is room for none. What one side
 * does not need of its half is the other's. */
static bool crop_form(const comparison *held, const rlt_problem *form, rlt_problem *run) {
  int64_t largest;
  const int64_t room = room_of(held, &largest);
  const int64_t source = (int64_t)rlt_problem_source_size(form);
  const int64_t destination = (int64_t)rlt_problem_destination_size(form);
  rlt_problem_copy(form, run);
  if (source <= largest && destination <= largest && source + destination <= room) {
    return true;
  }
  int64_t least[RLT_MAX_AXES];
  find_least(form, held->candidates, least);
  return rlt_problem_crop(run, least, rlt_min(rlt_max(room / 2, room - destination), largest),
                          rlt_min(rlt_max(room / 2, room - source), largest));
}

/* All forms that offers are made of; false where one is too large. */
static bool crop_forms(comparison *held) {
  const rlt_problem *last = NULL;
  held->form_count = 0;
  for (int32_t i = 0; i < held->candidates->count; ++i) {
    const rlt_problem *const form = held->candidates->of[i].schedule.problem;
    if (form != last && held->form_count < RLT_MOST_FORMS &&
        !crop_form(held, form, &held->forms[held->form_count++])) {
      return false;
    }
    last = form;
  }
  return true;
}

/* ---- Taking part ---- */

static double copied_bytes(const rlt_problem *problem) {
  const int64_t bits =
      rlt_max(rlt_problem_source_bits(problem), rlt_problem_destination_bits(problem));
  return (double)rlt_problem_digit_lists(problem) * (double)bits / 8;
}

/* Takes part unless it is hopeless. */
static bool is_known(const comparison *held, int32_t number) {
  const rlt_candidate *const of = &held->candidates->of[number];
  const double first = held->candidates->of[held->first].cost.fraction;
  return of->is_known && number != held->first && of->cost.fraction >= first / hopeless &&
         rlt_candidate_is_allowed(of, held->at_any_offset);
}

/* The trial of the highest predicted fraction behind `last`, the first of equals; of all,
 * where that is -1. -1 behind the last. */
static int32_t next_promising(const comparison *held, int32_t last) {
  const rlt_candidate *const of = held->candidates->of;
  int32_t best = -1;
  for (int32_t i = 0; i < held->candidates->count; ++i) {
    const double fraction = of[i].cost.fraction;
    const bool is_behind = last < 0 || fraction < of[last].cost.fraction ||
                           (i > last && fraction == of[last].cost.fraction);
    const bool may_enter = i >= held->first_new && i != held->first && !is_known(held, i) &&
                           rlt_candidate_is_allowed(&of[i], held->at_any_offset);
    if (is_behind && may_enter && (best < 0 || fraction > of[best].cost.fraction)) {
      best = i;
    }
  }
  return best;
}

/* The schedule, of the form that is run. */
static rlt_schedule schedule_of(const comparison *held, int32_t number) {
  rlt_schedule made = held->candidates->of[number].schedule;
  const rlt_problem *form = held->candidates->of[0].schedule.problem;
  made.problem = &held->forms[made.problem == form ? 0 : 1];
  made.columns.steps = rlt_min(made.columns.steps, rlt_group_extent(made.problem, &made.columns));
  rlt_schedule_finish(held->candidates->facts, held->candidates->tuning, made.combined, &made);
  return made;
}

/* False where it would take too long to run, also for all that are slower. One that the device
 * cannot make an executable of does not take part. */
static bool add(comparison *held, int32_t number) {
  trial *const added = &held->of[held->count];
  *added = (trial){.candidate = number, .schedule = schedule_of(held, number)};
  if (copied_bytes(added->schedule.problem) >
      most_copied_bytes * held->candidates->of[number].cost.fraction) {
    return false;
  }
  held->count += rlt_executable_create(held->device, &added->schedule, &added->executable, NULL) ==
                 RELAYOUT_OK;
  return true;
}

/* The first, those that are known, and those that are predicted to be the best. */
static void add_all(comparison *held) {
  const rlt_candidate *const of = held->candidates->of;
  if (!add(held, held->first)) {
    return;
  }
  for (int32_t i = held->first_new; i < held->candidates->count && held->count < held->most; ++i) {
    if (is_known(held, i)) {
      add(held, i);
    }
  }
  int32_t next = next_promising(held, -1);
  double best = of[held->first].cost.fraction;
  if (next >= 0 && of[next].cost.fraction > best) {
    best = of[next].cost.fraction;
  }
  while (next >= 0 && held->count < held->most && of[next].cost.fraction >= best / hopeless &&
         add(held, next)) {
    next = next_promising(held, next);
  }
}

static void drop(comparison *held, int32_t number) {
  held->device->backend->executable_destroy(held->device, held->of[number].executable);
  for (--held->count; number < held->count; ++number) {
    held->of[number] = held->of[number + 1];
  }
}

static bool run_candidate(void *context, int32_t number, int32_t round, rlt_run_time *time) {
  (void)round;
  const comparison *const held = context;
  double seconds = 0;
  const bool ran = held->device->backend->executable_time(held->device, held->of[number].executable,
                                                          held->scratch, held->offsets, &seconds,
                                                          NULL) == RELAYOUT_OK;
  *time = (rlt_run_time){.counted = seconds, .taken = seconds};
  return ran;
}

/* Parts of different forms may be of different sizes. */
static double seconds_a_byte(const comparison *held, int32_t number) {
  return held->times[number].least / copied_bytes(held->of[number].schedule.problem);
}

static int32_t fastest_of(const comparison *held) {
  int32_t best = -1;
  for (int32_t i = 0; i < held->count; ++i) {
    if (!held->times[i].is_out &&
        (best < 0 || seconds_a_byte(held, i) < seconds_a_byte(held, best))) {
      best = i;
    }
  }
  return best < 0 ? -1 : held->of[best].candidate;
}

/* All candidates' turns, in scratch memory for the largest form. */
static int32_t time_all(comparison *held) {
  const rlt_backend *const backend = held->device->backend;
  int64_t source = 0;
  int64_t destination = 0;
  for (int32_t f = 0; f < held->form_count; ++f) {
    const rlt_problem *const form = &held->forms[f];
    source = rlt_max(source, (int64_t)rlt_problem_source_size(form));
    destination = rlt_max(destination, (int64_t)rlt_problem_destination_size(form));
  }
  if (backend->scratch_create(held->device, (size_t)source + held->offsets.source,
                              (size_t)destination + held->offsets.destination, &held->scratch,
                              NULL) != RELAYOUT_OK) {
    return -1;
  }
  const rlt_turns turns = {.count = held->count,
                           .least_rounds = 1,
                           .most_rounds = 1 + REPETITIONS,
                           .warms_up = true,
                           .seconds = *held->seconds_left,
                           .seconds_each = most_seconds_each,
                           .run = run_candidate,
                           .context = held};
  *held->seconds_left -= rlt_take_turns(&turns, held->times);
  backend->scratch_destroy(held->device, held->scratch);
  return fastest_of(held);
}

/* Offsets that are aligned to single elements alone. */
static rlt_offsets odd_offsets(const rlt_candidates *candidates) {
  const rlt_problem *const elements = candidates->of[candidates->count - 1].schedule.problem;
  return (rlt_offsets){.source = (size_t)elements->element_bytes,
                       .destination = (size_t)rlt_problem_destination_bytes(elements)};
}

/* The fastest; -1 if fewer than two candidates could run. */
static int32_t compare(comparison *held) {
  held->count = 0;
  if (crop_forms(held)) {
    add_all(held);
  }
  const int32_t fastest = held->count > 1 ? time_all(held) : -1;
  while (held->count > 0) {
    drop(held, held->count - 1);
  }
  return fastest;
}

/* First tiles of all sizes, in half of the time; then, with those of the fastest, all orders,
 * prefetches and stores. */
int32_t rlt_measure(relayout_device *device, rlt_candidates *candidates, int32_t estimated,
                    bool at_any_offset, int32_t most, double *seconds_left) {
  if (*seconds_left <= 0 || device->backend->executable_time == NULL || most < 2 || estimated < 0) {
    return -1;
  }
  comparison *const held = rlt_calloc(1, sizeof *held + (size_t)most * sizeof held->of[0]);
  rlt_timed *const times = rlt_calloc((size_t)most, sizeof *times);
  if (held == NULL || times == NULL) {
    rlt_free(held);
    rlt_free(times);
    return -1;
  }
  *held = (comparison){.device = device,
                       .candidates = candidates,
                       .at_any_offset = at_any_offset,
                       .most = most,
                       .first = estimated,
                       .offsets = at_any_offset ? odd_offsets(candidates) : (rlt_offsets){0, 0},
                       .seconds_left = seconds_left,
                       .times = times};
  const bool varies = rlt_candidates_are_varied(&device->facts);
  const double later = varies ? *seconds_left / 2 : 0;
  *seconds_left -= later;
  rlt_candidates_add_known(candidates);
  rlt_candidates_add_all(candidates);
  int32_t fastest = compare(held);
  *seconds_left += later;
  held->first = fastest < 0 ? estimated : fastest;
  held->first_new = candidates->count;
  rlt_candidates_vary(candidates, held->first);
  if (*seconds_left > 0 && candidates->count > held->first_new) {
    const int32_t again = compare(held);
    fastest = again < 0 ? fastest : again;
  }
  rlt_free(times);
  rlt_free(held);
  return fastest;
}
