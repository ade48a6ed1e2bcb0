/* methods.c: what each method offers on CPUs. */
#include "base/checked.h"
#include "cpu/planning.h"

/* Wider words may lie anywhere, so that nothing speaks for the elements. */
static bool is_left_to_wide(const rlt_scene *scene) {
  return scene->has_wide && !scene->is_wide;
}

/* ---- Fill ---- */

static rlt_group whole_run(const rlt_scene *scene) {
  const rlt_problem *const problem = scene->problem;
  rlt_group run = rlt_straight_run(scene);
  const int64_t whole = rlt_in_byte(problem->destination_packed);
  run.steps = rlt_min(rlt_divide_up(run.steps, whole) * whole, rlt_group_extent(problem, &run));
  return run;
}

static void offer_fill(const rlt_scene *scene, rlt_candidates *candidates) {
  const rlt_problem *const problem = scene->problem;
  if (!rlt_problem_is_fill(problem) || scene->is_wide) {
    return;
  }
  rlt_schedule schedule =
      rlt_method_schedule(scene, RLT_MOVE_FILL, "no element of the destination has a source");
  schedule.columns = problem->destination_packed > 0 ? whole_run(scene) : rlt_straight_run(scene);
  rlt_candidates_add(candidates, &schedule);
}

/* ---- Index program ---- */

static void offer_index_program(const rlt_scene *scene, rlt_candidates *candidates) {
  const rlt_problem *const problem = scene->problem;
  const bool has_program = problem->index_program != NULL;
  if (scene->is_wide || rlt_problem_is_fill(problem) ||
      (problem->destination_packed > 0 && !has_program)) {
    return;
  }
  rlt_schedule schedule = rlt_method_schedule(scene, RLT_MOVE_INDEX, rlt_index_reason(problem));
  schedule.suits = has_program;
  schedule.columns = whole_run(scene);
  rlt_candidates_add(candidates, &schedule);
}

/* ---- Copy ---- */

static bool copy_applies(const rlt_scene *scene) {
  return rlt_runs_along_one_axis(scene->problem) && !is_left_to_wide(scene);
}

