/* test_tune_turns.c: who takes turns while a device is tuned, and for how long; who wins, and what
 * is told of it; by times, and a clock, that the test sets. */
#include "cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "plan/devices.h"
#include "plan/fake_clock.h"
#include "plan/recorder.h"
#include "search/cost.h"
#include "search/tune.h"
#include "search/tune_cases.h"

/* Far longer than anything here takes. */
static const double enough = 1000;

/* A kind of tiles of a word size, a cell, has four rounds of three cases, and the last and the
 * first wish in three more, twice. */
enum {
  STAGES = 6 * RLT_TUNE_CASES,
  CELLS = RLT_WORD_SIZES * RLT_TILES,
  STEPS = CELLS + 2,                             /* and what is found of threads */
  LOOKED_AT = RLT_TILES_CACHED * RLT_WORD_SIZES, /* cached tiles of bytes */
  MOST_SEEN = 40
};

/* Who has run on one of its problems, in the order of their first turns. */
typedef struct turns {
  int count;
  int copies;
  int runs[MOST_SEEN];
  rlt_tile_wish wishes[MOST_SEEN];
} turns;

static struct {
  rlt_problem problem; /* of the last run */
  int stage;           /* STAGES for each cell, then what is not of any */
  turns of[STAGES];    /* of the cell that is looked at */
} seen;

static bool is_copy(const recorded_run *run) {
  return run->schedule->move == RLT_MOVE_COPY && run->schedule->problem->axis_count == 1;
}

static bool axes_equal(const rlt_problem *a, const rlt_problem *b) {
  bool equal = a->axis_count == b->axis_count && a->element_bytes == b->element_bytes;
  for (int32_t i = 0; equal && i < a->axis_count; ++i) {
    equal = a->axes[i].extent == b->axes[i].extent &&
            a->axes[i].source_stride == b->axes[i].source_stride &&
            a->axes[i].destination_stride == b->axes[i].destination_stride;
  }
  return equal;
}

static bool wishes_equal(const rlt_tile_wish *a, const rlt_tile_wish *b) {
  return a->runs.read_bytes == b->runs.read_bytes && a->runs.write_bytes == b->runs.write_bytes &&
         a->blocks.read_bytes == b->blocks.read_bytes &&
         a->blocks.write_bytes == b->blocks.write_bytes && a->prefetch.tiles == b->prefetch.tiles &&
         a->prefetch.level == b->prefetch.level && a->loads == b->loads;
}

static bool has_runs(const rlt_tile_wish *wish, int64_t read_bytes, int64_t write_bytes) {
  return wish->runs.read_bytes == read_bytes && wish->runs.write_bytes == write_bytes;
}

/* Whether tuning goes on behind the cell that is looked at; or there is no more time then. */
static bool goes_on;

/* Notes where tuning is, by the problem of the run. How often its wish has run on that before; 0
 * where the cell is not looked at. */
static int note_run(const recorded_run *run) {
  if (run->number == 0) {
    memset(&seen, 0, sizeof seen);
    seen.problem = *run->schedule->problem;
  }
  if (!is_copy(run) && !axes_equal(&seen.problem, run->schedule->problem)) {
    seen.problem = *run->schedule->problem;
    ++seen.stage;
  }
  if (seen.stage / STAGES != LOOKED_AT) {
    fake_clock_advance(seen.stage / STAGES > LOOKED_AT && !goes_on ? enough : 0);
    return 0;
  }
  turns *const at = &seen.of[seen.stage % STAGES];
  if (is_copy(run)) {
    return at->copies++;
  }
  int w = 0;
  while (w < at->count && !wishes_equal(&at->wishes[w], &run->schedule->wish)) {
    ++w;
  }
  if (w == at->count) {
    assert_in_range(w, 0, MOST_SEEN - 1);
    at->wishes[at->count++] = run->schedule->wish;
  }
  return at->runs[w]++;
}

/* What is told, step by step. */
typedef struct told {
  int count;
  relayout_tuned of[STEPS];
  char what[STEPS][64];
} told;

