/* cache.c: least recently used plans go first. Few entries, so a scan beats any tree. */
#include "plan/cache.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/forks.h"
#include "base/hash.h"
#include "base/memory.h"

enum { CACHE_CAPACITY = 64 };

typedef struct cache_entry {
  uint64_t hash;
  relayout_plan *plan;   /* held */
  uint64_t device_bytes; /* that it takes */
} cache_entry;

struct rlt_plan_cache {
  pthread_mutex_t mutex;
  uint64_t budget;       /* for the device's memory that plans take */
  uint64_t device_bytes; /* that they take */
  int32_t count;
  cache_entry entries[CACHE_CAPACITY]; /* the most recently used first */
};

relayout_status rlt_plan_cache_create(rlt_plan_cache **cache, relayout_error *error) {
  rlt_plan_cache *made = rlt_calloc(1, sizeof *made);
  if (made == NULL || !rlt_mutex_initialize(&made->mutex)) {
    rlt_free(made);
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan cache of %zu bytes",
                    sizeof *made);
  }
  made->budget = UINT64_MAX;
  *cache = made;
  return RELAYOUT_OK;
}

/* Plans that were taken out, to be dropped without the lock. */
typedef struct dropped {
  int32_t count;
  relayout_plan *plans[CACHE_CAPACITY];
} dropped;

/* Takes out what was used least lately, until there are so many plans at most, within the budget,
 * as none at all are. Under the lock. */
static void take_out(rlt_plan_cache *cache, int32_t most, dropped *taken) {
  while (cache->count > most || cache->device_bytes > cache->budget) {
    const cache_entry *const last = &cache->entries[--cache->count];
    cache->device_bytes -= last->device_bytes;
    taken->plans[taken->count++] = last->plan;
  }
}

static void drop(const dropped *taken) {
  for (int32_t i = 0; i < taken->count; ++i) {
    relayout_plan_destroy(taken->plans[i]);
  }
}

void rlt_plan_cache_clear(rlt_plan_cache *cache) {
  dropped taken = {.count = 0};
  pthread_mutex_lock(&cache->mutex);
  take_out(cache, 0, &taken);
  pthread_mutex_unlock(&cache->mutex);
  drop(&taken);
}

void rlt_plan_cache_set_budget(rlt_plan_cache *cache, uint64_t device_bytes) {
  dropped taken = {.count = 0};
  pthread_mutex_lock(&cache->mutex);
  cache->budget = device_bytes;
  take_out(cache, CACHE_CAPACITY, &taken);
  pthread_mutex_unlock(&cache->mutex);
  drop(&taken);
}

void rlt_plan_cache_tell(rlt_plan_cache *cache, relayout_device_usage *usage) {
  pthread_mutex_lock(&cache->mutex);
  usage->plans = (uint64_t)cache->count;
  usage->device_bytes = cache->device_bytes;
  usage->budget_bytes = cache->budget;
  pthread_mutex_unlock(&cache->mutex);
}

void rlt_plan_cache_destroy(rlt_plan_cache *cache) {
  rlt_mutex_destroy(&cache->mutex);
  rlt_free(cache);
}

/* ---- Shapes ---- */

static uint64_t hash_number(uint64_t hash, uint64_t number) {
  hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 32;
}

/* Over the fields that differ most, two numbers at a time. */
static uint64_t hash_shape(uint64_t hash, const relayout_shape *shape) {
  hash = hash_number(hash, (uint64_t)shape->element_type << 32 | (uint32_t)shape->rank);
  for (int32_t d = 0; d < shape->rank; ++d) {
    const uint64_t order = (uint32_t)shape->layout.minor_to_major[d];
    hash = hash_number(hash, (uint64_t)shape->dimensions[d] ^ order << 56);
  }
  return hash;
}

static uint64_t hash_shapes(const relayout_shape *from, const relayout_shape *to) {
  return hash_shape(hash_shape(RLT_HASH_START, from), to);
}

/* Mostly few, for which calling memcmp takes longer. */
static bool same_sizes(const int64_t *a, const int64_t *b, int32_t count) {
  int32_t i = 0;
  while (i < count && a[i] == b[i]) {
    ++i;
  }
  return i == count;
}

