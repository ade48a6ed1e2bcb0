/* test_groups.c: groups of a tile's axes by hand: what they hold, what lies together on either
 * side, and how far they reach. */
#include "cmocka_all.h"

#include <inttypes.h>

#include "base/checked.h"
#include "plan/tiles.h"
#include "problem/definition.h"
#include "schedule/tile.h"

/* Five slabs, the last one first, of four columns and three rows, of which two are read. */
static const rlt_problem slabs = {.element_bytes = 4,
                                  .source_elements = 120,
                                  .destination_elements = 60,
                                  .source_start = 96,
                                  .axis_count = 3,
                                  .axes = {{4, 4, 6, 1}, {3, 2, 1, 4}, {5, 5, -24, 12}},
                                  .fills = true};

static rlt_group group_of(int32_t first, int32_t second, int64_t inner, int64_t block) {
  return (rlt_group){.axis_count = 2, .axes = {first, second}, .inner = inner, .steps = block};
}

static void test_groups_grow_by_axes(void **state) {
  (void)state;
  static const struct {
    int64_t most;
    int64_t steps;
  } of_axis[] = {{-1, 1}, {0, 1}, {1, 1}, {3, 3}, {4, 4}, {9, 4}};
  for (size_t i = 0; i < sizeof of_axis / sizeof of_axis[0]; ++i) {
    const rlt_group found = rlt_group_of_axis(&slabs, 0, of_axis[i].most);
    assert_int_equal(found.axis_count, 1);
    assert_int_equal(found.axes[0], 0);
    assert_int_equal(found.inner, 1);
    assert_int_equal(found.steps, of_axis[i].steps);
  }
  /* Behind four columns: as many rows as reach the target, if there are so many. */
  static const struct {
    int64_t target;
    int64_t steps;
  } appended[] = {{1, 1}, {4, 1}, {5, 2}, {8, 2}, {9, 3}, {12, 3}, {13, 3}, {INT64_MAX, 3}};
  for (size_t i = 0; i < sizeof appended / sizeof appended[0]; ++i) {
    rlt_group found = rlt_no_axes;
    rlt_group_append(&slabs, &found, 0, 4);
    rlt_group_append(&slabs, &found, 1, appended[i].target);
    assert_int_equal(found.axis_count, 2);
    assert_int_equal(found.axes[0], 0);
    assert_int_equal(found.axes[1], 1);
    assert_int_equal(found.inner, 4);
    assert_int_equal(found.steps, appended[i].steps);
  }
}

static void test_what_groups_hold(void **state) {
  (void)state;
  const rlt_group group = group_of(0, 1, 4, 2);
  assert_int_equal(rlt_group_length(&group), 8);
  assert_int_equal(rlt_group_steps(&slabs, &group, 0), 4);
  assert_int_equal(rlt_group_steps(&slabs, &group, 1), 2);
  assert_int_equal(rlt_group_last(&group), 1);
  assert_int_equal(rlt_group_extent(&slabs, &group), 3);
  assert_true(rlt_group_has(&group, 0));
  assert_true(rlt_group_has(&group, 1));
  assert_false(rlt_group_has(&group, 2));
  assert_int_equal(rlt_group_length(&rlt_no_axes), 1);
  assert_int_equal(rlt_group_last(&rlt_no_axes), -1);
  assert_int_equal(rlt_group_extent(&slabs, &rlt_no_axes), 1);
  assert_false(rlt_group_has(&rlt_no_axes, 0));
}

static void expect_axes(const rlt_tile_axis *found, int32_t count, const rlt_tile_axis *expected,
                        int32_t expected_count) {
  assert_int_equal(count, expected_count);
  for (int32_t i = 0; i < count; ++i) {
    assert_int_equal(found[i].axis, expected[i].axis);
    assert_int_equal(found[i].steps, expected[i].steps);
    assert_int_equal(found[i].of_columns, expected[i].of_columns);
    assert_int_equal(found[i].last, expected[i].last);
    assert_int_equal(found[i].is_cut, expected[i].is_cut);
  }
}

static void test_axes_of_a_tile(void **state) {
  (void)state;
  rlt_group columns = group_of(0, 1, 4, 2);
  const rlt_group rows = rlt_group_of_axis(&slabs, 2, 3);
  rlt_tile_axis axes[RLT_MAX_TILE_AXES];
  int32_t count = rlt_tile_axes(&slabs, &columns, &rows, axes);
  expect_axes(axes, count,
              (const rlt_tile_axis[]){
                  {0, 4, true, false, false}, {1, 2, true, true, true}, {2, 3, false, true, true}},
              3);
  /* In the source's order; the third row is not read, so that runs end with the second. */
  count = rlt_tile_read_axes(&slabs, &columns, &rows, axes);
  expect_axes(axes, count,
              (const rlt_tile_axis[]){
                  {1, 2, true, true, true}, {0, 4, true, false, false}, {2, 3, false, true, true}},
              3);

  const rlt_group all = rlt_group_of_axis(&slabs, 2, 5);
  columns = rlt_group_of_axis(&slabs, 0, 4);
  count = rlt_tile_axes(&slabs, &columns, &all, axes);
  expect_axes(axes, count,
              (const rlt_tile_axis[]){{0, 4, true, true, false}, {2, 5, false, true, false}}, 2);
  assert_int_equal(rlt_tile_axes(&slabs, &rlt_no_axes, &rlt_no_axes, axes), 0);
}

