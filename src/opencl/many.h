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
  int32_t word_bytes;   /* of a tile's elements */
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

/* The byte `lowest` behind the start of a caller's tensor, as a plan has it. */
static inline rlt_address rlt_many_address(const rlt_many_buffers *at, int32_t side, int32_t tensor,
                                           int64_t lowest) {
  return (rlt_address){.buffer = at->buffers[side][tensor],
                       .offset = at->offsets[side][tensor] + (size_t)lowest,
                       .host = at->hosts[side][tensor]};
}

relayout_status rlt_opencl_many_create(relayout_device *device, const rlt_plan_request *asked,
                                       rlt_many *many, relayout_error *error);
void rlt_opencl_many_destroy(void *on_device);

/* Another kernel of a pass, for who keeps its arguments; the caller releases it. */
relayout_status rlt_opencl_many_make_kernel(const rlt_many_launch *launch, rlt_many_pass pass,
                                            cl_kernel *kernel, relayout_error *error);

/* ---- What is done, step by step (many_steps.c) ---------------------------------------------- */

typedef enum rlt_many_step_kind {
  RLT_STEP_MOVE,  /* by a plan of single tensors, which has parts */
  RLT_STEP_CLEAR, /* of the greatest values of groups, which become 0 */
  RLT_STEP_PASS   /* by work-groups of the plan's own kernel */
} rlt_many_step_kind;

/* Each step begins when the one before it has ended. */
typedef struct rlt_many_step {
  rlt_many_step_kind kind;
  const relayout_plan *plan; /* of a move, between these places, which have been checked */
  rlt_address source;
  rlt_address destination;
  rlt_many_pass pass;
  int64_t first; /* of the pass' work-groups, */
  int64_t count; /* and how many */
} rlt_many_step;

typedef relayout_status rlt_many_take_step(void *context, const rlt_many_step *step,
                                           relayout_error *error);

/* Calls `take` with all steps, until one fails. `temporary` is memory of the launch's
 * `temporary_bytes`; NULL where these are 0. */
relayout_status rlt_many_visit_steps(const relayout_plan *plan, const rlt_many_buffers *at,
                                     cl_mem temporary, rlt_many_take_step *take, void *context,
                                     relayout_error *error);

/* Where a pass' kernel finds the tensors: the argument 2 i is a buffer, and behind it comes the
 * byte at which the tensor starts there. */
typedef struct rlt_many_arguments {
  cl_uint count;
  cl_mem buffers[RLT_MOST_SIDES * RLT_SIDE_TENSORS];
  cl_ulong starts[RLT_MOST_SIDES * RLT_SIDE_TENSORS];
} rlt_many_arguments;

void rlt_many_find_arguments(const rlt_many_launch *launch, const rlt_many_buffers *at,
                             cl_mem temporary, rlt_many_arguments *made);

/* Sets all arguments of a kernel for this step. Returns OpenCL's code. */
cl_int rlt_many_set_arguments(const rlt_many_launch *launch, const rlt_many_step *step,
                              const rlt_many_arguments *tensors, cl_mem temporary,
                              cl_kernel kernel);

rlt_nd_range rlt_many_step_range(const rlt_many_launch *launch, const rlt_many_step *step);

/* The buffer that steps need beside the caller's; NULL where they need none. */
relayout_status rlt_many_make_temporary(const relayout_plan *plan, cl_mem *temporary,
                                        relayout_error *error);

/* ---- Timing (many_timing.c) ----------------------------------------------------------------- */

relayout_status rlt_opencl_many_scratch_create(const rlt_many *many, void **scratch,
                                               relayout_error *error);
void rlt_opencl_many_scratch_destroy(relayout_device *device, void *scratch);
relayout_status rlt_opencl_many_time(const relayout_plan *plan, void *scratch, double *seconds,
                                     relayout_error *error);

/* ---- Calls (many_enqueue.c) ----------------------------------------------------------------- */

/* That nothing is NULL, and that the plan is one of several destinations on an OpenCL device. */
relayout_status rlt_many_check_call(const relayout_plan *plan, cl_command_queue queue,
                                    const relayout_side_buffers *from,
                                    const relayout_side_buffers *to, relayout_error *error);

/* Checks a caller's buffers; `*at` says where they are. */
relayout_status rlt_many_check_buffers(const relayout_plan *plan, const relayout_side_buffers *from,
                                       const relayout_side_buffers *to, rlt_many_buffers *at,
                                       relayout_error *error);

relayout_status rlt_opencl_execute_many(const relayout_plan *plan,
                                        const relayout_source_memory *from,
                                        const relayout_destination_memory *to,
                                        relayout_error *error);

#endif
