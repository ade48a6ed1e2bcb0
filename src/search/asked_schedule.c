/* asked_schedule.c: reads a tile and an order field by field, and checks each against the problem
 * and the tiles. */
#include "search/asked_schedule.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/error.h"
#include "search/target.h"

enum { MOST_LEVEL = 3 /* of the caches */ };

/* ---- The tile ---- */

/* One of a tile's groups, and the steps of each axis that the tile has already. */
typedef struct group_reader {
  const char *name;
  rlt_word all; /* for messages */
  const rlt_problem *problem;
  bool *taken;
  rlt_group made;
  relayout_error *error;
} group_reader;

static relayout_status fail_group(const group_reader *at, const char *rule, int64_t axis) {
  return rlt_fail(at->error, RELAYOUT_UNSUPPORTED, "schedule: `%s=%s`: axis %" PRId64 " %s",
                  at->name, rlt_word_shown(at->all).text, axis, rule);
}

/* An axis of the group, of which a tile has as many steps as stand behind a colon, or all. */
static relayout_status read_axis(group_reader *at, rlt_word word) {
  rlt_group *const made = &at->made;
  rlt_word steps = word;
  int64_t axis = -1;
  if (at->problem->axis_count == 0) {
    return rlt_fail(at->error, RELAYOUT_UNSUPPORTED,
                    "schedule: `%s=%s`: expected `-`, as the problem has no axes", at->name,
                    rlt_word_shown(at->all).text);
  }
  if (!rlt_word_number(rlt_word_cut(&steps, ':'), 0, at->problem->axis_count - 1, &axis)) {
    return rlt_fail(at->error, RELAYOUT_UNSUPPORTED,
                    "schedule: `%s=%s`: expected axes from 0 to %" PRId32
                    " with a comma between two of them, the last with `:n` steps, or `-`",
                    at->name, rlt_word_shown(at->all).text, at->problem->axis_count - 1);
  }
  if (at->taken[axis]) {
    return fail_group(at, "is in the tile twice", axis);
  }
  const int64_t extent = at->problem->axes[axis].extent;
  const int64_t before = rlt_group_extent(at->problem, made);
  if (made->steps < before) {
    return fail_group(at, "follows one that is not taken whole", axis);
  }
  if (made->axis_count == RLT_MAX_GROUP_AXES) {
    return fail_group(at, "is one too many", axis);
  }
  made->inner *= made->steps;
  made->steps = extent;
  made->axes[made->axis_count++] = (int32_t)axis;
  at->taken[axis] = true;
  return steps.length == 0 || rlt_word_number(steps, 1, extent, &made->steps)
             ? RELAYOUT_OK
             : rlt_fail(at->error, RELAYOUT_UNSUPPORTED,
                        "schedule: `%s=%s`: axis %" PRId64 " has %" PRId64
                        " steps, of which a tile has 1 to %" PRId64,
                        at->name, rlt_word_shown(at->all).text, axis, extent, extent);
}

static relayout_status read_group(const char *name, rlt_word text, const rlt_problem *problem,
                                  bool *taken, rlt_group *group, relayout_error *error) {
  group_reader at = {name, text, problem, taken, rlt_no_axes, error};
  rlt_word rest = text;
  relayout_status status = RELAYOUT_OK;
  while (!rlt_word_is(text, "-") && rest.length > 0 && status == RELAYOUT_OK) {
    status = read_axis(&at, rlt_word_cut(&rest, ','));
  }
  *group = at.made;
  return status;
}

/* Where tiles write whole bytes, their columns hold the elements that share one. */
static relayout_status check_bytes(const rlt_schedule *schedule, relayout_error *error) {
  const rlt_problem *const problem = schedule->problem;
  const rlt_group *const columns = &schedule->columns;
  rlt_byte_run run;
  if (problem->destination_packed == 0 || problem->axis_count == 0 ||
      !rlt_problem_byte_run(problem, &run)) {
    return RELAYOUT_OK;
  }
  int32_t taken = 0; /* axes of the columns that are part of the run */
  bool has_run = true;
  for (int32_t a = 0; a <= run.last; ++a) {
    const int64_t extent = problem->axes[a].extent;
    const bool is_column = taken < columns->axis_count && columns->axes[taken] == a;
    const int64_t steps = is_column ? rlt_group_steps(problem, columns, taken) : 1;
    has_run = has_run && (steps == extent || (a == run.last && steps % run.steps == 0));
    taken += is_column;
  }
  return has_run
             ? RELAYOUT_OK
             : rlt_fail(
                   error, RELAYOUT_UNSUPPORTED,
                   "schedule: the columns of a tile do not hold all elements that share a byte");
}

/* ---- Stores ---- */