static bool copy_suits(const rlt_scene *scene) {
  return copy_applies(scene) && rlt_copy_runs(scene->problem);
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

static void offer_straight(const rlt_scene *scene, bool suits, rlt_candidates *candidates) {
  rlt_schedule schedule =
      rlt_method_schedule(scene, RLT_MOVE_COPY, rlt_copy_reason(scene->problem));
  schedule.suits = suits;
  rlt_take_straight_runs(scene, &schedule);
  rlt_candidates_add(candidates, &schedule);
}

/* Whether no run ends where another one begins. */
static bool runs_lie_apart(const rlt_problem *problem) {
  bool lie = !problem->fills;
  for (int32_t a = 1; a < problem->axis_count; ++a) {
    lie = lie && problem->axes[a].destination_stride != problem->axes[0].extent;
  }
  return lie;
}

/* Whether putting runs together first gains nothing: they lie apart, or their lines are complete
 * before the cache gives them up. */
static bool gain_nothing_together(const rlt_scene *scene) {
  return runs_lie_apart(scene->problem) ||
         !rlt_is_past_cache(scene->problem, scene->facts, scene->stays_cached);
}

/* Long runs go straight, and short ones are put together first; those within a factor of four of
 * what is long go either way. Where nothing is gained by that, all of more than a line go
 * straight. */
static void offer_copy(const rlt_scene *scene, rlt_candidates *candidates) {
  const rlt_problem *const problem = scene->problem;
  if (!copy_applies(scene)) {
    return;
  }
  const bool suits = rlt_copy_runs(problem);
  const int64_t straight = scene->tuning->straight_run_bytes;
  const bool may_be_straight = rlt_problem_keeps_elements(problem) || runs_change_straight(problem);
  const bool is_one_run = problem->axis_count <= 1; /* long, however short */
  const int64_t bytes =
      is_one_run ? INT64_MAX : problem->axes[0].extent * rlt_least_bits(problem) / 8;
  const bool gains_nothing =
      may_be_straight && bytes > scene->facts->line_bytes && gain_nothing_together(scene);
  const bool is_long = bytes >= straight || gains_nothing;
  if (may_be_straight && is_long) {
    offer_straight(scene, suits, candidates);
  }
  if (!may_be_straight || (bytes < 4 * straight && !gains_nothing)) {
    rlt_schedule schedule = rlt_method_schedule(
        scene, RLT_MOVE_COPY_RUNS,
        "both sides run along the same axis, and its short runs are put together");
    schedule.suits = suits && !(may_be_straight && is_long);
    rlt_cpu_offer_tiles(scene, &schedule, candidates);
  }
  if (may_be_straight && !is_long && bytes >= straight / 4) {
    offer_straight(scene, false, candidates);
  }
}

/* ---- Transpose ---- */

/* True if the sides run along two axes of at least half a line each. Below that most lines of a
 * square tile would not be whole. */
static bool square_tiles_pay(const rlt_problem *problem, const rlt_facts *facts) {
  return rlt_runs_along_two_axes(problem) && rlt_sides_are_long(problem, facts->line_bytes, 2);
}

static void offer_transpose(const rlt_scene *scene, rlt_candidates *candidates) {
  const rlt_problem *const problem = scene->problem;
  if (is_left_to_wide(scene) || rlt_problem_transposes_bits(problem) ||
      !square_tiles_pay(problem, scene->facts) || copy_suits(scene)) {
    return;
  }
  const rlt_schedule schedule =
      rlt_method_schedule(scene, RLT_MOVE_TRANSPOSE, rlt_transpose_reason);
  rlt_cpu_offer_tiles(scene, &schedule, candidates);
}

/* ---- Interleave and permute ---- */

static bool permute_applies(const rlt_scene *scene) {
  const rlt_problem *const problem = scene->problem;
  return rlt_is_read_by_axes(problem) && problem->axis_count > 0 &&
         !rlt_problem_transposes_bits(problem) && !is_left_to_wide(scene) && !copy_suits(scene);
}

/* Some axis is as short as channels are, on either side. Where elements are unpacked first, only
 * their tiles tell. */
static bool has_channels(const rlt_scene *scene) {
  const rlt_problem *const problem = scene->problem;
  if (rlt_problem_is_unpacked_first(problem)) {
    return true;
  }
  const rlt_word_facts *const words =
      &scene->facts->words[rlt_word_size_number(problem->element_bytes)];
  const int64_t most = rlt_max(words->channels, words->channels_in_lanes);
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *const axis = &problem->axes[a];
    if ((axis->source_stride > 1 && axis->source_stride <= most) ||
        (axis->destination_stride > 1 && axis->destination_stride <= most)) {
      return true;
    }
  }
  return false;
}

static void offer_interleave(const rlt_scene *scene, rlt_candidates *candidates) {
  if (permute_applies(scene) && has_channels(scene)) {
    const rlt_schedule schedule =
        rlt_method_schedule(scene, RLT_MOVE_INTERLEAVE, rlt_interleave_reason);
    rlt_cpu_offer_tiles(scene, &schedule, candidates);
  }
}

static void offer_permute(const rlt_scene *scene, rlt_candidates *candidates) {
  if (permute_applies(scene) && !rlt_is_one_word(scene) &&
      !square_tiles_pay(scene->problem, scene->facts)) {
    const rlt_schedule schedule =
        rlt_method_schedule(scene, RLT_MOVE_TRANSPOSE, rlt_permute_reason);
    rlt_cpu_offer_tiles(scene, &schedule, candidates);
  }
}

/* ---- Bit transpose ---- */

static void offer_bit_transpose(const rlt_scene *scene, rlt_candidates *candidates) {
  if (rlt_problem_transposes_bits(scene->problem)) {
    const rlt_schedule schedule =
        rlt_method_schedule(scene, RLT_MOVE_BIT_TRANSPOSE,
                            "packed elements are transposed, by swapping them among rows");
    rlt_cpu_offer_tiles(scene, &schedule, candidates);
  }
}

const rlt_method_row rlt_cpu_methods[] = {{&rlt_method_fill, offer_fill},
                                          {&rlt_method_index_program, offer_index_program},
                                          {&rlt_method_copy, offer_copy},
                                          {&rlt_method_transpose, offer_transpose},
                                          {&rlt_method_interleave, offer_interleave},
                                          {&rlt_method_bit_transpose, offer_bit_transpose},
                                          {&rlt_method_permute, offer_permute},
                                          {NULL, NULL}};
