/* check.c: checks a schedule that a caller asks for against the rules that the CPU's kernels rely
 * on. The methods' own candidates keep them. */
#include <inttypes.h>

#include "base/checked.h"
#include "base/error.h"
#include "cpu/kernels.h"
#include "cpu/planning.h"
#include "cpu/unpacked_tile.h"
#include "cpu/walk.h"

static relayout_status fail(const char *rule, relayout_error *error) {
  return rlt_fail(error, RELAYOUT_UNSUPPORTED, "schedule: %s", rule);
}

/* ---- Without tables ---- */

/* Tiles of a row of axis 0, or of several rows along another axis. */
static relayout_status check_straight(const rlt_schedule *schedule, relayout_error *error) {
  const rlt_group *const columns = &schedule->columns;
  if (schedule->problem->axis_count > 0 && (columns->axis_count != 1 || columns->axes[0] != 0)) {
    return fail("the columns of tiles that are moved run by run are steps of axis 0", error);
  }
  const int32_t most_rows = schedule->move == RLT_MOVE_COPY ? 1 : 0;
  return schedule->rows.axis_count <= most_rows
             ? RELAYOUT_OK
             : fail(most_rows == 0 ? "tiles of this move have no rows"
                                   : "the rows of tiles that are moved run by run are steps of "
                                     "one axis",
                    error);
}

/* ---- With tables ---- */

static relayout_status check_groups(const rlt_schedule *schedule, relayout_error *error) {
  const rlt_problem *const problem = schedule->problem;
  const rlt_cpu_move_row *const move = rlt_cpu_move_row_of(schedule->move);
  const rlt_group *const columns = &schedule->columns;
  const bool has_runs = columns->axis_count > 0 && columns->axes[0] == 0;
  if (move->copies_runs && columns->axis_count > 0 &&
      (!has_runs || problem->axes[0].source_stride != 1)) {
    return fail("the columns of a tile whose runs are copied begin with axis 0", error);
  }
  return RELAYOUT_OK;
}

/* Bits are transposed among the rows of two axes: bytes of a run, then those beside them. */
static relayout_status check_bit_rows(const rlt_schedule *schedule, relayout_error *error) {
  const rlt_problem *const problem = schedule->problem;
  const rlt_group *const rows = &schedule->rows;
  const bool are_runs = rows->axis_count >= 2 && problem->axes[rows->axes[0]].source_stride == 1 &&
                        problem->axes[rows->axes[1]].source_stride == problem->transposed_stride &&
                        rlt_group_steps(problem, rows, 1) == problem->axes[rows->axes[1]].extent;
  return are_runs ? RELAYOUT_OK
                  : fail("the rows of a tile whose bits are transposed begin with the source's "
                         "run and with all steps of the axis whose bits change places with it",
                         error);
}

/* Bytes of a word as it moves or once it is converted, whichever takes more. */
static int64_t widest_word(const rlt_facts *facts, const rlt_schedule *schedule) {
  return rlt_max(rlt_cpu_moved_bytes(facts, schedule),
                 rlt_problem_destination_bytes(schedule->problem));
}

static relayout_status fail_room(const rlt_facts *facts, relayout_error *error) {
  return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                  "schedule: a tile takes more than the %" PRId64 " bytes that there are for one",
                  facts->staging_bytes);
}

relayout_status rlt_cpu_lay_out_asked(const rlt_facts *facts, rlt_schedule *schedule,
                                      relayout_error *error) {
  if (!rlt_cpu_move_row_of(schedule->move)->has_tables) {
    return RELAYOUT_OK;
  }
  const int64_t most = facts->staging_bytes / widest_word(facts, schedule);
  int64_t positions;
  if (!rlt_multiply(rlt_group_length(&schedule->columns), rlt_group_length(&schedule->rows),
                    &positions) ||
      positions > most) {
    return fail_room(facts, error);
  }
  rlt_cpu_lay_out_tile(facts, schedule);
  return schedule->tile_buffer.elements <= most ? RELAYOUT_OK : fail_room(facts, error);
}

static relayout_status check_unpacking(const rlt_facts *facts, const rlt_schedule *schedule,
                                       relayout_error *error) {
  const rlt_problem *const problem = schedule->problem;
  if (!schedule->loads && !rlt_problem_is_unpacked_first(problem)) {
    return RELAYOUT_OK;
  }
  rlt_unpacked_tile tile;
  const int64_t room = rlt_unpacking_bytes(facts->staging_bytes);
  rlt_unpacked_tile_make(problem, &schedule->columns, &schedule->rows, room, &tile);
  const int64_t words = tile.unpacking.run_count * tile.unpacking.pitch;
  return words * tile.problem.element_bytes + 2 * RLT_AROUND_RUN <= room
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "schedule: what a tile reads takes more than the %" PRId64
                        " bytes that there are for it",
                        room - 2 * RLT_AROUND_RUN);
}

/* Lines that tiles leave unfinished are kept until a later tile goes on with them. */
static relayout_status check_combining(const rlt_facts *facts, const rlt_schedule *schedule,
                                       relayout_error *error) {
  rlt_grid grid;
  rlt_order order;
  rlt_combining combining;
  rlt_grid_make(schedule->problem, &schedule->columns, &schedule->rows, &grid);
  rlt_order_make(&grid, &schedule->loops, &order);
  rlt_combining_find(schedule->problem, &grid, schedule->tile_buffer.segment.length, &combining);
  const rlt_combined_loops loops = rlt_order_combined_loops(&order, &combining);
  const int64_t tiles = loops.first == 0 ? 1 : order.inside[0];
  if (loops.first > 1) {
    return fail("between a tile and the one that goes on with its lines there is more than the "
                "innermost loop",
                error);
  }
  return tiles * schedule->tile_buffer.segment_count <= facts->most_segments
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "schedule: more than %" PRId64 " lines wait for later tiles",
                        facts->most_segments);
}

static relayout_status check_tables(const rlt_facts *facts, const rlt_schedule *schedule,
                                    relayout_error *error) {
  relayout_status status = check_groups(schedule, error);
  if (status == RELAYOUT_OK && schedule->move == RLT_MOVE_BIT_TRANSPOSE) {
    status = check_bit_rows(schedule, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_unpacking(facts, schedule, error);
  }
  return status == RELAYOUT_OK && schedule->combined ? check_combining(facts, schedule, error)
                                                     : status;
}

/* ---- All of it ---- */

relayout_status rlt_cpu_check(const rlt_facts *facts, const rlt_schedule *schedule,
                              relayout_error *error) {
  return rlt_cpu_move_row_of(schedule->move)->has_tables ? check_tables(facts, schedule, error)
                                                         : check_straight(schedule, error);
}
