/* test_loops.c: in which order tiles are moved: each once, block by block. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "plan/tiles.h"
#include "problem/definition.h"
#include "schedule/loops.h"

/* ---- By hand ---- */

/* As a schedule's text has them: axis:iterations within a block / axes of the loops over blocks. */
static void expect_loops(const rlt_loops *loops, const char *expected) {
  char found[256] = "";
  size_t length = 0;
  for (int32_t i = 0; i < loops->inner_count; ++i) {
    length += (size_t)snprintf(found + length, sizeof found - length, "%s%" PRId32 ":%" PRId64,
                               i == 0 ? "" : ",", loops->inner[i], loops->inside[i]);
  }
  for (int32_t i = 0; i < loops->outer_count; ++i) {
    length += (size_t)snprintf(found + length, sizeof found - length, "%s%" PRId32,
                               i == 0 ? "/" : ",", loops->outer[i]);
  }
  assert_string_equal(found, expected);
}

typedef struct ordered {
  rlt_problem problem;
  int32_t column_axis;
  int64_t columns;
  int32_t row_axis;
  int64_t rows;
  rlt_loop_blocking blocking;
  const char *loops;
} ordered;

/* Three matrices of 1024 x 2048, transposed in tiles of 16 columns and 64 rows: a step of the loop
 * over columns is 16 * 2048 in the source and 16 in the destination, one of that over rows 64 and
 * 64 * 1024, so that each goes along one side. */
#define MATRICES                                                                                   \
  {                                                                                                \
    .element_bytes = 1, .axis_count = 3, .axes = {                                                 \
      {1024, 1024, 2048, 1},                                                                       \
      {2048, 2048, 1, 1024},                                                                       \
      {3, 3, 1 << 21, 1 << 21}                                                                     \
    }                                                                                              \
  }

/* Runs of 96, 75 by 75 times, reversed. */
#define REVERSED                                                                                   \
  {                                                                                                \
    .element_bytes = 1, .axis_count = 4, .axes = {                                                 \
      {96, 96, 540000, 1},                                                                         \
      {75, 75, 7200, 96},                                                                          \
      {75, 75, 96, 7200},                                                                          \
      {96, 96, 1, 540000}                                                                          \
    }                                                                                              \
  }

/* Slices of 384 x 384, the first axis and the last reversed. Tiles of 64 by 64 go 6 times along
 * either side, and the axis between them would have to be taken whole. */
#define SLICES                                                                                     \
  {                                                                                                \
    .element_bytes = 1, .axis_count = 3, .axes = {                                                 \
      {384, 384, 147456, 1},                                                                       \
      {384, 384, 384, 384},                                                                        \
      {384, 384, 1, 147456}                                                                        \
    }                                                                                              \
  }

/* Four times 40 long runs, of which the first `valid` are read. */
#define LONG_RUNS(valid)                                                                           \
  {                                                                                                \
    .element_bytes = 1, .axis_count = 3, .axes = {                                                 \
      {1000, 1000, 1, 1},                                                                          \
      {40, (valid), 4000, 1000},                                                                   \
      {4, 4, 1000, 40000}                                                                          \
    }                                                                                              \
  }

/* Windows that lie 20 apart, of 1000 each, in rows of 50. */
#define WINDOWS                                                                                    \
  {                                                                                                \
    .element_bytes = 1, .axis_count = 3, .axes = {                                                 \
      {1000, 1000, 1, 1},                                                                          \
      {50, 50, 5000, 1000},                                                                        \
      {16, 16, 20, 50000}                                                                          \
    }                                                                                              \
  }

/* 37 runs, which have no parts of equal length, and 40 that begin between them. */
#define ENTANGLED                                                                                  \
  {                                                                                                \
    .element_bytes = 1, .axis_count = 3, .axes = {                                                 \
      {1000, 1000, 1, 1},                                                                          \
      {37, 37, 1000, 1000},                                                                        \
      {40, 40, 2000, 37000}                                                                        \
    }                                                                                              \
  }

/* As far along either side. */
#define NEAR(elements) .near_source = (elements), .near_destination = (elements)

