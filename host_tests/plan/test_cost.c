/* test_cost.c: what a strategy is predicted to touch, against counts by hand and against its tiles,
 * taken element by element. */
#include "cmocka_all.h"

#include <math.h>
#include <stdlib.h>

#include "plan/cost.h"
#include "plan/grid.h"
#include "plan/tiles.h"
#include "problem_of.h"

static const rlt_traits plain_traits = {.line_bytes = 64,
                                        .run_columns_bytes = 4096,
                                        .run_tile_bytes = 4096,
                                        .transpose_rows = 16,
                                        .transpose_columns = 16,
                                        .packed_tile_bytes = 4096};

static const rlt_traits assembling_traits = {.line_bytes = 64,
                                             .run_columns_bytes = 4096,
                                             .run_tile_bytes = 4096,
                                             .assembly_bytes = 32768,
                                             .assembly_runs = {128, 256},
                                             .assembly_far_runs = {128, 256},
                                             .assembly_apart_runs = {128, 256},
                                             .straight_run_bytes = 512,
                                             .block_rows = 16,
                                             .block_columns = 16,
                                             .most_teeth = 4};

typedef struct estimate {
  rlt_problem problem;
  rlt_strategy strategy;
  rlt_cost cost;
} estimate;

static estimate estimate_of(const char *from_text, const char *to_text, const rlt_traits *traits) {
  estimate made = {.problem = problem_of(from_text, to_text)};
  assert_int_equal(
      rlt_strategy_choose(&made.problem, traits, RELAYOUT_STRATEGY_AUTO, &made.strategy, NULL),
      RELAYOUT_OK);
  rlt_cost_estimate(&made.problem, traits, &made.strategy, &made.cost);
  return made;
}

static void assert_near(double found, double expected, double tolerance) {
  if (!(fabs(found - expected) <= tolerance * fabs(expected) + 1e-9)) {
    fail_msg("%.17g is not %.17g", found, expected);
  }
}

static void expect_counts(const estimate *made, const double expected[RLT_COST_TERMS]) {
  for (int t = 0; t < RLT_COST_TERMS; ++t) {
    print_message("  %s\n", rlt_cost_name((rlt_cost_term)t));
    assert_near(made->cost.counts[t], expected[t], 0);
  }
}

static void test_units(void **state) {
  (void)state;
  assert_near(rlt_units_touched(64, 64, 64), 1, 0);
  assert_near(rlt_units_touched(65, 64, 64), 2, 0);
  assert_near(rlt_units_touched(4, 64, 4), 1, 0);
  assert_near(rlt_units_touched(64, 64, 32), 1.5, 0); /* one from 0, two from 32 */
  assert_near(rlt_units_touched(40, 64, 32), 1.5, 0); /* the same */
  assert_near(rlt_units_touched(64, 64, 4), 1 + 15. / 16, 0);
}

/* 16 tiles of 16 x 16; every run and every segment is a line. */
static void test_square_by_hand(void **state) {
  (void)state;
  rlt_traits traits = plain_traits;
  estimate made = estimate_of("f32[64,64]{1,0}", "f32[64,64]{0,1}", &traits);
  const double counts[RLT_COST_TERMS] = {
      [RLT_COST_LINES_READ] = 256,
      [RLT_COST_LINES_WRITTEN] = 256,
      [RLT_COST_RUNS] = 256,
      [RLT_COST_MOVES] = 4096,
      [RLT_COST_TILES] = 16,
      /* 3904 bytes on from any line of a page: 61 of 64 lines, so
                                          * that 60 of 64 starts go on into the next page */
      [RLT_COST_PAGES] = 2 * 16 * (1 + 60. / 64)};
  expect_counts(&made, counts);
  assert_near(made.cost.fraction, 1, 0); /* of a device that takes no time for anything else */

  /* 256 lines copied are the least; 64 more for the elements, 16 for the tiles. */
  traits.rates = (rlt_rates){.block = 1. / 64, .tile = 1};
  rlt_cost_estimate(&made.problem, &traits, &made.strategy, &made.cost);
  assert_near(made.cost.times[RLT_COST_MOVES], 64. / 256, 0);
  assert_near(made.cost.times[RLT_COST_TILES], 16. / 256, 0);
  assert_near(made.cost.fraction, 256. / (256 + 64 + 16), 0);
}

