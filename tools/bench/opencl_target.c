/* An OpenCL device as a benchmark's target: buffers on it, and a queue with profiling, whose events
 * tell the device's own time. */
#include <stdint.h>
#include <stdlib.h>

#include "fail.h"
#include "noise.h"
#include "opencl_copy.h"
#include "opencl_peers.h"
#include "relayout/opencl.h"
#include "target.h"

enum { LINE = 64, ASSUMED_CACHE_BYTES = 32 << 20 /* where the device does not tell */ };

enum { FENCE_BYTES = 4 };

typedef struct opencl_target {
  bench_target base; /* first: a target of this kind is one */
  cl_context context;
  cl_device_id id;
  cl_command_queue queue;
  cl_mem source;
  cl_mem destination;
  cl_mem fence; /* two pieces of FENCE_BYTES */
  void *mapped_source;
  void *mapped_destination;
  opencl_copy copies[BENCH_MOST_COPIES];
  opencl_peers peers;
} opencl_target;

static relayout_status fail_cl(relayout_error *error, cl_int code, const char *call) {
  fail_with(error, code == CL_OUT_OF_HOST_MEMORY ? RELAYOUT_OUT_OF_MEMORY : RELAYOUT_OPENCL_ERROR,
            "%s failed with %d", call, (int)code);
  error->cl_status = code;
  return error->status;
}

/* ---- Buffers -------------------------------------------------------------------------------- */

static relayout_status replace(opencl_target *own, cl_mem *buffer, size_t *capacity, size_t size,
                               relayout_error *error) {
  if (*buffer != NULL) {
    clReleaseMemObject(*buffer);
  }
  *capacity = 0;
  cl_int code = CL_SUCCESS;
  *buffer = clCreateBuffer(own->context, CL_MEM_READ_WRITE, size, NULL, &code);
  if (*buffer == NULL) {
    return fail_cl(error, code, "clCreateBuffer");
  }
  *capacity = size;
  return RELAYOUT_OK;
}

static relayout_status fill_source(opencl_target *own, size_t size, relayout_error *error) {
  cl_int code = CL_SUCCESS;
  void *const memory =
      clEnqueueMapBuffer(own->queue, own->source, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, size,
                         0, NULL, NULL, &code);
  if (memory == NULL) {
    return fail_cl(error, code, "clEnqueueMapBuffer");
  }
  bench_fill_noise(memory, size);
  code = clEnqueueUnmapMemObject(own->queue, own->source, memory, 0, NULL, NULL);
  if (code == CL_SUCCESS) {
    code = clFinish(own->queue);
  }
  return code == CL_SUCCESS ? RELAYOUT_OK : fail_cl(error, code, "clEnqueueUnmapMemObject");
}

static relayout_status clear(bench_target *target, size_t size, relayout_error *error) {
  opencl_target *const own = (opencl_target *)target;
  const cl_uint4 zero = {.s = {0, 0, 0, 0}};
  const size_t whole = (size + LINE - 1) / LINE * LINE;
  cl_int code = clEnqueueFillBuffer(own->queue, own->destination, &zero, sizeof zero, 0, whole, 0,
                                    NULL, NULL);
  if (code == CL_SUCCESS) {
    code = clFinish(own->queue);
  }
  return code == CL_SUCCESS ? RELAYOUT_OK : fail_cl(error, code, "clEnqueueFillBuffer");
}

static relayout_status reserve(bench_target *target, size_t source, size_t destination,
                               relayout_error *error) {
  opencl_target *const own = (opencl_target *)target;
  relayout_status status = RELAYOUT_OK;
  if (source > target->source_capacity) {
    status = replace(own, &own->source, &target->source_capacity, source, error);
    if (status == RELAYOUT_OK) {
      status = fill_source(own, source, error);
    }
  }
  if (status == RELAYOUT_OK && destination > target->destination_capacity) {
    status = replace(own, &own->destination, &target->destination_capacity, destination, error);
    if (status == RELAYOUT_OK) {
      status = clear(target, destination, error);
    }
  }
  return status;
}

static void unmap(bench_target *target) {
  opencl_target *const own = (opencl_target *)target;
  if (own->mapped_source != NULL) {
    clEnqueueUnmapMemObject(own->queue, own->source, own->mapped_source, 0, NULL, NULL);
  }
  if (own->mapped_destination != NULL) {
    clEnqueueUnmapMemObject(own->queue, own->destination, own->mapped_destination, 0, NULL, NULL);
  }
  own->mapped_source = NULL;
  own->mapped_destination = NULL;
  clFinish(own->queue);
}

