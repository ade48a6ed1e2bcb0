/* tile_order.h: the order of tiles that a caller asks for: a schedule's loops, what is fetched
 * ahead and how many threads take part, in any way that moves every tile once.
 *
 * Depends on schedule/ and metadata/.
 */
#ifndef RLT_SEARCH_TILE_ORDER_H
#define RLT_SEARCH_TILE_ORDER_H

#include "metadata/fields.h"
#include "schedule/facts.h"
#include "schedule/schedule.h"

/* Fields of a schedule's text, without their names; of no length where a field is not there. */
typedef struct rlt_tile_order_text {
  rlt_word loops;
  rlt_word prefetch;
  rlt_word threads;
} rlt_tile_order_text;

/* Gives a schedule that is finished for a CPU the order that the text asks for.
 * RELAYOUT_UNSUPPORTED names the rule that the text breaks. */
relayout_status rlt_tile_order_read(const rlt_facts *facts, const rlt_tile_order_text *text,
                                    rlt_schedule *schedule, relayout_error *error);

#endif
