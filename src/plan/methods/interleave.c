/* interleave.c: two to eight short runs side by side, such as colour channels, are
 * joined or parted in registers. */
#include "plan/methods/method.h"
#include "plan/unpacking.h"

/* Some axis is as short as channels are, on either side. Where elements are unpacked first, only
 * their tiles tell. */
static bool has_channels(const rlt_scene *scene) {
  const rlt_problem *const problem = scene->problem;
  if (scene->facts->stages_source_words && rlt_problem_is_unpacked_first(problem)) {
    return true;
  }
  const int32_t most = scene->facts->words[rlt_word_size_number(problem->element_bytes)].channels;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *const axis = &problem->axes[a];
    if ((axis->source_stride > 1 && axis->source_stride <= most) ||
        (axis->destination_stride > 1 && axis->destination_stride <= most)) {
      return true;
    }
  }
  return false;
}

static void offer(const rlt_scene *scene, rlt_offers *offers) {
  if (scene->facts->memory == RLT_STAGING_LOCAL || !rlt_permute_applies(scene) ||
      !has_channels(scene)) {
    return;
  }
  const rlt_schedule schedule =
      rlt_method_schedule(scene, RLT_MOVE_INTERLEAVE,
                          "a few short runs lie side by side, which registers join and part");
  rlt_offer_private_tiles(scene, &schedule, offers);
}

const rlt_method rlt_method_interleave = {"interleave", offer};
