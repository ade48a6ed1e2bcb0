/* test_tune_search.c: what the search of a row finds and reports, on a device whose times and clock
 * the test sets. */
#include "cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fake_target.h"
#include "plan/fake_clock.h"
#include "search/cost.h"
#include "tune/blocking.h"
#include "tune/cases.h"
#include "tune/rates.h"
#include "tune/search.h"

/* Far longer than anything here takes. */
static const double enough = 1000;

enum {
  CELLS = TUNE_WORDS * TUNE_KINDS,
  STEPS = CELLS + 2,                       /* and what is found of threads */
  LOOKED_AT = TUNE_CACHED * TUNE_WORDS,    /* cached tiles of bytes */
  STAGES = (TUNE_ROUNDS + 2) * TUNE_CASES, /* of a cell, whose passes agree */
};

/* ---- A search ---- */

/* What came of one. */
static struct {
  int count;
  tune_finding of[STEPS];
  char what[STEPS][64];
  double at[STEPS]; /* by the clock */
  bool is_new;
  tune_row row;
} found;

static void note(void *context, const tune_finding *what) {
  (void)context;
  assert_in_range(found.count, 0, STEPS - 1);
  assert_true(what->done > (found.count == 0 ? 0 : found.of[found.count - 1].done));
  assert_int_equal(what->after > what->before, what->outcome == TUNE_FASTER);
  snprintf(found.what[found.count], sizeof found.what[0], "%s", what->what);
  found.at[found.count] = fake_clock_seconds();
  found.of[found.count++] = *what;
}

/* Where a search is: each cell tries its cases one after the other, and a case begins with another
 * relayout than the one before. */
static int stage;
static rlt_problem last;

static void note_run(const recorded_run *run) {
  const rlt_problem *const at = run->schedule->problem;
  if (fake_target_is_copy(run)) {
    return;
  }
  if (run->number == 0 || at->element_bytes != last.element_bytes ||
      at->axis_count != last.axis_count ||
      memcmp(at->axes, last.axes, (size_t)at->axis_count * sizeof at->axes[0]) != 0) {
    stage = run->number == 0 ? 0 : stage + 1;
    rlt_problem_copy(at, &last);
  }
}

static fake_target target;

static void begin(double (*seconds)(const recorded_run *run)) {
  memset(&found, 0, sizeof found);
  fake_target_create(&target);
  target.record.seconds = seconds;
}

static relayout_status search(double seconds, relayout_error *error) {
  static const tune_report report = {note, NULL};
  return tune_search(&target.base, seconds, &report, &found.row, &found.is_new, error);
}

/* A whole one, from the row of devices.h on. */
static void search_by(double (*seconds)(const recorded_run *run)) {
  begin(seconds);
  assert_int_equal(search(enough, NULL), RELAYOUT_OK);
  fake_target_destroy(&target);
}

/* But for the rates, which samples of any times tell something of. */
static void expect_own_row(void) {
  recorder record;
  tune_row own;
  relayout_device *const device = recorder_cpu_device(&record);
  assert_true(tune_row_read(device, &own));
  for (int32_t word = 1; word <= 16; word *= 2) {
    tune_rates rates;
    tune_rates_read(&own, word, &rates);
    assert_true(tune_rates_write(&rates, word, &found.row));
  }
  assert_string_equal(strstr(found.row.text, "\nkind: "), strstr(own.text, "\nkind: "));
  relayout_device_destroy(device);
}

static void assert_near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance * expected)) {
    fail_msg("%.17g is not %.17g", value, expected);
  }
}

/* ---- Which blocking is found ---- */

static double doublings(int64_t a, int64_t b) {
  return fabs(log2((double)a) - log2((double)b));
}

static bool packing_is_fast;

/* Runs of 512 and 64 bytes, blocks along the destination and the second level are the best. */
static double as_asked_for(const recorded_run *run) {
  const rlt_tile_blocking *const blocking = &run->schedule->blocking;
  if (fake_target_is_copy(run)) {
    return 1e-3;
  }
  return 1e-3 *
         (1 + doublings(blocking->runs.read_bytes, 512) +
          doublings(blocking->runs.write_bytes, 64) +
          (blocking->blocks.write_bytes == RLT_ALL_THE_WAY && blocking->blocks.read_bytes == 0
               ? 0
               : 1) +
          (blocking->prefetch.tiles == 1 && blocking->prefetch.level == 2 ? 0 : 1) +
          (blocking->loads == packing_is_fast ? 0 : 2));
}

