/* test_programs.c: what programs are made of and do, and the memory in which they are timed. */
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "child.h"
#include "cmocka_all.h"
#include "cpu/cpu.h"
#include "cpu/executable.h"
#include "cpu/sanitizers.h"
#include "cpu/trial.h"
#include "plan/plan.h"
#include "relayout/hooks.h"
#include "relayout/relayout.h"
#include "search/tuning.h"
#include "shape_of.h"

/* Its tiles are those of the first row of the tuning, whichever machine this is. */
static relayout_device *make_device(bool has_cache) {
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = 1;
  relayout_device *device = NULL;
  setenv("RELAYOUT_CPU_INSTRUCTIONS", "plain", 1);
  assert_int_equal(relayout_cpu_device_create(&options, &device, NULL), RELAYOUT_OK);
  unsetenv("RELAYOUT_CPU_INSTRUCTIONS");
  device->facts.cache_bytes = has_cache ? INT64_MAX : 1;
  device->tuning = rlt_tuning_shipped(0);
  return device;
}

static const rlt_cpu_executable *program_of(const relayout_plan *plan) {
  assert_int_equal(plan->work.part_count, 1);
  return plan->work.parts[0].variants[0].executable;
}

/* ---- One run of bytes ---- */

static void test_copies(void **state) {
  (void)state;
  static const struct {
    const char *what;
    rlt_problem problem;
    rlt_cpu_copy copy; /* of 0 bytes: it is no single copy */
    bool past_cache;
  } cases[] = {
      {"a run",
       {.element_bytes = 4,
        .source_elements = 2000,
        .destination_elements = 2000,
        .source_start = 3,
        .destination_start = 5,
        .axis_count = 1,
        .axes = {{1000, 1000, 1, 1}}},
       {12, 20, 4000},
       false},
      {"past the cache",
       {.element_bytes = 4,
        .source_elements = 2000,
        .destination_elements = 2000,
        .axis_count = 1,
        .axes = {{1000, 1000, 1, 1}}},
       {0},
       true},
      {"a padded run",
       {.element_bytes = 4,
        .source_elements = 2000,
        .destination_elements = 2000,
        .axis_count = 1,
        .axes = {{1000, 999, 1, 1}},
        .fills = true},
       {0},
       false},
      {"two runs",
       {.element_bytes = 4,
        .source_elements = 3000,
        .destination_elements = 2000,
        .axis_count = 2,
        .axes = {{1000, 1000, 1, 1}, {2, 2, 1001, 1000}}},
       {0},
       false},
      {"one that changes",
       {.element_bytes = 4,
        .source_elements = 1000,
        .destination_elements = 1000,
        .conversion = {RELAYOUT_S32, RELAYOUT_U32, false, 1, false},
        .axis_count = 1,
        .axes = {{1000, 1000, 1, 1}}},
       {0},
       false},
      {"one over and over",
       {.element_bytes = 4,
        .source_elements = 1000,
        .destination_elements = 1000,
        .axis_count = 1,
        .axes = {{1000, 1000, 0, 1}}},
       {0},
       false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_device *const device = make_device(!cases[i].past_cache);
    relayout_plan *const plan = trial_plan(device, &cases[i].problem);
    const rlt_cpu_copy *const copy = &program_of(plan)->copy;
    print_message("%s\n", cases[i].what);
    assert_int_equal(copy->bytes, cases[i].copy.bytes);
    if (copy->bytes > 0) {
      assert_int_equal(copy->source, cases[i].copy.source);
      assert_int_equal(copy->destination, cases[i].copy.destination);
    }
    relayout_plan_destroy(plan);
    assert_non_null(trial_passes_as_chosen(device, &cases[i].problem, 0));
    relayout_device_destroy(device);
  }
}

/* ---- Every kind of program ---- */

/* Everything lies where it is to lie. */
static const rlt_index_program no_operations = {.count = 0, .result = 0};

static const rlt_problem small_problems[] = {
    /* Runs that change, from anywhere in the source; packed ones go by blocks of them. */
    {.element_bytes = 4,
     .conversion = {RELAYOUT_S32, RELAYOUT_S16, false, 1, false},
     .source_start = 3,
     .source_elements = 500,
     .destination_start = 5,
     .destination_elements = 400,
     .axis_count = 2,
     .axes = {{100, 100, 1, 1}, {3, 3, 150, 120}}},
    {.element_bytes = 2,
     .conversion = {RELAYOUT_U16, RELAYOUT_F64, false, 1, false},
     .source_start = 7,
     .source_elements = 1100,
     .destination_elements = 1000,
     .axis_count = 1,
     .axes = {{1000, 1000, 1, 1}}},
    {.element_bytes = 1,
     .source_packed = 4,
     .source_start = 3,
     .source_elements = 9100,
     .destination_elements = 9000,
     .axis_count = 1,
     .axes = {{9000, 9000, 1, 1}}},
    {.element_bytes = 1,
     .source_packed = 2,
     .destination_packed = 1,
     .source_start = 1,
     .source_elements = 9100,
     .destination_elements = 9003,
     .axis_count = 1,
     .axes = {{9003, 9003, 1, 1}}},
    /* Words with gaps between them, filled or in part. */
    {.element_bytes = 4,
     .source_elements = 1,
     .destination_elements = 190,
     .axis_count = 2,
     .axes = {{9, 0, 0, 3}, {5, 0, 0, 40}},
     .fills = true,
     .fill = {1, 2, 3, 4}},
    {.element_bytes = 2,
     .source_elements = 200,
     .destination_elements = 120,
     .axis_count = 2,
     .axes = {{10, 7, 3, 2}, {4, 3, 50, 30}},
     .fills = true,
     .fill = {1, 2}},
    {.element_bytes = 2,
     .source_elements = 200,
     .destination_elements = 120,
     .axis_count = 2,
     .axes = {{7, 7, 3, 2}, {3, 3, 50, 30}}},
    {.element_bytes = 4,
     .conversion = {RELAYOUT_S32, RELAYOUT_S16, false, 1, false},
     .source_start = 2,
     .source_elements = 200,
     .destination_start = 3,
     .destination_elements = 120,
     .axis_count = 2,
     .axes = {{10, 7, 3, 2}, {4, 3, 50, 27}},
     .fills = true,
     .fill = {5, 1},
     .fill_word = {5, 1}},
    {.element_bytes = 4,
     .conversion = {RELAYOUT_S32, RELAYOUT_S16, false, 1, false},
     .source_elements = 200,
     .destination_elements = 120,
     .axis_count = 2,
     .axes = {{7, 7, 3, 2}, {3, 3, 50, 30}}},
    /* Fills of packed elements, which begin and end within a byte. */
    {.element_bytes = 1,
     .source_packed = 4,
     .destination_packed = 4,
     .source_elements = 1,
     .destination_start = 3,
     .destination_elements = 5002,
     .axis_count = 1,
     .axes = {{4999, 0, 0, 1}},
     .fills = true,
     .fill = {6}},
    {.element_bytes = 1,
     .source_packed = 1,
     .destination_packed = 1,
     .source_elements = 1,
     .destination_start = 2,
     .destination_elements = 2100,
     .axis_count = 1,
     .axes = {{700, 0, 0, 3}},
     .fills = true,
     .fill = {1}},
    /* Unpacked and transposed; and words from anywhere. */
    {.element_bytes = 1,
     .source_packed = 2,
     .source_elements = 40 * 64,
     .destination_elements = 64 * 40,
     .axis_count = 2,
     .axes = {{40, 40, 64, 1}, {64, 64, 1, 40}}},
    {.element_bytes = 4,
     .source_start = 5,
     .source_elements = 5 + 40 * 72,
     .destination_elements = 64 * 40,
     .axis_count = 2,
     .axes = {{40, 40, 72, 1}, {64, 64, 1, 40}}},
    /* Transposed and changed, in short rows and in long ones; packed on both sides, in rows that
     * share bytes; shuffled; and in rows that begin anywhere in lines. */
    {.element_bytes = 4,
     .conversion = {RELAYOUT_S32, RELAYOUT_S16, false, 1, false},
     .source_elements = 40 * 72,
     .destination_elements = 64 * 43,
     .axis_count = 2,
     .axes = {{40, 40, 72, 1}, {64, 64, 1, 43}}},
    {.element_bytes = 2,
     .conversion = {RELAYOUT_S16, RELAYOUT_S32, false, 1, false},
     .source_elements = 600 * 24,
     .destination_elements = 24 * 601,
     .axis_count = 2,
     .axes = {{600, 600, 24, 1}, {24, 24, 1, 601}}},
    {.element_bytes = 1,
     .source_packed = 4,
     .destination_packed = 4,
     .source_elements = 41 * 63,
     .destination_elements = 63 * 41,
     .axis_count = 2,
     .axes = {{41, 41, 63, 1}, {63, 63, 1, 41}}},
    {.element_bytes = 1,
     .source_elements = 16 * 64,
     .destination_elements = 16 * 64,
     .axis_count = 4,
     .axes = {{2, 2, 2, 1}, {2, 2, 1, 2}, {16, 16, 64, 4}, {16, 16, 4, 64}}},
    {.element_bytes = 4,
     .source_elements = 61 * 167,
     .destination_elements = 167 * 61,
     .axis_count = 2,
     .axes = {{61, 61, 167, 1}, {167, 167, 1, 61}}},
    /* Unpacked from runs with gaps between them; and bits that are transposed. */
    {.element_bytes = 1,
     .source_packed = 2,
     .source_elements = 40 * 72,
     .destination_elements = 64 * 40,
     .axis_count = 2,
     .axes = {{40, 40, 72, 1}, {64, 64, 1, 40}}},
    {.element_bytes = 1,
     .source_packed = 4,
     .source_start = 1,
     .source_elements = 1 + 9 * 70,
     .destination_elements = 9 * 3 * 7,
     .axis_count = 3,
     .axes = {{7, 7, 10, 1}, {3, 3, 1, 7}, {9, 9, 70, 21}}},
    {.element_bytes = 4,
     .source_elements = 9 * 70,
     .destination_elements = 9 * 3 * 7,
     .axis_count = 3,
     .axes = {{7, 7, 10, 1}, {3, 3, 1, 7}, {9, 9, 70, 21}}},
    {.element_bytes = 1,
     .source_packed = 4,
     .destination_packed = 4,
     .source_elements = 64 * 128,
     .destination_elements = 64 * 128,
     .axis_count = 2,
     .axes = {{64, 64, 128, 1}, {128, 128, 1, 64}}},
};

static void test_small_problems(void **state) {
  (void)state;
  for (int has_cache = 0; has_cache < 2; ++has_cache) {
    relayout_device *const device = make_device(has_cache == 1);
    for (size_t i = 0; i < sizeof small_problems / sizeof small_problems[0]; ++i) {
      trial_record record = {0};
      print_message("problem %zu\n", i);
      assert_true(trial_passes(device, &small_problems[i], i % 2, &record));
    }
    relayout_device_destroy(device);
  }
}

/* What tiles read is brought together before it is transposed, where that is asked for. */
static void test_loaded_words(void **state) {
  (void)state;
  relayout_device *const device = make_device(false);
  rlt_tuning loading = *device->tuning;
  for (int w = 0; w < RLT_WORD_SIZES; ++w) {
    for (int t = 0; t < RLT_TILES; ++t) {
      loading.words[w].tiles[t].loads = true;
    }
  }
  device->tuning = &loading;
  for (int64_t bytes = 1; bytes <= 16; bytes *= 2) {
    const rlt_problem problem = {.element_bytes = bytes,
                                 .source_start = 5,
                                 .source_elements = 5 + 80 * 144,
                                 .destination_elements = 128 * 80,
                                 .axis_count = 2,
                                 .axes = {{80, 80, 144, 1}, {128, 128, 1, 80}}};
    relayout_plan *const plan = trial_plan(device, &problem);
    assert_true(program_of(plan)->schedule->loads);
    relayout_plan_destroy(plan);
    assert_non_null(trial_passes_as_chosen(device, &problem, 0));
  }
  relayout_device_destroy(device);
}

/* What becomes narrower does so before it is transposed. Tiles leave a few rows at a time then if
 * each row is a segment. Rows that begin lines, rows that make up one segment, padding on either
 * side, and tiles of several axes. */
static void test_narrowed_first(void **state) {
  (void)state;
  static const struct {
    rlt_problem problem;
    bool has_strips;
  } cases[] = {
      {{.element_bytes = 4,
        .conversion = {RELAYOUT_S32, RELAYOUT_S16, false, 1, false},
        .source_elements = 700 * 320,
        .destination_elements = 320 * 704,
        .axis_count = 2,
        .axes = {{700, 700, 320, 1}, {317, 317, 1, 704}}},
       true},
      {{.element_bytes = 4,
        .conversion = {RELAYOUT_F32, RELAYOUT_S8, false, 1, false},
        .source_start = 1,
        .source_elements = 1 + 301 * 333,
        .destination_start = 3,
        .destination_elements = 3 + 333 * 301,
        .axis_count = 2,
        .axes = {{301, 301, 333, 1}, {333, 333, 1, 301}}},
       false},
      {{.element_bytes = 8,
        .conversion = {RELAYOUT_F64, RELAYOUT_F32, false, 1, false},
        .source_elements = 200 * 150,
        .destination_elements = 192 * 256,
        .axis_count = 2,
        .axes = {{256, 200, 150, 1}, {192, 150, 1, 256}},
        .fills = true,
        .fill = {1, 2, 3, 4},
        .fill_word = {1, 2, 3, 4}},
       true},
      {{.element_bytes = 2,
        .conversion = {RELAYOUT_S16, RELAYOUT_U8, false, 1, false},
        .source_elements = 128 * 90,
        .destination_elements = 90 * 128,
        .axis_count = 4,
        .axes = {{16, 16, 720, 1}, {8, 8, 90, 16}, {9, 9, 10, 128}, {10, 10, 1, 9 * 128}}},
       false},
  };
  relayout_device *const device = make_device(false);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_plan *const plan = trial_plan(device, &cases[i].problem);
    const rlt_cpu_executable *const made = program_of(plan);
    assert_true(made->schedule->loads && made->narrows);
    assert_int_equal(made->strip_rows > 0, cases[i].has_strips);
    relayout_plan_destroy(plan);
    for (size_t shift = 0; shift < 64; shift += 24) {
      assert_non_null(trial_passes_as_chosen(device, &cases[i].problem, shift));
    }
  }
  relayout_device_destroy(device);
}

