/* replay.c: what kernels.c, transpose.h and interleave.h do to memory, function by function. */
#include "cache/replay.h"

#include <stddef.h>

#include "base/checked.h"
#include "search/target.h"

enum { LINE_BYTES = RLT_CPU_LINE_BYTES, LANE_BYTES = 16 };

/* Of a tile: where its sides begin, and the tables that say where its elements are put. */
typedef struct place {
  rlt_tile at;
  uint64_t from; /* address: of the source, or where that was brought together */
  uint64_t to;   /* in the tile buffer, or in the destination */
} place;

/* Where the program's tables lie, which are loaded as well: they take room in the first cache. */
typedef struct tables {
  uint64_t rows_from, rows_to;
  uint64_t columns_from, columns_to;
  uint64_t segments;
  uint64_t runs;
  uint64_t ahead;
} tables;

enum { NUMBER_BYTES = sizeof(int64_t) };

typedef struct replayer {
  const rlt_cpu_executable *made;
  const rlt_cpu_frame *frame;
  const replay_options *options;
  simulator *on;
  int64_t bytes;       /* of an element */
  int64_t depth, side; /* rows and columns of a block that is transposed */
  tables at;
  uint8_t held[RLT_CPU_MOST_SEGMENTS]; /* as rlt_cpu_partial_lines has it */
} replayer;

/* ---- Memory ---- */

static uint64_t in_scratch(size_t offset) {
  return simulator_address(SIMULATOR_SCRATCH, (int64_t)offset);
}

/* `count` numbers of a table, or of what else is as large. */
static void load_numbers(const replayer *by, uint64_t table, int64_t first, int64_t count) {
  simulator_load(by->on, table + (uint64_t)(first * NUMBER_BYTES), count * NUMBER_BYTES);
}

static uint64_t in_source(int64_t offset) {
  return simulator_address(SIMULATOR_SOURCE, offset);
}

/* A whole line of the destination. Instruction sets without stores past the caches store it there
 * as any other. */
static void move_line(const replayer *by, uint64_t to) {
  if (by->frame->streams && by->options->streams) {
    simulator_stream(by->on, to, LINE_BYTES);
  } else {
    simulator_store(by->on, to, LINE_BYTES);
  }
}

static void fetch(const replayer *by, uint64_t address, int32_t level) {
  if (by->options->prefetches) {
    simulator_prefetch(by->on, address, level - 1);
  }
}

static int64_t bytes_before_line(const replayer *by, uint64_t to, int64_t count) {
  return by->frame->streams ? rlt_min((int64_t)(-to % LINE_BYTES), count) : 0;
}

/* ---- Straight and strided ---- */

static void move_straight(const replayer *by, const place *of) {
  const int64_t count = of->at.valid_columns * by->bytes;
  for (int64_t r = 0; r < of->at.valid_rows; ++r) {
    const uint64_t from = of->from + (uint64_t)(r * by->frame->source_row);
    const uint64_t to = of->to + (uint64_t)(r * by->frame->destination_row);
    int64_t i = bytes_before_line(by, to, count);
    simulator_load(by->on, from, i);
    simulator_store(by->on, to, i);
    for (; i + LINE_BYTES <= count; i += LINE_BYTES) {
      fetch(by, from + (uint64_t)(by->frame->source_row + i), 1);
      simulator_load(by->on, from + (uint64_t)i, LINE_BYTES);
      move_line(by, to + (uint64_t)i);
    }
    simulator_load(by->on, from + (uint64_t)i, count - i);
    simulator_store(by->on, to + (uint64_t)i, count - i);
  }
}

static void move_strided(const replayer *by, const place *of) {
  const rlt_cpu_frame *const frame = by->frame;
  for (int64_t r = 0; r < of->at.valid_rows; ++r) {
    for (int64_t c = 0; c < of->at.valid_columns; ++c) {
      simulator_load(by->on,
                     of->from + (uint64_t)(r * frame->source_row + c * frame->source_column),
                     by->bytes);
      simulator_store(by->on,
                      of->to + (uint64_t)(r * frame->destination_row) +
                          (uint64_t)(c * frame->destination_column),
                      by->bytes);
    }
  }
}

