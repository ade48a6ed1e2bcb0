/* line_kernels.c: the kernels that move runs and lines of bytes, for one instruction set. It is
 * compiled for each, which says LINE_KERNELS, the name of what it defines.
 *
 * What an element takes is the frame's to say: no instruction here depends on it, but for elements
 * that are moved one by one.
 */
#include "cpu/kernels.h"

#include "cpu/runs.h"

/* ---- Straight: both sides run along the columns ---- */

/* The fill of a row of elements from this byte of it on. Elements have 1, 2, 4, 8 or 16 bytes. */
static inline const uint8_t *fill_from(const rlt_cpu_frame *frame, int64_t byte) {
  return frame->fill + (byte & (frame->element_bytes - 1));
}

/* Fills bytes `first` to `count` of a row of elements, if there are any. */
ALWAYS_INLINE static void fill_rest(uint8_t *row, int64_t first, int64_t count,
                                    const rlt_cpu_frame *frame) {
  int64_t i = first;
  const int64_t head = bytes_before_line(row + i, count - i, frame->streams);
  move_few(row + i, fill_from(frame, i), head);
  i += head;
  const uint8_t *const fill = fill_from(frame, i);
  for (; i + LINE_BYTES <= count; i += LINE_BYTES) {
    move_line(row + i, fill, frame->streams);
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
    rlt_cpu_fetch(next + i, 1);
    move_line(to + i, from + i, streams);
  }
  if (i < valid && i + LINE_BYTES <= count) {
    _Alignas(LINE_BYTES) uint8_t mixed[LINE_BYTES];
    memcpy(mixed, fill_from(frame, i), LINE_BYTES);
    move_few(mixed, from + i, valid - i);
    move_line(to + i, mixed, streams);
    i += LINE_BYTES;
  } else {
    move_few(to + i, from + i, valid - i);
    i = valid;
  }
  if (i < count) {
    fill_rest(to, i, count, frame);
  }
}

/* Rows through the cache of which the C library's memcpy, made for each processor, makes more than
 * line by line while the next one arrives: nothing need arrive for a row that is alone, and within
 * a page processors foresee it. */
static inline bool is_for_memcpy(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile,
                                 int64_t valid) {
  enum { LONG_ROW = 4096 };
  return !frame->streams && (valid >= LONG_ROW || (valid >= LINE_BYTES && tile->at->rows == 1));
}

static void move_straight(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile) {
  const int64_t valid = tile->at->valid_columns * frame->element_bytes;
  const int64_t count = frame->fills ? tile->at->columns * frame->element_bytes : valid;
  const bool by_memcpy = is_for_memcpy(frame, tile, valid);
  for (int64_t r = 0; r < tile->at->rows; ++r) {
    uint8_t *const to = tile->destination + r * frame->destination_row;
    if (r < tile->at->valid_rows) {
      const uint8_t *const from = tile->source + r * frame->source_row;
      if (by_memcpy) {
        memcpy(to, from, (size_t)valid);
        fill_rest(to, valid, count, frame);
      } else {
        move_row(to, from, from + frame->source_row, valid, count, frame);
      }
    } else if (frame->fills) {
      fill_rest(to, 0, count, frame);
    }
  }
}

/* ---- Any strides ---- */

/* Elements of each size are moved, and filled, by a loop of their own. */
#define FOR_ELEMENTS_OF(bytes, loop)                                                               \
  switch (bytes) {                                                                                 \
  case 1:                                                                                          \
    loop(1);                                                                                       \
    break;                                                                                         \
  case 2:                                                                                          \
    loop(2);                                                                                       \
    break;                                                                                         \
  case 4:                                                                                          \
    loop(4);                                                                                       \
    break;                                                                                         \
  case 8:                                                                                          \
    loop(8);                                                                                       \
    break;                                                                                         \
  default:                                                                                         \
    loop(16);                                                                                      \
    break;                                                                                         \
  }