static void test_finds_the_fastest(void **state) {
  (void)state;
  search_by(as_asked_for);
  assert_int_equal(found.count, STEPS);
  assert_true(found.is_new);
  assert_true(found.of[STEPS - 1].done == 1);
  for (int kind = 0; kind < TUNE_KINDS; ++kind) {
    for (int64_t word = 1; word <= 16; word *= 2) {
      const tune_blocking made = tune_blocking_read(&found.row, word, kind);
      print_message("%d-byte words, %s\n", (int)word, tune_kinds[kind]);
      if (kind != TUNE_CHANNELS) { /* whose runs are longer, so that none was faster */
        assert_int_equal(made.runs[0], 512);
        assert_int_equal(made.runs[1], 64);
      }
      assert_int_equal(made.blocks[0], 0);
      assert_true(made.blocks[1] == RLT_ALL_THE_WAY);
      assert_int_equal(made.prefetch[0], 1);
      assert_int_equal(made.prefetch[1], 2);
      assert_false(made.packs);
    }
  }
}

/* Packing is a candidate where everything else is the same. */
static void test_finds_packing(void **state) {
  (void)state;
  packing_is_fast = true;
  begin(as_asked_for);
  assert_int_equal(search(enough, NULL), RELAYOUT_OK);
  fake_target_destroy(&target);
  packing_is_fast = false;
  assert_true(tune_blocking_read(&found.row, 4, TUNE_FAR).packs);
}

static double all_alike(const recorded_run *run) {
  note_run(run);
  return 1e-3;
}

static void test_nothing_faster_is_nothing_new(void **state) {
  (void)state;
  search_by(all_alike);
  assert_int_equal(found.count, STEPS);
  for (int i = 0; i < STEPS; ++i) {
    assert_int_equal(found.of[i].outcome, TUNE_SAME);
  }
  expect_own_row();
}

/* A device of one thread is asked for blockings alone. */
static void test_one_thread_shares_nothing(void **state) {
  (void)state;
  begin(all_alike);
  target.base.info.compute_units = 1;
  assert_int_equal(search(enough, NULL), RELAYOUT_OK);
  fake_target_destroy(&target);
  assert_int_equal(found.count, CELLS);
  assert_true(found.of[CELLS - 1].done == 1);
}

static double fails(const recorded_run *run) {
  (void)run;
  return -1;
}

static double copies_fail(const recorded_run *run) {
  return fake_target_is_copy(run) ? -1 : as_asked_for(run);
}

/* Times count by a copy's alone. */
static void test_without_times_all_stays(void **state) {
  (void)state;
  double (*const cases[])(const recorded_run *run) = {fails, copies_fail, as_asked_for};
  for (int i = 0; i < 3; ++i) {
    begin(cases[i]);
    assert_int_equal(search(i == 2 ? 0 : enough, NULL), RELAYOUT_OK);
    fake_target_destroy(&target);
    assert_int_equal(found.count, 0);
    assert_false(found.is_new);
    expect_own_row();
  }
}

/* ---- What is the fastest, and what is reported ---- */

/* What the row's own blocking, and two others, take in the three cases of the cell that is looked
 * at, in copies; the rest take nine, and in all other cells two. */
static struct {
  double own[TUNE_CASES], one[TUNE_CASES], other[TUNE_CASES];
  double in_passes[2]; /* of `one`: 0: as before */
} copies;

static double in_copies(const recorded_run *run) {
  static const double copy_seconds = 0.5;
  note_run(run);
  const rlt_reach runs = run->schedule->blocking.runs;
  const int i = stage % TUNE_CASES;
  const int pass = stage % STAGES / TUNE_CASES - TUNE_ROUNDS;
  const bool is_one = runs.read_bytes == 64 && runs.write_bytes == 64;
  if (fake_target_is_copy(run)) {
    return copy_seconds;
  }
  if (stage / STAGES != LOOKED_AT) {
    return 2 * copy_seconds;
  }
  if (is_one && pass >= 0 && copies.in_passes[pass] > 0) {
    return copy_seconds * copies.in_passes[pass];
  }
  return copy_seconds * (runs.read_bytes == 256 && runs.write_bytes == 512     ? copies.own[i]
                         : is_one                                              ? copies.one[i]
                         : runs.read_bytes == 1024 && runs.write_bytes == 1024 ? copies.other[i]
                                                                               : 9);
}

