/* permute.c: inner axes are short, so that several together make tiles wide enough. */
#include "base/checked.h"
#include "search/methods/method.h"

bool rlt_permute_applies(const rlt_scene *scene) {
  return rlt_is_read_by_axes(scene->problem) && scene->problem->axis_count > 0 &&
         !rlt_problem_transposes_bits(scene->problem) && rlt_writes_bytes(scene, true) &&
         !rlt_is_left_to_wide(scene) &&
         (scene->facts->memory == RLT_STAGING_LOCAL || !rlt_copy_suits(scene));
}

/* A single word is no tile. */
static bool is_one_word(const rlt_scene *scene) {
  const rlt_problem *const problem = scene->problem;
  return scene->is_wide && problem->axis_count == 1 && problem->axes[0].extent == 1;
}

static void offer(const rlt_scene *scene, rlt_offers *offers) {
  if (!rlt_permute_applies(scene) || is_one_word(scene)) {
    return;
  }
  const bool is_local = scene->facts->memory == RLT_STAGING_LOCAL;
  const rlt_schedule schedule =
      rlt_method_schedule(scene, is_local ? RLT_MOVE_PERMUTE : RLT_MOVE_TRANSPOSE,
                          rlt_writes_bytes(scene, false)
                              ? "an inner axis is short, so several together make one wide enough"
                              : "several axes share bytes of the destination");
  if (is_local) {
    rlt_offer_local_groups(scene, &schedule, offers);
  } else if (!rlt_runs_along_two_axes(scene->problem) || !rlt_square_tiles_pay(scene)) {
    rlt_offer_private_tiles(scene, &schedule, offers);
  }
}

const rlt_method rlt_method_permute = {"permute", offer};
