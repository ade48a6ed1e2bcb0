/* finish.c: what a GPU's tile, its move and the device decide: alignment, loops and work-groups. */
#include "base/checked.h"
#include "gpu/local_tile.h"
#include "gpu/planning.h"

int64_t rlt_gpu_across_shift(const rlt_schedule *schedule, int64_t tile_count) {
  const rlt_problem *const problem = schedule->problem;
  const int64_t rows = rlt_group_length(&schedule->rows);
  const int64_t across = rlt_group_length(&schedule->columns);
  switch (rlt_gpu_kernel_of(schedule)) {
  case RLT_KERNEL_INTERLEAVE: {
    const int64_t runs = schedule->columns.axis_count > 1 ? schedule->columns.steps : 1;
    const int64_t pieces =
        rlt_divide_up(across / runs, RLT_LOCAL_PIECE_BYTES / problem->element_bytes);
    return rlt_across_shift(runs, pieces, schedule->group_size);
  }
  case RLT_KERNEL_LOOKUP: { /* of several tiles */
    const int64_t bytes = rlt_divide_up(across, rlt_in_byte(problem->destination_packed));
    return rlt_across_shift(tile_count, bytes, schedule->group_size);
  }
  case RLT_KERNEL_COPY: {
    /* Changed elements are more or fewer on either side. */
    const int64_t unit = rlt_min(rlt_local_unit(rlt_problem_source_bits(problem)),
                                 rlt_local_unit(rlt_problem_destination_bits(problem)));
    return rlt_line_shift(rows, rlt_divide_up(across, unit), RLT_LOCAL_UNIT_BYTES,
                          schedule->group_size);
  }
  default:
    return rlt_across_shift(rows, across, schedule->group_size);
  }
}

bool rlt_gpu_finish(const rlt_facts *facts, const rlt_tuning *tuning, bool combines,
                    rlt_schedule *schedule) {
  (void)combines; /* which lines work-groups share is left to the caches */
  const rlt_problem *const problem = schedule->problem;
  rlt_grid grid;
  rlt_grid_make(problem, &schedule->columns, &schedule->rows, &grid);
  schedule->tile_count = grid.tile_count;
  schedule->buffered = rlt_gpu_move_row_of(schedule->move)->is_buffered;
  schedule->only_aligned = schedule->is_wide;
  schedule->source_alignment = schedule->move == RLT_MOVE_FILL ? 1 : problem->element_bytes;
  schedule->destination_alignment = rlt_problem_destination_bytes(problem);
  rlt_loop_blocking blocking = rlt_schedule_share_out(facts, tuning, &grid, schedule);
  blocking.only_whole = true;
  blocking.goes_on = true;
  rlt_loops_make(&grid, &blocking, &schedule->loops);
  if (schedule->group_size == 0) {
    schedule->group_size = facts->group_size;
  }
  const int64_t tiles =
      rlt_schedule_goes_by_index(schedule)
          ? schedule->group_size >> rlt_gpu_across_shift(schedule, grid.tile_count)
          : 1;
  schedule->grain = rlt_max(rlt_max(tiles, 1), rlt_divide_up(grid.tile_count, facts->most_groups));
  return false;
}
