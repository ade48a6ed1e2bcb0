/* test_local_groups.c: tiles that work-items share: groups of axes within their budget, and pixels
 * with channels, worked out by hand. */
#include "cmocka_all.h"

#include "gpu/local_tile.h"
#include "gpu/planning.h"
#include "plan/asked.h"
#include "plan/devices.h"

/* ---- Groups of axes ---- */

/* Runs of eight floats; of axes of 10, `middle` and 30 that follow in the destination the source
 * has the last one first. */
#define REVERSED_RUNS(middle)                                                                      \
  {                                                                                                \
    .element_bytes = 4, .source_elements = 2400 * (middle),                                        \
    .destination_elements = 2400 * (middle), .axis_count = 4, .axes = {                            \
      {8, 8, 1, 1},                                                                                \
      {10, 10, 240, 8},                                                                            \
      {(middle), (middle), 2400, 80},                                                              \
      {30, 30, 8, 80 * (middle)}                                                                   \
    }                                                                                              \
  }

static const struct {
  rlt_problem problem;
  int64_t tile_bytes;
  rlt_group columns;
  rlt_group rows;
} grown[] = {
    /* A line of 16 is two runs on either side, 32 elements. Columns grow to all ten runs, and then
     * by the next axis: as much of it as 4096 elements leave, 25 times 160; 20 are all. */
    {REVERSED_RUNS(20), 16384, {3, {0, 1, 2}, 80, 20}, {1, {3}, 1, 2}},
    {REVERSED_RUNS(25), 16384, {3, {0, 1, 2}, 80, 25}, {1, {3}, 1, 2}},
    /* 50 are two blocks of 25. */
    {REVERSED_RUNS(50), 16384, {3, {0, 1, 2}, 80, 25}, {1, {3}, 1, 2}},
    /* Room for two steps of it, and for one, which is none. */
    {REVERSED_RUNS(20), 320 * 4, {3, {0, 1, 2}, 80, 2}, {1, {3}, 1, 2}},
    {REVERSED_RUNS(20), 319 * 4, {2, {0, 1}, 8, 10}, {1, {3}, 1, 2}},
    /* Not all ten runs: 8 would be two blocks of 5, which are 6 in whole twos. */
    {REVERSED_RUNS(20), 159 * 4, {2, {0, 1}, 8, 6}, {1, {3}, 1, 2}},
    /* What is left makes more rows: twice 1600 are less than half of 8192 elements. */
    {REVERSED_RUNS(20), 6400 * 4, {3, {0, 1, 2}, 80, 20}, {1, {3}, 1, 4}},
    {REVERSED_RUNS(20), 6399 * 4, {3, {0, 1, 2}, 80, 20}, {1, {3}, 1, 2}},
};

static void test_groups_grow(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof grown / sizeof grown[0]; ++i) {
    rlt_tuning tuning = work_group_tuning;
    tuning.tile_bytes = grown[i].tile_bytes;
    rlt_candidates candidates =
        asked(&rlt_method_permute, scene_of(&grown[i].problem, &work_group_facts, &tuning));
    print_message("case %zu\n", i);
    assert_true(candidates.count > 0);
    expect_group(&candidates.of[0].schedule.columns, &grown[i].columns);
    expect_group(&candidates.of[0].schedule.rows, &grown[i].rows);
    assert_int_equal(candidates.of[0].schedule.move, RLT_MOVE_PERMUTE);
    rlt_candidates_free(&candidates);
  }
}

/* A quarter of the room is offered too, and is the second choice. */
static void test_quarters(void **state) {
  (void)state;
  static const rlt_problem problem = REVERSED_RUNS(20);
  rlt_tuning tuning = work_group_tuning;
  tuning.tile_bytes = 4 * 320 * 4;
  rlt_candidates candidates =
      asked(&rlt_method_permute, scene_of(&problem, &work_group_facts, &tuning));
  assert_int_equal(candidates.count, 2);
  assert_true(candidates.of[0].schedule.suits);
  assert_false(candidates.of[1].schedule.suits);
  expect_group(&candidates.of[0].schedule.columns, &(rlt_group){3, {0, 1, 2}, 80, 8});
  expect_group(&candidates.of[1].schedule.columns, &(rlt_group){3, {0, 1, 2}, 80, 2});
  rlt_candidates_free(&candidates);
}

