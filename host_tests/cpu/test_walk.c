/* The walk over a grid meets the very tiles that the grid itself names, wherever it starts. */
#include <inttypes.h>

#include "cmocka_all.h"
#include "cpu/walk.h"
#include "problem/definition.h"

/* Tiles so small that nearly every axis is cut. */
static const rlt_traits small_tiles = {.line_bytes = 8,
                                       .run_columns_bytes = 16,
                                       .run_tile_bytes = 32,
                                       .transpose_rows = 3,
                                       .transpose_columns = 2,
                                       .packed_tile_bytes = 64};

static bool same_tile(const rlt_tile *a, const rlt_tile *b) {
  return a->source == b->source && a->destination == b->destination && a->columns == b->columns &&
         a->valid_columns == b->valid_columns && a->rows == b->rows &&
         a->valid_rows == b->valid_rows;
}

static bool walk_agrees(const rlt_grid *grid, int64_t first) {
  rlt_walk walk;
  rlt_walk_start(&walk, grid, first);
  for (int64_t i = 0; i <= grid->tile_count; ++i) {
    int64_t digits[RLT_MAX_AXES];
    rlt_grid_digits(grid, (first + i) % grid->tile_count, digits);
    const rlt_tile expected = rlt_grid_tile(grid, digits);
    if (!same_tile(&walk.tile, &expected)) {
      return false;
    }
    rlt_walk_step(&walk);
  }
  return true;
}

static void test_random_grids(void **state) {
  (void)state;
  int64_t tiles = 0;
  for (uint64_t first_seed = 1; first_seed <= 400; ++first_seed) {
    uint64_t seed = first_seed;
    rlt_problem problem = definition_random_problem(&seed, 0);
    rlt_problem_simplify(&problem);
    if (rlt_problem_is_empty(&problem)) {
      continue;
    }
    for (int wanted = RELAYOUT_STRATEGY_AUTO; wanted <= RELAYOUT_STRATEGY_GATHER; ++wanted) {
      rlt_strategy strategy;
      if (rlt_strategy_choose(&problem, &small_tiles, (relayout_strategy)wanted, &strategy, NULL) !=
          RELAYOUT_OK) {
        continue;
      }
      rlt_grid grid;
      rlt_grid_make(&problem, &strategy, &grid);
      tiles += grid.tile_count;
      if (!walk_agrees(&grid, 0) ||
          !walk_agrees(&grid, definition_random(&seed, grid.tile_count))) {
        definition_print(&problem);
        fail_msg("seed %" PRIu64 ", strategy %s", first_seed,
                 relayout_strategy_name(strategy.kind));
      }
    }
  }
  assert_true(tiles > 10000);
}

/* Loops of every kind of valid count, none included, which simplified problems do not mix. */
static void test_valid_counts(void **state) {
  (void)state;
  for (int choice = 0; choice < 4 * 4 * 4; ++choice) {
    const rlt_problem problem = {.element_bytes = 1,
                                 .axis_count = 4,
                                 .axes = {{5, 4, 1, 1},
                                          {3, choice % 4, 5, 5},
                                          {3, choice / 4 % 4, 15, 15},
                                          {3, choice / 16, 45, 45}}};
    const rlt_strategy strategy = {
        .kind = RELAYOUT_STRATEGY_GATHER,
        .columns = {.axis_count = 1, .axes = {0}, .inner = 1, .block = 2},
        .rows = {.axis_count = 0, .inner = 1, .block = 1}};
    rlt_grid grid;
    rlt_grid_make(&problem, &strategy, &grid);
    assert_int_equal(grid.tile_count, 3 * 3 * 3 * 3);
    if (!walk_agrees(&grid, 0)) {
      definition_print(&problem);
      fail();
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_grids),
                                     cmocka_unit_test(test_valid_counts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
