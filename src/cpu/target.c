/* target.c: what CPUs are to the search: their moves, and what differs from a candidate in one
 * respect. */
#include "cpu/target.h"

#include "cpu/executable.h"
#include "cpu/planning.h"

static const rlt_cpu_move_row moves[RLT_MOVES] = {
    [RLT_MOVE_FILL] = {.rate = RLT_RATE_NONE, .mover = rlt_cpu_fill_mover},
    [RLT_MOVE_COPY] = {.rate = RLT_RATE_NONE, .mover = rlt_cpu_copy_mover},
    [RLT_MOVE_COPY_RUNS] = {.has_tables = true,
                            .copies_runs = true,
                            .joins = true,
                            .rate = RLT_RATE_LINE,
                            .mover = rlt_cpu_table_mover},
    [RLT_MOVE_INTERLEAVE] = {.has_tables = true,
                             .may_load = true,
                             .joins = true,
                             .rate = RLT_RATE_TRANSPOSED_LINE,
                             .mover = rlt_cpu_table_mover},
    [RLT_MOVE_TRANSPOSE] = {.has_tables = true,
                            .may_load = true,
                            .rate = RLT_RATE_TRANSPOSED_LINE,
                            .mover = rlt_cpu_table_mover},
    [RLT_MOVE_BIT_TRANSPOSE] = {.has_tables = true,
                                .joins = true,
                                .rate = RLT_RATE_TRANSPOSED_LINE,
                                .mover = rlt_cpu_table_mover},
    [RLT_MOVE_INDEX] = {.converts = true, .rate = RLT_RATE_ELEMENT, .mover = rlt_cpu_index_mover},
};

const rlt_cpu_move_row *rlt_cpu_move_row_of(rlt_move move) {
  return &moves[move];
}

static bool has_tables(rlt_move move) {
  return moves[move].has_tables;
}

/* Words are runs of either side, in whatever order; bytes have the bits of packed elements
 * transposed. */
static void widen(const rlt_facts *facts, rlt_problem *problem) {
  rlt_problem_widen(problem);
  rlt_problem_transpose_bits(problem, facts->bit_transposed_rows);
}

/* The tile as it is, by another blocking, which tells what is loaded first. */
static void add_by_blocking(const rlt_schedule *like, rlt_tile_blocking blocking,
                            rlt_candidates *candidates) {
  rlt_schedule other = *like;
  other.suits = false;
  other.blocking = blocking;
  rlt_cpu_lay_out_tile(candidates->facts, &other);
  rlt_candidates_add(candidates, &other);
}

/* The order of tiles, what is fetched ahead, what is loaded first, and how tiles leave. */
static void vary(const rlt_schedule *like, rlt_candidates *candidates) {
  static const rlt_stores stores[] = {RLT_STORES_STREAMED, RLT_STORES_CACHED,
                                      RLT_STORES_UNBUFFERED};
  enum { STORES = sizeof stores / sizeof stores[0] };
  if (!has_tables(like->move)) {
    return;
  }
  rlt_tile_blocking blocking = like->blocking;
  for (int i = 0; i < RLT_BLOCK_REACHES; ++i) {
    blocking.blocks = rlt_block_reaches[i];
    add_by_blocking(like, blocking, candidates);
  }
  blocking = like->blocking;
  for (int i = 0; i < RLT_PREFETCHES; ++i) {
    blocking.prefetch = rlt_prefetches[i];
    add_by_blocking(like, blocking, candidates);
  }
  blocking = like->blocking;
  blocking.loads = !blocking.loads;
  add_by_blocking(like, blocking, candidates);
  blocking = like->blocking;
  for (int i = 0; i < STORES; ++i) {
    blocking.stores = stores[i];
    add_by_blocking(like, blocking, candidates);
  }
}

const rlt_target rlt_cpu_target = {.name = "cpu",
                                   .packing = RLT_PACKING_MERGED,
                                   .methods = rlt_cpu_methods,
                                   .widen = widen,
                                   .lay_out = rlt_cpu_lay_out_asked,
                                   .check = rlt_cpu_check,
                                   .has_tables = has_tables,
                                   .finish = rlt_cpu_finish,
                                   .vary = vary,
                                   .count_moves = rlt_cpu_count_moves,
                                   .price_of_move = rlt_cpu_price_of_move,
                                   .price_of_rework = rlt_cpu_price_of_rework};
