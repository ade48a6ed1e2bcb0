/* test_rewrites.c: rewritten problems, worked out by hand: short runs that become words, packed
 * elements that become bytes. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "problem/definition.h"
#include "problem/problem.h"

typedef struct rewrite_case {
  rlt_problem before;
  int64_t element_bytes;
  int32_t axis_count;
  rlt_axis axes[5]; /* extent, valid, source stride, destination stride */
} rewrite_case;

static void expect(const rlt_problem *after, const rewrite_case *expected) {
  assert_int_equal(after->element_bytes, expected->element_bytes);
  assert_int_equal(after->axis_count, expected->axis_count);
  for (int32_t a = 0; a < expected->axis_count; ++a) {
    assert_memory_equal(&after->axes[a], &expected->axes[a], sizeof(rlt_axis));
  }
}

/* Pairs that lie together on both sides; a run of 8 bytes, but not of 6, nor one that ends in
 * padding, nor one that another axis has in part. */
static const rewrite_case widened[] = {
    {{.element_bytes = 2,
      .axis_count = 2,
      .axes = {{2, 2, 1, 1}, {128, 128, 8192, 2}},
      .source_elements = 1 << 20,
      .destination_elements = 256},
     4,
     1,
     {{128, 128, 4096, 1}}},
    {{.element_bytes = 1,
      .axis_count = 3,
      .axes = {{8, 8, 1, 1}, {5, 5, 80, 8}, {10, 10, 8, 40}},
      .source_elements = 400,
      .destination_elements = 400},
     8,
     2,
     {{5, 5, 10, 1}, {10, 10, 1, 5}}},
    {{.element_bytes = 2,
      .axis_count = 2,
      .axes = {{3, 3, 1, 1}, {5, 5, 6, 3}},
      .source_elements = 30,
      .destination_elements = 15},
     2,
     2,
     {{3, 3, 1, 1}, {5, 5, 6, 3}}},
    {{.element_bytes = 2,
      .axis_count = 2,
      .axes = {{2, 1, 1, 1}, {5, 5, 4, 2}},
      .fills = true,
      .source_elements = 20,
      .destination_elements = 10},
     2,
     2,
     {{2, 1, 1, 1}, {5, 5, 4, 2}}},
    {{.element_bytes = 2,
      .axis_count = 2,
      .axes = {{2, 2, 1, 1}, {5, 5, 3, 2}},
      .source_elements = 16,
      .destination_elements = 10},
     2,
     2,
     {{2, 2, 1, 1}, {5, 5, 3, 2}}},
};

static void test_widened(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof widened / sizeof widened[0]; ++i) {
    rlt_problem problem = widened[i].before;
    rlt_problem_widen(&problem);
    expect(&problem, &widened[i]);
    assert_false(problem.shuffles);
  }
}

/* Parts of runs that both sides have: four words of each 64 bytes; pairs where runs of ten lie
 * twelve apart; a whole run, so that its axis goes. None of runs of which nine bytes are read;
 * the valid half of a run; padding alone; and nothing is wider than 16 bytes. */
