/* launch.c: a schedule as a kernel with its buffers, and enqueuing it. */
#include "opencl/launch.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/memory.h"
#include "opencl/backend.h"
#include "opencl/build.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"

/* The arguments of every kernel, by their order; fill has no source. Either side has its buffers,
 * then its starts. */
typedef struct argument_numbers {
  cl_uint buffers; /* of a side */
  cl_uint destination;
  cl_uint grid; /* of those that are not specialised */
  cl_uint fill;
  cl_uint source;
  cl_uint tables;
  /* Then come those that a launch spec names. */
} argument_numbers;

static argument_numbers arguments_of(const rlt_kernel_options *options) {
  const cl_uint buffers = options->batch > 0 ? RLT_BATCH_BUFFERS : 1;
  const cl_uint side = buffers + 1;
  const cl_uint fill = options->specialized ? side : side + 1;
  return (argument_numbers){buffers, 0, side, fill, fill + 1, fill + 1 + side};
}

/* ---- Buffers ---- */

/* A read-only buffer with a copy of what the blob holds, if it holds anything. */
static relayout_status make_buffer(const rlt_opencl_device *device, const rlt_blob *blob,
                                   rlt_launch *launch, cl_mem *buffer, relayout_error *error) {
  if (blob->bytes == NULL) {
    return RELAYOUT_OK;
  }
  cl_int code = CL_SUCCESS;
  const cl_mem made = clCreateBuffer(device->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                     blob->size, blob->bytes, &code);
  if (made == NULL) {
    return rlt_cl_fail(error, code, "clCreateBuffer for a plan's tables");
  }
  *buffer = made;
  launch->held_bytes += blob->size;
  return RELAYOUT_OK;
}

/* ---- The kernel ---- */

relayout_status rlt_kernel_make(rlt_opencl_device *device, const rlt_kernel_options *options,
                                cl_kernel *kernel, relayout_error *error) {
  cl_program program = NULL;
  const relayout_status status = rlt_build_get(device, options, &program, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  cl_int code = CL_SUCCESS;
  char name[RLT_KERNEL_NAME_SIZE];
  rlt_kernel_function(options, name);
  *kernel = clCreateKernel(program, name, &code);
  if (*kernel != NULL) {
    rlt_build_keep(device, options, program);
  }
  clReleaseProgram(program);
  return *kernel != NULL ? RELAYOUT_OK : rlt_cl_fail(error, code, "clCreateKernel");
}

relayout_status rlt_kernel_make_another(cl_kernel kernel, const rlt_kernel_options *options,
                                        cl_kernel *another, relayout_error *error) {
  cl_program program = NULL; /* not retained for who asks */
  cl_int code = clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL);
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clGetKernelInfo");
  }
  char name[RLT_KERNEL_NAME_SIZE];
  rlt_kernel_function(options, name);
  const cl_kernel made = clCreateKernel(program, name, &code);
  if (made == NULL) {
    return rlt_cl_fail(error, code, "clCreateKernel");
  }
  *another = made;
  return RELAYOUT_OK;
}

/* A kernel may take so many registers that only smaller groups run it. */
static relayout_status check_group(const rlt_opencl_device *device, const rlt_launch *launch,
                                   int64_t *most_group_size, relayout_error *error) {
  size_t most = 0;
  const cl_int code = clGetKernelWorkGroupInfo(launch->kernel, device->id,
                                               CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clGetKernelWorkGroupInfo");
  }
  const int64_t group_size = launch->schedule->group_size;
  if (group_size == 1 || (size_t)group_size <= most) {
    return RELAYOUT_OK;
  }
  *most_group_size = group_size / 2;
  return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                  "kernel %s allows %zu work-items a group; the plan has %" PRId64,
                  rlt_kernel_name(launch->options.kernel), most, group_size);
}

/* The arguments that stay the same from one enqueue to the next. */
static relayout_status set_lasting_arguments(const rlt_launch *launch, cl_kernel kernel,
                                             relayout_error *error) {
  const rlt_problem *const problem = launch->schedule->problem;
  const argument_numbers numbers = arguments_of(&launch->options);
  cl_int code = CL_SUCCESS;
  if (launch->grid != NULL) {
    code = clSetKernelArg(kernel, numbers.grid, sizeof launch->grid, &launch->grid);
  }
  if (code == CL_SUCCESS) {
    code = clSetKernelArg(kernel, numbers.fill, (size_t)rlt_problem_destination_bytes(problem),
                          problem->fill);
  }
  cl_uint last = numbers.tables;
  if (code == CL_SUCCESS && launch->tables != NULL) {
    code = clSetKernelArg(kernel, last++, sizeof launch->tables, &launch->tables);
    if (code == CL_SUCCESS && launch->local_bytes > 0) {
      code = clSetKernelArg(kernel, last++, (size_t)launch->local_bytes, NULL);
    }
  }
  if (code == CL_SUCCESS && launch->conversions != NULL) {
    code = clSetKernelArg(kernel, last, sizeof launch->conversions, &launch->conversions);
  } else if (code == CL_SUCCESS && launch->has_scale) {
    code = clSetKernelArg(kernel, last, sizeof launch->scale, &launch->scale);
  }
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clSetKernelArg");
}

