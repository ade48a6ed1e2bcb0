/* The simulator against caches so small that what they do can be followed by hand. */
#include "cache/simulator.h"
#include "cmocka_all.h"

enum { LINE = 64, PAGE = 4096 };

/* Two sets of two lines, four of four; a page, then four; two buffers. */
static const simulator_geometry small = {
    .line_bytes = LINE,
    .page_bytes = PAGE,
    .caches = {{.entries = 4, .ways = 2}, {.entries = 16, .ways = 4}},
    .tlbs = {{.entries = 1, .ways = 1}, {.entries = 4, .ways = 4}},
    .write_buffers = 2};

static uint64_t source_line(int64_t number) {
  return simulator_address(SIMULATOR_SOURCE, number * LINE);
}

static void load_lines(simulator *on, const int *lines, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    simulator_load(on, source_line(lines[i]), 4);
  }
}

/* Lines 0, 2 and 4 meet in a set of two: the one used the longest ago leaves. */
static void test_sets(void **state) {
  (void)state;
  simulator *const on = simulator_create(&small, 1);
  const simulator_counts *const counts = simulator_counted(on);
  load_lines(on, (const int[]){0, 2, 0, 4}, 4);
  assert_int_equal(counts->fills[SIMULATOR_SOURCE][0], 3);
  load_lines(on, (const int[]){0}, 1);
  assert_int_equal(counts->fills[SIMULATOR_SOURCE][0], 3);
  load_lines(on, (const int[]){2}, 1);
  assert_int_equal(counts->fills[SIMULATOR_SOURCE][0], 4);
  load_lines(on, (const int[]){1, 3, 1, 3}, 4); /* the other set */
  assert_int_equal(counts->fills[SIMULATOR_SOURCE][0], 6);
  /* Behind it all five have room. */
  assert_int_equal(counts->fills[SIMULATOR_SOURCE][1], 5);
  assert_int_equal(counts->misses[SIMULATOR_SOURCE][1], 5);
  assert_int_equal(counts->fills[SIMULATOR_SOURCE][2], 0); /* there is no third level */
  simulator_destroy(on);
}

/* What lies across lines is in each of them, and regions are told apart. */
static void test_lines(void **state) {
  (void)state;
  simulator *const on = simulator_create(&small, 1);
  simulator_load(on, source_line(1) - 1, 2);
  simulator_load(on, source_line(7) - 1, 0);
  simulator_store(on, simulator_address(SIMULATOR_DESTINATION, LINE - 4), 4 + LINE + 1);
  const simulator_counts *const counts = simulator_counted(on);
  assert_int_equal(counts->fills[SIMULATOR_SOURCE][0], 2);
  assert_int_equal(counts->fills[SIMULATOR_DESTINATION][0], 3);
  simulator_clear_counts(on);
  simulator_load(on, simulator_address(SIMULATOR_DESTINATION, 2 * LINE), LINE);
  assert_int_equal(counts->fills[SIMULATOR_DESTINATION][0], 0);
  simulator_destroy(on);
}

/* Nobody waits for what was fetched ahead, as far as it was. */
static void test_prefetches(void **state) {
  (void)state;
  simulator *const on = simulator_create(&small, 1);
  simulator_prefetch(on, source_line(0), 0);
  simulator_prefetch(on, source_line(1), 1);
  load_lines(on, (const int[]){0, 1}, 2);
  const simulator_counts *const counts = simulator_counted(on);
  assert_int_equal(counts->fills[SIMULATOR_SOURCE][0], 2);
  assert_int_equal(counts->fills[SIMULATOR_SOURCE][1], 2);
  assert_int_equal(counts->misses[SIMULATOR_SOURCE][0], 1);
  assert_int_equal(counts->misses[SIMULATOR_SOURCE][1], 0);
  simulator_destroy(on);
}

static void stream_half(simulator *on, int64_t line, int half) {
  simulator_stream(on, simulator_address(SIMULATOR_DESTINATION, line * LINE + half * LINE / 2),
                   LINE / 2);
}

