/* launch.h: one kernel with its arguments and geometry, ready to be enqueued any number of times.
 *
 * The backend's executable for one schedule. Depends on device.h, gpu/spec.h and plan/part.h.
 */
#ifndef RLT_OPENCL_LAUNCH_H
#define RLT_OPENCL_LAUNCH_H

#include <pthread.h>

#include "gpu/spec.h"
#include "opencl/device.h"
#include "plan/part.h"

typedef struct rlt_launch {
  const rlt_schedule *schedule; /* that it carries out */
  rlt_kernel_options options;
  cl_kernel kernel;
  cl_mem grid;         /* read-only, for all enqueues alike; NULL of a specialised kernel */
  cl_mem tables;       /* NULL for kernels that have none; likewise */
  cl_mem conversions;  /* what each word of the source becomes; NULL where no table says so */
  size_t held_bytes;   /* of these three */
  int32_t grid_axis;   /* the dimension along which work-groups are counted */
  size_t group_count;  /* for one relayout */
  int64_t most_groups; /* of any launch */
  int64_t local_bytes;
  bool has_scale; /* an argument */
  rlt_scale_factor scale;
  pthread_mutex_t lock; /* of who holds it */
} rlt_launch;

/* A kernel for these options, built unless there is one; the caller releases it. The statuses of
 * rlt_build_get. */
relayout_status rlt_kernel_make(rlt_opencl_device *device, const rlt_kernel_options *options,
                                cl_kernel *kernel, relayout_error *error);

/* Another one of the same program, whose arguments are not set; the caller releases it. */
relayout_status rlt_kernel_make_another(cl_kernel kernel, const rlt_kernel_options *options,
                                        cl_kernel *another, relayout_error *error);

/* One side of an enqueue. */
typedef struct rlt_address {
  cl_mem buffer;
  size_t offset;    /* in bytes, a multiple of the launch's word; below 0 it wraps around */
  const void *host; /* the caller's memory that the buffer begins on; NULL: it has its own, which
                       begins at a whole word of any width */
  rlt_set_pointer *set_pointer; /* not NULL: there is no buffer, and kernels get `host` by this */
} rlt_address;

/* One side of the relayouts of an enqueue. */
typedef struct rlt_batch_side {
  size_t steps[RLT_MOST_BATCH];         /* from the place's offset to each one's, in bytes */
  cl_uchar buffer_of[RLT_MOST_BATCH];   /* 0: the place's own; else others[this - 1] */
  cl_mem others[RLT_BATCH_BUFFERS - 1]; /* NULL behind the last one */
} rlt_batch_side;

/* The relayouts of an enqueue, no more than the launch does. */
typedef struct rlt_batch {
  int32_t count;
  rlt_batch_side source;
  rlt_batch_side destination;
} rlt_batch;

/* One relayout, at the places themselves, where a launch for batches has no other buffers. */
extern const rlt_batch rlt_batch_of_one;

/* A kernel has the arguments of one enqueue at a time. So an enqueue holds its launch, which sets
 * them and keeps other threads away, enqueues it, and lets it go. Whoever holds several takes hold
 * of them in the order of the plan's parts, so that no two wait for each other. After a failure
 * nothing is held. */
relayout_status rlt_launch_hold(rlt_launch *launch, rlt_address source, rlt_address destination,
                                const rlt_batch *batch, relayout_error *error);
/* Of a launch that is held, for `count` relayouts. */
relayout_status rlt_launch_enqueue(const rlt_launch *launch, int32_t count, cl_command_queue queue,
                                   cl_uint n_wait, const cl_event *wait, cl_event *event,
                                   relayout_error *error);
void rlt_launch_let_go(rlt_launch *launch);

/* ---- For those with a kernel of their own ---- */

/* Another kernel for the same launch, with all its arguments but the sides'; the caller releases
 * it, before the launch is destroyed. */
relayout_status rlt_launch_make_kernel(const rlt_launch *launch, cl_kernel *kernel,
                                       relayout_error *error);

/* The arguments that say where one side lies: its buffer, or pointer, and for batches the other
 * buffers; behind them its starts, one for each relayout, which kernels count in elements. */
typedef struct rlt_side_arguments {
  cl_uint number; /* of the first buffer's */
  cl_uint buffer_count;
  size_t starts_size;
  struct {
    cl_ulong of[RLT_MOST_BATCH];
    cl_uchar buffer[RLT_MOST_BATCH];
  } starts; /* all of it for batches, else the first number alone */
} rlt_side_arguments;

/* A fill has no source. */
bool rlt_launch_has_source(const rlt_launch *launch);
rlt_side_arguments rlt_launch_side_arguments(const rlt_launch *launch, bool is_source,
                                             rlt_address place, const rlt_batch *batch);
relayout_status rlt_launch_set_addresses(const rlt_launch *launch, cl_kernel kernel,
                                         rlt_address source, rlt_address destination,
                                         const rlt_batch *batch, relayout_error *error);

/* What is launched for `count` relayouts. */
typedef struct rlt_nd_range {
  cl_uint rank;
  size_t global_size[3];
  size_t local_size[3];
} rlt_nd_range;

rlt_nd_range rlt_launch_range(const rlt_launch *launch, int32_t count);

#endif