/* ---- By tables ---- */

/* Number `number` of a row's runs. */
static void copy_run(const replayer *by, const place *of, int64_t row, int64_t number) {
  const rlt_tile_buffer *const made = &by->frame->tile_buffer;
  const int64_t column = number * made->dense_columns;
  const int64_t count = rlt_min(made->dense_columns, of->at.columns - column);
  const int64_t valid = rlt_min(made->valid_columns, of->at.valid_columns - column);
  const bool has_source = row < of->at.valid_rows && by->frame->rows.from[row] != RLT_NO_SOURCE;
  if (has_source && valid > 0) {
    simulator_load(
        by->on, of->from + (uint64_t)(by->frame->rows.from[row] + by->frame->columns.from[number]),
        valid * by->bytes);
  }
  simulator_store(by->on,
                  of->to + (uint64_t)(by->frame->rows.to[row] + by->frame->columns.to[number]),
                  count * by->bytes);
}

static void copy_runs(const replayer *by, const place *of) {
  const int64_t runs = rlt_divide_up(of->at.columns, by->frame->tile_buffer.dense_columns);
  const bool rows_inside = by->frame->tile_buffer.rows_inside;
  const int64_t outer_count = rows_inside ? runs : of->at.rows;
  const int64_t inner_count = rows_inside ? of->at.rows : runs;
  for (int64_t outer = 0; outer < outer_count; ++outer) {
    load_numbers(by, rows_inside ? by->at.columns_from : by->at.rows_from, outer, 1);
    load_numbers(by, rows_inside ? by->at.columns_to : by->at.rows_to, outer, 1);
    for (int64_t inner = 0; inner < inner_count; ++inner) {
      load_numbers(by, rows_inside ? by->at.rows_from : by->at.columns_from, inner, 1);
      load_numbers(by, rows_inside ? by->at.rows_to : by->at.columns_to, inner, 1);
      copy_run(by, of, rows_inside ? inner : outer, rows_inside ? outer : inner);
    }
  }
}

/* Neighbouring columns and rows of a tile, from these on. */
typedef struct piece {
  uint64_t from;
  uint64_t to;
  int64_t first_column, first_row;
  int64_t columns, rows;
} piece;

static uint64_t column_from(const replayer *by, const piece *of, int64_t column) {
  return of->from + (uint64_t)by->frame->columns.from[of->first_column + column];
}

static uint64_t row_to(const replayer *by, const piece *of, int64_t row) {
  load_numbers(by, by->at.rows_to, of->first_row + row, 1);
  return of->to + (uint64_t)by->frame->rows.to[of->first_row + row];
}

static int64_t block_start(int64_t first, int64_t length, int64_t side) {
  return first + side > length && length >= side ? length - side : first;
}

/* load_block, and the rows that it becomes. Lanes are loaded in the order of their strips. */
static void transpose_block(const replayer *by, const piece *of, int64_t column, int64_t row) {
  const int64_t last = of->columns - 1;
  const int64_t bytes = rlt_min(by->depth, of->rows - row) * by->bytes;
  load_numbers(by, by->at.columns_from, of->first_column + column,
               by->frame->column_step != 0 ? 1 : rlt_min(by->side, of->columns - column));
  for (int64_t c = 0; c < by->depth; ++c) {
    for (int64_t lane = 0; lane < by->side; lane += by->depth) {
      simulator_load(by->on,
                     column_from(by, of, rlt_min(column + c + lane, last)) +
                         (uint64_t)(row * by->bytes),
                     bytes);
    }
  }
  const int64_t count = rlt_min(by->side, of->columns - column);
  for (int64_t r = row; r < rlt_min(row + by->depth, of->rows); ++r) {
    simulator_store(by->on, row_to(by, of, r) + (uint64_t)(column * by->bytes), count * by->bytes);
  }
}

