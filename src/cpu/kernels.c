/* kernels.c: the kernels for one instruction set and one element size. It is compiled for each of both,
 * which say ELEMENT_BYTES and KERNELS, the name of what it defines.
 *
 * Elements move as bytes, never as numbers.
 */
#include "cpu/kernels.h"

#include "cpu/comb.h"
#include "cpu/runs.h"
#include "cpu/turn.h"

/* ---- Straight: both sides run along the columns ---- */

/* Fills bytes `first` to `count` of a row of elements. */
static void fill_rest(uint8_t *row, int64_t first, int64_t count, const rlt_cpu_frame *frame) {
  int64_t i = first;
  const int64_t head = bytes_before_line(row + i, count - i, frame->streams);
  move_few(row + i, frame->fill + i % ELEMENT_BYTES, head);
  i += head;
  const uint8_t *const fill = frame->fill + i % ELEMENT_BYTES;
  for (; i + LINE_BYTES <= count; i += LINE_BYTES) {
    store_line(row + i, fill, frame->streams);
  }
  move_few(row + i, fill, count - i);
}

/* `valid` bytes of the source, then fill up to `count`, while what is at `next` arrives. */
static void move_row(uint8_t *restrict to, const uint8_t *restrict from, const uint8_t *next,
                     int64_t valid, int64_t count, const rlt_cpu_frame *frame) {
  const bool streams = frame->streams;
  int64_t i = bytes_before_line(to, valid, streams);
  move_few(to, from, i);
  for (; i + LINE_BYTES <= valid; i += LINE_BYTES) {
    fetch(next + i);
    store_line(to + i, from + i, streams);
  }
  if (i < valid && i + LINE_BYTES <= count) {
    _Alignas(LINE_BYTES) uint8_t mixed[LINE_BYTES];
    memcpy(mixed, frame->fill + i % ELEMENT_BYTES, LINE_BYTES);
    move_few(mixed, from + i, valid - i);
    store_line(to + i, mixed, streams);
    i += LINE_BYTES;
  } else {
    move_few(to + i, from + i, valid - i);
    i = valid;
  }
  if (i < count) {
    fill_rest(to, i, count, frame);
  }
}

static void move_straight(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile) {
  const int64_t valid = tile->valid_columns * ELEMENT_BYTES;
  const int64_t count = frame->fills ? tile->columns * ELEMENT_BYTES : valid;
  for (int64_t r = 0; r < tile->rows; ++r) {
    uint8_t *const to = tile->destination + r * frame->destination_row;
    if (r < tile->valid_rows) {
      const uint8_t *const from = tile->source + r * frame->source_row;
      move_row(to, from, from + frame->source_row, valid, count, frame);
    } else if (frame->fills) {
      fill_rest(to, 0, count, frame);
    }
  }
}

/* ---- Any strides ---- */

static void move_strided(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile) {
  const ptrdiff_t source_step = frame->source_column;
  const ptrdiff_t destination_step = frame->destination_column;
  for (int64_t r = 0; r < tile->valid_rows; ++r) {
    const uint8_t *restrict from = tile->source + r * frame->source_row;
    uint8_t *restrict to = tile->destination + r * frame->destination_row;
    for (int64_t c = 0; c < tile->valid_columns; ++c) {
      memcpy(to + c * destination_step, from + c * source_step, ELEMENT_BYTES);
    }
  }
}

static void fill_elements(const rlt_cpu_frame *frame, uint8_t *to, int64_t count) {
  const ptrdiff_t step = frame->destination_column;
  if (step == ELEMENT_BYTES) {
    fill_rest(to, 0, count * ELEMENT_BYTES, frame);
    return;
  }
  for (int64_t c = 0; c < count; ++c) {
    memcpy(to + c * step, frame->fill, ELEMENT_BYTES);
  }
}

static void fill_strided(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile) {
  uint8_t *const row = tile->destination;
  if (tile->valid_columns < tile->columns) {
    uint8_t *const tail = row + tile->valid_columns * frame->destination_column;
    for (int64_t r = 0; r < tile->valid_rows; ++r) {
      fill_elements(frame, tail + r * frame->destination_row, tile->columns - tile->valid_columns);
    }
  }
  for (int64_t r = tile->valid_rows; r < tile->rows; ++r) {
    fill_elements(frame, row + r * frame->destination_row, tile->columns);
  }
}

/* ---- Short runs ---- */

/* One run, of which `room` bytes are loaded and stored at once where that is more than it has: what
 * spills over is written again later. */
