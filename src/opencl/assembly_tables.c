#include "opencl/assembly_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "plan/assembly.h"
#include "plan/grid.h"

/* Word for word as cl/assembly.cl declares it. */
typedef struct kernel_assembly {
  int64_t dense_columns;
  int64_t valid_columns;
  int64_t dense_rows;
  int64_t valid_rows;
  int64_t segment_count;
  int64_t segment_pitch;
  int64_t segment_unit;
  int64_t segment_side;
  int64_t exact;
  int64_t rows_inside;
  int64_t column_gaps;
  int64_t row_gaps;
  int64_t column_reach;
  int64_t row_reach;
  int64_t source_elements;
  int64_t unused; /* what follows is aligned to pairs of eight-byte words */
} kernel_assembly;

_Static_assert(sizeof(kernel_assembly) == 128, "kernels count on eight-byte words without gaps");

/* Pairs of offsets in the making, as wide as the kernel reads them. */
typedef struct pair_list {
  bool wide;
  size_t count;
  void *pairs;
} pair_list;

static void add_pair(pair_list *list, int64_t x, int64_t y) {
  if (list->wide) {
    int64_t *const pair = (int64_t *)list->pairs + 2 * list->count;
    pair[0] = x;
    pair[1] = y;
  } else {
    int32_t *const pair = (int32_t *)list->pairs + 2 * list->count;
    pair[0] = x == RLT_NO_SOURCE ? INT32_MIN : (int32_t)x;
    pair[1] = (int32_t)y;
  }
  ++list->count;
}

static relayout_status no_memory(relayout_error *error) {
  return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan's tables");
}

static relayout_status add_positions(const rlt_problem *problem, const rlt_group *group,
                                     const rlt_assembly *assembly, pair_list *list,
                                     relayout_error *error) {
  const size_t length = (size_t)rlt_group_length(group);
  int64_t *const offsets = malloc(2 * length * sizeof *offsets);
  if (offsets == NULL) {
    return no_memory(error);
  }
  rlt_group_offsets(problem, group, offsets, NULL);
  rlt_assembly_offsets(problem, group, assembly, offsets + length);
  for (size_t p = 0; p < length; ++p) {
    add_pair(list, offsets[p], offsets[length + p]);
  }
  free(offsets);
  return RELAYOUT_OK;
}

static relayout_status add_segments(const rlt_problem *problem, const rlt_strategy *strategy,
                                    const rlt_assembly *assembly, pair_list *list,
                                    relayout_error *error) {
  rlt_segment *const segments = malloc((size_t)assembly->segment_count * sizeof *segments);
  if (segments == NULL) {
    return no_memory(error);
  }
  rlt_assembly_segments(problem, strategy, assembly, segments);
  for (int64_t s = 0; s < assembly->segment_count; ++s) {
    add_pair(list, segments[s].destination, 0);
    add_pair(list, segments[s].column_step, segments[s].row_step);
  }
  free(segments);
  return RELAYOUT_OK;
}

/* The farthest position of the group with a source, its last axis left out. */
static int64_t inner_reach(const rlt_problem *problem, const rlt_group *group) {
  int64_t reach = 0;
  for (int32_t i = 0; i + 1 < group->axis_count; ++i) {
    const rlt_axis *const axis = &problem->axes[group->axes[i]];
    reach += rlt_max((axis->valid - 1) * axis->source_stride, 0);
  }
  return reach;
}

static bool has_gaps(const rlt_problem *problem, const rlt_group *group) {
  for (int32_t i = 0; i + 1 < group->axis_count; ++i) {
    if (problem->axes[group->axes[i]].valid < problem->axes[group->axes[i]].extent) {
      return true;
    }
  }
  return false;
}

relayout_status rlt_assembly_tables_make(const rlt_problem *problem, const rlt_strategy *strategy,
                                         bool wide, void **tables, size_t *size,
                                         relayout_error *error) {
  rlt_assembly assembly;
  rlt_assembly_make(problem, strategy, 64 / problem->element_bytes, &assembly);
  const kernel_assembly head = {.dense_columns = assembly.dense_columns,
                                .valid_columns = assembly.valid_columns,
                                .dense_rows = assembly.dense_rows,
                                .valid_rows = assembly.valid_rows,
                                .segment_count = assembly.segment_count,
                                .segment_pitch = assembly.segment_pitch,
                                .segment_unit = assembly.segment_unit,
                                .segment_side = assembly.segment_side,
                                .exact = assembly.exact,
                                .rows_inside = assembly.rows_inside,
                                .column_gaps = has_gaps(problem, &strategy->columns),
                                .row_gaps = has_gaps(problem, &strategy->rows),
                                .column_reach = inner_reach(problem, &strategy->columns),
                                .row_reach = inner_reach(problem, &strategy->rows),
                                .source_elements = problem->source_elements};
  const int64_t pairs = rlt_group_length(&strategy->rows) + rlt_group_length(&strategy->columns) +
                        2 * assembly.segment_count;
  *size = sizeof head + (size_t)pairs * (wide ? 16 : 8);
  uint8_t *const made = malloc(*size);
  if (made == NULL) {
    return no_memory(error);
  }
  memcpy(made, &head, sizeof head);
  pair_list list = {.wide = wide, .pairs = made + sizeof head};
  relayout_status status = add_positions(problem, &strategy->rows, &assembly, &list, error);
  if (status == RELAYOUT_OK) {
    status = add_positions(problem, &strategy->columns, &assembly, &list, error);
  }
  if (status == RELAYOUT_OK) {
    status = add_segments(problem, strategy, &assembly, &list, error);
  }
  if (status != RELAYOUT_OK) {
    free(made);
    return status;
  }
  *tables = made;
  return RELAYOUT_OK;
}
