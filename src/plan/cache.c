/* cache.c: least recently used plans go first. Few entries, so a scan beats any tree. */
#include "plan/cache.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/forks.h"
#include "base/hash.h"

enum { CACHE_CAPACITY = 64 };

typedef struct cache_entry {
  uint64_t hash;
  relayout_plan *plan; /* held */
} cache_entry;

struct rlt_plan_cache {
  pthread_mutex_t mutex;
  int32_t count;
  cache_entry entries[CACHE_CAPACITY]; /* the most recently used first */
};

relayout_status rlt_plan_cache_create(rlt_plan_cache **cache, relayout_error *error) {
  rlt_plan_cache *made = calloc(1, sizeof *made);
  if (made == NULL || !rlt_mutex_initialize(&made->mutex)) {
    free(made);
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan cache of %zu bytes",
                    sizeof *made);
  }
  *cache = made;
  return RELAYOUT_OK;
}

void rlt_plan_cache_clear(rlt_plan_cache *cache) {
  cache_entry dropped[CACHE_CAPACITY];
  pthread_mutex_lock(&cache->mutex);
  const int32_t count = cache->count;
  memcpy(dropped, cache->entries, sizeof dropped);
  cache->count = 0;
  pthread_mutex_unlock(&cache->mutex);
  for (int32_t i = 0; i < count; ++i) {
    rlt_plan_release(dropped[i].plan);
  }
}

void rlt_plan_cache_destroy(rlt_plan_cache *cache) {
  if (cache != NULL) {
    rlt_mutex_destroy(&cache->mutex);
    free(cache);
  }
}

/* Over the fields that differ most; relayout_shape_equal decides. */
static uint64_t hash_shape(uint64_t hash, const relayout_shape *shape) {
  const size_t rank = (size_t)shape->rank;
  hash = rlt_hash(hash, &shape->element_type, sizeof shape->element_type);
  hash = rlt_hash(hash, shape->dimensions, rank * sizeof shape->dimensions[0]);
  return rlt_hash(hash, shape->layout.minor_to_major,
                  rank * sizeof shape->layout.minor_to_major[0]);
}

/* Equal, and alike in what moves no byte too: plans print their shapes. */
static bool same(const relayout_shape *a, const relayout_shape *b) {
  const relayout_layout *const x = &a->layout;
  const relayout_layout *const y = &b->layout;
  return relayout_shape_equal(a, b) && x->padded_dimension_count == y->padded_dimension_count &&
         x->element_size_in_bits == y->element_size_in_bits &&
         x->padding_value == y->padding_value &&
         (x->padding_value != RELAYOUT_PADDING_LITERAL ||
          memcmp(x->padding_literal, y->padding_literal, sizeof x->padding_literal) == 0);
}

/* Wishes are zeroed before they are filled, so that all their bytes mean something. */
static bool same_wish(const rlt_wish *a, const rlt_wish *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

/* The held plan of this key, moved to the front; NULL when there is none. */
static relayout_plan *find(rlt_plan_cache *cache, uint64_t hash, const relayout_shape *from,
                           const relayout_shape *to, const rlt_wish *wish) {
  for (int32_t i = 0; i < cache->count; ++i) {
    const cache_entry entry = cache->entries[i];
    if (entry.hash == hash && same_wish(&entry.plan->wish, wish) && same(&entry.plan->from, from) &&
        same(&entry.plan->to, to)) {
      memmove(&cache->entries[1], &cache->entries[0], (size_t)i * sizeof entry);
      cache->entries[0] = entry;
      rlt_plan_retain(entry.plan);
      return entry.plan;
    }
  }
  return NULL;
}

/* Puts a plan in front; returns the one that had to go, or NULL. */
static relayout_plan *insert(rlt_plan_cache *cache, uint64_t hash, relayout_plan *plan) {
  relayout_plan *evicted = NULL;
  if (cache->count == CACHE_CAPACITY) {
    evicted = cache->entries[--cache->count].plan;
  }
  memmove(&cache->entries[1], &cache->entries[0], (size_t)cache->count * sizeof(cache_entry));
  cache->entries[0] = (cache_entry){.hash = hash, .plan = plan};
  ++cache->count;
  rlt_plan_retain(plan);
  return evicted;
}

static bool has_rank(const relayout_shape *shape) {
  return shape->rank >= 0 && shape->rank <= RELAYOUT_MAX_RANK;
}

relayout_status rlt_plan_cache_get(relayout_device *device, const relayout_shape *from,
                                   const relayout_shape *to, const rlt_wish *wish,
                                   relayout_plan **plan, relayout_error *error) {
  if (!has_rank(from) || !has_rank(to)) { /* which making it says */
    return rlt_plan_create(device, from, to, wish, (rlt_texts){0, NULL}, plan, error);
  }
  rlt_plan_cache *cache = device->cache;
  const uint64_t hash = hash_shape(hash_shape(RLT_HASH_START, from), to);
  pthread_mutex_lock(&cache->mutex);
  relayout_plan *found = find(cache, hash, from, to, wish);
  pthread_mutex_unlock(&cache->mutex);
  if (found != NULL) {
    *plan = found;
    return RELAYOUT_OK;
  }

  /* Made outside the lock, since it may compile. Two threads may both make it; both plans are
   * right, and the older entry ages out. */
  const relayout_status status =
      rlt_plan_create(device, from, to, wish, (rlt_texts){0, NULL}, plan, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  pthread_mutex_lock(&cache->mutex);
  relayout_plan *evicted = insert(cache, hash, *plan);
  pthread_mutex_unlock(&cache->mutex);
  rlt_plan_release(evicted);
  return RELAYOUT_OK;
}
