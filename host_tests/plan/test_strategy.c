/* test_strategy.c: which strategy for which relayout, and the bounds its tiles keep. */
#include "cmocka_all.h"

#include <string.h>

#include "plan/strategy.h"
#include "problem_of.h"

static const rlt_traits traits = {.line_bytes = 64,
                                  .run_columns_bytes = 4096,
                                  .run_tile_bytes = 4096,
                                  .transpose_rows = 32,
                                  .transpose_columns = 32,
                                  .packed_tile_bytes = 16384};

typedef struct choice {
  const char *from;
  const char *to;
  relayout_strategy kind;
} choice;

static const choice choices[] = {
    {"f32[64,64]{1,0}", "f32[64,64]{1,0}", RELAYOUT_STRATEGY_COPY},
    {"f32[]", "f32[]", RELAYOUT_STRATEGY_COPY},
    {"f32[3]", "f32[3]", RELAYOUT_STRATEGY_COPY},
    {"f32[8,16,4,32]{3,2,1,0}", "f32[8,16,4,32]{3,1,2,0}", RELAYOUT_STRATEGY_COPY},
    {"f32[8192,4000]{1,0}", "f32[8192,4000]{1,0:PD(8192,4096)}", RELAYOUT_STRATEGY_COPY},
    {"f32[1,1]{1,0}", "f32[1,1]{1,0:PD(4000,4000)}", RELAYOUT_STRATEGY_COPY},
    {"f32[100,3]{1,0}", "f32[100,3]{1,0:PD(100,128)}", RELAYOUT_STRATEGY_COPY},
    {"f32[64,64]{1,0}", "f32[64,64]{0,1}", RELAYOUT_STRATEGY_TRANSPOSE},
    {"u8[256,256]{1,0}", "u8[256,256]{0,1:PD(300,300)}", RELAYOUT_STRATEGY_TRANSPOSE},
    {"f32[8,20,30,40]{3,2,1,0}", "f32[8,20,30,40]{0,2,1,3}", RELAYOUT_STRATEGY_TRANSPOSE},
    {"f32[1000,3]{1,0}", "f32[1000,3]{0,1}", RELAYOUT_STRATEGY_PACKED},
    {"f32[1000,3]{0,1}", "f32[1000,3]{1,0}", RELAYOUT_STRATEGY_PACKED},
    {"u8[3,100,100]{2,1,0}", "u8[3,100,100]{0,2,1:PD(4,100,100)}", RELAYOUT_STRATEGY_PACKED},
    {"c64[2,2,2,2,2]{4,3,2,1,0}", "c64[2,2,2,2,2]{0,1,2,3,4}", RELAYOUT_STRATEGY_PACKED},
    {"f32[100,3]{1,0}", "f32[100,3]{1,0:PD(100,4)}", RELAYOUT_STRATEGY_PACKED},
    {"f32[0,3]{1,0}", "f32[0,3]{1,0:PD(5,4)}", RELAYOUT_STRATEGY_FILL},
    /* Elements that change go the same ways. */
    {"f32[64,64]{1,0}", "bf16[64,64]{1,0}", RELAYOUT_STRATEGY_COPY},
    {"f32[64,64]{1,0}", "bf16[64,64]{0,1}", RELAYOUT_STRATEGY_TRANSPOSE},
    {"u4[64,64]{1,0:E(4)}", "u4[64,64]{0,1:E(4)}", RELAYOUT_STRATEGY_TRANSPOSE},
    /* A byte of the destination has elements of two rows. */
    {"u4[64,301]{1,0:PD(64,304)}", "u4[64,301]{1,0:E(4)}", RELAYOUT_STRATEGY_PACKED},
};

static void test_choices(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof choices / sizeof choices[0]; ++i) {
    const rlt_problem problem = problem_of(choices[i].from, choices[i].to);
    rlt_strategy strategy;
    assert_int_equal(
        rlt_strategy_choose(&problem, &traits, RELAYOUT_STRATEGY_AUTO, &strategy, NULL),
        RELAYOUT_OK);
    assert_string_equal(relayout_strategy_name(strategy.kind),
                        relayout_strategy_name(choices[i].kind));
    assert_non_null(strategy.reason);
  }
}

