/* exchange_execute.c: all peers of an exchange whose shards lie in buffers of one context. */
#include <inttypes.h>

#include "base/error.h"
#include "base/memory.h"
#include "exchange/exchange.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "opencl/device.h"
#include "relayout/opencl.h"

/* Messages of a peer that are under way at once, each in a buffer of its own. */
enum { SLOTS = 2 };

typedef struct slot {
  cl_mem memory; /* NULL before a message needs it */
  cl_event last; /* the end of what it was used for; NULL: nothing yet */
} slot;

typedef struct scene {
  const relayout_exchange *const *exchanges;
  const cl_command_queue *queues;
  const cl_mem *sources, *destinations;
  const size_t *source_offsets, *destination_offsets;
  cl_uint n_wait;
  const cl_event *wait;
  cl_uint end_count;
  cl_event *ends; /* of all that has been enqueued: each slot's, and what is kept */
} scene;

static size_t offset_of(const size_t *offsets, int64_t peer) {
  return offsets != NULL ? offsets[peer] : 0;
}

/* A slot's buffer holds any message of its peer. */
static relayout_status make_memory(const relayout_exchange *sender, slot *in,
                                   relayout_error *error) {
  size_t most = 0;
  cl_int code = CL_SUCCESS;
  for (int64_t m = 0; m < sender->count; ++m) {
    const rlt_message *const of = &sender->messages[m];
    most = of->is_sent && of->bytes > most ? of->bytes : most;
  }
  const cl_context context = rlt_opencl_device_of(sender->device)->context;
  in->memory = clCreateBuffer(context, CL_MEM_READ_WRITE, most, NULL, &code);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clCreateBuffer");
}

/* What has ended a slot's use so far is replaced. */
static void note_end(slot *in, cl_event end) {
  if (end != NULL && in->last != NULL) {
    clReleaseEvent(in->last);
  }
  in->last = end != NULL ? end : in->last;
}

/* Packed by the sender's queue and unpacked by the receiver's; where a message lies in a shard as
 * it is, only one of them is needed. */
static relayout_status hand_over(const scene *at, const relayout_exchange *sender, int64_t number,
                                 slot *in, relayout_error *error) {
  const rlt_message *const sent = &sender->messages[number];
  const int64_t from = sender->self, to = sent->peer;
  const relayout_exchange *const receiver = at->exchanges[to];
  const int64_t received = rlt_exchange_find_received(receiver, from, sent);
  const int64_t from_place = rlt_message_place(sender, sent);
  const int64_t to_place = rlt_message_place(receiver, &receiver->messages[received]);
  const size_t from_offset = offset_of(at->source_offsets, from);
  const size_t to_offset = offset_of(at->destination_offsets, to);
  const cl_uint n_wait = in->last != NULL ? 1 : at->n_wait;
  const cl_event *const wait = in->last != NULL ? &in->last : at->wait;
  cl_event end = NULL, unpacked = NULL;
  relayout_status status = RELAYOUT_OK;
  if (from_place >= 0) {
    status = relayout_exchange_enqueue_unpack(
        receiver, received, at->queues[to], at->sources[from], from_offset + (size_t)from_place,
        at->destinations[to], to_offset, n_wait, wait, &end, error);
    note_end(in, end);
    return status;
  }
  if (to_place < 0 && in->memory == NULL) {
    status = make_memory(sender, in, error);
  }
  if (status == RELAYOUT_OK) {
    status = relayout_exchange_enqueue_pack(
        sender, number, at->queues[from], at->sources[from], from_offset,
        to_place >= 0 ? at->destinations[to] : in->memory,
        to_place >= 0 ? to_offset + (size_t)to_place : 0, n_wait, wait, &end, error);
    note_end(in, end);
  }
  if (status == RELAYOUT_OK && to_place < 0) {
    status = relayout_exchange_enqueue_unpack(receiver, received, at->queues[to], in->memory, 0,
                                              at->destinations[to], to_offset, 1, &in->last,
                                              &unpacked, error);
    note_end(in, unpacked);
  }
  return status;
}

static relayout_status keep(scene *at, const relayout_exchange *own, relayout_error *error) {
  const int64_t peer = own->self;
  cl_event end = NULL;
  const relayout_status status = relayout_exchange_enqueue_keep(
      own, at->queues[peer], at->sources[peer], offset_of(at->source_offsets, peer),
      at->destinations[peer], offset_of(at->destination_offsets, peer), at->n_wait, at->wait, &end,
      error);
  if (end != NULL) {
    at->ends[at->end_count++] = end;
  }
  return status;
}

