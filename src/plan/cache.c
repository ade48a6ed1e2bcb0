/* cache.c: a hash table of plans by views and request, and a list by time of use: the least
 * recently used plans are evicted first. */
#include "plan/cache.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/forks.h"
#include "base/hash.h"
#include "base/memory.h"
#include "metadata/packed_view.h"

/* The number of buckets at first, a power of two. It doubles when there are as many plans as
 * buckets. */
enum { FIRST_BUCKETS = 64 };

typedef struct entry {
  uint64_t hash;
  relayout_plan *plan; /* held */
  uint64_t device_bytes;
  uint64_t host_bytes;
  struct entry *next; /* the next of the same bucket */
  struct entry *newer;
  struct entry *older; /* the next of the evicted ones */
} entry;

struct rlt_plan_cache {
  pthread_mutex_t mutex;
  uint64_t budget;       /* limit for the memory of plans, the device's and the host's */
  uint64_t device_bytes; /* what the plans take */
  uint64_t host_bytes;
  uint64_t count;
  entry *newest;
  entry *oldest;
  size_t bucket_count;
  entry **buckets;
  entry *first_buckets[FIRST_BUCKETS];
};

relayout_status rlt_plan_cache_create(rlt_plan_cache **cache, relayout_error *error) {
  rlt_plan_cache *made = rlt_calloc(1, sizeof *made);
  if (made == NULL || !rlt_mutex_initialize(&made->mutex)) {
    rlt_free(made);
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan cache of %zu bytes",
                    sizeof *made);
  }
  made->budget = RELAYOUT_DEFAULT_BUDGET;
  made->bucket_count = FIRST_BUCKETS;
  made->buckets = made->first_buckets;
  *cache = made;
  return RELAYOUT_OK;
}

/* ---- Under the lock ---- */

static entry **bucket_of(rlt_plan_cache *cache, uint64_t hash) {
  return &cache->buckets[hash & (cache->bucket_count - 1)];
}

/* Removes an entry from the list by time of use. */
static void unlink_entry(rlt_plan_cache *cache, entry *of) {
  *(of->newer == NULL ? &cache->newest : &of->newer->older) = of->older;
  *(of->older == NULL ? &cache->oldest : &of->older->newer) = of->newer;
}

static void put_in_front(rlt_plan_cache *cache, entry *of) {
  of->newer = NULL;
  of->older = cache->newest;
  *(cache->newest == NULL ? &cache->oldest : &cache->newest->newer) = of;
  cache->newest = of;
}

/* Evicts the least recently used plans until the others are within the budget. Returns the evicted
 * ones as a list, to be dropped without the lock. */
static entry *take_out(rlt_plan_cache *cache, bool all) {
  entry *taken = NULL;
  while (cache->oldest != NULL && (all || cache->host_bytes > cache->budget ||
                                   cache->device_bytes > cache->budget - cache->host_bytes)) {
    entry *const last = cache->oldest;
    entry **at = bucket_of(cache, last->hash);
    while (*at != last) {
      at = &(*at)->next;
    }
    *at = last->next;
    unlink_entry(cache, last);
    cache->device_bytes -= last->device_bytes;
    cache->host_bytes -= last->host_bytes;
    --cache->count;
    last->older = taken;
    taken = last;
  }
  return taken;
}

/* Replaces the buckets by twice as many, and returns the old ones, to be freed. */
static entry **spread(rlt_plan_cache *cache, entry **buckets) {
  entry **const former = cache->buckets;
  cache->bucket_count *= 2;
  cache->buckets = buckets;
  for (entry *each = cache->newest; each != NULL; each = each->older) {
    entry **const bucket = bucket_of(cache, each->hash);
    each->next = *bucket;
    *bucket = each;
  }
  return former == cache->first_buckets ? NULL : former;
}

/* ---- Without it ---- */

static void drop(entry *taken) {
  while (taken != NULL) {
    entry *const next = taken->older;
    relayout_plan_destroy(taken->plan);
    rlt_free(taken);
    taken = next;
  }
}

void rlt_plan_cache_clear(rlt_plan_cache *cache) {
  pthread_mutex_lock(&cache->mutex);
  entry *const taken = take_out(cache, true);
  pthread_mutex_unlock(&cache->mutex);
  drop(taken);
}

void rlt_plan_cache_set_budget(rlt_plan_cache *cache, uint64_t bytes) {
  pthread_mutex_lock(&cache->mutex);
  cache->budget = bytes;
  entry *const taken = take_out(cache, false);
  pthread_mutex_unlock(&cache->mutex);
  drop(taken);
}

