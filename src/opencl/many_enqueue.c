/* many_enqueue.c: runs plans of several destinations, on a caller's queue and on host memory. */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "opencl/endpoint.h"
#include "opencl/many.h"
#include "opencl/native_command.h"
#include "opencl/parts.h"
#include "opencl/transfer.h"

/* ---- One command behind the other ------------------------------------------------------------ */

typedef struct chain {
  cl_command_queue queue;
  cl_uint n_wait; /* of the first command */
  const cl_event *wait;
  cl_event last; /* NULL: nothing is enqueued yet */
} chain;

static cl_uint wait_count(const chain *of) {
  return of->last != NULL ? 1 : of->n_wait;
}

static const cl_event *wait_list(const chain *of) {
  return of->last != NULL ? &of->last : of->wait;
}

static void follow(chain *of, cl_event next) {
  if (next != NULL) {
    if (of->last != NULL) {
      clReleaseEvent(of->last);
    }
    of->last = next;
  }
}

/* ---- Steps ---------------------------------------------------------------------------------- */

typedef struct call {
  const rlt_many_launch *launch;
  rlt_many_arguments tensors;
  cl_mem temporary; /* NULL: none is needed */
  chain commands;
} call;

static relayout_status move(call *of, const rlt_many_step *step, relayout_error *error) {
  cl_event next = NULL;
  const relayout_status status = rlt_opencl_parts_enqueue(
      step->plan, of->commands.queue, step->source, step->destination, &rlt_batch_of_one,
      wait_count(&of->commands), wait_list(&of->commands), &next, error);
  follow(&of->commands, next);
  return status;
}

static cl_int clear(call *of) {
  const cl_uint zero = 0;
  const size_t bytes = (size_t)of->launch->all_groups * sizeof zero;
  cl_event done = NULL;
  const cl_int code =
      clEnqueueFillBuffer(of->commands.queue, of->temporary, &zero, sizeof zero, of->launch->found,
                          bytes, wait_count(&of->commands), wait_list(&of->commands), &done);
  follow(&of->commands, done);
  return code;
}

static cl_int launch_pass(call *of, const rlt_many_step *step) {
  pthread_mutex_t *const lock = (pthread_mutex_t *)(uintptr_t)&of->launch->lock;
  const cl_kernel kernel = of->launch->kernels[step->pass];
  const rlt_nd_range range = rlt_many_step_range(of->launch, step);
  cl_event done = NULL;
  pthread_mutex_lock(lock);
  cl_int code = rlt_many_set_arguments(of->launch, step, &of->tensors, of->temporary, kernel);
  if (code == CL_SUCCESS) {
    code = clEnqueueNDRangeKernel(of->commands.queue, kernel, range.rank, NULL, range.global_size,
                                  range.local_size, wait_count(&of->commands),
                                  wait_list(&of->commands), &done);
  }
  pthread_mutex_unlock(lock);
  follow(&of->commands, done);
  return code;
}

static relayout_status enqueue_step(void *context, const rlt_many_step *step,
                                    relayout_error *error) {
  call *const of = context;
  if (step->kind == RLT_STEP_MOVE) {
    return move(of, step, error);
  }
  const cl_int code = step->kind == RLT_STEP_CLEAR ? clear(of) : launch_pass(of, step);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "enqueuing a kernel");
}

/* Everything between these buffers, which have been checked, behind what is enqueued already. */
static relayout_status enqueue_steps(call *of, const relayout_plan *plan,
                                     const rlt_many_buffers *at, relayout_error *error) {
  rlt_many_find_arguments(of->launch, at, of->temporary, &of->tensors);
  return rlt_many_visit_steps(plan, at, of->temporary, enqueue_step, of, error);
}

static void release_temporary(const call *of) {
  if (of->temporary != NULL) {
    clReleaseMemObject(of->temporary); /* stays until its commands have ended */
  }
}

/* ---- A caller's buffers --------------------------------------------------------------------- */

static const char *const tensor_names[] = {"elements", "scales", "zero_points", "tensor_scale"};

/* The name of a tensor in messages, and of its offset. */
typedef struct tensor_name {
  char tensor[32];
  char offset[40];
} tensor_name;

