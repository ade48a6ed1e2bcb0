/* opencl_copy.c: the ways to copy from one OpenCL buffer to another. */
#include "opencl_copy.h"

#include <stdbool.h>
#include <stdio.h>

#include "embedded.h"

enum {
  LINE = 64,
  VECTOR = 16,
  MOST_GROUP = 256,
  SHARES_PER_UNIT = 16, /* work-items that a compute unit of a CPU device copies with */
  LEAST_SHARE = 64      /* lines that are worth a work-item */
};

typedef struct kernel_kind {
  const char *name;
  size_t unroll;
  bool streams;
} kernel_kind;

static const kernel_kind line_kinds[] = {
    {"a kernel of lines", 1, false},
    {"a kernel of streamed lines", 1, true},
};

static const kernel_kind vector_kinds[] = {
    {"a kernel of vectors", 1, false},
    {"a kernel of 2 vectors", 2, false},
    {"a kernel of 4 vectors", 4, false},
    {"a kernel of 8 vectors", 8, false},
};

static cl_int build(cl_context context, cl_device_id id, const char *name, const kernel_kind *kind,
                    size_t group, cl_kernel *kernel) {
  const char *source = bench_kernel_texts[0].text;
  cl_int code = CL_SUCCESS;
  const cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  if (program == NULL) {
    return code;
  }
  char options[96];
  snprintf(options, sizeof options, "-cl-std=CL1.2 -DGROUP=%zu -DUNROLL=%zu -DSTREAMS=%d", group,
           kind->unroll, kind->streams);
  code = clBuildProgram(program, 1, &id, options, NULL, NULL);
  if (code == CL_SUCCESS) {
    *kernel = clCreateKernel(program, name, &code);
  }
  clReleaseProgram(program);
  return code;
}

cl_int opencl_copy_create_all(cl_context context, cl_device_id id, size_t capacity,
                              opencl_copy *copies, size_t *count) {
  cl_device_type type = 0;
  cl_uint units = 1;
  size_t group = MOST_GROUP;
  clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
  clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL);
  group = group < MOST_GROUP ? group : MOST_GROUP;
  const bool is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
  const kernel_kind *const kinds = is_cpu ? line_kinds : vector_kinds;
  const size_t kind_count = is_cpu ? sizeof line_kinds / sizeof line_kinds[0]
                                   : sizeof vector_kinds / sizeof vector_kinds[0];
  copies[0] = (opencl_copy){.name = "clEnqueueCopyBuffer"};
  *count = 1;
  for (size_t i = 0; i < kind_count && *count < capacity; i++) {
    opencl_copy *const made = &copies[*count];
    *made = (opencl_copy){.name = kinds[i].name,
                          .unit = is_cpu ? LINE : VECTOR,
                          .local = is_cpu ? 1 : group,
                          .shares = is_cpu ? units * SHARES_PER_UNIT : 0,
                          .unroll = kinds[i].unroll};
    const cl_int code =
        build(context, id, is_cpu ? "copy_lines" : "copy_vectors", &kinds[i], group, &made->kernel);
    if (code != CL_SUCCESS) {
      return code;
    }
    *count += 1;
  }
  return CL_SUCCESS;
}

void opencl_copy_release(opencl_copy *copy) {
  if (copy->kernel != NULL) {
    clReleaseKernel(copy->kernel);
    copy->kernel = NULL;
  }
}

static size_t divide_up(size_t a, size_t b) {
  return (a + b - 1) / b;
}

static cl_int enqueue_kernel(const opencl_copy *copy, cl_command_queue queue,
                             const opencl_move *move, cl_event *event) {
  const cl_ulong to_start = move->destination_offset / copy->unit;
  const cl_ulong from_start = move->source_offset / copy->unit;
  const size_t units = move->size / copy->unit;
  const cl_ulong count = units;
  size_t global = divide_up(units, copy->local * copy->unroll) * copy->local;
  cl_int code = clSetKernelArg(copy->kernel, 0, sizeof move->destination, &move->destination);
  code |= clSetKernelArg(copy->kernel, 1, sizeof move->source, &move->source);
  code |= clSetKernelArg(copy->kernel, 2, sizeof to_start, &to_start);
  code |= clSetKernelArg(copy->kernel, 3, sizeof from_start, &from_start);
  code |= clSetKernelArg(copy->kernel, 4, sizeof count, &count);
  if (copy->shares > 0) {
    const size_t even = divide_up(units, copy->shares);
    const cl_ulong share = even > LEAST_SHARE ? even : LEAST_SHARE;
    global = divide_up(units, (size_t)share);
    code |= clSetKernelArg(copy->kernel, 5, sizeof share, &share);
  }
  if (code != CL_SUCCESS) {
    return CL_INVALID_KERNEL_ARGS;
  }
  return clEnqueueNDRangeKernel(queue, copy->kernel, 1, NULL, &global, &copy->local, 0, NULL,
                                event);
}

cl_int opencl_copy_enqueue(const opencl_copy *copy, cl_command_queue queue, const opencl_move *move,
                           cl_event *event) {
  return copy->kernel != NULL
             ? enqueue_kernel(copy, queue, move, event)
             : clEnqueueCopyBuffer(queue, move->source, move->destination, move->source_offset,
                                   move->destination_offset, move->size, 0, NULL, event);
}
