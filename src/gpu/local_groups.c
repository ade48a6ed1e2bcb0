/* local_groups.c: whole lines of both sides, and as much more of them as local
 * memory has room for. */
#include "base/checked.h"
#include "gpu/local_tile.h"
#include "gpu/planning.h"
#include "search/cost.h"
#include "search/target.h"

/* Columns: the destination's first axes, `written` positions of them. Rows: enough of the source's
 * first axes that a tile reads `read` positions in a row, counting those the columns hold. */
static void pack_groups(const rlt_problem *problem, int64_t written, int64_t read,
                        rlt_group *columns, rlt_group *rows) {
  const int32_t last = rlt_byte_run_of(problem).last;
  *columns = rlt_no_axes;
  *rows = rlt_no_axes;
  for (int32_t a = 0;
       a < problem->axis_count && (a <= last || (columns->axis_count < RLT_MAX_GROUP_AXES &&
                                                 rlt_group_length(columns) < written));
       ++a) {
    const int64_t least = a < last ? problem->axes[a].extent * rlt_group_length(columns) : 1;
    rlt_group_append(problem, columns, a, rlt_max(written, least));
  }

  bool seen[RLT_MAX_AXES] = {false};
  int64_t run = 1;
  while (run < read && rows->axis_count < RLT_MAX_GROUP_AXES) {
    const int32_t axis = rlt_next_source_axis(problem, seen);
    if (axis < 0) {
      break;
    }
    seen[axis] = true;
    const int64_t extent = problem->axes[axis].extent;
    const int64_t wanted = rlt_min(extent, rlt_divide_up(read, run));
    if (rlt_group_last(columns) == axis) {
      columns->steps = rlt_max(columns->steps, wanted);
      run *= columns->steps;
      if (columns->steps < extent) {
        break;
      }
    } else if (rlt_group_has(columns, axis)) {
      run *= extent;
    } else {
      rlt_group_append(problem, rows, axis, rlt_group_length(rows) * wanted);
      run *= wanted;
    }
  }
  rlt_end_with_byte(problem, columns);
}

/* As many more steps of the group's last axis as keep a tile of `elements` within `budget`. */
static void grow_group(const rlt_problem *problem, int64_t budget, int64_t elements,
                       rlt_group *group) {
  if (elements < budget) {
    group->steps = rlt_min(rlt_group_extent(problem, group), group->steps * (budget / elements));
  }
}

/* The same for the columns, which take the destination's next axes too while all of each fits. */
static void grow_columns(const rlt_problem *problem, int64_t budget, const rlt_group *rows,
                         rlt_group *columns) {
  const int64_t row_count = rlt_group_length(rows);
  grow_group(problem, budget, row_count * rlt_group_length(columns), columns);
  for (int32_t next = columns->axis_count; next < problem->axis_count; ++next) {
    const int64_t room = budget / (row_count * rlt_group_length(columns));
    const bool is_cut = next > 0 && columns->steps < problem->axes[next - 1].extent;
    if (columns->axis_count == RLT_MAX_GROUP_AXES || room < 2 || rlt_group_has(rows, next) ||
        is_cut) {
      return;
    }
    rlt_group_append(problem, columns, next, room * rlt_group_length(columns));
  }
}

/* The same for the rows and the source's next axes, but for one that columns would go on with. */
static void grow_rows(const rlt_problem *problem, int64_t budget, const rlt_group *columns,
                      rlt_group *rows) {
  const int64_t column_count = rlt_group_length(columns);
  grow_group(problem, budget, column_count * rlt_group_length(rows), rows);
  bool seen[RLT_MAX_AXES];
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    seen[a] = rlt_group_has(columns, a) || rlt_group_has(rows, a);
  }
  while (rows->axis_count < RLT_MAX_GROUP_AXES && rows->steps == rlt_group_extent(problem, rows)) {
    const int64_t room = budget / (column_count * rlt_group_length(rows));
    const int32_t next = rlt_next_source_axis(problem, seen);
    if (next < 0 || room < 2 || next == columns->axis_count) {
      return;
    }
    seen[next] = true;
    rlt_group_append(problem, rows, next, room * rlt_group_length(rows));
  }
}

