/* test_grid.c: whatever the strategy, its tiles together are the problem. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plan/grid.h"
#include "plan/tiles.h"
#include "problem/definition.h"

/* Small tiles, so that small problems have many of them, ragged ones included. */
static const rlt_traits traits = {.line_bytes = 8,
                                  .run_columns_bytes = 12,
                                  .run_tile_bytes = 32,
                                  .transpose_rows = 3,
                                  .transpose_columns = 4,
                                  .packed_tile_bytes = 256};

/* Walks every tile as a backend does; what it finds has the form of definition_map. */
static void map_by_tiles(const rlt_problem *problem, const rlt_strategy *strategy,
                         int64_t *source_of) {
  rlt_grid grid;
  rlt_grid_make(problem, strategy, &grid);
  const size_t columns = (size_t)rlt_group_length(&strategy->columns);
  const size_t rows = (size_t)rlt_group_length(&strategy->rows);
  int64_t *offsets = malloc(2 * (columns + rows) * sizeof *offsets);
  int64_t *column_source = offsets;
  int64_t *column_destination = column_source + columns;
  int64_t *row_source = column_destination + columns;
  int64_t *row_destination = row_source + rows;
  rlt_group_offsets(problem, &strategy->columns, column_source, column_destination);
  rlt_group_offsets(problem, &strategy->rows, row_source, row_destination);

  for (int64_t p = 0; p < problem->destination_elements; ++p) {
    source_of[p] = DEFINITION_UNTOUCHED;
  }
  int64_t digits[RLT_MAX_AXES] = {0};
  for (int64_t t = 0; t < grid.tile_count; ++t, tiles_step(&grid, digits)) {
    const rlt_tile tile = rlt_grid_tile(&grid, digits);
    for (int64_t r = 0; r < tile.rows; ++r) {
      for (int64_t c = 0; c < tile.columns; ++c) {
        const int64_t to = tile.destination + row_destination[r] + column_destination[c];
        const bool moves = r < tile.valid_rows && c < tile.valid_columns &&
                           row_source[r] != RLT_NO_SOURCE && column_source[c] != RLT_NO_SOURCE;
        if (source_of[to] != DEFINITION_UNTOUCHED) {
          source_of[to] = DEFINITION_TWICE;
        } else if (moves) {
          source_of[to] = tile.source + row_source[r] + column_source[c];
        } else if (problem->fills) {
          source_of[to] = DEFINITION_FILLED;
        }
      }
    }
  }
  free(offsets);
}

static void test_tiles_make_up_the_problem(void **state) {
  (void)state;
  int32_t tried[RELAYOUT_STRATEGY_GATHER + 1] = {0};
  for (uint64_t start = 1; start <= 4000; ++start) {
    uint64_t seed = start;
    rlt_problem problem = definition_random_problem(&seed);
    rlt_problem_simplify(&problem);
    if (rlt_problem_is_empty(&problem)) {
      continue;
    }
    const size_t bytes = (size_t)problem.destination_elements * sizeof(int64_t);
    int64_t *expected = malloc(bytes);
    int64_t *found = malloc(bytes);
    definition_map(&problem, expected);
    for (int kind = RELAYOUT_STRATEGY_AUTO; kind <= RELAYOUT_STRATEGY_GATHER; ++kind) {
      rlt_strategy strategy;
      if (rlt_strategy_choose(&problem, &traits, (relayout_strategy)kind, &strategy, NULL) !=
          RELAYOUT_OK) {
        continue;
      }
      ++tried[strategy.kind];
      map_by_tiles(&problem, &strategy, found);
      if (memcmp(expected, found, bytes) != 0) {
        definition_print(&problem);
        fail_msg("seed %" PRIu64 ": the tiles of %s are not the problem", start,
                 relayout_strategy_name(strategy.kind));
      }
    }
    free(expected);
    free(found);
  }
  for (int kind = RELAYOUT_STRATEGY_COPY; kind <= RELAYOUT_STRATEGY_GATHER; ++kind) {
    print_message("%s: %" PRId32 " problems\n", relayout_strategy_name((relayout_strategy)kind),
                  tried[kind]);
    assert_true(tried[kind] > 100);
  }
}

/* [5 x 7] transposed in tiles of 3 rows and 4 columns: by hand, the last tile in each direction is
 * ragged. */
