/* drawn_schedule.h: draws schedules at random. No method offers most of them, and some are
 * refused.
 *
 * Depends on schedule/.
 */
#ifndef HOST_TESTS_PROBLEM_DRAWN_SCHEDULE_H
#define HOST_TESTS_PROBLEM_DRAWN_SCHEDULE_H

#include "base/text.h"
#include "schedule/schedule.h"

/* The text of a schedule of this one's method, word and move, with any tile, stores and order. */
void drawn_schedule(const rlt_schedule *like, uint64_t *seed, rlt_text *text);

#endif