static void name_tensor(int32_t side, int32_t tensor, tensor_name *made) {
  rlt_text text = rlt_text_in(made->tensor, sizeof made->tensor);
  if (side == 0) {
    rlt_text_add(&text, "from->%s", tensor_names[tensor]);
  } else {
    rlt_text_add(&text, "to[%" PRId32 "].%s", side - 1, tensor_names[tensor]);
  }
  text = rlt_text_in(made->offset, sizeof made->offset);
  rlt_text_add(&text, "%s_offset", made->tensor);
}

static rlt_endpoint endpoint_of(const rlt_many_tensor *tensor, const tensor_name *name,
                                cl_mem buffer, size_t offset) {
  return (rlt_endpoint){.name = name->tensor,
                        .offset_name = name->offset,
                        .kind = RELAYOUT_MEMORY_BUFFER,
                        .memory = buffer,
                        .offset = offset,
                        .lowest = tensor->used.lowest,
                        .size = tensor->used.bytes,
                        .side_size = tensor->used.bytes,
                        .element_size = tensor->element_size,
                        .is_read = !tensor->used.is_written,
                        .access = RLT_ACCESS_BUFFER};
}

/* Tensors that are written share no byte with any other. */
static relayout_status check_apart(const rlt_many_tensor *const *tensors,
                                   const rlt_endpoint *endpoints, int32_t count,
                                   relayout_error *error) {
  for (int32_t i = 0; i < count; ++i) {
    for (int32_t j = 0; j < i; ++j) {
      if ((tensors[i]->used.is_written || tensors[j]->used.is_written) &&
          rlt_endpoints_overlap(&endpoints[j], &endpoints[i])) {
        return rlt_fail(error, RELAYOUT_BUFFERS_OVERLAP, "%s and %s overlap", endpoints[j].name,
                        endpoints[i].name);
      }
    }
  }
  return RELAYOUT_OK;
}

static relayout_status check_buffers(const rlt_opencl_device *device, int32_t side_count,
                                     const rlt_many_tensor *all, rlt_many_buffers *at,
                                     relayout_error *error) {
  enum { MOST = RLT_MOST_SIDES * RLT_SIDE_TENSORS };
  tensor_name names[MOST];
  rlt_endpoint endpoints[MOST];
  const rlt_many_tensor *tensors[MOST];
  relayout_status status = RELAYOUT_OK;
  int32_t count = 0;
  for (int32_t s = 0; s < side_count; ++s) {
    for (int32_t t = 0; t < RLT_SIDE_TENSORS && status == RELAYOUT_OK; ++t) {
      const rlt_many_tensor *const tensor = &all[s * RLT_SIDE_TENSORS + t];
      if (!tensor->used.is_used) {
        continue;
      }
      name_tensor(s, t, &names[count]);
      tensors[count] = tensor;
      endpoints[count] = endpoint_of(tensor, &names[count], at->buffers[s][t], at->offsets[s][t]);
      status = rlt_check_endpoint(device, &endpoints[count], error);
      at->hosts[s][t] = endpoints[count].host;
      count += 1;
    }
  }
  return status == RELAYOUT_OK ? check_apart(tensors, endpoints, count, error) : status;
}

static rlt_many_buffers buffers_of(const relayout_plan *plan, const relayout_side_buffers *from,
                                   const relayout_side_buffers *to) {
  rlt_many_buffers made;
  memset(&made, 0, sizeof made);
  for (int32_t s = 0; s <= plan->many->count; ++s) {
    const relayout_side_buffers *const of = s == 0 ? from : &to[s - 1];
    const cl_mem buffers[] = {of->elements, of->scales, of->zero_points, of->tensor_scale};
    const size_t offsets[] = {of->elements_offset, of->scales_offset, of->zero_points_offset,
                              of->tensor_scale_offset};
    memcpy(made.buffers[s], buffers, sizeof buffers);
    memcpy(made.offsets[s], offsets, sizeof offsets);
  }
  return made;
}

static relayout_status check_plan(const relayout_plan *plan, cl_command_queue queue,
                                  relayout_error *error) {
  if (plan == NULL || queue == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    plan == NULL ? "plan" : "queue");
  }
  if (plan->many == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "plan is not one of relayout_plan_create_many; calls without _many take it");
  }
  return rlt_opencl_device_of(plan->device) != NULL
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "plan was not made for an OpenCL device");
}

