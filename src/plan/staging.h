/* staging.h: a tile put together as the destination has it, to be written from there line by line.
 *
 * The rows and columns of a tile, its axes, lie in the destination as *segments*: runs without
 * gaps, as long as the tile's axes make them together.
 *
 *     tile        columns a b, rows 0 1 2        destination    a0 b0 a1 b1 a2 b2 | . . . .
 *                 one segment of 6, dense in both axes          a3 b3 a4 b4 a5 b5 | . . . .
 *
 * In the staging buffer one segment follows the other, `segment_pitch` apart. Whoever fills it
 * stores up to `lanes` elements at once, valid or not; what spills over is written again later, or
 * lies in the gap behind a segment. Where the order of the pieces does not promise that, `exact` is
 * set, and no more may be stored than is valid.
 *
 * Depends on tile.h and problem/.
 */
#ifndef RLT_PLAN_STAGING_H
#define RLT_PLAN_STAGING_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/tile.h"
#include "problem/problem.h"

/* Lengths and offsets count elements. */
typedef struct rlt_staging {
  int64_t dense_columns; /* neighbouring column positions that are neighbours in the destination, */
  int64_t valid_columns; /* of which the first can have a source, if copied or interleaved */
  int64_t dense_rows;    /* neighbouring row positions that are neighbours in the source, */
  int64_t valid_rows;    /* of which the first ones can have one */
  int64_t segment_count;
  int64_t segment_length;
  int64_t segment_pitch;
  int64_t segment_unit; /* the length, for each step of the last axis of segment_side */
  rlt_segment_side segment_side;
  bool exact;

  /* Channels: 2, 3, 4 or 8 short runs side by side, not more than the device's most, are
   * interleaved and de-interleaved instead of transposed. 0: there are none, as for all copies.
   *
   *     a0 b0 c0 a1 b1 c1 a2 b2 c2     <->     a0 a1 a2   b0 b1 b2   c0 c1 c2
   */
  int64_t read_channels;  /* from one of the dense columns to the next in the source */
  int64_t write_channels; /* from one of the dense rows to the next here, columns between */

  bool rows_inside; /* copies: the runs are ascending when the inner loop is the one over rows */
  int64_t elements; /* what the staging buffer takes, spills included */
  int64_t strides[RLT_MAX_AXES]; /* of the tile's axes in the staging buffer; 0 for the others */
} rlt_staging;

/* How many steps of the axis that segments end with a tile has: each is segment_unit long. */
static inline int64_t rlt_staging_steps(const rlt_staging *staging, int64_t column_steps,
                                        int64_t row_steps) {
  switch (staging->segment_side) {
  case RLT_SEGMENT_COLUMNS:
    return column_steps;
  case RLT_SEGMENT_ROWS:
    return row_steps;
  case RLT_SEGMENT_NEITHER:
    break;
  }
  return 1;
}

/* What is put together, and how. */
typedef struct rlt_staging_request {
  const rlt_problem *problem;
  const rlt_group *columns;
  const rlt_group *rows;
  bool copies;           /* pieces are runs that both sides have */
  int64_t most_channels; /* that are interleaved; 0: none are */
  int64_t lanes;
} rlt_staging_request;

/* For stores in pieces of dense_columns: all rows of one piece, then those of the next. A copy's
 * pieces are its runs, and may be stored the other way round too. */
void rlt_staging_make(const rlt_staging_request *of, rlt_staging *staging);

static inline bool rlt_staging_interleaves(const rlt_staging *staging) {
  return staging->read_channels > 0 || staging->write_channels > 0;
}

/* What one segment of a whole tile is: where it lies in the destination, and at which steps of the
 * groups' last axes, which a ragged tile may not have. */
typedef struct rlt_segment {
  int64_t destination;
  int64_t column_step;
  int64_t row_step;
} rlt_segment;

void rlt_staging_segments(const rlt_problem *problem, const rlt_group *columns,
                          const rlt_group *rows, const rlt_staging *staging, rlt_segment *segments);

/* Where the positions of a group lie in the staging buffer. */
void rlt_staging_offsets(const rlt_problem *problem, const rlt_group *group,
                         const rlt_staging *staging, int64_t *offsets);

#endif
