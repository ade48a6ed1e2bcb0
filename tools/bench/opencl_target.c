/* An OpenCL device as a benchmark's target: buffers on it, and a queue with profiling, whose events
 * tell the device's own time. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "embedded.h"
#include "fail.h"
#include "relayout/opencl.h"
#include "target.h"

enum {
  LINE = 64,
  VECTOR = 16,
  MOST_GROUP = 256,
  SHARES_PER_UNIT = 16, /* work-items that a compute unit of a CPU device copies with */
  LEAST_SHARE = 64,     /* lines that are worth one */
  ASSUMED_CACHE_BYTES = 32 << 20
};

/* How a kernel of copy.cl is used; no kernel stands for clEnqueueCopyBuffer. */
typedef struct copy_kind {
  const char *name;
  const char *kernel;
  bool streams;
  int unroll;
} copy_kind;

static const copy_kind cpu_kinds[] = {
    {"clEnqueueCopyBuffer", NULL, false, 1},
    {"a kernel of lines", "copy_lines", false, 1},
    {"a kernel of streamed lines", "copy_lines", true, 1},
};

static const copy_kind other_kinds[] = {
    {"clEnqueueCopyBuffer", NULL, false, 1},
    {"a kernel of vectors", "copy_vectors", false, 1},
    {"a kernel of 2 vectors", "copy_vectors", false, 2},
    {"a kernel of 4 vectors", "copy_vectors", false, 4},
    {"a kernel of 8 vectors", "copy_vectors", false, 8},
};

typedef struct opencl_target {
  bench_target base; /* first: a target of this kind is one */
  cl_context context;
  cl_device_id id;
  cl_command_queue queue;
  cl_mem source;
  cl_mem destination;
  void *mapped_source;
  void *mapped_destination;
  copy_kind kinds[BENCH_MOST_COPIES];
  cl_kernel kernels[BENCH_MOST_COPIES]; /* NULL for clEnqueueCopyBuffer */
  uint32_t compute_units;
  size_t group; /* work-items of copy_vectors */
} opencl_target;

static relayout_status fail_cl(relayout_error *error, cl_int code, const char *call) {
  bench_fail(error, code == CL_OUT_OF_HOST_MEMORY ? RELAYOUT_OUT_OF_MEMORY : RELAYOUT_OPENCL_ERROR,
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
  own->mapped_source = clEnqueueMapBuffer(own->queue, own->source, CL_TRUE, CL_MAP_READ, 0,
                                          source_size, 0, NULL, NULL, &code);
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

/* Waits for the command, which was called at `begin`, and reads its times. Releases the event. */
static relayout_status finish(cl_event event, double begin, bench_time *time,
                              relayout_error *error) {
  cl_int code = clWaitForEvents(1, &event);
  time->wall = bench_now() - begin;
  cl_ulong started = 0;
  cl_ulong ended = 0;
  if (code == CL_SUCCESS) {
    code =
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof started, &started, NULL);
  }
  if (code == CL_SUCCESS) {
    code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ended, &ended, NULL);
  }
  clReleaseEvent(event);
  /* A clock too coarse for what is measured must not make it infinitely fast. */
  time->counted = ended > started ? (double)(ended - started) * 1e-9 : 1e-9;
  return code == CL_SUCCESS ? RELAYOUT_OK : fail_cl(error, code, "waiting for a timed command");
}

static relayout_status move(bench_target *target, const relayout_plan *plan, size_t source_offset,
                            size_t destination_offset, bench_time *time, relayout_error *error) {
  const opencl_target *const own = (const opencl_target *)target;
  cl_event event;
  const double begin = bench_now();
  const relayout_status status =
      relayout_plan_enqueue(plan, own->queue, own->source, source_offset, own->destination,
                            destination_offset, 0, NULL, &event, error);
  return status == RELAYOUT_OK ? finish(event, begin, time, error) : status;
}

/* The work-items that copy `count` lines, a share each, or `count` vectors. */
static size_t items_of(const opencl_target *own, const copy_kind *kind, size_t count,
                       cl_ulong *share) {
  if (strcmp(kind->kernel, "copy_vectors") == 0) {
    const size_t in_group = own->group * (size_t)kind->unroll;
    return (count + in_group - 1) / in_group * own->group;
  }
  const size_t items = (size_t)own->compute_units * SHARES_PER_UNIT;
  const size_t even = (count + items - 1) / items;
  *share = even > LEAST_SHARE ? even : LEAST_SHARE;
  return (count + (size_t)*share - 1) / (size_t)*share;
}

static cl_int enqueue_kernel(const opencl_target *own, size_t which, size_t source_offset,
                             size_t destination_offset, size_t size, cl_event *event) {
  const copy_kind *const kind = &own->kinds[which];
  const cl_kernel kernel = own->kernels[which];
  const bool is_lines = strcmp(kind->kernel, "copy_lines") == 0;
  const size_t unit = is_lines ? LINE : VECTOR;
  const cl_ulong from_start = source_offset / unit;
  const cl_ulong to_start = destination_offset / unit;
  const cl_ulong count = size / unit;
  cl_ulong share = 0;
  const size_t global = items_of(own, kind, size / unit, &share);
  const size_t local = is_lines ? 1 : own->group;
  cl_int code = clSetKernelArg(kernel, 0, sizeof own->destination, &own->destination);
  code |= clSetKernelArg(kernel, 1, sizeof own->source, &own->source);
  code |= clSetKernelArg(kernel, 2, sizeof to_start, &to_start);
  code |= clSetKernelArg(kernel, 3, sizeof from_start, &from_start);
  code |= clSetKernelArg(kernel, 4, sizeof count, &count);
  if (is_lines) {
    code |= clSetKernelArg(kernel, 5, sizeof share, &share);
  }
  return code == CL_SUCCESS
             ? clEnqueueNDRangeKernel(own->queue, kernel, 1, NULL, &global, &local, 0, NULL, event)
             : CL_INVALID_KERNEL_ARGS;
}

