/* flights.c: relayouts under way on queues of a thread's own. Depends on OpenCL. */
#define CL_TARGET_OPENCL_VERSION 120
#include "stress/flights.h"

#include <CL/cl.h>
#include <pthread.h>
#include <stdlib.h>

#include "conformance/guarded_buffer.h"
#include "conformance/random.h"
#include "oracle/oracle.h"
#include "relayout/opencl.h"

enum {
  FLIGHTS = 4, /* of a thread under way */
  BOARD_EVENTS = 24,
  MOST_OTHERS = 3, /* of the board's events that one relayout waits for */
  MOST_UNSET = 3,  /* user events of a thread */
  MOST_WAITS = 2 + MOST_OTHERS + 1
};

struct event_board {
  cl_context context;
  cl_device_id id;
  pthread_mutex_t mutex;
  cl_event events[BOARD_EVENTS]; /* under the mutex; NULL: none yet */
};

/* What one relayout holds until it is checked. */
typedef struct flight {
  const stress_case *of; /* NULL: nothing is under way */
  fenced_pages source_pages;
  fenced_pages destination_pages;
  guarded_buffer source;
  guarded_buffer destination;
  cl_event read[2]; /* both sides, back to where they came from */
} flight;

struct flights {
  stress *on;
  relayout_device *device;
  event_board *board;
  uint64_t *random;
  cl_command_queue in_order;
  cl_command_queue out_of_order; /* in order where the device has no other */
  flight of[FLIGHTS];
  size_t next; /* the one to start, and the oldest under way */
  cl_event unset[MOST_UNSET];
  size_t unset_count;
};

static bool chance(flights *in, int64_t count) {
  return random_below(in->random, count) == 0;
}

static void check(flights *in, cl_int code, const char *call) {
  if (code != CL_SUCCESS) {
    stress_fail(in->on, NULL, "the test's %s failed with %d", call, (int)code);
  }
}

/* ---- The board ------------------------------------------------------------------------------ */

relayout_status event_board_create(relayout_device *device, event_board **made,
                                   relayout_error *error) {
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  const relayout_status status = relayout_device_get_info(device, &info, error);
  *made = NULL;
  if (status != RELAYOUT_OK || info.backend != RELAYOUT_BACKEND_OPENCL) {
    return status;
  }
  event_board *const board = calloc(1, sizeof(*board));
  if (board == NULL) {
    return RELAYOUT_OUT_OF_MEMORY;
  }
  pthread_mutex_init(&board->mutex, NULL);
  *made = board;
  return relayout_opencl_device_get_handles(device, &board->context, &board->id, error);
}

void event_board_destroy(event_board *used) {
  if (used == NULL) {
    return;
  }
  for (size_t i = 0; i < BOARD_EVENTS; ++i) {
    if (used->events[i] != NULL) {
      clReleaseEvent(used->events[i]);
    }
  }
  pthread_mutex_destroy(&used->mutex);
  free(used);
}

/* Events of commands that were flushed, as other queues may wait for no others. */
static void put_on_board(flights *in, cl_event event) {
  event_board *const board = in->board;
  const int64_t place = random_below(in->random, BOARD_EVENTS);
  check(in, clRetainEvent(event), "clRetainEvent");
  pthread_mutex_lock(&board->mutex);
  const cl_event former = board->events[place];
  board->events[place] = event;
  pthread_mutex_unlock(&board->mutex);
  if (former != NULL) {
    check(in, clReleaseEvent(former), "clReleaseEvent");
  }
}

/* Held for the caller; NULL where there is none. */
static cl_event take_from_board(flights *in) {
  event_board *const board = in->board;
  const int64_t place = random_below(in->random, BOARD_EVENTS);
  pthread_mutex_lock(&board->mutex);
  const cl_event event = board->events[place];
  const cl_int code = event != NULL ? clRetainEvent(event) : CL_SUCCESS;
  pthread_mutex_unlock(&board->mutex);
  check(in, code, "clRetainEvent");
  return event;
}

/* ---- User events ---------------------------------------------------------------------------- */

/* Whoever waits sets its own user events before. What is enqueued depends on what was enqueued
 * before it alone, so that no two threads wait for each other. */
static void set_user_events(flights *in, size_t left) {
  while (in->unset_count > left) {
    const cl_event event = in->unset[--in->unset_count];
    check(in, clSetUserEventStatus(event, CL_COMPLETE), "clSetUserEventStatus");
    check(in, clReleaseEvent(event), "clReleaseEvent");
  }
}

