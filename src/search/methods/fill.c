/* fill.c: no element of the destination has a source, so that nothing is read. */
#include "search/methods/method.h"

static void offer(const rlt_scene *scene, rlt_offers *offers) {
  const rlt_problem *const problem = scene->problem;
  const bool is_private = scene->facts->memory == RLT_STAGING_PRIVATE;
  if (!rlt_problem_is_fill(problem) || (scene->is_wide && is_private)) {
    return;
  }
  rlt_schedule schedule =
      rlt_method_schedule(scene, RLT_MOVE_FILL, "no element of the destination has a source");
  schedule.columns =
      problem->destination_packed > 0 ? rlt_index_run(scene) : rlt_straight_run(scene);
  rlt_offers_add(offers, &schedule);
}

const rlt_method rlt_method_fill = {"fill", offer};
