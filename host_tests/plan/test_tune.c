/* test_tune.c: what tuning finds, on a device whose times the test sets. */
#include "cmocka_all.h"

#include <string.h>

#include "plan/devices.h"
#include "plan/recorder.h"
#include "plan/tune.h"
#include "plan/tune_cases.h"
#include "problem/definition.h"

/* Far longer than anything here takes. */
static const double enough = 1000;

/* A wish for each kind of tiles of each word size, and two numbers for threads. */
enum { FINDINGS = RLT_WORD_SIZES * RLT_TILES + 2 };

typedef struct findings {
  int count;
  int gains;
  double done;
} findings;

static void note(void *context, const relayout_tuned *what) {
  findings *const made = context;
  assert_int_equal(what->struct_size, sizeof *what);
  assert_true(strlen(what->what) > 0 && what->before > 0 && what->after >= what->before);
  assert_true(what->done > made->done && what->done <= 1);
  ++made->count;
  made->gains += what->after > what->before;
  made->done = what->done;
}

static relayout_device *cpu_like(recorder *record) {
  relayout_device *const device = recorder_device(record);
  device->facts = cpu_facts;
  device->tuning = &cpu_tuning;
  device->info.memory_bytes = UINT64_C(1) << 30;
  return device;
}

static relayout_status tune(relayout_device *device, double seconds, findings *made,
                            rlt_tuning *found) {
  const rlt_tune_report report = {note, made};
  *made = (findings){.count = 0};
  return rlt_tune(device, seconds, &report, found, NULL);
}

/* How many doublings lie between two lengths. */
static double doublings(int64_t a, int64_t b) {
  double count = 0;
  for (int64_t least = a < b ? a : b, most = a < b ? b : a; 2 * least <= most; least *= 2) {
    ++count;
  }
  return count;
}

/* Runs of 512 and 64 bytes, blocks along the destination and the second level are the best. */
static double as_wished(const recorded_run *run) {
  const rlt_tile_wish *const wish = &run->schedule->wish;
  if (run->schedule->move == RLT_MOVE_COPY) {
    return 1e-3;
  }
  return 1e-3 *
         (1 + doublings(wish->runs.read_bytes, 512) + doublings(wish->runs.write_bytes, 64) +
          (wish->blocks.write_bytes == RLT_ALL_THE_WAY && wish->blocks.read_bytes == 0 ? 0 : 1) +
          (wish->prefetch.tiles == 1 && wish->prefetch.level == 2 ? 0 : 1));
}

static void test_finds_the_fastest(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = cpu_like(&record);
  rlt_tuning found;
  findings made;
  record.seconds = as_wished;
  assert_int_equal(tune(device, enough, &made, &found), RELAYOUT_OK);
  assert_int_equal(made.count, FINDINGS);
  assert_int_equal(made.gains, RLT_WORD_SIZES * RLT_TILES);
  assert_true(made.done == 1);
  for (int w = 0; w < RLT_WORD_SIZES; ++w) {
    for (int t = 0; t < RLT_TILES; ++t) {
      const rlt_tile_wish *const wish = &found.words[w].tiles[t];
      print_message("%d-byte words, %s\n", 1 << w, rlt_tiles_name((rlt_tiles)t));
      if (t != RLT_TILES_CHANNELS) { /* whose runs are longer, so that none was faster */
        assert_int_equal(wish->runs.read_bytes, 512);
        assert_int_equal(wish->runs.write_bytes, 64);
      }
      assert_int_equal(wish->blocks.read_bytes, 0);
      assert_true(wish->blocks.write_bytes == RLT_ALL_THE_WAY);
      assert_int_equal(wish->prefetch.level, t == RLT_TILES_CACHED ? wish->prefetch.level : 2);
    }
  }
  assert_string_equal(found.kind, cpu_tuning.kind);
  assert_int_equal(record.programs_alive, 0);
  assert_int_equal(record.scratches_alive, 0);
  relayout_device_destroy(device);
}

static double all_alike(const recorded_run *run) {
  (void)run;
  return 1e-3;
}

static int64_t bytes_of(const recorded_run *run) {
  return (int64_t)rlt_problem_source_size(run->schedule->problem);
}

/* A second thread takes half of the bytes, and as long to wake as 320 KiB to move. */
static double waking(const recorded_run *run) {
  const int32_t threads = run->schedule->threads;
  return 1e-9 * ((double)bytes_of(run) / threads + (threads - 1) * 320 * 1024);
}

/* Threads that are always awake, or never wake up. */
static double sharing(const recorded_run *run) {
  return 1e-9 * (double)bytes_of(run) / run->schedule->threads;
}

