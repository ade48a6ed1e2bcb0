/* recorded.h: inside a recording: the commands of a command buffer, each with what it runs.
 *
 * recording.c has the calls and what parts of plans need, recording_many.c what plans of several
 * destinations need. Depends on command_buffer.h, launch.h and the plan.
 */
#ifndef RLT_OPENCL_RECORDED_H
#define RLT_OPENCL_RECORDED_H

#include <stdatomic.h>

#include "opencl/command_buffer.h"
#include "opencl/launch.h"
#include "plan/plan.h"

/* A kernel of the recording's own, since some drivers read its arguments when the command buffer
 * runs; without one the command clears a part of `temporary`. */
typedef struct rlt_recorded_command {
  const rlt_launch *launch; /* of a plan's part; NULL: it is none */
  cl_kernel kernel;
  rlt_nd_range range;
  size_t cleared;
  size_t cleared_bytes;
  rlt_mutable_command command;
} rlt_recorded_command;

struct relayout_recording {
  atomic_int holders;
  relayout_plan *plan; /* held */
  rlt_command_buffers with;
  cl_command_buffer_khr buffer; /* NULL until it is known */
  cl_command_queue queue;       /* the command buffer's; held once it is not NULL */
  cl_mem temporary;             /* of a plan of several destinations; NULL: it needs none */
  bool owns_buffer;
  bool is_mutable;
  int32_t command_count;
  rlt_recorded_command commands[]; /* in the order in which they are appended */
};

/* ---- Parts of plans ------------------------------------------------------------------------- */

/* Makes the kernel of a plan's part between these places, which have been checked. */
relayout_status rlt_recorded_part_make(rlt_recorded_command *made, const rlt_work *work,
                                       int32_t part, rlt_address source, rlt_address destination,
                                       relayout_error *error);

/* What the arguments of a part become: two for each side. */
typedef struct rlt_part_arguments {
  rlt_side_arguments sides[2];
  cl_mem buffers[2];
  rlt_mutable_argument of[4];
} rlt_part_arguments;

/* Other places of a part. RELAYOUT_INVALID_ARGUMENT where they are less aligned than the kernel
 * needs, which stays. */
relayout_status rlt_recorded_part_move(const rlt_recorded_command *part, rlt_address source,
                                       rlt_address destination, rlt_part_arguments *arguments,
                                       rlt_mutation *made, relayout_error *error);

/* ---- Plans of several destinations ---------------------------------------------------------- */

/* The commands of such a plan on a device that runs work-group kernels. */
int32_t rlt_recorded_many_count(const relayout_plan *plan);

/* Makes all commands' kernels, and temporary memory, for these buffers. */
relayout_status rlt_recorded_many_make(relayout_recording *recording,
                                       const relayout_side_buffers *from,
                                       const relayout_side_buffers *to, relayout_error *error);

/* Changes all commands to other buffers. */
relayout_status rlt_recorded_many_move(const relayout_recording *recording,
                                       const relayout_side_buffers *from,
                                       const relayout_side_buffers *to, relayout_error *error);

#endif
