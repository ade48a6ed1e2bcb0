/* target.h: what a benchmark does with a device, the same for the CPU backend and OpenCL: two large
 * buffers, relayouts and plain copies from one to the other, and the time these take. Depends on
 * peer.h and the public headers.
 *
 * The source is full of noise. What is moved and copied lies at multiples of 4096 bytes, sizes of
 * copies are multiples of 64. */
#ifndef TOOLS_BENCH_TARGET_H
#define TOOLS_BENCH_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "peer.h"
#include "relayout/relayout.h"

enum { BENCH_MOST_COPIES = 8 };

/* How long something took, in seconds. */
typedef struct bench_time {
  double counted; /* by the clock that counts: the device's own, or the wall's where it has none */
  double wall;    /* from the call until the result is there */
} bench_time;

/* One way to copy. */
typedef struct bench_copy {
  const char *name;
  size_t most_bytes; /* it is of no use beyond; 0: always of use */
} bench_copy;

typedef struct bench_target bench_target;

struct bench_target {
  relayout_device *device;       /* the target's own */
  relayout_plan_options options; /* that plans are made with */
  bool is_unverified;            /* results are timed as they are */
  relayout_device_info info;
  const char *clock;    /* what counts: "device" or "wall" */
  const char *pages;    /* of the buffers: "ordinary" or "huge"; NULL where the driver chooses */
  uint64_t cache_bytes; /* the last level before memory */
  size_t source_capacity;
  size_t destination_capacity;
  bench_copy copies[BENCH_MOST_COPIES];
  size_t copy_count;
  bench_peer peers[BENCH_MOST_PEERS];
  size_t peer_count; /* 0 until they are looked for */

  /* Has the buffers lie in huge pages, before there are any; NULL where the driver chooses. Fails
   * where the system gives none. */
  relayout_status (*use_huge_pages)(bench_target *target, relayout_error *error);
  /* Makes the buffers at least this large; what they held is lost when they grow. */
  relayout_status (*reserve)(bench_target *target, size_t source, size_t destination,
                             relayout_error *error);
  /* Zeroes the first bytes of the destination, up to `size` rounded up to 64. */
  relayout_status (*clear)(bench_target *target, size_t size, relayout_error *error);
  relayout_status (*move)(bench_target *target, const relayout_plan *plan, size_t source_offset,
                          size_t destination_offset, bench_time *time, relayout_error *error);
  relayout_status (*copy)(bench_target *target, size_t which, size_t source_offset,
                          size_t destination_offset, size_t size, bench_time *time,
                          relayout_error *error);
  /* Looks for peers; NULL where a target of this kind has none. */
  void (*find_peers)(bench_target *target);
  /* Gets those that can do a relayout ready for it, and says which these are. */
  void (*prepare_peers)(bench_target *target, const relayout_shape *from, const relayout_shape *to,
                        bool takes[BENCH_MOST_PEERS]);
  relayout_status (*run_peer)(bench_target *target, size_t which, size_t source_offset,
                              size_t destination_offset, bench_time *time, relayout_error *error);
  /* Lends the first bytes of both buffers to the host, until unmap. */
  relayout_status (*map)(bench_target *target, size_t source_size, size_t destination_size,
                         const uint8_t **source, const uint8_t **destination,
                         relayout_error *error);
  void (*unmap)(bench_target *target);
  void (*destroy)(bench_target *target);
};

/* Takes the device over, also when it fails. */
relayout_status bench_target_open(relayout_device *device, bench_target **target,
                                  relayout_error *error);

/* The two kinds; their device and its info are left to bench_target_open. */
relayout_status bench_cpu_target_create(int32_t threads, bench_target **target,
                                        relayout_error *error);
relayout_status bench_opencl_target_create(relayout_device *device, bench_target **target,
                                           relayout_error *error);

/* ---- What both need ---- */

double bench_now(void);

#endif
