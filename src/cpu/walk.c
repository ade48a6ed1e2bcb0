/* walk.c: from a schedule's loops to the tiles of one block after the other. */
#include "cpu/walk.h"

#include "base/checked.h"

/* The place of the loop over this axis in the order. */
static int32_t place_of(const rlt_order *order, int32_t axis) {
  int32_t i = 0;
  while (order->grid->loops[order->loops[i]].axis != axis) {
    ++i;
  }
  return i;
}

void rlt_order_make(const rlt_grid *grid, const rlt_loops *loops, rlt_order *order) {
  bool is_inner[RLT_MAX_AXES] = {false};
  int32_t count = 0;
  order->grid = grid;
  for (; count < loops->inner_count; ++count) {
    order->loops[count] = (uint8_t)rlt_grid_loop_of(grid, loops->inner[count]);
    order->inside[count] = loops->inside[count];
    is_inner[order->loops[count]] = true;
  }
  for (int32_t l = 0; l < grid->loop_count; ++l) {
    if (!is_inner[l]) {
      order->loops[count] = (uint8_t)l;
      order->inside[count++] = 1;
    }
  }
  order->outer_count = loops->outer_count;
  order->block_count = 1;
  for (int32_t i = 0; i < loops->outer_count; ++i) {
    const int32_t place = place_of(order, loops->outer[i]);
    order->outer[i] = (uint8_t)place;
    order->block_count *=
        rlt_divide_up(grid->loops[order->loops[place]].count, order->inside[place]);
  }
}

rlt_combined_loops rlt_order_combined_loops(const rlt_order *order,
                                            const rlt_combining *combining) {
  rlt_combined_loops combined_loops = {.first = 0, .count = 0};
  while (combined_loops.first < order->grid->loop_count &&
         order->loops[combined_loops.first] != combining->loops[0]) {
    ++combined_loops.first;
  }
  bool goes_on = order->inside[combined_loops.first] > 1;
  while (goes_on && combined_loops.count < combining->count &&
         order->loops[combined_loops.first + combined_loops.count] ==
             combining->loops[combined_loops.count]) {
    const int32_t place = combined_loops.first + combined_loops.count++;
    goes_on = order->inside[place] == order->grid->loops[order->loops[place]].count;
  }
  return combined_loops.count > 0 ? combined_loops : (rlt_combined_loops){0, 0};
}

/* ---- The walk ---- */

void rlt_walk_start(rlt_walk *walk, const rlt_order *order, int64_t block) {
  const rlt_grid *const grid = order->grid;
  walk->order = order;
  for (int32_t i = 0; i < grid->loop_count; ++i) {
    walk->begins[i] = 0;
  }
  for (int32_t i = 0; i < order->outer_count; ++i) {
    const int32_t place = order->outer[i];
    const int64_t blocks =
        rlt_divide_up(grid->loops[order->loops[place]].count, order->inside[place]);
    walk->begins[place] = block % blocks * order->inside[place];
    block /= blocks;
  }
  for (int32_t i = 0; i < grid->loop_count; ++i) {
    const int64_t count = grid->loops[order->loops[i]].count;
    walk->ends[i] = rlt_min(walk->begins[i] + order->inside[i], count);
    walk->digits[order->loops[i]] = walk->begins[i];
  }
  rlt_grid_find_tile(grid, walk->digits, &walk->tile);
}

bool rlt_walk_step(rlt_walk *walk) {
  const rlt_order *const order = walk->order;
  for (int32_t i = 0; i < order->grid->loop_count; ++i) {
    int64_t *const digit = &walk->digits[order->loops[i]];
    if (++*digit < walk->ends[i]) {
      rlt_grid_find_tile(order->grid, walk->digits, &walk->tile);
      return true;
    }
    *digit = walk->begins[i];
  }
  return false;
}
