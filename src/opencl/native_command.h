/* native_command.h: relayouts as one native kernel on a caller's queue: the CPU target's own code,
 * called by the driver when the command's turn comes.
 *
 * Depends on launch.h, for places, and the plan.
 */
#ifndef RLT_OPENCL_NATIVE_COMMAND_H
#define RLT_OPENCL_NATIVE_COMMAND_H

#include "opencl/launch.h"
#include "plan/plan.h"

typedef struct rlt_native_command rlt_native_command;

/* A command without relayouts, with room for so many sides; of a plan that has parts, or of one of
 * several destinations, on a device that runs native kernels. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_native_command_make(const relayout_plan *plan, size_t sides,
                                        rlt_native_command **command, relayout_error *error);
/* Of a command that was not enqueued. */
void rlt_native_command_drop(rlt_native_command *command);

/* Adds a relayout between these places, which are checked. RELAYOUT_OPENCL_ERROR. */
relayout_status rlt_native_command_add(rlt_native_command *command, rlt_address source,
                                       rlt_address destination, relayout_error *error);

/* Adds the next tensor of a plan of several destinations, where calls on host memory have a pointer
 * to it; one that is not used has no buffer. There are three of each side, the source's first,
 * and so for each move.
 * RELAYOUT_OPENCL_ERROR. */
relayout_status rlt_native_command_add_tensor(rlt_native_command *command, rlt_address tensor,
                                              relayout_error *error);

/* Enqueues it behind the events of `wait`, and lets go of it, also after a failure. The command
 * holds its plan until it ran, or until the driver gives it up since an event of `wait` failed. */
relayout_status rlt_native_command_enqueue(rlt_native_command *command, cl_command_queue queue,
                                           cl_uint n_wait, const cl_event *wait, cl_event *event,
                                           relayout_error *error);

#endif