static relayout_status copy(bench_target *target, size_t which, size_t source_offset,
                            size_t destination_offset, size_t size, bench_time *time,
                            relayout_error *error) {
  const opencl_target *const own = (const opencl_target *)target;
  cl_event event;
  const double begin = bench_now();
  const cl_int code =
      own->kernels[which] != NULL
          ? enqueue_kernel(own, which, source_offset, destination_offset, size, &event)
          : clEnqueueCopyBuffer(own->queue, own->source, own->destination, source_offset,
                                destination_offset, size, 0, NULL, &event);
  if (code != CL_SUCCESS) {
    return fail_cl(error, code, target->copies[which].name);
  }
  return finish(event, begin, time, error);
}

/* ---- Coming and going ----------------------------------------------------------------------- */

static void destroy(bench_target *target) {
  opencl_target *const own = (opencl_target *)target;
  for (size_t i = 0; i < target->copy_count; i++) {
    if (own->kernels[i] != NULL) {
      clReleaseKernel(own->kernels[i]);
    }
  }
  if (own->source != NULL) {
    clReleaseMemObject(own->source);
  }
  if (own->destination != NULL) {
    clReleaseMemObject(own->destination);
  }
  if (own->queue != NULL) {
    clReleaseCommandQueue(own->queue);
  }
  relayout_device_destroy(target->device);
  free(own);
}

static relayout_status build_kernel(const opencl_target *own, const copy_kind *kind,
                                    cl_kernel *kernel, relayout_error *error) {
  const char *const source = bench_kernel_texts[0].text;
  cl_int code = CL_SUCCESS;
  const cl_program program =
      clCreateProgramWithSource(own->context, 1, (const char **)&source, NULL, &code);
  if (program == NULL) {
    return fail_cl(error, code, "clCreateProgramWithSource");
  }
  char options[96];
  snprintf(options, sizeof options, "-cl-std=CL1.2 -DGROUP=%zu -DUNROLL=%d -DSTREAMS=%d",
           own->group, kind->unroll, kind->streams);
  code = clBuildProgram(program, 1, &own->id, options, NULL, NULL);
  if (code == CL_SUCCESS) {
    *kernel = clCreateKernel(program, kind->kernel, &code);
  }
  clReleaseProgram(program);
  return code == CL_SUCCESS ? RELAYOUT_OK : fail_cl(error, code, "building the kernel of a copy");
}

static relayout_status add_copies(opencl_target *own, size_t count, const copy_kind *kinds,
                                  relayout_error *error) {
  for (size_t i = 0; i < count; i++) {
    own->kinds[i] = kinds[i];
    own->base.copies[i] = (bench_copy){kinds[i].name, 0};
    own->base.copy_count += 1;
    if (kinds[i].kernel != NULL) {
      const relayout_status status = build_kernel(own, &kinds[i], &own->kernels[i], error);
      if (status != RELAYOUT_OK) {
        return status;
      }
    }
  }
  return RELAYOUT_OK;
}

static relayout_status set_up(opencl_target *own, const relayout_device *device,
                              relayout_error *error) {
  const relayout_status status =
      relayout_opencl_device_get_handles(device, &own->context, &own->id, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  cl_device_type type = 0;
  cl_uint units = 1;
  cl_ulong cache = 0;
  size_t group = MOST_GROUP;
  clGetDeviceInfo(own->id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  clGetDeviceInfo(own->id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
  clGetDeviceInfo(own->id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof cache, &cache, NULL);
  clGetDeviceInfo(own->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL);
  own->compute_units = units;
  own->group = group < MOST_GROUP ? group : MOST_GROUP;
  own->base.cache_bytes = cache > 0 ? cache : ASSUMED_CACHE_BYTES;
  cl_int code = CL_SUCCESS;
  own->queue = clCreateCommandQueue(own->context, own->id, CL_QUEUE_PROFILING_ENABLE, &code);
  if (own->queue == NULL) {
    return fail_cl(error, code, "clCreateCommandQueue");
  }
  return (type & CL_DEVICE_TYPE_CPU) != 0
             ? add_copies(own, sizeof cpu_kinds / sizeof cpu_kinds[0], cpu_kinds, error)
             : add_copies(own, sizeof other_kinds / sizeof other_kinds[0], other_kinds, error);
}

relayout_status bench_opencl_target_create(relayout_device *device, bench_target **target,
                                           relayout_error *error) {
  opencl_target *const own = calloc(1, sizeof *own);
  if (own == NULL) {
    return bench_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a benchmark");
  }
  own->base = (bench_target){.clock = "device",
                             .reserve = reserve,
                             .clear = clear,
                             .move = move,
                             .copy = copy,
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
