/* threads.c: one thread against two on ever more bytes, and few blocks against many. */
#include "threads.h"

#include <inttypes.h>
#include <stdio.h>

enum {
  TURNS = 9,
  WORD_BYTES = 4,
  GRAINS = 7, /* each twice the one before */
  LEAST_GRAIN = 64 << 10,
  GRAIN_RUNS = 2 * TUNE_CASES,
  MOST_SHARES = 6,
  CASE_BYTES = 24 << 20
};

/* What is faster by less is noise. */
static const double faster = 1.03;

/* How a row shares out work. */
typedef struct shares {
  int64_t thread_bytes;
  int32_t thread_blocks;
} shares;

/* Ways to share that take turns on the same relayouts, in units of a copy. */
typedef struct rivals {
  const tune_row *row;
  int32_t count;
  shares shares[MOST_SHARES];
  double times[MOST_SHARES]; /* sums over relayouts */
} rivals;

static bool set_shares(tune_row *row, shares to) {
  char bytes[TUNE_VALUE_SIZE];
  char blocks[TUNE_VALUE_SIZE];
  snprintf(bytes, sizeof bytes, "%" PRId64, to.thread_bytes);
  snprintf(blocks, sizeof blocks, "%" PRId32, to.thread_blocks);
  return tune_row_set(row, "", "thread_bytes", bytes) &&
         tune_row_set(row, "", "thread_blocks", blocks);
}

static shares shares_of(const tune_row *row) {
  return (shares){(int64_t)tune_row_get_number(row, "", "thread_bytes"),
                  (int32_t)tune_row_get_number(row, "", "thread_blocks")};
}

static void add_plan(tune_field *on, const tune_case *of, const rivals *by, int32_t number) {
  tune_row row = *by->row;
  set_shares(&row, by->shares[number]);
  tune_field_add(on, of, &row, NULL);
}

/* Whether all have run, for longer than a clock needs to tell, and a copy too, by the first and by
 * the last one's shares. */
static bool run_all(tune_field *on, const tune_case *of, bool stays, double end, rivals *by) {
  enum { COPIES = 2 };
  tune_case copied;
  tune_copy_make(tune_case_bytes(of), &copied);
  on->stays = stays;
  on->rests = true;
  for (int32_t i = 0; i < by->count; i++) {
    add_plan(on, of, by, i);
  }
  add_plan(on, &copied, by, 0);
  add_plan(on, &copied, by, by->count - 1);
  tune_field_run(on, 0, TURNS, end);
  bool all_ran = true;
  for (int32_t i = 0; i < by->count + COPIES; i++) {
    all_ran = all_ran && tune_field_time(on, i) > 0;
  }
  const double first = tune_field_time(on, by->count);
  const double last = tune_field_time(on, by->count + 1);
  for (int32_t i = 0; i < by->count && all_ran; i++) {
    by->times[i] += tune_field_time(on, i) / (first < last ? first : last);
  }
  tune_field_clear(on);
  on->rests = false;
  return all_ran;
}

bool tune_shares_equal(const tune_row *a, const tune_row *b) {
  const shares x = shares_of(a);
  const shares y = shares_of(b);
  return x.thread_bytes == y.thread_bytes && x.thread_blocks == y.thread_blocks;
}

/* ---- What a second thread is worth waking for ---- */

typedef struct grain {
  double alone;
  double together;
} grain;

/* One thread and two, on twice the grain: on bytes that stay, which one thread may have in a cache
 * of its own, and on others, which come from memory. */
static bool time_grain(tune_field *on, int32_t number, double end, const tune_row *row,
                       grain *made) {
  const int32_t blocks = shares_of(row).thread_blocks;
  rivals by = {.row = row, .count = 2};
  for (int32_t i = 0; i < GRAIN_RUNS; ++i) {
    tune_case one;
    tune_case_make(TUNE_CACHED, i / 2, WORD_BYTES, 2 * ((int64_t)LEAST_GRAIN << number), &one);
    const int64_t bytes = tune_case_bytes(&one);
    by.shares[0] = (shares){bytes, blocks};
    by.shares[1] = (shares){bytes / 2, blocks};
    if (!run_all(on, &one, i % 2 == 0, end, &by)) {
      return false;
    }
  }
  *made = (grain){by.times[0], by.times[1]};
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

tune_times tune_thread_bytes(tune_field *on, double end, tune_row *row) {
  grain grains[GRAINS];
  int32_t count = 0;
  for (double begun = bench_now(); count < GRAINS && begun < end; begun = bench_now()) {
    if (!time_grain(on, count, begun + (end - begun) / (GRAINS - count), row, &grains[count])) {
      break;
    }
    ++count;
  }
  const int32_t first = grain_of(shares_of(row).thread_bytes);
  int32_t own = first;
  while (own > 0 && own <= count && grains[own - 1].together * faster < grains[own - 1].alone) {
    --own;
  }
  while (own >= first && own < count && grains[own].alone * faster < grains[own].together) {
    ++own;
  }
  if (own != first) {
    set_shares(row, (shares){(int64_t)LEAST_GRAIN << own, shares_of(row).thread_blocks});
  }
  return (tune_times){.count = count * GRAIN_RUNS,
                      .before = time_of(grains, count, first),
                      .after = time_of(grains, count, own)};
}

/* ---- Blocks of a thread ---- */

tune_times tune_thread_blocks(tune_field *on, double end, tune_row *row) {
  static const int kinds[] = {TUNE_CROWDED, TUNE_FAR, TUNE_ANY};
  enum { PROBLEMS = sizeof kinds / sizeof kinds[0] };
  static const int32_t blocks[] = {2, 4, 8, 16, 32};
  enum { OTHERS = sizeof blocks / sizeof blocks[0] };
  _Static_assert(1 + OTHERS <= MOST_SHARES, "all take turns");
  const shares own = shares_of(row);
  rivals by = {.row = row, .count = 1 + OTHERS};
  for (int32_t i = 0; i < by.count; ++i) {
    by.shares[i] = (shares){own.thread_bytes, i == 0 ? own.thread_blocks : blocks[i - 1]};
  }
  const int64_t half = on->side_bytes / 2;
  const int64_t bytes = half < CASE_BYTES ? half : CASE_BYTES;
  for (int32_t p = 0; p < PROBLEMS; ++p) {
    const double begun = bench_now();
    tune_case one;
    tune_case_make(kinds[p], 0, WORD_BYTES, bytes, &one);
    if (begun >= end || !run_all(on, &one, false, begun + (end - begun) / (PROBLEMS - p), &by)) {
      return (tune_times){.count = 0};
    }
  }
  int32_t best = 0;
  for (int32_t i = 1; i < by.count; ++i) {
    if (by.times[i] * (best == 0 ? faster : 1) < by.times[best]) {
      best = i;
    }
  }
  set_shares(row, by.shares[best]);
  return (tune_times){.count = PROBLEMS, .before = by.times[0], .after = by.times[best]};
}
