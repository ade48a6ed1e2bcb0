/* kernels.c: what is transposed and interleaved in registers, for one instruction set and one
 * element size. It is compiled for each of both that makes a difference, which say ELEMENT_BYTES
 * and KERNELS, the name of what it defines.
 *
 * Elements move as bytes, never as numbers.
 */
#include "cpu/kernels.h"

#include "cpu/interleave.h"
#include "cpu/runs.h"
#include "cpu/transpose.h"

static void move_piece(const piece *of, const rlt_cpu_frame *frame, const rlt_cpu_tile *tile) {
  const rlt_tile_buffer *const made = &frame->tile_buffer;
  if (made->write_channels > 0 && of->rows >= least_channel(made->write_channels)) {
    join_channels(of, made->write_channels);
    return;
  }
  const int64_t parted = rlt_min(rlt_min(of->columns, of->valid_columns), made->valid_columns);
  if (made->read_channels > 0 && parted >= least_channel(made->read_channels) &&
      (of->keeps == NULL || of->keeps[0] != 0) &&
      !(tile->is_near_end && of->rows < made->read_channels)) {
    part_channels(of, parted, made->read_channels);
    if (parted < of->columns) {
      /* What follows would spill over into the next row, which is there already. */
      piece rest = *of;
      rest.columns -= parted;
      rest.valid_columns -= parted;
      rest.columns_from += parted;
      rest.keeps = of->keeps != NULL ? of->keeps + parted * ELEMENT_BYTES : NULL;
      rest.to += parted * ELEMENT_BYTES;
      rest.exact = true;
      transpose_piece(&rest, frame, tile);
    }
    return;
  }
  transpose_piece(of, frame, tile);
}

/* The rows that have no source. */
static void fill_rows(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile, uint8_t *to) {
  const int64_t dense = frame->tile_buffer.dense_columns;
  for (int64_t row = frame->row_gaps ? 0 : tile->at->valid_rows; row < tile->at->rows; ++row) {
    if (row < tile->at->valid_rows && frame->rows.from[row] != RLT_NO_SOURCE) {
      continue;
    }
    for (int64_t column = 0; column < tile->at->columns; column += dense) {
      fill_run(to + frame->rows.to[row] + frame->columns.to[column], frame->fill,
               rlt_min(dense, tile->at->columns - column) * ELEMENT_BYTES);
    }
  }
}

static void fill_transposed(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile, uint8_t *to) {
  const rlt_tile_buffer *const made = &frame->tile_buffer;
  for (int64_t column = 0; column < tile->at->columns; column += made->dense_columns) {
    piece at = {.to = to + frame->columns.to[column],
                .columns_from = frame->columns.from + column,
                .keeps = frame->keeps != NULL ? frame->keeps + column * ELEMENT_BYTES : NULL,
                .columns = rlt_min(made->dense_columns, tile->at->columns - column),
                .valid_columns = tile->at->valid_columns - column,
                .fill = frame->fill,
                .exact = made->exact,
                .is_near_end = tile->is_near_end,
                .streams = frame->streams && !frame->is_buffered};
    for (int64_t row = 0; row < tile->at->valid_rows; row += made->dense_rows) {
      if (frame->rows.from[row] == RLT_NO_SOURCE) {
        continue;
      }
      at.from = tile->source + frame->rows.from[row];
      at.rows_to = frame->rows.to + row;
      at.rows = rlt_min(made->valid_rows, tile->at->valid_rows - row);
      move_piece(&at, frame, tile);
    }
  }
  fill_rows(frame, tile, to);
}

const rlt_cpu_kernels KERNELS = {.transpose_blocks = fill_transposed,
                                 .block_rows = BLOCK_ROWS,
                                 .block_columns = BLOCK_COLUMNS,
                                 .most_channels = MOST_CHANNELS,
                                 .most_in_lanes = MOST_IN_LANES};
