/* transpose.h: the sides run along different axes.
 *
 *     source   a e i m . .     destination   a b c d . .
 *              b f j n . .                   e f g h . .
 *              c g k o . .                   i j k l . .
 *              d h l p . .                   m n o p . .
 *
 * Either side alone could be walked along its run. Blocks that are transposed in registers make it
 * so for both: lanes of BLOCK_COLUMNS columns, each along the source, become BLOCK_ROWS vectors
 * along the destination. That reads a line in several pieces; where other lines that meet with it
 * come in between, whole vectors along the source become pieces of rows instead (transpose_wide).
 *
 * Depends on block.h, kernels.h and runs.h.
 */
#ifndef RLT_CPU_TRANSPOSE_H
#define RLT_CPU_TRANSPOSE_H

#include "cpu/block.h"
#include "cpu/kernels.h"
#include "cpu/runs.h"

/* ---- Blocks ---- */

/* Where a vector's second, third and fourth lane come in a block; where it has none, the first. */
enum {
  SECOND_LANE = LANES > 1 ? BLOCK_ROWS : 0,
  THIRD_LANE = LANES > 2 ? 2 * BLOCK_ROWS : 0,
  FOURTH_LANE = LANES > 2 ? 3 * BLOCK_ROWS : 0
};

/* The columns of a block from where a table says they lie. */
static inline void load_block(vector *block, const uint8_t *restrict from,
                              const int64_t *restrict columns) {
#pragma GCC unroll 16
  for (int c = 0; c < BLOCK_ROWS; ++c) {
    block[c] = load_lanes(from, columns[c], columns[c + SECOND_LANE], columns[c + THIRD_LANE],
                          columns[c + FOURTH_LANE]);
  }
}

/* Columns that lie evenly: half as many loads. */
static inline void load_even_block(vector *block, const uint8_t *restrict from, int64_t step) {
#pragma GCC unroll 16
  for (int c = 0; c < BLOCK_ROWS; ++c) {
    block[c] = load_lanes(from, c * step, (c + BLOCK_ROWS) * step, (c + 2 * BLOCK_ROWS) * step,
                          (c + 3 * BLOCK_ROWS) * step);
  }
}

/* A whole block that has a source throughout. Where columns are even `step` is between them,
 * otherwise a table says where they lie. */
ALWAYS_INLINE static void transpose_block(uint8_t *restrict to, const int64_t *restrict rows,
                                          const uint8_t *restrict from,
                                          const int64_t *restrict columns, bool are_even,
                                          int64_t step) {
  vector block[BLOCK_ROWS];
  if (are_even) {
    load_even_block(block, from + columns[0], step);
  } else {
    load_block(block, from, columns);
  }
  transpose(block);
#pragma GCC unroll 16
  for (int r = 0; r < BLOCK_ROWS; ++r) {
    store_vector(to + rows[r], block[r]);
  }
}

/* Such blocks down BLOCK_ROWS rows or more; those of few vectors several in a turn. */
ALWAYS_INLINE static void transpose_down(uint8_t *restrict to, const int64_t *restrict rows,
                                         const uint8_t *restrict from,
                                         const int64_t *restrict columns, bool are_even,
                                         int64_t step, int64_t count) {
  enum { TURN = BLOCK_ROWS < 4 ? 4 : BLOCK_ROWS };
  int64_t row = 0;
  for (; row + TURN <= count; row += TURN) {
#pragma GCC unroll 4
    for (int64_t r = 0; r < TURN; r += BLOCK_ROWS) {
      transpose_block(to, rows + row + r, from + (row + r) * ELEMENT_BYTES, columns, are_even,
                      step);
    }
  }
  for (; row < count; row += BLOCK_ROWS) {
    const int64_t last = rlt_min(row, count - BLOCK_ROWS);
    transpose_block(to, rows + last, from + last * ELEMENT_BYTES, columns, are_even, step);
  }
}

/* At places that a table has: what most edges take, and pieces whose columns are not even. It is
 * compiled once for both, but for words of 8 bytes, of which copies were measured to be faster. */
#if BLOCK_ROWS == 2
ALWAYS_INLINE
#else
__attribute__((noinline))
#endif
static void transpose_any_down(uint8_t *restrict to, const int64_t *restrict rows,
                               const uint8_t *restrict from, const int64_t *restrict columns,
                               int64_t count) {
  transpose_down(to, rows, from, columns, false, 0, count);
}

