/* asked_schedule.h: a schedule that a caller asks for, field by field: its tile, how that is
 * stored, and in which order the tiles are moved.
 *
 * Depends on schedule/, tuning.h and metadata/.
 */
#ifndef RLT_SEARCH_ASKED_SCHEDULE_H
#define RLT_SEARCH_ASKED_SCHEDULE_H

#include "metadata/fields.h"
#include "schedule/facts.h"
#include "schedule/schedule.h"
#include "search/tuning.h"

/* Fields of a schedule's text, without their names; of no length where a field is not there. */
typedef struct rlt_asked_schedule {
  rlt_word rows;
  rlt_word columns;
  rlt_word store;
  rlt_word loops; /* those that the library makes for such tiles, if the field is not there */
  rlt_word prefetch;
  rlt_word threads;
  rlt_word grain; /* the least if the field is not there */
  bool loads;
} rlt_asked_schedule;

/* Gives a candidate the tile, the stores and the order that are asked for. The method and the move
 * stay. RELAYOUT_UNSUPPORTED names the rule that a field breaks. */
relayout_status rlt_asked_schedule_read(const rlt_facts *facts, const rlt_tuning *tuning,
                                        const rlt_asked_schedule *asked, rlt_schedule *schedule,
                                        relayout_error *error);

#endif
