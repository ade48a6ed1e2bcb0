/* test_grid.c: whatever the tile, all tiles together are the problem. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plan/tiles.h"
#include "problem/definition.h"
#include "schedule/grid.h"

/* Walks every tile as a backend does; what it finds has the form of definition_map. */
static void map_by_tiles(const rlt_problem *problem, const rlt_group *column_group,
                         const rlt_group *row_group, int64_t *source_of) {
  rlt_grid grid;
  rlt_grid_make(problem, column_group, row_group, &grid);
  const size_t columns = (size_t)rlt_group_length(column_group);
  const size_t rows = (size_t)rlt_group_length(row_group);
  int64_t *offsets = malloc(2 * (columns + rows) * sizeof *offsets);
  int64_t *column_source = offsets;
  int64_t *column_destination = column_source + columns;
  int64_t *row_source = column_destination + columns;
  int64_t *row_destination = row_source + rows;
  rlt_group_offsets(problem, column_group, NULL, column_source, column_destination);
  rlt_group_offsets(problem, row_group, NULL, row_source, row_destination);

  for (int64_t p = 0; p < problem->destination_elements; ++p) {
    source_of[p] = DEFINITION_UNTOUCHED;
  }
  int64_t digits[RLT_MAX_AXES] = {0};
  for (int64_t t = 0; t < grid.tile_count; ++t, tiles_step(&grid, digits)) {
    rlt_tile tile;
    rlt_grid_find_tile(&grid, digits, &tile);
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
  int32_t ragged = 0;
  for (uint64_t start = 1; start <= 8000; ++start) {
    uint64_t seed = start;
    rlt_problem problem = definition_random_problem(&seed);
    rlt_problem_simplify(&problem);
    if (rlt_problem_is_empty(&problem)) {
      continue;
    }
    const size_t bytes = (size_t)problem.destination_elements * sizeof(int64_t);
    int64_t *expected = malloc(bytes);
    int64_t *found = malloc(bytes);
    rlt_group columns, rows;
    tiles_at_random(&problem, &seed, &columns, &rows);
    ragged += rlt_group_extent(&problem, &columns) % columns.steps != 0 &&
              rlt_group_extent(&problem, &rows) % rows.steps != 0;
    definition_map(&problem, expected);
    map_by_tiles(&problem, &columns, &rows, found);
    if (memcmp(expected, found, bytes) != 0) {
      definition_print(&problem);
      fail_msg("seed %" PRIu64 ": the tiles are not the problem", start);
    }
    free(expected);
    free(found);
  }
  print_message("ragged on both sides: %" PRId32 " problems\n", ragged);
  assert_true(ragged > 100);
}

/* [5 x 7] transposed in tiles of 3 rows and 4 columns: by hand, the last tile in each direction is
 * ragged. */
static void test_tiles_by_hand(void **state) {
  (void)state;
  const rlt_problem problem = {.element_bytes = 4,
                               .source_elements = 35,
                               .destination_elements = 40,
                               .axis_count = 2,
                               .axes = {{5, 5, 7, 1}, {8, 7, 1, 5}},
                               .fills = true};
  const rlt_group columns = rlt_group_of_axis(&problem, 0, 4);
  const rlt_group rows = rlt_group_of_axis(&problem, 1, 3);
  rlt_grid grid;
  rlt_grid_make(&problem, &columns, &rows, &grid);
  assert_int_equal(grid.loop_count, 2);
  assert_int_equal(grid.tile_count, 2 * 3);
  const int64_t last[] = {1, 2};
  rlt_tile tile;
  rlt_grid_find_tile(&grid, last, &tile);
  assert_int_equal(tile.source, 4 * 7 + 6);
  assert_int_equal(tile.destination, 4 + 6 * 5);
  assert_int_equal(tile.columns, 1);
  assert_int_equal(tile.valid_columns, 1);
  assert_int_equal(tile.rows, 2);
  assert_int_equal(tile.valid_rows, 1);
}

/* What has no source on one side of a tile, or by a loop outside it, has none on the other, and
 * goes no farther in the source. */
static void test_tiles_without_source(void **state) {
  (void)state;
  const rlt_problem problem = {.element_bytes = 4,
                               .source_elements = 100,
                               .destination_elements = 10 * 10 * 4,
                               .axis_count = 3,
                               .axes = {{10, 5, 1, 1}, {10, 5, 5, 10}, {4, 2, 25, 100}},
                               .fills = true};
  static const struct {
    int64_t digits[3];
    int64_t valid; /* of five by five */
    int64_t source;
  } cases[] = {{{0, 0, 0}, 5, 0}, {{0, 0, 1}, 5, 25}, {{1, 0, 0}, 0, 0}, {{0, 1, 0}, 0, 0},
               {{1, 1, 1}, 0, 0}, {{0, 0, 2}, 0, 0},  {{0, 0, 3}, 0, 0}, {{1, 1, 3}, 0, 0}};
  const rlt_group columns = rlt_group_of_axis(&problem, 0, 5);
  const rlt_group rows = rlt_group_of_axis(&problem, 1, 5);
  rlt_grid grid;
  rlt_grid_make(&problem, &columns, &rows, &grid);
  assert_int_equal(grid.tile_count, 2 * 2 * 4);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_tile tile;
    rlt_grid_find_tile(&grid, cases[i].digits, &tile);
    assert_int_equal(tile.columns, 5);
    assert_int_equal(tile.rows, 5);
    assert_int_equal(tile.valid_columns, cases[i].valid);
    assert_int_equal(tile.valid_rows, cases[i].valid);
    assert_int_equal(tile.source, cases[i].source);
  }
  /* Nor has a tile that holds all of an axis without any. */
  for (int empty = 0; empty < 2; ++empty) {
    rlt_problem fill = problem;
    fill.axes[empty].valid = 0;
    const rlt_group all[] = {rlt_group_of_axis(&fill, 0, 10), rlt_group_of_axis(&fill, 1, 10)};
    const int64_t first[] = {0};
    rlt_grid_make(&fill, &all[0], &all[1], &grid);
    assert_int_equal(grid.tile_count, 4);
    rlt_tile tile;
    rlt_grid_find_tile(&grid, first, &tile);
    assert_int_equal(tile.columns, 10);
    assert_int_equal(tile.rows, 10);
    assert_int_equal(tile.valid_columns, 0);
    assert_int_equal(tile.valid_rows, 0);
  }
}

