/* The walks over all blocks of a grid meet each of its tiles once, as the grid itself names it. */
#include <inttypes.h>
#include <stdlib.h>

#include "cmocka_all.h"
#include "cpu/walk.h"
#include "problem/definition.h"

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
      rlt_tile expected;
      rlt_grid_find_tile(grid, walk.digits, &expected);
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

/* Whether the combined loops begin with the first of these, and as few tiles as
 * asked for lie in between. */
static bool combined_loops_agree(const rlt_order *order, const rlt_combining *combining,
                                 int64_t most_between) {
  const rlt_combined_loops combined_loops = rlt_order_combined_loops(order, combining);
  if (combined_loops.count == 0) {
    return combined_loops.first == 0; /* blocks are split, and end with each tile */
  }
  return combined_loops.first <= 1 && combined_loops.count <= combining->count &&
         order->loops[combined_loops.first] == combining->loops[0] &&
         order->inside[combined_loops.first] > 1 &&
         (combined_loops.first == 0 || order->inside[0] <= most_between + 1);
}

/* The loops of blocks along both sides' pages, of long runs, and along all loops that tiles could
 * go on with each other's segments along. */
static bool all_walks_agree(const rlt_grid *grid, int64_t least_blocks) {
  const rlt_loop_blocking blockings[] = {
      {.near_source = 250, .near_destination = 250, .least_blocks = least_blocks},
      {.near_source = 250,
       .near_destination = 250,
       .least_blocks = least_blocks,
       .only_whole = true},
      {.tiles = 8, .least_blocks = least_blocks}};
  bool agree = true;
  rlt_loops loops;
  rlt_order order;
  for (size_t i = 0; agree && i < sizeof blockings / sizeof *blockings; ++i) {
    rlt_loops_make(grid, &blockings[i], &loops);
    rlt_order_make(grid, &loops, &order);
    agree = walks_agree(&order, least_blocks);
  }
  /* Any loops in any order: what they are combined for does not matter here. */
  rlt_combining combining = {.count = 0};
  for (int32_t l = grid->loop_count; agree && l-- > 0;) {
    if (grid->loops[l].count > 1 && grid->loops[l].destination_step > 0) {
      combining.loops[combining.count++] = l;
      rlt_loops_make_combining(grid, &combining, l, &blockings[0], &loops);
      rlt_order_make(grid, &loops, &order);
      agree = walks_agree(&order, least_blocks) && combined_loops_agree(&order, &combining, l);
    }
  }
  return agree;
}

/* The order takes the schedule's loops as they are: by number, those it lacks last. */
static void test_loops_of_a_schedule(void **state) {
  (void)state;
  const rlt_problem problem = {
      .element_bytes = 4, .axis_count = 2, .axes = {{4096, 4096, 4096, 1}, {4096, 4096, 1, 4096}}};
  const rlt_group columns = {.axis_count = 1, .axes = {0}, .inner = 1, .steps = 32};
  const rlt_group rows = {.axis_count = 1, .axes = {1}, .inner = 1, .steps = 64};
  const rlt_loops loops = {
      .inner_count = 1, .inner = {1}, .inside = {7}, .outer_count = 2, .outer = {0, 1}};
  rlt_grid grid;
  rlt_order order;
  rlt_grid_make(&problem, &columns, &rows, &grid);
  rlt_order_make(&grid, &loops, &order);
  assert_int_equal(order.loops[0], 1);
  assert_int_equal(order.inside[0], 7);
  assert_int_equal(order.loops[1], 0);
  assert_int_equal(order.inside[1], 1);
  assert_int_equal(order.block_count, 128 * 10); /* of 64 rows' tiles seven at a time */
  rlt_walk walk; /* block 129 is the second along axis 1, one further along axis 0 */
  rlt_walk_start(&walk, &order, 129);
  assert_int_equal(walk.tile.destination, 32 + 7 * 64 * 4096);
  assert_int_equal(walk.tile.source, 32 * 4096 + 7 * 64);
  rlt_walk_start(&walk, &order,
                 128 * 9); /* the last seven begin at the 63rd tile: there is one more */
  assert_int_equal(walk.tile.destination, 63 * 64 * 4096);
  assert_false(rlt_walk_step(&walk));
}

