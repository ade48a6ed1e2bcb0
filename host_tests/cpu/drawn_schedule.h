/* drawn_schedule.h: schedules at random, most of which nobody offers, and some of which cannot be
 * run.
 *
 * Depends on schedule/.
 */
#ifndef HOST_TESTS_CPU_DRAWN_SCHEDULE_H
#define HOST_TESTS_CPU_DRAWN_SCHEDULE_H

#include "base/text.h"
#include "schedule/schedule.h"

/* The text of a schedule of this one's method, word and move, with any tile, stores and order. */
void drawn_schedule(const rlt_schedule *like, uint64_t *seed, rlt_text *text);

#endif
