/* tile.h: the axes that a tile takes, and how many steps of each.
 *
 * A tile's *columns* run along the destination, its *rows* along the source; each is a group of
 * axes. What is in neither group, and the blocks of an axis that a group takes in parts, are
 * the loops over tiles (grid.h).
 *
 * Depends on problem/.
 */
#ifndef RLT_SCHEDULE_TILE_H
#define RLT_SCHEDULE_TILE_H

#include <stdbool.h>
#include <stdint.h>

#include "problem/problem.h"

enum { RLT_MAX_GROUP_AXES = 16 };

/* Axes that together form one side of a tile. The first varies fastest. All are taken whole but the
 * last, of which a tile takes `steps` (its whole extent where that is not larger). */
typedef struct rlt_group {
  int32_t axis_count; /* 0: a single position */
  int32_t axes[RLT_MAX_GROUP_AXES];
  int64_t inner; /* positions per step of the last axis: the product of the other extents */
  int64_t steps; /* of the last axis that a tile has */
} rlt_group;

/* Without axes. */
static const rlt_group rlt_no_axes = {.axis_count = 0, .inner = 1, .steps = 1};

/* Positions of a whole tile along this group. */
static inline int64_t rlt_group_length(const rlt_group *group) {
  return group->inner * group->steps;
}

/* Steps of the group's axis number `i` that a whole tile has. */
static inline int64_t rlt_group_steps(const rlt_problem *problem, const rlt_group *group,
                                      int32_t i) {
  return i == group->axis_count - 1 ? group->steps : problem->axes[group->axes[i]].extent;
}

/* The group's last axis; -1 without axes. */
static inline int32_t rlt_group_last(const rlt_group *group) {
  return group->axis_count > 0 ? group->axes[group->axis_count - 1] : -1;
}

/* How long the axis is that a group takes in blocks; 1 without axes. */
static inline int64_t rlt_group_extent(const rlt_problem *problem, const rlt_group *group) {
  return group->axis_count > 0 ? problem->axes[rlt_group_last(group)].extent : 1;
}

/* A group of `most` steps of one axis, or of all if it has fewer. */
rlt_group rlt_group_of_axis(const rlt_problem *problem, int32_t axis, int64_t most);

bool rlt_group_has(const rlt_group *group, int32_t axis);

/* Appends an axis, as many steps of it as bring the group to `target` positions. There is room. */
void rlt_group_append(const rlt_problem *problem, rlt_group *group, int32_t axis, int64_t target);

/* An axis of a tile. */
typedef struct rlt_tile_axis {
  int32_t axis;
  int64_t steps; /* that a whole tile has */
  bool of_columns;
  bool last;   /* of its group */
  bool is_cut; /* taken in blocks: a ragged tile has fewer steps */
} rlt_tile_axis;

enum { RLT_MAX_TILE_AXES = 2 * RLT_MAX_GROUP_AXES };

/* All axes of a tile, the columns' first, to room for RLT_MAX_TILE_AXES. How many there are. */
int32_t rlt_tile_axes(const rlt_problem *problem, const rlt_group *columns, const rlt_group *rows,
                      rlt_tile_axis *axes);

/* The axes that a tile reads along, the smallest stride first, with the steps that have a source.
 * What repeats itself in the source is read once. */
int32_t rlt_tile_read_axes(const rlt_problem *problem, const rlt_group *columns,
                           const rlt_group *rows, rlt_tile_axis *axes);

/* Whose last axis makes a ragged tile's runs shorter. */
typedef enum rlt_segment_side {
  RLT_SEGMENT_NEITHER = 0,
  RLT_SEGMENT_COLUMNS = 1,
  RLT_SEGMENT_ROWS = 2
} rlt_segment_side;

/* The contiguous runs of a tile on one side, along the first `axis_count` of its axes there. */
typedef struct rlt_tile_runs {
  int32_t axis_count;
  int64_t length; /* of a whole tile's, in elements */
  int64_t valid;  /* of which the first can have a source, as far as a run tells */
  int64_t unit;   /* the length, for each step of the last axis of `side` */
  rlt_segment_side side;
} rlt_tile_runs;

/* In the source runs also end with an axis of which not all steps have one, and before those that
 * bits are transposed among. */
rlt_tile_runs rlt_tile_runs_of(const rlt_problem *problem, const rlt_tile_axis *axes, int32_t count,
                               bool in_source);

/* The runs of a group's axes alone. */
rlt_tile_runs rlt_group_runs(const rlt_problem *problem, const rlt_group *group, bool in_source);

/* Where one of a tile's runs starts, and at which steps of the groups' last axes, which a ragged
 * tile may not have. */
typedef struct rlt_tile_run {
  int64_t start;
  int32_t column_step; /* tables have many of these */
  int32_t row_step;
} rlt_tile_run;

/* Number `number` of the runs that these axes, which are in none, lead to. */
rlt_tile_run rlt_tile_run_at(const rlt_problem *problem, const rlt_tile_axis *axes, int32_t count,
                             bool in_source, int64_t number);

/* How many steps of the groups' last axes a tile has: a ragged one has fewer. */
typedef struct rlt_tile_steps {
  int64_t columns;
  int64_t rows;
} rlt_tile_steps;

static inline bool rlt_tile_has_run(rlt_tile_steps has, const rlt_tile_run *run) {
  return run->column_step < has.columns && run->row_step < has.rows;
}

/* The length of a tile's runs, in elements. */
static inline int64_t rlt_run_elements(const rlt_tile_runs *runs, rlt_tile_steps has) {
  return runs->unit * (runs->side == RLT_SEGMENT_COLUMNS ? has.columns
                       : runs->side == RLT_SEGMENT_ROWS  ? has.rows
                                                         : 1);
}

/* Where the positions of a group lie, relative to the tile's start: for position p in
 * 0 .. rlt_group_length-1 its offset in the source, and where its axes have these strides, or those
 * of the destination where `strides` is NULL; in elements. A position that never has a source,
 * whatever the tile, because a digit of an axis before the last is not below its valid, has the
 * source offset RLT_NO_SOURCE; the last axis is bounded by rlt_tile's valid count. */
#define RLT_NO_SOURCE INT64_MIN
void rlt_group_offsets(const rlt_problem *problem, const rlt_group *group, const int64_t *strides,
                       int64_t *source, int64_t *destination);

/* The farthest position of a whole tile's group with a source, in elements of the source. */
int64_t rlt_group_reach(const rlt_problem *problem, const rlt_group *group);

/* True if some position of the group never has a source. */
bool rlt_group_has_gaps(const rlt_problem *problem, const rlt_group *group);

#endif
