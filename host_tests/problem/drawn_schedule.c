/* drawn_schedule.c: draws a schedule field by field. */
#include "problem/drawn_schedule.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "cpu/target.h"
#include "problem/definition.h"
#include "schedule/schedule_text.h"
#include "search/method.h"
#include "search/target.h"

static int64_t draw(uint64_t *seed, int64_t below) {
  return definition_random(seed, below);
}

static void swap(int32_t *axes, int64_t i, int64_t j) {
  const int32_t moved = axes[i];
  axes[i] = axes[j];
  axes[j] = moved;
}

static void shuffle(int32_t *axes, int32_t count, uint64_t *seed) {
  for (int32_t i = count - 1; i > 0; --i) {
    swap(axes, i, draw(seed, i + 1));
  }
}

/* The next `count` of these axes, the last in part more often than not. */
static rlt_group draw_group(const rlt_problem *problem, const int32_t *axes, int32_t count,
                            uint64_t *seed) {
  rlt_group made = rlt_no_axes;
  for (int32_t i = 0; i < count; ++i) {
    made.inner *= made.steps;
    made.axes[made.axis_count++] = axes[i];
    made.steps = problem->axes[axes[i]].extent;
  }
  if (count > 0 && draw(seed, 3) > 0) {
    made.steps = 1 + draw(seed, made.steps);
  }
  return made;
}

static void add_group(const rlt_problem *problem, const char *name, const rlt_group *group,
                      rlt_text *text) {
  rlt_text_add(text, " %s=%s", name, group->axis_count == 0 ? "-" : "");
  for (int32_t i = 0; i < group->axis_count; ++i) {
    rlt_text_add(text, "%s%" PRId32, i == 0 ? "" : ",", group->axes[i]);
  }
  if (group->axis_count > 0 && group->steps < rlt_group_extent(problem, group)) {
    rlt_text_add(text, ":%" PRId64, group->steps);
  }
}

/* Any loops over the tiles: some within blocks, and those that are not done there over them. */
static void add_loops(const rlt_grid *grid, uint64_t *seed, rlt_text *text) {
  int32_t order[RLT_MAX_AXES];
  bool is_left[RLT_MAX_AXES];
  const char *between = " loops=";
  for (int32_t l = 0; l < grid->loop_count; ++l) {
    order[l] = l;
    is_left[l] = true;
  }
  shuffle(order, grid->loop_count, seed);
  for (int32_t i = 0; i < grid->loop_count; ++i) {
    const rlt_loop *const loop = &grid->loops[order[i]];
    if (loop->count > 1 && draw(seed, 2) == 0) {
      const int64_t inside = 2 + draw(seed, loop->count - 1);
      rlt_text_add(text, "%s%" PRId32 ":%" PRId64, between, loop->axis, inside);
      is_left[order[i]] = inside < loop->count;
      between = ",";
    }
  }
  shuffle(order, grid->loop_count, seed);
  const bool has_inner = between[0] == ',';
  between = has_inner ? "/" : " loops=/";
  for (int32_t i = 0; i < grid->loop_count; ++i) {
    if (is_left[order[i]]) {
      rlt_text_add(text, "%s%" PRId32, between, grid->loops[order[i]].axis);
      between = ",";
    }
  }
  if (!has_inner && between[0] != ',') {
    rlt_text_add(text, " loops=-");
  }
}

/* As the schedule's own text has this field. */
static void add_as_it_is(const char *own, const char *name, rlt_text *text) {
  const char *const field = strstr(own, name);
  rlt_text_add(text, "%.*s", 1 + (int)strcspn(field + 1, " "), field);
}

/* Of how many axes a tile takes steps at most, on either side. */
typedef struct most_axes {
  int32_t columns;
  int32_t rows;
} most_axes;

static most_axes most_axes_of(const rlt_schedule *like) {
  switch (like->move) {
  case RLT_MOVE_FILL:
  case RLT_MOVE_INDEX:
    return (most_axes){1, 0};
  case RLT_MOVE_COPY:
    return (most_axes){1, 1};
  default:
    break;
  }
  if (like->target == &rlt_cpu_target || like->move == RLT_MOVE_PERMUTE) {
    return (most_axes){4, 4};
  }
  return (most_axes){like->columns.axis_count, like->rows.axis_count};
}