/* Steps leave gather alone, which is then chosen. */
static void test_steps_mean_gather(void **state) {
  (void)state;
  rlt_problem problem = problem_of("f32[64,64]{1,0}", "f32[64,64]{0,1}");
  static const rlt_steps steps = {.count = 0};
  problem.axis_count = 1;
  problem.axes[0] = (rlt_axis){4096, 4096, 1, 1};
  problem.steps = &steps;
  rlt_strategy strategy;
  assert_int_equal(rlt_strategy_choose(&problem, &traits, RELAYOUT_STRATEGY_AUTO, &strategy, NULL),
                   RELAYOUT_OK);
  assert_int_equal(strategy.kind, RELAYOUT_STRATEGY_GATHER);
  assert_int_equal(rlt_strategy_choose(&problem, &traits, RELAYOUT_STRATEGY_COPY, &strategy, NULL),
                   RELAYOUT_UNSUPPORTED);
}

static void test_wanted_strategies_that_do_not_apply(void **state) {
  (void)state;
  static const choice refused[] = {
      {"f32[64,64]{1,0}", "f32[64,64]{0,1}", RELAYOUT_STRATEGY_COPY},
      {"f32[64,64]{1,0}", "f32[64,64]{0,1}", RELAYOUT_STRATEGY_FILL},
      {"f32[64,64]{1,0}", "f32[64,64]{1,0}", RELAYOUT_STRATEGY_TRANSPOSE},
      {"f32[0,3]{1,0}", "f32[0,3]{1,0:PD(5,4)}", RELAYOUT_STRATEGY_COPY},
      {"f32[0,3]{1,0}", "f32[0,3]{1,0:PD(5,4)}", RELAYOUT_STRATEGY_PACKED},
      {"f32[]", "f32[]", RELAYOUT_STRATEGY_PACKED},
  };
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
    const rlt_problem problem = problem_of(refused[i].from, refused[i].to);
    rlt_strategy strategy;
    relayout_error error;
    assert_int_equal(rlt_strategy_choose(&problem, &traits, refused[i].kind, &strategy, &error),
                     RELAYOUT_UNSUPPORTED);
    assert_non_null(strstr(error.message, relayout_strategy_name(refused[i].kind)));
  }
}

/* NHWC to NCHW with three channels: by hand, 16 floats make a line, so that 16 pixels of one channel
 * by 3 channels is the least tile of whole lines. 85 of those fit the 4096 elements of a tile, so that
 * a plane's 10000 pixels take 8 tiles: 1250 pixels each, or 79 whole lines. */
static void test_packed_groups_by_hand(void **state) {
  (void)state;
  const rlt_problem problem = problem_of("f32[2,3,100,100]{1,3,2,0}", "f32[2,3,100,100]{3,2,1,0}");
  rlt_strategy strategy;
  assert_int_equal(rlt_strategy_choose(&problem, &traits, RELAYOUT_STRATEGY_AUTO, &strategy, NULL),
                   RELAYOUT_OK);
  assert_int_equal(strategy.kind, RELAYOUT_STRATEGY_PACKED);
  assert_int_equal(strategy.columns.axis_count, 1);
  assert_int_equal(strategy.columns.axes[0], 0);
  assert_int_equal(rlt_group_length(&strategy.columns), 79 * 16);
  assert_int_equal(strategy.rows.axis_count, 1);
  assert_int_equal(rlt_group_length(&strategy.rows), 3);
}

/* And back, in tiles of no more than that: the columns are the 3 channels of enough pixels that each
 * channel reads a whole line. */
