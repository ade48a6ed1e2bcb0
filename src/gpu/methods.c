/* methods.c: what each method but interleave offers on GPUs. */
#include "base/checked.h"
#include "gpu/local_tile.h"
#include "gpu/planning.h"

rlt_schedule rlt_gpu_schedule(const rlt_scene *scene, rlt_move move, const char *reason) {
  const int32_t word = rlt_word_size_number(scene->problem->element_bytes);
  rlt_schedule made = rlt_method_schedule(scene, move, reason);
  made.blocking = scene->tuning->words[word].tiles[RLT_TILES_ANY];
  return made;
}

bool rlt_gpu_writes_bytes(const rlt_problem *problem, bool by_several_axes) {
  rlt_byte_run run;
  return problem->destination_packed == 0 ||
         (rlt_problem_byte_run(problem, &run) && (run.last == 0 || by_several_axes));
}

/* Packed elements may move as bytes at any offset; wider words have to be aligned, so that elements
 * are offered beside them. */
static bool is_left_to_wide(const rlt_scene *scene) {
  return scene->has_wide && !scene->is_wide && rlt_problem_is_packed(scene->problem);
}

/* ---- Fill and index program ---- */

rlt_group rlt_gpu_index_run(const rlt_scene *scene) {
  const rlt_problem *const problem = scene->problem;
  const int64_t whole = rlt_in_byte(problem->destination_packed);
  rlt_group run = rlt_straight_run(scene);
  const int64_t block = rlt_min(run.steps, rlt_gpu_most_elements(problem, scene->facts));
  run.steps = rlt_min(rlt_divide_up(block, whole) * whole, rlt_group_extent(problem, &run));
  return run;
}

static void offer_fill(const rlt_scene *scene, rlt_candidates *candidates) {
  const rlt_problem *const problem = scene->problem;
  if (!rlt_problem_is_fill(problem)) {
    return;
  }
  rlt_schedule schedule =
      rlt_gpu_schedule(scene, RLT_MOVE_FILL, "no element of the destination has a source");
  schedule.columns =
      problem->destination_packed > 0 ? rlt_gpu_index_run(scene) : rlt_straight_run(scene);
  rlt_candidates_add(candidates, &schedule);
}

/* Work-items own whole bytes, whose elements they find by an index program. */
static void offer_index_program(const rlt_scene *scene, rlt_candidates *candidates) {
  const rlt_problem *const problem = scene->problem;
  const bool has_program = problem->index_program != NULL;
  const bool writes_bytes = rlt_gpu_writes_bytes(problem, true);
  if (scene->is_wide || rlt_problem_is_fill(problem) ||
      (problem->destination_packed > 0 && !has_program && writes_bytes)) {
    return;
  }
  rlt_schedule schedule = rlt_gpu_schedule(scene, RLT_MOVE_INDEX, rlt_index_reason(problem));
  schedule.suits = has_program || !writes_bytes;
  schedule.columns = rlt_gpu_index_run(scene);
  rlt_candidates_add(candidates, &schedule);
}

/* ---- Copy ---- */

static void offer_copy(const rlt_scene *scene, rlt_candidates *candidates) {
  const rlt_problem *const problem = scene->problem;
  if (!rlt_runs_along_one_axis(problem) || !rlt_gpu_writes_bytes(problem, false) ||
      is_left_to_wide(scene)) {
    return;
  }
  const int64_t long_run = rlt_elements_in(problem, scene->facts->line_bytes);
  const bool is_long = problem->axis_count <= 1 ||
                       rlt_problem_written_digits(problem, &problem->axes[0]) >= long_run;
  rlt_schedule schedule = rlt_gpu_schedule(scene, RLT_MOVE_COPY, rlt_copy_reason(problem));
  schedule.suits = rlt_copy_runs(problem) && is_long;
  rlt_take_straight_runs(scene, &schedule);
  rlt_candidates_add(candidates, &schedule);
}

/* ---- Transpose ---- */

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

/* Half a line is where a square tile begins to pay: below, most of its lines are not whole. Of
 * packed elements a quarter does too, as other tiles look up each element. */
