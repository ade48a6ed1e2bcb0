/* launch.h: one kernel with its arguments and geometry, ready to be enqueued any number of times.
 *
 * Depends on device.h, build.h and plan/strategy.h.
 */
#ifndef RLT_OPENCL_LAUNCH_H
#define RLT_OPENCL_LAUNCH_H

#include <pthread.h>

#include "opencl/build.h"
#include "opencl/device.h"
#include "plan/strategy.h"

typedef struct rlt_launch {
  rlt_strategy strategy; /* in its words, as the kernel carries it out */
  rlt_build_options options;
  cl_kernel kernel;
  cl_mem grid;   /* read-only, for all enqueues alike */
  cl_mem tables; /* offsets of packed and assembled tiles, steps of a gather; NULL for the others */
  cl_mem conversions;   /* what each word of the source becomes; NULL where no table says so */
  int64_t source_start; /* where the problem begins on either side of an enqueue, in elements */
  int64_t destination_start;
  size_t group_count;
  int64_t tile_rows;
  int64_t tile_columns;
  int64_t local_bytes;
  pthread_mutex_t lock; /* of who holds it */
} rlt_launch;

/* One side of an enqueue. */
typedef struct rlt_place {
  cl_mem buffer;
  size_t offset;    /* in bytes, a multiple of the launch's word */
  const void *host; /* the caller's memory that the buffer begins on; NULL: it has its own, which
                       begins at a whole word of any width */
} rlt_place;

/* RELAYOUT_OPENCL_ERROR, RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_launch_create(rlt_opencl_device *device, const rlt_problem *problem,
                                  const rlt_strategy *strategy, rlt_launch **launch,
                                  relayout_error *error);
/* Whether two launches of one problem do the same. */
bool rlt_launches_equal(const rlt_launch *a, const rlt_launch *b);
/* NULL is allowed. Enqueued work still completes. */
void rlt_launch_destroy(rlt_launch *launch);

/* A kernel has the arguments of one enqueue at a time. So an enqueue holds its launch, which sets
 * them and keeps other threads away, enqueues it, and lets it go. Whoever holds several takes hold
 * of them in the order of the plan's parts, so that no two wait for each other. After a failure
 * nothing is held. */
relayout_status rlt_launch_hold(rlt_launch *launch, rlt_place source, rlt_place destination,
                                relayout_error *error);
/* Of a launch that is held. */
relayout_status rlt_launch_enqueue(const rlt_launch *launch, cl_command_queue queue, cl_uint n_wait,
                                   const cl_event *wait, cl_event *event, relayout_error *error);
void rlt_launch_let_go(rlt_launch *launch);

#endif
