/* emit_check_opencl.c: runs emitted kernels by OpenCL's own calls, as a program that has no
 * relayout would. */
#include <stdlib.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include "arguments.h"
#include "emit_check.h"
#include "relayout/opencl.h"

typedef struct bench {
  cl_context context;
  cl_device_id id;
  cl_command_queue queue;
  cl_mem source;
  cl_mem destination;
} bench;

static exit_code fail(const char *what, cl_int code) {
  return report(EXIT_CODE_FAILURE, "--check: %s: OpenCL error %d", what, (int)code);
}

static exit_code report_log(const bench *on, cl_program program, cl_int code) {
  size_t size = 0;
  clGetProgramBuildInfo(program, on->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
  char *const log = calloc(size + 1, 1);
  if (log != NULL) {
    clGetProgramBuildInfo(program, on->id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
  }
  const exit_code made = report(EXIT_CODE_FAILURE, "--check: clBuildProgram: OpenCL error %d: %s",
                                (int)code, log != NULL ? log : "");
  free(log);
  return made;
}

static exit_code build(const bench *on, const relayout_kernel *of, cl_kernel *kernel) {
  cl_int code = CL_SUCCESS;
  const char *const text = of->source;
  const cl_program program =
      clCreateProgramWithSource(on->context, 1, (const char **)&text, NULL, &code);
  if (program == NULL) {
    return fail("clCreateProgramWithSource", code);
  }
  exit_code made = EXIT_CODE_OK;
  code = clBuildProgram(program, 1, &on->id, "", NULL, NULL);
  if (code != CL_SUCCESS) {
    made = report_log(on, program, code);
  } else if ((*kernel = clCreateKernel(program, of->name, &code)) == NULL) {
    made = fail("clCreateKernel", code);
  }
  clReleaseProgram(program);
  return made;
}

static exit_code launch(const bench *on, const relayout_kernel *of) {
  cl_kernel kernel = NULL;
  exit_code made = build(on, of, &kernel);
  if (made != EXIT_CODE_OK) {
    return made;
  }
  const cl_ulong offset = 0;
  cl_int code = clSetKernelArg(kernel, 0, sizeof on->destination, &on->destination);
  code |= clSetKernelArg(kernel, 1, sizeof offset, &offset);
  if (of->argument_count > 2) {
    code |= clSetKernelArg(kernel, 2, sizeof on->source, &on->source);
    code |= clSetKernelArg(kernel, 3, sizeof offset, &offset);
  }
  if (code == CL_SUCCESS) {
    code = clEnqueueNDRangeKernel(on->queue, kernel, 1, NULL, &of->global_size, &of->local_size, 0,
                                  NULL, NULL);
  }
  clReleaseKernel(kernel);
  return code == CL_SUCCESS ? EXIT_CODE_OK : fail(of->name, code);
}

/* Buffers have a byte at least. */
static cl_mem make_buffer(const bench *on, void *bytes, size_t size, cl_int *code) {
  return clCreateBuffer(on->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size > 0 ? size : 1,
                        bytes, code);
}

static exit_code run_all(bench *on, const emit_check_subject *of, emit_check_memory *memory) {
  cl_int code = CL_SUCCESS;
  on->queue = clCreateCommandQueue(on->context, on->id, 0, &code);
  if (on->queue != NULL) {
    on->source = make_buffer(on, memory->source, memory->source_size, &code);
  }
  if (on->source != NULL) {
    on->destination = make_buffer(on, memory->destination, memory->destination_size, &code);
  }
  if (on->destination == NULL) {
    return fail("a queue or a buffer", code);
  }
  exit_code made = EXIT_CODE_OK;
  for (int32_t i = 0; i < of->count && made == EXIT_CODE_OK; i++) {
    made = launch(on, &of->kernels[i]);
  }
  if (made == EXIT_CODE_OK && memory->destination_size > 0) {
    code = clEnqueueReadBuffer(on->queue, on->destination, CL_TRUE, 0, memory->destination_size,
                               memory->destination, 0, NULL, NULL);
    made = code == CL_SUCCESS ? EXIT_CODE_OK : fail("clEnqueueReadBuffer", code);
  }
  return made;
}

exit_code emit_check_on_opencl(const emit_check_subject *of, emit_check_memory *memory) {
  relayout_device *device = NULL;
  bench on = {NULL, NULL, NULL, NULL, NULL};
  exit_code code = arguments_open_device(of->device != NULL ? of->device : "opencl", NULL, &device);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  relayout_error error;
  if (relayout_opencl_device_get_handles(device, &on.context, &on.id, &error) != RELAYOUT_OK) {
    code = report(EXIT_CODE_NO_DEVICE, "--check: %s", error.message);
  } else {
    code = run_all(&on, of, memory);
  }
  const cl_mem buffers[] = {on.source, on.destination};
  for (size_t i = 0; i < 2; i++) {
    if (buffers[i] != NULL) {
      clReleaseMemObject(buffers[i]);
    }
  }
  if (on.queue != NULL) {
    clReleaseCommandQueue(on.queue);
  }
  relayout_device_destroy(device);
  return code;
}
