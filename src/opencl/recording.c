/* recording.c: relayouts in command buffers. */
#include "opencl/recorded.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/memory.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "opencl/endpoint.h"
#include "opencl/many.h"
#include "opencl/native.h"
#include "opencl/parts.h"
#include "plan/verbose.h"

/* What a caller records: one relayout, or, where `move` is NULL, that of several destinations. */
typedef struct sides {
  const relayout_opencl_move *move;
  const relayout_side_buffers *from;
  const relayout_side_buffers *to;
} sides;

/* Where a recording's sides are, checked. */
typedef struct places {
  rlt_address source;
  rlt_address destination;
} places;

/* ---- Lives ---- */

/* A recording of nothing, without a command buffer. */
static relayout_status make(relayout_plan *plan, const rlt_command_buffers *with,
                            relayout_recording **recording, relayout_error *error) {
  const int32_t count = plan->many != NULL ? rlt_recorded_many_count(plan) : plan->work.part_count;
  relayout_recording *const made =
      rlt_calloc(1, sizeof *made + (size_t)count * sizeof made->commands[0]);
  if (made == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY,
                    "no memory for a recording of %" PRId32 " commands", count);
  }
  atomic_init(&made->holders, 1);
  relayout_plan_retain(plan);
  made->plan = plan;
  made->with = *with;
  made->command_count = count;
  *recording = made;
  return RELAYOUT_OK;
}

void relayout_recording_retain(relayout_recording *recording) {
  if (recording != NULL) {
    atomic_fetch_add(&recording->holders, 1);
  }
}

void relayout_recording_destroy(relayout_recording *recording) {
  if (recording == NULL || atomic_fetch_sub(&recording->holders, 1) > 1) {
    return;
  }
  if (recording->owns_buffer) {
    recording->with.release(recording->buffer);
  }
  for (int32_t i = 0; i < recording->command_count; ++i) {
    if (recording->commands[i].kernel != NULL) {
      clReleaseKernel(recording->commands[i].kernel);
    }
  }
  if (recording->temporary != NULL) {
    clReleaseMemObject(recording->temporary);
  }
  if (recording->queue != NULL) {
    clReleaseCommandQueue(recording->queue);
  }
  relayout_plan_destroy(recording->plan);
  rlt_free(recording);
}

static relayout_status hold_queue(relayout_recording *recording, cl_command_queue queue,
                                  relayout_error *error) {
  const cl_int code = clRetainCommandQueue(queue);
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clRetainCommandQueue");
  }
  recording->queue = queue;
  return RELAYOUT_OK;
}

/* ---- Recording ---- */

static uintptr_t address_of(rlt_address place) {
  return (uintptr_t)place.host + place.offset;
}

