/* method.c: the methods' names, and what several of them ask of a problem. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "search/method.h"

const rlt_method rlt_method_fill = {"fill"};
const rlt_method rlt_method_index_program = {"index-program"};
const rlt_method rlt_method_copy = {"copy"};
const rlt_method rlt_method_transpose = {"transpose"};
const rlt_method rlt_method_interleave = {"interleave"};
const rlt_method rlt_method_bit_transpose = {"bit-transpose"};
const rlt_method rlt_method_permute = {"permute"};

const rlt_method *const rlt_methods[] = {
    &rlt_method_fill,       &rlt_method_index_program, &rlt_method_copy,    &rlt_method_transpose,
    &rlt_method_interleave, &rlt_method_bit_transpose, &rlt_method_permute, NULL};

const rlt_method *rlt_method_named(const char *name, size_t length) {
  for (const rlt_method *const *method = rlt_methods; *method != NULL; ++method) {
    if (strlen((*method)->name) == length && memcmp((*method)->name, name, length) == 0) {
      return *method;
    }
  }
  return NULL;
}

rlt_schedule rlt_method_schedule(const rlt_scene *scene, rlt_move move, const char *reason) {
  return (rlt_schedule){.problem = scene->problem,
                        .method = scene->method,
                        .reason = reason,
                        .suits = true,
                        .is_wide = scene->is_wide,
                        .stays_cached = scene->stays_cached,
                        .target = scene->facts->target,
                        .columns = rlt_no_axes,
                        .rows = rlt_no_axes,
                        .move = move,
                        .tile_bytes = scene->tuning->tile_bytes};
}

int32_t rlt_next_source_axis(const rlt_problem *problem, const bool *seen) {
  int32_t best = -1;
  int64_t least = 0;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *const axis = &problem->axes[a];
    const int64_t stride = llabs(axis->source_stride);
    if (!seen[a] && axis->valid > 1 &&
        (best < 0 || stride < least ||
         (stride == least && axis->extent > problem->axes[best].extent))) {
      best = a;
      least = stride;
    }
  }
  return best;
}

int32_t rlt_source_run_axis(const rlt_problem *problem) {
  const bool none[RLT_MAX_AXES] = {false};
  return rlt_next_source_axis(problem, none);
}

int64_t rlt_elements_of(int64_t bytes, int64_t bits) {
  return rlt_max(8 * bytes / bits, 1);
}

int64_t rlt_least_bits(const rlt_problem *problem) {
  return rlt_min(rlt_problem_source_bits(problem), rlt_problem_destination_bits(problem));
}

int64_t rlt_elements_in(const rlt_problem *problem, int64_t bytes) {
  return rlt_elements_of(bytes, rlt_least_bits(problem));
}

bool rlt_is_read_by_axes(const rlt_problem *problem) {
  return problem->index_program == NULL && !rlt_problem_is_fill(problem);
}

bool rlt_runs_along_one_axis(const rlt_problem *problem) {
  return rlt_is_read_by_axes(problem) &&
         (problem->axis_count == 0 ||
          (problem->axes[0].destination_stride == 1 && problem->axes[0].source_stride == 1));
}

bool rlt_runs_along_two_axes(const rlt_problem *problem) {
  const int32_t run = rlt_source_run_axis(problem);
  return rlt_is_read_by_axes(problem) && run > 0 && problem->axes[0].destination_stride == 1 &&
         problem->axes[run].source_stride == 1;
}

bool rlt_sides_are_long(const rlt_problem *problem, int64_t line_bytes, int64_t parts) {
  const int64_t side = rlt_max(rlt_elements_in(problem, line_bytes) / parts, 2);
  return problem->axes[0].valid >= side &&
         problem->axes[rlt_source_run_axis(problem)].valid >= side;
}

bool rlt_copy_runs(const rlt_problem *problem) {
  return problem->axis_count <= 1 || problem->axes[0].valid > 1 || rlt_source_run_axis(problem) < 0;
}

bool rlt_is_one_word(const rlt_scene *scene) {
  const rlt_problem *const problem = scene->problem;
  return scene->is_wide && problem->axis_count == 1 && problem->axes[0].extent == 1;
}

rlt_byte_run rlt_byte_run_of(const rlt_problem *problem) {
  rlt_byte_run run;
  return rlt_problem_byte_run(problem, &run) ? run : (rlt_byte_run){.last = 0, .steps = 1};
}

void rlt_end_with_byte(const rlt_problem *problem, rlt_group *columns) {
  const rlt_byte_run run = rlt_byte_run_of(problem);
  if (rlt_group_last(columns) == run.last) {
    columns->steps = rlt_min(rlt_divide_up(columns->steps, run.steps) * run.steps,
                             problem->axes[run.last].extent);
  }
}

int64_t rlt_even_steps(int64_t extent, int64_t steps) {
  return rlt_divide_up(extent, rlt_divide_up(extent, steps));
}

rlt_group rlt_straight_run(const rlt_scene *scene) {
  const int64_t most = rlt_elements_in(scene->problem, scene->tuning->straight_columns_bytes);
  return scene->problem->axis_count == 0 ? rlt_no_axes : rlt_group_of_axis(scene->problem, 0, most);
}

void rlt_take_straight_runs(const rlt_scene *scene, rlt_schedule *schedule) {
  const rlt_problem *const problem = scene->problem;
  schedule->columns = rlt_straight_run(scene);
  if (problem->axis_count > 1 && schedule->columns.steps == problem->axes[0].extent) {
    const int64_t elements = rlt_elements_in(problem, scene->tuning->straight_tile_bytes);
    schedule->rows = rlt_group_of_axis(problem, 1, elements / schedule->columns.steps);
  }
}

/* ---- Reasons ---- */

const char rlt_transpose_reason[] =
    "the sides run along different axes, both long enough for square tiles";
const char rlt_interleave_reason[] = "a few short runs lie side by side, such as colour channels";
const char rlt_permute_reason[] =
    "an inner axis is short, so several together make one wide enough";

const char *rlt_copy_reason(const rlt_problem *problem) {
  return problem->axis_count == 0
             ? "a single element moves"
             : "both sides run along the same axis, far enough to copy its runs";
}

const char *rlt_index_reason(const rlt_problem *problem) {
  return problem->index_program != NULL
             ? "the tiles of both sides have no common divisor, so each element is looked up"
             : "rows end within bytes, which this device writes one by one";
}
