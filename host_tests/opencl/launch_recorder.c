/* launch_recorder.c: an OpenCL driver that notes what it is asked to run. */
#include "opencl/launch_recorder.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "opencl/cl.h"

enum { GRID_ARGUMENT = 2 };

launch_record launches_recorded;
static size_t most_group_size = 1024;

void launch_recorder_clear(void) {
  launches_recorded.count = 0;
}

void launch_recorder_allow_group_size(size_t most) {
  most_group_size = most;
}

/* What stands for a program, and for a kernel: handles are nothing but pointers. */
typedef struct program {
  int holders;
  char options[2048];
} program;

typedef struct kernel {
  recorded_launch launch; /* but for the grid */
  size_t most_group_size;
  cl_mem grid;
} kernel;

/* ---- Programs ---- */

#define WRAPPER(result, name, parameters)                                                          \
  result __wrap_##name parameters;                                                                 \
  result __wrap_##name parameters

WRAPPER(cl_program, clCreateProgramWithSource,
        (cl_context context, cl_uint count, const char **strings, const size_t *lengths,
         cl_int *code)) {
  (void)context;
  (void)count;
  (void)strings;
  (void)lengths;
  program *const made = calloc(1, sizeof *made);
  *code = made == NULL ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
  if (made != NULL) {
    made->holders = 1;
  }
  return (cl_program)made;
}

WRAPPER(cl_int, clBuildProgram,
        (cl_program built, cl_uint count, const cl_device_id *devices, const char *options,
         void(CL_CALLBACK *done)(cl_program, void *), void *context)) {
  (void)count;
  (void)devices;
  (void)done;
  (void)context;
  program *const made = (program *)built;
  const int length = snprintf(made->options, sizeof made->options, "%s ", options);
  return length < (int)sizeof made->options ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
}

WRAPPER(cl_int, clRetainProgram, (cl_program held)) {
  ++((program *)held)->holders;
  return CL_SUCCESS;
}

WRAPPER(cl_int, clReleaseProgram, (cl_program held)) {
  program *const made = (program *)held;
  if (--made->holders == 0) {
    free(made);
  }
  return CL_SUCCESS;
}

/* ---- Kernels ---- */

WRAPPER(cl_kernel, clCreateKernel, (cl_program from, const char *name, cl_int *code)) {
  kernel *const made = calloc(1, sizeof *made);
  *code = made == NULL ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
  if (made != NULL) {
    snprintf(made->launch.kernel, sizeof made->launch.kernel, "%s", name);
    snprintf(made->launch.options, sizeof made->launch.options, "%s",
             ((const program *)from)->options);
    made->most_group_size = most_group_size;
  }
  return (cl_kernel)made;
}

WRAPPER(cl_int, clReleaseKernel, (cl_kernel held)) {
  free(held);
  return CL_SUCCESS;
}

WRAPPER(cl_int, clGetKernelWorkGroupInfo,
        (cl_kernel of, cl_device_id device, cl_kernel_work_group_info what, size_t size,
         void *value, size_t *given)) {
  (void)device;
  (void)given;
  if (what != CL_KERNEL_WORK_GROUP_SIZE || size != sizeof(size_t)) {
    return CL_INVALID_VALUE;
  }
  *(size_t *)value = ((const kernel *)of)->most_group_size;
  return CL_SUCCESS;
}

WRAPPER(cl_int, clSetKernelArg, (cl_kernel of, cl_uint number, size_t size, const void *value)) {
  if (number == GRID_ARGUMENT) {
    if (size != sizeof(cl_mem)) {
      return CL_INVALID_ARG_SIZE;
    }
    ((kernel *)of)->grid = *(const cl_mem *)value;
  }
  return CL_SUCCESS;
}

/* ---- Launches ---- */

/* Whether the kernel's grid fits, and could be read. */
static bool read_grid(cl_command_queue queue, const kernel *of, recorded_launch *made) {
  return clGetMemObjectInfo(of->grid, CL_MEM_SIZE, sizeof made->grid_size, &made->grid_size,
                            NULL) == CL_SUCCESS &&
         made->grid_size <= sizeof made->grid &&
         clEnqueueReadBuffer(queue, of->grid, CL_TRUE, 0, made->grid_size, made->grid, 0, NULL,
                             NULL) == CL_SUCCESS;
}

WRAPPER(cl_int, clEnqueueNDRangeKernel,
        (cl_command_queue queue, cl_kernel of, cl_uint dimensions, const size_t *offsets,
         const size_t *global, const size_t *local, cl_uint n_wait, const cl_event *wait,
         cl_event *event)) {
  (void)offsets;
  (void)n_wait;
  (void)wait;
  if (event != NULL) {
    return CL_INVALID_OPERATION; /* nothing runs that it could tell of */
  }
  if (launches_recorded.count++ >= RECORDED_LAUNCHES) {
    return CL_SUCCESS;
  }
  recorded_launch *const made = &launches_recorded.of[launches_recorded.count - 1];
  *made = ((const kernel *)of)->launch;
  made->group_count = 1;
  made->group_size = 1;
  for (cl_uint d = 0; d < dimensions; ++d) {
    made->group_count *= global[d] / local[d];
    made->group_size *= local[d];
  }
  return read_grid(queue, (const kernel *)of, made) ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}