/* What becomes part of the row; 0: the kind has no blocking of its own, as before. Two hundredths
 * in each case, one with the other: 0.98 is enough three times, and 0.981 is not. Of the others the
 * fastest is. What fails once is nowhere the fastest. */
static void test_clearly_faster_wins(void **state) {
  (void)state;
  static const struct {
    double one[TUNE_CASES], other[TUNE_CASES];
    int64_t runs;
  } cases[] = {{{0.98, 0.98, 0.98}, {9, 9, 9}, 64},
               {{0.981, 0.981, 0.981}, {9, 9, 9}, 0},
               {{0.5, 1, 1.8}, {9, 9, 9}, 64},
               {{0.5, 1, 1.95}, {9, 9, 9}, 0},
               {{0.9, 0.9, 0.9}, {0.9, 0.9, 0.89}, 1024},
               {{0.9, 0.9, 0.89}, {0.9, 0.9, 0.9}, 64},
               {{0.9, 0.9, 0.9}, {0.9, 0.9, 0.9}, 64},
               {{0.5, -1, 0.5}, {0.9, 0.9, 0.9}, 1024},
               {{0.5, 0.5, -1}, {9, 9, 9}, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    memset(&copies, 0, sizeof copies);
    for (int c = 0; c < TUNE_CASES; ++c) {
      copies.own[c] = 1;
      copies.one[c] = cases[i].one[c];
      copies.other[c] = cases[i].other[c];
    }
    print_message("%g %g %g\n", cases[i].one[0], cases[i].one[1], cases[i].one[2]);
    search_by(in_copies);
    assert_int_equal(tune_blocking_read(&found.row, 1, TUNE_CACHED).runs[0], cases[i].runs);
    assert_int_equal(found.count, STEPS);
  }
}

/* The row's own blocking cannot run: nothing can be compared with it, and nothing is reported. */
static void test_own_blocking_fails(void **state) {
  (void)state;
  memset(&copies, 0, sizeof copies);
  for (int c = 0; c < TUNE_CASES; ++c) {
    copies.own[c] = c == 1 ? -1 : 1;
    copies.one[c] = copies.other[c] = 1;
  }
  search_by(in_copies);
  assert_int_equal(found.count, STEPS - 1);
  assert_string_equal(found.what[LOOKED_AT], "words of 2 bytes, cached tiles");
  assert_int_equal(tune_blocking_read(&found.row, 1, TUNE_CACHED).runs[0], 0);
}

/* Geometric means, as parts of a copy's speed: 2, 4 and 8 copies are a quarter of it. */
static void test_what_is_reported(void **state) {
  (void)state;
  static const struct {
    double own[TUNE_CASES], one[TUNE_CASES];
    double before, after;
    tune_outcome outcome;
  } cases[] = {{{2, 4, 8}, {1, 1, 8}, 0.25, 0.5, TUNE_FASTER},
               {{0.5, 0.5, 0.5}, {0.125, 0.5, 0.25}, 2, 2, TUNE_NOISE}, /* which no copy is */
               {{1.25, 1.25, 1.25}, {1.1, 1.1, 1.1}, 0.8, 1 / 1.1, TUNE_FASTER},
               {{1, 1, 1}, {1, 1, 1}, 1, 1, TUNE_SAME},
               {{1000, 1000, 1000}, {1000, 0.5, 0.002}, 0.001, 1, TUNE_FASTER}};
  static const struct {
    int number;
    const char *what;
  } names[] = {{0, "words of 1 byte, channels tiles"},
               {1, "words of 2 bytes, channels tiles"},
               {LOOKED_AT, "words of 1 byte, cached tiles"},
               {22, "words of 4 bytes, far tiles"},
               {CELLS - 1, "words of 16 bytes, any tiles"},
               {CELLS, "bytes that wake a thread"},
               {CELLS + 1, "blocks of a thread"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    memset(&copies, 0, sizeof copies);
    memcpy(copies.own, cases[i].own, sizeof copies.own);
    memcpy(copies.one, cases[i].one, sizeof copies.one);
    copies.other[0] = copies.other[1] = copies.other[2] = 1e9;
    search_by(in_copies);
    assert_int_equal(found.count, STEPS);
    for (int step = 0; step < STEPS; ++step) {
      const bool is_cell = step == LOOKED_AT;
      assert_near(found.of[step].before, is_cell ? cases[i].before : 0.5, 1e-9);
      assert_near(found.of[step].after, is_cell ? cases[i].after : 0.5, 1e-9);
      assert_near(found.of[step].done, (step + 1) / 32., 1e-9);
      assert_true(found.of[step].spread == 0);
      assert_int_equal(found.of[step].outcome, is_cell ? cases[i].outcome : TUNE_SAME);
    }
    for (size_t n = 0; n < sizeof names / sizeof names[0]; ++n) {
      assert_string_equal(found.what[names[n].number], names[n].what);
    }
  }
}

/* What one pass says alone is not believed, nor what both say and no copy can do. Where they differ
 * there is a third, here of the next cell's times, which says that all are alike. */
static void test_one_pass_is_not_believed(void **state) {
  (void)state;
  static const struct {
    double passes[2];
    tune_outcome outcome;
    double before, after, spread;
  } cases[] = {
      {{1, 1}, TUNE_FASTER, 0.5, 1, 0},        {{1, 1.02}, TUNE_FASTER, 0.5, 1 / 1.01, 0.02},
      {{1, 2}, TUNE_UNCONFIRMED, 0.5, 0.5, 1}, {{2, 1}, TUNE_UNCONFIRMED, 0.5, 0.5, 1},
      {{2, 2}, TUNE_SAME, 0.5, 0.5, 0},        {{0.5, 0.5}, TUNE_NOISE, 0.5, 0.5, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    memset(&copies, 0, sizeof copies);
    for (int c = 0; c < TUNE_CASES; ++c) {
      copies.own[c] = copies.other[c] = 2;
      copies.one[c] = 1;
    }
    memcpy(copies.in_passes, cases[i].passes, sizeof copies.in_passes);
    print_message("%g and %g\n", cases[i].passes[0], cases[i].passes[1]);
    search_by(in_copies);
    const tune_finding *const of = &found.of[LOOKED_AT];
    assert_int_equal(of->outcome, cases[i].outcome);
    assert_near(of->before, cases[i].before, 1e-9);
    assert_near(of->after, cases[i].after, 1e-9);
    assert_true(fabs(of->spread - cases[i].spread) < 1e-9);
    assert_int_equal(tune_blocking_read(&found.row, 1, TUNE_CACHED).runs[0],
                     cases[i].outcome == TUNE_FASTER ? 64 : 0);
  }
}

/* ---- Sizes, memory and time ---- */

static int64_t large_bytes, cached_bytes; /* of a case, that are expected */

static double of_its_size(const recorded_run *run) {
  note_run(run);
  if (stage < CELLS * STAGES) {
    const int cell = stage / STAGES;
    const int kind = cell / TUNE_WORDS;
    const size_t bytes = rlt_problem_source_size(run->schedule->problem);
    tune_case expected;
    tune_case_make(kind, stage % TUNE_CASES, 1 << cell % TUNE_WORDS,
                   kind == TUNE_CACHED ? cached_bytes : large_bytes, &expected);
    if (!fake_target_is_copy(run)) {
      assert_int_equal(bytes, tune_case_bytes(&expected));
    }
    assert_true(kind != TUNE_CACHED || run->offsets.source == 0);
  }
  return 1e-3;
}

/* Three caches, or 24 MiB, past the cache; an eighth of it, or a mebibyte, within; half of a side
 * at most. Each worker has twice its part of the second level, a mebibyte at least. */
static void test_sizes_by_hand(void **state) {
  (void)state;
  static const struct {
    uint64_t second_level;
    uint32_t sharers, workers;
    int64_t large, cached;
  } cases[] = {{4 << 20, 1, 2, 48 << 20, 2 << 20},    {4 << 20, 2, 4, 48 << 20, 2 << 20},
               {4 << 20, 8, 4, 24 << 20, 1 << 20},    {16 << 20, 1, 1, 96 << 20, 4 << 20},
               {64 << 20, 1, 2, 256 << 20, 32 << 20}, /* 768 are more than half of 512 */
               {1 << 10, 1, 1, 24 << 20, 1 << 20},    {0, 0, 1, 24 << 20, 1 << 20}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    begin(of_its_size);
    target.base.info.compute_units = cases[i].workers;
    target.base.info.caches[1].bytes = cases[i].second_level;
    target.base.info.caches[1].processors = cases[i].sharers;
    large_bytes = cases[i].large;
    cached_bytes = cases[i].cached;
    assert_int_equal(search(enough, NULL), RELAYOUT_OK);
    fake_target_destroy(&target);
  }
}

/* The first run takes all the time there is. */
static double takes_all_time(const recorded_run *run) {
  (void)run;
  fake_clock_advance(enough);
  return 1e-3;
}

/* 64 MiB for each second, 4 MiB at least; no more than an eighth of the memory, or half a gibibyte,
 * or what one allocation may have. */
static void test_memory_by_hand(void **state) {
  (void)state;
  static const struct {
    double seconds;
    uint64_t memory_bytes, allocation_bytes;
    size_t side_bytes;
  } cases[] = {
      {0, 0, 0, 4 << 20},           {0.03125, 0, 0, 4 << 20},      {0.125, 0, 0, 8 << 20},
      {0.125, 0, 5 << 20, 5 << 20}, {0.125, 32 << 20, 0, 4 << 20}, {0.125, 48 << 20, 0, 6 << 20},
      {8, 0, 0, 512 << 20},         {7.5, 0, 0, 480 << 20},        {9, 0, 0, 512 << 20}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    begin(takes_all_time);
    target.base.info.memory_bytes = cases[i].memory_bytes;
    target.base.info.allocation_bytes = cases[i].allocation_bytes;
    assert_int_equal(search(cases[i].seconds, NULL), RELAYOUT_OK);
    assert_int_equal(target.base.source_capacity, cases[i].side_bytes);
    assert_int_equal(target.base.destination_capacity, cases[i].side_bytes);
    fake_target_destroy(&target);
  }
}

/* However little memory there is: the target checks that every run lies within it. */
static void test_little_memory(void **state) {
  (void)state;
  relayout_error error;
  begin(all_alike);
  target.base.info.allocation_bytes = 2 << 20;
  target.base.info.caches[1].bytes = 1 << 30;
  assert_int_equal(search(enough, &error), RELAYOUT_OK);
  assert_true(target.moves > 0);
  target.base.info.allocation_bytes = (2 << 20) - 1;
  assert_int_equal(search(enough, &error), RELAYOUT_UNSUPPORTED);
  assert_string_equal(error.message, "device recorder cannot be tuned: 2097151 bytes of memory are "
                                     "available, but 2097152 are needed");
  target.base.info.allocation_bytes = 0;
  target.next_reserve = RELAYOUT_OUT_OF_MEMORY;
  assert_int_equal(search(enough, &error), RELAYOUT_OUT_OF_MEMORY);
  assert_false(found.is_new);
  fake_target_destroy(&target);
}

/* Work-items that share tiles have these of one size. */
static void test_groups_cannot_be_tuned(void **state) {
  (void)state;
  relayout_error error;
  begin(all_alike);
  target.base.device->facts = work_group_facts;
  target.base.device->tuning = &work_group_tuning;
  assert_int_equal(search(enough, &error), RELAYOUT_UNSUPPORTED);
  assert_string_equal(error.message,
                      "device recorder cannot be tuned: it has tiles of one size only");
  assert_int_equal(target.moves, 0);
  fake_target_destroy(&target);
}

static double ticking(const recorded_run *run) {
  (void)run;
  fake_clock_advance(2e-3);
  return 2e-3;
}

/* A step has 0.9 seconds of 32, which are fewer than all have turns for. What has begun is
 * finished: a turn of 27 of two milliseconds. Those of threads end early. The rest is for samples:
 * five turns of each, and of a copy. */
static void test_time_is_shared_evenly(void **state) {
  (void)state;
  begin(ticking);
  assert_int_equal(search(32, NULL), RELAYOUT_OK);
  fake_target_destroy(&target);
  assert_int_equal(found.count, STEPS);
  for (int step = 0; step < STEPS; ++step) {
    const double end = 0.9 * (step + 1);
    print_message("%g: %g s\n", end, found.at[step]);
    assert_true(found.at[step] < end + 0.055);
    assert_true(step >= CELLS || found.at[step] > end - 0.001);
  }
  assert_true(fake_clock_seconds() >= 32 && fake_clock_seconds() < 32.021);
}

/* ---- Rates ---- */

/* What all take by the cost model, if these are the rates. */
static rlt_tuning truth;

static double as_predicted(const recorded_run *run) {
  const rlt_schedule *const schedule = run->schedule;
  const double copy = 1e-9 * (double)rlt_problem_destination_size(schedule->problem);
  double time = 0;
  rlt_cost cost;
  if (fake_target_is_copy(run)) {
    return copy;
  }
  if (schedule->problem->element_bytes == 16) {
    return -1;
  }
  rlt_cost_estimate(&cpu_facts, &truth, schedule, &cost);
  for (int t = 0; t < RLT_COST_TERMS; ++t) {
    time += cost.times[t];
  }
  return copy * time;
}

/* Rates, other ones for each word size, are found again that were believed to be twice as large:
 * the more closely, the more of them the cases and samples take. What words of 16 bytes would take,
 * which fail, says nothing. */
static void test_finds_the_rates(void **state) {
  (void)state;
  static const struct {
    rlt_rate rate;
    double tolerance;
  } expected[] = {{RLT_RATE_LINE_AGAIN, 0.5},   {RLT_RATE_LINE_IN_PARTS, 0.15},
                  {RLT_RATE_STRAIGHT_RUN, 0.6}, {RLT_RATE_TRANSPOSED_LINE, 0.05},
                  {RLT_RATE_LINE, 0.15},        {RLT_RATE_PAGE, 0.1}};
  rlt_tuning believed = cpu_tuning;
  truth = cpu_tuning;
  for (int w = 0; w < RLT_WORD_SIZES; ++w) {
    truth.words[w].rates = (rlt_rates){.of = {[RLT_RATE_LINE_AGAIN] = 0.1 + 0.05 * w,
                                              [RLT_RATE_LINE_IN_PARTS] = 1 + 0.5 * w,
                                              [RLT_RATE_RUN] = 0.02 + 0.01 * w,
                                              [RLT_RATE_STRAIGHT_RUN] = 2 - 0.2 * w,
                                              [RLT_RATE_TRANSPOSED_LINE] = 0.5 - 0.05 * w,
                                              [RLT_RATE_LINE] = 0.3 - 0.03 * w,
                                              [RLT_RATE_PAGE] = 0.2}};
    for (int r = 1; r < RLT_RATES; ++r) {
      believed.words[w].rates.of[r] = 2 * truth.words[w].rates.of[r];
    }
  }
  begin(as_predicted);
  target.base.device->tuning = &believed;
  target.base.info.allocation_bytes = 8 << 20; /* of which each case has half */
  assert_int_equal(search(enough, NULL), RELAYOUT_OK);
  fake_target_destroy(&target);
  assert_true(found.is_new);
  for (int w = 0; w < RLT_WORD_SIZES; ++w) {
    tune_rates made;
    tune_rates_read(&found.row, 1 << w, &made);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i) {
      const rlt_rate r = expected[i].rate;
      const double value = made.of[r - 1];
      print_message("words of %d, rate %d: %g, made by %g\n", 1 << w, r, value,
                    truth.words[w].rates.of[r]);
      if (w == 4) {
        assert_near(value, believed.words[w].rates.of[r], 1e-9);
      } else {
        assert_near(value, truth.words[w].rates.of[r], expected[i].tolerance);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_finds_the_fastest),
      cmocka_unit_test(test_finds_packing),
      cmocka_unit_test(test_nothing_faster_is_nothing_new),
      cmocka_unit_test(test_one_thread_shares_nothing),
      cmocka_unit_test(test_without_times_all_stays),
      cmocka_unit_test(test_clearly_faster_wins),
      cmocka_unit_test(test_own_blocking_fails),
      cmocka_unit_test(test_what_is_reported),
      cmocka_unit_test(test_one_pass_is_not_believed),
      cmocka_unit_test(test_sizes_by_hand),
      cmocka_unit_test(test_memory_by_hand),
      cmocka_unit_test(test_little_memory),
      cmocka_unit_test(test_groups_cannot_be_tuned),
      cmocka_unit_test(test_time_is_shared_evenly),
      cmocka_unit_test(test_finds_the_rates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
