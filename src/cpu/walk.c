#include "cpu/walk.h"

#include "base/checked.h"

/* ---- The order ---- */

/* What a block goes along either side. */
enum { NEAR_BYTES = RLT_PAGE_BYTES };

/* Enough long runs that finding the next block costs nothing beside them. */
enum { LONG_BYTES = 64 * 1024 };

typedef struct ordering {
  const rlt_grid *grid;
  rlt_order *made;
  int32_t count; /* loops that have their place */
  bool is_placed[RLT_MAX_AXES];
} ordering;

static void place(ordering *at, int32_t loop, int64_t inside) {
  at->made->loops[at->count] = loop;
  at->made->inside[at->count++] = inside;
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

/* Iterations of a loop, as many as reach as far as a block does along one side. */
static int64_t iterations_near(const rlt_loop *loop, bool in_source, int64_t near) {
  return rlt_min(loop->count, rlt_divide_up(near, step_along(loop, in_source)));
}

/* Iterations along one side, until they reach so far. */
static void go_along(ordering *at, bool in_source, int64_t near) {
  int64_t reached = 0;
  while (reached < near) {
    const int32_t l = nearest_loop(at, in_source, near);
    if (l < 0) {
      return;
    }
    const rlt_loop *const loop = &at->grid->loops[l];
    const int64_t inside = iterations_near(loop, in_source, near);
    reached = step_along(loop, in_source) * inside;
    place(at, l, inside);
  }
}

static int64_t count_blocks(const rlt_order *order) {
  int64_t count = 1;
  for (int32_t i = 0; i < order->grid->loop_count; ++i) {
    count *= rlt_divide_up(order->grid->loops[order->loops[i]].count, order->inside[i]);
  }
  return count;
}

/* The last of the loops that a block has several iterations of. */
static void halve_blocks(rlt_order *order) {
  for (int32_t i = order->grid->loop_count - 1; i >= 0; --i) {
    if (order->inside[i] > 1) {
      order->inside[i] = rlt_divide_up(order->inside[i], 2);
      return;
    }
  }
}

/* Places the other loops, those of long runs so that blocks have enough of them, and splits blocks. */
static void finish_order(ordering *at, int64_t room, int64_t least_blocks) {
  for (int32_t l = 0; l < at->grid->loop_count; ++l) {
    if (!at->is_placed[l]) {
      const int64_t inside = rlt_max(rlt_min(at->grid->loops[l].count, room), 1);
      room /= inside;
      place(at, l, inside);
    }
  }
  const int64_t least = rlt_min(least_blocks, at->grid->tile_count);
  while ((at->made->block_count = count_blocks(at->made)) < least) {
    halve_blocks(at->made);
  }
}

void rlt_order_make(const rlt_grid *grid, bool has_short_runs, int64_t tile_bytes,
                    int64_t element_bytes, int64_t least_blocks, rlt_order *order) {
  order->grid = grid;
  ordering at = {.grid = grid, .made = order};
  if (has_short_runs) {
    go_along(&at, true, NEAR_BYTES / element_bytes);
    go_along(&at, false, NEAR_BYTES / element_bytes);
  }
  finish_order(&at, has_short_runs ? 1 : LONG_BYTES / rlt_max(tile_bytes, 1), least_blocks);
}

/* ---- Chains ---- */

void rlt_chain_find(const rlt_problem *problem, const rlt_grid *grid, int64_t length,
                    rlt_chain *chain) {
  chain->count = 0;
  for (int32_t l = 0; l < grid->loop_count;) {
    const rlt_loop *const loop = &grid->loops[l];
    if (loop->count > 1 && loop->destination_step == length) {
      chain->loops[chain->count++] = l;
      const rlt_axis *const axis = &problem->axes[loop->axis];
      length = axis->extent * axis->destination_stride;
      l = 0;
    } else {
      ++l;
    }
  }
}

rlt_links rlt_order_make_chained(const rlt_grid *grid, const rlt_chain *chain, int64_t most_between,
                                 int64_t element_bytes, int64_t least_blocks, rlt_order *order) {
  order->grid = grid;
  const int64_t near = NEAR_BYTES / element_bytes;
  ordering at = {.grid = grid, .made = order};
  for (int32_t i = 0; i < chain->count; ++i) {
    at.is_placed[chain->loops[i]] = true;
  }
  const int32_t between = most_between > 0 ? nearest_loop(&at, true, near) : -1;
  if (between >= 0) {
    place(&at, between,
          rlt_min(iterations_near(&grid->loops[between], true, near), most_between + 1));
  }
  rlt_links links = {.first = at.count};
  bool is_whole = true;
  for (int32_t i = 0; i < chain->count; ++i) {
    const int32_t l = chain->loops[i];
    const rlt_loop *const loop = &grid->loops[l];
    const int64_t inside = is_whole ? iterations_near(loop, false, near) : 1;
    place(&at, l, inside);
    links.count += is_whole;
    is_whole = is_whole && inside == loop->count;
  }
  go_along(&at, true, near);
  finish_order(&at, 1, least_blocks);
  return links;
}

/* ---- The walk ---- */

static void find_tile(rlt_walk *walk) {
  walk->tile = rlt_grid_tile(walk->order->grid, walk->digits);
}

void rlt_walk_start(rlt_walk *walk, const rlt_order *order, int64_t block) {
  const rlt_grid *const grid = order->grid;
  walk->order = order;
  for (int32_t i = 0; i < grid->loop_count; ++i) {
    const int64_t count = grid->loops[order->loops[i]].count;
    const int64_t blocks = rlt_divide_up(count, order->inside[i]);
    walk->begins[i] = block % blocks * order->inside[i];
    walk->ends[i] = rlt_min(walk->begins[i] + order->inside[i], count);
    walk->digits[order->loops[i]] = walk->begins[i];
    block /= blocks;
  }
  find_tile(walk);
}

bool rlt_walk_step(rlt_walk *walk) {
  const rlt_order *const order = walk->order;
  for (int32_t i = 0; i < order->grid->loop_count; ++i) {
    int64_t *const digit = &walk->digits[order->loops[i]];
    if (++*digit < walk->ends[i]) {
      find_tile(walk);
      return true;
    }
    *digit = walk->begins[i];
  }
  return false;
}