/* Part of a block: `columns` of it, what `keep` has not being the fill, and `rows`, which lanes may
 * be too long for. */
typedef struct part {
  vector keep;
  int64_t columns;
  int64_t rows;
  bool exact;
  const uint8_t *end; /* lanes may be read to here alone; NULL: no limit */
} part;

/* A copy of the lanes, as far as there is a source. */
static inline void bring_within(const uint8_t *from, const int64_t *columns, const uint8_t *end,
                                uint8_t (*lanes)[LANE_BYTES], int64_t *places) {
  for (int c = 0; c < BLOCK_COLUMNS; ++c) {
    const uint8_t *const lane = from + columns[c];
    memset(lanes[c], 0, LANE_BYTES);
    memcpy(lanes[c], lane, (size_t)rlt_min(end - lane, LANE_BYTES));
    places[c] = c * LANE_BYTES;
  }
}

static void transpose_part(uint8_t *restrict to, const int64_t *restrict rows,
                           const uint8_t *restrict from, const int64_t *restrict columns,
                           const part *of, vector fill) {
  uint8_t lanes[BLOCK_COLUMNS][LANE_BYTES];
  int64_t places[BLOCK_COLUMNS];
  vector block[BLOCK_ROWS];
  if (of->end != NULL) {
    bring_within(from, columns, of->end, lanes, places);
    from = lanes[0];
    columns = places;
  }
  load_block(block, from, columns);
  transpose(block);
  const int64_t bytes = of->columns * ELEMENT_BYTES;
  for (int64_t r = 0; r < of->rows; ++r) {
    const vector row = blend(of->keep, block[r], fill);
    if (bytes == VECTOR_BYTES || !of->exact) {
      store_vector(to + rows[r], row);
    } else {
      store_some(to + rows[r], row, bytes);
    }
  }
}

/* Blocks of which only a part is stored, down the rows. */
static void transpose_parts(uint8_t *restrict to, const piece *of, part *some,
                            const int64_t *columns, const rlt_cpu_tile *tile, vector fill) {
  for (int64_t r = 0; r < of->rows; r += BLOCK_ROWS) {
    const int64_t row = block_start(r, of->rows, BLOCK_ROWS);
    some->rows = rlt_min(of->rows - row, BLOCK_ROWS);
    some->end = some->rows < BLOCK_ROWS && tile->is_near_end ? tile->source_end : NULL;
    transpose_part(to, of->rows_to + row, of->from + row * ELEMENT_BYTES, columns, some, fill);
  }
}

/* Where the columns of a block lie, the last one standing for those that are not there. */
static inline void clamp_columns(const piece *of, int64_t first, int64_t *columns) {
  for (int64_t c = 0; c < BLOCK_COLUMNS; ++c) {
    columns[c] = of->columns_from[rlt_min(first + c, of->valid_columns - 1)];
  }
}

/* The columns of a block that are not all there, or not all to be stored. */
static void transpose_edge(const piece *of, const rlt_cpu_tile *tile, int64_t column) {
  const vector fill = load_vector(of->fill);
  const int64_t count = rlt_min(of->columns - column, BLOCK_COLUMNS);
  const int64_t valid = rlt_max(rlt_min(of->valid_columns - column, count), 0);
  const int64_t *columns = of->columns_from + column;
  int64_t clamped[BLOCK_COLUMNS];
  if (valid < BLOCK_COLUMNS) {
    clamp_columns(of, column, clamped);
    columns = clamped;
  }
  uint8_t *const to = of->to + column * ELEMENT_BYTES;
  part some = {.columns = count, .exact = of->exact && count < BLOCK_COLUMNS};
  bool is_part = some.exact || of->rows < BLOCK_ROWS;
  if (of->keeps != NULL || valid < count) {
    some.keep = first_bytes(valid * ELEMENT_BYTES).vectors[0];
    if (of->keeps != NULL) {
      some.keep = blend(some.keep, load_vector(of->keeps + column * ELEMENT_BYTES), some.keep);
    }
    is_part = true;
  } else {
    some.keep = first_bytes(VECTOR_BYTES).vectors[0];
  }
  if (is_part) {
    transpose_parts(to, of, &some, columns, tile, fill);
  } else {
    transpose_any_down(to, of->rows_to, of->from, columns, of->rows);
  }
}

/* Whether the columns are too few for a vector, and the rows enough for a vector of each column;
 * all have a source. Where they are too few for a lane, each row spills into the next one. */
