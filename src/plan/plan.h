/* plan.h: inside a plan. Depends on backend.h. */
#ifndef RLT_PLAN_PLAN_H
#define RLT_PLAN_PLAN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "plan/backend.h"
#include "plan/candidates.h"
#include "plan/strategy.h"
#include "problem/problem.h"
#include "relayout/plan.h"

/* What a caller wants of a plan beyond its shapes. */
typedef struct rlt_wish {
  relayout_strategy strategy; /* AUTO or a certain one */
  relayout_plan_effort effort;
} rlt_wish;

/* Why a plan does what it does. */
typedef enum rlt_choice {
  RLT_CHOICE_ESTIMATED,
  RLT_CHOICE_MEASURED,
  RLT_CHOICE_REMEMBERED
} rlt_choice;

struct relayout_plan {
  relayout_device *device; /* held */
  atomic_int holders;      /* the creator, the cache, calls under way */
  relayout_shape from;
  relayout_shape to;
  rlt_wish wish;
  size_t source_size; /* bytes */
  size_t destination_size;
  rlt_problem problem; /* simplified */
  bool empty;          /* nothing to write: no strategy and no program */
  rlt_strategy strategy;
  rlt_candidates candidates; /* none when empty */
  int32_t chosen;            /* the candidate whose strategy it is */
  rlt_choice choice;
  void *program; /* the backend's; NULL when empty */
};

/* A plan of nobody's but the caller's: relayout_plan_create without the device's cache. */
relayout_status rlt_plan_create(relayout_device *device, const relayout_shape *from,
                                const relayout_shape *to, rlt_wish wish, relayout_plan **plan,
                                relayout_error *error);

/* A plan for a problem that did not come from shapes; from and to are zeroed. For testing what no
 * pair of shapes lowers to. The problem is simplified here; the sizes are its element counts. */
relayout_status rlt_plan_create_for_problem(relayout_device *device, const rlt_problem *problem,
                                            relayout_strategy wanted, relayout_plan **plan,
                                            relayout_error *error);

void rlt_plan_retain(relayout_plan *plan);
/* relayout_plan_destroy by another name: drops one holder. */
void rlt_plan_release(relayout_plan *plan);

#endif
