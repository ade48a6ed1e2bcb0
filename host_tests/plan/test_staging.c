/* test_staging.c: what is stored into a tile buffer, spills and all, and what leaves it. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "cpu/tile_buffer.h"
#include "plan/devices.h"
#include "plan/tiles.h"
#include "problem/definition.h"
#include "schedule/grid.h"
#include "search/candidates.h"

static void assert_group_offsets(const rlt_tile_buffer_request *of, const rlt_group *group,
                                 const rlt_tile_buffer *tile_buffer, const int64_t *expected) {
  int64_t offsets[32];
  assert_true(rlt_group_length(group) <= 32);
  int64_t strides[RLT_MAX_AXES];
  rlt_tile_buffer_strides(of->problem, of->columns, of->rows, tile_buffer, strides);
  rlt_group_offsets(of->problem, group, strides, NULL, offsets);
  for (int64_t p = 0; p < rlt_group_length(group); ++p) {
    assert_int_equal(offsets[p], expected[p]);
  }
}

static void assert_segments(const rlt_tile_buffer_request *of, const rlt_tile_buffer *tile_buffer,
                            const rlt_tile_run *expected) {
  rlt_tile_run segments[8];
  assert_true(tile_buffer->segment_count <= 8);
  rlt_staging_segments(of->problem, of->columns, of->rows, tile_buffer, segments);
  for (int64_t s = 0; s < tile_buffer->segment_count; ++s) {
    assert_int_equal(segments[s].start, expected[s].start);
    assert_int_equal(segments[s].column_step, expected[s].column_step);
    assert_int_equal(segments[s].row_step, expected[s].row_step);
  }
}

/* ---- By hand ---- */

/* Two columns, each of three rows' pairs beside the next: a0 b0 a1 b1 a2 b2 and a gap of four. */
static void test_rows_join_columns(void **state) {
  (void)state;
  const rlt_problem problem = {.element_bytes = 16,
                               .source_elements = 18,
                               .destination_elements = 18,
                               .axis_count = 2,
                               .axes = {{2, 2, 9, 1}, {9, 9, 1, 2}}};
  const rlt_group columns = {.axis_count = 1, .axes = {0}, .inner = 1, .steps = 2};
  const rlt_group rows = {.axis_count = 1, .axes = {1}, .inner = 1, .steps = 3};
  const rlt_tile_buffer_request of = {&problem, &columns, &rows, .lanes = 4};
  rlt_tile_buffer tile_buffer;
  rlt_tile_buffer_make(&of, &tile_buffer);
  assert_int_equal(tile_buffer.dense_columns, 2);
  assert_int_equal(tile_buffer.dense_rows, 3);
  assert_int_equal(tile_buffer.valid_rows, 3);
  assert_int_equal(tile_buffer.segment_count, 1);
  assert_int_equal(tile_buffer.segment_pitch, 6 + 4);
  assert_int_equal(tile_buffer.segment.side, RLT_SEGMENT_ROWS);
  assert_int_equal(tile_buffer.segment.unit, 2);
  assert_int_equal(tile_buffer.elements, 10);
  assert_true(tile_buffer.rows_inside);
  assert_false(tile_buffer.exact);
  assert_group_offsets(&of, &columns, &tile_buffer, (const int64_t[]){0, 1});
  assert_group_offsets(&of, &rows, &tile_buffer, (const int64_t[]){0, 2, 4});
  assert_segments(&of, &tile_buffer, (const rlt_tile_run[]){{0, 0, 0}});
}

