/* copy.c: both sides run along the same axis. */
#include "base/checked.h"
#include "search/methods/method.h"

/* Along an axis with one valid step nothing runs in the source. */
static bool runs(const rlt_problem *problem) {
  return problem->axis_count <= 1 || problem->axes[0].valid > 1 || rlt_source_run_axis(problem) < 0;
}

/* Runs whose elements change are written whole, and alone. */
static bool runs_change_straight(const rlt_problem *problem) {
  rlt_byte_run run;
  if (problem->shuffles || rlt_problem_transposes_bits(problem) ||
      !rlt_problem_byte_run(problem, &run)) {
    return false;
  }
  const int64_t bits = rlt_problem_destination_bits(problem);
  bool are_whole = problem->axis_count < 2 || problem->axes[0].extent * bits % 8 == 0;
  for (int32_t a = 1; a < problem->axis_count; ++a) {
    are_whole = are_whole && problem->axes[a].destination_stride * bits % 8 == 0;
  }
  return are_whole && (!problem->fills || problem->axis_count == 0);
}

static void offer_straight(const rlt_scene *scene, bool suits, const char *reason,
                           rlt_offers *offers) {
  const rlt_problem *const problem = scene->problem;
  rlt_schedule schedule = rlt_method_schedule(scene, RLT_MOVE_COPY, reason);
  schedule.suits = suits;
  schedule.columns = rlt_straight_run(scene);
  if (problem->axis_count > 1 && schedule.columns.block == problem->axes[0].extent) {
    const int64_t elements = rlt_elements_in(problem, scene->tuning->straight_tile_bytes);
    schedule.rows = rlt_group_of_axis(problem, 1, elements / schedule.columns.block);
  }
  rlt_offers_add(offers, &schedule);
}

/* A worker alone copies long runs straight and puts short ones together first; those within a
 * factor of four of what is long go either way. */
static void offer_private(const rlt_scene *scene, bool suits, const char *reason,
                          rlt_offers *offers) {
  const rlt_problem *const problem = scene->problem;
  const int64_t straight = scene->tuning->straight_run_bytes;
  const bool may_be_straight = rlt_problem_keeps_elements(problem) || runs_change_straight(problem);
  const bool is_one_run = problem->axis_count <= 1; /* long, however short */
  const int64_t bytes =
      is_one_run ? INT64_MAX : problem->axes[0].extent * rlt_least_bits(problem) / 8;
  const bool is_long = bytes >= straight;
  if (may_be_straight && is_long) {
    offer_straight(scene, suits, reason, offers);
  }
  if (!may_be_straight || bytes < 4 * straight) {
    rlt_schedule schedule = rlt_method_schedule(
        scene, RLT_MOVE_GATHER,
        "both sides run along the same axis, and its short runs are put together");
    schedule.suits = suits && !(may_be_straight && is_long);
    rlt_offer_private_tiles(scene, &schedule, offers);
  }
  if (may_be_straight && !is_long && bytes >= straight / 4) {
    offer_straight(scene, false, reason, offers);
  }
}

static bool applies(const rlt_scene *scene) {
  const rlt_problem *const problem = scene->problem;
  return rlt_runs_along_one_axis(problem) && rlt_writes_bytes(scene, false) &&
         !rlt_is_left_to_wide(scene);
}

static void offer(const rlt_scene *scene, rlt_offers *offers) {
  const rlt_problem *const problem = scene->problem;
  if (!applies(scene)) {
    return;
  }
  const char *const reason =
      problem->axis_count == 0 ? "a single element moves"
                               : "both sides run along the same axis, far enough to copy its runs";
  if (scene->facts->memory == RLT_STAGING_PRIVATE) {
    offer_private(scene, runs(problem), reason, offers);
    return;
  }
  const int64_t long_run = rlt_elements_in(problem, scene->facts->line_bytes);
  const bool is_long = problem->axis_count <= 1 ||
                       rlt_problem_written_digits(problem, &problem->axes[0]) >= long_run;
  offer_straight(scene, runs(problem) && is_long, reason, offers);
}

bool rlt_copy_suits(const rlt_scene *scene) {
  return applies(scene) && runs(scene->problem);
}

const rlt_method rlt_method_copy = {"copy", offer};
