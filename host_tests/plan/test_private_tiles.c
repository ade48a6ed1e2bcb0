/* test_private_tiles.c: tiles of a worker's own, each rule for how far they go by hand: on devices
 * whose lines have 64 bytes, by a blocking for 256 source bytes and 512 destination bytes. */
#include "cmocka_all.h"

#include "plan/asked.h"
#include "plan/devices.h"

/* Rows and columns change places; the destination has its rows `pitch` apart. */
#define MATRIX(bytes, columns, rows, pitch)                                                        \
  {                                                                                                \
    .element_bytes = (bytes), .source_elements = (columns) * (rows),                               \
    .destination_elements = (pitch) * (rows), .axis_count = 2, .axes = {                           \
      {(columns), (columns), (rows), 1},                                                           \
      {(rows), (rows), 1, (pitch)}                                                                 \
    }                                                                                              \
  }

/* The first tile that is offered, by the word size's own blocking. */
static rlt_schedule first_candidate(const rlt_method *method, const rlt_problem *problem,
                                    const rlt_facts *facts, const rlt_tuning *tuning) {
  rlt_candidates candidates = asked(method, scene_of(problem, facts, tuning));
  assert_true(candidates.count > 0);
  const rlt_schedule made = candidates.of[0].schedule;
  rlt_candidates_free(&candidates);
  return made;
}

static rlt_tuning tuning_with(rlt_reach runs) {
  rlt_tuning tuning = plain_cpu_tuning;
  for (int32_t w = 0; w < RLT_WORD_SIZES; ++w) {
    tuning.words[w].tiles[RLT_TILES_ANY].runs = runs;
  }
  return tuning;
}

/* ---- How far tiles go ---- */

static const rlt_conversion to_bf16 = {.from = RELAYOUT_F32, .to = RELAYOUT_BF16, .scale = 1};