static const rewrite_case widened_runs[] = {
    {{.element_bytes = 1,
      .axis_count = 2,
      .axes = {{64, 64, 1, 1}, {5, 5, 320, 64}},
      .source_elements = 1600,
      .destination_elements = 320},
     16,
     2,
     {{4, 4, 1, 1}, {5, 5, 20, 4}}},
    {{.element_bytes = 1,
      .axis_count = 2,
      .axes = {{10, 10, 1, 1}, {5, 5, 16, 12}},
      .source_elements = 80,
      .destination_elements = 60},
     2,
     2,
     {{5, 5, 1, 1}, {5, 5, 8, 6}}},
    {{.element_bytes = 4,
      .axis_count = 2,
      .axes = {{4, 4, 1, 1}, {6, 6, 4, 8}},
      .source_elements = 24,
      .destination_elements = 48},
     16,
     1,
     {{6, 6, 1, 2}}},
    {{.element_bytes = 1,
      .axis_count = 2,
      .axes = {{16, 9, 1, 1}, {5, 5, 16, 16}},
      .fills = true,
      .source_elements = 80,
      .destination_elements = 80},
     1,
     2,
     {{16, 9, 1, 1}, {5, 5, 16, 16}}},
    {{.element_bytes = 2,
      .axis_count = 2,
      .axes = {{16, 8, 1, 1}, {5, 5, 24, 16}},
      .fills = true,
      .source_elements = 120,
      .destination_elements = 80},
     16,
     2,
     {{2, 1, 1, 1}, {5, 5, 3, 2}}},
    {{.element_bytes = 4,
      .axis_count = 1,
      .axes = {{20, 0, 1, 1}},
      .fills = true,
      .source_elements = 1,
      .destination_elements = 20},
     16,
     1,
     {{5, 0, 1, 1}}},
    {{.element_bytes = 16,
      .axis_count = 2,
      .axes = {{8, 8, 1, 1}, {5, 5, 16, 8}},
      .source_elements = 80,
      .destination_elements = 40},
     16,
     2,
     {{8, 8, 1, 1}, {5, 5, 16, 8}}},
};

static void test_widened_runs(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof widened_runs / sizeof widened_runs[0]; ++i) {
    rlt_problem problem = widened_runs[i].before;
    print_message("case %zu\n", i);
    rlt_problem_widen_runs(&problem);
    expect(&problem, &widened_runs[i]);
    assert_false(problem.shuffles);
  }
}

/* Packed elements, those that change, and index programs stay as they are. */
static void test_what_is_not_widened(void **state) {
  (void)state;
  static const rlt_index_program program = {.count = 0};
  const rlt_problem runs = {.element_bytes = 1,
                            .axis_count = 2,
                            .axes = {{8, 8, 1, 1}, {5, 5, 16, 8}},
                            .source_elements = 80,
                            .destination_elements = 40};
  rlt_problem kept[] = {runs, runs, runs, runs, runs};
  kept[0].source_packed = 4;
  kept[1].destination_packed = 4;
  kept[2].conversion = (rlt_conversion){.from = RELAYOUT_U8, .to = RELAYOUT_S8, .scale = 1};
  kept[3].index_program = &program;
  kept[4].shuffles = true;
  for (size_t i = 0; i < sizeof kept / sizeof kept[0]; ++i) {
    const rlt_problem before = kept[i];
    rlt_problem_widen(&kept[i]);
    assert_memory_equal(&kept[i], &before, sizeof before);
    rlt_problem_widen_runs(&kept[i]);
    assert_memory_equal(&kept[i], &before, sizeof before);
  }
}

/* Whether both do the same to memory. Wider words may leave out the end of what a side holds. */
static bool do_the_same(const rlt_problem *a, const rlt_problem *b) {
  const size_t source_size = rlt_problem_source_size(a);
  const size_t size = rlt_problem_destination_size(a);
  uint8_t *const source = malloc(source_size + 1);
  uint8_t *const first = malloc(size + 1);
  uint8_t *const second = malloc(size + 1);
  for (size_t i = 0; i < source_size; ++i) {
    source[i] = (uint8_t)(i * 37 + i / 256);
  }
  memset(first, 0xa5, size);
  memset(second, 0xa5, size);
  definition_relayout(a, source, first);
  definition_relayout(b, source, second);
  const bool same = rlt_problem_source_size(b) <= source_size &&
                    rlt_problem_destination_size(b) <= size && memcmp(first, second, size) == 0;
  free(source);
  free(first);
  free(second);
  return same;
}

typedef void rewrite(rlt_problem *problem);