/* The last byte's spare bits become 0, and there is no byte behind it. */
static void test_packed_by_program(void **state) {
  (void)state;
  relayout_device *const device = make_device(true);
  for (int64_t bits = 1; bits <= 4; bits *= 2) {
    for (int64_t count = 1; count <= 16; ++count) {
      const rlt_problem problem = {.element_bytes = 1,
                                   .source_packed = bits,
                                   .destination_packed = bits,
                                   .source_elements = count,
                                   .destination_elements = count,
                                   .axis_count = 1,
                                   .axes = {{count, count, 1, 1}},
                                   .index_program = &no_operations};
      assert_non_null(trial_passes_as_chosen(device, &problem, 0));
    }
  }
  relayout_device_destroy(device);
}

/* Of each four numbers three have a source, one behind the other; each is put where it is, or two
 * words further on than the one before. What has none is filled or left alone. */
static void test_looked_up_by_program(void **state) {
  (void)state;
  enum { COUNT = 40 };
  static rlt_index_program program = {.count = 5,
                                      .of = {{RLT_INDEX_SPLIT, 1, 0, 0, 1},
                                             {RLT_INDEX_ADD, 1, 0, 0, 2},
                                             {RLT_INDEX_SPLIT, 2, 0, 0, 4},
                                             {RLT_INDEX_BOUND, 2, 0, 0, 3},
                                             {RLT_INDEX_JOIN, 0, 2, 0, 3}}};
  relayout_device *const device = make_device(true);
  for (int i = 0; i < 4; ++i) {
    const rlt_problem problem = {.element_bytes = 2,
                                 .source_start = 3,
                                 .source_elements = 3 + COUNT / 4 * 3,
                                 .destination_start = 5,
                                 .destination_elements = 5 + 2 * COUNT,
                                 .axis_count = 1,
                                 .axes = {{COUNT, COUNT, 1, 1}},
                                 .index_program = &program,
                                 .fills = i / 2 == 1,
                                 .fill = {7, 8}};
    program.place = i % 2;
    assert_non_null(trial_passes_as_chosen(device, &problem, 0));
  }
  relayout_device_destroy(device);
}

