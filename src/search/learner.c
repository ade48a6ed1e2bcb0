/* learner.c: trials, and what follows from them, without locks. */
#include "search/learner.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "base/float_control.h"
#include "base/memory.h"
#include "search/wisdom.h"

/* A relayout of fewer bytes takes microseconds, in which compiling others would be felt. */
enum { LEAST_BYTES = 1 << 20 };

/* A schedule takes part if it is predicted to take at most `most_predicted` times as long as the
 * plan's own, or `most_known` times if other machines like it best. It has no second turn if its
 * first call took more than `most_after_first` times as long as the fastest. It replaces the plan's
 * own if that is slower by more than calls differ by chance. */
static const double most_predicted = 1.5;
static const double most_known = 4;
static const double most_after_first = 1.25;
static const double clearly_faster = 1.02;

typedef enum stage {
  FIRST_CALL,
  BEFORE_TRIALS,
  MAKING, /* one thread finds the schedules that take part */
  TRIALS,
  OVER
} stage;

typedef enum heat { TILES_HEAT, ORDERS_HEAT, LAST_HEAT } heat;

/* The schedules that take part: tiles, of which the variant's own is the first; once the last of
 * their trials is over, orders; and after those the last heat, of the variant's own and the
 * fastest, since of many one is fast by chance. Only then is the next heat written, and are its
 * trials opened. */
typedef struct contest {
  heat heat;
  int32_t tiles;
  int32_t orders;
  int32_t last_count;
  int32_t last[RLT_LEARNER_LAST];
  rlt_candidate of[RLT_LEARNER_SCHEDULES];
  _Atomic int64_t least[RLT_LEARNER_SCHEDULES]; /* nanoseconds; INT64_MAX: none ended yet */
} contest;

/* The contest goes with the last call that is in it once trials are over: whoever enters counts
 * itself first and looks at the stage then, and whoever leaves as the last takes it. */
struct rlt_learner {
  rlt_candidates_request asked;
  bool is_free; /* any method may be the fastest: it is worth remembering */
  atomic_int stage;
  atomic_int inside; /* calls that may look at the contest */
  atomic_int open;   /* trials that may begin, from the first on */
  atomic_int begun;
  atomic_int ended;
  _Atomic(contest *) contest;
  _Atomic(rlt_variant *) winner; /* NULL: the variant itself */
  atomic_int schedules;
  _Atomic int64_t taken; /* nanoseconds, by all trials that ran */
  _Atomic int64_t least; /* by the fastest of them */
};

bool rlt_learns(const relayout_device *device, const rlt_plan_request *request,
                const rlt_problem *problem) {
  const double bytes =
      (double)rlt_problem_digit_lists(problem) * (double)rlt_problem_destination_bits(problem) / 8;
  return device->backend->learns && request->effort == RELAYOUT_PLAN_ADAPT && bytes >= LEAST_BYTES;
}

rlt_learner *rlt_learner_create(const rlt_plan_request *request) {
  rlt_learner *const made = rlt_calloc(1, sizeof *made);
  if (made != NULL) {
    made->asked = rlt_plan_request_candidates(request);
    made->is_free = request->method == NULL;
    atomic_init(&made->stage, FIRST_CALL);
    atomic_init(&made->least, INT64_MAX);
  }
  return made;
}

void rlt_learner_destroy(relayout_device *device, rlt_learner *learner) {
  if (learner == NULL) {
    return;
  }
  rlt_variant *const winner = atomic_load(&learner->winner);
  if (winner != NULL) {
    device->backend->executable_destroy(device, winner->executable);
    rlt_free(winner);
  }
  rlt_free(atomic_load(&learner->contest));
  rlt_free(learner);
}

const rlt_variant *rlt_variant_now(const rlt_variant *variant) {
  const rlt_variant *const winner =
      variant->learner == NULL ? NULL : atomic_load(&variant->learner->winner);
  return winner == NULL ? variant : winner;
}

/* ---- Who takes part ---- */

static bool is_same_tile(const rlt_schedule *a, const rlt_schedule *b) {
  return a->problem == b->problem && a->move == b->move && rlt_groups_equal(&a->rows, &b->rows) &&
         rlt_groups_equal(&a->columns, &b->columns);
}

/* True if the candidate runs wherever the variant does, and is predicted to take at most `most`
 * times as long. */
static bool may_enter(const rlt_variant *variant, const rlt_candidate *candidate, double most) {
  const rlt_schedule *const own = &variant->candidate.schedule;
  const rlt_schedule *const other = &candidate->schedule;
  return other->source_alignment <= own->source_alignment &&
         other->destination_alignment <= own->destination_alignment &&
         variant->candidate.cost.fraction <= most * candidate->cost.fraction;
}

