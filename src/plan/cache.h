/* cache.h: the plans that a device made last. Making one of them again is a look-up. Each device
 * has one cache, within a budget of bytes. Depends on plan.h. */
#ifndef RLT_PLAN_CACHE_H
#define RLT_PLAN_CACHE_H

#include "plan/plan.h"

typedef struct rlt_plan_cache rlt_plan_cache;

/* RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_plan_cache_create(rlt_plan_cache **cache, relayout_error *error);

/* Drops every plan. Plans hold their device, and the device holds its cache: so call this before
 * the device's last reference is dropped. */
void rlt_plan_cache_clear(rlt_plan_cache *cache);

/* The number of plans, the bytes of memory that they take, and the budget. */
void rlt_plan_cache_tell(rlt_plan_cache *cache, relayout_device_usage *usage);
void rlt_plan_cache_set_budget(rlt_plan_cache *cache, uint64_t bytes);

/* The cache must be empty. */
void rlt_plan_cache_destroy(rlt_plan_cache *cache);

/* Returns the plan between these views, of valid ranks, with this request, and adds a reference for
 * the caller; NULL if the cache does not have it. */
relayout_plan *rlt_plan_cache_find(rlt_plan_cache *cache, const rlt_view *from, const rlt_view *to,
                                   const rlt_plan_request *request);

/* Adds a plan that was not found, if there is memory for it. If another thread has added the same
 * plan meanwhile, both stay; the older one is evicted in time. */
void rlt_plan_cache_add(rlt_plan_cache *cache, relayout_plan *plan);

#endif
