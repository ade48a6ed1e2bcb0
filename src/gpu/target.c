/* target.c: what GPUs are to the search: their moves, and what each takes. */
#include "gpu/target.h"

#include "base/checked.h"
#include "gpu/local_tile.h"
#include "gpu/planning.h"

static const rlt_gpu_move_row moves[RLT_MOVES] = {
    [RLT_MOVE_FILL] = {.kernel = RLT_KERNEL_FILL, .take = rlt_gpu_take_run},
    [RLT_MOVE_COPY] = {.kernel = RLT_KERNEL_COPY, .take = rlt_gpu_take_run, .reads = true},
    [RLT_MOVE_TRANSPOSE] = {.kernel = RLT_KERNEL_TRANSPOSE,
                            .take = rlt_gpu_take_square,
                            .is_buffered = true,
                            .is_square = true,
                            .reads = true},
    [RLT_MOVE_INTERLEAVE] = {.kernel = RLT_KERNEL_INTERLEAVE,
                             .take = rlt_gpu_take_channels,
                             .has_channels = true,
                             .reads = true},
    [RLT_MOVE_PERMUTE] = {.kernel = RLT_KERNEL_PERMUTE,
                          .take = rlt_gpu_take_slots,
                          .is_buffered = true,
                          .looks_up = true,
                          .reads = true},
    [RLT_MOVE_INDEX] = {.kernel = RLT_KERNEL_LOOKUP,
                        .take = rlt_gpu_take_run,
                        .looks_up = true,
                        .reads = true},
};

const rlt_gpu_move_row *rlt_gpu_move_row_of(rlt_move move) {
  return &moves[move];
}

rlt_kernel rlt_gpu_kernel_of(const rlt_schedule *schedule) {
  return rlt_schedule_goes_by_index(schedule) ? RLT_KERNEL_LOOKUP : moves[schedule->move].kernel;
}

static bool has_tables(rlt_move move) {
  (void)move;
  return false;
}

/* Words are parts of runs that both sides have. */
static void widen(const rlt_facts *facts, rlt_problem *problem) {
  (void)facts;
  rlt_problem_widen_runs(problem);
}

/* ---- Prices ---- */

static double count_moves(const rlt_facts *facts, const rlt_schedule *schedule, double tiles) {
  (void)facts;
  (void)tiles;
  return (double)rlt_problem_digit_lists(schedule->problem);
}

/* In tiles that work-items share, what moves in pieces and units is as quick as a copy, unless it
 * is changed on the way or, of channels, each unit has words of two. In a square that is mostly
 * empty, work-items are idle for as long as it would take to look each element up. */
static rlt_price price_of_move(const rlt_facts *facts, const rlt_schedule *schedule) {
  (void)facts;
  const rlt_problem *const problem = schedule->problem;
  const rlt_gpu_move_row *const move = &moves[schedule->move];
  const bool is_looked_up = move->looks_up || (move->is_square && !schedule->suits);
  const bool is_reworked =
      move->reads && (!rlt_problem_keeps_elements(problem) ||
                      (move->has_channels && !rlt_gpu_runs_begin_with_pieces(problem)));
  return is_looked_up  ? (rlt_price){RLT_RATE_ELEMENT, 1}
         : is_reworked ? (rlt_price){RLT_RATE_REWORKED_ELEMENT, 1}
                       : (rlt_price){RLT_RATE_NONE, 0};
}

rlt_facts rlt_gpu_facts(int64_t group_size, int64_t most_group_size, int64_t most_groups) {
  return (rlt_facts){.line_bytes = RLT_LOCAL_LINE_BYTES,
                     .target = &rlt_gpu_target,
                     .staging_bytes = RLT_LOCAL_BYTES,
                     .threads = 1,
                     .group_size = group_size,
                     .most_group_size = most_group_size,
                     .most_groups = most_groups,
                     .specializes = true};
}

const rlt_target rlt_gpu_target = {.name = "gpu",
                                   .packing = RLT_PACKING_TILED,
                                   .methods = rlt_gpu_methods,
                                   .widen = widen,
                                   .lay_out = rlt_gpu_lay_out_asked,
                                   .check = rlt_gpu_check,
                                   .has_tables = has_tables,
                                   .finish = rlt_gpu_finish,
                                   .count_moves = count_moves,
                                   .price_of_move = price_of_move};
