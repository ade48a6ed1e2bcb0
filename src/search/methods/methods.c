/* methods.c: the table of methods, and what several of them ask of a problem. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "search/methods/method.h"

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
  const int32_t word = rlt_word_size_number(scene->problem->element_bytes);
  const bool is_local = scene->facts->memory == RLT_STAGING_LOCAL;
  const rlt_tile_wish none = {.runs = {0, 0}};
  return (rlt_schedule){.problem = scene->problem,
                        .method = scene->method,
                        .reason = reason,
                        .suits = true,
                        .is_wide = scene->is_wide,
                        .memory = scene->facts->memory,
                        .columns = rlt_no_axes,
                        .rows = rlt_no_axes,
                        .move = move,
                        .wish = is_local ? scene->tuning->words[word].tiles[RLT_TILES_ANY] : none,
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

bool rlt_writes_bytes(const rlt_scene *scene, bool by_several_axes) {
  rlt_byte_run run;
  return scene->problem->destination_packed == 0 || scene->facts->memory == RLT_STAGING_PRIVATE ||
         (rlt_problem_byte_run(scene->problem, &run) && (run.last == 0 || by_several_axes));
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

/* Half a line is where a square tile begins to pay: below, most of its lines are not whole. Of
 * packed elements a quarter does too in local memory, where other tiles look up each element. */
bool rlt_square_tiles_pay(const rlt_scene *scene) {
  const rlt_problem *const problem = scene->problem;
  const bool is_local = scene->facts->memory == RLT_STAGING_LOCAL;
  const int64_t part = rlt_problem_is_packed(problem) && is_local ? 4 : 2;
  const int64_t side = rlt_max(rlt_elements_in(problem, scene->facts->line_bytes) / part, 2);
  return problem->axes[0].valid >= side &&
         problem->axes[rlt_source_run_axis(problem)].valid >= side;
}

bool rlt_is_left_to_wide(const rlt_scene *scene) {
  return scene->has_wide && !scene->is_wide &&
         (scene->facts->memory == RLT_STAGING_PRIVATE || rlt_problem_is_packed(scene->problem));
}

rlt_byte_run rlt_byte_run_of(const rlt_problem *problem) {
  rlt_byte_run run;
  return rlt_problem_byte_run(problem, &run) ? run : (rlt_byte_run){.last = 0, .steps = 1};
}

void rlt_end_with_byte(const rlt_problem *problem, rlt_group *columns) {
  const rlt_byte_run run = rlt_byte_run_of(problem);
  if (rlt_group_last(columns) == run.last) {
    columns->block = rlt_min(rlt_divide_up(columns->block, run.steps) * run.steps,
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
