/* scratch.c: memory for buffered tiles, kept by a device from call to call. */
#include "cpu/scratch.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/error.h"
#include "base/memory.h"

enum { LINE_BYTES = RLT_CPU_LINE_BYTES, LEAST_SHELVES = 8 };

/* A line each, so that threads which use different ones do not meet. */
typedef union shelf {
  _Atomic(rlt_cpu_scratch *) kept;
  char line[LINE_BYTES];
} shelf;

struct rlt_cpu_kept_scratch {
  _Alignas(LINE_BYTES) size_t count; /* a power of two */
  rlt_cpu_scratch *aside;            /* for calls that cannot fail, one at a time; or NULL */
  pthread_mutex_t aside_mutex;       /* held by the call that has it */
  shelf shelves[];
};

/* ---- One ---- */

/* The system's memory is zeros, and is not touched before it is used. */
static rlt_cpu_scratch *build(void) {
  char *const memory = rlt_calloc(1, sizeof(rlt_cpu_scratch) + LINE_BYTES);
  if (memory == NULL) {
    return NULL;
  }
  rlt_cpu_scratch *const made =
      (rlt_cpu_scratch *)(memory + LINE_BYTES - (uintptr_t)memory % LINE_BYTES);
  made->memory = memory;
  return made;
}

static void pull_down(rlt_cpu_scratch *made) {
  if (made != NULL) {
    rlt_free(made->memory);
  }
}

/* ---- All ---- */

/* Twice as many as threads, so that few share one. */
relayout_status rlt_cpu_kept_scratch_create(int32_t threads, rlt_cpu_kept_scratch **kept_scratch,
                                            relayout_error *error) {
  size_t count = LEAST_SHELVES;
  while (count / 2 < (size_t)threads) {
    count *= 2;
  }
  rlt_cpu_kept_scratch *const made =
      rlt_aligned_alloc(LINE_BYTES, sizeof *made + count * sizeof(shelf));
  if (made == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY,
                    "no memory to keep track of a CPU device's %zu tile buffers", count);
  }
  if (pthread_mutex_init(&made->aside_mutex, NULL) != 0) {
    rlt_free(made);
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a lock of a CPU device");
  }
  made->count = count;
  made->aside = NULL;
  for (size_t i = 0; i < count; ++i) {
    atomic_init(&made->shelves[i].kept, NULL);
  }
  *kept_scratch = made;
  return RELAYOUT_OK;
}

relayout_status rlt_cpu_kept_scratch_set_aside(rlt_cpu_kept_scratch *kept_scratch,
                                               relayout_error *error) {
  kept_scratch->aside = build();
  return kept_scratch->aside != NULL
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a tile buffer of %zu bytes",
                        sizeof(rlt_cpu_scratch));
}

void rlt_cpu_kept_scratch_trim(rlt_cpu_kept_scratch *kept_scratch) {
  for (size_t i = 0; i < kept_scratch->count; ++i) {
    pull_down(atomic_exchange(&kept_scratch->shelves[i].kept, NULL));
  }
}

void rlt_cpu_kept_scratch_destroy(rlt_cpu_kept_scratch *kept_scratch) {
  rlt_cpu_kept_scratch_trim(kept_scratch);
  pull_down(kept_scratch->aside);
  pthread_mutex_destroy(&kept_scratch->aside_mutex);
  rlt_free(kept_scratch);
}

/* ---- Each thread's ---- */

/* From which shelf on the calling thread looks, all around. Threads lie pages apart at least. */
static size_t first_shelf(void) {
  const uint64_t page = (uint64_t)(uintptr_t)pthread_self() >> 12;
  return (size_t)(page * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

rlt_cpu_scratch *rlt_cpu_scratch_take(rlt_cpu_kept_scratch *from) {
  const size_t first = first_shelf();
  for (size_t i = 0; i < from->count; ++i) {
    shelf *const next = &from->shelves[(first + i) & (from->count - 1)];
    if (atomic_load_explicit(&next->kept, memory_order_relaxed) != NULL) {
      rlt_cpu_scratch *const kept =
          atomic_exchange_explicit(&next->kept, NULL, memory_order_acquire);
      if (kept != NULL) {
        return kept;
      }
    }
  }
  return build();
}

rlt_cpu_scratch *rlt_cpu_scratch_take_first(rlt_cpu_kept_scratch *from) {
  rlt_cpu_scratch *const taken = rlt_cpu_scratch_take(from);
  if (taken == NULL && from->aside != NULL) {
    pthread_mutex_lock(&from->aside_mutex);
    return from->aside;
  }
  return taken;
}

void rlt_cpu_scratch_give_back(rlt_cpu_kept_scratch *to, rlt_cpu_scratch *used) {
  if (used == NULL) {
    return;
  }
  if (used == to->aside) {
    pthread_mutex_unlock(&to->aside_mutex);
    return;
  }
  const size_t first = first_shelf();
  for (size_t i = 0; i < to->count; ++i) {
    shelf *const next = &to->shelves[(first + i) & (to->count - 1)];
    rlt_cpu_scratch *nobody = NULL;
    if (atomic_compare_exchange_strong_explicit(&next->kept, &nobody, used, memory_order_release,
                                                memory_order_relaxed)) {
      return;
    }
  }
  pull_down(used);
}