static relayout_status read_store(rlt_word store, rlt_schedule *schedule, bool *combines,
                                  relayout_error *error) {
  rlt_word rest = store;
  const rlt_word first = rlt_word_cut(&rest, '+');
  const bool is_buffered = rlt_word_is(first, "buffered");
  bool streams = false;
  *combines = false;
  bool is_known = is_buffered || rlt_word_is(first, "unbuffered");
  while (rest.length > 0 && is_known) {
    const rlt_word next = rlt_word_cut(&rest, '+');
    is_known = rlt_word_is(next, "streamed") || rlt_word_is(next, "combined");
    streams = streams || rlt_word_is(next, "streamed");
    *combines = *combines || rlt_word_is(next, "combined");
  }
  if (!is_known) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "schedule: `store=%s`: expected unbuffered or buffered, then `+streamed` and "
                    "`+combined` if they are",
                    rlt_word_shown(store).text);
  }
  schedule->blocking.stores = !is_buffered && streams ? RLT_STORES_STRAIGHT
                              : streams               ? RLT_STORES_STREAMED
                              : is_buffered           ? RLT_STORES_CACHED
                                                      : RLT_STORES_UNBUFFERED;
  return RELAYOUT_OK;
}

/* ---- Loops ---- */

typedef struct loops_reader {
  rlt_word all; /* for messages */
  rlt_grid grid;
  rlt_loops made;
  relayout_error *error;
} loops_reader;

static relayout_status fail_loops(const loops_reader *at, const char *rule, int64_t axis) {
  return rlt_fail(at->error, RELAYOUT_UNSUPPORTED, "schedule: `loops=%s`: axis %" PRId64 " %s",
                  rlt_word_shown(at->all).text, axis, rule);
}

static bool is_among(const uint8_t *axes, int32_t count, int64_t axis) {
  for (int32_t i = 0; i < count; ++i) {
    if (axes[i] == axis) {
      return true;
    }
  }
  return false;
}

/* The number of the loop over the axis that a word names. */
static relayout_status find_loop(const loops_reader *at, rlt_word name, int32_t *loop) {
  int64_t axis = -1;
  if (!rlt_word_number(name, 0, RLT_MAX_AXES - 1, &axis)) {
    return rlt_fail(at->error, RELAYOUT_UNSUPPORTED,
                    "schedule: `loops=%s`: expected axes as numbers, those within a block with "
                    "`:n` iterations, then `/` and those over blocks",
                    rlt_word_shown(at->all).text);
  }
  *loop = rlt_grid_loop_of(&at->grid, (int32_t)axis);
  return *loop >= 0 ? RELAYOUT_OK : fail_loops(at, "is not cut into tiles", axis);
}

static relayout_status read_inner(loops_reader *at, rlt_word word) {
  rlt_word count = word;
  const rlt_word name = rlt_word_cut(&count, ':');
  int32_t loop;
  const relayout_status status = find_loop(at, name, &loop);
  if (status != RELAYOUT_OK) {
    return status;
  }
  rlt_loops *const made = &at->made;
  const int32_t axis = at->grid.loops[loop].axis;
  if (is_among(made->inner, made->inner_count, axis)) {
    return fail_loops(at, "is given twice within a block", axis);
  }
  made->inner[made->inner_count] = (uint8_t)axis;
  const int64_t tiles = at->grid.loops[loop].count;
  if (!rlt_word_number(count, 2, tiles, &made->inside[made->inner_count])) {
    return rlt_fail(at->error, RELAYOUT_UNSUPPORTED,
                    "schedule: `loops=%s`: axis %" PRId32 " has %" PRId64
                    " tiles, of which a block takes 2 to %" PRId64,
                    rlt_word_shown(at->all).text, axis, tiles, tiles);
  }
  ++made->inner_count;
  return RELAYOUT_OK;
}

static relayout_status read_outer(loops_reader *at, rlt_word word) {
  int32_t loop;
  const relayout_status status = find_loop(at, word, &loop);
  if (status != RELAYOUT_OK) {
    return status;
  }
  rlt_loops *const made = &at->made;
  const int32_t axis = at->grid.loops[loop].axis;
  if (is_among(made->outer, made->outer_count, axis)) {
    return fail_loops(at, "is given twice over blocks", axis);
  }
  if (rlt_loops_inside(&at->grid, made, loop) == at->grid.loops[loop].count) {
    return fail_loops(at, "is within a block as a whole, and not over blocks", axis);
  }
  made->outer[made->outer_count++] = (uint8_t)axis;
  return RELAYOUT_OK;
}

/* All axes of a list that has no other words. */
static relayout_status read_list(loops_reader *at, rlt_word list,
                                 relayout_status (*read)(loops_reader *at, rlt_word word)) {
  relayout_status status = RELAYOUT_OK;
  while (list.length > 0 && status == RELAYOUT_OK) {
    status = read(at, rlt_word_cut(&list, ','));
  }
  return status;
}

static relayout_status check_all_are_there(const loops_reader *at) {
  for (int32_t l = 0; l < at->grid.loop_count; ++l) {
    const int32_t axis = at->grid.loops[l].axis;
    if (rlt_loops_inside(&at->grid, &at->made, l) < at->grid.loops[l].count &&
        !is_among(at->made.outer, at->made.outer_count, axis)) {
      return fail_loops(at, "has tiles left, and is not among the loops over blocks", axis);
    }
  }
  return RELAYOUT_OK;
}

