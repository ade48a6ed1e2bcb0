/* The CPU backend as a benchmark's target. The plain copies run on as many threads as it has, small
 * ones also on one alone, which need not wake the others. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu_peers.h"
#include "fail.h"
#include "host_copy.h"
#include "host_memory.h"
#include "noise.h"
#include "pool.h"
#include "target.h"

enum {
  MOST_KINDS = 3,
  MOST_BYTES_ALONE = 4 << 20,    /* what one thread is tried with */
  ASSUMED_CACHE_BYTES = 32 << 20 /* where the system does not tell */
};

typedef struct cpu_target {
  bench_target base; /* first: a target of this kind is one */
  host_pages pages;
  host_memory source;
  host_memory destination;
  host_copy copies[BENCH_MOST_COPIES];
  pool *threads;
  bool is_alone[BENCH_MOST_COPIES]; /* a copy by the calling thread alone */
  cpu_peers peers;
} cpu_target;

/* A buffer in place of another. */
static relayout_status replace(const cpu_target *own, host_memory *buffer, size_t *capacity,
                               size_t size, relayout_error *error) {
  host_memory_free(buffer);
  *capacity = 0;
  const relayout_status status = host_memory_create(size, own->pages, buffer, error);
  if (status == RELAYOUT_OK) {
    *capacity = size;
  }
  return status;
}

static relayout_status reserve(bench_target *target, size_t source, size_t destination,
                               relayout_error *error) {
  cpu_target *const own = (cpu_target *)target;
  if (source > target->source_capacity) {
    const relayout_status status =
        replace(own, &own->source, &target->source_capacity, source, error);
    if (status != RELAYOUT_OK) {
      return status;
    }
    bench_fill_noise(own->source.bytes, source);
  }
  if (destination > target->destination_capacity) {
    return replace(own, &own->destination, &target->destination_capacity, destination, error);
  }
  return RELAYOUT_OK;
}

static relayout_status use_huge_pages(bench_target *target, relayout_error *error) {
  cpu_target *const own = (cpu_target *)target;
  host_memory trial = {.bytes = NULL};
  const relayout_status status = host_memory_create(1, HOST_PAGES_HUGE, &trial, error);
  host_memory_free(&trial);
  if (status == RELAYOUT_OK) {
    own->pages = HOST_PAGES_HUGE;
    target->pages = "huge";
  }
  return status;
}

static relayout_status clear(bench_target *target, size_t size, relayout_error *error) {
  (void)error;
  memset(((cpu_target *)target)->destination.bytes, 0, size);
  return RELAYOUT_OK;
}

static relayout_status move(bench_target *target, const relayout_plan *plan, size_t source_offset,
                            size_t destination_offset, bench_time *time, relayout_error *error) {
  const cpu_target *const own = (const cpu_target *)target;
  const double begin = bench_now();
  const relayout_status status = relayout_plan_execute(
      plan, own->source.bytes + source_offset, own->destination.bytes + destination_offset, error);
  const double taken = bench_now() - begin;
  *time = (bench_time){.counted = taken, .wall = taken};
  return status;
}

static relayout_status copy(bench_target *target, size_t which, size_t source_offset,
                            size_t destination_offset, size_t size, bench_time *time,
                            relayout_error *error) {
  (void)error;
  const cpu_target *const own = (const cpu_target *)target;
  const double begin = bench_now();
  host_copy_run(own->copies[which], own->is_alone[which] ? NULL : own->threads,
                own->destination.bytes + destination_offset, own->source.bytes + source_offset,
                size);
  const double taken = bench_now() - begin;
  *time = (bench_time){.counted = taken, .wall = taken};
  return RELAYOUT_OK;
}

static void find_peers(bench_target *target) {
  cpu_target *const own = (cpu_target *)target;
  cpu_peers_find(&own->peers, own->threads, target->peers, &target->peer_count);
}

static void prepare_peers(bench_target *target, const relayout_shape *from,
                          const relayout_shape *to, bool takes[BENCH_MOST_PEERS]) {
  cpu_peers_prepare(&((cpu_target *)target)->peers, from, to, takes);
}

static relayout_status run_peer(bench_target *target, size_t which, size_t source_offset,
                                size_t destination_offset, bench_time *time,
                                relayout_error *error) {
  const cpu_target *const own = (const cpu_target *)target;
  const double begin = bench_now();
  const bool is_done =
      cpu_peers_run(&own->peers, which, own->destination.bytes + destination_offset,
                    own->source.bytes + source_offset);
  const double taken = bench_now() - begin;
  *time = (bench_time){.counted = taken, .wall = taken};
  return is_done ? RELAYOUT_OK
                 : fail_with(error, RELAYOUT_UNSUPPORTED, "%s failed", target->peers[which].name);
}

static relayout_status map(bench_target *target, size_t source_size, size_t destination_size,
                           const uint8_t **source, const uint8_t **destination,
                           relayout_error *error) {
  (void)source_size;
  (void)destination_size;
  (void)error;
  *source = ((cpu_target *)target)->source.bytes;
  *destination = ((cpu_target *)target)->destination.bytes;
  return RELAYOUT_OK;
}

static void unmap(bench_target *target) {
  (void)target;
}

static void destroy(bench_target *target) {
  cpu_target *const own = (cpu_target *)target;
  cpu_peers_release(&own->peers);
  pool_destroy(own->threads);
  host_memory_free(&own->source);
  host_memory_free(&own->destination);
  relayout_device_destroy(target->device);
  free(own);
}

static uint64_t last_level_cache(void) {
#ifdef _SC_LEVEL3_CACHE_SIZE
  const long size = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return size > 0 ? (uint64_t)size : ASSUMED_CACHE_BYTES;
#else
  return ASSUMED_CACHE_BYTES;
#endif
}

static void add_copy(cpu_target *own, host_copy_kind kind, bool is_alone, size_t most_bytes) {
  const size_t at = own->base.copy_count;
  own->base.copies[at] = (bench_copy){kind.name, most_bytes};
  own->copies[at] = kind.copy;
  own->is_alone[at] = is_alone;
  own->base.copy_count += 1;
}

relayout_status bench_cpu_target_create(int32_t threads, bench_target **target,
                                        relayout_error *error) {
  cpu_target *const own = calloc(1, sizeof *own);
  if (own == NULL) {
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a benchmark");
  }
  own->base = (bench_target){.clock = "wall",
                             .pages = "ordinary",
                             .cache_bytes = last_level_cache(),
                             .use_huge_pages = use_huge_pages,
                             .reserve = reserve,
                             .clear = clear,
                             .move = move,
                             .copy = copy,
                             .find_peers = find_peers,
                             .prepare_peers = prepare_peers,
                             .run_peer = run_peer,
                             .map = map,
                             .unmap = unmap,
                             .destroy = destroy};
  own->threads = pool_create((size_t)threads);
  if (own->threads == NULL) {
    free(own);
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no threads for a benchmark");
  }
  host_copy_kind kinds[MOST_KINDS];
  const size_t kind_count = host_copy_list(kinds);
  for (size_t i = 0; i < kind_count; i++) {
    add_copy(own, kinds[i], threads == 1, 0);
    if (threads > 1) {
      add_copy(own, kinds[i], true, MOST_BYTES_ALONE);
    }
  }
  *target = &own->base;
  return RELAYOUT_OK;
}
