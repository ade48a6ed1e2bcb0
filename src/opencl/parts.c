/* parts.c: nothing is enqueued before everything that can fail without it has not. */
#include "opencl/parts.h"

#include "opencl/calls.h"
#include "opencl/native.h"
#include "opencl/native_command.h"

rlt_launch *rlt_opencl_part_launch(const rlt_work *work, int32_t part, rlt_address source,
                                   rlt_address destination) {
  return rlt_part_variant(&work->parts[part], (uintptr_t)source.host + source.offset,
                          (uintptr_t)destination.host + destination.offset)
      ->executable;
}

/* The launches of the first `count` parts. */
static void let_go(const rlt_work *work, int32_t count, rlt_address source,
                   rlt_address destination) {
  for (int32_t i = 0; i < count; ++i) {
    rlt_launch_let_go(rlt_opencl_part_launch(work, i, source, destination));
  }
}

static relayout_status hold_all(const rlt_work *work, rlt_address source, rlt_address destination,
                                const rlt_batch *batch, relayout_error *error) {
  for (int32_t i = 0; i < work->part_count; ++i) {
    const relayout_status status = rlt_launch_hold(
        rlt_opencl_part_launch(work, i, source, destination), source, destination, batch, error);
    if (status != RELAYOUT_OK) {
      let_go(work, i, source, destination);
      return status;
    }
  }
  return RELAYOUT_OK;
}

/* `*last` becomes the event of a marker behind it: nobody shall take what the last part's tells of
 * its time for the whole's. It is as good as it was where there is no marker to be had. */
static void stand_for_all(cl_command_queue queue, cl_event *last) {
  cl_event marker = NULL;
  if (clEnqueueMarkerWithWaitList(queue, 1, last, &marker) == CL_SUCCESS) {
    clReleaseEvent(*last);
    *last = marker;
  }
}

/* Where an event is wanted, each part waits for the one before it, so that the last one's event
 * covers them all, however few they become: nothing more has to be enqueued for that, which could
 * fail. Otherwise each waits for the caller's events alone, since the parts do not depend on each
 * other. */
static relayout_status enqueue_all(const rlt_work *work, cl_command_queue queue, rlt_address source,
                                   rlt_address destination, int32_t count, cl_uint n_wait,
                                   const cl_event *wait, cl_event *event, relayout_error *error) {
  cl_event last = NULL;
  relayout_status status = RELAYOUT_OK;
  for (int32_t i = 0; i < work->part_count && status == RELAYOUT_OK; ++i) {
    const bool follows = last != NULL;
    cl_event next = NULL;
    status = rlt_launch_enqueue(rlt_opencl_part_launch(work, i, source, destination), count, queue,
                                follows ? 1 : n_wait, follows ? &last : wait,
                                event == NULL ? NULL : &next, error);
    if (status == RELAYOUT_OK && event != NULL) {
      if (follows) {
        clReleaseEvent(last);
      }
      last = next;
    }
  }
  if (event != NULL) {
    if (status == RELAYOUT_OK && work->part_count > 1) {
      stand_for_all(queue, &last);
    }
    *event = last;
  }
  return status;
}

static relayout_status enqueue_native(const relayout_plan *plan, cl_command_queue queue,
                                      rlt_address source, rlt_address destination, cl_uint n_wait,
                                      const cl_event *wait, cl_event *event,
                                      relayout_error *error) {
  rlt_native_command *command = NULL;
  relayout_status status = rlt_native_command_make(plan, 2, &command, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  status = rlt_native_command_add(command, source, destination, error);
  if (status != RELAYOUT_OK) {
    rlt_native_command_drop(command);
    return status;
  }
  return rlt_native_command_enqueue(command, queue, n_wait, wait, event, error);
}

relayout_status rlt_opencl_parts_enqueue(const relayout_plan *plan, cl_command_queue queue,
                                         rlt_address source, rlt_address destination,
                                         const rlt_batch *batch, cl_uint n_wait,
                                         const cl_event *wait, cl_event *event,
                                         relayout_error *error) {
  const rlt_work *const work = &plan->work;
  if (event != NULL) {
    *event = NULL;
  }
  if (rlt_opencl_is_native(rlt_opencl_device_of(plan->device))) {
    return enqueue_native(plan, queue, source, destination, n_wait, wait, event, error);
  }
  relayout_status status = hold_all(work, source, destination, batch, error);
  if (status == RELAYOUT_OK) {
    status =
        enqueue_all(work, queue, source, destination, batch->count, n_wait, wait, event, error);
    let_go(work, work->part_count, source, destination);
  }
  return status;
}

/* No launch has more work-groups than the device's largest. */
int32_t rlt_opencl_parts_most_batch(const rlt_work *work) {
  int64_t most = RLT_MOST_BATCH;
  for (int32_t i = 0; i < work->part_count; ++i) {
    for (int32_t w = 0; w < work->parts[i].variant_count; ++w) {
      const rlt_launch *const launch = work->parts[i].variants[w].executable;
      most = rlt_min(most, rlt_max(launch->options.batch, 1));
      most = rlt_min(most, rlt_max(launch->most_groups / (int64_t)launch->group_count, 1));
    }
  }
  return (int32_t)most;
}