static relayout_status find_places(const relayout_plan *plan, cl_command_queue queue,
                                   const relayout_opencl_move *move, places *at,
                                   relayout_error *error) {
  rlt_endpoint source = rlt_endpoint_of_buffer(plan, true, move->source, move->source_offset);
  rlt_endpoint destination =
      rlt_endpoint_of_buffer(plan, false, move->destination, move->destination_offset);
  const relayout_status status = rlt_check_submission(rlt_opencl_device_of(plan->device), queue,
                                                      &source, &destination, 0, NULL, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  *at = (places){rlt_endpoint_address(&source), rlt_endpoint_address(&destination)};
  return rlt_plan_check_places(plan, address_of(at->source), address_of(at->destination), error);
}

relayout_status rlt_recorded_part_make(rlt_recorded_command *made, const rlt_work *work,
                                       int32_t part, rlt_address source, rlt_address destination,
                                       relayout_error *error) {
  made->launch = rlt_opencl_part_launch(work, part, source, destination);
  made->range = rlt_launch_range(made->launch, 1);
  const relayout_status status = rlt_launch_make_kernel(made->launch, &made->kernel, error);
  return status == RELAYOUT_OK ? rlt_launch_set_addresses(made->launch, made->kernel, source,
                                                          destination, &rlt_batch_of_one, error)
                               : status;
}

/* All that can fail without a command. */
static relayout_status make_kernels(relayout_recording *recording, const relayout_opencl_move *move,
                                    relayout_error *error) {
  places at;
  relayout_status status = find_places(recording->plan, recording->queue, move, &at, error);
  for (int32_t i = 0; i < recording->command_count && status == RELAYOUT_OK; ++i) {
    status = rlt_recorded_part_make(&recording->commands[i], &recording->plan->work, i, at.source,
                                    at.destination, error);
  }
  return status;
}

static relayout_status append_command(relayout_recording *recording, rlt_recorded_command *of,
                                      cl_uint n_wait, const cl_sync_point_khr *wait,
                                      cl_sync_point_khr *sync_point, relayout_error *error) {
  const rlt_command_buffers *const with = &recording->with;
  if (of->kernel == NULL) {
    const cl_int code =
        rlt_command_buffers_clear(with, recording->buffer, recording->temporary, of->cleared,
                                  of->cleared_bytes, n_wait, wait, sync_point);
    return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clCommandFillBufferKHR");
  }
  const cl_int code = with->command_range(
      recording->buffer, NULL, recording->is_mutable ? rlt_mutable_arguments : NULL, of->kernel,
      of->range.rank, NULL, of->range.global_size, of->range.local_size, n_wait, wait, sync_point,
      recording->is_mutable ? &of->command : NULL);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clCommandNDRangeKernelKHR");
}

/* Each command behind the one before it, so that the last one's sync point is the relayout's.
 * Without one the parts of a relayout do not depend on each other; the steps of several
 * destinations do. */
static relayout_status append(relayout_recording *recording, cl_uint n_wait,
                              const cl_sync_point_khr *wait, cl_sync_point_khr *sync_point,
                              relayout_error *error) {
  const bool are_chained = sync_point != NULL || recording->plan->many != NULL;
  cl_sync_point_khr last = 0;
  if (recording->command_count == 0) {
    const cl_int code =
        rlt_command_buffers_barrier(&recording->with, recording->buffer, n_wait, wait, sync_point);
    return code == CL_SUCCESS ? RELAYOUT_OK
                              : rlt_cl_fail(error, code, "clCommandBarrierWithWaitListKHR");
  }
  for (int32_t i = 0; i < recording->command_count; ++i) {
    const bool follows = i > 0 && are_chained;
    cl_sync_point_khr next = 0;
    const relayout_status status =
        append_command(recording, &recording->commands[i], follows ? 1 : n_wait,
                       follows ? &last : wait, are_chained ? &next : NULL, error);
    if (status != RELAYOUT_OK) {
      return status;
    }
    last = next;
  }
  if (sync_point != NULL) {
    *sync_point = last;
  }
  return RELAYOUT_OK;
}

/* In the command buffer and on the queue that are known. */
static relayout_status record(relayout_recording *recording, const sides *of, cl_uint n_wait,
                              const cl_sync_point_khr *wait, cl_sync_point_khr *sync_point,
                              relayout_error *error) {
  const relayout_status status = of->move != NULL
                                     ? make_kernels(recording, of->move, error)
                                     : rlt_recorded_many_make(recording, of->from, of->to, error);
  return status == RELAYOUT_OK ? append(recording, n_wait, wait, sync_point, error) : status;
}

/* The first steps of both ways to record. Command buffers take work-group kernels alone. */
static relayout_status begin(relayout_plan *plan, cl_command_queue queue, const sides *of,
                             relayout_recording **recording, relayout_error *error) {
  if (recording == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "recording is NULL");
  }
  *recording = NULL;
  rlt_command_buffers with;
  relayout_status status = of->move != NULL
                               ? rlt_check_handles(plan, queue, error)
                               : rlt_many_check_call(plan, queue, of->from, of->to, error);
  if (status == RELAYOUT_OK) {
    status = rlt_command_buffers_find(rlt_opencl_device_of(plan->device), &with, error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_native_plan_by_kernels(plan, &plan, error);
  }
  return status == RELAYOUT_OK ? make(plan, &with, recording, error) : status;
}

/* Their last one. */
static relayout_status end(relayout_status status, relayout_recording **recording) {
  if (status != RELAYOUT_OK && recording != NULL) {
    relayout_recording_destroy(*recording);
    *recording = NULL;
  }
  return status;
}

static relayout_status take_buffer(relayout_recording *recording, cl_command_buffer_khr buffer,
                                   cl_command_queue queue, relayout_error *error) {
  bool is_mutable = false;
  const relayout_status status =
      rlt_command_buffers_check(&recording->with, buffer, &is_mutable, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  recording->buffer = buffer;
  recording->is_mutable = is_mutable && recording->with.update != NULL;
  return hold_queue(recording, queue, error);
}

static relayout_status check_commands(cl_command_buffer_khr buffer, cl_uint n_wait,
                                      const cl_sync_point_khr *wait, relayout_error *error) {
  if (buffer == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "command_buffer is NULL");
  }
  return (n_wait == 0) == (wait == NULL)
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "n_wait is %u, but wait is %s",
                        (unsigned)n_wait, wait == NULL ? "NULL" : "not NULL");
}