static void test_blocks_of_axes(void **state) {
  (void)state;
  static const struct {
    const rlt_method *method;
    rlt_problem problem;
    rlt_reach runs;
    rlt_group columns;
    rlt_group rows;
  } cases[] = {
      /* 125 columns end with a line of 16; 50 rows that lie 1001 apart would end with one after
       * 16, which are no small part of them; those that lie 1000 apart do so after two. */
      {&rlt_method_transpose,
       MATRIX(4, 1001, 1000, 1001),
       {200, 500},
       {1, {0}, 1, 112},
       {1, {1}, 1, 50}},
      {&rlt_method_transpose,
       MATRIX(4, 1000, 1000, 1000),
       {204, 500},
       {1, {0}, 1, 112},
       {1, {1}, 1, 50}},
      /* An axis that is up to a half longer is taken whole. */
      {&rlt_method_transpose, MATRIX(4, 96, 75, 96), {200, 256}, {1, {0}, 1, 96}, {1, {1}, 1, 75}},
      {&rlt_method_transpose, MATRIX(4, 97, 76, 97), {200, 256}, {1, {0}, 1, 64}, {1, {1}, 1, 50}},
      /* Of the next axis blocks of equal length: 8 of 19 would leave 3. */
      {&rlt_method_copy,
       {.element_bytes = 4,
        .source_elements = 60,
        .destination_elements = 38,
        .axis_count = 2,
        .axes = {{2, 2, 1, 1}, {19, 19, 3, 2}}},
       {64, 64},
       {2, {0, 1}, 2, 7},
       {0, {0}, 1, 1}},
      /* 32 of 100 would be 25, which end with a line after four of them. */
      {&rlt_method_copy,
       {.element_bytes = 4,
        .fills = true,
        .source_elements = 300,
        .destination_elements = 400,
        .axis_count = 2,
        .axes = {{4, 3, 1, 1}, {100, 100, 3, 4}}},
       {256, 512},
       {2, {0, 1}, 4, 24},
       {0, {0}, 1, 1}},
      /* Whole lines on both sides, however little is asked for. */
      {&rlt_method_transpose,
       MATRIX(4, 1001, 1003, 1001),
       {4, 4},
       {1, {0}, 1, 16},
       {1, {1}, 1, 16}},
      {&rlt_method_transpose, MATRIX(16, 1001, 1003, 1001), {4, 4}, {1, {0}, 1, 4}, {1, {1}, 1, 4}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_tuning tuning = tuning_with(cases[i].runs);
    print_message("case %zu\n", i);
    const rlt_schedule found =
        first_candidate(cases[i].method, &cases[i].problem, &plain_cpu_facts, &tuning);
    expect_group(&found.columns, &cases[i].columns);
    expect_group(&found.rows, &cases[i].rows);
    assert_true(found.suits);
  }
}

/* However short lines and blockings are, tiles have two elements of either side. */
static void test_least_of_both_sides(void **state) {
  (void)state;
  static const rlt_problem wide = MATRIX(16, 1001, 1003, 1001);
  const rlt_tuning tuning = tuning_with((rlt_reach){4, 4});
  rlt_facts facts = plain_cpu_facts;
  facts.line_bytes = 16;
  const rlt_schedule found = first_candidate(&rlt_method_transpose, &wide, &facts, &tuning);
  expect_group(&found.columns, &(rlt_group){1, {0}, 1, 2});
  expect_group(&found.rows, &(rlt_group){1, {1}, 1, 2});
}

static rlt_facts facts_with_room(int64_t staging_bytes) {
  rlt_facts made = plain_cpu_facts;
  made.staging_bytes = staging_bytes;
  return made;
}

/* Elements that change are read by whole lines, and unpacked 64 at a time, 512 if there is room. */
static void test_what_is_read_at_once(void **state) {
  (void)state;
  static const struct {
    int64_t bytes, packed, room;
    bool converts;
    int64_t read_bytes, rows;
  } cases[] = {{4, 0, 1 << 18, false, 200, 50},
               {4, 0, 1 << 18, true, 400, 96},
               {1, 0, 1 << 18, false, 200, 200},
               {1, 4, 1 << 18, false, 200, 512},
               {1, 4, 100000, false, 200, 256}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_facts facts = facts_with_room(cases[i].room);
    const rlt_tuning tuning = tuning_with((rlt_reach){cases[i].read_bytes, 128});
    rlt_problem problem = MATRIX(4, 1001, 1003, 1001);
    problem.element_bytes = cases[i].bytes;
    problem.source_packed = cases[i].packed;
    if (cases[i].converts) {
      problem.conversion = to_bf16;
    }
    print_message("case %zu\n", i);
    const rlt_schedule found = first_candidate(&rlt_method_transpose, &problem, &facts, &tuning);
    assert_int_equal(found.rows.steps, cases[i].rows);
  }
}

/* A tile of floats that become bf16 has 256 columns and 64 rows at least, if the matrix has as many
 * and the tile buffer has room for them. */
static void test_converted_runs(void **state) {
  (void)state;
  static const struct {
    int64_t write_bytes, width, room, columns, rows;
  } cases[] = {{256, 1001, 1 << 18, 256, 64},
               {1024, 1001, 1 << 18, 512, 64},
               {256, 70, 1 << 18, 70, 64},
               {256, 64, 1 << 18, 64, 64},
               {256, 1001, 40960, 256, 32}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_facts facts = facts_with_room(cases[i].room);
    const rlt_tuning tuning = tuning_with((rlt_reach){128, cases[i].write_bytes});
    rlt_problem problem = MATRIX(4, cases[i].width, 1003, cases[i].width);
    problem.conversion = to_bf16;
    print_message("case %zu\n", i);
    const rlt_schedule found = first_candidate(&rlt_method_transpose, &problem, &facts, &tuning);
    assert_int_equal(found.columns.steps, cases[i].columns);
    assert_int_equal(found.rows.steps, cases[i].rows);
  }
}

/* Small tiles, of 8 by 6 pixels, go on along what follows both: 3 of them are 128 floats, and 8
 * give each of 6 rows a sixth of 8 KiB. */
static void test_least_tiles(void **state) {
  (void)state;
  static const rlt_problem images = {.element_bytes = 4,
                                     .source_elements = 48000,
                                     .destination_elements = 48000,
                                     .axis_count = 3,
                                     .axes = {{8, 8, 6, 1}, {6, 6, 1, 8}, {1000, 1000, 48, 48}}};
  rlt_tuning tuning = plain_cpu_tuning;
  const rlt_group rows = rlt_group_of_axis(&images, 1, 6);
  rlt_schedule found = first_candidate(&rlt_method_permute, &images, &plain_cpu_facts, &tuning);
  expect_group(&found.columns, &(rlt_group){2, {0, 2}, 8, 3});
  expect_group(&found.rows, &rows);
  tuning.least_tile_bytes = 8192;
  found = first_candidate(&rlt_method_permute, &images, &plain_cpu_facts, &tuning);
  expect_group(&found.columns, &(rlt_group){2, {0, 2}, 8, 8});
  expect_group(&found.rows, &rows);

  /* Where the destination has a gap behind four columns, 512 rows instead of 64: two blocks of 500,
   * which end with a line after 16 of them. */
  static const rlt_problem gaps = MATRIX(4, 4, 1000, 5);
  found = first_candidate(&rlt_method_permute, &gaps, &plain_cpu_facts, &plain_cpu_tuning);
  assert_int_equal(found.columns.steps, 4);
  assert_int_equal(found.rows.steps, 64);
  found = first_candidate(&rlt_method_permute, &gaps, &plain_cpu_facts, &tuning);
  assert_int_equal(found.columns.steps, 4);
  assert_int_equal(found.rows.steps, 496);
}

/* What both sides go on with fills half of a tile's room, which is half of the nearest cache, or
 * what the tuning says, or four fifths of the tile buffer. */
static void test_room_of_tiles(void **state) {
  (void)state;
  static const rlt_problem pixels = MATRIX(4, 1 << 20, 16, 1 << 20);
  static const struct {
    int64_t cache_bytes, most_tile_bytes, staging_bytes;
    int64_t columns; /* of 16 rows of 4 bytes */
  } cases[] = {
      {0, 0, 40960, 512},        {16384, 0, 40960, 128},   {32768, 0, 40960, 256},
      {1 << 20, 0, 40960, 512},  {16384, 4096, 40960, 64}, {0, 12288, 40960, 192},
      {0, 1 << 20, 81920, 1024},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_facts facts = plain_cpu_facts;
    rlt_tuning tuning = tuning_with((rlt_reach){64, 128});
    facts.machine.caches[0].bytes = cases[i].cache_bytes;
    facts.staging_bytes = cases[i].staging_bytes;
    tuning.most_tile_bytes = cases[i].most_tile_bytes;
    tuning.together_bytes = 1 << 20;
    print_message("case %zu\n", i);
    const rlt_schedule found = first_candidate(&rlt_method_transpose, &pixels, &facts, &tuning);
    assert_int_equal(found.columns.steps, cases[i].columns);
    assert_int_equal(found.rows.steps, 16);
  }
  /* Asked runs may ask for more: 4 KiB by 16 rows. */
  rlt_facts facts = plain_cpu_facts;
  facts.machine.caches[0].bytes = 16384;
  const rlt_tuning tuning = tuning_with((rlt_reach){64, 1024});
  const rlt_schedule found = first_candidate(&rlt_method_transpose, &pixels, &facts, &tuning);
  assert_int_equal(found.columns.steps, 256);
}

/* ---- Packed elements ---- */

/* 63 nibbles end within a byte, and two rows of them with one; four rows are 256 nibbles, nearly.
 * What ends the destination's last byte need not fill it: three rows that are all are a tile. */
static void test_columns_that_share_bytes(void **state) {
  (void)state;
  static const struct { int64_t rows, in_tile; } cases[] = {{65, 4}, {3, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_problem odd = MATRIX(1, 63, cases[i].rows, 63);
    odd.source_packed = odd.destination_packed = 4;
    print_message("case %zu\n", i);
    const rlt_schedule found =
        first_candidate(&rlt_method_permute, &odd, &plain_cpu_facts, &plain_cpu_tuning);
    expect_group(&found.columns, &(rlt_group){2, {0, 1}, 63, cases[i].in_tile});
    expect_group(&found.rows, &rlt_no_axes);
  }
}

/* A tile has all of the run that bits are transposed along, and then all rows that they change
 * places among. */
static void test_transposed_rows(void **state) {
  (void)state;
  static const struct {
    int64_t packed, columns, rows;
  } cases[] = {{4, 64, 64}, {4, 128, 4096}, {2, 256, 64}, {2, 64, 1024}, {1, 512, 128}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_problem problem = MATRIX(1, 0, 0, 0);
    problem.axes[0] = (rlt_axis){cases[i].columns, cases[i].columns, cases[i].rows, 1};
    problem.axes[1] = (rlt_axis){cases[i].rows, cases[i].rows, 1, cases[i].columns};
    problem.source_elements = problem.destination_elements = cases[i].columns * cases[i].rows;
    problem.source_packed = problem.destination_packed = cases[i].packed;
    rlt_forms forms;
    print_message("case %zu\n", i);
    assert_int_equal(rlt_forms_make(&plain_cpu_facts, &problem, &forms, NULL), RELAYOUT_OK);
    assert_int_equal(forms.count, 2);
    const rlt_problem *const bytes = forms.of[1];
    rlt_scene scene = scene_of(bytes, &plain_cpu_facts, &plain_cpu_tuning);
    scene.has_wide = scene.is_wide = true;
    rlt_candidates candidates = asked(&rlt_method_bit_transpose, scene);
    assert_true(candidates.count > 0);
    for (int32_t o = 0; o < candidates.count; ++o) {
      const rlt_group *const rows = &candidates.of[o].schedule.rows;
      assert_true(rows->axis_count >= 2);
      assert_int_equal(bytes->axes[rows->axes[0]].source_stride, 1);
      assert_int_equal(bytes->axes[rows->axes[1]].source_stride, bytes->transposed_stride);
      assert_int_equal(bytes->axes[rows->axes[1]].extent, 8 / cases[i].packed);
      assert_int_equal(rlt_group_steps(bytes, rows, 0), bytes->axes[rows->axes[0]].extent);
      assert_int_equal(rlt_group_steps(bytes, rows, 1), 8 / cases[i].packed);
    }
    rlt_candidates_free(&candidates);
    scene.problem = &problem;
    candidates = asked(&rlt_method_bit_transpose, scene);
    assert_int_equal(candidates.count, 0);
    rlt_forms_free(&forms);
  }
}

/* Nibbles change places among few rows, so that tiles go as far as is asked for, 512 bytes of each
 * of the destination's; shorter elements do so among many, of which a line each is enough. */
static void test_columns_beside_transposed_rows(void **state) {
  (void)state;
  static const struct { int64_t packed, columns; } cases[] = {{4, 512}, {2, 64}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_problem problem = MATRIX(1, 1 << 14, 64, 1 << 14);
    problem.source_packed = problem.destination_packed = cases[i].packed;
    rlt_forms forms;
    print_message("case %zu\n", i);
    assert_int_equal(rlt_forms_make(&plain_cpu_facts, &problem, &forms, NULL), RELAYOUT_OK);
    assert_int_equal(forms.count, 2);
    const rlt_schedule found = first_candidate(&rlt_method_bit_transpose, forms.of[1],
                                               &plain_cpu_facts, &plain_cpu_tuning);
    assert_int_equal(found.columns.axes[0], 0);
    assert_int_equal(rlt_group_steps(forms.of[1], &found.columns, 0), cases[i].columns);
    rlt_forms_free(&forms);
  }
}

/* ---- Which blocking counts ---- */

/* Each kind of tiles has a blocking of its own, told by what it reads. */
static rlt_tuning tuning_of_kinds(int32_t without) {
  rlt_tuning tuning = cpu_tuning;
  for (int32_t w = 0; w < RLT_WORD_SIZES; ++w) {
    for (int32_t t = 0; t < RLT_TILES; ++t) {
      tuning.words[w].tiles[t] =
          (rlt_tile_blocking){.runs = {t == without ? 0 : 64 * (t + 1), 512}};
    }
  }
  return tuning;
}

static void expect_kind(const rlt_problem *problem, const rlt_facts *facts, int32_t without,
                        rlt_tiles expected) {
  const rlt_tuning tuning = tuning_of_kinds(without);
  const rlt_schedule found = first_candidate(&rlt_method_transpose, problem, facts, &tuning);
  assert_int_equal(found.blocking.runs.read_bytes, 64 * (expected + 1));
}

static void test_kinds_of_tiles(void **state) {
  (void)state;
  static const struct {
    rlt_problem problem;
    int64_t cache_bytes;
    rlt_cache_facts l1;
    rlt_tiles kind;
    rlt_tiles next; /* where there is no such blocking */
  } cases[] = {
      /* 4 MiB in a cache; past it, rows of whole lines, or of others. */
      {MATRIX(4, 1024, 1023, 1024), 4 << 20, {0, 0, 0}, RLT_TILES_CACHED, RLT_TILES_ANY},
      {MATRIX(4, 1024, 1023, 1024), 1, {0, 0, 0}, RLT_TILES_ANY, RLT_TILES_ANY},
      {MATRIX(4, 1023, 1023, 1023), 1, {0, 0, 0}, RLT_TILES_APART, RLT_TILES_ANY},
      {MATRIX(4, 1023, 1023, 1024), 1, {0, 0, 0}, RLT_TILES_ANY, RLT_TILES_ANY},
      {MATRIX(4, 1008, 1023, 1016), 1, {0, 0, 0}, RLT_TILES_APART, RLT_TILES_ANY},
      /* Pages of 1024 floats along both sides. */
      {MATRIX(4, 1024, 1024, 1024), 1, {0, 0, 0}, RLT_TILES_FAR, RLT_TILES_ANY},
      {MATRIX(4, 1008, 1024, 1008), 1, {0, 0, 0}, RLT_TILES_ANY, RLT_TILES_ANY},
      {MATRIX(1, 4096, 4096, 4096), 1, {0, 0, 0}, RLT_TILES_FAR, RLT_TILES_ANY},
      {MATRIX(1, 4096, 4095, 4096), 1, {0, 0, 0}, RLT_TILES_ANY, RLT_TILES_ANY},
      /* 128 columns, a page apart, in 8 ways of a page: all meet in one set. Half a page farther
       * two sets are met, with 16 lines; and an eighth of one, 8 and 64. A line farther all are. */
      {MATRIX(4, 1024, 1024, 1024), 1, {32768, 8, 1}, RLT_TILES_CROWDED, RLT_TILES_FAR},
      {MATRIX(4, 1024, 1536, 1024), 1, {32768, 8, 1}, RLT_TILES_CROWDED, RLT_TILES_FAR},
      {MATRIX(4, 1024, 1152, 1024), 1, {32768, 8, 1}, RLT_TILES_CROWDED, RLT_TILES_FAR},
      {MATRIX(4, 1024, 1040, 1024), 1, {32768, 8, 1}, RLT_TILES_FAR, RLT_TILES_ANY},
      /* 64 lines for 128 columns, 128, and none that is known. */
      {MATRIX(4, 1024, 1040, 1024), 1, {4096, 8, 1}, RLT_TILES_CROWDED, RLT_TILES_FAR},
      {MATRIX(4, 1024, 1040, 1024), 1, {8192, 8, 1}, RLT_TILES_FAR, RLT_TILES_ANY},
      {MATRIX(4, 1024, 1025, 1024), 1, {4096, 8, 1}, RLT_TILES_CROWDED, RLT_TILES_FAR},
      {MATRIX(4, 1024, 1024, 1024), 1, {32768, 0, 1}, RLT_TILES_FAR, RLT_TILES_ANY},
      {MATRIX(4, 1024, 1024, 1024), 1, {0, 8, 1}, RLT_TILES_FAR, RLT_TILES_ANY},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_facts facts = plain_cpu_facts;
    facts.cache_bytes = cases[i].cache_bytes;
    facts.machine.caches[0] = cases[i].l1;
    print_message("case %zu\n", i);
    expect_kind(&cases[i].problem, &facts, RLT_TILES, cases[i].kind);
    if (cases[i].kind != RLT_TILES_ANY) {
      expect_kind(&cases[i].problem, &facts, (int32_t)cases[i].kind, cases[i].next);
    }
  }
}

static void test_kinds_of_channels_and_elements(void **state) {
  (void)state;
  static const rlt_problem pixels = {.element_bytes = 1,
                                     .source_elements = 30000,
                                     .destination_elements = 30000,
                                     .axis_count = 2,
                                     .axes = {{3, 3, 10000, 1}, {10000, 10000, 1, 3}}};
  const rlt_tuning tuning = tuning_of_kinds(RLT_TILES);
  rlt_schedule found = first_candidate(&rlt_method_interleave, &pixels, &cpu_facts, &tuning);
  assert_int_equal(found.blocking.runs.read_bytes, 64 * (RLT_TILES_CHANNELS + 1));
  /* From two to as many as the device joins and parts, four. */
  for (int64_t channels = 2; channels <= 4; ++channels) {
    const rlt_axis pixel[] = {{10000, 10000, 1, channels}, {10000, 10000, channels, 1}};
    const rlt_axis channel[] = {{channels, channels, 10000, 1}, {channels, channels, 1, 10000}};
    rlt_problem joined = pixels, parted = pixels;
    joined.source_elements = joined.destination_elements = 10000 * channels;
    parted.source_elements = parted.destination_elements = 10000 * channels;
    joined.axes[0] = channel[0];
    joined.axes[1] = pixel[0];
    parted.axes[0] = pixel[1];
    parted.axes[1] = channel[1];
    first_candidate(&rlt_method_interleave, &joined, &cpu_facts, &tuning);
    first_candidate(&rlt_method_interleave, &parted, &cpu_facts, &tuning);
  }
  /* No channels, no tile that joins them. */
  static const rlt_problem matrix = MATRIX(1, 5000, 5000, 5000);
  rlt_candidates candidates = asked(&rlt_method_interleave, scene_of(&matrix, &cpu_facts, &tuning));
  assert_int_equal(candidates.count, 0);
  /* Nor where the device joins fewer: four, and none. */
  static const rlt_problem five = {.element_bytes = 1,
                                   .source_elements = 50000,
                                   .destination_elements = 50000,
                                   .axis_count = 2,
                                   .axes = {{5, 5, 10000, 1}, {10000, 10000, 1, 5}}};
  candidates = asked(&rlt_method_interleave, scene_of(&five, &cpu_facts, &tuning));
  assert_int_equal(candidates.count, 0);
  candidates = asked(&rlt_method_interleave, scene_of(&pixels, &plain_cpu_facts, &tuning));
  assert_int_equal(candidates.count, 0);
  /* Nor where what is loaded first lies a line apart, which is four of the largest words. */
  static const rlt_problem words = MATRIX(16, 1001, 1003, 1001);
  rlt_tuning loading = cpu_tuning;
  rlt_facts far = cpu_facts;
  far.cache_bytes = 1;
  loading.words[rlt_word_size_number(16)].tiles[RLT_TILES_ANY] =
      (rlt_tile_blocking){.runs = {64, 256}, .loads = true};
  found = first_candidate(&rlt_method_transpose, &words, &far, &loading);
  assert_true(found.loads);
  candidates = asked(&rlt_method_interleave, scene_of(&words, &far, &loading));
  assert_int_equal(candidates.count, 0);
  /* A single element is of no kind. */
  static const rlt_problem single = {
      .element_bytes = 4, .shuffles = true, .source_elements = 1, .destination_elements = 1};
  found = first_candidate(&rlt_method_copy, &single, &cpu_facts, &tuning);
  assert_int_equal(found.blocking.runs.read_bytes, 64 * (RLT_TILES_ANY + 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks_of_axes),
      cmocka_unit_test(test_least_of_both_sides),
      cmocka_unit_test(test_what_is_read_at_once),
      cmocka_unit_test(test_converted_runs),
      cmocka_unit_test(test_least_tiles),
      cmocka_unit_test(test_room_of_tiles),
      cmocka_unit_test(test_columns_that_share_bytes),
      cmocka_unit_test(test_transposed_rows),
      cmocka_unit_test(test_columns_beside_transposed_rows),
      cmocka_unit_test(test_kinds_of_tiles),
      cmocka_unit_test(test_kinds_of_channels_and_elements),
  };
  return cmocka_run_group_tests_name("plan.private_tiles", tests, NULL, NULL);
}