/* Blocks of the same size leave the last tile no smaller than it must be. They are
 * whole lines, or halves or so of one, as far as that goes. */
static void split_evenly(const rlt_problem *problem, int64_t line, rlt_group *group) {
  const int64_t even = rlt_even_steps(rlt_group_extent(problem, group), group->steps);
  int64_t unit = line;
  while (unit > 1 && 2 * unit > even) {
    unit /= 2;
  }
  group->steps = rlt_min(group->steps, rlt_divide_up(even, unit) * unit);
}

/* What a tile is to be like, in elements. */
typedef struct tile_room {
  int64_t budget;
  int64_t line; /* of the destination, */
  int64_t read_line;
  bool tries_axes; /* and more than lines */
} tile_room;

static void split_both(const rlt_problem *problem, const tile_room *room, rlt_group *columns,
                       rlt_group *rows) {
  split_evenly(problem, room->read_line, rows);
  if (room->tries_axes) { /* even blocks have left something */
    grow_columns(problem, room->budget, rows, columns);
  }
  split_evenly(problem, room->line, columns);
  rlt_end_with_byte(problem, columns);
}

/* Whole lines of both sides or, where there is too little room, the same part of both; then as many
 * more columns as there is room for. */
static void take_lines(const rlt_problem *problem, const tile_room *room, rlt_group *columns,
                       rlt_group *rows) {
  int64_t part = 1;
  do {
    pack_groups(problem, rlt_max(room->line / part, 1), rlt_max(room->read_line / part, 1), columns,
                rows);
    part *= 2;
  } while (rlt_group_length(columns) * rlt_group_length(rows) > room->budget &&
           part <= rlt_max(room->line, room->read_line));

  /* That is the least that moves whole lines. More at once costs each element less to find its
   * place, and gives every work-item of a group something to do. */
  grow_columns(problem, room->budget, rows, columns);
  grow_group(problem, room->budget, rlt_group_length(columns) * rlt_group_length(rows), rows);
  split_both(problem, room, columns, rows);
}

/* Takes columns of `written` positions of the destination, and as many rows as there is room for
 * beside them. False where the columns alone are too many, or leave no room for rows. */
static bool take_columns(const rlt_problem *problem, const tile_room *room, int64_t written,
                         rlt_group *columns, rlt_group *rows) {
  pack_groups(problem, written, 1, columns, rows);
  if (rlt_group_length(columns) > room->budget) {
    return false;
  }
  grow_rows(problem, room->budget, columns, rows);
  split_both(problem, room, columns, rows);
  return rows->axis_count > 0;
}

/* ---- Within local memory ---- */

/* About half of the group's positions, in multiples of so many steps, or all of
 * its last axis but one. */
static void shrink(const rlt_problem *problem, rlt_group *group, int64_t steps) {
  if (group->steps > steps) {
    group->steps = rlt_divide_up(rlt_divide_up(group->steps, 2), steps) * steps;
    return;
  }
  group->axis_count -= 1;
  group->steps = rlt_group_extent(problem, group);
  group->inner /= group->steps;
}

/* Steps of the columns' last axis that fill whole bytes of the destination. */
static int64_t byte_steps(const rlt_problem *problem, const rlt_group *columns) {
  const rlt_byte_run run = rlt_byte_run_of(problem);
  return rlt_group_last(columns) == run.last ? run.steps : 1;
}

static rlt_slots slots_of(const rlt_schedule *schedule) {
  rlt_slots slots;
  rlt_slots_find(schedule->problem, &schedule->columns, &schedule->rows, &slots);
  return slots;
}

static int64_t local_bytes(const rlt_schedule *schedule) {
  const rlt_slots slots = slots_of(schedule);
  return rlt_slots_bytes(&slots);
}

