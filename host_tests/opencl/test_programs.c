/* test_programs.c: what a strategy becomes on the device where both sides begin at whole words. */
#include "cmocka_all.h"

#include <stdio.h>

#include "opencl/bench.h"
#include "opencl/program.h"
#include "plan/plan.h"

/* Both take short runs for words: pairs that both sides have alike, of 4 bytes, and squares of
 * 2 x 2 that are turned within their 8 bytes. */
static const struct widening {
  const char *from;
  const char *to;
  int word_bytes;             /* of DIRECT kernels */
  relayout_strategy of_words; /* that these take by themselves */
} widenings[] = {
    {"bf16[512,384]{0,1}", "bf16[512,384]{1,0:T(8,128)(2,1)}", 4, RELAYOUT_STRATEGY_PACKED},
    {"bf16[512,384]{1,0:T(8,128)(2,1)}", "bf16[512,384]{0,1:T(8,128)(2,1)}", 8,
     RELAYOUT_STRATEGY_TRANSPOSE},
};
enum { WIDENINGS = sizeof widenings / sizeof widenings[0] };

/* NULL for a strategy that does not apply. */
static relayout_plan *plan_of(const opencl_bench *bench, const struct widening *of,
                              relayout_strategy wanted) {
  relayout_shape from;
  relayout_shape to;
  relayout_plan *plan = NULL;
  relayout_error error = {0};
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.strategy = wanted;
  assert_int_equal(relayout_shape_parse(of->from, &from, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_shape_parse(of->to, &to, NULL), RELAYOUT_OK);
  const relayout_status status =
      relayout_plan_create(bench->device, &from, &to, &options, &plan, &error);
  if (status == RELAYOUT_UNSUPPORTED) {
    return NULL;
  }
  if (status != RELAYOUT_OK) {
    fail_msg("%s -> %s: %s", of->from, of->to, error.message);
  }
  assert_int_equal(plan->work.part_count, 1);
  return plan;
}

static const rlt_launch *launch_at(const rlt_opencl_program *program, size_t offset) {
  const rlt_place place = {.offset = offset};
  return rlt_opencl_program_launch(program, place, place);
}

/* At any offset, what the caller asked for. */
static void test_forced_strategies(void **state) {
  const opencl_bench *const bench = *state;
  static const relayout_strategy kinds[] = {RELAYOUT_STRATEGY_COPY, RELAYOUT_STRATEGY_TRANSPOSE,
                                            RELAYOUT_STRATEGY_PACKED, RELAYOUT_STRATEGY_GATHER};
  for (int w = 0; w < WIDENINGS; ++w) {
    int applied = 0;
    for (int k = 0; k < 4; ++k) {
      relayout_plan *const plan = plan_of(bench, &widenings[w], kinds[k]);
      if (plan != NULL) {
        assert_int_equal(relayout_plan_get_strategy(plan), kinds[k]);
        const rlt_opencl_program *const program = plan->work.parts[0].program;
        assert_int_equal(launch_at(program, 0)->strategy.kind, kinds[k]);
        assert_int_equal(launch_at(program, 2)->strategy.kind, kinds[k]);
        relayout_plan_destroy(plan);
        ++applied;
      }
    }
    assert_true(applied >= 2);
  }
}

/* Left alone, the device makes its own choice for the words. */
static void test_own_choice(void **state) {
  const opencl_bench *const bench = *state;
  if (bench->family != RELAYOUT_KERNELS_DIRECT) {
    skip();
  }
  for (int w = 0; w < WIDENINGS; ++w) {
    relayout_plan *const plan = plan_of(bench, &widenings[w], RELAYOUT_STRATEGY_AUTO);
    const rlt_opencl_program *const program = plan->work.parts[0].program;
    assert_int_equal(launch_at(program, 0)->options.word_bytes, widenings[w].word_bytes);
    assert_int_equal(launch_at(program, 0)->strategy.kind, widenings[w].of_words);
    assert_int_equal(launch_at(program, 2)->options.word_bytes, 2);
    relayout_plan_destroy(plan);
  }
}

/* Candidates differ where they are measured, not only where words cannot be used. */
static void test_candidates_differ(void **state) {
  const opencl_bench *const bench = *state;
  const rlt_backend *const backend = bench->device->backend;
  for (int w = 0; w < WIDENINGS; ++w) {
    relayout_plan *const plan = plan_of(bench, &widenings[w], RELAYOUT_STRATEGY_AUTO);
    const rlt_part *const part = &plan->work.parts[0];
    const int32_t count = part->candidates.count;
    void *programs[RLT_MOST_CANDIDATES];
    assert_true(count >= 2);
    for (int32_t i = 0; i < count; ++i) {
      assert_int_equal(backend->program_create(bench->device, &part->problem,
                                               &part->candidates.of[i].strategy, &programs[i],
                                               NULL),
                       RELAYOUT_OK);
    }
    int distinct = 0;
    for (int32_t i = 0; i < count; ++i) {
      const rlt_launch *const mine = launch_at(programs[i], 0);
      bool is_new = true;
      for (int32_t j = 0; j < i; ++j) {
        const rlt_launch *const other = launch_at(programs[j], 0);
        const bool differs = mine->options.word_bytes != other->options.word_bytes ||
                             mine->strategy.kind != other->strategy.kind ||
                             mine->tile_rows != other->tile_rows ||
                             mine->tile_columns != other->tile_columns;
        assert_int_equal(backend->programs_match(bench->device, programs[i], programs[j]),
                         !differs);
        is_new = is_new && differs;
      }
      distinct += is_new;
    }
    assert_true(distinct >= 2);
    for (int32_t i = 0; i < count; ++i) {
      backend->program_destroy(bench->device, programs[i]);
    }
    relayout_plan_destroy(plan);
  }
}

static int run(opencl_bench *bench) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_forced_strategies, bench),
      cmocka_unit_test_prestate(test_own_choice, bench),
      cmocka_unit_test_prestate(test_candidates_differ, bench),
  };
  return cmocka_run_group_tests_name("programs", tests, NULL, NULL);
}

int main(void) {
  return opencl_on_each_device(run);
}