ALWAYS_INLINE static void move_elements(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile,
                                        size_t bytes) {
  const int64_t source_step = frame->source_column;
  const int64_t destination_step = frame->destination_column;
  for (int64_t r = 0; r < tile->at->valid_rows; ++r) {
    const uint8_t *restrict from = tile->source + r * frame->source_row;
    uint8_t *restrict to = tile->destination + r * frame->destination_row;
    for (int64_t c = 0; c < tile->at->valid_columns; ++c) {
      memcpy(to + c * destination_step, from + c * source_step, bytes);
    }
  }
}

static void move_strided(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile) {
#define MOVE(bytes) move_elements(frame, tile, bytes)
  FOR_ELEMENTS_OF(frame->element_bytes, MOVE)
#undef MOVE
}

static void fill_elements(const rlt_cpu_frame *frame, uint8_t *to, int64_t count) {
  const int64_t step = frame->destination_column;
  if (step == frame->element_bytes) {
    fill_rest(to, 0, count * frame->element_bytes, frame);
    return;
  }
#define FILL(bytes)                                                                                \
  for (int64_t c = 0; c < count; ++c) {                                                            \
    memcpy(to + c * step, frame->fill, bytes);                                                     \
  }
  FOR_ELEMENTS_OF(frame->element_bytes, FILL)
#undef FILL
}

static void fill_strided(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile) {
  uint8_t *const row = tile->destination;
  if (tile->at->valid_columns < tile->at->columns) {
    uint8_t *const tail = row + tile->at->valid_columns * frame->destination_column;
    for (int64_t r = 0; r < tile->at->valid_rows; ++r) {
      fill_elements(frame, tail + r * frame->destination_row,
                    tile->at->columns - tile->at->valid_columns);
    }
  }
  for (int64_t r = tile->at->valid_rows; r < tile->at->rows; ++r) {
    fill_elements(frame, row + r * frame->destination_row, tile->at->columns);
  }
}

/* ---- Short runs ---- */

/* The loops over a tile's runs, in the order in which they are put where there is one. */
typedef struct run_loops {
  int64_t outer_count;
  int64_t inner_count;
  const int64_t *outer_from, *outer_to;
  const int64_t *inner_from, *inner_to;
} run_loops;

static run_loops loops_over(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile) {
  const int64_t runs = rlt_divide_up(tile->at->columns, frame->tile_buffer.dense_columns);
  const rlt_cpu_positions *const rows = &frame->rows;
  const rlt_cpu_positions *const columns = &frame->columns;
  return frame->tile_buffer.rows_inside
             ? (run_loops){runs, tile->at->rows, columns->from, columns->to, rows->from, rows->to}
             : (run_loops){tile->at->rows, runs, rows->from, rows->to, columns->from, columns->to};
}

/* Whole runs, each with a source, of at most `room` bytes: so many are loaded and stored at once.
 * What spills over is written again later. */
static inline void copy_whole_runs(const run_loops *over, const uint8_t *restrict from,
                                   uint8_t *restrict to, int room) {
  for (int64_t outer = 0; outer < over->outer_count; ++outer) {
    const uint8_t *const outer_from = from + over->outer_from[outer];
    uint8_t *const outer_to = to + over->outer_to[outer];
    for (int64_t inner = 0; inner < over->inner_count; ++inner) {
      memcpy(outer_to + over->inner_to[inner], outer_from + over->inner_from[inner], (size_t)room);
    }
  }
}

