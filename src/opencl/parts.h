/* parts.h: the programs of all parts of a plan, enqueued as one. Depends on launch.h and the plan.
 */
#ifndef RLT_OPENCL_PARTS_H
#define RLT_OPENCL_PARTS_H

#include "opencl/launch.h"
#include "plan/plan.h"

/* Enqueues the programs of all parts, of which there is at least one, behind the events of `wait`.
 * The places are checked already; those of every relayout of the batch allow the same ways.
 * `*event`, where `event` is not NULL, becomes one that completes with what was enqueued, all of it
 * or, after a failure, the first parts; NULL where nothing was. The event of several parts is a
 * marker's. On a device that runs native kernels all parts and relayouts are one command. */
relayout_status rlt_opencl_parts_enqueue(const relayout_plan *plan, cl_command_queue queue,
                                         rlt_address source, rlt_address destination,
                                         const rlt_batch *batch, cl_uint n_wait,
                                         const cl_event *wait, cl_event *event,
                                         relayout_error *error);

/* The launch of a part for these places, for which there is one. */
rlt_launch *rlt_opencl_part_launch(const rlt_work *work, int32_t part, rlt_address source,
                                   rlt_address destination);

/* The relayouts that one launch of each part does at most. */
int32_t rlt_opencl_parts_most_batch(const rlt_work *work);

#endif