static const ordered by_hand[] = {
    /* 1024 elements along the source are 16 tiles, and along the destination all 64. */
    {MATRICES, 0, 16, 1, 64, {NEAR(1024), .least_blocks = 1}, "1:16,0:64/1,2"},
    {MATRICES, 0, 16, 1, 64, {NEAR(100), .least_blocks = 1}, "1:2,0:7/1,0,2"},
    /* Nothing is as near: blocks of a single tile. */
    {MATRICES, 0, 16, 1, 64, {NEAR(16), .least_blocks = 1}, "/0,1,2"},
    /* As far as the source's loops go and no farther along the destination than a tile, and the
     * other way round. */
    {MATRICES, 0, 16, 1, 64, {.near_source = 1 << 30, .least_blocks = 1}, "1:32,0:64,2:3"},
    {MATRICES, 0, 16, 1, 64, {.near_destination = 1 << 30, .least_blocks = 1}, "0:64,1:32,2:3"},
    /* Where no step along the source is short enough, blocks go along the destination; where one
     * is, and cannot end there, along neither. */
    {MATRICES,
     0,
     16,
     1,
     64,
     {.near_source = 64, .near_destination = 1024, .least_blocks = 1},
     "0:64/1,2"},
    {MATRICES,
     0,
     16,
     1,
     64,
     {.near_source = 100, .near_destination = 1024, .least_blocks = 1, .only_whole = true},
     "/1,0,2"},
    /* Both are over parts of a tile's axes, parts of which would end within tiles. */
    {MATRICES, 0, 16, 1, 64, {NEAR(1024), .least_blocks = 1, .only_whole = true}, "1:32,0:64/2"},
    {MATRICES, 0, 16, 1, 64, {NEAR(100), .least_blocks = 1, .only_whole = true}, "/1,0,2"},
    {SLICES, 0, 64, 2, 64, {NEAR(512), .least_blocks = 1}, "2:6,1:2,0:6/1"},
    {SLICES, 0, 64, 2, 64, {NEAR(512), .least_blocks = 1, .only_whole = true}, "2:6,0:6/1"},
    /* 512 elements are six runs; 75 are whole times five, and less than twice as many as 50. */
    {REVERSED, 0, 96, 3, 96, {NEAR(512), .least_blocks = 1}, "2:6,1:6/2,1"},
    {REVERSED, 0, 96, 3, 96, {NEAR(512), .least_blocks = 1, .only_whole = true}, "2:5,1:5/2,1"},
    {REVERSED, 0, 96, 3, 96, {NEAR(4800), .least_blocks = 1, .only_whole = true}, "2:75,1:75"},
    {REVERSED, 0, 96, 3, 96, {NEAR(2880), .least_blocks = 1, .only_whole = true}, "2:25,1:25/2,1"},
    /* 13 * 13 blocks of 6 * 6 tiles; for more of them the last loop of a block is halved. */
    {REVERSED, 0, 96, 3, 96, {NEAR(512), .least_blocks = 169}, "2:6,1:6/2,1"},
    {REVERSED, 0, 96, 3, 96, {NEAR(512), .least_blocks = 300}, "2:6,1:3/2,1"},
    {REVERSED, 0, 96, 3, 96, {NEAR(512), .least_blocks = 490}, "2:6,1:2/2,1"},
    {REVERSED, 0, 96, 3, 96, {NEAR(512), .least_blocks = 600}, "2:6/2,1"},
    {REVERSED, 0, 96, 3, 96, {NEAR(512), .least_blocks = INT64_MAX}, "/2,1"},
    /* Eight tiles of long runs, of the first loop; for 32 blocks, five. */
    {LONG_RUNS(40), 0, 1000, -1, 1, {.tiles = 8, .least_blocks = 1}, "1:8/1,2"},
    {LONG_RUNS(40), 0, 1000, -1, 1, {.tiles = 80, .least_blocks = 1}, "1:40,2:2/2"},
    {LONG_RUNS(40), 0, 1000, -1, 1, {.tiles = 8, .least_blocks = 32}, "1:4/1,2"},
    {LONG_RUNS(40), 0, 1000, -1, 1, {.tiles = 0, .least_blocks = 1}, "/1,2"},
    /* However little of either side is asked for, tiles are not counted. */
    {LONG_RUNS(40), 0, 1000, -1, 1, {.near_source = 1, .tiles = 8, .least_blocks = 1}, "/1,2"},
    {LONG_RUNS(40), 0, 1000, -1, 1, {.near_destination = 1, .tiles = 8, .least_blocks = 1}, "/1,2"},
    /* Loops that no block can end within come in the source's order all the same. */
    {WINDOWS, 0, 10, -1, 1, {.near_source = 45, .least_blocks = 1, .only_whole = true}, "/0,2,1"},
    {WINDOWS,
     0,
     10,
     -1,
     1,
     {.near_source = 45, .near_destination = 1000, .least_blocks = 1, .only_whole = true},
     "/0,2,1"},
    {ENTANGLED,
     0,
     1000,
     -1,
     1,
     {.near_source = 8000, .least_blocks = 1, .only_whole = true},
     "/1,2"},
    {ENTANGLED, 0, 1000, -1, 1, {.near_source = 8000, .least_blocks = 1}, "1:8/1,2"},
    /* Along the source, the next axis but one: 8 of 40 would be whole, if all were read. */
    {LONG_RUNS(40),
     0,
     1000,
     -1,
     1,
     {NEAR(32000), .least_blocks = 1, .only_whole = true},
     "2:4,1:8/1"},
    {LONG_RUNS(40),
     0,
     1000,
     -1,
     1,
     {.near_source = 8000, .least_blocks = 1, .only_whole = true},
     "2:4,1:2/1"},
    {LONG_RUNS(32),
     0,
     1000,
     -1,
     1,
     {NEAR(32000), .least_blocks = 1, .only_whole = true},
     "2:4,1:40"},
};

