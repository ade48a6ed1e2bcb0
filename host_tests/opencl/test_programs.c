/* test_programs.c: which schedules a device has for a plan, by how both sides are aligned. */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "opencl/bench.h"
#include "opencl/launch.h"
#include "plan/plan.h"
#include "search/method.h"
#include "shape_of.h"

/* Both take short runs for words: pairs that both sides have alike, of 4 bytes, and squares of
 * 2 x 2 that are transposed within their 8 bytes. */
static const struct widening {
  const char *from;
  const char *to;
} widenings[] = {
    {"bf16[512,384]{0,1}", "bf16[512,384]{1,0:T(8,128)(2,1)}"},
    {"bf16[512,384]{1,0:T(8,128)(2,1)}", "bf16[512,384]{0,1:T(8,128)(2,1)}"},
};
enum { WIDENINGS = sizeof widenings / sizeof widenings[0] };

/* `schedule` NULL: as the plan chooses. */
static relayout_plan *plan_of(const opencl_bench *bench, const struct widening *of,
                              const char *schedule) {
  const relayout_shape from = shape_of(of->from);
  const relayout_shape to = shape_of(of->to);
  relayout_plan *plan = NULL;
  relayout_error error = {0};
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.schedules = schedule == NULL ? NULL : &schedule;
  options.schedule_count = schedule == NULL ? 0 : 1;
  if (relayout_plan_create(bench->device, &from, &to, &options, &plan, &error) != RELAYOUT_OK) {
    fail_msg("%s -> %s: %s", of->from, of->to, error.message);
  }
  assert_int_equal(plan->work.part_count, 1);
  return plan;
}

/* NULL where the plan has none for this offset. */
static const rlt_launch *launch_at(const relayout_plan *plan, size_t offset) {
  const rlt_variant *const way = rlt_part_variant(&plan->work.parts[0], offset, offset);
  return way == NULL ? NULL : way->executable;
}

/* ---- What was asked for ---- */

typedef struct asking {
  const opencl_bench *bench;
  const struct widening *of;
  int asked;
  int refusing; /* schedules of words, which elements may lie between */
} asking;

static void ask_for(void *context, const relayout_schedule_info *info) {
  asking *const at = context;
  relayout_plan *const plan = plan_of(at->bench, at->of, info->text);
  assert_string_equal(relayout_plan_get_method(plan), info->method);
  const rlt_launch *const launch = launch_at(plan, 0);
  assert_non_null(launch);
  const bool is_of_elements = strstr(info->text, " word=2 ") != NULL;
  assert_int_equal(launch->options.word_bytes == 2, is_of_elements);
  assert_ptr_equal(launch_at(plan, 2), is_of_elements ? launch : NULL);
  at->asked += 1;
  at->refusing += !is_of_elements;
  relayout_plan_destroy(plan);
}

/* That runs and nothing else does, wherever both sides begin. */
static void test_what_was_asked_for(void **state) {
  const opencl_bench *const bench = *state;
  for (int w = 0; w < WIDENINGS; ++w) {
    asking at = {.bench = bench, .of = &widenings[w]};
    relayout_plan *const plan = plan_of(bench, &widenings[w], NULL);
    assert_int_equal(relayout_plan_visit_schedules(plan, 0, ask_for, &at, NULL), RELAYOUT_OK);
    assert_true(at.asked >= 2);
    assert_true(at.asked > at.refusing);
    relayout_plan_destroy(plan);
  }
}

static int run(opencl_bench *bench) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_what_was_asked_for, bench),
  };
  return cmocka_run_group_tests_name("programs", tests, NULL, NULL);
}

int main(void) {
  return opencl_on_each_device_with(RELAYOUT_KERNELS_WORK_GROUP, run);
}
