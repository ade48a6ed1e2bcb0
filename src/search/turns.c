/* turns.c: round after round, each candidate once in each. */
#include "search/turns.h"

/* Times of the best that a candidate may take after one run, and after more. */
static const double most_at_first = 1.6;
static const double most_later = 1.2;

static double best_of(const rlt_timed *of, int32_t count) {
  double best = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (of[i].least > 0 && (best == 0 || of[i].least < best)) {
      best = of[i].least;
    }
  }
  return best;
}

static bool has_turn(const rlt_turns *how, const rlt_timed *of, double spent) {
  const bool in_time = spent < how->seconds || of->runs < how->least_rounds;
  return !of->is_out && in_time && (how->seconds_each == 0 || of->taken < how->seconds_each);
}

static bool run_once(const rlt_turns *how, int32_t number, int32_t round, rlt_timed *of) {
  rlt_run_time time = {0, 0};
  if (!how->run(how->context, number, round, &time)) {
    of->is_out = true;
    return false;
  }
  if (of->runs == 0 || (how->warms_up && of->runs == 1) || time.counted < of->least) {
    of->least = time.counted;
  }
  of->taken += time.taken;
  ++of->runs;
  return true;
}

double rlt_take_turns(const rlt_turns *how, rlt_timed *of) {
  double spent = 0;
  bool goes_on = true;
  for (int32_t i = 0; i < how->count; ++i) {
    of[i] = (rlt_timed){.runs = 0};
  }
  for (int32_t round = 0; round < how->most_rounds && goes_on; ++round) {
    const double best = best_of(of, how->compared);
    goes_on = false;
    for (int32_t i = 0; i < how->count; ++i) {
      const double most = of[i].runs == 1 ? most_at_first : most_later;
      of[i].is_out = of[i].is_out || (i < how->compared && best > 0 && of[i].least > most * best);
      if (has_turn(how, &of[i], spent)) {
        const double before = of[i].taken;
        goes_on = run_once(how, i, round, &of[i]) || goes_on;
        spent += of[i].taken - before;
      }
    }
  }
  return spent;
}
