/* The walks over all blocks of a grid meet each of its tiles once, as the grid itself names it. */
#include <inttypes.h>
#include <stdlib.h>

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

/* -1 where a loop has no such iteration. */
static int64_t tile_number(const rlt_grid *grid, const int64_t *digits) {
  int64_t number = 0;
  for (int32_t l = grid->loop_count; l-- > 0;) {
    if (digits[l] < 0 || digits[l] >= grid->loops[l].count) {
      return -1;
    }
    number = number * grid->loops[l].count + digits[l];
  }
  return number;
}

static bool walks_agree(const rlt_order *order, int64_t least_blocks) {
  const rlt_grid *const grid = order->grid;
  bool agree = order->block_count >= least_blocks || order->block_count == grid->tile_count;
  unsigned char *const seen = calloc((size_t)grid->tile_count, 1);
  int64_t met = 0;
  for (int64_t block = 0; agree && block < order->block_count; ++block) {
    rlt_walk walk;
    rlt_walk_start(&walk, order, block);
    do {
      const int64_t number = tile_number(grid, walk.digits);
      const rlt_tile expected = rlt_grid_tile(grid, walk.digits);
      agree = number >= 0 && !seen[number] && same_tile(&walk.tile, &expected);
      if (agree) {
        seen[number] = 1;
        ++met;
      }
    } while (agree && rlt_walk_step(&walk));
  }
  free(seen);
  return agree && met == grid->tile_count;
}

static bool all_walks_agree(const rlt_grid *grid, int64_t least_blocks) {
  rlt_order order;
  rlt_order_make(grid, true, 1000, 4, least_blocks, &order);
  bool agree = walks_agree(&order, least_blocks);
  rlt_order_make(grid, false, 1000, 4, least_blocks, &order);
  agree = agree && walks_agree(&order, least_blocks);
  /* Any loops in any order: what they are chained for does not matter here. */
  rlt_chain chain = {.count = 0};
  for (int32_t l = grid->loop_count; agree && l-- > 0;) {
    if (grid->loops[l].destination_step > 0) {
      chain.loops[chain.count++] = l;
      const rlt_links links = rlt_order_make_chained(grid, &chain, l, 4, least_blocks, &order);
      agree = walks_agree(&order, least_blocks) && links.first <= 1 && links.count >= 1 &&
              order.loops[links.first] == chain.loops[0] &&
              (links.first == 0 || order.inside[0] <= l + 1);
    }
  }
  return agree;
}

/* A block of a matrix's transposition goes along a page on either side. */
static void test_blocks_of_a_matrix(void **state) {
  (void)state;
  const rlt_problem problem = {
      .element_bytes = 4, .axis_count = 2, .axes = {{4096, 4096, 4096, 1}, {4096, 4096, 1, 4096}}};
  const rlt_strategy strategy = {.kind = RELAYOUT_STRATEGY_TRANSPOSE,
                                 .columns = {.axis_count = 1, .axes = {0}, .inner = 1, .block = 32},
                                 .rows = {.axis_count = 1, .axes = {1}, .inner = 1, .block = 64}};
  rlt_grid grid;
  rlt_grid_make(&problem, &strategy, &grid);
  rlt_order order;
  rlt_order_make(&grid, true, 32 * 64 * 4, 4, 1, &order);
  assert_int_equal(order.loops[0], 1); /* along the source, 16 tiles of 256 bytes, */
  assert_int_equal(order.inside[0], 16);
  assert_int_equal(order.loops[1], 0); /* and 32 of 128 along the destination */
  assert_int_equal(order.inside[1], 32);
  assert_int_equal(order.block_count, 4096 / 64 / 16 * (4096 / 32 / 32));
  /* With lines carried along the destination, as few tiles as are allowed lie in between. */
  rlt_chain chain;
  rlt_chain_find(&problem, &grid, 32, &chain);
  assert_int_equal(chain.count, 1); /* a row ends where the tile's next row begins */
  assert_int_equal(chain.loops[0], 0);
  const rlt_links links = rlt_order_make_chained(&grid, &chain, 6, 4, 1, &order);
  assert_int_equal(links.first, 1);
  assert_int_equal(links.count, 1);
  assert_int_equal(order.loops[0], 1);
  assert_int_equal(order.inside[0], 7);
  assert_int_equal(order.loops[1], 0);
  assert_int_equal(order.inside[1], 32);
}

static void test_random_grids(void **state) {
  (void)state;
  int64_t tiles = 0;
  for (uint64_t first_seed = 1; first_seed <= 400; ++first_seed) {
    uint64_t seed = first_seed;
    rlt_problem problem = definition_random_problem(&seed);
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
      if (!all_walks_agree(&grid, 1) || !all_walks_agree(&grid, definition_random(&seed, 100))) {
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
    if (!all_walks_agree(&grid, 3)) {
      definition_print(&problem);
      fail();
    }
  }
}

/* 5 x 7 x 3 elements in tiles of 2 x 1 x 1, and one of the axes in between is not in line. */
static void test_chains(void **state) {
  (void)state;
  const rlt_problem problem = {
      .element_bytes = 1,
      .axis_count = 4,
      .axes = {{5, 5, 42, 1}, {7, 7, 6, 5}, {2, 2, 1, 105}, {3, 3, 2, 35}}};
  const rlt_strategy strategy = {.kind = RELAYOUT_STRATEGY_TRANSPOSE,
                                 .columns = {.axis_count = 1, .axes = {0}, .inner = 1, .block = 2},
                                 .rows = {.axis_count = 0, .inner = 1, .block = 1}};
  rlt_grid grid;
  rlt_grid_make(&problem, &strategy, &grid);
  rlt_chain chain;
  rlt_chain_find(&problem, &grid, 2, &chain);
  assert_int_equal(chain.count, 4);
  const int32_t axes[] = {0, 1, 3, 2};
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(grid.loops[chain.loops[i]].axis, axes[i]);
  }
  rlt_chain_find(&problem, &grid, 5, &chain);
  assert_int_equal(chain.count, 3);
  rlt_chain_find(&problem, &grid, 3, &chain);
  assert_int_equal(chain.count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks_of_a_matrix), cmocka_unit_test(test_chains),
      cmocka_unit_test(test_random_grids), cmocka_unit_test(test_valid_counts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
