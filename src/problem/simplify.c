/* simplify.c: the same problem with the fewest axes. */
#include <stdint.h>

#include "base/checked.h"
#include "problem/problem.h"

/* Replaces the axes by those listed in `order`. */
static void select_axes(rlt_problem *problem, const int32_t *order, int32_t count) {
  rlt_axis axes[RLT_MAX_AXES];
  for (int32_t a = 0; a < count; ++a) {
    axes[a] = problem->axes[order[a]];
  }
  for (int32_t a = 0; a < count; ++a) {
    problem->axes[a] = axes[a];
  }
  problem->axis_count = count;
}

/* A digit that is always 0 adds nothing to any position. */
static void drop_unit_axes(rlt_problem *problem) {
  int32_t kept[RLT_MAX_AXES];
  int32_t count = 0;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    if (problem->axes[a].extent != 1) {
      kept[count++] = a;
    }
  }
  select_axes(problem, kept, count);
}

static void sort_by_destination_stride(rlt_problem *problem) {
  int32_t order[RLT_MAX_AXES];
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const int64_t stride = problem->axes[a].destination_stride;
    int32_t at = a;
    for (; at > 0 && problem->axes[order[at - 1]].destination_stride > stride; --at) {
      order[at] = order[at - 1];
    }
    order[at] = a;
  }
  select_axes(problem, order, problem->axis_count);
}

/* Whether a step of `outer` is as good as inner.extent steps of `inner`, on both sides. */
static bool can_fuse(const rlt_problem *problem, int32_t inner_at, int32_t outer_at) {
  const rlt_axis *inner = &problem->axes[inner_at];
  const rlt_axis *outer = &problem->axes[outer_at];
  if (inner->valid < inner->extent) {
    return false;
  }
  /* With one valid step the outer axis never moves in the source, whatever its stride. */
  const bool source_allows =
      outer->valid <= 1 || outer->source_stride == inner->extent * inner->source_stride;
  return source_allows && outer->destination_stride == inner->extent * inner->destination_stride;
}

static void fuse_neighbours(rlt_problem *problem) {
  int32_t kept[RLT_MAX_AXES];
  int32_t count = 0;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    if (count > 0 && can_fuse(problem, kept[count - 1], a)) {
      rlt_axis *inner = &problem->axes[kept[count - 1]];
      inner->valid = inner->extent * problem->axes[a].valid;
      inner->extent *= problem->axes[a].extent;
    } else {
      kept[count++] = a;
    }
  }
  select_axes(problem, kept, count);
}

static bool has_extent_zero(const rlt_problem *problem) {
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

/* What neither has a source nor is filled is not there. */
static void leave_alone(rlt_problem *problem) {
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    problem->axes[a].extent = problem->axes[a].valid;
  }
}

static void make_single_axis(rlt_problem *problem, int64_t extent) {
  problem->axes[0] = (rlt_axis){.extent = extent, .source_stride = 1, .destination_stride = 1};
  problem->axis_count = 1;
}

/* ---- Wider elements ---- */

/* Whether pairs of packed elements always move together, or are filled. */
static bool pairs_stay_whole(const rlt_problem *problem) {
  const rlt_axis *const inner = &problem->axes[0];
  if (problem->axis_count == 0 || inner->destination_stride != 1 || inner->source_stride != 1 ||
      inner->extent % 2 != 0 || inner->valid % 2 != 0 || problem->source_start % 2 != 0 ||
      problem->destination_start % 2 != 0) {
    return false;
  }
  for (int32_t a = 1; a < problem->axis_count; ++a) {
    const rlt_axis *const axis = &problem->axes[a];
    if (axis->source_stride % 2 != 0 || axis->destination_stride % 2 != 0) {
      return false;
    }
  }
  return true;
}

static void pair(rlt_problem *problem) {
  problem->axes[0].extent /= 2;
  problem->axes[0].valid /= 2;
  for (int32_t a = 1; a < problem->axis_count; ++a) {
    problem->axes[a].source_stride /= 2;
    problem->axes[a].destination_stride /= 2;
  }
  problem->source_start /= 2;
  problem->destination_start /= 2;
  problem->source_elements = (problem->source_elements + 1) / 2;
  problem->destination_elements = (problem->destination_elements + 1) / 2;
  const unsigned fill = problem->fill[0] & ((1u << problem->source_packed) - 1);
  problem->fill[0] = (uint8_t)(fill | fill << problem->source_packed);
  problem->fill_word[0] = problem->fill[0];
  const int64_t bits = 2 * problem->source_packed;
  problem->source_packed = bits < 8 ? bits : 0;
  problem->destination_packed = problem->source_packed;
}

/* Packed elements that move as packed ones do so byte by byte, if they can. */
static void widen_packed(rlt_problem *problem) {
  while (problem->source_packed > 0 && problem->source_packed == problem->destination_packed &&
         problem->conversion.from == RELAYOUT_ELEMENT_TYPE_INVALID && pairs_stay_whole(problem)) {
    pair(problem);
  }
  if (problem->axis_count > 1 && problem->axes[0].extent == 1) {
    drop_unit_axes(problem);
  }
}

/* Nothing is read: only the destination decides what fuses. */
static void simplify_fill(rlt_problem *problem) {
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    problem->axes[a].valid = problem->axes[a].extent;
    problem->axes[a].source_stride = problem->axes[a].destination_stride;
  }
  drop_unit_axes(problem);
  sort_by_destination_stride(problem);
  fuse_neighbours(problem);
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    problem->axes[a].valid = 0;
  }
  if (problem->axis_count == 0) {
    make_single_axis(problem, 1);
  }
  widen_packed(problem);
}

void rlt_problem_simplify(rlt_problem *problem) {
  if (problem->index_program != NULL) {
    return;
  }
  const bool no_source = has_valid_zero(problem);
  if (has_extent_zero(problem) || (no_source && !problem->fills)) {
    make_single_axis(problem, 0);
    return;
  }
  if (no_source) {
    simplify_fill(problem);
    return;
  }
  if (!problem->fills) {
    leave_alone(problem);
  }
  drop_unit_axes(problem);
  sort_by_destination_stride(problem);
  fuse_neighbours(problem);
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    if (problem->axes[a].valid == 1) {
      problem->axes[a].source_stride =
          rlt_problem_source_steps(problem, 1, problem->axes[a].destination_stride);
    }
  }
  widen_packed(problem);
}

/* ---- Whole bytes ---- */

enum { MOST_AT_ONCE = 1024 };

/* Without a gap, what comes before an axis is as long as its stride. The array's
 * last byte may be used in part. */
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
    const int64_t steps =
        length % per_byte == 0 ? 1 : per_byte / rlt_common_factor(per_byte, length);
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

bool rlt_problem_is_dense(const rlt_problem *problem) {
  int64_t length = 1;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    if (problem->axes[a].destination_stride != length) {
      return false;
    }
    length *= problem->axes[a].extent;
  }
  return problem->destination_start == 0 && length == problem->destination_elements;
}

bool rlt_problem_is_empty(const rlt_problem *problem) {
  return has_extent_zero(problem);
}

bool rlt_problem_is_fill(const rlt_problem *problem) {
  return !has_extent_zero(problem) && has_valid_zero(problem);
}
