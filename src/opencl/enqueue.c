/* enqueue.c: the calls that put relayouts on a caller's queue. */
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/structs.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "opencl/endpoint.h"
#include "opencl/parts.h"
#include "opencl/staged.h"
#include "plan/verbose.h"

/* A queue of its own for each of two buffers, and nothing between them. */
static relayout_status enqueue(const relayout_plan *plan, cl_command_queue queue,
                               const rlt_endpoint *source, const rlt_endpoint *destination,
                               cl_uint n_wait, const cl_event *wait, cl_event *done,
                               relayout_error *error) {
  if (plan->work.part_count > 0) {
    const rlt_address from = rlt_endpoint_address(source);
    const rlt_address to = rlt_endpoint_address(destination);
    const relayout_status status = rlt_plan_check_places(plan, (uintptr_t)from.host + from.offset,
                                                         (uintptr_t)to.host + to.offset, error);
    return status == RELAYOUT_OK
               ? rlt_opencl_parts_enqueue(plan, queue, from, to, &rlt_batch_of_one, n_wait, wait,
                                          done, error)
               : status;
  }
  const cl_int code = clEnqueueMarkerWithWaitList(queue, n_wait, wait, done);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clEnqueueMarkerWithWaitList");
}

relayout_status relayout_plan_enqueue(const relayout_plan *plan, cl_command_queue queue,
                                      cl_mem source, size_t source_offset, cl_mem destination,
                                      size_t destination_offset, cl_uint n_wait,
                                      const cl_event *wait, cl_event *event,
                                      relayout_error *error) {
  cl_event done = NULL;
  const double begun = rlt_verbose_begin();
  relayout_status status = rlt_check_handles(plan, queue, error);
  if (status == RELAYOUT_OK) {
    rlt_endpoint from = rlt_endpoint_of_buffer(plan, true, source, source_offset);
    rlt_endpoint to = rlt_endpoint_of_buffer(plan, false, destination, destination_offset);
    status = rlt_check_submission(rlt_opencl_device_of(plan->device), queue, &from, &to, n_wait,
                                  wait, error);
    if (status == RELAYOUT_OK) {
      status = enqueue(plan, queue, &from, &to, n_wait, wait, event == NULL ? NULL : &done, error);
    }
  }
  if (event != NULL) {
    *event = done; /* not before: it may be one of those that were waited for */
  }
  if (status == RELAYOUT_OK) {
    rlt_verbose_end(begun, RLT_TOLD_ENQUEUE, plan, 1);
  }
  return status;
}

/* ---- In one call ---- */

static relayout_status find_plan(relayout_device *device, const relayout_shape *from,
                                 const relayout_shape *to, relayout_plan **plan,
                                 relayout_error *error) {
  if (device == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "device is NULL");
  }
  if (rlt_opencl_device_of(device) == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "device is not an OpenCL device");
  }
  return relayout_plan_create(device, from, to, NULL, plan, error);
}

relayout_status relayout_enqueue(relayout_device *device, const relayout_shape *from,
                                 const relayout_shape *to, cl_command_queue queue, cl_mem source,
                                 size_t source_offset, cl_mem destination,
                                 size_t destination_offset, cl_uint n_wait, const cl_event *wait,
                                 cl_event *event, relayout_error *error) {
  relayout_plan *plan = NULL;
  relayout_status status = find_plan(device, from, to, &plan, error);
  if (status != RELAYOUT_OK) {
    if (event != NULL) {
      *event = NULL;
    }
    return status;
  }
  status = relayout_plan_enqueue(plan, queue, source, source_offset, destination,
                                 destination_offset, n_wait, wait, event, error);
  relayout_plan_destroy(plan);
  return status;
}
