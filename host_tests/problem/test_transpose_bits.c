/* test_transpose_bits.c: packed elements that change places among rows and become bytes, worked out
 * by hand and carried out byte by byte. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "problem/definition.h"
#include "problem/problem.h"

/* 64 rows of 128 nibbles: the destination has 128 rows of 32 bytes. A byte has two of the
 * source's rows, 64 bytes apart, and so are the destination's rows from one nibble of the
 * source to the next, of 32 bytes. */
static void test_swapped(void **state) {
  (void)state;
  static const rlt_axis expected[] = {{32, 32, 128, 1}, {2, 2, 64, 32}, {64, 64, 1, 64}};
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
  assert_int_equal(problem.element_bytes, 1);
  assert_int_equal(problem.axis_count, 3);
  assert_memory_equal(problem.axes, expected, sizeof expected);
  assert_int_equal(problem.transposed_bits, 4);
  assert_int_equal(problem.transposed_stride, 64);
  assert_int_equal(problem.source_packed, 0);
  assert_int_equal(problem.destination_packed, 0);
  assert_int_equal(problem.source_elements, 64 * 64);
  assert_int_equal(problem.fill[0], 0x55);
  assert_int_equal(problem.fill_word[0], 0x55);
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
CHANGE(converts,
       problem->conversion = ((rlt_conversion){RELAYOUT_U2, RELAYOUT_S2, false, 1, false}))
CHANGE(only_columns, problem->axis_count = 1)

static const rlt_index_program nowhere = {.count = 0};
CHANGE(by_program, problem->index_program = &nowhere)

static void test_not_swapped(void **state) {
  (void)state;
  static void (*const changes[])(rlt_problem * problem) = {odd_columns,
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

/* How many bits of a byte lie below its element of this number. */
static int64_t bits_below(int64_t number, int64_t bits, bool high) {
  return high ? 8 - bits - number * bits : number * bits;
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
      made |= (uint8_t)((byte >> bits_below(row, bits, problem->source_high) & ((1 << bits) - 1))
                        << bits_below(r, bits, problem->destination_high));
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
        .source_high = definition_random(&seed, 2) == 1,
        .destination_high = definition_random(&seed, 2) == 1,
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
      cmocka_unit_test(test_swapped),
      cmocka_unit_test(test_not_swapped),
      cmocka_unit_test(test_swapped_at_once),
      cmocka_unit_test(test_swapped_bits_mean_the_same),
  };
  return cmocka_run_group_tests_name("problem.transpose_bits", tests, NULL, NULL);
}
