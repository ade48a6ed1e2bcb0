/* batch.c: many relayouts by one plan, in as few launches as their buffers and offsets allow. */
#include "base/error.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "opencl/endpoint.h"
#include "opencl/native.h"
#include "opencl/native_command.h"
#include "opencl/parts.h"
#include "plan/verbose.h"

/* A batch on its way from the first move to the last. */
typedef struct iterator {
  const relayout_plan *plan;
  const rlt_opencl_device *device;
  cl_command_queue queue;
  const relayout_opencl_move *moves;
  cl_uint n_wait;
  const cl_event *wait;
  bool are_checked; /* all moves: what is left to find is where they lie */
  /* The sides of the last move that was looked at; no names: none was. */
  rlt_endpoint source;
  rlt_endpoint destination;
} iterator;

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
static relayout_status look_at(iterator *at, size_t number, relayout_error *error) {
  const relayout_opencl_move *const move = &at->moves[number];
  const bool is_alike = at->source.name != NULL && move->source == at->source.memory &&
                        move->destination == at->destination.memory;
  relayout_status status;
  if (is_alike) {
    at->source.offset = move->source_offset;
    at->destination.offset = move->destination_offset;
    status =
        at->are_checked ? RELAYOUT_OK : rlt_check_offsets(&at->source, &at->destination, error);
  } else {
    at->source = rlt_endpoint_of_buffer(at->plan, true, move->source, move->source_offset);
    at->destination =
        rlt_endpoint_of_buffer(at->plan, false, move->destination, move->destination_offset);
    status = at->are_checked ? rlt_locate_again(&at->source, &at->destination, error)
                             : rlt_check_submission(at->device, at->queue, &at->source,
                                                    &at->destination, at->n_wait, at->wait, error);
  }
  if (status == RELAYOUT_OK && !at->are_checked) {
    const rlt_address from = rlt_endpoint_address(&at->source);
    const rlt_address to = rlt_endpoint_address(&at->destination);
    status = rlt_plan_check_places(at->plan, (uintptr_t)from.host + from.offset,
                                   (uintptr_t)to.host + to.offset, error);
  }
  return status == RELAYOUT_OK ? status : name_move(status, number, error);
}

static relayout_status check_all(iterator *at, size_t count, relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  for (size_t i = 0; i < count && status == RELAYOUT_OK; ++i) {
    status = look_at(at, i, error);
  }
  at->are_checked = status == RELAYOUT_OK;
  return status;
}

/* Where both sides of a move lie. */
typedef struct pair {
  rlt_address source;
  rlt_address destination;
} pair;

/* Whether every part has the same variant for both. */
static bool go_the_same_way(const rlt_work *work, pair a, pair b) {
  bool same = true;
  for (int32_t i = 0; i < work->part_count && same; ++i) {
    same = rlt_opencl_part_launch(work, i, a.source, a.destination) ==
           rlt_opencl_part_launch(work, i, b.source, b.destination);
  }
  return same;
}

/* The number of a buffer among those of a side that begins in `first`; one more where it is new;
 * RLT_BATCH_BUFFERS where there is no room for it. */
static cl_uchar number_of(const rlt_batch_side *side, cl_mem first, cl_mem buffer) {
  cl_uchar i = 0;
  while (i < RLT_BATCH_BUFFERS && buffer != (i == 0 ? first : side->others[i - 1]) &&
         (i == 0 || side->others[i - 1] != NULL)) {
    ++i;
  }
  return i;
}

static void put(rlt_batch_side *side, int32_t position, cl_uchar number, rlt_address first,
                rlt_address place) {
  side->steps[position] = place.offset - first.offset;
  side->buffer_of[position] = number;
  if (number > 0) {
    side->others[number - 1] = place.buffer;
  }
}

