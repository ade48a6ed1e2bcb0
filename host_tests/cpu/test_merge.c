/* test_merge.c: packed elements that are put among others, at every bit, against one after the
 * other. */
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Compiled in, so that what is fetched can be seen. */
static void note_fetch(const uint8_t *at, int writes, int locality);
#define __builtin_prefetch(at, writes, locality) note_fetch(at, writes, locality)

#include "cmocka_all.h"
#include "convert/packing.h"
#include "cpu/executable.h"
#include "problem/definition.h"

#define rlt_cpu_merge_elements seen_merge_elements
#define rlt_cpu_merge_segments seen_merge_segments
void rlt_cpu_merge_elements(const rlt_problem *problem, const uint8_t *bits, uint8_t *destination,
                            int64_t position, int64_t count);
void rlt_cpu_merge_segments(const rlt_cpu_executable *made, const rlt_cpu_tile *tile,
                            const uint8_t *encoded, rlt_cpu_partial_lines *partial,
                            const uint8_t *next, uint8_t *lines);
#include "cpu/merge.c"

enum { SIZE = 4096 };

static int64_t fetched; /* so many, each in its order */
static const int64_t ahead[] = {7, 0, 64, 3, 900, 901, 33, 128, 5, 6, 77};
/* The compiler calls the second level 2. */
enum { AHEAD = sizeof ahead / sizeof ahead[0], LEVEL = 2, LOCALITY = 2 };
static const uint8_t later[1024]; /* a tile's source */

static void note_fetch(const uint8_t *at, int writes, int locality) {
  assert_true(fetched < AHEAD);
  assert_int_equal(writes, 0);
  assert_int_equal(locality, LOCALITY);
  assert_ptr_equal(at, later + ahead[fetched++]);
}

static void draw_bytes(uint64_t *seed, uint8_t *bytes, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    bytes[i] = (uint8_t)definition_random(seed, 256);
  }
}

/* ---- One run ---- */

/* Elements from bit 0 on become those from `position` on; behind the array's last one its byte's
 * other bits are 0. */
static void put_each(const uint8_t *bits, int64_t width, bool high, int64_t position, int64_t count,
                     int64_t elements, uint8_t *to) {
  for (int64_t i = 0; i < count; ++i) {
    rlt_packed_put(to, position + i, width, high, rlt_packed_get(bits, i, width, high));
  }
  for (int64_t p = elements; position + count == elements && p * width % 8 != 0; ++p) {
    rlt_packed_put(to, p, width, high, 0);
  }
}

static void test_merged_elements(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int64_t width = 1; width <= 4; width *= 2) {
    for (int64_t position = 0; position < 20; ++position) {
      for (int64_t count = 0; count < 180; count += count < 70 ? 1 : 13) {
        for (int64_t variant = 0; variant < 4; ++variant) {
          const int64_t behind = variant % 2;
          const bool high = variant / 2 == 1;
          const rlt_problem problem = {.element_bytes = 1,
                                       .destination_packed = width,
                                       .destination_high = high,
                                       .destination_elements = position + count + behind};
          uint8_t bits[128], found[128], wanted[128];
          draw_bytes(&seed, bits, sizeof bits);
          draw_bytes(&seed, found, sizeof found);
          memcpy(wanted, found, sizeof wanted);
          put_each(bits, width, high, position, count, position + count + behind, wanted);
          rlt_cpu_merge_elements(&problem, bits, found, position, count);
          assert_memory_equal(found, wanted, sizeof found);
        }
      }
    }
  }
}

/* ---- Segments ---- */

/* Rows of the destination, written by tiles that go on with each other's: each has its segment of
 * every row, from bit 0 on. */
typedef struct rows_case {
  int64_t width;    /* of an element */
  bool high;        /* the order within a byte */
  int64_t rows;     /* segments of a tile */
  int64_t pitch;    /* elements from one row to the next */
  int64_t start;    /* of row 0 */
  int64_t elements; /* of the destination */
  size_t shift;     /* of the destination within a line */
} rows_case;

static _Alignas(LINE_BYTES) uint8_t memory[SIZE + LINE_BYTES];
static uint8_t wanted[SIZE + LINE_BYTES];
static _Alignas(LINE_BYTES) uint8_t lines[LINE_BYTES + RLT_CPU_UNPACKED_BYTES];
static rlt_cpu_partial_lines partial;