/* Axes in any order, but more often than not those of the schedule first. */
static void draw_axes(const rlt_schedule *like, uint64_t *seed, int32_t *axes) {
  const int32_t count = like->problem->axis_count;
  for (int32_t a = 0; a < count; ++a) {
    axes[a] = a;
  }
  shuffle(axes, count, seed);
  for (int32_t i = 0; i < count && draw(seed, 8) > 0; ++i) {
    swap(axes, 0, axes[i] == 0 ? i : 0); /* most moves want axis 0 to be the first column */
  }
}

/* The schedule's own axes, and part of what it has of the last. */
static rlt_group draw_steps(const rlt_group *like, uint64_t *seed) {
  rlt_group made = *like;
  made.steps = draw(seed, 3) == 0 ? made.steps : 1 + draw(seed, made.steps);
  return made;
}

static void draw_tile(const rlt_schedule *like, uint64_t *seed, rlt_group *columns,
                      rlt_group *rows) {
  if (like->target != &rlt_cpu_target && draw(seed, 4) > 0) {
    *columns = draw_steps(&like->columns, seed);
    *rows = like->move == RLT_MOVE_INTERLEAVE ? like->rows : draw_steps(&like->rows, seed);
    return;
  }
  int32_t axes[RLT_MAX_AXES];
  const int32_t count = like->problem->axis_count;
  const most_axes most = most_axes_of(like);
  draw_axes(like, seed, axes);
  const int32_t column_axes = (int32_t)rlt_min(1 + draw(seed, rlt_max(most.columns, 1)), count);
  const int32_t row_axes = (int32_t)rlt_min(draw(seed, most.rows + 1), count - column_axes);
  *columns = draw_group(like->problem, axes, column_axes, seed);
  *rows = draw_group(like->problem, axes + column_axes, row_axes, seed);
}

static void add_order_of_workers(const rlt_schedule *like, uint64_t *seed, rlt_text *text) {
  static const char *const straight[] = {"unbuffered", "unbuffered+streamed"};
  static const char *const by_tables[] = {"unbuffered", "buffered", "buffered+streamed",
                                          "buffered+streamed+combined", "unbuffered+streamed"};
  const char *const store =
      rlt_schedule_has_tables(like) ? by_tables[draw(seed, 5)] : straight[draw(seed, 2)];
  rlt_text_add(text, " store=%s", store);
  if (strncmp(store, "buffered", 8) == 0 && draw(seed, 2) == 0) {
    rlt_text_add(text, " prefetch=%d:%d", 1 + (int)draw(seed, 3), 1 + (int)draw(seed, 3));
  }
}

/* Work-groups are as they are, and most take a tile each. */
static void add_order_of_groups(const rlt_schedule *like, const char *own, uint64_t *seed,
                                rlt_text *text) {
  add_as_it_is(own, " store=", text);
  if (like->group_size > 1) {
    add_as_it_is(own, " group=", text);
  }
  if (draw(seed, 4) == 0) {
    rlt_text_add(text, " grain=%" PRId64, 2 + draw(seed, 3));
  }
}

void drawn_schedule(const rlt_schedule *like, uint64_t *seed, rlt_text *text) {
  char own[RLT_SCHEDULE_TEXT_SIZE];
  rlt_text own_text = rlt_text_in(own, sizeof own);
  rlt_schedule_add_text(like, &own_text);
  rlt_group columns, rows;
  draw_tile(like, seed, &columns, &rows);
  rlt_grid grid;
  rlt_grid_make(like->problem, &columns, &rows, &grid);
  rlt_text_add(text, "%s", like->method->name);
  add_as_it_is(own, " word=", text);
  add_group(like->problem, "rows", &rows, text);
  add_group(like->problem, "columns", &columns, text);
  if (draw(seed, 2) == 0) {
    add_loops(&grid, seed, text);
  }
  add_as_it_is(own, " move=", text);
  if (like->target == &rlt_cpu_target) {
    add_order_of_workers(like, seed, text);
  } else {
    add_order_of_groups(like, own, seed, text);
  }
}
