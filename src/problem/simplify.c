/* simplify.c: the same problem with the fewest axes. */
#include <stdint.h>

#include "base/checked.h"
#include "problem/problem.h"

void rlt_problem_insert_axis(rlt_problem *problem, rlt_axis axis) {
  int32_t at = problem->axis_count++;
  for (; at > 0 && problem->axes[at - 1].destination_stride > axis.destination_stride; --at) {
    problem->axes[at] = problem->axes[at - 1];
  }
  problem->axes[at] = axis;
}

/* Drops axes whose digit is always 0. */
static void sort_axes(rlt_problem *problem) {
  const int32_t count = problem->axis_count;
  problem->axis_count = 0;
  for (int32_t a = 0; a < count; ++a) {
    if (problem->axes[a].extent != 1) {
      rlt_problem_insert_axis(problem, problem->axes[a]);
    }
  }
}

/* True if a step of `outer` equals inner->extent steps of `inner` on both sides. */
static bool can_fuse(const rlt_axis *inner, const rlt_axis *outer) {
  /* With one valid step the outer axis never moves in the source, whatever its stride. If nothing
   * has a source, source strides may be too large to multiply. */
  int64_t reach = 0;
  const bool source_allows =
      outer->valid <= 1 ||
      (rlt_multiply(inner->extent, inner->source_stride, &reach) && outer->source_stride == reach);
  return inner->valid == inner->extent && source_allows &&
         outer->destination_stride == inner->extent * inner->destination_stride;
}

static void sort_and_fuse_axes(rlt_problem *problem) {
  sort_axes(problem);
  int32_t count = 0;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *const outer = &problem->axes[a];
    if (count > 0 && can_fuse(&problem->axes[count - 1], outer)) {
      rlt_axis *const inner = &problem->axes[count - 1];
      inner->valid = inner->extent * outer->valid;
      inner->extent *= outer->extent;
    } else {
      problem->axes[count++] = *outer;
    }
  }
  problem->axis_count = count;
}

bool rlt_problem_is_empty(const rlt_problem *problem) {
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    if (problem->axes[a].extent == 0) {
      return true;
    }
  }
  return false;
}

static bool has_valid_zero(const rlt_problem *problem) {
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    if (problem->axes[a].valid == 0) {
      return true;
    }
  }
  return false;
}

static void make_single_axis(rlt_problem *problem, int64_t extent) {
  problem->axes[0] = (rlt_axis){.extent = extent, .source_stride = 1, .destination_stride = 1};
  problem->axis_count = 1;
}

/* Nothing is read, so only the destination decides which axes fuse, and nothing is converted. */
static void simplify_fill(rlt_problem *problem) {
  problem->element_bytes = rlt_problem_destination_bytes(problem);
  problem->conversion = (rlt_conversion){.from = RELAYOUT_ELEMENT_TYPE_INVALID};
  problem->source_swapped = problem->destination_swapped = false;
  problem->source_packed = problem->destination_packed;
  problem->source_high = problem->destination_high;
  problem->source_start = 0;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    problem->axes[a].valid = problem->axes[a].extent;
    problem->axes[a].source_stride = problem->axes[a].destination_stride;
  }
  sort_and_fuse_axes(problem);
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    problem->axes[a].valid = 0;
  }
  if (problem->axis_count == 0) {
    make_single_axis(problem, 1);
  }
}

/* Something has a source. Elements without a source are dropped if nothing is filled. */
static void simplify_move(rlt_problem *problem) {
  for (int32_t a = 0; a < problem->axis_count && !problem->fills; ++a) {
    problem->axes[a].extent = problem->axes[a].valid;
  }
  sort_and_fuse_axes(problem);
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    if (problem->axes[a].valid == 1) {
      problem->axes[a].source_stride =
          rlt_problem_source_steps(problem, 1, problem->axes[a].destination_stride);
    }
  }
}

void rlt_problem_simplify(rlt_problem *problem) {
  if (problem->index_program != NULL) {
    return;
  }
  const bool has_source = !has_valid_zero(problem);
  if (rlt_problem_is_empty(problem) || (!has_source && !problem->fills)) {
    make_single_axis(problem, 0);
    return;
  }
  if (has_source) {
    simplify_move(problem);
  } else {
    simplify_fill(problem);
  }
  rlt_problem_widen_packed(problem);
  if (problem->axis_count > 1) {
    sort_axes(problem); /* axis 0 may be a single word */
  }
}

/* ---- Whole bytes ---- */

enum { MOST_AT_ONCE = 1024 };

/* If there are no gaps, the elements of the axes before one are as many as its stride. Only a part
 * of the array's last byte may be used. */
bool rlt_problem_byte_run(const rlt_problem *problem, rlt_byte_run *run) {
  *run = (rlt_byte_run){.last = 0, .steps = 1};
  if (problem->destination_packed == 0) {
    return true;
  }
  const int64_t per_byte = 8 / problem->destination_packed;
  if (problem->destination_start % per_byte != 0) {
    return false;
  }
  int64_t length = 1;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *const axis = &problem->axes[a];
    const int64_t steps = per_byte / rlt_common_factor(per_byte, length);
    if (axis->destination_stride != length || length * steps > MOST_AT_ONCE) {
      return false;
    }
    *run = (rlt_byte_run){.last = a, .steps = steps};
    const bool ends_array =
        a == problem->axis_count - 1 &&
        problem->destination_start + length * axis->extent == problem->destination_elements;
    if (axis->extent % steps == 0 || ends_array) {
      for (int32_t outer = a + 1; outer < problem->axis_count; ++outer) {
        if (problem->axes[outer].destination_stride % per_byte != 0) {
          return false;
        }
      }
      return true;
    }
    run->steps = axis->extent;
    length *= axis->extent;
  }
  return problem->axis_count == 0 && problem->destination_elements == 1;
}

bool rlt_problem_is_fill(const rlt_problem *problem) {
  return !rlt_problem_is_empty(problem) && has_valid_zero(problem);
}