/* Rows of 63 floats begin at each of a line's 16 floats equally often: three blocks of 16 floats, of
 * which 15 starts in 16 go into a second line, and one of 15, of which 14 do. */
static void test_odd_pitch_by_hand(void **state) {
  (void)state;
  const estimate made = estimate_of("f32[64,63]{1,0}", "f32[64,63]{0,1}", &plain_traits);
  assert_near(made.cost.counts[RLT_COST_LINES_READ], 63 * 4, 0);
  assert_near(made.cost.counts[RLT_COST_LINES_AGAIN],
              192 * (1 + 15. / 16) + 64 * (1 + 14. / 16) - 63 * 4, 0);
  assert_near(made.cost.counts[RLT_COST_LINES_WRITTEN], 63 * 4, 0);
  assert_near(made.cost.counts[RLT_COST_LINES_IN_PARTS], 0, 0);
  assert_near(made.cost.counts[RLT_COST_RUNS], 256, 0);

  /* And back: segments of three whole tiles begin and end within a line, 15 times in 16. A line that
   * is touched and not written in parts is whole. */
  const estimate back = estimate_of("f32[64,63]{0,1}", "f32[64,63]{1,0}", &plain_traits);
  const double in_parts = 192 * 2 * (15. / 16) + 64 * (1 + 14. / 16);
  assert_near(back.cost.counts[RLT_COST_LINES_READ], 63 * 4, 0);
  assert_near(back.cost.counts[RLT_COST_LINES_IN_PARTS], in_parts, 0);
  assert_near(back.cost.counts[RLT_COST_LINES_WRITTEN], 192 / 16., 0);
}

/* Padding is written and never read. */
static void test_padding_by_hand(void **state) {
  (void)state;
  const estimate made = estimate_of("f32[8,16]{1,0}", "f32[8,16]{1,0:PD(8,32)}", &plain_traits);
  assert_int_equal(made.strategy.kind, RELAYOUT_STRATEGY_COPY);
  assert_near(made.cost.counts[RLT_COST_LINES_READ], 8, 0);
  assert_near(made.cost.counts[RLT_COST_LINES_WRITTEN], 16, 0);
  assert_near(made.cost.fraction, 1, 0);
  const estimate fill = estimate_of("f32[0,16]{1,0}", "f32[0,16]{1,0:PD(8,32)}", &plain_traits);
  assert_near(fill.cost.counts[RLT_COST_LINES_READ], 0, 0);
  assert_near(fill.cost.counts[RLT_COST_RUNS], 0, 0);
  assert_near(fill.cost.counts[RLT_COST_LINES_WRITTEN], 16, 0);
}

/* Tiles of 64 columns by 32 rows, in blocks of 16 x 16; 5 channels take blocks that are not full, and 3
 * take none, but as much as 18.75 of them. */
static void test_blocks_by_hand(void **state) {
  (void)state;
  const estimate square = estimate_of("f32[128,64]{1,0}", "f32[128,64]{0,1}", &assembling_traits);
  assert_true(square.strategy.assembles);
  assert_near(square.cost.counts[RLT_COST_TILES], 4, 0);
  assert_near(square.cost.counts[RLT_COST_MOVES], 8 * 4, 0);
  const estimate image = estimate_of("f32[1600,5]{1,0}", "f32[1600,5]{0,1}", &assembling_traits);
  assert_near(image.cost.counts[RLT_COST_MOVES], 100, 0);
  const estimate comb = estimate_of("f32[1600,3]{1,0}", "f32[1600,3]{0,1}", &assembling_traits);
  assert_near(comb.cost.counts[RLT_COST_MOVES], 1600 * 3 / 256., 0);

  /* Eight take blocks that are half full, or combs. */
  const estimate eight = estimate_of("f32[1600,8]{1,0}", "f32[1600,8]{0,1}", &assembling_traits);
  assert_near(eight.cost.counts[RLT_COST_MOVES], 100, 0);
  rlt_traits traits = assembling_traits;
  traits.most_teeth = 8;
  const estimate wide = estimate_of("f32[1600,8]{1,0}", "f32[1600,8]{0,1}", &traits);
  assert_near(wide.cost.counts[RLT_COST_MOVES], 1600 * 8 / 256., 0);
}