/* In a caller's command buffer. */
static relayout_status record_in(cl_command_buffer_khr command_buffer, relayout_plan *plan,
                                 cl_command_queue queue, const sides *of, cl_uint n_wait,
                                 const cl_sync_point_khr *wait, cl_sync_point_khr *sync_point,
                                 relayout_recording **recording, relayout_error *error) {
  relayout_status status = begin(plan, queue, of, recording, error);
  if (status == RELAYOUT_OK) {
    status = check_commands(command_buffer, n_wait, wait, error);
  }
  if (status == RELAYOUT_OK) {
    status = take_buffer(*recording, command_buffer, queue, error);
  }
  if (status == RELAYOUT_OK) {
    status = record(*recording, of, n_wait, wait, sync_point, error);
  }
  return end(status, recording);
}

relayout_status relayout_plan_record(relayout_plan *plan, cl_command_buffer_khr command_buffer,
                                     cl_command_queue queue, cl_mem source, size_t source_offset,
                                     cl_mem destination, size_t destination_offset, cl_uint n_wait,
                                     const cl_sync_point_khr *wait, cl_sync_point_khr *sync_point,
                                     relayout_recording **recording, relayout_error *error) {
  const relayout_opencl_move move = {source, source_offset, destination, destination_offset};
  const sides of = {.move = &move};
  return record_in(command_buffer, plan, queue, &of, n_wait, wait, sync_point, recording, error);
}

relayout_status relayout_plan_record_many(relayout_plan *plan, cl_command_buffer_khr command_buffer,
                                          cl_command_queue queue, const relayout_side_buffers *from,
                                          const relayout_side_buffers *to, cl_uint n_wait,
                                          const cl_sync_point_khr *wait,
                                          cl_sync_point_khr *sync_point,
                                          relayout_recording **recording, relayout_error *error) {
  const sides of = {.from = from, .to = to};
  return record_in(command_buffer, plan, queue, &of, n_wait, wait, sync_point, recording, error);
}

/* ---- In a command buffer of its own ---- */

