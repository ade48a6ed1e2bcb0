/* check.c: checks a schedule that a caller asks for against the rules that kernels rely on. The
 * methods' own candidates keep them. */
#include <inttypes.h>

#include "base/checked.h"
#include "base/error.h"
#include "gpu/local_tile.h"
#include "gpu/planning.h"

static relayout_status fail(const char *rule, relayout_error *error) {
  return rlt_fail(error, RELAYOUT_UNSUPPORTED, "schedule: %s", rule);
}

/* ---- How much of a tile a work-item takes ---- */

/* llvmpipe ends a work-item's loops, without a word, after 65535 iterations altogether, of which
 * there are some for each element. Other drivers are taken to be no better. */
enum { MOST_ITERATIONS = 48 << 10 };

/* That an element takes there: packed ones count again with their byte. */
static int64_t iterations_of(const rlt_problem *problem) {
  return 3 + (problem->index_program == NULL ? 0 : problem->index_program->count);
}

int64_t rlt_gpu_most_elements(const rlt_problem *problem, const rlt_facts *facts) {
  return rlt_max(MOST_ITERATIONS / iterations_of(problem), 1) * facts->group_size;
}

static bool has_at_most(const rlt_schedule *schedule, int64_t times, int64_t most) {
  int64_t elements;
  return rlt_multiply(rlt_group_length(&schedule->columns), rlt_group_length(&schedule->rows),
                      &elements) &&
         rlt_multiply(elements, times, &elements) && elements <= most;
}

/* ---- Tiles, move by move ---- */

relayout_status rlt_gpu_take_run(rlt_schedule *schedule, relayout_error *error) {
  const rlt_problem *const problem = schedule->problem;
  const rlt_group *const columns = &schedule->columns;
  if (problem->axis_count > 0 && (columns->axis_count != 1 || columns->axes[0] != 0)) {
    return fail("the columns of a tile that moves run by run are steps of axis 0", error);
  }
  if (schedule->rows.axis_count > (schedule->move == RLT_MOVE_COPY)) {
    return schedule->move == RLT_MOVE_COPY
               ? fail("the rows of a tile that moves run by run are steps of one axis", error)
               : fail("tiles of this move have no rows", error);
  }
  const int64_t whole = rlt_in_byte(problem->destination_packed);
  return schedule->move == RLT_MOVE_COPY || columns->steps % whole == 0 ||
                 columns->steps == rlt_group_extent(problem, columns)
             ? RELAYOUT_OK
             : fail("the columns of a tile are not whole bytes", error);
}

/* The smallest square tile that has room for the columns and rows. */
relayout_status rlt_gpu_take_square(rlt_schedule *schedule, relayout_error *error) {
  enum { LEAST_BYTES = 1 << 10 };
  const rlt_problem *const problem = schedule->problem;
  const rlt_group *const columns = &schedule->columns;
  const rlt_group *const rows = &schedule->rows;
  if (columns->axis_count != 1 || columns->axes[0] != 0 || rows->axis_count != 1 ||
      rows->axes[0] != rlt_source_run_axis(problem)) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "schedule: a square tile has columns of axis 0 and rows of axis %" PRId32
                    ", along which the source runs",
                    rlt_source_run_axis(problem));
  }
  rlt_square_tile tile = {0, 0};
  for (int64_t bytes = LEAST_BYTES; bytes <= RLT_LOCAL_BYTES / 2; bytes *= 2) {
    tile = rlt_square_tile_for(problem, bytes);
    if (columns->steps <= tile.columns && rows->steps <= tile.rows) {
      schedule->tile_bytes = bytes;
      return RELAYOUT_OK;
    }
  }
  return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                  "schedule: a square tile of this problem has at most %" PRId64
                  " rows and %" PRId64 " columns in local memory",
                  tile.rows, tile.columns);
}

relayout_status rlt_gpu_take_slots(rlt_schedule *schedule, relayout_error *error) {
  rlt_slots slots;
  bool fits =
      has_at_most(schedule, rlt_problem_destination_bytes(schedule->problem), RLT_LOCAL_BYTES);
  if (fits) {
    rlt_slots_find(schedule->problem, &schedule->columns, &schedule->rows, &slots);
    fits = rlt_slots_bytes(&slots) <= RLT_LOCAL_BYTES;
  }
  return fits ? RELAYOUT_OK
              : rlt_fail(error, RELAYOUT_UNSUPPORTED,
                         "schedule: a tile takes more than the %d bytes of local memory that every "
                         "device has",
                         (int)RLT_LOCAL_BYTES);
}

relayout_status rlt_gpu_lay_out_asked(const rlt_facts *facts, rlt_schedule *schedule,
                                      relayout_error *error) {
  const relayout_status status = rlt_gpu_move_row_of(schedule->move)->take(schedule, error);
  const int64_t most = rlt_gpu_most_elements(schedule->problem, facts);
  return status != RELAYOUT_OK || has_at_most(schedule, 1, most)
             ? status
             : rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "schedule: a tile has more than %" PRId64
                        " elements, as far as some drivers' loops go",
                        most);
}

/* ---- The order ---- */

/* A kernel has a loop over what is in a block, and one over the blocks: these are all alike. */
static relayout_status check_loops(const rlt_schedule *schedule, const rlt_grid *grid,
                                   relayout_error *error) {
  const rlt_loops *const loops = &schedule->loops;
  for (int32_t i = 0; i < loops->inner_count; ++i) {
    const int32_t l = rlt_grid_loop_of(grid, loops->inner[i]);
    const rlt_loop *const loop = &grid->loops[l];
    const bool is_ragged = loop->valid < loop->count || loop->count % loops->inside[i] != 0 ||
                           l == grid->columns.block_loop || l == grid->rows.block_loop;
    if (loops->inside[i] < loop->count && is_ragged) {
      return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                      "schedule: a block has all %" PRId64
                      " tiles along axis %d; or a divisor of them, "
                      "along an axis that the tile does not name and all of which has a source",
                      loop->count, (int)loops->inner[i]);
    }
  }
  return RELAYOUT_OK;
}

relayout_status rlt_gpu_check(const rlt_facts *facts, const rlt_schedule *schedule,
                              relayout_error *error) {
  rlt_grid grid;
  rlt_grid_make(schedule->problem, &schedule->columns, &schedule->rows, &grid);
  if (schedule->prefetch.tiles > 0) {
    return fail("work-groups fetch no tiles ahead", error);
  }
  if (!rlt_schedule_goes_by_index(schedule) &&
      !has_at_most(schedule, schedule->grain, rlt_gpu_most_elements(schedule->problem, facts))) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "schedule: the tiles of a work-group have more than %" PRId64
                    " elements, as far as some drivers' loops go",
                    rlt_gpu_most_elements(schedule->problem, facts));
  }
  return check_loops(schedule, &grid, error);
}