static inline bool is_narrow(const piece *of) {
  return of->columns < BLOCK_COLUMNS && (of->columns >= BLOCK_ROWS || !of->exact) &&
         of->rows >= BLOCK_COLUMNS && of->keeps == NULL && of->valid_columns >= of->columns;
}

/* A block on its side from `row` on, BLOCK_COLUMNS rows by BLOCK_ROWS columns: vectors are loaded
 * along the rows, so that all of their lanes are used, and stored lane by lane, in the order of the
 * rows. */
ALWAYS_INLINE static void transpose_on_side(uint8_t *to, const int64_t *rows,
                                            const place from[BLOCK_ROWS], int64_t row) {
  vector block[BLOCK_ROWS];
#pragma GCC unroll 16
  for (int i = 0; i < BLOCK_ROWS; ++i) {
    block[i] = load_vector(onward(from[i], row));
  }
  transpose(block);
#pragma GCC unroll 4
  for (int l = 0; l < LANES; ++l) {
#pragma GCC unroll 16
    for (int i = 0; i < BLOCK_ROWS; ++i) {
      store_lane(to + rows[row + l * BLOCK_ROWS + i], block[i], l);
    }
  }
}

/* Stores nothing but the piece, unless its columns are too few for a lane. */
static void transpose_narrow(const piece *of) {
  for (int64_t c = 0; c < of->columns; c += BLOCK_ROWS) {
    const int64_t column = block_start(c, of->columns, BLOCK_ROWS);
    place from[BLOCK_ROWS];
    for (int64_t i = 0; i < BLOCK_ROWS; ++i) {
      from[i] = column_place(of, rlt_min(column + i, of->columns - 1));
    }
    for (int64_t r = 0; r < of->rows; r += BLOCK_COLUMNS) {
      transpose_on_side(of->to + column * ELEMENT_BYTES, of->rows_to, from,
                        block_start(r, of->rows, BLOCK_COLUMNS));
    }
  }
}

#if LANES > 1
/* Blocks of whole vectors along the rows, which read each line of the source once: lines that meet
 * in one set of the nearest cache may be gone from it before another quarter of them is read. They
 * take as many groups of BLOCK_ROWS columns as there are registers for, so that rows are stored in
 * pieces that are as long. */
enum {
  WIDE_GROUPS = LANES == 2 || BLOCK_ROWS > 4 ? 2 : LANES,
  WIDE_COLUMNS = WIDE_GROUPS * BLOCK_ROWS,
  WIDE_ROWS = BLOCK_COLUMNS
};

