/* tune_threads.c: one thread against two on ever more bytes, and few blocks against many. */
#include "search/tune_threads.h"

#include <time.h>

#include "base/checked.h"
#include "base/clock.h"
#include "search/tune_cases.h"

enum {
  TURNS = 9,
  WORD_BYTES = 4,
  GRAINS = 7, /* each twice the one before */
  LEAST_GRAIN = 64 << 10,
  GRAIN_RUNS = 2 * RLT_TUNE_CASES,
  MOST_SHARES = 6,
  CASE_BYTES = 24 << 20
};

/* What is faster by less is noise. */
static const double faster = 1.03;

/* Longer than threads look for work before they sleep, so that each turn has to wake them. */
static void rest(void) {
  const struct timespec time = {0, 300 * 1000};
  nanosleep(&time, NULL);
}

/* How a row shares out work. */
typedef struct shares {
  int64_t thread_bytes;
  int32_t thread_blocks;
} shares;

/* Those that take turns on the same problems, in units of a copy. */
typedef struct field {
  const rlt_tuning *row;
  int32_t count;
  shares shares[MOST_SHARES];
  double times[MOST_SHARES]; /* sums over problems */
} field;

static void make_runner(const rlt_track *on, const rlt_problem *problem, const field *of, int32_t i,
                        rlt_runner *made) {
  rlt_tuning row = *of->row;
  row.thread_bytes = of->shares[i].thread_bytes;
  row.thread_blocks = of->shares[i].thread_blocks;
  rlt_runner_make(on, problem, &row, made);
}

/* Whether all have run, for longer than a clock needs to tell, and a copy too, by the first and by
 * the last one's shares. */
static bool run_field(rlt_track *on, const rlt_problem *problem, bool stays, double end,
                      field *of) {
  enum { COPIES = 2 };
  _Static_assert(MOST_SHARES + COPIES <= RLT_MOST_RUNNERS, "each has a runner");
  const int64_t bytes = (int64_t)rlt_problem_destination_size(problem);
  rlt_runner *const copies = &on->runners[of->count];
  rlt_problem copied;
  rlt_tune_copy(bytes, &copied);
  make_runner(on, &copied, of, 0, &copies[0]);
  make_runner(on, &copied, of, of->count - 1, &copies[1]);
  for (int32_t i = 0; i < of->count; ++i) {
    make_runner(on, problem, of, i, &on->runners[i]);
  }
  for (int turn = 0; turn < TURNS && (turn == 0 || rlt_seconds() < end); ++turn) {
    for (int32_t i = 0; i < of->count + COPIES; ++i) {
      rest();
      rlt_runner_take_turn(on, &on->runners[i], stays);
    }
  }
  bool all_ran = true;
  for (int32_t i = 0; i < of->count + COPIES; ++i) {
    all_ran = all_ran && on->runners[i].seconds > 0;
    rlt_runner_stop(on, &on->runners[i]);
  }
  const double copy = copies[0].seconds < copies[1].seconds ? copies[0].seconds : copies[1].seconds;
  for (int32_t i = 0; i < of->count && all_ran; ++i) {
    of->times[i] += on->runners[i].seconds / copy;
  }
  return all_ran;
}

/* ---- What a second thread is worth waking for ---- */

typedef struct grain {
  double alone;
  double together;
} grain;

/* One thread and two, on twice the grain: on bytes that stay, which one thread may have in a cache
 * of its own, and on others, which come from memory. */
static bool time_grain(rlt_track *on, int32_t number, double end, const rlt_tuning *row,
                       grain *made) {
  field of = {.row = row, .count = 2};
  for (int32_t i = 0; i < GRAIN_RUNS; ++i) {
    rlt_problem problem;
    rlt_tune_case(RLT_TILES_CACHED, i / 2, WORD_BYTES, 2 * ((int64_t)LEAST_GRAIN << number),
                  &problem);
    const int64_t bytes = (int64_t)rlt_problem_source_size(&problem);
    of.shares[0] = (shares){bytes, row->thread_blocks};
    of.shares[1] = (shares){bytes / 2, row->thread_blocks};
    if (!run_field(on, &problem, i % 2 == 0, end, &of)) {
      return false;
    }
  }
  *made = (grain){of.times[0], of.times[1]};
  return true;
}

static int32_t grain_of(int64_t bytes) {
  int32_t number = 0;
  while (number < GRAINS && ((int64_t)LEAST_GRAIN << number) < bytes) {
    ++number;
  }
  return number;
}

/* By which a row would do the relayouts of all grains, its own being the first for two. */
static double time_of(const grain *grains, int32_t count, int32_t own) {
  double sum = 0;
  for (int32_t i = 0; i < count; ++i) {
    sum += i >= own ? grains[i].together : grains[i].alone;
  }
  return sum;
}

rlt_tuned_times rlt_tune_thread_bytes(rlt_track *on, double end, rlt_tuning *row) {
  grain grains[GRAINS];
  int32_t count = 0;
  for (double begun = rlt_seconds(); count < GRAINS && begun < end; begun = rlt_seconds()) {
    if (!time_grain(on, count, begun + (end - begun) / (GRAINS - count), row, &grains[count])) {
      break;
    }
    ++count;
  }
  const int32_t first = grain_of(row->thread_bytes);
  int32_t own = first;
  while (own > 0 && own <= count && grains[own - 1].together * faster < grains[own - 1].alone) {
    --own;
  }
  while (own >= first && own < count && grains[own].alone * faster < grains[own].together) {
    ++own;
  }
  if (own != first) {
    row->thread_bytes = (int64_t)LEAST_GRAIN << own;
  }
  return (rlt_tuned_times){.count = count * GRAIN_RUNS,
                           .before = time_of(grains, count, first),
                           .after = time_of(grains, count, own)};
}

/* ---- Blocks of a thread ---- */

rlt_tuned_times rlt_tune_thread_blocks(rlt_track *on, double end, rlt_tuning *row) {
  static const rlt_tiles tiles[] = {RLT_TILES_CROWDED, RLT_TILES_FAR, RLT_TILES_ANY};
  enum { PROBLEMS = sizeof tiles / sizeof tiles[0] };
  static const int32_t blocks[] = {2, 4, 8, 16, 32};
  enum { OTHERS = sizeof blocks / sizeof blocks[0] };
  _Static_assert(1 + OTHERS <= MOST_SHARES, "all take turns");
  field of = {.row = row, .count = 1 + OTHERS};
  for (int32_t i = 0; i < of.count; ++i) {
    of.shares[i] = (shares){row->thread_bytes, i == 0 ? row->thread_blocks : blocks[i - 1]};
  }
  const int64_t bytes = rlt_min(CASE_BYTES, on->side_bytes / 2);
  for (int32_t p = 0; p < PROBLEMS; ++p) {
    const double begun = rlt_seconds();
    rlt_problem problem;
    rlt_tune_case(tiles[p], 0, WORD_BYTES, bytes, &problem);
    if (begun >= end ||
        !run_field(on, &problem, false, begun + (end - begun) / (PROBLEMS - p), &of)) {
      return (rlt_tuned_times){.count = 0};
    }
  }
  int32_t best = 0;
  for (int32_t i = 1; i < of.count; ++i) {
    if (of.times[i] * (best == 0 ? faster : 1) < of.times[best]) {
      best = i;
    }
  }
  row->thread_blocks = of.shares[best].thread_blocks;
  return (rlt_tuned_times){.count = PROBLEMS, .before = of.times[0], .after = of.times[best]};
}
