/* chunks.h: a plan cut into boxes whose sides span little memory, for sides that are staged.
 *
 * Depends on plan.h.
 */
#ifndef RLT_PLAN_CHUNKS_H
#define RLT_PLAN_CHUNKS_H

#include "plan/plan.h"

/* Boxes that all have the same size, but for the last ones of each dimension. */
typedef struct rlt_equal_boxes {
  int32_t rank;
  rlt_index_box all;
  int64_t sizes[RELAYOUT_MAX_RANK];
  int64_t next[RELAYOUT_MAX_RANK]; /* where the next one begins in all */
} rlt_equal_boxes;

/* All that the plan moves in boxes within these limits, or as near to them as one index is. They
 * are cut where a step goes farthest in memory, so that what each takes lies together.
 * RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_equal_boxes_make(const relayout_plan *plan, rlt_chunk_limits limits,
                                     rlt_equal_boxes *boxes, relayout_error *error);

/* Tells the next box; false where it is the last one. */
bool rlt_equal_boxes_next(rlt_equal_boxes *boxes, rlt_index_box *box);

/* Makes the plan's chunks where one is wished for that takes less, and a plan for each kind of
 * them. A plan that has no boxes (relayout_plan_create_range) has none, nor has one of a device
 * without staging. The statuses of plans. */
relayout_status rlt_chunks_make(relayout_plan *plan, relayout_error *error);
void rlt_chunks_free(relayout_plan *plan);

#endif
