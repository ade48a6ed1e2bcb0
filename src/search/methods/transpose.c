/* transpose.c: the sides run along two axes, both long: square tiles. */
#include "base/checked.h"
#include "gpu/local_tile.h"
#include "search/methods/method.h"

/* A small part of a square tile leaves most of a work-group idle. */
static bool fills_square(const rlt_scene *scene) {
  const rlt_problem *const problem = scene->problem;
  const int64_t bytes = problem->element_bytes;
  const rlt_square_tile tile =
      rlt_square_tile_of(8 * bytes, 8 * bytes, bytes, scene->tuning->tile_bytes);
  const int64_t columns = rlt_min(problem->axes[0].valid, tile.columns);
  const int64_t rows = rlt_min(problem->axes[rlt_source_run_axis(problem)].valid, tile.rows);
  return columns * rows * bytes >= scene->tuning->tile_bytes / 4;
}

static void offer_local(const rlt_scene *scene, rlt_schedule *schedule, rlt_offers *offers) {
  const rlt_problem *const problem = scene->problem;
  schedule->suits = schedule->suits && fills_square(scene);
  const rlt_square_tile tile = rlt_square_tile_for(problem, schedule->tile_bytes);
  schedule->columns = rlt_group_of_axis(problem, 0, tile.columns);
  schedule->rows = rlt_group_of_axis(problem, rlt_source_run_axis(problem), tile.rows);
  rlt_offers_add(offers, schedule);
}

static void offer(const rlt_scene *scene, rlt_offers *offers) {
  const bool is_local = scene->facts->memory == RLT_STAGING_LOCAL;
  if (!rlt_runs_along_two_axes(scene->problem) || !rlt_writes_bytes(scene, false) ||
      rlt_is_left_to_wide(scene) || rlt_problem_transposes_bits(scene->problem) ||
      (is_local && scene->is_wide)) {
    return;
  }
  rlt_schedule schedule =
      rlt_method_schedule(scene, RLT_MOVE_TRANSPOSE,
                          "the sides run along different axes, both long enough for square tiles");
  schedule.suits = rlt_square_tiles_pay(scene);
  if (is_local) {
    offer_local(scene, &schedule, offers);
  } else if (schedule.suits && !rlt_copy_suits(scene)) {
    rlt_offer_private_tiles(scene, &schedule, offers);
  }
}

const rlt_method rlt_method_transpose = {"transpose", offer};