static void tell(void *context, const relayout_tuned *what) {
  told *const made = context;
  assert_in_range(made->count, 0, STEPS - 1);
  snprintf(made->what[made->count], sizeof made->what[0], "%s", what->what);
  made->of[made->count++] = *what;
}

/* Tunes a device with these facts, from a row on, and room for 128 MiB on either side. */
static void tune(const rlt_facts *facts, const rlt_tuning *row,
                 double (*seconds)(const recorded_run *run), rlt_tuning *found, told *made) {
  recorder record;
  relayout_device *const device = recorder_cpu_device(&record);
  const rlt_tune_report report = {tell, made};
  *made = (told){.count = 0};
  fake_clock_reset();
  device->facts = *facts;
  device->tuning = row;
  device->info.memory_bytes = UINT64_C(1) << 30;
  record.seconds = seconds;
  bool is_new;
  assert_int_equal(rlt_tune(device, enough, &report, found, &is_new, NULL), RELAYOUT_OK);
  assert_int_equal(record.programs_alive, 0);
  assert_int_equal(record.scratches_alive, 0);
  relayout_device_destroy(device);
}

static void assert_near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance * expected)) {
    fail_msg("%.17g is not %.17g", value, expected);
  }
}

/* ---- Turns ---- */

/* The best is half a second; more than 1.6 of it is out after a turn, and more than 1.2 after two,
 * whichever of these was the faster. What fails has no further turn. */
static const struct {
  int64_t read_bytes, write_bytes;
  double first, later;
  int runs;
} paces[] = {{64, 64, 1, 1, 15},       {64, 128, 1.6, 1.6, 2},    {64, 256, 1.61, 1.61, 1},
             {64, 512, 1.2, 1.2, 15},  {64, 1024, 1.21, 1.21, 2}, {128, 64, 1.5, 1.1, 15},
             {128, 128, 1.1, 1.5, 15}, {128, 256, 1, -1, 2},      {256, 512, 1.5, 1.5, 2}};
enum { PACES = sizeof paces / sizeof paces[0] };

static double by_paces(const recorded_run *run) {
  const int before = note_run(run);
  if (is_copy(run) || seen.stage != LOOKED_AT * STAGES) {
    return 1;
  }
  for (int i = 0; i < PACES; ++i) {
    if (has_runs(&run->schedule->wish, paces[i].read_bytes, paces[i].write_bytes)) {
      return 0.5 * (before == 0 ? paces[i].first : paces[i].later);
    }
  }
  return 0.5 * 3;
}

static void test_slow_wishes_are_out(void **state) {
  (void)state;
  rlt_tuning found;
  told made;
  tune(&cpu_facts, &cpu_tuning, by_paces, &found, &made);
  const turns *const first = &seen.of[0];
  assert_int_equal(first->count, 25);
  assert_int_equal(first->copies, 15);
  for (int w = 0; w < first->count; ++w) {
    int expected = 1;
    for (int i = 0; i < PACES; ++i) {
      if (has_runs(&first->wishes[w], paces[i].read_bytes, paces[i].write_bytes)) {
        expected = paces[i].runs;
      }
    }
    print_message("%d:%d\n", (int)first->wishes[w].runs.read_bytes,
                  (int)first->wishes[w].runs.write_bytes);
    assert_int_equal(first->runs[w], expected);
  }
}

/* ---- What is tried in each round ---- */

static bool loading_is_fast;

static double doublings(int64_t a, int64_t b) {
  return fabs(log2((double)a) - log2((double)b));
}

/* Runs of 512 and 64 bytes, blocks along the destination and the second level are the best. */
static double as_wished(const recorded_run *run) {
  const rlt_tile_wish *const wish = &run->schedule->wish;
  note_run(run);
  if (is_copy(run)) {
    return 1e-3;
  }
  return 1e-3 *
         (1 + doublings(wish->runs.read_bytes, 512) + doublings(wish->runs.write_bytes, 64) +
          (wish->blocks.write_bytes == RLT_ALL_THE_WAY && wish->blocks.read_bytes == 0 ? 0 : 1) +
          (wish->prefetch.tiles == 1 && wish->prefetch.level == 2 ? 0 : 1) +
          (wish->loads == loading_is_fast ? 0 : 2));
}