static bool square_tiles_pay(const rlt_scene *scene) {
  const int64_t parts = rlt_problem_is_packed(scene->problem) ? 4 : 2;
  return rlt_sides_are_long(scene->problem, scene->facts->line_bytes, parts);
}

bool rlt_gpu_runs_begin_with_pieces(const rlt_problem *problem) {
  const int64_t bytes = problem->element_bytes;
  int64_t shared = RLT_LOCAL_PIECE_BYTES;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const int64_t strides[] = {problem->axes[a].source_stride, problem->axes[a].destination_stride};
    for (int i = 0; i < 2; ++i) {
      if (strides[i] > RLT_LOCAL_MOST_CHANNELS) {
        shared = rlt_common_factor(shared, strides[i] * bytes);
      }
    }
  }
  return shared == RLT_LOCAL_PIECE_BYTES;
}

/* Words of 1 or 2 bytes take many instructions where they change, or are put together from units
 * that begin anywhere. Local memory has room for few groups, so that those with twice as many
 * work-items wait less. Not so for kernels that serve many problems: of these some were slower on a
 * simulated GPU (bench/RESULTS.md). */
static int64_t transposing_group(const rlt_scene *scene) {
  const rlt_problem *const problem = scene->problem;
  const bool is_narrow = rlt_local_unit(8 * rlt_problem_destination_bytes(problem)) > 1;
  const bool is_reworked =
      !rlt_problem_keeps_elements(problem) || !rlt_gpu_runs_begin_with_pieces(problem);
  return scene->specializes && is_narrow && is_reworked
             ? rlt_min(2 * scene->facts->group_size, scene->facts->most_group_size)
             : scene->facts->group_size;
}

static void offer_transpose(const rlt_scene *scene, rlt_candidates *candidates) {
  const rlt_problem *const problem = scene->problem;
  if (!rlt_runs_along_two_axes(problem) || !rlt_gpu_writes_bytes(problem, false) ||
      is_left_to_wide(scene) || scene->is_wide) {
    return;
  }
  rlt_schedule schedule = rlt_gpu_schedule(scene, RLT_MOVE_TRANSPOSE, rlt_transpose_reason);
  const rlt_square_tile tile = rlt_square_tile_for(problem, schedule.tile_bytes);
  schedule.suits = square_tiles_pay(scene) && fills_square(scene);
  schedule.columns = rlt_group_of_axis(problem, 0, tile.columns);
  schedule.rows = rlt_group_of_axis(problem, rlt_source_run_axis(problem), tile.rows);
  schedule.group_size = transposing_group(scene);
  rlt_candidates_add(candidates, &schedule);
}

/* ---- Permute ---- */

bool rlt_gpu_permute_applies(const rlt_scene *scene) {
  const rlt_problem *const problem = scene->problem;
  return rlt_is_read_by_axes(problem) && problem->axis_count > 0 &&
         rlt_gpu_writes_bytes(problem, true) && !is_left_to_wide(scene);
}

/* Groups that run side by side read 256 bytes side by side, and then write a kilobyte, so that
 * those that are under way at once share rows of memory on both sides. Kernels that serve many
 * problems were not faster by that on a simulated GPU (bench/RESULTS.md). */
static const rlt_reach rows_of_memory = {256, 1 << 10};

static void offer_permute(const rlt_scene *scene, rlt_candidates *candidates) {
  if (rlt_gpu_permute_applies(scene) && !rlt_is_one_word(scene)) {
    rlt_schedule schedule = rlt_gpu_schedule(scene, RLT_MOVE_PERMUTE,
                                             rlt_gpu_writes_bytes(scene->problem, false)
                                                 ? rlt_permute_reason
                                                 : "several axes share bytes of the destination");
    if (scene->specializes) {
      schedule.blocking.blocks = rows_of_memory;
    }
    rlt_gpu_offer_groups(scene, &schedule, candidates);
  }
}

const rlt_method_row rlt_gpu_methods[] = {{&rlt_method_fill, offer_fill},
                                          {&rlt_method_index_program, offer_index_program},
                                          {&rlt_method_copy, offer_copy},
                                          {&rlt_method_transpose, offer_transpose},
                                          {&rlt_method_interleave, rlt_gpu_offer_interleave},
                                          {&rlt_method_permute, offer_permute},
                                          {NULL, NULL}};
