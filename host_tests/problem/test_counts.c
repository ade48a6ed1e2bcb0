/* test_counts.c: what a problem says of itself: sizes, counts, and where its elements fill whole
 * bytes. */
#include "cmocka_all.h"

#include "problem/problem.h"

static void test_elements(void **state) {
  (void)state;
  static const struct {
    rlt_problem problem;
    int64_t bytes, source_bits, bits; /* bytes of a word of the destination */
    size_t source_size, size;
    bool unpacked, packed, encoded, keeps;
  } cases[] = {
      {{.element_bytes = 16, .source_elements = 3, .destination_elements = 5},
       16,
       128,
       128,
       48,
       80,
       false,
       false,
       false,
       true},
      {{.element_bytes = 1, .source_packed = 4, .source_elements = 3, .destination_elements = 5},
       1,
       4,
       8,
       2,
       5,
       true,
       true,
       false,
       false},
      {{.element_bytes = 1,
        .destination_packed = 2,
        .source_elements = 3,
        .destination_elements = 5},
       1,
       8,
       2,
       3,
       2,
       false,
       true,
       true,
       false},
      {{.element_bytes = 1,
        .source_packed = 1,
        .destination_packed = 1,
        .source_elements = 17,
        .destination_elements = 16},
       1,
       1,
       1,
       3,
       2,
       true,
       true,
       true,
       false},
      {{.element_bytes = 4,
        .source_elements = 3,
        .destination_elements = 5,
        .conversion = {RELAYOUT_F32, RELAYOUT_BF16, false, 1, false}},
       2,
       32,
       16,
       12,
       10,
       false,
       false,
       true,
       false},
      {{.element_bytes = 2,
        .destination_packed = 4,
        .source_elements = 3,
        .destination_elements = 5,
        .conversion = {RELAYOUT_F16, RELAYOUT_S4, false, 1, false}},
       1,
       16,
       4,
       6,
       3,
       false,
       true,
       true,
       false},
      {{.element_bytes = 8, .shuffles = true, .source_elements = 1, .destination_elements = 0},
       8,
       64,
       64,
       8,
       0,
       false,
       false,
       false,
       false},
      {{.element_bytes = 1, .transposed_bits = 1, .source_elements = 9, .destination_elements = 7},
       1,
       8,
       8,
       9,
       7,
       true,
       true,
       false,
       false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_problem *const problem = &cases[i].problem;
    print_message("case %zu\n", i);
    assert_int_equal(rlt_problem_destination_bytes(problem), cases[i].bytes);
    assert_int_equal(rlt_problem_source_bits(problem), cases[i].source_bits);
    assert_int_equal(rlt_problem_destination_bits(problem), cases[i].bits);
    assert_int_equal(rlt_problem_source_size(problem), cases[i].source_size);
    assert_int_equal(rlt_problem_destination_size(problem), cases[i].size);
    assert_int_equal(rlt_problem_transposes_bits(problem), problem->transposed_bits > 0);
    assert_int_equal(rlt_problem_is_unpacked_first(problem), cases[i].unpacked);
    assert_int_equal(rlt_problem_is_packed(problem), cases[i].packed);
    assert_int_equal(rlt_problem_is_encoded_last(problem), cases[i].encoded);
    assert_int_equal(rlt_problem_keeps_elements(problem), cases[i].keeps);
  }
}

static void test_digit_lists(void **state) {
  (void)state;
  rlt_problem problem = {
      .element_bytes = 4, .axis_count = 3, .axes = {{5, 4, 1, 1}, {7, 7, 5, 5}, {3, 2, 35, 35}}};
  assert_int_equal(rlt_problem_digit_lists(&problem), 105);
  assert_int_equal(rlt_problem_sources(&problem), 56);
  assert_int_equal(rlt_problem_written(&problem), 56);
  assert_int_equal(rlt_problem_written_digits(&problem, &problem.axes[2]), 2);
  problem.fills = true;
  assert_int_equal(rlt_problem_written(&problem), 105);
  assert_int_equal(rlt_problem_written_digits(&problem, &problem.axes[2]), 3);
  problem.axis_count = 0;
  assert_int_equal(rlt_problem_digit_lists(&problem), 1);
  assert_int_equal(rlt_problem_sources(&problem), 1);
}

/* As far as the 2^60 bits that a side may have, whichever way; beyond there is nothing to read. */
static void test_source_steps(void **state) {
  (void)state;
  rlt_problem problem = {.element_bytes = 8};
  const int64_t most = INT64_C(1) << 54;
  assert_int_equal(rlt_problem_source_steps(&problem, 3, -7), -21);
  assert_int_equal(rlt_problem_source_steps(&problem, 1, most), most);
  assert_int_equal(rlt_problem_source_steps(&problem, 1, -most), -most);
  assert_int_equal(rlt_problem_source_steps(&problem, 1, most + 1), 0);
  assert_int_equal(rlt_problem_source_steps(&problem, 1, -most - 1), 0);
  assert_int_equal(rlt_problem_source_steps(&problem, 4, INT64_MAX / 2), 0);
  problem.source_packed = 1;
  problem.element_bytes = 1;
  assert_int_equal(rlt_problem_source_steps(&problem, 2, most << 5), most << 6);
}

/* ---- Whole bytes ---- */

/* Elements of four bits, two a byte, unless it says two bits. */
static void test_byte_runs(void **state) {
  (void)state;
  static const struct {
    const char *what;
    int64_t bits, start, elements;
    int32_t axis_count;
    rlt_axis axes[3];
    bool is_run;
    int32_t last;
    int64_t steps;
  } cases[] = {
      {"one run", 4, 0, 8, 1, {{8, 8, 1, 1}}, true, 0, 2},
      {"four a byte", 2, 4, 12, 1, {{8, 8, 1, 1}}, true, 0, 4},
      {"eight a byte", 1, 8, 24, 1, {{16, 16, 1, 1}}, true, 0, 8},
      {"begins within one of eight", 1, 4, 20, 1, {{16, 16, 1, 1}}, false, 0, 1},
      {"begins within a byte", 4, 1, 9, 1, {{8, 8, 1, 1}}, false, 0, 1},
      {"ends within one, with the array", 4, 0, 7, 1, {{7, 7, 1, 1}}, true, 0, 2},
      {"and before it", 4, 0, 8, 1, {{7, 7, 1, 1}}, false, 0, 0},
      {"two of three axes", 4, 0, 60, 3, {{3, 3, 1, 1}, {4, 4, 1, 3}, {5, 5, 1, 12}}, true, 1, 2},
      {"in any number", 4, 0, 60, 3, {{4, 4, 1, 1}, {3, 3, 1, 4}, {5, 5, 1, 12}}, true, 0, 2},
      {"all of them", 2, 0, 60, 3, {{3, 3, 1, 1}, {5, 5, 1, 3}, {4, 4, 1, 15}}, true, 2, 4},
      {"two for each byte of six", 2, 0, 36, 2, {{6, 6, 1, 1}, {6, 6, 1, 6}}, true, 1, 2},
      {"all, as far as the array",
       2,
       0,
       45,
       3,
       {{3, 3, 1, 1}, {5, 5, 1, 3}, {3, 3, 1, 15}},
       true,
       2,
       4},
      {"a gap", 4, 0, 60, 2, {{3, 3, 1, 1}, {4, 4, 1, 4}}, false, 0, 3},
      {"rows at odd places", 4, 0, 60, 2, {{4, 4, 1, 1}, {4, 4, 1, 5}}, false, 0, 2},
      {"rows at even ones", 4, 0, 60, 2, {{4, 4, 1, 1}, {4, 4, 1, 6}}, true, 0, 2},
      {"elements apart", 4, 0, 60, 1, {{4, 4, 1, 2}}, false, 0, 1},
      {"1024 at once", 4, 0, 1024 * 9, 2, {{1024, 1024, 1, 1}, {9, 9, 1, 1024}}, true, 0, 2},
      {"1022 at once", 4, 0, 511 * 6, 2, {{511, 511, 1, 1}, {6, 6, 1, 511}}, true, 1, 2},
      {"1026, too many", 4, 0, 513 * 6, 2, {{513, 513, 1, 1}, {6, 6, 1, 513}}, false, 0, 513},
      {"1024 and four a byte", 2, 0, 512 * 6, 2, {{256, 256, 1, 1}, {6, 6, 1, 256}}, true, 0, 4},
      {"a single one, and the array", 4, 0, 1, 0, {{0}}, true, 0, 1},
      {"a single one of two", 4, 0, 2, 0, {{0}}, false, 0, 1},
      {"not packed", 0, 3, 100, 1, {{4, 4, 1, 7}}, true, 0, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_problem problem = {.element_bytes = 1,
                           .destination_packed = cases[i].bits,
                           .destination_start = cases[i].start,
                           .destination_elements = cases[i].elements,
                           .source_elements = 10000,
                           .axis_count = cases[i].axis_count};
    for (int32_t a = 0; a < 3; ++a) {
      problem.axes[a] = cases[i].axes[a];
    }
    rlt_byte_run run;
    print_message("%s\n", cases[i].what);
    assert_int_equal(rlt_problem_byte_run(&problem, &run), cases[i].is_run);
    if (cases[i].is_run) {
      assert_int_equal(run.last, cases[i].last);
      assert_int_equal(run.steps, cases[i].steps);
    }
  }
}

static void test_kinds(void **state) {
  (void)state;
  static const struct {
    rlt_axis axes[2];
    bool is_empty, is_fill;
  } cases[] = {
      {{{4, 4, 1, 1}, {2, 2, 4, 4}}, false, false}, {{{4, 1, 1, 1}, {2, 1, 4, 4}}, false, false},
      {{{4, 0, 1, 1}, {2, 2, 4, 4}}, false, true},  {{{4, 4, 1, 1}, {2, 0, 4, 4}}, false, true},
      {{{4, 4, 1, 1}, {0, 0, 4, 4}}, true, false},  {{{0, 0, 1, 1}, {2, 2, 4, 4}}, true, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_problem problem = {.axis_count = 2, .axes = {cases[i].axes[0], cases[i].axes[1]}};
    assert_int_equal(rlt_problem_is_empty(&problem), cases[i].is_empty);
    assert_int_equal(rlt_problem_is_fill(&problem), cases[i].is_fill);
  }
}

/* By its destination stride, behind others of the same one. */
static void test_inserted_axes(void **state) {
  (void)state;
  static const int64_t strides[] = {7, 3, 9, 3, 1, 8, 9, -2};
  static const int64_t sorted[][2] = {{-2, 7}, {1, 4}, {3, 1}, {3, 3},
                                      {7, 0},  {8, 5}, {9, 2}, {9, 6}};
  rlt_problem problem = {.axis_count = 0};
  for (int64_t i = 0; i < 8; ++i) {
    rlt_problem_insert_axis(&problem, (rlt_axis){2, 2, i, strides[i]});
  }
  assert_int_equal(problem.axis_count, 8);
  for (int i = 0; i < 8; ++i) {
    assert_int_equal(problem.axes[i].destination_stride, sorted[i][0]);
    assert_int_equal(problem.axes[i].source_stride, sorted[i][1]);
  }
}

static void test_counted_in_words(void **state) {
  (void)state;
  rlt_problem problem = {.source_start = 12,
                         .destination_start = 24,
                         .source_elements = 400,
                         .destination_elements = 800,
                         .axis_count = 2,
                         .axes = {{5, 5, 1, 2}, {7, 6, -16, 20}}};
  rlt_problem_count_in_words(&problem, 1, 4);
  assert_int_equal(problem.source_start, 3);
  assert_int_equal(problem.destination_start, 6);
  assert_int_equal(problem.source_elements, 100);
  assert_int_equal(problem.destination_elements, 200);
  static const rlt_axis axes[] = {{5, 5, 1, 2}, {7, 6, -4, 5}};
  assert_memory_equal(problem.axes, axes, sizeof axes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_elements),
      cmocka_unit_test(test_digit_lists),
      cmocka_unit_test(test_source_steps),
      cmocka_unit_test(test_byte_runs),
      cmocka_unit_test(test_kinds),
      cmocka_unit_test(test_inserted_axes),
      cmocka_unit_test(test_counted_in_words),
  };
  return cmocka_run_group_tests_name("problem.counts", tests, NULL, NULL);
}