/* Columns of 130 floats in blocks of 64, which leave past the cache: with 15 more each, runs of 130
 * begin and end within a line 7 times in 8, and 15 columns in 64 are read again. */
static void test_halo_by_hand(void **state) {
  (void)state;
  rlt_traits traits = assembling_traits;
  traits.cache_bytes = 1;
  const estimate made = estimate_of("f32[130,64]{1,0}", "f32[130,64]{0,1}", &traits);
  assert_int_equal(made.strategy.columns.halo, 15);
  assert_near(made.cost.counts[RLT_COST_LINES_IN_PARTS], 64 * 2 * (7. / 8), 0);
  assert_near(made.cost.counts[RLT_COST_LINES_WRITTEN], 64 * (9 - 2 * (7. / 8)), 0);
  assert_near(made.cost.counts[RLT_COST_LINES_AGAIN], 130 * 4 * (15. / 64), 0);
}

/* ---- Against the tiles themselves ---- */

typedef struct touched {
  double lines;
  double in_parts;
  double runs;
} touched;

static int by_value(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a;
  const int64_t y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* The runs among these byte addresses of elements. */
static void touch(int64_t *at, size_t count, int64_t element_bytes, touched *sum) {
  qsort(at, count, sizeof *at, by_value);
  for (size_t i = 0; i < count;) {
    const int64_t begin = at[i];
    int64_t end = begin + element_bytes;
    for (++i; i < count && at[i] == end; ++i) {
      end += element_bytes;
    }
    const int64_t first = begin / 64;
    const int64_t last = (end - 1) / 64;
    sum->runs += 1;
    sum->lines += (double)(last - first + 1);
    if (first == last) {
      sum->in_parts += end - begin < 64;
    } else {
      sum->in_parts += (begin % 64 != 0) + (end % 64 != 0);
    }
  }
}

static void touch_tiles(const estimate *made, touched *read, touched *written) {
  const rlt_problem *const problem = &made->problem;
  const size_t columns = (size_t)rlt_group_length(&made->strategy.columns);
  const size_t rows = (size_t)rlt_group_length(&made->strategy.rows);
  int64_t *const offsets = calloc(2 * (columns + rows), sizeof *offsets);
  int64_t *const sources = calloc(rows * columns, sizeof *sources);
  int64_t *const destinations = calloc(rows * columns, sizeof *destinations);
  int64_t *const row_offsets = offsets + 2 * columns;
  rlt_group_offsets(problem, &made->strategy.columns, offsets, offsets + columns);
  rlt_group_offsets(problem, &made->strategy.rows, row_offsets, row_offsets + rows);
  rlt_grid grid;
  rlt_grid_make(problem, &made->strategy, &grid);
  /* Straight copies move row by row, whatever lies behind one. */
  const bool by_row = made->strategy.kind == RELAYOUT_STRATEGY_COPY && !made->strategy.assembles;
  int64_t digits[RLT_MAX_AXES] = {0};
  for (int64_t t = 0; t < grid.tile_count; ++t, tiles_step(&grid, digits)) {
    const rlt_tile tile = rlt_grid_tile(&grid, digits);
    size_t sourced = 0;
    size_t count = 0;
    for (int64_t r = 0; r < tile.rows; ++r) {
      for (int64_t c = 0; c < tile.columns; ++c) {
        const bool valid = r < tile.valid_rows && c < tile.valid_columns &&
                           row_offsets[r] != RLT_NO_SOURCE && offsets[c] != RLT_NO_SOURCE;
        if (valid) {
          sources[sourced++] = (tile.source + row_offsets[r] + offsets[c]) * problem->element_bytes;
        }
        if (valid || problem->fills) {
          destinations[count++] =
              (tile.destination + row_offsets[rows + (size_t)r] + offsets[columns + (size_t)c]) *
              problem->element_bytes;
        }
      }
      if (by_row) {
        touch(sources, sourced, problem->element_bytes, read);
        touch(destinations, count, problem->element_bytes, written);
        sourced = 0;
        count = 0;
      }
    }
    touch(sources, sourced, problem->element_bytes, read);
    touch(destinations, count, problem->element_bytes, written);
  }
  free(offsets);
  free(sources);
  free(destinations);
}

typedef struct relayout_case {
  const char *from;
  const char *to;
} relayout_case;

static const relayout_case cases[] = {
    {"f32[128,128]{1,0}", "f32[128,128]{0,1}"},
    {"f32[200,127]{1,0}", "f32[200,127]{0,1}"},
    {"f32[127,200]{1,0}", "f32[127,200]{0,1}"},
    {"u8[300,301]{1,0}", "u8[300,301]{0,1}"},
    {"u16[1000,3]{1,0}", "u16[1000,3]{0,1}"},
    {"u16[1000,3]{0,1}", "u16[1000,3]{1,0}"},
    {"f64[17,18,19]{2,1,0}", "f64[17,18,19]{0,1,2}"},
    {"f64[17,18,19]{2,1,0}", "f64[17,18,19]{1,2,0}"},
    {"f32[16,15,16,15]{3,2,1,0}", "f32[16,15,16,15]{3,1,2,0}"},
    {"c128[33,65]{1,0}", "c128[33,65]{0,1}"},
    {"f32[100,37]{1,0}", "f32[100,37]{1,0:PD(100,41)}"},
    {"f32[64,100]{1,0}", "f32[64,100]{0,1:PD(80,100)}"},
    {"u8[2,50,50,3]{3,2,1,0}", "u8[2,50,50,3]{2,1,3,0:PD(2,50,64,4)}"},
    {"f32[64,100]{1,0:PD(64,128)}", "f32[64,100]{0,1:PD(80,100)PV(unknown)}"},
};

/* The runs are counted; where they begin in their lines is an average, and so are the lines. */
static void expect_as_its_tiles(const relayout_case *of, const rlt_traits *traits) {
  const estimate made = estimate_of(of->from, of->to, traits);
  touched read = {0};
  touched written = {0};
  touch_tiles(&made, &read, &written);
  const double *const counts = made.cost.counts;
  assert_near(counts[RLT_COST_RUNS], read.runs, 0.1);
  assert_near(counts[RLT_COST_LINES_READ] + counts[RLT_COST_LINES_AGAIN], read.lines, 0.1);
  assert_near(counts[RLT_COST_LINES_WRITTEN] + counts[RLT_COST_LINES_IN_PARTS], written.lines, 0.1);
  if (fabs(counts[RLT_COST_LINES_IN_PARTS] - written.in_parts) > 0.1 * written.lines) {
    fail_msg("%g lines in parts are not %g", counts[RLT_COST_LINES_IN_PARTS], written.in_parts);
  }
}

static void test_tiles(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    expect_as_its_tiles(&cases[i], &plain_traits);
    expect_as_its_tiles(&cases[i], &assembling_traits);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_units),
      cmocka_unit_test(test_square_by_hand),
      cmocka_unit_test(test_odd_pitch_by_hand),
      cmocka_unit_test(test_padding_by_hand),
      cmocka_unit_test(test_blocks_by_hand),
      cmocka_unit_test(test_halo_by_hand),
      cmocka_unit_test(test_tiles),
  };
  return cmocka_run_group_tests_name("plan.cost", tests, NULL, NULL);
}
