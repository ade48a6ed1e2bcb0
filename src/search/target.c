/* target.c: what targets decide alike. */
#include "search/target.h"

#include "base/checked.h"

rlt_loop_blocking rlt_schedule_share_out(const rlt_facts *facts, const rlt_tuning *tuning,
                                         const rlt_grid *grid, rlt_schedule *schedule) {
  const rlt_problem *const problem = schedule->problem;
  const int64_t word = rlt_max(problem->element_bytes, rlt_problem_destination_bytes(problem));
  const int64_t bits =
      rlt_max(rlt_problem_source_bits(problem), rlt_problem_destination_bits(problem));
  int64_t bytes; /* if none were packed */
  if (!rlt_multiply(rlt_problem_digit_lists(problem), word, &bytes)) {
    bytes = INT64_MAX;
  }
  schedule->threads = 1;
  if (facts->threads > 1) {
    const int64_t workers = rlt_min(facts->threads, bytes / tuning->thread_bytes);
    schedule->threads = (int32_t)rlt_max(rlt_min(workers, grid->tile_count), 1);
  }
  return (rlt_loop_blocking){
      .near_source = 8 * schedule->blocking.blocks.read_bytes / bits,
      .near_destination = 8 * schedule->blocking.blocks.write_bytes / bits,
      .tiles = tuning->block_bytes / rlt_max(bytes / grid->tile_count, 1),
      .least_blocks = schedule->threads == 1 ? 1 : schedule->threads * tuning->thread_blocks};
}
