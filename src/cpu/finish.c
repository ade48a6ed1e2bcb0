/* finish.c: what a CPU's tile, its move and the device decide: stores, prefetches, lines that are
 * combined, loops and threads. */
#include "base/checked.h"
#include "cpu/kernels.h"
#include "cpu/planning.h"
#include "cpu/unpacked_tile.h"

/* ---- The tile's buffer ---- */

bool rlt_cpu_streams(const rlt_facts *facts, const rlt_schedule *schedule) {
  const rlt_stores stores = schedule->blocking.stores;
  return !rlt_schedule_goes_by_index(schedule) &&
         (stores == RLT_STORES_STREAMED || stores == RLT_STORES_STRAIGHT ||
          (stores == RLT_STORES_BY_SIZE &&
           rlt_is_past_cache(schedule->problem, facts, schedule->stays_cached)));
}

bool rlt_cpu_loads(const rlt_facts *facts, const rlt_schedule *schedule) {
  return schedule->blocking.loads && rlt_cpu_streams(facts, schedule) &&
         rlt_cpu_move_row_of(schedule->move)->may_load &&
         !rlt_problem_is_unpacked_first(schedule->problem);
}

bool rlt_cpu_narrows_first(const rlt_facts *facts, const rlt_schedule *schedule) {
  return rlt_problem_narrows(schedule->problem) && rlt_cpu_loads(facts, schedule);
}

int64_t rlt_cpu_moved_bytes(const rlt_facts *facts, const rlt_schedule *schedule) {
  const rlt_problem *const problem = schedule->problem;
  return rlt_cpu_narrows_first(facts, schedule) ? rlt_problem_destination_bytes(problem)
                                                : problem->element_bytes;
}

void rlt_cpu_lay_out_tile(const rlt_facts *facts, rlt_schedule *schedule) {
  const rlt_problem *const problem = schedule->problem;
  const rlt_cpu_move_row *const move = rlt_cpu_move_row_of(schedule->move);
  rlt_tile_buffer_request of = {.problem = problem,
                                .columns = &schedule->columns,
                                .rows = &schedule->rows,
                                .copies = move->copies_runs};
  rlt_unpacked_tile unpacked;
  if (rlt_cpu_loads(facts, schedule) || rlt_problem_is_unpacked_first(problem)) {
    rlt_unpacked_tile_make(problem, &schedule->columns, &schedule->rows,
                           rlt_unpacking_bytes(facts->staging_bytes), &unpacked);
    of.problem = &unpacked.problem;
  }
  const rlt_word_facts *const word = &facts->words[rlt_word_size_number(of.problem->element_bytes)];
  of.lanes = facts->line_bytes / of.problem->element_bytes;
  if (move->joins) {
    of.most_channels = word->channels;
    of.most_in_lanes = word->channels_in_lanes;
  }
  rlt_tile_buffer_make(&of, &schedule->tile_buffer);
}

/* ---- Stores ---- */

/* True if the tile goes through a tile buffer. If the blocking does not say and the destination is
 * in the cache, rows that fill a line or a register go straight to it. */
static bool is_buffered(const rlt_facts *facts, const rlt_schedule *schedule) {
  const rlt_problem *const problem = schedule->problem;
  const rlt_cpu_move_row *const move = rlt_cpu_move_row_of(schedule->move);
  if (!move->has_tables) {
    return false;
  }
  if (!rlt_problem_keeps_elements(problem) || schedule->streamed) {
    return true;
  }
  if (schedule->blocking.stores != RLT_STORES_BY_SIZE) {
    return schedule->blocking.stores == RLT_STORES_CACHED;
  }
  const rlt_tile_buffer *const tile_buffer = &schedule->tile_buffer;
  const int64_t written =
      tile_buffer->dense_columns * (tile_buffer->write_channels > 0 ? tile_buffer->dense_rows : 1);
  const int32_t word = rlt_word_size_number(problem->element_bytes);
  const int64_t least = move->copies_runs ? facts->line_bytes / problem->element_bytes
                                          : facts->words[word].block_columns;
  return written < least;
}

/* True if every segment of every tile begins a line of an aligned destination. */
static bool begin_lines(const rlt_facts *facts, const rlt_schedule *schedule,
                        const rlt_grid *grid) {
  const rlt_problem *const problem = schedule->problem;
  const int64_t bits = rlt_problem_destination_bits(problem);
  const int64_t line = 8 * facts->line_bytes;
  bool begin = grid->destination_start * bits % line == 0;
  for (int32_t l = 0; l < grid->loop_count; ++l) {
    begin = begin && grid->loops[l].destination_step * bits % line == 0;
  }
  const rlt_tile_buffer *const tile_buffer = &schedule->tile_buffer;
  rlt_tile_axis axes[RLT_MAX_TILE_AXES];
  const int32_t count = rlt_tile_axes(problem, &schedule->columns, &schedule->rows, axes);
  int64_t strides[RLT_MAX_AXES];
  rlt_tile_buffer_strides(problem, &schedule->columns, &schedule->rows, tile_buffer, strides);
  for (int32_t i = 0; i < count; ++i) {
    const int32_t a = axes[i].axis;
    const bool is_within = strides[a] < tile_buffer->segment.length;
    begin = begin && (is_within || axes[i].steps == 1 ||
                      problem->axes[a].destination_stride * bits % line == 0);
  }
  return begin;
}