static void test_packed_columns_grow_to_source_lines(void **state) {
  (void)state;
  const rlt_problem problem = problem_of("f32[2,3,100,100]{3,2,1,0}", "f32[2,3,100,100]{1,3,2,0}");
  rlt_traits least = traits;
  least.packed_tile_bytes = 3 * 16 * 4;
  rlt_strategy strategy;
  assert_int_equal(rlt_strategy_choose(&problem, &least, RELAYOUT_STRATEGY_AUTO, &strategy, NULL),
                   RELAYOUT_OK);
  assert_int_equal(strategy.columns.axis_count, 2);
  assert_int_equal(rlt_group_length(&strategy.columns), 3 * 16);
  assert_int_equal(rlt_group_length(&strategy.rows), 1);
}

/* Every axis of 2, reversed: tiles stay within the bytes the device allows. */
static void test_packed_tiles_keep_their_budget(void **state) {
  (void)state;
  const rlt_problem problem =
      problem_of("c128[2,2,2,2,2,2,2,2,2,2,2,2,2,2]{13,12,11,10,9,8,7,6,5,4,3,2,1,0}",
                 "c128[2,2,2,2,2,2,2,2,2,2,2,2,2,2]{0,1,2,3,4,5,6,7,8,9,10,11,12,13}");
  rlt_traits small = traits;
  for (small.packed_tile_bytes = 16; small.packed_tile_bytes <= 65536;
       small.packed_tile_bytes *= 2) {
    rlt_strategy strategy;
    assert_int_equal(
        rlt_strategy_choose(&problem, &small, RELAYOUT_STRATEGY_PACKED, &strategy, NULL),
        RELAYOUT_OK);
    const int64_t elements = rlt_group_length(&strategy.columns) * rlt_group_length(&strategy.rows);
    assert_true(elements * 16 <= small.packed_tile_bytes);
  }
}

/* ---- Assembled tiles ---- */

/* 40 KiB of elements and gaps, so that 32 KiB of elements are the most. */
static const rlt_traits assembling = {.line_bytes = 64,
                                      .run_columns_bytes = 32768,
                                      .run_tile_bytes = 32768,
                                      .assembly_bytes = 40960,
                                      .assembly_runs = {256, 512},
                                      .assembly_far_runs = {256, 512},
                                      .assembly_apart_runs = {256, 512},
                                      .straight_run_bytes = 512};

typedef struct assembled {
  const char *from;
  const char *to;
  relayout_strategy kind;
  rlt_group columns;
  rlt_group rows;
} assembled;

/* By hand, with lines of 16 floats. The last axis of a group, unless it is its first, is cut into
 * blocks of equal length. */
static const assembled assembled_cases[] = {
    /* 512 bytes of a column and 256 of a row. */
    {"f32[4097,8191]{1,0}",
     "f32[4097,8191]{0,1}",
     RELAYOUT_STRATEGY_TRANSPOSE,
     {1, {0}, 1, 128, 0},
     {1, {1}, 1, 64, 0}},
    /* A half more than 512 bytes is no two blocks, and leaves room for 8192 / 192 rows. */
    {"f32[192,8191]{1,0}",
     "f32[192,8191]{0,1}",
     RELAYOUT_STRATEGY_TRANSPOSE,
     {1, {0}, 1, 192, 0},
     {1, {1}, 1, 42, 0}},
    /* Pixels into planes: 512 pixels hold all that lies between the reads. */
    {"u8[1000003,3]{1,0}",
     "u8[1000003,3]{0,1}",
     RELAYOUT_STRATEGY_PACKED,
     {1, {0}, 1, 512, 0},
     {1, {1}, 1, 3, 0}},
    /* And back: 256 pixels of each plane make a run of 768 bytes. */
    {"u8[3,1000003]{1,0}",
     "u8[3,1000003]{0,1}",
     RELAYOUT_STRATEGY_PACKED,
     {1, {0}, 1, 3, 0},
     {1, {1}, 1, 256, 0}},
    /* Reversed: 2 x 3 x 4 x 5 = 120 columns run on into the rows' axis of 6. Rows of 7 x 6 = 42 have
     * the columns' axis of 5 as their next, 210 in all. */
    {"f32[2,3,4,5,6,7]{5,4,3,2,1,0}",
     "f32[2,3,4,5,6,7]{0,1,2,3,4,5}",
     RELAYOUT_STRATEGY_PACKED,
     {4, {0, 1, 2, 3}, 24, 5, 0},
     {2, {5, 4}, 7, 6, 0}},
    /* Pixels widened: 32 make 128 floats, of which 96 have a source. */
    {"f32[100000,3]{1,0}",
     "f32[100000,3]{1,0:PD(100000,4)}",
     RELAYOUT_STRATEGY_COPY,
     {2, {0, 1}, 4, 32, 0},
     {0, {0}, 1, 1, 0}},
    /* Three rows are read of 64 that a tile writes: more of them would not be read either. */
    {"f32[1000,3]{1,0}",
     "f32[1000,3]{0,1:PD(1000,300)}",
     RELAYOUT_STRATEGY_PACKED,
     {1, {0}, 1, 128, 0},
     {1, {1}, 1, 64, 0}},
    /* Bytes that lie apart are segments of a byte with gaps of 64. */
    {"u8[1000003,1]{1,0}",
     "u8[1000003,1]{1,0:PD(1000003,4)PV(unknown)}",
     RELAYOUT_STRATEGY_PACKED,
     {1, {0}, 1, 512, 0},
     {0, {0}, 1, 1, 0}},
};

