/* exchange.c: messages of an exchange packed and unpacked on a caller's queue, box after box. */
#include "exchange/exchange.h"

#include <inttypes.h>

#include "base/error.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "opencl/device.h"
#include "relayout/opencl.h"

/* Relayouts that follow each other: each waits for the one before. */
typedef struct chain {
  cl_command_queue queue;
  cl_mem source;
  cl_mem destination;
  cl_uint n_wait;
  const cl_event *wait;
  cl_event last; /* NULL before the first */
} chain;

static relayout_status enqueue_next(chain *at, const relayout_plan *plan, size_t source_offset,
                                    size_t destination_offset, relayout_error *error) {
  cl_event done = NULL;
  const bool is_first = at->last == NULL;
  const relayout_status status = relayout_plan_enqueue(
      plan, at->queue, at->source, source_offset, at->destination, destination_offset,
      is_first ? at->n_wait : 1, is_first ? at->wait : &at->last, &done, error);
  if (done != NULL && !is_first) {
    clReleaseEvent(at->last);
  }
  at->last = done != NULL ? done : at->last;
  return status;
}

/* Hands the last event to the caller; releases it where the caller asks for none. */
static relayout_status end_chain(chain *at, relayout_status status, cl_event *event) {
  if (event != NULL) {
    *event = at->last; /* not before: it may be one of those that were waited for */
  } else if (at->last != NULL) {
    clReleaseEvent(at->last);
  }
  return status;
}

static relayout_status find_message(const relayout_exchange *exchange, int64_t number, bool is_sent,
                                    const rlt_message **found, relayout_error *error) {
  const relayout_status status = rlt_exchange_find_kind(exchange, number, is_sent, found, error);
  return status == RELAYOUT_OK && rlt_opencl_device_of(exchange->device) == NULL
             ? rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                        "exchange was not made on an OpenCL device")
             : status;
}

/* Packs the boxes of a message that is sent, or unpacks those of one that is received. */
static relayout_status enqueue_boxes(const relayout_exchange *exchange, int64_t number,
                                     bool is_sent, chain at, size_t source_offset,
                                     size_t destination_offset, cl_event *event,
                                     relayout_error *error) {
  const rlt_message *of = NULL;
  relayout_status status = find_message(exchange, number, is_sent, &of, error);
  for (int64_t i = 0; status == RELAYOUT_OK && i < of->box_count; ++i) {
    const rlt_message_box *const one = &exchange->boxes[of->first_box + i];
    status = is_sent ? enqueue_next(&at, one->pack, source_offset + (size_t)one->pack_offset,
                                    destination_offset + one->at, error)
                     : enqueue_next(&at, one->unpack, source_offset + one->at,
                                    destination_offset + (size_t)one->unpack_offset, error);
  }
  return end_chain(&at, status, event);
}

relayout_status relayout_exchange_enqueue_pack(const relayout_exchange *exchange, int64_t number,
                                               cl_command_queue queue, cl_mem source,
                                               size_t source_offset, cl_mem message,
                                               size_t message_offset, cl_uint n_wait,
                                               const cl_event *wait, cl_event *event,
                                               relayout_error *error) {
  const chain at = {queue, source, message, n_wait, wait, NULL};
  return enqueue_boxes(exchange, number, true, at, source_offset, message_offset, event, error);
}

relayout_status relayout_exchange_enqueue_unpack(const relayout_exchange *exchange, int64_t number,
                                                 cl_command_queue queue, cl_mem message,
                                                 size_t message_offset, cl_mem destination,
                                                 size_t destination_offset, cl_uint n_wait,
                                                 const cl_event *wait, cl_event *event,
                                                 relayout_error *error) {
  const chain at = {queue, message, destination, n_wait, wait, NULL};
  return enqueue_boxes(exchange, number, false, at, message_offset, destination_offset, event,
                       error);
}

/* Whether all that is kept has plans from shard to shard. */
static relayout_status check_kept(const relayout_exchange *exchange, relayout_error *error) {
  if (exchange == NULL || exchange->device == NULL ||
      rlt_opencl_device_of(exchange->device) == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "exchange %s",
                    exchange == NULL ? "is NULL" : "was not made on an OpenCL device");
  }
  for (int64_t i = 0; i < exchange->kept_count; ++i) {
    const rlt_message *const of = &exchange->messages[exchange->count + i];
    if (exchange->boxes[of->first_box].unpack != NULL) {
      return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                      "both sides have tiles, and no plan leads from shard to shard for the box "
                      "that stays; relayout_exchange_keep moves it in host memory");
    }
  }
  return RELAYOUT_OK;
}

relayout_status relayout_exchange_enqueue_keep(const relayout_exchange *exchange,
                                               cl_command_queue queue, cl_mem source,
                                               size_t source_offset, cl_mem destination,
                                               size_t destination_offset, cl_uint n_wait,
                                               const cl_event *wait, cl_event *event,
                                               relayout_error *error) {
  chain at = {queue, source, destination, n_wait, wait, NULL};
  relayout_status status = check_kept(exchange, error);
  for (int64_t i = 0; status == RELAYOUT_OK && i < exchange->kept_count; ++i) {
    const rlt_message *const of = &exchange->messages[exchange->count + i];
    const rlt_message_box *const one = &exchange->boxes[of->first_box];
    status = enqueue_next(&at, one->pack, source_offset + (size_t)one->pack_offset,
                          destination_offset + (size_t)one->unpack_offset, error);
  }
  if (status == RELAYOUT_OK && exchange->kept_count == 0) {
    const cl_int code = clEnqueueMarkerWithWaitList(queue, n_wait, wait, &at.last);
    status = code == CL_SUCCESS ? status : rlt_cl_fail(error, code, "clEnqueueMarkerWithWaitList");
  }
  return end_chain(&at, status, event);
}