static void grid_of(const ordered *of, rlt_grid *grid) {
  const rlt_group columns = rlt_group_of_axis(&of->problem, of->column_axis, of->columns);
  const rlt_group rows =
      of->row_axis < 0 ? rlt_no_axes : rlt_group_of_axis(&of->problem, of->row_axis, of->rows);
  rlt_grid_make(&of->problem, &columns, &rows, grid);
}

static void test_blocks_by_hand(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; ++i) {
    rlt_grid grid;
    rlt_loops loops;
    print_message("case %zu\n", i);
    grid_of(&by_hand[i], &grid);
    rlt_loops_make(&grid, &by_hand[i].blocking, &loops);
    expect_loops(&loops, by_hand[i].loops);
  }
}

/* ---- Combining ---- */

typedef struct combining_case {
  rlt_problem problem;
  int64_t columns; /* of axis 0 */
  int32_t row_axis;
  int64_t rows;
  int64_t length; /* of segments */
  rlt_combining combining;
  int64_t between;
  int64_t near;
  const char *loops;
} combining_case;

/* 64 rows of 130 columns. */
#define COLUMNS_130                                                                                \
  {                                                                                                \
    .element_bytes = 1, .axis_count = 2, .axes = { {130, 130, 64, 1}, {64, 64, 1, 130} }           \
  }

/* Four pixels of 3 channels beside each other, 100 times, in 5 lines. */
#define PIXELS                                                                                     \
  {                                                                                                \
    .element_bytes = 1, .axis_count = 3, .axes = {                                                 \
      {3, 3, 2000, 1},                                                                             \
      {400, 400, 1, 3},                                                                            \
      {5, 5, 400, 1200}                                                                            \
    }                                                                                              \
  }