static relayout_status make_buffer(relayout_recording *recording, cl_command_queue queue,
                                   relayout_error *error) {
  const rlt_opencl_device *const device = rlt_opencl_device_of(recording->plan->device);
  relayout_status status = rlt_check_queue_and_list(device, queue, 0, NULL, error);
  if (status == RELAYOUT_OK) {
    status = hold_queue(recording, queue, error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_command_buffers_make(&recording->with, queue, &recording->buffer, error);
  }
  recording->owns_buffer = status == RELAYOUT_OK;
  recording->is_mutable = recording->with.update != NULL;
  return status;
}

static relayout_status finalize(const relayout_recording *recording, relayout_error *error) {
  const cl_int code = recording->with.finalize(recording->buffer);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clFinalizeCommandBufferKHR");
}

static relayout_status create(relayout_plan *plan, cl_command_queue queue, const sides *of,
                              relayout_recording **recording, relayout_error *error) {
  relayout_status status = begin(plan, queue, of, recording, error);
  if (status == RELAYOUT_OK) {
    status = make_buffer(*recording, queue, error);
  }
  if (status == RELAYOUT_OK) {
    status = record(*recording, of, 0, NULL, NULL, error);
  }
  if (status == RELAYOUT_OK) {
    status = finalize(*recording, error);
  }
  return end(status, recording);
}

relayout_status relayout_recording_create(relayout_plan *plan, cl_command_queue queue,
                                          cl_mem source, size_t source_offset, cl_mem destination,
                                          size_t destination_offset, relayout_recording **recording,
                                          relayout_error *error) {
  const relayout_opencl_move move = {source, source_offset, destination, destination_offset};
  const sides of = {.move = &move};
  return create(plan, queue, &of, recording, error);
}

relayout_status relayout_recording_create_many(relayout_plan *plan, cl_command_queue queue,
                                               const relayout_side_buffers *from,
                                               const relayout_side_buffers *to,
                                               relayout_recording **recording,
                                               relayout_error *error) {
  const sides of = {.from = from, .to = to};
  return create(plan, queue, &of, recording, error);
}

static relayout_status enqueue(relayout_recording *recording, cl_uint n_wait, const cl_event *wait,
                               cl_event *event, relayout_error *error) {
  if (recording == NULL || !recording->owns_buffer) {
    return rlt_fail(
        error, RELAYOUT_INVALID_ARGUMENT,
        recording == NULL
            ? "recording is NULL"
            : "recording is in the caller's own command buffer, which the caller enqueues");
  }
  const relayout_status status = rlt_check_queue_and_list(
      rlt_opencl_device_of(recording->plan->device), recording->queue, n_wait, wait, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const cl_int code = recording->with.enqueue(0, NULL, recording->buffer, n_wait, wait, event);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clEnqueueCommandBufferKHR");
}

relayout_status relayout_recording_enqueue(relayout_recording *recording, cl_uint n_wait,
                                           const cl_event *wait, cl_event *event,
                                           relayout_error *error) {
  cl_event done = NULL;
  const double begun = rlt_verbose_begin();
  const relayout_status status =
      enqueue(recording, n_wait, wait, event == NULL ? NULL : &done, error);
  if (event != NULL) {
    *event = status == RELAYOUT_OK ? done : NULL; /* not before: it may be one of those of wait */
  }
  if (status == RELAYOUT_OK && recording->plan->many == NULL) {
    rlt_verbose_end(begun, RLT_TOLD_ENQUEUE, recording->plan, 1);
  }
  return status;
}

/* ---- Other buffers ---- */

/* `is_many`: the call is one for several destinations. */
static relayout_status check_mutable(const relayout_recording *recording, bool is_many,
                                     relayout_error *error) {
  if (recording == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "recording is NULL");
  }
  if ((recording->plan->many != NULL) != is_many) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    is_many ? "recording has one destination: relayout_recording_set_buffers "
                              "changes its buffers"
                            : "recording is of a plan of relayout_plan_create_many: "
                              "relayout_recording_set_side_buffers changes its buffers");
  }
  if (recording->is_mutable) {
    return RELAYOUT_OK;
  }
  return recording->with.update == NULL
             ? rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "device %s cannot change arguments: it lacks "
                        "cl_khr_command_buffer_mutable_dispatch 0.9.2 or a later 0.9",
                        recording->plan->device->info.name)
             : rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "the command buffer was not made with CL_COMMAND_BUFFER_MUTABLE_KHR of "
                        "cl_khr_command_buffer_mutable_dispatch");
}