static relayout_status check_sides(const relayout_side_buffers *from,
                                   const relayout_side_buffers *to, relayout_error *error) {
  return from != NULL && to != NULL ? RELAYOUT_OK
                                    : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                                               from == NULL ? "from" : "to");
}

relayout_status rlt_many_check_call(const relayout_plan *plan, cl_command_queue queue,
                                    const relayout_side_buffers *from,
                                    const relayout_side_buffers *to, relayout_error *error) {
  const relayout_status status = check_plan(plan, queue, error);
  return status == RELAYOUT_OK ? check_sides(from, to, error) : status;
}

/* By native kernels no tensor is elsewhere than the caller's are. */
relayout_status rlt_many_check_buffers(const relayout_plan *plan, const relayout_side_buffers *from,
                                       const relayout_side_buffers *to, rlt_many_buffers *at,
                                       relayout_error *error) {
  const rlt_opencl_device *const device = rlt_opencl_device_of(plan->device);
  const rlt_many_launch *const launch = plan->many->on_device;
  const int32_t side_count = plan->many->count + 1;
  rlt_side_tensors sides[RLT_MOST_SIDES] = {{{.by_kernel = false}}};
  *at = buffers_of(plan, from, to);
  if (launch != NULL) {
    return check_buffers(device, side_count, launch->tensors[0], at, error);
  }
  rlt_many_find_tensors(plan->many, sides);
  return check_buffers(device, side_count, sides[0], at, error);
}

/* ---- Moves ---------------------------------------------------------------------------------- */

typedef struct batch {
  const relayout_plan *plan;
  cl_command_queue queue;
  size_t count;
  const relayout_opencl_many_move *moves;
  bool is_one; /* the only move, which messages do not number */
  cl_uint n_wait;
  const cl_event *wait;
} batch;

/* Checks a move, and finds where it is. */
static relayout_status find_move(const batch *of, size_t number, rlt_many_buffers *at,
                                 relayout_error *error) {
  const relayout_opencl_many_move *const move = &of->moves[number];
  relayout_error cause;
  relayout_status status = check_sides(move->from, move->to, &cause);
  if (status == RELAYOUT_OK) {
    status = rlt_many_check_buffers(of->plan, move->from, move->to, at, &cause);
  }
  if (status != RELAYOUT_OK && !of->is_one) {
    return rlt_fail_at(error, &cause, "moves[%zu]", number);
  }
  if (status != RELAYOUT_OK && error != NULL) {
    *error = cause;
  }
  return status;
}

static relayout_status check_batch(const batch *of, relayout_error *error) {
  rlt_many_buffers at;
  relayout_status status = rlt_check_queue_and_list(rlt_opencl_device_of(of->plan->device),
                                                    of->queue, of->n_wait, of->wait, error);
  for (size_t i = 0; i < of->count && status == RELAYOUT_OK; ++i) {
    status = find_move(of, i, &at, error);
  }
  return status;
}

/* All tensors of a move; what the plan does not use has no address. */
static relayout_status add_tensors(rlt_native_command *command, const rlt_many *many,
                                   const rlt_many_buffers *at, relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  for (int32_t i = 0; i < (many->count + 1) * RLT_SIDE_TENSORS && status == RELAYOUT_OK; ++i) {
    const int32_t s = i / RLT_SIDE_TENSORS, t = i % RLT_SIDE_TENSORS;
    const bool is_there = many->bytes[s][t].is_used && at->buffers[s][t] != NULL;
    const rlt_address none = {.buffer = NULL};
    status = rlt_native_command_add_tensor(command, is_there ? rlt_many_address(at, s, t, 0) : none,
                                           error);
  }
  return status;
}

