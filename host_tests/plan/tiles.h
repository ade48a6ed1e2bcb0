/* tiles.h: all tiles of a grid, one after the other, in the order of its loops. */
#ifndef HOST_TESTS_PLAN_TILES_H
#define HOST_TESTS_PLAN_TILES_H

#include <stdint.h>

#include "plan/grid.h"

/* From the digits of one tile to those of the next; the first one's are all 0. */
static inline void tiles_step(const rlt_grid *grid, int64_t *digits) {
  for (int32_t l = 0; l < grid->loop_count; ++l) {
    if (++digits[l] < grid->loops[l].count) {
      return;
    }
    digits[l] = 0;
  }
}

#endif