/* Runs of any length instead of each element. */
static void expect_same_meaning(rewrite *rewritten, bool may_shuffle) {
  int32_t widened_count = 0;
  int32_t shuffled = 0;
  for (uint64_t start = 1; start <= 6000; ++start) {
    uint64_t seed = start;
    const rlt_problem elements = definition_random_problem(&seed);
    const int64_t length = 1 + definition_random(&seed, 16);
    rlt_problem before = definition_with_runs(&elements, length);
    if (definition_random(&seed, 3) == 0) { /* a b c d become a c b d */
      before = definition_with_runs(&elements, 2);
      before = definition_with_runs(&before, 2);
      before.axes[0].source_stride = 2;
      before.axes[1].source_stride = 1;
    }
    rlt_problem_simplify(&before);
    if (rlt_problem_is_empty(&before)) {
      continue;
    }
    rlt_problem after = before;
    rewritten(&after);
    const bool is_wider = after.element_bytes > before.element_bytes;
    if (!do_the_same(&before, &after) || (after.shuffles && !may_shuffle)) {
      definition_print(&before);
      definition_print(&after);
      fail_msg("seed %" PRIu64 ": wider words are not the problem", start);
    }
    widened_count += is_wider;
    shuffled += after.shuffles;
  }
  print_message("widened: %" PRId32 ", shuffled: %" PRId32 "\n", widened_count, shuffled);
  assert_true(widened_count > 200 && shuffled >= (may_shuffle ? 100 : 0));
}

static void test_wider_words_mean_the_same(void **state) {
  (void)state;
  expect_same_meaning(rlt_problem_widen, true);
  expect_same_meaning(rlt_problem_widen_runs, false);
}

/* Four halves a b c d that the destination has as a c b d. */
static void test_shuffled(void **state) {
  (void)state;
  const rewrite_case expected = {
      .element_bytes = 8, .axis_count = 2, .axes = {{4, 4, 64, 1}, {4, 4, 1, 64}}};
  static const uint8_t order[] = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
  rlt_problem problem = {.element_bytes = 2,
                         .axis_count = 4,
                         .axes = {{2, 2, 2, 1}, {2, 2, 1, 2}, {4, 4, 256, 4}, {4, 4, 4, 256}},
                         .source_elements = 1024,
                         .destination_elements = 1024};
  rlt_problem_widen(&problem);
  expect(&problem, &expected);
  assert_true(problem.shuffles);
  assert_memory_equal(problem.shuffle, order, sizeof order);
}

/* 64 rows of 128 nibbles: the destination has 128 rows of 32 bytes. A byte has two of the
 * source's rows, 64 bytes apart, and so are the destination's rows from one nibble of the
 * source to the next, of 32 bytes. */
static void test_swapped(void **state) {
  (void)state;
  const rewrite_case expected = {.element_bytes = 1,
                                 .axis_count = 3,
                                 .axes = {{32, 32, 128, 1}, {2, 2, 64, 32}, {64, 64, 1, 64}}};
  rlt_problem problem = {.element_bytes = 1,
                         .source_packed = 4,
                         .destination_packed = 4,
                         .fills = true,
                         .fill = {0x5},
                         .axis_count = 2,
                         .axes = {{64, 64, 128, 1}, {128, 128, 1, 64}},
                         .source_elements = 64 * 128,
                         .destination_elements = 64 * 128};
  rlt_problem_transpose_bits(&problem, 256);
  expect(&problem, &expected);
  assert_int_equal(problem.transposed_bits, 4);
  assert_int_equal(problem.transposed_stride, 64);
  assert_int_equal(problem.source_packed, 0);
  assert_int_equal(problem.destination_packed, 0);
  assert_int_equal(problem.source_elements, 64 * 64);
  assert_int_equal(problem.fill[0], 0x55);
}

/* 1024 rows of 256 bits and more: each of these is one thing that keeps it as it is. */
static rlt_problem swappable(void) {
  return (rlt_problem){.element_bytes = 1,
                       .source_packed = 2,
                       .destination_packed = 2,
                       .fills = true,
                       .fill = {0x2},
                       .axis_count = 3,
                       .axes = {{64, 64, 256, 1}, {128, 128, 1, 64}, {3, 3, 1 << 15, 1 << 14}},
                       .source_elements = 3 << 15,
                       .destination_elements = 3 << 14};
}