/* One native kernel. */
static relayout_status enqueue_native(const batch *of, cl_event *event, relayout_error *error) {
  const size_t tensors = (size_t)(of->plan->many->count + 1) * RLT_SIDE_TENSORS;
  const size_t all = of->count > SIZE_MAX / tensors ? SIZE_MAX : of->count * tensors;
  rlt_native_command *command = NULL;
  rlt_many_buffers at;
  relayout_status status = rlt_native_command_make(of->plan, all, &command, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  for (size_t i = 0; i < of->count && status == RELAYOUT_OK; ++i) {
    status = find_move(of, i, &at, error);
    if (status == RELAYOUT_OK) {
      status = add_tensors(command, of->plan->many, &at, error);
    }
  }
  if (status != RELAYOUT_OK) {
    rlt_native_command_drop(command);
    return status;
  }
  return rlt_native_command_enqueue(command, of->queue, of->n_wait, of->wait, event, error);
}

/* The last events of moves that do not wait for each other. */
typedef struct ends {
  cl_uint count;
  cl_event *of;
} ends;

/* Adds the end of what is enqueued; then the next command waits for the caller's events alone. */
static void end_chain(chain *of, ends *made) {
  if (of->last != NULL) {
    made->of[made->count++] = of->last;
    of->last = NULL;
  }
}

/* One event for all of them. An event there is also where nothing had to be done. */
static relayout_status join(const batch *of, const ends *from, cl_event *event,
                            relayout_error *error) {
  if (from->count == 1) {
    *event = from->of[0];
    return RELAYOUT_OK;
  }
  const cl_int code =
      clEnqueueMarkerWithWaitList(of->queue, from->count == 0 ? of->n_wait : from->count,
                                  from->count == 0 ? of->wait : from->of, event);
  for (cl_uint i = 0; i < from->count; ++i) {
    clReleaseEvent(from->of[i]);
  }
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clEnqueueMarkerWithWaitList");
}

/* Moves that go through temporary memory share it, one behind the other. */
static relayout_status enqueue_moves(const batch *of, ends *made, relayout_error *error) {
  call at = {.launch = of->plan->many->on_device,
             .commands = {of->queue, of->n_wait, of->wait, NULL}};
  rlt_many_buffers buffers;
  relayout_status status = rlt_many_make_temporary(of->plan, &at.temporary, error);
  for (size_t i = 0; i < of->count && status == RELAYOUT_OK; ++i) {
    status = find_move(of, i, &buffers, error);
    if (status == RELAYOUT_OK) {
      status = enqueue_steps(&at, of->plan, &buffers, error);
    }
    if (at.temporary == NULL) {
      end_chain(&at.commands, made);
    }
  }
  end_chain(&at.commands, made);
  release_temporary(&at);
  return status;
}

static relayout_status enqueue_kernels(const batch *of, cl_event *event, relayout_error *error) {
  enum { FEW = 16 };
  cl_event few[FEW];
  cl_event *const many = of->count <= FEW ? few
                         : of->count > SIZE_MAX / sizeof(cl_event)
                             ? NULL
                             : rlt_malloc(of->count * sizeof(cl_event));
  ends made = {0, many};
  if (many == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the events of %zu moves",
                    of->count);
  }
  const relayout_status status = enqueue_moves(of, &made, error);
  const bool has_event = status == RELAYOUT_OK || made.count > 0;
  const relayout_status joined =
      has_event ? join(of, &made, event, status == RELAYOUT_OK ? error : NULL) : RELAYOUT_OK;
  if (many != few) {
    rlt_free(many);
  }
  return status == RELAYOUT_OK ? joined : status;
}

static relayout_status enqueue_all(const batch *of, cl_event *event, relayout_error *error) {
  const ends none = {0, NULL};
  return of->count == 0                      ? join(of, &none, event, error)
         : of->plan->many->on_device == NULL ? enqueue_native(of, event, error)
                                             : enqueue_kernels(of, event, error);
}

/* The plan and the queue are there, and so are the moves. */
static relayout_status enqueue(const batch *of, cl_event *event, relayout_error *error) {
  cl_event done = NULL;
  relayout_status status = check_batch(of, error);
  if (status == RELAYOUT_OK) {
    status = enqueue_all(of, &done, error);
  }
  if (event != NULL) {
    *event = done; /* not before: it may be one of those that were waited for */
  } else if (done != NULL) {
    clReleaseEvent(done);
  }
  return status;
}

static relayout_status refuse(relayout_status status, cl_event *event) {
  if (event != NULL) {
    *event = NULL;
  }
  return status;
}

relayout_status relayout_plan_enqueue_many(const relayout_plan *plan, cl_command_queue queue,
                                           const relayout_side_buffers *from,
                                           const relayout_side_buffers *to, cl_uint n_wait,
                                           const cl_event *wait, cl_event *event,
                                           relayout_error *error) {
  const relayout_opencl_many_move move = {from, to};
  const batch of = {plan, queue, 1, &move, true, n_wait, wait};
  const relayout_status status = rlt_many_check_call(plan, queue, from, to, error);
  return status == RELAYOUT_OK ? enqueue(&of, event, error) : refuse(status, event);
}