static double loading_alone(const recorded_run *run) {
  note_run(run);
  return is_copy(run) || run->schedule->wish.loads == loading_is_fast ? 1e-3 : 2e-3;
}

static double all_alike(const recorded_run *run) {
  note_run(run);
  return 1e-3;
}

static void expect_round(int round, const rlt_tile_wish *expected, int count) {
  for (int i = 0; i < RLT_TUNE_CASES; ++i) {
    const turns *const of = &seen.of[RLT_TUNE_CASES * round + i];
    print_message("round %d, case %d\n", round, i);
    assert_int_equal(of->count, count);
    for (int w = 0; w < count; ++w) {
      assert_true(wishes_equal(&of->wishes[w], &expected[w]));
    }
  }
}

/* All runs from a line to 1024 bytes beside the best so far; or from half of its own to twice. */
static void expect_runs(int round, rlt_tile_wish best, bool only_near) {
  const rlt_reach own = best.runs;
  rlt_tile_wish tried[MOST_SEEN] = {best};
  int count = 1;
  for (int64_t read = 64; read <= 1024; read *= 2) {
    for (int64_t write = 64; write <= 1024; write *= 2) {
      const bool is_near =
          doublings(read, own.read_bytes) <= 1 && doublings(write, own.write_bytes) <= 1;
      if ((is_near || !only_near) && (read != own.read_bytes || write != own.write_bytes)) {
        tried[count] = best;
        tried[count++].runs = (rlt_reach){read, write};
      }
    }
  }
  expect_round(round, tried, count);
}

static void expect_blocks(int round, rlt_tile_wish best) {
  static const rlt_reach blocks[] = {{2048, 2048},
                                     {RLT_ALL_THE_WAY, 0},
                                     {0, RLT_ALL_THE_WAY},
                                     {4096, RLT_ALL_THE_WAY},
                                     {4096, 16384}};
  rlt_tile_wish tried[6] = {best};
  for (int i = 0; i < 5; ++i) {
    tried[i + 1] = best;
    tried[i + 1].blocks = blocks[i];
  }
  expect_round(round, tried, 6);
}

static void expect_prefetches(int round, rlt_tile_wish best) {
  static const rlt_prefetch prefetches[] = {{0, 0}, {1, 2}, {1, 3}, {2, 1}, {2, 2}};
  rlt_tile_wish tried[7] = {best};
  int count = 1;
  tried[count] = best;
  tried[count++].loads = true;
  for (int i = 0; i < 5; ++i) {
    tried[count] = best;
    tried[count++].prefetch = prefetches[i];
  }
  expect_round(round, tried, count);
}

/* What is the fastest in a round goes into the next, and at last it meets the first again, unless
 * it is that. */
static void test_rounds_by_hand(void **state) {
  (void)state;
  static const struct {
    double (*seconds)(const recorded_run *run);
    bool loading_is_fast;
    rlt_reach first_runs, runs, blocks;
    rlt_prefetch prefetch;
  } cases[] = {
      {as_wished, false, {256, 512}, {512, 64}, {0, RLT_ALL_THE_WAY}, {1, 2}},
      {as_wished, true, {256, 512}, {512, 64}, {0, RLT_ALL_THE_WAY}, {1, 1}},
      {loading_alone, true, {256, 512}, {256, 512}, {4096, 4096}, {1, 1}},
      {all_alike, false, {256, 512}, {256, 512}, {4096, 4096}, {1, 1}},
      {all_alike, false, {192, 96}, {192, 96}, {4096, 4096}, {1, 1}},
  };
  rlt_tile_wish first = cpu_tuning.words[0].tiles[RLT_TILES_ANY]; /* unless it has its own */
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_tuning found;
    told made;
    loading_is_fast = cases[i].loading_is_fast;
    rlt_tuning row = cpu_tuning;
    first.runs = cases[i].first_runs;
    row.words[0].tiles[i % 2 == 0 ? RLT_TILES_ANY : RLT_TILES_CACHED] = first;
    tune(&cpu_facts, &row, cases[i].seconds, &found, &made);
    rlt_tile_wish best = first;
    expect_runs(0, best, false);
    best.runs = cases[i].runs;
    expect_blocks(1, best);
    best.blocks = cases[i].blocks;
    expect_prefetches(2, best);
    best.prefetch = cases[i].prefetch;
    best.loads = cases[i].loading_is_fast;
    expect_runs(3, best, true);
    const bool same = wishes_equal(&first, &best);
    for (int pass = 4; pass < 6; ++pass) {
      expect_round(pass, (const rlt_tile_wish[]){first, best}, same ? 1 : 2);
      assert_true(seen.of[pass * RLT_TUNE_CASES].runs[0] <= 15);
    }
    assert_true(wishes_equal(&found.words[0].tiles[RLT_TILES_CACHED],
                             same ? &row.words[0].tiles[RLT_TILES_CACHED] : &best));
  }
}