/* Blocks of three of five columns, so that each of four rows is a segment of its own. */
static void test_blocks_of_columns_are_segments(void **state) {
  (void)state;
  const rlt_problem problem = {.element_bytes = 16,
                               .source_elements = 30,
                               .destination_elements = 30,
                               .axis_count = 2,
                               .axes = {{5, 5, 6, 1}, {6, 6, 1, 5}}};
  const rlt_group columns = {.axis_count = 1, .axes = {0}, .inner = 1, .steps = 3};
  const rlt_group rows = {.axis_count = 1, .axes = {1}, .inner = 1, .steps = 4};
  const rlt_tile_buffer_request of = {&problem, &columns, &rows, .lanes = 4};
  rlt_tile_buffer tile_buffer;
  rlt_tile_buffer_make(&of, &tile_buffer);
  assert_int_equal(tile_buffer.dense_columns, 3);
  assert_int_equal(tile_buffer.dense_rows, 4);
  assert_int_equal(tile_buffer.segment_count, 4);
  assert_int_equal(tile_buffer.segment_pitch, 3 + 4);
  assert_int_equal(tile_buffer.segment.side, RLT_SEGMENT_COLUMNS);
  assert_int_equal(tile_buffer.segment.unit, 1);
  assert_int_equal(tile_buffer.elements, 28);
  assert_group_offsets(&of, &columns, &tile_buffer, (const int64_t[]){0, 1, 2});
  assert_group_offsets(&of, &rows, &tile_buffer, (const int64_t[]){0, 7, 14, 21});
  assert_segments(&of, &tile_buffer,
                  (const rlt_tile_run[]){{0, 0, 0}, {5, 0, 1}, {10, 0, 2}, {15, 0, 3}});
}

/* Rows in the source's order jump back and forth in the destination: what spills over would hit
 * pairs that are there already. The middle axis has a source for two of its three digits alone. */
static void test_rows_out_of_order_are_exact(void **state) {
  (void)state;
  const rlt_problem problem = {.element_bytes = 16,
                               .source_elements = 24,
                               .destination_elements = 24,
                               .axis_count = 3,
                               .axes = {{2, 2, 12, 1}, {4, 4, 3, 2}, {3, 2, 1, 8}},
                               .fills = true};
  const rlt_group columns = {.axis_count = 1, .axes = {0}, .inner = 1, .steps = 2};
  const rlt_group rows = {.axis_count = 2, .axes = {2, 1}, .inner = 3, .steps = 2};
  const rlt_tile_buffer_request of = {&problem, &columns, &rows, .lanes = 4};
  rlt_tile_buffer tile_buffer;
  rlt_tile_buffer_make(&of, &tile_buffer);
  assert_false(tile_buffer.rows_inside);
  assert_true(tile_buffer.exact);
  assert_int_equal(tile_buffer.dense_rows, 3);
  assert_int_equal(tile_buffer.valid_rows, 2);
  /* Two steps of axis 1 make a segment of four, three digits of axis 2 as many segments. */
  assert_int_equal(tile_buffer.segment_count, 3);
  assert_int_equal(tile_buffer.segment_pitch, 4 + 4);
  assert_int_equal(tile_buffer.segment.side, RLT_SEGMENT_ROWS);
  assert_int_equal(tile_buffer.segment.unit, 2);
  assert_group_offsets(&of, &rows, &tile_buffer, (const int64_t[]){0, 8, 16, 2, 10, 18});
  assert_segments(&of, &tile_buffer, (const rlt_tile_run[]){{0, 0, 0}, {8, 0, 0}, {16, 0, 0}});
}

/* Columns as long as a line never spill out of their own piece, in whatever order they come. */
static void test_long_columns_need_not_be_exact(void **state) {
  (void)state;
  const rlt_problem problem = {.element_bytes = 16,
                               .source_elements = 48,
                               .destination_elements = 48,
                               .axis_count = 3,
                               .axes = {{4, 4, 12, 1}, {4, 4, 3, 4}, {3, 3, 1, 16}}};
  const rlt_group columns = {.axis_count = 1, .axes = {0}, .inner = 1, .steps = 4};
  const rlt_group rows = {.axis_count = 2, .axes = {2, 1}, .inner = 3, .steps = 4};
  const rlt_tile_buffer_request of = {&problem, &columns, &rows, .lanes = 4};
  rlt_tile_buffer tile_buffer;
  rlt_tile_buffer_make(&of, &tile_buffer);
  assert_false(tile_buffer.rows_inside);
  assert_false(tile_buffer.exact);
  assert_int_equal(tile_buffer.dense_rows, 12);
  assert_int_equal(tile_buffer.segment.side, RLT_SEGMENT_NEITHER);
  assert_int_equal(tile_buffer.segment.unit, 48);
}