static const combining_case by_hand_combining[] = {
    /* Blocks of 64 columns go on with each other's segments, as far as 1024 elements; rows do too
     * where a tile has one, behind 130 columns. */
    {COLUMNS_130, 64, 1, 64, 64, {1, {0}}, 0, 1024, "0:3"},
    {COLUMNS_130, 64, 1, 1, 64, {2, {0, 1}}, 0, 1024, "0:3,1:8/1"},
    {COLUMNS_130, 64, 1, 1, 64, {2, {0, 1}}, 0, 100, "0:2/0,1"},
    {COLUMNS_130, 64, 1, 1, 64, {2, {0, 1}}, 0, 0, "/0,1"},
    /* Behind all blocks of columns come those of rows along the source. */
    {COLUMNS_130, 64, 1, 16, 64, {1, {0}}, 0, 1024, "0:3,1:4"},
    /* Segments that end elsewhere go on nowhere. */
    {COLUMNS_130, 64, 1, 64, 63, {0, {0}}, 0, 1024, ""},
    /* Tiles of 4 pixels: the loop over them, of 100, and then that over lines,
     * one after the other. */
    {PIXELS, 3, 1, 4, 12, {2, {0, 1}}, 0, 24, "1:2/1,2"},
    {PIXELS, 3, 1, 4, 12, {2, {0, 1}}, 0, 2400, "1:100,2:2/2"},
    /* With room for two more tiles between, three of the nearest loop in the source come first. */
    {COLUMNS_130, 64, 1, 16, 64, {1, {0}}, 2, 1024, "1:3,0:3/1"},
    {COLUMNS_130, 64, 1, 16, 64, {1, {0}}, 9, 1024, "1:4,0:3"},
    /* Rows that go on with each other are 64, and the tiles between them those of two blocks of
     * columns, if these are near, or there is room for one. */
    {COLUMNS_130, 64, 1, 1, 130, {1, {1}}, 2, 8320, "0:3,1:64"},
    {COLUMNS_130, 64, 1, 1, 130, {1, {1}}, 1, 8320, "0:2,1:64/0"},
    {COLUMNS_130, 64, 1, 1, 130, {1, {1}}, 2, 4096, "1:32/1,0"},
};

static void test_combining_by_hand(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof by_hand_combining / sizeof by_hand_combining[0]; ++i) {
    const combining_case *const of = &by_hand_combining[i];
    const ordered like = {of->problem, 0, of->columns, of->row_axis, of->rows, {NEAR(0)}, NULL};
    const rlt_loop_blocking blocking = {NEAR(of->near), .least_blocks = 1};
    rlt_grid grid;
    rlt_combining combining;
    rlt_loops loops;
    print_message("combining %zu\n", i);
    grid_of(&like, &grid);
    rlt_combining_find(&of->problem, &grid, of->length, &combining);
    assert_int_equal(combining.count, of->combining.count);
    for (int32_t c = 0; c < combining.count; ++c) {
      assert_int_equal(combining.loops[c], of->combining.loops[c]);
    }
    if (combining.count > 0) {
      rlt_loops_make_combining(&grid, &combining, of->between, &blocking, &loops);
      expect_loops(&loops, of->loops);
    }
  }
}

/* ---- At random ---- */

/* A tile's number and that of its block, tile by tile in the order of the loops. */
typedef struct iterator {
  const rlt_grid *grid;
  const rlt_loops *loops;
  int64_t count;
  int64_t *tiles;
  int64_t *blocks;
  int64_t block_count;
} iterator;

static int64_t number_of(const rlt_grid *grid, const int64_t *digits) {
  int64_t number = 0;
  for (int32_t l = grid->loop_count - 1; l >= 0; --l) {
    number = number * grid->loops[l].count + digits[l];
  }
  return number;
}

/* The tiles of the block that begins at these digits: inner loops, from the last one inwards. */
static void go_inside(iterator *of, int32_t loop, int64_t *digits) {
  if (loop < 0) {
    of->tiles[of->count] = number_of(of->grid, digits);
    of->blocks[of->count++] = of->block_count;
    return;
  }
  const int32_t l = rlt_grid_loop_of(of->grid, of->loops->inner[loop]);
  const int64_t begin = digits[l];
  const int64_t end = rlt_min(begin + of->loops->inside[loop], of->grid->loops[l].count);
  for (; digits[l] < end; ++digits[l]) {
    go_inside(of, loop - 1, digits);
  }
  digits[l] = begin;
}

