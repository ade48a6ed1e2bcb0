/* crop.c: a small part of a large problem, with the strides of the whole. */
#include "problem/crop.h"

#include <stdlib.h>

#include "base/checked.h"

enum { PAGE_BYTES = 4096 };

/* The span of an axis on a side, from its first step to its last. */
static int64_t reach_of(const rlt_axis *axis, bool in_source) {
  return in_source ? rlt_max(axis->valid - 1, 0) * llabs(axis->source_stride)
                   : (axis->extent - 1) * axis->destination_stride;
}

static int64_t span_of(const rlt_problem *problem, bool in_source) {
  int64_t span = 1;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    span += reach_of(&problem->axes[a], in_source);
  }
  return span;
}

/* The axis with the longest span among those that can be shortened; -1 if none can. */
static int32_t farthest(const rlt_problem *problem, const int64_t *least, bool in_source) {
  int32_t best = -1;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *const axis = &problem->axes[a];
    const int64_t reach = reach_of(axis, in_source);
    if (axis->extent > least[a] && reach > 0 &&
        (best < 0 || reach > reach_of(&problem->axes[best], in_source))) {
      best = a;
    }
  }
  return best;
}

static void halve(rlt_axis *axis, int64_t least) {
  const int64_t half = axis->extent / 2;
  axis->extent = rlt_max(half - half % least, least);
  axis->valid = rlt_min(axis->valid, axis->extent);
}

/* False if the side cannot be made to span at most this many elements. */
static bool shorten(rlt_problem *problem, const int64_t *least, bool in_source, int64_t most) {
  while (span_of(problem, in_source) > most) {
    const int32_t axis = farthest(problem, least, in_source);
    if (axis < 0) {
      return false;
    }
    halve(&problem->axes[axis], least[axis]);
  }
  return true;
}

/* How far the source reaches below its start. */
static int64_t source_before(const rlt_problem *problem) {
  int64_t before = 0;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *const axis = &problem->axes[a];
    before += axis->source_stride < 0 ? reach_of(axis, true) : 0;
  }
  return before;
}

/* Each side begins in its first page. */
static void move_starts(rlt_problem *problem) {
  const int64_t source_page = 8 * PAGE_BYTES / rlt_problem_source_bits(problem);
  const int64_t destination_page = 8 * PAGE_BYTES / rlt_problem_destination_bits(problem);
  const int64_t before = source_before(problem);
  const int64_t lowest = (problem->source_start - before) % source_page;
  problem->source_start = lowest + before;
  problem->source_elements = lowest + span_of(problem, true);
  problem->destination_start %= destination_page;
  problem->destination_elements = problem->destination_start + span_of(problem, false);
}

/* Tiles still write whole bytes, if they did so before. */
static bool writes_bytes(const rlt_problem *problem) {
  rlt_byte_run run;
  return rlt_problem_byte_run(problem, &run);
}

bool rlt_problem_crop(rlt_problem *problem, const int64_t *least, int64_t source_bytes,
                      int64_t destination_bytes) {
  const int64_t source = 8 * (source_bytes - PAGE_BYTES) / rlt_problem_source_bits(problem);
  const int64_t destination =
      8 * (destination_bytes - PAGE_BYTES) / rlt_problem_destination_bits(problem);
  if (problem->index_program != NULL || !writes_bytes(problem) ||
      !shorten(problem, least, true, source) || !shorten(problem, least, false, destination)) {
    return false;
  }
  move_starts(problem);
  return writes_bytes(problem);
}
