/* many.h: plans of several destinations on an OpenCL device that runs work-group kernels: one
 * kernel, and plans of single tensors for what it does not reach itself.
 *
 * Tensors that a kernel cannot read or write where they lie, because of padding, tiles that cut
 * through bytes or foreign byte orders, go through memory of the call's own. Destinations that have
 * elements of no kernel's, such as complex ones that change, are made from the source by plans.
 *
 * Depends on gpu/many_text.h, launch.h and the plan.
 */
#ifndef RLT_OPENCL_MANY_H
#define RLT_OPENCL_MANY_H

#include <pthread.h>

#include "gpu/many_text.h"
#include "opencl/launch.h"

typedef struct rlt_many_tensor {
  rlt_used_bytes used;
  bool by_kernel;
  int64_t start;       /* bytes from the caller's offset to the element at index 0, ..., 0 */
  size_t element_size; /* offsets are multiples of it */
  /* From the caller's memory to `temporary`, or back; of a destination that the kernel does not
   * write, from the source's. NULL: none. */
  relayout_plan *plan;
  size_t temporary;
  size_t temporary_bytes; /* 0: it is not there */
} rlt_many_tensor;

typedef rlt_many_tensor rlt_side_tensors[RLT_SIDE_TENSORS];

/* Says of all tensors what is used of them, and what the caller's offsets are multiples of. */
void rlt_many_find_tensors(const rlt_many *many, rlt_side_tensors *tensors);

typedef struct rlt_many_launch {
  rlt_side_tensors tensors[RLT_MOST_SIDES]; /* the source's first */
  int32_t side_count;
  /* The last is NULL where plans do everything; the others where no scales are found in passes of
   * their own. */
  cl_kernel kernels[RLT_PASS_COUNT];
  pthread_mutex_t lock; /* of who sets the kernel's arguments */
  int64_t group_size;
  int32_t grid_axis;
  int64_t most_groups; /* of a launch */
  int64_t all_groups;  /* whose scales are found in a pass of their own */
  size_t found;        /* where their greatest values are in temporary memory */
  size_t temporary_bytes;
} rlt_many_launch;

/* A buffer and an offset in bytes for each tensor, and the caller's memory that the buffer begins
 * on, if any. */
typedef struct rlt_many_buffers {
  cl_mem buffers[RLT_MOST_SIDES][RLT_SIDE_TENSORS];
  size_t offsets[RLT_MOST_SIDES][RLT_SIDE_TENSORS];
  const void *hosts[RLT_MOST_SIDES][RLT_SIDE_TENSORS];
} rlt_many_buffers;

relayout_status rlt_opencl_many_create(relayout_device *device, const rlt_plan_request *asked,
                                       rlt_many *many, relayout_error *error);
void rlt_opencl_many_destroy(void *on_device);

/* Enqueues everything, each command behind the one before. The buffers have been checked. `*event`
 * becomes the last command's, after a failure too; NULL if nothing was enqueued. */
relayout_status rlt_opencl_many_enqueue(const relayout_plan *plan, cl_command_queue queue,
                                        const rlt_many_buffers *at, cl_uint n_wait,
                                        const cl_event *wait, cl_event *event,
                                        relayout_error *error);

relayout_status rlt_opencl_execute_many(const relayout_plan *plan,
                                        const relayout_source_memory *from,
                                        const relayout_destination_memory *to,
                                        relayout_error *error);

#endif