/* Columns `first` and on of rows 0 .. rows-1, which may be fewer than the scene's. */
static void merge_tile(const rows_case *of, rlt_cpu_executable *made, uint64_t *seed, int64_t first,
                       int64_t columns, int64_t rows, bool goes_on) {
  enum { ENCODED = 8192 };
  static uint8_t encoded[ENCODED];
  const int64_t segment = (columns * of->width + 7) / 8 + definition_random(seed, 9);
  made->frame.segment_pitch = segment;
  assert_true(of->rows * segment < ENCODED);
  draw_bytes(seed, encoded, of->rows * segment + 1);
  const rlt_cpu_tile tile = {.at = &(rlt_tile){.destination = of->start + first,
                                               .columns = columns,
                                               .valid_columns = columns,
                                               .rows = rows,
                                               .valid_rows = rows},
                             .destination =
                                 memory + of->shift + (of->start + first) * of->width / 8};
  for (int64_t r = 0; r < rows; ++r) {
    put_each(encoded + r * segment, of->width, of->high, of->start + first + r * of->pitch, columns,
             of->elements, wanted + of->shift);
  }
  const bool fetches = definition_random(seed, 2) == 1;
  partial.goes_on = goes_on;
  fetched = 0;
  rlt_cpu_merge_segments(made, &tile, encoded, &partial, fetches ? later : NULL, lines);
  /* All, as segments leave, where all of them do. */
  const int64_t pace = (AHEAD + of->rows - 1) / of->rows;
  assert_int_equal(fetched, fetches ? rlt_min(rows * pace, AHEAD) : 0);
}

static void check_scene(const rows_case *of, const rlt_cpu_instruction_set *set, uint64_t *seed) {
  const rlt_problem problem = {.element_bytes = 1,
                               .destination_packed = of->width,
                               .destination_high = of->high,
                               .destination_elements = of->elements};
  rlt_tile_run segments[128];
  for (int64_t r = 0; r < of->rows; ++r) {
    segments[r] = (rlt_tile_run){.start = r * of->pitch, .row_step = r};
  }
  rlt_cpu_executable made = {
      .problem = &problem,
      .lines = set->lines,
      .frame = {.column_inner = 1,
                .row_inner = 1,
                .destination_bits = of->width,
                .segments = segments,
                .ahead = (int64_t *)(uintptr_t)ahead,
                .ahead_count = AHEAD,
                .fetch_level = LEVEL,
                .tile_buffer = {.segment = {.unit = 1, .side = RLT_SEGMENT_COLUMNS},
                                .segment_count = of->rows}}};
  assert_int_equal(rlt_cpu_codec_create(set, &problem, &made.codec, NULL), RELAYOUT_OK);
  draw_bytes(seed, memory, sizeof memory);
  memcpy(wanted, memory, sizeof wanted);
  const int64_t rows = of->rows - definition_random(seed, of->rows > 1 ? 2 : 1);
  int64_t first = 0;
  partial.first = definition_random(seed, 50);
  for (bool goes_on = true; goes_on;) {
    const int64_t left = of->pitch - first;
    const int64_t columns = rlt_min(left, 1 + definition_random(seed, 400));
    goes_on = columns < left && definition_random(seed, 8) > 0;
    merge_tile(of, &made, seed, first, columns, rows, goes_on);
    first += columns;
  }
  made.lines->finish();
  assert_memory_equal(memory, wanted, sizeof memory);
  for (int i = 0; i < RLT_CPU_MOST_SEGMENTS; ++i) {
    assert_int_equal(partial.held[i], 0);
  }
  rlt_cpu_codec_destroy(made.codec);
}

/* What tiles hand on to each other waits for the last of them, and leaves nothing behind. */
static void test_merged_segments(void **state) {
  (void)state;
  uint64_t seed = 11;
  for (const rlt_cpu_instruction_set *set = rlt_cpu_instruction_sets; set->name != NULL; ++set) {
    for (int i = 0; i < 200 && set->is_there(); ++i) {
      rows_case drawn = {.width = INT64_C(1) << definition_random(&seed, 3),
                         .rows = i % 4 == 0 ? 60 + definition_random(&seed, 60)
                                            : 1 + definition_random(&seed, 3),
                         .start = definition_random(&seed, 40),
                         .shift = (size_t)definition_random(&seed, LINE_BYTES)};
      drawn.high = i % 2 == 1;
      drawn.pitch = 1 + definition_random(&seed, 8 * SIZE / drawn.width / drawn.rows - 64);
      drawn.elements = drawn.start + drawn.rows * drawn.pitch + definition_random(&seed, 2);
      check_scene(&drawn, set, &seed);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_merged_elements),
      cmocka_unit_test(test_merged_segments),
  };
  return cmocka_run_group_tests_name("cpu.merge", tests, NULL, NULL);
}
