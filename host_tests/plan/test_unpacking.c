/* test_unpacking.c: where the runs of a tile lie once they are brought together, by hand. */
#include "cmocka_all.h"

#include "cpu/unpacked_tile.h"

/* 300 columns of 2048 rows that lie side by side. */
#define MATRIX(bytes, packed, stride)                                                              \
  {                                                                                                \
    .element_bytes = (bytes), .source_packed = (packed), .source_elements = 300 * (stride),        \
    .destination_elements = 300 * 2048, .axis_count = 2, .axes = {                                 \
      {300, 300, (stride), 1},                                                                     \
      {2048, 2048, 1, 300}                                                                         \
    }                                                                                              \
  }

typedef struct unpacked {
  rlt_problem problem;
  int64_t columns;
  int64_t rows;
  int64_t room;
  int64_t pitch;
  bool is_exact;
} unpacked;

/* Each column's rows are a run. */
static const unpacked by_hand[] = {
    /* 32 floats are two lines, and three where the lines from one to the next are odd; 16 of them,
     * and two lines around all, are 50. */
    {MATRIX(4, 0, 2048), 16, 32, 50 * 64, 48, false},
    {MATRIX(4, 0, 2048), 16, 32, 50 * 64 - 1, 32, false},
    {MATRIX(4, 0, 2048), 16, 48, 1 << 20, 48, false},
    {MATRIX(4, 0, 2048), 16, 49, 1 << 20, 5 * 16, false},
    {MATRIX(16, 0, 2048), 8, 4, 1 << 20, 4, false},
    {MATRIX(1, 0, 2048), 8, 10, 1 << 20, 64, false},
    /* Packed elements are a byte each, in any number of lines. */
    {MATRIX(1, 4, 2048), 8, 128, 18 * 64, 128, false},
    {MATRIX(1, 4, 2048), 8, 100, 18 * 64, 128, false},
    {MATRIX(1, 4, 2048), 8, 100, 18 * 64 - 1, 100, false},
    /* Where runs begin within bytes up to eight more are unpacked before them: of odd rows, of odd
     * pitches. */
    {MATRIX(1, 4, 2048), 8, 99, 0, 107, false},
    {MATRIX(1, 4, 2049), 8, 100, 0, 108, false},
    {MATRIX(1, 4, 2050), 8, 100, 0, 100, false},
    {MATRIX(1, 1, 2050), 8, 104, 0, 112, false},
    {MATRIX(1, 1, 2056), 8, 104, 0, 104, false},
    {MATRIX(1, 1, 2056), 8, 100, 0, 108, false},
    {MATRIX(1, 2, 2056), 8, 100, 0, 100, false},
    /* All rows: no other tile begins behind them. */
    {MATRIX(1, 4, 2050), 1, 2048, 0, 2048, false},
    /* Less than 64 at once. */
    {MATRIX(1, 4, 2048), 8, 64, 0, 64, false},
    {MATRIX(1, 4, 2048), 8, 63, 1 << 20, 63, true},
};

static void test_runs_by_hand(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; ++i) {
    const unpacked *const of = &by_hand[i];
    const rlt_group columns = rlt_group_of_axis(&of->problem, 0, of->columns);
    const rlt_group rows = rlt_group_of_axis(&of->problem, 1, of->rows);
    rlt_unpacked_tile made;
    print_message("case %zu\n", i);
    rlt_unpacked_tile_make(&of->problem, &columns, &rows, of->room, &made);
    assert_int_equal(made.axis_count, 2);
    assert_int_equal(made.axes[0].axis, 1);
    assert_int_equal(made.axes[1].axis, 0);
    assert_int_equal(made.unpacking.runs.axis_count, 1);
    assert_int_equal(made.unpacking.runs.length, of->rows);
    assert_int_equal(made.unpacking.run_count, of->columns);
    assert_int_equal(made.unpacking.pitch, of->pitch);
    assert_int_equal(made.unpacking.is_exact, of->is_exact);
    assert_int_equal(made.problem.axes[0].source_stride, of->pitch);
    assert_int_equal(made.problem.axes[1].source_stride, 1);
    assert_int_equal(made.problem.axes[0].destination_stride, 1);
    assert_int_equal(made.problem.source_packed, 0);
    assert_int_equal(made.problem.source_elements, (of->room - 64) / of->problem.element_bytes);
  }
}

/* A first element in the middle of a byte moves all runs. */
static void test_start_within_a_byte(void **state) {
  (void)state;
  rlt_problem problem = MATRIX(1, 4, 2048);
  const rlt_group columns = rlt_group_of_axis(&problem, 0, 8);
  const rlt_group rows = rlt_group_of_axis(&problem, 1, 100);
  rlt_unpacked_tile made;
  for (problem.source_start = 0; problem.source_start < 4; ++problem.source_start) {
    rlt_unpacked_tile_make(&problem, &columns, &rows, 0, &made);
    assert_int_equal(made.unpacking.pitch, problem.source_start % 2 == 0 ? 100 : 108);
  }
  /* Where a tile has a whole row no other begins behind it, however long it is. */
  problem.source_start = 0;
  problem.axes[1].extent = problem.axes[1].valid = 101;
  const rlt_group row = rlt_group_of_axis(&problem, 1, 101);
  rlt_unpacked_tile_make(&problem, &columns, &row, 0, &made);
  assert_int_equal(made.unpacking.pitch, 101);
}

