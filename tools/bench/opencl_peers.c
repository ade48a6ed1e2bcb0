/* opencl_peers.c: CLBlast and rectangle copies, asked for the same relayouts on an OpenCL device.
 * */
#include "opencl_peers.h"

enum { RECT, CLBLAST, PEER_COUNT };

void opencl_peers_find(opencl_peers *peers, bench_peer *listed, size_t *count) {
  peers->library = clblast_open();
  listed[RECT] = (bench_peer){.name = "clEnqueueCopyBufferRect", .label = "RECT"};
  listed[CLBLAST] = (bench_peer){.name = "CLBlast omatcopy",
                                 .label = "CLBLAST",
                                 .missing = peers->library == NULL ? "not installed" : NULL,
                                 .computes = true};
  *count = PEER_COUNT;
}

void opencl_peers_release(opencl_peers *peers) {
  clblast_close(peers->library);
  peers->library = NULL;
}

void opencl_peers_prepare(opencl_peers *peers, const relayout_shape *from, const relayout_shape *to,
                          bool takes[BENCH_MOST_PEERS]) {
  const bool is_strided = bench_strided_of(from, to, &peers->moved);
  takes[RECT] = is_strided && rect_copy_of(&peers->moved, &peers->rects);
  takes[CLBLAST] = is_strided && peers->library != NULL &&
                   bench_transposition_of(&peers->moved, &peers->transposition);
}

/* The events of what has been enqueued so far. */
typedef struct span {
  cl_event first;
  cl_event last;
} span;

/* Takes the event over. */
static void add(span *to, cl_event event) {
  if (to->first == NULL) {
    to->first = event;
    return;
  }
  if (to->last != NULL) {
    clReleaseEvent(to->last);
  }
  to->last = event;
}

static void release(span *of) {
  if (of->first != NULL) {
    clReleaseEvent(of->first);
  }
  if (of->last != NULL) {
    clReleaseEvent(of->last);
  }
}

static cl_int enqueue_rectangles(const rect_copy *rects, cl_command_queue queue,
                                 const opencl_move *move, span *events) {
  for (size_t i = 0; i < rects->count; i++) {
    size_t source;
    size_t destination;
    rect_copy_begin(rects, i, &source, &destination);
    const size_t from[3] = {move->source_offset + source, 0, 0};
    const size_t to[3] = {move->destination_offset + destination, 0, 0};
    /* Of those between the first and the last nobody asks the time. */
    const bool is_timed = i == 0 || i + 1 == rects->count;
    cl_event event;
    const cl_int code = clEnqueueCopyBufferRect(
        queue, move->source, move->destination, from, to, rects->region, rects->source_row_pitch,
        rects->source_slice_pitch, rects->destination_row_pitch, rects->destination_slice_pitch, 0,
        NULL, is_timed ? &event : NULL);
    if (code != CL_SUCCESS) {
      return code;
    }
    if (is_timed) {
      add(events, event);
    }
  }
  return CL_SUCCESS;
}

static cl_int enqueue_transposition(const opencl_peers *peers, cl_command_queue queue,
                                    const opencl_move *move, span *events) {
  cl_event event;
  const cl_int code =
      clblast_transpose(peers->library, &peers->transposition, queue, move->source,
                        move->source_offset, move->destination, move->destination_offset, &event);
  if (code == CL_SUCCESS) {
    add(events, event);
  }
  return code;
}

static cl_int enqueue_fill(const bench_strided *moved, cl_command_queue queue,
                           const opencl_move *move, span *events) {
  cl_event event;
  const cl_int code =
      clEnqueueFillBuffer(queue, move->destination, moved->fill, moved->element_bytes,
                          move->destination_offset, moved->destination_bytes, 0, NULL, &event);
  if (code == CL_SUCCESS) {
    add(events, event);
  }
  return code;
}

cl_int opencl_peers_enqueue(const opencl_peers *peers, size_t which, cl_command_queue queue,
                            const opencl_move *move, cl_event events[2]) {
  span made = {NULL, NULL};
  cl_int code = CL_SUCCESS;
  if (peers->moved.fills) {
    code = enqueue_fill(&peers->moved, queue, move, &made);
  }
  if (code == CL_SUCCESS) {
    code = which == RECT ? enqueue_rectangles(&peers->rects, queue, move, &made)
                         : enqueue_transposition(peers, queue, move, &made);
  }
  if (code != CL_SUCCESS) {
    clFinish(queue);
    release(&made);
    return code;
  }
  if (made.last == NULL) {
    clRetainEvent(made.first);
    made.last = made.first;
  }
  events[0] = made.first;
  events[1] = made.last;
  return CL_SUCCESS;
}