static relayout_status read_loops(rlt_word loops, rlt_schedule *schedule, relayout_error *error) {
  loops_reader at = {.all = loops, .error = error};
  rlt_grid_make(schedule->problem, &schedule->columns, &schedule->rows, &at.grid);
  rlt_word outer = loops;
  const rlt_word inner = rlt_word_cut(&outer, '/');
  relayout_status status = RELAYOUT_OK;
  if (!rlt_word_is(loops, "-")) {
    status = read_list(&at, inner, read_inner);
  }
  if (status == RELAYOUT_OK) {
    status = read_list(&at, outer, read_outer);
  }
  if (status == RELAYOUT_OK) {
    status = check_all_are_there(&at);
  }
  if (status == RELAYOUT_OK) {
    schedule->loops = at.made;
  }
  return status;
}

/* ---- The other fields ---- */

static relayout_status read_prefetch(rlt_word prefetch, rlt_schedule *schedule,
                                     relayout_error *error) {
  rlt_word level = prefetch;
  int64_t tiles = 0, into = 0;
  if (prefetch.length > 0 &&
      (!rlt_word_number(rlt_word_cut(&level, ':'), 1, RLT_MOST_TILES_AHEAD, &tiles) ||
       !rlt_word_number(level, 1, MOST_LEVEL, &into))) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "schedule: `prefetch=%s`: expected 1 to %d tiles ahead, a colon, and a level "
                    "of the caches from 1 to %d",
                    rlt_word_shown(prefetch).text, RLT_MOST_TILES_AHEAD, MOST_LEVEL);
  }
  if (tiles > 0 && !schedule->buffered) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "schedule: `prefetch=%s`: tiles that go straight to the destination fetch "
                    "nothing ahead",
                    rlt_word_shown(prefetch).text);
  }
  schedule->prefetch = (rlt_prefetch){(int32_t)tiles, (int32_t)into};
  return RELAYOUT_OK;
}

static relayout_status read_threads(const rlt_facts *facts, rlt_word threads,
                                    rlt_schedule *schedule, relayout_error *error) {
  int64_t number = 1;
  if (threads.length > 0 && !rlt_word_number(threads, 1, facts->threads, &number)) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "schedule: `threads=%s`: expected 1 to the device's %" PRId32,
                    rlt_word_shown(threads).text, facts->threads);
  }
  schedule->threads = (int32_t)number;
  return RELAYOUT_OK;
}

/* A work-group takes at least as many tiles as make the groups few enough for a launch. */
static relayout_status read_grain(rlt_word grain, rlt_schedule *schedule, relayout_error *error) {
  const bool is_fixed = schedule->group_size == 1 || rlt_schedule_goes_by_index(schedule);
  const int64_t least = schedule->grain, most = is_fixed ? least : schedule->tile_count;
  return grain.length == 0 || rlt_word_number(grain, least, most, &schedule->grain)
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "schedule: `grain=%s`: expected %" PRId64 " to %" PRId64 " tiles",
                        rlt_word_shown(grain).text, least, most);
}

static relayout_status read_order(const rlt_facts *facts, const rlt_asked_schedule *asked,
                                  rlt_schedule *schedule, relayout_error *error) {
  relayout_status status =
      asked->loops.length == 0 ? RELAYOUT_OK : read_loops(asked->loops, schedule, error);
  if (status == RELAYOUT_OK) {
    status = read_prefetch(asked->prefetch, schedule, error);
  }
  if (status == RELAYOUT_OK) {
    status = read_threads(facts, asked->threads, schedule, error);
  }
  return status == RELAYOUT_OK ? read_grain(asked->grain, schedule, error) : status;
}

relayout_status rlt_asked_schedule_read(const rlt_facts *facts, const rlt_tuning *tuning,
                                        const rlt_asked_schedule *asked, rlt_schedule *schedule,
                                        relayout_error *error) {
  const rlt_problem *const problem = schedule->problem;
  bool taken[RLT_MAX_AXES] = {false};
  bool combines = false;
  relayout_status status =
      read_group("columns", asked->columns, problem, taken, &schedule->columns, error);
  if (status == RELAYOUT_OK) {
    status = read_group("rows", asked->rows, problem, taken, &schedule->rows, error);
  }
  if (status == RELAYOUT_OK) {
    status = read_store(asked->store, schedule, &combines, error);
  }
  if (status == RELAYOUT_OK) {
    schedule->blocking.loads = asked->loads;
    status = facts->target->lay_out(facts, schedule, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  rlt_schedule_finish(facts, tuning, combines, schedule);
  status = read_order(facts, asked, schedule, error);
  if (status == RELAYOUT_OK) {
    status = facts->target->check(facts, schedule, error);
  }
  return status == RELAYOUT_OK ? check_bytes(schedule, error) : status;
}