/* ---- Who is the fastest, and what is told of it ---- */

/* What the first wish, and two others, take in the cell's three cases, in copies; the rest take
 * nine, and in all other cells two. */
static double own_copies[RLT_TUNE_CASES];
static double one_copies[RLT_TUNE_CASES];
static double other_copies[RLT_TUNE_CASES];

static double in_copies(const recorded_run *run) {
  static const double copy_seconds = 0.5;
  const rlt_tile_wish *const wish = &run->schedule->wish;
  const int i = (note_run(run), seen.stage % RLT_TUNE_CASES);
  if (is_copy(run)) {
    return copy_seconds;
  }
  return copy_seconds * (seen.stage / STAGES != LOOKED_AT ? 2
                         : has_runs(wish, 256, 512)       ? own_copies[i]
                         : has_runs(wish, 64, 64)         ? one_copies[i]
                         : has_runs(wish, 1024, 1024)     ? other_copies[i]
                                                          : 9);
}

static void tune_in_copies(const double own[], const double one[], const double other[],
                           rlt_tuning *found, told *made) {
  memcpy(own_copies, own, sizeof own_copies);
  memcpy(one_copies, one, sizeof one_copies);
  memcpy(other_copies, other, sizeof other_copies);
  tune(&cpu_facts, &cpu_tuning, in_copies, found, made);
}

/* What becomes part of the row; 0: the kind has no wish of its own, as before. Two hundredths in
 * each case, one with the other: 0.98 is enough three times, and 0.981 is not. Of
 * the others the fastest is. What fails once is nowhere the fastest. */
static void test_clearly_faster_wins(void **state) {
  (void)state;
  static const struct {
    double one[RLT_TUNE_CASES], other[RLT_TUNE_CASES];
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
  static const double own[] = {1, 1, 1};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_tuning found;
    told made;
    print_message("%g %g %g\n", cases[i].one[0], cases[i].one[1], cases[i].one[2]);
    tune_in_copies(own, cases[i].one, cases[i].other, &found, &made);
    assert_int_equal(found.words[0].tiles[RLT_TILES_CACHED].runs.read_bytes, cases[i].runs);
    assert_true(made.count > LOOKED_AT);
  }
}

/* A first wish that cannot run leaves nothing to compare with. */
static void test_first_fails(void **state) {
  (void)state;
  static const double own[] = {1, -1, 1}, one[] = {1, 1, 1};
  rlt_tuning found;
  told made;
  tune_in_copies(own, one, one, &found, &made);
  assert_int_equal(made.count,
                   LOOKED_AT + 1); /* of it nothing, but of the next one's first turns */
  assert_int_equal(found.words[0].tiles[RLT_TILES_CACHED].runs.read_bytes, 0);
}

