/* cache.h: the plans that a device was last asked for, so that the next one who asks gets them at
 * once; one a device, and within a budget of bytes. Depends on plan.h. */
#ifndef RLT_PLAN_CACHE_H
#define RLT_PLAN_CACHE_H

#include "plan/plan.h"

typedef struct rlt_plan_cache rlt_plan_cache;

/* RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_plan_cache_create(rlt_plan_cache **cache, relayout_error *error);

/* Drops every plan. Plans hold their device and the device its cache, so this comes before the
 * device's opener lets go. */
void rlt_plan_cache_clear(rlt_plan_cache *cache);

/* How many plans it holds, and the bytes of memory that these take, and may take. */
void rlt_plan_cache_tell(rlt_plan_cache *cache, relayout_device_usage *usage);
void rlt_plan_cache_set_budget(rlt_plan_cache *cache, uint64_t bytes);

/* The cache is empty, or all its plans are dropped. */
void rlt_plan_cache_destroy(rlt_plan_cache *cache);

/* The plan between these views, of valid ranks, with this wish, which the caller holds then; NULL
 * where it is not there. */
relayout_plan *rlt_plan_cache_find(rlt_plan_cache *cache, const rlt_view *from, const rlt_view *to,
                                   const rlt_wish *wish);

/* Holds a plan that was not found, if there is memory for it. Where another thread has added the
 * same meanwhile, both are right, and the older ages out. */
void rlt_plan_cache_add(rlt_plan_cache *cache, relayout_plan *plan);

#endif