/* Columns 0 to 255 are one part, the others and the padding another: both ways round, so that tiles
 * are put together first or not. */
static void test_parts(void **state) {
  (void)state;
  enum { ROWS = 11, COLUMNS = 300, TILE_ROWS = 8, TILE_COLUMNS = 128, TILES = 2 * 3 };
  static const char *const froms[] = {"u16[11,300]{1,0}", "u16[11,300]{0,1}"};
  static uint16_t source[ROWS * COLUMNS];
  static uint16_t wanted[TILES * TILE_ROWS * TILE_COLUMNS], found[TILES * TILE_ROWS * TILE_COLUMNS];
  relayout_device *const device = make_device(false);
  const relayout_shape to = shape_of("u16[11,300]{1,0:T(8,128)}");
  for (int i = 0; i < ROWS * COLUMNS; ++i) {
    source[i] = (uint16_t)(i + 1);
  }
  for (int f = 0; f < 2; ++f) {
    const relayout_shape from = shape_of(froms[f]);
    for (int r = 0; r < ROWS; ++r) {
      for (int c = 0; c < COLUMNS; ++c) {
        const int tile = r / TILE_ROWS * 3 + c / TILE_COLUMNS;
        const int place = r % TILE_ROWS * TILE_COLUMNS + c % TILE_COLUMNS;
        wanted[tile * TILE_ROWS * TILE_COLUMNS + place] =
            source[f == 0 ? r * COLUMNS + c : c * ROWS + r];
      }
    }
    relayout_plan *plan = NULL;
    assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
    assert_true(plan->work.part_count > 1);
    memset(found, 0xa5, sizeof found);
    assert_int_equal(relayout_plan_execute(plan, source, found, NULL), RELAYOUT_OK);
    assert_memory_equal(found, wanted, sizeof found);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
}

/* ---- Blocks ---- */

enum { MANY_TILES = 1 << 12 };

static atomic_int moved[MANY_TILES]; /* how often, by their places */

static void count_tile(const rlt_cpu_call *call, const rlt_tile *tile) {
  (void)call;
  atomic_fetch_add_explicit(&moved[tile->destination], 1, memory_order_relaxed);
}

/* Each block is moved once, by whichever thread. */
static void test_blocks(void **state) {
  (void)state;
  static const rlt_problem problem = {.element_bytes = 1,
                                      .source_elements = MANY_TILES,
                                      .destination_elements = MANY_TILES,
                                      .axis_count = 1,
                                      .axes = {{MANY_TILES, MANY_TILES, 1, 1}}};
  static uint8_t source[MANY_TILES], destination[MANY_TILES];
  relayout_device *const device = make_device(true);
  rlt_schedule schedule = {.problem = &problem,
                           .columns = rlt_group_of_axis(&problem, 0, 1),
                           .rows = rlt_no_axes,
                           .loops = {.outer_count = 1, .outer = {0}}};
  rlt_grid grid;
  rlt_grid_make(&problem, &schedule.columns, &schedule.rows, &grid);
  rlt_cpu_executable made = {
      .schedule = &schedule, .problem = &problem, .move = count_tile, .grid = &grid};
  rlt_order_make(&grid, &schedule.loops, &made.order);
  assert_int_equal(made.order.block_count, MANY_TILES);
  for (schedule.threads = 1; schedule.threads <= 3; ++schedule.threads) {
    assert_int_equal(rlt_cpu_executable_run(device, &made, source, destination, NULL), RELAYOUT_OK);
    for (int i = 0; i < MANY_TILES; ++i) {
      assert_int_equal(atomic_load(&moved[i]), schedule.threads);
    }
  }
  relayout_device_destroy(device);
}

/* ---- Tiles that are fetched while others leave ---- */

enum { MOST_TILES = 64 };

static struct {
  int count;
  const uint8_t *sources[MOST_TILES];
  int64_t valid_columns[MOST_TILES];
  const uint8_t *next[MOST_TILES];
} leaving;

static void note_leaving(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile,
                         const uint8_t *buffered, rlt_cpu_partial_lines *held,
                         const uint8_t *next) {
  (void)frame;
  (void)buffered;
  (void)held;
  assert_true(leaving.count < MOST_TILES);
  leaving.sources[leaving.count] = tile->source;
  leaving.valid_columns[leaving.count] = tile->at->valid_columns;
  leaving.next[leaving.count++] = next;
}

/* Several tiles, of which those in the middle have a single column with a source, and later ones
 * none. */
static const rlt_problem several_tiles = {.element_bytes = 4,
                                          .source_elements = 640 * 128,
                                          .destination_elements = 640 * 128,
                                          .axis_count = 2,
                                          .axes = {{640, 129, 128, 1}, {128, 128, 1, 640}},
                                          .fills = true};

/* So many tiles ahead, the source of the one that comes then, if there is one and it has any. */
static void test_fetched_tiles(void **state) {
  (void)state;
  static uint8_t source[4 * 640 * 128], destination[4 * 640 * 128];
  relayout_device *const device = make_device(false);
  relayout_plan *const plan = trial_plan(device, &several_tiles);
  rlt_cpu_executable made = *program_of(plan);
  rlt_cpu_line_kernels lines = *made.lines;
  rlt_schedule schedule = *made.schedule;
  assert_true(schedule.buffered);
  lines.store_segments = note_leaving;
  made.lines = &lines;
  made.schedule = &schedule;
  for (int32_t ahead = 0; ahead <= RLT_MOST_TILES_AHEAD; ++ahead) {
    int fetched_narrow = 0, without_source = 0;
    schedule.prefetch.tiles = ahead;
    leaving.count = 0;
    assert_int_equal(rlt_cpu_executable_run(device, &made, source, destination, NULL), RELAYOUT_OK);
    assert_int_equal(leaving.count, made.grid->tile_count);
    for (int i = 0; i < leaving.count; ++i) {
      const bool is_fetched =
          ahead > 0 && i + ahead < leaving.count && leaving.valid_columns[i + ahead] > 0;
      assert_ptr_equal(leaving.next[i], is_fetched ? leaving.sources[i + ahead] : NULL);
      fetched_narrow += is_fetched && leaving.valid_columns[i + ahead] == 1;
      without_source += leaving.valid_columns[i] == 0;
    }
    assert_true(ahead == 0 || (fetched_narrow > 0 && without_source > 0));
  }
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* ---- Where the source ends ---- */

/* Of a tile that starts at the last of these a line goes on from its last element to the end of the
 * source, and not an element farther. */
static void test_last_sources(void **state) {
  (void)state;
  for (int64_t bytes = 1; bytes <= 16; bytes *= 2) {
    const rlt_problem problem = {.element_bytes = bytes,
                                 .source_elements = 1 << 20,
                                 .destination_elements = 1 << 20,
                                 .axis_count = 2,
                                 .axes = {{1024, 1024, 1024, 1}, {1024, 1024, 1, 1024}}};
    relayout_device *const device = make_device(true);
    relayout_plan *const plan = trial_plan(device, &problem);
    const rlt_cpu_executable *const made = program_of(plan);
    const rlt_schedule *const schedule = made->schedule;
    if (!made->unpacks) {
      const int64_t last = made->last_source + (rlt_group_length(&schedule->columns) - 1) * 1024 +
                           rlt_group_length(&schedule->rows) - 1;
      assert_int_equal(last * bytes + 64, made->source_bytes);
    } else {
      assert_true(made->last_source == INT64_MAX);
    }
    assert_int_equal(made->source_bytes, bytes << 20);
    relayout_plan_destroy(plan);
    relayout_device_destroy(device);
  }
}

/* ---- Timing ---- */

static atomic_bool asked_for_nothing;
static atomic_int blocks;   /* that the library has */
static atomic_size_t bytes; /* of them */

/* As hooks.h says, nobody is asked for 0 bytes. */
static void *allocate(void *context, size_t size, size_t alignment) {
  (void)context;
  void *made = NULL;
  if (size == 0) {
    atomic_store(&asked_for_nothing, true);
  }
  alignment = alignment < sizeof made ? sizeof made : alignment;
  if (posix_memalign(&made, alignment, size) != 0) {
    return NULL;
  }
  atomic_fetch_add(&blocks, 1);
  atomic_fetch_add(&bytes, malloc_usable_size(made));
  return made;
}

static void release(void *context, void *block) {
  (void)context;
  atomic_fetch_sub(&blocks, 1);
  atomic_fetch_sub(&bytes, malloc_usable_size(block));
  free(block);
}

/* The last device takes all memory with it, its threads' too; so it does in a child of fork(),
 * which has none of the threads. */
static void test_nothing_is_left(void **state) {
  (void)state;
  const int before = atomic_load(&blocks);
  relayout_device *const device = make_device(false);
  rlt_tuning eager = *device->tuning;
  eager.thread_bytes = 1024;
  device->tuning = &eager;
  device->facts.threads = 3;
  relayout_plan *const plan = trial_plan(device, &several_tiles);
  assert_int_equal(program_of(plan)->schedule->threads, 3);
  relayout_plan_destroy(plan);
  assert_non_null(trial_passes_as_chosen(device, &several_tiles, 0));
  if (FOLLOWS_FORKS) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      relayout_device_destroy(device);
      _exit(atomic_load(&blocks) == before ? 0 : 1);
    }
    assert_int_equal(child_code(child), 0);
  }
  relayout_device_destroy(device);
  assert_int_equal(atomic_load(&blocks), before);
}