static bool same_numbers(const int32_t *a, const int32_t *b, int32_t count) {
  int32_t i = 0;
  while (i < count && a[i] == b[i]) {
    ++i;
  }
  return i == count;
}

static bool same_tiles(const relayout_layout *a, const relayout_layout *b) {
  if (a->tile_count != b->tile_count) {
    return false;
  }
  int32_t dimensions = 0;
  for (int32_t i = 0; i < a->tile_count; ++i) {
    dimensions += a->tile_ranks[i];
  }
  return same_numbers(a->tile_ranks, b->tile_ranks, a->tile_count) &&
         same_sizes(a->tile_dimensions, b->tile_dimensions, dimensions);
}

static bool same_padding(const relayout_layout *a, const relayout_layout *b) {
  return a->padded_dimension_count == b->padded_dimension_count &&
         same_sizes(a->padded_dimensions, b->padded_dimensions, a->padded_dimension_count) &&
         a->padding_value == b->padding_value &&
         (a->padding_value != RELAYOUT_PADDING_LITERAL ||
          memcmp(a->padding_literal, b->padding_literal, sizeof a->padding_literal) == 0);
}

/* Alike in all that is used of them, also in what moves no byte: plans print their shapes. The
 * rest, which is most, may be anything. `a` is valid, and so is `b` then; before, its counts are
 * used only where they are a's. */
static bool same_shape(const relayout_shape *a, const relayout_shape *b) {
  const relayout_layout *const x = &a->layout;
  const relayout_layout *const y = &b->layout;
  return a->element_type == b->element_type && a->rank == b->rank && x->rank == y->rank &&
         same_sizes(a->dimensions, b->dimensions, a->rank) &&
         same_numbers(x->minor_to_major, y->minor_to_major, x->rank) && same_padding(x, y) &&
         same_tiles(x, y) &&
         x->tail_padding_alignment_in_elements == y->tail_padding_alignment_in_elements &&
         x->element_size_in_bits == y->element_size_in_bits && x->memory_space == y->memory_space;
}

static bool same_view(const relayout_view *a, const rlt_view *b) {
  return a->is_strided == (b->byte_strides != NULL) && a->is_read_only == b->is_read_only &&
         a->byte_offset == b->byte_offset && a->byte_order == b->byte_order &&
         same_shape(&a->shape, b->shape) &&
         (!a->is_strided || same_sizes(a->byte_strides, b->byte_strides, a->shape.rank));
}

/* ---- Plans ---- */

/* Moves entries up to number `last` back by one, and puts one in front. */
static void put_in_front(rlt_plan_cache *cache, cache_entry entry, int32_t last) {
  memmove(&cache->entries[1], &cache->entries[0], (size_t)last * sizeof entry);
  cache->entries[0] = entry;
  relayout_plan_retain(entry.plan);
}

relayout_plan *rlt_plan_cache_find(rlt_plan_cache *cache, const rlt_view *from, const rlt_view *to,
                                   const rlt_wish *wish) {
  const uint64_t hash = hash_shapes(from->shape, to->shape);
  relayout_plan *found = NULL;
  pthread_mutex_lock(&cache->mutex);
  for (int32_t i = 0; i < cache->count && found == NULL; ++i) {
    const cache_entry entry = cache->entries[i];
    if (entry.hash == hash && rlt_wish_equal(&entry.plan->wish, wish) &&
        same_view(&entry.plan->from, from) && same_view(&entry.plan->to, to)) {
      found = entry.plan;
      put_in_front(cache, entry, i);
    }
  }
  pthread_mutex_unlock(&cache->mutex);
  return found;
}

void rlt_plan_cache_add(rlt_plan_cache *cache, relayout_plan *plan) {
  const cache_entry entry = {hash_shapes(&plan->from.shape, &plan->to.shape), plan,
                             rlt_plan_device_bytes(plan)};
  dropped taken = {.count = 0};
  pthread_mutex_lock(&cache->mutex);
  take_out(cache, CACHE_CAPACITY - 1, &taken);
  put_in_front(cache, entry, cache->count++);
  cache->device_bytes += entry.device_bytes;
  take_out(cache, CACHE_CAPACITY, &taken);
  pthread_mutex_unlock(&cache->mutex);
  drop(&taken);
}