static double alone(const recorded_run *run) {
  return 1e-9 * (double)bytes_of(run) * run->schedule->threads;
}

/* Half a mebibyte is the first power of two that is worth it; else the least and the most. */
static void test_finds_what_threads_are_worth(void **state) {
  (void)state;
  static const struct {
    double (*seconds)(const recorded_run *run);
    int64_t before, after;
  } cases[] = {{waking, 1 << 20, 512 << 10},   {waking, 64 << 10, 512 << 10},
               {waking, 512 << 10, 512 << 10}, {waking, 8 << 20, 512 << 10},
               {sharing, 1 << 20, 64 << 10},   {alone, 1 << 20, 8 << 20}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    recorder record;
    relayout_device *const device = cpu_like(&record);
    rlt_tuning row = cpu_tuning, found;
    findings made;
    row.thread_bytes = cases[i].before;
    device->tuning = &row;
    record.seconds = cases[i].seconds;
    assert_int_equal(tune(device, enough, &made, &found), RELAYOUT_OK);
    assert_int_equal(found.thread_bytes, cases[i].after);
    assert_int_equal(made.count, FINDINGS);
    relayout_device_destroy(device);
  }
}

/* Those inside of a block. */
static double tiles_together(const recorded_run *run) {
  double tiles = 1;
  for (int32_t i = 0; i < run->schedule->loops.inner_count; ++i) {
    tiles *= (double)run->schedule->loops.inside[i];
  }
  return tiles;
}

static double by_small_blocks(const recorded_run *run) {
  return 1e-3 * (1 + 1e-6 * tiles_together(run) * (double)bytes_of(run));
}

static double by_large_blocks(const recorded_run *run) {
  return 1e-3 / (1 + tiles_together(run));
}

static void test_finds_how_many_blocks_threads_take(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = cpu_like(&record);
  rlt_tuning found;
  findings made;
  record.seconds = by_small_blocks;
  assert_int_equal(tune(device, enough, &made, &found), RELAYOUT_OK);
  assert_int_equal(found.thread_blocks, 32);
  record.seconds = by_large_blocks;
  assert_int_equal(tune(device, enough, &made, &found), RELAYOUT_OK);
  assert_int_equal(found.thread_blocks, 2);
  relayout_device_destroy(device);
}

/* Who has one thread is told of wishes alone. */
static void test_one_thread_shares_nothing(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = cpu_like(&record);
  rlt_tuning found;
  findings made;
  device->facts.threads = 1;
  record.seconds = all_alike;
  assert_int_equal(tune(device, enough, &made, &found), RELAYOUT_OK);
  assert_int_equal(made.count, RLT_WORD_SIZES * RLT_TILES);
  assert_true(made.done == 1);
  assert_int_equal(found.thread_bytes, cpu_tuning.thread_bytes);
  assert_int_equal(found.thread_blocks, cpu_tuning.thread_blocks);
  relayout_device_destroy(device);
}

static bool wishes_equal(const rlt_tuning *a, const rlt_tuning *b) {
  bool equal = true;
  for (int w = 0; w < RLT_WORD_SIZES; ++w) {
    for (int t = 0; t < RLT_TILES; ++t) {
      const rlt_tile_wish *const one = &a->words[w].tiles[t], *const other = &b->words[w].tiles[t];
      equal = equal && one->runs.read_bytes == other->runs.read_bytes &&
              one->runs.write_bytes == other->runs.write_bytes &&
              one->blocks.read_bytes == other->blocks.read_bytes &&
              one->blocks.write_bytes == other->blocks.write_bytes &&
              one->prefetch.tiles == other->prefetch.tiles &&
              one->prefetch.level == other->prefetch.level;
    }
  }
  return equal;
}

/* Every kind has its wish then: the one it went by before. */
static void test_nothing_faster_is_nothing_new(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = cpu_like(&record);
  rlt_tuning found, expected = cpu_tuning;
  findings made;
  record.seconds = all_alike;
  for (int w = 0; w < RLT_WORD_SIZES; ++w) {
    for (int t = 0; t < RLT_TILES; ++t) {
      expected.words[w].tiles[t] = cpu_tuning.words[w].tiles[RLT_TILES_ANY];
    }
  }
  assert_int_equal(tune(device, enough, &made, &found), RELAYOUT_OK);
  assert_int_equal(made.gains, 0);
  assert_true(wishes_equal(&found, &expected));
  assert_int_equal(found.thread_bytes, cpu_tuning.thread_bytes);
  assert_int_equal(found.thread_blocks, cpu_tuning.thread_blocks);
  relayout_device_destroy(device);
}

static double fails(const recorded_run *run) {
  (void)run;
  return -1;
}