/* Runs of three in rows of four, which two orders of an outer axis in the source want stored in one
 * of two ways. */
static void test_copies_store_their_runs_upwards(void **state) {
  (void)state;
  const rlt_problem problem = {.element_bytes = 1,
                               .source_elements = 60,
                               .destination_elements = 80,
                               .axis_count = 3,
                               .axes = {{4, 3, 1, 1}, {4, 4, 15, 4}, {5, 5, 3, 16}},
                               .fills = true};
  rlt_group columns = {.axis_count = 2, .axes = {0, 1}, .inner = 4, .steps = 4};
  rlt_group rows = {.axis_count = 1, .axes = {2}, .inner = 1, .steps = 5};
  const rlt_tile_buffer_request of = {&problem, &columns, &rows, .copies = true, .lanes = 64};
  rlt_tile_buffer tile_buffer;
  rlt_tile_buffer_make(&of, &tile_buffer);
  assert_int_equal(tile_buffer.dense_columns, 4);
  assert_int_equal(tile_buffer.valid_columns, 3);
  assert_false(tile_buffer.rows_inside);
  assert_false(tile_buffer.exact);
  assert_int_equal(tile_buffer.segment.unit, 16);
  assert_int_equal(tile_buffer.segment.side, RLT_SEGMENT_ROWS);

  columns = (rlt_group){.axis_count = 2, .axes = {0, 2}, .inner = 4, .steps = 5};
  rows = (rlt_group){.axis_count = 1, .axes = {1}, .inner = 1, .steps = 4};
  rlt_tile_buffer_make(&of, &tile_buffer);
  assert_true(tile_buffer.rows_inside);
  assert_false(tile_buffer.exact);

  /* Gaps between single elements: each is a segment with a line's gap behind it. */
  const rlt_problem apart = {.element_bytes = 1,
                             .source_elements = 9,
                             .destination_elements = 33,
                             .axis_count = 1,
                             .axes = {{9, 9, 1, 4}}};
  columns = rlt_group_of_axis(&apart, 0, 2);
  const rlt_tile_buffer_request transposed = {&apart, &columns, &rlt_no_axes, .lanes = 64};
  rlt_tile_buffer_make(&transposed, &tile_buffer);
  assert_int_equal(tile_buffer.dense_columns, 1);
  assert_int_equal(tile_buffer.segment_count, 2);
  assert_int_equal(tile_buffer.segment_pitch, 65);
  assert_int_equal(tile_buffer.elements, 130);
  assert_segments(&transposed, &tile_buffer, (const rlt_tile_run[]){{0, 0, 0}, {4, 1, 0}});
}

/* Columns that are eight apart in the source, and in the destination behind each other twice;
 * rows the other way round, of which 100 are behind each other in the source three times. */