/* What a plan says that it takes of the host's memory is what it has asked for, but for what is
 * rounded up. It has room for what it uses alone, its tiles' tables among that. */
static void test_bytes(void **state) {
  (void)state;
  static const struct {
    const char *from, *to;
    size_t most;
  } sides[] = {
      {"f32[1024,1024]", "f32[1024,1024]", 4096},
      {"f32[64,48]", "f32[64,48]{0,1}", 8192},
      {"f32[100,300]", "f32[100,300]{1,0:T(8,128)}", 40960},
      {"u8[33,5,7]", "u8[33,5,7]{0,2,1}", 8192},
      {"s4[64,48]{1,0:E(4)}", "f32[64,48]{0,1}", 16384},
      {"f32[64,48]", "bf16[64,48]{0,1:PD(64,50)}", 16384},
      {"u8[63]{0:T(9)}", "u8[63]{0:T(7)}", 8192},
      {"f32[0,3]", "f32[0,3]{0,1}", 2048},
  };
  rlt_plan_request request;
  rlt_plan_request_clear(&request);
  relayout_device *const device = make_device(false);
  for (size_t i = 0; i < sizeof sides / sizeof sides[0]; ++i) {
    const relayout_shape from = shape_of(sides[i].from);
    const relayout_shape to = shape_of(sides[i].to);
    relayout_plan *plan = NULL;
    const size_t before = atomic_load(&bytes);
    assert_int_equal(
        rlt_plan_create(device, &from, &to, &request, (rlt_texts){0, NULL}, &plan, NULL),
        RELAYOUT_OK);
    const size_t taken = atomic_load(&bytes) - before;
    const uint64_t told = rlt_plan_host_bytes(plan);
    print_message("%s: %zu bytes, told %zu\n", sides[i].from, taken, (size_t)told);
    assert_true(told <= taken);
    assert_true(taken <= told + told / 20 + 256);
    assert_true(taken <= sides[i].most);
    relayout_plan_destroy(plan);
    assert_int_equal(atomic_load(&bytes), before);
  }
  relayout_device_destroy(device);
}

