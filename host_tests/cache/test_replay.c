/* Replays of whole relayouts that a large cache holds: whatever the schedule, each line of the
 * source is fetched once, and each of the destination is written once. */
#include "cache/processors.h"
#include "cache/replay.h"
#include "cmocka_all.h"
#include "plan/plan.h"
#include "shape_of.h"

enum { SEED = 1, SMALL_CACHE = 1 << 10 };

typedef struct relayout_case {
  const char *from;
  const char *to;
} relayout_case;

static const relayout_case cases[] = {
    {"f32[256,256]{1,0}", "f32[256,256]{0,1}"},
    {"f32[255,257]{1,0}", "f32[255,257]{0,1}"},
    {"u8[300,301]{1,0}", "u8[300,301]{0,1}"},
    {"u16[512,512]{1,0}", "u16[512,512]{0,1}"},
    {"f64[130,127]{1,0}", "f64[130,127]{0,1}"},
    {"c128[65,64]{1,0}", "c128[65,64]{0,1}"},
    {"f32[2,32,20,20]{1,3,2,0}", "f32[2,32,20,20]{3,2,1,0}"},
    {"f32[2,32,20,20]{3,2,1,0}", "f32[2,32,20,20]{1,3,2,0}"},
    {"u8[5,3,64,60]{1,3,2,0}", "u8[5,3,64,60]{3,2,1,0}"},
    {"u8[5,3,64,60]{3,2,1,0}", "u8[5,3,64,60]{1,3,2,0}"},
    {"f32[4096,3]{1,0}", "f32[4096,3]{0,1}"},
    {"f32[32,8,14,14]{0,1,2,3}", "f32[32,8,14,14]{0,3,2,1}"},
    {"f32[368,38,12]{0,1,2}", "f32[368,38,12]{0,2,1}"},
    {"u16[40,40,12]{2,1,0}", "u16[40,40,12]{1,2,0}"},
    {"f32[16,15,16,15]{3,2,1,0}", "f32[16,15,16,15]{3,1,2,0}"},
    {"f32[64,256]{1,0}", "f32[64,256]{1,0:T(8,128)}"},
};

/* `blocking` stands in place of the row of tuning's where it is not NULL; the plan outlives
 * neither. */
static relayout_plan *plan_of(const processor *on, const relayout_case *of, bool streams,
                              const rlt_tile_blocking *blocking, rlt_tuning *tuning) {
  relayout_device *const device = processor_device(on);
  *tuning = *device->tuning;
  for (int w = 0; w < RLT_WORD_SIZES && blocking != NULL; ++w) {
    for (int t = 0; t < RLT_TILES; ++t) {
      tuning->words[w].tiles[t] = *blocking;
    }
  }
  device->tuning = tuning;
  if (streams) {
    device->facts.cache_bytes = SMALL_CACHE;
  }
  const relayout_shape from = shape_of(of->from);
  const relayout_shape to = shape_of(of->to);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  relayout_device_destroy(device);
  return plan;
}

/* All parts, into one cache. */
static replay_result replay_all(const relayout_plan *plan, const processor *on,
                                const replay_options *options) {
  simulator *const caches = simulator_create(&on->geometry, SEED);
  replay_result sum = {.bytes_read = 0};
  for (int32_t p = 0; p < plan->work.part_count; ++p) {
    const rlt_variant *const way = rlt_part_variant(&plan->work.parts[p], 0, 0);
    assert_true(replay_can(way->executable));
    const replay_result part = replay(way->executable, &plan->device->facts, options, caches);
    sum.counts = part.counts;
    sum.bytes_read += part.bytes_read;
    sum.bytes_written += part.bytes_written;
  }
  simulator_destroy(caches);
  return sum;
}

static int64_t lines_of(int64_t bytes, const processor *on) {
  return (bytes + on->geometry.line_bytes - 1) / on->geometry.line_bytes;
}

static void expect_each_once(const relayout_case *of, const processor *on, bool streams) {
  static const replay_options all = {.bytes_counted = INT64_MAX, .streams = true};
  rlt_tuning tuning;
  relayout_plan *const plan = plan_of(on, of, streams, NULL, &tuning);
  const int64_t read = (int64_t)plan->work.source_size;
  const int64_t written = (int64_t)plan->work.destination_size;
  const replay_result found = replay_all(plan, on, &all);
  assert_int_equal(found.bytes_read, read);
  assert_in_range(found.bytes_written, read, written);
  assert_int_equal(found.counts.fills[SIMULATOR_SOURCE][2], lines_of(read, on));
  /* A line that is not written as a whole is fetched, or is put together from parts. */
  const int64_t whole = found.counts.streamed;
  const int64_t fetched = found.counts.fills[SIMULATOR_DESTINATION][2];
  assert_true(whole + fetched <= lines_of(written, on));
  assert_true(whole + fetched + found.counts.in_parts >= lines_of(found.bytes_written, on));
  assert_true(streams || whole == 0);
  relayout_plan_destroy(plan);
}

static void test_each_line_once(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    for (size_t p = 0; p < PROCESSORS; ++p) {
      for (int streams = 0; streams <= 1; ++streams) {
        print_message("%s -> %s on %s%s\n", cases[i].from, cases[i].to, processors[p].name,
                      streams ? ", past the cache" : "");
        expect_each_once(&cases[i], &processors[p], streams != 0);
      }
    }
  }
}

/* Fetched so many tiles ahead, into whichever level, and brought together first or not: nothing
 * comes from memory but the source, and hardly anything while a load waits. */
static void expect_prefetches(rlt_prefetch prefetch, bool loads) {
  static const relayout_case square = {"f32[256,256]{1,0}", "f32[256,256]{0,1}"};
  static const replay_options options = {
      .bytes_counted = INT64_MAX, .streams = true, .prefetches = true};
  const int64_t lines = 256 * 256 / 16;
  const rlt_tile_blocking blocking = {.runs = {128, 128},
                                      .blocks = {RLT_PAGE_BYTES, RLT_PAGE_BYTES},
                                      .prefetch = prefetch,
                                      .loads = loads};
  rlt_tuning tuning;
  relayout_plan *const plan = plan_of(&processors[0], &square, true, &blocking, &tuning);
  const rlt_schedule *const schedule = &plan->work.parts[0].variants[0].candidate.schedule;
  assert_int_equal(schedule->prefetch.tiles, prefetch.tiles);
  assert_int_equal(schedule->loads, loads);
  const replay_result found = replay_all(plan, &processors[0], &options);
  assert_int_equal(found.counts.fills[SIMULATOR_SOURCE][2], lines);
  /* Of the first tiles alone; a tile is a 64th. */
  assert_in_range(found.counts.misses[SIMULATOR_SOURCE][2], 1, prefetch.tiles * lines / 64);
  assert_int_equal(found.counts.streamed, lines);
  assert_int_equal(found.counts.in_parts, 0);
  relayout_plan_destroy(plan);
}

static void test_prefetches(void **state) {
  (void)state;
  for (int32_t tiles = 1; tiles <= RLT_MOST_TILES_AHEAD; ++tiles) {
    for (int32_t level = 1; level <= 3; ++level) {
      for (int loads = 0; loads <= 1; ++loads) {
        expect_prefetches((rlt_prefetch){tiles, level}, loads != 0);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_line_once),
      cmocka_unit_test(test_prefetches),
  };
  return cmocka_run_group_tests_name("cache.replay", tests, NULL, NULL);
}
