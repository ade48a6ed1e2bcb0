/* finding.c: means and spreads of times, and when these are too good to be true. */
#include "finding.h"

/* Passes agree whose times differ by no more than this. */
static const double stable = 1.03;

/* Copies can be a little slower than what else moves as many bytes; beyond that, one of the two was
 * not measured alone. */
static const double most_of_a_copy = 1.15;

/* Passes whose times differ by more confirm nothing. */
static const double most_spread = 0.25;

static bool are_near(double a, double b) {
  return a <= b * stable && b <= a * stable;
}

bool tune_passes_agree(const tune_pass *a, const tune_pass *b) {
  return a->is_faster == b->is_faster && are_near(a->before, b->before) &&
         are_near(a->after, b->after);
}

/* By which part of the shortest time the longest is longer. */
static double spread_of(const tune_pass *passes, int32_t count) {
  tune_pass least = passes[0];
  tune_pass most = passes[0];
  for (int32_t i = 1; i < count; ++i) {
    least.before = passes[i].before < least.before ? passes[i].before : least.before;
    least.after = passes[i].after < least.after ? passes[i].after : least.after;
    most.before = passes[i].before > most.before ? passes[i].before : most.before;
    most.after = passes[i].after > most.after ? passes[i].after : most.after;
  }
  const double before = most.before / least.before - 1;
  const double after = most.after / least.after - 1;
  return before > after ? before : after;
}

static tune_outcome outcome_of(const tune_pass *passes, int32_t count, const tune_pass *mean) {
  bool once = false;
  for (int32_t i = 0; i < count; ++i) {
    once = once || passes[i].is_faster;
  }
  const bool twice = passes[count - 1].is_faster && passes[count - 2].is_faster &&
                     spread_of(&passes[count - 2], 2) <= most_spread;
  const double least = mean->after < mean->before ? mean->after : mean->before;
  return least * most_of_a_copy < 1 ? TUNE_NOISE
         : twice                    ? TUNE_FASTER
         : once                     ? TUNE_UNCONFIRMED
                                    : TUNE_SAME;
}

bool tune_passes_judge(const tune_pass *passes, int32_t count, tune_finding *made) {
  tune_pass mean = {0, 0, false};
  for (int32_t i = 0; i < count; ++i) {
    if (passes[i].before <= 0 || passes[i].after <= 0) {
      return false;
    }
    mean.before += passes[i].before / count;
    mean.after += passes[i].after / count;
  }
  made->outcome = outcome_of(passes, count, &mean);
  made->before = 1 / mean.before;
  made->after = made->outcome == TUNE_FASTER ? 1 / mean.after : made->before;
  made->spread = spread_of(passes, count);
  return true;
}