/* Few columns: strips along the rows, stored lane by lane in the order of the rows. */
static void transpose_narrow(const replayer *by, const piece *of) {
  for (int64_t c = 0; c < of->columns; c += by->depth) {
    const int64_t column = block_start(c, of->columns, by->depth);
    for (int64_t r = 0; r < of->rows; r += by->side) {
      const int64_t row = block_start(r, of->rows, by->side);
      load_numbers(by, by->at.columns_from, of->first_column + column, by->depth);
      for (int64_t i = 0; i < by->depth; ++i) {
        const int64_t read = rlt_min(column + i, of->columns - 1);
        simulator_load(by->on, column_from(by, of, read) + (uint64_t)(row * by->bytes),
                       by->side * by->bytes);
      }
      for (int64_t i = 0; i < by->side; ++i) {
        simulator_store(by->on, row_to(by, of, row + i) + (uint64_t)(column * by->bytes),
                        by->depth * by->bytes);
      }
    }
  }
}

/* Groups of columns whose rows are read by whole vectors. */
static int64_t wide_columns(const replayer *by) {
  const int64_t lanes = by->side / by->depth;
  return by->depth * (lanes == 2 || by->depth > 4 ? 2 : lanes);
}

static bool is_wide(const replayer *by, const piece *of) {
  const bool pays =
      by->side * by->bytes == LINE_BYTES && by->bytes > 1 && by->made->schedule->streamed;
  return by->side > by->depth && (by->frame->is_crowded || pays) &&
         of->columns >= wide_columns(by) && of->rows >= by->side;
}

static void transpose_wide(const replayer *by, const piece *of) {
  const int64_t columns = wide_columns(by);
  for (int64_t c = 0; c < of->columns; c += columns) {
    const int64_t column = block_start(c, of->columns, columns);
    for (int64_t r = 0; r < of->rows; r += by->side) {
      const int64_t row = block_start(r, of->rows, by->side);
      load_numbers(by, by->at.columns_from, of->first_column + column, columns);
      for (int64_t i = 0; i < columns; ++i) {
        simulator_load(by->on, column_from(by, of, column + i) + (uint64_t)(row * by->bytes),
                       by->side * by->bytes);
      }
      for (int64_t i = 0; i < by->side; ++i) {
        simulator_store(by->on, row_to(by, of, row + i) + (uint64_t)(column * by->bytes),
                        columns * by->bytes);
      }
    }
  }
}

/* Rows that leave for their lines from registers: the first columns, as many as make lines. How
 * many do. */
static int64_t transpose_straight(const replayer *by, const piece *of) {
  const int64_t line = LINE_BYTES / by->bytes, whole = of->columns / line * line;
  for (int64_t c = 0; c < whole; c += line) {
    for (int64_t r = 0; r < of->rows; r += by->depth) {
      const int64_t count = rlt_min(by->depth, of->rows - r);
      load_numbers(by, by->at.columns_from, of->first_column, 1);
      for (int64_t column = c; column < c + line; ++column) {
        simulator_load(by->on, column_from(by, of, column) + (uint64_t)(r * by->bytes),
                       count * by->bytes);
      }
      for (int64_t row = r; row < r + count; ++row) {
        simulator_store(by->on, row_to(by, of, row) + (uint64_t)(c * by->bytes), LINE_BYTES);
      }
    }
  }
  return whole;
}

static void transpose_piece(const replayer *by, const piece *of) {
  const bool may_spill = !by->frame->tile_buffer.exact;
  if (of->columns < by->side && (of->columns >= by->depth || may_spill) && of->rows >= by->side) {
    transpose_narrow(by, of);
    return;
  }
  if (is_wide(by, of)) {
    transpose_wide(by, of);
    return;
  }
  const bool goes_across = by->frame->column_step == of->rows * by->bytes;
  const bool is_straight =
      goes_across && by->made->schedule->streamed && !by->made->schedule->buffered;
  const int64_t across = is_straight   ? transpose_straight(by, of)
                         : goes_across ? of->columns / by->side * by->side
                                       : 0;
  for (int64_t r = 0; r < of->rows && across > 0 && !is_straight; r += by->depth) {
    for (int64_t c = 0; c < across; c += by->side) {
      transpose_block(by, of, c, block_start(r, of->rows, by->depth));
    }
  }
  for (int64_t c = across; c < of->columns; c += by->side) {
    for (int64_t r = 0; r < of->rows; r += by->depth) {
      transpose_block(by, of, block_start(c, of->columns, by->side),
                      block_start(r, of->rows, by->depth));
    }
  }
}