/* ---- A launch ---- */

static relayout_status fill_launch(rlt_opencl_device *device, const rlt_launch_spec *spec,
                                   rlt_launch *launch, int64_t *most_group_size,
                                   relayout_error *error) {
  launch->options = spec->options;
  launch->grid_axis = device->grid_axis;
  launch->group_count = (size_t)spec->group_count;
  launch->most_groups = device->base.facts.most_groups;
  launch->local_bytes = spec->local_bytes;
  launch->has_scale = spec->has_scale;
  launch->scale = spec->scale;
  relayout_status status = rlt_kernel_make(device, &launch->options, &launch->kernel, error);
  launch->options.text = NULL; /* the spec's */
  if (status == RELAYOUT_OK) {
    status = check_group(device, launch, most_group_size, error);
  }
  if (status == RELAYOUT_OK && !spec->options.specialized) {
    status = make_buffer(device, &spec->grid, launch, &launch->grid, error);
  }
  if (status == RELAYOUT_OK) {
    status = make_buffer(device, &spec->tables, launch, &launch->tables, error);
  }
  if (status == RELAYOUT_OK) {
    status = make_buffer(device, &spec->conversions, launch, &launch->conversions, error);
  }
  return status == RELAYOUT_OK ? set_lasting_arguments(launch, launch->kernel, error) : status;
}

relayout_status rlt_opencl_executable_create(relayout_device *device, const rlt_schedule *schedule,
                                             void **executable, int64_t *most_group_size,
                                             relayout_error *error) {
  rlt_opencl_device *const opened = (rlt_opencl_device *)device;
  rlt_launch *const made = rlt_calloc(1, sizeof *made);
  if (made == NULL || pthread_mutex_init(&made->lock, NULL) != 0) {
    rlt_free(made);
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a launch of %zu bytes",
                    sizeof *made);
  }
  made->schedule = schedule;
  rlt_launch_spec spec;
  relayout_status status = rlt_launch_spec_make(schedule, opened->most_offset, &spec, error);
  if (status == RELAYOUT_OK) {
    status = fill_launch(opened, &spec, made, most_group_size, error);
  }
  rlt_launch_spec_free(&spec);
  if (status != RELAYOUT_OK) {
    rlt_opencl_executable_destroy(device, made);
    return status;
  }
  *executable = made;
  return RELAYOUT_OK;
}

void rlt_opencl_executable_destroy(relayout_device *device, void *executable) {
  (void)device;
  rlt_launch *const launch = executable;
  if (launch->kernel != NULL) {
    clReleaseKernel(launch->kernel);
  }
  const cl_mem buffers[] = {launch->grid, launch->tables, launch->conversions};
  for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
    if (buffers[i] != NULL) {
      clReleaseMemObject(buffers[i]);
    }
  }
  pthread_mutex_destroy(&launch->lock);
  rlt_free(launch);
}

size_t rlt_opencl_executable_bytes(const void *executable) {
  return ((const rlt_launch *)executable)->held_bytes;
}

size_t rlt_opencl_executable_host_bytes(const void *executable) {
  return sizeof *(const rlt_launch *)executable;
}

void rlt_opencl_executable_describe(const relayout_device *device, const void *executable,
                                    rlt_text *text) {
  (void)device;
  const rlt_launch *const launch = executable;
  const rlt_schedule *const schedule = launch->schedule;
  const int64_t group_size = schedule->group_size;
  rlt_text_add(
      text, "%swork-group kernel %s on %d-byte words, %zu work-group%s of %" PRId64 " work-item%s",
      launch->options.specialized ? "specialised " : "", rlt_kernel_name(launch->options.kernel),
      (int)launch->options.word_bytes, launch->group_count, launch->group_count == 1 ? "" : "s",
      group_size, group_size == 1 ? "" : "s");
  rlt_text_add(text, ", tiles of %" PRId64 " x %" PRId64, rlt_group_length(&schedule->rows),
               rlt_group_length(&schedule->columns));
  if (launch->local_bytes > 0) {
    rlt_text_add(text, ", %" PRId64 " bytes of local memory", launch->local_bytes);
  }
}

/* ---- Enqueuing ---- */

const rlt_batch rlt_batch_of_one = {.count = 1};

bool rlt_launch_has_source(const rlt_launch *launch) {
  return launch->options.kernel != RLT_KERNEL_FILL;
}

