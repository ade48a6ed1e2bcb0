/* many_enqueue.c: runs plans of several destinations, on a caller's queue and on host memory. */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
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
  const rlt_range range = rlt_many_step_range(of->launch, step);
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

/* ---- All of it ------------------------------------------------------------------------------ */

/* An event there is also where nothing had to be done. */
static relayout_status mark(chain *of, relayout_error *error) {
  const cl_int code = of->last != NULL
                          ? CL_SUCCESS
                          : clEnqueueMarkerWithWaitList(of->queue, of->n_wait, of->wait, &of->last);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clEnqueueMarkerWithWaitList");
}

/* Enqueues everything, each command behind the one before. The buffers have been checked. `*event`
 * becomes the last command's, after a failure too; NULL if nothing was enqueued. */
static relayout_status enqueue_steps(const relayout_plan *plan, cl_command_queue queue,
                                     const rlt_many_buffers *at, cl_uint n_wait,
                                     const cl_event *wait, cl_event *event, relayout_error *error) {
  call of = {.launch = plan->many->on_device, .commands = {queue, n_wait, wait, NULL}};
  relayout_status status = rlt_many_make_temporary(plan, &of.temporary, error);
  rlt_many_find_arguments(of.launch, at, of.temporary, &of.tensors);
  if (status == RELAYOUT_OK) {
    status = rlt_many_visit_steps(plan, at, of.temporary, enqueue_step, &of, error);
  }
  if (status == RELAYOUT_OK) {
    status = mark(&of.commands, error);
  }
  if (of.temporary != NULL) {
    clReleaseMemObject(of.temporary); /* stays until its commands have ended */
  }
  *event = of.commands.last;
  return status;
}

/* ---- A caller's buffers --------------------------------------------------------------------- */

static const char *const tensor_names[] = {"elements", "scales", "zero_points"};

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
    const cl_mem buffers[] = {of->elements, of->scales, of->zero_points};
    const size_t offsets[] = {of->elements_offset, of->scales_offset, of->zero_points_offset};
    memcpy(made.buffers[s], buffers, sizeof buffers);
    memcpy(made.offsets[s], offsets, sizeof offsets);
  }
  return made;
}

relayout_status rlt_many_check_call(const relayout_plan *plan, cl_command_queue queue,
                                    const relayout_side_buffers *from,
                                    const relayout_side_buffers *to, relayout_error *error) {
  if (plan == NULL || queue == NULL || from == NULL || to == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    plan == NULL    ? "plan"
                    : queue == NULL ? "queue"
                    : from == NULL  ? "from"
                                    : "to");
  }
  if (plan->many == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "plan is not one of relayout_plan_create_many; calls without _many take it");
  }
  return rlt_opencl_device_of(plan->device) != NULL
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "plan was not made for an OpenCL device");
}

/* One native kernel. */
static relayout_status enqueue_native(const relayout_plan *plan, cl_command_queue queue,
                                      const relayout_side_buffers *from,
                                      const relayout_side_buffers *to, cl_uint n_wait,
                                      const cl_event *wait, cl_event *event,
                                      relayout_error *error) {
  const int32_t side_count = plan->many->count + 1;
  rlt_many_buffers at = buffers_of(plan, from, to);
  rlt_side_tensors sides[RLT_MOST_SIDES] = {{{.by_kernel = false}}};
  rlt_native_command *command = NULL;
  rlt_many_find_tensors(plan->many, sides);
  relayout_status status =
      check_buffers(rlt_opencl_device_of(plan->device), side_count, sides[0], &at, error);
  if (status == RELAYOUT_OK) {
    status = rlt_native_command_make(plan, (size_t)side_count * RLT_SIDE_TENSORS, &command, error);
  }
  for (int32_t i = 0; i < side_count * RLT_SIDE_TENSORS && status == RELAYOUT_OK; ++i) {
    const int32_t s = i / RLT_SIDE_TENSORS, t = i % RLT_SIDE_TENSORS;
    const bool is_there = sides[s][t].used.is_used && at.buffers[s][t] != NULL;
    const rlt_address none = {.buffer = NULL};
    status = rlt_native_command_add_tensor(command,
                                           is_there ? rlt_many_address(&at, s, t, 0) : none, error);
  }
  if (status != RELAYOUT_OK) {
    if (command != NULL) {
      rlt_native_command_drop(command);
    }
    return status;
  }
  return rlt_native_command_enqueue(command, queue, n_wait, wait, event, error);
}

