/* runs.c: the bytes behind a problem's axes. */
#include "problem/runs.h"

#include "base/checked.h"

/* ---- Spans ---- */

/* The bytes of elements of this many bits, between these positions. */
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

/* How many digits of an axis are written. */
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

/* Drops steps of 0, and reverses negative steps. */
static void add_step(rlt_runs *of, int64_t count, int64_t stride) {
  if (count == 1 || stride == 0) {
    return;
  }
  if (stride < 0) {
    of->first += (count - 1) * stride;
    stride = -stride;
  }
  int32_t at = of->step_count++;
  for (; at > 0 && of->strides[at - 1] > stride; --at) {
    of->strides[at] = of->strides[at - 1];
    of->counts[at] = of->counts[at - 1];
  }
  of->strides[at] = stride;
  of->counts[at] = count;
}

/* Joins runs that follow each other into longer ones. */
static void join(rlt_runs *of) {
  int32_t joined = 0;
  while (joined < of->step_count && of->strides[joined] == of->length) {
    of->length *= of->counts[joined++];
  }
  of->step_count -= joined;
  for (int32_t i = 0; i < of->step_count; ++i) {
    of->counts[i] = of->counts[i + joined];
    of->strides[i] = of->strides[i + joined];
  }
}

static void visit(const rlt_runs *of, rlt_run_visitor visitor, void *context) {
  int64_t digits[RLT_MAX_AXES] = {0};
  int64_t position = of->first;
  for (;;) {
    visitor(context, bytes_of(position, position + of->length, of->bits));
    int32_t i = 0;
    while (i < of->step_count && ++digits[i] == of->counts[i]) {
      position -= (digits[i] - 1) * of->strides[i];
      digits[i++] = 0;
    }
    if (i == of->step_count) {
      return;
    }
    position += of->strides[i];
  }
}

/* Only a part of the array's last byte may be used. */
static bool are_whole_bytes(const rlt_problem *problem, const rlt_runs *of) {
  const bool ends_array =
      of->step_count == 0 && of->first + of->length == problem->destination_elements;
  bool are = of->first * of->bits % 8 == 0 && (of->length * of->bits % 8 == 0 || ends_array);
  for (int32_t i = 0; i < of->step_count; ++i) {
    are = are && of->strides[i] * of->bits % 8 == 0;
  }
  return are;
}

bool rlt_problem_runs_written(const rlt_problem *problem, rlt_runs *of) {
  *of = (rlt_runs){.first = problem->destination_start,
                   .bits = rlt_problem_destination_bits(problem)};
  if (problem->index_program != NULL || writes_nothing(problem)) {
    return problem->index_program == NULL;
  }
  of->length = 1;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    add_step(of, written_of(problem, a), problem->axes[a].destination_stride);
  }
  join(of);
  return true;
}

bool rlt_problem_runs_read(const rlt_problem *problem, rlt_runs *of) {
  *of = (rlt_runs){.first = problem->source_start, .bits = rlt_problem_source_bits(problem)};
  const rlt_bytes all = rlt_problem_bytes_read(problem);
  if (problem->index_program != NULL || all.first == all.end) {
    return problem->index_program == NULL;
  }
  of->length = 1;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    add_step(of, problem->axes[a].valid, problem->axes[a].source_stride);
  }
  join(of);
  return true;
}

bool rlt_problem_visit_written(const rlt_problem *problem, rlt_run_visitor visitor, void *context) {
  rlt_runs of;
  if (!rlt_problem_runs_written(problem, &of)) {
    return false;
  }
  if (of.length > 0 && !are_whole_bytes(problem, &of)) {
    return false;
  }
  if (of.length > 0 && visitor != NULL) {
    visit(&of, visitor, context);
  }
  return true;
}

bool rlt_problem_visit_read(const rlt_problem *problem, rlt_run_visitor visitor, void *context) {
  rlt_runs of;
  if (!rlt_problem_runs_read(problem, &of)) {
    return false;
  }
  if (of.length > 0 && visitor != NULL) {
    visit(&of, visitor, context);
  }
  return true;
}