#define CHANGE(name, statement)                                                                    \
  static void name(rlt_problem *problem) {                                                         \
    statement;                                                                                     \
  }
CHANGE(odd_columns, problem->axes[0].extent = 66)
CHANGE(odd_valid_columns, problem->axes[0].valid = 62)
CHANGE(few_columns, problem->axes[0] = ((rlt_axis){60, 60, 256, 1}))
CHANGE(apart_columns, problem->axes[0].destination_stride = 2)
CHANGE(odd_source_rows, problem->axes[0].source_stride = 258)
CHANGE(shared_rows, problem->axes[0].source_stride = 124)
CHANGE(same_row, problem->axes[0].source_stride = 0)
CHANGE(odd_rows, problem->axes[1].extent = 126)
CHANGE(odd_valid_rows, problem->axes[1].valid = 126)
CHANGE(few_rows, problem->axes[1] = ((rlt_axis){60, 60, 1, 64}))
CHANGE(prime_rows, problem->axes[1] = ((rlt_axis){4 * 67, 4 * 67, 1, 64}))
CHANGE(few_valid_rows, problem->axes[1].valid = 4 * 17)
CHANGE(odd_destination_rows, problem->axes[1].destination_stride = 66)
CHANGE(apart_rows, problem->axes[1].source_stride = 2)
CHANGE(as_far_as_columns, problem->axes[2].source_stride = 256)
CHANGE(as_far_as_a_byte, problem->axes[2].source_stride = 4)
CHANGE(odd_planes, problem->axes[2].source_stride = (1 << 15) + 2)
CHANGE(odd_planes_there, problem->axes[2].destination_stride = (1 << 14) + 2)
CHANGE(two_rows, problem->axes[2].source_stride = 1)
CHANGE(odd_start, problem->source_start = 2)
CHANGE(odd_start_there, problem->destination_start = 2)
CHANGE(odd_end, problem->source_elements -= 2)
CHANGE(odd_end_there, problem->destination_elements -= 2)
CHANGE(only_packs, problem->source_packed = 0)
CHANGE(only_unpacks, problem->destination_packed = 0)
CHANGE(packs_more, problem->destination_packed = 1)
CHANGE(converts, problem->conversion = ((rlt_conversion){RELAYOUT_U2, RELAYOUT_S2, false, 1}))
CHANGE(only_columns, problem->axis_count = 1)

static const rlt_index_program nowhere = {.count = 0};
CHANGE(by_program, problem->index_program = &nowhere)

static void test_not_swapped(void **state) {
  (void)state;
  static rewrite *const changes[] = {odd_columns,
                                     odd_valid_columns,
                                     few_columns,
                                     apart_columns,
                                     odd_source_rows,
                                     shared_rows,
                                     same_row,
                                     odd_rows,
                                     odd_valid_rows,
                                     few_rows,
                                     prime_rows,
                                     few_valid_rows,
                                     odd_destination_rows,
                                     apart_rows,
                                     as_far_as_columns,
                                     as_far_as_a_byte,
                                     odd_planes,
                                     odd_planes_there,
                                     two_rows,
                                     odd_start,
                                     odd_start_there,
                                     odd_end,
                                     odd_end_there,
                                     only_packs,
                                     only_unpacks,
                                     packs_more,
                                     converts,
                                     only_columns,
                                     by_program};
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i) {
    rlt_problem problem = swappable();
    changes[i](&problem);
    const rlt_problem before = problem;
    print_message("change %zu\n", i);
    rlt_problem_transpose_bits(&problem, 256);
    assert_memory_equal(&problem, &before, sizeof before);
  }
  rlt_problem problem = swappable();
  rlt_problem_transpose_bits(&problem, 256);
  assert_int_equal(problem.transposed_bits, 2);
  /* There is no room for the two axes that it takes. */
  for (int32_t count = RLT_MAX_AXES - 2; count < RLT_MAX_AXES; ++count) {
    problem = swappable();
    for (int32_t a = 2; a < count; ++a) {
      problem.axes[a] = (rlt_axis){2, 2, 1 << 15, 1 << 14};
    }
    problem.axes[1] = (rlt_axis){256, 256, 1, 64};
    problem.axes[0].source_stride = 512;
    problem.axis_count = count;
    rlt_problem_transpose_bits(&problem, 128);
    assert_int_equal(problem.transposed_bits, count == RLT_MAX_AXES - 2 ? 2 : 0);
    assert_int_equal(problem.axis_count, count == RLT_MAX_AXES - 2 ? RLT_MAX_AXES : count);
  }
}