relayout_status rlt_many_check_buffers(const relayout_plan *plan, const relayout_side_buffers *from,
                                       const relayout_side_buffers *to, rlt_many_buffers *at,
                                       relayout_error *error) {
  const rlt_many_launch *const launch = plan->many->on_device;
  *at = buffers_of(plan, from, to);
  return check_buffers(rlt_opencl_device_of(plan->device), launch->side_count, launch->tensors[0],
                       at, error);
}

static relayout_status enqueue_kernels(const relayout_plan *plan, cl_command_queue queue,
                                       const relayout_side_buffers *from,
                                       const relayout_side_buffers *to, cl_uint n_wait,
                                       const cl_event *wait, cl_event *event,
                                       relayout_error *error) {
  rlt_many_buffers at;
  const relayout_status status = rlt_many_check_buffers(plan, from, to, &at, error);
  return status == RELAYOUT_OK ? enqueue_steps(plan, queue, &at, n_wait, wait, event, error)
                               : status;
}

relayout_status relayout_plan_enqueue_many(const relayout_plan *plan, cl_command_queue queue,
                                           const relayout_side_buffers *from,
                                           const relayout_side_buffers *to, cl_uint n_wait,
                                           const cl_event *wait, cl_event *event,
                                           relayout_error *error) {
  cl_event done = NULL;
  relayout_status status = rlt_many_check_call(plan, queue, from, to, error);
  if (status == RELAYOUT_OK) {
    status =
        rlt_check_queue_and_list(rlt_opencl_device_of(plan->device), queue, n_wait, wait, error);
  }
  if (status == RELAYOUT_OK) {
    status = plan->many->on_device == NULL
                 ? enqueue_native(plan, queue, from, to, n_wait, wait, &done, error)
                 : enqueue_kernels(plan, queue, from, to, n_wait, wait, &done, error);
  }
  if (event != NULL) {
    *event = done; /* not before: it may be one of those that were waited for */
  } else if (done != NULL) {
    clReleaseEvent(done);
  }
  return status;
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
  relayout_status status = RELAYOUT_OK;
  cl_event done = NULL;
  for (int32_t i = 0; i < of->launch->side_count * RLT_SIDE_TENSORS && status == RELAYOUT_OK; ++i) {
    status = upload(of, i / RLT_SIDE_TENSORS, i % RLT_SIDE_TENSORS, error);
  }
  if (status == RELAYOUT_OK) {
    status = enqueue_steps(plan, of->queue, &of->at, 0, NULL, &done, error);
  }
  for (int32_t i = 0; i < of->launch->side_count * RLT_SIDE_TENSORS && status == RELAYOUT_OK; ++i) {
    status = download(of, i / RLT_SIDE_TENSORS, i % RLT_SIDE_TENSORS, error);
  }
  const cl_int code = clFinish(of->queue); /* after a failure too: the caller's memory is in use */
  if (done != NULL) {
    clReleaseEvent(done);
  }
  return status == RELAYOUT_OK && code != CL_SUCCESS ? rlt_cl_fail(error, code, "clFinish")
                                                     : status;
}

static void find_hosts(host_call *of, const relayout_source_memory *from,
                       const relayout_destination_memory *to) {
  for (int32_t s = 0; s < of->launch->side_count; ++s) {
    const void *const all[] = {s == 0 ? from->elements : to[s - 1].elements,
                               s == 0 ? from->scales : to[s - 1].scales,
                               s == 0 ? from->zero_points : to[s - 1].zero_points};
    for (int32_t t = 0; t < RLT_SIDE_TENSORS; ++t) {
      of->hosts[s][t] =
          (unsigned char *)((uintptr_t)all[t] + (uintptr_t)of->launch->tensors[s][t].used.lowest);
    }
  }
}

relayout_status rlt_opencl_execute_many(const relayout_plan *plan,
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