rlt_side_arguments rlt_launch_side_arguments(const rlt_launch *launch, bool is_source,
                                             rlt_address place, const rlt_batch *batch) {
  const rlt_kernel_options *const options = &launch->options;
  const rlt_problem *const problem = launch->schedule->problem;
  const int32_t bytes = is_source ? options->source_bytes : options->word_bytes;
  const int64_t packed = is_source ? options->source_bits : options->destination_bits;
  const int64_t start = is_source ? problem->source_start : problem->destination_start;
  const rlt_batch_side *const side = is_source ? &batch->source : &batch->destination;
  const argument_numbers numbers = arguments_of(options);
  rlt_side_arguments made = {.number = is_source ? numbers.source : numbers.destination,
                             .buffer_count = numbers.buffers,
                             .starts_size = options->batch > 0 ? sizeof made.starts
                                                               : sizeof made.starts.of[0]};
  for (int32_t i = 0; i < batch->count; ++i) {
    /* Below 0 where a box begins behind the start of its buffer, and its tensor would before. */
    const int64_t before = (int64_t)(place.offset + side->steps[i]) / bytes * rlt_in_byte(packed);
    made.starts.of[i] = (cl_ulong)(before + start);
    made.starts.buffer[i] = side->buffer_of[i];
  }
  return made;
}

static cl_int set_place(const rlt_launch *launch, cl_kernel kernel, bool is_source,
                        rlt_address place, const rlt_batch *batch) {
  const rlt_side_arguments side = rlt_launch_side_arguments(launch, is_source, place, batch);
  const cl_mem *const others = is_source ? batch->source.others : batch->destination.others;
  cl_int code = place.set_pointer != NULL
                    ? place.set_pointer(kernel, side.number, place.host)
                    : clSetKernelArg(kernel, side.number, sizeof place.buffer, &place.buffer);
  for (cl_uint i = 1; i < side.buffer_count && code == CL_SUCCESS; ++i) {
    code = clSetKernelArg(kernel, side.number + i, sizeof others[i - 1], &others[i - 1]);
  }
  return code == CL_SUCCESS ? clSetKernelArg(kernel, side.number + side.buffer_count,
                                             side.starts_size, &side.starts)
                            : code;
}

relayout_status rlt_launch_set_addresses(const rlt_launch *launch, cl_kernel kernel,
                                         rlt_address source, rlt_address destination,
                                         const rlt_batch *batch, relayout_error *error) {
  cl_int code = set_place(launch, kernel, false, destination, batch);
  if (code == CL_SUCCESS && rlt_launch_has_source(launch)) {
    code = set_place(launch, kernel, true, source, batch);
  }
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clSetKernelArg");
}

relayout_status rlt_launch_hold(rlt_launch *launch, rlt_address source, rlt_address destination,
                                const rlt_batch *batch, relayout_error *error) {
  pthread_mutex_lock(&launch->lock);
  const relayout_status status =
      rlt_launch_set_addresses(launch, launch->kernel, source, destination, batch, error);
  if (status != RELAYOUT_OK) {
    pthread_mutex_unlock(&launch->lock);
  }
  return status;
}

rlt_nd_range rlt_launch_range(const rlt_launch *launch, int32_t count) {
  const size_t group_size = (size_t)launch->options.group_size;
  rlt_nd_range made = {.rank = (cl_uint)launch->grid_axis + 1,
                       .global_size = {group_size, 1, 1},
                       .local_size = {group_size, 1, 1}};
  made.global_size[launch->grid_axis] *= launch->group_count * (size_t)count;
  return made;
}

relayout_status rlt_launch_enqueue(const rlt_launch *launch, int32_t count, cl_command_queue queue,
                                   cl_uint n_wait, const cl_event *wait, cl_event *event,
                                   relayout_error *error) {
  const rlt_nd_range range = rlt_launch_range(launch, count);
  const cl_int code =
      clEnqueueNDRangeKernel(queue, launch->kernel, range.rank, NULL, range.global_size,
                             range.local_size, n_wait, wait, event);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clEnqueueNDRangeKernel");
}

void rlt_launch_let_go(rlt_launch *launch) {
  pthread_mutex_unlock(&launch->lock);
}

/* ---- A kernel of one's own ---- */

relayout_status rlt_launch_make_kernel(const rlt_launch *launch, cl_kernel *kernel,
                                       relayout_error *error) {
  cl_kernel made = NULL;
  relayout_status status = rlt_kernel_make_another(launch->kernel, &launch->options, &made, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  status = set_lasting_arguments(launch, made, error);
  if (status != RELAYOUT_OK) {
    clReleaseKernel(made);
    return status;
  }
  *kernel = made;
  return RELAYOUT_OK;
}
