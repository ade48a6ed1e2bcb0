/* plan.h: inside a plan. Depends on backend.h. */
#ifndef RLT_PLAN_PLAN_H
#define RLT_PLAN_PLAN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "plan/backend.h"
#include "plan/part.h"
#include "problem/lower.h"
#include "relayout/plan.h"

/* What a caller wants of a plan beyond its shapes. */
typedef struct rlt_wish {
  relayout_strategy strategy; /* AUTO or a certain one */
  relayout_plan_effort effort;
  rlt_changes changes;
} rlt_wish;

struct relayout_plan {
  relayout_device *device; /* held */
  atomic_int holders;      /* the creator, the cache, calls under way */
  relayout_shape from;
  relayout_shape to;
  rlt_wish wish;
  /* Bytes from the lowest of either side up to where the caller's pointer or offset is: 0 but for
   * strides below 0. */
  size_t source_before;
  size_t destination_before;
  rlt_work work;
  rlt_steps *steps; /* of a part's problem; NULL for most */
};

/* A plan of nobody's but the caller's: relayout_plan_create without the device's cache. */
relayout_status rlt_plan_create(relayout_device *device, const relayout_shape *from,
                                const relayout_shape *to, const rlt_wish *wish,
                                relayout_plan **plan, relayout_error *error);

/* A plan for a problem that did not come from shapes; from and to are zeroed. For testing what no
 * pair of shapes lowers to. The problem is simplified here; the sizes are its element counts. */
relayout_status rlt_plan_create_for_problem(relayout_device *device, const rlt_problem *problem,
                                            relayout_strategy wanted, relayout_plan **plan,
                                            relayout_error *error);

void rlt_plan_retain(relayout_plan *plan);
/* relayout_plan_destroy by another name: drops one holder. */
void rlt_plan_release(relayout_plan *plan);

#endif
