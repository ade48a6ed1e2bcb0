/* test_runs.c: the bytes that a problem reads and writes, held against each of its elements. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "problem/definition.h"
#include "problem/runs.h"

/* ---- Notes ---- */

enum { MOST_BYTES = 1 << 15 };

/* How often each byte is in a run, by its place behind the side's start. */
typedef struct notes {
  uint8_t *times;
  int64_t runs;
} notes;

static void note(void *context, rlt_bytes run) {
  notes *const all = context;
  assert_true(run.first >= 0 && run.first < run.end && run.end <= MOST_BYTES);
  ++all->runs;
  for (int64_t b = run.first; b < run.end; ++b) {
    all->times[b] += all->times[b] < 255;
  }
}

static void mark(uint8_t *wanted, int64_t element, int64_t bits) {
  for (int64_t bit = element * bits; bit < (element + 1) * bits; ++bit) {
    wanted[bit / 8] = 1;
  }
}

/* The first byte that is marked, and the end of the last one. */
static rlt_bytes span_of(const uint8_t *wanted) {
  rlt_bytes span = {0, 0};
  for (int64_t b = 0; b < MOST_BYTES; ++b) {
    if (wanted[b] != 0) {
      span = (rlt_bytes){span.end == 0 ? b : span.first, b + 1};
    }
  }
  return span;
}

/* ---- Random problems ---- */

/* Holds all that is said of a problem against its definition. */
static void check(const rlt_problem *problem) {
  static uint8_t read[MOST_BYTES], written[MOST_BYTES], times[MOST_BYTES];
  const int64_t source_bits = rlt_problem_source_bits(problem);
  const int64_t bits = rlt_problem_destination_bits(problem);
  int64_t *const source_of = calloc((size_t)problem->destination_elements + 1, sizeof *source_of);
  memset(read, 0, sizeof read);
  memset(written, 0, sizeof written);
  definition_map(problem, source_of);
  for (int64_t p = 0; p < problem->destination_elements; ++p) {
    if (source_of[p] >= 0) {
      mark(read, source_of[p], source_bits);
    }
    if (source_of[p] != DEFINITION_UNTOUCHED) {
      mark(written, p, bits);
    }
  }
  free(source_of);

  const rlt_bytes spans[] = {span_of(read), span_of(written)};
  const rlt_bytes said[] = {rlt_problem_bytes_read(problem), rlt_problem_bytes_written(problem)};
  for (int side = 0; side < 2; ++side) {
    assert_int_equal(said[side].first, spans[side].first);
    assert_int_equal(said[side].end, spans[side].end);
  }

  notes all = {times, 0};
  memset(times, 0, sizeof times);
  assert_true(rlt_problem_visit_read(problem, NULL, NULL));
  assert_true(rlt_problem_visit_read(problem, note, &all));
  for (int64_t b = 0; b < MOST_BYTES; ++b) {
    assert_int_equal(times[b] > 0, read[b]);
  }
  if (!rlt_problem_visit_written(problem, NULL, NULL)) {
    assert_true(bits < 8);
    return;
  }
  memset(times, 0, sizeof times);
  assert_true(rlt_problem_visit_written(problem, note, &all));
  assert_memory_equal(times, written, sizeof times);
}

/* Small, so that memory can be cleared for each. */
static void test_random_problems(void **state) {
  (void)state;
  int checked = 0;
  for (uint64_t start = 1; checked < 1000; ++start) {
    uint64_t seed = start;
    rlt_problem problem = definition_random_problem(&seed);
    problem.source_start = definition_random(&seed, 9);
    problem.source_elements += problem.source_start;
    problem.destination_start = definition_random(&seed, 9);
    problem.destination_elements += problem.destination_start;
    if (start % 3 == 0) {
      problem.element_bytes = 1;
      problem.destination_packed = INT64_C(1) << definition_random(&seed, 3);
      problem.source_packed = problem.destination_packed;
    }
    if (rlt_problem_source_size(&problem) > 30000 ||
        rlt_problem_destination_size(&problem) > 30000) {
      continue;
    }
    rlt_problem_simplify(&problem);
    check(&problem);
    ++checked;
  }
}

/* ---- By hand ---- */

static int64_t runs_of(const rlt_problem *problem, bool reads) {
  static uint8_t times[MOST_BYTES];
  notes all = {times, 0};
  memset(times, 0, sizeof times);
  assert_true(reads ? rlt_problem_visit_read(problem, note, &all)
                    : rlt_problem_visit_written(problem, note, &all));
  return all.runs;
}

/* Runs are as long as can be, whatever the order of axes: a cube of 2 x 3 x 4 is one, on both
 * sides; rows of three are each one where a fourth element lies between; and what is read again and
 * again, or backwards, is no more; of axes with the same steps the first one's make the runs. */