static void assert_group(const rlt_group *found, const rlt_group *expected) {
  assert_int_equal(found->axis_count, expected->axis_count);
  for (int32_t i = 0; i < found->axis_count; ++i) {
    assert_int_equal(found->axes[i], expected->axes[i]);
  }
  assert_int_equal(found->inner, expected->inner);
  assert_int_equal(found->block, expected->block);
  assert_int_equal(found->halo, expected->halo);
}

static void test_assembled_groups_by_hand(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof assembled_cases / sizeof assembled_cases[0]; ++i) {
    const assembled *const expected = &assembled_cases[i];
    const rlt_problem problem = problem_of(expected->from, expected->to);
    rlt_strategy strategy;
    assert_int_equal(
        rlt_strategy_choose(&problem, &assembling, RELAYOUT_STRATEGY_AUTO, &strategy, NULL),
        RELAYOUT_OK);
    assert_int_equal(strategy.kind, expected->kind);
    assert_true(strategy.assembles);
    assert_group(&strategy.columns, &expected->columns);
    assert_group(&strategy.rows, &expected->rows);
  }
}

/* Tiles hold a line's worth of the next one's steps where their segments end within a line and are
 * written past the cache. */
static void test_halos_by_hand(void **state) {
  (void)state;
  static const struct {
    const char *from;
    const char *to;
    int64_t cache_bytes;
    int64_t columns;
    int64_t rows;
  } halos[] = {
      {"f32[4097,8191]{1,0}", "f32[4097,8191]{0,1}", 1, 15, 0},
      {"f32[4097,8191]{1,0}", "f32[4097,8191]{0,1}", 4097 * 8191 * 4 - 1, 15, 0},
      {"f32[4097,8191]{1,0}", "f32[4097,8191]{0,1}", 4097 * 8191 * 4, 0, 0},
      {"f32[4097,8191]{1,0}", "f32[4097,8191]{0,1}", 0, 0, 0},
      {"f32[4096,8191]{1,0}", "f32[4096,8191]{0,1}", 1, 0, 0}, /* segments are whole lines */
      {"u8[4097,8191]{1,0}", "u8[4097,8191]{0,1}", 1, 63, 0},
      {"u8[520,8191]{1,0}", "u8[520,8191]{0,1}", 1, 0, 1},   /* columns taken whole, rows in line */
      {"u8[3,1000003]{1,0}", "u8[3,1000003]{0,1}", 1, 0, 0}, /* 256 pixels are 12 lines */
  };
  for (size_t i = 0; i < sizeof halos / sizeof halos[0]; ++i) {
    rlt_traits cached = assembling;
    cached.cache_bytes = halos[i].cache_bytes;
    const rlt_problem problem = problem_of(halos[i].from, halos[i].to);
    rlt_strategy strategy;
    assert_int_equal(
        rlt_strategy_choose(&problem, &cached, RELAYOUT_STRATEGY_AUTO, &strategy, NULL),
        RELAYOUT_OK);
    assert_int_equal(strategy.columns.halo, halos[i].columns);
    assert_int_equal(strategy.rows.halo, halos[i].rows);
  }
}