static void go_outside(iterator *of, int32_t loop, int64_t *digits) {
  if (loop < 0) {
    go_inside(of, of->loops->inner_count - 1, digits);
    ++of->block_count;
    return;
  }
  const int32_t l = rlt_grid_loop_of(of->grid, of->loops->outer[loop]);
  const int64_t inside = rlt_loops_inside(of->grid, of->loops, l);
  for (digits[l] = 0; digits[l] < of->grid->loops[l].count; digits[l] += inside) {
    go_outside(of, loop - 1, digits);
  }
  digits[l] = 0;
}

/* False where a tile is moved twice or never. */
static bool make_iterator(const rlt_grid *grid, const rlt_loops *loops, iterator *made) {
  const size_t tiles = (size_t)grid->tile_count;
  int64_t digits[RLT_MAX_AXES] = {0};
  *made = (iterator){.grid = grid,
                     .loops = loops,
                     .tiles = calloc(tiles, sizeof *made->tiles),
                     .blocks = calloc(tiles, sizeof *made->blocks)};
  int64_t expected = 1;
  for (int32_t i = 0; i < loops->inner_count; ++i) {
    assert_true(loops->inside[i] > 1);
  }
  for (int32_t l = 0; l < grid->loop_count; ++l) {
    bool goes_on = rlt_loops_inside(grid, loops, l) == grid->loops[l].count;
    for (int32_t i = 0; i < loops->outer_count; ++i) {
      goes_on = goes_on || loops->outer[i] == grid->loops[l].axis;
    }
    expected *= goes_on ? grid->loops[l].count : 0;
  }
  if (expected != grid->tile_count) {
    return false; /* a loop is missing, so that there would be fewer */
  }
  go_outside(made, loops->outer_count - 1, digits);
  bool *const is_moved = calloc(tiles, sizeof *is_moved);
  bool once = made->count == grid->tile_count;
  for (int64_t t = 0; t < made->count && once; ++t) {
    once = !is_moved[made->tiles[t]];
    is_moved[made->tiles[t]] = true;
  }
  free(is_moved);
  return once;
}

static void free_iterator(iterator *freed) {
  free(freed->tiles);
  free(freed->blocks);
}

static rlt_loop_blocking blocking_at_random(uint64_t *seed) {
  const bool only_whole = definition_random(seed, 3) == 0;
  const int64_t near = definition_random(seed, 2) == 0 ? 0 : 1 + definition_random(seed, 200);
  const int64_t side = definition_random(seed, 3); /* both, or one of them alone */
  return (rlt_loop_blocking){.near_source = side == 1 ? 0 : near,
                             .near_destination = side == 2 ? 0 : near,
                             .tiles = only_whole ? 0 : definition_random(seed, 40),
                             .least_blocks = only_whole ? 1 : 1 + definition_random(seed, 60),
                             .only_whole = only_whole};
}

static bool grid_at_random(uint64_t *seed, rlt_problem *problem, rlt_group *columns,
                           rlt_group *rows, rlt_grid *grid) {
  *problem = definition_random_problem(seed);
  rlt_problem_simplify(problem);
  if (rlt_problem_is_empty(problem)) {
    return false;
  }
  tiles_at_random(problem, seed, columns, rows);
  rlt_grid_make(problem, columns, rows, grid);
  return true;
}

static bool blocks_are_whole(const rlt_grid *grid, const rlt_loops *loops) {
  for (int32_t i = 0; i < loops->inner_count; ++i) {
    const int32_t l = rlt_grid_loop_of(grid, loops->inner[i]);
    const bool is_part = loops->inside[i] < grid->loops[l].count;
    if (is_part && (grid->loops[l].count % loops->inside[i] != 0 ||
                    grid->loops[l].valid < grid->loops[l].count || l == grid->columns.block_loop ||
                    l == grid->rows.block_loop)) {
      return false;
    }
  }
  return true;
}