/* Gaps between slots may make a tile larger than its elements. */
static void fit(rlt_schedule *schedule) {
  const rlt_problem *const problem = schedule->problem;
  rlt_group *const columns = &schedule->columns;
  rlt_group *const rows = &schedule->rows;
  while (local_bytes(schedule) > RLT_LOCAL_BYTES) {
    const int64_t steps = byte_steps(problem, columns);
    const bool columns_are_more = rlt_group_length(columns) > rlt_group_length(rows);
    const bool by_columns =
        rows->axis_count == 0 || (columns_are_more && (steps == 1 || columns->steps > steps));
    shrink(problem, by_columns ? columns : rows, by_columns ? steps : 1);
  }
}

/* ---- The choice ---- */

/* What this tile is predicted to reach. */
static double predicted(const rlt_scene *scene, const rlt_schedule *schedule) {
  rlt_schedule finished = *schedule;
  rlt_cost cost;
  rlt_schedule_finish(scene->facts, scene->tuning, false, &finished);
  rlt_cost_estimate(scene->facts, scene->tuning, &finished, &cost);
  return cost.fraction;
}

/* A tile replaces another only where it is predicted to be better by this factor: predictions are
 * no closer. */
static const double clearly_better = 1.05;

static void try_columns(const rlt_scene *scene, const tile_room *room, int64_t written,
                        double *best, rlt_schedule *schedule) {
  rlt_schedule tried = *schedule;
  if (written < room->line / 2 ||
      !take_columns(scene->problem, room, written, &tried.columns, &tried.rows)) {
    return;
  }
  const double fraction = predicted(scene, &tried);
  if (fraction > clearly_better * *best && slots_of(&tried).has_few_turns) {
    *best = fraction;
    *schedule = tried;
  }
}

static void try_whole_axes(const rlt_scene *scene, const tile_room *room, rlt_schedule *schedule) {
  const rlt_problem *const problem = scene->problem;
  double best = predicted(scene, schedule);
  int64_t whole = 1;
  for (int32_t a = 0; a < problem->axis_count && whole <= room->budget; ++a) {
    whole *= problem->axes[a].extent;
    try_columns(scene, room, whole, &best, schedule);
  }
  for (int64_t written = room->line; written <= room->budget; written *= 2) {
    try_columns(scene, room, written, &best, schedule);
  }
}

/* Chooses a tile, which local memory holds as words of the destination: `tile_bytes` at most.
 * Where lines are no multiples of the axes' extents, whole axes may fill it better: the first axis
 * of the destination, the first two, and so on, are tried too, and one, two, four lines. They are
 * not tried where words share a unit of local memory, whose places suit its banks less then; nor
 * for kernels that serve many problems, which wait for tables: smaller tiles let more groups wait
 * at once. */
static void choose_groups(const rlt_scene *scene, int64_t tile_bytes, rlt_schedule *schedule) {
  const rlt_problem *const problem = scene->problem;
  const int64_t line_bytes = scene->facts->line_bytes;
  const tile_room room = {
      .budget = rlt_max(tile_bytes / rlt_problem_destination_bytes(problem), 1),
      .line = rlt_elements_of(line_bytes, rlt_problem_destination_bits(problem)),
      .read_line = rlt_elements_of(line_bytes, rlt_problem_source_bits(problem)),
      .tries_axes =
          scene->specializes && rlt_local_unit(8 * rlt_problem_destination_bytes(problem)) == 1};
  take_lines(problem, &room, &schedule->columns, &schedule->rows);
  if (room.tries_axes) {
    try_whole_axes(scene, &room, schedule);
  }
  fit(schedule);
}

void rlt_gpu_offer_groups(const rlt_scene *scene, const rlt_schedule *like,
                          rlt_candidates *candidates) {
  for (int64_t share = 1; share <= 4; share *= 4) {
    rlt_schedule schedule = *like;
    schedule.suits = like->suits && share == 1;
    choose_groups(scene, scene->tuning->tile_bytes / share, &schedule);
    rlt_candidates_add(candidates, &schedule);
  }
}