/* Geometric means, as parts of a copy's speed: 2, 4 and 8 copies are a quarter of it. */
static void test_what_is_told(void **state) {
  (void)state;
  static const struct {
    double own[RLT_TUNE_CASES], one[RLT_TUNE_CASES];
    double before, after;
  } cases[] = {{{2, 4, 8}, {1, 1, 8}, 0.25, 0.5},
               {{0.5, 0.5, 0.5}, {0.125, 0.5, 0.25}, 2, 2}, /* which no copy is */
               {{1.25, 1.25, 1.25}, {1.1, 1.1, 1.1}, 0.8, 1 / 1.1},
               {{1, 1, 1}, {1, 1, 1}, 1, 1},
               {{1000, 1000, 1000}, {1000, 0.5, 0.002}, 0.001, 1}};
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
  static const double slow[] = {1e9, 1e9, 1e9};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_tuning found;
    told made;
    goes_on = i == 0;
    tune_in_copies(cases[i].own, cases[i].one, slow, &found, &made);
    goes_on = false;
    assert_int_equal(made.count, i == 0 ? STEPS : LOOKED_AT + 2);
    for (int t = 0; t < (i == 0 ? STEPS : LOOKED_AT + 1); ++t) {
      const bool is_cell = t == LOOKED_AT;
      assert_near(made.of[t].before, is_cell ? cases[i].before : 0.5, 1e-9);
      assert_near(made.of[t].after, is_cell ? cases[i].after : 0.5, 1e-9);
      assert_near(made.of[t].done, (t + 1) / 32., 1e-9);
      assert_true(made.of[t].spread == 0);
      assert_int_equal(made.of[t].outcome, !is_cell || i == 3 ? RELAYOUT_TUNED_SAME
                                           : i == 1           ? RELAYOUT_TUNED_NOISE
                                                              : RELAYOUT_TUNED_FASTER);
    }
    for (size_t n = 0; n < sizeof names / sizeof names[0] && i == 0; ++n) {
      assert_string_equal(made.what[names[n].number], names[n].what);
    }
  }
}

/* ---- Passes ---- */

/* A wish that is the fastest in every round and takes its own time in the two passes behind. */
static double of_passes[2];

static double by_pass(const recorded_run *run) {
  const int round = (note_run(run), seen.stage % STAGES / RLT_TUNE_CASES);
  if (is_copy(run)) {
    return 0.5;
  }
  return 0.5 * (seen.stage / STAGES != LOOKED_AT || !has_runs(&run->schedule->wish, 64, 64) ? 2
                : round < 4                                                                 ? 1
                            : of_passes[round - 4]);
}

/* What one pass says alone is not believed, nor what both say and no copy can do. Where they differ
 * there is a third, here of the next cell's times, which says that all are alike. */
