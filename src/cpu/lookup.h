/* lookup.h: tiles moved element by element, for what no kernel does. Depends on plan/grid.h. */
#ifndef RLT_CPU_LOOKUP_H
#define RLT_CPU_LOOKUP_H

#include <stdint.h>

#include "plan/grid.h"

/* One row of columns, `source_step` and `destination_step` elements from each to the next. With an
 * index program the columns are positions of the destination, and where a packed one's last byte is
 * used in part, its other bits become 0. */
void rlt_cpu_look_up(const rlt_problem *problem, const uint8_t *source, uint8_t *destination,
                     const rlt_tile *tile, int64_t source_step, int64_t destination_step);

#endif
