/* test_tables.c: where the rows and columns of a tile lie, and what is fetched ahead for it, worked
 * out by hand. */
#include <string.h>

#include "cmocka_all.h"
#include "cpu/executable.h"

enum { LINE_BYTES = 64 };

/* ---- What is fetched ahead ---- */

typedef struct ahead_case {
  const char *what;
  int64_t element_bytes, packed;
  rlt_axis axes[2];
  int64_t columns, rows; /* of axis 0 and of axis 1, in a tile */
  int64_t count;
  int64_t ahead[12];
} ahead_case;

static const ahead_case ahead_cases[] = {
    {"runs of two lines, which begin anywhere",
     4,
     0,
     {{1000, 1000, 1000, 1}, {1000, 1000, 1, 1000}},
     4,
     32,
     12,
     {0, 63, 127, 4000, 4063, 4127, 8000, 8063, 8127, 12000, 12063, 12127}},
    {"which begin with lines",
     4,
     0,
     {{1000, 1000, 1024, 1}, {1000, 1000, 1, 1000}},
     4,
     32,
     8,
     {63, 127, 4096 + 63, 4096 + 127, 8192 + 63, 8192 + 127, 12288 + 63, 12288 + 127}},
    {"whose last line is begun",
     1,
     0,
     {{300, 300, 256, 1}, {200, 200, 1, 300}},
     3,
     100,
     6,
     {63, 99, 256 + 63, 256 + 99, 512 + 63, 512 + 99}},
    {"of less than a line, anywhere",
     1,
     0,
     {{300, 300, 200, 1}, {200, 200, 1, 300}},
     2,
     10,
     4,
     {0, 9, 200, 209}},
    {"less than a line apart",
     1,
     0,
     {{300, 300, 48, 1}, {16, 16, 1, 300}},
     4,
     16,
     3,
     {63, 127, 159}},
    {"a line apart", 1, 0, {{300, 300, 80, 1}, {16, 16, 1, 300}}, 2, 16, 2, {63, 95}},
    {"more than a line apart",
     1,
     0,
     {{300, 300, 128, 1}, {16, 16, 1, 300}},
     2,
     16,
     2,
     {15, 128 + 15}},
    {"backwards",
     4,
     0,
     {{1000, 1000, 1024, 1}, {1000, 1000, -1, 1000}},
     2,
     32,
     4,
     {63 - 124, 127 - 124, 4096 + 63 - 124, 4096 + 127 - 124}},
    {"upwards", 4, 0, {{1000, 1000, -1024, 1}, {1000, 1000, 1, 1000}}, 2, 16, 2, {63, 63 - 4096}},
    {"packed",
     1,
     4,
     {{1000, 1000, 2048, 1}, {1000, 1000, 1, 1000}},
     2,
     256,
     4,
     {63, 127, 1024 + 63, 1024 + 127}},
    {"of two columns alone, anywhere",
     4,
     0,
     {{1000, 2, 1000, 1}, {1000, 1000, 1, 1000}},
     2,
     16,
     4,
     {0, 63, 4000, 4063}},
    {"as far as there is a source",
     4,
     0,
     {{1000, 2, 1024, 1}, {1000, 20, 1, 1000}},
     4,
     32,
     4,
     {63, 79, 4096 + 63, 4096 + 79}},
    {"one for all columns", 4, 0, {{1000, 1000, 0, 1}, {1000, 1000, 1, 1000}}, 4, 16, 1, {63}},
    {"a single column, anywhere",
     4,
     0,
     {{1000, 1, 1000, 1}, {1000, 1000, 1, 1000}},
     4,
     16,
     1,
     {63}},
};

static rlt_problem problem_with(int64_t element_bytes, int64_t packed, const rlt_axis *axes,
                                int32_t axis_count) {
  rlt_problem problem = {.element_bytes = element_bytes,
                         .source_packed = packed,
                         .destination_packed = packed,
                         .source_elements = 1 << 24,
                         .destination_elements = 1 << 24,
                         .axis_count = axis_count};
  memcpy(problem.axes, axes, (size_t)axis_count * sizeof *axes);
  return problem;
}