/* True if the tile's pieces make up whole segments: joined channels one together, parted ones one
 * each, and so does each of few rows, whose columns lie side by side in the source. Of more rows
 * than memory has banks, lines that leave in turn were measured to take longer. */
static bool pieces_fill_segments(const rlt_schedule *schedule) {
  enum { MOST_ROWS = 16 };
  const rlt_tile_buffer *const tile_buffer = &schedule->tile_buffer;
  const int64_t rows = tile_buffer->dense_rows;
  if (tile_buffer->write_channels > 0) {
    return rows * tile_buffer->write_channels == tile_buffer->segment.length;
  }
  if (tile_buffer->dense_columns != tile_buffer->segment.length) {
    return false;
  }
  return tile_buffer->read_channels > 0 ||
         (schedule->move == RLT_MOVE_TRANSPOSE && rows <= MOST_ROWS &&
          rows == tile_buffer->segment_count && schedule->columns.axis_count > 0 &&
          rows == schedule->problem->axes[schedule->columns.axes[0]].source_stride);
}

/* True if the pieces of a streamed tile are put together in registers, and leave from there. */
static bool goes_straight(const rlt_facts *facts, const rlt_schedule *schedule,
                          const rlt_grid *grid) {
  const rlt_problem *const problem = schedule->problem;
  return schedule->streamed && schedule->blocking.stores != RLT_STORES_STREAMED &&
         !schedule->loads && !problem->fills && rlt_problem_keeps_elements(problem) &&
         pieces_fill_segments(schedule) && begin_lines(facts, schedule, grid);
}

/* ---- Loops ---- */

/* Tiles that are moved between one and the tile that goes on with its lines: as many as leave these
 * in the nearest cache until then. Where it has no room for those of a few tiles, they are as many
 * as there is room for at all, as lines of the source that the last of them shares with the next
 * one come twice. */
static int64_t tiles_between(const rlt_facts *facts, const rlt_schedule *schedule) {
  enum { A_FEW = 4 };
  const int64_t segments = schedule->tile_buffer.segment_count;
  const int64_t most = facts->most_segments / segments;
  const int64_t nearest = facts->machine.caches[0].bytes / RLT_CPU_BYTES_OF_SEGMENT / segments;
  return (nearest < A_FEW ? most : rlt_min(most, nearest)) - 1;
}

static void choose_loops(const rlt_facts *facts, const rlt_tuning *tuning, const rlt_grid *grid,
                         const rlt_combining *combining, rlt_schedule *schedule) {
  const rlt_loop_blocking blocking = rlt_schedule_share_out(facts, tuning, grid, schedule);
  if (!schedule->combined) {
    rlt_loops_make(grid, &blocking, &schedule->loops);
    return;
  }
  rlt_loops_make_combining(grid, combining, tiles_between(facts, schedule), &blocking,
                           &schedule->loops);
}

bool rlt_cpu_finish(const rlt_facts *facts, const rlt_tuning *tuning, bool combines,
                    rlt_schedule *schedule) {
  rlt_grid grid;
  rlt_combining combining = {.count = 0}; /* along which tiles go on with each other's lines */
  rlt_grid_make(schedule->problem, &schedule->columns, &schedule->rows, &grid);
  schedule->tile_count = grid.tile_count;
  schedule->streamed = rlt_cpu_streams(facts, schedule);
  schedule->loads = rlt_cpu_loads(facts, schedule);
  const bool is_straight = !combines && goes_straight(facts, schedule, &grid);
  schedule->buffered = !is_straight && is_buffered(facts, schedule);
  schedule->prefetch = schedule->buffered ? schedule->blocking.prefetch : (rlt_prefetch){0, 0};
  if (schedule->buffered && schedule->streamed) {
    rlt_combining_find(schedule->problem, &grid, schedule->tile_buffer.segment.length, &combining);
  }
  schedule->combined = combining.count > 0 && (combines || !begin_lines(facts, schedule, &grid));
  schedule->only_aligned = is_straight || (combining.count > 0 && !schedule->combined);
  schedule->source_alignment = 1;
  schedule->destination_alignment = schedule->only_aligned ? facts->line_bytes : 1;
  choose_loops(facts, tuning, &grid, &combining, schedule);
  schedule->group_size = 1;
  schedule->grain = 1;
  return schedule->only_aligned;
}
