/* tune_passes.c: means and spreads of times, and when these are too good to be true. */
#include "search/tune_passes.h"

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

bool rlt_passes_agree(const rlt_pass *a, const rlt_pass *b) {
  return a->is_faster == b->is_faster && are_near(a->before, b->before) &&
         are_near(a->after, b->after);
}

/* By which part of the shortest time the longest is longer. */
static double spread_of(const rlt_pass *passes, int32_t count) {
  rlt_pass least = passes[0];
  rlt_pass most = passes[0];
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

static relayout_tuned_outcome outcome_of(const rlt_pass *passes, int32_t count,
                                         const rlt_pass *mean) {
  bool once = false;
  for (int32_t i = 0; i < count; ++i) {
    once = once || passes[i].is_faster;
  }
  const bool twice = passes[count - 1].is_faster && passes[count - 2].is_faster &&
                     spread_of(&passes[count - 2], 2) <= most_spread;
  const double least = mean->after < mean->before ? mean->after : mean->before;
  return least * most_of_a_copy < 1 ? RELAYOUT_TUNED_NOISE
         : twice                    ? RELAYOUT_TUNED_FASTER
         : once                     ? RELAYOUT_TUNED_UNCONFIRMED
                                    : RELAYOUT_TUNED_SAME;
}

bool rlt_passes_judge(const rlt_pass *passes, int32_t count, relayout_tuned *made) {
  rlt_pass mean = {0, 0, false};
  for (int32_t i = 0; i < count; ++i) {
    if (passes[i].before <= 0 || passes[i].after <= 0) {
      return false;
    }
    mean.before += passes[i].before / count;
    mean.after += passes[i].after / count;
  }
  made->outcome = outcome_of(passes, count, &mean);
  made->before = 1 / mean.before;
  made->after = made->outcome == RELAYOUT_TUNED_FASTER ? 1 / mean.after : made->before;
  made->spread = spread_of(passes, count);
  return true;
}