/* Held for the caller, beside the thread's own hold. */
static cl_event user_event(flights *in) {
  cl_int code;
  const cl_event event = clCreateUserEvent(in->board->context, &code);
  check(in, code, "clCreateUserEvent");
  check(in, clRetainEvent(event), "clRetainEvent");
  in->unset[in->unset_count++] = event;
  return event;
}

/* ---- Landing -------------------------------------------------------------------------------- */

static void land(flights *in, flight *it) {
  difference first;
  if (it->of == NULL) {
    return;
  }
  set_user_events(in, 0);
  check(in, clWaitForEvents(2, it->read), "clWaitForEvents");
  check(in, clReleaseEvent(it->read[0]), "clReleaseEvent");
  check(in, clReleaseEvent(it->read[1]), "clReleaseEvent");
  if (guarded_buffer_differs(&it->destination, it->of->bytes.after, &first)) {
    stress_fail(in->on, it->of,
                "buffers at byte offsets %zu and %zu: byte %lld of the destination is 0x%02x, not "
                "0x%02x",
                it->source.origin, it->destination.origin, (long long)first.position, first.found,
                first.expected);
  }
  if (guarded_buffer_differs(&it->source, it->of->bytes.source, &first)) {
    stress_fail(in->on, it->of, "buffers: byte %lld of the source became 0x%02x",
                (long long)first.position, first.found);
  }
  it->of = NULL;
}

/* ---- Starting ------------------------------------------------------------------------------- */

/* Offsets are multiples of the element size, or of its wider container's. */
static void place(flights *in, const relayout_shape *shape, const unsigned char *content,
                  size_t size, size_t origin, fenced_pages *pages, guarded_buffer *made) {
  const size_t own = oracle_element_size(shape->element_type);
  const size_t taken = (size_t)oracle_element_bits(shape) / 8;
  const size_t offset = (own > taken ? own : taken) * (size_t)random_below(in->random, 6);
  if (!guarded_buffer_make(pages, content, size, PLACE_BETWEEN, offset, origin, made)) {
    stress_fail(in->on, NULL, "no memory for buffers");
  }
}

static cl_mem buffer_like(flights *in, const guarded_buffer *host, cl_mem_flags flags) {
  cl_int code;
  const cl_mem made = clCreateBuffer(in->board->context, flags, host->total, NULL, &code);
  check(in, code, "clCreateBuffer");
  return made;
}

/* The events that a relayout waits for, each held. */
typedef struct waits {
  cl_uint count;
  cl_event of[MOST_WAITS];
} waits;

static void release_all(flights *in, cl_uint count, const cl_event *events) {
  for (cl_uint i = 0; i < count; ++i) {
    check(in, clReleaseEvent(events[i]), "clReleaseEvent");
  }
}

static void add_others(flights *in, waits *to) {
  const int64_t most = random_below(in->random, MOST_OTHERS + 1);
  for (int64_t i = 0; i < most; ++i) {
    const cl_event other = take_from_board(in);
    if (other != NULL) {
      to->of[to->count++] = other;
    }
  }
  if (chance(in, 4) && in->unset_count < MOST_UNSET) {
    to->of[to->count++] = user_event(in);
  }
}

static void write_sides(flights *in, cl_command_queue queue, const flight *it, const cl_mem *memory,
                        waits *written) {
  const guarded_buffer *const sides[] = {&it->source, &it->destination};
  for (int i = 0; i < 2; ++i) {
    check(in,
          clEnqueueWriteBuffer(queue, memory[i], CL_FALSE, 0, sides[i]->total, sides[i]->bytes, 0,
                               NULL, &written->of[written->count++]),
          "clEnqueueWriteBuffer");
  }
}

static void read_sides(flights *in, cl_command_queue queue, flight *it, const cl_mem *memory,
                       cl_event moved) {
  const guarded_buffer *const sides[] = {&it->source, &it->destination};
  for (int i = 0; i < 2; ++i) {
    check(in,
          clEnqueueReadBuffer(queue, memory[i], CL_FALSE, 0, sides[i]->total, sides[i]->bytes,
                              moved != NULL, moved != NULL ? &moved : NULL, &it->read[i]),
          "clEnqueueReadBuffer");
  }
}

static void enqueue(flights *in, cl_command_queue queue, const relayout_plan *plan,
                    const flight *it, const cl_mem *memory, const waits *after, cl_event *moved) {
  const cl_event *const wait = after->count > 0 ? after->of : NULL;
  relayout_error error;
  const relayout_status status =
      plan != NULL
          ? relayout_plan_enqueue(plan, queue, memory[0], it->source.origin, memory[1],
                                  it->destination.origin, after->count, wait, moved, &error)
          : relayout_enqueue(in->device, &it->of->from_shape, &it->of->to_shape, queue, memory[0],
                             it->source.origin, memory[1], it->destination.origin, after->count,
                             wait, moved, &error);
  if (status != RELAYOUT_OK) {
    stress_fail(in->on, it->of, "not enqueued: %s", error.message);
  }
}