static void test_fetched_ahead(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof ahead_cases / sizeof ahead_cases[0]; ++i) {
    const ahead_case *const c = &ahead_cases[i];
    const rlt_problem problem = problem_with(c->element_bytes, c->packed, c->axes, 2);
    const rlt_schedule schedule = {.problem = &problem,
                                   .columns = rlt_group_of_axis(&problem, 0, c->columns),
                                   .rows = rlt_group_of_axis(&problem, 1, c->rows),
                                   .prefetch = {.tiles = 1, .level = 2}};
    rlt_cpu_executable made = {.schedule = &schedule, .problem = &problem};
    print_message("%s\n", c->what);
    assert_int_equal(rlt_cpu_tables_make(made.problem, &made, NULL), RELAYOUT_OK);
    assert_int_equal(made.frame.fetch_level, 2);
    assert_int_equal(made.frame.ahead_count, c->count);
    for (int64_t a = 0; a < c->count; ++a) {
      assert_int_equal(made.frame.ahead[a], c->ahead[a]);
    }
    rlt_cpu_tables_free(&made);
  }
}

/* ---- Positions ---- */

/* Tiles of 3 columns of axis 0 and, of axis 1, 4 rows. */
static void test_positions(void **state) {
  (void)state;
  static const rlt_axis axes[] = {{7, 7, 90, 1}, {5, 5, 2, 11}};
  const rlt_problem problem = problem_with(2, 0, axes, 2);
  rlt_schedule schedule = {.problem = &problem,
                           .columns = rlt_group_of_axis(&problem, 0, 3),
                           .rows = rlt_group_of_axis(&problem, 1, 4),
                           .tile_buffer = {.dense_columns = 3}};
  rlt_cpu_executable made = {.schedule = &schedule, .problem = &problem};
  assert_int_equal(rlt_cpu_tables_make(made.problem, &made, NULL), RELAYOUT_OK);
  const rlt_cpu_frame *const frame = &made.frame;
  for (int64_t c = 0; c < 3; ++c) {
    assert_int_equal(frame->columns.from[c], 180 * c);
    assert_int_equal(frame->columns.to[c], 2 * c);
  }
  for (int64_t r = 0; r < 4; ++r) {
    assert_int_equal(frame->rows.from[r], 4 * r);
    assert_int_equal(frame->rows.to[r], 22 * r);
  }
  assert_null(frame->keeps);
  assert_false(frame->row_gaps);
  assert_int_equal(frame->column_step, 180);
  assert_int_equal(frame->row_inner, 1);
  assert_int_equal(frame->column_inner, 1);
  assert_true(frame->tile_buffer.exact); /* others' elements lie around the tile */
  assert_null(frame->segments);
  assert_null(frame->ahead);
  assert_int_equal(frame->ahead_count, 0);
  rlt_cpu_tables_free(&made);

  /* Columns that are part of a longer run do not lie evenly. */
  schedule.tile_buffer.dense_columns = 2;
  made = (rlt_cpu_executable){.schedule = &schedule, .problem = &problem};
  assert_int_equal(rlt_cpu_tables_make(made.problem, &made, NULL), RELAYOUT_OK);
  assert_int_equal(made.frame.column_step, 0);
  rlt_cpu_tables_free(&made);
}

/* No columns make no step, whatever axis 0 is. */
static void test_no_columns(void **state) {
  (void)state;
  static const rlt_axis axes[] = {{1, 1, 7, 1}, {5, 5, 2, 11}};
  const rlt_problem problem = problem_with(2, 0, axes, 2);
  const rlt_schedule schedule = {.problem = &problem,
                                 .columns = rlt_no_axes,
                                 .rows = rlt_group_of_axis(&problem, 1, 4),
                                 .tile_buffer = {.dense_columns = 1}};
  rlt_cpu_executable made = {.schedule = &schedule, .problem = &problem};
  assert_int_equal(rlt_cpu_tables_make(made.problem, &made, NULL), RELAYOUT_OK);
  assert_int_equal(made.frame.column_step, 0);
  assert_int_equal(made.frame.columns.from[0], 0);
  assert_int_equal(made.frame.columns.to[0], 0);
  rlt_cpu_tables_free(&made);
}

/* Buffered, tiles lie as the tile buffer has them. Its segments are rows of 3 columns here,
 * 11 elements apart in the destination. */