/* Loops come in the order of their axes, whichever side takes these: over 64 blocks of 16 columns,
 * 32 blocks of 64 rows, and 3 matrices. */
static void test_loops_by_hand(void **state) {
  (void)state;
  const rlt_problem problem = {
      .element_bytes = 4,
      .source_elements = 3 << 21,
      .destination_elements = 3 << 21,
      .axis_count = 3,
      .axes = {{1024, 1024, 2048, 1}, {2048, 2048, 1, 1024}, {3, 3, 1 << 21, 1 << 21}}};
  static const rlt_loop expected[] = {
      {64, 64, 16 * 2048, 16, 0}, {32, 32, 64, 64 * 1024, 1}, {3, 3, 1 << 21, 1 << 21, 2}};
  const rlt_group columns = rlt_group_of_axis(&problem, 0, 16);
  const rlt_group rows = rlt_group_of_axis(&problem, 1, 64);
  rlt_grid grid;
  rlt_grid_make(&problem, &columns, &rows, &grid);
  assert_int_equal(grid.loop_count, 3);
  for (int32_t l = 0; l < 3; ++l) {
    assert_int_equal(grid.loops[l].count, expected[l].count);
    assert_int_equal(grid.loops[l].valid, expected[l].valid);
    assert_int_equal(grid.loops[l].source_step, expected[l].source_step);
    assert_int_equal(grid.loops[l].destination_step, expected[l].destination_step);
    assert_int_equal(grid.loops[l].axis, expected[l].axis);
  }
  assert_int_equal(grid.columns.block_loop, 0);
  assert_int_equal(grid.rows.block_loop, 1);
  assert_int_equal(grid.tile_count, 64 * 32 * 3);
  const int64_t digits[] = {7, 5, 2};
  rlt_tile tile;
  rlt_grid_find_tile(&grid, digits, &tile);
  assert_int_equal(tile.source, 5 * 64 + 7 * 16 * 2048 + (2 << 21));
  assert_int_equal(tile.destination, 5 * 64 * 1024 + 7 * 16 + (2 << 21));
}

/* What is taken whole has no loop over its blocks, and neither has what is not there. */
static void test_sides_without_blocks(void **state) {
  (void)state;
  const rlt_problem problem = {.element_bytes = 4,
                               .source_elements = 35,
                               .destination_elements = 40,
                               .axis_count = 2,
                               .axes = {{5, 5, 7, 1}, {8, 7, 1, 5}},
                               .fills = true};
  const rlt_group columns = {.axis_count = 2, .axes = {0, 1}, .inner = 5, .steps = 8};
  rlt_grid grid;
  rlt_grid_make(&problem, &columns, &rlt_no_axes, &grid);
  assert_int_equal(grid.loop_count, 0);
  assert_int_equal(grid.tile_count, 1);
  assert_int_equal(grid.columns.inner, 5);
  assert_int_equal(grid.columns.steps, 8);
  assert_int_equal(grid.columns.extent, 8);
  assert_int_equal(grid.columns.valid, 7);
  assert_int_equal(grid.columns.block_loop, -1);
  assert_int_equal(grid.rows.inner, 1);
  assert_int_equal(grid.rows.steps, 1);
  assert_int_equal(grid.rows.extent, 1);
  assert_int_equal(grid.rows.valid, 1);
  assert_int_equal(grid.rows.block_loop, -1);
  rlt_tile tile;
  rlt_grid_find_tile(&grid, (const int64_t[]){0}, &tile);
  assert_int_equal(tile.columns, 40);
  assert_int_equal(tile.valid_columns, 35);
  assert_int_equal(tile.rows, 1);
  assert_int_equal(tile.valid_rows, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tiles_make_up_the_problem), cmocka_unit_test(test_tiles_by_hand),
      cmocka_unit_test(test_tiles_without_source),      cmocka_unit_test(test_loops_by_hand),
      cmocka_unit_test(test_sides_without_blocks),
  };
  return cmocka_run_group_tests_name("plan.grid", tests, NULL, NULL);
}