static void test_without_time_or_clock_all_stays(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = cpu_like(&record);
  rlt_tuning found;
  findings made;
  record.seconds = fails;
  assert_int_equal(tune(device, enough, &made, &found), RELAYOUT_OK);
  assert_true(wishes_equal(&found, &cpu_tuning));
  assert_int_equal(made.count, 0);
  record.seconds = as_wished;
  assert_int_equal(tune(device, 0, &made, &found), RELAYOUT_OK);
  assert_true(wishes_equal(&found, &cpu_tuning));
  record.next_scratch = RELAYOUT_OUT_OF_MEMORY;
  assert_int_equal(tune(device, enough, &made, &found), RELAYOUT_OUT_OF_MEMORY);
  record.next_scratch = RELAYOUT_OK;
  device->facts = staged_facts;
  assert_int_equal(tune(device, enough, &made, &found), RELAYOUT_UNSUPPORTED);
  assert_int_equal(record.programs_alive, 0);
  assert_int_equal(record.scratches_alive, 0);
  relayout_device_destroy(device);
}

static const recorder *scratch_of;

/* Every run lies within the scratch memory there is. */
static double within_scratch(const recorded_run *run) {
  const rlt_problem *const problem = run->schedule->problem;
  assert_true(run->offsets.source + rlt_problem_source_size(problem) <= scratch_of->scratch_source);
  assert_true(run->offsets.destination + rlt_problem_destination_size(problem) <=
              scratch_of->scratch_destination);
  return 1e-3;
}

/* However little time or memory there is, and however large the cache. */
static void test_runs_lie_in_scratch(void **state) {
  (void)state;
  static const struct {
    double seconds;
    uint64_t allocation_bytes;
    int64_t cache_bytes;
  } cases[] = {{0.25, 0, 1 << 20},
               {enough, 8 << 20, 1 << 20},
               {0.25, 0, 1 << 30},
               {enough, 0, 1 << 30},
               {enough, 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    recorder record;
    relayout_device *const device = cpu_like(&record);
    rlt_tuning found;
    findings made;
    scratch_of = &record;
    record.seconds = within_scratch;
    device->facts.cache_bytes = cases[i].cache_bytes;
    device->info.allocation_bytes = cases[i].allocation_bytes;
    assert_int_equal(tune(device, cases[i].seconds, &made, &found), RELAYOUT_OK);
    assert_true(record.programs_timed > 0);
    relayout_device_destroy(device);
  }
}

/* Two places of the smallest case are the least. */
static void test_too_small_a_device(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = cpu_like(&record);
  rlt_tuning found;
  findings made;
  device->info.allocation_bytes = (2 << 20) - 1;
  assert_int_equal(tune(device, enough, &made, &found), RELAYOUT_UNSUPPORTED);
  assert_int_equal(record.scratches_alive, 0);
  relayout_device_destroy(device);
}

/* Every case is about as large as was asked for, and all of it moves. */
static void test_cases_fit(void **state) {
  (void)state;
  static const int64_t sizes[] = {1 << 20, 24 << 20, 1 << 28};
  for (int s = 0; s < 3; ++s) {
    for (int64_t word = 1; word <= 16; word *= 2) {
      for (int i = 0; i < RLT_TILES * RLT_TUNE_CASES + RLT_TUNE_SAMPLES; ++i) {
        rlt_problem made;
        if (i < RLT_TUNE_SAMPLES) {
          rlt_tune_sample(i, word, sizes[s], &made);
        } else {
          const int number = i - RLT_TUNE_SAMPLES;
          rlt_tune_case((rlt_tiles)(number / RLT_TUNE_CASES), number % RLT_TUNE_CASES, word,
                        sizes[s], &made);
        }
        const int64_t bytes = (int64_t)rlt_problem_source_size(&made);
        print_message("%d: %lld bytes of %lld-byte words\n", i, (long long)bytes, (long long)word);
        assert_true(bytes > sizes[s] / 2 && bytes < 2 * sizes[s]);
        assert_int_equal(bytes, word * rlt_problem_sources(&made));
        assert_int_equal(bytes, rlt_problem_destination_size(&made));
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_finds_the_fastest),
      cmocka_unit_test(test_finds_what_threads_are_worth),
      cmocka_unit_test(test_finds_how_many_blocks_threads_take),
      cmocka_unit_test(test_one_thread_shares_nothing),
      cmocka_unit_test(test_nothing_faster_is_nothing_new),
      cmocka_unit_test(test_without_time_or_clock_all_stays),
      cmocka_unit_test(test_runs_lie_in_scratch),
      cmocka_unit_test(test_too_small_a_device),
      cmocka_unit_test(test_cases_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