/* Any runs: those without a source, and the ends of others, are filled. */
static void copy_any_runs(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile, uint8_t *to) {
  const rlt_tile_buffer *const made = &frame->tile_buffer;
  const run_loops over = loops_over(frame, tile);
  const int64_t bytes = frame->element_bytes;
  for (int64_t outer = 0; outer < over.outer_count; ++outer) {
    for (int64_t inner = 0; inner < over.inner_count; ++inner) {
      const int64_t row = made->rows_inside ? inner : outer;
      const int64_t column = (made->rows_inside ? outer : inner) * made->dense_columns;
      const bool has_source = row < tile->at->valid_rows && column < tile->at->valid_columns &&
                              frame->rows.from[row] != RLT_NO_SOURCE &&
                              (frame->keeps == NULL || frame->keeps[column * bytes] != 0);
      const int64_t count = rlt_min(made->dense_columns, tile->at->columns - column);
      const int64_t valid =
          has_source ? rlt_min(made->valid_columns, tile->at->valid_columns - column) : 0;
      uint8_t *const begin = to + over.outer_to[outer] + over.inner_to[inner];
      if (valid > 0) {
        move_run(begin, tile->source + over.outer_from[outer] + over.inner_from[inner],
                 valid * bytes);
      }
      if (valid < count) {
        fill_run(begin + valid * bytes, frame->fill, (count - valid) * bytes);
      }
    }
  }
}

#if LOOKS_UP
/* Four pixels of three bytes are twelve bytes of a lane. Apart, each in a word of its own, four by
 * four of them are transposed, and put together again:
 *
 *     a0 a1 a2 a3     a0 b0 c0 d0
 *     b0 b1 b2 b3     a1 b1 c1 d1
 *     c0 c1 c2 c3     a2 b2 c2 d2
 *     d0 d1 d2 d3     a3 b3 c3 d3
 */
enum {
  PIXEL_BYTES = 3,
  LANE_PIXELS = 4,
  VECTOR_PIXELS = LANES * LANE_PIXELS,
  /* How many pixels behind its own a vector overwrites when it is stored whole. */
  SPILLED_PIXELS = (VECTOR_BYTES - VECTOR_PIXELS * PIXEL_BYTES + PIXEL_BYTES - 1) / PIXEL_BYTES
};

/* Four rows of VECTOR_PIXELS columns: the first lane of each vector has the first four. What a
 * vector spills is the next block's, if it may spill. */
ALWAYS_INLINE static void transpose_pixel_block(const uint8_t *from, const int64_t *columns,
                                                uint8_t *to, const int64_t *rows, bool spills) {
  enum { SECOND = LANES > 1 ? 4 : 0, THIRD = LANES > 2 ? 8 : 0, FOURTH = LANES > 2 ? 12 : 0 };
  static const uint8_t apart[] = {0, 1, 2, 128, 3, 4, 5, 128, 6, 7, 8, 128, 9, 10, 11, 128};
  static const uint8_t together[] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 128, 128, 128, 128};
  vector in[LANE_PIXELS];
  for (int c = 0; c < LANE_PIXELS; ++c) {
    in[c] = take_bytes(
        load_lanes(from, columns[c], columns[c + SECOND], columns[c + THIRD], columns[c + FOURTH]),
        apart);
  }
  const vector first_even = zip_words(in[0], in[2], true);
  const vector first_odd = zip_words(in[1], in[3], true);
  const vector last_even = zip_words(in[0], in[2], false);
  const vector last_odd = zip_words(in[1], in[3], false);
  const vector out[LANE_PIXELS] = {
      zip_words(first_even, first_odd, true), zip_words(first_even, first_odd, false),
      zip_words(last_even, last_odd, true), zip_words(last_even, last_odd, false)};
  for (int r = 0; r < LANE_PIXELS; ++r) {
    const vector row = join_three_words(take_bytes(out[r], together));
    if (spills) {
      store_vector(to + rows[r], row);
    } else {
      store_some(to + rows[r], row, VECTOR_PIXELS * PIXEL_BYTES);
    }
  }
}

/* A whole tile of pixels that lie side by side along the rows in the source, and along the columns
 * here; a lane may be read a third farther than its pixels. False: it is too small. */