static void test_every_tile_once(void **state) {
  (void)state;
  int32_t in_blocks = 0;
  for (uint64_t start = 1; start <= 8000; ++start) {
    uint64_t seed = start;
    rlt_problem problem;
    rlt_group columns, rows;
    rlt_grid grid;
    rlt_loops loops;
    iterator made;
    if (!grid_at_random(&seed, &problem, &columns, &rows, &grid)) {
      continue;
    }
    const rlt_loop_blocking blocking = blocking_at_random(&seed);
    rlt_loops_make(&grid, &blocking, &loops);
    if (!make_iterator(&grid, &loops, &made) ||
        made.block_count < rlt_min(blocking.least_blocks, grid.tile_count) ||
        (blocking.only_whole && !blocks_are_whole(&grid, &loops))) {
      definition_print(&problem);
      fail_msg("seed %" PRIu64 ": blocks are not as asked", start);
    }
    in_blocks += made.block_count > 1 && made.block_count < grid.tile_count;
    free_iterator(&made);
  }
  print_message("in blocks of some tiles: %" PRId32 " problems\n", in_blocks);
  assert_true(in_blocks > 100);
}

/* The digits of the tile that goes on with this one's segments, if there is one. */
static bool step_combining(const rlt_grid *grid, const rlt_combining *combining, int64_t *digits) {
  for (int32_t c = 0; c < combining->count; ++c) {
    const int32_t l = combining->loops[c];
    if (++digits[l] < grid->loops[l].count) {
      return true;
    }
    digits[l] = 0;
  }
  return false;
}

/* In the same block, whatever goes on with a tile comes behind it, and soon. */
static bool combining_holds(const iterator *of, const rlt_combining *combining,
                            int64_t most_between) {
  const rlt_grid *const grid = of->grid;
  int64_t *const place = calloc((size_t)of->count, sizeof *place);
  bool holds = true;
  for (int64_t t = 0; t < of->count; ++t) {
    place[of->tiles[t]] = t;
  }
  int64_t digits[RLT_MAX_AXES] = {0};
  for (int64_t t = 0; t < of->count; ++t, tiles_step(grid, digits)) {
    int64_t next[RLT_MAX_AXES];
    memcpy(next, digits, sizeof next);
    const int64_t here = place[number_of(grid, digits)];
    if (step_combining(grid, combining, next)) {
      const int64_t there = place[number_of(grid, next)];
      holds = holds && (of->blocks[here] != of->blocks[there] ||
                        (there > here && there - here - 1 <= most_between));
    }
  }
  free(place);
  return holds;
}

static void test_combining_at_random(void **state) {
  (void)state;
  int32_t tried = 0;
  for (uint64_t start = 1; start <= 40000; ++start) {
    uint64_t seed = start;
    rlt_problem problem;
    rlt_group columns, rows;
    rlt_grid grid;
    rlt_combining combining = {.count = 0};
    rlt_loops loops;
    iterator made;
    if (!grid_at_random(&seed, &problem, &columns, &rows, &grid)) {
      continue;
    }
    rlt_combining_find(&problem, &grid, rlt_group_length(&columns), &combining);
    if (combining.count == 0) {
      continue;
    }
    const int64_t between = definition_random(&seed, 4);
    rlt_loop_blocking blocking = blocking_at_random(&seed);
    blocking.near_source = rlt_max(blocking.near_source, 1);
    blocking.near_destination = rlt_max(blocking.near_destination, 1);
    blocking.only_whole = false;
    rlt_loops_make_combining(&grid, &combining, between, &blocking, &loops);
    if (!make_iterator(&grid, &loops, &made) || !combining_holds(&made, &combining, between)) {
      definition_print(&problem);
      fail_msg("seed %" PRIu64 ": tiles do not go on with each other", start);
    }
    ++tried;
    free_iterator(&made);
  }
  print_message("tours: %" PRId32 "\n", tried);
  assert_true(tried > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blocks_by_hand),
      cmocka_unit_test(test_combining_by_hand),
      cmocka_unit_test(test_every_tile_once),
      cmocka_unit_test(test_combining_at_random),
  };
  return cmocka_run_group_tests_name("plan.loops", tests, NULL, NULL);
}