/* Lines where there is room for them, and half or a quarter of one where there is not. */
static void test_parts_of_lines(void **state) {
  (void)state;
  static const rlt_problem matrix = {.element_bytes = 4,
                                     .source_elements = 1 << 20,
                                     .destination_elements = 1 << 20,
                                     .axis_count = 2,
                                     .axes = {{1024, 1024, 1024, 1}, {1024, 1024, 1, 1024}}};
  static const struct {
    int64_t elements, columns, rows;
  } cases[] = {{256, 16, 16}, {255, 8, 8}, {64, 8, 8}, {63, 4, 4},
               {16, 4, 4},    {15, 2, 2},  {3, 1, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_tuning tuning = work_group_tuning;
    tuning.tile_bytes = 4 * cases[i].elements;
    rlt_candidates candidates =
        asked(&rlt_method_permute, scene_of(&matrix, &work_group_facts, &tuning));
    const rlt_schedule *const found = &candidates.of[0].schedule;
    print_message("case %zu\n", i);
    assert_int_equal(found->rows.steps, cases[i].rows);
    assert_true(found->columns.steps >= cases[i].columns);
    assert_true(found->columns.steps * found->rows.steps <= cases[i].elements);
    assert_true(2 * found->columns.steps * found->rows.steps > cases[i].elements);
    rlt_candidates_free(&candidates);
  }
}

/* One run, a word that is left out behind each 32, and one for the fill, in the 8192 words of local
 * memory: 7943 + 248 + 1. What is too much is halved. */
static void test_all_of_local_memory(void **state) {
  (void)state;
  rlt_tuning tuning = work_group_tuning;
  tuning.tile_bytes = 1 << 20;
  static const struct {
    int64_t extent, steps;
  } cases[] = {{7943, 7943}, {7944, 3972}, {7945, 3973}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_problem run = {.element_bytes = 4,
                             .source_elements = cases[i].extent,
                             .destination_elements = cases[i].extent,
                             .axis_count = 1,
                             .axes = {{cases[i].extent, cases[i].extent, 1, 1}}};
    rlt_candidates candidates =
        asked(&rlt_method_permute, scene_of(&run, &work_group_facts, &tuning));
    assert_int_equal(candidates.of[0].schedule.columns.steps, cases[i].steps);
    rlt_candidates_free(&candidates);
  }
}

/* Bytes that become nibbles: half of 50002 are 25001, and the last of these shares its byte. */
static void test_halves_of_packed_runs(void **state) {
  (void)state;
  rlt_tuning tuning = work_group_tuning;
  tuning.tile_bytes = 1 << 20;
  const rlt_problem run = {.element_bytes = 1,
                           .destination_packed = 4,
                           .source_elements = 50002,
                           .destination_elements = 50002,
                           .axis_count = 1,
                           .axes = {{50002, 50002, 1, 1}}};
  rlt_candidates candidates =
      asked(&rlt_method_permute, scene_of(&run, &work_group_facts, &tuning));
  assert_true(candidates.count > 0);
  assert_int_equal(candidates.of[0].schedule.columns.steps, 25002);
  rlt_candidates_free(&candidates);
}

/* Axes of 4, 15, 4, 16, 5 and 15 in the destination, in reverse in the source, and tiles of 8 KiB.
 * Lines of 32 floats would be 32 of the destination's first 60 and three times the source's first
 * 15: 45 x 32. All 60 leave room for twice 15, and 30 x 60 cuts fewer lines: it writes runs of 240
 * bytes where the other writes 128 that lie across two lines. Kernels that serve many problems have
 * tiles of lines alone, and so have words that share a unit of local memory: 15 of the second axis
 * and three times 15. */
static void test_whole_axes(void **state) {
  (void)state;
  static const rlt_problem reversed = {.element_bytes = 4,
                                       .source_elements = 288000,
                                       .destination_elements = 288000,
                                       .axis_count = 6,
                                       .axes = {{4, 4, 72000, 1},
                                                {15, 15, 4800, 4},
                                                {4, 4, 1200, 60},
                                                {16, 16, 75, 240},
                                                {5, 5, 15, 3840},
                                                {15, 15, 1, 19200}}};
  rlt_facts facts = work_group_facts;
  rlt_tuning tuning = work_group_tuning;
  facts.line_bytes = 128;
  tuning.tile_bytes = 8192;
  static const struct {
    int64_t bytes;
    bool specializes;
    int64_t columns, rows;
  } cases[] = {{4, true, 15, 2}, {4, false, 8, 3}, {2, true, 15, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_problem problem = reversed;
    problem.element_bytes = cases[i].bytes;
    rlt_rates *const rates = &tuning.words[rlt_word_size_number(cases[i].bytes)].rates;
    rates->of[RLT_RATE_LINE_IN_PARTS] = 1;
    rates->of[RLT_RATE_LINE_AGAIN] = 1;
    rlt_scene scene = scene_of(&problem, &facts, &tuning);
    scene.specializes = cases[i].specializes;
    rlt_candidates candidates = asked(&rlt_method_permute, scene);
    print_message("case %zu\n", i);
    assert_true(candidates.count > 0);
    expect_group(&candidates.of[0].schedule.columns, &(rlt_group){2, {0, 1}, 4, cases[i].columns});
    expect_group(&candidates.of[0].schedule.rows, &(rlt_group){2, {5, 4}, 15, cases[i].rows});
    rlt_candidates_free(&candidates);
  }
}

/* A single word is no tile, but any element is. */
static void test_single_words(void **state) {
  (void)state;
  rlt_problem word = {.element_bytes = 16,
                      .source_elements = 2,
                      .destination_elements = 2,
                      .axis_count = 1,
                      .axes = {{1, 1, 1, 1}}};
  rlt_scene scene = scene_of(&word, &work_group_facts, &work_group_tuning);
  scene.has_wide = scene.is_wide = true;
  rlt_candidates candidates = asked(&rlt_method_permute, scene);
  assert_int_equal(candidates.count, 0);
  word.axes[0].extent = word.axes[0].valid = 2;
  candidates = asked(&rlt_method_permute, scene);
  assert_true(candidates.count > 0);
  rlt_candidates_free(&candidates);
  word.axes[0].extent = word.axes[0].valid = 1;
  scene.is_wide = false;
  candidates = asked(&rlt_method_permute, scene);
  assert_true(candidates.count > 0);
  rlt_candidates_free(&candidates);
}

/* What schedules begin with: no tile, and of work-items that share tiles their blocking. */
static void test_schedules_without_a_tile(void **state) {
  (void)state;
  static const rlt_problem word = {.element_bytes = 4};
  rlt_tuning tuning = work_group_tuning;
  tuning.words[2].tiles[RLT_TILES_ANY].runs = (rlt_reach){7, 8};
  tuning.words[2].tiles[RLT_TILES_ANY].blocks = (rlt_reach){9, 10};
  rlt_scene scene = scene_of(&word, &work_group_facts, &tuning);
  scene.is_wide = true;
  scene.method = &rlt_method_fill;
  rlt_schedule made = rlt_gpu_schedule(&scene, RLT_MOVE_FILL, "so");
  assert_ptr_equal(made.problem, &word);
  assert_ptr_equal(made.method, &rlt_method_fill);
  assert_string_equal(made.reason, "so");
  assert_true(made.suits);
  assert_true(made.is_wide);
  assert_ptr_equal(made.target, &rlt_gpu_target);
  assert_int_equal(made.move, RLT_MOVE_FILL);
  assert_int_equal(made.tile_bytes, 16384);
  assert_int_equal(made.blocking.runs.read_bytes, 7);
  assert_int_equal(made.blocking.blocks.write_bytes, 10);
  expect_group(&made.columns, &rlt_no_axes);
  expect_group(&made.rows, &rlt_no_axes);
  scene.facts = &cpu_facts;
  made = rlt_method_schedule(&scene, RLT_MOVE_FILL, "so");
  assert_ptr_equal(made.target, &rlt_cpu_target);
  assert_int_equal(made.blocking.runs.read_bytes, 0);
  assert_int_equal(made.blocking.runs.write_bytes, 0);
  assert_int_equal(made.blocking.blocks.read_bytes, 0);
}

/* What is filled: runs as they are copied, or as whole bytes of packed elements are looked up. */
static void test_fills(void **state) {
  (void)state;
  rlt_problem problem = {.element_bytes = 1,
                         .fills = true,
                         .destination_elements = 5000,
                         .axis_count = 1,
                         .axes = {{5000, 0, 0, 1}}};
  rlt_scene scene = scene_of(&problem, &work_group_facts, &work_group_tuning);
  rlt_candidates candidates = asked(&rlt_method_fill, scene);
  assert_int_equal(candidates.count, 1);
  assert_int_equal(candidates.of[0].schedule.columns.steps, 4096);
  rlt_candidates_free(&candidates);
  problem.destination_packed = 1; /* 625 bytes */
  candidates = asked(&rlt_method_fill, scene);
  assert_int_equal(candidates.of[0].schedule.columns.steps, 5000);
  rlt_candidates_free(&candidates);
  /* Wider words are of work-items that share; and what has a source is nobody's to fill. */
  scene.is_wide = true;
  problem.destination_packed = 0;
  candidates = asked(&rlt_method_fill, scene);
  assert_int_equal(candidates.count, 1);
  rlt_candidates_free(&candidates);
  scene.facts = &plain_cpu_facts;
  candidates = asked(&rlt_method_fill, scene);
  assert_int_equal(candidates.count, 0);
  scene.is_wide = false;
  problem.axes[0].valid = 1;
  candidates = asked(&rlt_method_fill, scene);
  assert_int_equal(candidates.count, 0);
}

/* ---- Channels ---- */

/* So many pixels with channels side by side, of which the destination has one plane behind the
 * other, the first of each `plane` elements behind the last one's; and `images` of them. */
#define PARTED(bytes, pixels, valid, pitch, channels, plane, images)                               \
  {                                                                                                \
    .element_bytes = (bytes), .source_elements = (pixels) * (pitch) * (images),                    \
    .destination_elements = (plane) * (channels) * (images), .fills = (valid) < (pixels),          \
    .axis_count = 3, .axes = {                                                                     \
      {(pixels), (valid), (pitch), 1},                                                             \
      {(channels), (channels), 1, (plane)},                                                        \
      {(images), (images), (pixels) * (pitch), (plane) * (channels)}                               \
    }                                                                                              \
  }

/* The way back. */
#define JOINED(bytes, pixels, pitch, channels, plane, images)                                      \
  {                                                                                                \
    .element_bytes = (bytes), .source_elements = (plane) * (channels) * (images),                  \
    .destination_elements = (pixels) * (pitch) * (images), .axis_count = 3, .axes = {              \
      {(channels), (channels), (plane), 1},                                                        \
      {(pixels), (pixels), 1, (pitch)},                                                            \
      {(images), (images), (plane) * (channels), (pixels) * (pitch)}                               \
    }                                                                                              \
  }

static const struct {
  rlt_problem problem;
  int64_t columns; /* 0: nothing is offered */
  int64_t rows;
  int32_t axes; /* of the columns */
} channels[] = {
    /* 64 work-items take two pieces of each channel: 2048 bytes, 1024 halves, 512 floats. */
    {PARTED(1, 10000, 10000, 4, 4, 10000, 5), 2048, 4, 1},
    {PARTED(2, 10000, 10000, 4, 4, 10000, 5), 1024, 4, 1},
    {PARTED(4, 10000, 10000, 4, 4, 10000, 5), 512, 4, 1},
    {PARTED(4, 10000, 10000, 3, 3, 10001, 5), 512, 3, 1},
    {JOINED(1, 10000, 4, 4, 10000, 5), 2048, 4, 1},
    {JOINED(1, 10000, 3, 3, 10001, 5), 2048, 3, 1},
    /* Three channels of less than units whose planes do not all begin with a piece: one less. */
    {PARTED(1, 10000, 10000, 3, 3, 10000, 5), 2048, 3, 1},
    {PARTED(1, 10000, 10000, 3, 3, 10001, 5), 126 * 16, 3, 1},
    {PARTED(1, 10000, 10000, 3, 3, 10015, 5), 126 * 16, 3, 1},
    {PARTED(2, 10000, 10000, 3, 3, 10001, 5), 126 * 8, 3, 1},
    {PARTED(2, 10000, 10000, 3, 3, 10008, 5), 128 * 8, 3, 1},
    {PARTED(1, 10000, 10000, 4, 4, 10001, 5), 2048, 4, 1},
    /* Two to eight channels of bytes and halves, or to four of what takes a unit. */
    {PARTED(1, 10000, 10000, 2, 2, 10000, 5), 2048, 2, 1},
    {PARTED(1, 10000, 10000, 8, 8, 10000, 5), 2048, 8, 1},
    {PARTED(1, 10000, 10000, 9, 8, 10000, 5), 0, 0, 0},
    {PARTED(2, 10000, 10000, 8, 8, 10000, 5), 1024, 8, 1},
    {PARTED(4, 10000, 10000, 5, 4, 10000, 5), 0, 0, 0},
    {JOINED(4, 10000, 4, 4, 10000, 5), 512, 4, 1},
    {JOINED(4, 10000, 5, 5, 10000, 5), 0, 0, 0},
    /* Not all channels may be read, but all are written. */
    {PARTED(1, 10000, 10000, 4, 3, 10000, 5), 2048, 3, 1},
    {JOINED(1, 10000, 4, 3, 10000, 5), 0, 0, 0},
    /* A quarter of the pixels is enough; fewer take several runs of them, as many as are wanted, or
     * as there are. */
    {PARTED(1, 512, 512, 4, 4, 512, 1), 512, 4, 1},
    {PARTED(1, 511, 511, 4, 4, 511, 1), 0, 0, 0},
    {PARTED(1, 100, 100, 4, 4, 100, 50), 2000, 4, 2},
    {PARTED(1, 100, 100, 4, 4, 100, 6), 600, 4, 2},
    {PARTED(1, 100, 100, 4, 4, 100, 5), 0, 0, 0},
    {PARTED(1, 1024, 1024, 4, 4, 1024, 50), 2048, 4, 2},
    {PARTED(1, 1025, 1025, 4, 4, 1025, 50), 1025, 4, 1},
    {JOINED(1, 100, 4, 4, 100, 50), 2000, 4, 2},
    /* Unless some of them have no source. */
    {PARTED(1, 600, 599, 4, 4, 600, 50), 600, 4, 1},
    {PARTED(1, 500, 499, 4, 4, 500, 50), 0, 0, 0},
};

static void test_pixels_by_hand(void **state) {
  (void)state;
  rlt_facts facts = work_group_facts;
  facts.group_size = 64;
  for (size_t i = 0; i < sizeof channels / sizeof channels[0]; ++i) {
    rlt_problem problem = channels[i].problem;
    problem.axis_count = problem.axes[2].extent > 1 ? 3 : 2;
    rlt_candidates candidates =
        asked(&rlt_method_interleave, scene_of(&problem, &facts, &work_group_tuning));
    print_message("case %zu\n", i);
    assert_int_equal(candidates.count, channels[i].columns > 0 ? 1 : 0);
    if (candidates.count > 0) {
      const rlt_schedule *const found = &candidates.of[0].schedule;
      assert_int_equal(found->move, RLT_MOVE_INTERLEAVE);
      assert_int_equal(rlt_group_length(&found->columns), channels[i].columns);
      assert_int_equal(found->columns.axis_count, channels[i].axes);
      assert_int_equal(rlt_group_length(&found->rows), channels[i].rows);
    }
    rlt_candidates_free(&candidates);
  }
  /* What changes on its way is not joined or parted so. */
  rlt_problem changed = channels[2].problem;
  changed.conversion = (rlt_conversion){.from = RELAYOUT_F32, .to = RELAYOUT_BF16, .scale = 1};
  rlt_candidates candidates =
      asked(&rlt_method_interleave, scene_of(&changed, &facts, &work_group_tuning));
  assert_int_equal(candidates.count, 0);
}

/* What has one valid step does not move in the source, whatever its stride there. */
static void test_channels_behind_a_single_step(void **state) {
  (void)state;
  rlt_facts facts = work_group_facts;
  facts.group_size = 64;
  rlt_problem problem = PARTED(1, 10000, 10000, 4, 4, 20000, 1);
  problem.fills = true;
  problem.axes[2] = problem.axes[1];
  problem.axes[1] = (rlt_axis){2, 1, 1, 10000};
  rlt_candidates candidates =
      asked(&rlt_method_interleave, scene_of(&problem, &facts, &work_group_tuning));
  assert_int_equal(candidates.count, 1);
  expect_group(&candidates.of[0].schedule.rows, &(rlt_group){1, {2}, 1, 4});
  rlt_candidates_free(&candidates);
}

/* 20 runs are wanted: the first axis that has as many, or the longest. */
static void test_axis_of_runs(void **state) {
  (void)state;
  static const struct {
    int64_t extents[3];
    int32_t axis;
    int64_t runs;
  } cases[] = {{{30, 50, 7}, 2, 20}, {{10, 50, 60}, 3, 20}, {{10, 15, 12}, 3, 15},
               {{20, 21, 1}, 2, 20}, {{19, 20, 30}, 3, 20}, {{12, 12, 12}, 2, 12}};
  rlt_facts facts = work_group_facts;
  facts.group_size = 64;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const int64_t *const extents = cases[i].extents;
    rlt_problem problem = PARTED(1, 100, 100, 4, 4, 100, 1);
    int64_t stride = 400;
    problem.axis_count = 5;
    for (int a = 0; a < 3; ++a) {
      problem.axes[2 + a] = (rlt_axis){extents[a], extents[a], stride, stride};
      stride *= extents[a];
    }
    problem.source_elements = problem.destination_elements = stride;
    rlt_candidates candidates =
        asked(&rlt_method_interleave, scene_of(&problem, &facts, &work_group_tuning));
    print_message("case %zu\n", i);
    assert_int_equal(candidates.count, 1);
    const rlt_group expected = {2, {0, cases[i].axis}, 100, cases[i].runs};
    expect_group(&candidates.of[0].schedule.columns, &expected);
    rlt_candidates_free(&candidates);
  }
}

/* ---- Squares ---- */

/* A quarter of a tile's bytes has to be filled: of 16 KiB, 64 rows by 64 columns, 1024 floats. */
static void test_squares_that_are_filled(void **state) {
  (void)state;
  static const struct {
    int64_t columns, rows;
    bool suits;
  } cases[] = {{64, 64, true},   {64, 16, true},  {64, 15, false}, {1000, 16, true},
               {16, 64, true},   {15, 64, false}, {32, 32, true},  {31, 33, false},
               {16, 1000, true}, {8, 1000, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const int64_t columns = cases[i].columns;
    const int64_t rows = cases[i].rows;
    const rlt_problem matrix = {.element_bytes = 4,
                                .source_elements = columns * rows,
                                .destination_elements = columns * rows,
                                .axis_count = 2,
                                .axes = {{columns, columns, rows, 1}, {rows, rows, 1, columns}}};
    rlt_scene scene = scene_of(&matrix, &work_group_facts, &work_group_tuning);
    rlt_candidates candidates = asked(&rlt_method_transpose, scene);
    print_message("case %zu\n", i);
    assert_int_equal(candidates.count, 1);
    assert_int_equal(candidates.of[0].schedule.suits, cases[i].suits);
    assert_int_equal(candidates.of[0].schedule.columns.steps, rlt_min(columns, 64));
    assert_int_equal(candidates.of[0].schedule.rows.steps, rlt_min(rows, 64));
    rlt_candidates_free(&candidates);
    scene.has_wide = scene.is_wide = true;
    candidates = asked(&rlt_method_transpose, scene);
    assert_int_equal(candidates.count, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_groups_grow),
      cmocka_unit_test(test_quarters),
      cmocka_unit_test(test_parts_of_lines),
      cmocka_unit_test(test_all_of_local_memory),
      cmocka_unit_test(test_halves_of_packed_runs),
      cmocka_unit_test(test_whole_axes),
      cmocka_unit_test(test_single_words),
      cmocka_unit_test(test_schedules_without_a_tile),
      cmocka_unit_test(test_fills),
      cmocka_unit_test(test_pixels_by_hand),
      cmocka_unit_test(test_channels_behind_a_single_step),
      cmocka_unit_test(test_axis_of_runs),
      cmocka_unit_test(test_squares_that_are_filled),
  };
  return cmocka_run_group_tests_name("plan.local_groups", tests, NULL, NULL);
}
