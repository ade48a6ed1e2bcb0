/* native_command.c: one native kernel for any number of relayouts by one plan, or for all that a
 * plan of several destinations does.
 *
 * A command must hold its plan until it ran. It may also never run: when an event that it waits for
 * fails, the driver gives it up, and PoCL 3.1 calls no callback of its event then. What OpenCL
 * promises in either case is that a command holds its memory objects exactly as long as it needs
 * them. So each command has a memory object of its own, the keeper, which nobody else holds, and is
 * freed by the keeper's destructor callback.
 *
 * PoCL hands the addresses of the memory objects over in the order in which these were made, which
 * need not be the order of the list (it sorts them by number: 1.8 to 6.0 at least). Nothing tells
 * one address from another, so a command with several buffers asks first, for each buffer but one:
 * by a native kernel with that buffer and the keeper, which is the younger. The last address is
 * what is left. Questions wait for nothing, on a queue of the device's own, and so never fail: PoCL
 * 3.1 ends the process when a command fails of which nobody holds the event.
 */
#include "opencl/native_command.h"

#include <stdatomic.h>

#include "base/error.h"
#include "base/memory.h"
#include "cpu/cpu.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "opencl/many.h"

/* The number of a side that lies in no buffer. */
static const size_t no_buffer = SIZE_MAX;

/* A side: so many bytes behind its buffer's address, or an address. */
typedef struct native_side {
  size_t buffer;
  uintptr_t start;
} native_side;

/* What the driver copies when a kernel is enqueued, and puts addresses into before it runs. */
typedef struct native_arguments {
  rlt_native_command *command;
  size_t question; /* the number of the buffer that is asked for */
  void *addresses[];
} native_arguments;

struct rlt_native_command {
  _Atomic(relayout_plan *) plan; /* held once it is enqueued; NULL when it ran */
  const relayout_plan *of;
  cl_mem keeper;
  cl_command_queue asked; /* where questions go; NULL: the driver keeps the list's order */
  /* The source and the destination of each relayout; or all tensors of each by a plan of several
   * destinations, as rlt_many_tensor orders them, and the memory that it needs. */
  size_t count;
  native_side *sides;
  rlt_cpu_many_call *call;
  size_t buffer_count;
  cl_mem *buffers; /* no two alike; whole ones, as parts have no addresses of their own on PoCL */
  void **addresses;
  /* To enqueue a kernel with: its memory objects, where their addresses go, and the rest. */
  cl_mem *listed;
  const void **locations;
  native_arguments *arguments;
};

/* ---- Making one ---- */

/* Everything but the call's memory lies in one piece. */
relayout_status rlt_native_command_make(const relayout_plan *plan, size_t sides,
                                        rlt_native_command **command, relayout_error *error) {
  const size_t objects = sides + 1; /* with the keeper */
  const size_t bytes = sizeof(rlt_native_command) +
                       sides * (sizeof(native_side) + sizeof(cl_mem) + sizeof(void *)) +
                       objects * (sizeof(cl_mem) + 2 * sizeof(void *)) + sizeof(native_arguments);
  rlt_native_command *const made = sides > SIZE_MAX / 128 ? NULL : rlt_malloc(bytes);
  if (made == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a native kernel of %zu tensors",
                    sides);
  }
  *made = (rlt_native_command){.of = plan, .asked = rlt_opencl_device_of(plan->device)->questions};
  made->sides = (native_side *)(made + 1);
  made->buffers = (cl_mem *)(made->sides + sides);
  made->addresses = (void **)(made->buffers + sides);
  made->listed = (cl_mem *)(made->addresses + sides);
  made->locations = (const void **)(made->listed + objects);
  made->arguments = (native_arguments *)(made->locations + objects);
  if (plan->many != NULL) {
    const relayout_status status = rlt_cpu_many_prepare(plan, &made->call, error);
    if (status != RELAYOUT_OK) {
      rlt_free(made);
      return status;
    }
  }
  *command = made;
  return RELAYOUT_OK;
}

/* While the plan is held: the call's memory is freed by what the plan says. */
static void free_call(rlt_native_command *command) {
  rlt_cpu_many_free(command->call);
  command->call = NULL;
}

void rlt_native_command_drop(rlt_native_command *command) {
  free_call(command);
  rlt_free(command);
}

/* The number of a buffer of the command's, which it is from now on. Mostly it is one of the last.
 */
static size_t number_of(rlt_native_command *command, cl_mem buffer) {
  for (size_t i = command->buffer_count; i > 0; --i) {
    if (command->buffers[i - 1] == buffer) {
      return i - 1;
    }
  }
  command->buffers[command->buffer_count] = buffer;
  return command->buffer_count++;
}