/* How many bytes of a run are swapped at once: as many as divide it, and its valid part, up to 64
 * and to what a tile has of rows; 16 at least. */
static void test_swapped_at_once(void **state) {
  (void)state;
  static const struct {
    int64_t bytes, valid, most_rows, at_once; /* of rows with two elements a byte */
  } cases[] = {{64, 64, 256, 64},   {128, 128, 256, 64}, {96, 96, 256, 48},  {48, 48, 256, 48},
               {128, 96, 256, 32},  {128, 64, 64, 32},   {128, 128, 32, 16}, {128, 128, 31, 0},
               {128, 112, 256, 16}, {120, 120, 256, 60}, {34, 34, 256, 34},  {16, 16, 256, 16},
               {15, 15, 256, 0},    {130, 130, 256, 26}, {128, 8, 256, 0},   {64, 0, 256, 64}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const int64_t rows = 2 * cases[i].bytes;
    rlt_problem problem = {.element_bytes = 1,
                           .source_packed = 4,
                           .destination_packed = 4,
                           .fills = true,
                           .axis_count = 2,
                           .axes = {{32, 32, rows, 1}, {rows, 2 * cases[i].valid, 1, 32}},
                           .source_elements = 32 * rows,
                           .destination_elements = 32 * rows};
    print_message("case %zu\n", i);
    rlt_problem_transpose_bits(&problem, cases[i].most_rows);
    assert_int_equal(problem.transposed_bits, cases[i].at_once > 0 ? 4 : 0);
    if (cases[i].at_once == 0) {
      continue;
    }
    /* By destination stride: bytes of columns, the two rows of a byte, and bytes of the run. */
    assert_memory_equal(&problem.axes[0], (&(rlt_axis){16, 16, rows, 1}), sizeof(rlt_axis));
    assert_memory_equal(&problem.axes[1], (&(rlt_axis){2, 2, rows / 2, 16}), sizeof(rlt_axis));
    const rlt_axis run = {cases[i].at_once, cases[i].at_once, 1, 32};
    assert_memory_equal(&problem.axes[2], &run, sizeof run);
    const int64_t runs = cases[i].bytes / cases[i].at_once;
    assert_int_equal(problem.axis_count, runs > 1 ? 4 : 3);
    if (runs > 1) {
      const rlt_axis rest = {runs, cases[i].valid / cases[i].at_once, cases[i].at_once,
                             32 * cases[i].at_once};
      assert_memory_equal(&problem.axes[3], &rest, sizeof rest);
    }
  }
}

/* Counts the digits of the swapped problem up; false after the last. */
static bool next_digits(const rlt_problem *problem, int64_t *digits) {
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    if (++digits[a] < problem->axes[a].extent) {
      return true;
    }
    digits[a] = 0;
  }
  return false;
}