/* interleave.h: the elements of a channel that are taken at once. Registers of 32 bytes put narrow
 * ones in order by halves. */
static int64_t channel_of(const replayer *by) {
  const bool by_halves = by->bytes <= 2 && by->side * by->bytes == 2 * LANE_BYTES;
  return by_halves ? by->side / 2 : by->side;
}

/* Channels are joined: their rows lie in turns where they are put. */
static void interleave(const replayer *by, const piece *of, int64_t channels) {
  const int64_t at_once = channel_of(by);
  for (int64_t r = 0; r < of->rows; r += at_once) {
    const int64_t row = block_start(r, of->rows, at_once);
    for (int64_t t = 0; t < channels; ++t) {
      simulator_load(by->on,
                     column_from(by, of, rlt_min(t, of->columns - 1)) + (uint64_t)(row * by->bytes),
                     at_once * by->bytes);
    }
    simulator_store(by->on, row_to(by, of, row), channels * at_once * by->bytes);
  }
}

/* They are parted: columns lie in turns in the source. */
static void deinterleave(const replayer *by, const piece *of, int64_t channels) {
  const int64_t at_once = channel_of(by);
  for (int64_t c = 0; c < of->columns; c += at_once) {
    const int64_t column = block_start(c, of->columns, at_once);
    load_numbers(by, by->at.columns_from, of->first_column + column, 1);
    simulator_load(by->on, column_from(by, of, column), channels * at_once * by->bytes);
    for (int64_t r = 0; r < rlt_min(channels, of->rows); ++r) {
      simulator_store(by->on, row_to(by, of, r) + (uint64_t)(column * by->bytes),
                      at_once * by->bytes);
    }
  }
}

static void move_piece(const replayer *by, const piece *of) {
  const rlt_tile_buffer *const made = &by->frame->tile_buffer;
  if (made->write_channels > 0 && of->rows >= channel_of(by)) {
    interleave(by, of, made->write_channels);
  } else if (made->read_channels > 0 && of->columns >= channel_of(by)) {
    deinterleave(by, of, made->read_channels);
  } else {
    transpose_piece(by, of);
  }
}

static void fill_transposed(const replayer *by, const place *of) {
  const rlt_cpu_frame *const frame = by->frame;
  const rlt_tile_buffer *const made = &frame->tile_buffer;
  for (int64_t column = 0; column < of->at.valid_columns; column += made->dense_columns) {
    load_numbers(by, by->at.columns_to, column, 1);
    for (int64_t row = 0; row < of->at.valid_rows; row += made->dense_rows) {
      load_numbers(by, by->at.rows_from, row, 1);
      if (frame->rows.from[row] == RLT_NO_SOURCE) {
        continue;
      }
      const piece at = {.from = of->from + (uint64_t)frame->rows.from[row],
                        .to = of->to + (uint64_t)frame->columns.to[column],
                        .first_column = column,
                        .first_row = row,
                        .columns = rlt_min(made->dense_columns, of->at.valid_columns - column),
                        .rows = rlt_min(made->valid_rows, of->at.valid_rows - row)};
      move_piece(by, &at);
    }
  }
}

