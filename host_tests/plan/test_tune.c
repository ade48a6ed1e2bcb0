/* test_tune.c: what tuning finds, on a device whose times the test sets. */
#include "cmocka_all.h"

#include <string.h>

#include "plan/devices.h"
#include "plan/fake_clock.h"
#include "plan/held.h"
#include "plan/recorder.h"
#include "search/tune.h"

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
  assert_int_equal(what->after > what->before, what->outcome == RELAYOUT_TUNED_FASTER);
  assert_true(what->spread >= 0);
  made->done = what->done;
}

static relayout_device *cpu_like(recorder *record) {
  relayout_device *const device = recorder_cpu_device(record);
  device->info.memory_bytes = UINT64_C(1) << 30;
  return device;
}

static bool is_new; /* what was found last */

static relayout_status tune(relayout_device *device, double seconds, findings *made,
                            rlt_tuning *found) {
  const rlt_tune_report report = {note, made};
  *made = (findings){.count = 0};
  return rlt_tune(device, seconds, &report, found, &is_new, NULL);
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
  assert_true(is_new);
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

/* Kinds without a wish of their own have none then either. */
static void test_nothing_faster_is_nothing_new(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = cpu_like(&record);
  rlt_tuning found;
  findings made;
  record.seconds = all_alike;
  assert_int_equal(tune(device, enough, &made, &found), RELAYOUT_OK);
  assert_int_equal(made.gains, 0);
  assert_true(wishes_equal(&found, &cpu_tuning));
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
  assert_false(is_new);
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

static double copies_fail(const recorded_run *run) {
  return run->schedule->move == RLT_MOVE_COPY ? -1 : as_wished(run);
}

/* Times count by a copy's alone. */
static void test_without_copies_all_stays(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = cpu_like(&record);
  rlt_tuning found;
  findings made;
  rlt_tuning tuning = cpu_tuning;
  for (int w = 0; w < RLT_WORD_SIZES; ++w) {
    for (int r = 1; r < RLT_RATES; ++r) {
      tuning.words[w].rates.of[r] = 0.5;
    }
  }
  device->tuning = &tuning;
  record.seconds = copies_fail;
  assert_int_equal(tune(device, enough, &made, &found), RELAYOUT_OK);
  assert_true(wishes_equal(&found, &cpu_tuning));
  assert_int_equal(made.count, 0);
  for (int w = 0; w < RLT_WORD_SIZES; ++w) {
    for (int r = 0; r < RLT_RATES; ++r) {
      assert_true(found.words[w].rates.of[r] == tuning.words[w].rates.of[r]);
    }
  }
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
  } cases[] = {{0.25, 0, 1 << 30}, {enough, 8 << 20, 1 << 20}, {enough, 0, 1 << 30}};
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
  const rlt_tune_report nobody = {NULL, NULL};
  rlt_tuning found;
  relayout_error error;
  device->info.allocation_bytes = (2 << 20) - 1;
  assert_int_equal(rlt_tune(device, 1, &nobody, &found, &is_new, &error), RELAYOUT_UNSUPPORTED);
  assert_string_equal(error.message, "device recorder cannot be tuned: 2097151 bytes of memory are "
                                     "available, but 2097152 are needed");
  assert_int_equal(record.scratches_alive, 0);
  device->info.allocation_bytes = 2 << 20;
  assert_int_equal(rlt_tune(device, 0, &nobody, &found, &is_new, &error), RELAYOUT_OK);
  assert_int_equal(record.scratch_source, 2 << 20);
  relayout_device_destroy(device);
}

/* The first run takes all the time there is. */
static double takes_all_time(const recorded_run *run) {
  (void)run;
  fake_clock_advance(enough);
  return 1e-3;
}

/* 64 MiB for each second and four smallest cases at least, of what there is: half of what may be
 * taken, a quarter of the memory or a gibibyte, and what one allocation may have. */
static void test_memory_by_hand(void **state) {
  (void)state;
  static const struct {
    double seconds;
    uint64_t memory_bytes;
    uint64_t allocation_bytes;
    size_t side_bytes;
  } cases[] = {
      {0, 0, 0, 4 << 20},           {0.03125, 0, 0, 4 << 20},      {0.125, 0, 0, 8 << 20},
      {0.125, 0, 5 << 20, 5 << 20}, {0.125, 32 << 20, 0, 4 << 20}, {0.125, 48 << 20, 0, 6 << 20},
      {8, 0, 0, 512 << 20},         {7.5, 0, 0, 480 << 20},        {0.125, 8 << 20, 0, 2 << 20}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    recorder record;
    relayout_device *const device = cpu_like(&record);
    const rlt_tune_report nobody = {NULL, NULL};
    rlt_tuning found;
    fake_clock_reset();
    record.seconds = takes_all_time;
    device->info.memory_bytes = cases[i].memory_bytes;
    device->info.allocation_bytes = cases[i].allocation_bytes;
    assert_int_equal(rlt_tune(device, cases[i].seconds, &nobody, &found, &is_new, NULL),
                     RELAYOUT_OK);
    assert_int_equal(record.scratch_source, cases[i].side_bytes);
    assert_int_equal(record.scratch_destination, cases[i].side_bytes);
    relayout_device_destroy(device);
  }
}

/* A device without a clock. */
static void test_what_cannot_be_tuned(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = cpu_like(&record);
  const rlt_backend *const own = device->backend;
  const rlt_tune_report nobody = {NULL, NULL};
  rlt_tuning found = {.kind = "as it was"};
  rlt_backend timeless = *own;
  timeless.program_time = NULL;
  device->backend = &timeless;
  assert_int_equal(rlt_tune(device, 1, &nobody, &found, &is_new, NULL), RELAYOUT_UNSUPPORTED);
  assert_string_equal(found.kind, "as it was");
  assert_int_equal(record.programs_made, 0);
  device->backend = own;
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HELD_TEST(test_finds_the_fastest),
      HELD_TEST(test_one_thread_shares_nothing),
      HELD_TEST(test_nothing_faster_is_nothing_new),
      HELD_TEST(test_without_time_or_clock_all_stays),
      HELD_TEST(test_without_copies_all_stays),
      HELD_TEST(test_runs_lie_in_scratch),
      HELD_TEST(test_too_small_a_device),
      HELD_TEST(test_memory_by_hand),
      HELD_TEST(test_what_cannot_be_tuned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
