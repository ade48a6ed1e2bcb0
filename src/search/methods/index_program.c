/* index_program.c: each element finds its own way, by the axes or by an index
 * program. Always right. */
#include "base/checked.h"
#include "search/methods/method.h"

/* llvmpipe ends a work-item's loops, without a word, after 65535 iterations altogether, of which
 * there are some for each element. Other drivers are taken to be no better. */
enum { MOST_ITERATIONS = 48 << 10 };

rlt_group rlt_index_run(const rlt_scene *scene) {
  const rlt_problem *const problem = scene->problem;
  rlt_group run = rlt_straight_run(scene);
  const int64_t whole = rlt_in_byte(problem->destination_packed);
  int64_t block = run.block;
  if (scene->facts->memory == RLT_STAGING_LOCAL) {
    const int64_t elements = MOST_ITERATIONS / (1 + rlt_index_iterations(problem));
    block = rlt_min(block, rlt_max(elements, 1) * scene->facts->group_size);
  }
  run.block = rlt_min(rlt_divide_up(block, whole) * whole, rlt_group_extent(problem, &run));
  return run;
}

/* Work-items own whole bytes, whose elements they find by an index program. */
static bool applies(const rlt_scene *scene) {
  const rlt_problem *const problem = scene->problem;
  return !scene->is_wide && !rlt_problem_is_fill(problem) &&
         (problem->destination_packed == 0 || problem->index_program != NULL ||
          !rlt_writes_bytes(scene, true));
}

static void offer(const rlt_scene *scene, rlt_offers *offers) {
  if (!applies(scene)) {
    return;
  }
  const bool has_program = scene->problem->index_program != NULL;
  rlt_schedule schedule = rlt_method_schedule(
      scene, RLT_MOVE_INDEX,
      has_program ? "the digits of both sides share no divisor, so each element finds its own way"
                  : "rows end within bytes, which this device writes one by one");
  schedule.suits = has_program || !rlt_writes_bytes(scene, true);
  schedule.columns = rlt_index_run(scene);
  rlt_offers_add(offers, &schedule);
}

const rlt_method rlt_method_index_program = {"index-program", offer};
