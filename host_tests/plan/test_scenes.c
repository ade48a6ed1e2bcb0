/* test_scenes.c: what methods ask of a problem, and which copies and lookups are offered for it:
 * by hand, at both sides of where that changes. */
#include "cmocka_all.h"

#include "gpu/planning.h"
#include "plan/asked.h"
#include "plan/devices.h"
#include "search/method.h"

/* 100 runs of `valid` elements, of `extent` that lie `pitch` apart in the destination. */
#define RUNS(bytes, extent, valid, pitch, fill)                                                    \
  {                                                                                                \
    .element_bytes = (bytes), .source_elements = 100 * (valid),                                    \
    .destination_elements = 100 * (pitch), .fills = (fill), .axis_count = 2, .axes = {             \
      {(extent), (valid), 1, 1},                                                                   \
      {100, 100, (valid), (pitch)}                                                                 \
    }                                                                                              \
  }

/* Rows and columns change places. */
#define MATRIX(bytes, columns, rows)                                                               \
  {                                                                                                \
    .element_bytes = (bytes), .source_elements = (columns) * (rows),                               \
    .destination_elements = (columns) * (rows), .axis_count = 2, .axes = {                         \
      {(columns), (columns), (rows), 1},                                                           \
      {(rows), (rows), 1, (columns)}                                                               \
    }                                                                                              \
  }

static const rlt_conversion to_bf16 = {.from = RELAYOUT_F32, .to = RELAYOUT_BF16, .scale = 1};

/* ---- Counts ---- */

static void test_elements_of_bytes(void **state) {
  (void)state;
  assert_int_equal(rlt_elements_of(64, 32), 16);
  assert_int_equal(rlt_elements_of(64, 4), 128);
  assert_int_equal(rlt_elements_of(15, 32), 3);
  assert_int_equal(rlt_elements_of(3, 32), 1);
  assert_int_equal(rlt_elements_of(0, 32), 1);
  rlt_problem problem = MATRIX(4, 8, 8);
  assert_int_equal(rlt_least_bits(&problem), 32);
  problem.conversion = to_bf16;
  assert_int_equal(rlt_least_bits(&problem), 16);
  assert_int_equal(rlt_elements_in(&problem, 64), 32);
}