static cl_command_queue draw_queue(flights *in) {
  return chance(in, 2) ? in->in_order : in->out_of_order;
}

/* Others wait for the relayout, or for all that its queue has been given. */
static void tell_others(flights *in, cl_command_queue queue, cl_event moved) {
  cl_event told = moved;
  if (moved == NULL || chance(in, 4)) {
    check(in, clEnqueueMarkerWithWaitList(queue, 0, NULL, &told), "clEnqueueMarkerWithWaitList");
  }
  check(in, clFlush(queue), "clFlush");
  put_on_board(in, told);
  if (told != moved) {
    check(in, clReleaseEvent(told), "clReleaseEvent");
  }
}

/* All three kinds of commands on the one queue in order, without any event of theirs, or each on
 * any queue. */
static void fly(flights *in, flight *it, const relayout_plan *plan, const cl_mem *memory) {
  const bool is_plain = chance(in, 3);
  const cl_command_queue writing = is_plain ? in->in_order : draw_queue(in);
  const cl_command_queue moving = is_plain ? in->in_order : draw_queue(in);
  const cl_command_queue reading = is_plain ? in->in_order : draw_queue(in);
  waits written = {.count = 0};
  waits after = {.count = 0};
  cl_event moved = NULL;
  write_sides(in, writing, it, memory, &written);
  check(in, clFlush(writing), "clFlush");
  if (!is_plain) {
    after = written;
  }
  const cl_uint own = after.count;
  add_others(in, &after);
  enqueue(in, moving, plan, it, memory, &after, is_plain ? NULL : &moved);
  tell_others(in, moving, moved);
  read_sides(in, reading, it, memory, moved);
  check(in, clFlush(reading), "clFlush");
  release_all(in, after.count - own, after.of + own);
  release_all(in, written.count, written.of);
  release_all(in, moved != NULL, &moved);
}

void flights_start(flights *in, const relayout_plan *plan, const stress_case *of) {
  flight *const it = &in->of[in->next];
  in->next = (in->next + 1) % FLIGHTS;
  land(in, it);
  const trial *const bytes = &of->bytes;
  it->of = of;
  place(in, &of->from_shape, bytes->source, bytes->source_size, bytes->source_origin,
        &it->source_pages, &it->source);
  place(in, &of->to_shape, bytes->before, bytes->destination_size, bytes->destination_origin,
        &it->destination_pages, &it->destination);
  const cl_mem memory[] = {buffer_like(in, &it->source, CL_MEM_READ_ONLY),
                           buffer_like(in, &it->destination, CL_MEM_READ_WRITE)};
  fly(in, it, plan, memory);
  check(in, clReleaseMemObject(memory[0]), "clReleaseMemObject");
  check(in, clReleaseMemObject(memory[1]), "clReleaseMemObject");
  set_user_events(in, (size_t)random_below(in->random, MOST_UNSET + 1));
}

/* ---- A thread's ----------------------------------------------------------------------------- */

flights *flights_begin(stress *on, relayout_device *device, event_board *board, uint64_t *random) {
  flights *const in = calloc(1, sizeof(*in));
  cl_int code;
  if (in == NULL) {
    stress_fail(on, NULL, "no memory for a thread");
  }
  in->on = on;
  in->device = device;
  in->board = board;
  in->random = random;
  in->in_order = clCreateCommandQueue(board->context, board->id, 0, &code);
  check(in, code, "clCreateCommandQueue");
  in->out_of_order = clCreateCommandQueue(board->context, board->id,
                                          CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  if (code != CL_SUCCESS) {
    in->out_of_order = clCreateCommandQueue(board->context, board->id, 0, &code);
    check(in, code, "clCreateCommandQueue");
  }
  return in;
}

void flights_end(flights *used) {
  if (used == NULL) {
    return;
  }
  for (size_t i = 0; i < FLIGHTS; ++i) {
    flight *const it = &used->of[(used->next + i) % FLIGHTS];
    land(used, it);
    fenced_pages_free(&it->source_pages);
    fenced_pages_free(&it->destination_pages);
  }
  set_user_events(used, 0);
  check(used, clFinish(used->in_order), "clFinish");
  check(used, clFinish(used->out_of_order), "clFinish");
  clReleaseCommandQueue(used->in_order);
  clReleaseCommandQueue(used->out_of_order);
  free(used);
}
