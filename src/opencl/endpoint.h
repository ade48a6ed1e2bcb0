/* endpoint.h: one side of a relayout on a caller's queue: where it lies, and whether it may.
 *
 * Depends on launch.h, memory.h and the plan.
 */
#ifndef RLT_OPENCL_ENDPOINT_H
#define RLT_OPENCL_ENDPOINT_H

#include "opencl/image.h"
#include "opencl/launch.h"
#include "opencl/memory.h"
#include "plan/plan.h"
#include "relayout/submit.h"

typedef struct rlt_endpoint {
  const relayout_plan *plan;
  /* As messages name it, and what the caller gave. */
  const char *name;
  const char *offset_name;
  relayout_memory_kind kind;
  cl_mem memory;
  uint8_t *pointer;
  size_t offset;    /* in bytes, as the caller gives it */
  int64_t lowest;   /* from there to the side's lowest byte, */
  int64_t first;    /* from that on to the first that the plan takes, */
  size_t size;      /* and how many from this on */
  size_t side_size; /* of all of the side */
  size_t element_size;
  bool is_read; /* a source */
  rlt_access access;
  /* Where a buffer lies: in the one it is a part of, and on memory of the caller's, if any; what a
   * pointer points to is the caller's memory. */
  cl_mem whole;
  size_t origin;
  const uint8_t *host;
  size_t there;                 /* bytes of its memory */
  rlt_image image;              /* of a side that is one */
  rlt_set_pointer *set_pointer; /* of a side that kernels reach by its pointer */
  cl_mem wrapper; /* a buffer on what is taken of a side of the host's memory; NULL: none */
} rlt_endpoint;

/* The plan's source or destination in a buffer, as relayout_plan_enqueue has it, or in a caller's
 * memory, whose struct was read. */
rlt_endpoint rlt_endpoint_of_buffer(const relayout_plan *plan, bool is_source, cl_mem buffer,
                                    size_t offset);
rlt_endpoint rlt_endpoint_of_memory(const relayout_plan *plan, bool is_source,
                                    const relayout_opencl_memory *memory);

/* Finds how a side of a known kind is reached: host memory in place or, where that cannot be or is
 * not wanted, through staging. */
void rlt_endpoint_settle(const rlt_opencl_device *device, bool in_place, rlt_endpoint *side);

/* All that a submission's sides, wait list and queue must be, by the order of opencl.h; finds out
 * how the sides are reached and where they lie. */
relayout_status rlt_check_submission(const rlt_opencl_device *device, cl_command_queue queue,
                                     rlt_endpoint *source, rlt_endpoint *destination,
                                     cl_uint n_wait, const cl_event *wait, relayout_error *error);

/* What of that depends on offsets alone, of sides that were checked with others. */
relayout_status rlt_check_offsets(const rlt_endpoint *source, const rlt_endpoint *destination,
                                  relayout_error *error);

/* Finds where the sides lie, of buffers that were checked before. */
relayout_status rlt_locate_again(rlt_endpoint *source, rlt_endpoint *destination,
                                 relayout_error *error);

/* The same of one side in a buffer, whose plan does not count. */
relayout_status rlt_check_endpoint(const rlt_opencl_device *device, rlt_endpoint *side,
                                   relayout_error *error);

/* Whether the ranges of bytes of two checked sides overlap. */
bool rlt_endpoints_overlap(const rlt_endpoint *a, const rlt_endpoint *b);

/* That the plan is there, and of an OpenCL device. */
relayout_status rlt_check_plan(const relayout_plan *plan, relayout_error *error);

/* The same, and that the queue is there. */
relayout_status rlt_check_handles(const relayout_plan *plan, cl_command_queue queue,
                                  relayout_error *error);

relayout_status rlt_check_queue_and_list(const rlt_opencl_device *device, cl_command_queue queue,
                                         cl_uint n_wait, const cl_event *wait,
                                         relayout_error *error);

/* That a queue is of the device and its context; `name` is the queue's in messages. */
relayout_status rlt_check_queue(const rlt_opencl_device *device, const char *name,
                                cl_command_queue queue, relayout_error *error);

/* The side's lowest byte, counted from its memory's start or pointer: out of its bounds it wraps
 * around. */
size_t rlt_endpoint_lowest(const rlt_endpoint *side);

/* Its first byte of those that are taken, of a side that is a pointer. */
uint8_t *rlt_endpoint_bytes(const rlt_endpoint *side);

/* Where kernels find a side that needs no staging. */
rlt_address rlt_endpoint_address(const rlt_endpoint *side);

#endif
