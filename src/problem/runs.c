/* runs.c: the bytes behind a problem's axes. */
#include "problem/runs.h"

#include "base/checked.h"

/* ---- Spans ---- */

/* Of elements of so many bits, between these positions. */
static rlt_bytes bytes_of(int64_t first, int64_t end, int64_t bits) {
  return (rlt_bytes){first * bits / 8, rlt_divide_up(end * bits, 8)};
}

rlt_bytes rlt_problem_bytes_read(const rlt_problem *problem) {
  if (problem->index_program != NULL) {
    return (rlt_bytes){0, (int64_t)rlt_problem_source_size(problem)};
  }
  if (rlt_problem_is_empty(problem) || rlt_problem_is_fill(problem)) {
    return (rlt_bytes){0, 0};
  }
  int64_t first = problem->source_start;
  int64_t last = problem->source_start;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *const axis = &problem->axes[a];
    const int64_t reach = rlt_problem_source_steps(problem, axis->valid - 1, axis->source_stride);
    first += rlt_min(reach, 0);
    last += rlt_max(reach, 0);
  }
  return bytes_of(first, last + 1, rlt_problem_source_bits(problem));
}

/* How many digits of an axis write. */
static int64_t written_of(const rlt_problem *problem, int32_t a) {
  return problem->fills ? problem->axes[a].extent : problem->axes[a].valid;
}

static bool writes_nothing(const rlt_problem *problem) {
  return rlt_problem_is_empty(problem) || (!problem->fills && rlt_problem_is_fill(problem));
}

rlt_bytes rlt_problem_bytes_written(const rlt_problem *problem) {
  if (problem->index_program != NULL) {
    return (rlt_bytes){0, (int64_t)rlt_problem_destination_size(problem)};
  }
  if (writes_nothing(problem)) {
    return (rlt_bytes){0, 0};
  }
  int64_t last = problem->destination_start;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    last += (written_of(problem, a) - 1) * problem->axes[a].destination_stride;
  }
  return bytes_of(problem->destination_start, last + 1, rlt_problem_destination_bits(problem));
}

/* ---- Runs ---- */

/* The elements that lie one behind the other, and the axes behind those that these are of. */
typedef struct runs {
  int64_t length;
  int32_t outer;
} runs;

static runs runs_of(const rlt_problem *problem) {
  runs found = {.length = 1};
  while (found.outer < problem->axis_count &&
         problem->axes[found.outer].destination_stride == found.length) {
    found.length *= written_of(problem, found.outer++);
  }
  return found;
}

/* The array's last byte may be used in part. */
static bool are_whole_bytes(const rlt_problem *problem, const runs *of) {
  const int64_t bits = rlt_problem_destination_bits(problem);
  const bool ends_array = of->outer == problem->axis_count &&
                          problem->destination_start + of->length == problem->destination_elements;
  bool are =
      problem->destination_start * bits % 8 == 0 && (of->length * bits % 8 == 0 || ends_array);
  for (int32_t a = of->outer; a < problem->axis_count; ++a) {
    are = are && problem->axes[a].destination_stride * bits % 8 == 0;
  }
  return are;
}

bool rlt_problem_visit_runs(const rlt_problem *problem, rlt_run_visitor visitor, void *context) {
  if (problem->index_program != NULL) {
    return false;
  }
  if (writes_nothing(problem)) {
    return true;
  }
  const runs of = runs_of(problem);
  if (!are_whole_bytes(problem, &of)) {
    return false;
  }
  const int64_t bits = rlt_problem_destination_bits(problem);
  int64_t digits[RLT_MAX_AXES] = {0};
  int64_t position = problem->destination_start;
  for (;;) {
    visitor(context, bytes_of(position, position + of.length, bits));
    int32_t a = of.outer;
    while (a < problem->axis_count && ++digits[a] == written_of(problem, a)) {
      position -= (digits[a] - 1) * problem->axes[a].destination_stride;
      digits[a++] = 0;
    }
    if (a == problem->axis_count) {
      return true;
    }
    position += problem->axes[a].destination_stride;
  }
}