static inline void gather_run(uint8_t *restrict to, const uint8_t *restrict from, int64_t count,
                              int room) {
  if (count <= room) {
    memcpy(to, from, (size_t)room);
  } else {
    move_run(to, from, count);
  }
}

/* Run after run, in the order in which they are put where there is one. */
static inline void gather_runs_of(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile, uint8_t *to,
                                  int room) {
  const rlt_assembly *const made = &frame->assembly;
  const int64_t run = made->dense_columns;
  const int64_t outer_count = made->rows_inside ? tile->columns : tile->rows;
  const int64_t outer_step = made->rows_inside ? run : 1;
  const int64_t inner_count = made->rows_inside ? tile->rows : tile->columns;
  const int64_t inner_step = made->rows_inside ? 1 : run;
  for (int64_t outer = 0; outer < outer_count; outer += outer_step) {
    for (int64_t inner = 0; inner < inner_count; inner += inner_step) {
      const int64_t row = made->rows_inside ? inner : outer;
      const int64_t column = made->rows_inside ? outer : inner;
      const bool has_source = row < tile->valid_rows && column < tile->valid_columns &&
                              frame->rows.from[row] != RLT_CPU_NO_SOURCE &&
                              (frame->keeps == NULL || frame->keeps[column * ELEMENT_BYTES] != 0);
      const int64_t count = rlt_min(run, tile->columns - column);
      const int64_t valid =
          has_source ? rlt_min(made->valid_columns, tile->valid_columns - column) : 0;
      uint8_t *const begin = to + frame->rows.to[row] + frame->columns.to[column];
      if (valid > 0) {
        gather_run(begin, tile->source + frame->rows.from[row] + frame->columns.from[column],
                   valid * ELEMENT_BYTES, room);
      }
      if (valid < count) {
        fill_run(begin + valid * ELEMENT_BYTES, frame->fill, (count - valid) * ELEMENT_BYTES);
      }
    }
  }
}

static void gather_runs(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile, uint8_t *to) {
  const int64_t run = frame->assembly.dense_columns * ELEMENT_BYTES;
  if (frame->assembly.exact || tile->is_near_end || run > LINE_BYTES) {
    gather_runs_of(frame, tile, to, 0);
  } else if (run <= 16) {
    gather_runs_of(frame, tile, to, 16);
  } else if (run <= 32) {
    gather_runs_of(frame, tile, to, 32);
  } else {
    gather_runs_of(frame, tile, to, LINE_BYTES);
  }
}

/* ---- Turned ---- */

static void move_piece(const piece *of, const rlt_cpu_frame *frame, const rlt_cpu_tile *tile) {
#if HAS_COMBS
  const rlt_assembly *const made = &frame->assembly;
  if (made->row_teeth > 0 && of->rows >= TOOTH) {
    join_piece_of(of, made->row_teeth, frame->fill);
    return;
  }
  const int64_t parted = rlt_min(rlt_min(of->columns, of->valid_columns), made->valid_columns);
  if (made->column_teeth > 0 && parted >= TOOTH && (of->keeps == NULL || of->keeps[0] != 0) &&
      !(tile->is_near_end && of->rows < made->column_teeth)) {
    part_piece_of(of, parted, made->column_teeth);
    if (parted < of->columns) {
      /* What follows would spill over into the next row, which is there already. */
      piece rest = *of;
      rest.columns -= parted;
      rest.valid_columns -= parted;
      rest.columns_from += parted;
      rest.keeps = of->keeps != NULL ? of->keeps + parted * ELEMENT_BYTES : NULL;
      rest.to += parted * ELEMENT_BYTES;
      rest.exact = true;
      turn_piece(&rest, frame, tile);
    }
    return;
  }
#endif
  turn_piece(of, frame, tile);
}

/* The rows that have no source. */
static void fill_rows(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile, uint8_t *to) {
  const int64_t dense = frame->assembly.dense_columns;
  for (int64_t row = frame->row_gaps ? 0 : tile->valid_rows; row < tile->rows; ++row) {
    if (row < tile->valid_rows && frame->rows.from[row] != RLT_CPU_NO_SOURCE) {
      continue;
    }
    for (int64_t column = 0; column < tile->columns; column += dense) {
      fill_run(to + frame->rows.to[row] + frame->columns.to[column], frame->fill,
               rlt_min(dense, tile->columns - column) * ELEMENT_BYTES);
    }
  }
}