void rlt_plan_cache_tell(rlt_plan_cache *cache, relayout_device_usage *usage) {
  pthread_mutex_lock(&cache->mutex);
  usage->plans = cache->count;
  usage->device_bytes = cache->device_bytes;
  usage->host_bytes = cache->host_bytes;
  usage->budget_bytes = cache->budget;
  pthread_mutex_unlock(&cache->mutex);
}

void rlt_plan_cache_destroy(rlt_plan_cache *cache) {
  rlt_mutex_destroy(&cache->mutex);
  if (cache->buckets != cache->first_buckets) {
    rlt_free(cache->buckets);
  }
  rlt_free(cache);
}

/* ---- Keys ---- */

/* What a plan is found by, besides its request: both views, packed. */
typedef struct key {
  uint64_t hash;
  int32_t count;
  int64_t numbers[2 * RLT_MOST_VIEW_NUMBERS];
} key;

static uint64_t hash_number(uint64_t hash, uint64_t number) {
  hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 32;
}

static uint64_t hash_all(const int64_t *numbers, int32_t count, const rlt_plan_request *request) {
  uint64_t scale;
  memcpy(&scale, &request->changes.scale, sizeof scale);
  uint64_t hash = hash_number(RLT_HASH_START, scale);
  hash = hash_number(hash, request->chunks.source);
  hash = hash_number(hash, request->chunks.destination);
  for (int32_t i = 0; i < count; ++i) {
    hash = hash_number(hash, (uint64_t)numbers[i]);
  }
  return hash;
}

/* False for views that no plan has. */
static bool make_key(const rlt_view *from, const rlt_view *to, const rlt_plan_request *request,
                     key *made) {
  const int32_t source = rlt_view_pack(from, made->numbers);
  const int32_t destination = rlt_view_pack(to, made->numbers + source);
  made->count = source + destination;
  made->hash = hash_all(made->numbers, made->count, request);
  return source > 0 && destination > 0;
}

/* Also the fields that move no byte have to be equal, because plans print their shapes. */
static bool has_views(const relayout_plan *plan, const key *of) {
  return plan->packed_count == of->count &&
         memcmp(plan->packed_views, of->numbers, (size_t)of->count * sizeof of->numbers[0]) == 0;
}

/* ---- Plans ---- */

relayout_plan *rlt_plan_cache_find(rlt_plan_cache *cache, const rlt_view *from, const rlt_view *to,
                                   const rlt_plan_request *request) {
  key wanted;
  if (!make_key(from, to, request, &wanted)) {
    return NULL;
  }
  pthread_mutex_lock(&cache->mutex);
  entry *found = *bucket_of(cache, wanted.hash);
  while (found != NULL && !(found->hash == wanted.hash && has_views(found->plan, &wanted) &&
                            rlt_plan_request_equal(&found->plan->request, request))) {
    found = found->next;
  }
  relayout_plan *const plan = found == NULL ? NULL : found->plan;
  if (found != NULL) {
    unlink_entry(cache, found);
    put_in_front(cache, found);
    relayout_plan_retain(plan);
  }
  pthread_mutex_unlock(&cache->mutex);
  return plan;
}

/* Doubles the buckets if there is memory for it; without, the cache still works, but slower. */
static void grow(rlt_plan_cache *cache) {
  pthread_mutex_lock(&cache->mutex);
  const size_t count = cache->bucket_count;
  const bool is_full = cache->count >= count;
  pthread_mutex_unlock(&cache->mutex);
  entry **unused = is_full ? rlt_calloc(2 * count, sizeof *unused) : NULL;
  if (unused == NULL) {
    return;
  }
  pthread_mutex_lock(&cache->mutex);
  if (cache->bucket_count == count) { /* no other thread has grown it meanwhile */
    unused = spread(cache, unused);
  }
  pthread_mutex_unlock(&cache->mutex);
  rlt_free(unused);
}

void rlt_plan_cache_add(rlt_plan_cache *cache, relayout_plan *plan) {
  entry *const made = rlt_malloc(sizeof *made);
  if (made == NULL) {
    return;
  }
  *made = (entry){.hash = hash_all(plan->packed_views, plan->packed_count, &plan->request),
                  .plan = plan,
                  .device_bytes = rlt_plan_device_bytes(plan),
                  .host_bytes = rlt_plan_host_bytes(plan)};
  relayout_plan_retain(plan);
  grow(cache);
  pthread_mutex_lock(&cache->mutex);
  entry **const bucket = bucket_of(cache, made->hash);
  made->next = *bucket;
  *bucket = made;
  put_in_front(cache, made);
  cache->device_bytes += made->device_bytes;
  cache->host_bytes += made->host_bytes;
  ++cache->count;
  entry *const taken = take_out(cache, false);
  pthread_mutex_unlock(&cache->mutex);
  drop(taken);
}
