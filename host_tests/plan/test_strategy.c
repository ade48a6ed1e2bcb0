/* test_strategy.c: which strategy for which relayout, and the bounds its tiles keep. */
#include "cmocka_all.h"

#include <string.h>

#include "plan/strategy.h"
#include "shape_of.h"

static const rlt_traits traits = {.line_bytes = 64,
                                  .run_columns_bytes = 4096,
                                  .run_tile_bytes = 4096,
                                  .transpose_rows = 32,
                                  .transpose_columns = 32,
                                  .packed_tile_bytes = 16384};

static rlt_problem problem_of(const char *from_text, const char *to_text) {
  const relayout_shape from = shape_of(from_text);
  const relayout_shape to = shape_of(to_text);
  rlt_problem problem;
  print_message("%s -> %s\n", from_text, to_text);
  assert_int_equal(rlt_problem_lower(&from, &to, &problem, NULL), RELAYOUT_OK);
  rlt_problem_simplify(&problem);
  return problem;
}

typedef struct choice {
  const char *from;
  const char *to;
  relayout_strategy kind;
} choice;

static const choice choices[] = {
    {"f32[64,64]{1,0}", "f32[64,64]{1,0}", RELAYOUT_STRATEGY_COPY},
    {"f32[]", "f32[]", RELAYOUT_STRATEGY_COPY},
    {"f32[3]", "f32[3]", RELAYOUT_STRATEGY_COPY},
    {"f32[8,16,4,32]{3,2,1,0}", "f32[8,16,4,32]{3,1,2,0}", RELAYOUT_STRATEGY_COPY},
    {"f32[8192,4000]{1,0}", "f32[8192,4000]{1,0:PD(8192,4096)}", RELAYOUT_STRATEGY_COPY},
    {"f32[1,1]{1,0}", "f32[1,1]{1,0:PD(4000,4000)}", RELAYOUT_STRATEGY_COPY},
    {"f32[100,3]{1,0}", "f32[100,3]{1,0:PD(100,128)}", RELAYOUT_STRATEGY_COPY},
    {"f32[64,64]{1,0}", "f32[64,64]{0,1}", RELAYOUT_STRATEGY_TRANSPOSE},
    {"u8[256,256]{1,0}", "u8[256,256]{0,1:PD(300,300)}", RELAYOUT_STRATEGY_TRANSPOSE},
    {"f32[8,20,30,40]{3,2,1,0}", "f32[8,20,30,40]{0,2,1,3}", RELAYOUT_STRATEGY_TRANSPOSE},
    {"f32[1000,3]{1,0}", "f32[1000,3]{0,1}", RELAYOUT_STRATEGY_PACKED},
    {"f32[1000,3]{0,1}", "f32[1000,3]{1,0}", RELAYOUT_STRATEGY_PACKED},
    {"u8[3,100,100]{2,1,0}", "u8[3,100,100]{0,2,1:PD(4,100,100)}", RELAYOUT_STRATEGY_PACKED},
    {"c64[2,2,2,2,2]{4,3,2,1,0}", "c64[2,2,2,2,2]{0,1,2,3,4}", RELAYOUT_STRATEGY_PACKED},
    {"f32[100,3]{1,0}", "f32[100,3]{1,0:PD(100,4)}", RELAYOUT_STRATEGY_PACKED},
    {"f32[0,3]{1,0}", "f32[0,3]{1,0:PD(5,4)}", RELAYOUT_STRATEGY_FILL},
};

static void test_choices(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof choices / sizeof choices[0]; ++i) {
    const rlt_problem problem = problem_of(choices[i].from, choices[i].to);
    rlt_strategy strategy;
    assert_int_equal(
        rlt_strategy_choose(&problem, &traits, RELAYOUT_STRATEGY_AUTO, &strategy, NULL),
        RELAYOUT_OK);
    assert_string_equal(relayout_strategy_name(strategy.kind),
                        relayout_strategy_name(choices[i].kind));
    assert_non_null(strategy.reason);
  }
}

/* Bounds that axes share leave gather alone, which is then chosen. */
static void test_guards_mean_gather(void **state) {
  (void)state;
  rlt_problem problem = problem_of("f32[64,64]{1,0}", "f32[64,64]{0,1}");
  problem.guard_count = 1;
  problem.guards[0] = (rlt_guard){.weight = {1, 1}, .size = 64};
  rlt_strategy strategy;
  assert_int_equal(rlt_strategy_choose(&problem, &traits, RELAYOUT_STRATEGY_AUTO, &strategy, NULL),
                   RELAYOUT_OK);
  assert_int_equal(strategy.kind, RELAYOUT_STRATEGY_GATHER);
  assert_int_equal(
      rlt_strategy_choose(&problem, &traits, RELAYOUT_STRATEGY_TRANSPOSE, &strategy, NULL),
      RELAYOUT_UNSUPPORTED);
}