/* Copies of one row: what repeats itself is read once, and steps back count as steps. */
static void test_axes_that_are_read(void **state) {
  (void)state;
  const rlt_problem repeated = {
      .element_bytes = 1,
      .source_elements = 100,
      .destination_elements = 240,
      .axis_count = 4,
      .axes = {{4, 4, 0, 1}, {3, 3, -20, 4}, {5, 5, 4, 12}, {4, 4, -1, 60}}};
  const rlt_group columns = group_of(0, 1, 4, 3);
  const rlt_group rows = group_of(3, 2, 4, 2);
  rlt_tile_axis axes[RLT_MAX_TILE_AXES];
  const int32_t count = rlt_tile_read_axes(&repeated, &columns, &rows, axes);
  expect_axes(axes, count,
              (const rlt_tile_axis[]){{3, 4, false, false, false},
                                      {2, 2, false, true, true},
                                      {1, 3, true, true, false}},
              3);
}

/* ---- Runs ---- */

static void expect_runs(rlt_tile_runs found, rlt_tile_runs expected) {
  assert_int_equal(found.axis_count, expected.axis_count);
  assert_int_equal(found.length, expected.length);
  assert_int_equal(found.valid, expected.valid);
  assert_int_equal(found.unit, expected.unit);
  assert_int_equal(found.side, expected.side);
}

static void test_runs_in_the_destination(void **state) {
  (void)state;
  const rlt_group slab = rlt_group_of_axis(&slabs, 2, 3);
  rlt_tile_axis axes[RLT_MAX_TILE_AXES];
  /* Two rows of four columns: longer where a tile has more rows of them. */
  rlt_group columns = group_of(0, 1, 4, 2);
  int32_t count = rlt_tile_axes(&slabs, &columns, &slab, axes);
  expect_runs(rlt_tile_runs_of(&slabs, axes, count, false),
              (rlt_tile_runs){2, 8, 8, 4, RLT_SEGMENT_COLUMNS});
  /* All three, and so the slabs behind them. */
  columns.steps = 3;
  count = rlt_tile_axes(&slabs, &columns, &slab, axes);
  expect_runs(rlt_tile_runs_of(&slabs, axes, count, false),
              (rlt_tile_runs){3, 36, 36, 12, RLT_SEGMENT_ROWS});
  /* Two columns end with a gap. */
  columns = rlt_group_of_axis(&slabs, 0, 2);
  count = rlt_tile_axes(&slabs, &columns, &slab, axes);
  expect_runs(rlt_tile_runs_of(&slabs, axes, count, false),
              (rlt_tile_runs){1, 2, 2, 1, RLT_SEGMENT_COLUMNS});
  /* No axis begins a run: single elements. */
  expect_runs(rlt_group_runs(&slabs, &slab, false),
              (rlt_tile_runs){0, 1, 1, 1, RLT_SEGMENT_NEITHER});
}

static void test_runs_in_the_source(void **state) {
  (void)state;
  /* Rows as the group's last axis, which a tile tells; and before it, of which two are there. */
  const rlt_group rows = rlt_group_of_axis(&slabs, 1, 3);
  expect_runs(rlt_group_runs(&slabs, &rows, true),
              (rlt_tile_runs){1, 3, 3, 1, RLT_SEGMENT_COLUMNS});
  const rlt_group with_columns = group_of(1, 0, 3, 4);
  expect_runs(rlt_group_runs(&slabs, &with_columns, true),
              (rlt_tile_runs){1, 3, 2, 3, RLT_SEGMENT_NEITHER});

  /* Bits are transposed among the rows of eight: these end a run of the source, and do not end one
   * of the destination. */
  rlt_problem bits = {.element_bytes = 1,
                      .source_elements = 64,
                      .destination_elements = 64,
                      .axis_count = 3,
                      .axes = {{4, 4, 1, 1}, {8, 8, 4, 4}, {2, 2, 32, 32}}};
  rlt_group all = {.axis_count = 3, .axes = {0, 1, 2}, .inner = 32, .steps = 2};
  expect_runs(rlt_group_runs(&bits, &all, true),
              (rlt_tile_runs){3, 64, 64, 32, RLT_SEGMENT_COLUMNS});
  bits.transposed_bits = 1;
  bits.transposed_stride = 4;
  expect_runs(rlt_group_runs(&bits, &all, true), (rlt_tile_runs){1, 4, 4, 4, RLT_SEGMENT_NEITHER});
  expect_runs(rlt_group_runs(&bits, &all, false),
              (rlt_tile_runs){3, 64, 64, 32, RLT_SEGMENT_COLUMNS});
}