/* Chains of loops within blocks: where they are in the order, and how far they go. */
static void test_links(void **state) {
  (void)state;
  const rlt_problem problem = {
      .element_bytes = 1, .axis_count = 3, .axes = {{8, 8, 30, 1}, {5, 5, 6, 8}, {6, 6, 1, 40}}};
  const rlt_group columns = {.axis_count = 1, .axes = {0}, .inner = 1, .steps = 2};
  rlt_grid grid;
  rlt_combining combining;
  rlt_grid_make(&problem, &columns, &rlt_no_axes, &grid);
  rlt_combining_find(&problem, &grid, 2, &combining);
  assert_int_equal(combining.count, 3);
  static const struct {
    rlt_loops loops;
    rlt_combined_loops combined_loops;
  } cases[] = {
      {{.inner_count = 2, .inner = {0, 1}, .inside = {4, 5}, .outer_count = 1, .outer = {2}},
       {0, 3}},
      {{.inner_count = 2, .inner = {0, 1}, .inside = {4, 2}, .outer_count = 2, .outer = {1, 2}},
       {0, 2}},
      {{.inner_count = 2, .inner = {2, 0}, .inside = {3, 4}, .outer_count = 2, .outer = {2, 1}},
       {1, 2}},
      {{.inner_count = 1, .inner = {0}, .inside = {2}, .outer_count = 3, .outer = {0, 1, 2}},
       {0, 1}},
      {{.inner_count = 1, .inner = {1}, .inside = {5}, .outer_count = 2, .outer = {0, 2}}, {0, 0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    rlt_order order;
    rlt_order_make(&grid, &cases[i].loops, &order);
    const rlt_combined_loops combined_loops = rlt_order_combined_loops(&order, &combining);
    print_message("case %zu\n", i);
    assert_int_equal(combined_loops.first, cases[i].combined_loops.first);
    assert_int_equal(combined_loops.count, cases[i].combined_loops.count);
  }
}

/* Of a block of three tiles by two, all go on but the last one along the loops in question. */
static void test_what_goes_on(void **state) {
  (void)state;
  const rlt_problem problem = {
      .element_bytes = 1, .axis_count = 2, .axes = {{6, 6, 10, 1}, {4, 4, 1, 6}}};
  const rlt_group columns = {.axis_count = 1, .axes = {0}, .inner = 1, .steps = 2};
  const rlt_loops loops = {
      .inner_count = 2, .inner = {0, 1}, .inside = {3, 2}, .outer_count = 1, .outer = {1}};
  static const struct {
    rlt_combined_loops along;
    bool go_on[6];
  } cases[] = {{{0, 1}, {true, true, false, true, true, false}},
               {{1, 1}, {true, true, true, false, false, false}},
               {{0, 2}, {true, true, true, true, true, false}},
               {{0, 0}, {false, false, false, false, false, false}}};
  rlt_grid grid;
  rlt_order order;
  rlt_grid_make(&problem, &columns, &rlt_no_axes, &grid);
  rlt_order_make(&grid, &loops, &order);
  assert_int_equal(order.block_count, 2);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    for (int64_t block = 0; block < 2; ++block) {
      rlt_walk walk;
      rlt_walk_start(&walk, &order, block);
      for (int64_t tile = 0; tile < 6; ++tile) {
        assert_int_equal(walk.tile.destination, 12 * block + 2 * tile);
        assert_int_equal(rlt_walk_place(&walk, 0), tile % 3);
        assert_int_equal(rlt_walk_place(&walk, 1), tile / 3);
        assert_int_equal(rlt_walk_goes_on(&walk, cases[i].along), cases[i].go_on[tile]);
        assert_int_equal(rlt_walk_step(&walk), tile < 5);
      }
    }
  }
}

/* Tiles of one axis each way, or of runs alone, so small that nearly every axis is cut. */
static void draw_groups(const rlt_problem *problem, uint64_t *seed, rlt_group *columns,
                        rlt_group *rows) {
  const int32_t count = problem->axis_count;
  const int32_t other = count > 1 ? (int32_t)definition_random(seed, count) : 0;
  *columns =
      count == 0 ? rlt_no_axes : rlt_group_of_axis(problem, 0, 1 + definition_random(seed, 3));
  *rows =
      other == 0 ? rlt_no_axes : rlt_group_of_axis(problem, other, 1 + definition_random(seed, 3));
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
    for (int cut = 0; cut < 3; ++cut) {
      rlt_group columns, rows;
      rlt_grid grid;
      draw_groups(&problem, &seed, &columns, &rows);
      rlt_grid_make(&problem, &columns, &rows, &grid);
      tiles += grid.tile_count;
      if (!all_walks_agree(&grid, 1) || !all_walks_agree(&grid, definition_random(&seed, 100))) {
        definition_print(&problem);
        fail_msg("seed %" PRIu64 ", cut %d", first_seed, cut);
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
    const rlt_group columns = {.axis_count = 1, .axes = {0}, .inner = 1, .steps = 2};
    rlt_grid grid;
    rlt_grid_make(&problem, &columns, &rlt_no_axes, &grid);
    assert_int_equal(grid.tile_count, 3 * 3 * 3 * 3);
    if (!all_walks_agree(&grid, 3)) {
      definition_print(&problem);
      fail();
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loops_of_a_schedule), cmocka_unit_test(test_links),
      cmocka_unit_test(test_what_goes_on), cmocka_unit_test(test_random_grids),
      cmocka_unit_test(test_valid_counts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
