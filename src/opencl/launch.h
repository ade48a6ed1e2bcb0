/* launch.h: one kernel with its arguments and geometry, ready to be enqueued any number of times.
 *
 * Depends on device.h, build.h and plan/grid.h.
 */
#ifndef RLT_OPENCL_LAUNCH_H
#define RLT_OPENCL_LAUNCH_H

#include <pthread.h>

#include "opencl/build.h"
#include "opencl/device.h"

typedef struct rlt_launch {
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
  /* A kernel holds the arguments of one enqueue at a time. */
  pthread_mutex_t lock;
} rlt_launch;

/* One side of an enqueue. `offset` is in bytes, a multiple of the launch's word. */
typedef struct rlt_place {
  cl_mem buffer;
  size_t offset;
} rlt_place;

/* RELAYOUT_OPENCL_ERROR, RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_launch_create(rlt_opencl_device *device, const rlt_problem *problem,
                                  const rlt_strategy *strategy, rlt_launch **launch,
                                  relayout_error *error);
/* NULL is allowed. Enqueued work still completes. */
void rlt_launch_destroy(rlt_launch *launch);

relayout_status rlt_launch_enqueue(rlt_launch *launch, cl_command_queue queue, rlt_place source,
                                   rlt_place destination, cl_uint n_wait, const cl_event *wait,
                                   cl_event *event, relayout_error *error);

#endif