static relayout_status find_side(rlt_native_command *command, rlt_address place, native_side *side,
                                 relayout_error *error) {
  *side = (native_side){no_buffer, (uintptr_t)place.host + place.offset};
  if (place.buffer == NULL) {
    return RELAYOUT_OK;
  }
  cl_mem whole = NULL;
  size_t origin = 0;
  cl_int code =
      clGetMemObjectInfo(place.buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, NULL);
  if (code == CL_SUCCESS && whole != NULL) {
    code = clGetMemObjectInfo(place.buffer, CL_MEM_OFFSET, sizeof origin, &origin, NULL);
  }
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clGetMemObjectInfo");
  }
  side->buffer = number_of(command, whole != NULL ? whole : place.buffer);
  side->start = origin + place.offset;
  return RELAYOUT_OK;
}

relayout_status rlt_native_command_add_tensor(rlt_native_command *command, rlt_address tensor,
                                              relayout_error *error) {
  return find_side(command, tensor, &command->sides[command->count++], error);
}

relayout_status rlt_native_command_add(rlt_native_command *command, rlt_address source,
                                       rlt_address destination, relayout_error *error) {
  const relayout_status status = rlt_native_command_add_tensor(command, source, error);
  return status == RELAYOUT_OK ? rlt_native_command_add_tensor(command, destination, error)
                               : status;
}

/* ---- Running ---- */

static void let_plan_go(rlt_native_command *command) {
  free_call(command);
  relayout_plan_destroy(atomic_exchange(&command->plan, NULL));
}

static void CL_CALLBACK answer(void *copied) {
  const native_arguments *const arguments = copied;
  arguments->command->addresses[arguments->question] = arguments->addresses[0];
}

/* Addresses in any order add up to the same. */
static void find_addresses(rlt_native_command *command, void *const *given) {
  uintptr_t rest = 0;
  for (size_t i = 0; i < command->buffer_count; ++i) {
    rest += (uintptr_t)given[i];
    if (command->asked == NULL) {
      command->addresses[i] = given[i];
    }
  }
  if (command->asked != NULL && command->buffer_count > 0) {
    const size_t last = command->buffer_count - 1;
    for (size_t i = 0; i < last; ++i) {
      rest -= (uintptr_t)command->addresses[i];
    }
    command->addresses[last] = (void *)rest;
  }
}

static void *address_of(const rlt_native_command *command, native_side side) {
  const uintptr_t base = side.buffer == no_buffer ? 0 : (uintptr_t)command->addresses[side.buffer];
  return (void *)(base + side.start);
}

/* Neither of these can fail. */
static void run_relayouts(const rlt_native_command *command) {
  const relayout_plan *const plan = command->of;
  for (size_t i = 0; i + 1 < command->count; i += 2) {
    (void)rlt_cpu_run(plan->device->planner, &plan->work, address_of(command, command->sides[i]),
                      address_of(command, command->sides[i + 1]), NULL);
  }
}

/* One move after the other, in the call's memory. */
static void run_many(const rlt_native_command *command) {
  const int32_t destinations = command->of->many->count;
  const size_t all = (size_t)(destinations + 1) * RLT_SIDE_TENSORS;
  for (size_t i = 0; i + all <= command->count; i += all) {
    relayout_destination_memory to[RLT_MOST_DESTINATIONS];
    const native_side *next = &command->sides[i];
    const relayout_source_memory from = {address_of(command, next[0]), address_of(command, next[1]),
                                         address_of(command, next[2]),
                                         address_of(command, next[3])};
    for (int32_t d = 0; d < destinations; ++d) {
      next += RLT_SIDE_TENSORS;
      to[d] =
          (relayout_destination_memory){address_of(command, next[0]), address_of(command, next[1]),
                                        address_of(command, next[2]), address_of(command, next[3])};
    }
    (void)rlt_cpu_many_run(command->call, &from, to);
  }
}

/* Lets go of the plan before the command's event tells that it is done, so that whoever has waited
 * for that holds all that is left. */
static void CL_CALLBACK run(void *copied) {
  const native_arguments *const arguments = copied;
  rlt_native_command *const command = arguments->command;
  find_addresses(command, arguments->addresses);
  if (command->call != NULL) {
    run_many(command);
  } else {
    run_relayouts(command);
  }
  let_plan_go(command);
}

/* ---- Enqueuing ---- */