/* Of three lines by halves in turns, two buffers hold two at a time. */
static void test_streams(void **state) {
  (void)state;
  simulator *const on = simulator_create(&small, 1);
  const simulator_counts *const counts = simulator_counted(on);
  stream_half(on, 0, 0);
  stream_half(on, 1, 0);
  stream_half(on, 0, 1);
  assert_int_equal(counts->streamed, 1);
  stream_half(on, 2, 0);
  stream_half(on, 0, 0); /* line 1 leaves */
  assert_int_equal(counts->in_parts, 1);
  stream_half(on, 1, 1); /* line 2 does */
  assert_int_equal(counts->in_parts, 2);
  simulator_drain(on);
  assert_int_equal(counts->in_parts, 4);
  assert_int_equal(counts->streamed, 1);
  /* Three lines and a half, from within a line on. */
  simulator_stream(on, simulator_address(SIMULATOR_DESTINATION, LINE / 2), 3 * LINE + LINE / 2);
  simulator_drain(on);
  assert_int_equal(counts->streamed, 1 + 3);
  assert_int_equal(counts->in_parts, 4 + 1);
  assert_int_equal(counts->fills[SIMULATOR_DESTINATION][0], 0);
  simulator_destroy(on);
}

/* Five pages in turns are too many for four places. Their own places share a line: 8 bytes each. */
static void test_pages(void **state) {
  (void)state;
  simulator *const on = simulator_create(&small, 1);
  const simulator_counts *const counts = simulator_counted(on);
  for (int turn = 0; turn < 3; ++turn) {
    for (int64_t page = 0; page < 4; ++page) {
      simulator_load(on, simulator_address(SIMULATOR_SOURCE, page * PAGE), 1);
      simulator_load(on, simulator_address(SIMULATOR_SOURCE, page * PAGE + 1), 1);
    }
  }
  assert_int_equal(counts->page_misses[0], 3 * 4);
  assert_int_equal(counts->page_misses[1], 4);
  assert_int_equal(counts->fills[SIMULATOR_PAGE_TABLES][0], 0);
  assert_int_equal(counts->fills[SIMULATOR_PAGE_TABLES][1], 1);
  simulator_clear_counts(on);
  for (int64_t page = 4; page < 4 + 3 * 5; ++page) {
    simulator_load(on, simulator_address(SIMULATOR_SOURCE, page % 5 * PAGE), 1);
  }
  assert_int_equal(counts->page_misses[1], 3 * 5);
  simulator_destroy(on);
}

/* Pages that are as far apart as a level has sets meet in one, unless all digits find the set. */
static void test_hashed_sets(void **state) {
  (void)state;
  for (int hashed = 0; hashed <= 1; ++hashed) {
    simulator_geometry geometry = {.line_bytes = LINE, .page_bytes = PAGE};
    geometry.tlbs[0] = (simulator_level){.entries = 16, .ways = 2, .is_hashed = hashed != 0};
    simulator *const on = simulator_create(&geometry, 1);
    for (int turn = 0; turn < 2; ++turn) {
      for (int64_t page = 0; page < 8 * 8; page += 8) {
        simulator_load(on, simulator_address(SIMULATOR_SOURCE, page * PAGE), 1);
      }
    }
    assert_int_equal(simulator_counted(on)->page_misses[0], hashed ? 8 : 16);
    simulator_destroy(on);
  }
}

/* Behind the first level a page lies anywhere: the same seed puts it in the same place. Of 64 pages
 * each one's first line would meet in one set of eight, if pages lay in order. */
static void test_places(void **state) {
  (void)state;
  const simulator_geometry geometry = {
      .line_bytes = LINE,
      .page_bytes = PAGE,
      .caches = {{.entries = 1, .ways = 1}, {.entries = 8 * 64 * 16, .ways = 8}}};
  int64_t found[3];
  for (int run = 0; run < 3; ++run) {
    simulator *const on = simulator_create(&geometry, run < 2 ? 1 : 2);
    for (int turn = 0; turn < 2; ++turn) {
      for (int64_t page = 0; page < 64; ++page) {
        simulator_load(on, simulator_address(SIMULATOR_SOURCE, 16 * page * PAGE), 1);
      }
    }
    found[run] = simulator_counted(on)->fills[SIMULATOR_SOURCE][1];
    simulator_destroy(on);
  }
  assert_int_equal(found[0], found[1]);
  for (int run = 0; run < 3; ++run) {
    assert_in_range(found[run], 64, 64 + 32);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sets),       cmocka_unit_test(test_lines),
      cmocka_unit_test(test_prefetches), cmocka_unit_test(test_streams),
      cmocka_unit_test(test_pages),      cmocka_unit_test(test_hashed_sets),
      cmocka_unit_test(test_places),
  };
  return cmocka_run_group_tests_name("cache.simulator", tests, NULL, NULL);
}
