/* shared_bytes.c: a search among sums of steps. */
#include "problem/shared_bytes.h"

enum { MOST_STEPS = 2 * RLT_MAX_AXES };

/* ---- The bytes of a side ---- */

/* Converts runs to elements of a byte. Returns false if runs do not begin at whole bytes; then they
 * count as one range. */
static bool in_bytes(rlt_bytes range, rlt_runs *of) {
  bool are_whole = of->step_count >= 0;
  for (int32_t i = 0; i < of->step_count; ++i) {
    are_whole = are_whole && of->strides[i] * of->bits % 8 == 0;
  }
  if (!are_whole) {
    *of = (rlt_runs){.first = range.first, .length = range.end - range.first, .bits = 8};
    return false;
  }
  for (int32_t i = 0; i < of->step_count; ++i) {
    of->strides[i] = of->strides[i] * of->bits / 8;
  }
  const int64_t end = rlt_divide_up((of->first + of->length) * of->bits, 8);
  of->first = of->first * of->bits / 8;
  of->length = end - of->first;
  of->bits = 8;
  return true;
}

static bool bytes_read(const rlt_problem *problem, rlt_runs *of) {
  if (!rlt_problem_runs_read(problem, of)) {
    of->step_count = -1;
  }
  return in_bytes(rlt_problem_bytes_read(problem), of);
}

static bool bytes_written(const rlt_problem *problem, rlt_runs *of) {
  if (!rlt_problem_runs_written(problem, of)) {
    of->step_count = -1;
  }
  return in_bytes(rlt_problem_bytes_written(problem), of);
}

/* ---- Sums of steps ---- */

/* Searches for a sum of 0 .. counts[i] - 1 times each step, plus a rest below `width`, that equals
 * a given number. */
typedef struct search {
  int32_t count;
  int64_t steps[MOST_STEPS]; /* the longest first */
  int64_t counts[MOST_STEPS];
  /* For all steps from number i on: the largest sum with the rest, and their common divisor. */
  int64_t reach[MOST_STEPS + 1];
  int64_t common[MOST_STEPS + 1];
  int64_t width;
  int64_t left; /* numbers that may still be tried */
} search;

/* Inserts a step in order, the shortest first. */
static void add_step(search *of, int64_t count, int64_t step) {
  int32_t at = of->count++;
  for (; at > 0 && of->steps[at - 1] > step; --at) {
    of->steps[at] = of->steps[at - 1];
    of->counts[at] = of->counts[at - 1];
  }
  of->steps[at] = step;
  of->counts[at] = count;
}

static void add_steps(search *of, const rlt_runs *runs) {
  for (int32_t i = 0; i < runs->step_count; ++i) {
    add_step(of, runs->counts[i], runs->strides[i]);
  }
}

/* Merges steps: a step that is not longer than the rest makes a longer rest; a step that is a
 * multiple of a shorter one which reaches it adds to the count of the shorter one. The shortest
 * steps come first. */
static void join_steps(search *of) {
  int32_t kept = 0;
  for (int32_t i = 0; i < of->count; ++i) {
    const int64_t step = of->steps[i], count = of->counts[i];
    if (kept == 0 && step <= of->width) {
      of->width += (count - 1) * step;
      continue;
    }
    int32_t at = 0;
    while (at < kept && (step % of->steps[at] != 0 || of->counts[at] < step / of->steps[at])) {
      ++at;
    }
    if (at < kept) {
      of->counts[at] += (count - 1) * (step / of->steps[at]);
      continue;
    }
    of->steps[kept] = step;
    of->counts[kept++] = count;
  }
  of->count = kept;
}

/* Reverses the order, and finds the largest sum and the divisor of each step and those after it. */
static void finish(search *of) {
  for (int32_t i = 0; i < of->count / 2; ++i) {
    const int32_t other = of->count - 1 - i;
    const int64_t step = of->steps[i], count = of->counts[i];
    of->steps[i] = of->steps[other];
    of->counts[i] = of->counts[other];
    of->steps[other] = step;
    of->counts[other] = count;
  }
  of->reach[of->count] = of->width - 1;
  of->common[of->count] = 0;
  for (int32_t i = of->count - 1; i >= 0; --i) {
    of->reach[i] = of->reach[i + 1] + (of->counts[i] - 1) * of->steps[i];
    of->common[i] =
        of->common[i + 1] == 0 ? of->steps[i] : rlt_common_factor(of->common[i + 1], of->steps[i]);
  }
}

/* False if the steps from number `i` on cannot sum to the number, by their reach or their common
 * divisor. */
static bool may_be(const search *of, int32_t i, int64_t number) {
  return number >= 0 && number <= of->reach[i] &&
         (of->common[i] == 0 || number % of->common[i] < of->width);
}

static rlt_sharing find(search *of, int32_t i, int64_t number) {
  if (of->left-- <= 0) {
    return RLT_SHARES_UNKNOWN;
  }
  if (!may_be(of, i, number)) {
    return RLT_SHARES_NOTHING;
  }
  if (i == of->count) {
    return RLT_SHARES_BYTES;
  }
  const int64_t step = of->steps[i];
  const int64_t most = rlt_min(of->counts[i] - 1, number / step);
  const int64_t least = rlt_max(0, rlt_divide_up(rlt_max(number - of->reach[i + 1], 0), step));
  rlt_sharing found = RLT_SHARES_NOTHING;
  for (int64_t n = most; n >= least && found == RLT_SHARES_NOTHING; --n) {
    found = find(of, i + 1, number - n * step);
  }
  return found;
}

/* The written side's steps and run are counted from their ends, so that all terms are added. */
rlt_sharing rlt_problems_share_bytes(const rlt_problem *reads, const rlt_problem *writes,
                                     int64_t apart, int64_t *steps) {
  rlt_runs from, to;
  const bool knows_from = bytes_read(reads, &from);
  const bool knows_to = bytes_written(writes, &to);
  if (from.length == 0 || to.length == 0) {
    return RLT_SHARES_NOTHING;
  }
  search of = {.count = 0, .width = from.length + to.length - 1, .left = *steps};
  int64_t number = apart + to.first - from.first + to.length - 1;
  for (int32_t i = 0; i < to.step_count; ++i) {
    number += (to.counts[i] - 1) * to.strides[i];
  }
  add_steps(&of, &from);
  add_steps(&of, &to);
  join_steps(&of);
  finish(&of);
  const rlt_sharing found = find(&of, 0, number);
  *steps = rlt_max(of.left, 0);
  return found == RLT_SHARES_BYTES && !(knows_from && knows_to) ? RLT_SHARES_UNKNOWN : found;
}