/* All that one peer keeps and sends. */
static relayout_status enqueue_peer(scene *at, const relayout_exchange *own,
                                    relayout_error *error) {
  slot slots[SLOTS] = {{NULL, NULL}};
  relayout_status status = own->kept_count > 0 ? keep(at, own, error) : RELAYOUT_OK;
  for (int64_t m = 0; m < own->count && own->messages[m].is_sent && status == RELAYOUT_OK; ++m) {
    status = hand_over(at, own, m, &slots[m % SLOTS], error);
  }
  for (int s = 0; s < SLOTS; ++s) {
    if (slots[s].last != NULL) {
      at->ends[at->end_count++] = slots[s].last;
    }
    if (slots[s].memory != NULL) {
      clReleaseMemObject(slots[s].memory); /* stays until its commands have ended */
    }
  }
  return status;
}

/* One event for all that has been enqueued. Commands of one queue wait for those of another, so
 * that all queues have to be flushed. */
static relayout_status end_all(const scene *at, int64_t count, relayout_status status,
                               cl_event *event, relayout_error *error) {
  const bool is_nothing = at->end_count == 0;
  cl_event end = NULL;
  if (event != NULL && count > 0 && (!is_nothing || status == RELAYOUT_OK)) {
    const cl_int code =
        clEnqueueMarkerWithWaitList(at->queues[0], is_nothing ? at->n_wait : at->end_count,
                                    is_nothing ? at->wait : at->ends, &end);
    if (code != CL_SUCCESS && status == RELAYOUT_OK) {
      status = rlt_cl_fail(error, code, "clEnqueueMarkerWithWaitList");
    }
  }
  for (int64_t i = 0; i < count; ++i) {
    const cl_int code = clFlush(at->queues[i]);
    if (code != CL_SUCCESS && status == RELAYOUT_OK) {
      status = rlt_cl_fail(error, code, "clFlush");
    }
  }
  for (cl_uint i = 0; i < at->end_count; ++i) {
    clReleaseEvent(at->ends[i]);
  }
  if (event != NULL) {
    *event = end;
  }
  return status;
}

static relayout_status check(int64_t count, const scene *at, relayout_error *error) {
  const relayout_status status = rlt_exchange_check_all(count, at->exchanges, at->sources != NULL,
                                                        at->destinations != NULL, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (at->queues == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "queues is NULL");
  }
  for (int64_t i = 0; i < count; ++i) {
    const rlt_opencl_device *const own = rlt_opencl_device_of(at->exchanges[i]->device);
    const rlt_opencl_device *const first = rlt_opencl_device_of(at->exchanges[0]->device);
    if (own == NULL || own->context != first->context) {
      return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "exchanges[%" PRId64 "] was not made on %s",
                      i, own == NULL ? "an OpenCL device" : "a device of exchanges[0]'s context");
    }
  }
  return RELAYOUT_OK;
}

static relayout_status enqueue_all(int64_t count, scene *at, cl_event *event,
                                   relayout_error *error) {
  at->ends = rlt_malloc(((size_t)count * (SLOTS + 1) + 1) * sizeof *at->ends);
  if (at->ends == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the events of %" PRId64 " peers",
                    count);
  }
  relayout_status status = RELAYOUT_OK;
  for (int64_t i = 0; i < count && status == RELAYOUT_OK; ++i) {
    status = enqueue_peer(at, at->exchanges[i], error);
  }
  status = end_all(at, count, status, event, error);
  rlt_free(at->ends);
  return status;
}

relayout_status
relayout_exchange_enqueue_execute(int64_t count, const relayout_exchange *const *exchanges,
                                  const cl_command_queue *queues, const cl_mem *sources,
                                  const size_t *source_offsets, const cl_mem *destinations,
                                  const size_t *destination_offsets, cl_uint n_wait,
                                  const cl_event *wait, cl_event *event, relayout_error *error) {
  scene at = {.exchanges = exchanges,
              .queues = queues,
              .sources = sources,
              .destinations = destinations,
              .source_offsets = source_offsets,
              .destination_offsets = destination_offsets,
              .n_wait = n_wait,
              .wait = wait};
  cl_event end = NULL;
  relayout_status status = check(count, &at, error);
  if (status == RELAYOUT_OK) {
    status = enqueue_all(count, &at, event != NULL ? &end : NULL, error);
  }
  if (event != NULL) {
    *event = end; /* not before: it may be one of those that were waited for */
  }
  return status;
}