static void test_runs_are_joined(void **state) {
  (void)state;
  static const struct {
    rlt_problem problem;
    int64_t read, written;
  } cases[] = {
      {{.element_bytes = 4,
        .source_elements = 24,
        .destination_elements = 24,
        .axis_count = 3,
        .axes = {{2, 2, 12, 1}, {3, 3, 4, 2}, {4, 4, 1, 6}}},
       1,
       1},
      {{.element_bytes = 4,
        .source_elements = 24,
        .destination_elements = 24,
        .axis_count = 3,
        .axes = {{3, 3, 2, 1}, {2, 2, 1, 3}, {4, 4, 6, 6}}},
       1,
       1},
      {{.element_bytes = 2,
        .source_elements = 20,
        .destination_elements = 20,
        .axis_count = 2,
        .axes = {{3, 3, 5, 1}, {5, 5, 1, 4}}},
       1,
       5},
      {{.element_bytes = 2,
        .source_elements = 40,
        .destination_elements = 15,
        .axis_count = 2,
        .axes = {{3, 3, 1, 1}, {5, 5, 8, 3}}},
       5,
       1},
      {{.element_bytes = 1,
        .source_elements = 10,
        .source_start = 9,
        .destination_elements = 50,
        .axis_count = 2,
        .axes = {{10, 10, -1, 1}, {5, 5, 0, 10}}},
       1,
       1},
      {{.element_bytes = 1,
        .source_elements = 60,
        .source_start = 50,
        .destination_elements = 60,
        .axis_count = 3,
        .axes = {{5, 5, 2, 1}, {2, 2, 1, 5}, {6, 6, -10, 10}}},
       1,
       1},
      {{.element_bytes = 8,
        .source_elements = 21,
        .destination_elements = 21,
        .axis_count = 2,
        .axes = {{7, 5, 1, 1}, {3, 3, 7, 7}},
        .fills = true},
       3,
       1},
      {{.element_bytes = 8,
        .source_elements = 7,
        .destination_elements = 43,
        .axis_count = 1,
        .axes = {{7, 0, 7, 7}},
        .fills = true},
       0,
       7},
      {{.element_bytes = 4,
        .source_elements = 7,
        .destination_elements = 15,
        .axis_count = 2,
        .axes = {{5, 5, 1, 1}, {3, 3, 1, 5}}},
       3,
       1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    assert_int_equal(runs_of(&cases[i].problem, true), cases[i].read);
    assert_int_equal(runs_of(&cases[i].problem, false), cases[i].written);
    check(&cases[i].problem);
  }
}

/* Runs of nibbles that share bytes are not told of: those that begin in the middle of one, end
 * there, or lie at odd distances; but the array may end in the middle of a byte. */
static void test_shared_bytes(void **state) {
  (void)state;
  static const struct {
    int64_t start, length, step, elements;
    bool is_told;
  } cases[] = {
      {0, 4, 6, 22, true},   {1, 4, 6, 23, false},   {0, 3, 6, 21, false},  {0, 4, 7, 25, false},
      {2, 4, 6, 24, true},   {0, 4, 6, 99, true},    {0, 15, 15, 15, true}, {0, 15, 15, 16, false},
      {2, 15, 15, 17, true}, {1, 15, 15, 16, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const int64_t count = cases[i].length == 15 ? 1 : 4;
    rlt_problem problem = {
        .element_bytes = 1,
        .source_packed = 4,
        .destination_packed = 4,
        .source_elements = 4 * 99,
        .destination_start = cases[i].start,
        .destination_elements = cases[i].elements,
        .axis_count = count > 1 ? 2 : 1,
        .axes = {{cases[i].length, cases[i].length, 1, 1}, {count, count, 99, cases[i].step}}};
    notes all = {calloc(MOST_BYTES, 1), 0};
    print_message("case %zu\n", i);
    assert_int_equal(rlt_problem_visit_written(&problem, note, &all), cases[i].is_told);
    assert_int_equal(all.runs, cases[i].is_told ? count : 0);
    free(all.times);
  }
}

/* All of either side, and no runs. */
static void test_index_programs(void **state) {
  (void)state;
  static const rlt_index_program program = {.count = 0};
  const rlt_problem problem = {.element_bytes = 4,
                               .destination_packed = 0,
                               .source_elements = 100,
                               .destination_elements = 50,
                               .source_start = 7,
                               .destination_start = 3,
                               .axis_count = 1,
                               .axes = {{10, 10, 1, 1}},
                               .index_program = &program};
  notes all = {NULL, 0};
  const rlt_bytes read = rlt_problem_bytes_read(&problem);
  const rlt_bytes written = rlt_problem_bytes_written(&problem);
  assert_int_equal(read.first, 0);
  assert_int_equal(read.end, 400);
  assert_int_equal(written.first, 0);
  assert_int_equal(written.end, 200);
  assert_false(rlt_problem_visit_read(&problem, note, &all));
  assert_false(rlt_problem_visit_written(&problem, note, &all));
}

static void test_joined_spans(void **state) {
  (void)state;
  static const rlt_bytes cases[][3] = {
      {{3, 5}, {9, 12}, {3, 12}}, {{9, 12}, {3, 5}, {3, 12}}, {{3, 20}, {5, 6}, {3, 20}},
      {{4, 4}, {9, 12}, {9, 12}}, {{9, 12}, {0, 0}, {9, 12}}, {{2, 2}, {7, 7}, {7, 7}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_bytes joined = rlt_bytes_join(cases[i][0], cases[i][1]);
    assert_int_equal(joined.first, cases[i][2].first);
    assert_int_equal(joined.end, cases[i][2].end);
  }
  assert_int_equal(rlt_bytes_size((rlt_bytes){3, 12}), 9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_problems), cmocka_unit_test(test_runs_are_joined),
      cmocka_unit_test(test_shared_bytes),    cmocka_unit_test(test_index_programs),
      cmocka_unit_test(test_joined_spans),
  };
  return cmocka_run_group_tests_name("problem.runs", tests, NULL, NULL);
}