relayout_status relayout_plan_enqueue_many_batch(const relayout_plan *plan, cl_command_queue queue,
                                                 size_t count,
                                                 const relayout_opencl_many_move *moves,
                                                 cl_uint n_wait, const cl_event *wait,
                                                 cl_event *event, relayout_error *error) {
  const batch of = {plan, queue, count, moves, false, n_wait, wait};
  relayout_status status = check_plan(plan, queue, error);
  if (status == RELAYOUT_OK && moves == NULL && count > 0) {
    status = rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "moves is NULL, but count is %zu", count);
  }
  return status == RELAYOUT_OK ? enqueue(&of, event, error) : refuse(status, event);
}

/* ---- Host memory ---------------------------------------------------------------------------- */

/* What a call on host memory has on the device. */
typedef struct host_call {
  const rlt_many_launch *launch;
  const rlt_opencl_device *device;
  cl_command_queue queue;
  unsigned char *hosts[RLT_MOST_SIDES][RLT_SIDE_TENSORS]; /* lowest bytes */
  rlt_many_buffers at;
} host_call;

/* Behind a buffer's start there is what the host's lowest byte is off a multiple, so that offsets
 * are whole elements. */
static relayout_status upload(host_call *of, int32_t side, int32_t tensor, relayout_error *error) {
  const rlt_many_tensor *const as = &of->launch->tensors[side][tensor];
  cl_mem *const buffer = &of->at.buffers[side][tensor];
  if (!as->used.is_used || as->used.bytes == 0) {
    return RELAYOUT_OK;
  }
  const size_t lead = (size_t)(as->start - as->used.lowest);
  const size_t before = (as->element_size - lead % as->element_size) % as->element_size;
  tensor_name name;
  name_tensor(side, tensor, &name);
  const relayout_status status =
      rlt_buffer_make(of->device, name.tensor, before + as->used.bytes, buffer, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  of->at.offsets[side][tensor] = before - (size_t)as->used.lowest;
  const cl_int code = clEnqueueWriteBuffer(of->queue, *buffer, CL_FALSE, before, as->used.bytes,
                                           of->hosts[side][tensor], 0, NULL, NULL);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clEnqueueWriteBuffer");
}

static relayout_status download(const host_call *of, int32_t side, int32_t tensor,
                                relayout_error *error) {
  const rlt_many_tensor *const as = &of->launch->tensors[side][tensor];
  if (!as->used.is_used || !as->used.is_written || as->used.bytes == 0) {
    return RELAYOUT_OK;
  }
  const size_t before = of->at.offsets[side][tensor] + (size_t)as->used.lowest;
  const cl_int code = clEnqueueReadBuffer(of->queue, of->at.buffers[side][tensor], CL_FALSE, before,
                                          as->used.bytes, of->hosts[side][tensor], 0, NULL, NULL);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clEnqueueReadBuffer");
}

static relayout_status run_host_call(const relayout_plan *plan, host_call *of,
                                     relayout_error *error) {
  call at = {.launch = of->launch, .commands = {of->queue, 0, NULL, NULL}};
  relayout_status status = RELAYOUT_OK;
  for (int32_t i = 0; i < of->launch->side_count * RLT_SIDE_TENSORS && status == RELAYOUT_OK; ++i) {
    status = upload(of, i / RLT_SIDE_TENSORS, i % RLT_SIDE_TENSORS, error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_many_make_temporary(plan, &at.temporary, error);
  }
  if (status == RELAYOUT_OK) {
    status = enqueue_steps(&at, plan, &of->at, error);
  }
  for (int32_t i = 0; i < of->launch->side_count * RLT_SIDE_TENSORS && status == RELAYOUT_OK; ++i) {
    status = download(of, i / RLT_SIDE_TENSORS, i % RLT_SIDE_TENSORS, error);
  }
  const cl_int code = clFinish(of->queue); /* after a failure too: the caller's memory is in use */
  if (at.commands.last != NULL) {
    clReleaseEvent(at.commands.last);
  }
  release_temporary(&at);
  return status == RELAYOUT_OK && code != CL_SUCCESS ? rlt_cl_fail(error, code, "clFinish")
                                                     : status;
}

static void find_hosts(host_call *of, const relayout_source_memory *from,
                       const relayout_destination_memory *to) {
  for (int32_t s = 0; s < of->launch->side_count; ++s) {
    const void *const all[] = {s == 0 ? from->elements : to[s - 1].elements,
                               s == 0 ? from->scales : to[s - 1].scales,
                               s == 0 ? from->zero_points : to[s - 1].zero_points,
                               s == 0 ? from->tensor_scale : to[s - 1].tensor_scale};
    for (int32_t t = 0; t < RLT_SIDE_TENSORS; ++t) {
      of->hosts[s][t] =
          (unsigned char *)((uintptr_t)all[t] + (uintptr_t)of->launch->tensors[s][t].used.lowest);
    }
  }
}

static relayout_status execute_at_once(const relayout_plan *plan,
                                       const relayout_source_memory *from,
                                       const relayout_destination_memory *to,
                                       relayout_error *error) {
  host_call of = {.launch = plan->many->on_device, .device = rlt_opencl_device_of(plan->device)};
  cl_int code = CL_SUCCESS;
  find_hosts(&of, from, to);
  of.queue = clCreateCommandQueue(of.device->context, of.device->id, 0, &code);
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clCreateCommandQueue");
  }
  const relayout_status status = run_host_call(plan, &of, error);
  for (int32_t i = 0; i < of.launch->side_count * RLT_SIDE_TENSORS; ++i) {
    const cl_mem buffer = of.at.buffers[i / RLT_SIDE_TENSORS][i % RLT_SIDE_TENSORS];
    if (buffer != NULL) {
      clReleaseMemObject(buffer);
    }
  }
  clReleaseCommandQueue(of.queue);
  return status;
}

/* ---- What does not fit ---- */

/* Others have some memory too, and temporary memory is as large for a range as for all. A buffer
 * has an element more than what is moved. */
static rlt_many_room room_on(const relayout_plan *plan) {
  enum { MOST_ELEMENT = 16 };
  const relayout_device_info *const info = &plan->device->info;
  const uint64_t memory = info->memory_bytes > 0 ? info->memory_bytes / 2 : RLT_MOST_BYTES;
  const rlt_many_launch *const launch = plan->many->on_device;
  const uint64_t temporary = launch->temporary_bytes;
  const uint64_t tensor = info->allocation_bytes > 0 ? info->allocation_bytes : RLT_MOST_BYTES;
  return (rlt_many_room){tensor > MOST_ELEMENT ? tensor - MOST_ELEMENT : 1,
                         memory > temporary ? memory - temporary : 1};
}

/* One range after the other; each has a kernel of its own, which knows where it begins. */
static relayout_status execute_ranges(const relayout_plan *plan, const rlt_boxes *boxes,
                                      const relayout_source_memory *from,
                                      const relayout_destination_memory *to,
                                      relayout_error *error) {
  rlt_plan_request request = rlt_plain_request();
  relayout_status status = RELAYOUT_OK;
  request.changes = plan->request.changes;
  for (int64_t i = 0; i < boxes->count && status == RELAYOUT_OK; ++i) {
    rlt_index_box range;
    relayout_plan *part = NULL;
    rlt_boxes_get(boxes, i, &range);
    status = rlt_many_create_again(plan->many, plan->device, &range, &request, &part, error);
    if (status == RELAYOUT_OK) {
      status = execute_at_once(part, from, to, error);
    }
    relayout_plan_destroy(part);
  }
  return status;
}

relayout_status rlt_opencl_execute_many(const relayout_plan *plan,
                                        const relayout_source_memory *from,
                                        const relayout_destination_memory *to,
                                        relayout_error *error) {
  const rlt_many_room room = room_on(plan);
  relayout_status status = RELAYOUT_OK;
  rlt_boxes boxes;
  bool can = false;
  if (!rlt_many_has_room(plan->many, room)) {
    status = rlt_many_cut(plan->many, room, &boxes, &can, error);
  }
  return status != RELAYOUT_OK ? status
         : can                 ? execute_ranges(plan, &boxes, from, to, error)
                               : execute_at_once(plan, from, to, error);
}