/* unpacking.c: the tile's runs as they are, beside each other. Where they begin there. */
static uint64_t load_runs(const replayer *by, const rlt_tile *tile) {
  const rlt_unpacking *const layout = &by->made->unpacking;
  const rlt_tile_steps has = rlt_cpu_steps(by->frame, tile->valid_columns, tile->valid_rows);
  const int64_t length = rlt_run_elements(&layout->runs, has) * by->bytes;
  const uint64_t begin = in_scratch(offsetof(rlt_cpu_scratch, unpacked) + RLT_AROUND_RUN);
  for (int64_t r = 0; r < layout->run_count; ++r) {
    const rlt_tile_run *const run = &by->made->runs[r];
    simulator_load(by->on, by->at.runs + (uint64_t)r * sizeof *run, sizeof *run);
    if (!rlt_tile_has_run(has, run)) {
      continue;
    }
    for (int64_t i = 0; i < length; i += LINE_BYTES) {
      const int64_t count = rlt_min(LINE_BYTES, length - i);
      simulator_load(by->on, in_source((tile->source + run->start) * by->bytes + i), count);
      simulator_store(by->on, begin + (uint64_t)(r * layout->pitch * by->bytes + i), count);
    }
  }
  return begin;
}

static void gather(const replayer *by, const place *of) {
  if (by->made->schedule->move == RLT_MOVE_COPY_RUNS) {
    copy_runs(by, of);
  } else {
    fill_transposed(by, of);
  }
}

/* ---- Buffered tiles leave ---- */

typedef struct prefetching {
  uint64_t start;
  int64_t next; /* of the table of what is ahead */
  int64_t left, pace;
} prefetching;

static void fetch_some(const replayer *by, prefetching *of, int64_t count) {
  for (int64_t i = rlt_min(count, of->left); i > 0; --i) {
    load_numbers(by, by->at.ahead, of->next, 1);
    fetch(by, of->start + (uint64_t)by->frame->ahead[of->next++], by->frame->fetch_level);
    --of->left;
  }
}

static uint64_t partial_lines(size_t offset) {
  return in_scratch(offsetof(rlt_cpu_scratch, partial) + offset);
}

/* Where a segment's line is kept until another tile goes on with it. */
static uint64_t line_of(int64_t segment) {
  return partial_lines(offsetof(rlt_cpu_partial_lines, lines)) + (uint64_t)(segment * LINE_BYTES);
}

static int64_t finish_line(replayer *by, uint64_t to, uint64_t from, int64_t count, int64_t segment,
                           bool goes_on) {
  const int64_t before = by->held[segment];
  const int64_t added = rlt_min(LINE_BYTES - before, count);
  by->held[segment] = 0;
  if (before + added == LINE_BYTES) {
    simulator_load(by->on, line_of(segment), LINE_BYTES);
    simulator_load(by->on, from - (uint64_t)before, LINE_BYTES);
    move_line(by, to - (uint64_t)before);
    return added;
  }
  simulator_load(by->on, from, added);
  simulator_store(by->on, line_of(segment) + (uint64_t)before, added);
  if (goes_on) {
    by->held[segment] = (uint8_t)(before + added);
  } else {
    simulator_store(by->on, to - (uint64_t)before, before + added);
  }
  return added;
}

/* Of what the walk is at, before the step to the next tile. */
typedef struct continuation {
  bool goes_on;
  int64_t first; /* of the segments */
} continuation;

static void store_segment(replayer *by, uint64_t to, uint64_t from, int64_t count, int64_t segment,
                          bool goes_on, prefetching *ahead) {
  int64_t i = 0;
  simulator_load(by->on, partial_lines(offsetof(rlt_cpu_partial_lines, held)) + (uint64_t)segment,
                 1);
  if (by->held[segment] > 0) {
    i = finish_line(by, to, from, count, segment, goes_on);
    fetch_some(by, ahead, ahead->pace);
  } else {
    i = bytes_before_line(by, to, count);
    simulator_load(by->on, from, i);
    simulator_store(by->on, to, i);
  }
  for (; i + LINE_BYTES <= count; i += LINE_BYTES) {
    simulator_load(by->on, from + (uint64_t)i, LINE_BYTES);
    move_line(by, to + (uint64_t)i);
    fetch_some(by, ahead, ahead->pace);
  }
  simulator_load(by->on, from + (uint64_t)i, count - i);
  if (i < count && goes_on) {
    by->held[segment] = (uint8_t)(count - i);
    simulator_store(by->on, line_of(segment), count - i);
  } else {
    simulator_store(by->on, to + (uint64_t)i, count - i);
  }
}

