/* test_fetches.c: what kernels fetch ahead, when, and into which cache. The kernels of lines are
 * compiled in, with a function of the test's own in front of what fetches. */
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "cmocka_all.h"

static void note_fetch(const void *at, int writes, int locality);
#define __builtin_prefetch(at, writes, locality) note_fetch(at, writes, locality)
#define PLAIN
#define ELEMENT_BYTES 1
#define LINE_KERNELS  seen_kernels
extern const struct rlt_cpu_line_kernels LINE_KERNELS;
#include "cpu/line_kernels.c"

enum { POISON = 0xa5, BYTES = 64 * LINE_BYTES, MOST_FETCHES = 512 };

/* What was fetched, from where the source begins, and how much of the destination was there. */
static struct {
  const uint8_t *source;
  const uint8_t *destination; /* of this many bytes */
  int64_t bytes;
  int count;
  int64_t at[MOST_FETCHES];
  int64_t written[MOST_FETCHES];
  int locality[MOST_FETCHES];
} fetches;

static void note_fetch(const void *at, int writes, int locality) {
  assert_int_equal(writes, 0);
  assert_true(fetches.count < MOST_FETCHES);
  int64_t written = 0;
  while (written < fetches.bytes && fetches.destination[written] != POISON) {
    ++written;
  }
  fetches.at[fetches.count] = (const uint8_t *)at - fetches.source;
  fetches.written[fetches.count] = written;
  fetches.locality[fetches.count++] = locality;
}

static uint8_t source[2 * BYTES];
static _Alignas(LINE_BYTES) uint8_t destination[BYTES];

static void begin(int64_t bytes) {
  memset(source, 1, sizeof source);
  memset(destination, POISON, sizeof destination);
  fetches.source = source;
  fetches.destination = destination;
  fetches.bytes = bytes;
  fetches.count = 0;
}

/* ---- Levels ---- */

/* The compiler's words for the caches: 3 is the nearest. */
static void test_levels(void **state) {
  (void)state;
  static const int localities[] = {3, 2, 1, 1};
  begin(0);
  for (int32_t level = 1; level <= 4; ++level) {
    rlt_cpu_fetch(source + level, level);
    assert_int_equal(fetches.at[level - 1], level);
    assert_int_equal(fetches.locality[level - 1], localities[level - 1]);
  }
}

/* ---- Rows ---- */

/* While a row is copied line by line the next one arrives. */
static void test_next_rows(void **state) {
  (void)state;
  enum { ROWS = 3, COLUMNS = 5 * 16 + 3, ROW = 500 };
  const rlt_cpu_frame frame = {
      .element_bytes = 4, .source_row = ROW, .destination_row = 4 * COLUMNS};
  const rlt_cpu_tile tile = {
      .at = &(
          rlt_tile){.columns = COLUMNS, .valid_columns = COLUMNS, .rows = ROWS, .valid_rows = ROWS},
      .source = source,
      .destination = destination};
  begin(BYTES);
  LINE_KERNELS.move_straight(&frame, &tile);
  assert_int_equal(fetches.count, ROWS * 5);
  for (int i = 0; i < fetches.count; ++i) {
    assert_int_equal(fetches.at[i], (i / 5 + 1) * ROW + i % 5 * LINE_BYTES);
    assert_int_equal(fetches.locality[i], 3);
    assert_int_equal(fetches.written[i], i / 5 * 4 * COLUMNS + i % 5 * LINE_BYTES);
  }
}

/* The C library copies rows that are long, or alone, unless they go past the cache. */
static void test_rows_for_memcpy(void **state) {
  (void)state;
  static const struct {
    int64_t columns, rows;
    bool streams, is_for_memcpy;
  } cases[] = {{1024, 2, false, true}, {1023, 2, false, false}, {1024, 2, true, false},
               {16, 1, false, true},   {15, 1, false, false},   {16, 1, true, false},
               {16, 2, false, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_cpu_frame frame = {.element_bytes = 4, .streams = cases[i].streams};
    const rlt_cpu_tile tile = {.at = &(rlt_tile){.rows = cases[i].rows}};
    assert_int_equal(is_for_memcpy(&frame, &tile, 4 * cases[i].columns), cases[i].is_for_memcpy);
  }
}

/* ---- Buffered tiles ---- */

/* Stores one segment of so many lines while these are fetched. */
static void store(int64_t lines, const int64_t *ahead, int64_t count, int32_t level,
                  const uint8_t *next) {
  static uint8_t buffered[BYTES + 2 * LINE_BYTES];
  static rlt_cpu_partial_lines partial;
  rlt_tile_run segment = {.start = 0};
  const rlt_cpu_frame frame = {
      .column_inner = 1,
      .row_inner = 1,
      .segments = &segment,
      .destination_bits = 32,
      .segment_pitch = lines * LINE_BYTES,
      .ahead = (int64_t *)(uintptr_t)ahead,
      .ahead_count = count,
      .fetch_level = level,
      .tile_buffer = {.segment = {.unit = 1, .side = RLT_SEGMENT_COLUMNS}, .segment_count = 1}};
  const int64_t columns = lines * 16;
  const rlt_cpu_tile tile = {
      .at = &(rlt_tile){.columns = columns, .valid_columns = columns, .rows = 1, .valid_rows = 1},
      .destination = destination};
  begin(lines * LINE_BYTES);
  memset(buffered, 1, sizeof buffered);
  LINE_KERNELS.store_segments(&frame, &tile, buffered + LINE_BYTES, &partial, next);
}

/* All is fetched, in order, evenly: as much for each line that leaves, and looked at every four
 * lines at least. */
static void test_pace(void **state) {
  (void)state;
  static const struct {
    int64_t lines, count, pace;
  } cases[] = {{32, 32, 1}, {32, 64, 2}, {32, 65, 3}, {6, 13, 3}, {3, 2, 1},
               {1, 4, 4},   {2, 7, 4},   {9, 9, 1},   {40, 3, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    int64_t ahead[128];
    for (int64_t a = 0; a < cases[i].count; ++a) {
      ahead[a] = (a * 37 + 11) % 1000;
    }
    for (int32_t level = 1; level <= 3; ++level) {
      print_message("%d lines, level %d\n", (int)cases[i].lines, (int)level);
      store(cases[i].lines, ahead, cases[i].count, level, source + 5);
      assert_int_equal(fetches.count, cases[i].count);
      for (int f = 0; f < fetches.count; ++f) {
        const int64_t left = fetches.written[f] / LINE_BYTES;
        assert_int_equal(fetches.at[f], 5 + ahead[f]);
        assert_int_equal(fetches.locality[f], 4 - level);
        assert_true(f < cases[i].pace * left);
        assert_true(f >= cases[i].pace * (left - 4));
      }
    }
  }
  store(32, (const int64_t[]){1, 2, 3}, 3, 1, NULL);
  assert_int_equal(fetches.count, 0);
  store(32, NULL, 0, 1, source);
  assert_int_equal(fetches.count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_levels),
      cmocka_unit_test(test_next_rows),
      cmocka_unit_test(test_rows_for_memcpy),
      cmocka_unit_test(test_pace),
  };
  return cmocka_run_group_tests_name("cpu.fetches", tests, NULL, NULL);
}