/* What other kinds of machines like best. How many have entered behind the `count` that are there.
 */
static int32_t enter_known(const rlt_variant *variant, const rlt_candidates *candidates,
                           int32_t count, int32_t most, contest *made) {
  const int32_t before = count;
  for (int32_t i = 0; i < candidates->count && count < most; ++i) {
    const rlt_candidate *const next = &candidates->of[i];
    bool is_new = next->is_known && may_enter(variant, next, most_known);
    for (int32_t c = 0; c < count && is_new; ++c) {
      is_new = !rlt_schedules_equal(&made->of[c].schedule, &next->schedule);
    }
    if (is_new) {
      made->of[count++] = *next;
    }
  }
  return count - before;
}

/* The best predicted come first. Without a new tile a candidate has the tile of `like`, and differs
 * from all that are there in its order, prefetches or stores. How many have entered behind the
 * `count` that are there. */
static int32_t enter_all(const rlt_variant *variant, const rlt_candidates *candidates,
                         const rlt_schedule *like, int32_t count, int32_t most, contest *made) {
  const int32_t before = count;
  for (int32_t i = 0; i < candidates->count && count < most; ++i) {
    const rlt_candidate *const next = &candidates->of[i];
    bool is_new = may_enter(variant, next, most_predicted) &&
                  (like == NULL || is_same_tile(like, &next->schedule));
    for (int32_t c = 0; c < count && is_new; ++c) {
      const rlt_schedule *const there = &made->of[c].schedule;
      is_new = like == NULL ? !is_same_tile(there, &next->schedule)
                            : !rlt_schedules_equal(there, &next->schedule);
    }
    if (is_new) {
      made->of[count++] = *next;
    }
  }
  return count - before;
}

/* The candidates for the part, the best predicted first. */
static bool make_candidates(relayout_device *device, const rlt_part *part,
                            const rlt_variant *variant, rlt_candidates *made) {
  const bool is_made = rlt_candidates_make(&part->forms, &device->facts, device->tuning,
                                           &variant->learner->asked, made, NULL) == RELAYOUT_OK;
  rlt_candidates_sort(made);
  return is_made;
}

static void open_trials(rlt_learner *learner, int32_t trials) {
  atomic_fetch_add(&learner->open, trials);
}

/* What differs from the fastest so far, whose tile stays. */
static void add_orders(relayout_device *device, const rlt_part *part, const rlt_variant *variant,
                       const rlt_schedule *fastest, contest *to) {
  rlt_candidates candidates;
  const rlt_float_control was = rlt_floats_enter();
  if (make_candidates(device, part, variant, &candidates)) {
    rlt_candidates_add_known(&candidates);
    rlt_candidates_vary(&candidates, rlt_candidates_number(&candidates, fastest));
    rlt_candidates_sort(&candidates);
    to->orders =
        enter_all(variant, &candidates, fastest, to->tiles, to->tiles + RLT_LEARNER_ORDERS, to);
    rlt_candidates_free(&candidates);
  }
  rlt_floats_leave(was);
  to->heat = ORDERS_HEAT;
  atomic_fetch_add(&variant->learner->schedules, to->orders);
  open_trials(variant->learner, to->orders * RLT_LEARNER_ROUNDS);
}

/* The schedule with the fastest trial, among those that are not in the last heat. */
static int32_t next_of_last(const contest *of) {
  int32_t best = -1;
  for (int32_t c = 1; c < of->tiles + of->orders; ++c) {
    bool is_in = false;
    for (int32_t i = 0; i < of->last_count; ++i) {
      is_in = is_in || of->last[i] == c;
    }
    if (!is_in && (best < 0 || atomic_load(&of->least[c]) < atomic_load(&of->least[best]))) {
      best = c;
    }
  }
  return best;
}

/* Nothing is left to find out where the variant's own schedule has no rival. */
static void add_last_heat(rlt_learner *learner, contest *to) {
  to->heat = LAST_HEAT;
  to->last[to->last_count++] = 0;
  for (int32_t next = next_of_last(to); next > 0 && to->last_count < RLT_LEARNER_LAST;
       next = next_of_last(to)) {
    to->last[to->last_count++] = next;
  }
  open_trials(learner, to->last_count > 1 ? to->last_count * RLT_LEARNER_LAST_ROUNDS : 0);
}