static void store_segments(replayer *by, const rlt_tile *tile, continuation at,
                           const rlt_tile *later) {
  const rlt_cpu_frame *const frame = by->frame;
  const rlt_tile_buffer *const made = &frame->tile_buffer;
  const rlt_tile_steps has = rlt_cpu_steps(frame, tile->columns, tile->rows);
  const int64_t count = rlt_run_elements(&made->segment, has) * by->bytes;
  prefetching ahead = {.left = 0};
  if (later != NULL && later->valid_columns > 0) {
    ahead.start = in_source(later->source * by->bytes);
    ahead.left = frame->ahead_count;
    ahead.pace = rlt_divide_up(ahead.left, rlt_max(made->segment_count * count / LINE_BYTES, 1));
  }
  for (int64_t s = 0; s < made->segment_count; ++s) {
    simulator_load(by->on, by->at.segments + (uint64_t)s * sizeof *frame->segments,
                   sizeof *frame->segments);
    if (rlt_tile_has_run(has, &frame->segments[s])) {
      const int64_t to = (tile->destination + frame->segments[s].start) * by->bytes;
      store_segment(
          by, simulator_address(SIMULATOR_DESTINATION, to),
          in_scratch(offsetof(rlt_cpu_scratch, buffered) + (size_t)(s * frame->segment_pitch)),
          count, at.first + s, at.goes_on, &ahead);
    }
  }
  fetch_some(by, &ahead, ahead.left);
}

/* ---- All tiles ---- */

bool replay_can(const rlt_cpu_executable *program) {
  const rlt_problem *const problem = program->problem;
  return !rlt_problem_is_packed(problem) && !rlt_problem_is_encoded_last(problem) &&
         !problem->fills && problem->index_program == NULL;
}

static bool is_straight(const replayer *by) {
  return by->made->schedule->move == RLT_MOVE_COPY && by->frame->source_column == by->bytes &&
         by->frame->destination_column == by->bytes;
}

static void put_tile(const replayer *by, const place *at) {
  if (rlt_schedule_has_tables(by->made->schedule)) {
    gather(by, at);
  } else if (is_straight(by)) {
    move_straight(by, at);
  } else {
    move_strided(by, at);
  }
}

static continuation continuation_of(const rlt_cpu_executable *made, const rlt_walk *walk) {
  if (!made->schedule->combined) {
    return (continuation){.goes_on = false};
  }
  return (continuation){.goes_on = rlt_walk_goes_on(walk, made->combined_loops),
                        .first = made->combined_loops.first * rlt_walk_place(walk, 0) *
                                 made->frame.tile_buffer.segment_count};
}

/* Tiles that are known already: the one that is moved, and those that are ahead of it. */
enum { KNOWN_TILES = RLT_MOST_TILES_AHEAD + 1 };
typedef struct known_tile {
  rlt_tile at;
  continuation continues;
} known_tile;

typedef struct iterator {
  rlt_walk walk;
  int64_t block;
  bool goes_on;
  int64_t seen; /* tiles */
  known_tile known[KNOWN_TILES];
} iterator;

static void look(const rlt_cpu_executable *made, iterator *of) {
  of->known[of->seen++ % KNOWN_TILES] =
      (known_tile){.at = of->walk.tile, .continues = continuation_of(made, &of->walk)};
}

static void step(const rlt_cpu_executable *made, iterator *of) {
  of->goes_on = rlt_walk_step(&of->walk);
  if (!of->goes_on && ++of->block < made->order.block_count) {
    rlt_walk_start(&of->walk, &made->order, of->block);
    of->goes_on = true;
  }
  if (of->goes_on) {
    look(made, of);
  }
}