static relayout_status map(bench_target *target, size_t source_size, size_t destination_size,
                           const uint8_t **source, const uint8_t **destination,
                           relayout_error *error) {
  opencl_target *const own = (opencl_target *)target;
  cl_int code = CL_SUCCESS;
  /* Nothing at all cannot be mapped. */
  own->mapped_source = clEnqueueMapBuffer(own->queue, own->source, CL_TRUE, CL_MAP_READ, 0,
                                          source_size > 0 ? source_size : 1, 0, NULL, NULL, &code);
  if (code == CL_SUCCESS) {
    own->mapped_destination = clEnqueueMapBuffer(own->queue, own->destination, CL_TRUE, CL_MAP_READ,
                                                 0, destination_size, 0, NULL, NULL, &code);
  }
  if (code != CL_SUCCESS) {
    unmap(target);
    return fail_cl(error, code, "clEnqueueMapBuffer");
  }
  *source = own->mapped_source;
  *destination = own->mapped_destination;
  return RELAYOUT_OK;
}

/* ---- Time ----------------------------------------------------------------------------------- */

/* A moment of a command's run. */
typedef struct moment {
  cl_event event;
  cl_profiling_info kind; /* CL_PROFILING_COMMAND_START or CL_PROFILING_COMMAND_END */
} moment;

/* Waits for the command of `last`, and reads how much time went by from `first` to it; the command
 * was called at `begin`. */
static relayout_status wait(moment first, moment last, double begin, bench_time *time,
                            relayout_error *error) {
  cl_int code = clWaitForEvents(1, &last.event);
  time->wall = bench_now() - begin;
  cl_ulong started = 0;
  cl_ulong ended = 0;
  if (code == CL_SUCCESS) {
    code = clGetEventProfilingInfo(first.event, first.kind, sizeof started, &started, NULL);
  }
  if (code == CL_SUCCESS) {
    code = clGetEventProfilingInfo(last.event, last.kind, sizeof ended, &ended, NULL);
  }
  /* A clock too coarse for what is measured must not make it infinitely fast. */
  time->counted = ended > started ? (double)(ended - started) * 1e-9 : 1e-9;
  return code == CL_SUCCESS ? RELAYOUT_OK : fail_cl(error, code, "waiting for a timed command");
}

/* The same for one command; releases the event. */
static relayout_status finish(cl_event event, double begin, bench_time *time,
                              relayout_error *error) {
  const relayout_status status =
      wait((moment){event, CL_PROFILING_COMMAND_START}, (moment){event, CL_PROFILING_COMMAND_END},
           begin, time, error);
  clReleaseEvent(event);
  return status;
}

/* Enqueues a copy of a few bytes: its event says when the commands before it ended, and when those
 * behind it could begin. A marker does not: NVIDIA's driver times it without its neighbours. */
static relayout_status enqueue_fence(const opencl_target *own, cl_event *event,
                                     relayout_error *error) {
  const cl_int code = clEnqueueCopyBuffer(own->queue, own->fence, own->fence, 0, FENCE_BYTES,
                                          FENCE_BYTES, 0, NULL, event);
  return code == CL_SUCCESS ? RELAYOUT_OK : fail_cl(error, code, "clEnqueueCopyBuffer");
}

static relayout_status enqueue(const opencl_target *own, const relayout_plan *plan,
                               size_t source_offset, size_t destination_offset, cl_event *event,
                               relayout_error *error) {
  return relayout_plan_enqueue(plan, own->queue, own->source, source_offset, own->destination,
                               destination_offset, 0, NULL, event, error);
}

