/* asked.h: what one method offers by itself for a problem made up by hand.
 *
 * Depends on search/target.h. */
#ifndef HOST_TESTS_PLAN_ASKED_H
#define HOST_TESTS_PLAN_ASKED_H

#include "cmocka_all.h"

#include "search/target.h"

/* In its own elements, of which there are no wider words. */
static inline rlt_scene scene_of(const rlt_problem *problem, const rlt_facts *facts,
                                 const rlt_tuning *tuning) {
  return (rlt_scene){.problem = problem, .facts = facts, .tuning = tuning};
}

/* What it offers there, in its order. */
static inline rlt_candidates asked(const rlt_method *method, rlt_scene scene) {
  rlt_candidates made = {
      .facts = scene.facts, .tuning = scene.tuning, .request = {.method = method}};
  scene.method = method;
  for (const rlt_method_row *row = scene.facts->target->methods; row->method != NULL; ++row) {
    if (row->method == method) {
      row->offer(&scene, &made);
    }
  }
  assert_false(made.lacks_memory);
  return made;
}

static inline void expect_group(const rlt_group *found, const rlt_group *expected) {
  assert_int_equal(found->axis_count, expected->axis_count);
  for (int32_t i = 0; i < found->axis_count; ++i) {
    assert_int_equal(found->axes[i], expected->axes[i]);
  }
  assert_int_equal(found->inner, expected->inner);
  assert_int_equal(found->steps, expected->steps);
}

#endif