/* Two rows of three slabs, four columns apart in the destination and 6 in the source. */
static void test_where_runs_start(void **state) {
  (void)state;
  const rlt_group columns = rlt_group_of_axis(&slabs, 1, 2);
  const rlt_group rows = rlt_group_of_axis(&slabs, 2, 3);
  rlt_tile_axis axes[RLT_MAX_TILE_AXES];
  const int32_t count = rlt_tile_axes(&slabs, &columns, &rows, axes);
  for (int64_t number = 0; number < 6; ++number) {
    const int64_t column = number % 2;
    const int64_t row = number / 2;
    const rlt_tile_run to = rlt_tile_run_at(&slabs, axes, count, false, number);
    assert_int_equal(to.start, 4 * column + 12 * row);
    assert_int_equal(to.column_step, column);
    assert_int_equal(to.row_step, row);
    const rlt_tile_run from = rlt_tile_run_at(&slabs, axes, count, true, number);
    assert_int_equal(from.start, column - 24 * row);
    /* A ragged tile has a run where it has both of its steps. */
    assert_int_equal(rlt_tile_has_run((rlt_tile_steps){1, 2}, &to), column == 0 && row < 2);
  }
  /* An axis that is not its group's last is never ragged. */
  const rlt_group both = group_of(1, 0, 3, 4);
  const int32_t two = rlt_tile_axes(&slabs, &both, &rlt_no_axes, axes);
  const rlt_tile_run found = rlt_tile_run_at(&slabs, axes, two, false, 5);
  assert_int_equal(found.start, 2 * 4 + 1);
  assert_int_equal(found.column_step, 1);
  assert_int_equal(found.row_step, 0);
}

static void test_lengths_of_ragged_runs(void **state) {
  (void)state;
  const rlt_tile_steps has = {.columns = 3, .rows = 5};
  rlt_tile_runs runs = {.length = 40, .valid = 40, .unit = 10, .side = RLT_SEGMENT_COLUMNS};
  assert_int_equal(rlt_run_elements(&runs, has), 30);
  runs.side = RLT_SEGMENT_ROWS;
  assert_int_equal(rlt_run_elements(&runs, has), 50);
  runs.side = RLT_SEGMENT_NEITHER;
  assert_int_equal(rlt_run_elements(&runs, has), 10);
}

/* ---- Reach ---- */

/* The farthest position that has a source, of those before `end`; 0 where none is farther. */
static int64_t farthest(const rlt_problem *problem, const rlt_group *group, int64_t end) {
  int64_t most = 0;
  for (int64_t p = 0; p < end; ++p) {
    int64_t rest = p;
    int64_t at = 0;
    bool has_source = true;
    for (int32_t i = 0; i < group->axis_count; ++i) {
      const rlt_axis *const axis = &problem->axes[group->axes[i]];
      const int64_t digit = rest % axis->extent;
      rest /= axis->extent;
      has_source = has_source && digit < axis->valid;
      at += digit * axis->source_stride;
    }
    most = has_source && at > most ? at : most;
  }
  return most;
}

static void test_reach_at_random(void **state) {
  (void)state;
  int32_t gaps = 0;
  for (uint64_t start = 1; start <= 8000; ++start) {
    uint64_t seed = start;
    rlt_problem problem;
    rlt_group columns, rows;
    if (!tiles_of_problem_at_random(&seed, &problem, &columns, &rows)) {
      continue;
    }
    bool has_gaps = false;
    for (int32_t i = 0; i + 1 < columns.axis_count; ++i) {
      const rlt_axis *const axis = &problem.axes[columns.axes[i]];
      has_gaps = has_gaps || axis->valid != axis->extent;
    }
    if (rlt_group_reach(&problem, &columns) !=
            farthest(&problem, &columns, rlt_group_length(&columns)) ||
        rlt_group_has_gaps(&problem, &columns) != has_gaps) {
      definition_print(&problem);
      fail_msg("seed %" PRIu64 ": a group reaches farther, or less far", start);
    }
    gaps += has_gaps;
  }
  print_message("with gaps: %" PRId32 "\n", gaps);
  assert_true(gaps > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_groups_grow_by_axes),     cmocka_unit_test(test_what_groups_hold),
      cmocka_unit_test(test_axes_of_a_tile),          cmocka_unit_test(test_axes_that_are_read),
      cmocka_unit_test(test_runs_in_the_destination), cmocka_unit_test(test_runs_in_the_source),
      cmocka_unit_test(test_where_runs_start),        cmocka_unit_test(test_lengths_of_ragged_runs),
      cmocka_unit_test(test_reach_at_random),
  };
  return cmocka_run_group_tests_name("plan.groups", tests, NULL, NULL);
}