static void test_combs_end_with_an_axis(void **state) {
  (void)state;
  const rlt_problem parted = {.element_bytes = 1,
                              .source_elements = 1600,
                              .destination_elements = 1600,
                              .axis_count = 3,
                              .axes = {{100, 100, 8, 1}, {2, 2, 800, 100}, {8, 8, 1, 200}}};
  rlt_group columns = {.axis_count = 2, .axes = {0, 1}, .inner = 100, .steps = 2};
  rlt_group rows = {.axis_count = 1, .axes = {2}, .inner = 1, .steps = 8};
  rlt_tile_buffer_request of = {&parted, &columns, &rows, .most_channels = 4, .lanes = 64};
  rlt_tile_buffer tile_buffer;
  rlt_tile_buffer_make(&of, &tile_buffer);
  assert_int_equal(tile_buffer.read_channels, 0);
  assert_int_equal(tile_buffer.dense_columns, 200);
  of.most_channels = 8;
  rlt_tile_buffer_make(&of, &tile_buffer);
  assert_int_equal(tile_buffer.read_channels, 8);
  assert_int_equal(tile_buffer.write_channels, 0);
  assert_int_equal(tile_buffer.dense_columns, 100);
  assert_int_equal(tile_buffer.valid_columns, 100);
  assert_int_equal(tile_buffer.dense_rows, 8);

  rlt_problem joined = {.element_bytes = 1,
                        .source_elements = 2400,
                        .destination_elements = 2400,
                        .axis_count = 3,
                        .axes = {{8, 8, 300, 1}, {100, 100, 1, 8}, {3, 3, 100, 800}}};
  of.problem = &joined;
  columns = (rlt_group){.axis_count = 1, .axes = {0}, .inner = 1, .steps = 8};
  rows = (rlt_group){.axis_count = 2, .axes = {1, 2}, .inner = 100, .steps = 3};
  rlt_tile_buffer_make(&of, &tile_buffer);
  assert_int_equal(tile_buffer.read_channels, 0);
  assert_int_equal(tile_buffer.write_channels, 8);
  assert_int_equal(tile_buffer.dense_columns, 8);
  assert_int_equal(tile_buffer.dense_rows, 100);
  assert_int_equal(tile_buffer.valid_rows, 100);
  of.most_channels = 4;
  rlt_tile_buffer_make(&of, &tile_buffer);
  assert_int_equal(tile_buffer.write_channels, 0);
  assert_int_equal(tile_buffer.dense_rows, 300);

  /* Ten rows are not worth it, but if no others are beside them. */
  of.most_channels = 8;
  rows.inner = 10;
  joined.axes[1] = (rlt_axis){10, 10, 1, 8};
  joined.axes[2] = (rlt_axis){3, 3, 10, 80};
  rlt_tile_buffer_make(&of, &tile_buffer);
  assert_int_equal(tile_buffer.write_channels, 0);
  assert_int_equal(tile_buffer.dense_rows, 30);
  joined.axes[2].source_stride = 11;
  rlt_tile_buffer_make(&of, &tile_buffer);
  assert_int_equal(tile_buffer.write_channels, 8);
  assert_int_equal(tile_buffer.dense_rows, 10);
}

/* ---- Stores as the kernels do them, on problems at random ---- */

/* What a tile buffer holds where nobody stored, and where somebody stored what means
 * nothing. */
enum { NOTHING = -10, SPILLED = -11 };

typedef struct player {
  const rlt_problem *problem;
  const rlt_schedule *schedule;
  rlt_tile_buffer tile_buffer;
  int64_t lanes; /* that one store of this schedule's kernel has */
  int64_t depth; /* rows of a block */
  int64_t *held;
  int64_t *row_source, *row_at;
  int64_t *column_source, *column_at;
  rlt_tile tile;
} player;

static void store(player *p, int64_t at, int64_t value) {
  assert_true(at >= 0 && at < p->tile_buffer.elements);
  p->held[at] = value;
}

/* What becomes of a position of the tile: definition_map's form. */
static int64_t element_of(const player *p, int64_t row, int64_t column) {
  const bool has_source = row < p->tile.valid_rows && column < p->tile.valid_columns &&
                          p->row_source[row] != RLT_NO_SOURCE &&
                          p->column_source[column] != RLT_NO_SOURCE;
  return has_source ? p->tile.source + p->row_source[row] + p->column_source[column]
                    : DEFINITION_FILLED;
}

/* One row of a block: `count` columns that are there, and what spills over behind them. */
static void store_lanes(player *p, int64_t row, int64_t column, int64_t count) {
  const int64_t at = p->row_at[row] + p->column_at[column];
  for (int64_t l = 0; l < (p->tile_buffer.exact ? rlt_min(count, p->lanes) : p->lanes); ++l) {
    store(p, at + l, l < count ? element_of(p, row, column + l) : SPILLED);
  }
}

/* The last block ends with the piece. */
static int64_t block_start(int64_t first, int64_t length, int64_t side) {
  return first + side > length && length >= side ? length - side : first;
}

