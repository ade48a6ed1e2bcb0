/* run_kernels_opencl.c: builds the kernels of kernel_cases on the first OpenCL device whose
 * platform's name has a word in it, launches them on their relayouts, and compares all bytes.
 *
 *     run_kernels_opencl CASES PLATFORM
 *
 * Exits with 77 where there is no such device. */
#include <stdbool.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "kernel_case.h"

typedef struct bench {
  cl_device_id id;
  cl_context context;
  cl_command_queue queue;
} bench;

static void require(cl_int code, const char *call) {
  if (code != CL_SUCCESS) {
    fprintf(stderr, "%s: OpenCL error %d\n", call, (int)code);
    exit(1);
  }
}

static bool find_device(const char *word, cl_device_id *id) {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) {
    return false;
  }
  for (cl_uint i = 0; i < count && i < 16; ++i) {
    char name[256] = "";
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
    if (strstr(name, word) != NULL &&
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, id, NULL) == CL_SUCCESS) {
      return true;
    }
  }
  return false;
}

/* The text alone, without any option. */
static cl_kernel build(const bench *on, const case_kernel *of) {
  cl_int code;
  const char *const text = of->text;
  const cl_program program =
      clCreateProgramWithSource(on->context, 1, (const char **)&text, NULL, &code);
  require(code, "clCreateProgramWithSource");
  if (clBuildProgram(program, 1, &on->id, "", NULL, NULL) != CL_SUCCESS) {
    static char log[1 << 16];
    clGetProgramBuildInfo(program, on->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    fprintf(stderr, "%s: %s\n", of->name, log);
    exit(1);
  }
  const cl_kernel kernel = clCreateKernel(program, of->name, &code);
  require(code, of->name);
  clReleaseProgram(program);
  return kernel;
}

static void launch(const bench *on, cl_kernel kernel, const case_kernel *of,
                   const case_memory *memory, cl_mem source, cl_mem destination) {
  const cl_ulong from = memory->source_offset, to = memory->destination_offset;
  const size_t global = of->global, local = of->local;
  require(clSetKernelArg(kernel, 0, sizeof destination, &destination), "clSetKernelArg 0");
  require(clSetKernelArg(kernel, 1, sizeof to, &to), "clSetKernelArg 1");
  if (of->argument_count > 2) {
    require(clSetKernelArg(kernel, 2, sizeof source, &source), "clSetKernelArg 2");
    require(clSetKernelArg(kernel, 3, sizeof from, &from), "clSetKernelArg 3");
  }
  require(clEnqueueNDRangeKernel(on->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
          of->name);
  require(clFinish(on->queue), of->name);
}

static uint64_t run_case(const bench *on, FILE *cases, uint64_t number, uint64_t count) {
  enum { MOST_KERNELS = 64 };
  case_kernel kernels[MOST_KERNELS];
  for (uint64_t i = 0; i < count && i < MOST_KERNELS; ++i) {
    kernels[i] = case_read_kernel(cases);
  }
  case_memory memory = case_read_memory(cases);
  cl_int code;
  const cl_mem source = clCreateBuffer(on->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                       memory.source_size, memory.source, &code);
  require(code, "clCreateBuffer");
  const cl_mem destination = clCreateBuffer(on->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                            memory.destination_size, memory.destination, &code);
  require(code, "clCreateBuffer");
  for (uint64_t i = 0; i < count; ++i) {
    const cl_kernel kernel = build(on, &kernels[i]);
    launch(on, kernel, &kernels[i], &memory, source, destination);
    clReleaseKernel(kernel);
    free(kernels[i].text);
  }
  require(clEnqueueReadBuffer(on->queue, destination, CL_TRUE, 0, memory.destination_size,
                              memory.destination, 0, NULL, NULL),
          "clEnqueueReadBuffer");
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
  const uint64_t differences = case_compare(number, &memory);
  case_free_memory(&memory);
  return differences;
}

int main(int argument_count, char **arguments) {
  FILE *const cases = argument_count == 3 ? fopen(arguments[1], "rb") : NULL;
  bench on;
  cl_int code;
  if (cases == NULL) {
    fprintf(stderr, "usage: run_kernels_opencl CASES PLATFORM\n");
    return 1;
  }
  if (!find_device(arguments[2], &on.id)) {
    printf("no device of a platform %s\n", arguments[2]);
    return 77;
  }
  on.context = clCreateContext(NULL, 1, &on.id, NULL, NULL, &code);
  require(code, "clCreateContext");
  on.queue = clCreateCommandQueue(on.context, on.id, 0, &code);
  require(code, "clCreateCommandQueue");
  uint64_t differences = 0, number = 0;
  for (uint64_t count; fread(&count, sizeof count, 1, cases) == 1; ++number) {
    differences += run_case(&on, cases, number, count);
  }
  clReleaseCommandQueue(on.queue);
  clReleaseContext(on.context);
  fclose(cases);
  printf("%llu relayouts\n", (unsigned long long)number);
  return differences == 0 && number > 0 ? 0 : 1;
}