static void test_one_pass_is_not_believed(void **state) {
  (void)state;
  static const struct {
    double passes[2];
    relayout_tuned_outcome outcome;
    double before, after, spread;
  } cases[] = {{{1, 1}, RELAYOUT_TUNED_FASTER, 0.5, 1, 0},
               {{1, 1.02}, RELAYOUT_TUNED_FASTER, 0.5, 1 / 1.01, 0.02},
               {{1, 2}, RELAYOUT_TUNED_UNCONFIRMED, 0.5, 0.5, 1},
               {{2, 1}, RELAYOUT_TUNED_UNCONFIRMED, 0.5, 0.5, 1},
               {{2, 2}, RELAYOUT_TUNED_SAME, 0.5, 0.5, 0},
               {{0.5, 0.5}, RELAYOUT_TUNED_NOISE, 0.5, 0.5, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_tuning found;
    told made;
    memcpy(of_passes, cases[i].passes, sizeof of_passes);
    print_message("%g and %g\n", of_passes[0], of_passes[1]);
    tune(&cpu_facts, &cpu_tuning, by_pass, &found, &made);
    assert_true(made.count > LOOKED_AT);
    const relayout_tuned *const of = &made.of[LOOKED_AT];
    assert_int_equal(of->outcome, cases[i].outcome);
    assert_near(of->before, cases[i].before, 1e-9);
    assert_near(of->after, cases[i].after, 1e-9);
    assert_true(fabs(of->spread - cases[i].spread) < 1e-9);
    assert_int_equal(found.words[0].tiles[RLT_TILES_CACHED].runs.read_bytes,
                     cases[i].outcome == RELAYOUT_TUNED_FASTER ? 64 : 0);
  }
}

/* ---- Sizes and places ---- */

static int64_t large_bytes, cached_bytes; /* of a case, that are expected */

static double of_its_size(const recorded_run *run) {
  static size_t last;
  note_run(run);
  if (seen.stage < CELLS * STAGES) {
    const int32_t cell = seen.stage / STAGES;
    const rlt_tiles tiles = (rlt_tiles)(cell / RLT_WORD_SIZES);
    const bool stays = tiles == RLT_TILES_CACHED;
    const int64_t bytes = (int64_t)rlt_problem_source_size(run->schedule->problem);
    rlt_problem expected;
    rlt_tune_case(tiles, seen.stage % RLT_TUNE_CASES, INT64_C(1) << cell % RLT_WORD_SIZES,
                  stays ? cached_bytes : large_bytes, &expected);
    const int64_t expected_bytes = (int64_t)rlt_problem_source_size(&expected);
    assert_int_equal(bytes, is_copy(run) ? expected_bytes / 64 * 64 : expected_bytes);
    assert_true(!stays || run->offsets.source == 0);
    assert_true(stays || run->number == 0 || run->offsets.source != last ||
                large_bytes > 24 << 20); /* only one of which fits, maybe */
    last = run->offsets.source;
  }
  return 1e-3;
}

/* Three caches, or 24 MiB, past the cache; an eighth of it, or a mebibyte, within; half of a side
 * at most. A device of which no cache is known has one of a mebibyte. */
static void test_sizes_by_hand(void **state) {
  (void)state;
  static const struct {
    int64_t cache_bytes, large, cached;
  } cases[] = {{16 << 20, 48 << 20, 2 << 20},
               {32 << 20, 64 << 20, 4 << 20}, /* 96 are more than half of 128 */
               {0, 24 << 20, 1 << 20}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_facts facts = cpu_facts;
    rlt_tuning found;
    told made;
    large_bytes = cases[i].large;
    cached_bytes = cases[i].cached;
    facts.cache_bytes = cases[i].cache_bytes;
    goes_on = true;
    tune(&facts, &cpu_tuning, of_its_size, &found, &made);
    goes_on = false;
    assert_int_equal(made.count, STEPS);
  }
}

/* ---- Time ---- */

static double ticking(const recorded_run *run) {
  note_run(run);
  fake_clock_advance(2e-3);
  return 1e-3;
}

/* A step has 0.9 seconds of 32, which are fewer than all have turns for. What has begun is
 * finished: a turn of 27 of two milliseconds. Those of threads end early. */
static void note_time(void *context, const relayout_tuned *what) {
  int *const step = context;
  const double end = 0.9 * ++*step;
  assert_near(what->done, *step / 32., 1e-9);
  print_message("%g: %g s\n", end, fake_clock_seconds());
  assert_true(fake_clock_seconds() < end + 0.055);
  assert_true(*step > CELLS || fake_clock_seconds() > end - 0.001);
}

static void test_time_is_shared_evenly(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_cpu_device(&record);
  rlt_tuning found;
  int steps = 0;
  const rlt_tune_report report = {note_time, &steps};
  fake_clock_reset();
  goes_on = true;
  record.seconds = ticking;
  bool is_new;
  assert_int_equal(rlt_tune(device, 32, &report, &found, &is_new, NULL), RELAYOUT_OK);
  goes_on = false;
  assert_int_equal(steps, STEPS);
  /* The cases of a round have as many turns, but for one that had begun. */
  for (int s = 0; s < STAGES; ++s) {
    const int turns_of_first = seen.of[s / RLT_TUNE_CASES * RLT_TUNE_CASES].copies;
    assert_true(seen.of[s].copies > 0);
    assert_in_range(seen.of[s].copies - turns_of_first + 2, 0, 2 + (s % RLT_TUNE_CASES > 0));
  }
  /* A sixth of a step for each round: 0.15 s, but for two turns. */
  for (int round = 0; round < 4; ++round) {
    int runs = 0;
    for (int s = RLT_TUNE_CASES * round; s < RLT_TUNE_CASES * (round + 1); ++s) {
      runs += seen.of[s].copies;
      for (int w = 0; w < seen.of[s].count; ++w) {
        runs += seen.of[s].runs[w];
      }
    }
    print_message("round %d: %d runs\n", round, runs);
    assert_in_range(runs, 60, 105);
  }
  /* The rest is for samples: five turns of each, and of a copy. */
  print_message("%g s\n", fake_clock_seconds());
  assert_true(fake_clock_seconds() >= 32 && fake_clock_seconds() < 32.021);
  relayout_device_destroy(device);
}

/* Half a minute unless a caller says otherwise. Without a folder nothing is kept of it. */
static void test_time_of_a_caller(void **state) {
  (void)state;
  static const double seconds[][2] = {{0, 30}, {2, 2}};
  for (int i = 0; i < 2; ++i) {
    recorder record;
    relayout_device *const device = recorder_cpu_device(&record);
    relayout_tune_options options = RELAYOUT_TUNE_OPTIONS_INIT;
    relayout_error error;
    options.seconds = seconds[i][0];
    device->tuning = rlt_tuning_shipped(0);
    fake_clock_reset();
    goes_on = true;
    record.seconds = ticking;
    assert_int_equal(relayout_device_tune(device, i == 0 ? NULL : &options, &error),
                     RELAYOUT_UNSUPPORTED);
    goes_on = false;
    assert_string_equal(error.message, "tuning: no file can be kept: there is no cache folder");
    print_message("%g s\n", fake_clock_seconds());
    assert_true(fake_clock_seconds() > 0.98 * seconds[i][1]);
    assert_true(fake_clock_seconds() < 1.02 * seconds[i][1] + 0.5);
    assert_ptr_equal(device->tuning, rlt_tuning_shipped(0));
    relayout_device_destroy(device);
  }
}

/* ---- Rates ---- */

/* What all take by the cost model, if these are the rates. */
static rlt_tuning truth;

static double as_foretold(const recorded_run *run) {
  const rlt_schedule *const schedule = run->schedule;
  const double copy = 1e-9 * (double)rlt_problem_destination_size(schedule->problem);
  double time = 0;
  rlt_cost cost;
  if (is_copy(run)) {
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
  recorder record;
  relayout_device *const device = recorder_cpu_device(&record);
  const rlt_tune_report nobody = {NULL, NULL};
  rlt_tuning believed = cpu_tuning;
  rlt_tuning found;
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
  device->tuning = &believed;
  device->info.memory_bytes = UINT64_C(1) << 30;
  device->info.allocation_bytes = 8 << 20; /* of which each case has half */
  fake_clock_reset();
  record.seconds = as_foretold;
  bool is_new;
  assert_int_equal(rlt_tune(device, enough, &nobody, &found, &is_new, NULL), RELAYOUT_OK);
  assert_true(is_new);
  assert_memory_equal(&found.words[4].rates, &believed.words[4].rates, sizeof(rlt_rates));
  for (int w = 0; w < 4; ++w) {
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i) {
      const rlt_rate r = expected[i].rate;
      print_message("words of %d, rate %d: %g, made by %g\n", 1 << w, r, found.words[w].rates.of[r],
                    truth.words[w].rates.of[r]);
      assert_near(found.words[w].rates.of[r], truth.words[w].rates.of[r], expected[i].tolerance);
    }
  }
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_slow_wishes_are_out),   cmocka_unit_test(test_rounds_by_hand),
      cmocka_unit_test(test_clearly_faster_wins),   cmocka_unit_test(test_first_fails),
      cmocka_unit_test(test_what_is_told),          cmocka_unit_test(test_sizes_by_hand),
      cmocka_unit_test(test_time_is_shared_evenly), cmocka_unit_test(test_time_of_a_caller),
      cmocka_unit_test(test_finds_the_rates),       cmocka_unit_test(test_one_pass_is_not_believed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