/* Adds a move to those that go together, if it does. */
static bool join(const rlt_work *work, rlt_batch *batch, pair first, pair next) {
  const cl_uchar source = number_of(&batch->source, first.source.buffer, next.source.buffer);
  const cl_uchar destination =
      number_of(&batch->destination, first.destination.buffer, next.destination.buffer);
  if (source == RLT_BATCH_BUFFERS || destination == RLT_BATCH_BUFFERS ||
      !go_the_same_way(work, first, next)) {
    return false;
  }
  put(&batch->source, batch->count, source, first.source, next.source);
  put(&batch->destination, batch->count, destination, first.destination, next.destination);
  ++batch->count;
  return true;
}

/* The moves from `start` on that go together with it, whose places become `*first`. */
static relayout_status gather(iterator *at, size_t start, size_t count, pair *first,
                              rlt_batch *batch, relayout_error *error) {
  const int32_t most = rlt_opencl_parts_most_batch(&at->plan->work);
  bool joins = true;
  *batch = (rlt_batch){.count = 0};
  for (size_t i = start; i < count && batch->count < most && joins; ++i) {
    const relayout_status status = look_at(at, i, error);
    if (status != RELAYOUT_OK) {
      return status;
    }
    const pair next = {rlt_endpoint_address(&at->source), rlt_endpoint_address(&at->destination)};
    *first = i == start ? next : *first;
    joins = join(&at->plan->work, batch, *first, next);
  }
  return RELAYOUT_OK;
}

/* Each launch waits for the one before where an event is wanted, which covers all of them then. */
static relayout_status enqueue_all(iterator *at, size_t count, cl_event *event,
                                   relayout_error *error) {
  cl_event last = NULL;
  relayout_status status = RELAYOUT_OK;
  for (size_t i = 0; i < count && status == RELAYOUT_OK;) {
    pair first;
    rlt_batch batch;
    cl_event next = NULL;
    status = gather(at, i, count, &first, &batch, error);
    if (status != RELAYOUT_OK) {
      break;
    }
    status = rlt_opencl_parts_enqueue(
        at->plan, at->queue, first.source, first.destination, &batch, last == NULL ? at->n_wait : 1,
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

/* All of them as one command. */
static relayout_status enqueue_native(iterator *at, size_t count, cl_event *event,
                                      relayout_error *error) {
  rlt_native_command *command = NULL;
  relayout_status status = rlt_native_command_make(at->plan, 2 * count, &command, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  for (size_t i = 0; i < count && status == RELAYOUT_OK; ++i) {
    status = look_at(at, i, error);
    if (status == RELAYOUT_OK) {
      status = rlt_native_command_add(command, rlt_endpoint_address(&at->source),
                                      rlt_endpoint_address(&at->destination), error);
    }
  }
  if (status != RELAYOUT_OK) {
    rlt_native_command_drop(command);
    return status;
  }
  return rlt_native_command_enqueue(command, at->queue, at->n_wait, at->wait, event, error);
}

static relayout_status mark(iterator *at, size_t count, cl_event *event, relayout_error *error) {
  (void)count;
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
  const double begun = rlt_verbose_begin();
  relayout_status status = check_arguments(plan, queue, count, moves, error);
  if (status == RELAYOUT_OK) {
    iterator at = {.plan = plan,
                   .device = rlt_opencl_device_of(plan->device),
                   .queue = queue,
                   .moves = moves,
                   .n_wait = n_wait,
                   .wait = wait};
    const bool moves_something = count > 0 && plan->work.part_count > 0;
    status = count > 0 ? check_all(&at, count, error)
                       : rlt_check_queue_and_list(at.device, queue, n_wait, wait, error);
    if (status == RELAYOUT_OK) {
      status = (moves_something ? rlt_opencl_is_native(at.device) ? enqueue_native : enqueue_all
                                : mark)(&at, count, event == NULL ? NULL : &done, error);
    }
  }
  if (event != NULL) {
    *event = done;
  }
  if (status == RELAYOUT_OK) {
    rlt_verbose_end(begun, RLT_TOLD_ENQUEUE, plan, count);
  }
  return status;
}
