/* reordered.h: schedules that nobody offers, made of those that are. */
#ifndef CONFORMANCE_REORDERED_H
#define CONFORMANCE_REORDERED_H

#include <stdbool.h>
#include <stdint.h>

#include "conformance/schedules.h"

/* Makes of a CPU's schedule one that takes its tiles in another order, drawn at random: every loop
 * within a block, over blocks or both, another prefetch, and fewer threads. Returns false and makes
 * nothing for a schedule whose order is fixed: of work-groups, and where tiles complete each
 * other's lines. */
bool schedules_reorder(const char *text, uint64_t *state, char made[SCHEDULES_TEXT_SIZE]);

#endif