/* What interleaves take for granted. They store no more than blocks do. */
static void check_teeth(const player *p, int64_t column, int64_t columns, int64_t row,
                        int64_t rows) {
  const rlt_tile_buffer *const made = &p->tile_buffer;
  const bool is_interleaved = made->read_channels > 0 && p->column_source[column] != RLT_NO_SOURCE;
  const int64_t valid = rlt_min(columns, made->valid_columns);
  for (int64_t c = column; is_interleaved && c < column + valid; ++c) {
    assert_int_equal(p->column_source[c],
                     p->column_source[column] + (c - column) * made->read_channels);
    assert_true(rows <= made->read_channels);
  }
  for (int64_t r = row; made->write_channels > 0 && r < row + rows; ++r) {
    assert_int_equal(p->row_at[r], p->row_at[row] + (r - row) * made->write_channels);
    assert_int_equal(columns, made->write_channels);
  }
}

static void turn_piece(player *p, int64_t column, int64_t columns, int64_t row, int64_t rows) {
  check_teeth(p, column, columns, row, rows);
  for (int64_t c = 0; c < columns; c += p->lanes) {
    const int64_t block_column = block_start(c, columns, p->lanes);
    for (int64_t r = 0; r < rows; r += p->depth) {
      const int64_t block_row = block_start(r, rows, p->depth);
      for (int64_t i = 0; i < rlt_min(p->depth, rows - block_row); ++i) {
        /* Lanes are a strip of the source. */
        assert_int_equal(p->row_source[row + block_row + i], p->row_source[row] + block_row + i);
        store_lanes(p, row + block_row + i, column + block_column, columns - block_column);
      }
    }
  }
}

static void turn_tile(player *p) {
  const rlt_tile *const tile = &p->tile;
  const rlt_tile_buffer *const made = &p->tile_buffer;
  for (int64_t column = 0; column < tile->columns; column += made->dense_columns) {
    const int64_t columns = rlt_min(made->dense_columns, tile->columns - column);
    for (int64_t row = 0; row < tile->valid_rows; row += made->dense_rows) {
      if (p->row_source[row] != RLT_NO_SOURCE) {
        turn_piece(p, column, columns, row, rlt_min(made->valid_rows, tile->valid_rows - row));
      }
    }
  }
  for (int64_t row = 0; row < tile->rows; ++row) {
    for (int64_t column = 0; column < tile->columns; ++column) {
      if (row >= tile->valid_rows || p->row_source[row] == RLT_NO_SOURCE) {
        store(p, p->row_at[row] + p->column_at[column], DEFINITION_FILLED);
      }
    }
  }
}

static void store_run(player *p, int64_t row, int64_t column) {
  const rlt_tile *const tile = &p->tile;
  const int64_t count = rlt_min(p->tile_buffer.dense_columns, tile->columns - column);
  const int64_t at = p->row_at[row] + p->column_at[column];
  int64_t valid = 0;
  if (element_of(p, row, column) != DEFINITION_FILLED) {
    valid = rlt_min(p->tile_buffer.valid_columns, tile->valid_columns - column);
    const bool spills = valid < p->lanes && !p->tile_buffer.exact;
    for (int64_t i = 0; i < (spills ? p->lanes : valid); ++i) {
      store(p, at + i, i < valid ? element_of(p, row, column + i) : SPILLED);
    }
  }
  for (int64_t i = valid; i < count; ++i) {
    store(p, at + i, DEFINITION_FILLED);
  }
}

static void copy_tile(player *p) {
  const int64_t run = p->tile_buffer.dense_columns;
  if (p->tile_buffer.rows_inside) {
    for (int64_t column = 0; column < p->tile.columns; column += run) {
      for (int64_t row = 0; row < p->tile.rows; ++row) {
        store_run(p, row, column);
      }
    }
    return;
  }
  for (int64_t row = 0; row < p->tile.rows; ++row) {
    for (int64_t column = 0; column < p->tile.columns; column += run) {
      store_run(p, row, column);
    }
  }
}

