/* test_problem_text.c: the text of problems: the same for problems that are carried out
 * alike, different for all others. */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "problem/problem_text.h"

enum { TEXT_SIZE = 512 };

static rlt_problem usual(void) {
  return (rlt_problem){.element_bytes = 4,
                       .conversion = {.from = RELAYOUT_F32, .to = RELAYOUT_BF16, .scale = 1},
                       .source_elements = 2700,
                       .destination_elements = 2800,
                       .source_start = 5,
                       .destination_start = 6,
                       .transposed_bits = 4,
                       .transposed_stride = 256,
                       .shuffles = true,
                       .axis_count = 2,
                       .axes = {{64, 63, 41, 1}, {41, 41, -1, 64}}};
}

static void print(const rlt_problem *problem, char *text) {
  rlt_text made = rlt_text_in(text, TEXT_SIZE);
  rlt_problem_add_text(problem, &made);
  assert_true(made.length < TEXT_SIZE);
}

static void test_wording(void **state) {
  (void)state;
  char text[TEXT_SIZE];
  rlt_problem problem = {.element_bytes = 4,
                         .source_elements = 2624,
                         .destination_elements = 2624,
                         .axis_count = 2,
                         .axes = {{64, 64, 41, 1}, {41, 41, 1, 64}}};
  print(&problem, text);
  assert_string_equal(text, "bytes 4 elements 2624:2624 starts 0:0 keeps 64/64:41:1 41/41:1:64");
  problem = usual();
  print(&problem, text);
  assert_string_equal(text,
                      "bytes 4 converts f32:bf16:saturates:3ff0000000000000 elements 2700:2800 "
                      "starts 5:6 shuffles 00000000000000000000000000000000 swaps 4:256 keeps "
                      "64/63:41:1 41/41:-1:64");
}

/* Each is the usual problem but for one field. */
#define DIFFERENT(name, statement)                                                                 \
  static void name(rlt_problem *problem) {                                                         \
    statement;                                                                                     \
  }

static const rlt_index_program program = {.count = 1, .result = 1, .of = {{.to = 1, .size = 7}}};
static const rlt_index_program other_program = {
    .count = 1, .result = 1, .of = {{.to = 1, .size = 8}}};
static const rlt_index_program other_result = {
    .count = 1, .result = 2, .of = {{.to = 1, .size = 7}}};
static const rlt_index_program other_place = {
    .count = 1, .result = 1, .place = 3, .of = {{.to = 1, .size = 7}}};

DIFFERENT(element_bytes, problem->element_bytes = 2)
DIFFERENT(source_high, problem->source_high = true)
DIFFERENT(destination_high, problem->destination_high = true)
DIFFERENT(reversed_bits, problem->reversed_bits = 4)
DIFFERENT(source_packed, problem->source_packed = 4)
DIFFERENT(destination_packed, problem->destination_packed = 4)
DIFFERENT(no_conversion, problem->conversion = (rlt_conversion){.scale = 1})
DIFFERENT(conversion_from, problem->conversion.from = RELAYOUT_S32)
DIFFERENT(conversion_to, problem->conversion.to = RELAYOUT_F16)
DIFFERENT(conversion_wraps, problem->conversion.wraps = true)
DIFFERENT(conversion_rounding, problem->conversion.rounds_to_nearest = true)
DIFFERENT(conversion_scale, problem->conversion.scale = 1 + 0x1p-52)
DIFFERENT(source_elements, problem->source_elements = 2701)
DIFFERENT(destination_elements, problem->destination_elements = 2801)
DIFFERENT(source_start, problem->source_start = 4)
DIFFERENT(destination_start, problem->destination_start = 5)
DIFFERENT(shuffles, problem->shuffles = false)
DIFFERENT(shuffle, problem->shuffle[15] = 1)
DIFFERENT(transposed_bits, problem->transposed_bits = 2)
DIFFERENT(transposed_stride, problem->transposed_stride = 255)
DIFFERENT(with_program, problem->index_program = &program)
DIFFERENT(with_other_program, problem->index_program = &other_program)
DIFFERENT(with_other_result, problem->index_program = &other_result)
DIFFERENT(with_other_place, problem->index_program = &other_place)
DIFFERENT(axis_count, problem->axis_count = 1)
DIFFERENT(extent, problem->axes[0].extent = 65)
DIFFERENT(valid, problem->axes[0].valid = 62)
DIFFERENT(source_stride, problem->axes[1].source_stride = 1)
DIFFERENT(destination_stride, problem->axes[1].destination_stride = 65)
DIFFERENT(fills, problem->fills = true)

static void test_every_field_counts(void **state) {
  (void)state;
  static void (*const differ[])(rlt_problem *) = {element_bytes,
                                                  source_high,
                                                  destination_high,
                                                  reversed_bits,
                                                  source_packed,
                                                  destination_packed,
                                                  no_conversion,
                                                  conversion_from,
                                                  conversion_to,
                                                  conversion_wraps,
                                                  conversion_rounding,
                                                  conversion_scale,
                                                  source_elements,
                                                  destination_elements,
                                                  source_start,
                                                  destination_start,
                                                  shuffles,
                                                  shuffle,
                                                  transposed_bits,
                                                  transposed_stride,
                                                  with_program,
                                                  with_other_program,
                                                  with_other_result,
                                                  with_other_place,
                                                  axis_count,
                                                  extent,
                                                  valid,
                                                  source_stride,
                                                  destination_stride,
                                                  fills};
  enum { COUNT = sizeof differ / sizeof differ[0] };
  char texts[COUNT + 1][TEXT_SIZE];
  for (size_t i = 0; i <= COUNT; ++i) {
    rlt_problem problem = usual();
    if (i > 0) {
      differ[i - 1](&problem);
    }
    print(&problem, texts[i]);
    for (size_t other = 0; other < i; ++other) {
      if (strcmp(texts[i], texts[other]) == 0) {
        fail_msg("problems %zu and %zu: %s", other, i, texts[i]);
      }
    }
  }
}

/* What it is filled with changes nothing but what is filled. */
static void test_what_is_left_out(void **state) {
  (void)state;
  char text[TEXT_SIZE], other_text[TEXT_SIZE];
  rlt_problem problem = usual();
  print(&problem, text);
  problem.fill[0] = 7;
  problem.fill_word[3] = 9;
  print(&problem, other_text);
  assert_string_equal(text, other_text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wording),
      cmocka_unit_test(test_every_field_counts),
      cmocka_unit_test(test_what_is_left_out),
  };
  return cmocka_run_group_tests_name("problem.problem_text", tests, NULL, NULL);
}
