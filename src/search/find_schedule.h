/* find_schedule.h: the schedule that a text describes, among a problem's candidates.
 *
 * Depends on candidates.h.
 */
#ifndef RLT_SEARCH_FIND_SCHEDULE_H
#define RLT_SEARCH_FIND_SCHEDULE_H

#include "search/candidates.h"

/* Finds the candidate that this text describes (schedule_text.h), and adds it if it is none yet,
 * with any tile and in any order with which its move can run. The text may have work-groups of
 * fewer work-items than the candidate: `*group_size` becomes them; it may be NULL.
 * RELAYOUT_INVALID_TEXT for what is not a schedule, RELAYOUT_UNSUPPORTED for one that cannot be
 * run, RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_candidates_find(rlt_candidates *candidates, const char *schedule, size_t length,
                                    int32_t *found, int64_t *group_size, relayout_error *error);

#endif