static rlt_mutation mutation_of(const rlt_recorded_command *part, const places *at,
                                rlt_part_arguments *to) {
  const cl_uint side_count = rlt_launch_has_source(part->launch) ? 2 : 1;
  for (cl_uint i = 0; i < side_count; ++i) {
    const rlt_address *const place = i == 0 ? &at->destination : &at->source;
    rlt_side_arguments *const side = &to->sides[i];
    to->buffers[i] = place->buffer;
    *side = rlt_launch_side_arguments(part->launch, i == 1, *place, &rlt_batch_of_one);
    to->of[2 * i] = (rlt_mutable_argument){side->number, sizeof to->buffers[i], &to->buffers[i]};
    to->of[2 * i + 1] =
        (rlt_mutable_argument){side->number + side->buffer_count, side->starts_size, &side->starts};
  }
  return (rlt_mutation){part->command, 2 * side_count, to->of};
}

relayout_status rlt_recorded_part_move(const rlt_recorded_command *part, rlt_address source,
                                       rlt_address destination, rlt_part_arguments *arguments,
                                       rlt_mutation *made, relayout_error *error) {
  const places at = {source, destination};
  const rlt_schedule *const schedule = part->launch->schedule;
  if (address_of(source) % (uintptr_t)schedule->source_alignment != 0 ||
      address_of(destination) % (uintptr_t)schedule->destination_alignment != 0) {
    return rlt_schedule_fail_alignment(schedule, "the recording", address_of(source),
                                       address_of(destination), error);
  }
  *made = mutation_of(part, &at, arguments);
  return RELAYOUT_OK;
}

/* Nothing is changed unless all parts can be. */
static relayout_status change(const relayout_recording *recording, const places *at,
                              relayout_error *error) {
  const size_t count = (size_t)recording->command_count;
  rlt_mutation *const mutations = rlt_calloc(count, sizeof *mutations);
  rlt_part_arguments *const arguments = rlt_calloc(count, sizeof *arguments);
  relayout_status status =
      mutations != NULL && arguments != NULL
          ? RELAYOUT_OK
          : rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for %zu changed kernels", count);
  for (size_t i = 0; i < count && status == RELAYOUT_OK; ++i) {
    status = rlt_recorded_part_move(&recording->commands[i], at->source, at->destination,
                                    &arguments[i], &mutations[i], error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_command_buffers_update(&recording->with, recording->buffer,
                                        recording->command_count, mutations, error);
  }
  rlt_free(arguments);
  rlt_free(mutations);
  return status;
}

relayout_status relayout_recording_set_buffers(relayout_recording *recording, cl_mem source,
                                               size_t source_offset, cl_mem destination,
                                               size_t destination_offset, relayout_error *error) {
  const relayout_opencl_move move = {source, source_offset, destination, destination_offset};
  places at;
  relayout_status status = check_mutable(recording, false, error);
  if (status == RELAYOUT_OK) {
    status = find_places(recording->plan, recording->queue, &move, &at, error);
  }
  return status == RELAYOUT_OK && recording->command_count > 0 ? change(recording, &at, error)
                                                               : status;
}

relayout_status relayout_recording_set_side_buffers(relayout_recording *recording,
                                                    const relayout_side_buffers *from,
                                                    const relayout_side_buffers *to,
                                                    relayout_error *error) {
  relayout_status status = check_mutable(recording, true, error);
  if (status == RELAYOUT_OK) {
    status = rlt_many_check_call(recording->plan, recording->queue, from, to, error);
  }
  return status == RELAYOUT_OK ? rlt_recorded_many_move(recording, from, to, error) : status;
}
