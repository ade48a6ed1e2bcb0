/* price.c: what moves take on CPUs. */
#include "base/checked.h"
#include "cpu/planning.h"

/* Pieces of at most `most` positions, which end where the dense stretches do. */
static int64_t pieces(int64_t length, int64_t dense, int64_t most) {
  return length / dense * rlt_divide_up(dense, most) + rlt_divide_up(length % dense, most);
}

/* What a group cuts its axis into, all blocks of it together, times what is done for each. */
static double pieces_of_group(const rlt_problem *problem, const rlt_group *group, int64_t dense,
                              int64_t most) {
  const int64_t extent = rlt_group_extent(problem, group);
  return (double)(extent / group->steps) * (double)pieces(rlt_group_length(group), dense, most) +
         (double)pieces(group->inner * (extent % group->steps), dense, most);
}

static double tiles_of_group(const rlt_problem *problem, const rlt_group *group) {
  return (double)rlt_divide_up(rlt_group_extent(problem, group), group->steps);
}

/* Pixels of three bytes are transposed four by four. */
enum { PIXEL_BYTES = 3, LANE_PIXELS = 4 };

/* True for tiles of pixels that lie side by side along the rows in the source, and along the
 * columns in the destination. */
static bool has_pixels(const rlt_schedule *schedule) {
  const rlt_problem *const problem = schedule->problem;
  const rlt_group *const columns = &schedule->columns, *const rows = &schedule->rows;
  return problem->element_bytes == 1 && schedule->tile_buffer.dense_columns == PIXEL_BYTES &&
         columns->axis_count > 1 && rows->axis_count > 0 &&
         problem->axes[columns->axes[1]].destination_stride == PIXEL_BYTES &&
         problem->axes[rows->axes[0]].source_stride == PIXEL_BYTES;
}

/* Blocks of tiles with tables, of those with pixels too, and what is interleaved instead of blocks;
 * their lines, where other runs are copied; elements of the others. Blocks lie on their sides where
 * the columns are too few for a vector. */
double rlt_cpu_count_moves(const rlt_facts *facts, const rlt_schedule *schedule, double tiles) {
  const rlt_problem *const problem = schedule->problem;
  const rlt_cpu_move_row *const move = rlt_cpu_move_row_of(schedule->move);
  if (!move->has_tables) {
    return (double)rlt_problem_digit_lists(problem);
  }
  const int64_t bytes = rlt_cpu_moved_bytes(facts, schedule);
  const rlt_word_facts *const block = &facts->words[rlt_word_size_number(bytes)];
  const rlt_tile_buffer *const tile_buffer = &schedule->tile_buffer;
  if (rlt_tile_buffer_interleaves(tile_buffer)) {
    return (double)rlt_problem_digit_lists(problem) /
           ((double)block->block_rows * block->block_columns);
  }
  if (move->copies_runs && has_pixels(schedule)) {
    return (double)rlt_problem_digit_lists(problem) / (PIXEL_BYTES * LANE_PIXELS * LANE_PIXELS);
  }
  const int64_t line = rlt_max(facts->line_bytes / bytes, 1);
  const double others = tiles / tiles_of_group(problem, &schedule->columns) /
                        tiles_of_group(problem, &schedule->rows);
  const bool on_sides = tile_buffer->dense_columns < block->block_columns &&
                        tile_buffer->dense_rows >= block->block_columns;
  const int64_t across = move->copies_runs ? line
                         : on_sides        ? block->block_rows
                                           : block->block_columns;
  const int64_t down = move->copies_runs ? 1 : on_sides ? block->block_columns : block->block_rows;
  const double columns =
      pieces_of_group(problem, &schedule->columns, tile_buffer->dense_columns, across);
  const double rows = pieces_of_group(problem, &schedule->rows, tile_buffer->dense_rows, down);
  return others * columns * rows;
}

/* A block's time goes by the lines of it, most of which passes while they are on their way to
 * memory where they leave for it straight from registers. */
rlt_price rlt_cpu_price_of_move(const rlt_facts *facts, const rlt_schedule *schedule) {
  const int64_t bytes = rlt_cpu_moved_bytes(facts, schedule);
  const rlt_word_facts *const block = &facts->words[rlt_word_size_number(bytes)];
  static const double STRAIGHT = 0.25;
  const double block_lines =
      (double)block->block_rows * block->block_columns * (double)bytes / (double)facts->line_bytes;
  const rlt_rate rate = rlt_cpu_move_row_of(schedule->move)->rate;
  const bool leave_straight = schedule->streamed && !schedule->buffered;
  const double times = rate == RLT_RATE_TRANSPOSED_LINE
                           ? block_lines * (leave_straight ? STRAIGHT : 1)
                       : rate == RLT_RATE_NONE ? 0
                                               : 1;
  return (rlt_price){rate, times};
}

/* A conversion takes as long as its wider side, and reversing as long as one; packing and unpacking
 * twice as long as it, and transposing bits eight times. */
rlt_price rlt_cpu_price_of_rework(const rlt_schedule *schedule) {
  static const double PACKING = 2, TRANSPOSING_BITS = 8;
  const rlt_problem *const problem = schedule->problem;
  const double bytes = (double)problem->element_bytes;
  const double becomes = (double)rlt_problem_destination_bits(problem) / 8;
  const double times = (!rlt_converts(&problem->conversion) ? 0
                        : becomes > bytes                   ? becomes / bytes
                                                            : 1) +
                       (problem->reversed_bits > 0 ? 1 : 0) +
                       (problem->source_packed > 0 ? PACKING : 0) +
                       (problem->destination_packed > 0 ? PACKING : 0) +
                       (rlt_problem_transposes_bits(problem) ? TRANSPOSING_BITS : 0);
  return (rlt_price){times > 0 ? RLT_RATE_REWORKED_ELEMENT : RLT_RATE_NONE, times};
}
