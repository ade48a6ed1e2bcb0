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
    relayout_plan_destroy(dropped[i].plan);
  }
}

void rlt_plan_cache_destroy(rlt_plan_cache *cache) {
  rlt_mutex_destroy(&cache->mutex);
  free(cache);
}

/* Over the fields that differ most; relayout_shape_equal decides. */
static uint64_t hash_shape(uint64_t hash, const relayout_shape *shape) {
  const size_t rank = (size_t)shape->rank;
  hash = rlt_hash(hash, &shape->element_type, sizeof shape->element_type);
  hash = rlt_hash(hash, shape->dimensions, rank * sizeof shape->dimensions[0]);
  return rlt_hash(hash, shape->layout.minor_to_major,
                  rank * sizeof shape->layout.minor_to_major[0]);
}

static uint64_t hash_shapes(const relayout_shape *from, const relayout_shape *to) {
  return hash_shape(hash_shape(RLT_HASH_START, from), to);
}

/* Equal, and alike in what moves no byte too: plans print their shapes. Mostly all bytes are, which
 * is seen much sooner. */
static bool same(const relayout_shape *a, const relayout_shape *b) {
  if (memcmp(a, b, sizeof *a) == 0) {
    return true;
  }
  const relayout_layout *const x = &a->layout;
  const relayout_layout *const y = &b->layout;
  return relayout_shape_equal(a, b) && x->padded_dimension_count == y->padded_dimension_count &&
         x->element_size_in_bits == y->element_size_in_bits &&
         x->padding_value == y->padding_value &&
         (x->padding_value != RELAYOUT_PADDING_LITERAL ||
          memcmp(x->padding_literal, y->padding_literal, sizeof x->padding_literal) == 0);
}

/* Moves entries up to number `last` back by one, and puts one in front. */
static void put_in_front(rlt_plan_cache *cache, cache_entry entry, int32_t last) {
  memmove(&cache->entries[1], &cache->entries[0], (size_t)last * sizeof entry);
  cache->entries[0] = entry;
  rlt_plan_retain(entry.plan);
}

relayout_plan *rlt_plan_cache_find(rlt_plan_cache *cache, const relayout_shape *from,
                                   const relayout_shape *to, const rlt_wish *wish) {
  const uint64_t hash = hash_shapes(from, to);
  relayout_plan *found = NULL;
  pthread_mutex_lock(&cache->mutex);
  for (int32_t i = 0; i < cache->count && found == NULL; ++i) {
    const cache_entry entry = cache->entries[i];
    /* Wishes are zeroed before they are filled, so that all their bytes mean something. */
    if (entry.hash == hash && memcmp(&entry.plan->wish, wish, sizeof *wish) == 0 &&
        same(&entry.plan->from, from) && same(&entry.plan->to, to)) {
      found = entry.plan;
      put_in_front(cache, entry, i);
    }
  }
  pthread_mutex_unlock(&cache->mutex);
  return found;
}

void rlt_plan_cache_add(rlt_plan_cache *cache, relayout_plan *plan) {
  relayout_plan *evicted = NULL;
  pthread_mutex_lock(&cache->mutex);
  if (cache->count == CACHE_CAPACITY) {
    evicted = cache->entries[--cache->count].plan;
  }
  put_in_front(cache, (cache_entry){hash_shapes(&plan->from, &plan->to), plan}, cache->count++);
  pthread_mutex_unlock(&cache->mutex);
  relayout_plan_destroy(evicted);
}
