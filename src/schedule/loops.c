/* loops.c: blocks along the pages of both sides, or along what tiles write together. */
#include "schedule/loops.h"

#include "base/checked.h"

int32_t rlt_grid_loop_of(const rlt_grid *grid, int32_t axis) {
  for (int32_t l = 0; l < grid->loop_count; ++l) {
    if (grid->loops[l].axis == axis) {
      return l;
    }
  }
  return -1;
}

int64_t rlt_loops_inside(const rlt_grid *grid, const rlt_loops *loops, int32_t number) {
  for (int32_t i = 0; i < loops->inner_count; ++i) {
    if (loops->inner[i] == grid->loops[number].axis) {
      return loops->inside[i];
    }
  }
  return 1;
}

/* The grid's loops, by number, as they find their places. */
typedef struct ordering {
  const rlt_grid *grid;
  const rlt_loop_blocking *blocking;
  int32_t count;
  int32_t order[RLT_MAX_AXES];
  int64_t inside[RLT_MAX_AXES]; /* of each of these */
  bool is_placed[RLT_MAX_AXES];
} ordering;

static void place(ordering *at, int32_t loop, int64_t inside) {
  at->order[at->count] = loop;
  at->inside[at->count++] = inside;
  at->is_placed[loop] = true;
}

static int64_t step_along(const rlt_loop *loop, bool in_source) {
  return in_source ? loop->source_step : loop->destination_step;
}

/* The loop with the shortest steps on one side, shorter than `most`; -1 where there is none. */
static int32_t nearest_loop(const ordering *at, bool in_source, int64_t most) {
  int32_t best = -1;
  int64_t least = most;
  for (int32_t l = 0; l < at->grid->loop_count; ++l) {
    const rlt_loop *const loop = &at->grid->loops[l];
    const int64_t step = step_along(loop, in_source);
    if (!at->is_placed[l] && loop->count > 1 && step > 0 && step < least) {
      best = l;
      least = step;
    }
  }
  return best;
}

/* About `most` iterations that leave blocks of equal length; 0 where there is no such number. */
static int64_t whole_part(const ordering *at, int32_t number, int64_t most) {
  const rlt_grid *const grid = at->grid;
  const rlt_loop *const loop = &grid->loops[number];
  if (loop->count <= 2 * most) {
    return loop->count;
  }
  if (loop->valid < loop->count || number == grid->columns.block_loop ||
      number == grid->rows.block_loop) {
    return 0;
  }
  int64_t inside = most;
  while (loop->count % inside != 0) {
    --inside;
  }
  return inside > 1 ? inside : 0;
}

static int64_t near_of(const ordering *at, bool in_source) {
  return in_source ? at->blocking->near_source : at->blocking->near_destination;
}

/* Iterations of a loop, as many as reach as far as a block does along one side. */
static int64_t iterations_near(const ordering *at, int32_t number, bool in_source) {
  const rlt_loop *const loop = &at->grid->loops[number];
  const int64_t step = step_along(loop, in_source);
  const int64_t near = near_of(at, in_source);
  return at->blocking->only_whole ? whole_part(at, number, rlt_max(near / step, 1))
                                  : rlt_min(loop->count, rlt_max(rlt_divide_up(near, step), 1));
}

/* Loops along one side, until they reach far enough or one cannot end there: false where that is
 * the first. */
static bool go_along(ordering *at, bool in_source) {
  int64_t reached = 0;
  const int64_t near = near_of(at, in_source);
  while (reached < near) {
    const int32_t l = nearest_loop(at, in_source, near);
    const int64_t inside = l < 0 ? 0 : iterations_near(at, l, in_source);
    if (inside == 0) {
      return l < 0 || reached > 0;
    }
    reached = step_along(&at->grid->loops[l], in_source) * inside;
    place(at, l, inside);
  }
  return true;
}

static int64_t count_blocks(const ordering *at) {
  int64_t count = 1;
  for (int32_t i = 0; i < at->count; ++i) {
    count *= rlt_divide_up(at->grid->loops[at->order[i]].count, at->inside[i]);
  }
  return count;
}

/* Halves what a block has of the last of the loops that it has several iterations of. */
static void halve_blocks(ordering *at) {
  int32_t i = at->count - 1;
  while (i > 0 && at->inside[i] == 1) {
    --i;
  }
  at->inside[i] = rlt_divide_up(at->inside[i], 2);
}

/* Places the other loops, first those along which the source goes on, then those of long runs so
 * that blocks have enough tiles, and splits blocks. */
static void finish(ordering *at, int64_t room, rlt_loops *made) {
  const int64_t near = at->blocking->goes_on ? INT64_MAX : at->blocking->near_source;
  for (int32_t l = nearest_loop(at, true, near); l >= 0; l = nearest_loop(at, true, near)) {
    place(at, l, 1);
  }
  for (int32_t l = 0; l < at->grid->loop_count; ++l) {
    if (!at->is_placed[l]) {
      const int64_t inside = rlt_max(rlt_min(at->grid->loops[l].count, room), 1);
      room /= inside;
      place(at, l, inside);
    }
  }
  const int64_t least = rlt_min(at->blocking->least_blocks, at->grid->tile_count);
  while (count_blocks(at) < least) {
    halve_blocks(at);
  }
  made->inner_count = 0;
  made->outer_count = 0;
  for (int32_t i = 0; i < at->count; ++i) {
    const rlt_loop *const loop = &at->grid->loops[at->order[i]];
    if (at->inside[i] > 1) {
      made->inside[made->inner_count] = at->inside[i];
      made->inner[made->inner_count++] = (uint8_t)loop->axis;
    }
    if (at->inside[i] < loop->count) {
      made->outer[made->outer_count++] = (uint8_t)loop->axis;
    }
  }
}

void rlt_loops_make(const rlt_grid *grid, const rlt_loop_blocking *blocking, rlt_loops *made) {
  ordering at = {.grid = grid, .blocking = blocking};
  if (go_along(&at, true)) {
    go_along(&at, false);
  }
  finish(&at, blocking->near_source + blocking->near_destination > 0 ? 1 : blocking->tiles, made);
}

void rlt_combining_find(const rlt_problem *problem, const rlt_grid *grid, int64_t length,
                        rlt_combining *combining) {
  combining->count = 0;
  for (int32_t l = 0; l < grid->loop_count;) {
    const rlt_loop *const loop = &grid->loops[l];
    if (loop->count > 1 && loop->destination_step == length) {
      combining->loops[combining->count++] = l;
      const rlt_axis *const axis = &problem->axes[loop->axis];
      length = axis->extent * axis->destination_stride;
      l = 0;
    } else {
      ++l;
    }
  }
}

void rlt_loops_make_combining(const rlt_grid *grid, const rlt_combining *combining,
                              int64_t most_between, const rlt_loop_blocking *blocking,
                              rlt_loops *made) {
  ordering at = {.grid = grid, .blocking = blocking};
  for (int32_t i = 0; i < combining->count; ++i) {
    at.is_placed[combining->loops[i]] = true;
  }
  const int32_t between = most_between > 0 ? nearest_loop(&at, true, blocking->near_source) : -1;
  if (between >= 0) {
    place(&at, between, rlt_min(iterations_near(&at, between, true), most_between + 1));
  }
  for (int32_t i = 0; i < combining->count; ++i) { /* each begins where the one before ends */
    place(&at, combining->loops[i], iterations_near(&at, combining->loops[i], false));
  }
  go_along(&at, true);
  finish(&at, 1, made);
}