static void test_segments(void **state) {
  (void)state;
  static const rlt_axis axes[] = {{7, 7, 90, 1}, {5, 5, 2, 11}};
  for (int64_t packed = 0; packed <= 4; packed += 4) {
    const int64_t bytes = packed > 0 ? 1 : 4;
    const rlt_problem problem = problem_with(bytes, packed, axes, 2);
    rlt_schedule schedule = {.problem = &problem,
                             .columns = rlt_group_of_axis(&problem, 0, 3),
                             .rows = rlt_group_of_axis(&problem, 1, 4),
                             .buffered = true};
    const rlt_tile_buffer_request request = {
        .problem = &problem, .columns = &schedule.columns, .rows = &schedule.rows, .lanes = 4};
    rlt_tile_buffer_make(&request, &schedule.tile_buffer);
    rlt_cpu_executable made = {.schedule = &schedule, .problem = &problem};
    assert_int_equal(rlt_cpu_tables_make(made.problem, &made, NULL), RELAYOUT_OK);
    const rlt_cpu_frame *const frame = &made.frame;
    const int64_t pitch = schedule.tile_buffer.segment_pitch;
    assert_int_equal(frame->tile_buffer.exact, schedule.tile_buffer.exact);
    assert_int_equal(frame->tile_buffer.segment_count, 4);
    assert_int_equal(frame->destination_bits, packed > 0 ? 4 : 32);
    assert_int_equal(frame->segment_pitch, packed > 0 ? (pitch + 1) / 2 : 4 * pitch);
    for (int64_t r = 0; r < 4; ++r) {
      assert_int_equal(frame->segments[r].start, 11 * r);
      assert_int_equal(frame->segments[r].row_step, r);
      assert_int_equal(frame->rows.to[r], bytes * pitch * r);
    }
    for (int64_t c = 0; c < 3; ++c) {
      assert_int_equal(frame->columns.to[c], bytes * c);
    }
    rlt_cpu_tables_free(&made);
  }
}

/* Two of each three columns, and one of each two rows, can have a source. */
static void test_gaps(void **state) {
  (void)state;
  static const rlt_axis axes[] = {{3, 2, 100, 1}, {2, 1, 5, 3}, {8, 8, 1000, 6}, {9, 9, 7, 48}};
  const rlt_problem problem = problem_with(4, 0, axes, 4);
  rlt_schedule schedule = {.problem = &problem,
                           .columns = {.axis_count = 2, .axes = {0, 2}, .inner = 3, .steps = 2},
                           .rows = {.axis_count = 2, .axes = {1, 3}, .inner = 2, .steps = 2},
                           .tile_buffer = {.dense_columns = 3}};
  rlt_cpu_executable made = {.schedule = &schedule, .problem = &problem};
  assert_int_equal(rlt_cpu_tables_make(made.problem, &made, NULL), RELAYOUT_OK);
  const rlt_cpu_frame *const frame = &made.frame;
  static const int64_t columns_from[] = {0, 400, 400, 4000, 4400, 4400};
  static const int64_t columns_to[] = {0, 4, 8, 24, 28, 32};
  static const int64_t rows_from[] = {0, RLT_NO_SOURCE, 28, RLT_NO_SOURCE};
  static const int64_t rows_to[] = {0, 12, 192, 204};
  assert_memory_equal(frame->columns.from, columns_from, sizeof columns_from);
  assert_memory_equal(frame->columns.to, columns_to, sizeof columns_to);
  assert_memory_equal(frame->rows.from, rows_from, sizeof rows_from);
  assert_memory_equal(frame->rows.to, rows_to, sizeof rows_to);
  assert_true(frame->row_gaps);
  assert_int_equal(frame->column_inner, 3);
  assert_int_equal(frame->row_inner, 2);
  assert_int_equal(frame->column_step, 400);
  for (int64_t b = 0; b < 6 * 4 + LINE_BYTES; ++b) {
    assert_int_equal(frame->keeps[b], b < 24 && b / 4 % 3 < 2 ? 0xff : 0);
  }
  rlt_cpu_tables_free(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fetched_ahead), cmocka_unit_test(test_positions),
      cmocka_unit_test(test_no_columns),    cmocka_unit_test(test_segments),
      cmocka_unit_test(test_gaps),
  };
  return cmocka_run_group_tests_name("cpu.tables", tests, NULL, NULL);
}