/* Byte by byte, as problem.h has it: element e of row r becomes element r of row e. */
static void carry_out_swapped(const rlt_problem *problem, const uint8_t *source,
                              uint8_t *destination) {
  const int64_t bits = problem->transposed_bits;
  int64_t digits[RLT_MAX_AXES] = {0};
  do {
    int64_t from = problem->source_start;
    int64_t to = problem->destination_start;
    int64_t row = 0;
    bool has_source = true;
    for (int32_t a = 0; a < problem->axis_count; ++a) {
      const rlt_axis *const axis = &problem->axes[a];
      from += digits[a] * axis->source_stride;
      to += digits[a] * axis->destination_stride;
      has_source = has_source && digits[a] < axis->valid;
      if (axis->source_stride == problem->transposed_stride && axis->extent == 8 / bits) {
        row = digits[a];
      }
    }
    if (!has_source) {
      destination[to] = problem->fills ? problem->fill[0] : destination[to];
      continue;
    }
    const uint8_t *const first = source + from - row * problem->transposed_stride;
    uint8_t made = 0;
    for (int64_t r = 0; r < 8 / bits; ++r) {
      const uint8_t byte = first[r * problem->transposed_stride];
      made |= (uint8_t)((byte >> row * bits & ((1 << bits) - 1)) << r * bits);
    }
    destination[to] = made;
  } while (next_digits(problem, digits));
}

static void test_swapped_bits_mean_the_same(void **state) {
  (void)state;
  int swapped = 0;
  for (uint64_t start = 1; start <= 60; ++start) {
    uint64_t seed = start;
    const int64_t bits = INT64_C(1) << definition_random(&seed, 3), per_byte = 8 / bits;
    const int64_t columns = per_byte * (16 + definition_random(&seed, 9));
    const int64_t rows =
        per_byte * (16 + definition_random(&seed, 9)) * (1 + definition_random(&seed, 3));
    const int64_t gap = per_byte * definition_random(&seed, 3);
    const int64_t planes = 1 + definition_random(&seed, 2);
    const int64_t lost = per_byte * 16 * definition_random(&seed, 2);
    rlt_problem before = {
        .element_bytes = 1,
        .source_packed = bits,
        .destination_packed = bits,
        .fills = definition_random(&seed, 2) == 1,
        .fill = {(uint8_t)definition_random(&seed, 1 << bits)},
        .source_start = per_byte * definition_random(&seed, 4),
        .destination_start = per_byte * definition_random(&seed, 4),
        .axis_count = planes > 1 ? 3 : 2,
        .axes = {{columns, columns - per_byte * definition_random(&seed, 3), rows + gap, 1},
                 {rows, rows - (lost < rows ? lost : 0), 1, columns + gap},
                 {planes, planes, columns * (rows + gap), rows * (columns + gap)}}};
    before.source_elements = before.source_start + planes * columns * (rows + gap);
    before.destination_elements = before.destination_start + planes * rows * (columns + gap);
    const size_t size = rlt_problem_destination_size(&before);
    uint8_t *const source = malloc(rlt_problem_source_size(&before));
    uint8_t *const wanted = malloc(size);
    uint8_t *const found = malloc(size);
    for (size_t i = 0; i < rlt_problem_source_size(&before); ++i) {
      source[i] = (uint8_t)definition_random(&seed, 256);
    }
    memset(wanted, 0xa5, size);
    memset(found, 0xa5, size);
    definition_relayout(&before, source, wanted);
    rlt_problem after = before;
    rlt_problem_transpose_bits(&after, 512);
    if (after.transposed_bits > 0) {
      ++swapped;
      assert_int_equal(rlt_problem_destination_size(&after), size);
      carry_out_swapped(&after, source, found);
      assert_memory_equal(found, wanted, size);
    }
    free(source);
    free(wanted);
    free(found);
  }
  assert_true(swapped > 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_widened),
      cmocka_unit_test(test_widened_runs),
      cmocka_unit_test(test_what_is_not_widened),
      cmocka_unit_test(test_wider_words_mean_the_same),
      cmocka_unit_test(test_shuffled),
      cmocka_unit_test(test_swapped),
      cmocka_unit_test(test_not_swapped),
      cmocka_unit_test(test_swapped_at_once),
      cmocka_unit_test(test_swapped_bits_mean_the_same),
  };
  return cmocka_run_group_tests_name("problem.rewrites", tests, NULL, NULL);
}
