/* chunks.h: a plan cut into boxes whose sides span little memory, for sides that go through
 * staging.
 *
 * Depends on plan.h. */
#ifndef RLT_PLAN_CHUNKS_H
#define RLT_PLAN_CHUNKS_H

#include "plan/plan.h"

/* Boxes of one size; only the last ones of a dimension may be smaller. */
typedef struct rlt_equal_boxes {
  int32_t rank;
  rlt_index_box all;
  int64_t sizes[RELAYOUT_MAX_RANK];
  int64_t next[RELAYOUT_MAX_RANK]; /* where the next one begins in the whole */
} rlt_equal_boxes;

/* Cuts everything that the plan moves into boxes within these limits; a single index that spans
 * more is a box of its own. Cuts are made along the dimension with the largest steps in memory, so
 * that the bytes of a box lie together. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_equal_boxes_make(const relayout_plan *plan, rlt_chunk_limits limits,
                                     rlt_equal_boxes *boxes, relayout_error *error);

/* Advances to the next box; false after the last one. */
bool rlt_equal_boxes_next(rlt_equal_boxes *boxes, rlt_index_box *box);

/* Looks among plans of boxes for one that moves an equal box: `chunk` becomes that plan and how far
 * the box is from its own, or its plan is NULL. `whole` has the views. Returns the statuses of
 * rlt_plan_lower_box. */
relayout_status rlt_chunk_find(const relayout_plan *whole, const rlt_index_box *box,
                               relayout_plan *const *plans, size_t count, rlt_chunk *chunk,
                               relayout_error *error);

/* Makes the plan's chunks, and a plan for each kind of chunk, if the plan exceeds the limits that
 * were asked for. A plan that cannot be cut into boxes (relayout_plan_create_range) has no chunks,
 * and neither has a plan of a device without staging. Returns the statuses of plans. */
relayout_status rlt_chunks_make(relayout_plan *plan, relayout_error *error);
void rlt_chunks_free(relayout_plan *plan);

#endif