/* The cache has runs of its own, and so have tiles that the source holds in one piece. */
static void test_runs_of_cached_and_joined_tiles(void **state) {
  (void)state;
  rlt_traits special = assembling;
  special.cache_bytes = 1 << 20;
  special.cached_runs = (rlt_runs){128, 1024};
  special.joined_runs = (rlt_runs){1024, 2048};
  static const struct {
    const char *from;
    const char *to;
    int64_t columns;
    int64_t rows;
  } cases[] = {
      {"f32[512,512]{1,0}", "f32[512,512]{0,1}", 256, 32},   /* 1 MiB */
      {"f32[512,1024]{1,0}", "f32[512,1024]{0,1}", 128, 64}, /* 2 MiB, 128 runs of the source */
      {"f32[8192,16]{1,0}", "f32[8192,16]{0,1}", 512, 16},   /* 512 KiB, and one run */
      {"f32[32768,16]{1,0}", "f32[32768,16]{0,1}", 512, 16}, /* 2 MiB, one run of 128 x 16 floats */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_problem problem = problem_of(cases[i].from, cases[i].to);
    rlt_strategy strategy;
    assert_int_equal(
        rlt_strategy_choose(&problem, &special, RELAYOUT_STRATEGY_AUTO, &strategy, NULL),
        RELAYOUT_OK);
    assert_int_equal(strategy.columns.block, cases[i].columns);
    assert_int_equal(strategy.rows.block, cases[i].rows);
  }
}

/* Runs of 512 bytes are copied straight, and so is what has one axis alone. */
static void test_long_runs_are_not_assembled(void **state) {
  (void)state;
  static const struct {
    const char *from;
    const char *to;
    bool assembles;
  } copies[] = {
      {"f32[8,9,127]{2,1,0}", "f32[8,9,127]{2,0,1}", true},
      {"f32[8,9,128]{2,1,0}", "f32[8,9,128]{2,0,1}", false},
      {"f32[5]", "f32[5]", false},
      {"f32[64,64]{1,0}", "f32[64,64]{1,0}", false},
  };
  for (size_t i = 0; i < sizeof copies / sizeof copies[0]; ++i) {
    const rlt_problem problem = problem_of(copies[i].from, copies[i].to);
    rlt_strategy strategy;
    assert_int_equal(
        rlt_strategy_choose(&problem, &assembling, RELAYOUT_STRATEGY_AUTO, &strategy, NULL),
        RELAYOUT_OK);
    assert_int_equal(strategy.kind, RELAYOUT_STRATEGY_COPY);
    assert_int_equal(strategy.assembles, copies[i].assembles);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_choices),
      cmocka_unit_test(test_steps_mean_gather),
      cmocka_unit_test(test_wanted_strategies_that_do_not_apply),
      cmocka_unit_test(test_packed_groups_by_hand),
      cmocka_unit_test(test_packed_columns_grow_to_source_lines),
      cmocka_unit_test(test_packed_tiles_keep_their_budget),
      cmocka_unit_test(test_assembled_groups_by_hand),
      cmocka_unit_test(test_halos_by_hand),
      cmocka_unit_test(test_runs_of_cached_and_joined_tiles),
      cmocka_unit_test(test_long_runs_are_not_assembled),
  };
  return cmocka_run_group_tests_name("plan.strategy", tests, NULL, NULL);
}