static bool transpose_pixels(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile, uint8_t *to) {
  const int64_t columns = tile->at->columns / PIXEL_BYTES, rows = tile->at->rows;
  if (columns < VECTOR_PIXELS || rows < LANE_PIXELS) {
    return false;
  }
  for (int64_t r = 0; r < rows; r += LANE_PIXELS) {
    const int64_t row = rlt_min(r, rows - LANE_PIXELS);
    for (int64_t c = 0; c < columns; c += VECTOR_PIXELS) {
      const int64_t column = rlt_min(c, columns - VECTOR_PIXELS);
      transpose_pixel_block(tile->source + row * PIXEL_BYTES, frame->columns.from + column,
                            to + column * PIXEL_BYTES, frame->rows.to + row,
                            column + VECTOR_PIXELS + SPILLED_PIXELS <= columns);
    }
  }
  return true;
}
#else
#define transpose_pixels(frame, tile, to) false
#endif

static void copy_runs(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile, uint8_t *to) {
  const rlt_tile_buffer *const made = &frame->tile_buffer;
  const int64_t run = made->dense_columns * frame->element_bytes;
  const bool is_whole =
      !frame->row_gaps && frame->keeps == NULL && tile->at->valid_rows == tile->at->rows &&
      tile->at->valid_columns == tile->at->columns && made->valid_columns == made->dense_columns &&
      tile->at->columns % made->dense_columns == 0;
  const bool may_spill = !made->exact && !tile->is_near_end;
  if (is_whole && frame->are_pixels && !tile->is_near_end && transpose_pixels(frame, tile, to)) {
    return;
  }
  const run_loops over = loops_over(frame, tile);
#define COPY_UP_TO(room)                                                                           \
  if (is_whole && (run == (room) || (run < (room) && may_spill))) {                                \
    copy_whole_runs(&over, tile->source, to, room);                                                \
    return;                                                                                        \
  }
  COPY_UP_TO(4)
  COPY_UP_TO(8)
  COPY_UP_TO(16)
  COPY_UP_TO(32)
  COPY_UP_TO(64)
#undef COPY_UP_TO
  copy_any_runs(frame, tile, to);
}

/* ---- Buffered tiles leave ---- */

/* The line that the last tile left unfinished, or what there is of it now. How many bytes it took.
 * A whole one is put together in registers: what has just been stored could not be loaded before
 * all lines that are on their way have left. So bytes before `from` are loaded too. */
static inline int64_t finish_line(uint8_t *to, const uint8_t *from, int64_t count, uint8_t *begun,
                                  uint8_t *held, bool goes_on) {
  const int64_t before = *held;
  const int64_t added = rlt_min(LINE_BYTES - before, count);
  *held = 0;
  if (before + added == LINE_BYTES) {
    stream_line(to - before, join_lines(load_line(begun), load_line(from - before), before));
    return added;
  }
  move_few(begun + before, from, added);
  if (goes_on) {
    *held = (uint8_t)(before + added);
  } else {
    move_few(to - before, begun, before + added);
  }
  return added;
}

/* Moved between two looks at what to fetch. */
enum { LINES_A_TURN = 4 };

/* Segments of whole lines, past the cache. */
ALWAYS_INLINE static void store_lines(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile,
                                      const uint8_t *buffered, rlt_tile_steps has, int64_t count,
                                      rlt_cpu_prefetching *ahead, int32_t level) {
  const rlt_tile_run *const segments = frame->segments;
  for (int64_t s = 0; s < frame->tile_buffer.segment_count; ++s) {
    if (!rlt_tile_has_run(has, &segments[s])) {
      continue;
    }
    const uint8_t *const from = buffered + s * frame->segment_pitch;
    uint8_t *const to = tile->destination + segments[s].start * frame->destination_bits / 8;
    for (int64_t i = 0; i < count; i += LINE_BYTES) {
      stream_line(to + i, load_line(from + i));
      rlt_cpu_fetch_some(ahead, ahead->pace, level);
    }
  }
  rlt_cpu_fetch_some(ahead, ahead->left, level);
}