static void test_even_steps(void **state) {
  (void)state;
  static const struct {
    int64_t extent, steps, even;
  } cases[] = {{100, 100, 100}, {100, 99, 50}, {100, 50, 50}, {100, 32, 25},
               {100, 1, 1},     {7, 4, 4},     {7, 3, 3},     {9, 4, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    assert_int_equal(rlt_even_steps(cases[i].extent, cases[i].steps), cases[i].even);
  }
}

/* ---- Axes of the source ---- */

/* The nearest first, backwards or not; of equals the longest, the first of these; and none that has
 * one step with a source. */
static void test_axes_of_the_source(void **state) {
  (void)state;
  static const rlt_problem problem = {.element_bytes = 1,
                                      .axis_count = 6,
                                      .axes = {{9, 1, 1, 1},
                                               {5, 5, -8, 9},
                                               {4, 4, 2, 45},
                                               {6, 2, 2, 180},
                                               {6, 6, 2, 1080},
                                               {3, 3, 40, 6480}}};
  static const int32_t order[] = {3, 4, 2, 1, 5, -1};
  bool seen[RLT_MAX_AXES] = {false};
  for (size_t i = 0; i < sizeof order / sizeof order[0]; ++i) {
    const int32_t found = rlt_next_source_axis(&problem, seen);
    assert_int_equal(found, order[i]);
    if (found >= 0) {
      seen[found] = true;
    }
  }
  assert_int_equal(rlt_source_run_axis(&problem), 3);
  const rlt_problem nothing = {.axis_count = 1, .axes = {{9, 1, 0, 1}}};
  assert_int_equal(rlt_source_run_axis(&nothing), -1);
}

static void test_which_axes_run(void **state) {
  (void)state;
  static const rlt_index_program program = {.count = 0};
  static const struct {
    rlt_problem problem;
    bool by_axes, one, two;
  } cases[] = {
      {MATRIX(4, 8, 9), true, false, true},
      {RUNS(4, 8, 8, 9, false), true, true, false},
      {{.element_bytes = 4}, true, true, false},
      /* Gaps between the elements of one side, or of the other. */
      {{.element_bytes = 4, .axis_count = 1, .axes = {{9, 9, 1, 2}}}, true, false, false},
      {{.element_bytes = 4, .axis_count = 1, .axes = {{9, 9, 2, 1}}}, true, false, false},
      {{.element_bytes = 4, .axis_count = 2, .axes = {{9, 9, 18, 1}, {9, 9, 2, 9}}},
       true,
       false,
       false},
      {{.element_bytes = 4, .axis_count = 2, .axes = {{9, 9, 9, 2}, {9, 9, 1, 18}}},
       true,
       false,
       false},
      /* Nothing has a source, or a program finds it. */
      {{.element_bytes = 4, .fills = true, .axis_count = 1, .axes = {{9, 0, 1, 1}}},
       false,
       false,
       false},
      {{.element_bytes = 4, .index_program = &program, .axis_count = 1, .axes = {{9, 9, 1, 1}}},
       false,
       false,
       false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    assert_int_equal(rlt_is_read_by_axes(&cases[i].problem), cases[i].by_axes);
    assert_int_equal(rlt_runs_along_one_axis(&cases[i].problem), cases[i].one);
    assert_int_equal(rlt_runs_along_two_axes(&cases[i].problem), cases[i].two);
  }
}

/* Half a line of 64 bytes on either side, or two elements; in local memory a quarter where they are
 * packed. */
static void test_square_tiles_pay(void **state) {
  (void)state;
  static const struct {
    rlt_problem problem;
    int64_t packed;
    bool pay;
    bool pay_locally;
  } cases[] = {
      {MATRIX(4, 8, 8), 0, true, true},     {MATRIX(4, 7, 8), 0, false, false},
      {MATRIX(4, 8, 7), 0, false, false},   {MATRIX(1, 32, 32), 0, true, true},
      {MATRIX(1, 31, 32), 0, false, false}, {MATRIX(16, 2, 2), 0, true, true},
      {MATRIX(1, 64, 64), 4, true, true},   {MATRIX(1, 63, 64), 4, false, true},
      {MATRIX(1, 32, 32), 4, false, true},  {MATRIX(1, 31, 32), 4, false, false},
      {MATRIX(1, 32, 31), 4, false, false},
  };
  rlt_tuning small_tiles = work_group_tuning; /* which all of these fill */
  small_tiles.tile_bytes = 256;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_problem problem = cases[i].problem;
    problem.source_packed = cases[i].packed;
    print_message("case %zu\n", i);
    rlt_candidates candidates =
        asked(&rlt_method_transpose, scene_of(&problem, &plain_cpu_facts, &plain_cpu_tuning));
    assert_int_equal(candidates.count > 0, cases[i].pay);
    rlt_candidates_free(&candidates);
    candidates = asked(&rlt_method_transpose, scene_of(&problem, &work_group_facts, &small_tiles));
    assert_int_equal(candidates.count, 1);
    assert_int_equal(candidates.of[0].schedule.suits, cases[i].pay_locally);
    rlt_candidates_free(&candidates);
  }
  /* Words of 64 bytes' lines: never less than two on a side. */
  const rlt_problem narrow = MATRIX(16, 1, 9);
  assert_false(rlt_sides_are_long(&narrow, 16, 2));
}

static void test_left_to_wider_words(void **state) {
  (void)state;
  for (int has_wide = 0; has_wide < 2; ++has_wide) {
    for (int is_wide = 0; is_wide < 2; ++is_wide) {
      for (int packed = 0; packed < 2; ++packed) {
        rlt_problem problem = MATRIX(1, 64, 64);
        problem.source_packed = 4 * packed;
        rlt_scene scene = scene_of(&problem, &work_group_facts, &work_group_tuning);
        scene.has_wide = has_wide;
        scene.is_wide = is_wide;
        rlt_candidates candidates = asked(&rlt_method_permute, scene);
        assert_int_equal(candidates.count == 0, has_wide && !is_wide && packed);
        rlt_candidates_free(&candidates);
        scene.facts = &cpu_facts; /* whose words lie anywhere */
        scene.tuning = &cpu_tuning;
        candidates = asked(&rlt_method_transpose, scene);
        assert_int_equal(candidates.count == 0, has_wide && !is_wide);
        rlt_candidates_free(&candidates);
      }
    }
  }
}

/* ---- Whole bytes ---- */

/* 64 nibbles in a row are whole bytes; two rows of 63 are, and of rows with a gap none. */
static void test_bytes_of_packed_elements(void **state) {
  (void)state;
  static const struct {
    int64_t columns;
    int64_t packed;
    bool one_axis, several_axes; /* write whole bytes */
    int32_t last;
    int64_t steps;
  } cases[] = {{64, 0, true, true, 0, 1}, {64, 4, true, true, 0, 2}, {63, 4, false, true, 1, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_problem problem = MATRIX(1, 0, 64);
    problem.axes[0].extent = problem.axes[0].valid = cases[i].columns;
    problem.axes[1].destination_stride = cases[i].columns;
    problem.destination_elements = 64 * cases[i].columns;
    problem.destination_packed = cases[i].packed;
    print_message("case %zu\n", i);
    assert_int_equal(rlt_gpu_writes_bytes(&problem, false), cases[i].one_axis);
    assert_int_equal(rlt_gpu_writes_bytes(&problem, true), cases[i].several_axes);
    const rlt_byte_run run = rlt_byte_run_of(&problem);
    assert_int_equal(run.last, cases[i].last);
    assert_int_equal(run.steps, cases[i].steps);
  }
}

static void test_columns_end_with_bytes(void **state) {
  (void)state;
  rlt_problem problem = MATRIX(1, 65, 64); /* bits of eight to a byte are in eight rows */
  problem.destination_packed = 1;
  static const struct {
    int64_t steps, ended;
  } cases[] = {{1, 8}, {8, 8}, {9, 16}, {57, 64}, {64, 64}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_group columns = {.axis_count = 2, .axes = {0, 1}, .inner = 65, .steps = cases[i].steps};
    rlt_end_with_byte(&problem, &columns);
    assert_int_equal(columns.steps, cases[i].ended);
  }
  /* No more steps than there are, and none of another axis. */
  problem.axes[1].extent = problem.axes[1].valid = 60;
  problem.destination_elements = 65 * 60;
  rlt_group columns = {.axis_count = 2, .axes = {0, 1}, .inner = 65, .steps = 57};
  rlt_end_with_byte(&problem, &columns);
  assert_int_equal(columns.steps, 60);
  columns = rlt_group_of_axis(&problem, 0, 33);
  rlt_end_with_byte(&problem, &columns);
  assert_int_equal(columns.steps, 33);
}

/* ---- Straight runs and lookups ---- */

static void test_straight_runs(void **state) {
  (void)state;
  static const rlt_problem runs = RUNS(4, 2000, 2000, 2000, false);
  static const rlt_problem single = {.element_bytes = 4};
  rlt_tuning tuning = work_group_tuning;
  rlt_scene scene = scene_of(&runs, &work_group_facts, &tuning);
  assert_int_equal(rlt_straight_run(&scene).steps, 1024);
  tuning.straight_columns_bytes = 8000;
  assert_int_equal(rlt_straight_run(&scene).steps, 2000);
  tuning.straight_columns_bytes = 7999;
  assert_int_equal(rlt_straight_run(&scene).steps, 1999);
  scene.problem = &single;
  assert_int_equal(rlt_straight_run(&scene).axis_count, 0);
}

/* A group's work-items look up as many elements as 48 * 1024 iterations of each do: three for an
 * element, and one more for each operation of a program. Packed elements are whole bytes, though
 * the last byte may have fewer. */
static void test_runs_of_lookups(void **state) {
  (void)state;
  static const struct {
    int64_t packed;
    int32_t operations; /* of a program; 0: there is none */
    int64_t group_size;
    int64_t steps;
  } cases[] = {
      {0, 0, 1, 1024},  {0, 97, 1, 491},  {0, 97, 2, 982},    {0, 97, 256, 1024},
      {0, 49149, 1, 1}, {0, 50000, 1, 1}, {0, 50000, 64, 64}, {4, 97, 1, 492},
      {4, 49149, 1, 2}, {1, 97, 1, 496},  {1, 49149, 1, 8},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_problem problem = RUNS(4, 2000, 2000, 2000, false);
    const rlt_index_program program = {.count = cases[i].operations};
    rlt_facts facts = work_group_facts;
    facts.group_size = cases[i].group_size;
    problem.element_bytes = cases[i].packed > 0 ? 1 : 4;
    problem.destination_packed = cases[i].packed;
    problem.index_program = cases[i].operations > 0 ? &program : NULL;
    const rlt_scene scene = scene_of(&problem, &facts, &work_group_tuning);
    print_message("case %zu\n", i);
    assert_int_equal(rlt_gpu_index_run(&scene).steps, cases[i].steps);
  }
  /* One that moves tiles by itself goes on for as long as it takes. */
  static const rlt_index_program long_program = {.count = 50000};
  rlt_problem alone = RUNS(4, 2000, 2000, 2000, false);
  alone.index_program = &long_program;
  rlt_candidates candidates =
      asked(&rlt_method_index_program, scene_of(&alone, &plain_cpu_facts, &plain_cpu_tuning));
  assert_int_equal(candidates.of[0].schedule.columns.steps, 2000);
  rlt_candidates_free(&candidates);
  rlt_problem last = {
      .element_bytes = 1, .destination_packed = 4, .axis_count = 1, .axes = {{7, 7, 1, 1}}};
  const rlt_scene scene = scene_of(&last, &work_group_facts, &work_group_tuning);
  assert_int_equal(rlt_gpu_index_run(&scene).steps, 7);
}

/* Work-items own whole bytes: without a program packed elements are looked up only where no tile
 * writes these. */
static void test_who_is_looked_up(void **state) {
  (void)state;
  static const rlt_index_program program = {.count = 0};
  rlt_problem problem = MATRIX(1, 64, 64);
  rlt_scene scene = scene_of(&problem, &work_group_facts, &work_group_tuning);
  rlt_candidates candidates = asked(&rlt_method_index_program, scene);
  assert_int_equal(candidates.count, 1);
  assert_false(candidates.of[0].schedule.suits);
  rlt_candidates_free(&candidates);
  problem.destination_packed = 4;
  candidates = asked(&rlt_method_index_program, scene);
  assert_int_equal(candidates.count, 0);
  problem.axes[1].destination_stride = 65; /* with a gap of half a byte */
  problem.destination_elements = 64 * 65;
  candidates = asked(&rlt_method_index_program, scene);
  assert_int_equal(candidates.count, 1);
  assert_true(candidates.of[0].schedule.suits);
  rlt_candidates_free(&candidates);
  problem = (rlt_problem){.element_bytes = 1,
                          .destination_packed = 4,
                          .source_elements = 64,
                          .destination_elements = 64,
                          .index_program = &program,
                          .axis_count = 1,
                          .axes = {{64, 64, 1, 1}}};
  candidates = asked(&rlt_method_index_program, scene);
  assert_int_equal(candidates.count, 1);
  assert_true(candidates.of[0].schedule.suits);
  rlt_candidates_free(&candidates);
  scene.is_wide = true;
  candidates = asked(&rlt_method_index_program, scene);
  assert_int_equal(candidates.count, 0);
}

/* ---- Copies ---- */

typedef struct copies {
  bool straight, suits_straight, gathers, suits_gathers;
} copies;

static void expect_copies(rlt_scene scene, copies expected) {
  rlt_candidates candidates = asked(&rlt_method_copy, scene);
  copies found = {false, false, false, false};
  for (int32_t i = 0; i < candidates.count; ++i) {
    const rlt_schedule *const schedule = &candidates.of[i].schedule;
    const bool is_straight = schedule->move == RLT_MOVE_COPY;
    found.straight = found.straight || is_straight;
    found.suits_straight = found.suits_straight || (is_straight && schedule->suits);
    found.gathers = found.gathers || !is_straight;
    found.suits_gathers = found.suits_gathers || (!is_straight && schedule->suits);
  }
  assert_int_equal(found.straight, expected.straight);
  assert_int_equal(found.suits_straight, expected.suits_straight);
  assert_int_equal(found.gathers, expected.gathers);
  assert_int_equal(found.suits_gathers, expected.suits_gathers);
  rlt_candidates_free(&candidates);
}

/* 512 bytes go straight; a quarter of them may, and four times as many need not be gathered: where
 * runs lie behind each other in a destination that no cache holds. */
static void test_copies_by_length(void **state) {
  (void)state;
  rlt_facts far = plain_cpu_facts;
  far.cache_bytes = 1;
  static const struct {
    rlt_problem problem;
    copies expected;
  } cases[] = {
      {RUNS(4, 31, 31, 31, false), {false, false, true, true}},
      {RUNS(4, 32, 32, 32, false), {true, false, true, true}},
      {RUNS(4, 127, 127, 127, false), {true, false, true, true}},
      {RUNS(4, 128, 128, 128, false), {true, true, true, false}},
      {RUNS(4, 511, 511, 511, false), {true, true, true, false}},
      {RUNS(4, 512, 512, 512, false), {true, true, false, false}},
      /* Of one axis, or none, there is one run. */
      {{.element_bytes = 4, .axis_count = 1, .axes = {{3, 3, 1, 1}}}, {true, true, false, false}},
      {{.element_bytes = 4}, {true, true, false, false}},
      /* Padding that is written counts, though it is not read. */
      {RUNS(4, 128, 3, 128, true), {true, true, true, false}},
      /* What is read along another axis does not suit: only one step here has a source. */
      {{.element_bytes = 4,
        .destination_elements = 12800,
        .fills = true,
        .axis_count = 2,
        .axes = {{128, 1, 1, 1}, {100, 100, 1, 128}}},
       {true, false, true, false}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    expect_copies(scene_of(&cases[i].problem, &far, &plain_cpu_tuning), cases[i].expected);
  }
}

#define STRAIGHT                                                                                   \
  { true, true, false, false }
#define PUT_TOGETHER                                                                               \
  { false, false, true, true }

/* Runs of more than a line need not be put together where no line is shared, or where lines wait
 * for their other runs in a cache. */
static void test_copies_that_stay_apart(void **state) {
  (void)state;
  static const struct {
    rlt_problem problem;
    int64_t cache_bytes;
    copies expected;
  } cases[] = {
      {RUNS(4, 17, 17, 18, false), 1, STRAIGHT},
      {RUNS(4, 16, 16, 18, false), 1, PUT_TOGETHER},
      {RUNS(4, 17, 17, 17, false), 1, PUT_TOGETHER},
      {RUNS(4, 17, 17, 18, true), 1, PUT_TOGETHER}, /* with what is filled they are 18 */
      {RUNS(4, 17, 17, 17, false), 4 * 17 * 100, STRAIGHT},
      {RUNS(4, 17, 17, 17, false), 4 * 17 * 100 - 1, PUT_TOGETHER},
      {RUNS(4, 16, 16, 16, false), 4 * 16 * 100, PUT_TOGETHER},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_facts facts = plain_cpu_facts;
    facts.cache_bytes = cases[i].cache_bytes;
    print_message("case %zu\n", i);
    expect_copies(scene_of(&cases[i].problem, &facts, &plain_cpu_tuning), cases[i].expected);
  }
}

/* Elements that change go straight where their runs are whole bytes, and all of a run is read. */
static void test_copies_that_change_elements(void **state) {
  (void)state;
  static const copies straight = {true, true, true, false};
  static const copies put_together = {false, false, true, true};
  rlt_facts far = plain_cpu_facts;
  far.cache_bytes = 1;
  rlt_problem problem = RUNS(4, 256, 256, 256, false);
  problem.conversion = to_bf16;
  const rlt_scene scene = scene_of(&problem, &far, &plain_cpu_tuning);
  expect_copies(scene, straight); /* of 512 bytes where they are fewer */
  problem.fills = true;
  expect_copies(scene, put_together);
  problem = (rlt_problem)RUNS(1, 2048, 2048, 2048, false);
  problem.destination_packed = 4;
  expect_copies(scene, straight);
  problem.axes[1].destination_stride = 2049; /* half a byte farther */
  expect_copies(scene, put_together);
  problem.axes[1].destination_stride = 2050;
  problem.axes[0].extent = problem.axes[0].valid = 2047;
  expect_copies(scene, put_together);
  problem.axis_count = 1; /* and nothing behind it */
  problem.destination_elements = 2047;
  expect_copies(scene, (copies){true, true, false, false});
  problem.fills = true;
  expect_copies(scene, put_together);
  problem = (rlt_problem){.element_bytes = 4, .conversion = to_bf16, .fills = true};
  expect_copies(scene, (copies){true, true, false, false});
  problem = (rlt_problem)RUNS(4, 256, 256, 257, false);
  problem.shuffles = true;
  expect_copies(scene, put_together);
  problem.axes[0].extent = problem.axes[0].valid = 100; /* not even shorter ones */
  expect_copies(scene, put_together);
}

/* On CPUs wider words may lie anywhere, so that elements are left to them. */
static void test_copies_of_wider_words(void **state) {
  (void)state;
  const rlt_problem problem = RUNS(4, 600, 600, 601, false);
  rlt_scene scene = scene_of(&problem, &cpu_facts, &cpu_tuning);
  scene.has_wide = scene.is_wide = true;
  expect_copies(scene, (copies){true, true, false, false});
  scene.is_wide = false;
  expect_copies(scene, (copies){false, false, false, false});
  scene.has_wide = false;
  expect_copies(scene, (copies){true, true, false, false});
}

/* Work-items that share tiles copy whole lines: 16 floats that are written. */
static void test_copies_of_groups(void **state) {
  (void)state;
  static const struct {
    rlt_problem problem;
    bool suits;
    int64_t columns, rows;
  } cases[] = {
      {RUNS(4, 16, 16, 17, false), true, 16, 64},
      {RUNS(4, 15, 15, 17, false), false, 15, 68},
      {RUNS(4, 16, 15, 17, true), true, 16, 64},
      {RUNS(4, 16, 15, 17, false), false, 16, 64},
      {RUNS(4, 700, 700, 701, false), true, 700, 1},
      {RUNS(4, 1024, 1024, 1025, false), true, 1024, 1},
      {RUNS(4, 1025, 1025, 1026, false), true, 1024, 0},
      {RUNS(4, 512, 512, 513, false), true, 512, 2},
      {{.element_bytes = 4, .axis_count = 1, .axes = {{3, 3, 1, 1}}}, true, 3, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_candidates candidates =
        asked(&rlt_method_copy, scene_of(&cases[i].problem, &work_group_facts, &work_group_tuning));
    print_message("case %zu\n", i);
    assert_int_equal(candidates.count, 1);
    const rlt_schedule *const schedule = &candidates.of[0].schedule;
    assert_int_equal(schedule->suits, cases[i].suits);
    assert_int_equal(schedule->move, RLT_MOVE_COPY);
    assert_int_equal(schedule->columns.steps, cases[i].columns);
    assert_int_equal(schedule->rows.axis_count, cases[i].rows > 0);
    assert_int_equal(schedule->rows.steps, rlt_max(cases[i].rows, 1));
    rlt_candidates_free(&candidates);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_elements_of_bytes),
      cmocka_unit_test(test_even_steps),
      cmocka_unit_test(test_axes_of_the_source),
      cmocka_unit_test(test_which_axes_run),
      cmocka_unit_test(test_square_tiles_pay),
      cmocka_unit_test(test_left_to_wider_words),
      cmocka_unit_test(test_bytes_of_packed_elements),
      cmocka_unit_test(test_columns_end_with_bytes),
      cmocka_unit_test(test_straight_runs),
      cmocka_unit_test(test_runs_of_lookups),
      cmocka_unit_test(test_who_is_looked_up),
      cmocka_unit_test(test_copies_by_length),
      cmocka_unit_test(test_copies_that_stay_apart),
      cmocka_unit_test(test_copies_that_change_elements),
      cmocka_unit_test(test_copies_of_wider_words),
      cmocka_unit_test(test_copies_of_groups),
  };
  return cmocka_run_group_tests_name("plan.scenes", tests, NULL, NULL);
}