static void test_tiles_by_hand(void **state) {
  (void)state;
  rlt_problem problem = {.element_bytes = 4,
                         .source_elements = 35,
                         .destination_elements = 40,
                         .axis_count = 2,
                         .axes = {{5, 5, 7, 1}, {8, 7, 1, 5}},
                         .fills = true};
  rlt_strategy strategy;
  assert_int_equal(
      rlt_strategy_choose(&problem, &traits, RELAYOUT_STRATEGY_TRANSPOSE, &strategy, NULL),
      RELAYOUT_OK);
  rlt_grid grid;
  rlt_grid_make(&problem, &strategy, &grid);
  assert_int_equal(grid.loop_count, 2);
  assert_int_equal(grid.tile_count, 2 * 3);
  const int64_t last[] = {1, 2};
  const rlt_tile tile = rlt_grid_tile(&grid, last);
  assert_int_equal(tile.source, 4 * 7 + 6);
  assert_int_equal(tile.destination, 4 + 6 * 5);
  assert_int_equal(tile.columns, 1);
  assert_int_equal(tile.valid_columns, 1);
  assert_int_equal(tile.rows, 2);
  assert_int_equal(tile.valid_rows, 1);
}

/* Assembled tiles walk along the source: by hand, of the loops over blocks of 16 columns, a step of
 * 16 * 2048 in the source, and over blocks of 64 rows and matrices, steps of 64 and of 2^21, those
 * over rows alone stay within a page. */
static void test_assembled_tiles_follow_the_source(void **state) {
  (void)state;
  const rlt_problem problem = {
      .element_bytes = 4,
      .source_elements = 3 << 21,
      .destination_elements = 3 << 21,
      .axis_count = 3,
      .axes = {{1024, 1024, 2048, 1}, {2048, 2048, 1, 1024}, {3, 3, 1 << 21, 1 << 21}}};
  const rlt_strategy strategy = {.kind = RELAYOUT_STRATEGY_TRANSPOSE,
                                 .columns = {.axis_count = 1, .axes = {0}, .inner = 1, .block = 16},
                                 .rows = {.axis_count = 1, .axes = {1}, .inner = 1, .block = 64},
                                 .assembles = true};
  rlt_grid grid;
  rlt_grid_make(&problem, &strategy, &grid);
  assert_int_equal(grid.loop_count, 3);
  assert_int_equal(grid.loops[0].axis, 1);
  assert_int_equal(grid.loops[1].axis, 0);
  assert_int_equal(grid.loops[2].axis, 2);
  assert_int_equal(grid.rows.block_loop, 0);
  assert_int_equal(grid.columns.block_loop, 1);
  const int64_t digits[] = {5, 7, 2};
  const rlt_tile tile = rlt_grid_tile(&grid, digits);
  assert_int_equal(tile.source, 5 * 64 + 7 * 16 * 2048 + (2 << 21));
  assert_int_equal(tile.destination, 5 * 64 * 1024 + 7 * 16 + (2 << 21));

  rlt_strategy straight = strategy;
  straight.assembles = false;
  rlt_grid_make(&problem, &straight, &grid);
  assert_int_equal(grid.columns.block_loop, 0);
  assert_int_equal(grid.rows.block_loop, 1);
}

/* Reversed runs of 96 floats: five in a row on either side, 1920 bytes, before the next five. */
static void test_assembled_tiles_follow_both_sides(void **state) {
  (void)state;
  const rlt_problem problem = {
      .element_bytes = 4,
      .source_elements = 96 * 75 * 75 * 96,
      .destination_elements = 96 * 75 * 75 * 96,
      .axis_count = 4,
      .axes = {{96, 96, 540000, 1}, {75, 75, 7200, 96}, {75, 75, 96, 7200}, {96, 96, 1, 540000}}};
  const rlt_strategy strategy = {.kind = RELAYOUT_STRATEGY_TRANSPOSE,
                                 .columns = {.axis_count = 1, .axes = {0}, .inner = 1, .block = 96},
                                 .rows = {.axis_count = 1, .axes = {3}, .inner = 1, .block = 96},
                                 .assembles = true};
  rlt_grid grid;
  rlt_grid_make(&problem, &strategy, &grid);
  static const rlt_loop expected[] = {{5, 5, 96, 7200, 2},
                                      {5, 5, 7200, 96, 1},
                                      {15, 15, 5 * 96, 5 * 7200, 2},
                                      {15, 15, 5 * 7200, 5 * 96, 1}};
  assert_int_equal(grid.loop_count, 4);
  assert_int_equal(grid.tile_count, 75 * 75);
  for (int32_t l = 0; l < 4; ++l) {
    assert_int_equal(grid.loops[l].count, expected[l].count);
    assert_int_equal(grid.loops[l].valid, expected[l].valid);
    assert_int_equal(grid.loops[l].source_step, expected[l].source_step);
    assert_int_equal(grid.loops[l].destination_step, expected[l].destination_step);
    assert_int_equal(grid.loops[l].axis, expected[l].axis);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tiles_make_up_the_problem),
      cmocka_unit_test(test_tiles_by_hand),
      cmocka_unit_test(test_assembled_tiles_follow_the_source),
      cmocka_unit_test(test_assembled_tiles_follow_both_sides),
  };
  return cmocka_run_group_tests_name("plan.grid", tests, NULL, NULL);
}