/* Several kernels, or none, between two fences. */
static relayout_status move_fenced(const opencl_target *own, const relayout_plan *plan,
                                   size_t source_offset, size_t destination_offset,
                                   bench_time *time, relayout_error *error) {
  cl_event before;
  cl_event behind;
  relayout_status status = enqueue_fence(own, &before, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const double begin = bench_now();
  status = enqueue(own, plan, source_offset, destination_offset, NULL, error);
  if (status == RELAYOUT_OK) {
    status = enqueue_fence(own, &behind, error);
  }
  if (status == RELAYOUT_OK) {
    status = wait((moment){before, CL_PROFILING_COMMAND_END},
                  (moment){behind, CL_PROFILING_COMMAND_START}, begin, time, error);
    clReleaseEvent(behind);
  }
  clReleaseEvent(before);
  return status;
}

static relayout_status move(bench_target *target, const relayout_plan *plan, size_t source_offset,
                            size_t destination_offset, bench_time *time, relayout_error *error) {
  const opencl_target *const own = (const opencl_target *)target;
  if (relayout_plan_part_count(plan) != 1) {
    return move_fenced(own, plan, source_offset, destination_offset, time, error);
  }
  cl_event event;
  const double begin = bench_now();
  const relayout_status status =
      enqueue(own, plan, source_offset, destination_offset, &event, error);
  return status == RELAYOUT_OK ? finish(event, begin, time, error) : status;
}

static relayout_status copy(bench_target *target, size_t which, size_t source_offset,
                            size_t destination_offset, size_t size, bench_time *time,
                            relayout_error *error) {
  const opencl_target *const own = (const opencl_target *)target;
  const opencl_move whole = {own->source, source_offset, own->destination, destination_offset,
                             size};
  cl_event event;
  const double begin = bench_now();
  const cl_int code = opencl_copy_enqueue(&own->copies[which], own->queue, &whole, &event);
  return code == CL_SUCCESS ? finish(event, begin, time, error)
                            : fail_cl(error, code, target->copies[which].name);
}

/* ---- Peers ---------------------------------------------------------------------------------- */

static void find_peers(bench_target *target) {
  opencl_peers_find(&((opencl_target *)target)->peers, target->peers, &target->peer_count);
}

static void prepare_peers(bench_target *target, const relayout_shape *from,
                          const relayout_shape *to, bool takes[BENCH_MOST_PEERS]) {
  opencl_peers_prepare(&((opencl_target *)target)->peers, from, to, takes);
}

static relayout_status run_peer(bench_target *target, size_t which, size_t source_offset,
                                size_t destination_offset, bench_time *time,
                                relayout_error *error) {
  const opencl_target *const own = (const opencl_target *)target;
  const opencl_move whole = {own->source, source_offset, own->destination, destination_offset, 0};
  cl_event events[2];
  const double begin = bench_now();
  const cl_int code = opencl_peers_enqueue(&own->peers, which, own->queue, &whole, events);
  if (code != CL_SUCCESS) {
    return fail_cl(error, code, target->peers[which].name);
  }
  const relayout_status status =
      wait((moment){events[0], CL_PROFILING_COMMAND_START},
           (moment){events[1], CL_PROFILING_COMMAND_END}, begin, time, error);
  clReleaseEvent(events[0]);
  clReleaseEvent(events[1]);
  return status;
}

/* ---- Coming and going ----------------------------------------------------------------------- */

static void destroy(bench_target *target) {
  opencl_target *const own = (opencl_target *)target;
  opencl_peers_release(&own->peers);
  for (size_t i = 0; i < target->copy_count; i++) {
    opencl_copy_release(&own->copies[i]);
  }
  if (own->source != NULL) {
    clReleaseMemObject(own->source);
  }
  if (own->destination != NULL) {
    clReleaseMemObject(own->destination);
  }
  if (own->fence != NULL) {
    clReleaseMemObject(own->fence);
  }
  if (own->queue != NULL) {
    clReleaseCommandQueue(own->queue);
  }
  relayout_device_destroy(target->device);
  free(own);
}

static relayout_status set_up(opencl_target *own, const relayout_device *device,
                              relayout_error *error) {
  const relayout_status status =
      relayout_opencl_device_get_handles(device, &own->context, &own->id, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  cl_ulong cache = 0;
  clGetDeviceInfo(own->id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof cache, &cache, NULL);
  own->base.cache_bytes = cache > 0 ? cache : ASSUMED_CACHE_BYTES;
  cl_int code = CL_SUCCESS;
  own->queue = clCreateCommandQueue(own->context, own->id, CL_QUEUE_PROFILING_ENABLE, &code);
  if (own->queue == NULL) {
    return fail_cl(error, code, "clCreateCommandQueue");
  }
  own->fence =
      clCreateBuffer(own->context, CL_MEM_READ_WRITE, 2 * (size_t)FENCE_BYTES, NULL, &code);
  if (own->fence == NULL) {
    return fail_cl(error, code, "clCreateBuffer");
  }
  code = opencl_copy_create_all(own->context, own->id, BENCH_MOST_COPIES, own->copies,
                                &own->base.copy_count);
  for (size_t i = 0; i < own->base.copy_count; i++) {
    own->base.copies[i] = (bench_copy){own->copies[i].name, 0};
  }
  return code == CL_SUCCESS ? RELAYOUT_OK : fail_cl(error, code, "building the kernel of a copy");
}

relayout_status bench_opencl_target_create(relayout_device *device, bench_target **target,
                                           relayout_error *error) {
  opencl_target *const own = calloc(1, sizeof *own);
  if (own == NULL) {
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a benchmark");
  }
  own->base = (bench_target){.clock = "device",
                             .reserve = reserve,
                             .clear = clear,
                             .move = move,
                             .copy = copy,
                             .find_peers = find_peers,
                             .prepare_peers = prepare_peers,
                             .run_peer = run_peer,
                             .map = map,
                             .unmap = unmap,
                             .destroy = destroy};
  const relayout_status status = set_up(own, device, error);
  if (status != RELAYOUT_OK) {
    destroy(&own->base);
    return status;
  }
  *target = &own->base;
  return RELAYOUT_OK;
}
