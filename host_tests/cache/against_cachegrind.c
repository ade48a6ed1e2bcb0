/* against_cachegrind.c: a relayout to be watched by valgrind's cachegrind, and how often the
 * simulator finds that caches of the same geometry miss.
 *
 *     against_cachegrind run FROM TO TIMES     does it so many times
 *     against_cachegrind count FROM TO         misses of the first cache, and of the last
 *
 * Cachegrind knows no pages, no stores past the caches and no prefetches: none are replayed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache/replay.h"
#include "plan/plan.h"
#include "relayout/relayout.h"

/* Both sides begin alike in any cache. A destination that is larger than the cache is streamed. */
enum { ALIGNMENT = 1 << 20, CACHE_BYTES = 1 << 20 };

/* As cachegrind.sh asks for. A page holds a whole side. */
static const simulator_geometry geometry = {
    .line_bytes = 64,
    .page_bytes = INT64_C(1) << 40,
    .caches = {{.entries = (32 << 10) / 64, .ways = 8}, {.entries = (512 << 10) / 64, .ways = 8}}};

static void expect(relayout_status status, const relayout_error *error) {
  if (status != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error->message);
    exit(1);
  }
}

static relayout_plan *make_plan(const char *from_text, const char *to_text) {
  relayout_error error = {0};
  relayout_shape from, to;
  expect(relayout_shape_parse(from_text, &from, &error), &error);
  expect(relayout_shape_parse(to_text, &to, &error), &error);
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = 1;
  relayout_device *device = NULL;
  expect(relayout_cpu_device_create(&options, &device, &error), &error);
  device->facts.cache_bytes = CACHE_BYTES;
  relayout_plan *plan = NULL;
  expect(relayout_plan_create(device, &from, &to, NULL, &plan, &error), &error);
  relayout_device_destroy(device);
  return plan;
}

static void *allocate(size_t size) {
  void *made = NULL;
  if (posix_memalign(&made, ALIGNMENT, size) != 0) {
    fprintf(stderr, "no memory for %zu bytes\n", size);
    exit(1);
  }
  memset(made, 0, size);
  return made;
}

static void run(const relayout_plan *plan, long times) {
  relayout_error error = {0};
  void *const source = allocate(plan->work.source_size);
  void *const destination = allocate(plan->work.destination_size);
  for (long i = 0; i < times; ++i) {
    expect(relayout_plan_execute(plan, source, destination, &error), &error);
  }
  free(source);
  free(destination);
}

/* Once more, with what the first time left in the caches. */
static void count(const relayout_plan *plan) {
  static const replay_options all = {.bytes_counted = INT64_MAX};
  simulator *const caches = simulator_create(&geometry, 1);
  const rlt_cpu_executable *const program =
      rlt_part_variant(&plan->work.parts[0], 0, 0)->executable;
  replay(program, &plan->device->facts, &all, caches);
  simulator_clear_counts(caches);
  const replay_result found = replay(program, &plan->device->facts, &all, caches);
  int64_t misses[2] = {0, 0};
  for (int region = 0; region < SIMULATOR_REGIONS; ++region) {
    misses[0] += found.counts.misses[region][0];
    misses[1] += found.counts.misses[region][1];
  }
  printf("%" PRId64 " %" PRId64 "\n", misses[0], misses[1]);
  simulator_destroy(caches);
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: against_cachegrind run FROM TO TIMES | count FROM TO\n");
    return 2;
  }
  relayout_plan *const plan = make_plan(argv[2], argv[3]);
  if (strcmp(argv[1], "run") == 0 && argc == 5) {
    run(plan, strtol(argv[4], NULL, 10));
  } else {
    count(plan);
  }
  relayout_plan_destroy(plan);
  return 0;
}