/* NULL without memory. */
static contest *make_contest(relayout_device *device, const rlt_part *part,
                             const rlt_variant *variant) {
  rlt_candidates candidates;
  contest *const made = rlt_calloc(1, sizeof *made);
  if (made == NULL || !make_candidates(device, part, variant, &candidates)) {
    rlt_free(made);
    return NULL;
  }
  made->of[0] = variant->candidate;
  rlt_candidates_add_known(&candidates);
  made->tiles = 1 + enter_known(variant, &candidates, 1, RLT_LEARNER_TILES, made);
  made->tiles += enter_all(variant, &candidates, NULL, made->tiles, RLT_LEARNER_TILES, made);
  rlt_candidates_free(&candidates);
  for (int32_t c = 0; c < RLT_LEARNER_SCHEDULES; ++c) {
    atomic_init(&made->least[c], INT64_MAX);
  }
  open_trials(variant->learner, made->tiles * RLT_LEARNER_ROUNDS);
  return made;
}

/* The first call goes by, and so do those that come while one makes the contest. */
static bool are_trials_on(relayout_device *device, const rlt_part *part,
                          const rlt_variant *variant) {
  rlt_learner *const learner = variant->learner;
  int seen = atomic_load(&learner->stage);
  if (seen == FIRST_CALL) {
    atomic_compare_exchange_strong(&learner->stage, &seen, BEFORE_TRIALS);
    return false;
  }
  if (seen == BEFORE_TRIALS && atomic_compare_exchange_strong(&learner->stage, &seen, MAKING)) {
    const rlt_float_control was = rlt_floats_enter();
    contest *const made = make_contest(device, part, variant);
    rlt_floats_leave(was);
    atomic_store(&learner->contest, made);
    atomic_store(&learner->schedules, made == NULL ? 0 : made->tiles);
    atomic_store(&learner->stage, made == NULL ? OVER : TRIALS);
    return made != NULL;
  }
  return seen == TRIALS;
}

/* ---- A trial ---- */

static bool enter(rlt_learner *learner) {
  atomic_fetch_add(&learner->inside, 1);
  return atomic_load(&learner->stage) == TRIALS;
}

static void leave(rlt_learner *learner) {
  if (atomic_fetch_sub(&learner->inside, 1) == 1 && atomic_load(&learner->stage) == OVER) {
    rlt_free(atomic_exchange(&learner->contest, NULL));
  }
}

static int32_t fastest_of(const contest *of) {
  int32_t best = 0;
  for (int32_t c = 1; c < RLT_LEARNER_SCHEDULES; ++c) {
    if (atomic_load(&of->least[c]) < atomic_load(&of->least[best])) {
      best = c;
    }
  }
  return best;
}

static int32_t number_of_turn(const contest *of, int32_t turn) {
  const int32_t orders_begin = of->tiles * RLT_LEARNER_ROUNDS;
  const int32_t last_begins = orders_begin + of->orders * RLT_LEARNER_ROUNDS;
  return turn < orders_begin  ? turn % of->tiles
         : turn < last_begins ? of->tiles + (turn - orders_begin) % of->orders
                              : of->last[(turn - last_begins) % of->last_count];
}

/* Whose turn it is: the fastest takes that of one that is much slower. */
static int32_t schedule_of_turn(const contest *of, int32_t turn) {
  const int32_t number = number_of_turn(of, turn);
  const int64_t least = atomic_load(&of->least[number]);
  const int32_t best = fastest_of(of);
  return least < INT64_MAX &&
                 (double)least > most_after_first * (double)atomic_load(&of->least[best])
             ? best
             : number;
}

/* The number of the next trial; -1 where none is open. */
static int32_t take_turn(rlt_learner *learner) {
  int turn = atomic_load(&learner->begun);
  while (turn < atomic_load(&learner->open)) {
    if (atomic_compare_exchange_weak(&learner->begun, &turn, turn + 1)) {
      return turn;
    }
  }
  return -1;
}

bool rlt_trial_begin(relayout_device *device, const rlt_part *part, const rlt_variant *variant,
                     rlt_trial *trial) {
  rlt_learner *const learner = variant->learner;
  if (learner == NULL || atomic_load(&learner->stage) == OVER ||
      !are_trials_on(device, part, variant)) {
    return false;
  }
  const bool is_inside = enter(learner);
  const contest *const of = is_inside ? atomic_load(&learner->contest) : NULL;
  const int32_t turn = is_inside ? take_turn(learner) : -1;
  if (turn < 0) {
    leave(learner);
    return false;
  }
  *trial = (rlt_trial){.number = schedule_of_turn(of, turn)};
  int64_t most_group_size = 0;
  if (trial->number > 0 &&
      device->backend->executable_create(device, &of->of[trial->number].schedule, &trial->own,
                                         &most_group_size, NULL) != RELAYOUT_OK) {
    trial->number = 0;
  }
  trial->executable = trial->number > 0 ? trial->own : variant->executable;
  trial->begun = rlt_seconds();
  return true;
}