/* Columns of several axes, and an axis that repeats what is read: one run follows the other in the
 * order of their places in the source. */
static void test_runs_of_several_axes(void **state) {
  (void)state;
  const rlt_problem problem = {
      .element_bytes = 2,
      .source_elements = 4800,
      .destination_elements = 9600,
      .axis_count = 4,
      .axes = {{3, 3, 1600, 1}, {20, 20, 80, 3}, {80, 80, 1, 60}, {2, 2, 0, 4800}}};
  const rlt_group columns = {.axis_count = 2, .axes = {0, 1}, .inner = 3, .steps = 4};
  const rlt_group rows = {.axis_count = 2, .axes = {2, 3}, .inner = 80, .steps = 2};
  rlt_unpacked_tile made;
  rlt_unpacked_tile_make(&problem, &columns, &rows, 1 << 20, &made);
  assert_int_equal(made.axis_count, 3);
  assert_int_equal(made.axes[0].axis, 2);
  assert_int_equal(made.axes[1].axis, 1);
  assert_int_equal(made.axes[2].axis, 0);
  /* 80 and then 4 times 80 are one run, which ends with that part of an axis: 640 bytes, 11 lines
   * to be odd, or 352 halves. */
  assert_int_equal(made.unpacking.runs.axis_count, 2);
  assert_int_equal(made.unpacking.runs.length, 320);
  assert_int_equal(made.unpacking.run_count, 3);
  assert_int_equal(made.unpacking.pitch, 352);
  assert_int_equal(made.problem.axes[0].source_stride, 352);
  assert_int_equal(made.problem.axes[1].source_stride, 80);
  assert_int_equal(made.problem.axes[2].source_stride, 1);
  assert_int_equal(made.problem.axes[3].source_stride, 0);
}

/* Two rows whose nibbles change places come right behind the run, though rows between them are
 * nearer in the source; and a run ends before them, though they go on where it ends. */
static void test_transposed_rows_follow_the_run(void **state) {
  (void)state;
  rlt_problem problem = {
      .element_bytes = 1,
      .source_elements = 2560,
      .destination_elements = 2560,
      .transposed_bits = 4,
      .transposed_stride = 640,
      .axis_count = 4,
      .axes = {{2, 2, 1280, 1}, {16, 16, 40, 2}, {2, 2, 640, 32}, {40, 40, 1, 64}}};
  const rlt_group columns = {.axis_count = 2, .axes = {0, 1}, .inner = 2, .steps = 16};
  rlt_group rows = {.axis_count = 2, .axes = {3, 2}, .inner = 40, .steps = 2};
  rlt_unpacked_tile made;
  rlt_unpacked_tile_make(&problem, &columns, &rows, 1 << 20, &made);
  assert_int_equal(made.axis_count, 4);
  assert_int_equal(made.axes[0].axis, 3);
  assert_int_equal(made.axes[1].axis, 2);
  assert_int_equal(made.axes[2].axis, 1);
  assert_int_equal(made.axes[3].axis, 0);
  assert_int_equal(made.unpacking.runs.length, 40);
  assert_int_equal(made.unpacking.run_count, 2 * 16 * 2);
  assert_int_equal(made.unpacking.pitch, 64);
  assert_false(made.unpacking.is_exact);
  assert_int_equal(made.problem.axes[3].source_stride, 1);
  assert_int_equal(made.problem.axes[2].source_stride, 64);
  assert_int_equal(made.problem.axes[1].source_stride, 2 * 64);
  assert_int_equal(made.problem.axes[0].source_stride, 2 * 16 * 64);

  /* A single step of the run is none, and the rows come first. */
  const rlt_group single_rows = {.axis_count = 1, .axes = {2}, .inner = 1, .steps = 2};
  rlt_unpacked_tile_make(&problem, &columns, &single_rows, 1 << 20, &made);
  assert_int_equal(made.axis_count, 3);
  assert_int_equal(made.axes[0].axis, 2);
  assert_int_equal(made.axes[1].axis, 1);
  assert_int_equal(made.axes[2].axis, 0);

  problem.transposed_stride = 40;
  problem.axes[1].source_stride = 80;
  problem.axes[2].source_stride = 40;
  rlt_unpacked_tile_make(&problem, &columns, &rows, 1 << 20, &made);
  assert_int_equal(made.axes[1].axis, 2);
  assert_int_equal(made.unpacking.runs.axis_count, 1);
  assert_int_equal(made.unpacking.runs.length, 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_runs_by_hand),
      cmocka_unit_test(test_start_within_a_byte),
      cmocka_unit_test(test_runs_of_several_axes),
      cmocka_unit_test(test_transposed_rows_follow_the_run),
  };
  return cmocka_run_group_tests_name("plan.unpacking", tests, NULL, NULL);
}
