/* strategy.h: how a problem is carried out, chosen on the host once per plan.
 *
 * Every strategy sees a problem as a grid of two-dimensional tiles. A tile's *columns* run along
 * the destination, its *rows* along the axis (or axes) in which the source runs; each is a group of
 * axes. What is in neither group, and the blocks of an axis that a group takes in parts, make the
 * grid.
 *
 *     kind       columns                              rows
 *     copy       axis 0, along which both sides run   the next axis
 *     transpose  axis 0, where the destination runs   the axis where the source runs
 *     packed     the first axes of the destination,   the first axes of the source that the
 *                together at least a line long        columns do not hold, likewise
 *     fill       the whole destination, one axis      none
 *     gather     axis 0                               none
 *
 * Depends on problem/ and base/.
 */
#ifndef RLT_PLAN_STRATEGY_H
#define RLT_PLAN_STRATEGY_H

#include <stdbool.h>
#include <stdint.h>

#include "problem/problem.h"
#include "relayout/plan.h"

enum {
  RLT_MAX_GROUP_AXES = 16,
  RLT_PAGE_BYTES = 4096 /* what an ordinary page of a host's memory holds */
};

/* Axes that together form one side of a tile. The first varies fastest. All are taken whole but the
 * last, of which a tile takes `block` steps (its whole extent where that is not larger). */
typedef struct rlt_group {
  int32_t axis_count; /* 0: a single position */
  int32_t axes[RLT_MAX_GROUP_AXES];
  int64_t inner; /* positions per step of the last axis: the product of the other extents */
  int64_t block; /* steps of the last axis per tile */
  int64_t halo;  /* assembled tiles: steps of the next block that a tile holds too */
} rlt_group;

/* Positions of a whole tile along this group. */
static inline int64_t rlt_group_length(const rlt_group *group) {
  return group->inner * group->block;
}

/* The same with the halo. */
static inline int64_t rlt_group_held(const rlt_group *group) {
  return group->inner * (group->block + group->halo);
}

/* Steps of the group's axis number `i` that a whole tile holds. */
static inline int64_t rlt_group_steps(const rlt_problem *problem, const rlt_group *group,
                                      int32_t i) {
  return i == group->axis_count - 1 ? group->block + group->halo
                                    : problem->axes[group->axes[i]].extent;
}

/* How far a tile goes on either side. */
typedef struct rlt_runs {
  int64_t read_bytes;
  int64_t write_bytes;
} rlt_runs;

/* Whether runs are copied straight. */
typedef enum rlt_copying {
  RLT_COPYING_BY_LENGTH, /* those that the traits call long */
  RLT_COPYING_STRAIGHT,
  RLT_COPYING_ASSEMBLED
} rlt_copying;

/* What a strategy was to have other than the device's own choice. The same can be asked for once
 * more where the problem is restated in wider words. Zeros ask for nothing. */
typedef struct rlt_variation {
  relayout_strategy wanted; /* AUTO: the best kind */
  rlt_copying copying;      /* on devices that assemble tiles */
  rlt_runs runs;            /* of those tiles, instead of the traits' own; or zeros */
  bool small_tiles;         /* packed: a quarter of what the traits let one take */
} rlt_variation;

typedef struct rlt_strategy {
  relayout_strategy kind; /* never AUTO */
  rlt_variation variation;
  rlt_group columns;
  rlt_group rows;
  bool assembles;     /* a tile is put together before it is written: see assembly.h */
  int64_t most_teeth; /* of the combs that the device has for that */
  const char *reason; /* one clause of English, static: why this kind */
} rlt_strategy;

/* What a device takes for what plain copies need not do, in units of copying one line; cost.h says what
 * is counted. Fitted to measurements: bench/README.md tells how. */
typedef struct rlt_rates {
  double line_again;    /* one that another run has read, or will */
  double line_in_parts; /* reading a line, merging a part of it, writing it */
  double run;           /* fetching ahead begins anew */
  double straight_run;  /* on top, for one that is copied while nothing else is under way */
  double block;         /* of elements of these bytes, turned in registers */
  double line;          /* put in its place in an assembly */
  double element;       /* moved by itself, at its index or by tables */
  double tile;          /* finding where it lies */
  double page;          /* opening one */
} rlt_rates;

/* What the planner knows of a device: the tile sizes its kernels like. A tile of R rows and C
 * columns never takes more than the named bytes. */
typedef struct rlt_traits {
  int64_t line_bytes;            /* runs at least this long are moved at full speed */
  int64_t run_columns_bytes;     /* copy, fill, gather: the longest run of one tile */
  int64_t run_tile_bytes;        /* copy: rows are added to short runs up to this */
  int64_t transpose_rows;        /* transpose: tile rows and columns, in elements, */
  int64_t transpose_columns;     /* whatever their size */
  int64_t transpose_least_bytes; /* what such a tile takes at least to be worth one */
  int64_t packed_tile_bytes;     /* packed: what a tile may take */

  /* Devices that assemble tiles: what one may take, or 0, and has at least; the runs that its rows read
   * from the source and its columns write to the destination, where axes and room allow; and the
   * shortest runs that are copied straight. */
  int64_t assembly_bytes;
  int64_t
      packed_assembly_bytes; /* what one of elements that are packed on a side may take; 0: the same */
  int64_t assembly_least_bytes;
  int64_t assembly_together_bytes; /* the least where both sides go on with the same axis; or 0 */
  rlt_runs assembly_runs;          /* where runs of the destination begin with lines, */
  rlt_runs assembly_far_runs;      /* and these are long, and come from rows that lie far apart */
  rlt_runs assembly_apart_runs;    /* where they begin anywhere in lines; */
  rlt_runs cached_runs; /* all of these where the cache holds the destination; or zeros */
  rlt_runs joined_runs; /* tiles that read so far at once write so far; or zeros */
  int64_t straight_run_bytes;
  int64_t cache_bytes;  /* destinations larger than this are written past the cache; 0: unknown */
  bool carries_lines;   /* tiles go on with lines that others left unfinished, and need no halo */
  bool widens;          /* words of several elements need not be aligned, and may be shuffled */
  int64_t swapped_rows; /* of a tile, among which packed elements may be swapped; 0: they cannot */
  int64_t block_rows;   /* of the blocks that are turned in registers, in elements */
  int64_t block_columns;
  int64_t most_teeth; /* of its combs: see assembly.h; 0: it has none */

  rlt_rates rates;
} rlt_traits;

/* The best strategy, or the one `wanted` unless that is AUTO. Fails with RELAYOUT_UNSUPPORTED only
 * for one that is wanted and does not apply. The problem is simplified and not empty. */
relayout_status rlt_strategy_choose(const rlt_problem *problem, const rlt_traits *traits,
                                    relayout_strategy wanted, rlt_strategy *strategy,
                                    relayout_error *error);

/* The same with more asked for than a kind. */
relayout_status rlt_strategy_vary(const rlt_problem *problem, const rlt_traits *traits,
                                  const rlt_variation *variation, rlt_strategy *strategy,
                                  relayout_error *error);

#endif
