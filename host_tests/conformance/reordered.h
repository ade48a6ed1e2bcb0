/* reordered.h: schedules that nobody offers, made of those that are. */
#ifndef CONFORMANCE_REORDERED_H
#define CONFORMANCE_REORDERED_H

#include <stdbool.h>
#include <stdint.h>

#include "conformance/schedules.h"

/* A CPU's schedule with its tiles in another order, drawn at random: every loop within a block, over
 * blocks or both, other tiles fetched ahead, and fewer threads. False, with nothing made, for one
 * whose order is its own: of work-groups, and where tiles finish each other's lines. */
bool schedules_reorder(const char *text, uint64_t *state, char made[SCHEDULES_TEXT_SIZE]);

#endif