/* Compiled for each level: asking for it at every line takes a fifth of the time. */
ALWAYS_INLINE static void store_fetching(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile,
                                         const uint8_t *buffered, rlt_cpu_partial_lines *partial,
                                         const uint8_t *next, int32_t level) {
  const rlt_tile_buffer *const made = &frame->tile_buffer;
  const bool streams = frame->streams;
  const rlt_tile_steps has = rlt_cpu_steps(frame, tile->at->columns, tile->at->rows);
  const int64_t bits = frame->destination_bits;
  const int64_t count = rlt_divide_up(rlt_run_elements(&made->segment, has) * bits, 8);
  rlt_cpu_prefetching ahead =
      rlt_cpu_prefetching_of(frame, next, made->segment_count * count / LINE_BYTES);
  if (streams && frame->begins_lines && count % LINE_BYTES == 0) {
    store_lines(frame, tile, buffered, has, count, &ahead, level);
    return;
  }
  for (int64_t s = 0; s < made->segment_count; ++s) {
    const rlt_tile_run *const segment = &frame->segments[s];
    if (!rlt_tile_has_run(has, segment)) {
      continue;
    }
    const uint8_t *const from = buffered + s * frame->segment_pitch;
    uint8_t *const to = tile->destination + segment->start * bits / 8;
    int64_t i = 0;
    uint8_t *const held = &partial->held[partial->first + s];
    uint8_t *const begun = partial->lines[partial->first + s];
    if (*held > 0) {
      i = finish_line(to, from, count, begun, held, partial->goes_on);
      rlt_cpu_fetch_some(&ahead, ahead.pace, level);
    } else {
      i = bytes_before_line(to, count, streams);
      move_few(to, from, i);
    }
    if (!streams && ahead.left == 0) {
      const int64_t whole = (count - i) / LINE_BYTES * LINE_BYTES;
      move_run(to + i, from + i, whole);
      i += whole;
    }
    for (; i + LINES_A_TURN * LINE_BYTES <= count; i += LINES_A_TURN * LINE_BYTES) {
#pragma GCC unroll 4
      for (int64_t l = 0; l < LINES_A_TURN; ++l) {
        move_line(to + i + l * LINE_BYTES, from + i + l * LINE_BYTES, streams);
      }
      rlt_cpu_fetch_some(&ahead, LINES_A_TURN * ahead.pace, level);
    }
    for (; i + LINE_BYTES <= count; i += LINE_BYTES) {
      move_line(to + i, from + i, streams);
      rlt_cpu_fetch_some(&ahead, ahead.pace, level);
    }
    if (i < count && partial->goes_on) {
      *held = (uint8_t)(count - i);
      move_few(begun, from + i, count - i);
    } else {
      move_few(to + i, from + i, count - i);
    }
  }
  rlt_cpu_fetch_some(&ahead, ahead.left, level);
}

static void store_segments(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile,
                           const uint8_t *buffered, rlt_cpu_partial_lines *partial,
                           const uint8_t *next) {
  if (frame->fetch_level == 1) {
    store_fetching(frame, tile, buffered, partial, next, 1);
  } else if (frame->fetch_level == 2) {
    store_fetching(frame, tile, buffered, partial, next, 2);
  } else {
    store_fetching(frame, tile, buffered, partial, next, 3);
  }
}

static void copy_run(uint8_t *to, const uint8_t *from, int64_t bytes) {
  move_run(to, from, bytes);
}

const rlt_cpu_line_kernels LINE_KERNELS = {.move_straight = move_straight,
                                           .move_strided = move_strided,
                                           .fill_strided = fill_strided,
                                           .copy_runs = copy_runs,
                                           .copy_run = copy_run,
                                           .store_segments = store_segments,
                                           .finish = finish_streams,
                                           .vector_bytes = VECTOR_BYTES,
                                           .streams = STREAMS};
