/* tile_buffer.h: a tile put together as the destination has it, to be written from there line by
 * line.
 *
 * The rows and columns of a tile, its axes, lie in the destination as *segments*: runs without
 * gaps, as long as the tile's axes make them together.
 *
 *     tile        columns a b, rows 0 1 2        destination    a0 b0 a1 b1 a2 b2 | . . . .
 *                 one segment of 6, dense in both axes          a3 b3 a4 b4 a5 b5 | . . . .
 *
 * In the tile buffer one segment follows the other, `segment_pitch` apart. Whoever fills it
 * stores up to `lanes` elements at once, valid or not; what spills over is written again later, or
 * lies in the gap behind a segment. Where the order of the pieces does not promise that, `exact` is
 * set, and no more may be stored than is valid.
 *
 * Depends on tile.h and problem/.
 */
#ifndef RLT_CPU_TILE_BUFFER_H
#define RLT_CPU_TILE_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "problem/problem.h"
#include "schedule/tile.h"

/* Lengths and offsets count elements. */
typedef struct rlt_tile_buffer {
  int64_t dense_columns; /* neighbouring column positions that are neighbours in the destination, */
  int64_t valid_columns; /* of which the first can have a source, if copied or interleaved */
  int64_t dense_rows;    /* neighbouring row positions that are neighbours in the source, */
  int64_t valid_rows;    /* of which the first ones can have one */
  rlt_tile_runs segment; /* what each is */
  int64_t segment_count;
  int64_t segment_pitch;
  bool exact;

  /* Channels: short runs side by side, as many as the device knows, are joined and parted instead
   * of transposed. 0: there are none, as for all copies.
   *
   *     a0 b0 c0 a1 b1 c1 a2 b2 c2     <->     a0 a1 a2   b0 b1 b2   c0 c1 c2
   */
  int64_t read_channels;  /* from one of the dense columns to the next in the source */
  int64_t write_channels; /* from one of the dense rows to the next here, columns between */

  bool rows_inside; /* copies: the runs are ascending when the inner loop is the one over rows */
  int64_t elements; /* what the tile buffer takes, spills included */
} rlt_tile_buffer;

/* The tile that a buffer is for. */
typedef struct rlt_tile_buffer_request {
  const rlt_problem *problem;
  const rlt_group *columns;
  const rlt_group *rows;
  bool copies;           /* pieces are runs that both sides have */
  int64_t most_channels; /* that are interleaved, 2 to 4 or 8; 0: none are; */
  int64_t most_in_lanes; /* and of those from 5 on */
  int64_t lanes;
} rlt_tile_buffer_request;

/* For stores in pieces of dense_columns: all rows of one piece, then those of the next. A copy's
 * pieces are its runs, and may be stored the other way round too. */
void rlt_tile_buffer_make(const rlt_tile_buffer_request *of, rlt_tile_buffer *tile_buffer);

/* Sets the strides of the tile's axes in the tile buffer; those of other axes become 0. */
void rlt_tile_buffer_strides(const rlt_problem *problem, const rlt_group *columns,
                             const rlt_group *rows, const rlt_tile_buffer *tile_buffer,
                             int64_t strides[RLT_MAX_AXES]);

static inline bool rlt_tile_buffer_interleaves(const rlt_tile_buffer *tile_buffer) {
  return tile_buffer->read_channels > 0 || tile_buffer->write_channels > 0;
}

/* Where the segments of a whole tile lie in the destination. */
void rlt_staging_segments(const rlt_problem *problem, const rlt_group *columns,
                          const rlt_group *rows, const rlt_tile_buffer *tile_buffer,
                          rlt_tile_run *segments);

#endif