/* There is memory for sides that have no bytes, as those that are only filled. */
static void test_scratch(void **state) {
  (void)state;
  static const size_t sizes[][2] = {{0, 4096}, {4096, 0}, {0, 0}, {5, 70000}};
  relayout_device *const device = make_device(true);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    void *scratch = NULL;
    assert_int_equal(
        rlt_cpu_backend.scratch_create(device, sizes[i][0], sizes[i][1], &scratch, NULL),
        RELAYOUT_OK);
    assert_non_null(scratch);
    rlt_cpu_backend.scratch_destroy(device, scratch);
  }
  rlt_cpu_backend.scratch_destroy(device, NULL);
  assert_false(atomic_load(&asked_for_nothing));
  relayout_device_destroy(device);
}

/* What is said to have been taken is no more than what has been. */
static void test_time(void **state) {
  (void)state;
  const rlt_problem problem = {.element_bytes = 2,
                               .source_elements = 512 * 512,
                               .destination_elements = 512 * 512,
                               .axis_count = 2,
                               .axes = {{512, 512, 512, 1}, {512, 512, 1, 512}}};
  relayout_device *const device = make_device(true);
  relayout_plan *const plan = trial_plan(device, &problem);
  const size_t size = 2 * 512 * 512;
  void *scratch = NULL;
  assert_int_equal(rlt_cpu_backend.scratch_create(device, size + 64, size + 64, &scratch, NULL),
                   RELAYOUT_OK);
  for (size_t offset = 0; offset <= 64; offset += 32) {
    double seconds = -1;
    const double begin = rlt_seconds();
    assert_int_equal(rlt_cpu_backend.executable_time(device, program_of(plan), scratch,
                                                     (rlt_offsets){offset, offset}, &seconds, NULL),
                     RELAYOUT_OK);
    assert_true(seconds >= 0 && seconds <= rlt_seconds() - begin);
  }
  rlt_cpu_backend.scratch_destroy(device, scratch);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_copies),
      cmocka_unit_test(test_small_problems),
      cmocka_unit_test(test_loaded_words),
      cmocka_unit_test(test_narrowed_first),
      cmocka_unit_test(test_packed_by_program),
      cmocka_unit_test(test_looked_up_by_program),
      cmocka_unit_test(test_parts),
      cmocka_unit_test(test_blocks),
      cmocka_unit_test(test_fetched_tiles),
      cmocka_unit_test(test_nothing_is_left),
      cmocka_unit_test(test_bytes),
      cmocka_unit_test(test_last_sources),
      cmocka_unit_test(test_scratch),
      cmocka_unit_test(test_time),
  };
  relayout_allocator allocator = RELAYOUT_ALLOCATOR_INIT;
  allocator.allocate = allocate;
  allocator.release = release;
  if (relayout_set_allocator(&allocator, NULL) != RELAYOUT_OK) {
    return 1;
  }
  return cmocka_run_group_tests_name("cpu.programs", tests, NULL, NULL);
}
