/* cache.h: the plans that a device was last asked for, so that the next one who asks gets them at
 * once; one a device, and bounded. Depends on plan.h. */
#ifndef RLT_PLAN_CACHE_H
#define RLT_PLAN_CACHE_H

#include "plan/plan.h"

typedef struct rlt_plan_cache rlt_plan_cache;

/* RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_plan_cache_create(rlt_plan_cache **cache, relayout_error *error);

/* Drops every plan. Plans hold their device and the device its cache, so this comes before the
 * device's opener lets go. */
void rlt_plan_cache_clear(rlt_plan_cache *cache);

/* The cache is empty, or all its plans are dropped. */
void rlt_plan_cache_destroy(rlt_plan_cache *cache);

/* The device's cached plan for these shapes and this wish, made when it is
 * not there. Nothing is NULL. The caller releases it. The statuses of relayout_plan_create. */
relayout_status rlt_plan_cache_get(relayout_device *device, const relayout_shape *from,
                                   const relayout_shape *to, const rlt_wish *wish,
                                   relayout_plan **plan, relayout_error *error);

#endif