/* ---- The end ---- */

static void remember(relayout_device *device, const rlt_part *part, const rlt_learner *learner) {
  rlt_candidate of[RLT_MOST_VARIANTS];
  const int32_t won[RLT_MOST_VARIANTS] = {0, 1};
  for (int32_t v = 0; v < part->variant_count; ++v) {
    of[v] = rlt_variant_now(&part->variants[v])->candidate;
  }
  const rlt_candidates candidates = {
      .request = learner->asked, .count = part->variant_count, .of = of};
  rlt_wisdom_remember(device, rlt_part_problem(part), &candidates, won, part->variant_count,
                      RLT_WISDOM_OF_DEVICE);
}

/* The fastest takes the variant's place, if it is another and can be compiled once more. */
static void replace(relayout_device *device, rlt_learner *learner, const rlt_candidate *by) {
  rlt_variant *const made = rlt_calloc(1, sizeof *made);
  int64_t most_group_size = 0;
  if (made == NULL) {
    return;
  }
  made->candidate = *by;
  if (device->backend->executable_create(device, &made->candidate.schedule, &made->executable,
                                         &most_group_size, NULL) == RELAYOUT_OK) {
    atomic_store(&learner->winner, made);
  } else {
    rlt_free(made);
  }
}

static void decide(relayout_device *device, const rlt_part *part, rlt_learner *learner,
                   const contest *of) {
  const int32_t best = fastest_of(of);
  const double least = (double)atomic_load(&of->least[best]);
  if (best > 0 && clearly_faster * least < (double)atomic_load(&of->least[0])) {
    replace(device, learner, &of->of[best]);
  }
  if (learner->is_free) {
    remember(device, part, learner);
  }
  atomic_store(&learner->stage, OVER);
}

/* Nobody else writes then: all trials that were open are over. */
static void end_heat(relayout_device *device, const rlt_part *part, const rlt_variant *variant,
                     contest *of) {
  rlt_learner *const learner = variant->learner;
  const int before = atomic_load(&learner->open);
  if (of->heat == TILES_HEAT) {
    add_orders(device, part, variant, &of->of[fastest_of(of)].schedule, of);
  }
  if (atomic_load(&learner->open) == before && of->heat == ORDERS_HEAT) {
    add_last_heat(learner, of);
  }
  if (atomic_load(&learner->open) == before) {
    decide(device, part, learner, of);
  }
}

static void take_least(_Atomic int64_t *of, int64_t found) {
  int64_t seen = atomic_load(of);
  while (found < seen && !atomic_compare_exchange_weak(of, &seen, found)) {
  }
}

void rlt_trial_end(relayout_device *device, const rlt_part *part, const rlt_variant *variant,
                   const rlt_trial *trial, bool ran) {
  rlt_learner *const learner = variant->learner;
  const int64_t taken = (int64_t)(1e9 * (rlt_seconds() - trial->begun));
  contest *const of = atomic_load(&learner->contest);
  if (ran) {
    take_least(&of->least[trial->number], taken);
    take_least(&learner->least, taken);
    atomic_fetch_add(&learner->taken, taken);
  }
  if (trial->own != NULL) {
    device->backend->executable_destroy(device, trial->own);
  }
  if (atomic_fetch_add(&learner->ended, 1) + 1 == atomic_load(&learner->open)) {
    end_heat(device, part, variant, of);
  }
  leave(learner);
}

/* ---- What it took ---- */

rlt_learning rlt_variant_learning(const rlt_variant *variant) {
  const rlt_learner *const learner = variant->learner;
  if (learner == NULL) {
    return (rlt_learning){.schedules = 0};
  }
  rlt_learning made = {.schedules = atomic_load(&learner->schedules),
                       .trials = atomic_load(&learner->ended),
                       .of_trials = atomic_load(&learner->open)};
  if (made.trials > 0 && atomic_load(&learner->least) < INT64_MAX) {
    const double least = (double)atomic_load(&learner->least) * made.trials;
    const double more = (double)atomic_load(&learner->taken) - least;
    made.seconds = more > 0 ? 1e-9 * more : 0;
  }
  return made;
}

uint64_t rlt_learner_bytes(const relayout_device *device, const rlt_learner *learner) {
  if (learner == NULL) {
    return 0;
  }
  const rlt_variant *const winner = atomic_load(&learner->winner);
  return sizeof *learner + (atomic_load(&learner->contest) == NULL ? 0 : sizeof(contest)) +
         (winner == NULL
              ? 0
              : sizeof *winner + device->backend->executable_host_bytes(winner->executable));
}