static void move_tile(replayer *by, const known_tile *now, const rlt_tile *later) {
  const rlt_tile *const tile = &now->at;
  const bool buffered = by->made->schedule->buffered;
  const place at = {
      .at = *tile,
      .from = by->made->unpacks ? load_runs(by, tile)
                                : in_source(tile->valid_columns > 0 ? tile->source * by->bytes : 0),
      .to = buffered ? in_scratch(offsetof(rlt_cpu_scratch, buffered))
                     : simulator_address(SIMULATOR_DESTINATION, tile->destination * by->bytes)};
  put_tile(by, &at);
  if (buffered) {
    store_segments(by, tile, now->continues, later);
  }
}

/* One after the other, behind the scratch. */
static tables place_tables(const rlt_cpu_executable *program) {
  enum { PAGE_BYTES = 4096 };
  const uint64_t begin =
      in_scratch((size_t)rlt_divide_up(sizeof(rlt_cpu_scratch), PAGE_BYTES) * PAGE_BYTES);
  const uint64_t rows = (uint64_t)rlt_group_length(&program->schedule->rows) * NUMBER_BYTES;
  const uint64_t columns = (uint64_t)program->frame.columns.count * NUMBER_BYTES;
  const uint64_t segments =
      (uint64_t)program->frame.tile_buffer.segment_count * sizeof *program->frame.segments;
  const uint64_t behind_sides = begin + 2 * rows + 2 * columns;
  const uint64_t runs =
      program->unpacks ? (uint64_t)program->unpacking.run_count * sizeof *program->runs : 0;
  return (tables){.rows_from = begin,
                  .rows_to = begin + rows,
                  .columns_from = begin + 2 * rows,
                  .columns_to = begin + 2 * rows + columns,
                  .segments = behind_sides,
                  .runs = behind_sides + segments,
                  .ahead = behind_sides + segments + runs};
}

static replayer replayer_of(const rlt_cpu_executable *program, const rlt_facts *facts,
                            const replay_options *options, simulator *on) {
  const rlt_word_facts *const word =
      &facts->words[rlt_word_size_number(program->problem->element_bytes)];
  return (replayer){.made = program,
                    .frame = &program->frame,
                    .options = options,
                    .on = on,
                    .bytes = program->problem->element_bytes,
                    .at = place_tables(program),
                    .depth = word->block_rows,
                    .side = word->block_columns};
}

replay_result replay(const rlt_cpu_executable *program, const rlt_facts *facts,
                     const replay_options *options, simulator *on) {
  replayer by = replayer_of(program, facts, options, on);
  replay_result result = {.bytes_read = 0};
  const int32_t ahead = program->schedule->prefetch.tiles;
  int64_t before = 0;
  iterator at = {.goes_on = true};
  rlt_walk_start(&at.walk, &program->order, 0);
  look(program, &at);
  bool counts = options->bytes_before == 0;
  for (int64_t moved = 0; moved < at.seen && result.bytes_read < options->bytes_counted; ++moved) {
    while (at.goes_on && at.seen <= moved + rlt_max(ahead, 1)) {
      step(program, &at);
    }
    const known_tile *const now = &at.known[moved % KNOWN_TILES];
    const bool fetches = ahead > 0 && moved + ahead < at.seen;
    move_tile(&by, now, fetches ? &at.known[(moved + ahead) % KNOWN_TILES].at : NULL);
    const int64_t read = now->at.valid_columns * now->at.valid_rows * by.bytes;
    before += read;
    if (counts) {
      result.bytes_read += read;
      result.bytes_written += now->at.columns * now->at.rows * by.bytes;
    } else if (before >= options->bytes_before) {
      simulator_clear_counts(on);
      counts = true;
    }
  }
  simulator_drain(on);
  result.counts = *simulator_counted(on);
  return result;
}

double replay_source_fetches(const replay_result *of, const simulator_geometry *geometry,
                             int32_t level) {
  return (double)of->counts.fills[SIMULATOR_SOURCE][level] * (double)geometry->line_bytes /
         (double)of->bytes_read;
}