static void CL_CALLBACK free_command(cl_mem keeper, void *command) {
  (void)keeper;
  let_plan_go(command);
  rlt_native_command_drop(command);
}

/* From then on the keeper's last holder frees the command. */
static cl_int make_keeper(rlt_native_command *command) {
  const relayout_device *const device = command->of->device;
  cl_int code = CL_SUCCESS;
  command->keeper =
      clCreateBuffer(rlt_opencl_device_of(device)->context, CL_MEM_READ_ONLY, 1, NULL, &code);
  if (code != CL_SUCCESS) {
    return code;
  }
  code = clSetMemObjectDestructorCallback(command->keeper, free_command, command);
  if (code != CL_SUCCESS) {
    clReleaseMemObject(command->keeper);
  }
  return code;
}

/* A kernel with the buffers from number `first` up to `end`, and the keeper. */
static cl_int enqueue_kernel(const rlt_native_command *command, size_t first, size_t end,
                             void(CL_CALLBACK *kernel)(void *), cl_command_queue queue,
                             cl_uint n_wait, const cl_event *wait, cl_event *event) {
  native_arguments *const arguments = command->arguments;
  cl_uint count = 0;
  *arguments = (native_arguments){(rlt_native_command *)(uintptr_t)command, first};
  for (size_t i = first; i <= end; ++i, ++count) {
    command->listed[count] = i == end ? command->keeper : command->buffers[i];
    command->locations[count] = &arguments->addresses[count];
  }
  return clEnqueueNativeKernel(queue, kernel, arguments,
                               sizeof *arguments + count * sizeof arguments->addresses[0], count,
                               command->listed, command->locations, n_wait, wait, event);
}

/* Asks, and gives the event that comes with the last answer; NULL: there is no question. */
static cl_int ask(const rlt_native_command *command, cl_event *answered) {
  const size_t count =
      command->asked != NULL && command->buffer_count > 0 ? command->buffer_count - 1 : 0;
  cl_int code = CL_SUCCESS;
  *answered = NULL;
  for (size_t i = 0; i < count && code == CL_SUCCESS; ++i) {
    code = enqueue_kernel(command, i, i + 1, answer, command->asked, 0, NULL,
                          i + 1 < count ? NULL : answered);
  }
  return code;
}

/* Behind the caller's events and the answers. */
static cl_int enqueue_run(const rlt_native_command *command, cl_event answered,
                          cl_command_queue queue, cl_uint n_wait, const cl_event *wait,
                          cl_event *event) {
  enum { FEW = 16 };
  cl_event few[FEW];
  cl_event *const all = n_wait < FEW ? few : rlt_malloc((n_wait + (size_t)1) * sizeof *all);
  if (all == NULL) {
    return CL_OUT_OF_HOST_MEMORY;
  }
  for (cl_uint i = 0; i < n_wait; ++i) {
    all[i] = wait[i];
  }
  all[n_wait] = answered;
  const cl_int code =
      enqueue_kernel(command, 0, command->buffer_count, run, queue, n_wait + 1, all, event);
  if (all != few) {
    rlt_free(all);
  }
  return code;
}

static cl_int enqueue_kernels(const rlt_native_command *command, cl_command_queue queue,
                              cl_uint n_wait, const cl_event *wait, cl_event *event) {
  cl_event answered = NULL;
  cl_int code = ask(command, &answered);
  if (code == CL_SUCCESS) {
    code = answered == NULL
               ? enqueue_kernel(command, 0, command->buffer_count, run, queue, n_wait, wait, event)
               : enqueue_run(command, answered, queue, n_wait, wait, event);
  }
  if (answered != NULL) {
    clReleaseEvent(answered);
  }
  return code;
}

relayout_status rlt_native_command_enqueue(rlt_native_command *command, cl_command_queue queue,
                                           cl_uint n_wait, const cl_event *wait, cl_event *event,
                                           relayout_error *error) {
  cl_int code = make_keeper(command);
  if (code != CL_SUCCESS) {
    rlt_native_command_drop(command);
    return rlt_cl_fail(error, code, "clCreateBuffer for a native kernel");
  }
  relayout_plan *const plan = (relayout_plan *)(uintptr_t)command->of;
  const cl_mem keeper = command->keeper;
  relayout_plan_retain(plan);
  atomic_store(&command->plan, plan);
  cl_event made = NULL;
  code = enqueue_kernels(command, queue, n_wait, wait, event == NULL ? NULL : &made);
  clReleaseMemObject(keeper); /* the command may be gone */
  if (event != NULL) {
    *event = code == CL_SUCCESS ? made : NULL;
  }
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clEnqueueNativeKernel");
}