static void write_segments(const player *p, const rlt_tile_run *segments, int64_t *source_of) {
  const int64_t column_steps = p->tile.columns / p->schedule->columns.inner;
  const int64_t row_steps = p->tile.rows / p->schedule->rows.inner;
  const rlt_tile_buffer *const made = &p->tile_buffer;
  const bool by_rows = made->segment.side == RLT_SEGMENT_ROWS;
  const bool is_cut = by_rows || made->segment.side == RLT_SEGMENT_COLUMNS;
  const int64_t steps = by_rows ? row_steps : column_steps;
  const int64_t held = made->segment.unit * (is_cut ? steps : 1);
  for (int64_t s = 0; s < made->segment_count; ++s) {
    if (segments[s].column_step >= column_steps || segments[s].row_step >= row_steps) {
      continue;
    }
    const int64_t start = p->tile.destination + segments[s].start;
    for (int64_t i = 0; i < held; ++i) {
      const int64_t to = start + i;
      assert_true(to >= 0 && to < p->problem->destination_elements);
      source_of[to] = source_of[to] == DEFINITION_UNTOUCHED ? p->held[s * made->segment_pitch + i]
                                                            : DEFINITION_TWICE;
    }
  }
}

/* Moves the problem through tile buffers; what arrives has the form of definition_map. */
static void map_by_assemblies(player *p, int64_t *source_of) {
  const int64_t line = 64 / p->problem->element_bytes;
  const rlt_group *const column_group = &p->schedule->columns;
  const rlt_group *const row_group = &p->schedule->rows;
  p->tile_buffer = p->schedule->tile_buffer;
  p->lanes = p->schedule->move == RLT_MOVE_COPY_RUNS ? line : rlt_min(line, 32);
  p->depth = rlt_min(line, 16);
  const int64_t rows = rlt_group_length(row_group);
  const int64_t columns = rlt_group_length(column_group);
  int64_t *const memory =
      malloc((size_t)(p->tile_buffer.elements + 2 * (rows + columns)) * sizeof *memory);
  rlt_tile_run *const segments = malloc((size_t)p->tile_buffer.segment_count * sizeof *segments);
  p->held = memory;
  p->row_source = p->held + p->tile_buffer.elements;
  p->row_at = p->row_source + rows;
  p->column_source = p->row_at + rows;
  p->column_at = p->column_source + columns;
  int64_t strides[RLT_MAX_AXES];
  rlt_tile_buffer_strides(p->problem, column_group, row_group, &p->tile_buffer, strides);
  rlt_group_offsets(p->problem, row_group, strides, p->row_source, p->row_at);
  rlt_group_offsets(p->problem, column_group, strides, p->column_source, p->column_at);
  rlt_staging_segments(p->problem, column_group, row_group, &p->tile_buffer, segments);

  for (int64_t i = 0; i < p->problem->destination_elements; ++i) {
    source_of[i] = DEFINITION_UNTOUCHED;
  }
  rlt_grid grid;
  rlt_grid_make(p->problem, column_group, row_group, &grid);
  int64_t digits[RLT_MAX_AXES] = {0};
  for (int64_t t = 0; t < grid.tile_count; ++t, tiles_step(&grid, digits)) {
    for (int64_t i = 0; i < p->tile_buffer.elements; ++i) {
      p->held[i] = NOTHING;
    }
    rlt_grid_find_tile(&grid, digits, &p->tile);
    if (p->schedule->move == RLT_MOVE_COPY_RUNS) {
      copy_tile(p);
    } else {
      turn_tile(p);
    }
    write_segments(p, segments, source_of);
  }
  free(segments);
  free(memory);
}

typedef struct tried_counts {
  int32_t tried[RLT_MOVES];
  int32_t exact;
  int32_t rows_inside;
  int32_t interleaves;
} tried_counts;

