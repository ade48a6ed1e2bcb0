/* staged.h: relayouts of which a side does not lie where kernels reach it. Depends on endpoint.h.
 */
#ifndef RLT_OPENCL_STAGED_H
#define RLT_OPENCL_STAGED_H

#include "opencl/endpoint.h"

/* What the places of both sides in staging begin at multiples of, from its start on. */
enum { RLT_STAGING_ALIGNMENT = 128 };

/* The events of a submission; NULL where nothing was enqueued, or none is wanted. */
typedef struct rlt_submitted {
  cl_event source_done;
  cl_event done;
} rlt_submitted;

/* The queues and the staging of a submission, checked. */
typedef struct rlt_means {
  cl_command_queue queue;
  cl_command_queue upload_queue; /* may be the same */
  cl_command_queue download_queue;
  cl_mem staging;
  size_t staging_offset;
  cl_uint n_wait;
  const cl_event *wait;
} rlt_means;

/* The bytes of staging that sides reached in these ways take. */
size_t rlt_staging_size(const relayout_plan *plan, rlt_access source, rlt_access destination);

/* Bytes that cross between the memory of the host and staging. */
typedef struct rlt_transferred {
  int64_t up; /* the source, and of the destination what comes back as it was */
  int64_t down;
} rlt_transferred;

/* Adds those of a chunk, or of a plan that has none, of which both sides are the host's. */
void rlt_transferred_add(const relayout_plan *chunk, rlt_transferred *sum);

/* Enqueues a relayout of checked sides that moves something, chunk by chunk where the plan has
 * chunks and a side is staged. After a failure the events are of what was enqueued. */
relayout_status rlt_submit_staged(const relayout_plan *plan, const rlt_endpoint *source,
                                  const rlt_endpoint *destination, const rlt_means *means,
                                  rlt_submitted *submitted, relayout_error *error);

#endif