static void test_wanted_strategies_that_do_not_apply(void **state) {
  (void)state;
  static const choice refused[] = {
      {"f32[64,64]{1,0}", "f32[64,64]{0,1}", RELAYOUT_STRATEGY_COPY},
      {"f32[64,64]{1,0}", "f32[64,64]{0,1}", RELAYOUT_STRATEGY_FILL},
      {"f32[64,64]{1,0}", "f32[64,64]{1,0}", RELAYOUT_STRATEGY_TRANSPOSE},
      {"f32[0,3]{1,0}", "f32[0,3]{1,0:PD(5,4)}", RELAYOUT_STRATEGY_COPY},
      {"f32[0,3]{1,0}", "f32[0,3]{1,0:PD(5,4)}", RELAYOUT_STRATEGY_PACKED},
      {"f32[]", "f32[]", RELAYOUT_STRATEGY_PACKED},
  };
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
    const rlt_problem problem = problem_of(refused[i].from, refused[i].to);
    rlt_strategy strategy;
    relayout_error error;
    assert_int_equal(rlt_strategy_choose(&problem, &traits, refused[i].kind, &strategy, &error),
                     RELAYOUT_UNSUPPORTED);
    assert_non_null(strstr(error.message, relayout_strategy_name(refused[i].kind)));
  }
}

/* NHWC to NCHW with three channels: by hand, 16 floats make a line, so that 16 pixels of one channel
 * by 3 channels is the least tile of whole lines; 85 of those fit the 4096 elements of a tile. */
static void test_packed_groups_by_hand(void **state) {
  (void)state;
  const rlt_problem problem = problem_of("f32[2,3,100,100]{1,3,2,0}", "f32[2,3,100,100]{3,2,1,0}");
  rlt_strategy strategy;
  assert_int_equal(rlt_strategy_choose(&problem, &traits, RELAYOUT_STRATEGY_AUTO, &strategy, NULL),
                   RELAYOUT_OK);
  assert_int_equal(strategy.kind, RELAYOUT_STRATEGY_PACKED);
  assert_int_equal(strategy.columns.axis_count, 1);
  assert_int_equal(strategy.columns.axes[0], 0);
  assert_int_equal(rlt_group_length(&strategy.columns), 85 * 16);
  assert_int_equal(strategy.rows.axis_count, 1);
  assert_int_equal(rlt_group_length(&strategy.rows), 3);
}

/* And back, in tiles of no more than that: the columns are the 3 channels of enough pixels that each
 * channel reads a whole line. */
static void test_packed_columns_grow_to_source_lines(void **state) {
  (void)state;
  const rlt_problem problem = problem_of("f32[2,3,100,100]{3,2,1,0}", "f32[2,3,100,100]{1,3,2,0}");
  rlt_traits least = traits;
  least.packed_tile_bytes = 3 * 16 * 4;
  rlt_strategy strategy;
  assert_int_equal(rlt_strategy_choose(&problem, &least, RELAYOUT_STRATEGY_AUTO, &strategy, NULL),
                   RELAYOUT_OK);
  assert_int_equal(strategy.columns.axis_count, 2);
  assert_int_equal(rlt_group_length(&strategy.columns), 3 * 16);
  assert_int_equal(rlt_group_length(&strategy.rows), 1);
}

/* Every axis of 2, reversed: tiles stay within the bytes the device allows. */
static void test_packed_tiles_keep_their_budget(void **state) {
  (void)state;
  const rlt_problem problem =
      problem_of("c128[2,2,2,2,2,2,2,2,2,2,2,2,2,2]{13,12,11,10,9,8,7,6,5,4,3,2,1,0}",
                 "c128[2,2,2,2,2,2,2,2,2,2,2,2,2,2]{0,1,2,3,4,5,6,7,8,9,10,11,12,13}");
  rlt_traits small = traits;
  for (small.packed_tile_bytes = 16; small.packed_tile_bytes <= 65536;
       small.packed_tile_bytes *= 2) {
    rlt_strategy strategy;
    assert_int_equal(
        rlt_strategy_choose(&problem, &small, RELAYOUT_STRATEGY_PACKED, &strategy, NULL),
        RELAYOUT_OK);
    const int64_t elements = rlt_group_length(&strategy.columns) * rlt_group_length(&strategy.rows);
    assert_true(elements * 16 <= small.packed_tile_bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_choices),
      cmocka_unit_test(test_guards_mean_gather),
      cmocka_unit_test(test_wanted_strategies_that_do_not_apply),
      cmocka_unit_test(test_packed_groups_by_hand),
      cmocka_unit_test(test_packed_columns_grow_to_source_lines),
      cmocka_unit_test(test_packed_tiles_keep_their_budget),
  };
  return cmocka_run_group_tests_name("plan.strategy", tests, NULL, NULL);
}
