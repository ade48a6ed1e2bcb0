/* batch.c: many relayouts by one plan, in as few launches as their buffers and offsets allow. */
#include "base/error.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "opencl/endpoint.h"
#include "opencl/parts.h"

/* A batch on its way from the first move to the last. */
typedef struct tour {
  const relayout_plan *plan;
  const rlt_opencl_device *device;
  cl_command_queue queue;
  const relayout_opencl_move *moves;
  cl_uint n_wait;
  const cl_event *wait;
  /* The sides of the last move that was looked at; no names: none was. */
  rlt_endpoint source;
  rlt_endpoint destination;
} tour;

/* Says which move it is, in front of what is wrong with it. */
static relayout_status name_move(relayout_status status, size_t number, relayout_error *error) {
  if (error != NULL) {
    const relayout_error what = *error;
    rlt_fail(error, status, "moves[%zu]: %s", number, what.message);
    error->cl_status = what.cl_status;
  }
  return status;
}

/* Looks at the next move. Of the same buffers as the last one only the offsets are new. */
static relayout_status look_at(tour *at, size_t number, relayout_error *error) {
  const relayout_opencl_move *const move = &at->moves[number];
  const bool is_alike = at->source.name != NULL && move->source == at->source.memory &&
                        move->destination == at->destination.memory;
  relayout_status status;
  if (is_alike) {
    at->source.offset = move->source_offset;
    at->destination.offset = move->destination_offset;
    status = rlt_check_offsets(&at->source, &at->destination, error);
  } else {
    at->source = rlt_endpoint_of_buffer(at->plan, true, move->source, move->source_offset);
    at->destination =
        rlt_endpoint_of_buffer(at->plan, false, move->destination, move->destination_offset);
    status = rlt_check_submission(at->device, at->queue, &at->source, &at->destination, at->n_wait,
                                  at->wait, error);
  }
  if (status == RELAYOUT_OK) {
    const rlt_place from = rlt_endpoint_place(&at->source);
    const rlt_place to = rlt_endpoint_place(&at->destination);
    status = rlt_plan_check_places(at->plan, (uintptr_t)from.host + from.offset,
                                   (uintptr_t)to.host + to.offset, error);
  }
  return status == RELAYOUT_OK ? status : name_move(status, number, error);
}

static relayout_status check_all(tour *at, size_t count, relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  for (size_t i = 0; i < count && status == RELAYOUT_OK; ++i) {
    status = look_at(at, i, error);
  }
  return status;
}

/* Whether every part has the same way for both. */
static bool go_the_same_way(const rlt_work *work, uintptr_t source, uintptr_t destination,
                            uintptr_t other_source, uintptr_t other_destination) {
  bool same = true;
  for (int32_t i = 0; i < work->part_count && same; ++i) {
    same = rlt_part_way(&work->parts[i], source, destination) ==
           rlt_part_way(&work->parts[i], other_source, other_destination);
  }
  return same;
}

/* The moves from `first` on that go together with it. */
static rlt_batch gather(const tour *at, size_t first, size_t count, rlt_place from, rlt_place to) {
  const int32_t most = rlt_opencl_parts_most_batch(&at->plan->work);
  const relayout_opencl_move *const start = &at->moves[first];
  rlt_batch made = {.count = 0};
  for (size_t i = first; i < count && made.count < most; ++i) {
    const relayout_opencl_move *const move = &at->moves[i];
    const rlt_offsets step = {move->source_offset - start->source_offset,
                              move->destination_offset - start->destination_offset};
    const uintptr_t source = (uintptr_t)from.host + from.offset;
    const uintptr_t destination = (uintptr_t)to.host + to.offset;
    if (move->source != start->source || move->destination != start->destination ||
        !go_the_same_way(&at->plan->work, source, destination, source + step.source,
                         destination + step.destination)) {
      break;
    }
    made.of[made.count++] = step;
  }
  return made;
}

/* Each launch waits for the one before where an event is wanted, which covers all of them then. */
static relayout_status enqueue_all(tour *at, size_t count, cl_event *event, relayout_error *error) {
  cl_event last = NULL;
  relayout_status status = RELAYOUT_OK;
  for (size_t i = 0; i < count && status == RELAYOUT_OK;) {
    status = look_at(at, i, error);
    if (status != RELAYOUT_OK) {
      break;
    }
    const rlt_place from = rlt_endpoint_place(&at->source);
    const rlt_place to = rlt_endpoint_place(&at->destination);
    const rlt_batch batch = gather(at, i, count, from, to);
    cl_event next = NULL;
    status = rlt_opencl_parts_enqueue(
        &at->plan->work, at->queue, from, to, &batch, last == NULL ? at->n_wait : 1,
        last == NULL ? at->wait : &last, event == NULL ? NULL : &next, error);
    if (next != NULL) {
      if (last != NULL) {
        clReleaseEvent(last);
      }
      last = next;
    }
    i += (size_t)batch.count;
  }
  if (event != NULL) {
    *event = last;
  }
  return status;
}

static relayout_status mark(const tour *at, cl_event *event, relayout_error *error) {
  const cl_int code = clEnqueueMarkerWithWaitList(at->queue, at->n_wait, at->wait, event);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clEnqueueMarkerWithWaitList");
}

static relayout_status check_arguments(const relayout_plan *plan, cl_command_queue queue,
                                       size_t count, const relayout_opencl_move *moves,
                                       relayout_error *error) {
  const relayout_status status = rlt_check_handles(plan, queue, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  return moves == NULL && count > 0
             ? rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "moves is NULL, but count is %zu", count)
             : RELAYOUT_OK;
}

relayout_status relayout_plan_enqueue_batch(const relayout_plan *plan, cl_command_queue queue,
                                            size_t count, const relayout_opencl_move *moves,
                                            cl_uint n_wait, const cl_event *wait, cl_event *event,
                                            relayout_error *error) {
  cl_event done = NULL;
  relayout_status status = check_arguments(plan, queue, count, moves, error);
  if (status == RELAYOUT_OK) {
    tour at = {.plan = plan,
               .device = rlt_opencl_device_of(plan->device),
               .queue = queue,
               .moves = moves,
               .n_wait = n_wait,
               .wait = wait};
    const bool moves_something = count > 0 && plan->work.part_count > 0;
    status = count > 0 ? check_all(&at, count, error)
                       : rlt_check_queue_and_list(at.device, queue, n_wait, wait, error);
    if (status == RELAYOUT_OK) {
      status = moves_something ? enqueue_all(&at, count, event == NULL ? NULL : &done, error)
                               : mark(&at, event == NULL ? NULL : &done, error);
    }
  }
  if (event != NULL) {
    *event = done;
  }
  return status;
}