/* Every schedule with tables that is offered for it. */
static void try_problem(const rlt_problem *problem, const rlt_facts *facts,
                        const rlt_tuning *tuning, uint64_t seed, tried_counts *counts) {
  const size_t bytes = (size_t)problem->destination_elements * sizeof(int64_t);
  int64_t *const expected = malloc(bytes);
  int64_t *const found = malloc(bytes);
  const rlt_forms elements = {.count = 1, .of = {problem}};
  rlt_candidates candidates;
  definition_map(problem, expected);
  assert_int_equal(rlt_candidates_make(&elements, facts, tuning, NULL, &candidates, NULL),
                   RELAYOUT_OK);
  for (int32_t i = 0; i < candidates.count; ++i) {
    const rlt_schedule *const schedule = &candidates.of[i].schedule;
    if (!rlt_schedule_has_tables(schedule)) {
      continue;
    }
    player played = {.problem = problem, .schedule = schedule};
    map_by_assemblies(&played, found);
    assert_true(played.tile_buffer.elements * problem->element_bytes <= facts->staging_bytes);
    assert_int_equal(rlt_tile_buffer_interleaves(&played.tile_buffer),
                     schedule->move == RLT_MOVE_INTERLEAVE);
    ++counts->tried[schedule->move];
    counts->exact += played.tile_buffer.exact;
    counts->rows_inside += played.tile_buffer.rows_inside;
    counts->interleaves +=
        played.tile_buffer.read_channels > 0 || played.tile_buffer.write_channels > 0;
    if (memcmp(expected, found, bytes) != 0) {
      definition_print(problem);
      fail_msg("seed %" PRIu64 ": what the staging buffers of %s hold is not the problem", seed,
               rlt_move_name(schedule->move));
    }
  }
  rlt_candidates_free(&candidates);
  free(expected);
  free(found);
}

/* Tiles of many sizes: those of small ones are often ragged, those of large ones hold many axes. */
static void test_assemblies_make_up_the_problem(void **state) {
  (void)state;
  tried_counts counts = {.exact = 0};
  for (uint64_t start = 1; start <= 4000; ++start) {
    uint64_t seed = start;
    rlt_problem problem = definition_random_problem(&seed);
    rlt_problem_simplify(&problem);
    const rlt_reach runs = {INT64_C(16) << definition_random(&seed, 5),
                            INT64_C(16) << definition_random(&seed, 6)};
    rlt_facts facts = plain_cpu_facts;
    rlt_tuning tuning = plain_cpu_tuning;
    facts.staging_bytes = INT64_C(512) << definition_random(&seed, 7);
    facts.cache_bytes = definition_random(&seed, 2);
    const int32_t channels = (int32_t)(4 * definition_random(&seed, 3));
    for (int32_t w = 0; w < RLT_WORD_SIZES; ++w) {
      facts.words[w].channels = channels;
      tuning.words[w].tiles[RLT_TILES_ANY].runs = runs;
    }
    if (!rlt_problem_is_empty(&problem) && problem.destination_elements < 20000) {
      try_problem(&problem, &facts, &tuning, start, &counts);
    }
  }
  for (int move = RLT_MOVE_COPY_RUNS; move <= RLT_MOVE_TRANSPOSE; ++move) {
    print_message("%s: %" PRId32 " schedules\n", rlt_move_name((rlt_move)move), counts.tried[move]);
    assert_true(counts.tried[move] > 100);
  }
  print_message("exact: %" PRId32 ", rows inside: %" PRId32 ", interleaves: %" PRId32 "\n",
                counts.exact, counts.rows_inside, counts.interleaves);
  assert_true(counts.exact > 100 && counts.rows_inside > 100 && counts.interleaves > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows_join_columns),
      cmocka_unit_test(test_blocks_of_columns_are_segments),
      cmocka_unit_test(test_rows_out_of_order_are_exact),
      cmocka_unit_test(test_long_columns_need_not_be_exact),
      cmocka_unit_test(test_copies_store_their_runs_upwards),
      cmocka_unit_test(test_combs_end_with_an_axis),
      cmocka_unit_test(test_assemblies_make_up_the_problem),
  };
  return cmocka_run_group_tests_name("plan.staging", tests, NULL, NULL);
}