static void gather_turned(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile, uint8_t *to) {
  const rlt_assembly *const made = &frame->assembly;
  for (int64_t column = 0; column < tile->columns; column += made->dense_columns) {
    piece at = {.to = to + frame->columns.to[column],
                .columns_from = frame->columns.from + column,
                .keeps = frame->keeps != NULL ? frame->keeps + column * ELEMENT_BYTES : NULL,
                .columns = rlt_min(made->dense_columns, tile->columns - column),
                .valid_columns = tile->valid_columns - column,
                .exact = made->exact};
    for (int64_t row = 0; row < tile->valid_rows; row += made->dense_rows) {
      if (frame->rows.from[row] == RLT_CPU_NO_SOURCE) {
        continue;
      }
      at.from = tile->source + frame->rows.from[row];
      at.rows_to = frame->rows.to + row;
      at.rows = rlt_min(made->valid_rows, tile->valid_rows - row);
      move_piece(&at, frame, tile);
    }
  }
  if (frame->row_gaps || tile->valid_rows < tile->rows) {
    fill_rows(frame, tile, to);
  }
}

/* ---- Assembled tiles leave ---- */

/* What a segment of this tile has, in bytes. Tiles with a halo share no line with the next: each
 * writes those that begin in its own block, to their ends. */
typedef struct extent {
  int64_t own;
  int64_t held; /* with the halo */
  bool leaves_first;
} extent;

static extent segment_extent(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile) {
  const rlt_assembly *const made = &frame->assembly;
  const bool by_rows = made->segment_side == RLT_ASSEMBLY_ROWS;
  const rlt_cpu_cut *const cut = by_rows ? &frame->row_cut : &frame->column_cut;
  const int64_t unit = made->segment_unit * ELEMENT_BYTES;
  const int64_t steps = made->segment_side == RLT_ASSEMBLY_NEITHER
                            ? 1
                            : (by_rows ? tile->rows : tile->columns) / cut->inner;
  return (extent){.own = unit * rlt_min(steps, cut->block),
                  .held = unit * steps,
                  .leaves_first =
                      cut->halo > 0 && !(by_rows ? tile->first_rows : tile->first_columns)};
}

/* Whole elements from `at` on to where the next line begins. */
static inline int64_t elements_to_line(const uint8_t *at) {
  const int64_t bytes = bytes_to_line(at);
  return bytes - bytes % ELEMENT_BYTES;
}

static void store_segments(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile,
                           const uint8_t *assembled, const uint8_t *next) {
  const rlt_assembly *const made = &frame->assembly;
  const bool streams = frame->streams;
  const extent of = segment_extent(frame, tile);
  const int64_t column_steps = tile->columns / frame->column_cut.inner;
  const int64_t row_steps = tile->rows / frame->row_cut.inner;
  const int64_t pitch = made->segment_pitch * ELEMENT_BYTES;
  const int64_t ahead_count = next != NULL ? frame->ahead_count : 0;
  const int64_t lines = rlt_max(made->segment_count * of.own / LINE_BYTES, 1);
  const int64_t ahead_step = rlt_divide_up(ahead_count, lines);
  int64_t ahead = 0;
  for (int64_t s = 0; s < made->segment_count; ++s) {
    const rlt_cpu_segment *const segment = &frame->segments[s];
    if (segment->column_step >= column_steps || segment->row_step >= row_steps) {
      continue;
    }
    const uint8_t *const from = assembled + s * pitch;
    uint8_t *const to = tile->destination + segment->destination;
    const int64_t end =
        of.own < of.held ? rlt_min(of.own + elements_to_line(to + of.own), of.held) : of.own;
    int64_t i = of.leaves_first ? rlt_min(elements_to_line(to), end) : 0;
    const int64_t head = bytes_before_line(to + i, end - i, streams);
    move_few(to + i, from + i, head);
    i += head;
    for (; i + LINE_BYTES <= end; i += LINE_BYTES) {
      store_line(to + i, from + i, streams);
      const int64_t ahead_end = rlt_min(ahead + ahead_step, ahead_count);
      for (; ahead < ahead_end; ++ahead) {
        fetch(next + frame->ahead[ahead]);
      }
    }
    move_few(to + i, from + i, end - i);
  }
  for (; ahead < ahead_count; ++ahead) {
    fetch(next + frame->ahead[ahead]);
  }
}

static void finish(void) {
  finish_streams();
}

const rlt_cpu_kernels KERNELS = {.move_straight = move_straight,
                                 .move_strided = move_strided,
                                 .fill_strided = fill_strided,
                                 .gather_runs = gather_runs,
                                 .gather_turned = gather_turned,
                                 .store_segments = store_segments,
                                 .finish = finish,
                                 .block_rows = DEPTH,
                                 .block_columns = SIDE};