ALWAYS_INLINE static void transpose_wide_block(uint8_t *restrict to, const int64_t *restrict rows,
                                               const uint8_t *restrict from,
                                               const int64_t *restrict columns) {
  vector block[BLOCK_ROWS][WIDE_GROUPS];
#pragma GCC unroll 4
  for (int g = 0; g < WIDE_GROUPS; ++g) {
    vector group[BLOCK_ROWS];
#pragma GCC unroll 16
    for (int c = 0; c < BLOCK_ROWS; ++c) {
      group[c] = load_vector(from + columns[g * BLOCK_ROWS + c]);
    }
    transpose(group);
#pragma GCC unroll 16
    for (int r = 0; r < BLOCK_ROWS; ++r) {
      block[r][g] = group[r];
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < BLOCK_ROWS; ++r) {
    uint8_t *const places[] = {to + rows[r], to + rows[r + SECOND_LANE], to + rows[r + THIRD_LANE],
                               to + rows[r + FOURTH_LANE]};
    store_lanes_together(places, block[r], WIDE_GROUPS);
  }
}

/* The first `columns` of a piece, all with a source. */
static void transpose_wide(const piece *of, int64_t columns) {
  for (int64_t c = 0; c < columns; c += WIDE_COLUMNS) {
    const int64_t column = block_start(c, columns, WIDE_COLUMNS);
    for (int64_t r = 0; r < of->rows; r += WIDE_ROWS) {
      const int64_t row = block_start(r, of->rows, WIDE_ROWS);
      transpose_wide_block(of->to + column * ELEMENT_BYTES, of->rows_to + row,
                           of->from + row * ELEMENT_BYTES, of->columns_from + column);
    }
  }
}

/* Whether the first `columns` of a piece are transposed so: those whose lines meet, and where
 * vectors are as long as lines, all that go past the cache but bytes. Columns behind them that are
 * stored by whole vectors must not spill into the next row, which is there already. */
static inline bool is_wide(const piece *of, const rlt_cpu_frame *frame, int64_t columns) {
  const bool pays = VECTOR_BYTES == LINE_BYTES && ELEMENT_BYTES > 1 && frame->streams;
  const bool spills = columns < of->columns && of->columns < BLOCK_COLUMNS && !of->exact;
  return (frame->is_crowded || pays) && !spills && columns >= WIDE_COLUMNS &&
         of->rows >= WIDE_ROWS;
}
#else
#define transpose_wide(of, columns) ((void)(columns))
#define is_wide(of, frame, columns) false
#endif

/* Columns that lie side by side in the source are short, and all in the cache: blocks go across
 * them first, so that many of their lines are on their way at once. */
static void transpose_across(const piece *of, int64_t step, int64_t columns) {
  for (int64_t r = 0; r < of->rows; r += BLOCK_ROWS) {
    const int64_t row = block_start(r, of->rows, BLOCK_ROWS);
    const uint8_t *const from = of->from + row * ELEMENT_BYTES;
    for (int64_t column = 0; column < columns; column += BLOCK_COLUMNS) {
      transpose_block(of->to + column * ELEMENT_BYTES, of->rows_to + row, from,
                      of->columns_from + column, true, step);
    }
  }
}

enum { LINE_COLUMNS = LINE_VECTORS * BLOCK_COLUMNS };

/* A line of each of the first rows, as many as a block has, from this column on. */
ALWAYS_INLINE static void transpose_lines(const piece *of, int64_t step, int64_t column) {
  const place from = column_place(of, 0) + column * step;
  vector lines[LINE_VECTORS * BLOCK_ROWS];
#pragma GCC unroll 1
  for (int64_t v = 0; v < LINE_VECTORS; ++v) {
    load_even_block(lines + v * BLOCK_ROWS, from + v * BLOCK_COLUMNS * step, step);
    transpose(lines + v * BLOCK_ROWS);
  }
  stream_rows(of, column, lines, BLOCK_ROWS);
}

/* Columns that lie side by side in the source become rows that go past the cache, each of which
 * begins a line there. Returns how many of the first `columns` have: they make whole lines. */
static int64_t transpose_straight(const piece *of, int64_t step, int64_t columns) {
  const int64_t whole = columns / LINE_COLUMNS * LINE_COLUMNS;
  for (int64_t c = 0; c < whole; c += LINE_COLUMNS) {
    piece rest = *of; /* from a block's first row on */
    for (; rest.rows > 0; rest.rows -= BLOCK_ROWS) {
      transpose_lines(&rest, step, c);
      rest.from += BLOCK_ROWS * ELEMENT_BYTES;
      rest.rows_to += BLOCK_ROWS;
    }
  }
  return whole;
}

/* Blocks go down the rows first, so that each line of the source is read to its end. */
static inline void transpose_piece(const piece *of, const rlt_cpu_frame *frame,
                                   const rlt_cpu_tile *tile) {
  if (is_narrow(of)) {
    transpose_narrow(of);
    return;
  }
  const int64_t step = frame->column_step;
  const int64_t valid = of->keeps == NULL ? rlt_max(rlt_min(of->columns, of->valid_columns), 0) : 0;
  const int64_t whole = of->rows >= BLOCK_ROWS ? valid : 0;
  int64_t done = 0;
  if (step == of->rows * ELEMENT_BYTES && !of->is_near_end && streams_rows(of, of->rows)) {
    done = transpose_straight(of, step, valid);
  } else if (is_wide(of, frame, whole)) {
    done = whole;
    transpose_wide(of, done);
  } else if (step == of->rows * ELEMENT_BYTES) {
    done = whole / BLOCK_COLUMNS * BLOCK_COLUMNS;
    transpose_across(of, step, done);
  }
  for (int64_t c = done; c < of->columns; c += BLOCK_COLUMNS) {
    const int64_t column = block_start(c, of->columns, BLOCK_COLUMNS);
    if (column + BLOCK_COLUMNS > whole) {
      transpose_edge(of, tile, column);
    } else if (step != 0) {
      transpose_down(of->to + column * ELEMENT_BYTES, of->rows_to, of->from,
                     of->columns_from + column, true, step, of->rows);
    } else {
      transpose_any_down(of->to + column * ELEMENT_BYTES, of->rows_to, of->from,
                         of->columns_from + column, of->rows);
    }
  }
}

#endif
